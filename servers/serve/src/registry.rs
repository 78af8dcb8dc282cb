//! The registry of a server's sessions, which are found by unpredictable ids.
//!
//! There are at most [`Registry::MOST`] sessions, with at most [`Registry::BYTES`] bytes. A session
//! without requests for [`Registry::IDLE`] is removed. If there is no room for a new one, the
//! sessions that have been idle for the longest are removed, but only after [`Registry::SPARE`].

use crate::{
    lock::lock,
    problem::{Answer, Problem},
    session::Session,
    shared::Shared,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The sessions of a server.
#[derive(Default)]
pub(crate) struct Registry {
    sessions: Mutex<BTreeMap<String, Arc<Shared>>>,
}

impl Registry {
    /// The most sessions.
    pub(crate) const MOST: usize = 64;

    /// The most bytes of all sessions together.
    pub(crate) const BYTES: usize = 256 << 20;

    /// The idle time after which a session is removed.
    pub(crate) const IDLE: Duration = Duration::from_secs(6 * 3600);

    /// The idle time after which a session may be removed to make room for another.
    pub(crate) const SPARE: Duration = Duration::from_secs(60);

    /// Draws an unpredictable id: 128 random bits in hexadecimal.
    ///
    /// # Errors
    /// Returns an error if the machine gives no random bits.
    pub(crate) fn id() -> Answer<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Problem::broken())?;
        Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
    }

    /// Draws an unpredictable seed for a session, short enough to be read out.
    ///
    /// # Errors
    /// Returns an error if the machine gives no random bits.
    pub(crate) fn seed() -> Answer<u64> {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).map_err(|_| Problem::broken())?;
        Ok(u32::from_le_bytes(bytes).into())
    }

    /// Adds a session, and ends the sessions that are removed.
    ///
    /// # Errors
    /// Returns an error if the session is too large, or there is no room and too few sessions are
    /// idle.
    pub(crate) fn add(&self, session: Session) -> Answer<Arc<Shared>> {
        self.add_at(session, Instant::now())
    }

    fn add_at(&self, session: Session, now: Instant) -> Answer<Arc<Shared>> {
        let (admitted, gone) = self.admit(session, now);
        gone.iter().for_each(|shared| shared.end());
        admitted
    }

    /// Adds a session if there is room. Returns the result and the removed sessions.
    fn admit(&self, session: Session, now: Instant) -> (Answer<Arc<Shared>>, Vec<Arc<Shared>>) {
        let id = session.id.clone();
        let shared = Shared::new(session, now);
        if shared.weight > Self::BYTES {
            let heavy = Problem::unfit("too_large_to_play", "the game takes too much memory");
            return (Err(heavy.help("`gdl play` has more")), Vec::new());
        }
        let mut sessions = lock(&self.sessions);
        let (old, kept): (BTreeMap<_, _>, _) = std::mem::take(&mut *sessions)
            .into_iter()
            .partition(|(_, shared)| shared.idle(now) >= Self::IDLE);
        *sessions = kept;
        let mut gone: Vec<Arc<Shared>> = old.into_values().collect();
        // The sessions that may be removed, the longest idle last. None is removed if removing all
        // of them would not make enough room.
        let mut spare: Vec<(Duration, &String, usize)> =
            sessions.iter().map(|(id, shared)| (shared.idle(now), id, shared.weight)).collect();
        spare.retain(|(idle, ..)| *idle >= Self::SPARE);
        spare.sort();
        let mut count = sessions.len() + 1;
        let mut weight = shared.weight + sessions.values().map(|shared| shared.weight).sum::<usize>();
        let mut leaving: Vec<String> = Vec::new();
        while count > Self::MOST || weight > Self::BYTES {
            let Some((_, id, light)) = spare.pop() else {
                let full = Problem::too_many(format!("{} games are being played already", sessions.len()));
                return (Err(full.help("close one, or wait a minute")), gone);
            };
            (count, weight) = (count - 1, weight - light);
            leaving.push(id.clone());
        }
        gone.extend(leaving.iter().filter_map(|id| sessions.remove(id)));
        sessions.insert(id, Arc::clone(&shared));
        (Ok(shared), gone)
    }

    /// Finds a session by its id.
    ///
    /// # Errors
    /// Returns an error if there is no such session, or it has expired.
    pub(crate) fn find(&self, id: &str) -> Answer<Arc<Shared>> {
        self.find_at(id, Instant::now())
    }

    fn find_at(&self, id: &str, now: Instant) -> Answer<Arc<Shared>> {
        let found = lock(&self.sessions).get(id).filter(|shared| shared.idle(now) < Self::IDLE).cloned();
        let shared = found.ok_or_else(|| {
            Problem::missing("no_session", "there is no such session, or it has ended")
                .help("start a new one")
        })?;
        shared.touch(now);
        Ok(shared)
    }

    /// Returns whether a session exists. The call does not count as a request.
    pub(crate) fn has(&self, id: &str) -> bool {
        lock(&self.sessions).contains_key(id)
    }

    /// Returns the number of sessions.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// Ends a session.
    ///
    /// # Errors
    /// Returns an error if there is no such session.
    pub(crate) fn remove(&self, id: &str) -> Answer<()> {
        let found = lock(&self.sessions).remove(id);
        let shared = found.ok_or_else(|| Problem::missing("no_session", "there is no such session"))?;
        shared.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Games, seats::Seat, thinking};
    use gdl_runtime::{GameExt, History};

    fn session(id: usize) -> Session {
        let opened = Games::default().find("tictactoe").expect("it is built in");
        let (history, seats) = (History::new(&opened.game), Seat::usual(&opened.game));
        Session::new(id.to_string(), opened, history, seats, 0)
    }

    #[test]
    fn sessions_grow_old() {
        let sessions = Registry::default();
        let start = Instant::now();
        let nearly = Registry::IDLE.saturating_sub(Duration::from_secs(1));
        assert!(sessions.add_at(session(1), start).is_ok());
        // A request keeps the session for longer.
        let later = start + nearly;
        assert!(sessions.find_at("1", later).is_ok());
        assert!(sessions.find_at("1", later + nearly).is_ok());
        let end = later + 2 * Registry::IDLE;
        assert!(sessions.find_at("1", end).is_err());
        assert!(sessions.add_at(session(2), end).is_ok());
        assert_eq!(lock(&sessions.sessions).len(), 1);
    }

    #[test]
    fn sessions_are_bounded() {
        let sessions = Registry::default();
        let start = Instant::now();
        for id in 0..Registry::MOST {
            assert!(sessions.add_at(session(id), start).is_ok());
        }
        assert!(sessions.add_at(session(100), start + Registry::SPARE / 2).is_err());
        // A minute later all sessions but one are in use, so the idle one is removed.
        let later = start + Registry::SPARE;
        for id in (0..Registry::MOST).filter(|&id| id != 5) {
            assert!(sessions.find_at(&id.to_string(), later).is_ok());
        }
        assert!(sessions.add_at(session(100), later).is_ok());
        assert!(sessions.find_at("5", later).is_err());
        assert!(sessions.find_at("100", later).is_ok());
        assert!(sessions.add_at(session(101), later).is_err());
    }

    #[test]
    fn sessions_are_bounded_in_bytes() {
        let sessions = Registry::default();
        let text: Arc<str> = " ".repeat(Registry::BYTES / 3).into();
        let heavy = |id: usize| {
            let mut session = session(id);
            (session.opened.is_known, session.opened.text) = (false, text.clone());
            session
        };
        let start = Instant::now();
        assert!(sessions.add_at(heavy(1), start).is_ok() && sessions.add_at(heavy(2), start).is_ok());
        let refused = sessions.add_at(heavy(3), start);
        assert!(matches!(refused, Err(problem) if problem.code == "too_many"));
        // Light sessions fit, and an idle one makes room for a heavy one.
        assert!(sessions.add_at(session(4), start).is_ok());
        let later = start + Registry::SPARE;
        for id in ["2", "4"] {
            assert!(sessions.find_at(id, later).is_ok());
        }
        assert!(sessions.add_at(heavy(3), later).is_ok());
        assert!(sessions.find_at("1", later).is_err() && sessions.find_at("4", later).is_ok());
    }

    #[test]
    fn what_has_ended_plays_on_no_more_and_waits_for_nobody() {
        let sessions = Registry::default();
        let mut alone = session(1);
        let seats =
            alone.game().roles().map(|role| Seat::parse(alone.game(), &"".into(), role, "first").ok());
        alone.seats = seats.collect::<Option<Vec<Seat>>>().expect("players");
        let Ok(shared) = sessions.add(alone) else { panic!("there is room") };
        // A session also ends while a thread works on it.
        let busy = shared.hold();
        let cancel = busy.cancel().clone();
        assert!(sessions.remove("1").is_ok() && cancel.is_cancelled());
        drop(busy);
        let version = thinking::with(&shared, |session| session.version);
        assert_eq!(
            thinking::with(&shared, |session| (session.version, session.history.depth())),
            (version, 0)
        );
        let session = shared.hold();
        assert!(session.game().roles().all(|role| session.effort(role).is_none()));
    }
}

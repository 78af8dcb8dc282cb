//! The sessions of a server: in comes an id that nobody can guess, out goes the session, for one request at a time.
//!
//! There are never more than [`Sessions::MOST`], and one that nobody has asked for in [`Sessions::IDLE`] is gone. When there
//! are too many the one that was idle longest makes room, if that was long enough.

use super::{
    errors::{Answer, Problem},
    session::Session,
    thinking,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// A session that several threads share.
pub struct Shared {
    session: Mutex<Session>,
    /// The version of the session.
    changed: watch::Sender<u64>,
    /// When somebody last asked for it. That is noted and read without waiting for whoever works on the session.
    used: Mutex<Instant>,
}

impl Shared {
    fn new(session: Session, now: Instant) -> Arc<Self> {
        let changed = watch::Sender::new(session.version);
        Arc::new(Self { session: Mutex::new(session), changed, used: Mutex::new(now) })
    }

    /// How long nobody has asked for it.
    fn idle(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*lock(&self.used))
    }

    /// Looks at the session or changes it, lets it play on as far as it can, and tells whoever waits for changes.
    pub fn with<T>(self: &Arc<Self>, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = lock(&self.session);
        let done = work(&mut session);
        for thought in session.settle() {
            thinking::start(Arc::clone(self), thought);
        }
        self.changed.send_replace(session.version);
        done
    }

    /// Waits until the session has changed since it had that version, but no longer than that.
    pub async fn wait(&self, version: u64, longest: Duration) {
        let mut changes = self.changed.subscribe();
        let changed = changes.wait_for(|&now| now > version);
        // Whether it changed or not, it is looked at.
        let _ = tokio::time::timeout(longest, changed).await;
    }
}

/// What one thread at a time may use. A thread that broke down with it has left it whole: what is changed here is so at once,
/// and a session checks what it is told.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All sessions.
#[derive(Default)]
pub struct Sessions {
    shared: Mutex<BTreeMap<String, Arc<Shared>>>,
}

impl Sessions {
    /// There are never more.
    pub const MOST: usize = 64;

    /// One that nobody asked for in this time is gone.
    pub const IDLE: Duration = Duration::from_secs(6 * 3600);

    /// One that nobody asked for in this time makes room for another.
    pub const SPARE: Duration = Duration::from_secs(60);

    /// A name that nobody can guess: 128 random bits.
    ///
    /// # Errors
    /// If the machine gives no random bits.
    pub fn id() -> Answer<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Problem::broken())?;
        Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
    }

    /// Keeps a session. Those that are gone by then end.
    ///
    /// # Errors
    /// If there are too many that are in use.
    pub fn add(&self, session: Session) -> Answer<Arc<Shared>> {
        self.add_at(session, Instant::now())
    }

    fn add_at(&self, session: Session, now: Instant) -> Answer<Arc<Shared>> {
        let (shared, gone) = self.admit(session, now)?;
        gone.iter().for_each(|shared| lock(&shared.session).close());
        Ok(shared)
    }

    /// Finds room for a session, and the sessions that are gone.
    fn admit(&self, session: Session, now: Instant) -> Answer<(Arc<Shared>, Vec<Arc<Shared>>)> {
        let mut sessions = lock(&self.shared);
        let (old, kept): (BTreeMap<_, _>, _) = std::mem::take(&mut *sessions)
            .into_iter()
            .partition(|(_, shared)| shared.idle(now) >= Self::IDLE);
        *sessions = kept;
        let mut gone: Vec<Arc<Shared>> = old.into_values().collect();
        if sessions.len() >= Self::MOST {
            let longest = sessions.iter().map(|(id, shared)| (shared.idle(now), id.clone())).max();
            let spare =
                longest.filter(|(idle, _)| *idle >= Self::SPARE).and_then(|(_, id)| sessions.remove(&id));
            let full = || {
                Problem::too_many(format!("{} games are being played already", Self::MOST))
                    .help("close one, or wait a minute")
            };
            gone.push(spare.ok_or_else(full)?);
        }
        let id = session.id.clone();
        let shared = Shared::new(session, now);
        sessions.insert(id, Arc::clone(&shared));
        Ok((shared, gone))
    }

    /// The session of an id.
    ///
    /// # Errors
    /// If there is none, or none any more.
    pub fn find(&self, id: &str) -> Answer<Arc<Shared>> {
        self.find_at(id, Instant::now())
    }

    fn find_at(&self, id: &str, now: Instant) -> Answer<Arc<Shared>> {
        let found = lock(&self.shared).get(id).filter(|shared| shared.idle(now) < Self::IDLE).cloned();
        let shared = found.ok_or_else(|| {
            Problem::missing("no_session", "there is no such session, or none any more")
                .help("start a new one")
        })?;
        *lock(&shared.used) = now;
        Ok(shared)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If there is none.
    pub fn remove(&self, id: &str) -> Answer<()> {
        let found = lock(&self.shared).remove(id);
        let shared = found.ok_or_else(|| Problem::missing("no_session", "there is no such session"))?;
        lock(&shared.session).close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::{games::Games, seats::Seat};
    use gdl_runtime::History;

    fn session(id: usize) -> Session {
        let opened = Games::default().find("tictactoe").expect("it is built in");
        let (history, seats) = (History::new(&opened.game), Seat::usual(&opened.game));
        Session::new(id.to_string(), opened, history, seats, 0)
    }

    #[test]
    fn sessions_grow_old() {
        let sessions = Sessions::default();
        let start = Instant::now();
        let nearly = Sessions::IDLE.saturating_sub(Duration::from_secs(1));
        assert!(sessions.add_at(session(1), start).is_ok());
        // Whoever asks for it keeps it.
        let later = start + nearly;
        assert!(sessions.find_at("1", later).is_ok());
        assert!(sessions.find_at("1", later + nearly).is_ok());
        let end = later + 2 * Sessions::IDLE;
        assert!(sessions.find_at("1", end).is_err());
        assert!(sessions.add_at(session(2), end).is_ok());
        assert_eq!(lock(&sessions.shared).len(), 1);
    }

    #[test]
    fn sessions_are_bounded() {
        let sessions = Sessions::default();
        let start = Instant::now();
        for id in 0..Sessions::MOST {
            assert!(sessions.add_at(session(id), start).is_ok());
        }
        assert!(sessions.add_at(session(100), start + Sessions::SPARE / 2).is_err());
        // All but one are in use a minute later, so that one makes room.
        let later = start + Sessions::SPARE;
        for id in (0..Sessions::MOST).filter(|&id| id != 5) {
            assert!(sessions.find_at(&id.to_string(), later).is_ok());
        }
        assert!(sessions.add_at(session(100), later).is_ok());
        assert!(sessions.find_at("5", later).is_err());
        assert!(sessions.find_at("100", later).is_ok());
        assert!(sessions.add_at(session(101), later).is_err());
    }
}

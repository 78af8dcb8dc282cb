//! The sessions of a server: in comes an id that nobody can guess, out goes the session, for one request at a time.
//!
//! There are never more than [`Sessions::MOST`], and those together never weigh more than [`Sessions::BYTES`]; one that nobody
//! has asked for in [`Sessions::IDLE`] is gone. When there are too many the one that was idle longest makes room, if that was
//! long enough. A session that has ended plays on no more, also when a player still thinks for it.
//!
//! Requests for a session come one after the other ([`Shared::turn`]), so what one of them takes keeps only those for the same
//! session waiting, and no thread.

use crate::{
    errors::{Answer, Problem},
    session::Session,
    thinking,
};
use gdl_runtime::{Budget, Cancel};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, watch};

/// How long a session plays on by itself before it hears of the next request.
const STRETCH: Duration = Duration::from_millis(500);

/// A session that several threads share.
pub(crate) struct Shared {
    session: Mutex<Session>,
    /// The version of the session.
    changed: watch::Sender<u64>,
    /// When somebody last asked for it. That is noted and read without waiting for whoever works on the session.
    used: Mutex<Instant>,
    /// If the server knows the game.
    pub is_known: bool,
    /// A turn at the session for one request at a time.
    pub turn: Arc<Semaphore>,
    /// The same at seeing inside.
    pub looking: Arc<Semaphore>,
    /// See [`Session::weight`].
    weight: usize,
    /// What ends all thinking for the session, and whether it has ended itself: neither waits for a thread that works on it.
    thinking: Mutex<Cancel>,
    has_ended: AtomicBool,
}

impl Shared {
    fn new(session: Session, now: Instant) -> Arc<Self> {
        Arc::new(Self {
            changed: watch::Sender::new(session.version),
            used: Mutex::new(now),
            is_known: session.opened.is_known,
            turn: Arc::new(Semaphore::new(1)),
            looking: Arc::new(Semaphore::new(1)),
            weight: session.weight(),
            thinking: Mutex::new(session.cancel().clone()),
            has_ended: AtomicBool::new(false),
            session: Mutex::new(session),
        })
    }

    /// Ends all thinking for the session, for good.
    fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        lock(&self.thinking).cancel();
    }

    /// How long nobody has asked for it.
    fn idle(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*lock(&self.used))
    }

    /// Looks at the session or changes it, lets it play on as far as it can in a while, and tells the requests that wait for changes.
    pub(crate) fn with<T>(self: &Arc<Self>, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = lock(&self.session);
        let done = work(&mut session);
        if !self.has_ended.load(Ordering::SeqCst) {
            for thought in session.settle(&Budget::within(STRETCH), thinking::room()) {
                thinking::start(Arc::clone(self), thought);
            }
        }
        lock(&self.thinking).clone_from(session.cancel());
        if self.has_ended.load(Ordering::SeqCst) {
            session.cancel().cancel();
        }
        self.changed.send_replace(session.version);
        done
    }

    /// Waits until the session has changed since it had that version, but no longer than that.
    pub(crate) async fn wait(&self, version: u64, longest: Duration) {
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
pub(crate) struct Sessions {
    shared: Mutex<BTreeMap<String, Arc<Shared>>>,
}

impl Sessions {
    /// There are never more.
    pub(crate) const MOST: usize = 64;

    /// They never weigh more together.
    pub(crate) const BYTES: usize = 256 << 20;

    /// One that nobody asked for in this time is gone.
    pub(crate) const IDLE: Duration = Duration::from_secs(6 * 3600);

    /// One that nobody asked for in this time makes room for another.
    pub(crate) const SPARE: Duration = Duration::from_secs(60);

    /// A name that nobody can guess: 128 random bits.
    ///
    /// # Errors
    /// If the machine gives no random bits.
    pub(crate) fn id() -> Answer<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Problem::broken())?;
        Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
    }

    /// Keeps a session. Those that are gone by then end.
    ///
    /// # Errors
    /// If there are too many that are in use.
    pub(crate) fn add(&self, session: Session) -> Answer<Arc<Shared>> {
        self.add_at(session, Instant::now())
    }

    fn add_at(&self, session: Session, now: Instant) -> Answer<Arc<Shared>> {
        let (admitted, gone) = self.admit(session, now);
        gone.iter().for_each(|shared| shared.end());
        admitted
    }

    /// Finds room for a session, and the sessions that are gone.
    fn admit(&self, session: Session, now: Instant) -> (Answer<Arc<Shared>>, Vec<Arc<Shared>>) {
        let id = session.id.clone();
        let shared = Shared::new(session, now);
        if shared.weight > Self::BYTES {
            let heavy =
                Problem::unfit("too_large_to_play", "the game takes too much memory to be played here");
            return (Err(heavy.help("`gdl play` has more")), Vec::new());
        }
        let mut sessions = lock(&self.shared);
        let (old, kept): (BTreeMap<_, _>, _) = std::mem::take(&mut *sessions)
            .into_iter()
            .partition(|(_, shared)| shared.idle(now) >= Self::IDLE);
        *sessions = kept;
        let mut gone: Vec<Arc<Shared>> = old.into_values().collect();
        // Those that make room, the one that was idle longest first; none if they are too few.
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

    /// The session of an id.
    ///
    /// # Errors
    /// If there is none, or none any more.
    pub(crate) fn find(&self, id: &str) -> Answer<Arc<Shared>> {
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

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.shared).len()
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn remove(&self, id: &str) -> Answer<()> {
        let found = lock(&self.shared).remove(id);
        let shared = found.ok_or_else(|| Problem::missing("no_session", "there is no such session"))?;
        shared.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Games, seats::Seat};
    use gdl_runtime::{Game, History};

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

    #[test]
    fn sessions_are_bounded_in_bytes() {
        let sessions = Sessions::default();
        let text: Arc<str> = " ".repeat(Sessions::BYTES / 3).into();
        let heavy = |id: usize| {
            let mut session = session(id);
            (session.opened.is_known, session.opened.text) = (false, text.clone());
            session
        };
        let start = Instant::now();
        assert!(sessions.add_at(heavy(1), start).is_ok() && sessions.add_at(heavy(2), start).is_ok());
        let refused = sessions.add_at(heavy(3), start);
        assert!(matches!(refused, Err(problem) if problem.code == "too_many"));
        // Light ones have room, and one that is idle makes some.
        assert!(sessions.add_at(session(4), start).is_ok());
        let later = start + Sessions::SPARE;
        for id in ["2", "4"] {
            assert!(sessions.find_at(id, later).is_ok());
        }
        assert!(sessions.add_at(heavy(3), later).is_ok());
        assert!(sessions.find_at("1", later).is_err() && sessions.find_at("4", later).is_ok());
    }

    #[test]
    fn what_has_ended_plays_on_no_more_and_waits_for_nobody() {
        let sessions = Sessions::default();
        let mut alone = session(1);
        let seats = alone.game().roles().map(|role| Seat::parse(alone.game(), role, "first").ok());
        alone.seats = seats.collect::<Option<Vec<Seat>>>().expect("players");
        let Ok(shared) = sessions.add(alone) else { panic!("there is room") };
        // A thread works on it, and it ends nevertheless.
        let busy = lock(&shared.session);
        let cancel = busy.cancel().clone();
        assert!(sessions.remove("1").is_ok() && cancel.is_cancelled());
        drop(busy);
        let version = shared.with(|session| session.version);
        assert_eq!(shared.with(|session| (session.version, session.history.depth())), (version, 0));
        let session = lock(&shared.session);
        assert!(session.game().roles().all(|role| session.effort(role).is_none()));
    }
}

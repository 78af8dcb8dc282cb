//! A session that threads share: its requests in order, and the players that think for it.
//!
//! Requests for a session take turns ([`Shared::turn`]). A slow request delays only requests for
//! the same session and blocks no thread. A session that has ended makes no further moves, even if
//! a player is still thinking.

use crate::session::Session;
use gdl_runtime::Cancel;
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, watch};

/// A session that several threads share.
pub(crate) struct Shared {
    session: Mutex<Session>,
    /// The version of the session.
    changed: watch::Sender<u64>,
    /// The time at which a clock will have run down, at present.
    flag: Mutex<Option<Instant>>,
    /// The time of the last request. It is noted and read without waiting for a thread that works
    /// on the session.
    used: Mutex<Instant>,
    /// True for a built-in game or the game that the server was started with.
    pub is_known: bool,
    /// A turn at the session for one request at a time.
    pub turn: Arc<Semaphore>,
    /// The same at seeing inside.
    pub looking: Arc<Semaphore>,
    /// See [`Session::weight`].
    pub weight: usize,
    /// The handle that ends all thinking for the session, and whether it has ended itself: neither
    /// waits for a thread that works on it.
    thinking: Mutex<Cancel>,
    has_ended: AtomicBool,
}

impl Shared {
    pub(crate) fn new(session: Session, now: Instant) -> Arc<Self> {
        Arc::new(Self {
            changed: watch::Sender::new(session.version),
            flag: Mutex::default(),
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
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        lock(&self.thinking).cancel();
    }

    /// The time since the last request.
    pub(crate) fn idle(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*lock(&self.used))
    }

    /// Notes that it is asked for.
    pub(crate) fn touch(&self, now: Instant) {
        *lock(&self.used) = now;
    }

    /// Looks at the session or changes it, lets it play on unless it has ended, and tells the
    /// requests that wait for changes.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Session) -> T,
        play_on: impl FnOnce(&mut Session),
    ) -> T {
        let mut session = lock(&self.session);
        let done = work(&mut session);
        if !self.has_ended.load(Ordering::SeqCst) {
            play_on(&mut session);
        }
        lock(&self.thinking).clone_from(session.cancel());
        if self.has_ended.load(Ordering::SeqCst) {
            session.cancel().cancel();
        }
        *lock(&self.flag) = session.clocks.soonest().and_then(|left| Instant::now().checked_add(left));
        self.changed.send_replace(session.version);
        done
    }

    /// The session, kept from all others, as long as a thread works on it.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> MutexGuard<'_, Session> {
        lock(&self.session)
    }

    /// Waits until the session has changed since it had that version, but no longer than that, and
    /// not past the end of a clock.
    pub(crate) async fn wait(&self, version: u64, longest: Duration) {
        let flag = lock(&self.flag).map(|flag| flag.saturating_duration_since(Instant::now()));
        let longest = flag.map_or(longest, |flag| longest.min(flag));
        let mut changes = self.changed.subscribe();
        let changed = changes.wait_for(|&now| now > version);
        // Whether it changed or not, it is looked at.
        let _ = tokio::time::timeout(longest, changed).await;
    }
}

/// Locks data that one thread at a time may use. A thread that panicked with it has left it whole:
/// changes here are made at once, and a session checks its input.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

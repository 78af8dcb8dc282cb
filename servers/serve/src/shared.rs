//! A session that threads share: its requests in order, and the players that think for it.
//!
//! Requests for a session take turns ([`Shared::turn`]). A slow request delays only requests for
//! the same session and blocks no thread. A session that has ended makes no further moves, even if
//! a player is still thinking.

use crate::{lock::lock, session::Session};
use gdl_runtime::Cancel;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, watch};

/// A session that several threads share.
pub(crate) struct Shared {
    session: Mutex<Session>,
    /// The version of the session, for requests that wait for a change.
    changed: watch::Sender<u64>,
    /// The time at which the first running clock will have run down.
    flag: Mutex<Option<Instant>>,
    /// The time of the last request. It has its own lock, so it can be read while a thread works on
    /// the session.
    used: Mutex<Instant>,
    /// True for a built-in game or the game that the server was started with.
    pub is_known: bool,
    /// The turn for requests that use the session, one at a time.
    pub turn: Arc<Semaphore>,
    /// The turn for requests that compile the session's net or compute a reason, one at a time.
    pub looking: Arc<Semaphore>,
    /// The estimated bytes of the session: see [`Session::weight`].
    pub weight: usize,
    /// The handle that cancels all searches of the session. It has its own lock, so it can be used
    /// while a thread works on the session.
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

    /// Ends the session: cancels its searches and stops further moves.
    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::SeqCst);
        lock(&self.thinking).cancel();
    }

    /// Returns the time since the last request.
    pub(crate) fn idle(&self, now: Instant) -> Duration {
        now.saturating_duration_since(*lock(&self.used))
    }

    /// Records the time of a request.
    pub(crate) fn touch(&self, now: Instant) {
        *lock(&self.used) = now;
    }

    /// Runs `work` on the session, and then `play_on` unless the session has ended. Wakes the
    /// requests that wait for a change.
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

    /// Locks the session, as a thread does that works on it.
    #[cfg(test)]
    pub(crate) fn hold(&self) -> std::sync::MutexGuard<'_, Session> {
        lock(&self.session)
    }

    /// Waits until the session has a version above `version`, at most for `longest` and until a
    /// clock has run down.
    pub(crate) async fn wait(&self, version: u64, longest: Duration) {
        let flag = lock(&self.flag).map(|flag| flag.saturating_duration_since(Instant::now()));
        let longest = flag.map_or(longest, |flag| longest.min(flag));
        let mut changes = self.changed.subscribe();
        let changed = changes.wait_for(|&now| now > version);
        // The caller reads the session in either case.
        let _ = tokio::time::timeout(longest, changed).await;
    }
}

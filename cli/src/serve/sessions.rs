//! The sessions of a server: in comes an id that nobody can guess, out goes the session, for one request at a time.
//!
//! There are never more than [`Sessions::MOST`], and one that nobody has asked for in [`Sessions::IDLE`] is gone. When there are too many
//! the one that was idle longest makes room, if that was long enough.

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
}

impl Shared {
    fn new(session: Session) -> Arc<Self> {
        let changed = watch::Sender::new(session.version);
        Arc::new(Self { session: Mutex::new(session), changed })
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the session or changes it, lets it play on as far as it can, and tells whoever waits for changes.
    pub fn with<T>(self: &Arc<Self>, work: impl FnOnce(&mut Session) -> T) -> T {
        let mut session = self.lock();
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

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Shared>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a session.
    ///
    /// # Errors
    /// If there are too many that are in use.
    pub fn add(&self, session: Session) -> Answer<Arc<Shared>> {
        let mut sessions = self.lock();
        let now = Instant::now();
        let idle = |shared: &Arc<Shared>| now.saturating_duration_since(shared.lock().used);
        sessions.retain(|_, shared| {
            let is_kept = idle(shared) < Self::IDLE;
            if !is_kept {
                shared.lock().close();
            }
            is_kept
        });
        if sessions.len() >= Self::MOST {
            let longest = sessions.iter().map(|(id, shared)| (idle(shared), id.clone())).max();
            let spare =
                longest.filter(|(idle, _)| *idle >= Self::SPARE).and_then(|(_, id)| sessions.remove(&id));
            let full = || {
                Problem::too_many(format!("{} games are being played already", Self::MOST))
                    .help("close one, or wait a minute")
            };
            spare.ok_or_else(full)?.lock().close();
        }
        let id = session.id.clone();
        let shared = Shared::new(session);
        sessions.insert(id, Arc::clone(&shared));
        Ok(shared)
    }

    /// The session of an id.
    ///
    /// # Errors
    /// If there is none, or none any more.
    pub fn find(&self, id: &str) -> Answer<Arc<Shared>> {
        let found = self.lock().get(id).cloned();
        let shared = found.ok_or_else(|| {
            Problem::missing("no_session", "there is no such session, or none any more")
                .help("start a new one")
        })?;
        shared.lock().used = Instant::now();
        Ok(shared)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// If there is none.
    pub fn remove(&self, id: &str) -> Answer<()> {
        let found = self.lock().remove(id);
        let shared = found.ok_or_else(|| Problem::missing("no_session", "there is no such session"))?;
        shared.lock().close();
        Ok(())
    }
}

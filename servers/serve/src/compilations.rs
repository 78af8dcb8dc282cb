//! The compilations under way that somebody wants to follow: for each ticket how far it is.
//!
//! A caller makes up a ticket, sends it with a rulesheet, and asks for it in other requests. A
//! ticket is there as long as its compilation is at work, so there are no more of them than
//! compilations at a time.

use crate::{shared::lock, work::observer};
use gdl_compiler::{Observer, observer::Progress};
use gdl_runtime::Cancel;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The greatest number of characters of a ticket; longer ones have no progress.
const LONGEST: usize = 64;

/// The progress of a compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Stage {
    /// The present phase, in words.
    pub phase: &'static str,
    /// The number of items made,
    pub made: usize,
    /// and what is counted.
    pub unit: &'static str,
}

/// The compilations under way.
#[derive(Debug, Default)]
pub(crate) struct Compilations(Arc<Mutex<BTreeMap<String, Stage>>>);

/// Takes the ticket back when the compilation ends.
struct Ticket {
    name: String,
    stages: Arc<Mutex<BTreeMap<String, Stage>>>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.stages).remove(&self.name);
    }
}

impl Compilations {
    /// The observer that follows a compilation and cancels it.
    pub(crate) fn observe(&self, ticket: Option<&str>, cancel: &Cancel) -> Observer {
        let Some(name) = ticket.filter(|ticket| ticket.len() <= LONGEST) else { return observer(cancel) };
        let (calls_off, stages) = (observer(cancel), Arc::clone(&self.0));
        lock(&stages).insert(name.to_owned(), Stage::default());
        let ticket = Ticket { name: name.to_owned(), stages };
        Observer::new(move |progress: Progress| {
            let Progress { phase, made, .. } = progress;
            let stage = Stage { phase: phase.name(), made, unit: phase.unit() };
            lock(&ticket.stages).insert(ticket.name.clone(), stage);
            calls_off.tell(progress)
        })
    }

    /// The progress of a compilation, if it is under way.
    #[must_use]
    pub(crate) fn stage(&self, ticket: &str) -> Option<Stage> {
        lock(&self.0).get(ticket).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::Phase;

    #[test]
    fn a_ticket_is_there_as_long_as_its_compilation() {
        let (compilations, cancel) = (Compilations::default(), Cancel::default());
        let observer = compilations.observe(Some("a"), &cancel);
        assert_eq!(compilations.stage("a"), Some(Stage::default()));
        let progress = Progress { phase: Phase::Ground, made: 7, steps: 9 };
        assert!(observer.tell(progress).is_continue());
        let stage = compilations.stage("a").expect("it is under way");
        assert_eq!((stage.phase, stage.made, stage.unit), ("grounding", 7, "rule instances"));
        cancel.cancel();
        assert!(observer.tell(progress).is_break());
        drop(observer);
        assert_eq!(compilations.stage("a"), None);
        let long = "x".repeat(LONGEST + 1);
        let _observer = compilations.observe(Some(&long), &cancel);
        assert_eq!(compilations.stage(&long), None);
    }
}

//! The progress of running compilations, by ticket.
//!
//! A caller chooses a ticket, sends it with a rulesheet, and queries it in other requests. A ticket
//! exists while its compilation runs, which bounds the number of tickets.

use crate::{shared::lock, work::observer};
use gdl_compiler::{Observer, observer::Progress};
use gdl_runtime::Cancel;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The most bytes of a ticket; a compilation with a longer one reports no progress.
const LONGEST: usize = 64;

/// The progress of a compilation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Stage {
    /// The name of the current stage.
    pub phase: &'static str,
    /// The number of items made in this stage.
    pub made: usize,
    /// The unit of these items.
    pub unit: &'static str,
}

/// The progress of the running compilations.
#[derive(Debug, Default)]
pub(crate) struct Compilations(Arc<Mutex<BTreeMap<String, Stage>>>);

/// A guard that removes a ticket when its compilation ends.
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
    /// Returns an observer that records the progress of a compilation, and stops the compilation
    /// once `cancel` is cancelled.
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

    /// Returns the progress of a running compilation.
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

//! The progress of running compilations, by ticket.
//!
//! A caller chooses a ticket, sends it with a rulesheet, and queries it in other requests. A ticket
//! exists while its compilation runs, which bounds the number of tickets. If several compilations
//! have the same ticket, a query returns the progress of the last one that runs.

use crate::{lock::lock, work::observer};
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

/// The progress of each running compilation, by its ticket and its number among the compilations
/// with this ticket.
type Stages = BTreeMap<(String, u64), Stage>;

/// The progress of the running compilations.
#[derive(Debug, Default)]
pub(crate) struct Compilations(Arc<Mutex<Stages>>);

/// A guard that removes the progress of a compilation when it ends.
struct Ticket {
    key: (String, u64),
    stages: Arc<Mutex<Stages>>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.stages).remove(&self.key);
    }
}

/// Returns the last running compilation with a ticket: its number and its progress.
fn last<'s>(stages: &'s Stages, ticket: &str) -> Option<(u64, &'s Stage)> {
    let mut all = stages.range((ticket.to_owned(), 0)..=(ticket.to_owned(), u64::MAX));
    all.next_back().map(|((_, number), stage)| (*number, stage))
}

impl Compilations {
    /// Returns an observer that records the progress of a compilation, and stops the compilation
    /// once `cancel` is cancelled.
    pub(crate) fn observe(&self, ticket: Option<&str>, cancel: &Cancel) -> Observer {
        let Some(name) = ticket.filter(|ticket| ticket.len() <= LONGEST) else { return observer(cancel) };
        let mut stages = lock(&self.0);
        let number = last(&stages, name).map_or(0, |(number, _)| number + 1);
        stages.insert((name.to_owned(), number), Stage::default());
        drop(stages);
        let ticket = Ticket { key: (name.to_owned(), number), stages: Arc::clone(&self.0) };
        let calls_off = observer(cancel);
        Observer::new(move |progress: Progress| {
            let Progress { phase, made, .. } = progress;
            let stage = Stage { phase: phase.name(), made, unit: phase.unit() };
            lock(&ticket.stages).insert(ticket.key.clone(), stage);
            calls_off.tell(progress)
        })
    }

    /// Returns the progress of a running compilation.
    #[must_use]
    pub(crate) fn stage(&self, ticket: &str) -> Option<Stage> {
        last(&lock(&self.0), ticket).map(|(_, stage)| stage.clone())
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

    #[test]
    fn compilations_with_one_ticket_end_on_their_own() {
        let (compilations, cancel) = (Compilations::default(), Cancel::default());
        let [first, second] = [(); 2].map(|()| compilations.observe(Some("a"), &cancel));
        let made = |observer: &Observer, made| {
            let _ = observer.tell(Progress { phase: Phase::Ground, made, steps: 9 });
            compilations.stage("a").map(|stage| stage.made)
        };
        assert_eq!((made(&second, 2), made(&first, 1)), (Some(2), Some(2)));
        drop(first);
        assert_eq!(compilations.stage("a").map(|stage| stage.made), Some(2));
        let third = compilations.observe(Some("a"), &cancel);
        assert_eq!(made(&third, 3), Some(3));
        drop(third);
        assert_eq!(made(&second, 4), Some(4));
        drop(second);
        assert_eq!(compilations.stage("a"), None);
    }
}

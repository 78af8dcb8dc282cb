//! The lateness of loads that miss their deadline: the time from the deadline to the error.

use crate::subject::Subject;
use gdl_runtime::{LoadError, Loader};
use gdl_tools::output::{counted, duration};
use std::time::{Duration, Instant};

/// Loads each rulesheet within `limit`. Prints the number that loaded in time, and the latest of
/// the others.
pub(crate) fn run(subjects: &[Subject], limit: Duration) {
    let (mut games, mut faults) = (0, 0);
    let mut late = Vec::new();
    for subject in subjects {
        let source = subject.source();
        let deadline = Instant::now() + limit;
        let loaded = Loader::new().until(deadline).load(source.text());
        let delay = deadline.elapsed().as_secs_f64();
        match loaded {
            Ok(_) => games += 1,
            Err(LoadError::Cancelled { message }) => late.push((delay, subject.name(), message)),
            Err(_) => faults += 1,
        }
    }
    println!("{}, {} and {} late", counted(games, "game"), counted(faults, "fault"), late.len());
    late.sort_by(|left, right| right.0.total_cmp(&left.0));
    for (delay, name, message) in late.iter().take(10) {
        println!("{} after the deadline: {name}, {message}", duration(*delay));
    }
}

//! gringo, the grounder of clingo, on the same games: it grounds checked rules, and tells what that
//! takes.
//!
//! It runs through Python's `clingo` (`pip install clingo`). Where that is not installed there is
//! nothing to compare with.

mod program;
mod split;

pub use program::program;

use gdl_tools::child;
use serde::{Deserialize, Serialize};
use std::{
    process::{Command, Stdio},
    time::Duration,
};

/// Grounds what comes on stdin.
const SCRIPT: &str = include_str!("ground.py");

/// The cost of a run of gringo.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Processor time from the text of the program to the last rule, where the rules are not read:
    /// the median of several runs.
    pub seconds: f64,
    /// The same where the solver keeps the rules, as the compiler does.
    pub kept_seconds: f64,
    /// Peak memory of the process, Python included.
    pub bytes: u64,
}

/// The sizes of what gringo found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Rules, without the choices of the encoding and without facts.
    pub rules: u64,
    /// The number of these from which `next`, `legal`, `goal`, `terminal` or `sees` can be reached.
    pub relevant: u64,
    /// Atoms that are no facts.
    pub atoms: u64,
    /// Fluents that may hold.
    pub fluents: u64,
    /// Moves that may be legal, each role's counted by itself.
    pub moves: u64,
}

/// A run of gringo. What it did not come to in time is missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Run {
    /// The cost.
    pub cost: Option<Cost>,
    /// The results.
    pub counts: Option<Counts>,
}

/// Returns whether `clingo` is available.
#[must_use]
pub fn is_installed() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import clingo"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

/// Grounds a program, to time it and to count, for no longer than thrice `cap` altogether.
///
/// # Panics
/// Panics if there is no Python, or the script prints what it should not.
#[must_use]
pub fn run(program: &str, cap: Duration) -> Run {
    let mut python = Command::new("python3");
    python.args(["-c", SCRIPT]);
    let output = child::run(python, program, 3 * cap).expect("Python starts").output;
    let mut lines = output.lines();
    let cost = lines.next().map(|line| serde_json::from_str(line).expect("the costs"));
    let counts = lines.next().map(|line| serde_json::from_str(line).expect("the counts"));
    Run { cost: cost.filter(|cost: &Cost| cost.seconds <= cap.as_secs_f64()), counts }
}

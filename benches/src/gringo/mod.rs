//! The grounder gringo, part of clingo, on the same games: it grounds checked rules, and the module
//! reports time, memory and sizes.
//!
//! It runs through Python's `clingo` (`pip install clingo`). Without that package, the comparison
//! is left out.

mod part;
mod program;
mod split;

pub use program::program;

use gdl_tools::child;
use serde::{Deserialize, Serialize};
use std::{
    process::{Command, Stdio},
    time::Duration,
};

/// A Python script that grounds the program on its standard input.
const SCRIPT: &str = include_str!("ground.py");

/// The cost of a run of gringo.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Processor seconds from the text of the program to the last rule if the rules are dropped.
    /// The median of several runs.
    pub seconds: f64,
    /// The same if the solver stores the rules, as the compiler does.
    pub kept_seconds: f64,
    /// The peak memory of the process in bytes, including Python.
    pub bytes: u64,
}

/// The sizes of gringo's result.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// The number of rules, without facts and without the choices of the encoding.
    pub rules: u64,
    /// The number of these rules that `next`, `legal`, `goal`, `terminal` or `sees` depend on.
    pub relevant: u64,
    /// The number of atoms that are not facts.
    pub atoms: u64,
    /// The number of fluents that may hold.
    pub fluents: u64,
    /// The number of moves that may be legal, summed over the roles.
    pub moves: u64,
}

/// A run of gringo. Results that exceeded the time limit are missing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Run {
    /// The time and memory; `None` if a measurement exceeded the time limit.
    pub cost: Option<Cost>,
    /// The sizes of the result; `None` if counting exceeded the time limit.
    pub counts: Option<Counts>,
}

/// Returns whether `clingo` is available.
#[must_use]
pub fn is_installed() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import clingo"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

/// Grounds a program to time it and to count its result, for no longer than three times `cap`.
///
/// # Panics
/// Panics if there is no Python, or the script's output is invalid.
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

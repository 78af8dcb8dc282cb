//! The measurement of one game: the compiler processes its rulesheet, and each stage reports its
//! time, memory and result.

use crate::subject::{Subject, options};
use cpu_time::ProcessTime;
use gdl_compiler::{
    Diagnostics, Meter, Phase, Source,
    check::check,
    ground::{GroundRules, ground},
    optimize::optimize,
    propnet::build,
    syntax::parse,
};
use gdl_tools::{
    child::{self, peak_memory},
    statistics::median,
};
use serde::{Deserialize, Serialize};
use std::{env, process::Command, time::Duration};

/// The result of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Grounded(Figures),
    /// The compiler produced no net, for the given reason.
    Refused {
        code: String,
        message: String,
        seconds: f64,
    },
    /// The measurement exceeded its time limit.
    Stopped,
}

/// The figures of a game. Times are processor time, medians of several runs. Memory is the peak of
/// the whole process, if the system reports it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// The seconds from the text to ground rules.
    pub(crate) ground_seconds: f64,
    /// The seconds from ground rules to the optimised net.
    pub(crate) net_seconds: f64,
    /// The peak bytes at the end of the first grounding.
    pub(crate) ground_bytes: Option<u64>,
    /// The peak bytes at the end of the first optimisation.
    pub(crate) bytes: Option<u64>,
    pub(crate) fluents: u64,
    /// The number of moves, summed over the roles.
    pub(crate) moves: u64,
    /// The number of rule instances.
    pub(crate) rules: u64,
    /// The number of gates before optimising.
    pub(crate) raw_gates: u64,
    pub(crate) gates: u64,
    /// The number of two-operand operations.
    pub(crate) operations: u64,
    pub(crate) depth: u64,
}

/// Measures a subject in a child process, for no longer than `cap`.
pub(crate) fn apart(subject: &Subject, cap: Duration) -> Outcome {
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    command.arg("--child").arg(subject.to_string());
    let report = child::run(command, "", cap).expect("this program starts");
    if report.stopped {
        return Outcome::Stopped;
    }
    serde_json::from_str(&report.output).unwrap_or_else(|_| Outcome::Refused {
        code: String::new(),
        message: "the compiler broke down".to_owned(),
        seconds: 0.0,
    })
}

/// Measures a subject in this process.
pub(crate) fn measure(subject: &Subject) -> Outcome {
    let source = subject.source();
    let (mut ground_times, mut net_times) = (Vec::new(), Vec::new());
    let mut figures = None;
    while ground_times.len() < 7 && ground_times.iter().chain(&net_times).sum::<f64>() < 2.0 {
        let start = ProcessTime::now();
        let mut diagnostics = Diagnostics::default();
        let grounded = grounded(&source, &mut diagnostics);
        ground_times.push(start.elapsed().as_secs_f64());
        let ground_bytes = peak_memory();
        let start = ProcessTime::now();
        let raw = grounded.as_ref().and_then(|ground| build(ground, &options(), &mut diagnostics));
        let (Some(ground), Some(raw)) = (grounded, raw) else {
            return refused(&diagnostics, ground_times[0]);
        };
        let raw_gates = raw.ands();
        let net = optimize(raw, &mut Meter::new(&options(), Phase::Optimize));
        net_times.push(start.elapsed().as_secs_f64());
        figures.get_or_insert_with(|| Figures {
            ground_seconds: 0.0,
            net_seconds: 0.0,
            ground_bytes,
            bytes: peak_memory(),
            fluents: ground.vocabulary.fluents.len() as u64,
            moves: ground.does.len() as u64,
            rules: ground.len() as u64,
            raw_gates: raw_gates as u64,
            gates: net.ands() as u64,
            operations: net.operations() as u64,
            depth: net.depth() as u64,
        });
    }
    let figures = figures.expect("at least one run");
    Outcome::Grounded(Figures {
        ground_seconds: median(ground_times),
        net_seconds: median(net_times),
        ..figures
    })
}

/// Grounds a text. Timing starts at the text, as it does for gringo.
pub(crate) fn grounded(source: &Source, diagnostics: &mut Diagnostics) -> Option<GroundRules> {
    let options = options();
    *diagnostics = Diagnostics::new(options.levels.clone());
    let rules = check(&parse(source, &options, diagnostics), source, &options, diagnostics)?;
    ground(&rules, &options, diagnostics)
}

fn refused(diagnostics: &Diagnostics, seconds: f64) -> Outcome {
    let fault = diagnostics.iter().find(|fault| fault.severity == gdl_compiler::Severity::Error);
    let fault = fault.expect("a reason");
    Outcome::Refused { code: fault.code.id.to_owned(), message: fault.message.clone(), seconds }
}

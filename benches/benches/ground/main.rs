//! The cost of grounding: time, memory and the size of the result, compared with gringo.
//!
//!     cargo bench -p gdl-benches --bench ground -- [--corpus] [--json] [--cap SECONDS] [NAME..]
//!     cargo bench -p gdl-benches --bench ground -- --passes [NAME..]
//!     cargo bench -p gdl-benches --bench ground -- --deadline SECONDS [NAME..]
//!
//! Twelve games, or the named ones, are grounded by the compiler and, if Python has `clingo`, by
//! gringo in the same run. They are public rulesheets in a folder `shared` next to the checkout;
//! without it the built-in games replace them. With `--corpus` the compiler alone grounds all
//! public rulesheets. Each game has a child process, which shows its peak memory and can be
//! stopped.
//!
//! `--passes` shows the effect of each pass of the optimiser. `--deadline` loads each public
//! rulesheet with a deadline, and shows how late the loader notices it.

mod corpus;
mod deadline;
mod games;
mod measure;
mod passes;
mod subject;

use clap::Parser;
use std::time::Duration;
use subject::Subject;

/// Measures the cost of grounding games.
#[derive(Parser)]
#[allow(clippy::struct_excessive_bools, reason = "they are flags of the command line")]
struct Args {
    /// All public rulesheets, without gringo.
    #[arg(long)]
    corpus: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Seconds that a game, or gringo on it, may take.
    #[arg(long, default_value_t = 60.0)]
    cap: f64,
    /// Show the operations after each pass of the optimiser.
    #[arg(long)]
    passes: bool,
    /// Load all public rulesheets within this number of seconds each, or not at all.
    #[arg(long)]
    deadline: Option<f64>,
    /// Only games whose name contains one of these.
    names: Vec<String>,
    /// Measure this rulesheet and print its result.
    #[arg(long, hide = true)]
    child: Option<String>,
    /// The argument that `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let args = Args::parse();
    if let Some(subject) = args.child {
        println!(
            "{}",
            serde_json::to_string(&measure::measure(&subject.parse().expect("a game"))).expect("JSON")
        );
        return;
    }
    let cap = Duration::from_secs_f64(args.cap);
    let mut subjects =
        if args.corpus || args.deadline.is_some() { Subject::corpus() } else { Subject::selection() };
    if subjects.is_empty() {
        eprintln!("no public rulesheets next to the checkout: the built-in games instead");
        subjects = Subject::built_in();
    }
    if !args.names.is_empty() {
        subjects.retain(|subject| args.names.iter().any(|name| subject.name().contains(name.as_str())));
    }
    if let Some(seconds) = args.deadline {
        deadline::run(&subjects, Duration::from_secs_f64(seconds));
    } else if args.passes {
        passes::run(&subjects);
    } else if args.corpus {
        corpus::run(&subjects, cap, args.json);
    } else {
        games::run(&subjects, cap, args.json);
    }
}

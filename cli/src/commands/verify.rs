//! `gdl verify`: compares a rulesheet with recorded traces of a reference reasoner.

use clap::{Args, ValueEnum};
use gdl_compiler::{Options, eval::Evaluator};
use gdl_tools::{
    error::{Error, Result},
    game::settle,
    load::{self, Way},
    output::{self, BAD, DIM, GOOD, counted, thousands},
    progress::Progress,
    verify::{self, Difference, GameReasoner, Limits, Outcome, Reasoner, Trace, trace::MOST_BYTES},
};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

/// Arguments of `gdl verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
The rulesheet is read as by the reference reasoner: names are case-sensitive, lints are allowed, and
`--lenient` readings apply. A trace is a JSON object of the format ggp-oracle-trace-1, which
docs/reference/traces.md describes. Use `gdl test` for matches recorded by `gdl match --record`.

Examples:
  gdl verify tictactoe.kif tictactoe.json
  gdl verify mygame.kif traces/*.json --json
  gdl verify vast.kif vast.json --engine eval")]
pub(crate) struct VerifyArgs {
    /// The rulesheet
    pub rules: PathBuf,
    /// Traces made from it
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// The engine compared with the traces [default: table or, if the rules take too much to be
    /// grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Semantics>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The evaluator of a rulesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantics {
    /// The compiled table
    Table,
    /// The compiled net, evaluated where it changes
    Events,
    /// The rules, evaluated state by state
    Lifted,
    /// The rules as written, evaluated directly: slow, but without the limits of grounding
    Eval,
}

/// The limits of a comparison. Counting joint move sequences takes some seconds for the largest
/// games.
const LIMITS: Limits =
    Limits { playouts: usize::MAX, steps: usize::MAX, states: 50_000, moves: 2_000_000, deadline: None };

/// Compares the rulesheet with each trace and prints a line for each trace.
///
/// # Errors
/// Returns an error if the rulesheet or a trace has errors, a trace differs, or writing to stdout
/// fails.
pub(crate) fn run(args: &VerifyArgs) -> Result {
    // The reasoners that made the traces are case-sensitive and lenient, and report no lints.
    let options = Options { case_sensitive: true, lenient: true, ..load::quiet() };
    let source = load::open(&args.rules, &options)?;
    let way = match args.engine {
        None => None,
        Some(Semantics::Table) => Some(Way::Table),
        Some(Semantics::Events) => Some(Way::Events),
        Some(Semantics::Lifted) => Some(Way::Lifted),
        Some(Semantics::Eval) => {
            let rules = load::checked(source, &options)?;
            let evaluator = Evaluator::new(&rules).map_err(|error| Error::Input(error.to_string()))?;
            return compare(&evaluator, args);
        }
    };
    let game = load::play(source, &options, way)?;
    let result = compare(&GameReasoner(&game), args);
    settle(&game)?;
    result
}

fn compare(reasoner: &impl Reasoner, args: &VerifyArgs) -> Result {
    let mut out = output::stdout();
    let mut whole = Outcome::default();
    let mut differs: Option<String> = None;
    let mut unreadable: Vec<String> = Vec::new();
    let progress = Progress::counted("traces", args.traces.len() as u64);
    for (i, path) in args.traces.iter().enumerate() {
        progress.tell(i as u64);
        let outcome = match read(path) {
            Ok(trace) => verify::verify(reasoner, &trace, &LIMITS),
            Err(fault) => {
                progress.aside(|| output::remark(format_args!("{BAD}error{BAD:#}: {fault}")));
                unreadable.push(fault);
                continue;
            }
        };
        if !args.json {
            progress.aside(|| line(&mut out, path, &outcome))?;
        }
        whole.steps += outcome.steps;
        whole.playouts += outcome.playouts;
        whole.perft_depth = whole.perft_depth.max(outcome.perft_depth);
        if outcome.difference.is_some() {
            differs.get_or_insert_with(|| path.display().to_string());
        }
        whole.difference = whole.difference.or(outcome.difference);
    }
    drop(progress);
    if args.json {
        let mut report = to_json(&whole);
        if let Some(trace) = differs {
            report["difference"]["trace"] = json!(trace);
        }
        if !unreadable.is_empty() {
            report["unreadable"] = json!(unreadable);
        }
        output::json(&report)?;
    }
    if !unreadable.is_empty() || whole.difference.is_some() { Err(Error::Reported) } else { Ok(()) }
}

fn read(path: &Path) -> std::result::Result<Trace, String> {
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    Trace::receive(file, MOST_BYTES).map_err(|error| format!("cannot read {name}: {error}"))
}

fn line(out: &mut impl Write, path: &Path, outcome: &Outcome) -> Result {
    let name = path.display();
    match &outcome.difference {
        None => {
            let playouts = counted(outcome.playouts, "playout");
            let steps = counted(outcome.steps, "step");
            let depth = thousands(outcome.perft_depth as u128);
            writeln!(
                out,
                "{name}: {GOOD}agrees{GOOD:#} {DIM}{playouts}, {steps}, sequences to depth {depth}{DIM:#}"
            )?;
        }
        Some(difference) => writeln!(out, "{name}: {BAD}differs{BAD:#} {difference}")?,
    }
    out.flush()?;
    Ok(())
}

fn to_json(outcome: &Outcome) -> Value {
    json!({
        "steps": outcome.steps,
        "playouts": outcome.playouts,
        "perft_depth": outcome.perft_depth,
        "difference": outcome.difference.as_ref().map(|Difference { playout, step, what, expected, found }| json!({
            "playout": playout,
            "step": step,
            "what": what,
            "expected": expected,
            "found": found,
        })),
    })
}

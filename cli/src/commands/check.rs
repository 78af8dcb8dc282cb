//! `gdl check`: all faults of rulesheets, parsed, checked, compiled and, if asked for, played.

use crate::args::CheckArgs;
use gdl_compiler::{Compilation, Diagnostics, Options, Severity, Source};
use gdl_runtime::Dynamic;
use gdl_tools::{
    error::{Error, Result},
    load::{self, Compiled},
    output::{self, BAD, DIM, GOOD, ODD},
    progress::Progress,
    report,
    simulate::{self, Settings, Statistics, Subject, simulate},
};
use serde_json::{Value, json};
use std::{io::Write, path::Path};

/// What `--json` prints, as a JSON Schema.
const SCHEMA: &str = include_str!("../../schema/check.json");

/// Checks each file; the diagnostics go to stderr, a line per file to stdout.
///
/// # Errors
/// [`Error::Reported`] if a diagnostic of any file is an error.
pub(crate) fn run(args: &CheckArgs) -> Result {
    let mut out = output::stdout();
    if args.schema {
        out.write_all(SCHEMA.as_bytes())?;
        return Ok(out.flush()?);
    }
    let options = args.rules.options();
    let settings = args.simulate.then(|| args.simulation.settings());
    let mut whole = Whole::default();
    for path in &args.files {
        let (source, diagnostics, simulation) = judge(path, &args.name, &options, settings.as_ref());
        whole.add(&source, &diagnostics, simulation.as_ref());
        if args.json {
            continue;
        }
        report::show(&diagnostics, &source);
        let played = simulation.map_or_else(String::new, |simulation| format!("; {DIM}{simulation}{DIM:#}"));
        writeln!(out, "{}: {}{played}", source.name(), summary(&diagnostics))?;
        // In step with the diagnostics on stderr.
        out.flush()?;
    }
    if args.json {
        output::json(&whole.to_json())?;
    }
    if whole.errors > 0 { Err(Error::Reported) } else { Ok(()) }
}

/// All that is to be said of a file, and how much was played if it was.
fn judge(
    path: &Path,
    name: &str,
    options: &Options,
    settings: Option<&Settings>,
) -> (Source, Diagnostics, Option<Statistics>) {
    let read =
        if path == Path::new("-") { load::read_stdin(name, options) } else { load::read(path, options) };
    let source = match read {
        Ok(source) => source,
        Err(fault) => {
            let (source, diagnostics) = load::alone(*fault);
            return (source, diagnostics, None);
        }
    };
    let (mut diagnostics, compiled) = load::examine(&source, options);
    let simulation = match (settings, compiled) {
        (Some(settings), Ok(compiled)) => play(&compiled, settings, &mut diagnostics),
        _ => None,
    };
    (source, diagnostics, simulation)
}

/// Simulates a game; nothing is found of one too large to be played.
fn play(compiled: &Compiled, settings: &Settings, diagnostics: &mut Diagnostics) -> Option<Statistics> {
    let Compilation { rules, ground, net, table, .. } = &compiled.compilation;
    let game = Dynamic::decode(table).ok()?;
    let subject = Subject { rules, ground, net, game: &game };
    let mut progress = Progress::counted("states", settings.states as u64);
    let mut visiting = true;
    let statistics = simulate(subject, settings, diagnostics, &mut |done| match done {
        simulate::Progress::States(done) => progress.tell(done as u64),
        simulate::Progress::Playouts(done) => {
            if std::mem::take(&mut visiting) {
                progress = Progress::counted("games", settings.playouts.unwrap_or(Settings::PLAYOUTS));
            }
            progress.tell(done);
        }
    });
    diagnostics.sort();
    Some(statistics)
}

/// What all files add up to.
#[derive(Default)]
struct Whole {
    diagnostics: Vec<Value>,
    simulations: Vec<Value>,
    errors: usize,
    warnings: usize,
}

impl Whole {
    fn add(&mut self, source: &Source, diagnostics: &Diagnostics, simulation: Option<&Statistics>) {
        self.diagnostics.extend(diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, source)));
        self.errors += diagnostics.count(Severity::Error);
        self.warnings += diagnostics.count(Severity::Warning);
        self.simulations.extend(simulation.map(|&Statistics { states, complete, playouts, steps }| {
            json!({
                "file": source.name(),
                "states": states,
                "complete": complete,
                "playouts": playouts,
                "steps": steps,
            })
        }));
    }

    fn to_json(&self) -> Value {
        json!({
            "diagnostics": self.diagnostics,
            "totals": {
                "errors": self.errors,
                "warnings": self.warnings,
                "omitted": self.errors + self.warnings - self.diagnostics.len(),
            },
            "simulations": self.simulations,
        })
    }
}

/// `no faults`, or how many there are of which kind.
fn summary(diagnostics: &Diagnostics) -> String {
    let errors = diagnostics.count(Severity::Error);
    let others = diagnostics.count(Severity::Warning);
    let warnings = output::counted(others, "warning");
    let count = output::counted(errors, "error");
    match (errors, others) {
        (0, 0) => format!("{GOOD}no faults{GOOD:#}"),
        (0, _) => format!("{ODD}{warnings}{ODD:#}"),
        (_, 0) => format!("{BAD}{count}{BAD:#}"),
        _ => format!("{BAD}{count}{BAD:#}, {ODD}{warnings}{ODD:#}"),
    }
}

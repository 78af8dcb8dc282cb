//! `gdl check`: reports all diagnostics of rulesheets, which are parsed, checked, compiled and,
//! with `--simulate`, played. A game that must be evaluated state by state gets a warning.

use crate::args::rules::RulesArgs;
use clap::{Args, ValueEnum};
use gdl_compiler::{Applicability, Compilation, Diagnostics, Options, Severity, Source};
use gdl_runtime::Dynamic;
use gdl_tools::{
    annotations,
    error::{Error, Result},
    fix,
    load::{self, Compiled},
    output::{self, BAD, DIM, GOOD, ODD},
    parse::whole,
    progress::Progress,
    report,
    simulate::{self, SimulationSettings, Statistics, Subject, simulate},
};
use serde_json::{Value, json};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Arguments of `gdl check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Warnings alone leave the exit code 0. A LINT is a name or a code; separate several by commas.

--fix makes the edits of the diagnostics shown (`edits` in --json) whose `applicability` is
`machine_applicable`: only one reading is valid, and a valid game stays the same game. --fix=guess
makes all edits, guesses included. Both list the edits on stderr and replace the file once, at the end.

--simulate visits the states that play can reach. If there are more than --states allows, it then plays
random games. Each problem is reported with the moves that show it. The same seed gives the same report.

Examples:
  gdl check tictactoe.kif
  gdl check mygames/*.kif --deny warnings
  gdl check draft.kif --simulate --warn goal_not_monotone
  gdl check draft.kif --fix
  gdl check draft.kif --fix=guess
  gdl check draft.kif --allow unused_relation,GDL021 --json
  gdl check games/*.kif --format sarif > gdl.sarif
  gdl check - --name draft.kif --json < unsaved_buffer")]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct CheckArgs {
    /// The rulesheets; `-` is stdin
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    pub files: Vec<PathBuf>,
    /// Name of stdin in messages
    #[arg(long, value_name = "NAME", default_value = "stdin")]
    pub name: String,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Print diagnostics for people, for programs, or for a forge
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    pub format: Format,
    /// Make the certain edits of the help lines in the files, and check the result
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "sure")]
    pub fix: Option<Fix>,
    /// Print the JSON Schema of the output of `--json`
    #[arg(long, exclusive = true)]
    pub schema: bool,
    /// Play, and report what only play shows
    #[arg(long)]
    pub simulate: bool,
    /// The treatment of symbols and lints.
    #[command(flatten)]
    pub rules: RulesArgs,
    /// The amount of play.
    #[command(flatten)]
    pub simulation: SimulationArgs,
}

impl CheckArgs {
    /// Returns the format of the output.
    #[must_use]
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Formats of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people, on stderr
    Text,
    /// The object of `--json`
    Json,
    /// Text, and on stdout a workflow command of GitHub Actions for each diagnostic
    Github,
    /// A SARIF 2.1.0 log, for code scanning services
    Sarif,
}

/// Edits that `--fix` makes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Fix {
    /// Certain edits
    Sure,
    /// All edits: a guess may change the game
    Guess,
}

/// The amount of play for `--simulate`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
pub(crate) struct SimulationArgs {
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0, requires = "simulate")]
    pub seed: u64,
    /// Random games to play where not all states can be visited [default: 1000, fewer of a vast
    /// game]
    #[arg(long, value_name = "N", requires = "simulate", value_parser = whole)]
    pub playouts: Option<u64>,
    /// The most moves of a random game
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub steps: u64,
    /// The most states to visit
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub states: u64,
}

impl SimulationArgs {
    /// Returns the simulation's settings.
    #[must_use]
    pub(crate) fn settings(&self) -> SimulationSettings {
        SimulationSettings {
            seed: self.seed,
            states: self.states as usize,
            playouts: self.playouts,
            steps: self.steps as usize,
            ..SimulationSettings::default()
        }
    }
}

/// The JSON Schema of the output of `--json`.
const SCHEMA: &str = include_str!("../../schema/check.json");

/// Checks each file. Text diagnostics go to stderr, with a line for each file on stdout; other
/// formats go to stdout.
///
/// # Errors
/// Returns [`Error::Reported`] if a diagnostic of any file is an error. With `--fix`, returns
/// [`Error::Input`] if a file is stdin or cannot be written.
pub(crate) fn run(args: &CheckArgs) -> Result {
    let mut out = output::stdout();
    if args.schema {
        out.write_all(SCHEMA.as_bytes())?;
        return Ok(out.flush()?);
    }
    let options = args.rules.options();
    let settings = args.simulate.then(|| args.simulation.settings());
    let format = args.format();
    let mut whole = Whole::default();
    for path in &args.files {
        if let Some(how) = args.fix {
            fix_file(path, how, &options)?;
        }
        let (source, diagnostics, simulation) = judge(path, &args.name, &options, settings.as_ref());
        let added = whole.add(&source, &diagnostics, simulation.as_ref());
        match format {
            Format::Json | Format::Sarif => continue,
            Format::Github => {
                added.iter().try_for_each(|one| writeln!(out, "{}", annotations::github(one)))?;
            }
            Format::Text => {}
        }
        report::show(&diagnostics, &source);
        let played = simulation.map_or_else(String::new, |simulation| format!("; {DIM}{simulation}{DIM:#}"));
        writeln!(out, "{}: {}{played}", source.name(), summary(&diagnostics))?;
        // Flushing keeps this line in order with the diagnostics on stderr.
        out.flush()?;
    }
    match format {
        Format::Json => output::json(&whole.to_json())?,
        Format::Sarif => output::json(&annotations::sarif(&whole.diagnostics))?,
        Format::Github | Format::Text => {}
    }
    if whole.errors > 0 { Err(Error::Reported) } else { Ok(()) }
}

/// Applies the suggested edits of diagnostics to a file and lists them on stderr.
fn fix_file(path: &Path, how: Fix, options: &Options) -> Result {
    if path == Path::new("-") {
        return Err(Error::Input("`--fix` needs a file, not stdin".to_owned()));
    }
    // The check after this reports a file that cannot be read.
    let Ok(original) = load::read(path, options) else { return Ok(()) };
    let mut examine = |source: &Source| load::examine(source, options).0;
    let least = match how {
        Fix::Sure => Applicability::MachineApplicable,
        Fix::Guess => Applicability::HasPlaceholders,
    };
    let (source, _) = fix::fix(&original, least, &mut examine, &mut |source, diagnostic| {
        let place = source.position(diagnostic.span.unwrap_or_default().start);
        let (name, code) = (source.name(), diagnostic.code.id);
        let what = diagnostic.help.as_deref().unwrap_or(&diagnostic.message);
        let (line, column) = (place.line, place.column);
        let place = format_args!("{name}:{line}:{column}: {code}: {what}");
        match diagnostic.applicability {
            Applicability::MachineApplicable => output::remark(format_args!("{GOOD}fixed{GOOD:#}: {place}")),
            _ => output::remark(format_args!("{ODD}guessed{ODD:#}: {place}")),
        }
    });
    if source.text() == original.text() {
        return Ok(());
    }
    super::fmt::replace(path, source.text())
        .map_err(|error| Error::Input(format!("cannot write `{}`: {error}", path.display())))
}

/// Returns a file with its diagnostics, and the statistics of its simulation if it was played.
fn judge(
    path: &Path,
    name: &str,
    options: &Options,
    settings: Option<&SimulationSettings>,
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
    let Some(settings) = settings else {
        let diagnostics = load::diagnose(&source, options);
        return (source, diagnostics, None);
    };
    let (mut diagnostics, compiled) = load::examine(&source, options);
    if let Err(Some(rules)) = &compiled {
        load::lift_instead(rules, options, &mut diagnostics);
    }
    let simulation = compiled.ok().and_then(|compiled| play(&compiled, settings, &mut diagnostics));
    (source, diagnostics, simulation)
}

/// Simulates a game and adds its diagnostics. Returns `None` if the game is too large to be played.
fn play(
    compiled: &Compiled,
    settings: &SimulationSettings,
    diagnostics: &mut Diagnostics,
) -> Option<Statistics> {
    let Compilation { rules, ground, net, table, .. } = &compiled.compilation;
    let game = Dynamic::decode(table).ok()?;
    let subject = Subject { rules, ground, net, game: &game };
    let mut progress = Progress::counted("states", settings.states as u64);
    let mut visiting = true;
    let statistics = simulate(subject, settings, diagnostics, &mut |done| match done {
        simulate::Progress::States(done) => progress.tell(done as u64),
        simulate::Progress::Playouts(done) => {
            if std::mem::take(&mut visiting) {
                progress =
                    Progress::counted("games", settings.playouts.unwrap_or(SimulationSettings::PLAYOUTS));
            }
            progress.tell(done);
        }
    });
    diagnostics.sort();
    Some(statistics)
}

/// The totals of all files.
#[derive(Default)]
struct Whole {
    diagnostics: Vec<Value>,
    simulations: Vec<Value>,
    errors: usize,
    warnings: usize,
}

impl Whole {
    /// Adds the results of a file, and returns its diagnostics.
    fn add(
        &mut self,
        source: &Source,
        diagnostics: &Diagnostics,
        simulation: Option<&Statistics>,
    ) -> &[Value] {
        let before = self.diagnostics.len();
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
        &self.diagnostics[before..]
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

/// Returns `no faults`, or the numbers of errors and warnings.
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

//! `gdl test`: runs the tests of a rulesheet: plays with expectations, and recorded matches.

use clap::Args;
use gdl_compiler::{Options, eval::Evaluator};
use gdl_players::record::Record;
use gdl_runtime::{Dynamic, History};
use gdl_tools::{
    error::{Error, Result},
    game::{GameArg, perft},
    load::{self, Way},
    output::{self, BAD, BOLD, GOOD, counted},
    plays::{self, Judge, TestFailure},
    progress::Progress,
    why::{Page, to_json},
};
use serde_json::{Value, json};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// Arguments of `gdl test`.
#[derive(Debug, Args)]
#[command(after_help = "\
A file of plays has tests such as

  (test left_wins_in_the_middle
    (legal left (lay 1 2)) (not (legal right (lay 1 2)))
    (does left (lay 3 4))               ; where the others have one legal move
    (moves noop (lay 1 2))              ; or a move of each role, in role order
    (perft 1) (true (empty 5)) (not terminal)
    (does left (lay 5 6))
    terminal (goal left 100) (goal right 0))

Each begins in the initial state, or in that of (state FLUENT ..). An atom must hold, and one inside
`not` must not hold; (perft N ..) has the numbers of sequences of one, two .. joint moves. A test that
fails is printed with the reason, as by `gdl why`. `record FILE` in `gdl play` and a button of
`gdl serve` make a test from a play. A file that ends in .json is a recorded match: its moves must be
legal, and its states and goals as recorded. A slow evaluator judges all this. If it cannot evaluate
the end or the goals within its limits, lifted evaluation judges these two, and a note says so.

Examples:
  gdl test mygame.kif                         the plays of mygame.plays
  gdl test mygame.kif openings.plays matches/*.json")]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// Files of plays, and recorded matches [default: the rulesheet's name with the ending .plays]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Run the tests whose names contain this
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub filter: String,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The result of a test.
struct TestOutcome {
    file: String,
    name: String,
    failure: Option<TestFailure>,
    /// The file, line and column of the failed step; `None` if the failure has no place.
    place: Option<String>,
    /// True if lifted evaluation checked the end and the goals.
    is_lifted: bool,
}

/// Runs the tests and prints the report.
///
/// # Errors
/// Returns an error if the rulesheet or a file has errors, or a test fails.
pub(crate) fn run(args: &TestArgs) -> Result {
    let (source, options) = args.game.source()?;
    let text = source.clone();
    let silent = Options { lenient: options.lenient, ..load::quiet() };
    let rules = load::checked(source, &options)?;
    let evaluator = Evaluator::with_limits(&rules, &options.limits);
    let evaluator = evaluator.map_err(|error| Error::Input(error.to_string()))?;
    let mut game: Option<Dynamic> = None;
    let mut count = |state: &str, depth: usize| -> Result<std::result::Result<Vec<u128>, String>> {
        if game.is_none() {
            game = Some(load::play(text.clone(), &silent, None)?);
        }
        let Some(game) = &game else { return Ok(Ok(Vec::new())) };
        let history = History::from_text(game, state).map_err(|error| Error::Input(error.to_string()))?;
        // Earlier tests use the same game.
        let before = game.failed_evaluations().map_or(0, |(evaluations, _)| evaluations);
        let counts = perft(game, history.state().clone(), depth);
        Ok(match game.failed_evaluations() {
            Some((evaluations, excess)) if evaluations > before => Err(excess),
            _ => Ok(counts),
        })
    };
    let files = if args.files.is_empty() { vec![file_of(&args.game)?] } else { args.files.clone() };
    let lift = || load::play(text.clone(), &silent, Some(Way::Lifted));
    let judge = Judge::new(&evaluator, &lift);
    let mut outcomes = Vec::new();
    let progress = Progress::counted("files", files.len() as u64);
    for (number, path) in files.iter().enumerate() {
        let file = path.display().to_string();
        if path.extension().is_some_and(|ending| ending == "json") {
            let failure = judge.follow(&record(path)?).err();
            let is_lifted = judge.is_lifted();
            outcomes.push(TestOutcome { name: file.clone(), file, failure, place: None, is_lifted });
        } else {
            let source = load::open(path, &options)?;
            for test in plays::read(&source, &options)?.iter().filter(|test| test.name.contains(&args.filter))
            {
                let failure = plays::run(&evaluator, test, &mut count)?;
                let place = failure.as_ref().and_then(|failure| failure.span).map(|span| {
                    let at = source.position(span.start);
                    format!("{file}:{}:{}", at.line, at.column)
                });
                let (file, name) = (file.clone(), test.name.clone());
                outcomes.push(TestOutcome { file, name, failure, place, is_lifted: false });
            }
        }
        progress.tell(number as u64 + 1);
    }
    drop(progress);
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    if args.json {
        let tests: Vec<Value> = outcomes.iter().map(|outcome| {
            let mut test = json!({ "file": outcome.file, "name": outcome.name, "passed": outcome.failure.is_none() });
            if outcome.is_lifted {
                test["lifted"] = json!(true);
            }
            if let Some(failure) = &outcome.failure {
                test["message"] = json!(failure.message);
                test["place"] = json!(outcome.place);
                test["why"] = failure.why.as_ref().map_or(Value::Null, |why| to_json(why, &rules, &text));
            }
            test
        }).collect();
        output::json(
            &json!({ "game": args.game.name(), "passed": outcomes.len() - failed, "failed": failed, "tests": tests }),
        )?;
    } else {
        print(&outcomes, failed, &mut Page { rules: &rules, source: &text, out: output::stdout() })?;
    }
    if failed > 0 { Err(Error::Reported) } else { Ok(()) }
}

/// Returns the path of the file of plays next to a rulesheet.
///
/// # Errors
/// Returns an error if the file does not exist.
fn file_of(game: &GameArg) -> Result<PathBuf> {
    let path = match game {
        GameArg::File { path, .. } => path.with_extension("plays"),
        GameArg::BuiltIn(entry) => PathBuf::from(format!("{}.plays", entry.name)),
    };
    let missing = || {
        format!(
            "there is no file {}\n  = help: write tests there, such as `(test start (not terminal))`; \
             `gdl test --help` shows a longer one",
            path.display()
        )
    };
    if path.exists() { Ok(path) } else { Err(Error::Input(missing())) }
}

fn print(outcomes: &[TestOutcome], failed: usize, page: &mut Page<'_, impl Write>) -> Result {
    writeln!(page.out, "running {}", counted(outcomes.len(), "test"))?;
    for outcome in outcomes {
        let verdict = match outcome.failure {
            None => format!("{GOOD}ok{GOOD:#}"),
            Some(_) => format!("{BAD}FAILED{BAD:#}"),
        };
        let by = if outcome.is_lifted { " (its end and goals by lifted evaluation)" } else { "" };
        writeln!(page.out, "test {} ... {verdict}{by}", outcome.name)?;
    }
    for outcome in outcomes {
        let Some(failure) = &outcome.failure else { continue };
        let place = outcome.place.as_ref().unwrap_or(&outcome.file);
        writeln!(page.out, "\n{BOLD}{place}: {}: {}{BOLD:#}", outcome.name, failure.message)?;
        if let Some(why) = failure.reason() {
            page.print(why)?;
        }
    }
    let verdict = if failed == 0 { format!("{GOOD}ok{GOOD:#}") } else { format!("{BAD}FAILED{BAD:#}") };
    writeln!(page.out, "\ntest result: {verdict}. {} passed; {failed} failed", outcomes.len() - failed)?;
    page.out.flush()?;
    Ok(())
}

fn record(path: &Path) -> Result<Record> {
    serde_json::from_str(&load::text(path)?)
        .map_err(|error| Error::Input(format!("{} is not the record of a match: {error}", path.display())))
}

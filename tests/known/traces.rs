//! Rulesheets of other authors agree with reference traces: legal moves, states, goals, ends and
//! counts of move sequences.
//!
//! Rulesheets and traces are in a folder `shared` next to the checkout; without it the tests are
//! skipped. Each rulesheet is compiled to a table; if it exceeds the limits, the lifted engine is
//! compared instead. A debug build has small limits, compares the evaluator instead of the lifted
//! engine, and compares the beginning of each trace. A release build has the default limits and
//! compares a longer part; `gdl verify` compares whole traces.
//!
//! One in `GDL_SAMPLE` rulesheets is also compared in the lifted engine. So `GDL_SAMPLE=1 cargo
//! test --release -p gdl-tests --test known traces::` compares all of them, which takes minutes.

use gdl_compiler::{
    Diagnostics, Limits as CompilerLimits, Options, Rules, Severity, Source, check::check, compile,
    eval::Evaluator, syntax::parse,
};
use gdl_oracle::{Error, Oracle, Settings};
use gdl_runtime::{
    Dynamic,
    engine::{eventful, lift},
};
use gdl_test_support::shared;
use gdl_tests::{reasoner::OracleReasoner, threads};
use gdl_tools::{
    load,
    verify::{GameReasoner, Limits, Outcome, Trace, verify},
};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// Rulesheets that differ from their traces, each with the difference found and its reason.
const DIFFERENT: &[(&str, &str, &str)] = &[
    // The reference is wrong.
    (
        "testbase__test_case_3a",
        "legal moves of xplayer: expected (move correct_failure), found (move correct_correct)",
        "the reference takes `(open2)` and `open2` for two relations; they are one",
    ),
    (
        "testbase__test_case_3f",
        "goal values of xplayer: expected 0, found nothing else",
        "the reference drops a `not` whose variables nothing binds, and roles have two goals",
    ),
];

/// Rulesheets that exceed the default limits of grounding, so that the lifted engine evaluates
/// them.
const NOT_GROUNDED: &[&str] = &["base__laikLee_hex"];

/// Rulesheets that are always compared in the lifted engine: the hardest to ground.
const HARD: &[&str] = &["base__chess", "base__laikLee_hex", "base__slaughter", "base__sudoku"];

/// The rulesheet that exceeds the limits of the evaluator, since it derives paths as lists of
/// cells.
const WITHOUT_EVAL: &str = "base__laikLee_hex";

const IS_DEBUG: bool = cfg!(debug_assertions);

/// The part of a trace that is compared with the table.
const BY_TABLE: Limits = if IS_DEBUG {
    Limits { playouts: 2, steps: 200, states: 60, moves: 3_000, deadline: None }
} else {
    Limits { playouts: 4, steps: 500, states: 500, moves: 20_000, deadline: None }
};

/// The part of a trace that is compared with the compiler's evaluator and with the oracle.
const BY_EVAL: Limits = if IS_DEBUG {
    Limits { playouts: 1, steps: 5, states: 1, moves: 100, deadline: None }
} else {
    Limits { playouts: 1, steps: 30, states: 1, moves: 2_000, deadline: None }
};

/// The options under which the traces were made: symbols are case-sensitive, lints are off, and
/// some errors become warnings that state an assumption.
fn options() -> Options {
    let mut options = Options { case_sensitive: true, lenient: true, ..load::quiet() };
    if IS_DEBUG {
        options.limits.max_ground_rules = 20_000;
        options.limits.fuel = 2_000_000;
        // Splits rules of small rulesheets too.
        options.split_from = 20;
    }
    options
}

/// The part of a trace that is compared with the lifted engine.
const BY_LIFTED: Limits = if IS_DEBUG {
    Limits { playouts: 1, steps: 20, states: 1, moves: 100, deadline: None }
} else {
    Limits { playouts: 2, steps: 100, states: 10, moves: 2_000, deadline: None }
};

/// The sampling interval: one rulesheet in this number is also compared in the lifted engine.
fn sample() -> usize {
    let usual = if IS_DEBUG { 16 } else { 4 };
    std::env::var("GDL_SAMPLE").map_or(usual, |value| value.parse().expect("a whole number above zero"))
}

/// The reasoner that is compared with a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Table,
    Lifted,
    Eval,
}

/// The verdict on a rulesheet.
enum Verdict {
    Compared(By, Outcome),
    /// The codes of the rulesheet's errors.
    Refused(Vec<&'static str>),
}

fn rules(source: &Source, options: &Options) -> Result<Rules, Vec<&'static str>> {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(source, options, &mut diagnostics);
    check(&tree, source, options, &mut diagnostics).ok_or_else(|| {
        diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.id).collect()
    })
}

fn compare(source: &Source, trace: &Trace) -> Verdict {
    let options = options();
    let rules = match rules(source, &options) {
        Ok(rules) => rules,
        Err(codes) => return Verdict::Refused(codes),
    };
    if let Ok(compilation) = compile(source, &options) {
        let table = Dynamic::decode(&compilation.table).expect("small enough");
        let outcome = verify(&GameReasoner(&table), trace, &BY_TABLE);
        for (place, events) in eventful(&compilation).enumerate() {
            let other = verify(&GameReasoner(&events), trace, &BY_TABLE);
            assert_eq!(
                outcome.difference.is_some(),
                other.difference.is_some(),
                "{}: table and events {place}",
                trace.name
            );
        }
        return Verdict::Compared(By::Table, outcome);
    }
    if IS_DEBUG && source.name() != WITHOUT_EVAL {
        let evaluator = Evaluator::new(&rules).expect("checked rules can be evaluated");
        return Verdict::Compared(By::Eval, verify(&evaluator, trace, &BY_EVAL));
    }
    compare_lifted(&rules, trace)
}

fn compare_lifted(rules: &Rules, trace: &Trace) -> Verdict {
    let game = lift(rules, &Options::default()).unwrap_or_else(|fault| panic!("{}: {fault:?}", trace.name));
    let outcome = verify(&GameReasoner(&game), trace, &BY_LIFTED);
    let given_up = game.failed_evaluations();
    assert!(given_up.is_none(), "{}: {given_up:?}", trace.name);
    Verdict::Compared(By::Lifted, outcome)
}

/// All rulesheets with their traces, in order. Skips the test if the folder is missing.
fn traces() -> Option<impl Iterator<Item = (Source, Trace)>> {
    traces_in("rulesheets/games", "traces")
}

fn traces_in(games: &str, traces: &str) -> Option<impl Iterator<Item = (Source, Trace)> + use<>> {
    let (games, traces) = (shared(games)?, shared(traces)?);
    let mut paths: Vec<PathBuf> = fs::read_dir(traces)
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    Some(paths.into_iter().filter_map(move |path| {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let trace = Trace::read(&fs::read_to_string(&path).expect("readable")).expect("a trace");
        let bytes = fs::read(games.join(format!("{name}.kif"))).expect("readable");
        let source = Source::new(name, String::from_utf8_lossy(&bytes).into_owned());
        (trace.status != "failed").then_some((source, trace))
    }))
}

/// The known differences that no comparison has shown yet, by rulesheet.
struct Known(BTreeMap<&'static str, (&'static str, &'static str)>);

impl Known {
    fn new() -> Self {
        Self(DIFFERENT.iter().map(|&(name, found, reason)| (name, (found, reason))).collect())
    }

    /// Records the verdict on a rulesheet. Returns the reasoner and its outcome, if it was
    /// compared.
    fn judge(&mut self, name: &str, verdict: Verdict) -> Option<(By, Outcome)> {
        let (fault, compared) = match verdict {
            Verdict::Compared(by, outcome) => {
                (outcome.difference.as_ref().map(ToString::to_string), Some((by, outcome)))
            }
            Verdict::Refused(codes) => (Some(codes.join(", ")), None),
        };
        match (fault, self.0.remove(name)) {
            (None, None) => {}
            (Some(fault), Some((found, _))) => assert!(fault.contains(found), "{name}: {fault}"),
            (Some(fault), None) => panic!("{name}: {fault}"),
            (None, Some((_, reason))) => panic!("{name} agrees, though {reason}"),
        }
        compared
    }
}

#[test]
fn rulesheets_agree_with_their_traces() {
    let Some(traces) = traces() else { return };
    let mut known = Known::new();
    let (mut by_table, mut not_grounded, mut steps) = (0, Vec::new(), 0);
    let compared = threads::map(traces, |(source, trace)| {
        let verdict = compare(&source, &trace);
        (source, verdict)
    });
    for (source, verdict) in compared {
        let Some((by, outcome)) = known.judge(source.name(), verdict) else { continue };
        steps += outcome.steps;
        if by != By::Table {
            not_grounded.push(source.name().to_owned());
        } else if outcome.difference.is_none() {
            by_table += 1;
        }
    }
    let others = not_grounded.len();
    println!("{by_table} rulesheets agree by the table, {others} were evaluated, on {steps} steps");
    assert!(known.0.is_empty(), "without a trace: {:?}", known.0);
    assert!(by_table >= 150, "only {by_table} rulesheets agree by the table");
    if IS_DEBUG {
        let is_listed = |name: &&str| not_grounded.iter().any(|other| other == name);
        assert!(NOT_GROUNDED.iter().all(is_listed), "{not_grounded:?}");
    } else {
        assert_eq!(not_grounded, NOT_GROUNDED);
    }
}

/// Rulesheets that students and researchers wrote, compared with traces of an independent
/// semantics.
#[test]
fn rulesheets_of_students_agree_with_their_traces() {
    let Some(traces) = traces_in("rulesheets/games2", "traces2") else { return };
    let compared = threads::map(traces, |(source, trace)| (compare(&source, &trace), source));
    let (mut count, mut steps) = (0, 0);
    for (verdict, source) in compared {
        match verdict {
            Verdict::Compared(_, outcome) => {
                assert!(outcome.difference.is_none(), "{}: {:?}", source.name(), outcome.difference);
                count += 1;
                steps += outcome.steps;
            }
            Verdict::Refused(codes) => panic!("{} is refused: {}", source.name(), codes.join(", ")),
        }
    }
    println!("{count} rulesheets agree on {steps} steps");
    assert!(count >= 50, "only {count} rulesheets have traces");
}

#[test]
fn rulesheets_agree_when_evaluated_state_by_state() {
    let one_of = sample();
    let Some(traces) = traces() else { return };
    let mut known = Known::new();
    let mut count = 0;
    for (i, (source, trace)) in traces.enumerate() {
        let is_hard = HARD.contains(&source.name());
        if i % one_of == 0 || (is_hard && !IS_DEBUG) {
            let verdict = match rules(&source, &Options { limits: CompilerLimits::default(), ..options() }) {
                Ok(rules) => compare_lifted(&rules, &trace),
                Err(codes) => Verdict::Refused(codes),
            };
            count += usize::from(known.judge(source.name(), verdict).is_some());
        }
    }
    println!("{count} rulesheets were evaluated state by state");
    assert!(count * one_of >= 240, "only {count} rulesheets were evaluated");
}

/// Compares the oracle itself with the traces. Rulesheets that exceed its limits, or have unbound
/// variables, are left out.
#[test]
fn the_oracle_agrees_with_traces() {
    let one_of = sample();
    let (Some(games), Some(others)) = (traces(), traces_in("rulesheets/games2", "traces2")) else { return };
    let sampled = games.chain(others).enumerate().filter(|(i, _)| i % one_of == 0);
    let compared = threads::map(sampled, |(_, (source, trace))| {
        let settings = Settings { case_sensitive: true, max_steps: 2_000_000, ..Settings::default() };
        let outcome = Oracle::new(source.text(), &settings)
            .map(|oracle| verify(&OracleReasoner(oracle), &trace, &BY_EVAL).difference);
        (source.name().to_owned(), outcome)
    });
    let (mut agreed, mut too_much) = (0, 0);
    for (name, outcome) in compared {
        let fault = match outcome {
            Err(Error::Refused(reason)) => Some(reason),
            Err(Error::TooMuch) => Some(Error::TooMuch.to_string()),
            Err(Error::Unstratified) => panic!("{name} depends on its own negation"),
            Ok(None) => None,
            Ok(Some(difference)) if difference.found == Error::TooMuch.to_string() => Some(difference.found),
            Ok(Some(difference)) => Some(difference.to_string()),
        };
        match (fault, DIFFERENT.iter().find(|(other, ..)| *other == name)) {
            (None, None) => agreed += 1,
            (Some(fault), None) if fault == Error::TooMuch.to_string() => too_much += 1,
            (Some(fault), None) if fault.contains("unbound") => {
                assert!(name.starts_with("testbase"), "{name}");
            }
            (Some(fault), Some((_, found, _))) => {
                assert!(fault.contains(found) || fault.contains("unbound"), "{name}: {fault}");
            }
            (Some(fault), None) => panic!("{name}: {fault}"),
            (None, Some((.., reason))) => panic!("{name} agrees, though {reason}"),
        }
    }
    println!("the oracle agrees with {agreed} traces; {too_much} rulesheets are too much for it");
    assert!(agreed * one_of >= 240, "only {agreed} traces are compared");
}

//! Rulesheets of other authors agree with reference traces: legal moves, states, goals, ends and counts of
//! move sequences.
//!
//! Rulesheets and traces lie in a folder `shared` beside the checkout; without it the test skips. Each
//! rulesheet is compiled to a table. One that takes too much for that is compared by `eval`, which grounds
//! nothing. A debug build compiles under small limits and compares the beginning of each trace, a release
//! build all that the default limits admit and more of each trace; `gdl verify` compares the whole.

use gdl_cli::{
    load,
    verify::{Engine, Limits, Outcome, Trace, verify},
};
use gdl_compiler::{
    Diagnostics, Options, Rules, Severity, Source, check::check, eval::Evaluator, syntax::parse,
};
use gdl_runtime::load_named;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Rulesheets that do not agree, what is found there instead, and why.
const DIFFERENT: &[(&str, &str, &str)] = &[
    // Neither table nor `eval` can tell within the limits.
    (
        "base__laikLee_hex",
        "a relation grows beyond",
        "it has rules of 25 variables over lists of 27 elements",
    ),
    // The reference is wrong.
    (
        "testbase__test_case_3a",
        "legal moves of xplayer: expected (move correct_failure), found (move correct_correct)",
        "the reference takes `(open2)` and `open2` for two relations; they are one",
    ),
    ("testbase__test_case_3b", "GDL085", "the reference drops a `distinct` whose variables nothing binds"),
    ("testbase__test_case_3e", "GDL085", "the reference lets a head have variables that nothing binds"),
    ("testbase__test_case_3f", "GDL085", "the reference drops a `distinct` whose variables nothing binds"),
];

/// What cannot be grounded within the default limits, and is compared by `eval` in every build.
const NOT_GROUNDED: &[&str] = &["base__chess", "base__laikLee_hex", "base__slaughter", "base__sudoku"];

const IS_DEBUG: bool = cfg!(debug_assertions);

/// How much of a trace is compared by the table.
const BY_TABLE: Limits = if IS_DEBUG {
    Limits { playouts: 2, steps: 200, states: 60, moves: 3_000, deadline: None }
} else {
    Limits { playouts: 4, steps: 500, states: 500, moves: 20_000, deadline: None }
};

/// How much of a trace is compared by `eval`.
const BY_EVAL: Limits = if IS_DEBUG {
    Limits { playouts: 1, steps: 5, states: 1, moves: 100, deadline: None }
} else {
    Limits { playouts: 1, steps: 30, states: 1, moves: 2_000, deadline: None }
};

/// The rulesheet is read as the traces were made: case matters, and no lint stops it.
fn options() -> Options {
    let mut options = Options { case_sensitive: true, ..load::quiet() };
    if IS_DEBUG {
        options.limits.max_ground_rules = 20_000;
        options.limits.fuel = 2_000_000;
        // So that small rulesheets are split too.
        options.split_from = 20;
    }
    options
}

/// The folder with `rulesheets` and `traces`, if it is there.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    folder.join("traces").is_dir().then_some(folder)
}

/// What a comparison came to.
enum Verdict {
    /// By the table or, if false, by `eval`.
    Compared(bool, Outcome),
    /// The rulesheet is at fault; the codes of the errors.
    Refused(Vec<&'static str>),
}

fn rules(source: &Source, options: &Options) -> Result<Rules, Vec<&'static str>> {
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(source, options, &mut diagnostics);
    check(&tree, source, options, &mut diagnostics).ok_or_else(|| {
        diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.id).collect()
    })
}

fn compare(name: &str, text: &str, trace: &Trace) -> Verdict {
    let options = options();
    let rules = match rules(&Source::new(name, text), &options) {
        Ok(rules) => rules,
        Err(codes) => return Verdict::Refused(codes),
    };
    if let Ok(game) = load_named(name, text, &options) {
        return Verdict::Compared(true, verify(&Engine(&game), trace, &BY_TABLE));
    }
    let evaluator = Evaluator::new(&rules).expect("checked rules can be evaluated");
    Verdict::Compared(false, verify(&evaluator, trace, &BY_EVAL))
}

#[test]
fn rulesheets_agree_with_their_traces() {
    let Some(shared) = shared() else {
        println!("skipped: no reference traces beside the checkout");
        return;
    };
    let mut traces: Vec<PathBuf> = fs::read_dir(shared.join("traces"))
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    traces.sort();
    let mut known: BTreeMap<&str, (&str, &str)> =
        DIFFERENT.iter().map(|&(name, found, reason)| (name, (found, reason))).collect();
    let (mut agreeing, mut not_grounded, mut steps) = ([0, 0], Vec::new(), 0);
    for path in traces {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let trace = Trace::read(&fs::read_to_string(&path).expect("readable")).expect("a trace");
        if trace.status == "failed" {
            continue;
        }
        let bytes = fs::read(shared.join("rulesheets/games").join(format!("{name}.kif"))).expect("readable");
        let fault = match compare(&name, &String::from_utf8_lossy(&bytes), &trace) {
            Verdict::Compared(is_table, outcome) => {
                steps += outcome.steps;
                agreeing[usize::from(!is_table)] += usize::from(outcome.difference.is_none());
                if !is_table {
                    not_grounded.push(name.clone());
                }
                outcome.difference.map(|difference| difference.to_string())
            }
            Verdict::Refused(codes) => Some(codes.join(", ")),
        };
        match (fault, known.remove(name.as_str())) {
            (None, None) => {}
            (Some(fault), Some((found, _))) => assert!(fault.contains(found), "{name}: {fault}"),
            (Some(fault), None) => panic!("{name}: {fault}"),
            (None, Some((_, reason))) => panic!("{name} agrees, though {reason}"),
        }
    }
    let [by_table, by_eval] = agreeing;
    println!("{by_table} rulesheets agree by the table, {by_eval} by eval, on {steps} steps");
    assert!(known.is_empty(), "without a trace: {known:?}");
    assert!(by_table >= 150, "only {by_table} rulesheets agree by the table");
    if IS_DEBUG {
        let is_listed = |name: &&str| not_grounded.iter().any(|other| other == name);
        assert!(NOT_GROUNDED.iter().all(is_listed), "{not_grounded:?}");
    } else {
        assert_eq!(not_grounded, NOT_GROUNDED);
    }
}

//! Generated rulesheets mean the same to the engines, the compiler's evaluator and the oracle. They
//! are also compared with the reference semantics if Python has clingo and `shared/oracle` exists.
//!
//! `GDL_CASES` sets the number of rulesheets of each test, `GDL_SEED` the seed. Rulesheets that
//! once showed a difference or a panic stay in the compiler's `tests/regressions`.

use gdl_compiler::{Limits, Options};
use gdl_test_support::{shared, skip};
use gdl_tests::{
    comparison::{Outcome, Position, compare, oracle},
    generator::rulesheet,
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, any},
    test_runner::{RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};
use serde_json::{Value, json};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    io::Write,
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The number of steps played in each rulesheet.
const STEPS: usize = 12;

/// Reads a number from an environment variable, with a default.
fn setting(name: &str, default: u32) -> u32 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a whole number"))
}

fn options() -> Options {
    let limits = Limits { fuel: 2_000_000, max_gates: 50_000, max_ground_rules: 20_000, ..Limits::default() };
    Options { limits, ..Options::default() }
}

/// Options that split rules even in small programs. By default the generated rulesheets are too
/// small to be split.
fn split() -> Options {
    Options { split_from: 1, ..options() }
}

/// Plays generated rulesheets in all engines and in the oracle, and passes the playable ones to
/// `visit`. A rulesheet on which the engines differ is shrunk and shown.
fn play_generated(cases: u32, visit: impl Fn(&str, Vec<Position>)) {
    let mut seed = [0; 32];
    seed[..4].copy_from_slice(&setting("GDL_SEED", 0).to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let (played, lively, refused) = (Cell::new(0), Cell::new(0), RefCell::new(BTreeMap::new()));
    let without_oracle = Cell::new(0);
    let result = TestRunner::new_with_rng(config, random).run(&vec(any::<u8>(), 400..1_600), |bytes| {
        let text = rulesheet(&bytes);
        match catch_unwind(|| {
            drop(compare(&text, &split(), STEPS));
            compare(&text, &options(), STEPS)
        }) {
            Ok(Outcome::Agreed(positions)) => {
                played.set(played.get() + 1);
                let is_refused = oracle(&text, &options()).is_err();
                without_oracle.set(without_oracle.get() + u32::from(is_refused));
                let first = &positions[0];
                let choice = first.legal.iter().any(|moves| moves.len() > 1);
                let change = positions.iter().any(|position| position.fluents != first.fluents);
                lively.set(lively.get() + u32::from(choice && change));
                visit(&text, positions);
                Ok(())
            }
            Ok(Outcome::Refused(code)) => {
                *refused.borrow_mut().entry(code).or_insert(0) += 1;
                Ok(())
            }
            Ok(Outcome::TooMuch) => Ok(()),
            Err(_) => Err(TestCaseError::fail(text)),
        }
    });
    if let Err(TestError::Fail(text, _)) = result {
        panic!("the rulesheet is\n{text}");
    }
    let (played, lively) = (played.get(), lively.get());
    println!("{played} of {cases} rulesheets were played; {lively} of them have choices and change");
    println!("refused: {:?}", refused.into_inner());
    let without_oracle = without_oracle.get();
    println!("{without_oracle} of those played are refused by the oracle");
    assert!(20 * without_oracle <= played, "too many rulesheets are refused by the oracle");
    assert!(10 * played > 7 * cases, "too many rulesheets are refused");
    assert!(3 * lively > played, "too many rulesheets are dull");
}

#[test]
fn engines_agree_on_generated_rulesheets() {
    play_generated(setting("GDL_CASES", 200), |_, _| {});
}

fn regressions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/regressions");
    let entries = std::fs::read_dir(folder).expect("the folder is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

#[test]
fn engines_agree_where_they_once_did_not() {
    for path in regressions() {
        println!("{}", path.display());
        let bytes = std::fs::read(&path).expect("readable");
        let text = String::from_utf8_lossy(&bytes);
        for options in [options(), split()] {
            let outcome = compare(&text, &options, STEPS);
            assert!(matches!(outcome, Outcome::Agreed(_)), "{}", path.display());
        }
    }
}

/// The verdicts of the reference semantics on rulesheets and positions, one line each. Skips the
/// test and returns `None` if the reference or clingo is missing.
fn ask_clingo(cases: &[Value]) -> Option<Vec<String>> {
    let oracle = shared("oracle")?;
    let python = |arguments: &[&str]| {
        let mut command = Command::new("python3");
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    };
    let clingo = python(&["-c", "import clingo"]).stderr(Stdio::null()).status();
    if !clingo.is_ok_and(|status| status.success()) {
        skip("`python3` has no clingo: `pip install clingo`");
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/oracle.py");
    let mut child =
        python(&["-B"]).arg(script).arg(oracle).spawn().expect("Python has just been started once");
    let mut input = child.stdin.take().expect("piped");
    let lines = cases.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    // The script answers while it reads. Writing everything before reading would deadlock.
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("the script runs");
    writer.join().expect("no panic").expect("the script reads all cases");
    let answers = String::from_utf8(output.stdout).expect("text");
    Some(answers.lines().map(str::to_owned).collect())
}

#[test]
fn clingo_agrees_on_generated_rulesheets() {
    let cases = RefCell::new(Vec::new());
    // The reference converts all names to lower case.
    let lower = |texts: &[String]| texts.iter().map(|text| text.to_lowercase()).collect::<Vec<_>>();
    play_generated(setting("GDL_CASES", 40), |text, positions| {
        let roles = text.lines().filter_map(|line| line.strip_prefix("(role ")?.strip_suffix(')'));
        let roles: Vec<&str> = roles.collect();
        let positions: Vec<Value> = positions
            .iter()
            .map(|p| {
                let all = |lists: &[Vec<String>]| lists.iter().map(|list| lower(list)).collect::<Vec<_>>();
                json!({
                    "fluents": lower(&p.fluents), "terminal": p.terminal, "legal": all(&p.legal),
                    "goals": p.goals, "joint": lower(&p.joint), "percepts": all(&p.percepts),
                })
            })
            .collect();
        cases.borrow_mut().push(json!({ "text": text, "roles": roles, "positions": positions }));
    });
    let cases = cases.into_inner();
    let Some(answers) = ask_clingo(&cases) else { return };
    assert_eq!(answers.len(), cases.len());
    for (case, answer) in cases.iter().zip(&answers) {
        assert_eq!(answer, "ok", "{}", case["text"].as_str().expect("a text"));
    }
}

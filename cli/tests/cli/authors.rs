//! Commands for new authors: the primer, and `gdl new`, which creates the primer's rulesheet.

use super::{command, file, gdl, json};
use std::{fs, path::Path, process::Command};

const PRIMER: &str = include_str!("../../../docs/tutorial/language.md");
const GAME: &str = include_str!("../../src/commands/new/dominoes.kif");

/// The concatenated code blocks of one kind in the primer.
fn blocks(kind: &str) -> String {
    let mut text = String::new();
    let mut is_inside = false;
    for line in PRIMER.lines() {
        if line.starts_with("```") {
            is_inside = line == format!("```{kind}");
        } else if is_inside {
            text.extend([line, "\n"]);
        }
    }
    text
}

/// The words of each form of a rulesheet, sorted by form.
fn forms(text: &str) -> Vec<String> {
    let text: String =
        text.lines().map(|line| line.split(';').next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let (mut forms, mut form, mut depth) = (Vec::new(), String::new(), 0);
    for letter in text.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        form.push(if letter.is_whitespace() { ' ' } else { letter });
        if depth == 0 && letter == ')' {
            forms.push(form.split_whitespace().collect::<Vec<_>>().join(" "));
            form.clear();
        }
    }
    forms.sort();
    forms
}

#[test]
fn the_primer_is_the_game_of_gdl_new() {
    assert_eq!(forms(&blocks("kif")), forms(GAME));
    let whole = format!(
        "{}{}(<= (next far) (less 1 3))(<= open (true far) (not open_end))(open_end)",
        GAME,
        blocks("kif,addition")
    );
    let path = file("primer_addition.kif", whole);
    assert_eq!(gdl(&["check", &path]).code, Some(0));
}

#[test]
fn what_the_primer_says_is_so() {
    let path = file("dominoes.kif", GAME);
    let report = json(&["check", "--simulate", "--warn", "lints", "--json", &path]);
    assert_eq!(
        (&report["diagnostics"], &report["simulations"][0]["complete"]),
        (&serde_json::json!([]), &true.into())
    );
    assert_eq!(gdl(&["fmt", "--check", &path]).code, Some(0));
    let counts = json(&["perft", &path, "--depth", "3", "--json"])["counts"].to_string();
    assert_eq!(counts, "[5,12,6]");
    assert!(PRIMER.contains("--depth 3              # 5, 12, 6: "));
    assert!(gdl(&["why", &path, "start", "legal left noop"]).stdout.contains("(true (control left)) holds"));
}

fn new_in(folder: &Path, args: &[&str]) -> super::Run {
    command(&[&["new"], args].concat()).current_dir(folder).output().expect("gdl runs").into()
}

/// A new package has its name in all files. The package `dominoes` tests the contents of the files.
#[test]
fn a_new_game_has_its_name_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let run = new_in(folder.path(), &["my_game", "--runtime", runtime.to_str().expect("UTF-8")]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let read = |path: &str| fs::read_to_string(folder.path().join("my_game").join(path)).expect(path);
    assert_eq!(read("my_game.kif"), GAME);
    assert!(read("src/lib.rs").contains("gdl_runtime::gdl!(\"my_game.kif\");"));
    assert!(read("src/main.rs").contains("use my_game::my_game;"));
    assert!(read("tests/rules.rs").contains("use my_game::my_game::{Fluent, Role, game};"));
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("name = \"my_game\"") && !manifest.contains("[profile"), "{manifest}");
    // Cargo finds the runtime's path.
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(folder.path().join("my_game"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let path = metadata["packages"][0]["dependencies"][0]["path"].as_str().expect("a path");
    assert_eq!(Path::new(path), fs::canonicalize(runtime).expect("a folder"));
}

#[test]
fn nothing_is_overwritten_and_names_are_names() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("mine")).expect("a folder");
    let run = new_in(folder.path(), &["mine"]);
    assert_eq!((run.code, run.stderr.contains("choose another name")), (Some(1), true), "{}", run.stderr);
    for (name, message) in
        [("My-Game", "begin with a small letter"), ("loop", "a keyword of Rust"), ("../up", "begin with")]
    {
        let run = new_in(folder.path(), &[name]);
        assert_eq!((run.code, run.stderr.contains(message)), (Some(2), true), "{name}: {}", run.stderr);
    }
    let run = new_in(folder.path(), &["alone"]);
    assert!(
        run.code == Some(0) && run.stdout.contains("begin with `gdl new alone --runtime FOLDER`"),
        "{}",
        run.stdout
    );
    let run = new_in(folder.path(), &["other", "--runtime", "nowhere"]);
    assert_eq!(
        (run.code, run.stderr.contains("there is no package in nowhere")),
        (Some(1), true),
        "{}",
        run.stderr
    );
    assert!(!folder.path().join("other").exists());
}

#[test]
fn plays_are_tests() {
    let path = file("plays_dominoes.kif", GAME);
    let plays = include_str!("../../src/commands/new/dominoes.plays");
    file("plays_dominoes.plays", plays);
    let run = gdl(&["test", &path]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.ends_with("\ntest result: ok. 3 passed; 0 failed\n"), "{}", run.stdout);
    let some = json(&["test", &path, "--filter", "alone", "--json"]);
    assert_eq!((&some["passed"], &some["tests"][0]["name"]), (&1.into(), &"a_cell_alone_is_no_room".into()));
}

#[test]
fn a_test_that_fails_says_where_and_why() {
    let path = file("failing_dominoes.kif", GAME);
    for (step, message) in [
        ("(goal left 100)", ":1:9: a: `(goal left 100)` does not hold\n(goal left 100) does not hold\n  "),
        ("(not (legal right noop))", ":1:9: a: `(legal right noop)` holds\n(legal right noop) holds by "),
        ("(does left (lay 1 3))", ":1:9: a: `(lay 1 3)` is not legal for `left`\n"),
        ("(moves (lay 1 2))", ":1:9: a: 1 move for 2 roles\n"),
        (
            "(does right noop)",
            ":1:9: a: `left` has 5 legal moves: write `(moves ..)` with a move of each role\n",
        ),
        ("(does middle noop)", ":1:9: a: there is no role `middle`\n"),
        ("terminal (perft 5)", ":1:9: a: `terminal` does not hold\n"),
        ("(perft 5 12 7)", ":1:9: a: expected 5 12 7, counted 5 12 6\n"),
        (
            "(does left (lay 1 2)) (true (empty 1))",
            ":1:31: a: `(true (empty 1))` does not hold\n(next (empty 1)) does not hold\n  ",
        ),
        ("(state (empty 9))", ":1:9: a: `(empty 9)` is not a term of this game\n"),
        ("(full 1)", ":1:9: a: `(full 1)` is not a term of this game\n"),
    ] {
        let plays = file("failing.plays", format!("(test a {step})"));
        let run = gdl(&["test", &path, &plays]);
        assert_eq!(run.code, Some(1), "{step}");
        assert!(run.stdout.contains(&format!("\n{plays}{message}")), "{step}: {}", run.stdout);
        assert!(run.stdout.ends_with("test result: FAILED. 0 passed; 1 failed\n"), "{step}: {}", run.stdout);
    }
    let plays = file("failing.plays", "(test a terminal)");
    let report = json_of(&gdl(&["test", &path, &plays, "--json"]));
    assert_eq!((&report["failed"], &report["tests"][0]["why"]["holds"]), (&1.into(), &false.into()));
}

fn json_of(run: &super::Run) -> serde_json::Value {
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// A term doubles in each step, so the state of step 17 exceeds the limits. Other tests pass.
#[test]
fn a_count_that_exceeds_the_limits_fails_its_test_alone() {
    let rules = "(role a) (init (n z)) (legal a go) (goal a 0) (<= terminal (true (n end)))
        (<= (next (n (pair ?x ?x))) (true (n ?x)))";
    let game = file("doubling.kif", rules);
    let plays =
        file("doubling.plays", format!("(test far (perft{}))\n(test near (perft 1 1))", " 1".repeat(20)));
    let run = gdl(&["test", &game, &plays]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("far: evaluations were abandoned: the first "), "{}", run.stdout);
    let report = json_of(&gdl(&["test", &game, &plays, "--json"]));
    assert_eq!((&report["passed"], &report["failed"]), (&1.into(), &1.into()), "{report}");
}

#[test]
fn files_that_are_no_tests_are_refused_with_their_place() {
    let path = file("refused_dominoes.kif", GAME);
    for (text, message) in [
        ("(test)", ":1:1: this is not a test\n  = help: write `(test NAME STEP ..)`"),
        ("\n (toast a terminal)", ":2:2: this is not a test"),
        ("(test a (not))", ":1:9: `not` takes one atom"),
        ("(test a (does left))", ":1:9: `does` takes a role and its move"),
        ("(test a (perft five))", ":1:9: `perft` takes counts"),
        ("(test a", "[GDL001]"),
    ] {
        let run = gdl(&["test", &path, &file("refused.plays", text)]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{text}");
        assert!(run.stderr.contains(message), "{text}: {}", run.stderr);
    }
    let run = gdl(&["test", &path]);
    assert!(run.stderr.contains("refused_dominoes.plays\n  = help: write tests there"), "{}", run.stderr);
}

#[test]
fn recorded_matches_must_conform() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().to_str().expect("UTF-8");
    assert_eq!(gdl(&["match", "tictactoe", "random", "random", "-n", "1", "--record", record]).code, Some(0));
    let path =
        fs::read_dir(folder.path()).expect("a folder").next().expect("a record").expect("a file").path();
    let recorded = path.to_str().expect("UTF-8");
    assert_eq!(gdl(&["test", "tictactoe", recorded]).code, Some(0));
    // The file is not a trace, and `gdl verify` names the command that compares it.
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/board/tictactoe.kif");
    let run = gdl(&["verify", rules, recorded]);
    assert!(
        run.code == Some(1) && run.stderr.contains("compare it with the rules by `gdl test RULES FILE`"),
        "{}",
        run.stderr
    );
    let text = fs::read_to_string(&path).expect("a record");
    for (from, to, message) in [
        (
            "( control oplayer )",
            "( control xplayer )",
            "after 1 joint move: `(control oplayer)` is true and not recorded; `(control xplayer)` is recorded and not true",
        ),
        ("\"goalValues\":[", "\"goalValues\":[7,", "the goal of `xplayer` is "),
        (
            "\"moves\":[[\"( mark",
            "\"moves\":[[\"noop\",\"noop\"],[\"( mark",
            "after 0 joint moves: `noop` is not legal for `xplayer`",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let run = gdl(&["test", "tictactoe", &file("changed_record.json", changed)]);
        assert_eq!(run.code, Some(1), "{from}");
        assert!(run.stdout.contains(message), "{from}: {}", run.stdout);
    }
    let run = gdl(&["test", "tictactoe", &file("no_record.json", "{}")]);
    assert!(
        run.stderr.contains("no_record.json is not the record of a match: missing field"),
        "{}",
        run.stderr
    );
}

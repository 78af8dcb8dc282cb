//! `gdl check --simulate`: the findings of play, verified by the evaluator.

use super::{file, gdl, json, rulesheet};
use gdl_compiler::{
    Compilation, Diagnostic, Diagnostics, Levels, Options, Rules, Source,
    diagnostic::Witness,
    eval::{Evaluator, State, Term},
};
use gdl_runtime::Dynamic;
use gdl_tools::{
    load::{self, Compiled},
    simulate::{SimulationSettings, Statistics, Subject, simulate},
};
use serde_json::Value;
use std::{fs, path::Path};

/// The names and texts of the rulesheets in a folder of the compiler's tests. Those in `accept` are
/// valid. Those in `reject` have one mistake each, except `000_base_valid`.
fn folder(name: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests").join(name);
    let mut list: Vec<(String, String)> = fs::read_dir(folder)
        .expect("a folder of the repository")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&fs::read(path).expect("a rulesheet")).into_owned())
        })
        .collect();
    list.sort();
    list
}

fn reject(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/reject").join(name);
    path.with_extension("kif").to_str().expect("a path in UTF-8").to_owned()
}

/// Compiles and plays a rulesheet with all lints. Returns the diagnostics of play.
fn play(text: &str, settings: &SimulationSettings) -> Option<(Compiled, Vec<Diagnostic>, Statistics)> {
    let levels = Levels { warn: vec!["lints".to_owned()], ..Levels::default() };
    let options = Options { levels: levels.clone(), ..Options::default() };
    let (_, compiled) = load::examine(&Source::new("test.kif", text), &options);
    let compiled = compiled.ok()?;
    let Compilation { rules, ground, net, table, .. } = &compiled.compilation;
    let game = Dynamic::decode(table).expect("small enough");
    let subject = Subject { rules, ground, net, game: &game };
    let mut diagnostics = Diagnostics::new(levels);
    let statistics = simulate(subject, settings, &mut diagnostics, &mut |_| {});
    let found = diagnostics.iter().cloned().collect();
    Some((compiled, found, statistics))
}

/// The code and message of each diagnostic of `gdl check` from GDL118 on.
fn outcomes(args: &[&str]) -> Vec<String> {
    let run = gdl(&[&["check", "--json"], args].concat());
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!((run.code, &report["totals"]["errors"]), (Some(0), &0.into()), "{args:?}");
    let list = report["diagnostics"].as_array().expect("a list");
    let text = |d: &Value| format!("{} {}", d["code"], d["message"]).replace('"', "");
    list.iter().map(text).filter(|text| ("GDL118".."GDL126").contains(&text.as_str())).collect()
}

#[test]
fn one_mistake_is_one_finding() {
    let unwinnable = ["GDL119 role `white` can never get 100", "GDL119 role `black` can never get 100"];
    let falls = [
        "GDL124 the goal value of `white` can fall: 50, then 0",
        "GDL124 the goal value of `black` can fall: 50, then 0",
    ];
    for (name, without, with) in [
        ("000_base_valid", &[][..], &[][..]),
        (
            "118_terminal_unreachable",
            &["GDL118 no state that play can reach is terminal"],
            &["GDL118 no state that play can reach is terminal"],
        ),
        ("119_goal_100_missing", &unwinnable, &unwinnable),
        (
            "121_no_legal_move_somewhere",
            &[],
            &["GDL121 role `white` has no legal move in a state that is not terminal"],
        ),
        (
            "122_two_goals_at_once",
            &[],
            &["GDL122 role `white` has several goal values in a terminal state: 0 and 50"],
        ),
        ("124_goal_not_monotone", &[], &falls),
        (
            "125_non_terminating",
            &[],
            &["GDL125 a game may never end: after 3 moves it is in the same state as after 1"],
        ),
    ] {
        let path = reject(name);
        assert_eq!(outcomes(&[&path, "--warn", "lints"]), without, "{name}");
        assert_eq!(outcomes(&[&path, "--warn", "lints", "--simulate"]), with, "{name}");
    }
    // Goals fall in most games, so this lint is off by default.
    assert!(outcomes(&[&reject("124_goal_not_monotone"), "--simulate"]).is_empty());
}

#[test]
fn right_games_are_found_right() {
    let settings = SimulationSettings { work: 20_000_000, ..SimulationSettings::default() };
    let games = folder("accept");
    assert!(games.len() > 20);
    for (name, text) in games {
        let (_, found, statistics) = play(&text, &settings).unwrap_or_else(|| panic!("{name} has faults"));
        assert!(statistics.complete, "{name}: {statistics}");
        // Games that may go on forever, and games whose roles never have the goal 100.
        let endless = ["04_not_or", "05_not_not", "08_distinct_compound"].contains(&name.as_str());
        let winless = ["22_many_goal_rules", "31_score_counter"].contains(&name.as_str());
        for d in found.iter().filter(|d| d.code.id != "GDL124") {
            assert!(
                (d.code.id == "GDL125" && endless) || (d.code.id == "GDL119" && winless),
                "{name}: {d:?}"
            );
        }
        assert_eq!(found.iter().any(|d| d.code.id == "GDL125"), endless, "{name}");
    }
    for entry in gdl_games::LIST {
        let few = SimulationSettings { work: 2_000_000, ..SimulationSettings::default() };
        let (_, found, _) = play(entry.text, &few).expect("built-in games have no faults");
        let found: Vec<_> = found.iter().filter(|d| d.code.id != "GDL124").collect();
        assert!(found.is_empty(), "{}: {found:?}", entry.name);
    }
}

/// Asserts that the evaluator, which shares no code with the engine, confirms a finding.
fn assert_seen(rules: &Rules, found: &Diagnostic) {
    let Some(Witness { roles, moves, state, repeats }) = found.witness.as_deref() else {
        assert!(["GDL118", "GDL119"].contains(&found.code.id), "{found:?}");
        return;
    };
    let evaluator = Evaluator::new(rules).expect("the evaluator can evaluate it");
    let mut states: Vec<State> = vec![evaluator.initial().expect("initial")];
    for joint in moves {
        let now = states.last().expect("at least one");
        assert!(!evaluator.terminal(now).expect("terminal"), "{found:?}");
        let terms: Vec<Term> = joint.iter().map(|text| evaluator.term(text).expect("a term")).collect();
        for (role, action) in terms.iter().enumerate() {
            assert!(evaluator.legal(now, role).expect("legal").contains(action), "{found:?}");
        }
        let next = evaluator.next(now, &terms).expect("next");
        states.push(next);
    }
    let last = states.last().expect("at least one");
    let text = |state: &State| state.iter().map(Term::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(*state, format!("({})", text(last)));
    let role = || {
        let quoted = |name: &String| found.message.contains(&format!("`{name}`"));
        roles.iter().position(quoted).expect("the message names the role")
    };
    let goals = |state: &State| -> Vec<String> {
        let mut goals: Vec<u8> = evaluator
            .goals(state, role())
            .expect("goals")
            .iter()
            .map(|goal| goal.as_str().parse().expect("a number"))
            .collect();
        goals.sort_unstable();
        goals.iter().map(u8::to_string).collect()
    };
    let terminal = evaluator.terminal(last).expect("terminal");
    match found.code.id {
        "GDL121" => {
            assert!(!terminal && evaluator.legal(last, role()).expect("legal").is_empty(), "{found:?}");
        }
        "GDL122" => {
            assert!(found.message.ends_with(&goals(last).join(" and ")), "{found:?}");
            assert_eq!(terminal, found.message.contains("terminal"), "{found:?}");
        }
        "GDL123" => assert!(terminal && goals(last).is_empty(), "{found:?}"),
        "GDL124" => {
            let before = &states[states.len() - 2];
            let fall = format!("{}, then {}", goals(before).join(" "), goals(last).join(" "));
            assert!(found.message.ends_with(&fall), "{found:?}");
        }
        "GDL125" => {
            assert!(!terminal, "{found:?}");
            assert!(repeats.is_none_or(|earlier| states[earlier] == *last), "{found:?}");
        }
        _ => panic!("{found:?}"),
    }
}

/// Verifies every finding on every small rulesheet, for exhaustive visits and for random games.
#[test]
fn the_evaluator_sees_what_is_found() {
    let small = SimulationSettings {
        playouts: Some(30),
        steps: 40,
        work: 20_000_000,
        ..SimulationSettings::default()
    };
    let mut counts = std::collections::BTreeMap::new();
    for (name, text) in [folder("accept"), folder("reject"), own()].concat() {
        // Rulesheets from 133 to 139 exceed the limits of grounding.
        if name.starts_with("13") && name.as_str() >= "133" {
            continue;
        }
        for states in [100_000, 2, 1] {
            // Rulesheets with other errors are skipped.
            let Some((compiled, found, _)) = play(&text, &SimulationSettings { states, ..small.clone() })
            else {
                continue;
            };
            for diagnostic in &found {
                assert_seen(&compiled.rules, diagnostic);
                *counts.entry((diagnostic.code.id, states)).or_insert(0) += 1;
            }
            let mut once: Vec<_> = found.iter().map(|d| (d.code.id, &d.message)).collect();
            once.dedup();
            assert_eq!(once.len(), found.len(), "{name}");
        }
    }
    for code in ["GDL121", "GDL122", "GDL123", "GDL124", "GDL125"] {
        for states in [100_000, 2, 1] {
            assert!(counts.contains_key(&(code, states)), "{code} is not found among {states} states");
        }
    }
    assert!(counts.contains_key(&("GDL119", 100_000)));
}

/// Rulesheets for the findings without an example among the compiler's rulesheets.
fn own() -> Vec<(String, String)> {
    let walk = "(init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal a go) (true (at ?x)))
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 3)))";
    [
        ("no goal", format!("(role a) {walk} (<= (goal a 100) (true (at 2)))")),
        ("goals everywhere", format!("(role a) {walk} (goal a 10) (<= (goal a 100) (true (at ?x)) (succ ?x 3))")),
        (
            "chance",
            format!("(role random) (role a) {walk} (<= (legal random ?x) (succ ?x ?y)) (<= (goal a 100) (true (at 3)))"),
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .to_vec()
}

#[test]
fn chance_needs_no_goals() {
    let (_, text) = own().pop().expect("the last one");
    let (_, found, statistics) = play(&text, &SimulationSettings::default()).expect("no faults");
    assert!(found.is_empty(), "{found:?}");
    assert_eq!((statistics.states, statistics.complete), (4, true));
}

#[test]
fn findings_come_with_place_and_moves() {
    let run = gdl(&["check", &reject("122_two_goals_at_once"), "--simulate"]);
    assert_eq!(run.code, Some(0));
    for line in [
        "122_two_goals_at_once.kif:36:5: warning[GDL122]",
        "36 | (<= (goal ?r 0)\n   |     ^^^^^^^^^^^ gives 0\n",
        "122_two_goals_at_once.kif:47:5: gives 50\n",
        "   = moves: 1. white (take 1), black noop\n            2. white noop, black (take 2)\n",
        "   = state: ((control white) (pile 0))\n   = help: ",
    ] {
        assert!(run.stderr.contains(line), "{line}\n{}", run.stderr);
    }
    assert!(run.stdout.ends_with(": 1 warning; all 6 states were visited\n"), "{}", run.stdout);
}

#[test]
fn a_start_that_is_the_end_is_found_without_play() {
    let text = "(role a) (init over) (legal a go) (<= terminal (true over)) (<= (next over) (true over)) (goal a 100)";
    assert_eq!(outcomes(&[&file("over.kif", text)]), ["GDL120 the initial state is terminal"]);
    let fact = text.replace("(<= terminal (true over))", "terminal");
    assert_eq!(outcomes(&[&file("fact.kif", fact), "--simulate"]), ["GDL120 the initial state is terminal"]);
}

#[test]
fn a_role_that_cannot_move_is_why_there_is_no_end() {
    let stuck = "(role a) (role b) (init (control a)) (init (at 0)) (succ 0 1) (succ 1 2)
        (<= (legal ?r (go ?x)) (true (control ?r)) (succ ?x ?y))
        (<= (next (at ?x)) (does a (go ?x)) (does b (go ?x)))
        (<= (next (control a)) (true (control b)))
        (<= (next (control b)) (true (control a)))
        (<= terminal (true (at 2)))
        (<= (goal ?r 100) (role ?r) (true (at 2)))";
    let path = file("stuck.kif", stuck);
    let found = outcomes(&[&path, "--simulate"]);
    let stuck = found.iter().position(|text| text.starts_with("GDL121 role `b`"));
    let endless = found.iter().position(|text| text.starts_with("GDL118"));
    assert!(stuck.is_some() && endless.is_some() && stuck < endless, "{found:?}");
}

/// A counter that goes up to 300, where the game ends. No state repeats.
fn counter() -> String {
    let succ = (0..300).fold(String::new(), |text, n| text + &format!("(succ {n} {})\n", n + 1));
    format!(
        "(role a)\n(init (count 0))\n(legal a left)\n(legal a right)\n\
         (<= (next (count ?n)) (true (count ?m)) (succ ?m ?n))\n(<= terminal (true (count 300)))\n\
         (<= (goal a 100) terminal)\n(<= (goal a 0) (not terminal))\n{succ}"
    )
}

/// A binary counter of 21 bits passes more states than are stored to find loops.
#[test]
fn states_that_were_not_compared_are_not_called_unrepeated() {
    let succ = (0..21).fold(String::new(), |text, n| text + &format!("(bit {n}) (succ {n} {})\n", n + 1));
    let text = format!(
        "(role a) (init start) (legal a go) (carry 0) {succ}
         (<= (next start) (true start))
         (<= (carry ?m) (carry ?n) (true (is ?n)) (succ ?n ?m))
         (<= (next (is ?n)) (bit ?n) (carry ?n) (not (true (is ?n))))
         (<= (next (is ?n)) (true (is ?n)) (not (carry ?n)))
         (<= terminal (carry 21))
         (<= (goal a 100) terminal) (<= (goal a 0) (not terminal))"
    );
    let message = |steps| {
        let settings =
            SimulationSettings { states: 5, playouts: Some(1), steps, ..SimulationSettings::default() };
        let (_, found, _) = play(&text, &settings).expect("it is valid");
        found.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(message(100), ["a random game is not over after 100 moves, and no state was repeated"]);
    assert_eq!(message(1_250_000), ["a random game is not over after 1,250,000 moves"]);
}

#[test]
fn what_is_long_is_not_endless() {
    let path = file("counter.kif", counter());
    assert!(outcomes(&[&path, "--simulate"]).is_empty());
    assert!(outcomes(&[&path, "--simulate", "--states", "5"]).is_empty());
    let short = ["--simulate", "--states", "5", "--steps", "20"];
    assert_eq!(
        outcomes(&[&[path.as_str()], &short[..]].concat()),
        ["GDL125 a random game is not over after 20 moves, and no state was repeated"]
    );
    let run = gdl(&[&["check", &path], &short[..]].concat());
    assert!(
        run.stderr.contains("            6. a ") && run.stderr.contains(".. 10 more\n"),
        "{}",
        run.stderr
    );
    let report = json(&[&["check", "--json", &path], &short[..]].concat());
    assert_eq!(report["diagnostics"][0]["witness"]["moves"].as_array().map(Vec::len), Some(20));
}

#[test]
fn the_same_seed_finds_the_same() {
    let path = file("seed.kif", counter());
    let report = |seed: &str| {
        json(&["check", &path, "--simulate", "--states", "5", "--steps", "20", "--seed", seed, "--json"])
    };
    let first = report("7");
    assert_eq!(first["simulations"][0]["playouts"], 1_000);
    assert_eq!(first, report("7"));
    assert_ne!(first, report("8"), "the moves of the witness are random");
}

#[test]
fn games_can_be_counted() {
    let path = rulesheet("breakthrough_small.kif");
    let report = json(&["check", &path, "--simulate", "--states", "100", "--playouts", "3", "--json"]);
    let simulation = &report["simulations"][0];
    assert_eq!((&simulation["states"], &simulation["playouts"]), (&100.into(), &3.into()));
    assert_eq!(simulation["complete"], false);
    let run = gdl(&["check", &path, "--playouts", "3"]);
    assert_eq!(run.code, Some(2), "without --simulate it makes no sense");
}

#[test]
fn findings_can_be_denied() {
    let path = reject("125_non_terminating");
    let run = gdl(&["check", &path, "--simulate", "--deny", "non_terminating"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("error[GDL125]"), "{}", run.stderr);
    assert!(outcomes(&[&path, "--simulate", "--allow", "GDL125"]).is_empty());
    assert_eq!(gdl(&["check", &reject("118_terminal_unreachable"), "--deny", "warnings"]).code, Some(1));
}

/// The wrong examples of the catalogue's pages have findings, and the right ones have none.
#[test]
fn pages_keep_their_word() {
    let codes = gdl_compiler::diagnostic::codes::ALL.iter();
    let mut examples = 0;
    for code in codes.filter(|code| ("GDL121".."GDL126").contains(&code.id)) {
        for example in code.examples().filter(|example| example.is("kif")) {
            let text = String::from_utf8(example.file()).expect("an example in UTF-8");
            let (compiled, found, _) =
                play(&text, &SimulationSettings::default()).unwrap_or_else(|| panic!("{}: {text}", code.id));
            found.iter().for_each(|found| assert_seen(&compiled.rules, found));
            let found: Vec<&str> = found.iter().map(|found| found.code.id).collect();
            assert_eq!(found.contains(&code.id), example.is("wrong"), "{}: {found:?}", example.info);
            assert!(example.is("wrong") || found.is_empty(), "{}: {found:?}", code.id);
            examples += 1;
        }
    }
    assert_eq!(examples, 10);
}

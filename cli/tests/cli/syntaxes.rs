//! `gdl convert`, `gdl equal` and `gdl scramble`, and other commands on rulesheets in infix GDL and
//! Epilog.

use super::{file, gdl};
use serde_json::Value;
use std::fs;

const PILE: &str = include_str!("../../../compiler/diagnostics/frame.epilog");

#[test]
fn games_are_converted_and_stay_what_they_are() {
    let infix = gdl(&["convert", "tictactoe", "--to", "infix"]);
    assert_eq!(infix.code, Some(0), "{}", infix.stderr);
    assert!(
        infix.stdout.contains("legal(R, mark(M, N)) :- true(control(R)) & true(cell(M, N, b))\n"),
        "{}",
        infix.stdout
    );
    assert!(infix.stdout.starts_with("%% Tic-tac-toe on a three by three board.\n"), "{}", infix.stdout);
    let path = file("convert.hrf", &infix.stdout);
    let equal = gdl(&["equal", "tictactoe", &path]);
    assert_eq!(
        (equal.code, equal.stdout.as_str()),
        (Some(0), "equal: proved in all 5,478 states\n"),
        "{}",
        equal.stderr
    );
    let formatted = gdl(&["fmt", "--check", &path]);
    assert_eq!((formatted.code, formatted.stdout.as_str()), (Some(0), ""));
    let back = gdl(&["convert", &path, "--to", "kif"]);
    assert!(
        back.stdout
            .contains("(<= (legal ?r (mark ?m ?n))\n    (true (control ?r))\n    (true (cell ?m ?n b)))\n")
    );
    let perft = gdl(&["perft", &path, "--depth", "4"]);
    assert!(perft.stdout.contains("3,024"), "{}", perft.stdout);
}

#[test]
fn a_difference_is_shown_by_the_shortest_play() {
    let path = file("pile.epilog", PILE);
    let other = file("other.epilog", PILE.replace("left(1, 1, 0)", "left(1, 1, 1)"));
    let same = gdl(&["equal", &path, &path]);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    let run = gdl(&["equal", &path, &other, "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "different");
    assert_eq!(report["play"].as_array().map(Vec::len), Some(2), "{report}");
    let kif = gdl(&["convert", &path, "--to", "kif"]);
    assert!(kif.stdout.contains("(op_take ?n)"), "{}", kif.stdout);
    let kif = file("pile_kif.kif", &kif.stdout);
    assert_eq!(gdl(&["equal", &path, &kif]).code, Some(0));
    let roles = file("roles.kif", fs::read_to_string(&kif).unwrap().replace("white", "green"));
    let run = gdl(&["equal", &kif, &roles]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(1), "different: the second game has no role `white`\n")
    );
}

#[cfg(feature = "network")]
#[test]
fn scrambled_games_are_the_same_under_other_names() {
    let path = file("pile_names.epilog", PILE);
    let run = gdl(&["scramble", &path, "--seed", "7"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("equal: proved"), "{}", run.stderr);
    assert!(!run.stdout.contains("white") && !run.stdout.contains("take"), "{}", run.stdout);
    assert_eq!(gdl(&["scramble", &path, "--seed", "7"]).stdout, run.stdout);
    assert_ne!(gdl(&["scramble", &path, "--seed", "8"]).stdout, run.stdout);
    let scrambled = file("scrambled.kif", &run.stdout);
    assert_eq!(gdl(&["equal", &path, &scrambled]).code, Some(1));
    let renamed = gdl(&["equal", &path, &scrambled, "--renamed"]);
    assert_eq!(renamed.code, Some(0), "{}{}", renamed.stdout, renamed.stderr);
}

#[cfg(feature = "network")]
#[test]
fn games_with_percepts_are_the_same_under_other_names() {
    let run = gdl(&["scramble", "monty_hall", "--seed", "5"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("equal: proved"), "{}", run.stderr);
    let scrambled = file("monty_scrambled.kif", &run.stdout);
    let renamed = gdl(&["equal", "monty_hall", &scrambled, "--renamed"]);
    assert_eq!(renamed.code, Some(0), "{}{}", renamed.stdout, renamed.stderr);
    // In the other game, another role has the percept.
    let text = gdl(&["convert", "monty_hall", "--to", "kif"]).stdout;
    let changed = text.replacen("(sees candidate", "(sees random", 1);
    assert_ne!(text, changed);
    let changed = file("monty_changed.kif", changed);
    let run = gdl(&["equal", "monty_hall", &changed]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("perceives"), "{}", run.stdout);
}

#[test]
fn an_option_says_the_syntax() {
    // Without the option, a text of facts and views alone is detected as infix GDL.
    let text = "role(robot)\ninit(control(robot))\nlegal(press) :- control(robot)\nterminal :- pressed\ngoal(robot, 100)\n";
    let path = file("option.hrf", text);
    assert_eq!(gdl(&["check", &path]).code, Some(1));
    let run = gdl(&["convert", &path, "--to", "kif", "--syntax", "epilog"]);
    assert!(
        run.stdout.contains("(legal ?role noop)") || run.stdout.contains("noop)"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert_eq!(gdl(&["fmt", "--check", &path, "--syntax", "epilog"]).code, Some(0));
    let run = gdl(&["check", &path, "--syntax", "kif"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("GDL017"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("error[").count(), 1, "{}", run.stderr);
    let run = gdl(&["check", &path, "--syntax", "prolog"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn faults_are_told_in_the_syntax_of_the_text() {
    let path = file(
        "fault.hrf",
        "role(white)\nlegal(white, take(N)) :- true(pile(3))\nterminal :- true(pile(0))\ngoal(white, 100)\n",
    );
    let run = gdl(&["check", &path]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("fault.hrf:2:19: error[GDL085]"), "{}", run.stderr);
    assert!(run.stderr.contains('N') && !run.stderr.contains("?N"), "{}", run.stderr);
    let mixed = file("mixed.kif", "(<= terminal (true (pile 0)))\nlegal(white, take(N)) :- true(pile(3))\n");
    let run = gdl(&["check", &mixed]);
    assert!(
        run.stderr.contains("error[GDL017]: this looks like infix GDL, but the text is KIF"),
        "{}",
        run.stderr
    );
    assert_eq!(gdl(&["convert", &mixed, "--to", "infix"]).code, Some(1));
}

/// Two moves whose names differ in case alone; one of them ends the game.
#[test]
fn names_that_differ_in_case_alone_are_two_in_all_comparisons() {
    let text = "role(r)\ninit(p)\nlegal(r,goA)\nlegal(r,goa)\nnext(p) :- does(r,goA)\nterminal :- ~true(p)\ngoal(r,100)\n";
    let infix = file("names_case.hrf", text);
    let kif = gdl(&["convert", &infix, "--to", "kif"]);
    assert_eq!(kif.code, Some(0), "{}", kif.stderr);
    let kif = file("names_case.kif", kif.stdout);
    let scrambled = gdl(&["scramble", &infix, "--seed", "5"]);
    assert_eq!(scrambled.code, Some(0), "{}", scrambled.stderr);
    let scrambled = file("names_case_scrambled.kif", scrambled.stdout);
    for (one, other) in
        [(&infix, &infix), (&infix, &kif), (&kif, &infix), (&infix, &scrambled), (&scrambled, &infix)]
    {
        let run = gdl(&["equal", one, other, "--renamed"]);
        assert_eq!(run.code, Some(0), "{one} {other}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains("proved"), "{}", run.stdout);
    }
    // Using one name for both gives another game.
    let one = file("names_case_one.hrf", text.replace("legal(r,goa)", "legal(r,goA)"));
    let run = gdl(&["equal", &infix, &one, "--renamed"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
}

//! `gdl why`: explanations of atoms at positions, and errors.

use super::{file, gdl, json};

#[test]
fn what_holds_and_what_does_not_is_told_with_places() {
    for (position, atom, expected) in [
        (
            "start",
            "legal oplayer (mark 1 1)",
            "(legal oplayer (mark 1 1)) does not hold\n  tictactoe.kif:70:5 does not give it:\n    \
             - (true (control oplayer)): it is not in the state\n",
        ),
        (
            "after ((mark 2 2) noop)",
            "true (cell 2 2 x)",
            "(next (cell 2 2 x)) holds by tictactoe.kif:82:5\n  + (symbol xplayer x): a fact, tictactoe.kif:30:1\n  \
             + (does xplayer (mark 2 2))\n",
        ),
        ("((cell 1 1 x) (cell 1 2 x) (cell 1 3 x))", "terminal", "terminal holds by tictactoe.kif:138:5\n"),
        ("start", "(true (cell 1 1 b))", "(init (cell 1 1 b)) holds by "),
        (
            "((control xplayer))",
            "(true (control oplayer))",
            "(true (control oplayer)) does not hold: it is not in the state\n",
        ),
        ("start", "(goal xplayer xplayer)", "(goal xplayer xplayer) does not hold: no rule can give it\n"),
    ] {
        let run = gdl(&["why", "tictactoe", position, atom]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{atom}");
        assert!(run.stdout.starts_with(expected), "{atom}: {}", run.stdout);
    }
    // An explanation has the requested depth, and marks the atoms that it does not expand.
    let run = gdl(&["why", "tictactoe", "start", "goal xplayer 100", "--depth", "1"]);
    assert!(run.stdout.ends_with("    + (symbol xplayer x)\n    - (line x): ..\n"), "{}", run.stdout);
}

#[test]
fn positions_come_from_plays() {
    let play = r#"{"start":"","steps":[{"from":0,"moves":["(mark 2 2)","noop"]},{"from":0,"moves":["(mark 1 1)","noop"]},
        {"from":2,"moves":["noop","(mark 3 3)"]}],"at":2}"#;
    let path = file("why_play.json", play);
    let holds = |position: &str, atom: &str| {
        json(&["why", "tictactoe", position, atom, "--json"])["why"]["holds"] == true
    };
    assert!(holds(&path, "true (cell 3 3 o)") && holds(&path, "true (cell 1 1 x)"));
    assert!(!holds(&format!("{path}@1"), "true (cell 3 3 o)"));
    // `next` refers to the successor state after the recorded move.
    assert!(holds(&format!("{path}@1"), "next (cell 3 3 o)"));
    let record = r#"{"matchId":"m","startTime":0,"isCompleted":false,"states":[],"moves":[["(mark 2 2)","noop"]],"stateTimes":[],
        "startClock":1,"playClock":1}"#;
    assert!(holds(&file("why_record.json", record), "true (cell 2 2 x)"));
    let run = gdl(&["why", "tictactoe", "start", "next (cell 1 2 b)", "--making", "((mark 1 1) noop)"]);
    assert!(run.stdout.starts_with("(next (cell 1 2 b)) holds"), "{}", run.stdout);
}

#[test]
fn json_has_the_whole_explanation() {
    let report = json(&["why", "tictactoe", "start", "terminal", "--json"]);
    assert_eq!((&report["depth"], report["state"].as_array().map(Vec::len)), (&0.into(), Some(10)));
    let attempts = report["why"]["attempts"].as_array().expect("a list");
    let fails = &attempts[1]["fails"];
    assert_eq!((&fails["text"], &fails["why"]["atom"]), (&"(not open)".into(), &"open".into()));
    let premise = &fails["why"]["by"]["premises"][0];
    assert_eq!(premise["why"]["given"], true);
    assert!(premise["line"].as_u64().is_some_and(|line| line > 100), "{premise}");
}

#[test]
fn what_is_no_question_is_refused() {
    let far = file("why_far.json", r#"{"start":"","steps":[],"at":0}"#);
    for (position, atom, message) in [
        ("start", "legall xplayer noop", "`legall` is not a word of these rules; did you mean `legal`?"),
        ("start", "(cell 1 1 b)", "`(cell 1 1 b)` is not an atom of this game: a fluent is `(true FLUENT)`"),
        ("start", "(legal xplayer ?move)", "`?move` is not a word of these rules"),
        ("start", "next (cell 1 1 b)", "`next` is about a joint move: give one"),
        (
            "after ((mark 1 1) noop) ((mark 1 1) noop)",
            "terminal",
            "joint move 2: `(mark 1 1)` is not legal for `xplayer`",
        ),
        ("after ((mark 1 1))", "terminal", "joint move 1: 1 moves for 2 roles"),
        ("after (mark 1 1) noop)", "terminal", "the moves are not lists"),
        ("((cell 1 1 b)", "terminal", "the state is not one list of fluents"),
        ("((cell 1 1 c))", "terminal", "the state: "),
        ("nowhere.json", "terminal", "there is no file nowhere.json"),
        ("after (mark 1 1)", "terminal", "joint move 1: 3 moves for 2 roles"),
        (&format!("{far}@1"), "terminal", "has 0 joint moves, so there is no position after 1"),
        (&file("why_other.json", "[]"), "terminal", "is neither a saved play nor the record of a match"),
    ] {
        let run = gdl(&["why", "tictactoe", position, atom]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{position} {atom}");
        assert!(run.stderr.contains(message), "{position} {atom}: {}", run.stderr);
    }
    assert_eq!(gdl(&["why", "tictactoe", "start", "terminal", "--depth", "0"]).code, Some(2));
}

//! Tests of `gdl verify`.

use super::{file, gdl, json, keys};
use gdl_test_support::shared;
use gdl_tools::verify::hash16;
use serde_json::{Value, json as value};
use std::path::Path;

/// A game with a lamp that can be switched on once.
const LAMP: &str = "(role robot)\n(init (light off))\n(<= (legal robot (switch on)) (true (light off)))\n\
    (<= (next (light on)) (does robot (switch on)))\n(<= terminal (true (light on)))\n\
    (<= (goal robot 100) (true (light on)))\n(<= (goal robot 0) (true (light off)))\n";

/// A game with a coin that chance tosses; chance has no goal.
const COIN: &str = "(role random)\n(role player)\n(init air)\n(side heads)\n(side tails)\n\
    (<= (legal random (toss ?s)) (side ?s))\n(legal player wait)\n(<= (next (fell ?s)) (does random (toss ?s)))\n\
    (<= (sees player ?s) (does random (toss ?s)))\n(<= terminal (true (fell ?s)))\n\
    (<= (goal player 100) (true (fell heads)))\n(<= (goal player 0) (not (true (fell heads))))\n";

/// A reference reasoner treats chance as a role like the others.
#[test]
fn games_of_chance_are_verified() {
    let tosses = ["(toss heads)", "(toss tails)"];
    let trace = value!({
        "format": "ggp-oracle-trace-1",
        "name": "coin",
        "status": "ok",
        "roles": ["random", "player"],
        "initial_state": ["air"],
        "initial_terminal": false,
        "initial_legals": [tosses, ["wait"]],
        "initial_goal_values": [[], ["0"]],
        "perft": [2, 0],
        "playouts": [{
            "k": 0,
            "seed": 0,
            "steps": [{
                "j": ["(toss heads)", "wait"],
                "n": [2, 1],
                "lh": [hash16(&tosses), hash16(&["wait"])],
                "sh": hash16(&["air"]),
                "nf": 1,
            }],
            "end": {
                "length": 1,
                "terminal": true,
                "capped": null,
                "sh": hash16(&["(fell heads)"]),
                "nf": 1,
                "goal_values": [[], ["100"]],
            },
        }],
    });
    let (rules, trace) = (file("coin.kif", COIN), file("coin.json", trace.to_string()));
    for engine in ["eval", "table", "events", "lifted"] {
        let report = json(&["verify", &rules, &trace, "--engine", engine, "--json"]);
        let expected = value!({ "steps": 1, "playouts": 1, "perft_depth": 2, "difference": null });
        assert_eq!(report, expected, "{engine}");
    }
}

/// The reference trace of the lamp.
fn trace() -> Value {
    value!({
        "format": "ggp-oracle-trace-1",
        "name": "lamp",
        "status": "ok",
        "roles": ["robot"],
        "initial_state": ["(light off)"],
        "initial_terminal": false,
        "initial_legals": [["(switch on)"]],
        "initial_goal_values": [["0"]],
        "perft": [1, 0],
        "playouts": [{
            "k": 0,
            "seed": 0,
            "steps": [{
                "j": ["(switch on)"],
                "n": [1],
                "lh": [hash16(&["(switch on)"])],
                "sh": hash16(&["(light off)"]),
                "nf": 1,
            }],
            "end": {
                "length": 1,
                "terminal": true,
                "capped": null,
                "sh": hash16(&["(light on)"]),
                "nf": 1,
                "goal_values": [["100"]],
            },
        }],
    })
}

#[test]
fn the_rules_as_they_stand_agree_as_well() {
    let rules = file("plain.kif", LAMP);
    let right = file("plain.json", trace().to_string());
    let report = json(&["verify", &rules, &right, "--engine", "eval", "--json"]);
    assert_eq!(report, value!({ "steps": 1, "playouts": 1, "perft_depth": 2, "difference": null }));
    let mut wrong = trace();
    wrong["playouts"][0]["end"]["goal_values"] = value!([["50"]]);
    let wrong = file("plain_wrong.json", wrong.to_string());
    let run = gdl(&["verify", &rules, &wrong, "--engine", "eval"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("goal values of robot: expected 50, found 100"), "{}", run.stdout);
}

#[test]
fn a_right_trace_agrees() {
    let rules = file("lamp.kif", LAMP);
    let trace = file("lamp.json", trace().to_string());
    let report = json(&["verify", &rules, &trace, "--json"]);
    assert_eq!(keys(&report), ["steps", "playouts", "perft_depth", "difference"]);
    assert_eq!(report, value!({ "steps": 1, "playouts": 1, "perft_depth": 2, "difference": null }));
    let run = gdl(&["verify", &rules, &trace, &trace]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "a line per trace");
    assert!(lines[0].contains("lamp.json: agrees"), "{}", lines[0]);
}

#[test]
fn a_trace_that_differs_ends_with_1() {
    let rules = file("lamp2.kif", LAMP);
    let mut wrong = trace();
    wrong["playouts"][0]["steps"][0]["n"] = value!([2]);
    let wrong = file("lamp2.json", wrong.to_string());
    let run = gdl(&["verify", &rules, &wrong, "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let difference = &report["difference"];
    assert_eq!(keys(difference), ["playout", "step", "what", "expected", "found", "trace"]);
    assert_eq!(difference["trace"], wrong.as_str());
    assert_eq!((&difference["playout"], &difference["step"]), (&value!(0), &value!(0)));
    assert_eq!((&difference["expected"], &difference["found"]), (&value!("2"), &value!("1")));
    let run = gdl(&["verify", &rules, &wrong]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("lamp2.json: differs playout 0, step 0"), "{}", run.stdout);
}

#[test]
fn what_is_no_trace_ends_with_1() {
    let rules = file("lamp3.kif", LAMP);
    let run = gdl(&["verify", &rules, &rules]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("lamp3.kif: not a trace"), "{}", run.stderr);
    let run = gdl(&["verify", &rules, "no/such.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no/such.json"), "{}", run.stderr);
}

#[test]
fn reference_traces_agree() {
    let (Some(games), Some(traces)) = (shared("rulesheets/games"), shared("traces")) else { return };
    for name in ["base__ticTacToe", "base__connectFour", "base__pawnWhopping"] {
        let rules = games.join(name).with_extension("kif");
        let trace = traces.join(name).with_extension("json");
        let path = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
        let report = json(&["verify", &path(&rules), &path(&trace), "--json"]);
        assert_eq!(report["difference"], Value::Null, "{name}");
        assert!(report["steps"].as_u64() > Some(0), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_without_an_end_is_refused() {
    let run = gdl(&["verify", &file("lamp_endless.kif", LAMP), "/dev/zero"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot read /dev/zero: a trace has at most"), "{}", run.stderr);
}

//! The output of `--json` follows its schema.

use super::{command, file, gdl, json, rulesheet, validity::fault};
use serde_json::Value;
use std::{io::Write, process::Stdio};

fn schema() -> Value {
    let run = gdl(&["check", "--schema"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&run.stdout).expect("the schema is JSON")
}

/// Runs `gdl check --json` with any exit code, and validates the output against the schema.
fn check(args: &[&str]) -> Value {
    let run = gdl(&[&["check", "--json"], args].concat());
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let schema = schema();
    assert_eq!(fault(&schema, &schema, &report, ""), None, "{args:?}");
    report
}

const GAME: &str = "(role a)\n(init (p 1))\n(legal a go)\n(<= (next (p 1)) (true (p 1)))\n\
    (<= terminal (true (p 2)))\n(goal a 100)\n";

#[test]
fn every_kind_of_report_is_valid() {
    assert_eq!(check(&[&rulesheet("tictactoe.kif")])["diagnostics"], Value::Array(Vec::new()));
    let broken = file("schema_broken.kif", "(role a\n(p ?)\n(q (r)) (q)\n");
    let utf8 = file("schema_utf8.kif", b"(role \xFF)\n");
    let loops = file("schema_loop.kif", GAME);
    let report = check(&[&broken, &utf8, &loops, "no/such.kif", "--simulate", "--warn", "lints"]);
    let found: Vec<&str> =
        report["diagnostics"].as_array().into_iter().flatten().filter_map(|d| d["code"].as_str()).collect();
    for code in ["GDL001", "GDL007", "GDL012", "GDL118", "GDLM1"] {
        assert!(found.contains(&code), "{code} is not in {found:?}");
    }
    assert_eq!(report["simulations"].as_array().map(Vec::len), Some(1), "only one of them can be played");
    let wide = file("schema_wide.kif", "(p ?)\n".repeat(1_500));
    assert_eq!(check(&[&wide])["totals"]["omitted"], 500);
    let witness = file(
        "schema_witness.kif",
        GAME.replace("(p 2)", "(p 1)").replace("(goal a 100)", "(goal a 9) (goal a 8)"),
    );
    let report = check(&[&witness, "--simulate"]);
    let found = report["diagnostics"].as_array().expect("a list").iter().find(|d| d["code"] == "GDL122");
    assert_eq!(found.expect("two goals")["witness"]["moves"], Value::Array(Vec::new()));
}

#[test]
fn a_report_that_is_not_valid_would_be_noticed() {
    let schema = schema();
    let report = check(&[&file("schema_loop2.kif", GAME)]);
    let spoil = |pointer: &str, value: Value| {
        let mut report = report.clone();
        *report.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = value;
        assert!(fault(&schema, &schema, &report, "").is_some(), "{pointer}");
    };
    spoil("/diagnostics/0/line", 0.into());
    spoil("/diagnostics/0/code", "GDL1".into());
    spoil("/diagnostics/0/severity", "lint".into());
    spoil("/diagnostics/0/labels", Value::Null);
    spoil("/diagnostics/0/witness", 1.into());
    spoil("/totals", serde_json::json!({ "errors": 0, "warnings": 1 }));
    spoil("/diagnostics/0/help", serde_json::json!({}));
}

#[test]
fn places_count_characters_and_bytes() {
    let text = GAME.replace("(init (p 1))", "; \u{e9}t\u{e9}\n(init (p 1)) ; \u{1d11e}\n(q ?x)");
    let report = check(&[&file("schema_places.kif", &text)]);
    let fault = report["diagnostics"].as_array().expect("a list").iter().find(|d| d["code"] == "GDL090");
    let fault = fault.expect("the fact has a variable");
    let at = |key: &str| fault[key].as_u64().expect("a number") as usize;
    assert_eq!((at("line"), at("column"), at("end_line"), at("end_column")), (4, 4, 4, 6));
    assert_eq!(&text[at("offset")..at("end_offset")], "?x");
}

/// Runs `gdl check -` with this text on stdin.
fn check_stdin(text: &str, args: &[&str]) -> Value {
    let mut child = command(&[&["check", "-", "--json"], args].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("gdl runs");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("gdl reads");
    let output = child.wait_with_output().expect("gdl ends");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn an_unsaved_buffer_is_checked_under_its_name() {
    let report = check_stdin("(role a\n", &[]);
    assert_eq!(
        (&report["diagnostics"][0]["file"], &report["diagnostics"][0]["line"]),
        (&"stdin".into(), &1.into())
    );
    let report = check_stdin("(role a\n", &["--name", "draft.kif"]);
    assert_eq!(report["diagnostics"][0]["file"], "draft.kif");
    assert_eq!(check_stdin(GAME, &["--allow", "GDL118,GDL110"])["diagnostics"], Value::Array(Vec::new()));
}

/// All commands that read a rulesheet report its errors in the same way.
#[test]
fn commands_that_fail_say_why_in_json() {
    let broken = file("schema_failing.kif", "(role a\n");
    let schema = schema();
    for path in [broken.as_str(), "no/such.kif"] {
        for args in [
            vec!["net", path, "--json"],
            vec!["perft", path, "--depth", "2", "--json"],
            vec!["playouts", path, "--json"],
            vec!["verify", path, path, "--json"],
            vec!["verify", path, path, "--engine", "eval", "--json"],
        ] {
            let run = gdl(&args);
            assert_eq!(run.code, Some(1), "{args:?}");
            assert!(!run.stderr.is_empty(), "people read it on stderr: {args:?}");
            let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
            let list = report["diagnostics"].as_array().expect("a list");
            assert_eq!(list.len(), 1, "{args:?}");
            let found = fault(&schema["$defs"]["diagnostic"], &schema, &list[0], "");
            assert_eq!(found, None, "{args:?}");
        }
    }
    let sound = rulesheet("tictactoe.kif");
    let run = gdl(&["verify", &sound, "no/such.json", "--json"]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert!(report["unreadable"][0].as_str().is_some_and(|text| text.contains("no/such.json")), "{report}");
    let list = json(&["list", "--json"]);
    assert!(list.get("diagnostics").is_none());
}

//! Tests of `gdl check` and `gdl explain`.

use super::{file, gdl, json, keys, rulesheet};
use gdl_compiler::diagnostic::codes;
use serde_json::Value;

#[test]
fn a_sound_rulesheet_has_no_faults() {
    let run = gdl(&["check", &rulesheet("tictactoe.kif")]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with("tictactoe.kif: no faults\n"), "{}", run.stdout);
    assert_eq!(
        json(&["check", &rulesheet("tictactoe.kif"), "--json"]),
        serde_json::json!({
            "diagnostics": [],
            "totals": { "errors": 0, "warnings": 0, "omitted": 0 },
            "simulations": [],
        })
    );
}

#[test]
fn strangers_get_less() {
    let chain: Vec<String> = (0..1_500).map(|i| format!("(succ {i} {})\n", i + 1)).collect();
    let rules = "(role robot)\n(legal robot wait)\n(<= terminal (less ?x ?y))\n(goal robot 100)\n\
        (<= (less ?x ?y) (succ ?x ?y))\n(<= (less ?x ?z) (less ?x ?y) (succ ?y ?z))\n";
    let path = file("chain.kif", format!("{rules}{}", chain.concat()));
    let run = gdl(&["check", &path, "--limits", "network"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("chain.kif:6:1: error[GDL139]"), "{}", run.stderr);
    let run = gdl(&["check", &path, "--allow", "initial_state_terminal,missing_init,missing_next"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

/// A rulesheet that cannot become a net is playable, but `gdl check` warns of it.
#[test]
fn what_is_evaluated_state_by_state_is_a_warning() {
    let places: String = (0..9).map(|place| ["(place ", &place.to_string(), ") "].concat()).collect();
    let path = file(
        "knot.kif",
        places
            + "(role robot) (<= (legal robot (lay ?x ?y)) (place ?x) (place ?y))
            (<= (next (arc ?x ?y)) (does robot (lay ?x ?y))) (<= (next (arc ?x ?y)) (true (arc ?x ?y)))
            (<= (joined ?x ?y) (true (arc ?x ?y))) (<= (joined ?x ?z) (joined ?x ?y) (joined ?z ?y))
            (<= terminal (joined 0 8)) (init (arc 0 0)) (<= (goal robot 100) (joined 0 8))
            (<= (goal robot 0) (not (joined 0 8)))",
    );
    let run = gdl(&["check", &path, "--allow", "recursion_restriction_finite"]);
    let told =
        "warning[GDLM7]: evaluated state by state: 81 atoms depend on each other in too many ways for a net";
    assert!(run.code == Some(0) && run.stderr.contains(told), "{}", run.stderr);
    assert!(run.stdout.ends_with("knot.kif: 1 warning\n"), "{}", run.stdout);
    let played = gdl(&["playouts", &path, "--count", "10", "--json"]);
    assert!(played.code == Some(0) && played.stderr.contains(told), "{}", played.stderr);
    assert!(played.stdout.contains("\"lifted\""), "{}", played.stdout);
    let denied = gdl(&["check", &path, "--deny", "warnings", "--allow", "recursion_restriction_finite"]);
    assert!(denied.code == Some(1) && denied.stderr.contains("error[GDLM7]"), "{}", denied.stderr);
}

#[test]
fn a_fault_is_shown_with_its_place_and_line() {
    let path = file("unclosed.kif", "(role robot)\n(init (light off)\n");
    let run = gdl(&["check", &path]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("unclosed.kif:2:1: error[GDL001]"), "{}", run.stderr);
    assert!(run.stderr.contains("(init (light off)"), "{}", run.stderr);
    assert!(run.stdout.contains("unclosed.kif: "), "{}", run.stdout);
    assert!(run.stdout.contains("error"), "{}", run.stdout);
}

#[test]
fn faults_as_json_have_all_their_fields() {
    let path = file("clash.kif", "(role robot)\n(p a)\n  (p a b)\n");
    let run = gdl(&["check", &path, "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(keys(&report), ["diagnostics", "totals", "simulations"]);
    let list = report["diagnostics"].as_array().expect("a list");
    let clash = list.iter().find(|d| d["code"] == "GDL021").expect("the clash is found");
    let place = ["file", "line", "column", "end_line", "end_column", "offset", "end_offset"];
    let about = ["message", "note", "help", "labels", "witness", "edits", "applicability"];
    assert_eq!(keys(clash), [&["code", "name", "severity"], &place[..], &about[..]].concat());
    assert_eq!(clash["name"], "relation_arity_clash");
    assert_eq!(clash["severity"], "warning");
    assert_eq!(clash["file"], path.as_str());
    let label = &clash["labels"][0];
    assert_eq!(keys(label), [&place[..], &["text"]].concat());
    // One of the two uses is the place of the error, the other its label.
    let mut lines = [clash["line"].as_u64(), label["line"].as_u64()];
    lines.sort_unstable();
    assert_eq!(lines, [Some(2), Some(3)]);
    for place in [clash, label] {
        assert_eq!(place["line"], place["end_line"]);
        assert!(place["column"].as_u64() < place["end_column"].as_u64());
    }
}

#[test]
fn forges_show_faults_beside_their_lines() {
    let path = file("reversed.kif", "(role robot)\n(<- terminal (role robot))\n");
    let run = gdl(&["check", &path, "--format", "github"]);
    assert_eq!(run.code, Some(1));
    let place = "line=2,endLine=2,col=2,endColumn=4,title=GDL020%3A implication_reversed::";
    assert!(
        run.stdout.lines().any(|line| line.starts_with("::error ") && line.contains(place)),
        "{}",
        run.stdout
    );
    let run = gdl(&["check", &path, "--format", "sarif"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let log: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    let arrow = results.iter().find(|result| result["ruleId"] == "GDL020").expect("the arrow is found");
    let change = &arrow["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["insertedContent"]["text"], "<=", "{arrow}");
    assert_eq!(gdl(&["check", &path, "--json", "--format", "sarif"]).code, Some(2));
}

/// The hooks of `.pre-commit-hooks.yaml` pass on a valid rulesheet. The check fails on a wrong one.
#[test]
fn hooks_for_commits_run() {
    let hooks = include_str!("../../../.pre-commit-hooks.yaml");
    let entries: Vec<Vec<&str>> = hooks
        .lines()
        .filter_map(|line| line.trim().strip_prefix("entry: gdl "))
        .map(|entry| entry.split(' ').collect())
        .collect();
    assert_eq!(entries.len(), 2);
    let sound = file("hooked.kif", gdl_games::find("tictactoe").expect("built in").text);
    for entry in &entries {
        assert_eq!(gdl(&[&entry[..], &[&sound]].concat()).code, Some(0), "{entry:?}");
    }
    let faulty = file("hooked_faulty.kif", "(role robot)\n(legal robot)\n");
    assert_eq!(gdl(&[&entries[0][..], &[&faulty]].concat()).code, Some(1));
}

#[test]
fn a_lint_can_be_allowed_and_denied() {
    let codes = |args: &[&str]| -> Vec<String> {
        let run = gdl(args);
        let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
        let list = report["diagnostics"].as_array().expect("a list");
        list.iter().map(|d| format!("{} {}", d["severity"], d["code"]).replace('"', "")).collect()
    };
    let path = file("lint.kif", "(role robot)\n(p a)\n(p a b)\n");
    assert!(codes(&["check", &path, "--json"]).contains(&"warning GDL021".to_owned()));
    let allowed = codes(&["check", &path, "--json", "--allow", "relation_arity_clash"]);
    assert!(!allowed.iter().any(|d| d.ends_with("GDL021")), "{allowed:?}");

    let warned = file("warning.kif", with_warning());
    let run = gdl(&["check", &warned]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.ends_with("warning.kif: 1 warning\n"), "{}", run.stdout);
    let denied = gdl(&["check", &warned, "--deny", "warnings"]);
    assert_eq!(denied.code, Some(1));
    assert!(denied.stdout.ends_with("warning.kif: 1 error\n"), "{}", denied.stdout);
}

/// A game of one step that names its role twice, which is a warning.
fn with_warning() -> &'static str {
    "(role robot)\n(role robot)\n(init start)\n(<= (legal robot go) (true start))\n\
     (<= (next end) (does robot go))\n(<= terminal (true end))\n(<= (goal robot 100) (true end))\n\
     (<= (goal robot 0) (true start))\n"
}

#[test]
fn all_faults_are_counted_and_the_first_twenty_shown() {
    let path = file("many.kif", format!("{}{}", with_warning(), "(p ?)\n".repeat(50)));
    let run = gdl(&["check", &path]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.matches("error[GDL007]").count(), 20);
    assert!(run.stderr.contains("\nand 30 more errors\n"), "{}", run.stderr);
    assert!(run.stdout.ends_with("many.kif: 50 errors, 1 warning\n"), "{}", run.stdout);
    let run = gdl(&["check", &path, "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(report["diagnostics"].as_array().map(Vec::len), Some(51), "programs get them all");
}

#[test]
fn an_unknown_lint_names_the_nearest() {
    let run = gdl(&["check", "x.kif", "--allow", "relation_arity_clsh"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("did you mean `relation_arity_clash`?"), "{}", run.stderr);
}

#[test]
fn broken_utf8_has_a_place() {
    let path = file("utf8.kif", b"(role robot)\n(init \xE9t\xE9)\n");
    let run = gdl(&["check", &path, "--json"]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let fault = &report["diagnostics"][0];
    assert_eq!((&fault["code"], &fault["severity"]), (&"GDL012".into(), &"error".into()));
    assert_eq!((&fault["line"], &fault["column"]), (&2.into(), &7.into()));
}

#[test]
fn a_file_too_large_is_not_read() {
    let path = file("large.kif", ";".repeat((16 << 20) + 1));
    let run = gdl(&["check", &path, "--json"]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    assert_eq!(report["diagnostics"][0]["code"], "GDLM5");
}

#[test]
fn a_missing_file_is_a_fault_among_others() {
    let run = gdl(&["check", "no/such.kif", &rulesheet("tictactoe.kif")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("no/such.kif"), "{}", run.stderr);
    assert!(run.stdout.contains("tictactoe.kif: no faults"), "{}", run.stdout);
}

#[test]
fn a_built_in_name_is_no_file() {
    for (name, is_hinted) in [("tictactoe", true), ("tictactoes", false)] {
        let run = gdl(&["check", name]);
        assert!(run.code == Some(1) && run.stderr.contains("error[GDLM1]"), "{}", run.stderr);
        assert_eq!(run.stderr.contains("is a built-in game: give the path"), is_hinted, "{}", run.stderr);
    }
}

#[test]
fn spellings_may_count() {
    let text = with_warning().replacen("(role robot)\n", "(Command go)\n", 1);
    let path = file("case.kif", text.replace("(legal robot go)", "(legal robot ?m) (command ?m)"));
    let codes = |case: &str| -> Vec<String> {
        let run = gdl(&["check", &path, "--json", "--case", case]);
        let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
        let list = report["diagnostics"].as_array().expect("a list");
        list.iter().map(|d| d["code"].as_str().expect("a code").to_owned()).collect()
    };
    let (folded, sensitive) = (codes("fold"), codes("sensitive"));
    assert_eq!(folded, ["GDL025"], "merged spellings are worth a warning");
    assert!(sensitive.iter().any(|code| code != "GDL025"), "nothing defines `command`: {sensitive:?}");
}

#[test]
fn codes_are_explained() {
    let run = gdl(&["explain", "GDL021"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("GDL021 relation_arity_clash: warning\n\n"), "{}", run.stdout);
    assert!(run.stdout.contains("\nWrong:\n\n    (<= (legal ?r skip)\n"), "{}", run.stdout);
    assert!(run.stdout.contains("--allow relation_arity_clash"), "{}", run.stdout);
    assert!(!run.stdout.contains(['\u{1b}']) && !run.stdout.contains("```"), "{}", run.stdout);
    assert_eq!(run.stdout, gdl(&["explain", "relation_arity_clash"]).stdout);
    let unknown = gdl(&["explain", "GDL999"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(2), ""));
}

#[test]
fn all_codes_are_listed() {
    let run = gdl(&["explain"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert_eq!(run.stdout.lines().count(), codes::ALL.len());
    let line = "GDL102 warning  unused_relation: a relation that is defined and never used";
    assert!(run.stdout.lines().any(|l| l == line), "{}", run.stdout);
    assert_eq!(run.stdout, gdl(&["explain", "--list"]).stdout);
    let list = json(&["explain", "--json"]);
    assert_eq!(list["codes"].as_array().map(Vec::len), Some(codes::ALL.len()));
    let page = json(&["explain", "GDL102", "--json"]);
    let fields = ["code", "name", "severity", "allowable", "reserved", "meaning", "page", "examples"];
    assert_eq!(keys(&page), fields);
    assert_eq!((&page["examples"][0]["right"], &page["examples"][1]["right"]), (&false.into(), &true.into()));
}

#[test]
fn what_help_lines_say_is_done() {
    let text = "(role robot)\n(init (light off))\n(legal robot press))\n(<= (next (light on)) (does robot press))\n\
        (<= terminal (tru (light on)))\n(goal robot 100)\n(goal robot 100)\n";
    let path = file("mend.kif", text);
    let made = |how: &str| -> (Option<i32>, Vec<(String, String)>) {
        let run = gdl(&["check", &path, how, "--warn", "duplicate_fact"]);
        let lines = run.stderr.lines().filter_map(|line| {
            let (what, place) = line.split_once(": ")?;
            let place = place.split("mend.kif:").nth(1)?;
            ["fixed", "guessed"].contains(&what).then(|| (what.to_owned(), place.to_owned()))
        });
        (run.code, lines.collect())
    };
    let told = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|&(what, place)| (what.to_owned(), place.to_owned())).collect()
    };
    // By default only certain fixes are applied.
    let certain = text.replacen("(goal robot 100)\n", "", 1);
    assert_eq!(made("--fix"), (Some(1), told(&[("fixed", "7:2: GDL104: remove one of them")])));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), certain);
    let guesses = told(&[
        ("guessed", "3:20: GDL002: remove it, or look for an extra `)` in the form above"),
        ("guessed", "5:15: GDL100: did you mean `true`?"),
    ]);
    assert_eq!(made("--fix=guess"), (Some(0), guesses));
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        certain.replacen("press))\n", "press)\n", 1).replace("tru ", "true ")
    );
    // Valid text is not changed.
    for how in ["--fix", "--fix=guess"] {
        let run = gdl(&["check", &path, how]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    }
    assert_eq!(gdl(&["check", "-", "--fix"]).code, Some(1));
}

#[test]
fn edits_are_told_to_programs() {
    let path = file("single.kif", "(role robot)\n(<= (p) (q ?x))\n");
    let run = gdl(&["check", &path, "--json", "--warn", "singleton_variable"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let list = report["diagnostics"].as_array().expect("a list");
    let found = list.iter().find(|d| d["code"] == "GDL103").expect("it is found");
    assert_eq!((&found["edits"][0]["offset"], &found["edits"][0]["end_offset"]), (&24.into(), &26.into()));
    assert_eq!(found["edits"][0]["text"], "?_x");
    assert_eq!(found["applicability"], "machine_applicable");
}

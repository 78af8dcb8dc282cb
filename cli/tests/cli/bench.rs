//! `gdl bench`, on small folders of rulesheets.

use super::{gdl, json, keys, rulesheet};
use serde_json::{Value, json as value};
use std::{fs, path::Path};

/// A folder with these rulesheets, and its path.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    let path = folder.path().to_str().expect("text").to_owned();
    (folder, path)
}

/// The text of a built-in game.
fn text(name: &str) -> &'static str {
    gdl_games::find(name).expect("a built-in game").text
}

const BRIEF: [&str; 2] = ["--seconds", "0.01"];

fn bench(path: &str, rest: &[&str]) -> Value {
    json(&[&["bench", path, "--json"][..], &BRIEF, rest].concat())
}

#[test]
fn each_rulesheet_has_a_row_in_its_place() {
    let prose = "Dear reader,\n\nthis is (no game.\n";
    let (_folder, path) =
        folder(&[("c.kif", text("nim")), ("b.KIF", prose), ("a.kif", text("tictactoe")), ("d.txt", "")]);
    let report = bench(&path, &[]);
    assert_eq!(keys(&report), ["rulesheets", "totals"]);
    let rows = report["rulesheets"].as_array().expect("a list");
    let names: Vec<&Value> = rows.iter().map(|row| &row["game"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    for row in [&rows[0], &rows[2]] {
        let fields = [
            "file",
            "game",
            "engine",
            "isa",
            "load_seconds",
            "load_cpu_seconds",
            "lanes_cpu_seconds",
            "playouts",
            "states",
            "seconds",
            "cpu_seconds",
            "playouts_per_cpu_second",
            "states_per_cpu_second",
            "bytes",
        ];
        assert_eq!(keys(row), fields);
        assert_eq!(
            (&row["engine"], &row["isa"]),
            (&value!("table-lanes"), &value!(gdl_runtime::lanes::Isa::best().name()))
        );
        for figure in
            ["load_cpu_seconds", "lanes_cpu_seconds", "playouts_per_cpu_second", "states_per_cpu_second"]
        {
            assert!(row[figure].as_f64() > Some(0.0), "{figure}: {row}");
        }
        assert!(row["states"].as_u64() > row["playouts"].as_u64(), "{row}");
        // The programs of lanes alone take several megabytes.
        assert_eq!(row["bytes"].as_u64() > Some(4 << 20), cfg!(target_os = "linux"), "{row}");
    }
    assert_eq!(keys(&rows[1]), ["file", "game", "error"]);
    let reason = rows[1]["error"].as_str().expect("text");
    assert!(reason.starts_with("3:9: ") && reason.ends_with("[GDL001]"), "{reason}");
    let totals = &report["totals"];
    assert_eq!(keys(totals), ["played", "failed", "median_load_cpu_seconds", "mean_states_per_cpu_second"]);
    assert_eq!((&totals["played"], &totals["failed"]), (&value!(2), &value!(1)));

    let run = gdl(&["bench", &path, BRIEF[0], BRIEF[1]]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", run.stdout);
    assert!(lines[0].contains("memory") && lines[1].starts_with("a  table-lanes "), "{}", run.stdout);
    assert!(
        lines[2].starts_with("b  error: 3:9: ") && lines[4].starts_with("2 of 3 rulesheets"),
        "{}",
        run.stdout
    );
}

#[test]
fn engines_can_be_asked_for() {
    let path = rulesheet("nim.kif");
    for (asked, engine) in [
        ("lanes", "table-lanes"),
        ("table", "table"),
        ("events", "events"),
        ("single", "table"),
        ("lifted", "lifted"),
    ] {
        let row = &bench(&path, &["--engine", asked])["rulesheets"][0];
        assert_eq!(row["engine"], engine, "{row}");
        assert_eq!(row["lanes_cpu_seconds"].is_null(), engine != "table-lanes", "{row}");
    }
}

#[test]
fn rulesheets_are_read_as_asked() {
    let text = "(role a) (init (p 1)) (legal a go) (<= (next (p 2)) (true (p 1))) (<= terminal (true (p 2)))
        (<= (goal a 0) (true (p 1))) (<= (goal a 100) (true (p ?x)) (distinct ?X 1))";
    let (_folder, path) = folder(&[("case.kif", text)]);
    assert_eq!(bench(&path, &[])["totals"]["played"], 1);
    let run = gdl(&["bench", &path, "--case", "sensitive", "--json"]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        (&report["totals"]["failed"], &report["totals"]["median_load_cpu_seconds"]),
        (&value!(1), &Value::Null)
    );
}

#[test]
fn what_takes_too_long_is_called_off() {
    let run = gdl(&["bench", &rulesheet("reversi.kif"), "--deadline", "0.000001", "--json"]);
    assert_eq!(run.code, Some(1));
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let reason = report["rulesheets"][0]["error"].as_str().expect("text");
    assert!(reason.ends_with("[GDLM9]"), "{reason}");
}

#[test]
fn folders_without_rulesheets_are_an_error() {
    let (_folder, path) = folder(&[("notes.txt", "")]);
    let run = gdl(&["bench", &path]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("no file in the folder") && run.stderr.contains(".kif"), "{}", run.stderr);
    let missing = Path::new(&path).join("missing.kif");
    let run = gdl(&["bench", missing.to_str().expect("text")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("cannot read the file"), "{}", run.stdout);
}

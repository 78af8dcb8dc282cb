//! `gdl judge`: one game, many games, errors in some of them, and the page.

use super::{gdl, json, keys, rulesheet};
use serde_json::{Value, json as value};
use std::fs;

/// Parses one JSON object from each line.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
}

const TOSS: &str = "(role a) (role b) (init (turn 1)) (side h) (side t) (legal b wait)
    (<= (legal a (call ?x)) (side ?x)) (<= (next (called ?x)) (does a (call ?x)))
    (<= terminal (true (called ?x)))
    (<= (goal a 100) (true (called h))) (<= (goal b 0) (true (called h)))
    (<= (goal a 0) (true (called t))) (<= (goal b 100) (true (called t)))";

#[test]
fn a_game_has_all_its_numbers() {
    let report = json(&["judge", "tictactoe", "--quick", "--json"]);
    assert_eq!(
        keys(&report),
        [
            "game",
            "verdict",
            "reason",
            "score",
            "parts",
            "roles",
            "chance",
            "hidden",
            "engine",
            "random",
            "skilled",
            "shape",
            "skill",
            "drama",
            "lead_changes",
            "decided",
            "variety",
            "dead",
            "absent"
        ]
    );
    assert_eq!([&report["verdict"], &report["reason"]], [&value!("judged"), &Value::Null]);
    assert_eq!([&report["chance"], &report["hidden"]], [&value!(false), &value!(false)]);
    assert_eq!(report["engine"], "table");
    assert_eq!(report["random"]["games"], 2_000);
    assert_eq!(report["skill"]["rungs"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        keys(&report["parts"]),
        ["completion", "decisiveness", "balance", "agency", "coverage", "depth"]
    );
    // The game as a file gives the same report, on any number of threads.
    let file = rulesheet("tictactoe.kif");
    assert_eq!(report, json(&["judge", &file, "--quick", "--json", "--threads", "3"]));
    let text = gdl(&["judge", "tictactoe", "--quick"]);
    assert!(text.stdout.starts_with("tictactoe  score ") && text.stderr.is_empty(), "{}", text.stdout);
    for title in ["random play", "play between equals", "shape", "skill", "drama", "dead"] {
        assert!(text.stdout.contains(&format!("\n{title}")), "{title}: {}", text.stdout);
    }
}

/// All engines give the same judgement, except that `lifted` plays fewer random games.
#[test]
fn engines_judge_alike() {
    let judged = |engine| json(&["judge", "tictactoe", "--quick", "--json", "--engine", engine]);
    let by_table = judged("table");
    for (engine, games) in [("table", 2_000), ("events", 2_000), ("lifted", 20)] {
        let mut report = judged(engine);
        assert_eq!(report["engine"], engine);
        assert_eq!(report["random"]["games"], games, "{engine}");
        report["engine"] = by_table["engine"].clone();
        if games == 20 {
            report["random"] = by_table["random"].clone();
        }
        assert_eq!(report, by_table, "{engine}");
    }
}

/// A folder with three games: one is hopeless, one has errors, and one cannot be read.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).expect("a file");
    put("toss.kif", TOSS.as_bytes());
    put("broken.kif", b"(role a)\n(init (p ?x))");
    put("bytes.kif", b"(role \xFF)\n");
    put(
        "won.kif",
        TOSS.replace("(goal a 0)", "(goal a 100)").replace("(goal b 100)", "(goal b 0)").as_bytes(),
    );
    put("notes.txt", b"no rulesheet");
    folder
}

#[test]
fn a_faulty_rulesheet_is_a_line_among_the_others() {
    let folder = folder();
    let path = folder.path().to_str().expect("a path in UTF-8");
    let run = gdl(&["judge", path, "nim", "--quick", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let all = lines(&run.stdout);
    let found: Vec<[&str; 2]> = all
        .iter()
        .map(|one| [&one["game"], &one["verdict"]].map(|text| text.as_str().expect("a text")))
        .collect();
    assert_eq!(
        found,
        [
            ["broken.kif", "invalid"],
            ["bytes.kif", "invalid"],
            ["toss.kif", "judged"],
            ["won.kif", "one_sided"],
            ["nim", "judged"]
        ]
    );
    assert!(all[0]["reason"].as_str().is_some_and(|reason| reason.contains(" [GDL")), "{}", all[0]);
    assert_eq!([&all[0]["random"], &all[0]["score"]], [&Value::Null, &Value::Null]);
    // A game that was rejected after the first stage has the results of that stage.
    assert_eq!([&all[3]["random"]["balance"], &all[3]["skill"]], [&value!(0.0), &Value::Null]);
    assert_eq!(run.stdout, gdl(&["judge", path, "nim", "--quick", "--json", "--threads", "1"]).stdout);

    let run = gdl(&["judge", path, "nim", "--quick", "--top", "1"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert!(rows[0].starts_with("broken.kif: invalid: 2:"), "{}", run.stdout);
    assert!(rows[2].starts_with("won.kif: one sided: a wins 100.0 % of random games"), "{}", run.stdout);
    assert!(rows[4].trim_start().starts_with("1  nim"), "{}", run.stdout);
    assert_eq!(rows[5], ".. 1 more");
    assert_eq!(rows[6], "2 of 5 rulesheets judged to the end; abandoned: 2 invalid, 1 one sided");
}

#[test]
fn nothing_to_judge_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path in UTF-8");
    let run = gdl(&["judge", path]);
    assert!(run.code == Some(1) && run.stderr.contains("ends in `.kif`"), "{}", run.stderr);
    let run = gdl(&["judge", "no/where.kif", "--json"]);
    assert_eq!((run.code, lines(&run.stdout)[0]["verdict"].as_str()), (Some(1), Some("invalid")));
    let run = gdl(&["judge", "tictacto"]);
    assert!(run.code == Some(2) && run.stderr.contains("did you mean `tictactoe`?"), "{}", run.stderr);
    assert_eq!(gdl(&["judge"]).code, Some(2));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let folder = folder();
    let evil = ["role", "legal", "goal"]
        .iter()
        .fold(TOSS.to_owned(), |text, word| text.replace(&format!("{word} b"), &format!("{word} <script>")));
    fs::write(folder.path().join("a&b.kif"), evil).expect("a file");
    let [path, page] = [folder.path().to_path_buf(), folder.path().join("page.html")]
        .map(|path| path.to_str().expect("a path in UTF-8").to_owned());
    let judged = json(&["judge", &format!("{path}/a&b.kif"), "--quick", "--json"]);
    assert_eq!(judged["roles"], value!(["a", "<script>"]));
    for games in [&[path.as_str(), "lights_out", "liars_dice"][..], &["monty_hall"], &["no/where.kif"]] {
        let run = gdl(&[&["judge", "--quick", "--html", &page][..], games].concat());
        assert!(run.code.is_some_and(|code| code < 2), "{games:?}: {}", run.stderr);
        let text = fs::read_to_string(&page).expect("the page");
        assert!(
            text.starts_with("<!doctype html>") && text.contains("prefers-color-scheme: dark"),
            "{games:?}"
        );
        for elsewhere in ["http", "<script", "<link", "src=", "@import", "url(", "NaN", "inf"] {
            assert!(!text.contains(elsewhere), "{games:?}: {elsewhere}");
        }
        for tag in ["svg", "section", "figure", "g", "text", "title", "div", "table", "ul", "li", "tr", "td"]
        {
            let open = text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
            assert_eq!(open, text.matches(&format!("</{tag}>")).count(), "{games:?}: {tag}");
        }
    }
    let run = gdl(&["judge", "nim", "--quick", "--html", "no/where/page.html"]);
    assert!(run.code == Some(1) && run.stderr.contains("cannot write"), "{}", run.stderr);
}

//! `gdl analyze`: known figures, reproducibility, and the page of a game.

use super::{gdl, json, keys, rulesheet};
use serde_json::{Value, json as value};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn the_figures_of_tictactoe_are_near_the_truth() {
    let report = json(&["analyze", "tictactoe", "-n", "3000", "--json"]);
    assert_eq!(
        keys(&report),
        [
            "game",
            "engine",
            "seed",
            "games",
            "branching",
            "length",
            "states",
            "tree",
            "outcome",
            "openings",
            "plies"
        ]
    );
    assert_eq!(report["games"], 3000);
    assert_eq!(report["branching"]["joint"]["most"], 9);
    let length = &report["length"];
    assert_eq!(
        [&length["shortest"], &length["longest"], &length["unfinished"]],
        [&value!(5), &value!(9), &value!(0)]
    );
    let games: u64 =
        length["games"].as_array().expect("a list").iter().filter_map(|bin| bin[1].as_u64()).sum();
    assert_eq!(games, 3000);
    // The exact numbers are 5,478 states, 549,946 sequences and 255,168 games.
    let states = &report["states"];
    assert!(number(&states["distinct"]) <= 5478.0);
    assert!((4500.0..6500.0).contains(&number(&states["at_least"])), "{states}");
    let [sequences, ends] = ["log10_sequences", "log10_games"].map(|field| number(&report["tree"][field]));
    assert!(
        (sequences - 549_946_f64.log10()).abs() < 0.05 && (ends - 255_168_f64.log10()).abs() < 0.05,
        "{}",
        report["tree"]
    );
    // In random games x wins 58.5% and o wins 28.8%.
    let advantage = &report["outcome"]["first_move_advantage"];
    assert_eq!(advantage["role"], "xplayer");
    assert!((number(&advantage["estimate"]["mean"]) - 0.297).abs() < 0.01, "{advantage}");
    // The centre is best, corners come next, and the edges are equal.
    let openings = &report["openings"];
    let moves = openings["moves"].as_array().expect("a list");
    assert_eq!(
        (moves.len(), &moves[0]["move"], &openings["role"]),
        (9, &value!("(mark 2 2)"), &value!("xplayer"))
    );
    assert!(
        number(&openings["spread"]) > number(&openings["deviation"]) && number(&openings["deviation"]) > 2.0
    );
    let plies = report["plies"].as_array().expect("a list");
    assert_eq!(plies.len(), 9);
    assert_eq!(
        plies[0],
        value!({ "games": 3000, "joint": 9.0, "choices": { "xplayer": 9.0, "oplayer": null } })
    );
    assert_eq!(plies[8]["choices"], value!({ "xplayer": null, "oplayer": null }));
}

#[test]
fn neither_threads_nor_the_engine_change_the_figures() {
    let args = ["analyze", "tictactoe", "-n", "300", "--seed", "4", "--json"];
    let one = json(&[&args[..], &["--threads", "1"]].concat());
    assert_eq!(one, json(&[&args[..], &["--threads", "3"]].concat()));
    let mut other = args;
    other[5] = "5";
    assert_ne!(one["length"], json(&other)["length"]);
    let file = rulesheet("tictactoe.kif");
    other = args;
    other[1] = &file;
    assert_eq!(one, json(&other));
    // Every engine plays the same games. Without lanes, fewer games estimate the outcome.
    assert_eq!(one["engine"], "table");
    for engine in ["events", "lifted"] {
        let own = json(&[&args[..], &["--engine", engine]].concat());
        assert_eq!(own["engine"], engine);
        assert_eq!((&own["length"], &own["states"]), (&one["length"], &one["states"]), "{engine}");
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    for game in ["connect_four", "lights_out", "rock_paper_scissors", "liars_dice"] {
        let path = folder.path().join(format!("{game}.html"));
        let name = path.to_str().expect("a path in UTF-8");
        let run = gdl(&["analyze", game, "-n", "50", "--html", name]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{game}");
        assert!(run.stdout.contains("game tree") && !run.stdout.contains("NaN"), "{}", run.stdout);
        let page = std::fs::read_to_string(&path).expect("the page");
        assert!(page.starts_with("<!doctype html>") && page.matches("<svg").count() >= 5, "{game}");
        for elsewhere in ["http", "<script", "<link", "src=", "@import", "url(", "NaN", "inf"] {
            assert!(!page.contains(elsewhere), "{game}: {elsewhere}");
        }
        for tag in ["svg", "section", "figure", "g", "text", "title", "div", "table"] {
            let open = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{game}: {tag}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
    }
    let nowhere = folder.path().join("none/page.html");
    let run = gdl(&["analyze", "nim", "-n", "5", "--html", nowhere.to_str().expect("a path in UTF-8")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot write"), "{}", run.stderr);
}

#[test]
fn odd_games_have_figures_too() {
    // A game whose initial state is terminal, and one with a role that has no legal move.
    for (name, text, length) in [
        (
            "over.kif",
            "(role a) (init (on)) (legal a wait) (<= terminal (true (on))) (goal a 40)\n(<= (next (on)) (true (on)))",
            0,
        ),
        (
            "stuck.kif",
            "(role a) (init (on)) (<= (legal a wait) (true (off))) (<= terminal (true (off))) (goal a 40)\n(<= (next (off)) (true (on)))",
            0,
        ),
    ] {
        let path = super::file(name, text);
        let report = json(&["analyze", &path, "-n", "5", "--json"]);
        assert_eq!(report["length"]["longest"], length, "{name}");
        assert_eq!(report["openings"], Value::Null, "{name}");
        assert_eq!(report["length"]["unfinished"], if name == "stuck.kif" { 5 } else { 0 });
        assert_eq!(
            gdl(&["analyze", &path, "-n", "5", "--html", &format!("{path}.html")]).code,
            Some(0),
            "{name}"
        );
    }
    let timed = json(&["analyze", "nim", "--seconds", "0.2", "--json"]);
    assert!(timed["games"].as_u64() > Some(0));
}

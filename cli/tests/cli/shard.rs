//! `gdl shard` and `gdl shard merge`: the result does not depend on the division of the work.

use super::{command, file, gdl, json, rulesheet, validity::fault};
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Runs `gdl shard` and returns its document.
fn shard(args: &[&str]) -> String {
    let run = gdl(&[&["shard"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    run.stdout
}

/// Writes documents to separate files and merges them.
fn merge(name: &str, documents: &[&str]) -> String {
    let paths = documents.iter().enumerate().map(|(i, text)| file(&format!("{name}_{i}.json"), text));
    let paths: Vec<String> = paths.collect();
    let run =
        gdl(&[&["shard", "merge", "--json"][..], &paths.iter().map(String::as_str).collect::<Vec<_>>()]
            .concat());
    assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
    run.stdout
}

/// The message of `gdl shard merge` for documents that it rejects.
fn refusal(name: &str, documents: &[&str]) -> String {
    let paths = documents.iter().enumerate().map(|(i, text)| file(&format!("{name}_{i}.json"), text));
    let paths: Vec<String> = paths.collect();
    let run = gdl(&[&["shard", "merge"][..], &paths.iter().map(String::as_str).collect::<Vec<_>>()].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{name}: {}", run.stderr);
    assert!(run.stderr.contains("help: "), "{name}: {}", run.stderr);
    run.stderr
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("a document is JSON")
}

/// Parses a shard and asserts that it matches the schema.
fn valid(text: &str) -> Value {
    let run = gdl(&["shard", "merge", "--schema"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let (schema, document) = (value(&run.stdout), value(text));
    assert_eq!(fault(&schema, &schema, &document, ""), None);
    document
}

/// Asserts that a job has the same result for several divisions, thread counts and orders of
/// merging.
fn any_cut_is_the_same(name: &str, job: &[&str], cuts: &[u64]) -> Value {
    let piece =
        |range: &str, threads: &str| shard(&[job, &["--range", range, "--threads", threads]].concat());
    let whole = merge(&format!("{name}_whole"), &[&shard(job)]);
    let blocks = value(&whole)["blocks"].as_u64().expect("a number of blocks");
    let ends = [&[0], cuts, &[blocks]].concat();
    let pieces: Vec<String> = ends
        .windows(2)
        .zip(["1", "2", "3"].iter().cycle())
        .map(|(ends, threads)| piece(&format!("{}..{}", ends[0], ends[1]), threads))
        .collect();
    pieces.iter().for_each(|piece| assert_eq!(valid(piece)["blocks"], blocks));
    let mut list: Vec<&str> = pieces.iter().map(String::as_str).collect();
    list.reverse();
    // A duplicate does not change the result.
    list.push(list[0]);
    assert_eq!(merge(&format!("{name}_all"), &list), whole);
    let (some, rest) = list[..list.len() - 1].split_at(1);
    let (some, rest) = (merge(&format!("{name}_some"), some), merge(&format!("{name}_rest"), rest));
    assert_eq!(merge(&format!("{name}_again"), &[&some, &rest]), whole);
    let parts: Vec<String> =
        (1..=3).map(|i| shard(&[job, &["--part", &format!("{i}/3")]].concat())).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(merge(&format!("{name}_parts"), &parts), whole);
    let whole = valid(&whole);
    assert_eq!(
        (&whole["missing"], whole["parts"].as_array().map(Vec::len)),
        (&Value::Array(vec![]), Some(1))
    );
    whole
}

#[test]
fn playouts_in_shards_are_those_of_one_run() {
    for (name, game, count, cuts) in [
        ("lanes", "nim".to_owned(), "200_000", vec![1, 3]),
        ("chance", "monty_hall".to_owned(), "150_001", vec![2, 3]),
        ("file", rulesheet("tictactoe.kif"), "100_000", vec![1]),
    ] {
        let job = ["playouts", &game, "--count", count, "--seed", "7"];
        let merged = any_cut_is_the_same(&format!("playouts_{name}"), &job, &cuts);
        let run = json(&["playouts", &game, "--count", count, "--seed", "7", "--json"]);
        for key in ["playouts", "states", "mean_length", "goals", "wins", "draws", "losses"] {
            assert_eq!(merged["summary"][key], run[key], "{game}: {key}");
        }
        assert_eq!(merged["job"]["engine"], "lanes");
    }
    let single = ["playouts", "nim", "--count", "333", "--seed", "7", "--engine", "single"];
    let merged = any_cut_is_the_same("playouts_single", &single, &[1, 5, 20]);
    let run = json(&[&single[..6], &["--engine", "single", "--json"]].concat());
    assert_eq!((&merged["summary"]["states"], &merged["blocks"]), (&run["states"], &21.into()));
    // The rulesheet's name and layout do not matter, and a built-in game equals its file.
    let text = fs::read_to_string(rulesheet("tictactoe.kif")).expect("it is there");
    let other = file("shard_other_layout.kif", format!("; another comment\n{text}\n\n"));
    let shards = [&other, "tictactoe"].map(|game| shard(&["playouts", game, "--count", "1000"]));
    assert_eq!(shards[0], shards[1]);
}

#[test]
fn perft_in_shards_is_perft() {
    let merged = any_cut_is_the_same("perft", &["perft", "tictactoe", "--depth", "7"], &[100, 101, 200]);
    assert_eq!(
        merged["summary"]["counts"],
        json(&["perft", "tictactoe", "--depth", "7", "--json"])["counts"]
    );
    let merged = any_cut_is_the_same("perft_2", &["perft", "nim", "--depth", "30", "--prefix", "1"], &[2]);
    assert_eq!(merged["summary"]["counts"], json(&["perft", "nim", "--depth", "30", "--json"])["counts"]);
    // If all games end before the prefix depth, there are no blocks.
    let none = shard(&["perft", "rock_paper_scissors", "--depth", "900", "--prefix", "800"]);
    let merged = valid(&merge("perft_none", &[&none]));
    assert_eq!(
        (&merged["blocks"], merged["summary"]["counts"].as_array().map(Vec::len)),
        (&0.into(), Some(900))
    );
}

#[test]
fn matches_in_shards_are_those_of_one_run() {
    let players =
        ["tictactoe", "alphabeta:depth=2", "random", "--count", "20", "--seed", "3", "--nodes", "50"];
    let merged = any_cut_is_the_same("matches", &[&["matches"], &players[..]].concat(), &[3, 4, 11]);
    let run = json(&[&["match"], &players[..], &["--json"]].concat());
    for key in ["matches", "players", "mean_length", "unscored"] {
        assert_eq!(merged["summary"][key], run[key], "{key}");
    }
}

#[test]
fn an_analysis_in_shards_has_the_figures_of_each() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shard_folder");
    fs::create_dir_all(&folder).expect("a folder");
    for name in ["nim.kif", "tictactoe.kif"] {
        fs::copy(rulesheet(name), folder.join(name)).expect("a copy");
    }
    fs::write(folder.join("broken.kif"), "(role a\n").expect("a file");
    fs::write(folder.join("notes.txt"), "no rulesheet").expect("a file");
    let path = folder.to_str().expect("a path in UTF-8");
    let merged = any_cut_is_the_same("analysis", &["analysis", path, "--count", "20", "--seed", "5"], &[1]);
    assert_eq!(merged["summary"], serde_json::json!({ "rulesheets": 3, "faulty": ["broken.kif"] }));
    let list = &merged["parts"][0]["rulesheets"];
    assert!(list[0]["error"].as_str().is_some_and(|error| error.contains("GDL")), "{list}");
    let game = rulesheet("nim.kif");
    let mut figures = json(&["analyze", &game, "--count", "20", "--seed", "5", "--json"]);
    figures["game"] = "nim.kif".into();
    assert_eq!(list[1]["figures"], figures);
    let run =
        gdl(&["shard", "merge", &file("analysis_people.json", shard(&["analysis", path, "--count", "20"]))]);
    assert!(run.stdout.contains("broken.kif") && run.stdout.contains("moves a game"), "{}", run.stdout);
}

#[test]
fn an_analysis_can_be_lenient() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lenient_folder");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("unrewarded.kif"), super::games::UNREWARDED).expect("a file");
    let path = folder.to_str().expect("a path in UTF-8");
    let strict = shard(&["analysis", path, "--count", "20"]);
    let lenient = shard(&["analysis", path, "--count", "20", "--lenient"]);
    for (document, faulty) in [(&strict, &["unrewarded.kif"][..]), (&lenient, &[])] {
        let merged = valid(&merge("lenient", &[document]));
        assert_eq!(merged["summary"]["faulty"], serde_json::json!(faulty), "{merged}");
    }
    assert_eq!(valid(&lenient)["job"]["lenient"], true);
    assert_eq!(valid(&strict)["job"].get("lenient"), None);
}

#[test]
fn what_is_missing_is_told() {
    let job = ["playouts", "nim", "--count", "1000", "--engine", "single", "--range"];
    let [a, b] = ["0..2", "5..60"].map(|range| shard(&[&job[..], &[range]].concat()));
    let paths = [file("missing_a.json", &a), file("missing_b.json", &b)];
    let run = gdl(&["shard", "merge", &paths[0], &paths[1]]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("missing blocks of 63: 2..5, 60..63"), "{}", run.stderr);
    assert!(run.stdout.contains("912 playouts"), "{}", run.stdout);
    let merged = valid(&merge("missing", &[&a, &b]));
    assert_eq!(merged["missing"], serde_json::json!([[2, 5], [60, 63]]));
    // Counts of some sequences must not look like counts of all.
    let some = shard(&["perft", "tictactoe", "--depth", "3", "--range", "0..3"]);
    assert!(valid(&merge("missing_perft", &[&some])).get("summary").is_none());
    let nothing = shard(&["playouts", "nim", "--range", "0..0"]);
    let nothing = valid(&nothing);
    assert_eq!(nothing["parts"], Value::Array(vec![]));
    assert!(nothing["blocks"].as_u64() > Some(1));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let job = |args: &[&str]| shard(&[&["playouts"], args, &["--engine", "single"]].concat());
    let a = job(&["nim", "--count", "100", "--range", "0..4"]);
    for (name, other, why) in [
        ("game", job(&["tictactoe", "--count", "100", "--range", "4..7"]), "a different game"),
        ("job", job(&["nim", "--count", "101", "--range", "4..7"]), "a different job"),
        ("seed", job(&["nim", "--count", "100", "--seed", "1", "--range", "4..7"]), "a different seed"),
        ("overlap", job(&["nim", "--count", "100", "--range", "3..7"]), "both have the blocks 3..4"),
        ("inside", job(&["nim", "--count", "100", "--range", "1..2"]), "both have the blocks 1..2"),
        ("version", a.replace(env!("CARGO_PKG_VERSION"), "9.9.9"), "was made by gdl 9.9.9"),
        ("format", a.replace("gdl-shard-1", "gdl-shard-9"), "has the format gdl-shard-9"),
        ("other", "{}".to_owned(), "is not a shard"),
        ("list", "[1]".to_owned(), "is not a shard"),
        ("text", "hello".to_owned(), "is not JSON"),
        ("empty", String::new(), "is empty"),
        ("truncated", a[..a.len() / 2].to_owned(), "breaks off"),
        ("deep", "[".repeat(100_000), "JSON"),
    ] {
        let said = refusal(&format!("refused_{name}"), &[&a, &other]);
        assert!(said.contains(why) && said.contains(&format!("refused_{name}_1.json")), "{name}: {said}");
        assert_eq!(said.matches("error").count(), 1, "{name}: {said}");
    }
    let run = gdl(&["shard", "merge", "no/such.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot read no/such.json"), "{}", run.stderr);
}

/// A document with an impossible value is rejected. So are two documents with different results for
/// the same blocks.
#[test]
fn what_cannot_be_is_refused() {
    let sound = shard(&["playouts", "nim", "--count", "100", "--engine", "single", "--range", "0..4"]);
    let matches = shard(&["matches", "nim", "first", "first", "--count", "5", "--nodes", "9"]);
    let perft = shard(&["perft", "tictactoe", "--depth", "4", "--prefix", "2", "--range", "0..7"]);
    let (huge, none) = (Value::from(u64::MAX), Value::Null);
    for (text, pointer, with) in [
        (&sound, "/parts/0/tally/playouts", &huge),
        (&sound, "/parts/0/tally/states", &huge),
        (&sound, "/parts/0/tally/stuck", &huge),
        (&sound, "/parts/0/tally/roles/0/goals", &huge),
        (&sound, "/parts/0/tally/roles/0/squares", &huge),
        (&sound, "/parts/0/tally/roles/1/wins", &huge),
        (&sound, "/parts/0/tally/roles/1", &none),
        (&sound, "/parts/0/blocks/1", &huge),
        (&sound, "/parts/0/blocks/0", &Value::from(5)),
        (&sound, "/job/block", &Value::from(0)),
        (&sound, "/job/count", &huge),
        (&sound, "/blocks", &Value::from(8)),
        (&sound, "/chance", &Value::from(2)),
        (&sound, "/roles", &none),
        (&matches, "/parts/0/matches/steps", &huge),
        (&matches, "/parts/0/matches/players/0/late", &huge),
        (&matches, "/parts/0/matches/players/0/roles/0/losses", &huge),
        (&matches, "/job/players", &serde_json::json!(["a", "b", "c"])),
        (&matches, "/job/nodes", &Value::from(0)),
        (&perft, "/job/prefix", &Value::from(4)),
        (&perft, "/job/depth", &huge),
        (&perft, "/parts/0/counts/1", &Value::from("many")),
        (&perft, "/parts/0/counts", &Value::Array(vec![])),
    ] {
        let mut document = value(text);
        *document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = with.clone();
        let said = refusal("impossible", &[&document.to_string()]);
        assert!(said.contains("is not a valid shard"), "{pointer}: {said}");
    }
    // The same blocks with another total.
    let mut other = value(&sound);
    other["parts"][0]["tally"]["states"] = 200.into();
    let said = refusal("different", &[&sound, &other.to_string()]);
    assert!(said.contains("differ in the blocks 0..4"), "{said}");
}

#[test]
fn wrong_shards_end_with_2() {
    for (args, why) in [
        (vec!["playouts", "nim", "--range", "1..2000000"], "there are no blocks 1..2000000"),
        (vec!["playouts", "nim", "--range", "2..1"], "2 is above 1"),
        (vec!["playouts", "nim", "--range", "7"], "write it as `0..100`"),
        (vec!["playouts", "nim", "--part", "4/3"], "not in 1..=3"),
        (vec!["playouts", "nim", "--part", "0/3"], "not in 1..=3"),
        (vec!["playouts", "nim", "--part", "1/3", "--range", "0..1"], "--range"),
        (vec!["playouts", "nim", "--count", "10_000_000_000_000_000"], "is not in 1..="),
        (vec!["perft", "nim", "--depth", "3", "--prefix", "3"], "not below the depth"),
        (vec!["perft", "pentago", "--depth", "9", "--prefix", "8"], "a shorter prefix"),
        (vec!["matches", "nim", "random"], "takes 2 players"),
        (vec!["matches", "nim", "random", "human"], "`human` plays in `gdl play` only"),
        (vec!["matches", "nim", "random", "mcts:seconds=1"], "depend on the machine"),
        (vec!["matches", "nim", "random", "mcts:threads=2"], "depend on the machine"),
        (vec!["matches", "nim", "random", "remote:127.0.0.1:9"], "may differ from machine to machine"),
    ] {
        let run = gdl(&[&["shard"], &args[..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(why), "{args:?}: {}", run.stderr);
    }
    for (args, why) in [
        (["analysis", "no/folder"], "cannot read the folder no/folder"),
        (["playouts", "no/such.kif"], "no/such.kif"),
    ] {
        let run = gdl(&[&["shard"], &args[..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(run.stderr.contains(why), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_file_is_written_as_a_whole() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("shard_out");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("a.json");
    let job = ["playouts", "nim", "--count", "100"];
    assert_eq!(shard(&[&job[..], &["--out", path.to_str().expect("UTF-8")]].concat()), "");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), shard(&job));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "nothing else is left");
    let run = gdl(&["shard", "playouts", "nim", "--count", "100", "--out", "no/such/folder.json"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot write no/such/folder.json"), "{}", run.stderr);
}

#[test]
fn the_documented_document_is_the_one_that_is_printed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/many-machines.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let document = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    let job = ["playouts", "nim", "--count", "100", "--engine", "single", "--seed", "7", "--range", "0..3"];
    assert_eq!(document, Some(shard(&job).as_str()));
}

/// Runs the commands of the page as they are written. A line is skipped if its tool is missing.
#[test]
fn the_documented_lines_run() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/how-to/many-machines.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let blocks: Vec<&str> =
        page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let tools = Path::new(env!("CARGO_BIN_EXE_gdl")).parent().expect("a folder");
    let path = env::join_paths(
        [tools.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("a search path");
    let mut reports = Vec::new();
    for tool in ["parallel", "xargs"] {
        let lines =
            blocks.iter().find(|block| block.contains(&format!("{tool} -"))).expect("it is documented");
        let has = std::process::Command::new("sh").args(["-c", &format!("command -v {tool}")]).output();
        if !has.is_ok_and(|found| found.status.success()) {
            gdl_test_support::skip(format!("there is no `{tool}`"));
            continue;
        }
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shard_{tool}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let mut shell = std::process::Command::new("sh");
        // Smaller numbers, since debug builds are slow.
        let lines = lines.replace("10_000_000", "100_000");
        let run = shell
            .args(["-e", "-c", &lines])
            .current_dir(&folder)
            .env("PATH", &path)
            .output()
            .expect("sh runs");
        let report = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success(), "{tool}: {}", String::from_utf8_lossy(&run.stderr));
        assert!(report.contains("100,000 playouts"), "{tool}: {report}");
        assert!(!String::from_utf8_lossy(&run.stderr).contains("missing"), "{tool}");
        reports.push(report);
    }
    assert!(reports.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn merged_shards_go_through_pipes() {
    let text = shard(&["playouts", "nim", "--count", "1000"]);
    let mut child = command(&["shard", "merge", "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("gdl runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), text.as_bytes()).expect("gdl reads");
    let output = child.wait_with_output().expect("gdl ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), merge("pipe", &[&text]));
}

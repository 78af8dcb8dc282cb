//! `gdl train` and the player `learned`: reproducible files, and rejected arguments.

use super::{gdl, json, keys};
use std::{fs, path::Path, process::Command};

/// A path in a temporary folder, as text.
fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("a path of letters").to_owned()
}

#[test]
fn the_report_says_what_was_trained_and_the_file_plays() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = path(folder.path(), "three.net");
    let train = ["train", "tictactoe", "--samples", "3000", "-o", &net, "--matches", "2", "--json"];
    let report = json(&train);
    assert_eq!(keys(&report), ["game", "file", "bytes", "seed", "samples", "games", "loss", "against_best"]);
    assert_eq!(report["bytes"], fs::metadata(&net).expect("a file").len());
    assert!(report["samples"].as_u64().expect("a number") >= 3000);
    assert_eq!(report["against_best"]["matches"], 2);

    let player = format!("learned:{net},depth=2");
    let played = json(&["match", "tictactoe", &player, "random", "-n", "40", "--nodes", "2000", "--json"]);
    assert!(played["players"][0]["score"].as_f64().expect("a number") > 0.7, "{played}");
    assert_eq!(played["players"][0]["player"], player);
    // The folder has only the net, without temporary files.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_training_that_was_killed_goes_on_to_the_same_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, part, state] = ["whole.net", "part.net", "state"].map(|name| path(folder.path(), name));
    let train = |net: &str, samples: &str, rest: &[&str]| {
        let args = ["train", "tictactoe", "--samples", samples, "--seed", "7", "--matches", "0", "-o", net];
        gdl(&[&args[..], rest].concat())
    };
    assert_eq!(train(&whole, "9000", &["--threads", "1"]).code, Some(0));
    // Killed after the first round, which learns nothing yet, so the planned length has no effect.
    let mut killed = Command::new(env!("CARGO_BIN_EXE_gdl"))
        .args(["train", "tictactoe", "--samples", "100000000", "--seed", "7", "--matches", "0"])
        .args(["-o", &part, "--resume", &state])
        .spawn()
        .expect("it starts");
    while !Path::new(&state).exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    assert_ne!(fs::read(&whole).expect("a file"), fs::read(&part).expect("a file"));
    // The second run has no work left.
    for threads in ["2", "3"] {
        assert_eq!(train(&part, "9000", &["--resume", &state, "--threads", threads]).code, Some(0));
    }
    assert_eq!(fs::read(&whole).expect("a file"), fs::read(&part).expect("a file"));
    let run =
        gdl(&["train", "tictactoe", "--samples", "9000", "--seed", "8", "-o", &part, "--resume", &state]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("has the seed 7"), "{}", run.stderr);
}

#[test]
fn files_that_do_not_fit_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let net = path(folder.path(), "three.net");
    let run = gdl(&["train", "tictactoe", "--samples", "1", "--matches", "0", "-o", &net]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let learned = format!("learned:{net}");
    let refused = |args: &[&str], reason: &str| {
        let run = gdl(args);
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    };
    refused(&["match", "connect_four", &learned, "random", "-n", "1"], "of another game");
    refused(&["shard", "matches", "connect_four", &learned, "random", "-n", "1"], "of another game");
    refused(&["play", "connect_four", "--against", &learned], "of another game");
    let mut bytes = fs::read(&net).expect("a file");
    bytes[100] ^= 4;
    fs::write(&net, &bytes).expect("a folder of its own");
    refused(&["match", "tictactoe", &learned, "random", "-n", "1"], "damaged");
    refused(&["player", "--player", &learned, "--port", "0"], "damaged");
    refused(&["match", "tictactoe", "learned:nowhere", "random"], "cannot read nowhere");
    refused(&["train", "tictactoe", "--samples", "1", "-o", &net, "--resume", &net], "cannot resume");
    refused(&["train", "rock_paper_scissors", "-o", &net], "at the same time");
    refused(&["train", "kuhn_poker", "-o", &net], "do not see the whole state");
}

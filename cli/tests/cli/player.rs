//! `gdl player` over its socket, driven by `gdl match`.

use super::{command, file, gdl, json, rulesheet};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    process::{Child, ChildStdout, Stdio},
};

/// A process of `gdl player`, started as a user does.
struct Host {
    process: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Host {
    fn start(args: &[&str]) -> Self {
        let args = [&["player", "--port", "0", "--json"], args].concat();
        let mut process = command(&args).stdout(Stdio::piped()).spawn().expect("gdl starts");
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it prints its address");
        let first: Value = serde_json::from_str(&line).expect("JSON");
        let address = first["address"].as_str().and_then(|address| address.strip_prefix("http://127.0.0.1:"));
        let address = format!("127.0.0.1:{}", address.expect("an address").trim_end_matches('/'));
        Self { process, out, address }
    }

    /// The log entries up to a message of the given kind.
    fn notes(&mut self, last: &str) -> Vec<Value> {
        let mut notes: Vec<Value> = Vec::new();
        while notes.last().is_none_or(|note| note["what"] != last) {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).expect("it goes on") > 0, "it ended");
            notes.push(serde_json::from_str(&line).expect("a JSON object for each line"));
        }
        notes
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn it_plays_matches_elsewhere() {
    let mut host = Host::start(&["--player", "mcts:nodes=50"]);
    let remote = format!("remote:{},start=1,seconds=30", host.address);
    // A game that is built in, and one that is not.
    let text = std::fs::read_to_string(rulesheet("tictactoe.kif")).expect("a rulesheet") + "(more of it)";
    for game in ["tictactoe", &file("player_tictactoe.kif", text)] {
        let report = json(&["match", game, &remote, "random", "-n", "2", "--json"]);
        let player = &report["players"][0];
        assert_eq!(player["player"], remote.as_str());
        assert_eq!(player["matches"], 2);
        assert_eq!(player["faults"], serde_json::json!({ "illegal": 0, "late": 0, "gone": 0 }));
        for _ in 0..2 {
            let notes = host.notes("STOP");
            let said: Vec<&str> = notes.iter().filter_map(|note| note["remark"].as_str()).collect();
            let kind = if game == "tictactoe" {
                "playing by the compiled game"
            } else {
                "playing by the table game"
            };
            assert!(said.contains(&kind), "{said:?}");
            assert!(
                notes.iter().all(|note| note["answer"] != "nil" && note["answer"] != "busy"),
                "{notes:?}"
            );
        }
    }
}

/// The searches reported with the responses to messages of one kind.
fn searches<'n>(notes: &'n [Value], what: &str) -> Vec<&'n Value> {
    notes.iter().filter(|note| note["what"] == what).map(|note| &note["search"]).collect()
}

#[test]
fn it_tells_what_played_and_what_that_expects() {
    let mut host = Host::start(&["--player", "best:nodes=300"]);
    let remote = format!("remote:{},start=1,seconds=30", host.address);
    json(&["match", "tictactoe", &remote, "random", "-n", "1", "--json"]);
    let notes = host.notes("STOP");
    let searches = searches(&notes, "PLAY");
    assert!(!searches.is_empty(), "{notes:?}");
    // Without a choice there is no search.
    let told: Vec<&&Value> = searches.iter().filter(|search| search["value"].is_number()).collect();
    assert!(
        told.iter()
            .any(|search| search["note"].as_str().is_some_and(|note| note.starts_with("two roles in turn"))),
        "{searches:?}"
    );
}

#[test]
fn a_player_that_is_told_it_has_longer_at_the_start_has_that() {
    // The player uses nearly all of its time.
    let host = Host::start(&["--player", "mcts"]);
    let remote = format!("remote:{},start=4,seconds=1", host.address);
    let report = json(&["match", "nim", &remote, "random", "-n", "1", "--clock", "1", "--json"]);
    assert_eq!(report["players"][0]["faults"]["late"], 0, "{report}");
}

#[test]
fn a_player_that_is_not_there_at_the_first_start_is_an_error() {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let remote = format!("remote:{}", free.local_addr().expect("an address"));
    drop(free);
    for players in [["random", &remote], [&remote, "random"]] {
        let run = gdl(&[&["match", "tictactoe"], &players[..], &["-n", "3"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
        assert!(run.stderr.contains(&format!("cannot reach `{remote}`: no connection")), "{}", run.stderr);
    }
}

#[test]
fn matches_of_all_syntaxes_are_played_elsewhere() {
    let host = Host::start(&["--player", "mcts:nodes=50"]);
    // Two moves whose names differ in case alone; one of them wins.
    let game = "role(r)\ninit(p)\nlegal(r,goA)\nlegal(r,goa)\nnext(q(a)) :- does(r,goA)\nnext(q(b)) :- does(r,goa)\n\
        terminal :- ~true(p)\ngoal(r,100) :- true(q(b))\ngoal(r,0) :- ~true(q(b))\n";
    let game = file("player_case.hrf", game);
    let remote = format!("remote:{},start=2,seconds=30", host.address);
    let report = json(&["match", &game, &remote, "-n", "2", "--json"]);
    let player = &report["players"][0];
    assert_eq!(player["faults"], serde_json::json!({ "illegal": 0, "late": 0, "gone": 0 }));
    assert_eq!(player["wins"], 2, "{report}");
    for scramble in [false, true] {
        let name = format!("player_case_{scramble}");
        let schedule = format!(
            "version = 1\ngames = [\"{game}\"]\nstart_clock = 2\nplay_clock = 30\nscramble = {scramble}\n\
             [players]\nthere = \"remote:{}\"\n",
            host.address
        );
        let results = file(&format!("{name}.db"), "");
        std::fs::remove_file(&results).expect("it was written");
        let run = gdl(&[
            "manage",
            "run",
            &file(&format!("{name}.toml"), schedule),
            "--results",
            &results,
            "--json",
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let done: Value = serde_json::from_str(run.stdout.trim()).expect("a line");
        let seat = &done["seats"][0];
        assert_eq!(
            (&seat["goal"], &seat["faults"], &seat["fault_step"]),
            (&100.into(), &0.into(), &Value::Null),
            "{done}"
        );
    }
}

#[test]
fn wrong_players_and_ports_are_told() {
    let host = Host::start(&[]);
    let port = host.address.strip_prefix("127.0.0.1:").expect("a port");
    let run = gdl(&["player", "--port", port]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains(&format!("cannot listen at 127.0.0.1 port {port}")), "{}", run.stderr);
    for (args, message) in [
        (["player", "--player", "human"], "cannot play for managers"),
        (["player", "--player", "remote:127.0.0.1"], "cannot play for managers"),
        (["player", "--player", "mtcs"], "did you mean `mcts`?"),
        (["player", "--allowance", "-1"], "not above 0"),
        (["match", "tictactoe", "remote:"], "is not an address"),
        (["match", "tictactoe", "remote:x,nodes=3"], "has no option `nodes`"),
    ] {
        let run = gdl(&args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_folder_for_what_is_learnt_is_made_at_the_start() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("kept/here");
    let text = folder.to_str().expect("a plain path");
    let _host = Host::start(&["--keep", text]);
    assert!(folder.is_dir());
    let run = gdl(&["player", "--player", "mcts", "--keep", text]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("`mcts` keeps nothing: only `best` does"), "{}", run.stderr);
    std::fs::write(folder.join("file"), "").expect("it can be written");
    let run = gdl(&["player", "--keep", &format!("{text}/file")]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("cannot use "), "{}", run.stderr);
}

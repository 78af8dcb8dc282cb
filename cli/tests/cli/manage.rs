//! `gdl manage` with players of `gdl player`: a run that was killed can be resumed.

use super::{command, gdl, json, keys};
use gdl_players::record::Record;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
};
use tempfile::TempDir;

/// A process of `gdl player` with random moves.
struct Player {
    process: Child,
    address: String,
    /// The player's output, open until the drop; closing it would end the player.
    _out: BufReader<ChildStdout>,
}

impl Player {
    fn start() -> Self {
        let args = ["player", "--port", "0", "--player", "random"];
        let started = command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut process = started.expect("gdl starts");
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it prints its address");
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        Self { process, address: address.expect("an address").to_owned(), _out: out }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A folder that contains a schedule.
struct Folder(TempDir);

impl Folder {
    fn new(schedule: &str) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        fs::write(folder.0.path().join("cup.toml"), schedule).expect("a schedule");
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path in UTF-8").to_owned()
    }

    fn run(&self) -> [String; 6] {
        let [schedule, results] = [self.path("cup.toml"), self.path("cup.db")];
        ["manage", "run", &schedule, "--results", &results, "--json"].map(str::to_owned)
    }
}

/// The names of matches by their number, from output lines.
fn told<'l>(lines: impl IntoIterator<Item = &'l str>) -> BTreeMap<u64, String> {
    let mut told = BTreeMap::new();
    for line in lines {
        let done: Value = serde_json::from_str(line).expect("a JSON object for each line");
        assert_eq!(keys(&done), ["match", "id", "game", "seats", "ending", "steps", "done"]);
        let id = done["id"].as_str().expect("a name").to_owned();
        assert_eq!(told.insert(done["match"].as_u64().expect("a number"), id), None, "{line}");
    }
    told
}

#[test]
fn a_run_that_is_killed_goes_on_with_nothing_lost_and_nothing_twice() {
    let players = [Player::start(), Player::start()];
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"tictactoe\"]\nstart_clock = 30\nplay_clock = 30\nrepetitions = 30\nscramble = true\n[players]\n\
         one = \"remote:{}\"\ntwo = \"remote:{}\"\n",
        players[0].address, players[1].address
    ));
    let run = folder.run();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let mut killed = command(&run).stdout(Stdio::piped()).spawn().expect("gdl starts");
    let mut out = BufReader::new(killed.stdout.take().expect("its stdout"));
    let mut lines = Vec::new();
    for _ in 0..5 {
        let mut line = String::new();
        out.read_line(&mut line).expect("it plays");
        lines.push(line);
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).expect("what it said last");
    // The last line may be incomplete.
    let rest: Vec<&str> = rest.lines().filter(|line| line.ends_with('}')).collect();
    let before = told(lines.iter().map(String::as_str).chain(rest));
    let standings = json(&["manage", "standings", &folder.path("cup.db"), "--json"]);
    let done = standings["matches"]["done"].as_u64().expect("a count");
    assert!(done >= before.len() as u64 && done < 60, "{standings}");

    let second = gdl(&run);
    assert_eq!((second.code, second.stderr.as_str()), (Some(0), ""), "{}", second.stdout);
    let after = told(second.stdout.lines());
    assert_eq!(after.len() as u64, 60 - done);
    assert!(before.keys().all(|number| !after.contains_key(number)));
    let standings = json(&["manage", "standings", &folder.path("cup.db"), "--json"]);
    assert_eq!(
        standings["matches"],
        serde_json::json!({ "planned": 0, "running": 0, "done": 60, "unscored": 0 })
    );
    for player in standings["players"].as_array().expect("a list") {
        // Players receive an abort for their unfinished matches.
        assert_eq!(player["faults"], serde_json::json!({ "illegal": 0, "late": 0, "missing": 0 }));
        assert_eq!(player["matches"], 60);
    }

    let matches = folder.path("matches");
    assert_eq!(gdl(&["manage", "export", &folder.path("cup.db"), &matches]).code, Some(0));
    let mut files: Vec<PathBuf> =
        fs::read_dir(&matches).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert_eq!(files.len(), 60);
    let game = gdl_games::tictactoe::game();
    for (path, number) in files.iter().zip(1..) {
        assert!(path.ends_with(Path::new(&format!("{number:06}.tictactoe.json"))), "{}", path.display());
        let record: Record =
            serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("a record");
        record.replay(&game).expect("what was played");
        assert!(record.is_completed && record.scrambled);
        let expected = if number % 2 == 1 { ["one", "two"] } else { ["two", "one"] };
        assert_eq!(record.player_names_from_host, expected);
        assert!(before.get(&number).or(after.get(&number)).is_none_or(|id| *id == record.match_id));
    }
    // No matches remain.
    assert_eq!(gdl(&run).stdout, "");
}

#[test]
fn schedules_are_checked_and_standings_shown() {
    let folder = Folder::new(
        "version = 1\ngames = [\"tictactoe\", \"lights_out\"]\nrepetitions = 3\n[players]\n\
         strong = \"alphabeta:nodes=2000\"\nweak = \"random\"\nfair = \"first\"\n",
    );
    let plan = json(&["manage", "check", &folder.path("cup.toml"), "--json"]);
    assert_eq!(keys(&plan), ["schedule", "matches", "games", "players", "terms", "most_seconds"]);
    assert_eq!(plan["most_seconds"], Value::Null);
    assert_eq!((&plan["matches"], &plan["games"][1]["matches"]), (&27.into(), &3.into()));
    let run = gdl(&["manage", "check", &folder.path("cup.toml")]);
    assert!(run.stdout.contains("27 matches") && run.stdout.contains("strong, weak, fair"), "{}", run.stdout);
    assert!(!Path::new(&folder.path("cup.db")).exists());

    let mut run = folder.run().to_vec();
    run.pop();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let played = gdl(&run);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert!(played.stdout.contains("27/27 "), "{}", played.stdout);
    let shown = gdl(&["manage", "standings", &folder.path("cup.db")]);
    assert!(played.stdout.ends_with(&shown.stdout), "{}", shown.stdout);
    let players: Vec<&str> = shown.stdout.lines().skip(2).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!((players.len(), players[0]), (3, "strong"));
    let standings = json(&["manage", "standings", &folder.path("cup.db"), "--json"]);
    let rows = standings["players"].as_array().expect("a list");
    let fields =
        ["player", "matches", "wins", "draws", "losses", "mean_goal", "faults", "rating", "rating_interval"];
    assert_eq!(keys(&rows[0]), fields);
    let total: f64 = rows.iter().filter_map(|row| row["rating"].as_f64()).sum();
    assert!(total.abs() < 1e-6, "{standings}");
}

#[test]
fn clocks_are_told_beforehand_and_faults_with_their_step() {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = free.local_addr().expect("an address");
    drop(free);
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"lights_out\"]\nstart_clock = 2\nplay_clock = 1\n\
         [players]\nabsent = \"remote:{address}\"\n"
    ));
    let check = gdl(&["manage", "check", &folder.path("cup.toml")]);
    assert!(
        check.stdout.contains("clocks: 2 s before the first move, 1 s for each\nat most 6 hours, "),
        "{}",
        check.stdout
    );
    let plan = json(&["manage", "check", &folder.path("cup.toml"), "--json"]);
    assert_eq!(plan["most_seconds"], 20_003.0);
    let run = folder.run().to_vec();
    let run: Vec<&str> = run.iter().map(String::as_str).filter(|&argument| argument != "--json").collect();
    let played = gdl(&run);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert!(played.stdout.contains("(CE at the start and "), "{}", played.stdout);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let folder = Folder::new("version = 1\ngames = [\"tictactoee\"]\n[players]\na = \"first\"\n");
    let run = folder.run();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let failed = gdl(&run[..run.len() - 1]);
    assert_eq!((failed.code, failed.stdout.as_str()), (Some(1), ""));
    let expected = format!(
        "error: {}:2:10: no built-in game has this name; did you mean `tictactoe`?\n  |\n2 | games = [\"tictactoee\"]\n  |          \
         ^^^^^^^^^^^^\n  = help: ",
        folder.path("cup.toml")
    );
    assert!(failed.stderr.starts_with(&expected), "{}", failed.stderr);
    assert!(!Path::new(&folder.path("cup.db")).exists());
    // With `--json` an error is an object.
    let failed = gdl(&run);
    let report: Value = serde_json::from_str(&failed.stdout).expect("JSON");
    assert!(report["error"].as_str().is_some_and(|error| error.contains(":2:10: ")), "{report}");
    let mut refused = vec![["manage", "standings", "none.db"], ["manage", "check", "none.toml"]];
    if cfg!(feature = "serve") {
        refused.push(["serve", "--results", "none.db"]);
    }
    for args in &refused {
        let failed = gdl(args);
        assert_eq!(failed.code, Some(1), "{args:?}");
        assert!(failed.stderr.contains(args[2]), "{}", failed.stderr);
    }
    assert_eq!(gdl(&["manage", "run", "cup.toml"]).code, Some(2));
}

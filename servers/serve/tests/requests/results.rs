//! Results of `gdl manage`, written by the manager itself, and the server's answers about them.

use super::{client::Client, fake};
use gdl_manage::{Manager, Plan, Schedule, Standings, Store};
use gdl_players::record::Record;
use gdl_runtime::Cancel;
use gdl_serve::{Shown, router};
use gdl_tools::error::Error;
use serde_json::{Value, json};
use std::{fs, path::PathBuf, thread};
use tempfile::TempDir;

/// A game that is not built in: both roles choose in each of two steps.
const RULES: &str = "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2)
    (legal a left) (legal a right) (legal b left) (legal b right)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2))) (goal a 100) (goal b 100)";

/// A folder with a schedule and its results.
struct Folder(TempDir);

impl Folder {
    fn new(schedule: &str) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        fs::write(folder.path("walk.kif"), RULES).expect("a rulesheet");
        fs::write(folder.path("cup.toml"), schedule).expect("a schedule");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn plan(&self) -> Plan {
        Plan::new(Schedule::open(&self.path("cup.toml")).expect("a schedule")).expect("a plan")
    }

    /// Plays all matches.
    fn play(&self) {
        let plan = self.plan();
        let store = Store::play(&self.path("cup.db"), &plan).expect("results");
        let sign =
            |record: &Record| serde_json::to_string(record).map_err(|error| Error::Output(error.into()));
        let played = Manager::new(&plan, store, &Cancel::default()).play(1, &sign, &|_| Ok(()));
        assert_eq!(played.expect("it is played"), plan.matches());
    }

    fn client(&self) -> Client {
        Client::of(&Shown { results: Some(&self.path("cup.db")), ..Shown::default() })
    }
}

/// A schedule of two games with local players: 3 repetitions of 2 seatings each.
const CUP: &str = "version = 1\ngames = [\"tictactoe\", \"./walk.kif\"]\nrepetitions = 3\n[players]\n\
    one = \"first\"\ntwo = \"random\"\n";

fn numbers(list: &Value) -> Vec<u64> {
    let matches = list["matches"].as_array().expect("matches");
    matches.iter().map(|listed| listed["number"].as_u64().expect("a number")).collect()
}

#[test]
fn standings_are_those_of_the_command() {
    let folder = Folder::new(CUP);
    folder.play();
    let client = folder.client();
    let expected = Standings::of(&Store::read(&folder.path("cup.db")).expect("results")).expect("standings");
    assert_eq!(client.get("/api/results/standings").body, expected.to_json());
    assert_eq!(
        client.get("/api/results").body,
        json!({ "schedule": "cup", "games": ["tictactoe", "walk"], "players": ["one", "two"] })
    );
}

#[test]
fn matches_are_listed_by_what_is_asked_for_and_where_the_last_list_ended() {
    let folder = Folder::new(&CUP.replace("repetitions = 3", "repetitions = 60"));
    let plan = folder.plan();
    drop(Store::play(&folder.path("cup.db"), &plan).expect("results"));
    let client = folder.client();
    let list = |query: &str| client.get(&format!("/api/results/matches{query}")).body;
    let first = list("");
    assert_eq!((numbers(&first), &first["more"]), ((1..=100).collect(), &json!(true)));
    let next = list("?after=100&after_state=planned");
    assert_eq!((numbers(&next), &next["more"]), ((101..=200).collect(), &json!(true)));
    let last = list("?after=200&state=planned");
    assert_eq!((numbers(&last), &last["more"]), ((201..=240).collect(), &json!(false)));
    assert!(numbers(&list("?after=240&after_state=planned")).is_empty());
    let games = list("?game=walk");
    assert!(games["matches"].as_array().expect("matches").iter().all(|listed| listed["game"] == "walk"));
    assert_eq!(numbers(&games).len(), 100);
    assert_eq!(numbers(&list("?player=two")).len(), 100);
    for none in ["?game=chess", "?player=three", "?state=done", "?state=running"] {
        assert!(numbers(&list(none)).is_empty(), "{none}");
    }
    // A match that was not played has no steps and no positions.
    let planned = client.get("/api/results/matches/7").body;
    assert_eq!(
        (&planned["state"], &planned["last"], &planned["steps"]),
        (&json!("planned"), &Value::Null, &json!([]))
    );
    assert_eq!(client.get("/api/results/matches/7/position?step=0").status, 404);
    for none in ["0", "241", "-1", "x", "99999999999999999999"] {
        assert_eq!(client.get(&format!("/api/results/matches/{none}")).body["code"], "no_match", "{none}");
    }
}

#[test]
fn what_is_done_comes_last_first_and_every_step_can_be_drawn() {
    let folder = Folder::new(CUP);
    folder.play();
    let client = folder.client();
    assert_eq!(numbers(&client.get("/api/results/matches").body), (1..=12).rev().collect::<Vec<u64>>());
    assert_eq!(
        numbers(&client.get("/api/results/matches?after=10&after_state=done").body),
        (1..=9).rev().collect::<Vec<u64>>()
    );
    let played = client.get("/api/results/matches/1").body;
    let steps = played["steps"].as_array().expect("steps");
    assert_eq!((&played["game"], &played["ending"]), (&json!("tictactoe"), &json!("terminal")));
    assert_eq!(played["last"], json!(steps.len() - 1));
    assert_eq!(played["seats"][0]["role"], "xplayer");
    assert!(played["seats"][1]["goal"].is_u64());
    let later = client.get("/api/results/matches/1?from=3").body;
    assert_eq!(later["steps"].as_array().expect("steps"), &steps[3..]);
    assert_eq!(client.get("/api/results/matches/1?from=4294967295").body["steps"], json!([]));
    let mut marks = 0;
    for (number, step) in steps.iter().enumerate() {
        let position = client.get(&format!("/api/results/matches/1/position?step={number}")).body;
        let board = &position["board"];
        let cells = board["cells"].as_array().expect("a board");
        let blank = |mark: &Value| board["marks"][mark.as_u64().expect("a place") as usize]["blank"] == true;
        let full = cells
            .iter()
            .filter(|cell| cell.as_array().is_some_and(|all| all.iter().any(|mark| !blank(mark))));
        assert_eq!(full.count(), number, "each step marks a cell");
        assert_eq!(position["cells"].as_array().map(Vec::len), Some(number.min(1)));
        assert_eq!(position["terminal"], number + 1 == steps.len());
        assert_eq!(position["turn"].as_array().map(Vec::len), Some(usize::from(number + 1 < steps.len())));
        assert_eq!(step["text"] == "", number == 0);
        assert!(!step["text"].as_str().expect("words").contains("noop"));
        marks += 1;
    }
    assert!(marks > 5);
    assert_eq!(client.get(&format!("/api/results/matches/1/position?step={}", steps.len())).status, 404);
    // A game that is not built in is opened from its rulesheet in the database.
    let walk = numbers(&client.get("/api/results/matches?game=walk").body)[0];
    let position = client.get(&format!("/api/results/matches/{walk}/position?step=1")).body;
    assert_eq!(position["turn"], json!(["a", "b"]));
    assert!(position["fluents"].to_string().contains("at") || position["board"].is_object(), "{position}");
}

#[test]
fn a_match_that_runs_grows_and_tells_its_errors() {
    let (address, let_go) = fake::nonsense();
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"./walk.kif\"]\nstart_clock = 600\nplay_clock = 600\nseats = \"fixed\"\n[players]\n\
         far = \"remote:{address}\"\nnear = \"first\"\n"
    ));
    drop(Store::play(&folder.path("cup.db"), &folder.plan()).expect("results"));
    let client = folder.client();
    let until = |holds: &dyn Fn(&Value) -> bool| {
        loop {
            let seen = client.get("/api/results/matches/1").body;
            if holds(&seen) {
                return seen;
            }
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        let playing = scope.spawn(|| folder.play());
        let running = until(&|seen| seen["last"] == 0);
        assert_eq!((&running["state"], &running["ended"]), (&json!("running"), &Value::Null));
        assert_eq!(numbers(&client.get("/api/results/matches?state=running").body), [1]);
        let_go.send(()).expect("it waits");
        let grown = until(&|seen| seen["last"] == 1);
        assert_eq!(grown["id"], running["id"]);
        let new = client.get("/api/results/matches/1?from=1").body;
        assert_eq!(new["steps"].as_array().map(Vec::len), Some(1));
        assert_eq!(new["steps"][0]["errors"], json!(["IL nonsense", ""]));
        assert_eq!(new["steps"][0]["moves"].as_array().map(Vec::len), Some(2));
        let_go.send(()).expect("it waits");
        let done = until(&|seen| seen["state"] == "done");
        assert_eq!((&done["seats"][0]["illegal"], &done["seats"][0]["goal"]), (&json!(2), &json!(100)));
        playing.join().expect("it is played");
    });
}

#[test]
fn where_no_results_are_shown_there_are_none() {
    let client = Client::new();
    for path in ["", "/standings", "/matches", "/matches/1", "/matches/1/position?step=0"] {
        let answer = client.get(&format!("/api/results{path}"));
        assert_eq!((answer.status, &answer.body["code"]), (404, &json!("no_results")), "{path}");
    }
    let link = |client: &Client| {
        client.get("/").body.as_str().is_some_and(|page| page.contains("href=\"#results\" hidden"))
    };
    assert!(link(&client));
    let folder = Folder::new(CUP);
    drop(Store::play(&folder.path("cup.db"), &folder.plan()).expect("results"));
    assert!(!link(&folder.client()));
    let foreign =
        folder.client().send("GET", "/api/results/standings", b"", &[("origin", "http://example.org")]);
    assert_eq!(foreign.status, 403);
}

#[test]
fn a_file_is_read_only_and_refused_where_it_has_no_results() {
    let folder = Folder::new(CUP);
    folder.play();
    let database = folder.path("cup.db");
    let bytes = || fs::read(&database).expect("a file");
    let before = bytes();
    let client = folder.client();
    for path in ["", "/standings", "/matches?player=one", "/matches/2", "/matches/2/position?step=2"] {
        assert_eq!(client.get(&format!("/api/results{path}")).status, 200, "{path}");
    }
    assert!(bytes() == before && !folder.path("cup.db.lock").exists());
    // Results that are removed or damaged later are reported.
    fs::remove_file(&database).expect("it is there");
    assert_eq!(client.get("/api/results/standings").body["code"], "unreadable");
    let refused = |bytes: Option<&[u8]>| {
        let other = folder.path("other.db");
        if let Some(bytes) = bytes {
            fs::write(&other, bytes).expect("a file");
        }
        router(&Shown { results: Some(&other), ..Shown::default() }, 7).expect_err("refused").to_string()
    };
    assert!(refused(None).contains("there is no such file"));
    assert!(refused(Some(b"a text")).contains("no results of `gdl manage`"));
    let mut newer = before.clone();
    newer[63] = 9;
    assert!(refused(Some(&newer)).contains("version 9"));
    assert!(!refused(Some(&before[..5000])).is_empty());
}

/// Changes a file of results by SQL, as another program may.
fn change(folder: &Folder, sql: &str) {
    let database = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
    database.execute_batch(sql).expect("a change");
    database.close().expect("it is closed");
}

#[test]
fn texts_of_others_are_not_told_a_hundred_times() {
    let folder = Folder::new(&CUP.replace("repetitions = 3", "repetitions = 60"));
    drop(Store::play(&folder.path("cup.db"), &folder.plan()).expect("results"));
    let client = folder.client();
    let name = |bytes: usize| {
        change(&folder, &format!("UPDATE games SET name = printf('%.*c', {bytes}, 'a') WHERE number = 0"));
    };
    // A list stops where names exceed its bytes, and the next list continues there.
    name(100_000);
    let list = client.get("/api/results/matches?state=planned").body;
    assert_eq!((numbers(&list), &list["more"]), ((1..=20).collect(), &json!(true)));
    let list = client.get("/api/results/matches?state=planned&after=20").body;
    assert_eq!(numbers(&list)[0], 21);
    for bytes in [2_000_000, 20_000_000] {
        name(bytes);
        for path in ["", "/matches", "/matches/1"] {
            let answer = client.get(&format!("/api/results{path}"));
            assert_eq!((answer.status, &answer.body["code"]), (409, &json!("unreadable")), "{bytes} {path}");
            assert!(answer.body.to_string().len() < 1000);
        }
        // Results of the other game can still be read.
        assert_eq!(client.get("/api/results/standings").status, 200);
        assert_eq!(numbers(&client.get("/api/results/matches?game=walk").body).len(), 100);
    }
}

#[test]
fn what_others_may_have_written_is_refused_before_it_takes_much() {
    let folder = Folder::new(CUP);
    folder.play();
    let before = fs::read(folder.path("cup.db")).expect("a file");
    let client = folder.client();
    let long = "printf('%.*c', 20000000, 'a')";
    let list = "'[' || replace(printf('%.*c', 2000000, 'a'), 'a', '\"\",') || '\"\"]'";
    let many = |most: usize, what: &str| {
        format!(
            "WITH RECURSIVE n(x) AS (SELECT 1000 UNION ALL SELECT x + 1 FROM n LIMIT {most}) {what} FROM n"
        )
    };
    for (sql, paths) in [
        (format!("UPDATE players SET name = {long} WHERE number = 0"), &["", "/standings", "/matches"][..]),
        (format!("UPDATE meta SET value = {long} WHERE key = 'name'"), &["", "/standings"]),
        (format!("UPDATE matches SET id = {long} WHERE number = 1"), &["/matches", "/matches/1"]),
        (format!("UPDATE games SET roles = {long} WHERE number = 0"), &["/matches", "/matches/1"]),
        (format!("UPDATE games SET roles = {list} WHERE number = 0"), &["/matches", "/matches/1"]),
        (format!("UPDATE games SET rulesheet = {long} WHERE number = 0"), &["/matches/1/position?step=1"]),
        (
            format!("UPDATE steps SET state = {long} WHERE match = 1 AND step = 1"),
            &["/matches/1/position?step=1"],
        ),
        (many(300, "INSERT INTO players SELECT x, x, ''"), &["", "/standings"]),
        (many(2000, "INSERT INTO games SELECT x, x, '', '', '[]'"), &[""]),
        (many(20_000, "INSERT INTO seats (match, role, player) SELECT 1, x, 0"), &["/matches", "/matches/1"]),
        (many(2000, "INSERT INTO seats (match, role, player) SELECT 1, x, 0"), &["/standings"]),
    ] {
        fs::write(folder.path("cup.db"), &before).expect("a file");
        change(&folder, &sql);
        for path in paths {
            let answer = client.get(&format!("/api/results{path}"));
            assert_eq!((answer.status, &answer.body["code"]), (409, &json!("unreadable")), "{sql} {path}");
        }
    }
    // A step that is too long is left out, with all steps after it.
    fs::write(folder.path("cup.db"), &before).expect("a file");
    change(&folder, &format!("UPDATE steps SET errors = {list} WHERE match = 1 AND step = 1"));
    let answer = client.get("/api/results/matches/1");
    assert!(answer.status == 200 && answer.body.to_string().len() < 2_000_000, "{}", answer.status);
    // If only the state is too long, the step is listed without it.
    fs::write(folder.path("cup.db"), &before).expect("a file");
    change(&folder, &format!("UPDATE steps SET state = {long} WHERE match = 1 AND step = 1"));
    let steps = client.get("/api/results/matches/1").body["steps"].clone();
    assert!(steps[0]["state"].is_string() && steps[1]["state"].is_null(), "{steps}");
    assert!(steps[1]["moves"].is_array());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_results_keeps_no_turn() {
    let folder = Folder::new(CUP);
    folder.play();
    let client = folder.client();
    let [database, kept] = ["cup.db", "kept.db"].map(|name| folder.path(name));
    fs::rename(&database, &kept).expect("a file");
    let pipe = |path: &PathBuf| {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo");
        assert!(made.success());
    };
    pipe(&database);
    // The requests outnumber the turns of the queue, so none may hold its turn.
    for _ in 0..5 {
        let answer = client.get("/api/results");
        assert_eq!(answer.body["code"], "unreadable");
        assert!(answer.body["message"].as_str().is_some_and(|why| why.contains("is not a regular file")));
    }
    fs::remove_file(&database).expect("a pipe");
    fs::rename(&kept, &database).expect("a file");
    for beside in ["cup.db-journal", "cup.db-wal"] {
        // An earlier reader may have left its log there.
        let _ = fs::remove_file(folder.path(beside));
        pipe(&folder.path(beside));
        assert_eq!(client.get("/api/results").body["code"], "unreadable", "{beside}");
        fs::remove_file(folder.path(beside)).expect("a pipe");
    }
    assert_eq!(client.get("/api/results").status, 200);
}

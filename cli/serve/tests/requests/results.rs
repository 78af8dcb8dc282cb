//! Results of `gdl manage`, written by the manager itself, and what a server tells of them.

use super::{client::Client, fake};
use gdl_manage::{Manager, Plan, Schedule, Standings, Store};
use gdl_runtime::{Cancel, record::Record};
use gdl_serve::{Shown, router};
use gdl_tools::error::Error;
use serde_json::{Value, json};
use std::{fs, path::PathBuf, thread};
use tempfile::TempDir;

/// A game that is not built in: both choose in two steps.
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

/// Two games of players of this program: 3 repetitions of 2 seatings each.
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
    // A match that was not played has no steps, and no position.
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
    // A game of the database alone is opened from its rulesheet there.
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
    let lock = folder.path("cup.db.lock");
    fs::remove_file(&lock).expect("the manager's lock");
    let client = folder.client();
    for path in ["", "/standings", "/matches?player=one", "/matches/2", "/matches/2/position?step=2"] {
        assert_eq!(client.get(&format!("/api/results{path}")).status, 200, "{path}");
    }
    assert!(bytes() == before && !lock.exists());
    // What is gone or spoilt later is told.
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

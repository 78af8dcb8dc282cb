//! Tests that play schedules to their end, with correct and faulty remote players, and check the
//! resulting database.

mod awkward;
#[path = "../../../network/tests/matches/fake.rs"]
mod fake;
mod files;
mod resuming;

use gdl_manage::{Done, Manager, Plan, Schedule, Standings, Store};
use gdl_network::{Host, serve};
use gdl_players::{player::Random, record::Record};
use gdl_runtime::{Cancel, load};
use gdl_tools::error::{Error, Result};
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    sync::Mutex,
    thread,
};
use tempfile::TempDir;

/// A game of two steps in which both roles choose; more steps to the right win.
const RULES: &str = "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2)
    (legal a left) (legal a right) (legal b left) (legal b right)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))
    (<= (next (ahead ?r)) (does ?r right) (other ?r ?s) (does ?s left))
    (other a b) (other b a)
    (<= (goal ?r 100) (true (ahead ?r))) (<= (goal ?r 0) (other ?r ?s) (true (ahead ?s)))
    (<= (goal ?r 50) (role ?r) (not (true (ahead a))) (not (true (ahead b))))";

/// A temporary folder with a schedule, the rulesheet `RULES` and a file of results.
struct Folder(TempDir);

impl Folder {
    fn new(schedule: &str) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        fs::write(folder.path("walk.kif"), RULES).expect("a rulesheet");
        folder.write(schedule);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, schedule: &str) {
        fs::write(self.path("cup.toml"), schedule).expect("a schedule");
    }

    fn plan(&self) -> Plan {
        let schedule = Schedule::open(&self.path("cup.toml")).unwrap_or_else(|error| panic!("{error}"));
        Plan::new(schedule).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Plays the unfinished matches, and returns them.
    fn play(&self, threads: usize) -> Vec<Done> {
        let done = Mutex::new(Vec::new());
        let tell = |played: &Done| {
            done.lock().expect("it is whole").push(played.clone());
            Ok(())
        };
        self.play_until(threads, &Cancel::default(), &tell).unwrap_or_else(|error| panic!("{error}"));
        done.into_inner().expect("it is whole")
    }

    fn play_until(
        &self,
        threads: usize,
        cancel: &Cancel,
        tell: &(dyn Fn(&Done) -> Result + Sync),
    ) -> Result<u64> {
        let plan = self.plan();
        let store = Store::play(&self.path("cup.db"), &plan)?;
        let sign =
            |record: &Record| serde_json::to_string(record).map_err(|error| Error::Output(error.into()));
        Manager::new(&plan, store, cancel).play(threads, &sign, tell)
    }

    fn standings(&self) -> Standings {
        Standings::of(&Store::read(&self.path("cup.db")).expect("results")).expect("standings")
    }

    /// Returns the records of the finished matches, after replaying each.
    fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        let store = Store::read(&self.path("cup.db")).expect("results");
        let take = |number: u64, name: &str, text: &str| {
            let record: Record = serde_json::from_str(text).expect("a record");
            let rules = match name {
                "walk" => RULES,
                built_in => gdl_games::find(built_in).expect("a built-in game").text,
            };
            record.replay(&load(rules).expect("a game")).expect("what was played");
            assert!(record.is_completed && record.match_id.starts_with(&format!("cup.{number}.")));
            records.push(record);
            Ok(())
        };
        store.records(take).expect("records");
        records
    }
}

/// Serves a remote player that draws its moves.
fn host() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let host = Host::new("gdl", |seed| Some(Box::new(Random::new().seed(seed)))).without_pondering();
    thread::spawn(move || serve(listener, host));
    address
}

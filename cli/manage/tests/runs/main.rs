//! Schedules played to their end, with players elsewhere that behave and that do not, and what is left of it in the database.

mod awkward;
mod files;
mod resuming;

use gdl_manage::{Done, Manager, Plan, Schedule, Standings, Store};
use gdl_network::{Host, serve};
use gdl_runtime::{Cancel, load, player::Random, record::Record};
use gdl_tools::error::{Error, Result};
use std::{
    fs,
    io::{Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex},
    thread,
};
use tempfile::TempDir;

/// Two steps in which both choose; the greater sum of steps to the right wins.
const RULES: &str = "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2)
    (legal a left) (legal a right) (legal b left) (legal b right)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))
    (<= (next (ahead ?r)) (does ?r right) (other ?r ?s) (does ?s left))
    (other a b) (other b a)
    (<= (goal ?r 100) (true (ahead ?r))) (<= (goal ?r 0) (other ?r ?s) (true (ahead ?s)))
    (<= (goal ?r 50) (role ?r) (not (true (ahead a))) (not (true (ahead b))))";

/// A folder with a schedule, the rulesheet that is `RULES`, and room for results.
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

    /// Plays what is missing, and gives what was played.
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

    /// The records of what is done, each replayed.
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

/// What a fake player heard.
type Heard = Arc<Mutex<Vec<String>>>;

/// A player that answers each request with these bytes and closes the connection, or leaves it open.
fn fake(closes: bool, mut answer: impl FnMut(&str) -> Vec<u8> + Send + 'static) -> (SocketAddr, Heard) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let heard = Heard::default();
    let log = Arc::clone(&heard);
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let message = read(&mut stream);
            log.lock().expect("it is whole").push(message.clone());
            let _ = stream.write_all(&answer(&message));
            if !closes {
                open.push(stream);
            }
        }
    });
    (address, heard)
}

/// The body of a request.
fn read(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut byte = [0];
    while let Ok(1) = stream.read(&mut byte) {
        text.push(char::from(byte[0]));
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if length.and_then(|length| length.parse().ok()).is_none_or(|length| body.len() >= length) {
                return body.to_owned();
            }
        }
    }
    text
}

/// An answer as players give it.
fn whole(body: &str) -> Vec<u8> {
    format!("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// What a player that behaves says to all but a PLAY.
fn polite(message: &str, action: &str) -> Vec<u8> {
    whole(match message.split(' ').nth(1) {
        Some("START") => "ready",
        Some("STOP") => "done",
        Some("ABORT") => "aborted",
        _ => action,
    })
}

/// A player of ours that draws its moves, elsewhere.
fn host() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let host = Host::new("gdl", |seed| Some(Box::new(Random::new().seed(seed)))).without_pondering();
    thread::spawn(move || serve(listener, host));
    address
}

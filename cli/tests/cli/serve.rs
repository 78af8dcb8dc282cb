//! `gdl serve` over its socket: its answers agree with the other commands.

use super::{command, file, gdl, json};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Stdio},
};

/// A process of `gdl serve`, started as a user does.
struct Server {
    process: Child,
    address: String,
    /// The server's output, open until the drop; closing it would end the server.
    _out: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Self {
        let mut process = command(&["serve"]).stdout(Stdio::piped()).spawn().expect("gdl starts");
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it prints its address");
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        Self { process, address: address.expect("an address").to_owned(), _out: out }
    }

    /// Sends a request and returns the JSON of the response.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("the server listens");
        let (host, body) = (&self.address, body.to_string());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the answer is text");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{method} {path}: {error}: {answer}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const FAULTY: &str = "(role x)\n(init (cell 1))\n(<= (legal x (go ?n)) (true (cell ?m)))\n(goal x 100)\n";

#[test]
fn a_rulesheet_is_judged_as_gdl_check_does() {
    let verdict = Server::start().ask("POST", "/api/check", &serde_json::json!({ "text": FAULTY }));
    let run = gdl(&["check", "--json", &file("serve_faulty.kif", FAULTY)]);
    let checked: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let bare = |list: &Value| -> Vec<Value> {
        let mut list = list.as_array().expect("a list").clone();
        for diagnostic in &mut list {
            let labels = diagnostic["labels"].as_array_mut().expect("labels");
            labels.iter_mut().for_each(|label| label["file"] = Value::Null);
            diagnostic["file"] = Value::Null;
        }
        list
    };
    assert_eq!(bare(&verdict["diagnostics"]), bare(&checked["diagnostics"]));
}

#[test]
fn an_analysis_is_that_of_the_command() {
    let server = Server::start();
    let view = server.ask("POST", "/api/sessions", &serde_json::json!({ "game": "nim" }));
    let path = format!("/api/sessions/{}/analysis?games=50&seed=3", view["id"].as_str().expect("an id"));
    let analysis = server.ask("GET", &path, &Value::Null);
    let command = json(&["analyze", "nim", "--count", "50", "--seed", "3", "--json"]);
    assert_eq!(analysis["figures"], command);
}

#[test]
fn guests_are_told_where_to_come_in() {
    let mut process =
        command(&["serve", "--lan=127.0.0.1"]).stdout(Stdio::piped()).spawn().expect("gdl starts");
    let out = BufReader::new(process.stdout.take().expect("its stdout"));
    let lines: Vec<String> = out.lines().take(3).map(|line| line.expect("text")).collect();
    let _ = (process.kill(), process.wait());
    assert!(lines[0].starts_with("http://127.0.0.1:") && lines[0].ends_with('/'), "{lines:?}");
    assert!(lines[1].starts_with("guests join at http://127.0.0.1:"), "{lines:?}");
    assert!(lines[2].contains("nothing is encrypted"), "{lines:?}");
    // A multicast address belongs to no machine.
    let refused = gdl(&["serve", "--lan=224.0.0.1"]);
    assert!(refused.stderr.contains("this machine has no address on a network"), "{}", refused.stderr);
    let refused = gdl(&["serve", "--lan=home"]);
    assert!(refused.stderr.contains("invalid value"), "{}", refused.stderr);
}

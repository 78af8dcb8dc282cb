//! Tests of conversations with the server over a pipe, as with an editor.

#![expect(clippy::needless_pass_by_value, reason = "`json!` makes values, and none is used twice")]

mod features;
mod robustness;
mod values;

use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write},
    thread::{self, JoinHandle},
};

const URI: &str = "file:///game.kif";

/// A game without errors.
const GAME: &str = "\
; A pile of sticks.
(role white)
(role black)
(init (pile 2))
(init (control white))

; A move takes away.
; One stick or two.
(minus 2 1 1)
(minus 2 2 0)
(minus 1 1 0)
(<= (legal ?r (take ?n))
    (true (control ?r))
    (true (pile ?p))
    (minus ?p ?n ?_q))
(<= (legal ?r noop)
    (role ?r)
    (not (true (control ?r))))
(<= (next (pile ?q))
    (true (pile ?p))
    (does ?_r (take ?n))
    (minus ?p ?n ?q))
(<= (next (control white))
    (true (control black)))
(<= (next (control black))
    (true (control white)))
(<= (goal ?r 0)
    (role ?r)
    (true (control ?r)))
(<= (goal ?r 100)
    (role ?r)
    (not (true (control ?r))))
(<= terminal
    (true (pile 0)))
";

/// A simulated editor.
struct Client {
    output: Option<PipeWriter>,
    input: BufReader<PipeReader>,
    server: JoinHandle<io::Result<bool>>,
    requests: i32,
}

impl Client {
    /// Starts a server and a client that has sent nothing.
    fn silent() -> Self {
        let (from_client, output) = io::pipe().unwrap();
        let (input, to_client) = io::pipe().unwrap();
        let server = thread::spawn(|| gdl_language_server::serve(from_client, to_client));
        Self { output: Some(output), input: BufReader::new(input), server, requests: 0 }
    }

    /// Starts a client that has sent `initialize`.
    fn new() -> Self {
        let mut client = Self::silent();
        let item = json!({ "snippetSupport": true });
        let capabilities = json!({ "textDocument": { "completion": { "completionItem": item } } });
        client.ask("initialize", json!({ "capabilities": capabilities }));
        client.tell("initialized", json!({}));
        client
    }

    /// Starts a client that has opened a text. Returns it with the first diagnostics.
    fn open(text: &str) -> (Self, Value) {
        let mut client = Self::new();
        let document = json!({ "uri": URI, "languageId": "gdl", "version": 1, "text": text });
        client.tell("textDocument/didOpen", json!({ "textDocument": document }));
        let published = client.published();
        (client, published)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.output.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a new version of the text.
    fn change(&mut self, version: i32, text: &str) {
        let document = json!({ "uri": URI, "version": version });
        let changes = json!([{ "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.input.read_line(&mut line).unwrap() > 0, "the server has gone");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ => break,
            }
        }
        let mut body = vec![0; length];
        self.input.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    /// Receives the next diagnostics.
    fn published(&mut self) -> Value {
        let message = self.receive();
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        message["params"].clone()
    }

    /// Sends a request and returns the whole answer; earlier diagnostics are skipped.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        }
    }

    /// Sends a request and returns its result.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Sends a request for a position and returns its result.
    fn at(&mut self, method: &str, (line, character): (u32, u32)) -> Value {
        self.ask(method, at(line, character))
    }

    /// Ends the conversation, and returns whether the server ended successfully.
    fn end(mut self) -> bool {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.join().unwrap().unwrap()
    }
}

fn at(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } })
}

/// Formats a range as `first line:column-last line:column`.
fn place(range: &Value) -> String {
    let [start, end] =
        ["start", "end"].map(|end| format!("{}:{}", range[end]["line"], range[end]["character"]));
    format!("{start}-{end}")
}

/// Returns the ranges of the items of a list.
fn places(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| place(&item["range"])).collect()
}

//! Games in the Game Description Language for web pages and Node.js: one function of strings over a
//! C interface.
//!
//! The caller writes a [`request`] as JSON to the place that [`gdl_reserve`] returns and
//! calls [`gdl_answer`]. The answer is JSON too: `{"ok": ..}` or `{"error": {"message": ..}}`. The
//! package in `web/package` wraps this with types; one worker answers one request at a time, and
//! its owner cancels a request by ending the worker.
//!
//! The module needs no files or threads. A panic or a lack of memory ends the instance, and the
//! package makes a new one.

pub mod request;
mod rules;
mod table;

use gdl_language_server::Conversation;
use request::{Failure, Request};
use serde_json::{Value, json};
use std::cell::RefCell;
use table::Table;

/// The state of the module: the loaded games and the language server.
#[derive(Debug, Default)]
pub struct Module {
    table: Table,
    server: Conversation,
}

impl Module {
    /// Answers a request; request and answer are JSON.
    pub fn answer(&mut self, request: &str) -> String {
        let read = serde_json::from_str(request).map_err(|error| Failure::new(error.to_string()));
        let answer = match read.and_then(|request| self.run(request)) {
            Ok(value) => json!({ "ok": value }),
            Err(Failure { message, diagnostics }) => {
                json!({ "error": { "message": message, "diagnostics": diagnostics } })
            }
        };
        answer.to_string()
    }

    fn run(&mut self, request: Request) -> Result<Value, Failure> {
        Ok(match request {
            Request::List {} => rules::list(),
            Request::Rulesheet { name } => json!(rules::built_in(&name)?.text),
            Request::Check { text, patient } => rules::check(&text, patient),
            Request::Format { text } => json!(rules::format(&text)?),
            Request::Convert { text, to } => rules::convert(&text, to)?,
            Request::Fix { text, guess } => rules::fix(&text, guess),
            Request::Explain { code } => rules::explain(code.as_deref())?,
            Request::Load(load) => self.table.load(load)?,
            Request::Unload { game } => json!(self.table.unload(game)),
            Request::Position { game, state } => self.table.game(game)?.position(state.as_deref())?,
            Request::Apply { game, state, moves } => self.table.game(game)?.apply(&state, &moves)?,
            Request::Walk { game, state, seed, steps } => {
                self.table.game(game)?.walk(state.as_deref(), seed, steps)?
            }
            Request::Scene { game, state, before } => {
                self.table.game(game)?.scene(&state, before.as_ref())?
            }
            Request::Illegal { game, state, role, find, cell } => {
                self.table.game(game)?.illegal(&state, &role, &find, cell)?
            }
            Request::Why(question) => self.table.game(question.game)?.why(&question)?,
            Request::Playouts { game, count, seconds, seed, engine, part } => {
                self.table.game(game)?.playouts(count, seconds, seed, engine, part)?
            }
            Request::Merge { game, seed, engine, seconds, tallies } => {
                self.table.game(game)?.merge(seed, engine, seconds, &tallies)?
            }
            Request::Perft { game, state, depth } => self.table.game(game)?.perft(state.as_deref(), depth)?,
            Request::Choose(turn) => self.table.game(turn.game)?.choose(&turn)?,
            Request::Edit { message: Some(message) } => self.server.answer(message).into(),
            Request::Edit { message: None } => self.server.work().into(),
        })
    }
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
    /// The buffer for a request, and then for its answer.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Returns the address for a request of `length` bytes, valid until the next call.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the name is exported")]
pub extern "C" fn gdl_reserve(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        *buffer = vec![0; length];
        buffer.as_mut_ptr()
    })
}

/// Answers the request that was written to the reserved address. Returns the length of the answer,
/// which [`gdl_text`] points to.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the name is exported")]
pub extern "C" fn gdl_answer() -> usize {
    let request = BUFFER.take();
    let answer = MODULE.with_borrow_mut(|module| module.answer(&String::from_utf8_lossy(&request)));
    let length = answer.len();
    BUFFER.set(answer.into_bytes());
    length
}

/// Returns the address of the last answer, valid until the next call.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the name is exported")]
pub extern "C" fn gdl_text() -> *const u8 {
    BUFFER.with_borrow(Vec::as_ptr)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(module: &mut Module, request: &Value) -> Value {
        serde_json::from_str(&module.answer(&request.to_string())).expect("an answer is JSON")
    }

    #[test]
    fn parts_of_random_games_add_up() {
        let mut module = Module::default();
        let game = ask(&mut module, &json!({ "ask": "load", "name": "tictactoe" }))["ok"]["game"].clone();
        for (engine, count) in [("Single", 3_000), ("TableLanes", 200_000)] {
            let mut playouts = |part: Option<[u64; 2]>| {
                let request = json!({
                    "ask": "playouts", "game": game, "count": count, "seed": 3, "engine": engine, "part": part,
                });
                ask(&mut module, &request)
            };
            let whole = playouts(None)["ok"].clone();
            let tallies = [1, 2, 3].map(|part| playouts(Some([part, 3]))["ok"]["tally"].clone());
            for part in [0, 4] {
                let refused = playouts(Some([part, 3]));
                assert_eq!(refused["error"]["message"], format!("there is no part {part} of 3"));
            }
            assert_eq!(whole["tally"]["playouts"], count);
            assert!(tallies.iter().all(|tally| tally["playouts"] != count));
            let request = json!({
                "ask": "merge", "game": game, "seed": 3, "engine": engine, "seconds": 0.5, "tallies": tallies,
            });
            let merged = ask(&mut module, &request)["ok"].clone();
            for field in ["tally", "goals", "engine", "roles", "seed"] {
                assert_eq!(merged[field], whole[field], "{engine}: {field}");
            }
            assert_eq!((&merged["threads"], &merged["seconds"]), (&json!(3), &json!(0.5)));
        }
    }
}

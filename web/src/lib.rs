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
use request::{Device, Engine, Failure, Request};
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
            Err(Failure { message, diagnostics, code }) => {
                json!({ "error": { "message": message, "diagnostics": diagnostics, "code": code } })
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
            Request::Playouts { game, count, seconds, seed, engine, device, part } => {
                let loaded = self.table.game(game)?;
                match (engine, device) {
                    (Some(Engine::Gpu), Some(Device::Emulate)) => loaded.emulate(count, seconds, seed)?,
                    (Some(Engine::Gpu), None) => {
                        return Err(Failure::new(
                            "the module has no graphics card: give the device `emulate`",
                        ));
                    }
                    (_, Some(_)) => {
                        return Err(Failure::new("`device` is for graphics cards: give the engine `gpu`"));
                    }
                    (None, None) => loaded.playouts(count, seconds, seed, None, part)?,
                    (Some(Engine::Processor(mode)), None) => {
                        loaded.playouts(count, seconds, seed, Some(mode), part)?
                    }
                }
            }
            Request::Shader { game, count, seconds, seed } => {
                self.table.game_mut(game)?.start(count, seconds, seed)?
            }
            Request::Count { game, sums, seconds } => self.table.game_mut(game)?.count(&sums, seconds)?,
            Request::Played { game, device, seconds, prepare_seconds } => {
                self.table.game(game)?.played(&device, seconds, prepare_seconds)?
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

    /// The dispatches of a card are counted only as the module described them.
    #[test]
    fn dispatches_are_checked() {
        let mut module = Module::default();
        let game = ask(&mut module, &json!({ "ask": "load", "name": "tictactoe" }))["ok"]["game"].clone();
        let played = json!({ "ask": "played", "game": game, "device": "a card", "seconds": 0.5, "prepare_seconds": 0 });
        assert_eq!(ask(&mut module, &played)["error"]["message"], "no card has played this game");
        let mut count = |sums: &[u64]| {
            ask(&mut module, &json!({ "ask": "count", "game": game, "sums": sums, "seconds": 1 }))
        };
        assert!(count(&[0; 10])["error"].is_object());
        let start = json!({ "ask": "shader", "game": game, "count": 100, "seed": 9 });
        let dispatch = ask(&mut module, &start)["ok"]["dispatch"].clone();
        assert_eq!((&dispatch["groups"], &dispatch["words"][6]), (&json!(1), &json!(100)));
        let rows = dispatch["rows"].as_u64().expect("a number") as usize;
        let mut count = |sums: &[u64]| {
            ask(&mut module, &json!({ "ask": "count", "game": game, "sums": sums, "seconds": 1 }))
        };
        assert!(count(&vec![0; rows + 1])["error"].is_object());
        // All games are stuck at the first state.
        let mut sums = vec![0; rows];
        sums[3] = 100;
        assert_eq!(count(&sums), json!({ "ok": { "dispatch": null } }));
        assert!(count(&sums)["error"].is_object());
        let stats = ask(&mut module, &played)["ok"].clone();
        assert_eq!((&stats["tally"]["playouts"], &stats["tally"]["stuck"]), (&json!(100), &json!(100)));
        assert_eq!(
            (&stats["seed"], &stats["device"], &stats["goals"]),
            (&json!(9), &json!("a card"), &json!([null, null]))
        );
        assert_eq!(stats["playouts_per_second"], 200.0);
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

//! Tests of conversations without a stream and threads, as in WebAssembly.

use crate::{GAME, URI, places};
use gdl_language_server::Conversation;
use serde_json::{Value, json};

fn opened(text: &str) -> Conversation {
    let mut server = Conversation::new();
    let answers = server.answer(json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
    assert_eq!(answers[0]["result"]["capabilities"]["hoverProvider"], true);
    let document = json!({ "uri": URI, "languageId": "gdl", "version": 1, "text": text });
    assert!(tell(&mut server, "didOpen", json!({ "textDocument": document })).is_empty());
    server
}

fn tell(server: &mut Conversation, method: &str, params: Value) -> Vec<Value> {
    server.answer(json!({ "method": format!("textDocument/{method}"), "params": params }))
}

#[test]
fn work_is_done_a_piece_at_a_time() {
    // The first diagnostic comes from parsing, the second from grounding.
    let mut server = opened(&format!("{GAME}(helper 1)\n(<= (next (trail ?x)) (does ?_r (take ?x)))\n"));
    let [first] = &server.work()[..] else { panic!("one notification") };
    assert_eq!((&first["jsonrpc"], &first["params"]["version"]), (&json!("2.0"), &json!(1)));
    let codes = |message: &Value| -> Vec<Value> {
        let list = message["params"]["diagnostics"].as_array().unwrap();
        list.iter().map(|found| found["code"].clone()).collect()
    };
    assert!(codes(first).contains(&json!("GDL102")) && !codes(first).contains(&json!("GDL111")), "{first}");
    let [second] = &server.work()[..] else { panic!("one notification") };
    assert!(codes(second).contains(&json!("GDL111")), "{second}");
    assert!(server.work().is_empty());
}

#[test]
fn a_change_cancels_the_work_that_waits() {
    let mut server = opened(&format!("{GAME}(<= (next (trail ?x)) (does ?_r (take ?x)))\n"));
    assert_eq!(server.work().len(), 1);
    let text = GAME.replace("(role ?r)\n    (not", "(rolle ?r)\n    (not");
    let (document, changes) = (json!({ "uri": URI, "version": 2 }), json!([{ "text": text }]));
    tell(&mut server, "didChange", json!({ "textDocument": document, "contentChanges": changes }));
    let [published] = &server.work()[..] else { panic!("one notification") };
    assert_eq!(published["params"]["version"], 2);
    assert_eq!(places(&published["params"]["diagnostics"]), ["16:5-16:10"]);
    // Grounding reports the consequences of the unknown name, and nothing about the first text.
    let [settled] = &server.work()[..] else { panic!("one notification") };
    assert_eq!(settled["params"]["version"], 2);
    assert!(server.work().is_empty());
}

#[test]
fn messages_without_meaning_are_answered() {
    let mut server = Conversation::new();
    assert_eq!(server.answer(json!([]))[0]["error"]["code"], -32600);
    assert_eq!(server.answer(json!({ "id": 7, "method": "shutdown" }))[0]["error"]["code"], -32002);
    assert!(server.answer(json!({ "method": "exit" })).is_empty());
    assert!(server.work().is_empty());
}

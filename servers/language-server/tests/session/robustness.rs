//! Robustness: whatever a client sends, only `exit` and the end of the client's stream end the
//! server.

use super::{Client, GAME, URI, at, places};
use serde_json::{Value, json};

#[test]
fn a_session_ends_well_after_shutdown() {
    let (client, published) = Client::open(GAME);
    assert_eq!(published, json!({ "uri": URI, "version": 1, "diagnostics": [] }));
    assert!(client.end());

    let mut client = Client::new();
    client.tell("exit", Value::Null);
    assert!(!client.server.join().unwrap().unwrap());

    let mut client = Client::new();
    client.output = None;
    assert!(!client.server.join().unwrap().unwrap());
}

#[test]
fn requests_out_of_turn_are_refused() {
    let mut client = Client::silent();
    assert_eq!(client.answer("textDocument/hover", at(0, 0))["error"]["code"], -32002);
    let found = client.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(found["capabilities"]["textDocumentSync"], 1);
    assert_eq!(client.answer("initialize", json!({ "capabilities": {} }))["error"]["code"], -32600);
    assert_eq!(client.answer("textDocument/hover", at(0, 0))["error"]["code"], -32602);
    assert_eq!(client.answer("textDocument/hover", json!({ "position": 3 }))["error"]["code"], -32602);
    assert_eq!(client.answer("workspace/noSuchThing", json!([1]))["error"]["code"], -32601);
    client.ask("shutdown", Value::Null);
    assert_eq!(client.answer("textDocument/hover", at(0, 0))["error"]["code"], -32600);
    client.tell("exit", Value::Null);
    assert!(client.server.join().unwrap().unwrap());
}

#[test]
fn what_is_no_message_is_answered_and_passed_over() {
    let mut client = Client::new();
    for (bytes, code) in [
        (&b"Content-Length: 9\r\n\r\n{not json"[..], -32700),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", -32700),
        (b"Content-Length: 4\r\n\r\nnull", -32600),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: many\r\n\r\n", -32600),
        (b"\r\n", -32600),
        (b"no header\r\nContent-Type: text\r\n\r\n", -32600),
    ] {
        client.write(bytes);
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{bytes:?}");
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": 77 }));
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(77), &json!(-32600)));
    // The message is nested more deeply than the parser allows.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    client.write(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    assert_eq!(client.receive()["error"]["code"], -32700);
    // The message exceeds the size limit.
    let huge = vec![b' '; (16 << 20) + 1];
    client.write(format!("Content-Length: {}\r\n\r\n", huge.len()).as_bytes());
    client.write(&huge);
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.tell("textDocument/didOpen", json!({ "textDocument": 5 }));
    client.tell("textDocument/didChange", json!([]));
    client.change(3, "(role never_opened)");
    client.tell("$/unknown", json!({}));
    client.send(&json!({ "jsonrpc": "2.0", "id": 78, "result": null }));
    assert!(client.end());
}

#[test]
fn places_out_of_range_are_those_at_the_end() {
    let (mut client, _) = Client::open(GAME);
    let ask =
        ["hover", "definition", "references", "documentHighlight", "completion", "rename", "codeAction"];
    for (line, character) in [(0, 4_000_000_000_u32), (4_000_000_000, 0), (u32::MAX, u32::MAX), (5, 1)] {
        for method in ask {
            let mut params = at(line, character);
            params["context"] = json!({ "includeDeclaration": true, "diagnostics": [] });
            params["newName"] = json!("x");
            params["range"] = json!({ "start": params["position"], "end": { "line": 0, "character": 0 } });
            client.answer(&format!("textDocument/{method}"), params);
        }
    }
    let answer = client.answer(
        "textDocument/hover",
        json!({ "textDocument": { "uri": URI }, "position": { "line": -1, "character": 0 } }),
    );
    assert_eq!(answer["error"]["code"], -32602);
    assert!(client.end());
}

#[test]
fn large_texts_meet_limits() {
    let (mut client, published) = Client::open(&"(a)\n".repeat(300_000));
    assert_eq!(published["diagnostics"][0]["code"], "GDLM5");
    let nested = format!("(init {}0{})", "(f ".repeat(2_000), ")".repeat(2_000));
    client.change(2, &nested);
    assert_eq!(client.published()["diagnostics"][0]["code"], "GDL135");
    client.change(3, &format!("(role {})\n{}", "é".repeat(100_000), "(a ".repeat(100_000)));
    assert!(!client.published()["diagnostics"].as_array().unwrap().is_empty());
    assert!(!client.ask("textDocument/completion", at(1, 300_000))["items"].as_array().unwrap().is_empty());
    // One line has many places of one name.
    client.change(4, &"(p b)".repeat(50_000));
    client.published();
    let mut params = at(0, 1);
    params["context"] = json!({ "includeDeclaration": true });
    assert_eq!(client.ask("textDocument/references", params).as_array().unwrap().len(), 50_000);
    assert!(client.end());
}

#[test]
fn a_limit_of_the_editor_makes_no_rulesheet_wrong() {
    let numbers: Vec<String> = (0..40).map(|n| format!("(n {n})")).collect();
    let numbers = numbers.concat();
    let vast = format!(
        "{GAME}{numbers}\n(<= (next (far ?a ?b ?c ?d ?e))\n    (n ?a) (n ?b) (n ?c) (n ?d) (n ?e)\n    (does white ?m))\n(<= terminal (true (far 1 1 1 1 1)))\n"
    );
    let (mut client, first) = Client::open(&vast);
    let of = |published: &Value, wanted: &str| {
        let list = published["diagnostics"].as_array().unwrap().clone();
        list.into_iter()
            .filter(|found| found["code"] == wanted)
            .map(|found| found["severity"].clone())
            .collect::<Vec<_>>()
    };
    assert!(first["diagnostics"].as_array().unwrap().iter().all(|found| found["severity"] != 1), "{first}");
    let published = client.published();
    assert_eq!(of(&published, "GDL133"), [2], "{published}");
    assert!(client.end());
}

#[test]
fn what_is_cancelled_while_it_waits_is_not_done() {
    let mut client = Client::new();
    // All messages are written at once, so that the cancellation has arrived when the request is
    // handled.
    let mut bytes = Vec::new();
    for message in [
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument":
            { "uri": URI, "languageId": "gdl", "version": 1, "text": GAME.repeat(400) } } }),
        json!({ "jsonrpc": "2.0", "id": 50, "method": "textDocument/documentSymbol", "params": { "textDocument": { "uri": URI } } }),
        json!({ "jsonrpc": "2.0", "id": "later", "method": "textDocument/hover", "params": at(8, 2) }),
        json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": "later" } }),
    ] {
        let body = message.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).bytes());
    }
    client.write(&bytes);
    // If the messages arrive in two parts nevertheless, diagnostics may come between the answers.
    let mut answer = || loop {
        let message = client.receive();
        if message.get("id").is_some() {
            break message;
        }
    };
    assert_eq!(answer()["id"], 50);
    let answer = answer();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("later"), &json!(-32800)));
    assert!(client.end());
}

#[test]
fn a_change_calls_the_worker_off() {
    let (mut client, _) = Client::open(GAME);
    for version in 2..20 {
        client.change(version, &format!("{GAME}; {version}\n"));
    }
    client.change(20, &GAME.replace("(role ?r)\n    (not", "(rolle ?r)\n    (not"));
    loop {
        let published = client.published();
        if published["version"] == 20 {
            assert_eq!(places(&published["diagnostics"]), ["16:5-16:10"]);
            assert_eq!(published["diagnostics"][0]["code"], "GDL100");
            break;
        }
        assert_eq!(published["diagnostics"], json!([]));
    }
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    loop {
        let published = client.published();
        if published.get("version").is_none() {
            assert_eq!(published["diagnostics"], json!([]));
            break;
        }
    }
    assert_eq!(client.answer("textDocument/hover", at(0, 0))["error"]["code"], -32602);
    assert!(client.end());
}

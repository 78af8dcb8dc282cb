//! Sessions without a browser: seats, history, advice and saved matches.

use super::client::Client;
use serde_json::{Value, json};

fn start(client: &Client, request: &Value) -> (String, Value) {
    let answer = client.post("/api/sessions", request);
    assert_eq!(answer.status, 201, "{}", answer.body);
    (format!("/api/sessions/{}", answer.body["id"].as_str().expect("an id")), answer.body)
}

#[test]
fn a_match_goes_on_from_its_record_and_from_its_moves() {
    let client = Client::new();
    let (session, _) = start(&client, &json!({ "game": "tictactoe" }));
    for (role, action) in [("xplayer", "(mark 2 2)"), ("oplayer", "(mark 1 1)")] {
        let answer = client.post(&format!("{session}/moves"), &json!({ "role": role, "move": action }));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let record = client.get(&format!("{session}/record"));
    assert_eq!(record.status, 200);
    let mut saved = record.body;
    let again = start(&client, &json!({ "game": "tictactoe", "record": &saved })).1;
    let moves = start(
        &client,
        &json!({ "game": "tictactoe", "position": saved["states"][0], "moves": saved["moves"] }),
    )
    .1;
    for view in [&again, &moves] {
        assert_eq!(view["status"], "xplayer's turn");
        assert_eq!(view["line"][1]["text"], "oplayer mark 1 1");
    }
    // A record with an illegal move is rejected.
    saved["moves"][1] = json!(["(mark 3 3)", "noop"]);
    let refused = client.post("/api/sessions", &json!({ "game": "tictactoe", "record": saved }));
    assert_eq!((refused.status, &refused.body["code"]), (422, &json!("no_match")));
}

#[test]
fn whoever_is_to_choose_is_advised_and_nobody_else() {
    let client = Client::new();
    let (session, _) = start(&client, &json!({ "game": "tictactoe_led" }));
    let advice = client.get(&format!("{session}/hints"));
    assert_eq!((advice.status, &advice.body["effort"]["role"]), (200, &json!("x")));
    assert_eq!(client.get(&format!("{session}/hints?seat=o")).status, 409);
}

#[test]
fn clocks_are_told_kept_with_a_match_and_end_it() {
    let client = Client::new();
    let clocks = json!({ "xplayer": "5+3", "oplayer": "0.00001" });
    let (session, view) = start(&client, &json!({ "game": "tictactoe", "clocks": clocks }));
    let roles = &view["game"]["roles"];
    assert_eq!(roles[0]["clock"], json!({ "left": 300.0, "runs": false, "text": "5+3" }));
    // A clock of less than a millisecond runs down before the next request, so a waiting viewer
    // sees that at once.
    let made = client.post(&format!("{session}/moves"), &json!({ "role": "xplayer", "move": "(mark 2 2)" }));
    assert_eq!(made.status, 200, "{}", made.body);
    let after = client.get(&format!("{session}?after={}&wait=20", made.body["version"])).body;
    assert!(
        after["status"].as_str().is_some_and(|status| status.starts_with("oplayer has run out of time")),
        "{after}"
    );
    assert_eq!(after["game"]["roles"][1]["clock"]["left"], 0.0);
    let late = client.post(&format!("{session}/moves"), &json!({ "role": "oplayer", "move": "(mark 1 1)" }));
    assert_eq!((late.status, &late.body["code"]), (409, &json!("halted")));
    // A saved match holds the remaining time, and can be continued.
    let saved = client.get(&format!("{session}/record")).body;
    assert_eq!(saved["clocks"]["xplayer"], "5+3");
    let again = json!({ "game": "tictactoe", "record": saved, "clocks": saved["clocks"] });
    assert_eq!(start(&client, &again).1["game"]["roles"][0]["clock"]["left"], 300.0);
    // Clocks can be changed or removed.
    let given = client.post(&format!("{session}/clocks"), &json!({ "oplayer": "3+2" })).body;
    assert_eq!(given["game"]["roles"][1]["clock"]["text"], "3+2");
    assert_eq!(given["game"]["roles"][0].get("clock"), None);
    assert_eq!(given["trouble"], Value::Null);
    for (clocks, status) in [
        (json!({ "oplayer": "soon" }), 422),
        (json!({ "zplayer": "5" }), 422),
        (json!({ "oplayer": 5 }), 400),
    ] {
        assert_eq!(client.post(&format!("{session}/clocks"), &clocks).status, status, "{clocks}");
    }
    let (lucky, _) = start(&client, &json!({ "game": "monty_hall" }));
    assert_eq!(client.post(&format!("{lucky}/clocks"), &json!({ "random": "5" })).body["code"], "chance");
}

#[test]
fn seats_can_be_anybody_known() {
    let client = Client::new();
    let players = client.get("/api/players").body;
    let (session, view) = start(&client, &json!({ "game": "monty_hall" }));
    assert_eq!(view["game"]["roles"][1], json!({ "name": "random", "seat": "chance", "absent": false }));
    for player in players["players"].as_array().expect("players") {
        let bounds = if player["elsewhere"] == true { "127.0.0.1:9,seconds=1" } else { "nodes=1" };
        let seat = format!("{}:{bounds}", player["name"].as_str().expect("a name"));
        let answer = client.post(&format!("{session}/seats"), &json!({ "candidate": seat }));
        assert_eq!((answer.status, &answer.body["game"]["roles"][0]["seat"]), (200, &json!(seat)));
    }
    for (seats, status) in [
        (json!({ "random": "person" }), 409),
        (json!({ "candidate": "human" }), 422),
        (json!({ "candidate": "mcts:memory=x" }), 422),
        (json!({ "nobody": "person" }), 422),
    ] {
        assert_eq!(client.post(&format!("{session}/seats"), &seats).status, status, "{seats}");
    }
}

#[test]
fn people_who_share_a_screen_see_nothing_hidden_until_they_say_who_looks() {
    let client = Client::new();
    let (session, view) = start(&client, &json!({ "game": "liars_dice" }));
    assert_eq!((&view["closed"], &view["fluents"], &view["legal"]), (&json!(true), &json!([]), &json!([])));
    let of = |role: &str| client.get(&format!("{session}?seat={role}")).body["fluents"].to_string();
    let (alice, bob) = (of("alice"), of("bob"));
    assert!(alice.contains("alice ") && !alice.contains("bob "), "{alice}");
    assert!(bob.contains("bob ") && !bob.contains("alice "), "{bob}");
    assert_eq!(client.get(&format!("{session}/hints")).status, 409);
    assert_eq!(client.get(&format!("{session}/hints?seat=alice")).status, 200);
    // The knowledge of a machine's role cannot be viewed.
    client.post(&format!("{session}/seats"), &json!({ "bob": "first" }));
    assert_eq!(of("bob"), alice);
}

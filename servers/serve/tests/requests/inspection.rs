//! Requests that inspect a game: its rulesheet, its net and random play.

use super::client::Client;
use serde_json::{Value, json};

const FAULTY: &str = "(role x)\n(init (cell 1))\n(<= (legal x (go ?n)) (true (cell ?m)))\n(goal x 100)\n";

#[test]
fn a_faulty_rulesheet_is_judged_and_not_played() {
    let client = Client::new();
    let verdict = client.post("/api/check", &json!({ "text": FAULTY })).body;
    assert!(!verdict["diagnostics"].as_array().expect("a list").is_empty());
    assert_eq!((verdict["sound"].as_bool(), &verdict["summary"]), (Some(false), &Value::Null));
    let refused = client.post("/api/sessions", &json!({ "rulesheet": FAULTY }));
    assert_eq!(refused.status, 422);
    assert!(!refused.body["diagnostics"].as_array().expect("a list").is_empty());
}

#[test]
fn a_game_that_is_not_compiled_in_is_loaded_when_its_card_is_asked_for() {
    let client = Client::new();
    let list = client.get("/api/games").body;
    let cards = list["games"].as_array().expect("cards");
    let card = |name: &str| cards.iter().find(|card| card["name"] == name).expect("a card");
    let chess = card("chess");
    assert_eq!((&chess["loaded"], &chess["board"]), (&json!(false), &Value::Null));
    assert_eq!((&chess["roles"], &chess["kind"]), (&json!(["white", "black"]), &json!("turns")));
    let full = client.get("/api/games/chess").body;
    assert_eq!(full["board"]["cells"].as_array().map(Vec::len), Some(64));
    assert_eq!((&full["board"]["columns"][0], &full["board"]["rows"][0]), (&json!("a"), &json!("8")));
    for (key, value) in full.as_object().expect("a card") {
        assert!(["loaded", "board"].contains(&key.as_str()) || chess[key] == *value, "{key}");
    }
    assert_eq!(client.get("/api/games/tictactoe").body, *card("tictactoe"));
    assert_eq!(client.get("/api/games/chess_on_the_moon").status, 404);
}

#[test]
fn the_net_is_lit_as_play_goes_on() {
    let client = Client::new();
    let view = client.post("/api/sessions", &json!({ "game": "tictactoe" })).body;
    let path = format!("/api/sessions/{}", view["id"].as_str().expect("an id"));
    let holds = |sight: &Value, name: &str| {
        sight["holding"].as_array().expect("outputs").iter().any(|holding| holding == name)
    };
    let before = client.get(&format!("{path}/inside")).body;
    assert!(holds(&before, "legal xplayer (mark 1 1)") && !holds(&before, "terminal"));
    assert!(before["picture"]["nodes"].as_array().is_some_and(|nodes| nodes.len() > 100));
    client.post(&format!("{path}/moves"), &json!({ "role": "xplayer", "move": "(mark 1 1)" }));
    let after = client.get(&format!("{path}/inside?of=legal%20oplayer%20(mark%202%202)")).body;
    assert!(holds(&after, "legal oplayer (mark 2 2)") && !holds(&after, "legal oplayer (mark 1 1)"));
    let nodes = after["picture"]["nodes"].as_array().expect("nodes");
    let values = after["picture"]["node_values"].as_array().expect("values");
    assert_eq!(nodes.last().map(|node| &node["text"]), Some(&json!("legal oplayer (mark 2 2)")));
    assert_eq!(values.last(), Some(&json!(true)));
    assert_eq!(client.get(&format!("{path}/inside?of=nonsense")).status, 404);
}

#[test]
fn whoever_may_not_know_the_state_does_not_see_it() {
    let client = Client::new();
    let view = client.post("/api/sessions", &json!({ "game": "liars_dice" })).body;
    let path = format!("/api/sessions/{}", view["id"].as_str().expect("an id"));
    for seat in view["game"]["roles"].as_array().expect("roles") {
        let seat = seat["name"].as_str().expect("a name");
        let sight = client.get(&format!("{path}/inside?seat={seat}")).body;
        assert_eq!((&sight["relations"], &sight["holding"]), (&Value::Null, &Value::Null), "{seat}");
        let values = sight["picture"]["node_values"].as_array().into_iter().flatten();
        assert!(
            values
                .chain(sight["picture"]["edge_values"].as_array().into_iter().flatten())
                .all(Value::is_null)
        );
        assert!(sight["sizes"]["gates"].is_u64());
    }
}

#[test]
fn an_analysis_has_a_page_of_its_own() {
    let client = Client::new();
    let view = client.post("/api/sessions", &json!({ "game": "nim" })).body;
    let path = format!("/api/sessions/{}", view["id"].as_str().expect("an id"));
    let analysis = client.get(&format!("{path}/analysis?games=50&seed=3")).body;
    let page = analysis["page"].as_str().expect("markup");
    assert!(page.contains("<svg") && !page.contains("style=") && !page.contains("<script"));
    assert_eq!(client.get(&format!("{path}/analysis?games=0")).status, 422);
}

#[test]
fn the_rules_can_be_read_and_played_again() {
    let client = Client::new();
    let rules = |answer: &Value| {
        client.get(&format!("/api/sessions/{}/rulesheet", answer["id"].as_str().expect("an id"))).body
    };
    let first = rules(&client.post("/api/sessions", &json!({ "game": "nim" })).body);
    assert_eq!(first["text"], gdl_games::find("nim").expect("built in").text);
    let again = json!({ "rulesheet": first["text"], "name": first["name"] });
    assert_eq!(rules(&client.post("/api/sessions", &again).body), first);
}

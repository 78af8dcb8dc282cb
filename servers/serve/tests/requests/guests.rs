//! Guests only have access to their seat: one client is on the server's machine, the other is a
//! guest.

use super::client::{Answer, Client, GUESTS};
use serde_json::{Value, json};

/// Starts a session and invites a guest. Returns the paths of the session and of the guest's seat.
fn invited(here: &Client, start: &Value, role: &str) -> (String, String) {
    let view = here.post("/api/sessions", start);
    let id = view.body["id"].as_str().expect("an id").to_owned();
    let token = invite(here, &id, role);
    (format!("/api/sessions/{id}"), format!("/api/sessions/{token}"))
}

fn invite(here: &Client, id: &str, role: &str) -> String {
    let invited = here.post(&format!("/api/sessions/{id}/invitations"), &json!({ "role": role }));
    assert_eq!(invited.status, 201, "{}", invited.body);
    let link = invited.body["link"].as_str().expect("a link");
    let token = link.strip_prefix(&format!("http://{GUESTS}/#session=")).expect("the door of guests");
    assert_eq!(token.len(), 32);
    token.to_owned()
}

fn code(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["code"].as_str().unwrap_or_default())
}

fn play(client: &Client, path: &str, role: &str, action: &str) -> Answer {
    client.post(&format!("{path}/moves"), &json!({ "role": role, "move": action }))
}

#[test]
fn two_play_each_at_their_own_seat() {
    let [here, there] = Client::pair();
    let (own, seat) = invited(&here, &json!({ "game": "tictactoe_led" }), "o");
    let roles = |answer: &Answer| answer.body["game"]["roles"].clone();
    let absent = |is: bool| {
        json!([
            { "name": "x", "seat": "person", "absent": false },
            { "name": "o", "seat": "guest", "absent": is },
        ])
    };
    assert_eq!(roles(&here.get(&own)), absent(true));
    let view = there.get(&seat);
    assert_eq!((&view.body["guest"], &view.body["legal"]), (&json!("o"), &json!([])));
    assert_eq!(view.body["id"], seat.trim_start_matches("/api/sessions/"));
    assert_eq!(roles(&here.get(&own)), absent(false));
    // Neither client can move for the other.
    assert_eq!(code(&play(&there, &seat, "x", "(mark 1 1)")), (409, "not_yours"));
    let legal = here.get(&own).body["legal"].clone();
    let [first, second] = [0, 1].map(|at| legal[0]["moves"][at]["move"].as_str().expect("a move").to_owned());
    assert_eq!(play(&here, &own, "x", &first).status, 200);
    assert_eq!(here.get(&own).body["legal"], json!([]));
    assert_eq!(there.get(&seat).body["legal"][0]["role"], "o");
    assert_eq!(code(&play(&here, &own, "o", &second)), (409, "not_yours"));
    let view = play(&there, &seat, "o", &second);
    assert_eq!((view.status, &view.body["place"]), (200, &json!(2)));
    assert_eq!(here.get(&own).body["legal"][0]["role"], "x");
    // A guest can also send these requests.
    assert!(
        there.get(&format!("{seat}/rulesheet")).body["text"]
            .as_str()
            .is_some_and(|text| text.contains("role x"))
    );
    assert_eq!(there.get(&format!("{seat}/illegal?role=o")).status, 200);
    assert_eq!(there.get(&format!("{seat}/why?atom=terminal")).status, 200);
    // A saved match contains no link.
    assert_eq!(here.get(&format!("{own}/record")).body["seats"], json!({ "x": "person", "o": "person" }));
}

#[test]
fn a_link_opens_its_seat_again_after_the_session_was_begun_anew() {
    let [here, there] = Client::pair();
    let (own, seat) = invited(&here, &json!({ "game": "nim" }), "left");
    let token = seat.trim_start_matches("/api/sessions/").to_owned();
    let again = |session: &str, token: &str| {
        here.post(&format!("{session}/invitations"), &json!({ "role": "right", "token": token }))
    };
    // A link that opens a seat cannot be reused for another.
    assert_eq!(code(&again(&own, &token)), (409, "taken"));
    assert_eq!(there.get(&seat).body["guest"], "left");
    assert_eq!(here.send("DELETE", &own, b"", &[]).status, 204);
    assert_eq!(code(&there.get(&seat)), (404, "no_session"));
    let next = here.post("/api/sessions", &json!({ "game": "nim" })).body;
    let next = format!("/api/sessions/{}", next["id"].as_str().expect("an id"));
    let invited = again(&next, &token);
    assert!(invited.body["link"].as_str().is_some_and(|link| link.ends_with(&token)), "{}", invited.body);
    assert_eq!(there.get(&seat).body["guest"], "right");
    for broken in [
        "",
        "0123",
        &"x".repeat(32),
        &"0".repeat(33),
        &token.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A"),
    ] {
        assert_eq!(code(&again(&next, broken)), (422, "no_token"), "{broken}");
    }
}

#[test]
fn the_door_of_guests_opens_nothing_else() {
    let [here, there] = Client::pair();
    let (own, seat) = invited(&here, &json!({ "game": "nim" }), "left");
    let refused = [
        ("GET", "/api/games".to_owned()),
        ("GET", "/api/players".to_owned()),
        ("GET", "/api/openapi.json".to_owned()),
        ("POST", "/api/sessions".to_owned()),
        ("POST", "/api/check".to_owned()),
        ("DELETE", seat.clone()),
    ];
    let parts = ["undo", "redo", "go", "restart", "seats", "clocks", "pause", "invitations"]
        .map(|part| ("POST", part));
    let looks = ["hints", "record", "test", "inside", "analysis", "evaluation"].map(|part| ("GET", part));
    let parts = parts.into_iter().chain(looks).map(|(method, part)| (method, format!("{seat}/{part}")));
    for (method, path) in refused.into_iter().chain(parts) {
        let answer = there.send(method, &path, b"{}", &[]);
        assert!([404, 405].contains(&answer.status), "{method} {path}: {}", answer.status);
    }
    // Guests cannot use the id of the session or a guessed token, and a token is useless at the
    // machine's address.
    let guessed = "/api/sessions/00000000000000000000000000000000";
    for path in [&own, guessed] {
        assert_eq!(code(&there.get(path)), (404, "no_session"));
    }
    assert_eq!(code(&here.get(&seat)), (404, "no_session"));
    // Requests from pages of other servers, or by another host name, are rejected.
    for header in [
        ("host", "evil.example:7"),
        ("host", "127.0.0.1:7"),
        ("origin", "http://evil.example"),
        ("origin", "http://127.0.0.1:7"),
    ] {
        assert_eq!(code(&there.send("GET", &seat, b"", &[header])), (403, "foreign"), "{header:?}");
        let foreign = if header.1.contains("127.0.0.1") { (header.0, "http://192.0.2.5:7") } else { header };
        assert_eq!(code(&here.send("GET", &own, b"", &[foreign])), (403, "foreign"), "{foreign:?}");
    }
    assert_eq!(there.send("GET", &seat, b"", &[("origin", "http://192.0.2.5:7")]).status, 200);
    assert!(there.get("/").body.as_str().is_some_and(|page| page.contains("<body class=\"guest\">")));
    // A server without an address for guests has no invitations.
    let alone = Client::new();
    let id =
        alone.post("/api/sessions", &json!({ "game": "nim" })).body["id"].as_str().expect("an id").to_owned();
    let refused = alone.post(&format!("/api/sessions/{id}/invitations"), &json!({ "role": "left" }));
    assert_eq!(code(&refused), (409, "no_guests"));
}

#[test]
fn links_end() {
    let [here, there] = Client::pair();
    let (own, seat) = invited(&here, &json!({ "game": "tictactoe_led" }), "o");
    assert_eq!(there.get(&seat).status, 200);
    // A new link for a seat replaces the old one.
    let id = own.trim_start_matches("/api/sessions/");
    let next = format!("/api/sessions/{}", invite(&here, id, "o"));
    assert_eq!(code(&there.get(&seat)), (404, "no_session"));
    assert_eq!(there.get(&next).status, 200);
    // A person at the page or a player also replaces the guest.
    for seat in ["person", "random"] {
        let guest = format!("/api/sessions/{}", invite(&here, id, "o"));
        assert_eq!(here.post(&format!("{own}/seats"), &json!({ "o": seat })).status, 200);
        assert_eq!(code(&there.get(&guest)), (404, "no_session"));
        assert_eq!(code(&play(&there, &guest, "o", "noop")), (404, "no_session"));
    }
    // A seat for a guest needs an invitation, and chance's role cannot be given to one.
    assert_eq!(code(&here.post(&format!("{own}/seats"), &json!({ "o": "guest" }))), (422, "no_player"));
    let chance =
        here.post("/api/sessions", &json!({ "game": "pig" })).body["id"].as_str().expect("an id").to_owned();
    let refused = here.post(&format!("/api/sessions/{chance}/invitations"), &json!({ "role": "random" }));
    assert_eq!(code(&refused), (409, "chance"));
    let last = format!("/api/sessions/{}", invite(&here, id, "x"));
    assert_eq!(here.send("DELETE", &own, b"", &[]).status, 204);
    assert_eq!(code(&there.get(&last)), (404, "no_session"));
}

#[test]
fn neither_sees_what_the_rules_hide_from_them() {
    let [here, there] = Client::pair();
    let (own, seat) = invited(&here, &json!({ "game": "liars_dice", "seed": 3 }), "bob");
    let [mine, theirs] = [here.get(&own).body, there.get(&seat).body];
    assert_eq!((&mine["seat"], &theirs["seat"]), (&json!("alice"), &json!("bob")));
    let dice = |view: &Value| {
        let all = view["fluents"].as_array().expect("fluents");
        let dice = all.iter().filter(|group| group["relation"] == "die");
        dice.flat_map(|group| group["values"].as_array().expect("values").clone()).collect::<Vec<_>>()
    };
    let is_of = |dice: &[Value], role: &str| {
        dice.len() == 1 && dice[0].as_str().is_some_and(|die| die.starts_with(role))
    };
    assert!(is_of(&dice(&mine), "alice") && is_of(&dice(&theirs), "bob"), "{mine} {theirs}");
    // A request that names the other role shows nothing more, at either address.
    assert_eq!(dice(&here.get(&format!("{own}?seat=bob")).body), dice(&mine));
    assert_eq!(dice(&there.get(&format!("{seat}?seat=alice")).body), dice(&theirs));
    // Requests that would reveal everything are rejected until the end.
    assert_eq!(code(&here.get(&format!("{own}/record"))), (409, "hidden"));
    assert_eq!(code(&here.get(&format!("{own}/test"))), (409, "hidden"));
    assert_eq!(mine["seed"], Value::Null);
    // If guests play all seats, the page of the machine sees no role's information.
    let id = own.trim_start_matches("/api/sessions/");
    invite(&here, id, "alice");
    let view = here.get(&own).body;
    assert_eq!((&view["closed"], dice(&view).len(), &view["legal"]), (&json!(true), 0, &json!([])));
    // The seed of chance is hidden from guests, even if the rules hide nothing.
    let (own, seat) = invited(&here, &json!({ "game": "pig", "seed": 3 }), "alice");
    assert_eq!((&here.get(&own).body["seed"], &there.get(&seat).body["seed"]), (&Value::Null, &Value::Null));
}

//! Stories: bytes are turned into a sequence of valid and invalid requests, which must not break
//! the server.
//!
//! Two people use the server. Each answer must be one that the description allows. Requests of one
//! person must not change the other's session.

use super::client::{Answer, Client};
use serde_json::{Value, json};

const GAMES: [&str; 8] = [
    "nim",
    "tictactoe",
    "tictactoe_led",
    "monty_hall",
    "rock_paper_scissors",
    "lights_out",
    "liars_dice",
    "chess_on_the_moon",
];

const RULES: &str = "(role you) (init off) (legal you press) (legal you wait) (<= (next on) (does you press))
    (<= (next off) (does you wait) (true off)) (<= terminal (true on)) (goal you 100)";

/// A source of choices: the remaining bytes of a story.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    /// Returns a number below `count`; 0 once no bytes are left.
    fn below(&mut self, count: usize) -> usize {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(byte) % count.max(1)
    }

    fn of<'t, T>(&mut self, list: &'t [T]) -> Option<&'t T> {
        list.get(self.below(list.len()))
    }

    /// Returns up to 39 bytes unchanged.
    fn take(&mut self) -> &'b [u8] {
        let count = self.below(40).min(self.0.len());
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.take()).into_owned()
    }
}

/// A person and their open session.
#[derive(Default)]
struct Person {
    view: Option<Value>,
    /// The number of requests that started or changed a session of this person.
    granted: usize,
}

impl Person {
    fn id(&self) -> String {
        let id = self.view.as_ref().and_then(|view| view["id"].as_str());
        id.unwrap_or("0123456789abcdef0123456789abcdef").to_owned()
    }

    fn keep(&mut self, answer: Answer) {
        if answer.status < 300 && answer.body["version"].is_u64() {
            self.view = Some(answer.body);
            self.granted += 1;
        }
    }
}

/// Plays the story of some bytes, and returns the number of requests that started or changed a
/// session.
///
/// # Panics
/// Panics if an answer is not as described, or a request changes another person's session.
pub(super) fn play(client: &Client, bytes: &[u8]) -> usize {
    let mut bytes = Bytes(bytes);
    let mut people = [Person::default(), Person::default()];
    let mut turns = 0;
    while !bytes.0.is_empty() && turns < 60 {
        turns += 1;
        let who = bytes.below(2);
        act(client, &mut people[who], &mut bytes);
        let other = &people[1 - who];
        if let Some(view) = &other.view {
            let now = client.get(&format!("/api/sessions/{}", other.id()));
            assert_eq!(&now.body, view, "somebody else's session has changed");
        }
    }
    let granted = people.iter().map(|person| person.granted).sum();
    for person in people {
        if person.view.is_some() {
            let id = person.id();
            assert_eq!(client.send("DELETE", &format!("/api/sessions/{id}"), b"", &[]).status, 204);
            assert_eq!(client.get(&format!("/api/sessions/{id}")).status, 404, "what was ended is gone");
        }
    }
    granted
}

fn act(client: &Client, person: &mut Person, bytes: &mut Bytes<'_>) {
    // A person without a session mostly starts one.
    if person.view.is_none() && bytes.below(8) != 7 {
        return start(client, person, bytes);
    }
    let session = format!("/api/sessions/{}", person.id());
    let own = |rest: &str| format!("{session}{rest}");
    match bytes.below(26) {
        0 => start(client, person, bytes),
        1..=5 | 16..=23 => {
            let choice = choice(person, bytes);
            let answer = client.post(&own("/moves"), &choice);
            person.keep(answer);
        }
        6 => {
            let what = *bytes.of(&["/undo", "/redo", "/restart"]).unwrap_or(&"/undo");
            let answer = client.send("POST", &own(what), b"", &[]);
            person.keep(answer);
        }
        7 => {
            let answer = client.post(&own("/go"), &json!({ "place": bytes.below(12) }));
            person.keep(answer);
        }
        8 => {
            let answer = client.post(&own("/pause"), &json!({ "paused": bytes.below(2) == 1 }));
            person.keep(answer);
        }
        9 => {
            // Seats of machines are left out, since their moves come at any time.
            let seat = ["person".to_owned(), "nobody".to_owned(), bytes.text()][bytes.below(3)].clone();
            if !seat.starts_with(|c: char| c.is_ascii_alphabetic()) || seat == "person" || seat == "nobody" {
                let answer = client.post(&own("/seats"), &json!({ role(person, bytes): seat }));
                person.keep(answer);
            }
        }
        10 => {
            let of = if bytes.below(2) == 0 { "terminal".to_owned() } else { escaped(bytes.take()) };
            client.get(&own(&format!("/inside?of={of}")));
        }
        11 => {
            let games = [1, 2, 0, 10_001][bytes.below(4)];
            client.get(&own(&format!("/analysis?games={games}&seed={}", bytes.below(9))));
        }
        12 => {
            let text = spoilt(bytes);
            client.post("/api/check", &json!({ "text": text }));
        }
        13 => {
            let seat = escaped(role(person, bytes).as_bytes());
            client.get(&own(&format!("?seat={seat}")));
            client.get(&own("/rulesheet"));
            client.get(&own(&format!("/hints?seat={seat}")));
            // A saved match can be continued.
            let saved = client.get(&own("/record"));
            if saved.status == 200 {
                let mut again = saved.body.clone();
                if again["game"].is_null() {
                    again
                        .as_object_mut()
                        .expect("an object")
                        .retain(|key, _| key == "rulesheet" || key == "name");
                } else {
                    again = json!({ "game": again["game"] });
                }
                again["record"] = saved.body;
                let answer = client.post("/api/sessions", &again);
                assert_eq!(answer.status, 201, "{}", answer.body);
                client.send(
                    "DELETE",
                    &format!("/api/sessions/{}", answer.body["id"].as_str().unwrap_or_default()),
                    b"",
                    &[],
                );
            }
        }
        24 | 25 => doubt(client, &session, person, bytes),
        14 => {
            let host = ["127.0.0.1:7", "localhost:7", "example.org", "127.0.0.1:8", ""][bytes.below(5)];
            let origin = ["http://127.0.0.1:7", "http://example.org", "null"][bytes.below(3)];
            let answer = client.send("GET", &session, b"", &[("host", host), ("origin", origin)]);
            let is_own = host.ends_with(":7") && origin.ends_with(":7");
            assert_eq!(answer.status == 403, !is_own, "{host} {origin}");
        }
        _ => {
            let method = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"][bytes.below(7)];
            let places =
                ["/", "/api/sessions", "/api/check", "/api/games/", "/page/../app.js", "/page/app.js"];
            let place = match bytes.below(8) {
                number @ 0..6 => places[number].to_owned(),
                6 => format!("/{}", escaped(bytes.take())),
                _ => format!("/api/sessions/{}/{}", escaped(bytes.take()), escaped(bytes.take())),
            };
            client.send(method, &place, bytes.take(), &[]);
        }
    }
}

/// Sends requests for reasons and illegal moves.
fn doubt(client: &Client, session: &str, person: &Person, bytes: &mut Bytes<'_>) {
    let seat = escaped(role(person, bytes).as_bytes());
    let asked = ["terminal", "goal%20you%20100", "legal%20x%20(mark%201%201)", "true%20on"];
    let atom = if bytes.below(3) == 0 { escaped(bytes.take()) } else { asked[bytes.below(4)].to_owned() };
    client.get(&format!("{session}/why?atom={atom}&seat={seat}&depth={}", bytes.below(30)));
    client.get(&format!("{session}/illegal?seat={seat}&find={}", escaped(bytes.take())));
    client.get(&format!("{session}/illegal?cell={}", bytes.below(300)));
    client.get(&format!("{session}/test?seat={seat}"));
}

/// Starts a session, perhaps by an invalid request.
fn start(client: &Client, person: &mut Person, bytes: &mut Bytes<'_>) {
    let mut request = match bytes.below(4) {
        0 => json!({ "rulesheet": spoilt(bytes), "name": bytes.text() }),
        _ => json!({ "game": bytes.of(&GAMES) }),
    };
    match bytes.below(12) {
        0 => request["seed"] = json!(bytes.below(200)),
        1 => request["position"] = json!(bytes.text()),
        2 => request["moves"] = json!([[bytes.text()]]),
        3 => request["record"] = json!({ bytes.text(): bytes.text() }),
        _ => {}
    }
    if person.view.is_some() {
        client.send("DELETE", &format!("/api/sessions/{}", person.id()), b"", &[]);
        person.view = None;
    }
    let answer = client.post("/api/sessions", &request);
    person.keep(answer);
}

/// Returns a move, mostly a legal one.
fn choice(person: &Person, bytes: &mut Bytes<'_>) -> Value {
    let none = Vec::new();
    let legal = person.view.as_ref().and_then(|view| view["legal"].as_array()).unwrap_or(&none);
    let Some(of_role) = bytes.of(legal) else { return json!({ "role": bytes.text(), "move": bytes.text() }) };
    let moves = of_role["moves"].as_array().unwrap_or(&none);
    let action = bytes.of(moves).map_or(Value::Null, |choice| choice["move"].clone());
    match bytes.below(8) {
        0 => json!({ "role": of_role["role"], "move": bytes.text() }),
        1 => json!({ "role": bytes.text(), "move": action }),
        2 => json!({ "role": of_role["role"], "move": action, "place": bytes.below(5) }),
        3 => json!({ bytes.text(): action }),
        _ => json!({ "role": of_role["role"], "move": action }),
    }
}

fn role(person: &Person, bytes: &mut Bytes<'_>) -> String {
    let none = Vec::new();
    let roles = person.view.as_ref().and_then(|view| view["game"]["roles"].as_array()).unwrap_or(&none);
    let name = bytes.of(roles).and_then(|role| role["name"].as_str()).unwrap_or("nobody");
    if bytes.below(4) == 0 { bytes.text() } else { name.to_owned() }
}

/// Returns a rulesheet that may contain an error.
fn spoilt(bytes: &mut Bytes<'_>) -> String {
    let mut text = RULES.to_owned();
    if bytes.below(2) == 1 {
        let place = bytes.below(text.len());
        let end = (place + bytes.below(30)).min(text.len());
        text.replace_range(place..end, &bytes.text());
    }
    text
}

/// Escapes bytes for an address.
fn escaped(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| ['%', digit(byte >> 4), digit(byte & 15)]).collect()
}

fn digit(value: u8) -> char {
    char::from_digit(value.into(), 16).unwrap_or('0')
}

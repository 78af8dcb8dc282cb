//! Bounds of the server: each test reaches one with untrusted input.

use super::client::{Answer, Client};
use serde_json::{Value, json};

/// Words that the server does not recognise as the coordinates of a board.
const WORDS: [&str; 16] =
    ["ba", "be", "bi", "bo", "da", "de", "di", "do", "ka", "ke", "ki", "ko", "ma", "me", "mi", "mo"];

/// Returns a game with 4,096 fluents, which hold until the move `drop`, and a move for each of
/// them. Names have more than 200 characters if `long` is true.
fn heap(long: bool) -> String {
    let name = if long { "n".repeat(200) } else { "n".to_owned() };
    let words = WORDS.map(|word| format!("(word {word}) ")).concat();
    format!(
        "(role r) {words} (<= (bit ({name} ?x ?y ?z)) (word ?x) (word ?y) (word ?z))
        (<= (init ?b) (bit ?b)) (<= (next ?b) (true ?b) (not (does r drop)))
        (legal r keep) (legal r drop) (legal r end) (<= (legal r ?b) (bit ?b))
        (<= (next over) (does r end)) (<= terminal (true over)) (goal r 100)"
    )
}

/// A game with a lamp that can be switched on and off for ever.
const LAMP: &str = "(role r) (init off) (legal r turn) (legal r wait) (legal r end)
    (<= (next on) (true off) (does r turn)) (<= (next off) (true on) (does r turn))
    (<= (next on) (true on) (does r wait)) (<= (next off) (true off) (does r wait))
    (<= (next over) (does r end)) (<= terminal (true over)) (goal r 100)";

fn code(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["code"].as_str().unwrap_or_default())
}

#[test]
fn histories_are_bounded_in_places_before_anything_is_done() {
    let client = Client::new();
    // The rulesheet and the moves are invalid, but the size is rejected first.
    let moves = vec![["nonsense"]; 5_000];
    let refused = client.post("/api/sessions", &json!({ "rulesheet": "(", "moves": moves }));
    assert_eq!(code(&refused), (413, "too_large"), "{}", refused.body);
    let record = json!({
        "matchId": "", "startTime": 0, "isCompleted": false, "states": [], "moves": moves, "stateTimes": [],
        "startClock": 0, "playClock": 0,
    });
    let refused = client.post("/api/sessions", &json!({ "game": "nim", "record": record }));
    assert_eq!(code(&refused), (413, "too_large"), "{}", refused.body);
}

#[test]
fn histories_are_bounded_in_places_move_by_move() {
    let client = Client::new();
    let moves = vec![["turn"]; 4_998];
    let view = client.post("/api/sessions", &json!({ "rulesheet": LAMP, "moves": moves }));
    assert_eq!((view.status, &view.body["place"]), (201, &json!(4_998)));
    // Only the last steps of a long line are listed.
    let (line, left_out) = (&view.body["line"], &view.body["left_out"]["steps"]);
    let told = line.as_array().expect("a line").len() as u64;
    assert_eq!(Some(told), left_out.as_u64().map(|left_out| 4_998 - left_out));
    assert!(told < 4_998 && line[told as usize - 1]["place"] == 4_998, "{told}");
    let path = format!("/api/sessions/{}/moves", view.body["id"].as_str().expect("an id"));
    let turn = || client.post(&path, &json!({ "role": "r", "move": "turn" })).body;
    let last = turn();
    assert_eq!((&last["place"], &last["trouble"]), (&json!(4_999), &Value::Null));
    let full = turn();
    assert_eq!(full["place"], 4_999);
    assert!(full["trouble"].as_str().is_some_and(|trouble| trouble.contains("5000 places")), "{full}");
}

#[test]
fn histories_are_bounded_in_bytes() {
    let client = Client::new();
    let rules = heap(false);
    let keep = |count: usize| vec![["keep"]; count];
    let start =
        |moves: &[[&str; 1]]| client.post("/api/sessions", &json!({ "rulesheet": rules, "moves": moves }));
    let view = start(&keep(500));
    assert_eq!(view.status, 201, "{}", view.body);
    let refused = start(&keep(4_500));
    assert_eq!(code(&refused), (413, "too_large"), "{}", refused.body);
    // A match of many large states cannot be saved.
    let record_of = |answer: &Answer| {
        client.get(&format!("/api/sessions/{}/record", answer.body["id"].as_str().expect("an id")))
    };
    assert_eq!(code(&record_of(&view)), (413, "too_large"));
    // A record with too many bytes of states cannot be continued. The states in the record itself
    // may be short: all but the first are empty.
    let saved = record_of(&start(&[])).body;
    let mut record = saved.clone();
    let moves: Vec<[&str; 1]> = [["drop"]].into_iter().chain(keep(4_400)).collect();
    let states: Vec<&str> =
        saved["states"][0].as_str().into_iter().chain(moves.iter().map(|_| "( )")).collect();
    (record["moves"], record["states"]) = (json!(moves), json!(states));
    let refused = client.post("/api/sessions", &json!({ "rulesheet": rules, "record": record }));
    assert_eq!(code(&refused), (413, "too_large"), "{}", refused.body);
}

#[test]
fn what_is_told_of_a_state_is_bounded() {
    let client = Client::new();
    let view = client.post("/api/sessions", &json!({ "rulesheet": heap(true) })).body;
    let left = |what: &str| view["left_out"][what].as_u64().expect("a number");
    let fluents = view["fluents"][0]["values"].as_array().expect("values").len() as u64;
    let moves = view["legal"][0]["moves"].as_array().expect("moves").len() as u64;
    assert_eq!((fluents + left("fluents"), moves + left("moves")), (4_096, 4_099));
    assert!(fluents < 3_000 && moves < 3_000 && view.to_string().len() < 2 << 20, "{fluents}, {moves}");
    // Moves that are not listed can still be made.
    let path = format!("/api/sessions/{}", view["id"].as_str().expect("an id"));
    let action = format!("({} mo mo mo)", "n".repeat(200));
    let moved = client.post(&format!("{path}/moves"), &json!({ "role": "r", "move": action })).body;
    assert_eq!(moved["place"], 1);
    let sight = client.get(&format!("{path}/inside")).body;
    let bytes = |value: &Value| value.to_string().len();
    assert!(bytes(&sight["relations"]) < 2 << 20 && bytes(&sight["holding"]) < 2 << 20);
}

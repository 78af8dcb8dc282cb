//! Stories of random bytes, and bounds of sessions and requests.

use super::{client::Client, story::play};
use proptest::{collection::vec, prelude::*};
use serde_json::json;

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_story_breaks_the_server(bytes in vec(any::<u8>(), 0..300)) {
        play(&Client::new(), &bytes);
    }
}

#[test]
fn stories_are_not_of_refusals_alone() {
    let client = Client::new();
    let stories = (0..20_u64).map(|seed| {
        let byte = |place: u64| ((seed * 300 + place + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8;
        play(&client, &(0..300).map(byte).collect::<Vec<u8>>())
    });
    let granted: usize = stories.sum();
    assert!(granted > 100, "{granted}");
}

#[test]
fn sessions_are_bounded_in_number() {
    let client = Client::new();
    let start = || client.post("/api/sessions", &json!({ "game": "nim" }));
    let first = start();
    let mut opened = 1;
    let full = loop {
        let answer = start();
        if answer.status != 201 {
            break answer;
        }
        opened += 1;
        assert!(opened < 1_000, "there is no bound");
    };
    assert_eq!((full.status, full.body["code"].as_str()), (503, Some("too_many")));
    // Existing sessions are not removed.
    let id = first.body["id"].as_str().expect("an id");
    assert_eq!(client.get(&format!("/api/sessions/{id}")).body, first.body);
    assert_eq!(client.send("DELETE", &format!("/api/sessions/{id}"), b"", &[]).status, 204);
    assert_eq!(start().status, 201, "there is room again");
}

#[test]
fn requests_are_bounded_in_size() {
    let client = Client::new();
    let text = " ".repeat(gdl_serve::MOST_BYTES);
    assert_eq!(client.post("/api/check", &json!({ "text": text })).status, 413);
}

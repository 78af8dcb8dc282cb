//! The server of `gdl serve` and its users: a story of requests, made from bytes.

#[path = "../../servers/serve/tests/requests/client.rs"]
mod client;
#[path = "../../servers/serve/tests/requests/story.rs"]
mod story;

/// Plays the story that the bytes encode, on a server of its own.
pub fn play(bytes: &[u8]) {
    // The number of requests that changed a session does not matter.
    story::play(&client::Client::new(), bytes);
}

//! The server of `gdl serve` and those who use it: bytes in, a story of requests played.

#[path = "../../servers/serve/tests/requests/client.rs"]
mod client;
#[path = "../../servers/serve/tests/requests/story.rs"]
mod story;

/// Plays the story that the bytes encode to a server of its own.
pub fn play(bytes: &[u8]) {
    // How much of it was granted is of no interest.
    story::play(&client::Client::new(), bytes);
}

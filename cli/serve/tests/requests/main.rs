//! The server of `gdl serve`, asked without sockets.

mod bounds;
mod client;
mod description;
mod insight;
mod playing;
mod stories;
mod story;
#[path = "../../../tests/cli/validity.rs"]
mod validity;

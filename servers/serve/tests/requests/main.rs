//! Tests of the server of `gdl serve`, without sockets.

mod bounds;
mod client;
mod description;
#[path = "../../../network/tests/matches/fake.rs"]
mod fake;
mod guests;
mod inspection;
mod playing;
mod reasons;
mod results;
mod stories;
mod story;
#[path = "../../../../cli/tests/cli/validity.rs"]
mod validity;

//! The server of `gdl serve`, asked without sockets.

mod client;
mod description;
mod insight;
mod stories;
mod story;

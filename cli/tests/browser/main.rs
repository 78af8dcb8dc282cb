//! The page of `gdl serve` in a real browser, from a user's view. Without Chromium these tests are
//! skipped.

mod axe;
mod board;
mod chess;
mod chromium;
mod editor;
mod effort;
mod fair;
#[path = "../../../servers/network/tests/matches/fake.rs"]
mod fake;
mod guests;
mod inside;
mod lines;
mod looks;
mod play;
#[cfg(feature = "manage")]
mod results;
mod tictactoe;
mod why;

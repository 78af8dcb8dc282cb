//! Puzzles: the planner's result from the initial state, and its time.

use gdl_players::{Budget, search::Planner};
use gdl_runtime::{Dynamic, Game, GameExt};
use std::time::{Duration, Instant};

/// The built-in puzzles.
pub(super) const GAMES: &[&str] = &[
    "eight_puzzle",
    "knights_tour",
    "lights_out",
    "peg_solitaire",
    "pocket_cube",
    "sokoban",
    "sudoku",
    "towers_of_hanoi",
];

/// Searches for `seconds` seconds and returns a row of a table. Returns `None` if the game is not a
/// puzzle.
pub(super) fn row(name: &str, game: &Dynamic, seconds: f64) -> Option<String> {
    if !Planner::is_puzzle(game) {
        eprintln!("`{name}` is no puzzle");
        return None;
    }
    let role = game.roles().next()?;
    let greatest = game.vocabulary().goals_of(0).last()?;
    let start = Instant::now();
    let budget = Budget::within(Duration::from_secs_f64(seconds));
    let report = Planner::new().search(game, &game.initial(), role, &budget).report;
    let value = report.value.map_or_else(|| "none".to_owned(), |value| format!("{value:.0}"));
    let proved = if report.exact { "yes" } else { "no" };
    Some(format!(
        "| {name} | {value} | {greatest} | {proved} | {} | {} | {} | {:.2} |",
        report.depth,
        report.nodes,
        report.bytes >> 20,
        start.elapsed().as_secs_f64()
    ))
}

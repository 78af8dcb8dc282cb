//! The search that `best` chooses before a match.

use gdl_players::{Budget, Player, search::Best};
use gdl_runtime::{Dynamic, Game, GameExt};
use std::time::Duration;

/// Chooses with `count` seeds, and returns a row of a table.
pub(super) fn row(name: &str, game: &Dynamic, start: f64, count: u64) -> String {
    let role = game.roles().next().expect("a role");
    let notes: Vec<String> = (0..count)
        .map(|seed| {
            let mut best = Best::new().seed(seed);
            best.start(game, role, &Budget::within(Duration::from_secs_f64(start)));
            let found = best.search(game, &game.initial(), role, &Budget::of_nodes(100));
            found.report.note.unwrap_or_default()
        })
        .collect();
    let chosen = notes.iter().filter(|note| note.contains(": alpha-beta")).count();
    format!("| {name} | {chosen} of {count} | {} |", notes.last().map_or("", String::as_str))
}

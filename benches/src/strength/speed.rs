//! The speed of searches, compared with random games alone.

use gdl_players::{
    Budget,
    search::{AlphaBeta, Mcts},
};
use gdl_runtime::{Dynamic, Game, GameExt, Playouts, playouts::PlayoutMode};
use std::time::Duration;

pub(super) const GAMES: &[&str] = &[
    "tictactoe",
    "nim",
    "connect_four",
    "breakthrough_small",
    "breakthrough",
    "reversi",
    "pentago",
    "checkers",
    "rock_paper_scissors",
    "lights_out",
];

/// Measures the rates of one game and returns a row of a table.
pub(super) fn row(name: &str, game: &Dynamic, seconds: f64) -> String {
    let role = game.roles().next().expect("a role");
    let budget = || Budget::within(Duration::from_secs_f64(seconds));
    let rate = |count: u64, seconds: f64| format!("{:.0}", count as f64 / seconds / 1e3);
    let mut search = AlphaBeta::new();
    // The first search learns an evaluation.
    search.search(game, &game.initial(), role, &Budget::within(Duration::from_millis(500)));
    let mut fresh = search.memory((64 << 20) + 64);
    let deep = fresh.search(game, &game.initial(), role, &budget()).report;
    // Searches are without proofs, so that those of small games do not end at once.
    let lanes = Mcts::new().seed(1).unproved().search(game, &game.initial(), role, &budget()).report;
    let single =
        Mcts::new().seed(1).unproved().single().search(game, &game.initial(), role, &budget()).report;
    let plain = |engine| {
        let stats =
            Playouts::new(game).threads(1).within(Duration::from_secs_f64(seconds)).engine(engine).run();
        rate(stats.tally.playouts, stats.seconds)
    };
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        name,
        rate(deep.nodes, deep.seconds),
        deep.depth,
        rate(lanes.nodes, lanes.seconds),
        rate(lanes.playouts, lanes.seconds),
        rate(single.playouts, single.seconds),
        plain(PlayoutMode::Lanes),
        plain(PlayoutMode::Single),
    )
}

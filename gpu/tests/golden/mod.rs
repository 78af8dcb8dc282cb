//! The golden tallies, which every device must repeat.

#![allow(dead_code, reason = "not every test wants all of it")]

use gdl_gpu::Gpu;
use std::fmt::Write;

/// The names of the games: small and large ones, by plies and by phases, with chance, and with
/// separate scoring.
pub(crate) const GAMES: [&str; 8] = [
    "tictactoe",
    "connect_four",
    "breakthrough_small",
    "breakthrough",
    "reversi",
    "nim",
    "rock_paper_scissors",
    "monty_hall",
];

/// Plays a game on a device and returns its line of the golden file.
pub(crate) fn line(gpu: &Gpu, name: &str) -> String {
    let game = gdl_games::dynamic(name).expect("built in");
    let prepared = gpu.prepare(&game).expect("it is small enough");
    let (seed, count) = (0x0123_4567_89ab_cdef, 3_001);
    let tally = prepared.playouts(seed, count).expect("it plays");
    let mut line = format!("{name}\t{seed}\t{count}\t{}", tally.states);
    let _ = write!(line, "\t{} {} {}", tally.too_long, tally.stuck, tally.unscored);
    for role in &tally.roles {
        let _ =
            write!(line, "\t{} {} {} {} {}", role.goals, role.squares, role.wins, role.draws, role.losses);
    }
    line.push('\n');
    line
}

/// Returns the golden tallies.
pub(crate) fn text() -> &'static str {
    include_str!("../golden.tsv")
}

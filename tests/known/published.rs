//! Counts of move sequences that are published or follow from the rules by arithmetic, checked by
//! the table in lanes. A debug build counts only the first depths.

use crate::{built_in, reference};
use gdl_runtime::{Dynamic, Game, GameExt, perft::Perft};

/// Checks all counts, or the first `in_debug` of them in a debug build.
fn check(name: &str, in_debug: usize, expected: &[u128]) {
    let expected = if cfg!(debug_assertions) { &expected[..in_debug] } else { expected };
    let counts: Vec<u128> = Perft::new(&built_in(name)).take(expected.len()).collect();
    assert_eq!(counts, expected, "{name}");
}

/// A turn is three moves. There are 2,176 turns and 4,307,152 sequences of two, as
/// <https://github.com/radekmie/rg> counts them.
#[test]
fn amazons() {
    check("amazons", 5, &[4, 80, 2176, 8704, 168_420, 4_307_152]);
}

/// 121 x 120 x 119 sequences without the swap. The swap adds 121 replies to the first stone, each
/// with 120 replies.
#[test]
fn hex() {
    check("hex", 2, &[121, 121 * 120 + 121, 121 * 120 * 119 + 121 * 120]);
}

/// 81 x 80 x 79 sequences of stones without captures, and those with passes. Two passes end the
/// game.
#[test]
fn go() {
    let two = 81 * 81 + 82;
    let three = 81 * 80 * 80 + 81 * 81 + 81 * 81;
    check("go", 3, &[82, two, three]);
    let game = built_in("go");
    let depth = if cfg!(debug_assertions) { 2 } else { 3 };
    assert_eq!(stones(&game, &game.initial(), depth), [81, 6480, 511_920][..depth]);
}

/// Counts the sequences of stones without a pass.
fn stones(game: &Dynamic, state: &<Dynamic as Game>::State, depth: usize) -> Vec<u64> {
    let roles: Vec<_> = game.roles().collect();
    let moves = |role| game.legal_moves(state, role).filter(|&action| game.move_text(action) != "pass");
    let [black, white] = [roles[0], roles[1]].map(|role| moves(role).collect::<Vec<_>>());
    let mut counts = vec![0; depth];
    counts[0] = (black.len() * white.len()) as u64;
    if depth > 1 {
        for joint in black.iter().flat_map(|&b| white.iter().map(move |&w| [b, w])) {
            let next = game.apply(state, &joint).expect("legal moves");
            let below = stones(game, &next, depth - 1);
            counts[1..].iter_mut().zip(below).for_each(|(count, below)| *count += below);
        }
    }
    counts
}

/// Counts from <https://www.chessprogramming.org/Chinese_Chess_Perft_Results>.
#[test]
fn xiangqi() {
    check("xiangqi", 4, &[44, 1920, 79_666, 3_290_240, 133_312_995]);
}

/// Black needs at least five stones for a line, so these counts have no ends.
#[test]
fn gomoku() {
    check("gomoku", 2, &[225, 225 * 224, 225 * 224 * 223]);
}

#[test]
fn ultimate_tictactoe() {
    assert_eq!(reference::ultimate_tictactoe::perft(4), [81, 720, 6336, 55_080]);
    check("ultimate_tictactoe", 5, &[81, 720, 6336, 55_080, 473_256, 4_020_960, 33_782_544]);
}

/// Giving a piece and placing it are two moves. A game ends after four placed pieces at the
/// earliest.
#[test]
fn quarto() {
    check("quarto", 4, &[16, 16 * 16, 16 * 16 * 15, 16 * 16 * 15 * 15]);
}

#[test]
fn dots_and_boxes() {
    check("dots_and_boxes", 3, &[40, 40 * 39, 40 * 39 * 38, 40 * 39 * 38 * 37]);
}

/// The tours from a corner are the move sequences of length 24.
#[test]
fn knights_tour() {
    let game = built_in("knights_tour");
    assert_eq!(Perft::new(&game).nth(23), Some(304));
}

/// Finished games do not affect the counts up to depth nine.
#[test]
fn reversi() {
    check("reversi", 6, &[4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288]);
}

/// Counts by jumps. By whole moves the last two would be 179,740 and 845,931.
#[test]
fn checkers() {
    check("checkers", 6, &[7, 49, 302, 1469, 7361, 36_768, 179_255, 838_248]);
}

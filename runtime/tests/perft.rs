//! Known counts, and counting with and without merging.

mod common;

use common::TicTacToe;
use gdl_runtime::{Dynamic, Game, Id, Perft, divide, perft};

/// Counted elsewhere, by hand-written programs.
const TIC_TAC_TOE: [u128; 10] = [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872, 0];

#[test]
fn tic_tac_toe() {
    assert_eq!(perft(&TicTacToe, 10), TIC_TAC_TOE);
    assert_eq!(perft(&Dynamic::decode(&common::table()).unwrap(), 10), TIC_TAC_TOE);
    assert_eq!(perft(&TicTacToe, 0), []);
    let mut counting = Perft::new(&TicTacToe);
    assert_eq!((counting.next(), counting.states()), (Some(9), 1));
    assert_eq!((counting.next(), counting.states()), (Some(72), 9));
    assert_eq!((counting.next(), counting.states()), (Some(504), 72));
    assert_eq!((counting.next(), counting.states()), (Some(3_024), 252));
}

/// One after the other, without any of the tricks.
fn count<G: Game>(game: &G, state: &G::State, depth: usize) -> u128 {
    let view = game.view(state);
    if depth == 0 {
        return 1;
    }
    if game.terminal_in(&view) {
        return 0;
    }
    let [x, o] = [0, 1].map(|role| game.legal_in(&view, G::Role::from_index(role)));
    x.flat_map(|x| o.clone().map(move |o| [x, o]))
        .map(|joint| count(game, &game.next(state, &joint).unwrap(), depth - 1))
        .sum()
}

#[test]
fn merging_changes_nothing() {
    for depth in 1..=7 {
        assert_eq!(count(&TicTacToe, &TicTacToe.initial(), depth), TIC_TAC_TOE[depth - 1]);
    }
}

#[test]
fn the_parts_add_up() {
    for depth in 1..=9 {
        let parts = divide(&TicTacToe, depth);
        assert_eq!(parts.iter().map(|(_, count)| count).sum::<u128>(), TIC_TAC_TOE[depth - 1]);
        let moves: Vec<usize> = parts.iter().map(|(joint, _)| joint[0].index()).collect();
        assert_eq!(moves, (0..9).collect::<Vec<_>>());
    }
    assert!(divide(&TicTacToe, 0).is_empty());
}

//! Published counts, and counts with and without merging of equal states.

use crate::common::{self, TicTacToe};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    game::Id,
    perft,
    perft::{Perft, divide},
};

/// The counts of handwritten programs.
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

/// Counts sequences one by one, without merging or lanes.
fn count<G: Game>(game: &G, state: &G::State, depth: usize) -> u128 {
    let view = game.view(state);
    if depth == 0 {
        return 1;
    }
    if game.is_terminal_in(&view) {
        return 0;
    }
    let [x, o] = [0, 1].map(|role| game.legal_moves_in(&view, G::Role::from_index(role)));
    x.flat_map(|x| o.clone().map(move |o| [x, o]))
        .map(|joint| count(game, &game.apply(state, &joint).unwrap(), depth - 1))
        .sum()
}

#[test]
fn merging_changes_nothing() {
    for depth in 1..=7 {
        assert_eq!(count(&TicTacToe, &TicTacToe.initial(), depth), TIC_TAC_TOE[depth - 1]);
    }
}

/// Levels that exceed the memory are searched depth first. The 252 states of a level are then seen
/// once for each sequence that leads there.
#[test]
fn memory_changes_nothing_but_how_often_states_are_seen() {
    // An entry counts as 32 bytes: twice the state of one word, and a count of two words. It is
    // stored twice, in tables that are half full.
    let bytes = |states: usize| states * 4 * 32;
    for (memory, states) in [(bytes(1000), 252), (bytes(100), 504), (bytes(20), 504), (0, 504)] {
        let mut counting = Perft::new(&TicTacToe).memory(memory);
        let counts: Vec<u128> = counting.by_ref().take(4).collect();
        assert_eq!((&counts[..], counting.states()), (&TIC_TAC_TOE[..4], states), "{memory} bytes");
        let parts = Perft::new(&TicTacToe).memory(memory).divide(6);
        assert_eq!(parts.iter().map(|(_, count)| count).sum::<u128>(), TIC_TAC_TOE[5], "{memory} bytes");
        assert_eq!(Perft::new(&TicTacToe).memory(memory).nth(9), Some(0));
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

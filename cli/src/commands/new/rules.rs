//! Tests of the rules: counts that were made by hand, and fluents that hold in some states.

use dominoes::dominoes::{Fluent, Role, game};
use gdl_runtime::{Game, GameExt, perft::Perft};

#[test]
fn there_are_as_many_plays_as_by_hand() {
    // Five places for the first domino; then three, two, two, two or three for the second one.
    let counts: Vec<_> = Perft::new(&game()).take(3).collect();
    assert_eq!(counts, [5, 12, 6]);
}

#[test]
fn left_begins_on_an_empty_row() {
    let (game, start) = (game(), game().initial());
    assert_eq!(game.legal_moves(&start, Role::Left).len(), 5);
    assert_eq!(game.legal_moves(&start, Role::Right).len(), 1);
    assert!(game.holds(&start, Fluent::empty(3).expect("a cell")));
}

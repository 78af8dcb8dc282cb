//! Plays one random game move by move, then 100,000 more, and prints their statistics.

use dominoes::dominoes;
use gdl_runtime::{Game, GameExt, Playouts, chance::Stream};

fn main() {
    let game = dominoes::game();
    let (mut state, mut luck) = (game.initial(), Stream::new(1, 0));
    while !game.is_terminal(&state) {
        let joint: Vec<_> = game
            .roles()
            .map(|role| {
                let legal: Vec<_> = game.legal_moves(&state, role).collect();
                legal[luck.below(legal.len() as u64) as usize]
            })
            .collect();
        let moves: Vec<_> = joint.iter().map(|&action| game.move_text(action)).collect();
        println!("{}", moves.join(", "));
        state = game.apply(&state, &joint).expect("the moves are legal");
    }
    println!("{}", Playouts::new(&game).count(100_000).run());
}

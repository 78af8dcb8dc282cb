//! A user-defined player in a match: it makes a winning move if there is one, otherwise a random
//! one.
//!
//! `cargo run -p gdl-players --example own_player`

use gdl_players::{Budget, Player, Referee, player::Random};
use gdl_runtime::{Game, GameExt, Information, chance::Stream, game::Id, gdl};
use std::error::Error;

gdl!("../games/board/tictactoe.kif");

/// A player that looks one move ahead, in any game without hidden information.
struct Snatcher {
    dice: Stream,
}

impl<G: Game> Player<G> for Snatcher {
    fn name(&self) -> &'static str {
        "snatcher"
    }

    fn choose(&mut self, game: &G, information: &Information<G>, _: &Budget) -> Option<G::Move> {
        let state = information.state(game)?;
        let view = game.view(&state);
        let own = information.role();
        // Random moves stand in for those of the other roles.
        let mut joint: Vec<G::Move> = game
            .roles()
            .map(|role| game.random_move_in(&view, role, &mut self.dice))
            .collect::<Option<_>>()?;
        let wins = |action: &G::Move| {
            joint[own.index()] = *action;
            let next = game.apply_unchecked(&state, &joint);
            game.is_terminal(&next) && game.goal(&next, own) == Some(100)
        };
        game.legal_moves_in(&view, own).find(wins).or_else(|| game.random_move_in(&view, own, &mut self.dice))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = tictactoe::game();
    let snatcher = Snatcher { dice: Stream::new(1, 0) };
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(snatcher), Box::new(Random::new().seed(2))];
    let mut won = 0;
    for _ in 0..100 {
        let played = Referee::new(&game).run(&mut players)?;
        won += u32::from(played.goals[0] == Some(100));
    }
    println!("{} wins {won} of 100 matches against {}.", players[0].name(), players[1].name());
    Ok(())
}

//! A user-defined evaluation for connect four: discs near the middle column count more, since more
//! lines contain them.
//!
//! `cargo run --release -p gdl-players --example own_evaluation`

use gdl_players::{
    Budget,
    search::{AlphaBeta, Evaluation},
};
use gdl_runtime::{Game, GameExt, game::Id, gdl};
use std::error::Error;

gdl!("../games/board/connect_four.kif");

use connect_four::{ConnectFour, Fluent, Role, State, View};

/// The value of each fluent for red, in points of the goal.
struct Middle(Vec<f32>);

impl Middle {
    fn new(game: ConnectFour) -> Self {
        let mut worth = vec![0.0; game.shape().fluents];
        for column in 1..=7_u8 {
            for height in 1..=6_u8 {
                for (role, sign) in [("red", 1.0), ("yellow", -1.0)] {
                    if let Some(cell) = Fluent::cell(column, height, role) {
                        worth[cell.index()] = sign * (3.0 - (f32::from(column) - 4.0).abs());
                    }
                }
            }
        }
        Self(worth)
    }
}

impl Evaluation<ConnectFour> for Middle {
    fn evaluate(&self, game: &ConnectFour, state: &State, _: &View, goals: &mut [f32]) {
        let sum: f32 = game.fluents(state).map(|fluent| self.0[fluent.index()]).sum();
        goals[0] = (50.0 + sum).clamp(0.0, 100.0);
        goals[1] = 100.0 - goals[0];
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let game = connect_four::game();
    let mut search = AlphaBeta::new().depth(8).evaluation(Middle::new(game));
    let found = search.search(&game, &game.initial(), Role::Red, &Budget::unlimited());
    println!("{}", found.describe(&game));
    let action = found.action.ok_or("red has a move")?;
    println!("red plays {}", game.move_text(action));
    Ok(())
}

//! Self-play of tic-tac-toe: alpha-beta search plays both roles, and the result is a draw.
//!
//! `cargo run -p gdl-players --example self_play`

use gdl_players::{Player, Referee, search::AlphaBeta};
use gdl_runtime::{board::Board, gdl};

gdl!("../games/board/tictactoe.kif");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = tictactoe::game();
    let board = Board::of(&game).ok_or("the rules show a board")?;
    let mut players: Vec<Box<dyn Player<_>>> = vec![Box::new(AlphaBeta::new()), Box::new(AlphaBeta::new())];
    let show = |state: &_| println!("{}", board.text(&board.cells_of(&game, state)));
    let played = Referee::new(&game).watch(|played, _| show(played.history.state())).run(&mut players)?;
    match played.goals[..] {
        [Some(x), Some(o)] if x == o => println!("The only winning move is not to play."),
        [Some(100), _] => println!("xplayer wins."),
        _ => println!("oplayer wins."),
    }
    Ok(())
}

//! Chess compared with a library of bitboards, on one thread: sequences of moves and random
//! positions per second of processor time.
//!
//!     cargo bench -p gdl-benches --bench chess -- [--seconds S] [--rounds N]
//!
//! Perft counts the 119,060,324 sequences of six moves from the initial position. Both programs
//! count the last move without making it. Ours is measured twice: by default, merging equal states
//! of a level, and without memory, making every move as the library does. Random games end by mate,
//! stalemate, fifty quiet moves of each player or insufficient material.
//!
//! The library is cozy-chess, under the MIT license. The better known shakmaty is under the GPL,
//! which would extend to the tests of this package. Contestants take turns, and figures are medians
//! of the rounds.

use clap::Parser;
use cozy_chess::{BitBoard, Board, GameStatus, Move, Piece};
use cpu_time::ProcessTime;
use gdl_benches::{
    hand::{Generator, below},
    turns::rates,
};
use gdl_runtime::{Dynamic, Playouts, perft::Perft};
use gdl_tools::output;
use std::{hint::black_box, time::Duration};

/// Duration and number of the rounds.
#[derive(Debug, Parser)]
struct Args {
    /// Seconds of random games in each round, for each contestant
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The argument that `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// The number of sequences of six moves from the initial position.
const SEQUENCES: u128 = 119_060_324;

fn main() {
    let args = Args::parse();
    let start = ProcessTime::now();
    let game = gdl_games::dynamic("chess").expect("a built-in game");
    println!("loaded in {}\n", output::duration(start.elapsed().as_secs_f64()));
    let contestants: [(&str, &dyn Fn() -> u128); 5] = [
        ("perft 6, cozy-chess", &|| perft(&Board::default(), 6)),
        ("perft 6, lanes, equal states merged", &|| count(Perft::new(&game))),
        ("perft 6, lanes, every move made", &|| count(Perft::new(&game).memory(0))),
        ("random positions, cozy-chess", &|| random_games(args.seconds)),
        ("random positions, lanes", &|| lanes(&game, args.seconds)),
    ];
    println!("| one thread | a second |\n|---|---:|");
    for ((name, _), rate) in contestants.iter().zip(rates(&contestants.map(|(_, run)| run), args.rounds)) {
        println!("| {name} | {} |", output::scaled(rate));
    }
}

fn count(perft: Perft<'_, Dynamic>) -> u128 {
    let found = perft.take(6).last().expect("six counts");
    assert_eq!(found, SEQUENCES);
    found
}

fn lanes(game: &Dynamic, seconds: f64) -> u128 {
    let run = Playouts::new(game).threads(1).within(Duration::from_secs_f64(seconds)).run();
    run.tally.states.into()
}

fn perft(board: &Board, depth: usize) -> u128 {
    let mut count = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            count += moves.len() as u128;
        } else {
            for action in moves {
                let mut next = board.clone();
                next.play_unchecked(action);
                count += perft(&next, depth - 1);
            }
        }
        false
    });
    assert!(depth < 6 || count == SEQUENCES);
    count
}

/// Plays random games for at least `seconds`, one game or more. Returns the number of their states.
fn random_games(seconds: f64) -> u128 {
    let mut generator = Generator::new(1);
    let start = ProcessTime::now();
    let (mut states, mut wins) = (0, 0_u64);
    while states == 0 || start.elapsed().as_secs_f64() < seconds {
        let mut board = Board::default();
        loop {
            let mut moves: Vec<Move> = Vec::with_capacity(64);
            board.generate_moves(|list| {
                moves.extend(list);
                false
            });
            if moves.is_empty() {
                wins += u64::from(board.status() == GameStatus::Won);
                break;
            }
            if board.halfmove_clock() >= 100 || cannot_mate(&board) {
                break;
            }
            board.play_unchecked(moves[below(&mut || generator.draw(), moves.len() as u64) as usize]);
            states += 1;
        }
    }
    black_box(wins);
    states
}

/// Returns whether neither player can mate: besides the kings there are no pieces, a single knight,
/// or bishops on squares of one colour.
fn cannot_mate(board: &Board) -> bool {
    let [kings, knights, bishops] =
        [Piece::King, Piece::Knight, Piece::Bishop].map(|piece| board.pieces(piece));
    board.occupied() == kings | knights | bishops
        && match knights.len() {
            0 => {
                (bishops & BitBoard::DARK_SQUARES).is_empty()
                    || (bishops & BitBoard::LIGHT_SQUARES).is_empty()
            }
            1 => bishops.is_empty(),
            _ => false,
        }
}

//! Batched successor generation and perft per second of processor time, on one thread.
//!
//!     cargo bench -p gdl-benches --bench expand -- [--rounds N]
//!
//! Successors are those of pairs of a state and a joint move from random games, 512 to a pass. A
//! pass reads and writes rows of bits, including the views of the successors. Perft counts the
//! sequences of the greatest length. Contestants take turns, and figures are medians of the rounds.

use clap::Parser;
use gdl_benches::turns::rates;
use gdl_games::find;
use gdl_runtime::{
    Dynamic, Game, GameExt,
    chance::Stream,
    dynamic::MoveId,
    engine::{RowBatch, RowExpansion},
    lanes::Isa,
    load,
    perft::Perft,
    playouts::PlayoutMode,
};
use gdl_tools::output::scaled;
use std::cell::RefCell;

/// The number of rounds.
#[derive(Debug, Parser)]
struct Args {
    /// Rounds, in which all contestants of a game take turns
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// The argument that `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// The games, and the depths of their perft.
const GAMES: &[(&str, usize)] =
    &[("tictactoe", 9), ("connect_four", 10), ("breakthrough", 6), ("reversi", 8), ("checkers", 8)];

/// The number of distinct passes, small enough that the pairs stay in the cache.
const PASSES: usize = 16;

/// The number of times that a round repeats all passes.
const REPEATS: usize = 64;

fn game(name: &str) -> Dynamic {
    load(find(name).expect("a built-in game").text).expect("built-in rulesheets load")
}

/// The pairs of a pass: the words of the states, and the moves of all roles, pair after pair.
#[derive(Clone, Default)]
struct Pairs {
    states: Vec<u64>,
    joints: Vec<MoveId>,
}

/// Pairs from random games. Each pass has pairs of one phase of the cycle.
fn passes(game: &Dynamic, expansion: &RowExpansion<'_>) -> Vec<(usize, Pairs)> {
    let mut stream = Stream::new(1, 1);
    let mut open = vec![Pairs::default(); expansion.phases()];
    let mut full = Vec::new();
    let mut state = game.initial();
    while full.len() < PASSES {
        let view = game.view(&state);
        let joint: Option<Vec<MoveId>> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
        let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else {
            state = game.initial();
            continue;
        };
        let phase = expansion.phase(state.as_ref()).expect("play comes to it");
        let pairs = &mut open[phase];
        pairs.states.extend(state.as_ref());
        pairs.joints.extend(&joint);
        if pairs.joints.len() == RowExpansion::LANES * joint.len() {
            full.push((phase, std::mem::take(pairs)));
        }
        game.advance(&mut state, &joint);
    }
    full
}

fn main() {
    let args = Args::parse();
    println!("| game | successors, best | successors, portable | perft in lanes | perft, one at a time |");
    println!("|---|---:|---:|---:|---:|");
    for &(name, depth) in GAMES {
        let game = game(name);
        let [best, portable] = [Isa::best(), Isa::Portable].map(|isa| successors(&game, isa));
        let perft = |mode| Perft::new(&game).engine(mode).nth(depth - 1).expect("there is no end of counts");
        let contestants: [&dyn Fn() -> u128; 4] =
            [&best, &portable, &|| perft(PlayoutMode::Lanes), &|| perft(PlayoutMode::Single)];
        let rates: Vec<String> = rates(&contestants, args.rounds).into_iter().map(scaled).collect();
        println!("| {name} | {} |", rates.join(" | "));
    }
}

/// A contestant that generates the successors of all passes. It returns their number.
fn successors(game: &Dynamic, isa: Isa) -> impl Fn() -> u128 {
    let table = game.table().expect("a table");
    let expansion = RowExpansion::new(table, isa).expect("built-in games play in lanes");
    let passes = passes(game, &expansion);
    let tools = RefCell::new((expansion, RowBatch::new(game.shape())));
    move || {
        let (expansion, batch) = &mut *tools.borrow_mut();
        for (phase, pairs) in passes.iter().cycle().take(REPEATS * PASSES) {
            expansion.start(*phase);
            expansion.extend(&pairs.states, &pairs.joints);
            expansion.advance(batch);
            std::hint::black_box(batch.is_terminal(0));
        }
        (REPEATS * PASSES * RowExpansion::LANES) as u128
    }
}

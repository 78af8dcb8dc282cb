//! Batched successor generation and perft, on one thread.
//!
//! Items of `children` are pairs of a state and a joint move from random games, 512 to a pass. A
//! pass reads and writes rows of bits, including the views of the successors. Items of `perft` are
//! the sequences of the greatest length.

use divan::{Bencher, counter::ItemsCount};
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

fn main() {
    divan::main();
}

/// The games, and the depths of their perft.
const GAMES: &[(&str, usize)] =
    &[("tictactoe", 9), ("connect_four", 10), ("breakthrough", 6), ("reversi", 8), ("checkers", 8)];

/// The number of passes of a sample, small enough that the pairs stay in the cache.
const PASSES: usize = 16;

fn names() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|(name, _)| *name)
}

fn depth(name: &str) -> usize {
    GAMES.iter().find(|(game, _)| *game == name).expect("listed").1
}

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

#[divan::bench(name = "children, best instruction set", args = names(), sample_count = 20)]
fn children(bencher: Bencher<'_, '_>, name: &str) {
    bench_children(bencher, name, Isa::best());
}

#[divan::bench(name = "children, portable", args = names(), sample_count = 5)]
fn portable_children(bencher: Bencher<'_, '_>, name: &str) {
    bench_children(bencher, name, Isa::Portable);
}

fn bench_children(bencher: Bencher<'_, '_>, name: &str, isa: Isa) {
    let game = game(name);
    let table = game.table().expect("a table");
    let mut expansion = RowExpansion::new(table, isa).expect("built-in games play in lanes");
    let mut batch = RowBatch::new(game.shape());
    let passes = passes(&game, &expansion);
    bencher.counter(ItemsCount::new(PASSES * RowExpansion::LANES)).bench_local(|| {
        let mut ends = 0;
        for (phase, pairs) in &passes {
            expansion.start(*phase);
            expansion.extend(&pairs.states, &pairs.joints);
            expansion.advance(&mut batch);
            ends += usize::from(batch.is_terminal(0));
        }
        ends
    });
}

#[divan::bench(name = "perft, lanes", args = names(), sample_count = 10)]
fn perft_in_lanes(bencher: Bencher<'_, '_>, name: &str) {
    bench_perft(bencher, name, PlayoutMode::Lanes);
}

#[divan::bench(name = "perft, one state at a time", args = names(), sample_count = 3)]
fn perft_singly(bencher: Bencher<'_, '_>, name: &str) {
    bench_perft(bencher, name, PlayoutMode::Single);
}

fn bench_perft(bencher: Bencher<'_, '_>, name: &str, engine: PlayoutMode) {
    let (game, depth) = (game(name), depth(name));
    let count = |engine| Perft::new(&game).engine(engine).nth(depth - 1).expect("there is no end of counts");
    let leaves = u64::try_from(count(PlayoutMode::Lanes)).expect("few enough");
    bencher.counter(ItemsCount::new(leaves)).bench_local(|| count(engine));
}

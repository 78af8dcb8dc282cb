//! Random playouts of each game on one thread: by hand, in lanes, compiled, by the table engine, and evaluated
//! state by state.
//!
//! Items are playouts, so `items/s` is playouts per second. Compiled games and tables draw from the same
//! kind of generator as the loops, and every choice is exactly uniform in all of them.

use divan::{Bencher, counter::ItemsCount};
use gdl_benches::hand::{self, Generator, Outcome};
use gdl_games::{Entry, Visitor, find, visit};
use gdl_runtime::{
    Engine, Game, Isa, Playouts, load,
    load::{Options, load_lifted},
};
use std::cell::Cell;

fn main() {
    divan::main();
}

/// Games with a hand-written loop, and the playouts of one sample.
const GAMES: &[(&str, u64)] = &[
    ("tictactoe", 20_000),
    ("connect_four", 5_000),
    ("breakthrough_small", 2_000),
    ("breakthrough", 1_000),
    ("reversi", 100),
    ("nim", 20_000),
    ("lights_out", 5_000),
    ("rock_paper_scissors", 20_000),
];

fn names() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|(name, _)| *name)
}

fn count(name: &str) -> u64 {
    GAMES.iter().find(|(game, _)| *game == name).expect("listed").1
}

#[divan::bench(name = "by hand", args = names(), sample_count = 20)]
fn by_hand(bencher: Bencher<'_, '_>, name: &str) {
    fn run(bencher: Bencher<'_, '_>, count: u64, playout: impl Fn(&mut Generator) -> Outcome) {
        let mut generator = Generator::new(7);
        bencher
            .counter(ItemsCount::new(count))
            .bench_local(|| (0..count).map(|_| u64::from(playout(&mut generator).length)).sum::<u64>());
    }
    let count = count(name);
    match name {
        "tictactoe" => run(bencher, count, |g| hand::tictactoe::playout(&mut || g.draw())),
        "connect_four" => run(bencher, count, |g| hand::connect_four::playout(&mut || g.draw())),
        "breakthrough_small" => run(bencher, count, |g| hand::breakthrough::playout::<6>(&mut || g.draw())),
        "breakthrough" => run(bencher, count, |g| hand::breakthrough::playout::<8>(&mut || g.draw())),
        "reversi" => run(bencher, count, |g| hand::reversi::playout(&mut || g.draw())),
        "nim" => run(bencher, count, |g| hand::nim::playout(&mut || g.draw())),
        "lights_out" => run(bencher, count, |g| hand::lights_out::playout(&mut || g.draw())),
        "rock_paper_scissors" => {
            run(bencher, count, |g| hand::rock_paper_scissors::playout(&mut || g.draw()));
        }
        _ => unreachable!("every listed game has a loop"),
    }
}

#[divan::bench(name = "compiled", args = names(), sample_count = 20)]
fn compiled(bencher: Bencher<'_, '_>, name: &str) {
    struct Bench<'a, 'b> {
        bencher: Bencher<'a, 'b>,
        count: u64,
    }
    impl Visitor for Bench<'_, '_> {
        type Output = ();

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, _: &'static Entry) {
            bench(self.bencher, &game, self.count);
        }
    }
    visit(name, Bench { bencher, count: count(name) }).expect("a built-in game");
}

#[divan::bench(name = "table", args = names(), sample_count = 20)]
fn table(bencher: Bencher<'_, '_>, name: &str) {
    let game = load(find(name).expect("a built-in game").text).expect("built-in rulesheets load");
    bench(bencher, &game, count(name));
}

/// Of how many playouts of lanes the others make one: lanes play them by blocks of tens of thousands.
const FASTER: u64 = 200;

#[divan::bench(name = "lanes, best instruction set", args = names(), sample_count = 20)]
fn lanes(bencher: Bencher<'_, '_>, name: &str) {
    bench_lanes(bencher, name, Isa::best());
}

#[divan::bench(name = "lanes, portable", args = names(), sample_count = 5)]
fn portable_lanes(bencher: Bencher<'_, '_>, name: &str) {
    bench_lanes(bencher, name, Isa::Portable);
}

fn bench_lanes(bencher: Bencher<'_, '_>, name: &str, isa: Isa) {
    let game = load(find(name).expect("a built-in game").text).expect("built-in rulesheets load");
    let (seed, count) = (Cell::new(0), count(name) * FASTER);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        seed.set(seed.get() + 1);
        let playouts = Playouts::new(&game).seed(seed.get()).threads(1).count(count);
        playouts.engine(Engine::Lanes).isa(isa).run()
    });
}

/// Of how many playouts of the other engines this one makes one.
const SLOWER: u64 = 20;

#[divan::bench(name = "lifted", args = names(), sample_count = 5)]
fn lifted(bencher: Bencher<'_, '_>, name: &str) {
    let text = find(name).expect("a built-in game").text;
    let game = load_lifted(name, text, &Options::default()).expect("built-in rulesheets load");
    bench(bencher, &game, count(name) / SLOWER);
}

fn bench<G: Game>(bencher: Bencher<'_, '_>, game: &G, count: u64) {
    let seed = Cell::new(0);
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        seed.set(seed.get() + 1);
        Playouts::new(game).engine(Engine::Single).seed(seed.get()).threads(1).count(count).run()
    });
}

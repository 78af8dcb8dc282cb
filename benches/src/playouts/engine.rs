//! The engines of a contest. Each [`Engine`] creates a [`Player`] for a game.

use crate::hand::{self, Generator, Outcome};
use gdl_games::{Entry, Visitor, find, visit};
use gdl_runtime::{Dynamic, Game, Loader, Playouts, lanes::Isa, load};
use std::{
    hint::black_box,
    thread,
    time::{Duration, Instant},
};

/// The games that have a hand-written baseline.
pub(super) const GAMES: [&str; 8] = [
    "tictactoe",
    "connect_four",
    "breakthrough_small",
    "breakthrough",
    "reversi",
    "nim",
    "lights_out",
    "rock_paper_scissors",
];

/// A way to run playouts.
pub(super) struct Engine {
    pub(super) name: &'static str,
    /// True if the instruction set of a setup affects the engine.
    pub(super) has_isas: bool,
    /// Creates a player of a game by its name.
    pub(super) make: fn(&'static str) -> Player,
}

/// All engines. The first is the baseline of all ratios.
pub(super) const ENGINES: &[Engine] = &[
    Engine { name: "by hand", has_isas: false, make: by_hand },
    Engine { name: "lanes", has_isas: true, make: lanes },
    Engine { name: "table lanes", has_isas: true, make: table_lanes },
    Engine { name: "compiled", has_isas: false, make: compiled },
    Engine { name: "table", has_isas: false, make: table },
    Engine { name: "lifted", has_isas: false, make: lifted },
];

/// A function that plays games with one engine.
pub(super) type Player = Box<dyn Fn(&Run) -> Played>;

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) seed: u64,
    pub(super) end: End,
    pub(super) threads: usize,
    pub(super) isa: Isa,
}

/// The condition for the end of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// After this number of seconds; games in progress are finished.
    Seconds(f64),
    /// After this number of playouts.
    Count(u64),
}

/// The numbers of games and states played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) playouts: u64,
    pub(super) states: u64,
}

/// The number of games that the loops play between two looks at the clock.
const BATCH: u64 = 4096;

fn by_hand(game: &'static str) -> Player {
    match game {
        "tictactoe" => repeat(|g| hand::tictactoe::playout(&mut || g.draw())),
        "connect_four" => repeat(|g| hand::connect_four::playout(&mut || g.draw())),
        "breakthrough_small" => repeat(|g| hand::breakthrough::playout::<6>(&mut || g.draw())),
        "breakthrough" => repeat(|g| hand::breakthrough::playout::<8>(&mut || g.draw())),
        "reversi" => repeat(|g| hand::reversi::playout(&mut || g.draw())),
        "nim" => repeat(|g| hand::nim::playout(&mut || g.draw())),
        "lights_out" => repeat(|g| hand::lights_out::playout(&mut || g.draw())),
        "rock_paper_scissors" => repeat(|g| hand::rock_paper_scissors::playout(&mut || g.draw())),
        _ => unreachable!("every listed game has a loop"),
    }
}

/// Repeats a playout function on each thread, with a separate generator.
fn repeat(playout: impl Fn(&mut Generator) -> Outcome + Copy + Send + 'static) -> Player {
    let play = move |generator: &mut Generator, count| {
        let (mut states, mut goals) = (0, 0);
        for _ in 0..count {
            let outcome = playout(generator);
            states += u64::from(outcome.length);
            goals += u64::from(outcome.goal);
        }
        // Goals are computed, as the engines do, but not used.
        black_box(goals);
        states
    };
    Box::new(move |run| {
        let share = move |thread: u64| {
            let mut generator = Generator::new(run.seed << 16 | thread);
            match run.end {
                End::Count(count) => {
                    let threads = run.threads as u64;
                    let playouts = count / threads + u64::from(thread < count % threads);
                    Played { playouts, states: play(&mut generator, playouts) }
                }
                End::Seconds(seconds) => {
                    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
                    let mut played = Played::default();
                    while played.playouts == 0 || start.elapsed() < limit {
                        played.playouts += BATCH;
                        played.states += play(&mut generator, BATCH);
                    }
                    played
                }
            }
        };
        if run.threads == 1 {
            return share(0);
        }
        thread::scope(|scope| {
            let workers: Vec<_> =
                (0..run.threads as u64).map(|thread| scope.spawn(move || share(thread))).collect();
            let parts = workers.into_iter().map(|worker| worker.join().expect("loops do not panic"));
            parts.fold(Played::default(), |sum, part| Played {
                playouts: sum.playouts + part.playouts,
                states: sum.states + part.states,
            })
        })
    })
}

/// The code that `gdl!` compiled, in lanes of 512 games.
fn lanes(game: &'static str) -> Player {
    built_in(game, gdl_runtime::playouts::PlayoutMode::Lanes)
}

/// The code that `gdl!` compiled, in single mode.
fn compiled(game: &'static str) -> Player {
    built_in(game, gdl_runtime::playouts::PlayoutMode::Single)
}

/// The table of the rulesheet, in single mode.
fn table(game: &'static str) -> Player {
    playouts(loaded(game), gdl_runtime::playouts::PlayoutMode::Single)
}

/// The table of the rulesheet, in lanes of 512 games.
fn table_lanes(game: &'static str) -> Player {
    playouts(loaded(game), gdl_runtime::playouts::PlayoutMode::TableLanes)
}

/// The lifted engine, which interprets the rules.
fn lifted(game: &'static str) -> Player {
    let text = find(game).expect("a built-in game").text;
    let game = Loader::new().name(game).lifted().load(text).expect("built-in rulesheets load");
    playouts(game, gdl_runtime::playouts::PlayoutMode::Single)
}

fn built_in(game: &str, engine: gdl_runtime::playouts::PlayoutMode) -> Player {
    struct Make(gdl_runtime::playouts::PlayoutMode);
    impl Visitor for Make {
        type Output = Player;

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
            self,
            game: G,
            _: &'static Entry,
        ) -> Player {
            playouts(game, self.0)
        }
    }
    visit(game, Make(engine)).expect("a built-in game")
}

fn loaded(game: &str) -> Dynamic {
    load(find(game).expect("a built-in game").text).expect("built-in rulesheets load")
}

fn playouts<G: Game + 'static>(game: G, engine: gdl_runtime::playouts::PlayoutMode) -> Player {
    Box::new(move |run| {
        let playouts = Playouts::new(&game).engine(engine).isa(run.isa).seed(run.seed).threads(run.threads);
        let playouts = match run.end {
            End::Seconds(seconds) => playouts.within(Duration::from_secs_f64(seconds)),
            End::Count(count) => playouts.count(count),
        };
        let tally = playouts.run().tally;
        Played { playouts: tally.playouts, states: tally.states }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_plays_every_game_as_long_as_asked() {
        for game in GAMES {
            for engine in ENGINES {
                let player = (engine.make)(game);
                for threads in [1, 3] {
                    let run = Run { seed: 1, end: End::Count(5), threads, isa: Isa::Portable };
                    let played = player(&run);
                    assert!(played.playouts == 5 && played.states >= 5, "{game}, {}", engine.name);
                    let run = Run { end: End::Seconds(0.0), ..run };
                    assert!(player(&run).playouts > 0, "{game}, {}", engine.name);
                }
            }
        }
    }
}

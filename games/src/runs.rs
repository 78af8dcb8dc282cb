//! Playouts and perft of compiled games.
//!
//! [`Playouts`] and [`Perft`] are generic in the game. Here both are compiled once for each
//! compiled game, as types without parameters, so that a program which offers all games compiles
//! neither.

use crate::{Entry, Visitor, visit};
use gdl_runtime::{Game, GameExt, Playouts, Stats, lanes::Isa, perft::Perft, playouts::PlayoutMode};
use std::{ops::Range, time::Duration};

/// Settings of playouts; fields that are `None` have the defaults of [`Playouts`].
#[derive(Default)]
pub struct PlayoutSettings<'a> {
    /// The seed of the random moves.
    pub seed: u64,
    /// The number of playouts.
    pub count: Option<u64>,
    /// The blocks to play, as for [`Playouts::blocks`].
    pub blocks: Option<Range<u64>>,
    /// The time after which no new block of playouts starts.
    pub time: Option<Duration>,
    /// The number of threads; one per processor if 0.
    pub threads: usize,
    /// The engine, such as lanes or single states.
    pub engine: Option<PlayoutMode>,
    /// The instruction set of lanes.
    pub isa: Option<Isa>,
    /// A callback for progress: the number of playouts so far.
    pub progress: Option<Box<dyn FnMut(u64) + 'a>>,
}

impl std::fmt::Debug for PlayoutSettings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seed, count, blocks, time, threads, engine, isa, progress: _ } = self;
        f.debug_struct("PlayoutSettings")
            .field("seed", seed)
            .field("count", count)
            .field("blocks", blocks)
            .field("time", time)
            .field("threads", threads)
            .field("engine", engine)
            .field("isa", isa)
            .finish_non_exhaustive()
    }
}

impl PlayoutSettings<'_> {
    /// Plays random games. Time and memory are those of [`Playouts::run`].
    ///
    /// # Panics
    /// Panics if the game does.
    #[must_use]
    pub fn run<G: Game>(self, game: &G) -> Stats {
        let Self { seed, count, blocks, time, threads, engine, isa, progress } = self;
        let mut playouts = Playouts::new(game).seed(seed).threads(threads);
        playouts = count.into_iter().fold(playouts, Playouts::count);
        playouts = blocks.into_iter().fold(playouts, Playouts::blocks);
        playouts = time.into_iter().fold(playouts, Playouts::within);
        playouts = engine.into_iter().fold(playouts, Playouts::engine);
        playouts = isa.into_iter().fold(playouts, Playouts::isa);
        playouts = progress.into_iter().fold(playouts, Playouts::progress);
        playouts.run()
    }
}

/// Plays random games of the compiled game called `name`. Returns `None` if no compiled game has
/// this name.
///
/// ```
/// use gdl_games::{PlayoutSettings, playouts};
///
/// let settings = PlayoutSettings { count: Some(1000), ..PlayoutSettings::default() };
/// assert_eq!(playouts("tictactoe", settings).unwrap().tally.playouts, 1000);
/// assert!(playouts("chess_on_the_moon", PlayoutSettings::default()).is_none());
/// ```
#[must_use]
pub fn playouts(name: &str, settings: PlayoutSettings<'_>) -> Option<Stats> {
    struct Plays<'a>(PlayoutSettings<'a>);

    impl Visitor for Plays<'_> {
        type Output = Stats;

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
            self,
            game: G,
            _: &'static Entry,
        ) -> Stats {
            self.0.run(&game)
        }
    }

    visit(name, Plays(settings))
}

/// Settings of perft; fields that are `None` have the defaults of [`Perft`].
#[derive(Clone, Copy, Debug, Default)]
pub struct PerftSettings {
    /// The engine, such as lanes or single states.
    pub engine: Option<PlayoutMode>,
    /// The instruction set of lanes.
    pub isa: Option<Isa>,
}

impl PerftSettings {
    /// Creates a counter of the game's sequences of joint moves.
    #[must_use]
    pub fn counter<G: Game>(self, game: &G) -> impl Counter + '_ {
        Counting { game, settings: self, perft: self.perft(game) }
    }

    fn perft<G: Game>(self, game: &G) -> Perft<'_, G> {
        let perft = self.engine.into_iter().fold(Perft::new(game), Perft::engine);
        self.isa.into_iter().fold(perft, Perft::isa)
    }
}

/// A type-erased [`Perft`] of a compiled game.
pub trait Counter {
    /// The engine that counts; it may differ from the requested one.
    fn engine(&mut self) -> PlayoutMode;

    /// Counts the sequences that are one joint move longer than those counted before, of length 1
    /// at first. Counts from 2^128 on are `u128::MAX`. Time and memory are those of [`Perft`].
    fn count(&mut self) -> u128;

    /// Returns the number of states whose joint moves the last call of [`Counter::count`] counted.
    fn states(&self) -> u64;

    /// Returns the initial state's joint moves as texts, each with the number of sequences of
    /// length `depth` that start with it.
    fn divide(&self, depth: usize) -> Vec<(Vec<String>, u128)>;
}

struct Counting<'g, G: Game> {
    game: &'g G,
    settings: PerftSettings,
    perft: Perft<'g, G>,
}

impl<G: Game> Counter for Counting<'_, G> {
    fn engine(&mut self) -> PlayoutMode {
        self.perft.runs()
    }

    fn count(&mut self) -> u128 {
        self.perft.next().unwrap_or(0)
    }

    fn states(&self) -> u64 {
        self.perft.states()
    }

    fn divide(&self, depth: usize) -> Vec<(Vec<String>, u128)> {
        let text = |&action: &G::Move| self.game.move_text(action).to_owned();
        let list = self.settings.perft(self.game).divide(depth);
        list.into_iter().map(|(joint, count)| (joint.iter().map(text).collect(), count)).collect()
    }
}

/// Calls `work` with a counter of the compiled game called `name`. Returns `None` if no compiled
/// game has this name.
///
/// ```
/// use gdl_games::{PerftSettings, perft};
///
/// let mut counts = Vec::new();
/// perft("tictactoe", PerftSettings::default(), &mut |counter| {
///     counts.extend([counter.count(), counter.count()]);
/// });
/// assert_eq!(counts, [9, 72]);
/// ```
pub fn perft(name: &str, settings: PerftSettings, work: &mut dyn FnMut(&mut dyn Counter)) -> Option<()> {
    struct Counts<'a>(PerftSettings, &'a mut dyn FnMut(&mut dyn Counter));

    impl Visitor for Counts<'_> {
        type Output = ();

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, _: &'static Entry) {
            (self.1)(&mut self.0.counter(&game));
        }
    }

    visit(name, Counts(settings, work))
}

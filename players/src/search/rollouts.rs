//! Rollouts of a search: the mean goals of the roles in random games from given states.

use super::payoff::Payoff;
use crate::player::Budget;
use gdl_runtime::{
    Game, bits,
    chance::Stream,
    engine::{RowLeaves, legal_words},
    game::Id,
    lanes::Isa,
    playouts::Tally,
};
#[cfg(feature = "load")]
use {crate::decisive, std::time::Instant};

/// The maximum number of steps of a random game; a longer one counts as [`UNKNOWN`] for each role.
const MAX_LENGTH: u64 = 2000;

/// The goal that stands for an unknown one.
const UNKNOWN: f32 = 50.0;

/// A player of rollouts: hundreds of games at once in lanes if possible, otherwise one for each
/// state.
pub(crate) struct Rollouts<'g, G: Game> {
    game: &'g G,
    payoff: Payoff,
    lanes: Option<RowLeaves<'g>>,
    tallies: Vec<Tally>,
    stream: Stream,
    seed: u64,
    block: u64,
    view: G::View,
    joint: Vec<G::Move>,
}

/// The minimum number of nodes of a search for which decisive play pays. In breakthrough, at equal
/// times, it scored 41 % of the points with half of this number, and 75 % with three times this
/// number.
#[cfg(feature = "load")]
const DECISIVE_FROM: u32 = 1000;

/// The share of a search's time for making the table of decisive play: one part in this number.
#[cfg(feature = "load")]
const MAKING: u32 = 4;

/// Returns whether decisive play improves searches with these budgets, and makes its table if
/// needed. The budget `first` is for the first search; each later one has a part of `1 / parts` of
/// it.
#[cfg(feature = "load")]
pub(crate) fn are_decisive<G: Game>(game: &G, first: &Budget, parts: u32) -> bool {
    let time = first.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    let pays = |node| time.is_none_or(|time| time / parts / DECISIVE_FROM >= node);
    first.nodes().is_none_or(|nodes| nodes / u64::from(parts) >= u64::from(DECISIVE_FROM))
        && game
            .table()
            .and_then(|table| decisive::within(table, time.map(|time| time / MAKING), first.cancel()))
            .is_some_and(|decisive| pays(decisive.node))
}

/// Returns false, since decisive play needs the compiler.
#[cfg(not(feature = "load"))]
pub(crate) fn are_decisive<G: Game>(_: &G, _: &Budget, _: u32) -> bool {
    false
}

/// The kinds of random games of a search, in ascending order of cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RolloutKind {
    /// One game for each state.
    Single,
    /// Hundreds of games at once in lanes, if possible.
    Lanes,
    /// Hundreds of games at once in lanes, with decisive moves.
    Decisive,
}

impl RolloutKind {
    /// Returns the kind of games with all legal moves.
    pub(crate) fn of(in_lanes: bool) -> Self {
        if in_lanes { Self::Lanes } else { Self::Single }
    }
}

impl<'g, G: Game> Rollouts<'g, G> {
    /// Returns the maximum number of states to play from at once.
    pub(crate) fn batch(&self) -> usize {
        if self.lanes.is_some() { RowLeaves::MOST } else { 1 }
    }

    /// Creates rollouts whose random numbers depend on the seed and the thread.
    pub(crate) fn new(game: &'g G, kind: RolloutKind, seed: u64, thread: u64) -> Self {
        let table = game.table().filter(|_| kind != RolloutKind::Single);
        #[cfg(feature = "load")]
        let table = match table {
            Some(table) if kind == RolloutKind::Decisive => {
                decisive::made(table).map(|decisive| &decisive.table).or(Some(table))
            }
            table => table,
        };
        Self {
            game,
            payoff: Payoff::new(game),
            lanes: table.and_then(|table| RowLeaves::new(table, Isa::best(), MAX_LENGTH)),
            tallies: vec![Tally::new(game.shape().roles); RowLeaves::MOST],
            stream: Stream::new(seed, thread),
            seed: seed ^ thread.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            block: 0,
            view: game.new_view(),
            joint: vec![G::Move::from_index(0); game.shape().roles],
        }
    }

    /// Writes the mean goals of all roles for each of the states. Returns the number of games
    /// played.
    pub(crate) fn play(&mut self, states: &[&G::State], means: &mut Vec<f32>) -> u64 {
        let roles = self.game.shape().roles;
        means.clear();
        means.resize(states.len() * roles, UNKNOWN);
        let mut games = 0;
        if self.lanes.is_none() {
            for (state, means) in states.iter().zip(means.chunks_mut(roles)) {
                self.play_single(state, means);
                games += 1;
            }
            return games;
        }
        let mut left: Vec<usize> = (0..states.len()).collect();
        while let (Some(lanes), Some(&first)) = (&mut self.lanes, left.first()) {
            let phase = lanes.phase(states[first].as_ref());
            let Some(phase) = phase else {
                // Play does not reach the state, so lanes have no phase for it.
                left.remove(0);
                self.play_single(states[first], &mut means[first * roles..][..roles]);
                games += 1;
                continue;
            };
            let mut together = Vec::with_capacity(RowLeaves::MOST);
            left.retain(|&number| {
                let fits =
                    together.len() < RowLeaves::MOST && lanes.phase(states[number].as_ref()) == Some(phase);
                if fits {
                    together.push(number);
                }
                !fits
            });
            let rows: Vec<&[u64]> = together.iter().map(|&number| states[number].as_ref()).collect();
            let tallies = &mut self.tallies[..rows.len()];
            tallies.iter_mut().for_each(|tally| *tally = Tally::new(roles));
            lanes.play_into(phase, &rows, self.seed, self.block, tallies);
            self.block += 1;
            for (&number, tally) in together.iter().zip(tallies) {
                games += tally.playouts;
                let (scored, all) = (tally.scored() as f32, tally.playouts as f32);
                for (role, counted) in tally.roles.iter().enumerate() {
                    means[number * roles + role] = (counted.goals as f32 + UNKNOWN * (all - scored)) / all;
                }
            }
        }
        games
    }

    fn play_single(&mut self, state: &G::State, means: &mut [f32]) {
        let (game, shape) = (self.game, self.game.shape());
        let mut state = state.clone();
        for _ in 0..MAX_LENGTH {
            game.observe_without_goals(&state, &mut self.view);
            let seen = self.view.as_ref();
            if bits::test(seen, shape.terminal_bit()) {
                means
                    .iter_mut()
                    .enumerate()
                    .for_each(|(role, mean)| *mean = self.payoff.goal(seen, role).into());
                return;
            }
            for (role, action) in self.joint.iter_mut().enumerate() {
                match bits::choose(legal_words(seen, shape, role), |n| self.stream.below(n)) {
                    Some(index) => *action = G::Move::from_index(index),
                    None => return,
                }
            }
            game.advance(&mut state, &self.joint);
        }
    }
}

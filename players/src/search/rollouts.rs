//! Rollouts of a search: the goals that the roles get on average in random games from given states.

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

/// Moves after which a random game is abandoned, as half a win for each.
const MAX_LENGTH: u64 = 2000;

/// The goal that counts as one that is not known.
const UNKNOWN: f32 = 50.0;

/// Rollouts, hundreds at once in lanes if the game can be played so, otherwise one for each state.
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

/// Nodes from which on a search is better by decisive play. With half as many, breakthrough had 41
/// % of the points at equal times, with three times as many 75 %.
#[cfg(feature = "load")]
const DECISIVE_FROM: u32 = 1000;

/// The share of a search's time that making the table of decisive play may take: one part in this
/// number.
#[cfg(feature = "load")]
const MAKING: u32 = 4;

/// Returns whether decisive play makes searches of these budgets better; `first` is what there is
/// now, in which it would be made, and those after it have one part in `parts` of that.
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

/// It takes the compiler to know.
#[cfg(not(feature = "load"))]
pub(crate) fn are_decisive<G: Game>(_: &G, _: &Budget, _: u32) -> bool {
    false
}

/// The kinds of random games of a search, in the order of their evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// One for each state.
    Single,
    /// Hundreds at once, where the game can be played so.
    Lanes,
    /// The same, by decisive moves.
    Decisive,
}

impl Kind {
    /// By all legal moves.
    pub(crate) fn of(in_lanes: bool) -> Self {
        if in_lanes { Self::Lanes } else { Self::Single }
    }
}

impl<'g, G: Game> Rollouts<'g, G> {
    /// The most states that should be played at once.
    pub(crate) fn batch(&self) -> usize {
        if self.lanes.is_some() { RowLeaves::MOST } else { 1 }
    }

    /// Games with random numbers of their own for each seed and thread.
    pub(crate) fn new(game: &'g G, kind: Kind, seed: u64, thread: u64) -> Self {
        let table = game.table().filter(|_| kind != Kind::Single);
        #[cfg(feature = "load")]
        let table = match table {
            Some(table) if kind == Kind::Decisive => {
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

    /// The mean goals of all roles, for each of the states. The number of games played.
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
                // No play comes to it, so nothing is known of it in lanes.
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

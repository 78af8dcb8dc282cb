//! Solutions of small games, for one role or for two that take turns: the values of all states that
//! play can reach.
//!
//! States are visited breadth first and numbered; then values go back from the ends, against the
//! moves, until none changes (retrograde analysis). So games that can go round in circles are
//! solved too: play without end is worth nothing to one role, and half to each of two.
//!
//! States that a symmetry takes into each other are one. That a permutation is a symmetry is proved
//! as the states are visited: of every state that is kept, all images are looked at too, and must
//! have the images of its legal moves, goals and successors. At the first that does not, the
//! permutation is dropped and the visit begins again. That saves memory, and all the work on
//! values; it saves no steps of the game, which are made in lanes.
//!
//! Steps are bounded by the nodes of a budget. All that grows with the game keeps to a number of
//! bytes.

mod look;
mod values;
mod visit;

use super::{
    meter::Meter,
    options::Options,
    states::States,
    symmetry::{Symmetry, candidates},
};
use crate::player::Budget;
use gdl_runtime::{Game, GameExt, bits, chance::Stream, game::Id};
use look::Look;
use std::{error::Error, fmt, marker::PhantomData};
use visit::Visit;

/// The reason why a game was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// There are more than two roles.
    Roles,
    /// Chance has a choice.
    Chance,
    /// Roles choose at the same time.
    Simultaneous,
    /// It takes more memory than is allowed.
    Bytes {
        /// The most bytes.
        limit: usize,
    },
    /// The budget was spent first.
    Budget,
    /// There may be more choices in a row than a search recurses into.
    Length,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roles => f.write_str("only games for one or two roles can be solved"),
            Self::Chance => f.write_str("games of chance cannot be solved"),
            Self::Simultaneous => {
                f.write_str("games in which roles choose at the same time cannot be solved")
            }
            Self::Bytes { limit } => write!(f, "the states take more than {limit} bytes"),
            Self::Budget => f.write_str("the budget was spent before the game was solved"),
            Self::Length => f.write_str("games without a small bound on their length cannot be solved"),
        }
    }
}

impl Error for SolveError {}

/// The value of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solved {
    /// The goal that the role gets if both play as well as can be, where the goals of two add up to
    /// 100; otherwise half of 100 and how much more it gets than the other.
    pub value: f64,
    /// The number of moves to the end, if the player who is ahead hurries and the other one does
    /// not. `None` where neither is ahead.
    pub moves: Option<u32>,
}

/// The values of all states that play can reach from some state.
///
/// ```
/// use gdl_players::{Budget, search::Solution};
/// use gdl_runtime::{Game, GameExt, gdl};
///
/// gdl!(name = nim, rules = r"
///     (role left) (role right) (init (sticks 5)) (init (control left))
///     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
///     (minus 4 1 3) (minus 4 2 2) (minus 5 1 4) (minus 5 2 3) (other left right) (other right left)
///     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
///     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
///     (<= terminal (true (sticks 0)))
///     (<= (goal ?r 0) (true (control ?r)))
///     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
/// ");
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let game = nim::game();
///     let solution = Solution::of(&game, &game.initial(), 1 << 20, &Budget::unlimited())?;
///     let solved = solution.value(&game.initial(), nim::Role::Left).unwrap();
///     assert_eq!((solved.value, solved.moves), (100.0, Some(3)));
///     let best = solution.best(&game, &game.initial(), nim::Role::Left).unwrap();
///     assert_eq!(game.move_text(best), "(take 2)");
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Solution<G: Game> {
    states: States,
    symmetries: Vec<Symmetry>,
    /// The difference of the first player's goal and the second's in the end, or the goal of the
    /// only player.
    values: Vec<i8>,
    /// Moves to the end; [`NONE`] where neither is ahead.
    distances: Vec<u32>,
    players: Vec<usize>,
    game: PhantomData<fn() -> G>,
}

/// No state, no role, no number of moves.
const NONE: u32 = u32::MAX;

impl<G: Game> Solution<G> {
    /// Bytes that are enough for some millions of states.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// Solves what play can reach from a state. The nodes of the budget are states looked at,
    /// images among them, and names of fluents and moves.
    ///
    /// States, steps, values and what is looked at together take `bytes` at most; lanes and
    /// samples, which do not grow with the number of states, come on top.
    ///
    /// Time and memory: O(states and moves), where states that symmetries take into each other
    /// count once for memory.
    ///
    /// # Errors
    /// Returns an error if the game is not of the kind, or takes too much.
    pub fn of(game: &G, state: &G::State, bytes: usize, budget: &Budget) -> Result<Self, SolveError> {
        Self::within(game, state, bytes, &mut Meter::new(budget, u64::MAX))
    }

    /// Solves it within what a meter has left.
    pub(super) fn within(
        game: &G,
        state: &G::State,
        bytes: usize,
        meter: &mut Meter,
    ) -> Result<Self, SolveError> {
        let chance = game.chance_role();
        let players: Vec<usize> = game.roles().filter(|&role| Some(role) != chance).map(Id::index).collect();
        if players.is_empty() || players.len() > 2 {
            return Err(SolveError::Roles);
        }
        // Symmetries are looked for in names.
        let names = game.shape().fluents + game.shape().moves;
        if !meter.spend(names as u64) {
            return Err(SolveError::Budget);
        }
        let mut look = Look::new(game, players[0], bytes);
        let (count, rows) = sample(game, state);
        let words = game.shape().state_words();
        for group in candidates(game) {
            // Most that are none show it in a few states.
            if !meter.spend((count * (1 + group.len())) as u64) {
                return Err(SolveError::Budget);
            }
            if Self::is_likely(&mut look, words, &rows, &group)? {
                let mut visit = Visit::new(words, players.clone(), group, bytes);
                if visit.run(game, state, &mut look, meter)? {
                    return Ok(Self::of_visit(visit));
                }
            }
        }
        // There is nothing to speak against no symmetries.
        let mut visit = Visit::new(words, players, Vec::new(), bytes);
        visit.run(game, state, &mut look, meter)?;
        Ok(Self::of_visit(visit))
    }

    /// The number of states; those that symmetries map to each other count once.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// False: there is at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of symmetries that were proved and used, the identity among them.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.symmetries.len() + 1
    }

    /// The value of a state to a role; none of a state that play does not reach. O(words of a state
    /// and symmetries).
    #[must_use]
    pub fn value(&self, state: &G::State, role: G::Role) -> Option<Solved> {
        let (value, distance) = self.find(state)?;
        let value = f64::from(value);
        let value = match self.players[..] {
            [alone] => (alone == role.index()).then_some(value)?,
            _ if role.index() == self.players[0] => f64::midpoint(100.0, value),
            _ => f64::midpoint(100.0, -value),
        };
        Some(Solved { value, moves: (distance != NONE).then_some(distance) })
    }

    /// A best move of a role: to the greatest value, as soon as possible if it wins, as late as
    /// possible if it loses. Returns `None` if play does not reach the state or the role has no
    /// move there. The first such move in move order.
    #[must_use]
    pub fn best(&self, game: &G, state: &G::State, role: G::Role) -> Option<G::Move> {
        let mut view = game.new_view();
        game.observe_without_goals(state, &mut view);
        let mut options = Options::new(game);
        if game.is_terminal_in(&view) || !options.read(game, &view) {
            return None;
        }
        let moves: Vec<G::Move> = options.of(role.index()).to_vec();
        if let [only] = moves[..] {
            return Some(only);
        }
        let sign = if role.index() == self.players[0] { 1 } else { -1 };
        let rank = |action: &G::Move| {
            options.set(role.index(), *action);
            let (value, distance) = self.find(&game.apply_unchecked(state, options.joint()))?;
            let value = sign * i64::from(value);
            // Moves count as far as a role is ahead.
            let hurry = if distance == NONE { 0 } else { -value.signum() * i64::from(distance) };
            Some((value, hurry))
        };
        let ranked: Option<Vec<_>> = moves.iter().map(rank).collect();
        let ranked = ranked?;
        let best = ranked.iter().max()?;
        ranked.iter().position(|rank| rank == best).map(|place| moves[place])
    }

    /// True if no state of these speaks against a group of symmetries.
    fn is_likely(
        look: &mut Look<'_, G>,
        words: usize,
        rows: &[u64],
        group: &[Symmetry],
    ) -> Result<bool, SolveError> {
        let mut rest = rows;
        while !rest.is_empty() {
            match look.at(rest.len() / words, rest, group) {
                Ok(Some(seen)) => rest = &rest[seen * words..],
                Ok(None) | Err(SolveError::Bytes { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn find(&self, state: &G::State) -> Option<(i8, u32)> {
        let row = canonical(state.as_ref(), &self.symmetries);
        let number = self.states.find(&row)? as usize;
        Some((self.values[number], self.distances[number]))
    }
}

/// The least of all images of a row.
fn canonical(row: &[u64], symmetries: &[Symmetry]) -> Vec<u64> {
    let mut least = row.to_vec();
    let mut image = vec![0; row.len()];
    for symmetry in symmetries {
        permute(row, &symmetry.fluents, &mut image);
        if image < least {
            least.copy_from_slice(&image);
        }
    }
    least
}

fn permute(row: &[u64], to: &[u32], image: &mut [u64]) {
    image.fill(0);
    bits::ones(row).for_each(|bit| bits::set(image, to[bit] as usize));
}

/// The states of random games as consecutive rows, and their number.
fn sample<G: Game>(game: &G, start: &G::State) -> (usize, Vec<u64>) {
    const GAMES: u64 = 3;
    const MOVES: usize = 30;
    let (mut count, mut rows) = (0, Vec::new());
    let mut view = game.new_view();
    for number in 0..GAMES {
        let mut stream = Stream::new(0, number);
        let mut state = start.clone();
        for _ in 0..MOVES {
            rows.extend(state.as_ref());
            count += 1;
            game.observe_without_goals(&state, &mut view);
            let joint: Option<Vec<G::Move>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else { break };
            game.advance(&mut state, &joint);
        }
    }
    (count, rows)
}

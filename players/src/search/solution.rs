//! Solutions of small games, for one role or for two that take turns: the values of all states that
//! play can reach.
//!
//! States are visited breadth first and numbered. Retrograde analysis then propagates values from
//! the terminal states to their predecessors, until none changes. It also solves games with cycles:
//! an infinite play has the value 0 for one role, and 50 for each of two.
//!
//! States that a symmetry maps to each other are stored once. The visit proves that a permutation
//! is a symmetry: for each stored state it evaluates all images. The legal moves, goals and
//! successors of an image must be the images of the state's. After the first mismatch, the
//! permutation is dropped and the visit starts again. Symmetries save memory and work on values,
//! but no steps of the game, which run in lanes.
//!
//! The nodes of the budget bound the steps, and a number of bytes bounds all data that grow with
//! the game.

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
    /// The game has more than two roles, or none, apart from chance.
    Roles,
    /// Chance has a choice.
    Chance,
    /// Several roles choose at the same time.
    Simultaneous,
    /// The states take more memory than allowed.
    Bytes {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The budget was spent before the game was solved.
    Budget,
    /// There may be more consecutive choices than a search recurses into.
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
    /// The role's value if all play optimally: its goal if it plays alone, otherwise
    /// `50 + (own - other) / 2`. This is its goal if the goals add up to 100.
    pub value: f64,
    /// The number of moves to the end, if the player that is ahead takes the shortest way and the
    /// other the longest. `None` if neither is ahead.
    pub moves: Option<u32>,
}

/// The values of all states that play can reach from a start state.
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
    /// The first player's goal at the end minus the second's, or the goal of the only player.
    values: Vec<i8>,
    /// The number of moves to the end; [`NONE`] if neither is ahead.
    distances: Vec<u32>,
    players: Vec<usize>,
    game: PhantomData<fn() -> G>,
}

/// The number of moves to the end if neither player is ahead.
const NONE: u32 = u32::MAX;

impl<G: Game> Solution<G> {
    /// A number of bytes that suffices for some millions of states.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// Solves all states that play can reach from `state`. The nodes of the budget are the
    /// evaluated states, including their images, and the names of fluents and moves.
    ///
    /// States, steps, values and buffers together take at most `bytes`. Lanes and samples, which do
    /// not grow with the number of states, are not counted.
    ///
    /// O(states and moves) in time and memory; for memory, states that symmetries map to each other
    /// count once.
    ///
    /// # Errors
    /// Returns an error unless the game is for one role, or for two that take turns, without
    /// chance. Also returns an error if the game exceeds the bytes or the budget.
    pub fn of(game: &G, state: &G::State, bytes: usize, budget: &Budget) -> Result<Self, SolveError> {
        Self::within(game, state, bytes, &mut Meter::new(budget, u64::MAX))
    }

    /// Solves the game within the nodes and time that a meter has left.
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
        // The candidates for symmetries come from names.
        let names = game.shape().fluents + game.shape().moves;
        if !meter.spend(names as u64) {
            return Err(SolveError::Budget);
        }
        let mut look = Look::new(game, players[0], bytes);
        let (count, rows) = sample(game, state);
        let words = game.shape().state_words();
        for group in candidates(game) {
            // A few states refute most wrong candidates.
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
        // Without symmetries the visit can refute none.
        let mut visit = Visit::new(words, players, Vec::new(), bytes);
        visit.run(game, state, &mut look, meter)?;
        Ok(Self::of_visit(visit))
    }

    /// Returns the number of states; those that symmetries map to each other count once.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns false, since a solution has at least one state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of proved and used symmetries, including the identity.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.symmetries.len() + 1
    }

    /// Returns the value of a state for a role, or `None` if play does not reach the state. O(words
    /// of a state × symmetries).
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

    /// Returns the first optimal move of a role in move order. It leads to the greatest value, as
    /// fast as possible if the role is ahead, and as slowly as possible if the other is.
    ///
    /// Returns `None` if play does not reach the state or the role has no move there.
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
            // The number of moves matters only if a role is ahead.
            let hurry = if distance == NONE { 0 } else { -value.signum() * i64::from(distance) };
            Some((value, hurry))
        };
        let ranked: Option<Vec<_>> = moves.iter().map(rank).collect();
        let ranked = ranked?;
        let best = ranked.iter().max()?;
        ranked.iter().position(|rank| rank == best).map(|place| moves[place])
    }

    /// Returns whether a group of symmetries holds in all of these states.
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

/// Returns the least of a row and its images.
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

/// Returns the states of random games as consecutive rows, and their number.
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

//! Players: given the information of its role and a budget, a [`Player`] decides on a legal move.
//!
//! A [`Player`] is notified when a match starts and stops, and chooses a move whenever its role is
//! to decide. It is given no state, only the [`Information`] of its role, so it can play any game,
//! with hidden information or without. [`Information::state`] is the state where nothing is hidden;
//! [`Belief`] has the states to reckon with where something is. What a decision may cost is a
//! [`Budget`]: a deadline, a number of nodes, and a [`Cancel`](gdl_runtime::Cancel) that another
//! thread may pull. Players of this crate are made by `new`, and by functions that change them:
//! `Mcts::new().seed(7).threads(4)`. With the same seed, the same number of nodes and one thread,
//! one makes the same moves.
//!
//! ```
//! use gdl_players::{Budget, Player, player::{First, Random}};
//! use gdl_runtime::{Game, GameExt, gdl, Information};
//!
//! gdl!(name = nim, rules = r"
//!     (role left) (role right) (init (sticks 5)) (init (control left))
//!     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
//!     (minus 4 1 3) (minus 4 2 2) (minus 5 1 4) (minus 5 2 3) (other left right) (other right left)
//!     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
//!     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
//!     (<= terminal (true (sticks 0)))
//!     (<= (goal ?r 0) (true (control ?r)))
//!     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
//! ");
//!
//! /// Plays a match and gives the goals of the roles.
//! fn play<G: Game>(game: &G, players: &mut [Box<dyn Player<G>>]) -> Vec<Option<u8>> {
//!     let budget = Budget::of_nodes(1000);
//!     let mut known: Vec<_> = game.roles().map(Information::new).collect();
//!     let mut state = game.initial();
//!     while !game.is_terminal(&state) {
//!         let moves = players.iter_mut().zip(&known).map(|(player, known)| player.choose(game, known, &budget));
//!         let joint: Vec<G::Move> = moves.map(|chosen| chosen.expect("a role always has a move")).collect();
//!         known.iter_mut().for_each(|known| known.step(game, &state, &joint));
//!         state = game.apply(&state, &joint).expect("players make legal moves");
//!     }
//!     game.roles().map(|role| game.goal(&state, role)).collect()
//! }
//!
//! let goals = play(&nim::game(), &mut [Box::new(First::new()), Box::new(Random::new().seed(7))]);
//! assert!(goals == [Some(0), Some(100)] || goals == [Some(100), Some(0)]);
//! ```

pub(crate) mod attend;
mod belief;
mod budget;
mod detached;
mod first;
#[cfg(feature = "load")]
mod named;
mod random;
mod report;

pub use belief::Belief;
pub use budget::Budget;
pub use detached::Detached;
pub use first::First;
#[cfg(feature = "load")]
pub use named::{NAMES, Settings, named, train};
pub use random::Random;
pub use report::{MoveStats, Report};

use crate::referee::Fault;
use gdl_runtime::{Game, Information};

/// A player, which decides for a role.
///
/// One player plays one role at a time, match after match of the same game: what it learnt and
/// proved of the game stays with it, so another game wants another player. Nothing but
/// [`Player::choose`] must be implemented.
pub trait Player<G: Game>: Send {
    /// The name of the player, for people.
    fn name(&self) -> &str;

    /// The beginning of a match; the player thinks at most as long as the budget allows.
    fn start(&mut self, _game: &G, _role: G::Role, _budget: &Budget) {}

    /// A legal move of the role in the state that the information leads to. None only if there is
    /// none: the information is not that of a play of the game, or the role has no legal move. A
    /// move is found however small the budget is.
    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move>;

    /// The end of the match, with the information there.
    fn stop(&mut self, _game: &G, _information: &Information<G>) {}

    /// The end of a match that was abandoned.
    fn abort(&mut self) {}

    /// The reason why the last question, a move or the start, has no answer, if the player knows
    /// one: a remote player was late or unreachable, or answered with something that is no move of
    /// the game.
    fn fault(&self) -> Option<Fault> {
        None
    }

    /// A report of the last search.
    fn report(&self) -> Option<Report> {
        None
    }
}

impl<G: Game, P: Player<G> + ?Sized> Player<G> for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        (**self).start(game, role, budget);
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        (**self).choose(game, information, budget)
    }

    fn stop(&mut self, game: &G, information: &Information<G>) {
        (**self).stop(game, information);
    }

    fn abort(&mut self) {
        (**self).abort();
    }

    fn fault(&self) -> Option<Fault> {
        (**self).fault()
    }

    fn report(&self) -> Option<Report> {
        (**self).report()
    }
}

//! Players: a [`Player`] chooses a legal move, given the information of its role and a budget.
//!
//! A [`Player`] is notified when a match starts and stops, and chooses a move whenever its role has
//! to decide. It receives no state, only the [`Information`] of its role, so it can play games with
//! or without hidden information. If nothing is hidden, [`Information::state`] returns the state.
//! Otherwise [`Belief`] has the states that are consistent with the information.
//!
//! A [`Budget`] limits a decision: it has a deadline, a number of nodes, and a
//! [`Cancel`](gdl_runtime::Cancel) that another thread can trigger.
//!
//! Players of this crate are built by `new` and builder methods: `Mcts::new().seed(7).threads(4)`.
//! On one thread, the same seed and number of nodes give the same moves.
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

use crate::fault::Fault;
use gdl_runtime::{Game, Information};

/// A player that chooses the moves of one role.
///
/// A player plays one role at a time, in any number of matches of the same game. It may keep what
/// it learnt about the game, so use a new player for another game. Only [`Player::name`] and
/// [`Player::choose`] are required.
pub trait Player<G: Game>: Send {
    /// Returns the name of the player, for display.
    fn name(&self) -> &str;

    /// Notifies the player that a match begins. It may prepare within the budget.
    fn start(&mut self, _game: &G, _role: G::Role, _budget: &Budget) {}

    /// Chooses a legal move of the role in the state that the information leads to.
    /// Returns `None` if the information does not describe a play of the game, or the role has no
    /// legal move. Otherwise a player that searches returns a move, however small the budget is. A
    /// remote or [`Detached`] player may fail.
    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move>;

    /// Notifies the player that the match is over; `information` leads to the last state.
    fn stop(&mut self, _game: &G, _information: &Information<G>) {}

    /// Notifies the player that the match was abandoned.
    fn abort(&mut self) {}

    /// Returns the reason why the last call of [`Player::choose`] or [`Player::start`] failed, if
    /// known. For example, a remote player was late, unreachable, or answered with text that is not
    /// a move.
    fn fault(&self) -> Option<Fault> {
        None
    }

    /// Returns a report of the last search, if the player searches.
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

//! Alpha-beta search: finds the move with the best value against the worst reply.

mod engine;
mod entry;
mod order;
mod run;
mod value;

use super::{Evaluation, SearchResult, mind::MatchMemory, setup::Setup};
use crate::player::{Budget, Player, Report};
use engine::Engine;
use gdl_runtime::{Game, GameExt, Information};
use run::Run;
use std::fmt;

/// Alpha-beta search with iterative deepening.
///
/// With two roles, the value of a terminal state is the difference of their goals. With more, or
/// with [`AlphaBeta::paranoid`], the value is the role's own goal, and all other roles are assumed
/// to play against this role (Sturtevant and Korf, "On pruning techniques for multi-player games",
/// 2000). With one role, the search is depth-first. If roles move simultaneously, the others are
/// assumed to know the role's move, so a value is a guaranteed minimum. Chance nodes average over
/// all moves of chance.
///
/// The search deepens until the value is proved, or the depth or the budget is reached. The results
/// of an interrupted iteration count. A transposition table of a fixed number of bytes stores
/// states with all their words.
///
/// The move from the table is tried first, then two that cut off other states at the same depth
/// (killers). The others follow by how often and how deep they cut off any state (history). If one
/// side alone chooses, moves after the first are searched with a null window, except at the last
/// depth. Moves that prove better are searched again (principal variation search; Marsland and
/// Campbell, "Parallel search of strongly ordered game trees", 1982).
///
/// At the last depth, one pass of the lanes computes all successors of a state
/// ([`Expansion`](gdl_runtime::lanes::Expansion)), once a second successor is needed.
///
/// Time: O(b^d) nodes for b joint moves and depth d, and about the square root of that with good
/// move ordering. Memory: the table, O(b d), and after 500 states at the last depth the buffers of
/// an expansion and a batch.
///
/// ```
/// use gdl_players::{Budget, search::AlphaBeta};
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
/// let game = nim::game();
/// let found = AlphaBeta::new().search(&game, &game.initial(), nim::Role::Left, &Budget::unlimited());
/// // Three sticks are lost for the player who must take.
/// assert_eq!(game.move_text(found.action.unwrap()), "(take 2)");
/// assert_eq!((found.report.value, found.report.exact), (Some(100.0), true));
/// assert_eq!(found.describe(&game).line[0], "((take 2) noop)");
/// ```
pub struct AlphaBeta<G: Game> {
    setup: Setup<G>,
    name: &'static str,
    is_paranoid: bool,
    mind: MatchMemory<G>,
    engine: Option<Engine<G>>,
}

impl<G: Game> fmt::Debug for AlphaBeta<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlphaBeta")
            .field("name", &self.name)
            .field("depth", &self.setup.depth())
            .field("bytes", &self.setup.bytes())
            .finish_non_exhaustive()
    }
}

impl<G: Game> AlphaBeta<G> {
    /// The default of [`AlphaBeta::memory`], in bytes.
    pub const DEFAULT_BYTES: usize = Setup::<G>::BYTES;

    /// The number of nodes of a search without limits of depth or budget.
    pub const DEFAULT_NODES: u64 = Setup::<G>::NODES;

    /// Creates a search as deep as the budget allows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            setup: Setup::new(),
            name: "alphabeta",
            is_paranoid: false,
            mind: MatchMemory::new(0),
            engine: None,
        }
    }

    /// Creates a search that maximises the role's own goal and assumes that all others play against
    /// it, even with two roles.
    #[must_use]
    pub fn paranoid() -> Self {
        Self { name: "paranoid", is_paranoid: true, ..Self::new() }
    }

    /// Creates a search that looks one move ahead.
    #[must_use]
    pub fn greedy() -> Self {
        Self { name: "greedy", ..Self::new().depth(1) }
    }

    /// Sets the depth limit, in joint moves; at most 200.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.setup.set_depth(depth);
        self
    }

    /// Sets the maximum number of bytes of the transposition table.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.setup.set_bytes(bytes);
        self
    }

    /// Sets the seed of the random games that the evaluation is learnt from, and of the samples of
    /// hidden states; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.setup.set_seed(seed);
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Sets the evaluation; the default is [`Linear`](crate::search::Linear), learnt from random
    /// games.
    #[must_use]
    pub fn evaluation(mut self, evaluation: impl Evaluation<G> + 'static) -> Self {
        self.setup.set_evaluation(evaluation);
        self
    }

    /// Searches a state for a role. The first search spends up to a fifth of the budget on learning
    /// an evaluation.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        if budget.is_spent() {
            return SearchResult::only(
                game.legal_moves(state, role).next().filter(|_| !game.is_terminal(state)),
            );
        }
        let (depth, bytes) = (self.setup.depth(), self.setup.bytes());
        let (evaluation, meter) = self.setup.begin(game, budget);
        let kept = self.engine.take().filter(|engine| engine.is_for(game, role, bytes));
        let engine =
            self.engine.insert(kept.unwrap_or_else(|| Engine::new(game, role, bytes, self.is_paranoid)));
        Run::new(game, evaluation, meter, engine).deepen(state, depth)
    }
}

impl<G: Game> Default for AlphaBeta<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for AlphaBeta<G> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        let rest = self.setup.prepare(game, budget);
        // The table keeps the results of the search before the first move.
        if !game.vocabulary().has_percepts() && !rest.is_spent() {
            self.search(game, &game.initial(), role, &rest);
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

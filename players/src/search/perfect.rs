//! The perfect player: solves a small game and plays optimally in every state.

use super::{Mcts, SearchResult, Solution, SolveError, meter::Meter, mind::MatchMemory};
use crate::player::{Budget, Player, Report};
use gdl_runtime::{Game, Information};

/// A player that uses the [`Solution`] of a game, so its result is never worse than the game's
/// value. It solves the game before the match with the whole budget, or in a search of an unsolved
/// state with a quarter of the budget. If the game cannot be solved or takes too much memory,
/// [`Mcts`] plays, and [`Report::note`] has the reason.
#[derive(Debug)]
pub struct Perfect<G: Game> {
    bytes: usize,
    solution: Option<Result<Solution<G>, SolveError>>,
    guess: Mcts<G>,
    mind: MatchMemory<G>,
}

impl<G: Game> Perfect<G> {
    /// The number of nodes for solving a game if the budget has no limit: some seconds.
    pub const DEFAULT_NODES: u64 = 1 << 20;

    /// Creates the player.
    #[must_use]
    pub fn new() -> Self {
        let bytes = Solution::<G>::DEFAULT_BYTES;
        Self { bytes, solution: None, guess: Mcts::new(), mind: MatchMemory::new(0) }
    }

    /// Sets the seed of [`Mcts`], for games that are too large, and of the samples of hidden
    /// states; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.guess = self.guess.seed(seed);
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Sets the maximum number of bytes: three quarters for the solution, and a quarter for the
    /// tree of [`Mcts`].
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.guess = self.guess.memory(bytes / 4);
        self.bytes = bytes - bytes / 4;
        self
    }

    /// Returns the solution, or the reason why there is none. Returns `None` before the first
    /// attempt to solve the game.
    #[must_use]
    pub fn solution(&self) -> Option<Result<&Solution<G>, SolveError>> {
        self.solution.as_ref().map(|result| result.as_ref().map_err(|&error| error))
    }

    /// Finds the value of a state and an optimal move, or searches by [`Mcts`] if it is not solved.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        let known = self.solution.as_ref().and_then(|result| result.as_ref().ok());
        let is_new = known.is_none_or(|solution| solution.value(state, role).is_none());
        // A game that is too large or of an unsuitable kind cannot be solved later either.
        let may_be = matches!(self.solution, None | Some(Ok(_) | Err(SolveError::Budget)));
        let mut spent = 0;
        if is_new && may_be && !budget.is_spent() {
            spent = self.solve(game, state, &budget.share(0.25, 0));
        }
        if let Some(Ok(solution)) = &self.solution
            && let (Some(action), Some(solved)) =
                (solution.best(game, state, role), solution.value(state, role))
        {
            let mut found = SearchResult::only(Some(action));
            found.report.value = Some(solved.value);
            found.report.exact = true;
            found.report.depth = solved.moves.unwrap_or(0);
            found.report.nodes = solution.len() as u64;
            return found;
        }
        let mut found = self.guess.search(game, state, role, &budget.share(1.0, spent));
        found.report.nodes += spent;
        if let Some(Err(error)) = &self.solution {
            found.report.note = Some(format!("not solved: {error}"));
        }
        found
    }

    /// Solves the states that can be reached from `state`. Returns the number of nodes taken.
    fn solve(&mut self, game: &G, state: &G::State, budget: &Budget) -> u64 {
        let mut meter = Meter::new(budget, Self::DEFAULT_NODES);
        // The memory does not suffice for two solutions.
        self.solution = None;
        self.solution = Some(Solution::within(game, state, self.bytes, &mut meter));
        meter.nodes()
    }
}

impl<G: Game> Default for Perfect<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Perfect<G> {
    fn name(&self) -> &'static str {
        "perfect"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        if !budget.is_spent() && game.vocabulary().percepts().is_empty() {
            let state = game.initial();
            let known = self.solution.as_ref().and_then(|result| result.as_ref().ok());
            if known.is_none_or(|solution| solution.value(&state, role).is_none()) {
                self.solve(game, &state, budget);
            }
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

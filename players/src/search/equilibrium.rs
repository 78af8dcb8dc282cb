//! The player of small games of hidden information: plays an equilibrium strategy, computed from
//! regrets at all histories.

mod histories;

use super::{Ismcts, SearchResult, SolveError, meter::Meter};
use crate::player::{Budget, Player, Report};
use gdl_runtime::{Game, Information, chance::Stream, game::Id};
use histories::Histories;
use std::{
    fmt,
    time::{Duration, Instant},
};

/// A player with a mixed strategy for the whole game. The strategy improves with time. The method
/// is counterfactual regret minimization (Zinkevich, Johanson, Bowling and Piccione, "Regret
/// minimization in games with incomplete information", 2007; Tammelin, "Solving large imperfect
/// information games using CFR+", 2014).
///
/// For two roles with a constant sum of goals, the strategy converges to an equilibrium, which
/// guarantees its value even if the opponent knows the strategy. In other games the strategy only
/// has vanishing regret.
///
/// All histories of the game must fit into memory. Otherwise [`Ismcts`] plays, and the report has
/// the reason. A history counts as a node of the budget when it is found, and once in each round of
/// regrets.
///
/// ```
/// use gdl_players::{Budget, search::Equilibrium};
/// use gdl_runtime::{GameExt, gdl};
///
/// gdl!(name = pennies, rules = r"
///     ; Ann hides a coin in a hand, and ben guesses which. The right hand is worth three times as much.
///     (role ann) (role ben) (init hide)
///     (hand left) (hand right)
///     (<= (legal ann (hide ?h)) (true hide) (hand ?h)) (<= (legal ann noop) (not (true hide)))
///     (<= (legal ben noop) (true hide)) (<= (legal ben (guess ?h)) (not (true hide)) (hand ?h))
///     (<= (next (coin ?h)) (does ann (hide ?h))) (<= (next (coin ?h)) (true (coin ?h)))
///     (<= (next (guessed ?h)) (does ben (guess ?h)))
///     (<= (sees ann (guess ?h)) (does ben (guess ?h)))
///     (<= terminal (true (guessed ?h)))
///     (<= wrong (true (guessed ?h)) (not (true (coin ?h))))
///     (<= (goal ann 60) wrong) (<= (goal ben 40) wrong)
///     (<= (goal ann 40) (true (guessed left)) (not wrong)) (<= (goal ben 60) (true (guessed left)) (not wrong))
///     (<= (goal ann 0) (true (guessed right)) (not wrong)) (<= (goal ben 100) (true (guessed right)) (not wrong))
/// ");
///
/// let game = pennies::game();
/// let mut player = Equilibrium::new();
/// player.improve(&game, &Budget::of_nodes(100_000)).unwrap();
/// // Ben takes 60 + 40 p = 100 - 40 p of ann at most, however he guesses: left three times in four.
/// let strategy = player.strategy(&gdl_runtime::Information::new(pennies::Role::Ann)).unwrap();
/// assert!((strategy[0].1 - 0.75).abs() < 0.01);
/// assert!(player.exploitability().unwrap() < 0.1);
/// ```
pub struct Equilibrium<G: Game> {
    seed: u64,
    bytes: usize,
    histories: Option<Result<Histories<G>, SolveError>>,
    /// The nodes and the time that did not suffice to find all histories.
    too_little: (Option<u64>, Option<Duration>),
    guess: Ismcts<G>,
    report: Option<Report>,
}

impl<G: Game> fmt::Debug for Equilibrium<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equilibrium")
            .field("seed", &self.seed)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Equilibrium<G> {
    /// The default of [`Equilibrium::memory`], in bytes.
    pub const DEFAULT_BYTES: usize = 256 << 20;

    /// The number of nodes of a search whose budget has no limit: some seconds.
    pub const DEFAULT_NODES: u64 = 1 << 26;

    /// The share of a budget for finding all histories; if it does not suffice, the game counts as
    /// too large.
    const FINDING: f64 = 0.3;

    /// The least probability of a move, relative to the most probable one. Less probable moves come
    /// from the first rounds, and are dropped.
    const LEAST: f64 = 0.01;

    /// Creates the player.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seed: 0,
            bytes: Self::DEFAULT_BYTES,
            histories: None,
            too_little: (None, None),
            guess: Ismcts::new(),
            report: None,
        }
    }

    /// Sets the seed of the moves that are drawn; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.guess = self.guess.seed(seed);
        self
    }

    /// Sets the maximum number of bytes of the histories, or of the trees of [`Ismcts`].
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self.guess = self.guess.memory(bytes);
        self
    }

    /// Finds all histories, if that was not done before, and improves the strategy until the budget
    /// is spent.
    ///
    /// # Errors
    /// Returns an error if the game is too large for the bytes, the budget or the recursion.
    pub fn improve(&mut self, game: &G, budget: &Budget) -> Result<(), SolveError> {
        self.go_on(game, budget).map(|_| ())
    }

    /// Runs [`Self::improve`] and returns the number of nodes and of seconds that it took.
    fn go_on(&mut self, game: &G, budget: &Budget) -> Result<(u64, f64), SolveError> {
        let is_bounded = budget.nodes().is_some() || budget.deadline().is_some();
        let budget = if is_bounded { budget.clone() } else { budget.clone().and_nodes(Self::DEFAULT_NODES) };
        let (mut spent, start) = (0, Instant::now());
        let finding = budget.share(Self::FINDING, 0);
        let is_open = match self.histories {
            None => true,
            Some(Err(SolveError::Budget)) => self.may_do(&finding),
            _ => false,
        };
        if is_open {
            self.too_little = (finding.nodes(), left(&finding));
            let mut meter = Meter::new(&finding, u64::MAX);
            self.histories = Some(Histories::of(game, self.bytes, &mut meter));
            spent = meter.nodes();
        }
        match &mut self.histories {
            Some(Ok(histories)) => {
                let mut meter = Meter::new(&budget.share(1.0, spent), u64::MAX);
                histories.improve(&mut meter);
                Ok((spent + meter.nodes(), start.elapsed().as_secs_f64()))
            }
            Some(Err(error)) => Err(*error),
            None => Err(SolveError::Budget),
        }
    }

    /// Returns whether a budget exceeds the last insufficient one by more than half.
    fn may_do(&self, finding: &Budget) -> bool {
        let (nodes, time) = self.too_little;
        let more_nodes = nodes.zip(finding.nodes()).is_none_or(|(before, now)| now > before / 2 * 3);
        let more_time = time.zip(left(finding)).is_none_or(|(before, now)| now > before / 2 * 3);
        more_nodes && more_time
    }

    /// Returns the probability of each move of the role at its information. Returns `None` if the
    /// role has no choice, or until [`Equilibrium::improve`] succeeds.
    pub fn strategy(&mut self, information: &Information<G>) -> Option<Vec<(G::Move, f64)>> {
        let Some(Ok(histories)) = &mut self.histories else { return None };
        histories.strategy(information)
    }

    /// Returns the exploitability of the strategy, in points: the gain of a best response against
    /// the others' strategies, as a mean over all roles. Returns `None` until
    /// [`Equilibrium::improve`] succeeds. O(histories).
    #[must_use]
    pub fn exploitability(&self) -> Option<f64> {
        let Some(Ok(histories)) = &self.histories else { return None };
        Some(histories.exploitability())
    }

    /// Draws a move of the strategy; `steps` selects the random number.
    fn draw(&self, strategy: &[(G::Move, f64)], steps: usize) -> Option<G::Move> {
        let most = strategy.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let likely = || strategy.iter().filter(|&&(_, share)| share >= Self::LEAST * most);
        let total: f64 = likely().map(|&(_, share)| share).sum();
        let unit = Stream::new(self.seed, steps as u64).bits() as f64 / u64::MAX as f64;
        let mut rank = unit * total;
        let mut last = None;
        for &(action, share) in likely() {
            last = Some(action);
            if rank < share {
                break;
            }
            rank -= share;
        }
        last
    }
}

/// Returns the remaining time of a budget.
fn left(budget: &Budget) -> Option<Duration> {
    budget.deadline().map(|end| end.saturating_duration_since(Instant::now()))
}

impl<G: Game> Default for Equilibrium<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Equilibrium<G> {
    fn name(&self) -> &'static str {
        "equilibrium"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        if budget.is_spent() {
            return;
        }
        if self.go_on(game, budget).is_err() {
            self.guess.start(game, role, budget);
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        let improved = if budget.is_spent() { Err(SolveError::Budget) } else { self.go_on(game, budget) };
        let role = information.role().index();
        if let Some(Ok(histories)) = &mut self.histories
            && let Some(strategy) = histories.strategy(information)
        {
            let mut found: SearchResult<G> =
                SearchResult::only(self.draw(&strategy, information.steps().len()));
            if let (Some(Ok(histories)), Ok((nodes, seconds))) = (&self.histories, improved) {
                (found.report.nodes, found.report.seconds) = (nodes, seconds);
                found.report.bytes = histories.bytes() as u64;
                found.report.value = Some(histories.value(role));
                found.report.note = Some(format!(
                    "{} rounds of regrets at {} histories",
                    histories.rounds(),
                    histories.len()
                ));
                found.moves = histories.tried(&strategy);
            }
            self.report = Some(found.describe(game));
            return found.action;
        }
        // If all histories are known but there is no strategy, the role has only one legal move.
        let rest = match &self.histories {
            Some(Ok(_)) => budget.clone().and_nodes(1),
            _ => budget.clone(),
        };
        let action = self.guess.choose(game, information, &rest);
        self.report = self.guess.report();
        if let (Some(report), Some(Err(error))) = (&mut self.report, &self.histories) {
            report.note = Some(format!("no equilibrium: {error}"));
        }
        action
    }

    fn stop(&mut self, game: &G, information: &Information<G>) {
        self.guess.stop(game, information);
    }

    fn abort(&mut self) {
        self.guess.abort();
    }

    fn report(&self) -> Option<Report> {
        self.report.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::Dynamic;

    #[test]
    fn histories_are_looked_for_again_with_clearly_more() {
        let mut player = Equilibrium::<Dynamic>::new();
        player.too_little = (Some(100), None);
        assert!(!player.may_do(&Budget::of_nodes(150)) && player.may_do(&Budget::of_nodes(151)));
        assert!(player.may_do(&Budget::within(Duration::from_secs(1))));
        player.too_little = (None, Some(Duration::from_secs(100)));
        assert!(!player.may_do(&Budget::within(Duration::from_secs(149))));
        assert!(player.may_do(&Budget::within(Duration::from_secs(200))));
    }
}

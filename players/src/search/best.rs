//! The player for any game: observes the game and chooses the search for its kind.

mod folder;
mod learnt;
mod trial;

use super::{
    AlphaBeta, Equilibrium, Evaluation, LearnedValue, Mcts, Net, Planner, SearchResult, Solution,
    character::Character, meter::Meter, mind::MatchMemory,
};
use crate::player::{Budget, Player, Report};
use folder::Folder;
use gdl_runtime::{Game, Information};
use std::{fmt, path::PathBuf, sync::Arc};
use trial::Trial;

/// A player for any game. It observes random games, and then chooses a search:
///
/// - One role without chance: [`Planner`] searches for a plan and follows it.
/// - Hidden information: [`Equilibrium`], which uses [`Ismcts`](crate::search::Ismcts) if there are
///   too many histories.
/// - A game that one of its [nets](Best::nets) was trained on: [`AlphaBeta`] with that net.
/// - Two roles in turn and few states: their [`Solution`], found before the first move.
/// - Two roles with a constant sum of goals: [`AlphaBeta`] if it clearly wins a series of at most
///   sixteen short matches against [`Mcts`] before the first move, otherwise `Mcts`. Near the end,
///   `Mcts` spends a part of each budget on a proof by alpha-beta. With at least 20 s before the
///   first move, alpha-beta evaluates by a [net](crate::search::Training) that is trained in that
///   time. Later matches of the game in this process continue the training, and those of other
///   processes with the same [folder](Best::keep).
/// - Other games: [`Mcts`], starting during the start clock.
///
/// [`Report::note`] names the chosen search and the reason. The nodes of the budget are those of
/// the chosen search. On one thread, with a budget of nodes, the same seed gives the same moves.
///
/// ```
/// use gdl_players::{Budget, search::Best};
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
/// let found = Best::new().seed(7).search(&game, &game.initial(), nim::Role::Left, &Budget::of_nodes(1000));
/// assert_eq!(game.move_text(found.action.unwrap()), "(take 2)");
/// assert_eq!((found.report.value, found.report.exact), (Some(100.0), true));
/// assert_eq!(found.report.note.unwrap(), "two roles in turn for a fixed sum: proved by alpha-beta");
/// ```
pub struct Best<G: Game> {
    seed: u64,
    threads: usize,
    bytes: Option<usize>,
    nets: Vec<Arc<Net>>,
    folder: Option<PathBuf>,
    /// The number of observations of the game so far; it varies the seed, so that matches differ.
    looks: u64,
    character: Option<Character>,
    way: Strategy<G>,
    mind: MatchMemory<G>,
}

/// The search for a kind of game.
enum Strategy<G: Game> {
    /// The game was not observed yet.
    Open,
    Plan(Box<Planner<G>>),
    Hidden(Box<Equilibrium<G>>),
    Tree(Box<TreeSearch<G>>),
}

/// Monte Carlo tree search, combined with a solution, a proof search and alpha-beta.
struct TreeSearch<G: Game> {
    mcts: Mcts<G>,
    /// The proof search, for two roles with a constant sum of goals.
    prover: Option<AlphaBeta<G>>,
    solution: Option<Solution<G>>,
    /// The result of the trial matches of alpha-beta against `mcts`.
    trial: Option<Trial>,
    /// Alpha-beta, if it won the trial or has a net.
    rival: Option<AlphaBeta<G>>,
    /// The number of states that the net of `rival` was trained on, if it uses one.
    learned: Option<u64>,
    seed: u64,
    threads: usize,
    bytes: usize,
}

/// An evaluation that values all states equally, for proof searches.
struct UniformEvaluation;

impl<G: Game> Evaluation<G> for UniformEvaluation {
    fn evaluate(&self, _: &G, _: &G::State, _: &G::View, goals: &mut [f32]) {
        goals.fill(50.0);
    }
}

impl<G: Game> fmt::Debug for Best<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Best")
            .field("seed", &self.seed)
            .field("character", &self.character)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Best<G> {
    /// The default of [`Best::memory`], in bytes. [`Planner`] has its own default.
    pub const DEFAULT_BYTES: usize = 256 << 20;

    /// The maximum mean number of steps to the end, in random games, for which a proof is tried. In
    /// longer games a proof rarely succeeds, and takes time from the tree.
    const END: usize = 12;

    /// The shares of the remaining budget for successive proof searches. The next one starts if the
    /// last one's depth was near the end.
    const PROVING: [f64; 3] = [0.05, 0.35, 0.6];

    /// The share of the time before the first move for matches of alpha-beta against `Mcts`.
    const TRYING: f64 = 0.6;

    /// The share of the remaining time for training a net.
    const LEARNING: f64 = 0.6;

    /// The share of the time before the first move for solving the game.
    const SOLVING: f64 = 0.25;

    /// The number of nodes for solving the game if the budget has no deadline.
    const SOLVING_NODES: u64 = 1 << 17;

    /// Creates the player, on one thread.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seed: 0,
            threads: 1,
            bytes: None,
            nets: Vec::new(),
            folder: None,
            looks: 0,
            character: None,
            way: Strategy::Open,
            mind: MatchMemory::new(0),
        }
    }

    /// Sets the seed of all randomness; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Uses `threads` threads where the search can; 0 means one for each processor.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the maximum number of bytes of a search.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Sets nets of some games. One that belongs to the game replaces the trial before the match.
    #[must_use]
    pub fn nets(mut self, nets: Vec<Arc<Net>>) -> Self {
        self.nets = nets;
        self
    }

    /// Keeps trainings in an existing folder: a file for each game, at most 64 MiB in all.
    /// Damaged files and files of other releases are replaced.
    #[must_use]
    pub fn keep(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Observes the game and chooses a strategy, unless that was done before.
    fn look(&mut self, game: &G, budget: &Budget) -> Character {
        if let Some(character) = self.character {
            return character;
        }
        let seed = self.seed.wrapping_add(self.looks << 48);
        self.looks += 1;
        let character = Character::of(game, seed, budget);
        self.character = Some(character);
        let bytes = self.bytes.unwrap_or(Self::DEFAULT_BYTES);
        self.way = if Planner::is_puzzle(game) {
            let planner = Planner::new().seed(seed);
            Strategy::Plan(Box::new(self.bytes.into_iter().fold(planner, Planner::memory)))
        } else if character.is_hidden {
            Strategy::Hidden(Box::new(Equilibrium::new().seed(seed).memory(bytes)))
        } else {
            let mcts = Mcts::new().seed(seed).threads(self.threads);
            // The tree has 7/8 of the bytes, the proof search 1/8.
            let prover = (character.is_duel() && !character.has_chance)
                .then(|| AlphaBeta::new().seed(seed).memory(bytes / 8).evaluation(UniformEvaluation));
            let value = learnt::given(game, &self.nets, budget);
            let learned = value.as_ref().map(LearnedValue::samples);
            let search = AlphaBeta::new().seed(seed).memory(bytes / 4 * 3);
            Strategy::Tree(Box::new(TreeSearch {
                mcts: mcts.memory(bytes / 8 * 7),
                prover,
                solution: None,
                trial: None,
                rival: value.map(|value| search.evaluation(value)),
                learned,
                seed,
                threads: self.threads,
                bytes,
            }))
        };
        character
    }

    /// Searches a state for a role. In a game of hidden information, the state is treated as known.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        let character = self.look(game, budget);
        let mut found = match &mut self.way {
            Strategy::Plan(planner) => planner.search(game, state, role, budget),
            Strategy::Tree(woods) => return woods.search(game, state, role, budget, character),
            _ => {
                let bytes = self.bytes.unwrap_or(Self::DEFAULT_BYTES);
                let mut mcts = Mcts::new().seed(self.seed).threads(self.threads).memory(bytes);
                mcts.search(game, state, role, budget)
            }
        };
        found.report.note = Some(note(
            character,
            found.report.note.as_deref().unwrap_or("searched as if nothing were hidden"),
        ));
        found
    }
}

/// Formats the note of a report: the character of the game, and the search.
fn note(character: Character, what: &str) -> String {
    format!("{character}: {what}")
}

impl<G: Game> TreeSearch<G> {
    /// Tries to solve the game with a share of the time before the first move. Returns the number
    /// of nodes taken.
    fn solve(&mut self, game: &G, budget: &Budget) -> u64 {
        let share = budget.share(Best::<G>::SOLVING, 0);
        let share =
            if share.deadline().is_some() { share } else { share.and_nodes(Best::<G>::SOLVING_NODES) };
        let mut meter = Meter::new(&share, u64::MAX);
        self.solution = Solution::within(game, &game.initial(), self.bytes / 2, &mut meter).ok();
        meter.nodes()
    }

    /// Uses the time before the first move for training, trial matches and search.
    fn prepare(
        &mut self,
        game: &G,
        role: G::Role,
        folder: Option<Folder<'_>>,
        budget: &Budget,
        character: Character,
    ) {
        if let Some(rival) = &mut self.rival {
            rival.search(game, &game.initial(), role, budget);
            return;
        }
        let mut rest = budget.clone();
        if self.prover.is_some() {
            let bytes = self.bytes / 4 * 3;
            let learning = budget.share(Best::<G>::LEARNING, 0);
            let value = learnt::value(game, self.seed, self.threads, folder, &learning);
            self.learned = value.as_ref().map(LearnedValue::samples);
            let rival = AlphaBeta::new().seed(self.seed).memory(bytes);
            let mut rival = value.into_iter().fold(rival, AlphaBeta::evaluation);
            let share = budget.share(Best::<G>::TRYING, 0);
            let tree = self.bytes / 8;
            let (trial, spent) = Trial::of(
                game,
                self.seed,
                (character.is_simultaneous, self.learned.is_some()),
                &mut rival,
                tree,
                &share,
            );
            self.trial = trial;
            rest = budget.share(1.0, spent);
            if self.trial.is_some_and(Trial::is_better) {
                rival.search(game, &game.initial(), role, &rest);
                self.rival = Some(rival);
                return;
            }
        }
        self.mcts.start(game, role, &rest);
    }

    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: G::Role,
        budget: &Budget,
        character: Character,
    ) -> SearchResult<G> {
        if let Some(solution) = &self.solution
            && let (Some(action), Some(solved)) =
                (solution.best(game, state, role), solution.value(state, role))
        {
            let mut found = SearchResult::only(Some(action));
            found.report.value = Some(solved.value);
            found.report.exact = true;
            found.report.depth = solved.moves.unwrap_or(0);
            found.report.note = Some(note(character, "solved"));
            return found;
        }
        if let Some(rival) = &mut self.rival {
            let mut found = rival.search(game, state, role, budget);
            let value = self.learned.map(|states| format!(" with a value learned from {states} states"));
            let trial = self.trial.map(|trial| format!(", which won {trial}"));
            let what = format!("alpha-beta{}{}", value.unwrap_or_default(), trial.unwrap_or_default());
            found.report.note = Some(note(character, &what));
            return found;
        }
        let mut spent = 0;
        let length =
            self.prover.as_ref().and_then(|_| Character::length_from(game, state, Best::<G>::END, budget));
        if let (Some(length), Some(prover)) = (length, &mut self.prover) {
            for share in Best::<G>::PROVING {
                let proof = prover.search(game, state, role, &budget.share(share, spent));
                spent += proof.report.nodes;
                // If several roles choose at once, a proved value is a guaranteed minimum, and the
                // role may get more.
                let is_enough = if character.is_simultaneous { 100.0 } else { 0.1 };
                if proof.report.exact {
                    if proof.report.value.is_some_and(|value| value >= is_enough) {
                        let mut proof = proof;
                        proof.report.note = Some(note(character, "proved by alpha-beta"));
                        return proof;
                    }
                    break;
                }
                // Each iteration takes several times as long as the one before.
                if f64::from(proof.report.depth) * 2.0 + 2.0 < length {
                    break;
                }
            }
        }
        let mut found = self.mcts.search(game, state, role, &budget.share(1.0, spent));
        found.report.nodes += spent;
        let what = found.report.note.as_deref().unwrap_or("a tree of random games");
        let trial = self.trial.map_or_else(String::new, |trial| format!(", since alpha-beta won {trial}"));
        found.report.note = Some(note(character, &format!("{what}{trial}")));
        found
    }
}

impl<G: Game> Default for Best<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Best<G> {
    fn name(&self) -> &'static str {
        "best"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        self.abort();
        if budget.is_spent() {
            return;
        }
        let character = self.look(game, budget);
        match &mut self.way {
            Strategy::Open => {}
            Strategy::Plan(planner) => planner.start(game, role, budget),
            Strategy::Hidden(equilibrium) => equilibrium.start(game, role, budget),
            Strategy::Tree(woods) => {
                let may_be_solved =
                    woods.prover.is_some() && !character.is_simultaneous && woods.rival.is_none();
                let spent = if may_be_solved { woods.solve(game, budget) } else { 0 };
                if woods.solution.is_none() {
                    let folder = self.folder.as_deref().map(Folder);
                    woods.prepare(game, role, folder, &budget.share(1.0, spent), character);
                }
            }
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        let character = self.look(game, budget);
        if let Strategy::Hidden(equilibrium) = &mut self.way {
            let action = equilibrium.choose(game, information, budget);
            let mut report = equilibrium.report().unwrap_or_default();
            report.note = Some(note(character, report.note.as_deref().unwrap_or("one move")));
            self.mind.set_report(report);
            return action;
        }
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn stop(&mut self, _: &G, _: &Information<G>) {
        self.abort();
    }

    fn abort(&mut self) {
        // Before each match the game is observed again.
        (self.character, self.way) = (None, Strategy::Open);
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::search::Training;
    use gdl_runtime::{Dynamic, GameExt, load};

    #[test]
    fn a_net_plays_its_own_game_alone() {
        let rules = [
            include_str!("../../../games/board/tictactoe.kif"),
            include_str!("../../../games/board/breakthrough_small.kif"),
        ];
        let [own, other] = rules.map(|text| load(text).expect("a sound rulesheet"));
        let mut training = Training::new(&own, 0).expect("it can be learned");
        training.advance(&own, 0.0, 1, &Budget::unlimited());
        let net = Arc::new(training.net());
        let play = |game: &Dynamic| {
            let mut best = Best::new().nets(vec![net.clone()]);
            let role = game.roles().next().expect("two roles");
            let budget = Budget::of_nodes(300);
            best.start(game, role, &budget);
            best.search(game, &game.initial(), role, &budget).report.note.expect("a note")
        };
        let states = format!("alpha-beta with a value learned from {} states", net.samples());
        assert_eq!(play(&own), format!("two roles in turn for a fixed sum: {states}"));
        assert!(!play(&other).contains("learned"), "{}", play(&other));
    }

    #[test]
    fn what_solving_took_is_charged_and_not_what_it_was_given() {
        let game = load(include_str!("../../../games/board/tictactoe.kif")).expect("a sound rulesheet");
        let budget = Budget::of_nodes(100_000);
        let spent = |bytes: usize| {
            let mut best = Best::new().memory(bytes);
            best.look(&game, &budget);
            let Strategy::Tree(woods) = &mut best.way else { panic!("two roles in turn") };
            (woods.solve(&game, &budget), woods.solution.is_some())
        };
        // Enough bytes solve the game long before the share is spent; too few stop at once.
        let (whole, is_solved) = spent(1 << 24);
        assert!(is_solved && (700..20_000).contains(&whole), "{whole}");
        let (broken, is_solved) = spent(1 << 12);
        assert!(!is_solved && broken < 700, "{broken}");
    }
}

//! Monte Carlo tree search: finds the move with the best results in random games.

mod advantage;
mod stage;
mod tree;

use super::{
    SearchResult,
    meter::Meter,
    mind::MatchMemory,
    rollouts::{RolloutKind, Rollouts, are_decisive},
};
use crate::player::{Budget, Player, Report};
use gdl_runtime::{Game, GameExt, Information, chance::Stream, game::Id};
use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tree::{Path, Rules, Tree};

/// The maximum number of threads of a search; more do not help.
const MAX_THREADS: usize = 256;

/// Monte Carlo tree search (UCT) for any number of roles, chance and simultaneous moves.
///
/// Each iteration selects a path from the root by upper confidence bounds, adds a state, and
/// estimates its value by playouts. Playouts run in lanes, hundreds at once, shared by up to eight
/// states of the tree. If a game has no lanes or the budget is small, each state gets one playout.
/// Each role has statistics of its own goals.
///
/// - *Decisive playouts*: used with the feature `load`, if roles choose in turn and the playouts
///   are not too expensive. A role wins at once if it can. Otherwise it avoids moves by which it
///   loses at once or the next role can win at once.
/// - *Advantages*: where many games judge a state, the expected value of an untried move exceeds
///   the value of its state by the same amount as elsewhere in the tree. Replies to the same
///   previous move count most. So not every move has to be tried in every state.
/// - *Transpositions*: states that are reached by several paths are one node.
/// - *Implicit minimax*: both the value of the best line and the mean of all games count.
/// - *MCTS-solver*: proved values are propagated, for any goals and number of roles, so that
///   decided states need no more games.
///
/// Roles that choose simultaneously use regret matching, and the move is drawn from the average
/// strategy: in matching pennies, each side has probability 1/2. With more than 1024 joint moves,
/// or after [`Mcts::decoupled`], each role uses its own upper confidence bounds (decoupled UCT).
/// Chance draws as the rules define. The tree of the last decision is reused if it contains the new
/// state.
///
/// A node of the budget is a judged state. With one thread and a budget of nodes, the result
/// depends only on the seed, the budget and earlier searches. With a deadline it also depends on
/// the machine's speed, and with more threads on their timing.
///
/// ```
/// use gdl_players::{Budget, search::Mcts};
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
/// let found = Mcts::new().seed(7).search(&game, &game.initial(), nim::Role::Left, &Budget::of_nodes(1000));
/// assert_eq!(game.move_text(found.action.unwrap()), "(take 2)");
/// // So small a game is proved on the way.
/// assert_eq!((found.report.value, found.report.exact), (Some(100.0), true));
/// ```
pub struct Mcts<G: Game> {
    seed: u64,
    threads: usize,
    is_root_parallel: bool,
    /// The most expensive kind of random games that is allowed.
    games: RolloutKind,
    /// True if the games of the current tree use decisive play.
    grows_decisive: bool,
    rules: Rules,
    /// The number of searches so far.
    searches: u64,
    tree: Option<Tree<G>>,
    mind: MatchMemory<G>,
}

impl<G: Game> fmt::Debug for Mcts<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mcts").field("seed", &self.seed).field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl<G: Game> Mcts<G> {
    /// The default of [`Mcts::memory`], in bytes.
    pub const DEFAULT_BYTES: usize = 256 << 20;

    /// The number of nodes of a search whose budget has no limit.
    pub const DEFAULT_NODES: u64 = 10_000;

    /// The minimum number of nodes and the minimum time of a budget that make up for the setup of
    /// lanes.
    const LANES_FROM: (u64, Duration) = (64, Duration::from_millis(10));

    /// The assumed ratio of the start clock to the time for a move.
    const START: u32 = 10;

    /// Creates a search on one thread.
    #[must_use]
    pub fn new() -> Self {
        let rules =
            Rules { exploration: None, proves: true, mixes: true, learns: true, bytes: Self::DEFAULT_BYTES };
        Self {
            seed: 0,
            threads: 1,
            is_root_parallel: false,
            games: RolloutKind::Decisive,
            grows_decisive: false,
            rules,
            searches: 0,
            tree: None,
            mind: MatchMemory::new(0),
        }
    }

    /// Sets the seed of the random games and of the samples of hidden states; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Uses `threads` threads on one tree; 0 means one for each processor. Threads select states
    /// one after the other, and play from them in parallel.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Gives each thread its own tree, and adds up the statistics of their roots in the end
    /// (Chaslot, Winands and van den Herik, "Parallel Monte-Carlo tree search", 2008).
    #[must_use]
    pub fn root_parallel(mut self) -> Self {
        self.is_root_parallel = true;
        self
    }

    /// Sets the maximum number of bytes of all trees. Trees that have reached it stop growing, and
    /// random games start at their leaves.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.rules.bytes = bytes;
        self
    }

    /// Sets the factor of the confidence bounds, for goals scaled to 1; greater values explore
    /// more. The default is 0.1 where many random games judge a state. It is 0.7 where one game
    /// does, or with a single player.
    #[must_use]
    pub fn exploration(mut self, factor: f32) -> Self {
        self.rules.exploration = Some(factor);
        self
    }

    /// Plays one random game for each state, even where lanes could play hundreds at once.
    #[must_use]
    pub fn single(mut self) -> Self {
        self.games = RolloutKind::Single;
        self
    }

    /// Plays random games with all legal moves, without decisive play.
    #[must_use]
    pub fn uniform(mut self) -> Self {
        self.games = self.games.min(RolloutKind::Lanes);
        self
    }

    /// Disables the propagation of proved values.
    #[must_use]
    pub fn unproved(mut self) -> Self {
        self.rules.proves = false;
        self
    }

    /// Disables learning from the same move elsewhere: each move of a state is tried once before
    /// any is tried again.
    #[must_use]
    pub fn unlearned(mut self) -> Self {
        self.rules.learns = false;
        self
    }

    /// Makes roles that choose simultaneously use their own confidence bounds, without mixed
    /// strategies.
    #[must_use]
    pub fn decoupled(mut self) -> Self {
        self.rules.mixes = false;
        self
    }

    /// Searches a state for a role.
    ///
    /// # Panics
    /// Panics if the game does.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        self.search_first(game, state, role, budget, 1)
    }

    /// Runs [`Mcts::search`]. Each later search is assumed to have a part of `1 / searches` of this
    /// budget.
    fn search_first(
        &mut self,
        game: &G,
        state: &G::State,
        role: G::Role,
        budget: &Budget,
        searches: u32,
    ) -> SearchResult<G> {
        let mut legal = game.legal_moves(state, role);
        let first = legal.next();
        if budget.is_spent() || game.is_terminal(state) {
            return SearchResult::only(first.filter(|_| !game.is_terminal(state)));
        }
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let in_lanes = self.games >= RolloutKind::Lanes
            && budget.nodes().is_none_or(|nodes| nodes >= Self::LANES_FROM.0)
            && left.is_none_or(|left| left >= Self::LANES_FROM.1);
        let threads = match self.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads.min(MAX_THREADS),
        };
        // Trees of several threads share the bytes equally.
        let trees = if self.is_root_parallel { threads } else { 1 };
        let rules = Rules { bytes: self.rules.bytes / trees, ..self.rules };
        let kept = self.tree.take().and_then(|tree| tree.below(state));
        // The values in a tree must come from one kind of games.
        if kept.is_none() {
            self.grows_decisive =
                in_lanes && self.games == RolloutKind::Decisive && are_decisive(game, budget, searches);
        }
        let kind =
            if in_lanes && self.grows_decisive { RolloutKind::Decisive } else { RolloutKind::of(in_lanes) };
        let tree = kept.unwrap_or_else(|| Tree::new(game, state, rules));
        let search = Search { game, seed: self.seed.wrapping_add(self.searches << 32), kind };
        self.searches += 1;
        let shared = if trees > 1 {
            let others = (1..trees).map(|_| Tree::new(game, state, rules)).collect();
            search.apart(tree, others, budget)
        } else {
            search.together(tree, threads, budget)
        };
        self.conclude(game, state, role, shared)
    }

    /// Chooses a move by the statistics of the tree, and keeps the tree for the next search.
    fn conclude(&mut self, game: &G, state: &G::State, role: G::Role, shared: Shared<G>) -> SearchResult<G> {
        let Shared { mut tree, meter, playouts, more_nodes, more_bytes } = shared;
        let mut found: SearchResult<G> = SearchResult::only(game.legal_moves(state, role).next());
        if let Some(mixed) = tree.mixed(role.index()) {
            let mut rank = Stream::new(self.seed, u64::MAX - self.searches).bits() as f64 / u64::MAX as f64;
            let visits = f64::from(tree.visits());
            for (action, &(likely, value)) in game.legal_moves(state, role).zip(&mixed) {
                if rank >= 0.0 && rank < likely {
                    found.action = Some(action);
                }
                rank -= likely;
                found.moves.push((action, count(likely * visits), value));
            }
        } else {
            let tried = tree.tried(role.index());
            if let Some(place) = tree.best(role.index()) {
                found.action = Some(G::Move::from_index(tried[place].action as usize));
            }
            let moves =
                tried.iter().map(|slot| (G::Move::from_index(slot.action as usize), slot.visits, slot.value));
            found.moves = moves.collect();
        }
        let chosen = found.action;
        found.moves.sort_by(|a, b| {
            let first = (Some(b.0) == chosen).cmp(&(Some(a.0) == chosen));
            first.then(b.1.cmp(&a.1)).then(a.0.cmp(&b.0))
        });
        found.line = tree.line(game);
        let report = &mut found.report;
        report.nodes = meter.nodes() + more_nodes;
        report.playouts = playouts;
        report.depth = tree.depth;
        report.bytes = (tree.bytes() + more_bytes) as u64;
        report.seconds = meter.seconds();
        report.value = tree.value(role.index());
        report.exact = self.rules.proves && tree.is_proved();
        report.note = self.grows_decisive.then(|| "a tree of decisive games".to_owned());
        self.tree = Some(tree);
        found
    }
}

/// Rounds a number that is not negative.
#[allow(clippy::cast_sign_loss, reason = "it is positive")]
fn count(number: f64) -> u64 {
    number.round() as u64
}

impl<G: Game> Default for Mcts<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Mcts<G> {
    fn name(&self) -> &'static str {
        "mcts"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        self.tree = None;
        // The tree keeps the results of the search before the first move.
        if !game.vocabulary().has_percepts() && !budget.is_spent() {
            self.search_first(game, &game.initial(), role, budget, Self::START);
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn stop(&mut self, _: &G, _: &Information<G>) {
        self.tree = None;
    }

    fn abort(&mut self) {
        self.tree = None;
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

/// The data that the threads of a search share.
struct Shared<G: Game> {
    tree: Tree<G>,
    meter: Meter,
    playouts: u64,
    /// The number of nodes of other trees that were merged into this one, and their bytes.
    more_nodes: u64,
    more_bytes: usize,
}

impl<G: Game> Shared<G> {
    fn new(tree: Tree<G>, budget: &Budget) -> Self {
        let meter = Meter::new(budget, Mcts::<G>::DEFAULT_NODES);
        Self { tree, meter, playouts: 0, more_nodes: 0, more_bytes: 0 }
    }

    /// Adds the results of another tree with the same root.
    fn merge(&mut self, other: &Self) {
        self.tree.merge(&other.tree);
        self.playouts += other.playouts;
        self.more_nodes += other.meter.nodes();
        self.more_bytes += other.tree.bytes();
    }
}

fn lock<G: Game>(shared: &Mutex<Shared<G>>) -> MutexGuard<'_, Shared<G>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parameters of one search.
struct Search<'g, G> {
    game: &'g G,
    seed: u64,
    kind: RolloutKind,
}

impl<G: Game> Search<'_, G> {
    /// Runs `threads` threads on one tree.
    fn together(&self, tree: Tree<G>, threads: usize, budget: &Budget) -> Shared<G> {
        let shared = Mutex::new(Shared::new(tree, budget));
        thread::scope(|scope| {
            for number in 1..threads as u64 {
                let shared = &shared;
                scope.spawn(move || self.work(shared, number));
            }
            self.work(&shared, 0);
        });
        shared.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one thread on each tree, with an equal share of the nodes, and merges the other trees
    /// into the first.
    fn apart(&self, tree: Tree<G>, others: Vec<Tree<G>>, budget: &Budget) -> Shared<G> {
        let count = 1 + others.len() as u64;
        let each = match budget.nodes() {
            Some(nodes) => budget.clone().and_nodes((nodes / count).max(1)),
            None => budget.clone(),
        };
        let shared = |tree| Mutex::new(Shared::new(tree, &each));
        let own = shared(tree);
        let others: Vec<_> = others.into_iter().map(shared).collect();
        thread::scope(|scope| {
            for (number, other) in (1..).zip(&others) {
                scope.spawn(move || self.work(other, number));
            }
            self.work(&own, 0);
        });
        let mut sum = own.into_inner().unwrap_or_else(PoisonError::into_inner);
        others.iter().for_each(|other| sum.merge(&lock(other)));
        sum
    }

    /// Selects states, plays from them and backs up the results, until the budget is spent or the
    /// root is proved.
    fn work(&self, shared: &Mutex<Shared<G>>, thread: u64) {
        let mut rollouts = Rollouts::new(self.game, self.kind, self.seed, thread);
        lock(shared).tree.judge_by(self.game, rollouts.batch() > 1);
        let mut stream = Stream::new(self.seed, u64::MAX / 2 + thread);
        let mut batch: Vec<(Path, G::State)> = Vec::new();
        let mut means = Vec::new();
        loop {
            {
                let mut shared = lock(shared);
                let Shared { tree, meter, .. } = &mut *shared;
                while batch.len() < rollouts.batch() && !tree.is_proved() && meter.tick() {
                    let (path, state) = tree.select(self.game, &mut stream);
                    if path.is_proved(tree) {
                        // A proved state needs no games.
                        tree.backup(&path, &[]);
                    } else {
                        batch.push((path, state));
                    }
                }
            }
            if batch.is_empty() {
                break;
            }
            let states: Vec<&G::State> = batch.iter().map(|(_, state)| state).collect();
            let games = rollouts.play(&states, &mut means);
            let mut shared = lock(shared);
            shared.playouts += games;
            let roles = self.game.shape().roles;
            for ((path, _), judged) in batch.drain(..).zip(means.chunks(roles)) {
                shared.tree.backup(&path, judged);
            }
            if rollouts.batch() > 1 {
                shared.meter.look();
            }
        }
    }
}

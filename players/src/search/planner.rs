//! The planner: finds the moves of a puzzle, a game for one role without chance, and makes them.
//!
//! Several searches take turns of increasing length, since none of them is best at all puzzles.
//! They are: breadth first by novelty of fluents or of pairs, breadth first over all states, best
//! first, and depth first with pruning. The module pages of [`sweep`] and [`descent`] describe
//! their memory; together the searches take no more bytes than the planner is given. The best goal
//! found so far is stored with the moves to it.

mod descent;
mod gates;
mod novelty;
mod outlook;
mod steps;
mod sweep;

use super::{Mcts, SearchResult, meter::Meter, mind::MatchMemory, payoff::Payoff};
use crate::player::{Budget, Player, Report};
use descent::Descent;
use gates::LANES;
use gdl_runtime::{
    Game, GameExt, Information,
    chance::Stream,
    game::{Id, Shape},
};
use outlook::{Distance, Outlook};
use std::fmt;
use steps::Steps;
use sweep::{End, Order, Sweep};

/// A goal and the moves to it.
struct Goal {
    value: u8,
    plan: Vec<u32>,
}

/// The problem that all searches share, and the best solution that they found.
struct Problem {
    shape: Shape,
    outlook: Option<Outlook>,
    distance: Option<Distance>,
    /// The greatest goal that may still be reachable; searches stop when they find it.
    aim: u8,
    best: Option<Goal>,
}

impl Problem {
    /// Creates the problem of a state. Without an outlook, any goal counts as reachable.
    fn new<G: Game>(game: &G, root: &[u64], outlook: Option<Outlook>) -> Self {
        let mut values: Vec<u8> = game.vocabulary().goals_of(0).to_vec();
        values.reverse();
        let mut problem = Self { shape: game.shape(), outlook, distance: None, aim: 0, best: None };
        problem.aim = values
            .into_iter()
            .find(|&value| {
                problem.aim = value;
                problem.open(std::iter::once(root))[0]
            })
            .unwrap_or(0);
        problem.measure(game);
        problem
    }

    /// Prepares the distances to the goal `aim`.
    fn measure<G: Game>(&mut self, game: &G) {
        self.distance = game.table().and_then(|table| Distance::new(table, self.aim));
    }

    /// Records a goal if it is the best so far. Returns whether `aim` is reached.
    fn tell(&mut self, goal: Goal) -> bool {
        if self.best.as_ref().is_none_or(|best| goal.value > best.value) {
            self.best = Some(goal);
        }
        self.is_solved()
    }

    fn is_solved(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.value >= self.aim)
    }

    /// Returns for each state whether `aim` may still be reachable from it.
    fn open<'r>(&mut self, rows: impl Iterator<Item = &'r [u64]>) -> Vec<bool> {
        let mut open = Vec::new();
        let Some(outlook) = &mut self.outlook else {
            open.extend(rows.map(|_| true));
            return open;
        };
        outlook.clear();
        for row in rows {
            if outlook.push(row) == LANES - 1 {
                open.extend(outlook.judge(self.aim));
                outlook.clear();
            }
        }
        open.extend(outlook.judge(self.aim));
        open
    }

    /// Returns for each element of `more` whether `aim` may still be reachable from a state without
    /// the `barred` moves and the element's move.
    fn open_without(&mut self, row: &[u64], barred: &[u32], more: &[Option<u32>]) -> Vec<bool> {
        let Some(outlook) = &mut self.outlook else { return vec![true; more.len()] };
        outlook.clear();
        for action in more {
            let lane = outlook.push(row);
            barred.iter().chain(action).for_each(|&action| outlook.bar(lane, action));
        }
        outlook.judge(self.aim)
    }

    /// Returns the estimated distance of each state from `aim`.
    fn distances(&mut self, rows: &[u64], words: usize) -> Vec<u16> {
        match &mut self.distance {
            Some(distance) => distance.of(rows, words),
            None => vec![0; rows.len() / words],
        }
    }
}

/// One of the searches that take turns.
enum SearchKind {
    Sweep(Order, Option<Box<Sweep>>),
    Descent(Option<Box<Descent>>),
}

/// The searches from one root state.
struct Work {
    root: Vec<u64>,
    problem: Problem,
    /// The searches that are not finished.
    kinds: Vec<SearchKind>,
    /// The number of nodes of the next turn.
    turn: u64,
    bytes: usize,
    /// True if all states were visited, so that there is no better goal.
    is_exhausted: bool,
}

/// The number of nodes of each search's first turn, and of its longest turn.
const FIRST_TURN: u64 = 1 << 12;
const LONGEST_TURN: u64 = 1 << 18;

impl Work {
    fn new<G: Game>(game: &G, root: &[u64], outlook: Option<Outlook>, bytes: usize) -> Self {
        let sweep = |order| SearchKind::Sweep(order, None);
        let problem = Problem::new(game, root, outlook);
        let kinds = vec![
            sweep(Order::Fluents),
            sweep(Order::Pairs),
            sweep(Order::Breadth),
            SearchKind::Descent(None),
            sweep(Order::Best),
        ];
        Self { root: root.to_vec(), problem, kinds, turn: FIRST_TURN, bytes, is_exhausted: false }
    }

    /// Returns whether no better plan exists.
    fn is_settled(&self) -> bool {
        self.is_exhausted || self.problem.is_solved()
    }

    /// Searches until the aim is reached, all states are visited or the budget is spent.
    fn go_on<G: Game>(&mut self, game: &G, meter: &mut Meter) {
        let mut steps = Steps::new(game);
        // Half of the bytes for the sweep over all states, and an eighth for each other search.
        let (bytes, part) = (self.bytes, self.bytes / 8);
        while !self.is_settled() && !self.kinds.is_empty() && !meter.is_over() {
            let (problem, root, turn) = (&mut self.problem, &self.root, self.turn);
            let mut is_exhausted = false;
            self.kinds.retain_mut(|kind| {
                if problem.is_solved() || is_exhausted || meter.is_over() {
                    return true;
                }
                match kind {
                    SearchKind::Sweep(order, sweep) => {
                        let share = match order {
                            Order::Breadth => bytes / 2,
                            Order::Fluents | Order::Pairs | Order::Best => part,
                        };
                        if sweep.is_none() {
                            *sweep = Sweep::new(problem, root, *order, share).map(Box::new);
                        }
                        let end = sweep
                            .as_mut()
                            .map_or(End::Full, |sweep| sweep.go_on(problem, &mut steps, meter, turn));
                        is_exhausted = end == End::Done && *order == Order::Breadth;
                        end == End::Paused
                    }
                    SearchKind::Descent(descent) => {
                        let descent = descent.get_or_insert_with(|| Box::new(Descent::new(root, part)));
                        descent.go_on(problem, &mut steps, meter, turn) == End::Paused
                    }
                }
            });
            self.is_exhausted |= is_exhausted;
            self.turn = (self.turn * 2).min(LONGEST_TURN);
        }
    }

    /// Returns the bytes in use.
    fn bytes(&self) -> usize {
        let bytes = |kind: &SearchKind| match kind {
            SearchKind::Sweep(_, sweep) => sweep.as_ref().map_or(0, |sweep| sweep.bytes()),
            SearchKind::Descent(descent) => descent.as_ref().map_or(0, |descent| descent.bytes()),
        };
        self.kinds.iter().map(bytes).sum()
    }
}

/// A sequence of states and the moves between them, to a terminal state.
struct Plan<G: Game> {
    states: Vec<G::State>,
    moves: Vec<G::Move>,
    value: u8,
    /// True if it is proved that no goal is better.
    is_best: bool,
}

impl<G: Game> Plan<G> {
    /// Replays the moves of a goal from `root`. Returns `None` unless they are legal and reach it.
    fn of(game: &G, root: &G::State, goal: &Goal, is_best: bool) -> Option<Self> {
        let mut states = vec![root.clone()];
        let moves: Vec<G::Move> =
            goal.plan.iter().map(|&action| G::Move::from_index(action as usize)).collect();
        for &action in &moves {
            let next = game.apply(states.last()?, &[action]).ok()?;
            states.push(next);
        }
        let view = game.view(states.last()?);
        let is_reached = game.is_terminal_in(&view) && Payoff::new(game).goal(view.as_ref(), 0) == goal.value;
        is_reached.then_some(Self { states, moves, value: goal.value, is_best })
    }

    /// Returns a plan of random moves, as a last resort. Returns `None` if they do not end the game
    /// within 2,000 moves.
    fn drawn(game: &G, root: &G::State, stream: &mut Stream) -> Option<Self> {
        const LONGEST: usize = 2000;
        let (states, moves) = (vec![root.clone()], Vec::new());
        let mut plan = Self { states, moves, value: 0, is_best: false };
        let mut view = game.new_view();
        for _ in 0..LONGEST {
            let state = plan.states.last()?;
            game.observe_without_goals(state, &mut view);
            if game.is_terminal_in(&view) {
                plan.value = Payoff::new(game).goal(view.as_ref(), 0);
                return Some(plan);
            }
            let action = game.random_move_in(&view, G::Role::from_index(0), stream)?;
            let next = game.apply_unchecked(state, &[action]);
            plan.moves.push(action);
            plan.states.push(next);
        }
        None
    }

    /// Returns the last index of a state in the plan, so that the rest of the plan has no cycle
    /// through it.
    fn place(&self, state: &G::State) -> Option<usize> {
        self.states[..self.moves.len()].iter().rposition(|known| known == state)
    }

    /// Returns whether a goal is greater than that of this plan, or equal and reached in fewer
    /// moves from `state`.
    fn is_behind(&self, state: &G::State, goal: &Goal) -> bool {
        let left = self.place(state).map_or(usize::MAX, |place| self.moves.len() - place);
        goal.value > self.value || (goal.value == self.value && goal.plan.len() < left)
    }
}

/// A player for puzzles: it searches for the moves to the best goal, starting during the start
/// clock, and makes them.
///
/// If all states fit into memory, it finds the best goal, otherwise the best goal within its
/// budget. Several searches take turns:
///
/// - breadth first,
/// - breadth first without states that have no new fluents or pairs,
/// - best first, by the distance from the goal, and
/// - depth first, without moves after which the net shows that the goal is unreachable.
///
/// A node of the budget is a generated state. With a budget of nodes, the moves depend only on the
/// seed and earlier searches.
///
/// If more than one role decides, or there is chance, [`Mcts`] plays.
///
/// ```
/// use gdl_players::{Budget, search::Planner};
/// use gdl_runtime::{Game, GameExt, gdl};
///
/// gdl!(name = jugs, rules = r"
///     ; A jug of three and a jug of five, to measure four.
///     (role thirsty) (init (small 0)) (init (large 0))
///     (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
///     (legal thirsty fill_small) (legal thirsty fill_large) (legal thirsty empty_small) (legal thirsty empty_large)
///     (<= (legal thirsty to_small) (true (large ?n)) (succ ?m ?n) (not (true (small 3))))
///     (<= (next (small 3)) (does thirsty fill_small)) (<= (next (small 0)) (does thirsty empty_small))
///     (<= (next (large 5)) (does thirsty fill_large)) (<= (next (large 0)) (does thirsty empty_large))
///     (<= (next (large ?n)) (true (large ?n)) (does thirsty fill_small)) (<= (next (large ?n)) (true (large ?n)) (does thirsty empty_small))
///     (<= (next (small ?n)) (true (small ?n)) (does thirsty fill_large)) (<= (next (small ?n)) (true (small ?n)) (does thirsty empty_large))
///     (<= (next (small ?n)) (does thirsty to_small) (true (small ?m)) (succ ?m ?n))
///     (<= (next (large ?m)) (does thirsty to_small) (true (large ?n)) (succ ?m ?n))
///     (<= terminal (true (large 4)))
///     (<= (goal thirsty 100) (true (large 4))) (<= (goal thirsty 0) (not (true (large 4))))
/// ");
///
/// let game = jugs::game();
/// let found = Planner::new().search(&game, &game.initial(), jugs::Role::Thirsty, &Budget::of_nodes(100_000));
/// assert_eq!((found.report.value, found.report.exact), (Some(100.0), true));
/// assert_eq!(game.move_text(found.action.unwrap()), "fill_large");
/// ```
pub struct Planner<G: Game> {
    seed: u64,
    bytes: usize,
    plan: Option<Plan<G>>,
    work: Option<Work>,
    guess: Mcts<G>,
    mind: MatchMemory<G>,
}

impl<G: Game> fmt::Debug for Planner<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner")
            .field("seed", &self.seed)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl<G: Game> Planner<G> {
    /// The default of [`Planner::memory`], in bytes.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// The number of nodes of a search whose budget has no limit: some seconds.
    pub const DEFAULT_NODES: u64 = 1 << 20;

    /// Creates the player.
    #[must_use]
    pub fn new() -> Self {
        let bytes = Self::DEFAULT_BYTES;
        Self { seed: 0, bytes, plan: None, work: None, guess: Mcts::new(), mind: MatchMemory::new(0) }
    }

    /// Sets the seed of random moves, which are made if no plan is found; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.guess = self.guess.seed(seed);
        self.mind = MatchMemory::new(seed);
        self
    }

    /// Sets the maximum number of bytes of the states.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self.guess = self.guess.memory(bytes);
        self
    }

    /// Returns whether a game is a puzzle: one role, no chance and no hidden information.
    #[must_use]
    pub fn is_puzzle(game: &G) -> bool {
        let shape = game.shape();
        shape.roles == 1
            && game.chance_role().is_none()
            && shape.fluents > 0
            && !game.vocabulary().has_percepts()
    }

    /// Finds the best plan from a state, and returns its first move.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> SearchResult<G> {
        if !Self::is_puzzle(game) {
            let mut found = self.guess.search(game, state, role, budget);
            found.report.note = Some("no puzzle: several roles decide, or something is hidden".to_owned());
            return found;
        }
        let first = game.legal_moves(state, role).next();
        if first.is_none() || game.is_terminal(state) {
            return SearchResult::only(first.filter(|_| !game.is_terminal(state)));
        }
        let is_settled = |plan: &Plan<G>| plan.is_best && plan.place(state).is_some();
        let mut meter = Meter::new(budget, Self::DEFAULT_NODES);
        if !self.plan.as_ref().is_some_and(is_settled) {
            self.work(game, state, &mut meter);
        }
        self.conclude(game, state, role, budget, &meter)
    }

    /// Searches for a better plan than the current one.
    fn work(&mut self, game: &G, state: &G::State, meter: &mut Meter) {
        let known = self.plan.take().filter(|plan| plan.place(state).is_some());
        self.plan = known.or_else(|| Plan::drawn(game, state, &mut Stream::new(self.seed, u64::MAX)));
        let mut work = match self.work.take() {
            Some(work) if work.root == state.as_ref() => work,
            before => {
                let outlook = match before {
                    Some(work) => work.problem.outlook,
                    None => game.table().and_then(Outlook::new),
                };
                Work::new(game, state.as_ref(), outlook, self.bytes)
            }
        };
        work.go_on(game, meter);
        if let Some(goal) = &work.problem.best {
            let is_better = self.plan.as_ref().is_none_or(|plan| plan.is_behind(state, goal));
            if (is_better || work.is_settled())
                && let Some(plan) = Plan::of(game, state, goal, work.is_settled())
            {
                self.plan = Some(plan);
            }
        }
        self.work = Some(work);
    }

    /// Returns the move of the plan. If no plan is proved best and some budget remains, [`Mcts`]
    /// searches with the rest. The move of [`Mcts`] is returned if there is no plan or if its value
    /// is greater.
    fn conclude(
        &mut self,
        game: &G,
        state: &G::State,
        role: G::Role,
        budget: &Budget,
        meter: &Meter,
    ) -> SearchResult<G> {
        let mut found: SearchResult<G> = SearchResult::only(game.legal_moves(state, role).next());
        let planned = self.plan.as_ref().and_then(|plan| Some((plan, plan.place(state)?)));
        let is_best = planned.is_some_and(|(plan, _)| plan.is_best);
        let left = budget.share(1.0, meter.nodes());
        if !is_best && !meter.is_over() && left.nodes() != Some(0) {
            let guessed = self.guess.search(game, state, role, &left);
            let better = guessed.report.value.unwrap_or(0.0);
            if planned.is_none_or(|(plan, _)| better > f64::from(plan.value)) {
                found = guessed;
                found.report.nodes += meter.nodes();
                found.report.note = Some("random games: no search for a plan could continue".to_owned());
                return found;
            }
        }
        let report = &mut found.report;
        report.nodes = meter.nodes();
        report.seconds = meter.seconds();
        report.bytes = self.work.as_ref().map_or(0, Work::bytes) as u64;
        if let Some((plan, place)) = planned {
            found.action = Some(plan.moves[place]);
            found.line = plan.moves[place..].iter().map(|&action| vec![action]).collect();
            report.value = Some(plan.value.into());
            report.exact = plan.is_best;
            report.depth = found.line.len() as u32;
            let of = plan.moves.len();
            let rank = if plan.is_best { "that is proved best" } else { "that is the best so far" };
            report.note = Some(format!("move {} of a plan of {of} {rank}", place + 1));
        }
        found
    }
}

impl<G: Game> Default for Planner<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Planner<G> {
    fn name(&self) -> &'static str {
        "planner"
    }

    fn start(&mut self, game: &G, _: G::Role, budget: &Budget) {
        self.abort();
        if Self::is_puzzle(game) && !budget.is_spent() {
            let state = game.initial();
            if !game.is_terminal(&state) {
                self.work(game, &state, &mut Meter::new(budget, Self::DEFAULT_NODES));
            }
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        MatchMemory::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn stop(&mut self, _: &G, _: &Information<G>) {
        self.abort();
    }

    fn abort(&mut self) {
        (self.plan, self.work) = (None, None);
        Player::<G>::abort(&mut self.guess);
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

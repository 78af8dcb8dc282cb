//! Max^n search: finds the move that is best if every role seeks its own good.

use super::{
    Evaluation, Found, memory::Memory, meter::Meter, mind::Mind, options::Options, payoff::Payoff,
    setup::Setup, successors::Successors,
};
use crate::{
    game::{Game, GameExt, Id},
    information::Information,
    player::{Budget, Player, Report},
};
use std::fmt;

/// Depth-first search for any number of roles, each of which makes the most of its own goal (Luckhardt and Irani, "An
/// algorithmic solution of n-person games", 1986), with iterative deepening.
///
/// A state has a value for each role. The role that decides takes the first move that is best for it. Where several decide at
/// the same time the role that searches is taken to choose first, then the others in role order, each knowing what was
/// chosen before; chance is averaged over all its moves. With one role this is search for the greatest goal, which ends
/// as soon as there can be no greater one, at the least depth there is.
///
/// Time: O(b^d) nodes of b joint moves and depth d, less what the table knows; memory: the table, O(b d), and after some
/// thousands of nodes what an [`Expansion`](crate::lanes::Expansion) and a [`Batch`](crate::lanes::Batch) take.
///
/// ```
/// use gdl_runtime::{Budget, Game, GameExt, gdl, search::MaxN};
///
/// gdl!(name = lift, rules = r"
///     ; From the ground floor to the fifth: up two, or down one.
///     (role rider) (init (floor 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
///     (<= (legal rider up) (true (floor ?x)) (succ ?x ?y) (succ ?y ?z))
///     (<= (legal rider down) (true (floor ?y)) (succ ?x ?y))
///     (<= (next (floor ?z)) (does rider up) (true (floor ?x)) (succ ?x ?y) (succ ?y ?z))
///     (<= (next (floor ?x)) (does rider down) (true (floor ?y)) (succ ?x ?y))
///     (<= terminal (true (floor 5)))
///     (<= (goal rider 100) (true (floor 5))) (<= (goal rider 0) (not (true (floor 5))))
/// ");
///
/// let game = lift::game();
/// let found = MaxN::new().search(&game, &game.initial(), lift::Role::Rider, &Budget::unlimited());
/// assert_eq!((found.report.value, found.report.exact, found.report.depth), (Some(100.0), true, 4));
/// ```
pub struct MaxN<G: Game> {
    setup: Setup<G>,
    mind: Mind<G>,
    memory: Option<(usize, Memory)>,
}

impl<G: Game> fmt::Debug for MaxN<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxN")
            .field("depth", &self.setup.depth())
            .field("bytes", &self.setup.bytes())
            .finish_non_exhaustive()
    }
}

impl<G: Game> MaxN<G> {
    /// Bytes of the table unless [`MaxN::memory`] says otherwise.
    pub const DEFAULT_BYTES: usize = Setup::<G>::BYTES;

    /// Nodes of a search without a depth whose budget has no limit.
    pub const DEFAULT_NODES: u64 = Setup::<G>::NODES;

    /// A search as deep as the budget allows.
    #[must_use]
    pub fn new() -> Self {
        Self { setup: Setup::new(), mind: Mind::new(0), memory: None }
    }

    /// Looks so many joint moves ahead, if the budget allows; at most 200.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.setup.set_depth(depth);
        self
    }

    /// The most bytes of the table.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.setup.set_bytes(bytes);
        self
    }

    /// The seed of the random games that the evaluation is learnt from, and of the drawing of hidden states; 0 unless this says
    /// otherwise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.setup.set_seed(seed);
        self.mind = Mind::new(seed);
        self
    }

    /// Judges states by this instead of what is learnt from random games ([`Linear`](crate::search::Linear)).
    #[must_use]
    pub fn evaluation(mut self, evaluation: impl Evaluation<G> + 'static) -> Self {
        self.setup.set_evaluation(evaluation);
        self
    }

    /// Searches a state for a role. The first time, up to a fifth of the budget is spent on learning an evaluation.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> Found<G> {
        let first = game.legal_moves(state, role).next().filter(|_| !game.is_terminal(state));
        if first.is_none() || budget.is_spent() {
            return Found::only(first);
        }
        let (words, roles) = (game.shape().state_words(), game.shape().roles);
        let (depth, bytes) = (self.setup.depth(), self.setup.bytes());
        // The role that searches is taken to choose first, so values are for it alone.
        let kept = self.memory.take();
        let kept = kept.filter(|(known, memory)| *known == role.index() && memory.fits(bytes, words));
        let (_, memory) =
            self.memory.insert(kept.unwrap_or_else(|| (role.index(), Memory::new(bytes, words, 1 + roles))));
        let (evaluation, meter) = self.setup.begin(game, budget);
        let chance = game.chance_role().map(Id::index).filter(|&chance| chance != role.index());
        let others = (0..roles).filter(|&other| other != role.index() && Some(other) != chance);
        let mut run = Run {
            game,
            evaluation,
            meter,
            order: [role.index()].into_iter().chain(others).chain(chance).collect(),
            chance,
            payoff: Payoff::new(game),
            memory,
            successors: Successors::new(game, role.index()),
            frames: Vec::new(),
            row: vec![0; 1 + roles],
            cutoffs: 0,
            table_hits: 0,
            best: None,
        };
        let mut found = run.deepen(state, role, depth);
        found.action = found.action.or(first);
        found
    }
}

impl<G: Game> Default for MaxN<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for MaxN<G> {
    fn name(&self) -> &'static str {
        "maxn"
    }

    fn start(&mut self, game: &G, _: G::Role, budget: &Budget) {
        self.setup.prepare(game, budget);
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        Mind::decide(self, |player| &mut player.mind, Self::search, game, information, budget)
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

/// The memory of a depth.
struct Frame<G: Game> {
    state: G::State,
    view: G::View,
    /// If the view is that of the state already.
    is_seen: bool,
    options: Options<G>,
    /// The roles that have a choice, in the order in which they decide.
    deciders: Vec<usize>,
    /// For each of them the best values so far, or for chance their sum, and how many of its moves are done.
    values: Vec<f32>,
    done: Vec<usize>,
}

/// One search.
struct Run<'r, G: Game> {
    game: &'r G,
    evaluation: &'r dyn Evaluation<G>,
    meter: Meter,
    /// The roles in the order in which they decide where several do.
    order: Vec<usize>,
    chance: Option<usize>,
    payoff: Payoff,
    memory: &'r mut Memory,
    successors: Successors<'r, G>,
    frames: Vec<Frame<G>>,
    /// A row for the table.
    row: Vec<u64>,
    cutoffs: u64,
    table_hits: u64,
    /// The best move of the role at the root so far, and its value.
    best: Option<(G::Move, f32)>,
}

impl<G: Game> Run<'_, G> {
    fn deepen(&mut self, state: &G::State, role: G::Role, depth: u32) -> Found<G> {
        self.frame(0);
        self.frames[0].state.clone_from(state);
        let mut found = Found::only(None);
        let mut values = vec![0.0; self.game.shape().roles];
        for depth in 1..=depth {
            self.best = None;
            let solved = self.node(0, depth, &mut values);
            if let Some((action, value)) = self.best {
                // Moves of an iteration that was broken off are judged by those it came to.
                if solved.is_some() || found.action.is_none() {
                    found.action = Some(action);
                    found.report.value.get_or_insert(value.into());
                }
            }
            let Some(is_solved) = solved else { break };
            found.report.value = Some(values[role.index()].into());
            found.report.depth = depth;
            found.report.exact = is_solved;
            if is_solved || self.meter.is_over() {
                break;
            }
        }
        found.report.nodes = self.meter.nodes();
        found.report.cutoffs = self.cutoffs;
        found.report.table_hits = self.table_hits;
        found.report.bytes = self.memory.bytes() as u64;
        found.report.seconds = self.meter.seconds();
        found
    }

    fn frame(&mut self, ply: usize) {
        while self.frames.len() <= ply {
            self.frames.push(Frame {
                state: self.game.new_state(),
                view: self.game.new_view(),
                is_seen: false,
                options: Options::new(self.game),
                deciders: Vec::new(),
                values: Vec::new(),
                done: Vec::new(),
            });
        }
    }

    /// Writes the values of the state at `ply`, if the budget lasts. Whether they depend on nothing but ends.
    fn node(&mut self, ply: usize, depth: u32, values: &mut Vec<f32>) -> Option<bool> {
        if !self.meter.tick() {
            return None;
        }
        // States are judged sooner than found in a large table.
        if ply > 0
            && depth > 0
            && let Some(known) = self.memory.get(self.frames[ply].state.as_ref())
            && (known[0] == SOLVED || known[0] > u64::from(depth))
        {
            self.table_hits += 1;
            values
                .iter_mut()
                .zip(&known[1..])
                .for_each(|(value, &word)| *value = f32::from_bits(word as u32));
            return Some(known[0] == SOLVED);
        }
        let frame = &mut self.frames[ply];
        if !frame.is_seen {
            self.game.observe_without_goals(&frame.state, &mut frame.view);
        }
        let over = self.game.is_terminal_in(&frame.view);
        if over || !frame.options.read(self.game, &frame.view) {
            if !over {
                self.game.observe(&frame.state, &mut frame.view);
            }
            let view = frame.view.as_ref();
            let goals = (0..values.len()).map(|role| f32::from(self.payoff.goal(view, role)));
            values.iter_mut().zip(goals).for_each(|(value, goal)| *value = goal);
            return Some(true);
        }
        if depth == 0 {
            self.evaluation.evaluate(self.game, &frame.state, &frame.view, values);
            return Some(false);
        }
        let is_solved = self.decide(ply, depth, values)?;
        self.row[0] = if is_solved { SOLVED } else { u64::from(depth) + 1 };
        self.row[1..].iter_mut().zip(&*values).for_each(|(word, value)| *word = value.to_bits().into());
        self.memory.put(self.frames[ply].state.as_ref(), &self.row, |word| word);
        Some(is_solved)
    }

    /// Goes through all that those may do who have a choice, and lets them choose, the last one first.
    fn decide(&mut self, ply: usize, depth: u32, values: &mut Vec<f32>) -> Option<bool> {
        self.frame(ply + 1);
        self.successors.begin();
        let roles = values.len();
        let frame = &mut self.frames[ply];
        frame.deciders.clear();
        frame.deciders.extend(self.order.iter().filter(|&&role| frame.options.of(role).len() > 1));
        let levels = frame.deciders.len();
        frame.values.clear();
        frame.values.resize(levels * roles, 0.0);
        frame.done.clear();
        frame.done.resize(levels, 0);
        let ways = frame.options.ways(&frame.deciders);
        let mut is_solved = true;
        for way in 0..ways {
            let Frame { options, deciders, .. } = &mut self.frames[ply];
            options.set_way(deciders, way);
            let (before, after) = self.frames.split_at_mut(ply + 1);
            let (frame, next) = (&before[ply], &mut after[0]);
            next.is_seen = if depth == 1 {
                // Most states are made here.
                let parent = (&frame.state, &frame.view);
                self.successors.write(parent, &frame.options, (&mut next.state, &mut next.view))
            } else {
                next.state.clone_from(&frame.state);
                self.game.advance(&mut next.state, frame.options.joint());
                false
            };
            let solved = self.node(ply + 1, depth - 1, values)?;
            is_solved &= solved;
            let Frame { options, deciders, values: best, done, .. } = &mut self.frames[ply];
            for level in (0..levels).rev() {
                let role = deciders[level];
                let kept = &mut best[level * roles..][..roles];
                if Some(role) == self.chance {
                    kept.iter_mut().zip(&*values).for_each(|(sum, value)| *sum += value);
                } else if done[level] == 0 || values[role] > kept[role] {
                    kept.copy_from_slice(values);
                    if ply == 0 && level == 0 && role == self.order[0] {
                        self.best = Some((options.joint()[role], values[role]));
                    }
                    // Nothing can be better for a role that alone decides.
                    if levels == 1 && solved && values[role] >= self.payoff.range(role).1.into() {
                        self.cutoffs += u64::from(way + 1 < ways);
                        return Some(true);
                    }
                }
                done[level] += 1;
                let count = options.of(role).len();
                if done[level] < count {
                    break;
                }
                done[level] = 0;
                values.copy_from_slice(kept);
                if Some(role) == self.chance {
                    values.iter_mut().for_each(|value| *value /= count as f32);
                    kept.fill(0.0);
                }
            }
        }
        Some(is_solved)
    }
}

/// The first word of a row whose values are proved; else it is one more than the depth.
const SOLVED: u64 = 1 << 32;

//! Alpha-beta: in come a state and a role, out goes the move that the worst reply leaves the most.
//!
//! Values are whole numbers, [`UNIT`] for each point of a goal, and shrink by one for each joint move on their way up, so
//! that a quicker win is worth more and a later loss too. What is known of a state does not depend on how deep it
//! was met.

use super::{
    Evaluation, Found, Linear, memory::Memory, meter::Meter, mind::Mind, options::Options, payoff::Payoff,
};
use crate::{
    game::{Game, Id},
    player::{Budget, InformationOf, Player, Report},
};
use std::fmt;

/// The worth of a point of a goal. More than there are moves in a line.
const UNIT: i32 = 4096;

/// More than any value.
const INFINITE: i32 = 1 << 30;

/// The deepest search: it recurses once for each joint move.
const MAX_DEPTH: u32 = 200;

/// Alpha-beta search with iterative deepening.
///
/// For two roles the worth of an end is the difference of their goals; for more, or with [`AlphaBeta::paranoid`], it is
/// the role's own goal and all others are taken to play against it (Sturtevant and Korf, "On pruning techniques for
/// multi-player games", 2000). With one role it is depth-first search. Where roles move at the same time the others are
/// taken to know the role's move, so a value is what the role can be sure of; chance is averaged over all its moves.
///
/// It deepens until the value is proved, the depth or the budget is reached; what is found of an iteration
/// that was broken off counts. States are remembered in a table of a fixed number of bytes, by all their words. Moves
/// are tried in this order: the one from the table, two that cut off other states at the same depth (killers), then
/// by how often and how deep they cut off any (history).
///
/// Time: O(b^d) nodes of b joint moves and depth d, about the square root of that if the order is good. Memory: the
/// table and O(b d).
///
/// ```
/// use gdl_runtime::{AlphaBeta, Budget, Game, gdl};
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
/// // Three sticks are lost for whoever must take.
/// assert_eq!(game.move_text(found.action.unwrap()), "(take 2)");
/// assert_eq!((found.report.value, found.report.exact), (Some(100.0), true));
/// assert_eq!(found.describe(&game).line[0], "((take 2) noop)");
/// ```
pub struct AlphaBeta<G: Game> {
    depth: Option<u32>,
    seed: u64,
    bytes: usize,
    name: &'static str,
    is_paranoid: bool,
    evaluation: Option<Box<dyn Evaluation<G>>>,
    mind: Mind<G>,
    engine: Option<Engine<G>>,
}

impl<G: Game> fmt::Debug for AlphaBeta<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlphaBeta")
            .field("depth", &self.depth)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl<G: Game> AlphaBeta<G> {
    /// Bytes of the table unless [`AlphaBeta::memory`] says otherwise.
    pub const DEFAULT_BYTES: usize = 64 << 20;

    /// Nodes of a search without a depth whose budget has no limit.
    pub const DEFAULT_NODES: u64 = 1 << 20;

    /// A search as deep as the budget allows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            depth: None,
            seed: 0,
            bytes: Self::DEFAULT_BYTES,
            name: "alphabeta",
            is_paranoid: false,
            evaluation: None,
            mind: Mind::new(0),
            engine: None,
        }
    }

    /// The same where the role's own goal is all that counts and all others play against it, also with two roles.
    #[must_use]
    pub fn paranoid() -> Self {
        Self { name: "paranoid", is_paranoid: true, ..Self::new() }
    }

    /// The same where nothing is looked at but what each move leads to.
    #[must_use]
    pub fn greedy() -> Self {
        Self { name: "greedy", ..Self::new().depth(1) }
    }

    /// Looks so many joint moves ahead, if the budget allows; at most 200.
    #[must_use]
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth.clamp(1, MAX_DEPTH));
        self
    }

    /// The most bytes of the table.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// The seed of the random games that the evaluation is learnt from, and of the drawing of hidden states.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.mind = Mind::new(seed);
        self
    }

    /// Judges states by this instead of what is learnt from random games ([`Linear`]).
    #[must_use]
    pub fn evaluation(mut self, evaluation: impl Evaluation<G> + 'static) -> Self {
        self.evaluation = Some(Box::new(evaluation));
        self
    }

    /// Searches a state for a role. The first time, up to a fifth of the budget is spent on learning an evaluation.
    pub fn search(&mut self, game: &G, state: &G::State, role: G::Role, budget: &Budget) -> Found<G> {
        if budget.is_spent() {
            return Found::only(game.legal(state, role).next().filter(|_| !game.terminal(state)));
        }
        let learning = budget.share(0.2, 0);
        let mut learnt = 0;
        if self.engine.as_ref().is_none_or(|engine| !engine.is_for(game, role, self.bytes)) {
            let engine = Engine::new(game, role, self.bytes, self.is_paranoid);
            self.engine = Some(engine);
        }
        if self.evaluation.is_none() {
            self.evaluation = Some(Box::new(Linear::learn(game, self.seed, &learning)));
            learnt = learning.nodes().unwrap_or(0);
        }
        let (Some(engine), Some(evaluation)) = (&mut self.engine, &self.evaluation) else {
            return Found::only(game.legal(state, role).next());
        };
        let budget = budget.share(1.0, learnt);
        let without_end = if self.depth.is_some() { u64::MAX } else { Self::DEFAULT_NODES };
        let mut run = Run {
            game,
            evaluation: &**evaluation,
            meter: Meter::new(&budget, without_end),
            engine,
            cutoffs: 0,
            table_hits: 0,
        };
        run.deepen(state, self.depth.unwrap_or(MAX_DEPTH))
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

    fn start(&mut self, game: &G, _: G::Role, budget: &Budget) {
        if self.evaluation.is_none() && !budget.is_spent() {
            self.evaluation = Some(Box::new(Linear::learn(game, self.seed, &budget.share(0.8, 0))));
        }
    }

    fn choose(&mut self, game: &G, information: &InformationOf<G>, budget: &Budget) -> Option<G::Move> {
        let mut mind = std::mem::replace(&mut self.mind, Mind::new(0));
        let role = information.role();
        let search = |state: &G::State, budget: &Budget| self.search(game, state, role, budget);
        let action = mind.decide(game, information, budget, search);
        self.mind = mind;
        action
    }

    fn report(&self) -> Option<Report> {
        self.mind.report()
    }
}

/// What is kept from search to search.
struct Engine<G: Game> {
    role: usize,
    /// The role whose goal is taken off the own one.
    rival: Option<usize>,
    /// All other roles but chance, and chance.
    others: Vec<usize>,
    chance: Vec<usize>,
    payoff: Payoff,
    /// The least and the greatest value.
    range: (i32, i32),
    memory: Memory,
    frames: Vec<Frame<G>>,
    /// For each role and move, how much it cut off.
    history: Vec<u32>,
    moves: usize,
    goals: Vec<f32>,
}

/// The memory of a depth.
struct Frame<G: Game> {
    state: G::State,
    view: G::View,
    options: Options<G>,
    /// What may be done by the one role that has a choice, or by the role itself if others have too, and by the others:
    /// rank and number.
    own: Vec<(u32, u32)>,
    other: Vec<(u32, u32)>,
    killers: [u32; 2],
}

/// No move.
const NONE: u32 = u32::MAX;

/// What a value says of the true one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What the table knows of a state: value, bound, depth and whether that is all there is to know, in a word; the best
/// move in another one.
#[derive(Clone, Copy)]
struct Entry {
    value: i32,
    bound: Bound,
    depth: u32,
    is_solved: bool,
    best: u32,
}

impl Entry {
    fn pack(self) -> [u64; 2] {
        let depth = if self.is_solved { 255 } else { self.depth.min(254) };
        let bound = 1 + self.bound as u64;
        [u64::from(self.value.cast_unsigned()) << 32 | u64::from(depth) << 8 | bound, u64::from(self.best)]
    }

    fn unpack(words: &[u64]) -> Self {
        let bound = match words[0] & 0xff {
            1 => Bound::Exact,
            2 => Bound::AtLeast,
            _ => Bound::AtMost,
        };
        let depth = (words[0] >> 8 & 0xff) as u32;
        Self {
            value: ((words[0] >> 32) as u32).cast_signed(),
            bound,
            depth,
            is_solved: depth == 255,
            best: words[1] as u32,
        }
    }

    /// Deeper is worth more.
    fn worth(word: u64) -> u64 {
        word >> 8 & 0xff
    }
}

impl<G: Game> Engine<G> {
    fn new(game: &G, role: G::Role, bytes: usize, is_paranoid: bool) -> Self {
        let shape = game.shape();
        let chance = game.chance_role().map(Id::index);
        let role = role.index();
        let others: Vec<usize> = (0..shape.roles).filter(|&r| r != role && Some(r) != chance).collect();
        let rival = match others[..] {
            [rival] if !is_paranoid => Some(rival),
            _ => None,
        };
        let payoff = Payoff::new(game);
        let mut engine = Self {
            role,
            rival,
            others,
            chance: chance.filter(|&chance| chance != role).into_iter().collect(),
            range: (0, 0),
            payoff,
            memory: Memory::new(bytes, shape.state_words(), 2),
            frames: Vec::new(),
            history: vec![0; shape.roles * shape.moves],
            moves: shape.moves,
            goals: vec![0.0; shape.roles],
        };
        let (least, greatest) = engine.payoff.range(role);
        engine.range = match rival.map(|rival| engine.payoff.range(rival)) {
            Some((low, high)) => (worth(least, Some(high)), worth(greatest, Some(low))),
            None => (worth(least, None), worth(greatest, None)),
        };
        engine
    }

    fn is_for(&self, game: &G, role: G::Role, bytes: usize) -> bool {
        let shape = game.shape();
        self.role == role.index()
            && self.moves == shape.moves
            && self.goals.len() == shape.roles
            && self.memory.fits(bytes, shape.state_words())
    }

    fn value(&self, view: &[u64]) -> i32 {
        let rival = self.rival.map(|rival| self.payoff.goal(view, rival));
        worth(self.payoff.goal(view, self.role), rival)
    }
}

/// The value of an end: goals of -100 to 100.
fn worth(own: u8, rival: Option<u8>) -> i32 {
    let points = match rival {
        Some(rival) => i32::from(own) - i32::from(rival),
        None => 2 * i32::from(own) - 100,
    };
    points * UNIT
}

/// The goal that a value stands for.
fn goal(value: i32) -> f64 {
    let points = f64::from(value) / f64::from(UNIT);
    // Moves that are left are far less than half a point.
    let points = if (points - points.round()).abs() < 0.05 { points.round() } else { points };
    f64::midpoint(points, 100.0)
}

/// A value one move earlier.
#[inline]
fn earlier(value: i32) -> i32 {
    value - value.signum()
}

/// The greatest value that one move earlier is at most `alpha`, and the least that is at least `beta`.
#[inline]
fn later(alpha: i32, beta: i32) -> (i32, i32) {
    let alpha = if alpha >= 0 { alpha + 1 } else { alpha - 1 };
    let beta = if beta > 0 { beta + 1 } else { beta - 1 };
    (alpha, beta)
}

/// A value, and whether it depends on nothing but ends of the game.
type Valued = (i32, bool);

/// One search.
struct Run<'r, G: Game> {
    game: &'r G,
    evaluation: &'r dyn Evaluation<G>,
    meter: Meter,
    engine: &'r mut Engine<G>,
    cutoffs: u64,
    table_hits: u64,
}

impl<G: Game> Run<'_, G> {
    /// Searches deeper and deeper.
    fn deepen(&mut self, state: &G::State, depth: u32) -> Found<G> {
        let game = self.game;
        let role = G::Role::from_index(self.engine.role);
        self.engine.history.iter_mut().for_each(|count| *count /= 8);
        self.engine.frames.iter_mut().for_each(|frame| frame.killers = [NONE; 2]);
        self.frame(0);
        self.engine.frames[0].state.clone_from(state);
        let mut view = game.blank();
        game.glance(state, &mut view);
        let over = game.terminal_in(&view);
        let mut found = Found::only(game.legal_in(&view, role).next().filter(|_| !over));
        let mut best = None;
        for depth in 1..=depth {
            let mut root = Root::default();
            let value = self.node(0, depth, -INFINITE, INFINITE, Some(&mut root));
            if let Some(action) = root.action {
                // The move of the iteration before comes first, so one that was broken off is as good.
                found.action = Some(G::Move::from_index(action as usize));
            }
            let Some((value, is_solved)) = value else {
                best = best.or(root.value.map(|value| (value, false)));
                break;
            };
            // Nothing is better than the greatest goal, and shallower searches have seen all that is quicker.
            let (least, greatest) = self.engine.range;
            let most = MAX_DEPTH as i32;
            let is_won = value >= greatest - most && greatest > least;
            best = Some((value, is_solved || is_won));
            found.report.depth = depth;
            if is_solved || is_won || self.meter.is_over() {
                break;
            }
        }
        found.report.value = best.map(|(value, _)| goal(value));
        found.report.exact = best.is_some_and(|(_, exact)| exact);
        found.line = self.line(state, found.action, found.report.depth);
        found.report.nodes = self.meter.nodes();
        found.report.cutoffs = self.cutoffs;
        found.report.table_hits = self.table_hits;
        found.report.bytes = self.engine.memory.bytes() as u64;
        found.report.seconds = self.meter.seconds();
        found
    }

    /// Makes sure that there is memory for a depth.
    fn frame(&mut self, ply: usize) {
        while self.engine.frames.len() <= ply {
            self.engine.frames.push(Frame {
                state: self.game.empty(),
                view: self.game.blank(),
                options: Options::new(self.game),
                own: Vec::new(),
                other: Vec::new(),
                killers: [NONE; 2],
            });
        }
    }

    /// The value of the state at `ply`, if the budget lasts: exact if it lies between the bounds, else a bound of that
    /// side.
    fn node(
        &mut self,
        ply: usize,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
        mut root: Option<&mut Root>,
    ) -> Option<Valued> {
        if !self.meter.tick() {
            return None;
        }
        let known = self.engine.memory.get(self.engine.frames[ply].state.as_ref()).map(Entry::unpack);
        if let (Some(known), None) = (known, &root)
            && (known.is_solved || known.depth >= depth)
        {
            let is_enough = match known.bound {
                Bound::Exact => true,
                Bound::AtLeast => known.value >= beta,
                Bound::AtMost => known.value <= alpha,
            };
            if is_enough {
                self.table_hits += 1;
                return Some((known.value, known.is_solved));
            }
            match known.bound {
                Bound::AtLeast => alpha = alpha.max(known.value),
                Bound::AtMost => beta = beta.min(known.value),
                Bound::Exact => {}
            }
        }
        let frame = &mut self.engine.frames[ply];
        self.game.glance(&frame.state, &mut frame.view);
        if self.game.terminal_in(&frame.view) {
            return Some((self.engine.value(self.engine.frames[ply].view.as_ref()), true));
        }
        if !frame.options.read(self.game, &frame.view) {
            // Nobody can go on: what the goals say there.
            self.game.observe(&frame.state, &mut frame.view);
            return Some((self.engine.value(self.engine.frames[ply].view.as_ref()), true));
        }
        if depth == 0 {
            return Some((self.judge(ply), false));
        }
        self.frame(ply + 1);
        self.order(ply, known.map_or(NONE, |entry| entry.best));

        let (low, high) = (alpha, beta);
        let mut best = -INFINITE;
        let mut best_move = NONE;
        let mut is_solved = true;
        let own_count = self.engine.frames[ply].own.len();
        let ways = self.engine.frames[ply].options.ways(&self.engine.others);
        for place in 0..own_count {
            let action = self.engine.frames[ply].own[place].1;
            let role = self.engine.role;
            self.engine.frames[ply].options.set(role, G::Move::from_index(action as usize));
            let mut worst = INFINITE;
            let mut worst_way = NONE;
            let mut are_solved = true;
            for way in 0..ways {
                let way = self.set_way(ply, way);
                let (value, solved) = self.mean(ply, depth, alpha, beta.min(worst))?;
                are_solved &= solved;
                if value < worst {
                    worst = value;
                    worst_way = way;
                }
                if worst <= alpha {
                    // That one reply is all the bound depends on.
                    are_solved = solved;
                    if ways > 1 {
                        self.cutoffs += 1;
                        self.note(ply, depth, own_count, worst_way);
                    }
                    break;
                }
            }
            is_solved &= are_solved;
            if worst > best {
                best = worst;
                best_move = if own_count > 1 { action } else { worst_way };
                if let Some(root) = root.as_deref_mut() {
                    root.action = Some(action);
                    root.value = Some(best);
                }
                alpha = alpha.max(best);
            }
            if best >= beta {
                is_solved = are_solved;
                if own_count > 1 {
                    self.cutoffs += 1;
                    self.note(ply, depth, own_count, best_move);
                }
                break;
            }
        }
        let bound = if best <= low {
            Bound::AtMost
        } else if best >= high {
            Bound::AtLeast
        } else {
            Bound::Exact
        };
        let entry = Entry { value: best, bound, depth, is_solved, best: best_move };
        let engine = &mut *self.engine;
        engine.memory.put(engine.frames[ply].state.as_ref(), &entry.pack(), Entry::worth);
        Some((best, is_solved))
    }

    /// The mean over what chance may do.
    fn mean(&mut self, ply: usize, depth: u32, alpha: i32, beta: i32) -> Option<Valued> {
        let outcomes = self.engine.frames[ply].options.ways(&self.engine.chance);
        if outcomes == 1 {
            return self.child(ply, depth, alpha, beta);
        }
        let (mut sum, mut is_solved) = (0_i64, true);
        for outcome in 0..outcomes {
            let engine = &mut *self.engine;
            engine.frames[ply].options.set_way(&engine.chance, outcome);
            let (value, solved) = self.child(ply, depth, -INFINITE, INFINITE)?;
            sum += i64::from(value);
            is_solved &= solved;
        }
        Some(((sum / outcomes as i64) as i32, is_solved))
    }

    /// The value of the state that the joint move leads to.
    fn child(&mut self, ply: usize, depth: u32, alpha: i32, beta: i32) -> Option<Valued> {
        let (before, after) = self.engine.frames.split_at_mut(ply + 1);
        let (frame, next) = (&before[ply], &mut after[0]);
        next.state.clone_from(&frame.state);
        self.game.advance(&mut next.state, frame.options.joint());
        let (alpha, beta) = later(alpha, beta);
        let (value, is_solved) = self.node(ply + 1, depth - 1, alpha, beta, None)?;
        Some((earlier(value), is_solved))
    }

    /// What the evaluation makes of the state at `ply`.
    fn judge(&mut self, ply: usize) -> i32 {
        let engine = &mut *self.engine;
        let frame = &engine.frames[ply];
        self.evaluation.evaluate(self.game, &frame.state, &frame.view, &mut engine.goals);
        let own = engine.goals[engine.role];
        let points = match engine.rival {
            Some(rival) => own - engine.goals[rival],
            None => 2.0 * own - 100.0,
        };
        // Never as good or bad as the best and the worst end.
        let (least, greatest) = engine.range;
        let margin = UNIT.min((greatest - least) / 2);
        ((points * UNIT as f32) as i32).clamp(least + margin, greatest - margin)
    }

    /// Puts the moves in order, for the role and for the others.
    fn order(&mut self, ply: usize, known: u32) {
        let engine = &mut *self.engine;
        let (moves, history) = (engine.moves, &engine.history);
        let Frame { options, own, other, killers, .. } = &mut engine.frames[ply];
        let rank = |role: usize, action: u32| {
            let past = history[role * moves + action as usize].min(1 << 28);
            match action {
                _ if action == known => 1 << 31,
                _ if action == killers[0] => 1 << 30,
                _ if action == killers[1] => 1 << 29,
                _ => past,
            }
        };
        let fill =
            |list: &mut Vec<(u32, u32)>, role: usize, by_place: bool| {
                list.clear();
                let numbered = options.of(role).iter().map(|action| action.index() as u32).enumerate();
                list.extend(numbered.map(|(place, action)| {
                    (rank(role, action), if by_place { place as u32 } else { action })
                }));
                list.sort_unstable_by_key(|&(rank, number)| (std::cmp::Reverse(rank), number));
            };
        fill(own, engine.role, false);
        other.clear();
        // Several that choose together are gone through as they come.
        let mut deciders = engine.others.iter().filter(|&&role| options.of(role).len() > 1);
        if let (Some(&decider), None) = (deciders.next(), deciders.next()) {
            fill(other, decider, true);
        }
    }

    /// Lets the others move in the way that is next in order. The move, if one of them alone chooses.
    fn set_way(&mut self, ply: usize, way: u64) -> u32 {
        let engine = &mut *self.engine;
        let Frame { options, other, .. } = &mut engine.frames[ply];
        let Some(&(_, place)) = other.get(way as usize) else {
            options.set_way(&engine.others, way);
            return NONE;
        };
        // One of them alone has a choice, so its moves are the ways.
        options.set_way(&engine.others, u64::from(place));
        let chosen = engine.others.iter().find(|&&role| options.of(role).len() > 1);
        chosen.map_or(NONE, |&role| options.of(role)[place as usize].index() as u32)
    }

    /// Remembers a move that cut off the rest.
    fn note(&mut self, ply: usize, depth: u32, own_count: usize, action: u32) {
        if action == NONE {
            return;
        }
        let engine = &mut *self.engine;
        let frame = &mut engine.frames[ply];
        if frame.killers[0] != action {
            frame.killers = [action, frame.killers[0]];
        }
        let decider = engine.others.iter().find(|&&role| frame.options.of(role).len() > 1);
        let role = if own_count > 1 { Some(&engine.role) } else { decider };
        if let Some(&role) = role {
            let count = &mut engine.history[role * engine.moves + action as usize];
            *count = count.saturating_add(depth * depth);
        }
    }

    /// The line of best moves from the table, as far as one role alone decides.
    fn line(&self, state: &G::State, first: Option<G::Move>, depth: u32) -> Vec<Vec<G::Move>> {
        let game = self.game;
        let engine = &*self.engine;
        let mut options = Options::new(game);
        let mut state = state.clone();
        let mut view = game.blank();
        let mut line = Vec::new();
        while line.len() < depth as usize {
            game.glance(&state, &mut view);
            if game.terminal_in(&view) || !options.read(game, &view) {
                break;
            }
            let mut deciders = (0..game.shape().roles).filter(|&role| options.of(role).len() > 1);
            let decider = match (deciders.next(), deciders.next()) {
                (None, _) => None,
                (Some(decider), None) => Some(decider),
                _ => break,
            };
            if let Some(decider) = decider {
                let known = engine.memory.get(state.as_ref()).map(|words| Entry::unpack(words).best);
                let known = known.filter(|&best| best != NONE).map(|best| G::Move::from_index(best as usize));
                let own = first.filter(|_| line.is_empty() && decider == engine.role);
                let Some(action) = own.or(known).filter(|a| options.of(decider).contains(a)) else { break };
                options.set(decider, action);
            }
            line.push(options.joint().to_vec());
            game.advance(&mut state, options.joint());
        }
        line
    }
}

/// What is found at the root, also if the search is broken off.
#[derive(Default)]
struct Root {
    action: Option<u32>,
    value: Option<i32>,
}

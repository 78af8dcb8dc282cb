//! One run of alpha-beta: searches a state by iterative deepening, until the value is proved, or
//! the depth or the budget is reached.

use super::{
    engine::{Engine, NONE, PlyFrame},
    entry::{Bound, Entry},
    value::{INFINITE, UNIT, Valued, earlier, goal, later},
};
use crate::search::{
    Evaluation, SearchResult, meter::Meter, options::Options, setup::Setup, successors::Successors,
};
use gdl_runtime::{Game, GameExt, game::Id};

/// The data of one search.
pub(super) struct Run<'r, G: Game> {
    game: &'r G,
    evaluation: &'r dyn Evaluation<G>,
    meter: Meter,
    engine: &'r mut Engine<G>,
    cutoffs: u64,
    table_hits: u64,
    successors: Successors<'r, G>,
}

impl<'r, G: Game> Run<'r, G> {
    pub(super) fn new(
        game: &'r G,
        evaluation: &'r dyn Evaluation<G>,
        meter: Meter,
        engine: &'r mut Engine<G>,
    ) -> Self {
        let successors = Successors::new(game, engine.role);
        Self { game, evaluation, meter, engine, cutoffs: 0, table_hits: 0, successors }
    }

    /// Searches with increasing depth limits, up to `depth`.
    pub(super) fn deepen(&mut self, state: &G::State, depth: u32) -> SearchResult<G> {
        let game = self.game;
        let role = G::Role::from_index(self.engine.role);
        self.engine.history.iter_mut().for_each(|count| *count /= 8);
        self.engine.frames.iter_mut().for_each(|frame| frame.killers = [NONE; 2]);
        self.engine.frame(game, 0);
        self.engine.frames[0].state.clone_from(state);
        self.engine.frames[0].is_seen = false;
        let mut view = game.new_view();
        game.observe_without_goals(state, &mut view);
        let over = game.is_terminal_in(&view);
        let mut found = SearchResult::only(game.legal_moves_in(&view, role).next().filter(|_| !over));
        let mut best = None;
        for depth in 1..=depth {
            let mut root = Root::default();
            let value = self.node(0, depth, -INFINITE, INFINITE, Some(&mut root));
            if let Some(action) = root.action {
                // The best move of the last iteration is tried first, so the result of an
                // interrupted iteration is at least as good.
                found.action = Some(G::Move::from_index(action as usize));
            }
            let Some((value, is_solved)) = value else {
                best = best.or(root.value.map(|value| (value, false)));
                break;
            };
            // No value exceeds the greatest goal, and shallower searches have seen all quicker
            // wins. With chance, a mean that includes evaluations may come as close.
            let (least, greatest) = self.engine.range;
            let most = Setup::<G>::MAX_DEPTH as i32;
            let is_won = value >= greatest - most && greatest > least && self.engine.chance.is_empty();
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

    /// Returns the value of the state at `ply`. The result is exact if it lies between `alpha` and
    /// `beta`, otherwise an upper bound up to `alpha` or a lower bound from `beta` on. Returns
    /// `None` if the budget is spent.
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
        // Most states are at depth 0, where evaluating them is faster than a look-up in a large
        // table.
        let known = match depth {
            0 => None,
            _ => self.engine.memory.get(self.engine.frames[ply].state.as_ref()).map(Entry::unpack),
        };
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
        if let Some(valued) = self.end(ply, depth) {
            return Some(valued);
        }
        self.engine.frame(self.game, ply + 1);
        self.engine.order(ply, known.map_or(NONE, |entry| entry.best));
        self.successors.begin();

        let (low, high) = (alpha, beta);
        let mut best = -INFINITE;
        let mut best_move = NONE;
        let mut is_solved = true;
        let own_count = self.engine.frames[ply].own.len();
        let ways = self.engine.frames[ply].options.ways(&self.engine.others);
        let outcomes = self.engine.frames[ply].options.ways(&self.engine.chance);
        let scouts = depth > 1 && outcomes == 1 && (own_count > 1) != (ways > 1);
        for place in 0..own_count {
            let action = self.engine.frames[ply].own[place].1;
            let role = self.engine.role;
            self.engine.frames[ply].options.set(role, G::Move::from_index(action as usize));
            let mut worst = INFINITE;
            let mut worst_way = NONE;
            let mut are_solved = true;
            for number in 0..ways {
                let way = self.engine.set_way(ply, number);
                let (low, high) = (alpha, beta.min(worst));
                let (value, solved) = if scouts && place as u64 + number > 0 {
                    self.scout(ply, depth, low, high, own_count > 1)?
                } else {
                    self.mean(ply, depth, low, high)?
                };
                are_solved &= solved;
                if value < worst {
                    worst = value;
                    worst_way = way;
                }
                if worst <= alpha {
                    // The bound depends on this reply alone.
                    are_solved = solved;
                    if ways > 1 {
                        self.cutoffs += 1;
                        self.engine.note(ply, depth, own_count, worst_way);
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
                    self.engine.note(ply, depth, own_count, best_move);
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

    /// Observes the state at `ply`. Returns its value if the game or the search ends there.
    fn end(&mut self, ply: usize, depth: u32) -> Option<Valued> {
        let PlyFrame { state, view, is_seen, options, .. } = &mut self.engine.frames[ply];
        if !*is_seen {
            self.game.observe_without_goals(state, view);
        }
        if !self.game.is_terminal_in(view) {
            let goes_on = match depth {
                0 => Options::<G>::are_there(view.as_ref(), self.game.shape()),
                _ => options.read(self.game, view),
            };
            if goes_on {
                return (depth == 0).then(|| (self.judge(ply), false));
            }
            // If a role has no legal move, the goals in this state count.
            self.game.observe(state, view);
        }
        Some((self.engine.value(self.engine.frames[ply].view.as_ref()), true))
    }

    /// Returns the value of a successor that is not the first, if one side alone chooses. A null
    /// window shows in fewer nodes that most successors are not better (principal variation
    /// search).
    fn scout(&mut self, ply: usize, depth: u32, alpha: i32, beta: i32, is_own: bool) -> Option<Valued> {
        let (low, high) = if is_own { (alpha, alpha + 1) } else { (beta - 1, beta) };
        let (value, is_solved) = self.successor(ply, depth, low, high)?;
        if alpha < value && value < beta {
            return self.successor(ply, depth, alpha, beta);
        }
        Some((value, is_solved))
    }

    /// Returns the mean over all moves of chance.
    fn mean(&mut self, ply: usize, depth: u32, alpha: i32, beta: i32) -> Option<Valued> {
        let outcomes = self.engine.frames[ply].options.ways(&self.engine.chance);
        if outcomes == 1 {
            return self.successor(ply, depth, alpha, beta);
        }
        let (mut sum, mut is_solved) = (0_i64, true);
        for outcome in 0..outcomes {
            let engine = &mut *self.engine;
            engine.frames[ply].options.set_way(&engine.chance, outcome);
            let (value, solved) = self.successor(ply, depth, -INFINITE, INFINITE)?;
            sum += i64::from(value);
            is_solved &= solved;
        }
        Some(((sum / outcomes as i64) as i32, is_solved))
    }

    /// Returns the value of the successor by the joint move in the frame.
    fn successor(&mut self, ply: usize, depth: u32, alpha: i32, beta: i32) -> Option<Valued> {
        let (before, after) = self.engine.frames.split_at_mut(ply + 1);
        let (frame, next) = (&before[ply], &mut after[0]);
        next.is_seen = if depth == 1 {
            // Most states are generated at this depth.
            let parent = (&frame.state, &frame.view);
            self.successors.write(parent, &frame.options, (&mut next.state, &mut next.view))
        } else {
            next.state.clone_from(&frame.state);
            self.game.advance(&mut next.state, frame.options.joint());
            false
        };
        let (alpha, beta) = later(alpha, beta);
        let (value, is_solved) = self.node(ply + 1, depth - 1, alpha, beta, None)?;
        Some((earlier(value), is_solved))
    }

    /// Returns the evaluation of the state at `ply`.
    fn judge(&mut self, ply: usize) -> i32 {
        let engine = &mut *self.engine;
        let frame = &engine.frames[ply];
        self.evaluation.evaluate(self.game, &frame.state, &frame.view, &mut engine.goals);
        let own = engine.goals[engine.role];
        let points = match engine.rival {
            Some(rival) => own - engine.goals[rival],
            None => 2.0 * own - 100.0,
        };
        // The evaluation stays between the values of the best and the worst terminal state.
        let (least, greatest) = engine.range;
        let margin = UNIT.min((greatest - least) / 2);
        ((points * UNIT as f32) as i32).clamp(least + margin, greatest - margin)
    }

    /// Returns the principal variation from the table, while at most one role decides.
    fn line(&self, state: &G::State, first: Option<G::Move>, depth: u32) -> Vec<Vec<G::Move>> {
        let game = self.game;
        let engine = &*self.engine;
        let mut options = Options::new(game);
        let mut state = state.clone();
        let mut view = game.new_view();
        let mut line = Vec::new();
        while line.len() < depth as usize {
            game.observe_without_goals(&state, &mut view);
            if game.is_terminal_in(&view) || !options.read(game, &view) {
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

/// The result at the root, which stays valid if the search is interrupted.
#[derive(Default)]
struct Root {
    action: Option<u32>,
    value: Option<i32>,
}

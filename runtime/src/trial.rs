//! The trial of engines for a loaded rulesheet: it chooses the engine for single states, and
//! decides if playouts use lanes by default.
//!
//! Input: a compilation and its table. Output: the engine with the least expected time, and the
//! expected time of each engine. A small or fast table wins without a trial. Otherwise the trial
//! counts the work of seeded random games, played by the incremental engine. If a grounded state is
//! expected to take long, it also counts the work of the lifted engine. The work of the table is
//! computed for sample states of a random game; the work of lanes is known beforehand.
//!
//! Prices that were fitted on public rulesheets turn work into time
//! (`docs/decisions/08-choose-engines-by-counted-work.md`). No clock is read, so a rulesheet has
//! the same engine on every machine. A seed gives the same games with every engine.
//!
//! The trial of the incremental engine stops after [`MOST_PASSES`] passes over the net. The trial
//! of the lifted engine stops as soon as the engine is known to be slower than the best one so far.
//! Preparing the rules for the lifted engine may take [`STEPS_OF_GATE`] steps for each gate of the
//! table, at most [`MOST_STEPS`] in all.

use crate::{
    bits,
    dynamic::MoveId,
    events::{Events, GateKind},
    game::{Id, Shape},
    lifted::Lifted,
    random::Stream,
    simd::LANES,
    table::Table,
};
use gdl_compiler::{
    Compilation, Limits, Options, lifted,
    propnet::{Gate, Net, Outputs},
};
use std::slice;

/// The number of steps of random games that are counted. The same number of steps before these is
/// not counted, so that a machine first reaches states of play.
const STEPS: u64 = 64;

/// The limit on the work of a trial of the incremental engine, in passes over all edges of the net.
/// A constant is added.
const MOST_PASSES: u64 = 32;

/// Tables with fewer gates win without a trial. Every step of another engine has a fixed cost of
/// about this number of gates, in addition to its work.
const FEWEST_GATES: usize = 1_000;

/// Tables with fewer gates than `LARGE` also win without a trial if a step is expected to take less
/// than [`FAST`] nanoseconds. Larger tables become that fast only after many steps.
const LARGE: usize = 4_000;
const FAST: u64 = 500;

/// The number of gates to process for estimating the residual circuits of sample states, and the
/// least and greatest numbers of samples.
const WEIGHED: usize = 1 << 16;
const SAMPLES: (usize, usize) = (2, 8);

/// The bound on the work of one sample, `gates * (roles + 2)`. Larger tables are not weighed, since
/// other engines are faster anyway.
const MOST_WEIGHED: usize = 1 << 21;

/// The greatest number of moves, over all roles, with which each move soon becomes common.
const FEW_MOVES: usize = 100;

/// The maximum number of steps of preparing rules for lifted evaluation, for each gate of the
/// table: a part of the work of grounding.
const STEPS_OF_GATE: u64 = 20;

/// The limit on all steps of preparing rules for lifted evaluation. Rules that take more steps to
/// prepare also take more to evaluate.
const MOST_STEPS: u64 = 4_000_000;

/// The nanoseconds of a step, by the table and by [`GateKind::Count`], from which on
/// [`GateKind::Watch`] and lifted evaluation are tried. Preparing either of them takes
/// milliseconds.
const SLOW: u64 = 5_000;

/// The linear cost model of a step: a constant in nanoseconds, and hundredths of a nanosecond for
/// each unit of work.
struct Price(u64, u64);

/// A gate of the residual circuits, if cases and moves are common.
const COMMON_GATE: Price = Price(80, 94);
/// A gate of a table with many moves: residual circuits are made for some of the moves only.
const GATE: Price = Price(0, 20);
/// The number of gates of a circuit beyond which each counts three times, since its cases become
/// common only after many steps.
const MANY_GATES: usize = 6_500;
/// A reader that a changed gate of [`GateKind::Count`] notifies. The change itself counts as a
/// fixed number of readers.
const COUNT: Price = Price(200, 75);
/// A reader as in [`COUNT`], in machines of phases. These take turns, so less of their data is in
/// the cache.
const COUNT_OF_PHASE: Price = Price(200, 100);
/// An edge that a gate of [`GateKind::Watch`] looks at.
const WATCH: Price = Price(1_000, 900);
/// A step of lifted evaluation.
const STEP: Price = Price(400, 3_000);

/// The time of lanes in hundredths of a nanosecond for all 512 games: for an operation, and for a
/// move of a choice.
const OPERATION: u64 = 200;
const MOVE: u64 = 500;

impl Price {
    fn of(&self, work: u64) -> u64 {
        self.0 + work.saturating_mul(self.1) / 100
    }
}

/// The expected cost of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The name of the engine.
    pub engine: &'static str,
    /// The work of a step: gates, notified readers and changes, edges, or steps of evaluation.
    pub work: u64,
    /// The nanoseconds that the cost model gives for this work.
    pub nanoseconds: u64,
}

/// The engine that plays single states instead of the table.
#[derive(Debug)]
pub(crate) enum Single {
    Events(Box<Events>),
    Lifted(Box<Lifted>),
}

/// The result of a trial.
#[derive(Debug, Default)]
pub(crate) struct Trial {
    /// The engine that plays single states; the table if `None`.
    pub(crate) single: Option<Single>,
    /// True if the engine for single states takes less time for a state than lanes.
    pub(crate) has_slow_lanes: bool,
    /// The expected costs of the engines that took part.
    pub(crate) estimates: Vec<Estimate>,
}

impl Trial {
    /// Tries the engines of a rulesheet.
    pub(crate) fn new(compilation: &Compilation, table: &Table, limits: &Limits) -> Self {
        let mut trial = Self::default();
        let gates = table.gates();
        if gates.0 + gates.1 < FEWEST_GATES {
            return trial;
        }
        let weight = weigh(table);
        if gates.0 + gates.1 < LARGE && weight.is_some_and(|weight| COMMON_GATE.of(weight) < FAST) {
            return trial;
        }
        let least = trial.try_single(compilation, table, weight, limits);
        if compilation.lanes.is_some() {
            let time = trial.note_lanes(compilation);
            trial.has_slow_lanes = time > least;
        }
        trial
    }

    /// Tries the engines for single states. `weight` is the estimated number of gates of a step of
    /// the table once its cases are common, if known. Returns the nanoseconds of the fastest
    /// engine.
    fn try_single(
        &mut self,
        compilation: &Compilation,
        table: &Table,
        weight: Option<u64>,
        limits: &Limits,
    ) -> u64 {
        let Compilation { rules, net, .. } = compilation;
        let (observe, advance) = table.gates();
        let events = best_events(compilation, limits);
        // Goals are needed only when a game ends, so they are weighted by the fraction of steps
        // that ended one.
        let goals = (observe + advance).saturating_sub(operations_without_goals(net)).min(observe);
        let seen =
            events.as_ref().map_or(goals as u64, |(_, count)| goals as u64 * count.ends / count.steps.max(1));
        let work = |gates: usize| (gates + 2 * gates.saturating_sub(MANY_GATES)) as u64;
        let rare = work(observe - goals) + work(advance) + seen;
        let moves: usize = net.outputs.legal.iter().map(Vec::len).sum();
        // If there are many moves, a step takes at least as long as if all were common.
        let common = weight.filter(|&weight| moves <= FEW_MOVES || COMMON_GATE.of(weight) >= GATE.of(rare));
        let mut least = match common {
            Some(weight) => self.note("table", weight, &COMMON_GATE),
            None => self.note("table", rare, &GATE),
        };
        let mut is_slow = least >= SLOW;
        if let Some((events, Count { work, .. })) = events {
            let time = self.note("events", work, price(&events));
            // Gates that watch are tried only if gates that count are slow.
            is_slow &= time >= SLOW || events.kind() == GateKind::Watch;
            if time < least {
                (least, self.single) = (time, Some(Single::Events(Box::new(events))));
            }
        }
        if !is_slow {
            return least;
        }
        let steps = limits.fuel.min(MOST_STEPS).min(STEPS_OF_GATE * (observe + advance) as u64);
        let ready = Limits { fuel: steps, ..limits.clone() };
        let options = Options { limits: ready, ..Options::default() };
        let rules = lifted::Lifted::new(rules, &options).ok().and_then(|rules| rules.with_names_of(net));
        let Some(lifted) = rules.and_then(|rules| Lifted::new(rules).ok()) else { return least };
        let Count { work, .. } = count(&lifted, 2 * STEPS * least.saturating_mul(100) / STEP.1);
        if lifted.failed_evaluations().is_some() {
            return least;
        }
        let time = self.note("lifted", work, &STEP);
        if time < least {
            (least, self.single) = (time, Some(Single::Lifted(Box::new(lifted.with_limits(limits)))));
        }
        least
    }

    /// Adds the estimate for lanes and returns its nanoseconds per state. The estimate counts
    /// operations and moves, averaged over the phases if there are any.
    fn note_lanes(&mut self, compilation: &Compilation) -> u64 {
        let net = slice::from_ref(&compilation.net);
        let nets = compilation.phases.as_ref().map_or(net, |phases| &phases.nets);
        let sum = |count: fn(&Net) -> usize| nets.iter().map(count).sum::<usize>() as u64 / nets.len() as u64;
        let operations = sum(Net::operations);
        let moves = sum(|net| net.outputs.legal.iter().map(Vec::len).sum());
        let nanoseconds = (operations * OPERATION + moves * MOVE) / 100 / LANES as u64;
        self.estimates.push(Estimate { engine: "lanes", work: operations, nanoseconds });
        nanoseconds
    }

    /// Adds the estimate of an engine, and returns its nanoseconds.
    fn note(&mut self, engine: &'static str, work: u64, price: &Price) -> u64 {
        let nanoseconds = price.of(work);
        self.estimates.push(Estimate { engine, work, nanoseconds });
        nanoseconds
    }
}

/// The number of operations of a net for the next state, legal moves and the end.
fn operations_without_goals(net: &Net) -> usize {
    let Outputs { next, legal, terminal, .. } = &net.outputs;
    let mut is_live = vec![false; net.len()];
    let legal = legal.iter().flatten().map(|(_, signal)| signal);
    next.iter().chain(legal).chain([terminal]).for_each(|signal| is_live[signal.gate() as usize] = true);
    let mut sum = 0;
    for gate in (net.inputs()..net.len()).rev() {
        if let (true, Gate::And(operands)) = (is_live[gate], net.gate(gate as u32)) {
            sum += operands.len() - 1;
            operands.iter().for_each(|signal| is_live[signal.gate() as usize] = true);
        }
    }
    sum
}

/// The price of a step by the incremental engine.
fn price(events: &Events) -> &'static Price {
    match (events.kind(), events.has_phases()) {
        (GateKind::Count, false) => &COUNT,
        (GateKind::Count, true) => &COUNT_OF_PHASE,
        (GateKind::Watch, _) => &WATCH,
    }
}

/// The incremental game with the least expected time, and its counts. Returns `None` if all are too
/// large. [`GateKind::Watch`] is tried only if [`GateKind::Count`] is slow.
pub(crate) fn best_events(compilation: &Compilation, limits: &Limits) -> Option<(Events, Count)> {
    let time = |(events, count): &(Events, Count)| price(events).of(count.work);
    let tried = |events: Events| {
        let most = MOST_PASSES * events.edges() as u64 + (1 << 20);
        let count = count(&events, most);
        (events, count)
    };
    let counting = Events::counting(compilation, limits).map(tried).min_by_key(time);
    let is_slow = counting.as_ref().is_none_or(|counting| time(counting) >= SLOW);
    let watching = is_slow.then(|| Events::watching(compilation)).flatten().map(tried);
    counting.into_iter().chain(watching).min_by_key(time)
}

/// The number of gates of a step of the table once cases and moves are common: the mean over sample
/// states of a random game. Returns `None` if the estimate would take more than [`MOST_WEIGHED`].
fn weigh(table: &Table) -> Option<u64> {
    let (observe, advance) = table.gates();
    let gates = (observe + advance).max(1);
    if gates.saturating_mul(table.shape().roles + 2) > MOST_WEIGHED {
        return None;
    }
    let samples = (WEIGHED / gates).clamp(SAMPLES.0, SAMPLES.1) as u64;
    let mut weights = table.weights();
    let mut walk = RandomWalk::new(table);
    // The samples come from the second half of the steps. The first half shows which moves the
    // other roles make with each move.
    let (mut sum, mut count, mut due) = (0, 0, STEPS);
    for step in 0..2 * STEPS {
        if !walk.choose() {
            continue;
        }
        if step >= due {
            (sum, count, due) =
                (sum + weights.of(&walk.state, &walk.joint) as u64, count + 1, due + STEPS / samples);
        }
        walk.advance();
    }
    Some(sum / u64::max(count, 1))
}

/// The counts of a random game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    /// The mean work of a step.
    work: u64,
    /// The number of steps made, and the number of those at which a game ended.
    steps: u64,
    ends: u64,
}

/// An engine that steps single states.
trait Stepped {
    fn shape(&self) -> Shape;
    fn initial(&self) -> &[u64];
    fn observe(&self, state: &[u64], view: &mut [u64]);
    fn advance(&self, state: &mut [u64], joint: &[MoveId]);
}

macro_rules! stepped {
    ($($engine:ident)*) => {
        $(impl Stepped for $engine {
            fn shape(&self) -> Shape {
                self.shape()
            }

            fn initial(&self) -> &[u64] {
                self.initial()
            }

            fn observe(&self, state: &[u64], view: &mut [u64]) {
                self.observe_without_goals(state, view);
            }

            fn advance(&self, state: &mut [u64], joint: &[MoveId]) {
                self.advance(state, joint);
            }
        })*
    };
}

stepped!(Table Events Lifted);

/// An engine whose work is counted.
trait Counted: Stepped {
    /// The work done so far.
    fn work(&self) -> u64;
}

impl Counted for Events {
    fn work(&self) -> u64 {
        self.work()
    }
}

impl Counted for Lifted {
    fn work(&self) -> u64 {
        self.work()
    }
}

/// A seeded random game, which restarts when it ends.
struct RandomWalk<'e, E> {
    engine: &'e E,
    random: Stream,
    state: Vec<u64>,
    view: Vec<u64>,
    joint: Vec<MoveId>,
}

impl<'e, E: Stepped> RandomWalk<'e, E> {
    fn new(engine: &'e E) -> Self {
        Self {
            engine,
            random: Stream::new(0, 0),
            state: engine.initial().to_vec(),
            view: vec![0; engine.shape().view_words()],
            joint: Vec::new(),
        }
    }

    /// Draws a joint move. Returns false, and restarts, if a role has no legal move or the game has
    /// ended.
    fn choose(&mut self) -> bool {
        let Self { engine, random, state, view, joint } = self;
        let shape = engine.shape();
        engine.observe(state, view);
        joint.clear();
        for legal in view.chunks(shape.legal_words().max(1)).take(shape.roles) {
            let choice = bits::choose(legal, |count| random.below(count));
            joint.extend(choice.map(MoveId::from_index));
        }
        let goes_on = joint.len() == shape.roles && !bits::test(view, shape.terminal_bit());
        if !goes_on {
            state.copy_from_slice(engine.initial());
        }
        goes_on
    }

    /// Makes the joint move.
    fn advance(&mut self) {
        self.engine.advance(&mut self.state, &self.joint);
    }
}

/// Plays random games for `2 * STEPS` steps, or until the work exceeds `most`.
fn count(engine: &impl Counted, most: u64) -> Count {
    let mut walk = RandomWalk::new(engine);
    let (mut before, mut ends) = (0, 0);
    for step in 0..2 * STEPS {
        let work = engine.work();
        if step == STEPS {
            before = work;
        }
        if work > most {
            return Count { work: work / step.max(1), steps: step, ends };
        }
        if walk.choose() {
            walk.advance();
        } else {
            ends += 1;
        }
    }
    Count { work: (engine.work() - before) / STEPS, steps: 2 * STEPS, ends }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compile::{EngineKind, choose_engine, playable},
        dynamic::Dynamic,
        game::{Game, GameExt},
        playouts::{PlayoutMode, Playouts},
    };
    use gdl_compiler::{Source, compile};
    use std::{fmt::Write, sync::Arc};

    fn compiled(text: &str) -> Compilation {
        compile(&Source::new("game", text), &Options::default()).expect("a sound rulesheet")
    }

    /// Rooms in a row, each with a lamp that can be switched in the room. A door never opens.
    const ROOMS: &str = "
        (role r) (init (at 0)) (init closed) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (next closed) (true closed))
        (<= (legal r go) (true (at ?x)) (succ ?x ?y))
        (<= (legal r (switch ?x)) (true (at ?x)))
        (<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does r (switch ?x)))
        (<= (next (lit ?x)) (does r (switch ?x)) (not (true (lit ?x))))
        (<= (next (lit ?x)) (true (lit ?x)) (not (does r (switch ?x))))
        (<= (next (opened ?x)) (true (at ?x)) (not (true closed)))
        (<= (legal r (enter ?x)) (true (opened ?x)))
        (<= terminal (true (at 5)))
        (<= (goal r 100) (true (lit 2))) (<= (goal r 40) (not (true (lit 2)))) (<= (goal r 7) (true (opened 2)))";

    /// The interpreted game with the names of its net, and the table game of the same rules.
    fn lifted(compilation: &Compilation, limits: &Limits) -> (Dynamic, Dynamic) {
        let options = Options { limits: Limits::default(), ..Options::default() };
        let rules = lifted::Lifted::new(&compilation.rules, &options).expect("small rules");
        assert!(rules.vocabulary.fluents.len() >= compilation.net.vocabulary.fluents.len());
        let rules = rules.with_names_of(&compilation.net).expect("all names of the net");
        assert_eq!(rules.vocabulary, *compilation.net.vocabulary);
        let table = Arc::new(Table::decode(&compilation.table).expect("a small table"));
        let game = Lifted::new(rules).expect("a small game").with_limits(limits);
        (Dynamic::evaluated(game.with_table(table.clone())), Dynamic::shared(table))
    }

    fn agree(game: &Dynamic, table: &Dynamic) {
        let mut random = Stream::new(1, 0);
        let mut state = table.initial();
        assert_eq!((game.initial(), game.shape()), (state.clone(), table.shape()));
        for _ in 0..200 {
            let view = table.view(&state);
            assert_eq!(game.view(&state), view, "{}", table.state_text(&state));
            let moves = table.roles().map(|role| table.random_move_in(&view, role, &mut random));
            match moves.collect::<Option<Vec<MoveId>>>().filter(|_| !table.is_terminal(&state)) {
                None => state = table.initial(),
                Some(joint) => {
                    let mut next = state.clone();
                    game.advance(&mut next, &joint);
                    table.advance(&mut state, &joint);
                    assert_eq!(next, state);
                }
            }
        }
        assert_eq!(game.failed_evaluations(), None);
    }

    #[test]
    fn rules_have_the_names_of_their_net() {
        let compilation = compiled(ROOMS);
        // The search for fluents ignores negation, so it also finds fluents that never hold.
        let found = lifted::Lifted::new(&compilation.rules, &Options::default()).expect("small rules");
        assert_eq!((found.vocabulary.fluents.len(), compilation.net.vocabulary.fluents.len()), (19, 13));
        let (game, table) = lifted(&compilation, &Limits::default());
        agree(&game, &table);
        // The net of other rules has names that these rules lack.
        let others = compiled(&ROOMS.replace("lit", "bright"));
        assert!(found.with_names_of(&others.net).is_none());
    }

    #[test]
    fn the_table_answers_where_an_evaluation_takes_too_much() {
        for fuel in [0, 100, 250, 400] {
            let (game, table) = lifted(&compiled(ROOMS), &Limits { fuel, ..Limits::default() });
            agree(&game, &table);
        }
    }

    #[test]
    fn playouts_go_through_lanes_unless_single_states_take_less() {
        let compilation = compiled(ROOMS);
        for prefers in [true, false] {
            let mut table = Table::decode(&compilation.table).expect("a small table");
            table.prefer_lanes(prefers);
            let game = Dynamic::shared(Arc::new(table));
            let expected = if prefers { PlayoutMode::TableLanes } else { PlayoutMode::Single };
            assert_eq!(Playouts::new(&game).runs(), expected);
            assert_eq!(Playouts::new(&game).engine(PlayoutMode::TableLanes).runs(), PlayoutMode::TableLanes);
        }
    }

    /// Returns the game, with the engine that a trial chooses, and the trial's estimates, for a
    /// rulesheet of `count` lamps. Each lamp has a move that switches it.
    fn lamps(count: usize, rules: &str) -> (Dynamic, Vec<Estimate>) {
        let mut lamps = String::new();
        for lamp in 0..count {
            write!(lamps, "(lamp {lamp})").expect("a string takes all");
        }
        let compilation = compiled(&format!(
            "{lamps} (role r) (init (lit 9))
             (<= (legal r (switch ?l)) (lamp ?l))
             (<= (next (lit ?l)) (lamp ?l) (does r (switch ?l)) (not (true (lit ?l))))
             (<= terminal (true (lit 7)))
             (<= (goal r 100) (true (lit 7))) (<= (goal r 0) (not (true (lit 7)))) {rules}"
        ));
        let (game, estimates) = choose_engine(&compilation, &Limits::default()).expect("it is small enough");
        assert_eq!(choose_engine(&compilation, &Limits::default()).expect("it is small enough").1, estimates);
        let way = if game.engine() == "events" { EngineKind::Events } else { EngineKind::Lifted };
        assert_eq!(playable(&compilation, Some(way)).expect("it is small").engine(), game.engine());
        (game, estimates)
    }

    fn work(estimates: &[Estimate]) -> Vec<(&str, u64)> {
        estimates.iter().map(|estimate| (estimate.engine, estimate.work)).collect()
    }

    #[test]
    fn work_is_counted() {
        // Each move switches one of four thousand lamps.
        let (game, estimates) =
            lamps(4_000, "(<= (next (lit ?l)) (true (lit ?l)) (not (does r (switch ?l))))");
        // The table advances by 12,000 gates, and those beyond 6,500 count three times. Seven gates
        // change, and notify seven.
        assert_eq!(
            (game.engine(), &work(&estimates)[..]),
            ("events", &[("table", 23_000), ("events", 147), ("lanes", 12_000)][..])
        );
        let compilation = compiled(ROOMS);
        assert_eq!(choose_engine(&compilation, &Limits::default()).expect("it is small").1, []);
        assert_eq!(playable(&compilation, Some(EngineKind::Table)).expect("it is small").engine(), "table");
    }

    /// Each of many roles takes a walk through the gates.
    #[test]
    fn what_takes_too_much_is_not_weighed() {
        let weight = |roles: usize| {
            let mut text = String::from(
                "(base lit) (init lit) (<= (next lit) (true lit) (does r0 stay)) (<= terminal (not (true lit)))",
            );
            for role in 0..roles {
                write!(
                    text,
                    "(role r{role}) (legal r{role} stay) (legal r{role} go) (goal r{role} 50)
                    (<= (next (at r{role})) (does r{role} go) (not (true (at r{role}))))
                    (<= (next (at r{role})) (does r{role} stay) (true (at r{role})))"
                )
                .expect("a string takes all");
            }
            weigh(&Table::decode(&compiled(&text).table).expect("a small table")).is_some()
        };
        assert_eq!([weight(10), weight(1_200)], [true, false]);
    }

    #[test]
    fn gates_watch_where_it_is_slow_to_count() {
        // A switch that another role plays with darkens all lamps; few are lit.
        let rules = "(role s) (legal s flip) (legal s stay)
             (<= (next on) (does s flip) (not (true on)))
             (<= (next on) (does s stay) (true on))
             (<= (next (lit ?l)) (true (lit ?l)) (not (does r (switch ?l))) (not (true on)))
             (goal s 50)";
        let (game, estimates) = lamps(16_000, rules);
        let expected = [("table", 179_009), ("events", 36), ("lifted", 32), ("lanes", 64_003)];
        assert_eq!((game.engine(), &work(&estimates)[..]), ("events", &expected[..]));
        // With half as many lamps, a step of gates that count takes less than `SLOW`, so gates that
        // watch are not tried. The residual table for each of the moves takes as long as the table
        // itself.
        let (game, estimates) = lamps(8_000, rules);
        let expected = [("table", 18_126), ("events", 4_247), ("lanes", 32_003)];
        assert_eq!((game.engine(), &work(&estimates)[..]), ("events", &expected[..]));
    }
}

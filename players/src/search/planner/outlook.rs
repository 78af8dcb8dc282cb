//! The outlook of a puzzle, computed from the net: the states from which a goal is unreachable, and
//! the estimated distance of others.
//!
//! Both are computed for many states at once.
//!
//! Reachability uses three-valued logic. A fluent that may have both values at some step may have
//! both from then on; the steps are iterated to a fixpoint. A goal that may not hold at the
//! fixpoint is unreachable (latches: Schiffel and Thielscher, "Automated theorem proving for
//! general game playing", 2009; Sancho's latches are the case of single fluents). The result is
//! sound: only states from which the goal is truly unreachable are found.
//!
//! The distance is the number of fluents that would have to change for the goal's gates, treated as
//! a tree (Schiffel and Thielscher, "Fluxplayer", 2007). An evaluation takes O(gates) steps.
//! Reachability takes one evaluation for each step to the fixpoint, for up to [`LANES`] states at
//! once, and distances take one for up to [`ABREAST`] states.

use super::gates::{self, Gate, LANES, Lanes, NONE, and, dependents, not, or, run};
use gdl_format::aig::node;
use gdl_runtime::{
    bits,
    engine::{Circuit, Table},
    game::Shape,
};

/// The maximum number of steps to a fixpoint; if more are needed, all states that are evaluated
/// together count as open.
const MOST_STEPS: usize = 48;

/// The maximum number of gates of the circuits.
const MOST_GATES: usize = 1 << 18;

/// Returns the gates in the cone of some signals.
fn needed(circuit: &Circuit, signals: impl IntoIterator<Item = u32>) -> Vec<Gate> {
    gates::needed(circuit.inputs(), circuit.size(), |gate| circuit.gate(gate), signals)
}

/// The evaluator of goals that are still possible from given states.
pub(super) struct Outlook {
    fluents: usize,
    /// The index of each move, and the signal of its legality.
    legal: Vec<(u32, u32)>,
    /// The goal values, ascending, each with its signal.
    goals: Vec<(u8, u32)>,
    /// The signals of the fluents in the successor state.
    next: Vec<u32>,
    observe: Vec<Gate>,
    advance: Vec<Gate>,
    /// The places of the moves that may set each fluent, and of those that may clear it. `None` if
    /// there are more than [`MOST_CHANGERS`], or finding them takes too many steps.
    changers: Vec<[Option<Box<[u32]>>; 2]>,
    /// Fluents that change whatever the moves are, such as counters. They may have both values from
    /// the start, since otherwise the fixpoint would take a step for each of their values.
    clocks: Vec<u32>,
    /// The lanes in which each signal of each circuit may be set.
    may_observe: Vec<Lanes>,
    may_advance: Vec<Lanes>,
    /// The lanes in which each move, by place, is barred.
    barred: Vec<Lanes>,
    /// The states that were pushed, and their number.
    rows: Vec<u64>,
    count: usize,
}

impl Outlook {
    /// Creates the outlook of a game for one role. Returns `None` if its net is too large.
    pub(super) fn new(table: &Table) -> Option<Self> {
        let [observe, advance] = table.circuits();
        let Shape { fluents, roles, .. } = table.shape();
        if roles != 1 || observe.size() + advance.size() > MOST_GATES {
            return None;
        }
        let vocabulary = table.vocabulary();
        let (moves, values) = (vocabulary.moves_of(0), vocabulary.goals_of(0));
        let outputs = observe.outputs();
        let legal: Vec<(u32, u32)> = moves.iter().copied().zip(outputs.iter().copied()).collect();
        let goals: Vec<(u8, u32)> =
            values.iter().copied().zip(outputs[moves.len()..].iter().copied()).collect();
        let wanted = outputs[..moves.len() + values.len()].iter().copied();
        let mut may_advance = vec![NONE; 2 * (advance.inputs() + advance.size())];
        Some(Self {
            fluents,
            goals,
            next: advance.outputs().to_vec(),
            observe: needed(observe, wanted),
            advance: needed(advance, advance.outputs().iter().copied()),
            clocks: clocks(advance, fluents),
            may_observe: vec![NONE; 2 * (observe.inputs() + observe.size())],
            changers: changers(advance, fluents, &mut may_advance),
            may_advance,
            barred: vec![NONE; moves.len()],
            legal,
            rows: Vec::new(),
            count: 0,
        })
    }

    /// Removes all states and barred moves.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.count = 0;
        self.barred.fill(NONE);
    }

    /// Adds a state, at most [`LANES`] of them, and returns its lane.
    pub(super) fn push(&mut self, row: &[u64]) -> usize {
        self.rows.extend(row);
        self.count += 1;
        self.count - 1
    }

    /// Bars a move in the state of a lane and in all later states.
    pub(super) fn bar(&mut self, lane: usize, action: u32) {
        if let Ok(place) = self.legal.binary_search_by_key(&action, |&(action, _)| action) {
            self.barred[place][lane / 64] |= 1 << (lane % 64);
        }
    }

    /// Returns for each state whether a goal of at least `aim` may still be reachable.
    pub(super) fn judge(&mut self, aim: u8) -> Vec<bool> {
        let mut used = NONE;
        (0..self.count).for_each(|lane| used[lane / 64] |= 1 << (lane % 64));
        self.load(used);
        let mut open = NONE;
        for _ in 0..MOST_STEPS {
            run(&mut self.may_observe, &self.observe);
            for &(value, signal) in &self.goals {
                if value >= aim {
                    open = or(open, self.may_observe[signal as usize]);
                }
            }
            if and(open, used) == used || !self.step(used) {
                return (0..self.count).map(|lane| open[lane / 64] >> (lane % 64) & 1 == 1).collect();
            }
        }
        vec![true; self.count]
    }

    /// Sets the fluents to the values in the states.
    fn load(&mut self, used: Lanes) {
        let words = self.rows.len().checked_div(self.count).unwrap_or(0);
        for fluent in 0..self.fluents {
            self.may_observe[2 * (1 + fluent)] = NONE;
        }
        for (lane, row) in self.rows.chunks(words.max(1)).enumerate() {
            for fluent in bits::ones(row) {
                self.may_observe[2 * (1 + fluent)][lane / 64] |= 1 << (lane % 64);
            }
        }
        for fluent in 0..self.fluents {
            let set = self.may_observe[2 * (1 + fluent)];
            self.may_observe[2 * (1 + fluent) + 1] = and(used, not(set));
        }
        for &fluent in &self.clocks {
            let at = 2 * (1 + fluent as usize);
            (self.may_observe[at], self.may_observe[at + 1]) = (used, used);
        }
        (self.may_observe[0], self.may_observe[1]) = (NONE, used);
        (self.may_advance[0], self.may_advance[1]) = (NONE, used);
    }

    /// Adds the values that are possible one step later. Returns false at the fixpoint.
    fn step(&mut self, used: Lanes) -> bool {
        let inputs = 2 * (1 + self.fluents);
        let Self { may_observe, may_advance, .. } = self;
        may_advance[2..inputs].copy_from_slice(&may_observe[2..inputs]);
        let (mut any, mut several) = (NONE, NONE);
        for (place, &(_, legal)) in self.legal.iter().enumerate() {
            let may = and(may_observe[legal as usize], not(self.barred[place]));
            may_advance[inputs + 2 * place] = may;
            several = or(several, and(any, may));
            any = or(any, may);
        }
        for place in 0..self.legal.len() {
            // If only one move is possible, it is made.
            let may = may_advance[inputs + 2 * place];
            may_advance[inputs + 2 * place + 1] = and(used, or(not(may), several));
        }
        run(may_advance, &self.advance);
        let mut news = 0;
        for (fluent, &signal) in self.next.iter().enumerate() {
            for side in 0..2 {
                let known = &mut may_observe[2 * (1 + fluent) + side];
                // Without a possible move there is no next step.
                let mut more = and(and(may_advance[signal as usize ^ side], any), not(*known));
                if let (Some(changers), true) = (&self.changers[fluent][side], more != NONE) {
                    let may = changers
                        .iter()
                        .fold(NONE, |sum, &place| or(sum, may_advance[inputs + 2 * place as usize]));
                    more = and(more, may);
                }
                news |= more.iter().fold(0, |all, word| all | word);
                *known = or(*known, more);
            }
        }
        news != 0
    }
}

/// The maximum number of changers of a fluent, and of steps for finding all changers.
const MOST_CHANGERS: usize = 64;
const MOST_WORK: usize = 1 << 24;

/// Returns for each fluent the moves that may set it, and those that may clear it. A move's effect
/// is computed by making it alone, with all other fluents unknown. The fact that exactly one move
/// is made gives stronger results than the gates, which may test moves that were not made.
fn changers(advance: &Circuit, fluents: usize, may: &mut [Lanes]) -> Vec<[Option<Box<[u32]>>; 2]> {
    let moves = advance.inputs() - 1 - fluents;
    let all = [u64::MAX; LANES / 64];
    let mut changers: Vec<[Option<Box<[u32]>>; 2]> = vec![[None, None]; fluents];
    if fluents.saturating_mul(advance.size()) > MOST_WORK {
        return changers;
    }
    (may[0], may[1]) = (NONE, all);
    may[2..2 * (1 + fluents)].fill(all);
    let mut work = 0;
    let first_move = 1 + fluents;
    for (fluent, lists) in changers.iter_mut().enumerate() {
        let signal = advance.outputs()[fluent];
        let gates = needed(advance, [signal]);
        // One lane for each move that the fluent depends on, and one for all others, which have
        // equal effects.
        let operands = gates.iter().flat_map(|&(_, pair)| pair).chain([signal]).map(node);
        let mut read: Vec<usize> =
            operands.filter(|node| (first_move..first_move + moves).contains(node)).collect();
        read.sort_unstable();
        read.dedup();
        let lanes = read.len() + usize::from(read.len() < moves);
        work += (gates.len() + read.len() + 1) * lanes.div_ceil(LANES) * 2;
        if work > MOST_WORK {
            break;
        }
        for (side, list) in lists.iter_mut().enumerate() {
            let mut found: Vec<u32> = Vec::new();
            // The fluent was clear before it is set, or set before it is cleared.
            let own = 2 * (1 + fluent);
            (may[own + side], may[own + (side ^ 1)]) = (NONE, all);
            for first in (0..lanes).step_by(LANES) {
                for (number, &node) in read.iter().enumerate() {
                    let lane = number.wrapping_sub(first);
                    let mut made = NONE;
                    if lane < LANES {
                        made[lane / 64] |= 1 << (lane % 64);
                    }
                    (may[2 * node], may[2 * node + 1]) = (made, not(made));
                }
                run(may, &gates);
                let changed = may[signal as usize ^ side];
                for lane in bits::ones(&changed).take_while(|lane| first + lane < lanes) {
                    if let Some(node) = read.get(first + lane) {
                        found.push((node - first_move) as u32);
                    } else {
                        let is_other =
                            |&place: &u32| read.binary_search(&(first_move + place as usize)).is_err();
                        found.extend((0..moves as u32).filter(is_other).take(MOST_CHANGERS + 1));
                    }
                }
            }
            (may[own], may[own + 1]) = (all, all);
            *list = (found.len() <= MOST_CHANGERS).then(|| found.into());
        }
    }
    changers
}

/// Returns the fluents whose next values depend neither on moves nor on fluents that do.
fn clocks(advance: &Circuit, fluents: usize) -> Vec<u32> {
    let mut changes = vec![false; advance.inputs()];
    changes[1 + fluents..].fill(true);
    loop {
        let depends = dependents(changes.clone(), advance.size(), |gate| advance.gate(gate));
        let mut is_new = false;
        for (fluent, &signal) in advance.outputs().iter().enumerate() {
            if depends[node(signal)] && !changes[1 + fluent] {
                changes[1 + fluent] = true;
                is_new = true;
            }
        }
        if !is_new {
            return (0..fluents as u32).filter(|&fluent| !changes[1 + fluent as usize]).collect();
        }
    }
}

/// The number of states whose distances are computed together.
const ABREAST: usize = 32;

/// The evaluator of distances from a goal.
pub(super) struct Distance {
    fluents: usize,
    gates: Vec<Gate>,
    goal: u32,
    /// The number of fluents that would have to change, for each signal and state.
    costs: Vec<[i16; ABREAST]>,
}

impl Distance {
    /// Creates distances from the goal `aim`. Returns `None` if the net is too large, or the game
    /// has no such goal.
    pub(super) fn new(table: &Table, aim: u8) -> Option<Self> {
        let [observe, _] = table.circuits();
        let vocabulary = table.vocabulary();
        let place = vocabulary.goals_of(0).iter().position(|&value| value == aim)?;
        let goal = observe.outputs()[vocabulary.moves_of(0).len() + place];
        let gates = needed(observe, [goal]);
        let nodes = observe.inputs() + observe.size();
        (nodes <= MOST_GATES).then(|| Self {
            fluents: table.shape().fluents,
            gates,
            goal,
            costs: vec![[i16::MAX; ABREAST]; 2 * nodes],
        })
    }

    /// Returns the distance of each state; `rows` has `words` words for each.
    pub(super) fn of(&mut self, rows: &[u64], words: usize) -> Vec<u16> {
        let mut distances = Vec::new();
        for rows in rows.chunks(words * ABREAST) {
            // The constant false is false at no cost, and never true.
            (self.costs[0], self.costs[1]) = ([i16::MAX; ABREAST], [0; ABREAST]);
            for fluent in 0..self.fluents {
                (self.costs[2 * (1 + fluent)], self.costs[2 * (1 + fluent) + 1]) =
                    ([1; ABREAST], [0; ABREAST]);
            }
            for (lane, row) in rows.chunks(words).enumerate() {
                for fluent in bits::ones(row) {
                    self.costs[2 * (1 + fluent)][lane] = 0;
                    self.costs[2 * (1 + fluent) + 1][lane] = 1;
                }
            }
            for &(node, [a, b]) in &self.gates {
                let (a, b) = (a as usize, b as usize);
                let (set_a, set_b, clear_a, clear_b) =
                    (self.costs[a], self.costs[b], self.costs[a ^ 1], self.costs[b ^ 1]);
                self.costs[2 * node as usize] =
                    std::array::from_fn(|lane| set_a[lane].saturating_add(set_b[lane]));
                self.costs[2 * node as usize + 1] =
                    std::array::from_fn(|lane| clear_a[lane].min(clear_b[lane]));
            }
            let found = &self.costs[self.goal as usize];
            distances.extend(found[..rows.len() / words].iter().map(|&cost| cost.unsigned_abs()));
        }
        distances
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use gdl_runtime::load;

    /// Computes the changers of a fluent move by move, with all gates.
    fn plainly(advance: &Circuit, fluents: usize, fluent: usize, side: usize) -> Vec<u32> {
        let moves = advance.inputs() - 1 - fluents;
        let gates = needed(advance, advance.outputs().iter().copied());
        let all = [u64::MAX; LANES / 64];
        let changes = |place: &u32| {
            let mut may = vec![all; 2 * (advance.inputs() + advance.size())];
            let own = 2 * (1 + fluent);
            (may[0], may[own + side]) = (NONE, NONE);
            for other in 0..moves {
                let at = 2 * (1 + fluents + other);
                may[at + usize::from(other == *place as usize)] = NONE;
            }
            run(&mut may, &gates);
            may[advance.outputs()[fluent] as usize ^ side] != NONE
        };
        (0..moves as u32).filter(changes).collect()
    }

    #[test]
    fn changers_are_the_moves_that_may_change_a_fluent() {
        let mut few = 0;
        for text in [
            include_str!("../../../../games/puzzles/towers_of_hanoi.kif"),
            include_str!("../../../../games/puzzles/lights_out.kif"),
            include_str!("../../../../games/puzzles/peg_solitaire.kif"),
        ] {
            let game = load(text).expect("a sound rulesheet");
            let table = game.table().expect("a small game");
            let ([_, advance], fluents) = (table.circuits(), table.shape().fluents);
            let mut may = vec![NONE; 2 * (advance.inputs() + advance.size())];
            for (fluent, lists) in changers(advance, fluents, &mut may).into_iter().enumerate() {
                for (side, list) in lists.into_iter().enumerate() {
                    let expected = plainly(advance, fluents, fluent, side);
                    few += usize::from(list.is_some() && expected.len() < advance.inputs() - 1 - fluents);
                    match list {
                        Some(mut list) => {
                            list.sort_unstable();
                            assert_eq!(&*list, &expected[..]);
                        }
                        None => assert!(expected.len() > MOST_CHANGERS),
                    }
                }
            }
        }
        assert!(few > 50, "{few}");
    }
}

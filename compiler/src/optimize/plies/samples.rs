//! Enumerates all states that play reaches after a number of moves, and all steps from there, with
//! the values of every gate.
//!
//! The caller bounds the number of steps. They are counted, and paid for together with the values
//! of all gates, before they are stored.

use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;

/// The values of a gate, one bit for each sample.
pub(super) type Row = Vec<u64>;

/// The states after a number of moves, and the steps that can be made there.
pub(super) struct Samples {
    /// Each state as words of fluents, and the probability that random play reaches it.
    states: Vec<(Row, f64)>,
    /// Each step: its state, and the position of each role's move among the inputs.
    steps: Vec<(usize, Vec<u32>)>,
    /// The values of each gate in the states, which are meaningless for gates that depend on moves.
    pub(super) seen: Vec<Row>,
    /// The values of each gate in the steps.
    pub(super) made: Vec<Row>,
    /// For each state that is not terminal, the number of legal moves of each role.
    counts: Vec<Vec<usize>>,
}

impl Samples {
    /// Creates the samples of the initial state. Returns `None` if there are more than `most` steps
    /// from there.
    pub(super) fn initial(net: &Net, most: usize, meter: &mut Meter) -> Option<Self> {
        let mut state = vec![0; net.initial.len().div_ceil(64)];
        (0..net.initial.len())
            .filter(|&fluent| net.initial[fluent])
            .for_each(|fluent| set(&mut state, fluent));
        Self::of(net, vec![(state, 1.0)], most, meter)
    }

    /// Creates the samples of some states and the steps from there. Returns `None` if there are
    /// more than `most` steps, a role has no legal move, or the meter runs out.
    fn of(net: &Net, states: Vec<(Row, f64)>, most: usize, meter: &mut Meter) -> Option<Self> {
        let words = states.len().div_ceil(64);
        pay(net, states.len(), meter)?;
        let mut inputs = vec![vec![0; words]; net.inputs()];
        for (place, (state, _)) in states.iter().enumerate() {
            ones(state).for_each(|fluent| set(&mut inputs[1 + fluent], place));
        }
        let seen = evaluate(net, inputs, states.len());
        let is_set = |signal: Signal, place: usize| {
            (seen[signal.gate() as usize][place / 64] >> (place % 64) & 1 == 1) != signal.is_negated()
        };
        let (mut steps, mut counts) = (Vec::new(), Vec::new());
        for place in (0..states.len()).filter(|&place| !is_set(net.outputs.terminal, place)) {
            meter.spend(net.does().len() as u64)?;
            let legal = (0u32..).zip(&net.outputs.legal).map(|(role, legal)| {
                let legal = legal.iter().filter(|&&(_, signal)| is_set(signal, place));
                legal.map(|&(action, _)| net.does_input(role, action).gate()).collect()
            });
            let legal: Vec<Vec<u32>> = legal.collect();
            let room = most.checked_sub(steps.len())?;
            let joints = legal.iter().try_fold(1usize, |joints, moves| {
                joints.checked_mul(moves.len()).filter(|&joints| joints > 0 && joints <= room)
            })?;
            meter.spend((joints * legal.len()) as u64)?;
            meter.take(joints * (STEP + size_of::<u32>() * legal.len()))?;
            counts.push(legal.iter().map(Vec::len).collect());
            steps.extend((0..joints).map(|number| (place, joint(&legal, number))));
        }
        let words = steps.len().div_ceil(64);
        meter.spend((steps.len() * net.initial.len()) as u64)?;
        pay(net, steps.len(), meter)?;
        let mut inputs = vec![vec![0; words]; net.inputs()];
        for (number, (place, joint)) in steps.iter().enumerate() {
            let fluents = ones(&states[*place].0).map(|fluent| 1 + fluent);
            fluents
                .chain(joint.iter().map(|&input| input as usize))
                .for_each(|gate| set(&mut inputs[gate], number));
        }
        let made = evaluate(net, inputs, steps.len());
        Some(Self { states, steps, seen, made, counts })
    }

    /// The numbers of states and steps.
    pub(super) fn sizes(&self) -> [usize; 2] {
        [self.states.len(), self.steps.len()]
    }

    /// Returns the probability that a random game is not over in these states.
    pub(super) fn going_on(&self) -> f64 {
        let mut places: Vec<usize> = self.steps.iter().map(|step| step.0).collect();
        places.dedup();
        places.into_iter().map(|place| self.states[place].1).sum()
    }

    /// Returns each role's number of legal moves, if it is the same in all states that are not
    /// terminal.
    pub(super) fn counts(&self, net: &Net) -> Vec<Option<usize>> {
        let count = |role: usize| {
            let mut counts = self.counts.iter().map(|counts| counts[role]);
            let first = counts.next()?;
            counts.all(|count| count == first).then_some(first)
        };
        (0..net.vocabulary.roles.len()).map(count).collect()
    }

    /// Creates the samples of the successors. Returns `None` if there are more than `most` steps
    /// from there.
    pub(super) fn next(&self, net: &Net, most: usize, meter: &mut Meter) -> Option<Self> {
        let words = net.initial.len().div_ceil(64);
        meter.spend((self.steps.len() * net.initial.len()) as u64)?;
        meter.take(self.steps.len() * (STATE + 2 * size_of::<u64>() * words))?;
        let mut next = vec![vec![0; words]; self.steps.len()];
        for (fluent, signal) in net.outputs.next.iter().enumerate() {
            let row = &self.made[signal.gate() as usize];
            for (number, state) in next.iter_mut().enumerate() {
                if (row[number / 64] >> (number % 64) & 1 == 1) != signal.is_negated() {
                    set(state, fluent);
                }
            }
        }
        let mut each: Vec<f64> = vec![0.0; self.states.len()];
        self.steps.iter().for_each(|step| each[step.0] += 1.0);
        self.states.iter().zip(&mut each).for_each(|((_, likely), each)| *each = likely / *each);
        let mut places: FxHashMap<Row, usize> = FxHashMap::default();
        let mut states: Vec<(Row, f64)> = Vec::new();
        for (state, (from, _)) in next.into_iter().zip(&self.steps) {
            let place = *places.entry(state).or_insert_with_key(|state| {
                states.push((state.clone(), 0.0));
                states.len() - 1
            });
            states[place].1 += each[*from];
        }
        Self::of(net, states, most, meter)
    }
}

/// The bytes of a step and of a state without their contents: their entries in lists and tables.
const STEP: usize = 64;
const STATE: usize = 128;

/// Returns the joint move with a given number; the last role's move varies fastest.
fn joint(legal: &[Vec<u32>], number: usize) -> Vec<u32> {
    let mut rest = number;
    let moves = legal.iter().rev().map(|moves| {
        let move_of = moves[rest % moves.len()];
        rest /= moves.len();
        move_of
    });
    let mut joint: Vec<u32> = moves.collect();
    joint.reverse();
    joint
}

/// Pays for the values of all gates in `samples` samples.
fn pay(net: &Net, samples: usize, meter: &mut Meter) -> Option<()> {
    let words = samples.div_ceil(64);
    meter.spend((words * (net.len() + net.literals())) as u64)?;
    meter.take(net.len() * (size_of::<Row>() + size_of::<u64>() * words))
}

/// Computes the values of all gates in `samples` samples from those of the inputs.
fn evaluate(net: &Net, inputs: Vec<Row>, samples: usize) -> Vec<Row> {
    let mut rows = inputs;
    for gate in rows.len()..net.len() {
        let mut row = all(samples);
        if let Gate::And(operands) = net.gate(gate as u32) {
            operands.iter().for_each(|s| restrict(&mut row, &rows[s.gate() as usize], s.is_negated()));
        }
        rows.push(row);
    }
    rows
}

/// Returns the row with a bit set for each of `samples` samples.
pub(super) fn all(samples: usize) -> Row {
    let mut row = vec![u64::MAX; samples.div_ceil(64)];
    if let (Some(last), rest @ 1..) = (row.last_mut(), samples % 64) {
        *last = (1 << rest) - 1;
    }
    row
}

/// Clears the bits that are not set in another row or, if `is_negated`, those that are.
pub(super) fn restrict(row: &mut Row, other: &Row, is_negated: bool) {
    let mask = if is_negated { u64::MAX } else { 0 };
    row.iter_mut().zip(other).for_each(|(word, other)| *word &= other ^ mask);
}

fn set(row: &mut Row, bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

fn ones(row: &Row) -> impl Iterator<Item = usize> + '_ {
    (0..64 * row.len()).filter(|bit| row[bit / 64] >> (bit % 64) & 1 == 1)
}

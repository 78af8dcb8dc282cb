//! Views specialised on up to six selector fluents: one residual of the circuit that observes
//! states for each combination of their values.
//!
//! Selectors are the fluents whose values settle the most gates. They often identify the role to
//! move, so that the moves of other roles need not be computed. Cases depend only on the values of
//! these fluents, not on any property of the rules.
//!
//! Finding the selectors takes O(gates * [`CANDIDATES`]) steps, once. There are at most
//! 2^[`SELECTORS`] cases, within the [`ByteBudget`] of their table.

use super::{
    residual::{ByteBudget, HotCounter, Residual},
    wide::Wide,
};
use crate::{bits, circuit::Circuit};

/// The maximum number of selectors.
const SELECTORS: usize = 6;

/// The number of fluents that are tried as selectors: those with the most readers.
const CANDIDATES: usize = 64;

/// A value of a selector must settle at least one in this number of the gates.
const PART: usize = 8;

/// The wanted outputs of the circuit that observes a state: all except those whose bit of the view
/// is in the range `except`.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'t> {
    pub(super) observe: &'t Circuit,
    /// The bit of the view of each output.
    pub(super) bits: &'t [u32],
    pub(super) fluents: usize,
    pub(super) except: (u32, u32),
}

impl Wanted<'_> {
    /// The wanted signals with their bits of the view.
    fn outputs(self) -> Vec<(u32, u32)> {
        let outputs = self.observe.outputs().iter().copied().zip(self.bits.iter().copied());
        outputs.filter(|(_, bit)| !(self.except.0..self.except.1).contains(bit)).collect()
    }
}

/// The residuals of the circuit that observes a state, as far as they are made.
#[derive(Debug, Default)]
pub(super) struct Cases {
    split: HotCounter<Split>,
}

/// The residual circuit of a case, in either form.
#[derive(Debug)]
enum Case {
    Narrow(Residual),
    Wide(Wide),
}

#[derive(Debug)]
pub(super) struct Split {
    /// The selectors, in the order of the bits of a case.
    selectors: Vec<usize>,
    /// The residual circuits, one for each combination of the selectors' values.
    cases: Box<[HotCounter<Case>]>,
}

impl Cases {
    /// Writes the wanted outputs into a clear view and returns true, if the case of the state is
    /// common. Otherwise returns false, and the view stays clear.
    #[inline]
    pub(super) fn apply(
        &self,
        wanted: Wanted<'_>,
        room: &ByteBudget,
        state: &[u64],
        view: &mut [u64],
    ) -> bool {
        let split = self.split.get(|| room.make(wanted.observe, || Some((Split::new(wanted), Split::BYTES))));
        let Some(split) = split else { return false };
        let case = split.case_of(state);
        match split.cases[case].get(|| room.make(wanted.observe, || Some(split.case(wanted, case)))) {
            Some(Case::Wide(wide)) => wide.write(state, view),
            Some(Case::Narrow(residual)) => wanted.observe.with_scratch(|scratch| {
                wanted.observe.load(scratch, state, wanted.fluents);
                residual.write(scratch, view);
            }),
            None => return false,
        }
        true
    }
}

/// The clone of a table makes its own cases.
impl Clone for Cases {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Split {
    /// The maximum number of bytes of a split without its residuals.
    const BYTES: usize = size_of::<HotCounter<Case>>() << SELECTORS;

    /// Finds the selectors of a circuit. O(gates * candidates).
    pub(super) fn new(wanted: Wanted<'_>) -> Self {
        let Wanted { observe, fluents, .. } = wanted;
        let outputs = wanted.outputs();
        let inputs = observe.inputs();
        let mut users = vec![0_u32; inputs + observe.size()];
        for gate in 0..observe.size() {
            observe.gate(gate).iter().for_each(|&signal| users[signal as usize / 2] += 1);
        }
        let mut candidates: Vec<usize> = (0..fluents).collect();
        candidates.sort_by_key(|&fluent| std::cmp::Reverse(users[1 + fluent]));
        candidates.truncate(CANDIDATES);
        let (off, on) =
            (settled(observe, &outputs, &candidates, false), settled(observe, &outputs, &candidates, true));
        let gains =
            candidates.iter().zip(off.into_iter().zip(on)).map(|(&fluent, (off, on))| (off.max(on), fluent));
        let mut gains: Vec<(usize, usize)> =
            gains.filter(|(gain, _)| gain * PART >= observe.size().max(1)).collect();
        gains.sort_by_key(|&(gain, fluent)| (std::cmp::Reverse(gain), fluent));
        let mut selectors: Vec<usize> = gains.iter().map(|&(_, fluent)| fluent).take(SELECTORS).collect();
        selectors.sort_unstable();
        let cases = (0..1 << selectors.len()).map(|_| HotCounter::default()).collect();
        Self { selectors, cases }
    }

    /// The case of a state.
    #[inline]
    pub(super) fn case_of(&self, state: &[u64]) -> usize {
        let selectors = self.selectors.iter().rev();
        selectors.fold(0, |case, &fluent| 2 * case + usize::from(bits::test(state, fluent)))
    }

    /// The residual circuit of a case.
    pub(super) fn residual(&self, wanted: Wanted<'_>, case: usize) -> Residual {
        let known = |node: usize| {
            let place = self.selectors.iter().position(|fluent| 1 + fluent == node)?;
            Some(case >> place & 1 == 1)
        };
        Residual::new(wanted.observe, known, &wanted.outputs(), false)
    }

    /// The residual circuit of a case in its faster form, and its bytes.
    fn case(&self, wanted: Wanted<'_>, case: usize) -> (Case, usize) {
        let residual = self.residual(wanted, case);
        if let Some(wide) = residual.widen(wanted.fluents) {
            let bytes = wide.bytes();
            return (Case::Wide(wide), bytes);
        }
        let bytes = residual.bytes();
        (Case::Narrow(residual), bytes)
    }
}

/// For each of at most 64 fluents, counts the gates that need not run when the fluent has `value`.
/// All fluents are evaluated at once, one bit of a word each.
fn settled(circuit: &Circuit, outputs: &[(u32, u32)], fluents: &[usize], value: bool) -> Vec<usize> {
    let inputs = circuit.inputs();
    // For each signal, the lanes in which it is known to be true.
    let mut known = vec![0_u64; 2 * (inputs + circuit.size())];
    known[1] = u64::MAX;
    for (lane, fluent) in fluents.iter().enumerate() {
        known[2 * (1 + fluent) + usize::from(!value)] = 1 << lane;
    }
    // For each node, the lanes in which it is needed.
    let mut wanted = vec![0_u64; inputs + circuit.size()];
    for gate in 0..circuit.size() {
        let [a, b] = circuit.gate(gate);
        let node = inputs + gate;
        known[2 * node] = known[a as usize] & known[b as usize];
        known[2 * node + 1] = known[a as usize ^ 1] | known[b as usize ^ 1];
    }
    outputs.iter().for_each(|&(signal, _)| wanted[signal as usize / 2] = u64::MAX);
    let mut counts = vec![0; fluents.len()];
    for gate in (0..circuit.size()).rev() {
        let pair = circuit.gate(gate);
        let node = inputs + gate;
        let open = wanted[node] & !(known[2 * node] | known[2 * node + 1]);
        pair.iter().for_each(|&signal| wanted[signal as usize / 2] |= open);
        // A gate with a true operand equals its other operand.
        let run = pair.iter().fold(open, |run, &signal| run & !known[signal as usize]);
        counts.iter_mut().enumerate().for_each(|(lane, count)| *count += usize::from(run >> lane & 1 == 0));
    }
    counts
}

//! Views specialised by up to six selector fluents: for each combination of their values a residual
//! of the circuit that observes states.
//!
//! Selectors are the fluents that most of the gates depend on. Most often they identify the role on
//! turn, and the moves of all others are not looked at then. Cases are distinguished by the values
//! of these fluents alone, so nothing need be known of the rules.
//!
//! To find the fluents takes O(gates x [`CANDIDATES`]) steps, once; there are at most
//! 2^[`SELECTORS`] cases, and what they keep is within the [`ByteBudget`] of their table.

use super::{
    residual::{ByteBudget, HotCounter, Residual},
    wide::Wide,
};
use crate::{bits, circuit::Circuit};

/// The most fluents that tell cases apart.
const SELECTORS: usize = 6;

/// The number of fluents that are tried: those on which the most gates depend.
const CANDIDATES: usize = 64;

/// A fluent is worth a case if one of its values settles this part of all gates.
const PART: usize = 8;

/// The wanted outputs of the circuit that observes a state: all but those whose bits of the view
/// are in a range.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'t> {
    pub(super) observe: &'t Circuit,
    /// The bit of the view of each output.
    pub(super) bits: &'t [u32],
    pub(super) fluents: usize,
    pub(super) except: (u32, u32),
}

impl Wanted<'_> {
    /// Signals and their bits of the view.
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

/// The residual circuit of a case, and how it is run.
#[derive(Debug)]
enum Case {
    Narrow(Residual),
    Wide(Wide),
}

#[derive(Debug)]
pub(super) struct Split {
    /// The selector fluents, which tell the cases apart.
    selectors: Vec<usize>,
    /// The residual circuits, one for each combination of their values.
    cases: Box<[HotCounter<Case>]>,
}

impl Cases {
    /// Writes what is wanted into a view that is clear, if the state is of a case that is common.
    /// Otherwise the view stays clear.
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

/// A table's copy makes its own.
impl Clone for Cases {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Split {
    /// About the most that one takes without the cases.
    const BYTES: usize = size_of::<HotCounter<Case>>() << SELECTORS;

    /// The cases of a circuit. O(gates x candidates).
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

    /// The residual circuit in a case.
    pub(super) fn residual(&self, wanted: Wanted<'_>, case: usize) -> Residual {
        let known = |node: usize| {
            let place = self.selectors.iter().position(|fluent| 1 + fluent == node)?;
            Some(case >> place & 1 == 1)
        };
        Residual::new(wanted.observe, known, &wanted.outputs(), false)
    }

    /// The residual circuit in a case and how it is run, and its bytes.
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

/// The number of gates that need not be run when each of some fluents, at most 64, has that value.
/// All of them at once, a bit of a word each.
fn settled(circuit: &Circuit, outputs: &[(u32, u32)], fluents: &[usize], value: bool) -> Vec<usize> {
    let inputs = circuit.inputs();
    // For each signal where it is known to be true.
    let mut known = vec![0_u64; 2 * (inputs + circuit.size())];
    known[1] = u64::MAX;
    for (lane, fluent) in fluents.iter().enumerate() {
        known[2 * (1 + fluent) + usize::from(!value)] = 1 << lane;
    }
    // Where each node is wanted.
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
        // A gate one of whose operands is true is the other one.
        let run = pair.iter().fold(open, |run, &signal| run & !known[signal as usize]);
        counts.iter_mut().enumerate().for_each(|(lane, count)| *count += usize::from(run >> lane & 1 == 0));
    }
    counts
}

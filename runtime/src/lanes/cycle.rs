//! The cycle of turn phases, and the phase of a state: the one whose programs apply to it.
//!
//! The compiler proves which fluents are periodic, whatever the moves are, and a table has their
//! values at each phase. Finding a phase compares the words that contain them.

use gdl_format::lanes;

/// Words of a state by index, each with a mask and the values of the masked bits.
type Words = Box<[(usize, u64, u64)]>;

/// The values of the fluents that identify the phases, as bits of words.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    /// The words that identify each phase.
    phases: Box<[Words]>,
}

impl Cycle {
    /// Creates the cycle from its form in a table.
    pub(crate) fn new(cycle: &lanes::Cycle) -> Self {
        let words =
            |phase| cycle.words(phase).into_iter().map(|(word, (mask, bits))| (word, mask, bits)).collect();
        Self { phases: (0..cycle.values.len()).map(words).collect() }
    }

    /// The number of phases.
    pub(crate) fn len(&self) -> usize {
        self.phases.len()
    }

    /// The phase of a state. Returns `None` if the state is at no phase; play never reaches such a
    /// state.
    #[inline]
    pub(crate) fn find(&self, state: &[u64]) -> Option<usize> {
        let fits =
            |&(word, mask, bits): &(usize, u64, u64)| state.get(word).is_some_and(|word| word & mask == bits);
        self.phases.iter().position(|words| words.iter().all(fits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fluents_that_go_round_tell_the_phase() {
        let cycle = lanes::Cycle { fluents: vec![0, 1], values: vec![vec![true, false], vec![false, true]] };
        let cycle = Cycle::new(&cycle);
        assert_eq!(
            [0b001, 0b010, 0b101, 0b110, 0b011, 0].map(|state| cycle.find(&[state])),
            [Some(0), Some(1), Some(0), Some(1), None, None]
        );
        let single = Cycle::new(&lanes::Cycle::still());
        assert_eq!([0b001, 0b111].map(|state| single.find(&[state])), [Some(0), Some(0)]);
    }
}

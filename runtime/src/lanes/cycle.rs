//! Where a state is on the cycle that games go round: in come a table's circuit and a state, out goes the point whose
//! programs fit it.
//!
//! What is known of a fluent at a point holds in every state that play comes to there, whatever the moves. It is
//! found by play from the initial state in which moves are unknown, and so is what has several values at a
//! point; that goes round until nothing changes.
//!
//! That takes at most [`WORK`] steps, and two bytes for each fluent at each point while it is found, of which there may be
//! [`MOST_VALUES`]. What is kept is less than a bit for each of them.

use crate::{
    bits,
    circuit::{Circuit, Pair},
};

/// Gates and fluents that may be evaluated to find the fluents of the cycle.
const WORK: usize = 100_000_000;

/// The most fluents at all points together: some 32 MiB.
const MOST_VALUES: usize = 1 << 24;

/// A value that is not known.
const UNKNOWN: Pair = [0, 0];

/// The fluents that tell the points apart.
#[derive(Clone, Debug)]
pub(crate) struct Cycle {
    /// Words of a state, and which of their bits count.
    masks: Box<[(usize, u64)]>,
    /// For each point these bits of these words.
    points: Box<[Box<[u64]>]>,
}

impl Cycle {
    /// The cycle of so many points that games go round, of the circuit that advances any of its states. None if no
    /// fluents tell the points apart. O(gates) for each step until nothing changes, which is given up after
    /// a tenth of a second or so.
    pub(super) fn new(advance: &Circuit, initial: &[u64], fluents: usize, points: usize) -> Option<Self> {
        let known = if points > 1 { know(advance, initial, fluents, points)? } else { Vec::new() };
        let mut bits: Vec<Vec<u64>> = vec![vec![0; initial.len()]; points];
        let mut mask = vec![0; initial.len()];
        for fluent in 0..fluents {
            let values = || known.iter().map(|known| known[fluent]);
            let first = values().next().unwrap_or(UNKNOWN);
            if values().all(|value| value != UNKNOWN) && values().any(|value| value != first) {
                bits::set(&mut mask, fluent);
                let set = bits.iter_mut().zip(values()).filter(|(_, value)| value[0] == 1);
                set.for_each(|(bits, _)| bits::set(bits, fluent));
            }
        }
        let masks: Box<[(usize, u64)]> =
            mask.into_iter().enumerate().filter(|&(_, mask)| mask != 0).collect();
        let of = |bits: &Vec<u64>| masks.iter().map(|&(word, _)| bits[word]).collect();
        let points: Box<[Box<[u64]>]> = bits.iter().map(of).collect();
        let mut sorted: Vec<&Box<[u64]>> = points.iter().collect();
        sorted.sort_unstable();
        let differ = sorted.is_sorted_by(|one, next| one < next);
        differ.then_some(Self { masks, points })
    }

    /// The point of a state; none if play never comes to it.
    #[inline]
    pub(crate) fn find(&self, state: &[u64]) -> Option<usize> {
        let fits = |(&(word, mask), bits): (&(usize, u64), &u64)| {
            state.get(word).is_some_and(|word| word & mask == *bits)
        };
        self.points.iter().position(|bits| self.masks.iter().zip(bits).all(fits))
    }
}

/// What is known of each fluent at each point. None if that takes too long.
fn know(advance: &Circuit, initial: &[u64], fluents: usize, points: usize) -> Option<Vec<Vec<Pair>>> {
    if fluents.saturating_mul(points) > MOST_VALUES {
        return None;
    }
    let value = |bit: bool| [u8::from(bit), u8::from(!bit)];
    let start = (0..fluents).map(|fluent| value(bits::test(initial, fluent))).collect();
    let mut known: Vec<Vec<Pair>> = vec![start];
    let mut work = 0;
    loop {
        let mut changed = false;
        for point in 0..points {
            work += advance.len() + fluents;
            if work > WORK {
                return None;
            }
            let mut next = Vec::with_capacity(fluents);
            advance.run_partly(&known[point], &mut next);
            let there = (point + 1) % points;
            if known.len() == there {
                known.push(next);
                changed = true;
                continue;
            }
            for (old, new) in known[there].iter_mut().zip(next) {
                if *old != UNKNOWN && *old != new {
                    *old = UNKNOWN;
                    changed = true;
                }
            }
        }
        if !changed {
            return Some(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three lamps: the first two change in turn, the last one as the only input says.
    #[test]
    fn fluents_that_go_round_tell_the_point() {
        // Nodes: false, lamps 1 to 3, a move; no gates.
        let circuit = |outputs: Vec<u32>| Circuit::new(5, Vec::new(), outputs);
        let turn = circuit(vec![4, 2, 8]);
        let cycle = Cycle::new(&turn, &[0b001], 3, 2).expect("they differ");
        assert_eq!(
            [0b001, 0b010, 0b101, 0b110, 0b011, 0].map(|state| cycle.find(&[state])),
            [Some(0), Some(1), Some(0), Some(1), None, None]
        );
        // What goes round twice as fast does not.
        assert!(Cycle::new(&turn, &[0b001], 3, 4).is_none());
        // Nor what follows from a move, at once or later.
        assert!(Cycle::new(&circuit(vec![4, 8, 2]), &[0b001], 3, 2).is_none());
        let single = Cycle::new(&turn, &[0b001], 3, 1).expect("one point");
        assert_eq!([0b001, 0b111].map(|state| single.find(&[state])), [Some(0), Some(0)]);
    }

    /// As many lamps as points, one of which is on: each next one in turn.
    #[test]
    fn long_cycles_of_many_fluents_are_not_followed() {
        let cycle = |lamps: usize| {
            let outputs = (0..lamps).map(|lamp| 2 * (1 + (lamp + lamps - 1) % lamps) as u32).collect();
            let mut initial = vec![0; lamps.div_ceil(64)];
            initial[0] = 1;
            Cycle::new(&Circuit::new(1 + lamps, Vec::new(), outputs), &initial, lamps, lamps)
        };
        assert!(cycle(1000).is_some());
        assert_eq!(cycle(100).and_then(|cycle| cycle.find(&[0, 1])), Some(64));
        assert!(cycle(5000).is_none(), "that would take 50 MB");
    }

    #[test]
    fn gates_of_unknown_values() {
        // The AND of both lamps stays off whatever the second one does.
        let circuit = Circuit::new(4, vec![[2, 5], [2, 4]], vec![8, 6, 10]);
        let mut next = Vec::new();
        circuit.run_partly(&[[0, 1], UNKNOWN], &mut next);
        assert_eq!(next, [[0, 1], UNKNOWN, [0, 1]]);
        circuit.run_partly(&[[1, 0], [0, 1]], &mut next);
        assert_eq!(next[3..], [[1, 0], UNKNOWN, [0, 1]]);
    }
}

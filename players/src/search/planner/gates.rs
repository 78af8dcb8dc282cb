//! Gates evaluated for many states at once, in two or three values: each signal has the set of
//! states in which it may be set.
//!
//! A signal and its complement have separate entries, so that both may be set if a value is
//! unknown.

use gdl_format::aig::{cone, node};

/// The number of states that are evaluated together.
pub(super) const LANES: usize = 256;

/// A set of lanes, one bit each.
pub(super) type Lanes = [u64; LANES / 64];

pub(super) const NONE: Lanes = [0; LANES / 64];

/// A gate: its node, and its operands.
pub(super) type Gate = (u32, [u32; 2]);

/// Returns the gates in the cone of some signals. The graph's first gate is node `first`, and
/// `operands` returns the operands of a gate.
pub(super) fn needed(
    first: usize,
    gates: usize,
    operands: impl Fn(usize) -> [u32; 2] + Copy,
    signals: impl IntoIterator<Item = u32>,
) -> Vec<Gate> {
    let cone = cone(first, gates, operands, signals);
    (0..gates).filter(|gate| cone[first + gate]).map(|gate| ((first + gate) as u32, operands(gate))).collect()
}

/// Evaluates gates: computes the lanes in which each signal and its complement may be set.
pub(super) fn run(may: &mut [Lanes], gates: &[Gate]) {
    for &(node, [a, b]) in gates {
        let (a, b) = (a as usize, b as usize);
        may[2 * node as usize] = and(may[a], may[b]);
        may[2 * node as usize + 1] = or(may[a ^ 1], may[b ^ 1]);
    }
}

/// Returns for each node whether it depends on an input for which `depends` is set. `depends` has
/// an entry for each node before the first gate. O(gates).
pub(super) fn dependents(
    mut depends: Vec<bool>,
    gates: usize,
    operands: impl Fn(usize) -> [u32; 2],
) -> Vec<bool> {
    for gate in 0..gates {
        let [a, b] = operands(gate);
        depends.push(depends[node(a)] || depends[node(b)]);
    }
    depends
}

pub(super) fn and(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|word| a[word] & b[word])
}

pub(super) fn or(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|word| a[word] | b[word])
}

pub(super) fn not(a: Lanes) -> Lanes {
    a.map(|word| !word)
}

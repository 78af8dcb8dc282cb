//! Gates evaluated for many states at once, in two values or three: for each signal the states
//! where it may be set.
//!
//! A signal and its complement are looked up apart, so that both may be set where a value is
//! unknown.

use gdl_format::aig::{cone, node};

/// States that are judged together.
pub(super) const LANES: usize = 256;

/// A bit for each of them.
pub(super) type Lanes = [u64; LANES / 64];

pub(super) const NONE: Lanes = [0; LANES / 64];

/// A gate: its node, and its operands.
pub(super) type Gate = (u32, [u32; 2]);

/// Gates that some signals depend on, of a graph whose first gate is node `first` and whose gates
/// have these operands.
pub(super) fn needed(
    first: usize,
    gates: usize,
    operands: impl Fn(usize) -> [u32; 2] + Copy,
    signals: impl IntoIterator<Item = u32>,
) -> Vec<Gate> {
    let cone = cone(first, gates, operands, signals);
    (0..gates).filter(|gate| cone[first + gate]).map(|gate| ((first + gate) as u32, operands(gate))).collect()
}

/// Computes gates: where each signal may be set.
pub(super) fn run(may: &mut [Lanes], gates: &[Gate]) {
    for &(node, [a, b]) in gates {
        let (a, b) = (a as usize, b as usize);
        may[2 * node as usize] = and(may[a], may[b]);
        may[2 * node as usize + 1] = or(may[a ^ 1], may[b ^ 1]);
    }
}

/// For each node, whether it depends on an input for which `depends` is set. `depends` has an entry
/// for each node before the first gate. O(gates).
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

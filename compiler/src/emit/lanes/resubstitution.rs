//! Resubstitution: replaces a gate by a function of other signals that needs no more gates.
//!
//! Gates are copied in topological order. A window is opened for a new gate if one of its operands
//! is a gate that serves it alone. The window has at most [`LEAVES`] leaves, which are nodes that
//! determine the gate, and the inner gates between the leaves and the gate. It also has other gates
//! that depend on the leaves alone. Divisors are the nodes of the window that are computed anyway.
//! A divisor that equals the gate replaces it. Otherwise a function of two or three divisors does,
//! if it needs no more gates than serve the gate alone (its maximal fanout-free cone). See
//! Mishchenko and Brayton, "Scalable logic synthesis using a simple circuit structure", 2006.
//!
//! Truth tables over the leaves prove each replacement. A replacement may need the same number of
//! gates, since later windows then find more replacements. The size of a window is bounded, and so
//! is the number of windows: there are [`START`] of them, and [`EARNED`] more for each gate that is
//! saved.

use crate::meter::Meter;
use gdl_format::aig::{Aig, FALSE, here, node};
use std::cmp::Reverse;

/// The maximum number of leaves of a window. Truth tables have a bit for each of their values.
const LEAVES: usize = 8;

/// The maximum number of inner gates of a window, and of its divisors.
const INNER: usize = 48;
const DIVISORS: usize = 64;

/// The maximum number of a node's users that are tried as divisors.
const USERS: usize = 24;

/// The maximum number of literals that imply the target, and of products that do.
const LITERALS: usize = 24;
const PRODUCTS: usize = 64;

/// The number of windows that are opened at first, and the number more for each gate that is saved.
/// Most circuits have nothing to replace. In most of the others, the first windows find something.
/// Decision 19 has the figures.
const START: usize = 512;
const EARNED: usize = 16;

/// The steps to copy a gate and to cover the copy, the steps of a window, and the bytes of a gate.
const STEPS: u64 = 90;
const WINDOW: u64 = 1_000;
const BYTES: usize = 256;

/// A truth table over the leaves of a window.
type Table = [u64; 4];

const NEVER: Table = [0; 4];

/// The tables of the leaves.
const COLUMNS: [Table; LEAVES] = [
    [0xaaaa_aaaa_aaaa_aaaa; 4],
    [0xcccc_cccc_cccc_cccc; 4],
    [0xf0f0_f0f0_f0f0_f0f0; 4],
    [0xff00_ff00_ff00_ff00; 4],
    [0xffff_0000_ffff_0000; 4],
    [0xffff_ffff_0000_0000; 4],
    [0, u64::MAX, 0, u64::MAX],
    [0, 0, u64::MAX, u64::MAX],
];

fn not(a: Table) -> Table {
    a.map(|word| !word)
}

fn and(a: Table, b: Table) -> Table {
    [0, 1, 2, 3].map(|i| a[i] & b[i])
}

fn or(a: Table, b: Table) -> Table {
    [0, 1, 2, 3].map(|i| a[i] | b[i])
}

fn implies(a: Table, b: Table) -> bool {
    and(a, not(b)) == NEVER
}

/// A signal and its table.
type Literal = (u32, Table);

/// Two signals and the table of their conjunction.
type Product = ([u32; 2], Table);

/// Copies the gates that the outputs depend on, with replacements. Returns the copy and the outputs
/// in it, or `None` if no gate is saved. Opens no more windows than the meter pays. O(gates), with
/// a large factor.
pub(super) fn resubstitute(gates: &Aig, outputs: &[u32], meter: &mut Meter) -> Option<(Aig, Vec<u32>)> {
    meter.spend(STEPS * gates.nodes() as u64)?;
    meter.take(BYTES * gates.nodes())?;
    let cone = gates.cone(outputs.iter().copied());
    let inputs = gates.first();
    let mut uses = vec![0; gates.nodes()];
    for (pair, _) in gates.gates().iter().zip(&cone[inputs..]).filter(|(_, needed)| **needed) {
        pair.iter().for_each(|&signal| uses[node(signal)] += 1);
    }
    outputs.iter().for_each(|&signal| uses[node(signal)] += 1);
    let mut copy = Rewriting::new(&uses[..inputs]);
    let mut signals = identity(inputs);
    // The numbers of windows and of gates copied so far, and true while the meter pays.
    let (mut windows, mut copied, mut is_paid) = (0, 0, true);
    for (gate, pair) in (inputs..).zip(gates.gates()) {
        let mut signal = FALSE;
        if cone[gate] {
            copied += 1;
            let [a, b] = pair.map(|signal| here(&signals, signal));
            let next = copy.aig.nodes();
            signal = copy.and(a, b);
            copy.hold(node(signal), uses[gate]);
            [a, b].iter().for_each(|&operand| copy.release(node(operand), 1));
            let most = START + EARNED * (copied - copy.live);
            if is_paid && windows < most && node(signal) == next && copy.has_own(next) {
                is_paid = meter.spend(WINDOW).is_some();
                windows += 1;
                if is_paid && let Some(other) = copy.replacement(next) {
                    copy.hold(node(other), uses[gate]);
                    copy.release(next, uses[gate]);
                    signal = other;
                }
            }
            if (!is_paid || windows >= START) && copy.live == copied {
                break;
            }
        }
        signals.push(signal);
    }
    meter.give(BYTES * gates.nodes());
    (copy.live < copied).then(|| {
        let outputs = outputs.iter().map(|&signal| here(&signals, signal)).collect();
        (copy.aig, outputs)
    })
}

/// The signals of the first nodes themselves.
fn identity(nodes: usize) -> Vec<u32> {
    (0..nodes as u32).map(|node| 2 * node).collect()
}

/// The copy of a circuit. The first lists have an entry for each node of `aig`.
struct Rewriting {
    aig: Aig,
    /// The numbers of uses by live gates of the copy, and by gates and outputs not yet copied.
    uses: Vec<u32>,
    /// The place in `users` of the newest gate that has the node as an operand.
    newest: Vec<Option<u32>>,
    /// The last window that the node was in, and its position in `tables` there.
    places: Vec<(u32, u32)>,
    /// A linked list of gates for each node: a gate that has the node as an operand, and the place
    /// of the gate before it in the list. A gate takes two places.
    users: Vec<(u32, Option<u32>)>,
    /// The number of gates with uses.
    live: usize,
    /// The number of windows so far.
    window: u32,
    /// The nodes of the window whose tables are known.
    tables: Vec<Literal>,
}

impl Rewriting {
    /// Creates a copy without gates, given the uses of the inputs.
    fn new(uses: &[u32]) -> Self {
        let inputs = uses.len();
        Self {
            aig: Aig::new(inputs - 1),
            uses: uses.to_vec(),
            newest: vec![None; inputs],
            places: vec![(0, 0); inputs],
            users: Vec::new(),
            live: 0,
            window: 0,
            tables: Vec::new(),
        }
    }

    /// Returns the conjunction of two signals.
    fn and(&mut self, a: u32, b: u32) -> u32 {
        let next = self.aig.nodes();
        let signal = self.aig.and(a, b);
        if self.aig.nodes() > next {
            self.uses.push(0);
            self.newest.push(None);
            self.places.push((0, 0));
            for operand in [a, b].map(node) {
                let place = self.users.len() as u32;
                self.users.push((next as u32, self.newest[operand].replace(place)));
            }
        }
        signal
    }

    fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// The operands of a gate, or `None` for an input.
    fn operands(&self, gate: usize) -> Option<[u32; 2]> {
        self.aig.gates().get(gate.checked_sub(self.aig.first())?).copied()
    }

    /// Adds uses of a node. A gate that had none uses its operands from now on.
    fn hold(&mut self, start: usize, uses: u32) {
        let mut stack = vec![(start, uses)];
        while let Some((gate, uses)) = stack.pop() {
            let was_unused = self.uses[gate] == 0;
            self.uses[gate] += uses;
            if let (true, Some(pair)) = (was_unused, self.operands(gate)) {
                self.live += 1;
                stack.extend(pair.map(|signal| (node(signal), 1)));
            }
        }
    }

    /// Removes uses of a node. A gate that has none left no longer uses its operands.
    fn release(&mut self, start: usize, uses: u32) {
        let mut stack = vec![(start, uses)];
        while let Some((gate, uses)) = stack.pop() {
            self.uses[gate] -= uses;
            if let (0, Some(pair)) = (self.uses[gate], self.operands(gate)) {
                self.live -= 1;
                stack.extend(pair.map(|signal| (node(signal), 1)));
            }
        }
    }

    /// Returns true if an operand of a gate is a gate that serves it alone.
    fn has_own(&self, gate: usize) -> bool {
        let is_own = |operand: usize| self.uses[operand] == 1 && operand >= self.aig.first();
        self.operands(gate).is_some_and(|pair| pair.map(node).into_iter().any(is_own))
    }

    /// Returns a signal that equals the newest gate and needs no more gates, if one is found.
    fn replacement(&mut self, root: usize) -> Option<u32> {
        let (leaves, mut inner) = self.open(root)?;
        let own = self.fanout_free(root, &inner);
        for (leaf, column) in leaves.into_iter().zip(COLUMNS) {
            self.push(leaf, column);
        }
        inner.sort_unstable();
        for gate in inner {
            self.push_gate(gate)?;
        }
        let target = self.table(2 * root as u32);
        let mut divisors = self.tables.clone();
        divisors.retain(|(signal, _)| !own.contains(&node(*signal)));
        let mut next = 0;
        while next < divisors.len() && divisors.len() < DIVISORS {
            let divisor = node(divisors[next].0);
            next += 1;
            let mut place = self.newest[divisor];
            for _ in 0..USERS {
                let (Some(at), true) = (place, divisors.len() < DIVISORS) else { break };
                let user;
                (user, place) = (self.users[at as usize].0 as usize, self.users[at as usize].1);
                let Some(pair) = self.operands(user) else { continue };
                if self.uses[user] > 0
                    && !self.is_open(user)
                    && pair.iter().all(|&signal| self.is_open(node(signal)))
                {
                    divisors.push(self.push_gate(user)?);
                }
            }
        }
        self.find(target, &divisors, own.len())
    }

    /// Opens a window: returns its leaves, and its inner gates with the root. Repeatedly expands
    /// the leaf that adds the fewest leaves, and of equal leaves the newest node
    /// (reconvergence-driven cut).
    fn open(&mut self, root: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        self.window += 1;
        self.tables.clear();
        let mut leaves: Vec<usize> = self.operands(root)?.map(node).to_vec();
        let mut inner = vec![root];
        [&leaves[..], &inner].concat().into_iter().for_each(|node| self.places[node].0 = self.window);
        while inner.len() < INNER {
            let cost = |i: usize| {
                let pair = self.operands(leaves[i])?;
                let added = pair.iter().filter(|&&signal| !self.is_open(node(signal))).count();
                Some((added, Reverse(leaves[i]), i))
            };
            let Some((added, _, i)) = (0..leaves.len()).filter_map(cost).min() else { break };
            if leaves.len() + added > LEAVES + 1 {
                break;
            }
            let gate = leaves.swap_remove(i);
            inner.push(gate);
            for operand in self.operands(gate)?.map(node) {
                if !self.is_open(operand) {
                    self.places[operand].0 = self.window;
                    leaves.push(operand);
                }
            }
        }
        Some((leaves, inner))
    }

    /// Returns true if a node is in the window.
    fn is_open(&self, node: usize) -> bool {
        self.places[node].0 == self.window
    }

    /// Adds a node with its table to the window.
    fn push(&mut self, node: usize, table: Table) {
        self.places[node] = (self.window, self.tables.len() as u32);
        self.tables.push((2 * node as u32, table));
    }

    /// Adds a gate to the window; the tables of its operands are known.
    fn push_gate(&mut self, gate: usize) -> Option<Literal> {
        let [a, b] = self.operands(gate)?.map(|signal| self.table(signal));
        self.push(gate, and(a, b));
        self.tables.last().copied()
    }

    fn table(&self, signal: u32) -> Table {
        let table = self.tables[self.places[node(signal)].1 as usize].1;
        if signal & 1 == 1 { not(table) } else { table }
    }

    /// Returns the root and the inner gates that serve it alone.
    fn fanout_free(&mut self, root: usize, inner: &[usize]) -> Vec<usize> {
        let mut own = vec![root];
        let mut released = Vec::new();
        let mut next = 0;
        while let Some(&gate) = own.get(next) {
            next += 1;
            for operand in self.operands(gate).into_iter().flatten().map(node) {
                self.uses[operand] -= 1;
                released.push(operand);
                if self.uses[operand] == 0 && inner.contains(&operand) {
                    own.push(operand);
                }
            }
        }
        released.into_iter().for_each(|operand| self.uses[operand] += 1);
        own
    }

    /// Returns a signal with the table `target` that takes at most `gates` new gates, and never
    /// more than two. A disjunction for the complement is a conjunction for the target.
    fn find(&mut self, target: Table, divisors: &[Literal], gates: usize) -> Option<u32> {
        let literals: Vec<Literal> = divisors
            .iter()
            .flat_map(|&(signal, table)| [(signal, table), (signal ^ 1, not(table))])
            .collect();
        if let Some(&(signal, _)) = literals.iter().find(|(_, table)| *table == target) {
            return Some(signal);
        }
        let targets = [target, not(target)];
        let parts = targets.map(|target| {
            let parts = literals.iter().filter(|(_, table)| implies(*table, target));
            parts.take(LITERALS).copied().collect::<Vec<Literal>>()
        });
        let found = (0..).zip(&parts).find_map(|(i, parts)| Some(self.two(targets[i], parts)? ^ i as u32));
        if found.is_some() || gates < 2 {
            return found;
        }
        (0..).zip(&parts).find_map(|(i, parts)| {
            let found = self.three(targets[i], parts);
            let found = found.or_else(|| self.literal_or_product(targets[i], parts, &literals));
            Some(found? ^ i as u32)
        })
    }

    /// Returns the disjunction of two literals that equals the target.
    fn two(&mut self, target: Table, parts: &[Literal]) -> Option<u32> {
        let (a, b) = pairs(parts).find(|(a, b)| or(a.1, b.1) == target)?;
        Some(self.or(a.0, b.0))
    }

    /// Returns the disjunction of three literals that equals the target.
    fn three(&mut self, target: Table, parts: &[Literal]) -> Option<u32> {
        for (i, a) in parts.iter().enumerate() {
            if let Some((b, c)) = pairs(&parts[..i]).find(|(b, c)| or(a.1, or(b.1, c.1)) == target) {
                let two = self.or(b.0, c.0);
                return Some(self.or(a.0, two));
            }
        }
        None
    }

    /// Returns the disjunction of a literal and a product that equals the target.
    fn literal_or_product(&mut self, target: Table, parts: &[Literal], literals: &[Literal]) -> Option<u32> {
        if parts.is_empty() {
            return None;
        }
        for ([a, b], table) in products(target, literals) {
            if let Some(&(other, _)) = parts.iter().find(|part| or(part.1, table) == target) {
                let product = self.and(a, b);
                return Some(self.or(product, other));
            }
        }
        None
    }
}

/// Iterates over the pairs of different items.
fn pairs<T>(items: &[T]) -> impl Iterator<Item = (&T, &T)> {
    items.iter().enumerate().flat_map(|(i, a)| items[..i].iter().map(move |b| (a, b)))
}

/// Returns conjunctions of two literals that imply the target, though neither literal does. At most
/// [`PRODUCTS`].
fn products(target: Table, literals: &[Literal]) -> Vec<Product> {
    let others: Vec<Literal> =
        literals.iter().copied().filter(|(_, table)| !implies(*table, target)).collect();
    let products = pairs(&others).map(|(a, b)| ([a.0, b.0], and(a.1, b.1)));
    products.filter(|(_, table)| *table != NEVER && implies(*table, target)).take(PRODUCTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::lanes::cover::tests::gates;
    use proptest::{collection::vec, prelude::*};

    /// Computes 64 values of each signal at a time.
    fn values(gates: &Aig, inputs: &[u64], signals: &[u32]) -> Vec<u64> {
        let mut nodes = vec![0];
        nodes.extend(&inputs[..gates.first() - 1]);
        let of = |nodes: &[u64], signal: u32| nodes[node(signal)] ^ (u64::from(signal) & 1).wrapping_neg();
        for &[a, b] in gates.gates() {
            nodes.push(of(&nodes, a) & of(&nodes, b));
        }
        signals.iter().map(|&signal| of(&nodes, signal)).collect()
    }

    /// The copy, or the original if no gate is saved, without dead gates.
    fn resubstituted(gates: &Aig, outputs: &[u32]) -> (Aig, Vec<u32>) {
        let copy = resubstitute(gates, outputs, &mut Meter::of(u64::MAX));
        let (copy, outputs) = copy.unwrap_or_else(|| (gates.clone(), outputs.to_vec()));
        let program = copy.program(&outputs);
        let mut live = Aig::new(program.inputs);
        let outputs = live.add(&program, &identity(gates.first()));
        (live, outputs)
    }

    proptest! {
        /// The copy has the values of the original and at most as many gates.
        #[test]
        fn copies_compute_what_gates_do(
            inputs in 1_usize..12,
            pairs in vec(any::<[u32; 2]>(), 0..120),
            wanted in vec(any::<u32>(), 1..12),
            columns in vec(any::<u64>(), 12),
        ) {
            let original = gates(inputs, &pairs);
            let wanted: Vec<u32> = wanted.iter().map(|s| s % (2 * original.nodes() as u32)).collect();
            let (copy, outputs) = resubstituted(&original, &wanted);
            prop_assert_eq!(values(&copy, &columns, &outputs), values(&original, &columns, &wanted));
            let needed = original.program(&wanted).gates.len();
            prop_assert!(copy.gates().len() <= needed, "{} of {needed}", copy.gates().len());
        }
    }

    /// Asserts that a circuit of four inputs, signals 2, 4, 6 and 8, is copied with a number of
    /// gates.
    fn check(make: impl Fn(&mut Aig) -> Vec<u32>, expected: usize) {
        let mut gates = Aig::new(4);
        let outputs = make(&mut gates);
        let (copy, copied) = resubstituted(&gates, &outputs);
        assert_eq!(copy.gates().len(), expected, "{:?}", copy.gates());
        let columns = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];
        assert_eq!(values(&copy, &columns, &copied), values(&gates, &columns, &outputs));
    }

    #[test]
    fn an_equal_signal_replaces_a_gate() {
        // (a & b) & (a & c) and a & (b & c)
        let equal = |gates: &mut Aig| {
            let [left, right, inner] = [gates.and(2, 4), gates.and(2, 6), gates.and(4, 6)];
            vec![gates.and(left, right), gates.and(2, inner)]
        };
        check(equal, 2);
    }

    #[test]
    fn constants_replace_gates() {
        // a & b is true, and neither a nor b is.
        let never = |gates: &mut Aig| {
            let [both, neither] = [gates.and(2, 4), gates.and(3, 5)];
            let either = gates.and(both ^ 1, neither ^ 1);
            vec![gates.and(either, both)]
        };
        check(never, 0);
    }

    #[test]
    fn common_operands_are_taken_out() {
        // a & b | a & c
        let sum = |gates: &mut Aig| {
            let [left, right] = [gates.and(2, 4), gates.and(2, 6)];
            vec![gates.or(left, right)]
        };
        check(sum, 2);
    }

    #[test]
    fn two_signals_replace_many() {
        // b | c | d, and a & b | a & c | a & d
        let sum = |gates: &mut Aig| {
            let [bc, ab, ac, ad] = [gates.or(4, 6), gates.and(2, 4), gates.and(2, 6), gates.and(2, 8)];
            let [bcd, abc] = [gates.or(bc, 8), gates.or(ab, ac)];
            vec![bcd, gates.or(abc, ad)]
        };
        check(sum, 3);
    }

    #[test]
    fn three_signals_replace_many() {
        // (a & c | a & d) | (b & c | b & d) becomes a & s | b & s, where s is c | d.
        let sum = |gates: &mut Aig| {
            let [ac, ad, bc, bd] = [gates.and(2, 6), gates.and(2, 8), gates.and(4, 6), gates.and(4, 8)];
            let [left, right] = [gates.or(ac, ad), gates.or(bc, bd)];
            vec![gates.or(left, right)]
        };
        check(sum, 4);
    }

    /// Makes a & b | a & c from inputs of its own.
    fn sum(gates: &mut Aig, number: u32) -> u32 {
        let [a, b, c] = [0, 1, 2].map(|i| 2 * (3 * number + i + 1));
        let [left, right] = [gates.and(a, b), gates.and(a, c)];
        gates.or(left, right)
    }

    /// Makes a & (b & c) from inputs of its own, in which nothing can be left out.
    fn product(gates: &mut Aig, number: u32) -> u32 {
        let [a, b, c] = [0, 1, 2].map(|i| 2 * (3 * number + i + 1));
        let inner = gates.and(b, c);
        gates.and(a, inner)
    }

    #[test]
    fn a_copy_has_fewer_gates() {
        let mut gates = Aig::new(3);
        let output = product(&mut gates, 0);
        assert!(resubstitute(&gates, &[output], &mut Meter::of(u64::MAX)).is_none());
    }

    #[test]
    fn success_pays_for_more_windows() {
        let windows = START as u32;
        let copied = |make: &dyn Fn(&mut Aig, u32) -> u32| {
            let mut gates = Aig::new(3 * 4 * START);
            let outputs: Vec<u32> = (0..4 * windows).map(|number| make(&mut gates, number)).collect();
            let copy = resubstitute(&gates, &outputs, &mut Meter::of(u64::MAX));
            copy.map(|(copy, outputs)| gates.gates().len() - copy.program(&outputs).gates.len())
        };
        assert_eq!(copied(&sum), Some(4 * START));
        // Nothing is found in all windows.
        let late = |gates: &mut Aig, number| {
            if number < windows { product(gates, number) } else { sum(gates, number) }
        };
        assert_eq!(copied(&late), None);
        // Windows end after something was found.
        let early = |gates: &mut Aig, number| {
            if number == 0 { sum(gates, number) } else { product(gates, number) }
        };
        assert_eq!(copied(&early), Some(1));
    }

    #[test]
    fn the_meter_is_paid_first() {
        // a & b | a & c
        let gates = gates(3, &[[2, 4], [2, 6], [9, 11]]);
        let mut meter = Meter::of(STEPS * 7 + WINDOW);
        assert!(resubstitute(&gates, &[12], &mut meter).is_some());
        assert_eq!(meter.left(), 0);
        for steps in [STEPS * 7 + WINDOW - 1, STEPS * 7 - 1] {
            assert!(resubstitute(&gates, &[12], &mut Meter::of(steps)).is_none());
        }
    }

    #[test]
    fn what_is_saved_stays_if_the_meter_runs_out() {
        let mut gates = Aig::new(30);
        let outputs: Vec<u32> = (0..10).map(|number| sum(&mut gates, number)).collect();
        let mut meter = Meter::of(STEPS * gates.nodes() as u64 + 3 * WINDOW);
        let (copy, outputs) = resubstitute(&gates, &outputs, &mut meter).expect("three are saved");
        assert_eq!(copy.program(&outputs).gates.len(), gates.gates().len() - 3);
    }
}

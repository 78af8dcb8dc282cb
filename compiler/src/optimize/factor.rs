//! Algebraic factoring: extracts common operands of the products of a sum.
//!
//! The complement of an AND gate is a sum of products. An operand that is a complemented AND gate
//! used nowhere else, or a complemented conjunction of two inputs, is a product; any other operand
//! is a product of one literal. The most frequent literal is divided out repeatedly, with all
//! common literals of its products (Brayton and Mc Mullen 1982, the quick form). Nested
//! conjunctions used once are merged first. Frame axioms collapse: thousands of moves with the same
//! effect become one product with one sum of moves.
//!
//! Factoring terminates: a nested sum has fewer literals than the sum that contains it, and each
//! factor takes at least two products. Every literal of a sum is paid for at each level of nesting.

use super::rebuild::{close, inputs, live, open, uses};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;
use std::{cmp::Reverse, collections::BinaryHeap};

/// The deepest nesting of sums that are factored. The limit only guards the stack.
const MAX_DEPTH: usize = 200;

/// The steps to sort and count a literal.
const SORTED: u64 = 4;

/// The bytes of a literal that may be in several products: its entries in lists whose capacity may
/// be twice their length, and half an entry among the shared literals and in the heap. Also an
/// upper bound of the bytes of a product.
const BYTES: usize = 64;

/// Factors every sum of products. O(literals x log) for each level of nesting.
pub fn factor(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let live = live(net);
    let inlined = inlined(net, &live);
    let mut copy = net.without_gates();
    let mut signals: Vec<Signal> = inputs(net);
    // The operands of gates that are merged into their only user.
    let mut products: FxHashMap<u32, Vec<Signal>> = FxHashMap::default();
    for gate in net.inputs()..net.len() {
        signals.push(Signal::FALSE);
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        if !live[gate] {
            continue;
        }
        // The gate is the conjunction of `plain` and the complements of the products of `sums`.
        let (mut plain, mut sums) = (Vec::new(), Products::default());
        for s in operands {
            let child = s.gate();
            match (inlined[child as usize], s.is_negated()) {
                (true, true) => sums.push(products.remove(&child).unwrap_or_default()),
                (true, false) => plain.extend(products.remove(&child).unwrap_or_default()),
                (false, true) if is_small(net, child) => {
                    let Gate::And(operands) = net.gate(child) else { continue };
                    sums.push(operands.iter().copied());
                }
                (false, negated) => plain.push(signals[child as usize].negate_if(negated)),
            }
        }
        if inlined[gate] {
            if !sums.ends.is_empty() {
                let sum = sum(&mut copy, sums, meter, 0)?;
                plain.push(!sum);
            }
            products.insert(gate as u32, plain);
        } else {
            plain.into_iter().for_each(|s| sums.push([!s]));
            signals[gate] = !sum(&mut copy, sums, meter, 0)?;
        }
    }
    Some(close(net, copy, &signals))
}

/// Returns true for a conjunction of two inputs. Duplicating it costs nothing if it has other
/// users, and little otherwise.
fn is_small(net: &Net, gate: u32) -> bool {
    let is_input = |s: &Signal| (s.gate() as usize) < net.inputs();
    matches!(net.gate(gate), Gate::And(operands) if operands.len() == 2 && operands.iter().all(is_input))
}

/// Returns, for each gate, true if it is an AND gate whose only user is an AND gate.
fn inlined(net: &Net, live: &[bool]) -> Vec<bool> {
    let uses = uses(net, live);
    (0..net.len()).map(|gate| gate >= net.inputs() && uses[gate] == 1).collect()
}

/// A list of products, stored one after another.
#[derive(Default)]
struct Products {
    literals: Vec<Signal>,
    /// The end of each product in `literals`.
    ends: Vec<usize>,
}

impl Products {
    fn push(&mut self, product: impl IntoIterator<Item = Signal>) {
        self.literals.extend(product);
        self.ends.push(self.literals.len());
    }

    /// Sorts each product, then the products, and removes duplicates.
    fn sorted(&mut self) -> Vec<&[Signal]> {
        let (mut rest, mut start) = (&mut self.literals[..], 0);
        let mut list: Vec<&[Signal]> = Vec::with_capacity(self.ends.len());
        for &end in &self.ends {
            let (product, behind) = rest.split_at_mut(end - start);
            product.sort_unstable();
            // Slices have no `dedup`.
            let mut len = 0;
            for place in 0..product.len() {
                if place == 0 || product[place] != product[len - 1] {
                    product[len] = product[place];
                    len += 1;
                }
            }
            (rest, start) = (behind, end);
            list.push(&product[..len]);
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    /// The number of literals and products.
    fn size(&self) -> usize {
        self.literals.len() + self.ends.len()
    }
}

/// A literal that several products contain.
struct Shared<'p> {
    literal: Signal,
    /// The literal with the number of each product that contains it, ascending.
    places: &'p [(Signal, u32)],
    /// The number of these products that are not factored yet.
    count: usize,
}

/// Makes the factored disjunction of products.
fn sum(net: &mut Net, mut products: Products, meter: &mut Meter, depth: usize) -> Option<Signal> {
    let size = products.size();
    meter.spend(SORTED * size as u64)?;
    // Different products that are single literals have nothing in common; most sums have only such
    // products. An empty product makes the sum true.
    let may_share = products.literals.len() > products.ends.len();
    let bytes = BYTES * if may_share { size } else { products.ends.len() };
    meter.take(bytes)?;
    let products = products.sorted();
    let mut places: Vec<(Signal, u32)> = Vec::new();
    for (number, product) in (0..).zip(&products).filter(|_| may_share) {
        places.extend(product.iter().map(|&literal| (literal, number)));
    }
    places.sort_unstable();
    let alike = places.chunk_by(|left, right| left.0 == right.0).filter(|places| places.len() > 1);
    let mut shared: Vec<Shared<'_>> =
        alike.map(|places| Shared { literal: places[0].0, places, count: places.len() }).collect();
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> =
        shared.iter().enumerate().map(|(number, shared)| (shared.count, Reverse(number))).collect();
    let mut taken = vec![false; products.len()];
    let mut terms = Vec::new();
    while let Some((count, Reverse(number))) = heap.pop() {
        if depth >= MAX_DEPTH {
            break;
        }
        let Shared { places, count: left, .. } = shared[number];
        if left < count {
            // The count was stale: other factors took some of the products.
            if left > 1 {
                heap.push((left, Reverse(number)));
            }
            continue;
        }
        let users: Vec<usize> =
            places.iter().map(|&(_, product)| product as usize).filter(|&product| !taken[product]).collect();
        let mut common = products[users[0]].to_vec();
        for &user in &users[1..] {
            meter.spend(common.len() as u64)?;
            common.retain(|s| products[user].binary_search(s).is_ok());
        }
        let mut rest = Products::default();
        for &user in &users {
            rest.push(products[user].iter().copied().filter(|s| common.binary_search(s).is_err()));
            taken[user] = true;
            for literal in products[user] {
                if let Ok(number) = shared.binary_search_by_key(literal, |shared| shared.literal) {
                    shared[number].count -= 1;
                }
            }
        }
        let taken = users.iter().map(|&user| 1 + products[user].len()).sum::<usize>();
        debug_assert!(users.len() > 1 && rest.size() < taken, "a part has fewer literals");
        let inner = sum(net, rest, meter, depth + 1)?;
        common.push(inner);
        terms.push(net.and(common));
    }
    for (product, taken) in products.into_iter().zip(taken) {
        if !taken {
            terms.push(net.and(product.to_vec()));
        }
    }
    let sum = net.or(terms);
    net.pay(meter)?;
    meter.give(bytes);
    Some(sum)
}

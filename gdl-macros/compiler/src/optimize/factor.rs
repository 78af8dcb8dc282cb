//! Algebraic factoring: common operands of the products of a sum are taken out.
//!
//! Every AND gate is, complemented, a sum of products: an operand that is a complemented AND gate used nowhere
//! else, or a conjunction of two inputs, is a product, any other operand a product of one. The most frequent
//! literal is divided out again and again, with all that its products have in common (Brayton and Mc Mullen 1982,
//! the quick form). Nested conjunctions used once are merged first. Frame axioms collapse: what depends on
//! thousands of moves in the same way becomes one product with one sum of moves.
//!
//! Factoring ends: a sum that is left to factor has fewer literals than the one that it is a part of, and each factor takes at least
//! two products. Every literal of a sum is paid for at each level of nesting.

use super::rebuild::{close, inputs, live, open, uses};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::FxHashMap;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Sums nested deeper than this are left as they are; the limit only guards the stack.
const MAX_DEPTH: usize = 200;

/// Steps to sort and count a literal.
const SORTED: u64 = 4;

/// Bytes for a literal that may be in several products: its own, its entries in two tables and a heap, and its place in a list.
const BYTES: usize = 96;

/// Bytes of a product by itself.
const PRODUCT: usize = 64;

/// Factors every sum of products. O(literals x log) for each level of nesting.
pub fn factor(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let live = live(net);
    let inlined = inlined(net, &live);
    let mut copy = net.without_gates();
    let mut signals: Vec<Signal> = inputs(net);
    // The operands of gates that their only user takes over.
    let mut products: FxHashMap<u32, Vec<Signal>> = FxHashMap::default();
    for gate in net.inputs()..net.len() {
        signals.push(Signal::FALSE);
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        if !live[gate] {
            continue;
        }
        // The gate is the conjunction of `plain`, with no product of `sums` true.
        let (mut plain, mut sums) = (Vec::new(), Vec::new());
        for s in operands {
            let child = s.gate();
            match (inlined[child as usize], s.is_negated()) {
                (true, true) => sums.push(products.remove(&child).unwrap_or_default()),
                (true, false) => plain.extend(products.remove(&child).unwrap_or_default()),
                (false, true) if is_small(net, child) => {
                    let Gate::And(operands) = net.gate(child) else { continue };
                    sums.push(operands.to_vec());
                }
                (false, negated) => plain.push(signals[child as usize].negate_if(negated)),
            }
        }
        if inlined[gate] {
            if !sums.is_empty() {
                let sum = sum(&mut copy, sums, meter, 0)?;
                plain.push(!sum);
            }
            products.insert(gate as u32, plain);
        } else {
            sums.extend(plain.into_iter().map(|s| vec![!s]));
            signals[gate] = !sum(&mut copy, sums, meter, 0)?;
        }
    }
    Some(close(net, copy, &signals))
}

/// True for a conjunction of two inputs: to make it once more costs nothing where others need it, and little
/// elsewhere.
fn is_small(net: &Net, gate: u32) -> bool {
    let is_input = |s: &Signal| (s.gate() as usize) < net.inputs();
    matches!(net.gate(gate), Gate::And(operands) if operands.len() == 2 && operands.iter().all(is_input))
}

/// For each gate, whether it is an AND gate with one user, itself an AND gate.
fn inlined(net: &Net, live: &[bool]) -> Vec<bool> {
    let uses = uses(net, live);
    (0..net.len()).map(|gate| gate >= net.inputs() && uses[gate] == 1).collect()
}

/// The disjunction of products, factored.
fn sum(net: &mut Net, mut products: Vec<Vec<Signal>>, meter: &mut Meter, depth: usize) -> Option<Signal> {
    let size = size(&products);
    meter.spend(SORTED * size as u64)?;
    for product in &mut products {
        product.sort_unstable();
        product.dedup();
    }
    products.sort_unstable();
    products.dedup();
    let mut occurrences: FxHashMap<Signal, Vec<usize>> = FxHashMap::default();
    let mut literals = Vec::new();
    // Different products of one literal have nothing in common, and most sums are of such.
    let may_share = products.iter().any(|product| product.len() > 1);
    let bytes = if may_share { BYTES * size } else { PRODUCT * products.len() };
    meter.take(bytes)?;
    for (number, product) in products.iter().enumerate().filter(|_| may_share) {
        for &literal in product {
            let list = occurrences.entry(literal).or_default();
            if list.is_empty() {
                literals.push(literal);
            }
            list.push(number);
        }
    }
    let mut counts: FxHashMap<Signal, usize> =
        literals.iter().map(|&literal| (literal, occurrences[&literal].len())).collect();
    let mut heap: BinaryHeap<(usize, Reverse<Signal>)> =
        literals.iter().map(|l| (counts[l], Reverse(*l))).filter(|(count, _)| *count > 1).collect();
    let mut taken = vec![false; products.len()];
    let mut terms = Vec::new();
    while let Some((count, Reverse(literal))) = heap.pop() {
        if depth >= MAX_DEPTH {
            break;
        }
        if counts[&literal] < count {
            // The count was stale: other factors took some of the products.
            if counts[&literal] > 1 {
                heap.push((counts[&literal], Reverse(literal)));
            }
            continue;
        }
        let users: Vec<usize> = occurrences[&literal].iter().copied().filter(|&p| !taken[p]).collect();
        let mut common = products[users[0]].clone();
        for &user in &users[1..] {
            meter.spend(common.len() as u64)?;
            common.retain(|s| products[user].binary_search(s).is_ok());
        }
        let rest: Vec<Vec<Signal>> = users
            .iter()
            .map(|&user| {
                products[user].iter().copied().filter(|s| common.binary_search(s).is_err()).collect()
            })
            .collect();
        for &user in &users {
            taken[user] = true;
            products[user].iter().for_each(|literal| *counts.get_mut(literal).expect("counted above") -= 1);
        }
        let taken = users.iter().map(|&user| 1 + products[user].len()).sum::<usize>();
        debug_assert!(users.len() > 1 && self::size(&rest) < taken, "a part has fewer literals");
        let inner = sum(net, rest, meter, depth + 1)?;
        common.push(inner);
        terms.push(net.and(common));
    }
    for (product, taken) in products.into_iter().zip(taken) {
        if !taken {
            terms.push(net.and(product));
        }
    }
    let sum = net.or(terms);
    net.pay(meter)?;
    meter.give(bytes);
    Some(sum)
}

/// Literals and products.
fn size(products: &[Vec<Signal>]) -> usize {
    products.iter().map(|product| 1 + product.len()).sum()
}

//! Factors sums of products of moves: a role makes one move, so a move's destination can be split
//! from its source.
//!
//! In the rules of a board, a rook is next on B if it is on A and moves from A to B. For each B and
//! each kind of piece, that is a sum with one product for each move to B. Instead, one sum for all
//! squares computes "a rook is moved", with the moves gathered by the square they leave. A rook is
//! then next on B if some move to B is made and a rook is moved.
//!
//! In general, a group of gates has sums of products. Each product has moves and a *rest*, and a
//! move has the same rest in all gates of the group. The sum of all these products is made once,
//! with the moves of equal rests gathered. The sum of one gate is then the conjunction of that
//! total and the disjunction of the gate's moves: exactly one move is made, and it selects its
//! rest. Gates are grouped by the rests that they share. A group is rewritten if that reduces the
//! number of operands; operands that several groups share are counted once.
//!
//! Rests do not depend on moves, so the result is acyclic. Each product is visited a constant
//! number of times, and once for each group that it is compared with.

use super::{
    imply::depends_on_does,
    rebuild::{close, inputs, live, open, uses},
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The maximum number of groups that a sum is compared with: those that share most of its rests.
const COMPARED: usize = 4;

/// The largest number of groups among which a sum is divided.
const ROUNDS: usize = 8;

/// The fixed-point unit of operand counts: an operand with n users counts as `UNIT / n`.
const UNIT: usize = 64;

/// The steps to find a product and its rest, and the bytes of its entries in a sum and a group.
const PRODUCT: (u64, usize) = (32, 160);

/// A product of a sum: a `does` input and a rest.
#[derive(Clone, Copy)]
struct Product {
    input: u32,
    /// The index of the rest, which consists of the product's other operands. Equal rests of one
    /// role's moves have one index.
    rest: u32,
    /// The operand of the sum's gate, which is the complement of the product.
    operand: Signal,
}

/// The products of a gate with moves of one role, sorted by their moves.
struct Sum {
    gate: u32,
    products: Vec<Product>,
}

/// A group of sums in which each move has only one rest.
#[derive(Default)]
struct SumGroup {
    sums: Vec<Sum>,
    /// By `does` input: the index of its rest.
    rests: FxHashMap<u32, u32>,
    /// The indices of all rests.
    has: FxHashSet<u32>,
}

/// The change of a gate: removed operands, as signals of the net, and added ones, as signals of the
/// copy.
#[derive(Default)]
struct Change {
    gone: Vec<Signal>,
    made: Vec<Signal>,
}

/// Rewrites sums of products of moves where that takes fewer operands. O(literals x log).
pub fn factor_moves(net: &Net, meter: &mut Meter) -> Option<Net> {
    open(net, meter)?;
    let (live, depends) = (live(net), depends_on_does(net));
    let (sums, rests) = find_sums(net, &live, &depends, meter)?;
    let groups = choose(gather(sums, meter)?, &rests, net, &uses(net, &live), meter)?;
    if groups.is_empty() {
        meter.take(net.bytes())?;
        let mut copy = net.clone();
        copy.sweep();
        return Some(copy);
    }
    let mut copy = net.without_gates();
    let mut signals = inputs(net);
    signals.resize(net.len(), Signal::FALSE);
    let of = |signals: &[Signal], s: &Signal| signals[s.gate() as usize].negate_if(s.is_negated());
    // Gates that do not depend on moves come first, since rests consist of them.
    let ands = (net.inputs()..net.len()).filter(|&gate| live[gate]);
    let (moving, still): (Vec<usize>, Vec<usize>) = ands.partition(|&gate| depends[gate]);
    for gate in still {
        if let Gate::And(operands) = net.gate(gate as u32) {
            signals[gate] = copy.and(operands.iter().map(|s| of(&signals, s)).collect());
            copy.pay(meter)?;
        }
    }
    let rests: Vec<Vec<Signal>> =
        rests.iter().map(|rest| rest.iter().map(|s| of(&signals, s)).collect()).collect();
    let mut changes: FxHashMap<u32, Change> = FxHashMap::default();
    for group in &groups {
        rewrite(net, group, &rests, &mut copy, &mut changes);
        copy.pay(meter)?;
    }
    for gate in moving {
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        let Change { mut gone, mut made } = changes.remove(&(gate as u32)).unwrap_or_default();
        gone.sort_unstable();
        let kept = operands.iter().filter(|s| gone.binary_search(s).is_err());
        made.extend(kept.map(|s| of(&signals, s)));
        signals[gate] = copy.and(made);
        copy.pay(meter)?;
    }
    Some(close(net, copy, &signals))
}

/// Makes the total of a group, and records the changed operands of its gates.
fn rewrite(
    net: &Net,
    group: &SumGroup,
    rests: &[Vec<Signal>],
    copy: &mut Net,
    changes: &mut FxHashMap<u32, Change>,
) {
    let products = group.sums.iter().flat_map(|sum| &sum.products);
    let mut products: Vec<(u32, u32)> = products.map(|product| (product.rest, product.input)).collect();
    products.sort_unstable();
    products.dedup();
    let mut terms = Vec::new();
    for alike in products.chunk_by(|left, right| left.0 == right.0) {
        let moves = copy.or(alike.iter().map(|&(_, input)| Signal::new(input, false)).collect());
        let rest = rests[alike[0].0 as usize].iter().copied();
        terms.push(copy.and(rest.chain([moves]).collect()));
    }
    let all = copy.or(terms);
    for Sum { gate, products } in &group.sums {
        let moves = copy.or(products.iter().map(|product| Signal::new(product.input, false)).collect());
        let Change { gone, made } = changes.entry(*gate).or_default();
        gone.extend(whole(net, products).into_iter().map(|(operand, _)| operand));
        made.push(!copy.and(vec![moves, all]));
    }
}

/// Returns the sums of all gates, one for each gate and role, and the rests by index.
fn find_sums(
    net: &Net,
    live: &[bool],
    depends: &[bool],
    meter: &mut Meter,
) -> Option<(Vec<Sum>, Vec<Vec<Signal>>)> {
    let mut numbers: FxHashMap<(u32, Vec<Signal>), u32> = FxHashMap::default();
    let (mut sums, mut rests) = (Vec::new(), Vec::new());
    for gate in (net.inputs()..net.len()).filter(|&gate| live[gate] && depends[gate]) {
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        // The products, each with its role.
        let mut products: Vec<(u32, Product)> = Vec::new();
        for &operand in operands.iter().filter(|s| s.is_negated()) {
            let Gate::And(factors) = net.gate(operand.gate()) else { continue };
            meter.spend(PRODUCT.0 + factors.len() as u64)?;
            let Some((place, moves)) = moves(net, factors) else { continue };
            meter.spend(PRODUCT.0 * moves.len() as u64)?;
            let mut rest = factors.to_vec();
            rest.remove(place);
            let is_state = |s: &Signal| !depends[s.gate() as usize] || (s.gate() as usize) < net.inputs();
            if !rest.iter().all(is_state) {
                continue;
            }
            meter.take(PRODUCT.1 * moves.len() + 2 * size_of::<Signal>() * rest.len())?;
            let Some(role) = role(net, moves[0]) else { continue };
            let rest = *numbers.entry((role, rest)).or_insert_with_key(|(_, rest)| {
                rests.push(rest.clone());
                rests.len() as u32 - 1
            });
            products.extend(moves.iter().map(|s| (role, Product { input: s.gate(), rest, operand })));
        }
        products.sort_by_key(|(role, product)| (*role, product.input, product.rest));
        for own in products.chunk_by(|left, right| left.0 == right.0) {
            sums.push(Sum { gate: gate as u32, products: own.iter().map(|&(_, product)| product).collect() });
        }
    }
    Some((sums, rests))
}

/// Returns the place of the moves among the factors of a product, and the moves: one `does` input,
/// or a disjunction of `does` inputs of one role.
fn moves<'n>(net: &'n Net, factors: &'n [Signal]) -> Option<(usize, &'n [Signal])> {
    factors.iter().enumerate().find_map(|(place, s)| match net.gate(s.gate()) {
        Gate::Does { .. } if !s.is_negated() => Some((place, std::slice::from_ref(s))),
        Gate::And(moves) if s.is_negated() => {
            let first = role(net, moves[0])?;
            let alike = moves.iter().all(|&s| s.is_negated() && role(net, s) == Some(first));
            alike.then_some((place, moves))
        }
        _ => None,
    })
}

/// Returns the role of a `does` input, or `None` for any other signal.
fn role(net: &Net, signal: Signal) -> Option<u32> {
    match net.gate(signal.gate()) {
        Gate::Does { role, .. } => Some(role),
        _ => None,
    }
}

/// Adds each sum to the group that shares most of its rests and has no other rest for one of its
/// moves. A sum in which a move has several rests is divided: the part that fits a group joins it.
fn gather(sums: Vec<Sum>, meter: &mut Meter) -> Option<Vec<SumGroup>> {
    let mut groups: Vec<SumGroup> = Vec::new();
    // By rest: the first groups that contain it.
    let mut having: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    let (plain, mixed): (Vec<Sum>, Vec<Sum>) =
        sums.into_iter().partition(|sum| sum.products.is_sorted_by(|left, right| left.input < right.input));
    for Sum { gate, mut products } in plain.into_iter().chain(mixed) {
        for _ in 0..ROUNDS {
            if products.len() < 2 {
                break;
            }
            meter.spend((2 * COMPARED * products.len()) as u64)?;
            let shared = products.iter().filter_map(|product| having.get(&product.rest));
            let mut shared: Vec<usize> = shared.flatten().copied().collect();
            shared.sort_unstable();
            let same = shared.chunk_by(|left, right| left == right);
            let mut candidates: Vec<(usize, usize)> = same.map(|same| (same.len(), same[0])).collect();
            candidates.sort_unstable_by_key(|&(count, group)| (Reverse(count), group));
            let is_mixed = products.windows(2).any(|pair| pair[0].input == pair[1].input);
            let takes = |group: &SumGroup, product: &Product| match group.rests.get(&product.input) {
                Some(rest) => *rest == product.rest,
                None => !is_mixed || group.has.contains(&product.rest),
            };
            let suits = |group: &SumGroup| {
                let count = products.iter().filter(|product| takes(group, product)).count();
                count == products.len() || is_mixed && count > 1
            };
            let compared = candidates.iter().take(COMPARED).map(|&(_, group)| group);
            let place = compared.into_iter().find(|&place| suits(&groups[place]));
            let (mut own, mut rest): (Vec<Product>, Vec<Product>) = match place {
                Some(place) => products.into_iter().partition(|product| takes(&groups[place], product)),
                None => (products, Vec::new()),
            };
            let mut last = None;
            own.retain(|&product| {
                let is_new = last.replace(product.input) != Some(product.input);
                rest.extend((!is_new).then_some(product));
                is_new
            });
            let place = place.unwrap_or_else(|| {
                groups.push(SumGroup::default());
                groups.len() - 1
            });
            let group = &mut groups[place];
            for product in &own {
                group.rests.insert(product.input, product.rest);
                if group.has.insert(product.rest) {
                    let list = having.entry(product.rest).or_default();
                    list.extend((list.len() < COMPARED).then_some(place));
                }
            }
            group.sums.push(Sum { gate, products: own });
            rest.sort_unstable_by_key(|product| (product.input, product.rest));
            products = rest;
        }
    }
    Some(groups)
}

/// Returns the groups that take fewer operands after rewriting.
fn choose(
    mut groups: Vec<SumGroup>,
    rests: &[Vec<Signal>],
    net: &Net,
    uses: &[u32],
    meter: &mut Meter,
) -> Option<Vec<SumGroup>> {
    groups.retain(|group| group.sums.len() > 1);
    // For each group: a list of moves for each sum and for each rest, with the number of operands
    // that it adds besides its moves. Equal lists are made once.
    let mut counts: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    // By operand: the number of its uses that rewriting would remove.
    let mut gone: FxHashMap<Signal, u32> = FxHashMap::default();
    let mut lists_of: Vec<Vec<(Vec<u32>, usize)>> = Vec::new();
    for group in &groups {
        let mut by_rest: Vec<(u32, u32)> = Vec::new();
        let mut lists: Vec<(Vec<u32>, usize)> = Vec::new();
        for Sum { products, .. } in &group.sums {
            meter.spend(8 * products.len() as u64)?;
            meter.take(PRODUCT.1 * products.len())?;
            by_rest.extend(products.iter().map(|product| (product.rest, product.input)));
            whole(net, products).into_iter().for_each(|(operand, _)| *gone.entry(operand).or_default() += 1);
            // Adds three operands: two of the conjunction with the total, and one of the sum's
            // gate.
            lists.push((products.iter().map(|product| product.input).collect(), 3));
        }
        by_rest.sort_unstable();
        by_rest.dedup();
        lists.extend(by_rest.chunk_by(|left, right| left.0 == right.0).map(|alike| {
            let list = alike.iter().map(|&(_, input)| input).collect();
            (list, 2 + rests[alike[0].0 as usize].len())
        }));
        lists.iter().for_each(|(list, _)| *counts.entry(list.clone()).or_default() += 1);
        lists_of.push(lists);
    }
    let mut lists_of = lists_of.iter();
    groups.retain(|group| {
        let lists = lists_of.next().expect("one for each group");
        let after = lists.iter().map(|(list, others)| UNIT * others + UNIT * list.len() / counts[list]);
        let before = group.sums.iter().flat_map(|sum| whole(net, &sum.products)).map(|(operand, size)| {
            let uses = uses[operand.gate() as usize];
            if uses == gone[&operand] { UNIT + UNIT * size / uses as usize } else { UNIT }
        });
        after.sum::<usize>() < before.sum()
    });
    Some(groups)
}

/// Returns the operands whose moves are all among the products, each with the number of its
/// factors. The moves of a disjunction count too.
fn whole(net: &Net, products: &[Product]) -> Vec<(Signal, usize)> {
    let mut operands: Vec<Signal> = products.iter().map(|product| product.operand).collect();
    operands.sort_unstable();
    let whole =
        operands.chunk_by(|left, right| left == right).filter_map(|same| match net.gate(same[0].gate()) {
            Gate::And(factors) => {
                let (_, moves) = moves(net, factors)?;
                let size = factors.len() + if moves.len() > 1 { moves.len() } else { 0 };
                (moves.len() == same.len()).then_some((same[0], size))
            }
            _ => None,
        });
    whole.collect()
}

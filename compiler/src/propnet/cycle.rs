//! Solves the system of monotone equations of an SCC of atoms: its least fixpoint as signals.
//!
//! An SCC has no negation inside, so each atom is a disjunction of products of atoms of the SCC,
//! each with a coefficient from outside. If no product has two atoms, the system is linear over the
//! Boolean semiring, and Gaussian elimination solves it (Carré 1971): an atom does not help to
//! derive itself. So the products that contain the atom are dropped from its equation, and the rest
//! of the equation is substituted for the atom in all other equations. The atom with the fewest
//! products and uses is eliminated first, as for sparse matrices (Markowitz 1957). Reachability on
//! a board, the usual cycle, then needs a fraction of the gates of an unrolling with one round for
//! each cell.
//!
//! A system that would grow too much is unrolled from false until the gates repeat, at the latest
//! after one round for each remaining atom. So solving terminates: each step eliminates an atom or
//! is one of these rounds. Each product is paid for before it is stored.
//!
//! A board of 19 by 19 points takes several million steps. A system that exceeds its budget counts
//! as an intractable SCC (`knot` in the code) and is abandoned. Evaluating the rules in each state
//! is then faster.

use super::{Net, Signal};
use crate::meter::Meter;
use std::collections::{BTreeMap, BTreeSet};

/// A product of unknowns, sorted. The coefficient of the empty product is the constant term.
type Product = Vec<u32>;

/// A disjunction of products, each with the terms whose disjunction is its coefficient.
type Equation = BTreeMap<Product, Vec<Signal>>;

/// Equations for unknowns numbered from zero.
#[derive(Debug, Default)]
pub(super) struct System {
    equations: Vec<Equation>,
    /// For each unknown, the equations that contain it.
    users: Vec<BTreeSet<u32>>,
    /// The number of remaining steps of the meter at which the system counts as intractable.
    knot: u64,
}

/// The cost of a product in steps and bytes, without its unknowns; the bytes of an unknown in a
/// product; and the bytes of an unknown of the system.
const PRODUCT: (u64, usize) = (16, 112);
const FACTOR: usize = 16;
const UNKNOWN: usize = 128;

/// The steps that solving is expected to take: in a linear system for each pair of a product and an
/// unknown, otherwise for each product.
///
/// Measured: reachability on boards of 7 by 7 to 11 by 11 takes 6 to 9 steps a pair. Systems over
/// all pairs of 9 places take 15 to 28 a pair if linear, otherwise 1,250 to 2,400 a product.
const LINEAR: u64 = 20;
const OTHER: u64 = 1_000;

/// The steps that every system may take in addition to the expected ones, and the upper bound of
/// their sum.
const FEW: u64 = 100_000;
const MOST: u64 = 10_000_000;

impl System {
    /// Creates a system of `unknowns` unknowns without products, so that each is false. Returns
    /// `None` if the meter runs out.
    pub(super) fn new(unknowns: usize, meter: &mut Meter) -> Option<Self> {
        meter.take(UNKNOWN * unknowns)?;
        Some(Self {
            equations: vec![Equation::new(); unknowns],
            users: vec![BTreeSet::new(); unknowns],
            knot: 0,
        })
    }

    /// Adds a product to the equation of `head`: it holds if the coefficient and all unknowns of
    /// the product hold.
    pub(super) fn add(
        &mut self,
        head: usize,
        mut product: Product,
        coefficient: Signal,
        meter: &mut Meter,
    ) -> Option<()> {
        meter.spend(PRODUCT.0 + product.len() as u64)?;
        product.sort_unstable();
        product.dedup();
        // A product that contains its own head adds nothing to the least fixpoint.
        if coefficient == Signal::FALSE || product.contains(&(head as u32)) {
            return Some(());
        }
        for &unknown in &product {
            self.users[unknown as usize].insert(head as u32);
        }
        let bytes = bytes(&product);
        let terms = self.equations[head].entry(product).or_default();
        if terms.last() != Some(&coefficient) {
            meter.take(bytes)?;
            terms.push(coefficient);
        }
        Some(())
    }

    /// Returns the least fixpoint, or `None` if the meter runs out or the system is intractable. In
    /// the latter case, the meter has not stopped. O(unknowns³) for a dense linear system, fewer
    /// steps for a sparse one.
    pub(super) fn solve(mut self, net: &mut Net, meter: &mut Meter) -> Option<Vec<Signal>> {
        let labels: Vec<Signal> = self.equations.iter().map(label).collect();
        let is_linear = self.equations.iter().flat_map(Equation::keys).all(|product| product.len() < 2);
        let products: u64 = self.equations.iter().map(|equation| equation.len() as u64).sum();
        let expected = products * if is_linear { LINEAR * self.equations.len() as u64 } else { OTHER };
        self.knot = meter.left().saturating_sub((FEW + expected).min(MOST));
        let mut queue: BTreeSet<(usize, Signal, u32)> =
            (0..self.equations.len() as u32).map(|u| (self.cost(u), labels[u as usize], u)).collect();
        let mut eliminated = Vec::new();
        while let Some((cost, _, unknown)) = queue.pop_first() {
            let size = self.equations[unknown as usize].len() + self.users[unknown as usize].len();
            if !is_linear && cost > size {
                queue.insert((cost, labels[unknown as usize], unknown));
                break;
            }
            // The unknowns whose cost may change.
            let mut touched: BTreeSet<u32> = self.users[unknown as usize].clone();
            touched.extend(self.equations[unknown as usize].keys().flatten());
            for &u in &touched {
                queue.remove(&(self.cost(u), labels[u as usize], u));
            }
            meter.spend(PRODUCT.0 * touched.len() as u64)?;
            let equation = self.eliminate(net, unknown, meter)?;
            eliminated.push((unknown, equation));
            queue.extend(touched.into_iter().map(|u| (self.cost(u), labels[u as usize], u)));
        }
        let mut signals = vec![Signal::FALSE; self.equations.len()];
        let rest: Vec<u32> = queue.into_iter().map(|(.., unknown)| unknown).collect();
        for _ in 0..rest.len() {
            let mut changed = false;
            for &unknown in &rest {
                let equation = &self.equations[unknown as usize];
                let signal = evaluate(net, equation, &signals, meter)?;
                self.go_on(meter)?;
                changed |= std::mem::replace(&mut signals[unknown as usize], signal) != signal;
            }
            if !changed {
                break;
            }
        }
        // An eliminated unknown depends on those that were eliminated later.
        for (unknown, equation) in eliminated.into_iter().rev() {
            signals[unknown as usize] = evaluate(net, &equation, &signals, meter)?;
        }
        Some(signals)
    }

    /// Returns `None` if the system has used up its budget, so that it counts as intractable.
    fn go_on(&self, meter: &Meter) -> Option<()> {
        (meter.left() > self.knot).then_some(())
    }

    /// Returns the largest number of products that eliminating an unknown can make.
    fn cost(&self, unknown: u32) -> usize {
        self.equations[unknown as usize].len() * self.users[unknown as usize].len()
    }

    /// Substitutes an unknown's equation for it in all other equations, and returns that equation.
    fn eliminate(&mut self, net: &mut Net, unknown: u32, meter: &mut Meter) -> Option<Equation> {
        let mut equation = std::mem::take(&mut self.equations[unknown as usize]);
        for (product, terms) in &mut equation {
            *terms = vec![net.or(std::mem::take(terms))];
            for &other in product {
                self.users[other as usize].remove(&unknown);
            }
        }
        for user in std::mem::take(&mut self.users[unknown as usize]) {
            meter.spend(PRODUCT.0 * self.equations[user as usize].len() as u64)?;
            self.go_on(meter)?;
            let (with, without): (Equation, Equation) = std::mem::take(&mut self.equations[user as usize])
                .into_iter()
                .partition(|(product, _)| product.binary_search(&unknown).is_ok());
            self.equations[user as usize] = without;
            for (product, terms) in with {
                meter.give(bytes(&product) * terms.len());
                let coefficient = net.or(terms);
                for (inner, terms) in &equation {
                    let product = product.iter().filter(|&&u| u != unknown).chain(inner).copied().collect();
                    let coefficient = net.and(vec![coefficient, terms[0]]);
                    net.pay(meter)?;
                    self.add(user as usize, product, coefficient, meter)?;
                }
            }
        }
        Some(equation)
    }
}

/// Returns the least coefficient, the tie-breaker between unknowns of equal cost. Similar systems
/// are then eliminated in a similar order, and their solutions share gates.
fn label(equation: &Equation) -> Signal {
    let coefficients =
        equation.iter().filter(|(product, _)| !product.is_empty()).flat_map(|(_, terms)| terms);
    coefficients.min().copied().unwrap_or_default()
}

/// The bytes that are paid for each term of a product.
fn bytes(product: &Product) -> usize {
    PRODUCT.1 + FACTOR * product.len()
}

/// Evaluates an equation, the disjunction of its products, given the signals of its unknowns.
fn evaluate(net: &mut Net, equation: &Equation, signals: &[Signal], meter: &mut Meter) -> Option<Signal> {
    meter.spend(PRODUCT.0 * (1 + equation.len()) as u64)?;
    let sum = equation.iter().map(|(product, terms)| {
        let coefficient = net.or(terms.clone());
        let unknowns = product.iter().map(|&unknown| signals[unknown as usize]);
        net.and(unknowns.chain([coefficient]).collect())
    });
    let sum = sum.collect();
    let sum = net.or(sum);
    net.pay(meter)?;
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Limits, Options, Phase,
        meter::Stop,
        propnet::{Gate, Vocabulary},
    };

    /// Creates a net with `count` fluents, without moves and gates.
    fn inputs(count: usize) -> Net {
        let vocabulary = Vocabulary { fluents: vec![String::new(); count], ..Vocabulary::default() };
        Net::new(vocabulary, vec![false; count], Vec::new())
    }

    fn value(net: &Net, signal: Signal, state: u32) -> bool {
        let mut values = Vec::new();
        for gate in 0..net.len() as u32 {
            values.push(match net.gate(gate) {
                Gate::Fluent(fluent) => state >> fluent & 1 == 1,
                Gate::And(operands) => operands.iter().all(|s| values[s.gate() as usize] != s.is_negated()),
                _ => false,
            });
        }
        values[signal.gate() as usize] != signal.is_negated()
    }

    /// A pseudorandom generator: splitmix64.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((mixed ^ mixed >> 31) % end as u64) as usize
        }
    }

    /// Solutions of random systems equal the fixpoint that iteration finds in every state.
    #[test]
    fn solutions_are_least() {
        const FLUENTS: usize = 5;
        for seed in 0..300 {
            let mut numbers = Numbers(seed);
            let unknowns = 2 + numbers.below(6);
            let widest = 1 + numbers.below(3);
            let (mut net, mut meter) = (inputs(FLUENTS), Meter::of(u64::MAX));
            let mut system = System::new(unknowns, &mut meter).expect("there is room");
            let mut rules = Vec::new();
            for _ in 0..unknowns * (1 + numbers.below(4)) {
                let head = numbers.below(unknowns);
                let product: Vec<u32> =
                    (0..numbers.below(widest + 1)).map(|_| numbers.below(unknowns) as u32).collect();
                let coefficient = match numbers.below(FLUENTS + 1) {
                    FLUENTS => Signal::TRUE,
                    fluent => net.fluent(fluent).negate_if(numbers.below(2) == 1),
                };
                system.add(head, product.clone(), coefficient, &mut meter).expect("there is room");
                rules.push((head, product, coefficient));
            }
            let solution = system.solve(&mut net, &mut meter).expect("nothing stops it");
            for state in 0..1 << FLUENTS {
                let mut truths = vec![false; unknowns];
                for _ in 0..unknowns {
                    for (head, product, coefficient) in &rules {
                        let holds = value(&net, *coefficient, state)
                            && product.iter().all(|&unknown| truths[unknown as usize]);
                        truths[*head] |= holds;
                    }
                }
                let found: Vec<bool> = solution.iter().map(|&s| value(&net, s, state)).collect();
                assert_eq!(found, truths, "seed {seed}, state {state:b}, {rules:?}");
            }
        }
    }

    /// Reachability from each cell of a board through free cells takes few gates, since similar
    /// systems share them.
    #[test]
    fn reachability_is_sparse() {
        const SIDE: usize = 6;
        let (mut net, mut meter) = (inputs(SIDE * SIDE), Meter::of(u64::MAX));
        for source in 0..SIDE * SIDE {
            let mut system = System::new(SIDE * SIDE, &mut meter).expect("there is room");
            let mut add = |head, product, signal| {
                system.add(head, product, signal, &mut meter).expect("there is room");
            };
            for cell in 0..SIDE * SIDE {
                beside(cell, SIDE).for_each(|other| add(cell, vec![other as u32], net.fluent(cell)));
            }
            add(source, Vec::new(), net.fluent(source));
            system.solve(&mut net, &mut meter).expect("nothing stops it");
        }
        // A round of iteration alone takes 120 operations or more, from each of 36 sources.
        let per_source = net.operations() / (SIDE * SIDE);
        assert!(per_source < 500, "{per_source}");
    }

    /// Solves a dense system in which each of `unknowns` unknowns follows from every other.
    fn solve(unknowns: usize, meter: &mut Meter) -> Option<Vec<Signal>> {
        let mut net = inputs(unknowns);
        let mut system = System::new(unknowns, meter)?;
        for head in 0..unknowns {
            for other in (0..unknowns).filter(|&other| other != head) {
                system.add(head, vec![other as u32], net.fluent(other), meter)?;
            }
        }
        system.solve(&mut net, meter)
    }

    /// Returns the cells next to a cell of a square board.
    fn beside(cell: usize, side: usize) -> impl Iterator<Item = usize> {
        let (row, column) = (cell / side, cell % side);
        let all = [
            (column > 0).then(|| cell - 1),
            (column + 1 < side).then_some(cell + 1),
            (row > 0).then(|| cell - side),
            (row + 1 < side).then_some(cell + side),
        ];
        all.into_iter().flatten()
    }

    /// Reachability on a large board is solved. Systems that relate pairs of cells with pairs are
    /// abandoned before they take many gates, and the meter is not exhausted.
    #[test]
    fn a_knot_is_given_up() {
        let system = |unknowns: usize, products: &dyn Fn(usize) -> Vec<Vec<usize>>| {
            let (mut net, mut meter) = (inputs(unknowns), Meter::of(u64::MAX));
            let mut system = System::new(unknowns, &mut meter).expect("there is room");
            for head in 0..unknowns {
                for product in products(head).into_iter().chain([Vec::new()]) {
                    let fluent = net.fluent(product.first().copied().unwrap_or(head));
                    let product = product.into_iter().map(|unknown| unknown as u32).collect();
                    system.add(head, product, fluent, &mut meter).expect("there is room");
                }
            }
            let before = meter.left();
            let is_solved = system.solve(&mut net, &mut meter).is_some();
            assert!(meter.stop().is_none() && before - meter.left() < MOST);
            is_solved
        };
        assert!(system(19 * 19, &|cell| beside(cell, 19).map(|other| vec![other]).collect()));
        let ends = |pair: usize| (pair / 16, pair % 16);
        let linear = |pair| {
            let (from, to) = ends(pair);
            let near = beside(from, 4).map(|from| vec![16 * from + to]);
            near.chain(beside(to, 4).map(|to| vec![16 * from + to])).collect()
        };
        assert!(!system(16 * 16, &linear));
        let composed = |pair| {
            let (from, to) = ends(pair);
            (0..16).map(|middle| vec![16 * from + middle, 16 * to + middle]).collect()
        };
        assert!(!system(16 * 16, &composed));
    }

    #[test]
    fn a_system_is_paid_for() {
        assert!(solve(30, &mut Meter::of(u64::MAX)).is_some());
        let mut meter = Meter::of(100_000);
        assert!(solve(30, &mut meter).is_none());
        assert_eq!(meter.stop(), Some(Stop::Fuel));
        let limits = Limits { max_bytes: 50_000, ..Limits::default() };
        let mut meter = Meter::new(&Options { limits, ..Options::default() }, Phase::Propnet);
        assert!(solve(30, &mut meter).is_none());
        assert_eq!(meter.stop(), Some(Stop::Bytes));
    }
}

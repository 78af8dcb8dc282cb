//! A filter for the literals that a fact may match: those that agree with it in their ground
//! arguments.
//!
//! A [`Watch`] holds numbered literals. For a fact, it finds the numbers of the literals that have
//! the fact's relation, and whose functions and constants agree with the fact. It compares the
//! arguments, and the arguments of these, but nothing deeper.
//!
//! A fact is looked up once for each set of places that literals of its relation compare. Each
//! lookup takes steps in proportion to the places.

use super::terms::{TermId, Terms};
use crate::datalog::pattern::Pattern;
use rustc_hash::FxHashMap;

/// A place in an atom that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtomPlace {
    /// A whole argument.
    Argument(usize),
    /// The name and the arity of an argument.
    Name(usize),
    /// An argument of an argument.
    Inner(usize, usize),
}

/// The literals with ground terms at the same places.
#[derive(Debug)]
struct WatchShape {
    places: Vec<AtomPlace>,
    /// The numbers of the literals, increasing, by their terms at the places.
    numbers: FxHashMap<Vec<u32>, Vec<usize>>,
}

/// Numbered literals, by relation and by the places of their ground terms.
#[derive(Debug, Default)]
pub(super) struct Watch {
    shapes: FxHashMap<u32, Vec<WatchShape>>,
}

impl Watch {
    /// Adds a literal. Its number must be greater than those of all literals added before.
    pub(super) fn add(&mut self, relation: u32, arguments: &[Pattern], number: usize) {
        let (mut places, mut key) = (Vec::new(), Vec::new());
        for (i, argument) in arguments.iter().enumerate() {
            match argument {
                Pattern::Variable(_) => {}
                Pattern::Ground(term) => {
                    places.push(AtomPlace::Argument(i));
                    key.push(term.0);
                }
                Pattern::Function(symbol, inner) => {
                    places.push(AtomPlace::Name(i));
                    key.extend([symbol.0, inner.len() as u32]);
                    for (j, argument) in inner.iter().enumerate() {
                        if let Pattern::Ground(term) = argument {
                            places.push(AtomPlace::Inner(i, j));
                            key.push(term.0);
                        }
                    }
                }
            }
        }
        let shapes = self.shapes.entry(relation).or_default();
        let shape = shapes.iter().position(|shape| shape.places == places).unwrap_or_else(|| {
            shapes.push(WatchShape { places, numbers: FxHashMap::default() });
            shapes.len() - 1
        });
        shapes[shape].numbers.entry(key).or_default().push(number);
    }

    /// Puts the numbers of the literals that a fact may match into `found`, in increasing order.
    /// Returns the steps that this took.
    pub(super) fn find(
        &self,
        relation: u32,
        arguments: &[TermId],
        terms: &Terms,
        found: &mut Vec<usize>,
    ) -> u64 {
        found.clear();
        let mut steps = 0;
        let Some(shapes) = self.shapes.get(&relation) else { return 0 };
        let mut key = Vec::new();
        for shape in shapes {
            steps += 2 + shape.places.len() as u64 / 2;
            key.clear();
            let complete = shape.places.iter().all(|&place| match place {
                AtomPlace::Argument(i) => {
                    key.push(arguments[i].0);
                    true
                }
                AtomPlace::Name(i) => {
                    key.extend([terms.symbol(arguments[i]).0, terms.arguments(arguments[i]).len() as u32]);
                    true
                }
                AtomPlace::Inner(i, j) => {
                    let inner = terms.arguments(arguments[i]).get(j);
                    key.extend(inner.map(|term| term.0));
                    inner.is_some()
                }
            });
            if let (true, Some(numbers)) = (complete, shape.numbers.get(&key)) {
                found.extend_from_slice(numbers);
            }
        }
        if shapes.len() > 1 {
            found.sort_unstable();
        }
        steps + found.len() as u64
    }
}

//! Attributes the operations of a net to purposes, such as the legality of a move.

use super::{Gate, Net, Signal};
use gdl_format::term;
use std::collections::BTreeMap;

/// The number of purposes with a bit of their own. They are the purposes whose outputs have the
/// most operands; all others share one bit.
const MOST: usize = 63;

/// The purpose of some outputs of a net: a keyword and, for `next`, `legal` and `sees`, the
/// relation of its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// The name, such as `next cell`, `legal mark`, `goal` or `terminal`.
    pub name: String,
    /// The number of two-input operations on which these outputs depend.
    pub operations: usize,
    /// The number of these operations on which outputs of no other purpose depend.
    pub alone: usize,
}

impl Net {
    /// Returns the purposes of the operations, the one with the most operations of its own first.
    /// An operation with several purposes counts for each of them. O(literals).
    ///
    /// ```
    /// use gdl_compiler::{Options, Source, compile};
    ///
    /// let rules = "(role p) (init (at 1)) (init (lit 1)) (succ 1 2) (succ 2 3)
    ///     (<= (legal p (go ?y)) (true (at ?x)) (succ ?x ?y) (not (true (lit ?y))))
    ///     (<= (next (at ?y)) (does p (go ?y))) (<= (next (lit ?y)) (does p (go ?y)))
    ///     (<= terminal (true (at 3))) (goal p 100)";
    /// let net = compile(&Source::new("walk.kif", rules), &Options::default()).unwrap().net;
    /// let purposes = net.purposes();
    /// assert_eq!(purposes[0].name, "legal go");
    /// assert!(purposes.iter().map(|purpose| purpose.alone).sum::<usize>() <= net.operations());
    /// ```
    #[must_use]
    pub fn purposes(&self) -> Vec<Purpose> {
        let named = self.outputs_by_purpose();
        // The first `MOST` purposes have a bit each; the others share one.
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, signal) in &named {
            if let Gate::And(operands) = self.gate(signal.gate()) {
                *sizes.entry(name).or_default() += operands.len();
            }
        }
        let mut names: Vec<&str> = sizes.keys().copied().collect();
        names.sort_by_key(|name| std::cmp::Reverse(sizes[name]));
        let places: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(place, &name)| (name, place.min(MOST))).collect();
        let mut purposes = vec![0u64; self.len()];
        for (name, signal) in &named {
            purposes[signal.gate() as usize] |= places.get(name.as_str()).map_or(0, |place| 1 << place);
        }
        let mut counts: Vec<Purpose> = Vec::new();
        for (place, name) in names.iter().take(MOST + 1).enumerate() {
            let name = if place == MOST { "others" } else { name };
            counts.push(Purpose { name: name.to_owned(), operations: 0, alone: 0 });
        }
        for gate in (self.inputs()..self.len()).rev() {
            let purpose = purposes[gate];
            let operands = self.operands(gate);
            operands.iter().for_each(|s| purposes[s.gate() as usize] |= purpose);
            for place in (0..counts.len()).filter(|place| purpose >> place & 1 == 1) {
                counts[place].operations += operands.len() - 1;
                counts[place].alone += if purpose.is_power_of_two() { operands.len() - 1 } else { 0 };
            }
        }
        counts.sort_by(|left, right| {
            (right.alone, right.operations, &left.name).cmp(&(left.alone, left.operations, &right.name))
        });
        counts
    }

    /// Lists each output with the name of its purpose.
    fn outputs_by_purpose(&self) -> Vec<(String, Signal)> {
        let Self { vocabulary, outputs, .. } = self;
        let relation = |keyword: &str, text: &str| match term::parts(text).first() {
            Some(relation) => format!("{keyword} {relation}"),
            None => keyword.to_owned(),
        };
        let mut named: Vec<(String, Signal)> = Vec::new();
        for (fluent, &signal) in vocabulary.fluents.iter().zip(&outputs.next) {
            named.push((relation("next", fluent), signal));
        }
        for &(action, signal) in outputs.legal.iter().flatten() {
            named.push((relation("legal", &vocabulary.moves[action as usize]), signal));
        }
        for &(_, signal) in outputs.goal.iter().flatten() {
            named.push(("goal".to_owned(), signal));
        }
        named.push(("terminal".to_owned(), outputs.terminal));
        for &(percept, signal) in outputs.sees.iter().flatten().flatten() {
            named.push((relation("sees", &vocabulary.percepts[percept as usize]), signal));
        }
        named
    }
}

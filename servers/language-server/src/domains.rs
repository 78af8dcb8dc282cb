//! The domains of the variables of rules, approximated quickly from the text.
//!
//! Each argument of a relation, and each of a function, is a place. Facts put values into places,
//! and rules propagate values from the places of their bodies to the places of their heads, until a
//! fixpoint. The domain of a variable is the intersection over its places in positive literals of
//! the body. `next` and `init` feed `true`, and `legal` feeds `does`. Each exact domain is a subset
//! of the computed one. A place with more than [`MOST`] values may have any value, and a rulesheet
//! that takes more than [`STEPS`] steps has no domains.

use gdl_compiler::{
    Rules,
    rules::{Atom, Formula, RelationId, Rule, Symbol, Term},
};
use std::collections::{BTreeMap, BTreeSet};

/// The most values of a place; a place with more may have any.
const MOST: usize = 256;

/// The most values that are processed: some tens of milliseconds.
const STEPS: usize = 3_000_000;

/// A value: an object, or all terms of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// An object.
    Object(Symbol),
    /// Any term of this function with this number of arguments.
    Function(Symbol, usize),
}

/// The possible values of a place or a variable; `None` if it may have any.
pub(crate) type Domain = Option<BTreeSet<Value>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ArgumentPlace {
    Relation(RelationId, usize),
    Function(Symbol, usize, usize),
}

/// Returns the domain of each variable of each rule, by the indices of both. Empty if [`STEPS`] is
/// exceeded.
pub(crate) fn domains(rules: &Rules) -> Vec<Vec<Domain>> {
    let mut analysis = Analysis { rules, places: BTreeMap::new(), steps: STEPS, is_new: true };
    let mut found = Vec::new();
    while std::mem::take(&mut analysis.is_new) {
        found.clear();
        for rule in &rules.rules {
            let Some(domains) = analysis.rule(rule) else { return Vec::new() };
            found.push(domains);
        }
    }
    found
}

struct Analysis<'r> {
    rules: &'r Rules,
    places: BTreeMap<ArgumentPlace, Domain>,
    steps: usize,
    /// True if a place has got a new value in this round.
    is_new: bool,
}

impl Analysis<'_> {
    /// Returns the present domains of a rule's variables, and propagates them to its head. Returns
    /// `None` if the steps are used up.
    fn rule(&mut self, rule: &Rule) -> Option<Vec<Domain>> {
        let mut domains = vec![None; rule.variables.len()];
        for formula in &rule.body {
            self.bind(formula, &mut domains)?;
        }
        let is_possible = domains.iter().all(|domain: &Domain| domain.as_ref().is_none_or(|d| !d.is_empty()));
        if is_possible {
            let relation = self.source(rule.head.relation);
            for (argument, term) in rule.head.arguments.iter().enumerate() {
                self.give(ArgumentPlace::Relation(relation, argument), term, &domains)?;
            }
        }
        Some(domains)
    }

    /// Maps `init` and `next` to `true`, and `does` to `legal`: relations that are mapped to one
    /// relation share its places.
    fn source(&self, relation: RelationId) -> RelationId {
        let keywords = &self.rules.keywords;
        if relation == keywords.init || relation == keywords.next {
            keywords.fact
        } else if relation == keywords.does {
            keywords.legal
        } else {
            relation
        }
    }

    fn bind(&mut self, formula: &Formula, domains: &mut [Domain]) -> Option<()> {
        match formula {
            Formula::Atom(Atom { relation, arguments, .. }) => {
                let relation = self.source(*relation);
                for (argument, term) in arguments.iter().enumerate() {
                    self.read(ArgumentPlace::Relation(relation, argument), term, domains)?;
                }
            }
            Formula::Not(_) | Formula::Distinct(..) => {}
            // Only the union of the branches' domains is certain.
            Formula::Or(branches) => {
                let mut union: Option<Vec<Domain>> = None;
                for branch in branches {
                    let mut here = domains.to_vec();
                    self.bind(branch, &mut here)?;
                    union = Some(match union {
                        None => here,
                        Some(union) => union.into_iter().zip(here).map(|(a, b)| join(a, b)).collect(),
                    });
                }
                domains.clone_from_slice(&union?);
            }
        }
        Some(())
    }

    /// Intersects the domains of a term's variables with the values of its place.
    fn read(&mut self, place: ArgumentPlace, term: &Term, domains: &mut [Domain]) -> Option<()> {
        match term {
            Term::Constant(_) => {}
            Term::Function(name, arguments) => {
                for (argument, term) in arguments.iter().enumerate() {
                    self.read(ArgumentPlace::Function(*name, arguments.len(), argument), term, domains)?;
                }
            }
            Term::Variable(variable) => {
                let domain = &mut domains[variable.index()];
                let here = self.places.entry(place).or_insert_with(|| Some(BTreeSet::new()));
                let size = here.as_ref().map_or(0, BTreeSet::len) + domain.as_ref().map_or(0, BTreeSet::len);
                self.steps = self.steps.checked_sub(size + 1)?;
                *domain = match (domain.take(), &*here) {
                    (None, here) => here.clone(),
                    (Some(known), None) => Some(known),
                    (Some(known), Some(here)) => Some(known.intersection(here).copied().collect()),
                };
            }
        }
        Some(())
    }

    /// Adds the values of a term to its place.
    fn give(&mut self, place: ArgumentPlace, term: &Term, domains: &[Domain]) -> Option<()> {
        let given = match term {
            Term::Constant(name) => Some(BTreeSet::from([Value::Object(*name)])),
            Term::Function(name, arguments) => {
                for (argument, term) in arguments.iter().enumerate() {
                    self.give(ArgumentPlace::Function(*name, arguments.len(), argument), term, domains)?;
                }
                Some(BTreeSet::from([Value::Function(*name, arguments.len())]))
            }
            Term::Variable(variable) => domains[variable.index()].clone(),
        };
        self.steps = self.steps.checked_sub(given.as_ref().map_or(0, BTreeSet::len) + 1)?;
        let known = self.places.entry(place).or_insert_with(|| Some(BTreeSet::new()));
        let Some(values) = known else { return Some(()) };
        let before = values.len();
        let Some(given) = given else {
            *known = None;
            self.is_new = true;
            return Some(());
        };
        values.extend(given);
        self.is_new |= values.len() > before;
        if values.len() > MOST {
            *known = None;
        }
        Some(())
    }
}

fn join(left: Domain, right: Domain) -> Domain {
    let (mut left, right) = (left?, right?);
    left.extend(right);
    Some(left)
}

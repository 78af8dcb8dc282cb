//! The values that the variables of rules can have, as far as the text shows them quickly.
//!
//! Each argument of a relation, and each of a function, is a place; facts put values into places,
//! and rules pass them on from the places of their bodies to those of their heads, until nothing
//! new comes. A variable has the values that are common to all its places in positive literals of
//! the body. `next` and `init` give `true`, `legal` gives `does`. The true domains are subsets of
//! these. A place with more than [`MOST`] values can have any, and a rulesheet that takes more than
//! [`STEPS`] steps has no domains.

use gdl_compiler::{
    Rules,
    rules::{Atom, Formula, RelationId, Rule, Symbol, Term},
};
use std::collections::{BTreeMap, BTreeSet};

/// The number of values of a place that are distinguished.
const MOST: usize = 256;

/// Values that are looked at in all: some tens of milliseconds.
const STEPS: usize = 3_000_000;

/// A value: an object, or all terms of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// An object.
    Object(Symbol),
    /// Any term of this function with this number of arguments.
    Function(Symbol, usize),
}

/// The values of a place; `None` if it can have any.
pub(crate) type Domain = Option<BTreeSet<Value>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Relation(RelationId, usize),
    Function(Symbol, usize, usize),
}

/// The values of each variable of each rule, by the numbers of both; empty if that took too long.
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
    places: BTreeMap<Place, Domain>,
    steps: usize,
    /// True if some place got a value since it was last looked at.
    is_new: bool,
}

impl Analysis<'_> {
    /// The values of a rule's variables so far, which are passed on to its head; `None` if there
    /// are too many steps.
    fn rule(&mut self, rule: &Rule) -> Option<Vec<Domain>> {
        let mut domains = vec![None; rule.variables.len()];
        for formula in &rule.body {
            self.bind(formula, &mut domains)?;
        }
        let is_possible = domains.iter().all(|domain: &Domain| domain.as_ref().is_none_or(|d| !d.is_empty()));
        if is_possible {
            let relation = self.source(rule.head.relation);
            for (argument, term) in rule.head.arguments.iter().enumerate() {
                self.give(Place::Relation(relation, argument), term, &domains)?;
            }
        }
        Some(domains)
    }

    /// The relation that is read where another is given.
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
                    self.read(Place::Relation(relation, argument), term, domains)?;
                }
            }
            Formula::Not(_) | Formula::Distinct(..) => {}
            // What one branch binds another need not.
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

    /// Takes from the variables of a term what its place does not have.
    fn read(&mut self, place: Place, term: &Term, domains: &mut [Domain]) -> Option<()> {
        match term {
            Term::Constant(_) => {}
            Term::Function(name, arguments) => {
                for (argument, term) in arguments.iter().enumerate() {
                    self.read(Place::Function(*name, arguments.len(), argument), term, domains)?;
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

    /// Puts the values of a term into its place.
    fn give(&mut self, place: Place, term: &Term, domains: &[Domain]) -> Option<()> {
        let given = match term {
            Term::Constant(name) => Some(BTreeSet::from([Value::Object(*name)])),
            Term::Function(name, arguments) => {
                for (argument, term) in arguments.iter().enumerate() {
                    self.give(Place::Function(*name, arguments.len(), argument), term, domains)?;
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

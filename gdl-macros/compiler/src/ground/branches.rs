//! Clauses that an `or` was multiplied out to.
//!
//! In come clauses, out go groups of them that are the same but for one literal each.

use super::{
    clause::{Clause, Literal},
    fixpoint::Grounder,
};

/// Clauses that differ in one literal each: the branches of an `or`.
#[derive(Debug)]
pub(super) struct Branches {
    /// The clauses.
    pub(super) numbers: Vec<usize>,
    /// Where the literals stand, and what they are.
    pub(super) place: usize,
    pub(super) literals: Vec<Literal>,
}

/// Puts clauses together that are branches of one `or`, the others by themselves.
pub(super) fn group(grounder: &Grounder<'_>, numbers: &[usize]) -> Vec<Branches> {
    let mut groups: Vec<Branches> = Vec::new();
    for &number in numbers {
        let clause = grounder.clause(number);
        let found = groups.iter_mut().find_map(|group| {
            let place = difference(grounder.clause(group.numbers[0]), clause)?;
            (group.numbers.len() == 1 || group.place == place).then_some((place, group))
        });
        match found {
            Some((place, group)) => {
                group.place = place;
                group.numbers.push(number);
            }
            None => groups.push(Branches { numbers: vec![number], place: 0, literals: Vec::new() }),
        }
    }
    for group in groups.iter_mut().filter(|group| group.numbers.len() > 1) {
        let literal = |&number: &usize| grounder.clause(number).positives[group.place].clone();
        group.literals = group.numbers.iter().map(literal).collect();
    }
    groups
}

/// The place of the only literal in which two clauses of a rule differ, if its variables are the same in both.
fn difference(one: &Clause, other: &Clause) -> Option<usize> {
    let is_same = one.rule == other.rule
        && one.is_guard == other.is_guard
        && one.head == other.head
        && one.tests == other.tests
        && one.positives.len() == other.positives.len();
    let differs = |&place: &usize| one.positives[place] != other.positives[place];
    let mut places = (0..one.positives.len()).filter(|_| is_same).filter(differs);
    let (place, None) = (places.next()?, places.next()) else { return None };
    let sorted = |clause: &Clause| {
        let mut variables = clause.positives[place].variables();
        variables.sort_unstable();
        variables
    };
    (sorted(one) == sorted(other)).then_some(place)
}

//! Groups of clauses that come from one `or`.
//!
//! [`group`] combines clauses that are equal except for one literal each. A clause is compared with
//! the first clause of each group of its rule, at one step each. If too few steps are left, it
//! forms a group of its own.

use super::{
    clause::{Clause, Literal},
    fixpoint::Grounder,
};
use rustc_hash::FxHashMap;

/// Clauses that differ in one literal each, such as the branches of an `or`.
#[derive(Debug)]
pub(super) struct Branches {
    /// The indices of the clauses.
    pub(super) numbers: Vec<usize>,
    /// The index of the differing literal, and this literal of each clause.
    pub(super) place: usize,
    pub(super) literals: Vec<Literal>,
}

/// Groups clauses that are branches of one `or`; any other clause forms a group of its own.
pub(super) fn group(grounder: &mut Grounder<'_>, numbers: &[usize]) -> Vec<Branches> {
    let mut groups: Vec<Branches> = Vec::new();
    let mut of_rule: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for &number in numbers {
        let clause = grounder.clause(number).clone();
        let own = of_rule.entry(clause.rule).or_default();
        let compared = grounder.afford(own.len() as u64).map_or(&[][..], |()| own);
        let found = compared.iter().find_map(|&group| {
            let place = difference(grounder.clause(groups[group].numbers[0]), &clause)?;
            (groups[group].numbers.len() == 1 || groups[group].place == place).then_some((place, group))
        });
        if let Some((place, group)) = found {
            groups[group].place = place;
            groups[group].numbers.push(number);
        } else {
            own.push(groups.len());
            groups.push(Branches { numbers: vec![number], place: 0, literals: Vec::new() });
        }
    }
    for group in groups.iter_mut().filter(|group| group.numbers.len() > 1) {
        let literal = |&number: &usize| grounder.clause(number).positives[group.place].clone();
        group.literals = group.numbers.iter().map(literal).collect();
    }
    groups
}

/// The index of the only literal in which two clauses differ. Returns `None` unless that literal
/// has the same variables in both.
fn difference(one: &Clause, other: &Clause) -> Option<usize> {
    let is_same = one.is_guard == other.is_guard
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

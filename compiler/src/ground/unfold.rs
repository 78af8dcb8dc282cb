//! The unfolding of static relations: their facts in place of the relation.
//!
//! [`unfold`] makes of a clause, and of those that define a relation it mentions, clauses with the
//! same meaning that do without. A relation such as `different(x1, y1, x2, y2)`, which says `x1` is
//! not `x2` or `y1` is not `y2`, holds four variables together; in the clauses that name the one
//! test or the other, the rest can be split off. What is made is [`MAX_CLAUSES`] copies of a clause
//! at most, each with a definition more.

use super::clause::{Clause, Literal, Test};
use crate::datalog::pattern::Pattern;
use std::rc::Rc;

/// A relation with more clauses is left as it is.
const MAX_CLAUSES: usize = 3;

/// The clauses that together say what `clause` does, without its literal at `place`. Returns `None`
/// unless all clauses of `definition`, which must not depend on themselves, speak of different
/// variables in their heads, of no other in their bodies, and test something.
pub(super) fn unfold(clause: &Clause, place: usize, definition: &[Rc<Clause>]) -> Option<Vec<Clause>> {
    let variable = |pattern: &Pattern| match pattern {
        Pattern::Variable(variable) => Some(*variable),
        _ => None,
    };
    let values: Vec<u32> = clause.positives[place].arguments.iter().map(variable).collect::<Option<_>>()?;
    let is_plain = |defined: &Rc<Clause>| {
        !defined.is_guard
            && !defined.tests.is_empty()
            && defined.variables == values.len()
            && defined.head.variables().len() == values.len()
    };
    if definition.is_empty() || definition.len() > MAX_CLAUSES || !definition.iter().all(is_plain) {
        return None;
    }
    let apply = |defined: &Rc<Clause>| {
        let names = defined.head.variables();
        let mut name = |v: u32| values[names.iter().position(|&other| other == v).unwrap_or(0)];
        let mut unfolded = clause.clone();
        unfolded.positives.remove(place);
        let literals: Vec<Literal> = defined.positives.iter().map(|l| l.rename(&mut name)).collect();
        let tests: Vec<Test> = defined.tests.iter().map(|t| t.rename(&mut name)).collect();
        add(&mut unfolded.positives, literals);
        add(&mut unfolded.tests, tests);
        unfolded
    };
    Some(definition.iter().map(apply).collect())
}

/// Appends what is not there yet.
fn add<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

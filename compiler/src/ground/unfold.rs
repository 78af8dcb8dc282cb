//! The unfolding of static relations: a literal is replaced by the bodies of its definition.
//!
//! [`unfold`] takes a clause and the clauses that define the relation of one of its literals. It
//! returns equivalent clauses without that literal. For example, `different(x1, y1, x2, y2)`, which
//! holds if `x1` is not `x2` or `y1` is not `y2`, ties four variables together. Each unfolded
//! clause has only one of the two tests, so the rest can be split off. The result is at most
//! [`MAX_CLAUSES`] copies of the clause, each with one body of the definition.

use super::clause::{Clause, Literal, Test};
use crate::datalog::pattern::Pattern;
use std::rc::Rc;

/// The greatest number of clauses of a relation that is unfolded.
const MAX_CLAUSES: usize = 3;

/// Returns clauses that together are equivalent to `clause`, without its literal at `place`. The
/// clauses of `definition` must not be recursive. Returns `None` unless the literal's arguments are
/// variables and there are at most [`MAX_CLAUSES`] of these clauses. Each must have distinct
/// variables in its head, no others in its body, and a test.
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

/// Appends the items that the list does not have yet.
fn add<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

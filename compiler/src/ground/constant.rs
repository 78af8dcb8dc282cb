//! Fluents that never change.
//!
//! A fluent such as a wall of a maze holds in every state or in none. [`fold`] makes clauses read
//! such fluents from `init` instead of `true`. The initial state is known during grounding, so
//! conditions on these fluents, even negated ones, are decided there.

use super::{
    clause::{Clause, Clauses, Literal},
    terms::Terms,
};
use crate::{
    datalog::pattern::Pattern,
    rules::{Keywords, Symbol},
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The name of a fluent and its number of arguments.
type Name = (Symbol, usize);

/// Replaces `true` by `init` for fluents that never change. A fluent never changes if each clause
/// for `next` that may derive a fluent of its name keeps all fluents of that name. O(literals).
pub(super) fn fold(clauses: &mut Clauses, terms: &Terms, keywords: &Keywords) {
    let (mut kept, mut changed) = (FxHashSet::default(), FxHashSet::default());
    let is_next = |clause: &&Rc<Clause>| clause.head.relation == keywords.next;
    for clause in clauses.list.iter().filter(is_next) {
        // A variable may stand for any fluent.
        let Some(name) = name(&clause.head, terms) else { return };
        let set = if stays(clause, terms, keywords) { &mut kept } else { &mut changed };
        set.insert(name);
    }
    let is_constant = |literal: &Literal| {
        literal.relation == keywords.fact
            && name(literal, terms).is_some_and(|name| kept.contains(&name) && !changed.contains(&name))
    };
    let fold = |literal: &Literal| {
        let relation = if is_constant(literal) { keywords.init } else { literal.relation };
        Literal { relation, arguments: literal.arguments.clone() }
    };
    for clause in &mut clauses.list {
        let mut found = false;
        clause.for_each_literal(&mut |literal, _| found |= is_constant(literal));
        if found && !stays(clause, terms, keywords) {
            let positives = clause.positives.iter().map(fold).collect();
            let tests = clause.tests.iter().map(|test| test.map(&fold)).collect();
            *clause = Rc::new(Clause { positives, tests, ..Clause::clone(clause) });
        }
    }
}

/// Returns whether a clause keeps all fluents of one name in the next state.
fn stays(clause: &Clause, terms: &Terms, keywords: &Keywords) -> bool {
    let head = &clause.head;
    let all = match &head.arguments[..] {
        [Pattern::Function(_, arguments)] => {
            arguments.iter().all(|argument| matches!(argument, Pattern::Variable(_)))
                && head.variables().len() == arguments.len()
        }
        // A ground fluent covers its name only if it has no arguments.
        [Pattern::Ground(term)] => terms.arguments(*term).is_empty(),
        _ => false,
    };
    let same = |literal: &Literal| literal.relation == keywords.fact && literal.arguments == head.arguments;
    head.relation == keywords.next
        && all
        && clause.tests.is_empty()
        && matches!(&clause.positives[..], [only] if same(only))
}

/// The name of the fluents that a literal for `true` or `next` matches; `None` for a variable.
fn name(literal: &Literal, terms: &Terms) -> Option<Name> {
    match &literal.arguments[0] {
        Pattern::Variable(_) => None,
        Pattern::Ground(term) => Some((terms.symbol(*term), terms.arguments(*term).len())),
        Pattern::Function(symbol, arguments) => Some((*symbol, arguments.len())),
    }
}

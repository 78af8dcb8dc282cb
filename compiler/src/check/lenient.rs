//! The lenient reading of rules that are errors otherwise, as in the reference reasoner.
//!
//! A role without a rule for `goal` has 0. Rules for `legal`, `goal` and `terminal`, which are
//! evaluated before the players move, may read `does`, which never holds there. Relations through
//! which these rules read `does` get a copy in which `does` never holds, since `next` may read the
//! originals after the moves. Afterwards rules pass the checks, with a warning for each assumption.
//! O(text).

use crate::rules::{Atom, Formula, Relation, RelationId, Rule, Rules, Term};
use rustc_hash::FxHashMap;

/// Adds the goal value 0 for each role that has no rule for `goal`, except chance.
pub(super) fn give_goals(rules: &mut Rules) {
    let zero = Term::Constant(rules.symbols.intern("0"));
    let chance = rules.chance().cloned();
    let has_goal = |role: usize| rules.about(rules.keywords.goal, role).next().is_some();
    let without: Vec<usize> = (0..rules.roles.len())
        .filter(|&role| Some(&rules.roles[role]) != chance.as_ref() && !has_goal(role))
        .collect();
    for role in without {
        let span = rules.declaration(role).map_or_else(Default::default, |rule| rule.span);
        let arguments = vec![rules.roles[role].clone(), zero.clone()];
        let head = Atom { relation: rules.keywords.goal, arguments, span };
        rules.rules.push(Rule { head, body: Vec::new(), variables: Vec::new(), span });
    }
}

/// Rewrites the rules for `legal`, `goal` and `terminal` that depend on `does`, so that `does`
/// never holds there.
pub(super) fn forget_moves(rules: &mut Rules) {
    let keywords = rules.keywords;
    let dependent = dependent_on(rules, keywords.does);
    let before = [keywords.legal, keywords.goal, keywords.terminal];
    let mut waiting: Vec<RelationId> =
        before.into_iter().filter(|relation| dependent[relation.index()]).collect();
    let mut copies: FxHashMap<RelationId, RelationId> = waiting.iter().map(|&id| (id, id)).collect();
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); rules.relations.len()];
    (0..).zip(&rules.rules).for_each(|(number, rule)| own[rule.head.relation.index()].push(number));
    let mut written = Vec::new();
    while let Some(relation) = waiting.pop() {
        for &number in &own[relation.index()] {
            let mut rule = rules.rules[number].clone();
            rule.head.relation = copies[&relation];
            for atom in atoms(&mut rule.body).filter(|atom| dependent[atom.relation.index()]) {
                let next = RelationId(rules.relations.len() as u32);
                let copy = *copies.entry(atom.relation).or_insert(next);
                if copy == next {
                    waiting.push(atom.relation);
                    let Relation { name, arity, span } = rules.relations[atom.relation.index()];
                    let name = format!("{}_before_moves", rules.symbols.name(name));
                    let name = rules.symbols.intern(&name);
                    rules.relations.push(Relation { name, arity, span });
                }
                atom.relation = copy;
            }
            rule.body = match conjunction(rule.body, keywords.does) {
                Some(body) => body,
                None => continue,
            };
            written.push(rule);
        }
    }
    rules
        .rules
        .retain(|rule| !(before.contains(&rule.head.relation) && dependent[rule.head.relation.index()]));
    rules.rules.append(&mut written);
}

/// For each relation, true if it depends on `target`, directly or through others.
pub(super) fn dependent_on(rules: &Rules, target: RelationId) -> Vec<bool> {
    let mut readers: Vec<Vec<RelationId>> = vec![Vec::new(); rules.relations.len()];
    for rule in &rules.rules {
        for formula in &rule.body {
            formula.for_each_atom(&mut |atom, _| readers[atom.relation.index()].push(rule.head.relation));
        }
    }
    let mut found = vec![false; rules.relations.len()];
    let mut waiting = std::mem::take(&mut readers[target.index()]);
    while let Some(relation) = waiting.pop() {
        if !std::mem::replace(&mut found[relation.index()], true) {
            waiting.append(&mut readers[relation.index()]);
        }
    }
    found
}

/// Returns the atoms of a body, at any depth.
pub(super) fn atoms(body: &mut [Formula]) -> impl Iterator<Item = &mut Atom> {
    let mut found = Vec::new();
    let mut waiting: Vec<&mut Formula> = body.iter_mut().collect();
    while let Some(formula) = waiting.pop() {
        match formula {
            Formula::Atom(atom) => found.push(atom),
            Formula::Distinct(..) => {}
            Formula::Not(inner) => waiting.push(inner),
            Formula::Or(branches) => waiting.extend(branches),
        }
    }
    found.into_iter()
}

/// A formula simplified under the assumption that `does` never holds.
enum Left {
    Always,
    Never,
    If(Formula),
}

/// Simplifies a body under the assumption that `does` never holds. Returns `None` if the body
/// never holds.
fn conjunction(body: Vec<Formula>, does: RelationId) -> Option<Vec<Formula>> {
    let mut left = Vec::new();
    for formula in body {
        match simplify(formula, does) {
            Left::Always => {}
            Left::Never => return None,
            Left::If(formula) => left.push(formula),
        }
    }
    Some(left)
}

fn simplify(formula: Formula, does: RelationId) -> Left {
    match formula {
        Formula::Atom(atom) if atom.relation == does => Left::Never,
        Formula::Not(inner) => match simplify(*inner, does) {
            Left::Always => Left::Never,
            Left::Never => Left::Always,
            Left::If(inner) => Left::If(Formula::Not(Box::new(inner))),
        },
        Formula::Or(branches) => {
            let mut left = Vec::new();
            for branch in branches {
                match simplify(branch, does) {
                    Left::Always => return Left::Always,
                    Left::Never => {}
                    Left::If(branch) => left.push(branch),
                }
            }
            if left.is_empty() { Left::Never } else { Left::If(Formula::Or(left)) }
        }
        formula => Left::If(formula),
    }
}

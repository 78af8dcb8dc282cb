//! Unary relations that list the values of argument places. They are suggested for variables that
//! nothing binds.
//!
//! A rule that binds a variable by such a relation shows the values of each place of the variable.
//! For example, `(mark ?m)` in a rule with `(true (cell ?x ?y ?m))` shows that the third argument
//! of `cell` is a mark. A place with two such relations has no domain. O(text), once for a text.

use super::scene::Scene;
use crate::rules::{Atom, Formula, RelationId, Rule, Symbol, Term, Variable};
use rustc_hash::FxHashMap;

/// An argument of a relation or function, by name and number of arguments.
type Place = (Symbol, usize, usize);

/// The unary relation of each place; `None` if rules show several.
pub(super) struct Domains(FxHashMap<Place, Option<RelationId>>);

impl Domains {
    /// Finds the places of all variables that rules bind by unary relations.
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let mut relations: FxHashMap<Place, Option<RelationId>> = FxHashMap::default();
        for rule in &scene.rules.rules {
            let mut domains = vec![None; rule.variables.len()];
            for_each_domain(scene, rule, &mut |variable, relation| {
                domains[variable.index()].get_or_insert(relation);
            });
            for_each_place(scene, rule, &mut |variable, place| {
                let Some(relation) = domains[variable.index()] else { return };
                let known = relations.entry(place).or_insert(Some(relation));
                if *known != Some(relation) {
                    *known = None;
                }
            });
        }
        Self(relations)
    }

    /// Returns the relation that the variable's places agree on. If no place has a relation,
    /// returns the only relation that binds variables whose names differ from this one by a final
    /// number alone.
    pub(super) fn find(&self, scene: &Scene<'_>, rule: &Rule, variable: Variable) -> Option<RelationId> {
        let mut found = Vec::new();
        for_each_place(scene, rule, &mut |other, place| {
            if other == variable {
                found.extend(self.0.get(&place).copied().flatten());
            }
        });
        found.sort_unstable();
        found.dedup();
        match found[..] {
            [relation] => Some(relation),
            [] => sibling(scene, rule, variable),
            _ => None,
        }
    }
}

/// Returns the only relation that binds variables whose names differ from this one by a final
/// number alone, such as `?x1` and `?x2`.
fn sibling(scene: &Scene<'_>, rule: &Rule, variable: Variable) -> Option<RelationId> {
    let stem = |variable: Variable| {
        let name = rule.variables[variable.index()].as_str();
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.len() < name.len() && stem.len() > 1).then_some(stem)
    };
    let own = stem(variable)?;
    let mut found = Vec::new();
    for_each_domain(scene, rule, &mut |other, relation| {
        if stem(other) == Some(own) {
            found.push(relation);
        }
    });
    found.dedup();
    if let [relation] = found[..] { Some(relation) } else { None }
}

/// Visits each variable that is the only argument of a positive literal of the body, with the
/// relation.
fn for_each_domain(scene: &Scene<'_>, rule: &Rule, visit: &mut impl FnMut(Variable, RelationId)) {
    for formula in &rule.body {
        if let Formula::Atom(Atom { relation, arguments, .. }) = formula
            && let [Term::Variable(variable)] = arguments[..]
            && (!scene.is_keyword(*relation) || *relation == scene.rules.keywords.role)
        {
            visit(variable, *relation);
        }
    }
}

/// Visits each variable of a rule with its place, except arguments of unary relations.
fn for_each_place(scene: &Scene<'_>, rule: &Rule, visit: &mut impl FnMut(Variable, Place)) {
    let mut of_atom = |atom: &Atom| {
        let name = scene.relation(atom.relation).name;
        if atom.arguments.len() > 1 {
            arguments(name, &atom.arguments, visit);
        } else {
            atom.arguments.iter().for_each(|term| inside(term, visit));
        }
    };
    of_atom(&rule.head);
    for formula in &rule.body {
        formula.for_each_atom(&mut |atom, _| of_atom(atom));
    }
}

fn arguments(name: Symbol, terms: &[Term], visit: &mut impl FnMut(Variable, Place)) {
    for (i, term) in terms.iter().enumerate() {
        if let Term::Variable(variable) = term {
            visit(*variable, (name, terms.len(), i));
        }
        inside(term, visit);
    }
}

fn inside(term: &Term, visit: &mut impl FnMut(Variable, Place)) {
    if let Term::Function(name, terms) = term {
        arguments(*name, terms, visit);
    }
}

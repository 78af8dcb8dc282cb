//! The recursion restriction of the specification: GDL097.
//!
//! In `p(t..) <= .. q(v..) ..` with `q` on a cycle with `p`, each `v` must be ground, be one of the
//! `t`, or be an argument of a positive literal whose relation is not on that cycle. Rules that
//! break this and still cannot grow (see [`growth`](super::growth)) are accepted with a warning. O(text).

use super::dependency::Dependencies;
use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Diagnostic, codes};
use crate::rules::{Formula, RelationId, Term};
use rustc_hash::FxHashSet;

/// Checks all rules but those of relations that are `growing`, which are errors already.
pub(super) fn check(
    scene: &Scene<'_>,
    dependencies: &Dependencies,
    growing: &FxHashSet<RelationId>,
    diagnostics: &mut Diagnostics,
) {
    let component = dependencies.components();
    for form in scene.forms() {
        let head = &form.rule.head;
        let recursive =
            |relation: RelationId| component[relation.index()] == component[head.relation.index()];
        let atoms = form.rule.body.iter().zip(form.body).filter_map(|(formula, &node)| match formula {
            Formula::Atom(atom) => Some((atom, node)),
            _ => None,
        });
        if growing.contains(&head.relation) || !atoms.clone().any(|(atom, _)| recursive(atom.relation)) {
            continue;
        }
        let mut allowed: FxHashSet<&Term> = head.arguments.iter().collect();
        allowed.extend(
            atoms.clone().filter(|(atom, _)| !recursive(atom.relation)).flat_map(|(atom, _)| &atom.arguments),
        );
        let arguments = atoms
            .filter(|(atom, _)| recursive(atom.relation))
            .flat_map(|(atom, node)| atom.arguments.iter().zip(scene.arguments(node)));
        let is_ground = |term: &Term| {
            let mut ground = true;
            term.for_each_variable(&mut |_| ground = false);
            ground
        };
        let broken = arguments.into_iter().find(|(term, _)| !allowed.contains(*term) && !is_ground(term));
        if let Some((_, &node)) = broken {
            let name = scene.relation_name(head.relation);
            diagnostics.push(
                Diagnostic::new(
                    &codes::RECURSION_RESTRICTION_FINITE,
                    scene.span(node),
                    format!("`{}` breaks the recursion restriction for `{name}`", scene.quote(node)),
                )
                .note("neither in the head nor in a literal that is not recursive")
                .help("accepted, since no term grows, but other systems may refuse it"),
            );
        }
    }
}

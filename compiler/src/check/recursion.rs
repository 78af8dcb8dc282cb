//! The recursion restriction of the specification: GDL097.
//!
//! Consider a rule `p(t..) <= .. q(v..) ..` with `q` on a cycle with `p`. Each `v` must be ground,
//! be one of the `t`, or be an argument of a positive literal whose relation is not on that cycle.
//! Rules that break this but cannot grow (see [`growth`](super::growth)) are accepted with a
//! warning. O(text).

use super::dependency::Dependencies;
use super::scene::{Form, Scene};
use crate::Diagnostics;
use crate::diagnostic::{Diagnostic, codes};
use crate::rules::{Formula, RelationId, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks all rules except those of `growing` relations, which are reported already.
pub(super) fn check(
    scene: &Scene<'_>,
    dependencies: &Dependencies,
    growing: &FxHashSet<RelationId>,
    diagnostics: &mut Diagnostics,
) {
    let component = dependencies.components();
    let starts = starts(scene);
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
            let message = format!("`{}` breaks the recursion restriction for `{name}`", scene.quote(node));
            let fault = Diagnostic::new(&codes::RECURSION_RESTRICTION_FINITE, scene.span(node), message)
                .note("neither in the head nor in a literal that is not recursive");
            let accepted = "accepted because no term grows, but other systems may reject it";
            diagnostics.push(match step(form, &starts) {
                Some(step) => {
                    let step = scene.relation_name(step);
                    fault
                        .help(format!("{accepted}: the first literal can be one of `{step}`"))
                        .suggest(scene.name(form.body[0]), step)
                        .machine_applicable()
                }
                None => fault.help(accepted),
            });
        }
    }
}

/// Returns the relation whose transitive closure is `p`, if the rule is `p(x, z) <- p(x, y), p(y,
/// z)`. The rule is equivalent with that relation in its first literal.
fn step(form: Form<'_>, starts: &FxHashMap<RelationId, ClosureStart>) -> Option<RelationId> {
    let [Formula::Atom(first), Formula::Atom(second)] = &form.rule.body[..] else { return None };
    let head = &form.rule.head;
    let ([x, z], [from, y], [middle, to]) =
        (&head.arguments[..], &first.arguments[..], &second.arguments[..])
    else {
        return None;
    };
    let is_closure = [first, second].iter().all(|atom| atom.relation == head.relation)
        && [from, middle, to] == [x, y, z]
        && [x, y, z].iter().all(|term| matches!(term, Term::Variable(_)))
        && x != y
        && y != z
        && x != z;
    match starts.get(&head.relation) {
        Some(ClosureStart { rules: 2, copies: Some(relation) }) if is_closure => Some(*relation),
        _ => None,
    }
}

/// The evidence that a relation is a transitive closure.
#[derive(Default)]
struct ClosureStart {
    /// The number of the relation's rules.
    rules: usize,
    /// A relation contained in this one, by a rule whose only literal has the arguments of the
    /// head.
    copies: Option<RelationId>,
}

fn starts(scene: &Scene<'_>) -> FxHashMap<RelationId, ClosureStart> {
    let mut starts: FxHashMap<RelationId, ClosureStart> = FxHashMap::default();
    for form in scene.forms() {
        let head = &form.rule.head;
        let start = starts.entry(head.relation).or_default();
        start.rules += 1;
        if let [Formula::Atom(atom)] = &form.rule.body[..]
            && let ([Term::Variable(left), Term::Variable(right)], true) =
                (&head.arguments[..], atom.arguments == head.arguments)
            && left != right
            && atom.relation != head.relation
        {
            start.copies = Some(atom.relation);
        }
    }
    starts
}

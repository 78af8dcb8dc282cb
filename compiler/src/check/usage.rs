//! Relations that are used and never defined (GDL100, GDL101), or defined and never used (GDL102).

use super::scene::Scene;
use crate::diagnostic::{Diagnostic, codes};
use crate::rules::RelationId;
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definition and the uses of a relation.
#[derive(Clone, Copy, Default)]
struct Usage {
    defined: Option<Span>,
    /// The place of the first literal that reads the relation, and true if that literal is negated.
    read: Option<(Span, bool)>,
    /// True if a rule of another relation reads this one.
    read_elsewhere: bool,
}

/// Reports undefined and unused relations. An undefined relation that is also in `functions` has
/// its own message. Unused relations are not reported if keywords are `missing`, since the missing
/// rules may use them.
pub(super) fn check(
    scene: &Scene<'_>,
    functions: &FxHashSet<RelationId>,
    missing: &[RelationId],
    diagnostics: &mut Diagnostics,
) {
    let mut usages = vec![Usage::default(); scene.rules.relations.len()];
    for form in scene.forms() {
        let head = form.rule.head.relation;
        usages[head.index()].defined.get_or_insert(scene.name(form.head));
        for (formula, &node) in form.rule.body.iter().zip(form.body) {
            let mut places = Vec::new();
            scene.atoms(formula, node, &mut |_, node| places.push(scene.name(node)));
            let mut places = places.into_iter();
            formula.for_each_atom(&mut |atom, negative| {
                let place = places.next().unwrap_or_default();
                let usage = &mut usages[atom.relation.index()];
                usage.read.get_or_insert((place, negative));
                usage.read_elsewhere |= atom.relation != head;
            });
        }
    }
    let mut arities: FxHashMap<_, usize> = FxHashMap::default();
    for relation in &scene.rules.relations {
        *arities.entry(relation.name).or_default() += 1;
    }
    let defined: Vec<&str> = (0..usages.len())
        .filter(|&i| usages[i].defined.is_some())
        .map(|i| scene.relation_name(RelationId(i as u32)))
        .chain(["true", "does", "role", "distinct", "terminal"])
        .collect();
    for (usage, id) in usages.iter().zip(0..) {
        let id = RelationId(id);
        // Keywords are checked elsewhere, and a wrong arity has its own message.
        if scene.is_keyword(id) || arities[&scene.relation(id).name] > 1 {
            continue;
        }
        let name = scene.relation_name(id);
        match (usage.defined, usage.read) {
            (None, Some(_)) if functions.contains(&id) => {}
            (None, Some((place, negative))) => {
                let near = scene.meant.nearest(name, defined.iter().copied());
                diagnostics.push(undefined(name, place, negative, near));
            }
            (Some(place), _) if !usage.read_elsewhere && missing.is_empty() => {
                let message = format!("relation `{name}` is defined but never used");
                let heads = ["role", "init", "legal", "next", "terminal", "goal", "base", "input", "sees"];
                let fault = Diagnostic::new(&codes::UNUSED_RELATION, place, message);
                diagnostics.push(match scene.meant.nearest(name, heads.into_iter()) {
                    Some(near) => fault.mean(place, near),
                    None => fault.help("remove it, or allow `unused_relation`"),
                });
            }
            _ => {}
        }
    }
}

/// The help for arithmetic.
pub(super) const ARITHMETIC: &str =
    "list the cases as facts, such as `(succ 1 2) (succ 2 3)`: GDL has no arithmetic";

/// The help for a relation that is built into other languages.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "is" | "+" | "-" | "*" | "/" | "mod" | "plus" | "minus" | "add" | "sum" | "succ" | "++" | "--" => {
            ARITHMETIC
        }
        "<" | ">" | "=<" | ">=" | "less" | "greater" | "lt" | "gt" => {
            "list the cases as facts, such as `(less 1 2)`: GDL does not order numbers"
        }
        "!=" | "/=" | "<>" | "\\=" | "\\==" | "neq" => "write `(distinct ?x ?y)`",
        "==" | "eq" | "equal" => "write one variable for both",
        "," | "&&" | "then" => "write the literals one after the other: all literals of a body must hold",
        "|" | "||" => "write `(or ..)`",
        "!" | "\\+" => "write `(not ..)`",
        _ => return None,
    })
}

fn undefined(name: &str, place: Span, negative: bool, near: Option<&str>) -> Diagnostic {
    let message = format!("relation `{name}` is never defined");
    let diagnostic = if negative {
        Diagnostic::new(&codes::UNDEFINED_RELATION_NEGATED, place, message).note("its negation always holds")
    } else {
        Diagnostic::new(&codes::UNDEFINED_RELATION, place, message).note("this literal never holds")
    };
    match (near, foreign(name)) {
        (Some(near), _) => diagnostic.mean(place, near),
        (None, Some(help)) => diagnostic.help(help),
        (None, None) => diagnostic.help(format!("write facts or rules for `{name}`, or remove the literal")),
    }
}

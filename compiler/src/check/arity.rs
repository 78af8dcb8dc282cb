//! One name, one number of arguments, one kind: GDL021 for relations, GDL022 for functions, GDL023
//! and GDL024 for names that are relation and term at once.
//!
//! Relations and functions are identified by name and arity, so rules with such clashes still have
//! a meaning. O(text).

use super::scene::Scene;
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::rules::{RelationId, Symbol, Term};
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports clashes, and returns the relations that are functions as well.
pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) -> FxHashSet<RelationId> {
    let names = relations(scene, diagnostics);
    terms(scene, &names, diagnostics)
}

fn arguments(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

/// Reports relations of several arities. Returns the first relation of each name.
fn relations(scene: &Scene<'_>, diagnostics: &mut Diagnostics) -> FxHashMap<Symbol, RelationId> {
    let mut names = FxHashMap::default();
    for (relation, id) in scene.rules.relations.iter().zip(0..) {
        let id = RelationId(id);
        if scene.is_keyword(id) {
            continue;
        }
        let first = *names.entry(relation.name).or_insert(id);
        if first != id {
            let (here, there) = (arguments(relation.arity), arguments(scene.relation(first).arity));
            let name = scene.relation_name(id);
            diagnostics.push(
                Diagnostic::new(
                    &codes::RELATION_ARITY_CLASH,
                    scene.first_use(id),
                    format!("relation `{name}` is used with {here} here and with {there} elsewhere"),
                )
                .label(scene.first_use(first), format!("first used with {there} here"))
                .help("give both the same number of arguments, or use two names: these are two relations"),
            );
        }
    }
    names
}

/// Reports functions of several arities, and relations used as functions or objects. Returns the
/// relations that are functions as well.
fn terms(
    scene: &Scene<'_>,
    relations: &FxHashMap<Symbol, RelationId>,
    diagnostics: &mut Diagnostics,
) -> FxHashSet<RelationId> {
    let mut functions: FxHashMap<Symbol, (usize, Span)> = FxHashMap::default();
    let mut clashes: FxHashSet<(Symbol, usize)> = FxHashSet::default();
    let mut objects: FxHashSet<Symbol> = FxHashSet::default();
    scene.for_each_term(&mut |term, node| match term {
        Term::Variable(_) => {}
        Term::Constant(symbol) => {
            if let Some(&relation) = relations.get(symbol)
                && objects.insert(*symbol)
            {
                let name = scene.rules.symbols.name(*symbol);
                diagnostics.push(
                    Diagnostic::new(
                        &codes::RELATION_IS_OBJECT,
                        scene.span(node),
                        format!("relation `{name}` is used as an object"),
                    )
                    .label(scene.first_use(relation), "used as a relation here"),
                );
            }
        }
        Term::Function(symbol, inner) => {
            let (count, place) = (inner.len(), scene.name(node));
            let (first, there) = *functions.entry(*symbol).or_insert((count, place));
            if first != count && clashes.insert((*symbol, count)) {
                let (here, elsewhere) = (arguments(count), arguments(first));
                let name = scene.rules.symbols.name(*symbol);
                diagnostics.push(
                    Diagnostic::new(
                        &codes::FUNCTION_ARITY_CLASH,
                        place,
                        format!("function `{name}` is used with {here} here and with {elsewhere} elsewhere"),
                    )
                    .label(there, format!("first used with {elsewhere} here"))
                    .help("use two names: terms of different arity are never equal"),
                );
            }
        }
    });
    let defined: FxHashSet<RelationId> = scene.forms().map(|form| form.rule.head.relation).collect();
    let mut fluents = as_fluents(scene, &defined);
    let mut both = FxHashSet::default();
    // Messages come in the order of the relations, not of the hash map.
    for (relation, id) in scene.rules.relations.iter().zip(0..) {
        let id = RelationId(id);
        if let Some(&(_, there)) = functions.get(&relation.name)
            && relations.get(&relation.name) == Some(&id)
        {
            both.insert(id);
            let name = scene.relation_name(id);
            let here = scene.first_use(id);
            // If the relation is defined, the term is the mistake; otherwise the literal is.
            diagnostics.push(if defined.contains(&id) {
                let message = format!("`{name}` is a function here and a relation elsewhere");
                Diagnostic::new(&codes::RELATION_FUNCTION_CLASH, there, message)
                    .label(here, "used as a relation here")
                    .help("write a separate literal if the relation is meant; otherwise use two names")
            } else {
                let message = format!("`{name}` is a relation here and a function elsewhere");
                Diagnostic::new(&codes::RELATION_FUNCTION_CLASH, here, message)
                    .label(there, "used as a function here")
                    .help(format!(
                        "write `(true ({name} ..))` if it is part of the state; otherwise define the relation"
                    ))
                    .suggest_all(fluents.remove(&id).unwrap_or_default())
            });
        }
    }
    both
}

/// The edits that wrap literals in `true`, by relation. They apply to relations outside `defined`
/// that have the name and arity of a fluent.
fn as_fluents(scene: &Scene<'_>, defined: &FxHashSet<RelationId>) -> FxHashMap<RelationId, Vec<Edit>> {
    let keywords = &scene.rules.keywords;
    let mut fluents = FxHashSet::default();
    for form in scene.forms().filter(|form| [keywords.init, keywords.next].contains(&form.rule.head.relation))
    {
        if let Term::Function(name, inner) = &form.rule.head.arguments[0] {
            fluents.insert((*name, inner.len()));
        }
    }
    let mut edits: FxHashMap<RelationId, Vec<Edit>> = FxHashMap::default();
    scene.for_each_atom(&mut |_, atom, node, _| {
        let relation = scene.relation(atom.relation);
        if !defined.contains(&atom.relation) && fluents.contains(&(relation.name, relation.arity)) {
            edits.entry(atom.relation).or_default().extend(Edit::wrap(scene.span(node), "(true "));
        }
    });
    edits
}

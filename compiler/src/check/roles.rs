//! The players: GDL040 to GDL042 for their facts, GDL075 to GDL077 for uses of unknown players.

use super::scene::Scene;
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::rules::{Rule, Rules, Symbol, Term};
use crate::syntax::NodeId;
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Returns the ground terms of the `role` facts, each once, in the order of the text.
pub(super) fn collect(rules: &Rules) -> Vec<Term> {
    let mut known = FxHashSet::default();
    let facts = rules.rules.iter().filter(|rule| rule.head.relation == rules.keywords.role);
    let terms = facts.filter(|rule| rule.variables.is_empty()).map(|rule| &rule.head.arguments[0]);
    terms.filter(|term| known.insert(*term)).cloned().collect()
}

/// Checks the `role` facts and, if `complete`, the players that other literals name.
pub(super) fn check(scene: &Scene<'_>, complete: bool, diagnostics: &mut Diagnostics) {
    let mut known: FxHashMap<&Term, Span> = FxHashMap::default();
    let mut has_compound = false;
    for form in scene.forms().filter(|form| form.rule.head.relation == scene.rules.keywords.role) {
        let (term, node) = (&form.rule.head.arguments[0], scene.arguments(form.head)[0]);
        if let Some(fault) = role_fact(scene, form.rule, node) {
            diagnostics.push(fault);
            continue;
        }
        if let Term::Function(function, arguments) = term {
            let message = format!("the role `{}` is a compound term", scene.quote(node));
            // Edits for one function only, since those of two may overlap.
            let edits = if std::mem::replace(&mut has_compound, true) {
                Vec::new()
            } else {
                plain_names(scene, *function, arguments.len())
            };
            let fault = Diagnostic::new(&codes::ROLE_COMPOUND, scene.span(node), message);
            let help = "use a plain name: servers send roles as names";
            diagnostics.push(match edits.iter().find(|edit| edit.span == scene.span(node)) {
                Some(edit) => fault.help(format!("{help}, such as `{}`", edit.text)).suggest_all(edits),
                None => fault.help(help),
            });
        }
        if let Some(&first) = known.get(term) {
            diagnostics.push(
                Diagnostic::new(
                    &codes::DUPLICATE_ROLE,
                    scene.span(node),
                    format!("role `{}` is declared twice", scene.quote(node)),
                )
                .label(first, "first declared here")
                .help("remove one of them; it counts once")
                .suggest(scene.whole_form(form), "")
                .machine_applicable(),
            );
        } else {
            known.insert(term, scene.span(node));
        }
    }
    if complete && !known.is_empty() {
        check_uses(scene, &known, diagnostics);
    }
}

/// The edits that write `f_a` for each term `(f a)` of a function. Empty if an argument is not a
/// constant or a name is taken.
fn plain_names(scene: &Scene<'_>, function: Symbol, arity: usize) -> Vec<Edit> {
    let symbols = &scene.rules.symbols;
    let mut names: FxHashMap<String, &Term> = FxHashMap::default();
    let mut edits = Some(Vec::new());
    scene.for_each_term(&mut |term, node| {
        let Term::Function(symbol, arguments) = term else { return };
        if (*symbol, arguments.len()) != (function, arity) {
            return;
        }
        let Some(list) = &mut edits else { return };
        let words = arguments.iter().map(|argument| match argument {
            Term::Constant(word) => Some(symbols.name(*word)),
            _ => None,
        });
        let words: Option<Vec<&str>> = std::iter::once(Some(symbols.name(function))).chain(words).collect();
        let name = words.map(|words| words.join("_"));
        match name.filter(|name| symbols.find(name).is_none()) {
            Some(name) if *names.entry(name.clone()).or_insert(term) == term => {
                list.push(Edit { span: scene.span(node), text: name });
            }
            _ => edits = None,
        }
    });
    edits.unwrap_or_default()
}

fn role_fact(scene: &Scene<'_>, rule: &Rule, node: NodeId) -> Option<Diagnostic> {
    let mut variable = None;
    rule.head.arguments[0].for_each_variable(&mut |v| variable = variable.or(Some(v)));
    let variable = variable?;
    let name = &rule.variables[variable.index()];
    let message = format!("a role fact must be ground, but `{name}` is a variable");
    Some(
        Diagnostic::new(&codes::ROLE_WITH_VARIABLE, scene.find_variable(node, rule, variable), message)
            .help("write one fact such as `(role white)` for each player"),
    )
}

fn check_uses(scene: &Scene<'_>, known: &FxHashMap<&Term, Span>, diagnostics: &mut Diagnostics) {
    let keywords = &scene.rules.keywords;
    let names = || {
        scene.rules.roles.iter().filter_map(|role| match role {
            Term::Constant(symbol) => Some(scene.rules.symbols.name(*symbol)),
            _ => None,
        })
    };
    scene.for_each_atom(&mut |_, atom, node, in_body| {
        let relation = atom.relation;
        let code = if relation == keywords.does {
            &codes::UNKNOWN_ROLE_DOES
        } else if relation == keywords.goal {
            &codes::UNKNOWN_ROLE_GOAL
        } else if [keywords.legal, keywords.input, keywords.sees].contains(&relation) {
            &codes::UNKNOWN_ROLE_LEGAL
        } else {
            return;
        };
        let role = &atom.arguments[0];
        let mut ground = true;
        role.for_each_variable(&mut |_| ground = false);
        if !ground || known.contains_key(role) {
            return;
        }
        let node = scene.arguments(node)[0];
        let text = scene.quote(node);
        let reason = if in_body { "this literal is always false" } else { "this rule is never used" };
        let fault = Diagnostic::new(code, scene.span(node), format!("`{text}` is not a role")).note(reason);
        diagnostics.push(if let Some(near) = scene.meant.nearest(text, names()) {
            fault.mean(scene.span(node), near)
        } else {
            let some: Vec<_> = names().take(8).map(|name| format!("`{name}`")).collect();
            fault.help(format!("the roles are {}", some.join(", ")))
        });
    });
}

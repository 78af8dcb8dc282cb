//! Spellings that differ in case alone: GDL025 for names, GDL026 for variables.
//!
//! Holds whether case is folded or not: either way some system will read the rules differently. O(symbols · spellings
//! of a name), of which no more than a few are kept; O(variables · variables of a rule).

use super::{keywords::Word, scene::Scene};
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::rules::Term;
use crate::syntax::NodeId;
use crate::{Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    check_names(scene, diagnostics);
    check_variables(scene, diagnostics);
}

fn check_names(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    // The spellings so far of each name in lower case; the first is the usual one.
    let mut spellings: FxHashMap<String, Vec<(&str, Span)>> = FxHashMap::default();
    // The faults, and by their spelling where each is to be edited.
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut others: FxHashMap<&str, (usize, &str)> = FxHashMap::default();
    for node in scene.tree.symbols() {
        let (text, span) = (scene.text(node), scene.span(node));
        if Word::find(text).is_some() {
            continue;
        }
        let known = spellings.entry(text.to_ascii_lowercase()).or_default();
        // A name has few spellings: look at the last one first, and give up on more than a handful.
        if known.iter().any(|&(other, _)| other == text) || known.len() > 8 {
            if let Some(&(fault, other)) = others.get(text) {
                faults[fault].edits.push(Edit { span, text: other.to_owned() });
            }
            continue;
        }
        if let Some(&(other, place)) = known.first() {
            others.insert(text, (faults.len(), other));
            faults.push(
                Diagnostic::new(
                    &codes::CASE_MISMATCH_RELATION,
                    span,
                    format!("`{text}` and `{other}` differ only in case"),
                )
                .label(place, format!("first spelled `{other}` here"))
                .help(format!("write `{other}` everywhere: some systems fold case and others do not"))
                .suggest(span, other),
            );
        }
        known.push((text, span));
    }
    faults.into_iter().for_each(|fault| diagnostics.push(fault));
}

fn check_variables(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    for form in scene.forms() {
        // The first spelling and place of each variable of the rule that has two.
        let mut reported: FxHashSet<&str> = FxHashSet::default();
        let mut visit = |term: &Term, node| {
            let Term::Variable(variable) = term else { return };
            let text = scene.text(node);
            let names = &form.rule.variables;
            let first = names.iter().take(variable.index() + 1).find(|name| name.eq_ignore_ascii_case(text));
            let Some(first) = first.filter(|first| *first != text && !reported.contains(&text)) else {
                return;
            };
            reported.insert(text);
            let place = form_variable(scene, form.head, form.body, first);
            let mut diagnostic = Diagnostic::new(
                &codes::CASE_MISMATCH_VARIABLE,
                scene.span(node),
                format!("`{text}` and `{first}` differ only in case"),
            )
            .help(format!("write `{first}`, or use another name"))
            .suggest(scene.span(node), first.as_str());
            if let Some(place) = place {
                diagnostic = diagnostic.label(place, format!("first spelled `{first}` here"));
            }
            diagnostics.push(diagnostic);
        };
        scene.form_terms(form, &mut visit);
    }
}

fn form_variable(scene: &Scene<'_>, head: NodeId, body: &[NodeId], name: &str) -> Option<Span> {
    std::iter::once(&head).chain(body).find_map(|&node| scene.find(node, &|node| scene.text(node) == name))
}

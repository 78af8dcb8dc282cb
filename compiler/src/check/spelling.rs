//! Spellings that differ in case alone: GDL025 for names, GDL026 for variables.
//!
//! They are reported with and without case folding, since in both modes some other system reads the
//! rules differently. An edit unifies the spellings only if case is folded, since otherwise they
//! are different names. O(symbols · spellings of a name), with at most nine spellings kept.
//! O(variables · variables of a rule).

use super::{keywords::Word, scene::Scene};
use crate::diagnostic::{Diagnostic, Edit, codes};
use crate::rules::Term;
use crate::syntax::NodeId;
use crate::{Diagnostics, Span};
use rustc_hash::FxHashMap;

/// The help for case-sensitive names.
const TWO_NAMES: &str =
    "rename one if they are meant to differ: with case-sensitive names they are two names";

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    check_names(scene, diagnostics);
    check_variables(scene, diagnostics);
}

fn check_names(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    // The spellings so far of each name in lower case; messages propose the first one.
    let mut spellings: FxHashMap<String, Vec<(&str, Span)>> = FxHashMap::default();
    // The faults, and for each other spelling its fault and the replacement.
    let mut faults: Vec<Diagnostic> = Vec::new();
    let mut others: FxHashMap<&str, (usize, &str)> = FxHashMap::default();
    let is_folded = scene.rules.symbols.folds_case();
    for node in scene.tree.symbols() {
        let (text, span) = (scene.text(node), scene.span(node));
        if Word::find(text).is_some() {
            continue;
        }
        let known = spellings.entry(text.to_ascii_lowercase()).or_default();
        // A name has few spellings. More than nine are not reported.
        if known.iter().any(|&(other, _)| other == text) || known.len() > 8 {
            if let Some(&(fault, other)) = others.get(text) {
                faults[fault].edits.push(Edit { span, text: other.to_owned() });
            }
            continue;
        }
        if let Some(&(other, place)) = known.first() {
            let message = format!("`{text}` and `{other}` differ only in case");
            let fault = Diagnostic::new(&codes::CASE_MISMATCH_RELATION, span, message)
                .label(place, format!("first spelled `{other}` here"));
            if is_folded {
                others.insert(text, (faults.len(), other));
                let help = format!("write `{other}` everywhere: some systems fold case and others do not");
                faults.push(fault.help(help).suggest(span, other).machine_applicable());
            } else {
                faults.push(fault.help(TWO_NAMES));
            }
        }
        known.push((text, span));
    }
    faults.into_iter().for_each(|fault| diagnostics.push(fault));
}

fn check_variables(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let is_folded = scene.rules.symbols.folds_case();
    for form in scene.forms() {
        let mut faults: Vec<Diagnostic> = Vec::new();
        // The index of the fault of each spelling that is not the first.
        let mut reported: FxHashMap<&str, usize> = FxHashMap::default();
        let mut visit = |term: &Term, node| {
            let Term::Variable(variable) = term else { return };
            let (text, span) = (scene.text(node), scene.span(node));
            let names = &form.rule.variables;
            let first = names.iter().take(variable.index() + 1).find(|name| name.eq_ignore_ascii_case(text));
            let Some(first) = first.filter(|first| *first != text) else { return };
            if let Some(&fault) = reported.get(text) {
                if is_folded {
                    faults[fault].edits.push(Edit { span, text: first.clone() });
                }
                return;
            }
            reported.insert(text, faults.len());
            let message = format!("`{text}` and `{first}` differ only in case");
            let fault = Diagnostic::new(&codes::CASE_MISMATCH_VARIABLE, span, message);
            let fault = if is_folded {
                fault.help(format!("write `{first}`")).suggest(span, first).machine_applicable()
            } else {
                fault.help(TWO_NAMES)
            };
            faults.push(match form_variable(scene, form.head, form.body, first) {
                Some(place) => fault.label(place, format!("first spelled `{first}` here")),
                None => fault,
            });
        };
        scene.form_terms(form, &mut visit);
        faults.into_iter().for_each(|fault| diagnostics.push(fault));
    }
}

fn form_variable(scene: &Scene<'_>, head: NodeId, body: &[NodeId], name: &str) -> Option<Span> {
    std::iter::once(&head).chain(body).find_map(|&node| scene.find(node, &|node| scene.text(node) == name))
}

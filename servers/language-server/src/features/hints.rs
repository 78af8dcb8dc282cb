//! Inlay hints: the possible values of the variables in heads.

use crate::{document::Document, domains::Value};
use gdl_compiler::{
    Rules, Span,
    rules::{Rule, Symbols},
    syntax::{Kind, NodeId},
};
use gen_lsp_types::{InlayHint, InlayHintKind, Label, Range, Tooltip};
use std::collections::BTreeSet;

/// The most values in a hint.
const LISTED: usize = 4;

/// The most hints in an answer.
const MOST: usize = 2_000;

/// Returns the hints of a range: one after the first place of each variable of a head.
pub(crate) fn hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let reading = document.reading();
    let Some(rules) = &reading.rules else { return Vec::new() };
    let wanted = document.bytes(range);
    // Rules are in the order of the text, as forms are; some forms are no rules.
    let first = rules.rules.partition_point(|rule| rule.span.end < wanted.start);
    let domains = document.domains();
    let mut hints = Vec::new();
    for (rule, domains) in rules.rules.iter().zip(domains).skip(first) {
        if rule.span.start > wanted.end || hints.len() >= MOST {
            break;
        }
        let form =
            reading.tree.forms.binary_search_by_key(&rule.span.start, |&form| document.span(form).start);
        let Ok(form) = form.map(|form| reading.tree.forms[form]) else { continue };
        let [_, head, ..] = *reading.tree.children(form) else { continue };
        let mut told = BTreeSet::new();
        for (variable, span) in variables(document, head, rule) {
            if let Some(values) = &domains[variable]
                && told.insert(variable)
            {
                hints.push(hint(document, rules, span, values));
            }
        }
    }
    hints
}

/// Returns the variables below a node in the order of the text, by their indices in the rule.
fn variables(document: &Document, node: NodeId, rule: &Rule) -> Vec<(usize, Span)> {
    let tree = &document.reading().tree;
    let mut waiting = vec![node];
    let mut found = Vec::new();
    while let Some(node) = waiting.pop() {
        waiting.extend(tree.children(node).iter().rev());
        if tree.node(node).kind == Kind::Variable {
            let text = tree.text(node, &document.source);
            let place = rule.variables.iter().position(|name| name.eq_ignore_ascii_case(text));
            found.extend(place.map(|place| (place, document.span(node))));
        }
    }
    found
}

fn hint(document: &Document, rules: &Rules, span: Span, values: &BTreeSet<Value>) -> InlayHint {
    let names = named(values, &rules.symbols);
    let tooltip = match names.len() {
        0 => "nothing fits: the rule never fires".to_owned(),
        1 => format!("can be {}", names[0]),
        count => format!("can be {count} values: {}", names.join(" ")),
    };
    InlayHint {
        position: document.position(span.end),
        label: Label::String(format!(": {}", short(&names))),
        kind: Some(InlayHintKind::Type),
        text_edits: None,
        tooltip: Some(Tooltip::String(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// Returns the texts of values: numbers in ascending order, then names in the order of their first
/// occurrence in the text.
fn named(values: &BTreeSet<Value>, symbols: &Symbols) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::Object(name) => symbols.name(*name).to_owned(),
        Value::Function(name, _) => format!("({} ..)", symbols.name(*name)),
    };
    let mut names: Vec<String> = values.iter().map(text).collect();
    names.sort_by_key(|name| name.parse::<u32>().map_or((1, 0), |number| (0, number)));
    names
}

/// Shortens a list of values. Three or more consecutive numbers become a range. More than
/// [`LISTED`] other values become the first ones and the number of all values.
fn short(names: &[String]) -> String {
    let numbers: Option<Vec<u32>> = names.iter().map(|name| name.parse().ok()).collect();
    match (numbers.as_deref(), names) {
        (_, []) => "nothing".to_owned(),
        (Some([first, .., last]), [_, _, _, ..]) if last.abs_diff(*first) as usize == names.len() - 1 => {
            format!("{first} .. {last}")
        }
        _ if names.len() <= LISTED => names.join(" "),
        _ => format!("{} .. {} in all", names[..LISTED - 1].join(" "), names.len()),
    }
}

//! Hovers: the meaning of a name, the reason why a ground atom holds or not in the initial state,
//! and diagnostics.

use super::why::why;
use crate::{
    document::Document,
    names::{Name, NamePlace},
    words::Word,
};
use gdl_compiler::syntax::NodeId;
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};
use std::collections::{BTreeMap, BTreeSet};

/// The most names in a list.
const LISTED: usize = 8;

/// Returns the hover at a position: the meaning of the name, the explanation of the atom that
/// begins with the name, and the meaning of each diagnostic code.
pub(crate) fn hover(document: &Document, position: Position) -> Option<Hover> {
    let offset = document.offset(position);
    let named = document.reading().names.at(offset);
    let mut parts: Vec<String> =
        named.and_then(|(name, place)| describe(document, name, place)).into_iter().collect();
    let is_literal = |name: &Name| matches!(name, Name::Word(_) | Name::Relation(_));
    let literal = named.filter(|(name, _)| is_literal(name)).map(|(_, place)| place.node);
    parts.extend(literal.and_then(|literal| why(document, literal)));
    let mut told = BTreeSet::new();
    let here = document
        .diagnostics()
        .iter()
        .filter(|found| found.span.is_some_and(|span| span.start <= offset && offset <= span.end));
    for found in here.filter(|found| told.insert(found.code.id)) {
        let (code, page) = (found.code, found.code.page);
        let first = page.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        parts.push(format!("**{} {}**: {}", code.id, code.name, first.trim()));
    }
    let range = named.map(|(_, place)| document.range(place.span));
    let value = parts.join("\n\n---\n\n");
    let contents = Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
    (!parts.is_empty()).then_some(Hover { contents, range })
}

fn describe(document: &Document, name: &Name, place: &NamePlace) -> Option<String> {
    let shown = document.source.slice(place.span);
    match name {
        Name::Word(word) => {
            let word = Word::find(word)?;
            Some(format!("```gdl\n{}\n```\n{}", word.usage, word.meaning))
        }
        Name::Relation(key) => Some(relation(document, key, shown)),
        Name::Term(_) => {
            let kind = if place.arity == 0 {
                "an object".to_owned()
            } else {
                format!("a function of {}", counted(place.arity, "argument"))
            };
            let places = document.reading().names.places(name);
            let fluent = places.iter().any(|place| place.under.is_some() && place.is_fluent);
            let choice = places.iter().any(|place| place.under.is_some_and(|word| word.choice().is_some()));
            let role = places.iter().any(|place| place.under.is_some_and(|word| word.name == "role"));
            let uses = [(role, "a role"), (fluent, "a fluent"), (choice, "a move")];
            let uses: Vec<&str> = uses.into_iter().filter(|(is, _)| *is).map(|(_, what)| what).collect();
            let uses =
                if uses.is_empty() { String::new() } else { format!(", used as {}", uses.join(" and ")) };
            Some(format!("`{shown}` is {kind}{uses}; it occurs in {}.", counted(places.len(), "place")))
        }
        Name::Variable(..) => None,
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Describes a relation: its arguments, rules, dependencies and dependents.
fn relation(document: &Document, key: &str, shown: &str) -> String {
    let reading = document.reading();
    let places = reading.names.places(&Name::Relation(key.to_owned()));
    let arities: BTreeSet<usize> = places.iter().map(|place| place.arity).collect();
    let arities: Vec<String> = arities.into_iter().map(|arity| counted(arity, "argument")).collect();
    let heads: Vec<&NamePlace> = places.iter().filter(|place| place.is_head).collect();
    let is_rule = |place: &&&NamePlace| reading.tree.forms[place.form as usize] != place.node;
    let rules = heads.iter().filter(is_rule).count();
    let facts = heads.len() - rules;
    let given = match (counted(rules, "rule"), counted(facts, "fact")) {
        _ if heads.is_empty() => " that no rule defines".to_owned(),
        (rules, _) if facts == 0 => format!(", defined by {rules}"),
        (_, facts) if rules == 0 => format!(", defined by {facts}"),
        (rules, facts) => format!(", defined by {rules} and {facts}"),
    };
    let mut text = format!("`{shown}` is a relation with {}{given}.\n", arities.join(" or "));
    if !heads.is_empty() {
        text.push_str(match depends(document, key) {
            (_, true) => "It depends on the moves of a step.\n",
            (true, false) => "It depends on the state.\n",
            (false, false) => "It is static: the same in every state.\n",
        });
    }
    let readers = readers(document, places, key);
    if !readers.is_empty() {
        let listed: Vec<String> = readers.iter().take(LISTED).map(|reader| format!("`{reader}`")).collect();
        let more = readers.len().saturating_sub(LISTED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        text = format!("{text}Read by {}{more}.\n", listed.join(", "));
    }
    if let Some(comment) =
        heads.first().and_then(|place| comment(document, reading.tree.forms[place.form as usize]))
    {
        text.push('\n');
        text.push_str(&comment);
    }
    text
}

/// Returns the text of a keyword or relation. `None` for a term or a variable.
fn called(name: &Name) -> Option<&str> {
    match name {
        Name::Word(word) => Some(word),
        Name::Relation(relation) => Some(relation),
        Name::Term(_) | Name::Variable(..) => None,
    }
}

/// Returns the other relations whose rules read the relation `key`, in alphabetical order. `places`
/// are the places of `key`.
fn readers(document: &Document, places: &[NamePlace], key: &str) -> Vec<String> {
    let forms: BTreeSet<u32> = places.iter().filter(|place| !place.is_head).map(|place| place.form).collect();
    let mut readers = BTreeSet::new();
    for (name, places) in document.reading().names.iter() {
        let Some(called) = called(name).filter(|called| *called != key && *called != "<=") else { continue };
        if places.iter().any(|place| place.is_head && forms.contains(&place.form)) {
            readers.insert(called.to_owned());
        }
    }
    readers.into_iter().collect()
}

/// Returns whether a relation depends on the state, and whether it depends on the moves made.
fn depends(document: &Document, key: &str) -> (bool, bool) {
    // The head of each form, and the relations in its body.
    let mut heads: BTreeMap<u32, &str> = BTreeMap::new();
    let mut bodies: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (name, places) in document.reading().names.iter() {
        let Some(called) = called(name).filter(|called| *called != "<=") else { continue };
        for place in places {
            if place.is_head {
                heads.insert(place.form, called);
            } else {
                bodies.entry(place.form).or_default().push(called);
            }
        }
    }
    let mut read: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (form, body) in bodies {
        if let Some(&head) = heads.get(&form) {
            read.entry(head).or_default().extend(body);
        }
    }
    let mut known = BTreeSet::from([key]);
    let mut waiting = vec![key];
    while let Some(relation) = waiting.pop() {
        for &other in read.get(relation).map_or(&[][..], Vec::as_slice) {
            if known.insert(other) {
                waiting.push(other);
            }
        }
    }
    (known.contains("true"), known.contains("does"))
}

/// Returns the comment lines right above a form.
fn comment(document: &Document, form: NodeId) -> Option<String> {
    let source = &document.source;
    let mut line = source.line_of(document.span(form).start);
    let mut lines = Vec::new();
    while line > 1 {
        let Some(text) = source.line(line - 1).trim_start().strip_prefix(';') else { break };
        lines.push(text.trim_start_matches(';').trim());
        line -= 1;
    }
    lines.reverse();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

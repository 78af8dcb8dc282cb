//! Diagnostics of the compiler, as text for people and as JSON for programs.

use crate::{
    error::Error,
    output::{DIM, remark},
};
use gdl_compiler::{
    Diagnostic, Diagnostics, Edit, Source, Span,
    diagnostic::{Label, Palette, Witness},
};
use serde_json::{Map, Value, json};

/// Prints diagnostics on stderr, each with its source line and an empty line after it. The last
/// line names the command that explains more.
pub fn show(diagnostics: &Diagnostics, source: &Source) {
    let Some(first) = diagnostics.iter().next() else { return };
    remark(diagnostics.render_with(source, &Palette::COLOUR));
    remark(format_args!("{DIM}what a code means: gdl explain {}{DIM:#}\n", first.code.id));
}

/// Formats a diagnostic as one line.
#[must_use]
pub fn line(diagnostic: &Diagnostic, source: &Source) -> String {
    let place = diagnostic.span.map(|span| source.position(span.start));
    let place = place.map_or_else(String::new, |place| format!("{}:{}: ", place.line, place.column));
    format!("{place}{} [{}]", diagnostic.message, diagnostic.code.id)
}

/// Returns the JSON object of a command that failed before it printed one. It has the diagnostics
/// of the rulesheet, or the error of another input.
#[must_use]
pub fn failure(error: &Error) -> Option<Value> {
    match error {
        Error::Rules(faults) => {
            let (source, diagnostics) = &**faults;
            let list: Vec<Value> = diagnostics.iter().map(|d| to_json(d, source)).collect();
            Some(json!({ "diagnostics": list }))
        }
        Error::Input(message) => Some(json!({ "diagnostics": [], "error": message })),
        Error::Reported | Error::Usage(_) | Error::Output(_) => None,
    }
}

/// Returns a diagnostic as JSON: a `diagnostic` of the schema of `gdl check`. A diagnostic without
/// a span is placed at the first character.
#[must_use]
pub fn to_json(diagnostic: &Diagnostic, source: &Source) -> Value {
    let mut object = Map::new();
    object.insert("code".to_owned(), json!(diagnostic.code.id));
    object.insert("name".to_owned(), json!(diagnostic.code.name));
    object.insert("severity".to_owned(), json!(diagnostic.severity.to_string()));
    place(&mut object, diagnostic.span.unwrap_or_default(), source);
    object.insert("message".to_owned(), json!(diagnostic.message));
    object.insert("note".to_owned(), json!(diagnostic.note));
    object.insert("help".to_owned(), json!(diagnostic.help));
    let labels: Vec<Value> = diagnostic.labels.iter().map(|label| label_to_json(label, source)).collect();
    object.insert("labels".to_owned(), json!(labels));
    object.insert("witness".to_owned(), json!(diagnostic.witness.as_deref().map(witness_to_json)));
    let edits: Vec<Value> = diagnostic.edits.iter().map(|edit| edit_to_json(edit, source)).collect();
    let applicability = (!edits.is_empty()).then(|| diagnostic.applicability.name());
    object.insert("edits".to_owned(), json!(edits));
    object.insert("applicability".to_owned(), json!(applicability));
    Value::Object(object)
}

fn edit_to_json(edit: &Edit, source: &Source) -> Value {
    let mut object = Map::new();
    place(&mut object, edit.span, source);
    object.insert("text".to_owned(), json!(edit.text));
    Value::Object(object)
}

fn label_to_json(label: &Label, source: &Source) -> Value {
    let mut object = Map::new();
    place(&mut object, label.span, source);
    object.insert("text".to_owned(), json!(label.text));
    Value::Object(object)
}

fn witness_to_json(witness: &Witness) -> Value {
    let Witness { roles, moves, state, repeats } = witness;
    json!({ "roles": roles, "moves": moves, "state": state, "repeats": repeats })
}

fn place(object: &mut Map<String, Value>, span: Span, source: &Source) {
    let (start, end) = (source.position(span.start), source.position(span.end));
    object.insert("file".to_owned(), json!(source.name()));
    object.insert("line".to_owned(), json!(start.line));
    object.insert("column".to_owned(), json!(start.column));
    object.insert("end_line".to_owned(), json!(end.line));
    object.insert("end_column".to_owned(), json!(end.column));
    object.insert("offset".to_owned(), json!(span.start));
    object.insert("end_offset".to_owned(), json!(span.end));
}

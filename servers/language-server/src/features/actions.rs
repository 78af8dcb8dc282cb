//! Quick fixes: the edits of diagnostics, as code actions.

use crate::document::Document;
use gdl_compiler::{Diagnostic, Span, diagnostic::repair};
use gen_lsp_types::{CodeActionContext, CodeActionKind, Range, TextEdit};
use serde_json::{Value, json};

/// Returns the fixes of the diagnostics in a range.
pub(crate) fn actions(document: &Document, range: Range, context: &CodeActionContext) -> Vec<Value> {
    let wanted = |kind: &CodeActionKind| {
        let only = context.only.as_deref();
        only.is_none_or(|only| only.iter().any(|only| contains(only, kind)))
    };
    let mut actions = Vec::new();
    if wanted(&CodeActionKind::QuickFix) {
        let bytes = document.bytes(range);
        let near = document.diagnostics().iter().filter(|found| {
            let span = found.span.unwrap_or_default();
            !found.edits.is_empty() && span.start <= bytes.end && bytes.start <= span.end
        });
        actions.extend(near.map(|found| fix(document, found)));
    }
    if wanted(&CodeActionKind::SourceFixAll) {
        let certain = document.diagnostics().iter().filter(|found| found.is_machine_applicable());
        let (text, made) = repair(&document.source, certain);
        if !made.is_empty() {
            let whole = document.range(Span::new(0, document.text().len()));
            actions.push(json!({
                "title": "Make all certain edits of the help lines",
                "kind": CodeActionKind::SourceFixAll,
                "edit": { "changes": { document.uri.as_ref(): [TextEdit::new(whole, text)] } },
            }));
        }
    }
    actions
}

/// Returns whether a kind of action is `whole` or a part of it.
fn contains(whole: &CodeActionKind, part: &CodeActionKind) -> bool {
    let rest = part.as_str().strip_prefix(whole.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || whole.as_str().is_empty())
}

fn fix(document: &Document, found: &Diagnostic) -> Value {
    let edits: Vec<TextEdit> =
        found.edits.iter().map(|edit| TextEdit::new(document.range(edit.span), edit.text.clone())).collect();
    let help = found.help.as_deref().unwrap_or(&found.message);
    json!({
        "title": help.replace('`', "'"),
        "kind": CodeActionKind::QuickFix,
        "diagnostics": [super::diagnostics::show(document, found)],
        "isPreferred": found.is_machine_applicable(),
        "edit": { "changes": { document.uri.as_ref(): edits } },
    })
}

//! The diagnostics of a document, in the form of the protocol.

use crate::document::Document;
use gdl_compiler::{Diagnostic, Diagnostics, Severity, diagnostic::codes};
use gen_lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, PublishDiagnosticsParams,
};

/// Returns all present diagnostics of a document.
pub(crate) fn publish(document: &Document) -> PublishDiagnosticsParams {
    let diagnostics = document.diagnostics().iter().map(|found| show(document, found)).collect();
    PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) }
}

/// Returns the diagnostics of a worker. Exceeded limits become warnings, since the limits of the
/// editor are lower than those of `gdl check`.
pub(crate) fn settle(found: &Diagnostics) -> Vec<Diagnostic> {
    let are_excesses = found.are_excesses();
    let mut list: Vec<Diagnostic> = found.iter().cloned().collect();
    for diagnostic in list.iter_mut().filter(|d| are_excesses && d.severity == Severity::Error) {
        diagnostic.severity = Severity::Warning;
        diagnostic.note =
            String::from("within the limits of the editor, which are lower than those of `gdl check`");
    }
    list
}

/// Converts a diagnostic. One that concerns the whole rulesheet is placed at its first character.
pub(crate) fn show(document: &Document, found: &Diagnostic) -> gen_lsp_types::Diagnostic {
    let severity = match (found.severity, found.code.severity) {
        (Severity::Error, _) => DiagnosticSeverity::Error,
        (_, Severity::Lint) => DiagnosticSeverity::Hint,
        _ => DiagnosticSeverity::Warning,
    };
    let mut message = found.message.clone();
    if !found.note.is_empty() {
        message.push_str(": ");
        message.push_str(&found.note);
    }
    if let Some(help) = &found.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let related = found.labels.iter().map(|label| DiagnosticRelatedInformation {
        location: Location::new(document.uri.clone(), document.range(label.span)),
        message: if label.text.is_empty() { found.message.clone() } else { label.text.clone() },
    });
    let unused = [&codes::UNUSED_RELATION, &codes::FLUENT_NEVER_READ].contains(&found.code);
    gen_lsp_types::Diagnostic {
        range: document.range(found.span.unwrap_or_default()),
        severity: Some(severity),
        code: Some(found.code.id.to_owned().into()),
        code_description: None,
        source: Some("gdl".to_owned()),
        message: message.into(),
        related_information: (!found.labels.is_empty()).then(|| related.collect()),
        tags: unused.then(|| vec![DiagnosticTag::Unnecessary]),
        data: None,
    }
}

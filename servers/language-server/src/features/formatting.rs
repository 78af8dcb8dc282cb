//! The standard layout of a document, as one edit.

use crate::{document::Document, refusal::Refusal, worker::options};
use gdl_compiler::{Span, format};
use gen_lsp_types::TextEdit;

/// Returns the edit, or none if the text already has the standard layout. Fails if the forms cannot
/// be parsed.
pub(crate) fn format(document: &Document) -> Result<Vec<TextEdit>, Refusal> {
    let text = format::format(&document.source, &options()).map_err(|faults| {
        let first = faults.iter().next().map_or("", |fault| &fault.message);
        Refusal::new(format!("the forms cannot be read: {first}"))
    })?;
    if text == document.text() {
        return Ok(Vec::new());
    }
    let whole = Span::new(0, document.text().len());
    Ok(vec![TextEdit::new(document.range(whole), text)])
}

//! Rulesheets that are mended: the edits that diagnostics suggest are made, round after round, until none is left.

use gdl_compiler::{Applicability, Diagnostic, Diagnostics, Source, diagnostic::repair};

/// Rounds of edits. What is wrong behind that is told and left.
const ROUNDS: usize = 100;

/// A rulesheet after its edits, and what is to be said of it then. Edits less sure than `least` are left.
/// `examine` has the diagnostics of a text; `tell` is told of each one whose edits are made, with the text that
/// it speaks of.
pub fn mend(
    source: &Source,
    least: Applicability,
    examine: &mut dyn FnMut(&Source) -> Diagnostics,
    tell: &mut dyn FnMut(&Source, &Diagnostic),
) -> (Source, Diagnostics) {
    let mut source = source.clone();
    for _ in 0..ROUNDS {
        let diagnostics = examine(&source);
        let sure = diagnostics.iter().filter(|diagnostic| diagnostic.applicability <= least);
        let (text, made) = repair(&source, sure);
        if made.is_empty() {
            return (source, diagnostics);
        }
        made.into_iter().for_each(|diagnostic| tell(&source, diagnostic));
        source = Source::new(source.name(), text);
    }
    let diagnostics = examine(&source);
    (source, diagnostics)
}

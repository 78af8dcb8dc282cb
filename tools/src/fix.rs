//! Automatic fixes: applies the edits of diagnostics in rounds, until none remains.

use gdl_compiler::{Applicability, Diagnostic, Diagnostics, Source, diagnostic::repair};

/// The greatest number of rounds. Errors that remain after these are reported and not fixed.
const ROUNDS: usize = 100;

/// Applies the edits whose applicability is `least` or better, in at most 100 rounds. Returns the
/// fixed text and its diagnostics.
///
/// `examine` diagnoses a text. `tell` receives each diagnostic that is fixed, with the text that
/// its spans refer to.
pub fn fix(
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

//! Rulesheets that are fixed: the edits of diagnostics are made, round after round, until none is
//! left.

use gdl_compiler::{Applicability, Diagnostic, Diagnostics, Source, diagnostic::repair};

/// Rounds of edits at most. Later faults are reported and left.
const ROUNDS: usize = 100;

/// Makes the edits that are at least as sure as `least`. Returns the text and its diagnostics.
///
/// `examine` diagnoses a text. `tell` gets each diagnostic whose edits are made, with the text that
/// its spans are of. At most 100 rounds.
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

//! Diagnostics of a rulesheet, as tokens that rustc reports as errors and warnings.
//!
//! Texts and their places in the user's source become `compile_error!` items and, for warnings,
//! uses of deprecated constants. A macro cannot point into a file that is not Rust, so the place in
//! the rulesheet is part of the text.

use gdl_compiler::{Diagnostics, Severity, Source};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::time::Duration;

/// The compile time of a rulesheet above which a note is shown.
const SLOW: Duration = Duration::from_secs(5);

/// Emits an error at a place in the user's source.
pub(crate) fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error! { #message })
}

/// Emits a warning at a place in the user's source.
///
/// Macros cannot warn yet, but rustc warns of uses of a deprecated constant. It does so only if the
/// use has a span in the user's own code.
fn warning(span: Span, message: &str) -> TokenStream {
    let constant = quote_spanned!(span=> gdl_warning);
    quote! {
        #[allow(non_upper_case_globals)]
        const _: () = {
            #[deprecated(note = #message)]
            const #constant: () = ();
            #constant
        };
    }
}

/// Emits the diagnostics: at most [`Diagnostics::SHOWN`] errors, and all warnings.
pub(crate) fn report(diagnostics: &Diagnostics, source: &Source, span: Span) -> TokenStream {
    let mut tokens = TokenStream::new();
    let (mut errors, mut hidden) = (0, 0);
    for diagnostic in diagnostics.iter() {
        match diagnostic.severity {
            Severity::Error if errors < Diagnostics::SHOWN => {
                errors += 1;
                tokens.extend(error(span, diagnostic.render(source).trim_end()));
            }
            Severity::Error => hidden += 1,
            Severity::Warning => tokens.extend(warning(span, diagnostic.render(source).trim_end())),
            // Lints concern style, and are reported only if they are denied.
            Severity::Lint => {}
        }
    }
    if hidden > 0 {
        let plural = if hidden == 1 { "" } else { "s" };
        tokens.extend(error(span, &format!("{}: {hidden} more error{plural}", source.name())));
    }
    tokens
}

/// Returns a note on a rulesheet that took `time` to compile, if that exceeds [`SLOW`] and
/// optimisation would help.
pub(crate) fn slowness(name: &str, time: Duration, is_unoptimized: bool) -> Option<String> {
    (is_unoptimized && time > SLOW).then(|| {
        format!(
            "note: {name} took {:.0} s to compile, because the rulesheet compiler is not optimised in this build\n  \
             = help: add these lines to the Cargo.toml of the workspace:\n\n    \
             [profile.dev.build-override]\n    opt-level = 3\n    \
             [profile.release.build-override]\n    opt-level = 3\n",
            time.as_secs_f64(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_rulesheets_get_a_note_where_optimisation_helps() {
        let seconds = Duration::from_secs;
        let note = slowness("chess.kif", seconds(41), true).expect("it is slow");
        assert!(note.starts_with("note: chess.kif took 41 s to compile"), "{note}");
        assert!(note.contains("    [profile.dev.build-override]\n    opt-level = 3\n"), "{note}");
        assert_eq!(slowness("chess.kif", seconds(41), false), None);
        assert_eq!(slowness("nim.kif", seconds(5), true), None);
    }
}

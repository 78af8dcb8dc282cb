//! Reports on a rulesheet, as tokens that make rustc say them.
//!
//! Texts and the place in the user's source they belong to become `compile_error!` items and,
//! for warnings, uses of deprecated constants: a macro cannot point into a file that is not Rust, so
//! the place in the rulesheet is part of the text.

use gdl_compiler::{Diagnostics, Severity, Source};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

/// An error at a place in the user's source.
pub(crate) fn error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error! { #message })
}

/// A warning at a place in the user's source.
///
/// Macros cannot warn yet, but rustc warns of uses of a deprecated constant. It does so only if
/// the use is the user's own, so the span must be of something they wrote.
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

/// All diagnostics: every error up to the number worth reading, every warning.
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
            // Lints are matters of style: they speak up when they are denied.
            Severity::Lint => {}
        }
    }
    if hidden > 0 {
        let plural = if hidden == 1 { "" } else { "s" };
        tokens.extend(error(span, &format!("{}: {hidden} more error{plural}", source.name())));
    }
    tokens
}

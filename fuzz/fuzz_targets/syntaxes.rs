//! Any bytes as infix GDL and as Epilog: reading ends with rules or an error, formatting is
//! idempotent, and conversions end.
#![no_main]

use gdl_compiler::{Options, Source, Syntax, convert::convert, format::format};
use gdl_fuzz::{checked, options, show, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(source) = source(bytes) else { return };
    for syntax in [Syntax::Infix, Syntax::Epilog] {
        let options = Options { syntax: Some(syntax), ..options() };
        let (diagnostics, _) = checked(&source, &options);
        show(diagnostics, &source);
        if let Ok(once) = format(&source, &options) {
            // Spaces may make a text too long for the small limits.
            if let Ok(twice) = format(&Source::new("once", once.clone()), &options) {
                assert_eq!(once, twice);
            }
        }
        for to in [Syntax::Kif, Syntax::Infix] {
            if let Ok(conversion) = convert(&source, &options, to) {
                let options = Options { syntax: Some(to), ..options.clone() };
                let _ = format(&Source::new("converted", conversion.text), &options);
            }
        }
    }
});

//! Any bytes: the checks end with rules or an error, whether or not case counts, and repeat their
//! diagnostics.
#![no_main]

use gdl_compiler::Options;
use gdl_fuzz::{checked, options, show, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(source) = source(bytes) else { return };
    for case_sensitive in [false, true] {
        let options = Options { case_sensitive, ..options() };
        let (diagnostics, _) = checked(&source, &options);
        let (again, _) = checked(&source, &options);
        assert!(diagnostics.iter().eq(again.iter()));
        show(diagnostics, &source);
    }
});

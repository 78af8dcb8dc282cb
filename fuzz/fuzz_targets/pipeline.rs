//! Rulesheets made from bytes: what compiles plays the same in all engines and in the oracle.
#![no_main]

use gdl_fuzz::{comparison::compare, generator::rulesheet, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = rulesheet(bytes);
    // The outcome is of no interest: it panics if the engines differ.
    drop(compare(&text, &options(), 8));
});

//! Rulesheets made from bytes: a game that compiles plays the same in all engines and in the
//! oracle.
#![no_main]

use gdl_fuzz::{comparison::compare, generator::rulesheet, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = rulesheet(bytes);
    // The result does not matter: `compare` panics if the engines differ.
    drop(compare(&text, &options(), 8));
});

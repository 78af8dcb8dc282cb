//! Stories of requests, made from bytes: every answer is as described, and no request changes
//! another person's session.
#![no_main]

use gdl_fuzz::serve::play;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| play(bytes));

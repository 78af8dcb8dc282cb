//! Rulesheets with forms dropped, copied and exchanged: grounding and the net end within their
//! limits, with a net or an error.
#![no_main]

use gdl_compiler::compile;
use gdl_fuzz::{forms, options, show, source};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    let Some(source) = source(bytes) else { return };
    match compile(&source, &options()) {
        Ok(compilation) => {
            assert!(!compilation.diagnostics.has_errors());
            assert!(!compilation.table.is_empty());
            show(compilation.diagnostics, &source);
        }
        Err(failure) => {
            assert!(failure.diagnostics.has_errors());
            show(failure.diagnostics, &source);
        }
    }
});

// Mutates forms, or bytes with the dictionary for every eighth seed.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed.is_multiple_of(8) {
        return fuzzer_mutate(data, size, max_size);
    }
    let text = forms::mutate(&String::from_utf8_lossy(&data[..size]), seed);
    let size = text.len().min(max_size);
    data[..size].copy_from_slice(&text.as_bytes()[..size]);
    size
});

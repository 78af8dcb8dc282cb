//! Any bytes: a message is read or has a place in its text where it is wrong, and what was read is written and read again.
#![no_main]

use gdl_network::message::{Dialect, Request};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    match text.parse::<Request>() {
        Ok(request) => {
            let written = request.write(Dialect::Base);
            let again: Request = written.parse().expect("what was written can be read");
            assert_eq!(again.write(Dialect::Base), written);
            assert!(request.write(Dialect::Controller).parse::<Request>().is_ok());
        }
        Err(fault) => {
            assert!(fault.line >= 1 && fault.line <= text.matches('\n').count() + 1);
            assert!(fault.column >= 1 && fault.column <= text.chars().count() + 1);
        }
    }
    for asked in ["(info)", "(start m r () 1 1)", "(play m nil)", "(stop m nil)", "(abort m)"] {
        if let Ok(request) = asked.parse::<Request>() {
            // A reply that is read is a term or one of the protocol's own.
            if let Ok(reply) = request.read_reply(text) {
                assert!(request.read_reply(&reply.to_string()).is_ok());
            }
        }
    }
});

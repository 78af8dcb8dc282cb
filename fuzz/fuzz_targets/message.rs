//! Any bytes: a message of the network protocol is read, or rejected with the place of the error. A
//! message that was read is written and read again.
#![no_main]

use gdl_fuzz::message::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| read(bytes));

//! The net as one string of bytes, which a macro can emit as a single literal and the runtime's table
//! engine reads.
//!
//! All numbers are LEB128 (seven bits a byte, lowest first, the top bit set on all but the last
//! byte); a text is its length in bytes and its bytes; a list is its length and its items.
//!
//! ```text
//! table    = "GDLT" version:byte vocabulary moves* goals* initial observe advance
//! vocabulary = roles:list(text) fluents:list(text) moves:list(text)
//! moves*   = per role: list(number)      the moves the role may ever make, ascending, each as its
//!                                        distance from the one before (the first from zero)
//! goals*   = per role: list(byte)        the goal values it may ever have, ascending
//! initial  = list(number)                the fluents that hold at the start, as distances too
//! observe, advance = gates:list(signal signal) outputs:list(signal)
//! ```
//!
//! A signal is twice a node plus one if complemented. Node 0 is false; nodes 1.. are the fluents; in
//! `advance` the `does` inputs follow, role by role in the order of `moves*`; then come the gates,
//! each the AND of two earlier signals. The outputs of `observe` are, role by role, the legality of
//! each move of `moves*`; then role by role each goal value of `goals*`; then terminal. The outputs of
//! `advance` are the next value of each fluent.

/// The version of the format, checked by whoever reads it.
pub const VERSION: u8 = 1;

/// Writes the table of a net.
#[must_use]
pub fn table(net: &crate::propnet::Net) -> Vec<u8> {
    let _ = net;
    todo!()
}

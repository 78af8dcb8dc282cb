//! Messages of the network protocol, read from any bytes.

#[path = "../../servers/network/tests/matches/reading.rs"]
mod reading;

/// Reads the bytes, if they are text.
pub fn read(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        reading::read(text);
    }
}

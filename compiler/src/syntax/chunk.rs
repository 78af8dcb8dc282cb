//! Division of a text into chunks, which pest reads one after the other.

/// The number of bytes of text passed to pest at a time. Its token queue takes about a hundred
/// bytes per token, too much for a whole file of parentheses.
const CHUNK: usize = 1 << 16;

/// Returns the length of the next chunk, in bytes: whole tokens, and whole lines if lines are
/// short.
///
/// No token except white space crosses a line end. A token that begins with a byte that `opens`
/// accepts extends to the line end or to its own closing sign. Other tokens end at a byte that
/// `between` accepts.
pub(super) fn chunk(text: &str, opens: impl Fn(u8) -> bool, between: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    if bytes.len() <= CHUNK {
        return bytes.len();
    }
    let (window, rest) = bytes.split_at(CHUNK);
    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
    if let Some(end) = window.iter().rposition(is_end) {
        return end + 1;
    }
    let opening = window.iter().position(|&b| opens(b));
    if let Some(start) = opening.filter(|&start| start > 0) {
        return start;
    }
    let is_between = |b: &u8| is_end(b) || (opening.is_none() && between(*b));
    match window.iter().rposition(is_between) {
        Some(last) => last + 1,
        None => CHUNK + rest.iter().position(is_between).unwrap_or(rest.len()),
    }
}

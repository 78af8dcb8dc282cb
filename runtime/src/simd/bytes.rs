//! Operations on the 64 bytes of a word, for machines without instructions for them.

use super::{Plane, Word};

/// Returns the bytes of a word, for [`Word::put`].
#[inline(always)]
pub(super) fn bytes<W: Word>(word: W) -> [u8; 64] {
    let mut plane = Plane::ZERO;
    word.store(&mut plane);
    let mut bytes = [0; 64];
    bytes.as_chunks_mut().0.iter_mut().zip(plane.0).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
    bytes
}

/// Creates a word from bytes.
#[inline(always)]
pub(crate) fn word<W: Word>(bytes: &[u8; 64]) -> W {
    let mut plane = Plane::ZERO;
    plane.0.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
    W::load(&plane)
}

/// See [`Word::take`].
#[inline(always)]
pub(super) fn take<W: Word>(lanes: u64, low: W, high: W, places: W) -> W {
    let (low, high, mut places) = (bytes(low), bytes(high), bytes(places));
    for (lane, place) in places.iter_mut().enumerate() {
        let from = if *place & 64 == 0 { &low } else { &high };
        *place = if lanes >> lane & 1 == 1 { from[usize::from(*place & 63)] } else { 0 };
    }
    word(&places)
}

/// See [`Word::spread`].
#[inline(always)]
pub(super) fn spread<W: Word>(bits: u64) -> W {
    let mut bytes = [0; 64];
    bytes.iter_mut().enumerate().filter(|(lane, _)| bits >> lane & 1 == 1).for_each(|(_, byte)| *byte = 0xff);
    word(&bytes)
}

/// See [`Word::look_up`].
#[inline(always)]
pub(super) fn look_up<W: Word>(places: W, count: usize, values: &[f32; 128], to: &mut [f32; 64]) {
    let values = &values[..count];
    to.iter_mut().zip(bytes(places)).for_each(|(to, place)| *to = values[usize::from(place)]);
}

/// See [`Word::collect`].
#[inline(always)]
pub(super) fn collect<W: Word>(bits: W) -> u64 {
    bytes(bits).iter().enumerate().fold(0, |bits, (lane, byte)| bits | u64::from(byte >> 7) << lane)
}

//! Novelty: a state is novel if it has a fluent, or a pair of fluents, that no earlier state had
//! (Lipovetzky and Geffner, "Width and serialization of classical planning problems", 2012).

use gdl_runtime::bits;

/// The fluents or pairs of fluents of all states met so far, one bit each.
pub(super) struct Novelty {
    pairs: bool,
    met: Vec<u64>,
    held: Vec<usize>,
}

impl Novelty {
    /// Creates an empty set of single fluents or of pairs. Returns `None` if that takes more than
    /// `bytes` bytes.
    pub(super) fn new(fluents: usize, pairs: bool, bytes: usize) -> Option<Self> {
        let bits = if pairs { fluents.checked_mul(fluents + 1)? / 2 } else { fluents };
        let words = bits.div_ceil(64);
        (words <= bytes / 8).then(|| Self { pairs, met: vec![0; words], held: Vec::new() })
    }

    /// Adds a state and returns whether it is novel. `before` is its predecessor. O(words) for
    /// fluents, O(fluents that hold × fluents that are new since `before`) for pairs.
    pub(super) fn meet(&mut self, row: &[u64], before: &[u64]) -> bool {
        let mut is_new = false;
        if !self.pairs {
            for (met, now) in self.met.iter_mut().zip(row) {
                is_new |= now & !*met != 0;
                *met |= now;
            }
            return is_new;
        }
        self.held.clear();
        self.held.extend(bits::ones(row));
        // Pairs of fluents that both held before were added with the predecessor.
        for (word, (now, then)) in row.iter().zip(before).enumerate() {
            let mut fresh = now & !then;
            while fresh != 0 {
                let fluent = 64 * word + fresh.trailing_zeros() as usize;
                fresh &= fresh - 1;
                for &other in &self.held {
                    let (low, high) = (fluent.min(other), fluent.max(other));
                    let place = high * (high + 1) / 2 + low;
                    let met = &mut self.met[place / 64];
                    is_new |= *met >> (place % 64) & 1 == 0;
                    *met |= 1 << (place % 64);
                }
            }
        }
        is_new
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        8 * self.met.len()
    }
}

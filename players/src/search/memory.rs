//! The transposition table of searches: rows of words for visited states, within a number of bytes.
//!
//! The table allocates all bytes when it is created, and never grows. Reading and writing access
//! two places each: O(1).

/// A hash table of fixed size that replaces entries. An entry has a key, the words of a state,
/// which are compared in full, and a value, whose first word is never 0. Places come in pairs. The
/// first keeps the most valuable entry. The second has the last entry that was less valuable, or
/// was displaced from the first.
#[derive(Debug)]
pub(crate) struct Memory {
    rows: Vec<u64>,
    key: usize,
    width: usize,
    pairs: usize,
}

impl Memory {
    /// Creates a table of at most `bytes` bytes, for keys of `key` words and values of `value`
    /// words. The system allocates a page when it is first written.
    pub(crate) fn new(bytes: usize, key: usize, value: usize) -> Self {
        let width = key + value;
        let pairs = bytes / (16 * width);
        Self { rows: vec![0; 2 * pairs * width], key, width, pairs }
    }

    /// Returns whether the table has this size, and keys of `key` words.
    pub(crate) fn fits(&self, bytes: usize, key: usize) -> bool {
        self.key == key && self.pairs == bytes / (16 * self.width)
    }

    /// Returns the bytes of the table.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.rows.len()
    }

    /// Looks a key up. Returns `None` if the table does not hold it.
    #[inline]
    pub(crate) fn get(&self, key: &[u64]) -> Option<&[u64]> {
        if self.pairs == 0 {
            return None;
        }
        let first = self.place(key);
        [first, first + self.width].into_iter().find_map(|start| {
            let (known, value) = self.rows[start..start + self.width].split_at(self.key);
            (value[0] != 0 && known == key).then_some(value)
        })
    }

    /// Stores a value, whose first word is not 0. `worth` maps that word to its priority.
    #[inline]
    pub(crate) fn put(&mut self, key: &[u64], value: &[u64], worth: impl Fn(u64) -> u64) {
        debug_assert!(value[0] != 0);
        if self.pairs == 0 {
            return;
        }
        let first = self.place(key);
        let second = first + self.width;
        let (width, words) = (self.width, self.key);
        let held = self.rows[first + words];
        let start = if held == 0 || self.rows[first..first + words] == *key {
            first
        } else if worth(value[0]) >= worth(held) {
            // The displaced entry moves to the second place, whose entry is usually less valuable.
            self.rows.copy_within(first..second, second);
            first
        } else {
            second
        };
        let row = &mut self.rows[start..start + width];
        row[..words].copy_from_slice(key);
        row[words..].copy_from_slice(value);
    }

    #[inline]
    fn place(&self, key: &[u64]) -> usize {
        let pair = (u128::from(hash(key)) * self.pairs as u128) >> 64;
        2 * pair as usize * self.width
    }
}

/// Computes a hash whose highest and lowest bits depend on all words.
#[inline]
pub(crate) fn hash(words: &[u64]) -> u64 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in words {
        let product = u128::from(sum ^ word) * 0xa076_1d64_78bd_642f;
        sum = (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(23);
    }
    let product = sum.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_right_and_what_is_deep_stays() {
        let mut memory = Memory::new(16 * 1024, 2, 1);
        for number in 1..2000_u64 {
            memory.put(&[number, 7], &[number], |value| value);
        }
        let known: Vec<u64> = (1..2000).filter(|&n| memory.get(&[n, 7]).is_some()).collect();
        assert!(known.iter().all(|&n| memory.get(&[n, 7]) == Some(&[n][..])));
        assert!(known.len() > 500 && memory.bytes() <= 16 * 1024);
        // An entry is never displaced by entries of lower priority.
        memory.put(&[0, 1], &[5000], |value| value);
        (2000..4000).for_each(|n| memory.put(&[n, 7], &[1], |value| value));
        assert_eq!(memory.get(&[0, 1]), Some(&[5000][..]));
        memory.put(&[0, 1], &[4], |value| value);
        assert_eq!(memory.get(&[0, 1]), Some(&[4][..]));
        let mut none = Memory::new(10, 2, 1);
        none.put(&[1, 2], &[3], |value| value);
        assert_eq!(none.get(&[1, 2]), None);
    }

    #[test]
    fn hashes_differ() {
        let rows = || (0..4096).map(|n| [n, 0]).chain((1..4096).map(|n| [0, n]));
        for part in [|hash: u64| hash >> 32, |hash: u64| hash & 0xffff_ffff] {
            let mut hashes: Vec<u64> = rows().map(|row| part(hash(&row))).collect();
            hashes.sort_unstable();
            hashes.dedup();
            assert!(hashes.len() > 8180);
        }
    }
}

//! Calls: heads with arguments, each stored once. Terms, atoms, subgoals and answers are calls.
//!
//! A call gets a dense number. Equal calls get the same number, which a hash table finds. All
//! arguments lie in one list, so a call has no allocation of its own.

use super::id::TermId;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The hash of a sequence of numbers.
pub(crate) fn hash(values: impl Iterator<Item = u32>) -> u64 {
    let mut hasher = FxHasher::default();
    values.for_each(|value| hasher.write_u32(value));
    hasher.finish()
}

/// The hash of a head with its arguments.
pub(super) fn hash_call(head: u32, arguments: &[TermId]) -> u64 {
    hash(std::iter::once(head).chain(arguments.iter().map(|argument| argument.0)))
}

/// Calls by dense number, with a hash table to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    heads: Vec<u32>,
    /// The end of each call's arguments in `arguments`.
    ends: Vec<u32>,
    arguments: Vec<TermId>,
    /// Each call with its hash folded to 32 bits, so that resizing the table hashes no call again.
    table: HashTable<(u32, u32)>,
}

/// Folds a hash to 32 bits. On 32-bit machines the upper half of a hash is 0.
fn fold(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// Returns the hash by which the table places a call with this folded hash. The table takes the
/// bucket from the low bits. The rotation moves the high bits of the product there, since they
/// depend on the most bits of the hash.
fn spread(folded: u32) -> u64 {
    u64::from(folded).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

impl Calls {
    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn head(&self, call: u32) -> u32 {
        self.heads[call as usize]
    }

    pub(crate) fn arguments(&self, call: u32) -> &[TermId] {
        let call = call as usize;
        let start = if call == 0 { 0 } else { self.ends[call - 1] as usize };
        &self.arguments[start..self.ends[call] as usize]
    }

    /// The bytes in use, if the hash table is two thirds full.
    pub(super) fn bytes(&self) -> usize {
        22 * self.heads.len() + size_of::<TermId>() * self.arguments.len()
    }

    pub(crate) fn find(&self, head: u32, arguments: &[TermId]) -> Option<u32> {
        self.find_hashed(hash_call(head, arguments), head, arguments)
    }

    pub(super) fn find_hashed(&self, hash: u64, head: u32, arguments: &[TermId]) -> Option<u32> {
        let folded = fold(hash);
        let equal = |&(call, other): &(u32, u32)| {
            other == folded && self.head(call) == head && self.arguments(call) == arguments
        };
        self.table.find(spread(folded), equal).map(|&(call, _)| call)
    }

    /// Looks up the calls with one head and the consecutive `arguments`, `arity` for each call;
    /// `arity` is not 0. Appends the number of each call to `found`, or `None` if the call does not
    /// exist. Also appends `None` if the table finds another call with the same folded hash first.
    /// All calls are looked up together, so that their cache misses overlap.
    pub(super) fn find_all(
        &self,
        head: u32,
        arity: usize,
        arguments: &[TermId],
        found: &mut Vec<Option<u32>>,
    ) {
        let hashes = arguments.chunks_exact(arity).map(|arguments| hash_call(head, arguments));
        let first = found.len();
        found.extend(hashes.map(|hash| {
            let folded = fold(hash);
            self.table.find(spread(folded), |&(_, other)| other == folded).map(|&(call, _)| call)
        }));
        for (found, arguments) in found[first..].iter_mut().zip(arguments.chunks_exact(arity)) {
            *found = found.filter(|&call| self.head(call) == head && self.arguments(call) == arguments);
        }
    }

    /// Adds a call that does not exist yet, and returns its number.
    pub(super) fn add(&mut self, hash: u64, head: u32, arguments: &[TermId]) -> u32 {
        let call = self.heads.len() as u32;
        self.heads.push(head);
        self.arguments.extend_from_slice(arguments);
        self.ends.push(self.arguments.len() as u32);
        let folded = fold(hash);
        self.table.insert_unique(spread(folded), (call, folded), |&(_, folded)| spread(folded));
        call
    }

    /// Returns the number of a call, and true if it is new.
    pub(crate) fn intern(&mut self, head: u32, arguments: &[TermId]) -> (u32, bool) {
        let hash = hash_call(head, arguments);
        match self.find_hashed(hash, head, arguments) {
            Some(call) => (call, false),
            None => (self.add(hash, head, arguments), true),
        }
    }

    /// Drops all calls but the first `len`. O(calls), or O(1) if there are at most `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        if len < self.heads.len() {
            self.table.retain(|&mut (call, _)| (call as usize) < len);
            self.heads.truncate(len);
            self.ends.truncate(len);
            self.arguments.truncate(self.ends.last().map_or(0, |&end| end as usize));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes of 32 bits, as 32-bit machines compute them, and those of multiples of large numbers
    /// go to many buckets.
    #[test]
    fn hashes_are_spread_over_the_table() {
        let narrow = |value: u32| u64::from(value.wrapping_mul(0x93d7_65dd));
        let multiples = |value: u32| hash([7, value << 12].into_iter());
        for hashes in [&narrow as &dyn Fn(u32) -> u64, &multiples] {
            let mut buckets = vec![0; 1 << 16];
            (0..1 << 15).for_each(|value| buckets[spread(fold(hashes(value))) as usize % (1 << 16)] += 1);
            assert!(buckets.iter().max() < Some(&12), "{:?}", buckets.iter().max());
        }
    }
}

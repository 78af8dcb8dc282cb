//! A memo of steps: recently stepped states with their successors.
//!
//! Games with few states step the same ones repeatedly. Input: a state, and a function that steps
//! it. Output: the successor, looked up if possible; the result is the same either way. The cache
//! is direct-mapped with [`ENTRIES`] entries of two states, so a new state replaces the state in
//! its entry. A memo with hits in less than half of its lookups is closed.

use rustc_hash::FxHasher;
use std::{
    hash::{Hash, Hasher},
    sync::{
        Mutex, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The number of entries; `taken` has one bit for each.
const ENTRIES: usize = 64;

/// The maximum number of words of a state; larger states are not looked up.
const MOST_WORDS: usize = 4;

/// The number of lookups between checks of the hit rate.
const TRIAL: u32 = 1_024;

/// The memo of one step function. Threads do not wait for each other: while one uses the entries,
/// the others compute their steps.
#[derive(Debug)]
pub(super) struct Memo {
    is_open: AtomicBool,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// A bit for each entry that is used.
    taken: u64,
    /// For each entry, a state and its successor.
    words: Box<[u64]>,
    tries: u32,
    hits: u32,
}

impl Memo {
    /// Creates an empty memo for states of `words` words.
    pub(super) fn new(words: usize) -> Self {
        let is_open = AtomicBool::new(words <= MOST_WORDS);
        let words = if words <= MOST_WORDS { vec![0; 2 * words * ENTRIES] } else { Vec::new() };
        Self { is_open, entries: Mutex::new(Entries { words: words.into(), ..Entries::default() }) }
    }

    /// Replaces a state by its successor, which `step` computes if it is not in the memo.
    #[inline]
    pub(super) fn step(&self, state: &mut [u64], step: impl FnOnce(&mut [u64])) {
        let mut before = [0; MOST_WORDS];
        let Some(before) = before.get_mut(..state.len()).filter(|_| self.is_open.load(Ordering::Relaxed))
        else {
            return step(state);
        };
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        let place = (hasher.finish() >> 32) as usize % ENTRIES;
        let found = self.with(|entries| entries.find(place, state));
        if found == Some(true) {
            return;
        }
        before.copy_from_slice(state);
        step(state);
        self.with(|entries| entries.set(place, before, state));
    }

    /// The bytes of the memo.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.with(|entries| size_of_val(&*entries.words)).unwrap_or(0)
    }

    /// Calls `act` with the entries, unless another thread is using them.
    #[inline]
    fn with<T>(&self, act: impl FnOnce(&mut Entries) -> T) -> Option<T> {
        let mut entries = match self.entries.try_lock() {
            Ok(entries) => entries,
            Err(TryLockError::Poisoned(entries)) => entries.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let done = act(&mut entries);
        if entries.tries == TRIAL {
            if 2 * entries.hits < TRIAL {
                self.is_open.store(false, Ordering::Relaxed);
                entries.taken = 0;
                entries.words = Box::default();
            }
            (entries.tries, entries.hits) = (0, 0);
        }
        Some(done)
    }
}

impl Entries {
    /// Replaces a state by its successor if the entry at `place` is of this state. Returns true on
    /// a hit.
    #[inline]
    fn find(&mut self, place: usize, state: &mut [u64]) -> bool {
        self.tries += 1;
        let start = 2 * place * state.len();
        // There are no words if another thread has closed the memo in the meantime.
        let Some(entry) = self.words.get(start..start + 2 * state.len()) else { return false };
        let (before, after) = entry.split_at(state.len());
        if self.taken >> place & 1 == 0 || before != state {
            return false;
        }
        self.hits += 1;
        state.copy_from_slice(after);
        true
    }

    /// Stores the successor of a state.
    fn set(&mut self, place: usize, before: &[u64], after: &[u64]) {
        let start = 2 * place * before.len();
        if let Some(entry) = self.words.get_mut(start..start + 2 * before.len()) {
            let (first, second) = entry.split_at_mut(before.len());
            first.copy_from_slice(before);
            second.copy_from_slice(after);
            self.taken |= 1 << place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The number of steps that were not found in the memo, among `steps` steps from `states`
    /// random states.
    fn made(memo: &Memo, words: usize, states: u64, steps: u32) -> u32 {
        let mut random = Stream::new(1, states);
        let mut count = 0;
        for _ in 0..steps {
            let number = random.below(states);
            let mut state = vec![number; words];
            memo.step(&mut state, |state| {
                count += 1;
                state.iter_mut().for_each(|word| *word = *word * 3 + 1);
            });
            assert_eq!(state, vec![number * 3 + 1; words]);
        }
        count
    }

    #[test]
    fn states_met_before_are_looked_up() {
        for words in 1..=MOST_WORDS {
            let memo = Memo::new(words);
            // Each state is computed once, unless two have the same place.
            assert!(made(&memo, words, 8, 500) < 250);
            assert!(memo.is_open.load(Ordering::Relaxed));
        }
    }

    #[test]
    fn a_memo_that_finds_little_is_given_up() {
        let memo = Memo::new(1);
        let before = memo.bytes();
        assert!(before > 2 * 8 * ENTRIES);
        assert!(made(&memo, 1, 100_000, TRIAL) > TRIAL / 2);
        assert_eq!(memo.bytes(), before - 2 * 8 * ENTRIES);
        assert_eq!(made(&memo, 1, 8, 500), 500);
        // Another thread may still see the memo as open.
        memo.is_open.store(true, Ordering::Relaxed);
        assert_eq!(made(&memo, 1, 8, 500), 500);
    }

    #[test]
    fn large_states_are_not_looked_up() {
        let words = MOST_WORDS + 1;
        assert_eq!(made(&Memo::new(words), words, 8, 500), 500);
    }

    #[test]
    fn threads_do_not_wait_for_each_other() {
        let memo = Memo::new(1);
        let held = memo.entries.lock().expect("no thread has panicked");
        assert_eq!(made(&memo, 1, 8, 100), 100);
        drop(held);
        assert!(made(&memo, 1, 8, 100) < 100);
    }
}

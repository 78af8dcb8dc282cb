//! The number of distinct states: an estimate from the states that games visit.

use rustc_hash::FxHashMap;

/// A counter of visited states in bounded memory.
///
/// States are identified by a 64-bit hash. Once too many are stored, only hashes that end in a zero
/// bit are kept, later only those that end in two, and so on. The kept hashes are a uniform sample
/// of the distinct states, whatever the order of visits (Gibbons, "Distinct sampling for
/// highly-accurate answers to distinct values queries", 2001).
#[derive(Clone, Debug, Default)]
pub struct States {
    visits: FxHashMap<u64, u32>,
    /// The number of trailing zero bits that a hash must have to be kept.
    level: u32,
    visited: u64,
}

/// The estimated number of states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The number of distinct states visited; an estimate if only a sample was kept.
    pub distinct: f64,
    /// The estimated lower bound on the number of all states.
    pub at_least: f64,
}

impl States {
    /// The most hashes that are kept.
    const CAPACITY: usize = 1 << 20;

    /// Adds a visit of the state with these words.
    pub fn visit(&mut self, row: &[u64]) {
        self.visited += 1;
        let mut bits = 0_u64;
        for &word in row {
            bits = mix(bits ^ word);
        }
        self.add(bits, 1);
        self.shrink(Self::CAPACITY);
    }

    fn add(&mut self, bits: u64, visits: u32) {
        if bits.trailing_zeros() >= self.level {
            let count = self.visits.entry(bits).or_insert(0);
            *count = count.saturating_add(visits);
        }
    }

    fn shrink(&mut self, capacity: usize) {
        while self.visits.len() > capacity {
            self.level += 1;
            let level = self.level;
            self.visits.retain(|bits, _| bits.trailing_zeros() >= level);
        }
    }

    /// Adds the visits of another counter.
    pub fn merge(&mut self, other: Self) {
        self.visited += other.visited;
        self.level = self.level.max(other.level);
        let level = self.level;
        self.visits.retain(|bits, _| bits.trailing_zeros() >= level);
        other.visits.into_iter().for_each(|(bits, visits)| self.add(bits, visits));
        self.shrink(Self::CAPACITY);
    }

    /// Returns the number of visits.
    #[must_use]
    pub fn visited(&self) -> u64 {
        self.visited
    }

    /// Returns the number of distinct states visited, and a lower bound on all states. The numbers
    /// of states visited once and twice estimate how many were missed (Chao, "Nonparametric
    /// estimation of the number of classes in a population", 1984). The estimate excludes states
    /// that random play hardly ever reaches, so there may be many more.
    #[must_use]
    pub fn estimate(&self) -> Known {
        let scale = 2_f64.powi(self.level.cast_signed());
        let with = |count: u32| self.visits.values().filter(|&&visits| visits == count).count() as f64;
        let (once, twice) = (with(1), with(2));
        let missed = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        let distinct = self.visits.len() as f64;
        Known { distinct: distinct * scale, at_least: ((distinct + missed) * scale).round() }
    }
}

/// Mixes the bits of a word: the last step of splitmix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: impl IntoIterator<Item = u64>) -> States {
        let mut states = States::default();
        rows.into_iter().for_each(|row| states.visit(&[row, 1]));
        states
    }

    #[test]
    fn few_states_are_counted_exactly() {
        let states = of((0..100).chain(0..50).chain(0..50));
        assert_eq!((states.visited(), states.estimate().distinct), (200, 100.0));
        // 50 states were visited once and none twice: the estimate adds many unvisited states.
        assert!((states.estimate().at_least - 1325.0).abs() < 1e-9, "{:?}", states.estimate());
        let all = of((0..100).chain(0..100).chain(0..100));
        assert!((all.estimate().at_least - 100.0).abs() < 1e-9);
    }

    #[test]
    fn many_states_are_sampled_in_bounded_memory_and_any_order() {
        let mut up = of(0..3_000_000);
        assert!(up.visits.len() <= States::CAPACITY && up.level > 0);
        let distinct = up.estimate().distinct;
        assert!((2.98e6..3.02e6).contains(&distinct), "{distinct}");
        let mut down = of((1_500_000..3_000_000).rev());
        down.merge(of(0..1_500_000));
        assert!((down.estimate().distinct - distinct).abs() < 1e-6);
        up.merge(down);
        assert!((up.estimate().distinct - distinct).abs() < 1e-6);
        assert!(up.visits.values().all(|&visits| visits == 2));
    }
}

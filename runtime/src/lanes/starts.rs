//! The start times of the games in lanes: one plane for each step, resolved lazily backwards.
//!
//! Most games are short, so a step only stores one plane: the lanes in which games started. When
//! the buffer is full, or start times are needed, the planes are read backwards. The last one that
//! contains a lane gives its start.

use crate::simd::{LANES, Plane};

/// The number of planes that are kept: 64 KiB.
const NOTES: usize = 1024;

/// The start times of games, in steps.
pub(super) struct Starts {
    notes: Box<[Plane; NOTES]>,
    /// The time of the first plane.
    since: u64,
    /// The number of planes; the current time is `since + count`.
    count: usize,
    /// The start time of each lane's game, if it is before `since`.
    times: Box<[u64; LANES]>,
}

impl Starts {
    /// Creates an empty record: no game has started at time 0.
    pub(super) fn new() -> Self {
        let notes =
            vec![Plane::ZERO; NOTES].try_into().unwrap_or_else(|_| unreachable!("as many as there are"));
        Self { notes, since: 0, count: 0, times: Box::new([0; LANES]) }
    }

    /// Restarts at time 0. Games that no later plane contains count as started at time 0.
    pub(super) fn restart(&mut self) {
        (self.since, self.count) = (0, 0);
        self.notes[NOTES - 1] = Plane::ZERO;
        self.times.fill(0);
    }

    /// Records the lanes in which games start, and advances the time. `playing` are the lanes with
    /// a game afterwards.
    #[inline(always)]
    pub(super) fn note(&mut self, fresh: &Plane, playing: &Plane) {
        self.notes[self.count % NOTES] = *fresh;
        self.count += 1;
        if self.count == NOTES {
            self.settle(playing);
        }
    }

    /// The lanes in which games started in the last step.
    pub(super) fn last(&self) -> &Plane {
        &self.notes[(self.count + NOTES - 1) % NOTES]
    }

    /// Resolves all planes into `times`. O(lanes + planes).
    #[cold]
    fn settle(&mut self, playing: &Plane) {
        let mut open = *playing;
        for (i, note) in self.notes[..self.count].iter().enumerate().rev() {
            for (word, (open, &note)) in open.0.iter_mut().zip(&note.0).enumerate() {
                let mut found = *open & note;
                *open &= !note;
                while found != 0 {
                    self.times[64 * word + found.trailing_zeros() as usize] = self.since + i as u64;
                    found &= found - 1;
                }
            }
            if open == Plane::ZERO {
                break;
            }
        }
        self.since += self.count as u64;
        self.count = 0;
    }

    /// The start time of each lane with a game. O(lanes + planes).
    #[cold]
    pub(super) fn times(&mut self, playing: &Plane) -> &[u64; LANES] {
        self.settle(playing);
        &self.times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn times_are_those_of_the_last_start() {
        let mut stream = Stream::new(1, 4);
        let (mut starts, mut expected) = (Starts::new(), [0; LANES]);
        let playing = Plane::ONES;
        for time in 0..4_000 {
            // Some lanes start often, others almost never.
            let fresh =
                Plane(std::array::from_fn(|word| (0..=word).fold(u64::MAX, |bits, _| bits & stream.bits())));
            let fresh = if time == 0 { Plane::ONES } else { fresh };
            (0..LANES).filter(|&lane| fresh.lane(lane)).for_each(|lane| expected[lane] = time);
            starts.note(&fresh, &playing);
            assert_eq!(*starts.last(), fresh);
            if stream.below(1_500) == 0 || time == 3_999 {
                assert_eq!(*starts.times(&playing), expected);
            }
        }
    }
}

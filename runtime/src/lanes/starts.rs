//! Per-lane start times: one bit-plane a step, resolved lazily backwards.
//!
//! Games may not go on for ever, but hardly any goes on for long, so all that a step does is to
//! note one plane. Now and then, and when start times are asked for, the notes are read backwards:
//! the last one of a lane tells.

use crate::simd::{LANES, Plane};

/// Notes that are kept: 64 KiB.
const NOTES: usize = 1024;

/// The times when games started, in steps.
pub(super) struct Starts {
    notes: Box<[Plane; NOTES]>,
    /// Since when there are notes.
    since: u64,
    /// The number of notes: the present time is so much later.
    count: usize,
    /// For each lane the start of its game, if that was before.
    times: Box<[u64; LANES]>,
}

impl Starts {
    /// An empty record: no game has started at time 0.
    pub(super) fn new() -> Self {
        let notes =
            vec![Plane::ZERO; NOTES].try_into().unwrap_or_else(|_| unreachable!("as many as there are"));
        Self { notes, since: 0, count: 0, times: Box::new([0; LANES]) }
    }

    /// It is time 0 again, when all games have started that go on without a note.
    pub(super) fn restart(&mut self) {
        (self.since, self.count) = (0, 0);
        self.notes[NOTES - 1] = Plane::ZERO;
        self.times.fill(0);
    }

    /// Notes where games start now, and the time goes on. `playing` tells who has a game then.
    #[inline(always)]
    pub(super) fn note(&mut self, fresh: &Plane, playing: &Plane) {
        self.notes[self.count % NOTES] = *fresh;
        self.count += 1;
        if self.count == NOTES {
            self.settle(playing);
        }
    }

    /// The lanes in which games started the last time.
    pub(super) fn last(&self) -> &Plane {
        &self.notes[(self.count + NOTES - 1) % NOTES]
    }

    /// Reads the notes. O(lanes + notes).
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

    /// For each lane with a game when it started. O(lanes + notes).
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
            // Some lanes start often, others next to never.
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

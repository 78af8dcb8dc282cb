//! Retrograde analysis: computes the value of each state and its distance from the end, going back
//! from the terminal states.

use super::{
    NONE, Solution,
    visit::{END, Visit},
};
use gdl_runtime::Game;
use std::{
    collections::{BTreeSet, VecDeque},
    marker::PhantomData,
};

impl<G: Game> Solution<G> {
    /// Computes the values of the visited states. O(states and moves); [`Visit::make_room`] counts
    /// the bytes of the lists.
    pub(super) fn of_visit(visit: Visit) -> Self {
        let Visit { players, states, symmetries, starts, successors, movers, mut values, .. } = visit;
        let count = movers.len();
        // The predecessors of each state, as consecutive lists. Each list is filled from its end
        // down, so that its start is known at the end.
        let mut before_starts = vec![0_u32; count + 1];
        successors.iter().for_each(|&successor| before_starts[successor as usize] += 1);
        (0..count).for_each(|number| before_starts[number + 1] += before_starts[number]);
        let mut before = vec![0_u32; successors.len()];
        for number in (0..count).rev() {
            for &successor in &successors[starts[number] as usize..starts[number + 1] as usize] {
                let place = &mut before_starts[successor as usize];
                *place -= 1;
                before[*place as usize] = number as u32;
            }
        }
        let mut distances = vec![NONE; count];
        let ends = || (0..count as u32).filter(|&number| movers[number as usize] == END);
        // The states with new values whose predecessors are not updated yet; each state enters the
        // queue once.
        let mut queue: VecDeque<u32> = VecDeque::with_capacity(count);
        // First the values above 0 that one player can force, greatest first, then those below 0
        // that the other can.
        for (mover, sign) in [(0_u8, 1_i8), (1, -1)] {
            let mut left: Vec<u32> = (0..count).map(|number| starts[number + 1] - starts[number]).collect();
            let mut worths = BTreeSet::new();
            let worth = |end: u32| values[end as usize].saturating_mul(sign);
            worths.extend(ends().map(worth).filter(|&worth| worth > 0));
            for worth in worths.into_iter().rev() {
                let value = worth * sign;
                queue.extend(ends().filter(|&end| values[end as usize] == value));
                queue.iter().for_each(|&end| distances[end as usize] = 0);
                while let Some(number) = queue.pop_front() {
                    let range = before_starts[number as usize]..before_starts[number as usize + 1];
                    for &parent in &before[range.start as usize..range.end as usize] {
                        let place = parent as usize;
                        left[place] -= 1;
                        let is_forced = movers[place] == mover || left[place] == 0;
                        if distances[place] == NONE && is_forced {
                            values[place] = value;
                            distances[place] = distances[number as usize] + 1;
                            queue.push_back(parent);
                        }
                    }
                }
            }
        }
        Self { states, symmetries, values, distances, players, game: PhantomData }
    }
}

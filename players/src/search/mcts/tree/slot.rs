//! Slots of a tree: a move with its statistics, the choice of the next move to try, and the choice
//! of the move to make.

use gdl_runtime::chance::Stream;

/// The width of an untried move's bound, relative to 1 for a move tried once, since its expected
/// value is uncertain.
const UNTRIED: f32 = 2.0;

/// A move of a role and its statistics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) action: u32,
    pub(super) child: u32,
    /// The number of visits, including those in progress, and the sum of the role's values.
    pub(super) visits: u32,
    pub(super) sum: f32,
    /// The role's value at the end of the best line after the move; negative if unknown.
    pub(super) worth: f32,
    pub(super) is_proved: bool,
}

impl Slot {
    pub(super) fn mean(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { self.sum / self.visits as f32 }
    }
}

/// The weights of the bound that moves are compared by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) exploration: f32,
    /// The weight of the best line's value relative to the mean.
    pub(super) minimax: f32,
}

/// Returns the slot with the greatest upper bound, to try next (Auer, Cesa-Bianchi and Fischer,
/// "Finite-time analysis of the multiarmed bandit problem", 2002; Kocsis and Szepesvári, "Bandit
/// based Monte-Carlo planning", 2006). `expected` returns the expected value of an untried move;
/// infinity makes untried moves come first.
pub(super) fn best(
    slots: &[Slot],
    visits: u32,
    bounds: Bounds,
    stream: &mut Stream,
    expected: impl Fn(u32) -> f32,
) -> usize {
    let wide = 100.0 * bounds.exploration * libm::logf(visits.max(1) as f32).sqrt();
    let bound = |slot: &Slot| {
        if slot.visits == 0 {
            return expected(slot.action) + UNTRIED * wide;
        }
        let mean = slot.mean();
        if slot.is_proved {
            return mean;
        }
        let ahead = if slot.worth >= 0.0 { bounds.minimax * (slot.worth - mean) } else { 0.0 };
        mean + ahead + wide / (slot.visits as f32).sqrt()
    };
    // Ties are broken by a random start.
    let start = stream.below(slots.len() as u64) as usize;
    let mut most = (start, f32::NEG_INFINITY);
    for place in (start..slots.len()).chain(0..start) {
        let bound = bound(&slots[place]);
        if bound > most.1 {
            most = (place, bound);
        }
    }
    most.0
}

/// Returns the slot to play. A proved slot with the greatest possible goal comes first. Otherwise
/// it is the most visited unproved slot, unless the mean of a proved one is at least as great.
pub(super) fn choose(slots: &[Slot], greatest: f32) -> Option<usize> {
    let won = slots.iter().position(|slot| slot.is_proved && slot.mean() >= greatest);
    let open = |slot: &&Slot| !slot.is_proved;
    let tried = slots.iter().enumerate().filter(|(_, slot)| open(slot)).max_by(|a, b| {
        a.1.visits.cmp(&b.1.visits).then(a.1.mean().total_cmp(&b.1.mean())).then(b.0.cmp(&a.0))
    });
    let proved = slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| !open(slot))
        .max_by(|a, b| a.1.mean().total_cmp(&b.1.mean()).then(b.0.cmp(&a.0)));
    let better = match (tried, proved) {
        (Some(tried), Some(proved)) if proved.1.mean() >= tried.1.mean() => Some(proved.0),
        (Some(tried), _) => Some(tried.0),
        (None, proved) => proved.map(|(place, _)| place),
    };
    won.or(better)
}

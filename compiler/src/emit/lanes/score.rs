//! Scores as gates: from the goal values of a state to the items that tallies count, such as wins.
//!
//! The gates compute in all lanes the items that `Scorer` computes from one view. A goal may have
//! 256 values, and each is compared with all values of each player.

use crate::meter::Meter;
use gdl_format::{
    aig::{Aig, FALSE, TRUE},
    lanes::Item,
};

/// Makes the condition for scoring a game: each player has exactly one goal value. Also makes the
/// signals to count or observe in scored games, goals of zero last. `goals` has each role's values,
/// ascending, and the signals of the values. The role `chance` is not a player.
pub(super) fn score(
    gates: &mut Aig,
    goals: &[Vec<(u8, u32)>],
    chance: Option<usize>,
    meter: &mut Meter,
) -> Option<(u32, Vec<(Item, u32)>)> {
    /// The largest number of values of a goal.
    const VALUES: usize = 256;
    let all = goals.len() + goals.iter().map(Vec::len).sum::<usize>();
    meter.spend((VALUES * all) as u64)?;
    meter.take(64 * all)?;
    let mut scored = TRUE;
    let (mut items, mut zeros) = (Vec::new(), Vec::new());
    for (role, values) in goals.iter().enumerate() {
        let (one, several) = one_or_more(gates, values.iter().map(|&(_, signal)| signal));
        let single = gates.and_not(one, several);
        let is_chance = chance == Some(role);
        if !is_chance {
            scored = gates.and(scored, single);
        }
        for &(value, signal) in values {
            let signal = if is_chance { gates.and(signal, single) } else { signal };
            let items = if value == 0 { &mut zeros } else { &mut items };
            items.push((Item::Goal { role, value }, signal));
        }
    }
    let players: Vec<usize> = (0..goals.len()).filter(|&role| chance != Some(role)).collect();
    if let [role] = players[..] {
        let full = goals[role].iter().find(|&&(value, _)| value == 100);
        items.extend(full.map(|&(_, signal)| (Item::Win { role }, signal)));
    } else {
        let best = best(gates, goals, &players);
        let (_, shared) = one_or_more(gates, best.iter().copied());
        for (&role, best) in players.iter().zip(best) {
            items.push((Item::Win { role }, gates.and_not(best, shared)));
            if players.len() > 2 {
                items.push((Item::Draw { role }, gates.and(best, shared)));
            }
        }
        if players.len() == 2 {
            items.push((Item::BothDraw, shared));
        }
    }
    items.append(&mut zeros);
    items.retain(|&(_, signal)| signal != FALSE);
    Some((scored, items))
}

/// Makes the signals "at least one holds" and "several hold".
fn one_or_more(gates: &mut Aig, signals: impl Iterator<Item = u32>) -> (u32, u32) {
    signals.fold((FALSE, FALSE), |(one, several), signal| {
        let both = gates.and(one, signal);
        (gates.or(one, signal), gates.or(several, both))
    })
}

/// Makes a signal for each player: true if no goal is above its own.
fn best(gates: &mut Aig, goals: &[Vec<(u8, u32)>], players: &[usize]) -> Vec<u32> {
    let mut values: Vec<u8> = goals.iter().flatten().map(|&(value, _)| value).collect();
    values.sort_unstable();
    values.dedup();
    let mut best = vec![FALSE; players.len()];
    let mut above = FALSE;
    for &value in values.iter().rev() {
        let mut here = FALSE;
        for (best, &role) in best.iter_mut().zip(players) {
            for &(_, signal) in goals[role].iter().filter(|goal| goal.0 == value) {
                let first = gates.and_not(signal, above);
                *best = gates.or(*best, first);
                here = gates.or(here, signal);
            }
        }
        above = gates.or(above, here);
    }
    best
}

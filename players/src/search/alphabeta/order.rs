//! Move ordering of alpha-beta, best first, by earlier cutoffs.
//!
//! The order is: first the move from the transposition table, then two that cut off other states at
//! the same depth (killers; Akl and Newborn, "The principal continuation and the killer heuristic",
//! 1977). The rest follow by how often and how deep each cut off any state (history; Schaeffer,
//! "The history heuristic", 1983).

use super::engine::{Engine, NONE, PlyFrame};
use gdl_runtime::{Game, game::Id};

impl<G: Game> Engine<G> {
    /// Orders the moves of the role and of the others; `known` is the move from the table.
    pub(super) fn order(&mut self, ply: usize, known: u32) {
        let (moves, history) = (self.moves, &self.history);
        let PlyFrame { options, own, other, killers, .. } = &mut self.frames[ply];
        let rank = |role: usize, action: u32| {
            let past = history[role * moves + action as usize].min(1 << 28);
            match action {
                _ if action == known => 1 << 31,
                _ if action == killers[0] => 1 << 30,
                _ if action == killers[1] => 1 << 29,
                _ => past,
            }
        };
        let fill =
            |list: &mut Vec<(u32, u32)>, role: usize, by_place: bool| {
                list.clear();
                let numbered = options.of(role).iter().map(|action| action.index() as u32).enumerate();
                list.extend(numbered.map(|(place, action)| {
                    (rank(role, action), if by_place { place as u32 } else { action })
                }));
                list.sort_unstable_by_key(|&(rank, number)| (std::cmp::Reverse(rank), number));
            };
        fill(own, self.role, false);
        other.clear();
        // Joint moves of several deciding roles are not ordered.
        let mut deciders = self.others.iter().filter(|&&role| options.of(role).len() > 1);
        if let (Some(&decider), None) = (deciders.next(), deciders.next()) {
            fill(other, decider, true);
        }
    }

    /// Sets the joint move of the others to that with index `way` in the order. Returns the move if
    /// only one of the others has a choice.
    pub(super) fn set_way(&mut self, ply: usize, way: u64) -> u32 {
        let PlyFrame { options, other, .. } = &mut self.frames[ply];
        let Some(&(_, place)) = other.get(way as usize) else {
            options.set_way(&self.others, way);
            return NONE;
        };
        // Only one of the others has a choice, so each of its moves is one joint move of the
        // others.
        options.set_way(&self.others, u64::from(place));
        let chosen = self.others.iter().find(|&&role| options.of(role).len() > 1);
        chosen.map_or(NONE, |&role| options.of(role)[place as usize].index() as u32)
    }

    /// Records a move that caused a cutoff as a killer and in the history.
    pub(super) fn note(&mut self, ply: usize, depth: u32, own_count: usize, action: u32) {
        if action == NONE {
            return;
        }
        let frame = &mut self.frames[ply];
        if frame.killers[0] != action {
            frame.killers = [action, frame.killers[0]];
        }
        let decider = self.others.iter().find(|&&role| frame.options.of(role).len() > 1);
        let role = if own_count > 1 { Some(&self.role) } else { decider };
        if let Some(&role) = role {
            let count = &mut self.history[role * self.moves + action as usize];
            *count = count.saturating_add(depth * depth);
        }
    }
}

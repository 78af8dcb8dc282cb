//! The root of a tree: the moves of a role there, how often each was tried and what it is worth.

use super::{
    Kind, NONE, Step, Tree,
    slot::{Slot, choose},
};
use crate::game::Game;

/// What the root says of a move.
pub(in crate::search::mcts) struct Tried {
    pub(in crate::search::mcts) action: u32,
    pub(in crate::search::mcts) visits: u64,
    pub(in crate::search::mcts) value: f64,
}

impl<G: Game> Tree<G> {
    /// True if there is nothing more to find out.
    pub(in crate::search::mcts) fn is_proved(&self) -> bool {
        self.nodes[0].is_proved
    }

    /// The mean value of the root for a role.
    pub(in crate::search::mcts) fn value(&self, role: usize) -> Option<f64> {
        let visits = self.nodes[0].visits.max(u32::from(self.nodes[0].is_proved));
        let mean = self.mean(0)[role];
        (visits > 0).then_some(f64::from(mean))
    }

    /// The slots of a role at the root; none where it has no choice or mixes.
    fn slots_of(&self, role: usize) -> &[Slot] {
        let node = &self.nodes[0];
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        match &node.kind {
            Kind::Turn { role: mover } if *mover == role => slots,
            Kind::Apart { choices } => {
                let before: usize =
                    choices.iter().take_while(|&&(other, _)| other != role).map(|&(_, moves)| moves).sum();
                let own = choices.iter().find(|&&(other, _)| other == role).map_or(0, |&(_, moves)| moves);
                slots.get(before..before + own).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// What the root says of the moves of a role, in move order.
    pub(in crate::search::mcts) fn tried(&self, role: usize) -> Vec<Tried> {
        let tried = |slot: &Slot| Tried {
            action: slot.action,
            visits: slot.visits.into(),
            value: slot.mean().into(),
        };
        self.slots_of(role).iter().map(tried).collect()
    }

    /// The place among them of the move to make.
    pub(in crate::search::mcts) fn best(&self, role: usize) -> Option<usize> {
        choose(self.slots_of(role), self.payoff.range(role).1.into())
    }

    /// The mixed strategy of a role at the root, if several roles choose there: for each legal move, in move order, how
    /// likely it should be, and what it is worth.
    pub(in crate::search::mcts) fn mixed(&self, role: usize) -> Option<Vec<(f64, f64)>> {
        let Kind::Stage(stage) = &self.nodes[0].kind else { return None };
        let number = stage.decisions.iter().position(|decision| decision.role == role)?;
        // What is proved is proved of one joint move.
        let strategy = match self.saddle(0) {
            Some(cell) => {
                let own = stage.moves_of(cell)[number];
                (0..stage.strategy(number).len()).map(|place| f64::from(u8::from(place == own))).collect()
            }
            None => stage.strategy(number),
        };
        let worth = |(place, &likely): (usize, &f64)| (likely, stage.worth(number, place));
        Some(strategy.iter().enumerate().map(worth).collect())
    }

    /// How often the root was visited.
    pub(in crate::search::mcts) fn visits(&self) -> u32 {
        self.nodes[0].visits
    }

    /// Adds what another tree of the same root found of its moves.
    pub(in crate::search::mcts) fn merge(&mut self, other: &Self) {
        let slots = self.nodes[0].count.min(other.nodes[0].count) as usize;
        for (slot, more) in self.slots[..slots].iter_mut().zip(&other.slots) {
            if slot.is_proved {
                continue;
            }
            slot.visits += more.visits;
            slot.sum += more.sum;
        }
        let sums = self.sums[..self.roles].iter_mut().zip(&other.sums);
        if !self.nodes[0].is_proved {
            self.nodes[0].visits += other.nodes[0].visits;
            sums.for_each(|(sum, more)| *sum += more);
        }
        self.depth = self.depth.max(other.depth);
    }

    /// The joint moves tried most, as far as they were tried more than once.
    pub(in crate::search::mcts) fn line(&mut self, game: &G) -> Vec<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut at = 0_u32;
        loop {
            let node = &self.nodes[at as usize];
            let Kind::Turn { role } = node.kind else { break };
            let slots = &self.slots[node.first as usize..][..node.count as usize];
            let Some(slot) = choose(slots, f32::from(self.payoff.range(role).1)) else { break };
            let child = slots[slot].child;
            if child == NONE || slots[slot].visits < 2 {
                break;
            }
            let step = Step::Slot(node.first + slot as u32);
            self.follow(game, at, &step);
            line.push(self.options.joint().to_vec());
            at = child;
        }
        line
    }
}

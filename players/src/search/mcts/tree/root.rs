//! The root of a tree: the statistics of its moves, and the move to make.

use super::{
    NONE, Node, NodeKind, Tree, TreeStep,
    slot::{Slot, choose},
};
use gdl_runtime::Game;

/// The statistics of a move at the root.
pub(in crate::search::mcts) struct Tried {
    pub(in crate::search::mcts) action: u32,
    pub(in crate::search::mcts) visits: u64,
    pub(in crate::search::mcts) value: f64,
}

impl<G: Game> Tree<G> {
    /// Returns whether the value of the root is proved.
    pub(in crate::search::mcts) fn is_proved(&self) -> bool {
        self.top().is_proved
    }

    fn top(&self) -> &Node<G> {
        &self.nodes[self.root as usize]
    }

    /// Returns the mean value of the root for a role; `None` before the first visit.
    pub(in crate::search::mcts) fn value(&self, role: usize) -> Option<f64> {
        let visits = self.top().visits.max(u32::from(self.top().is_proved));
        let mean = self.mean(self.root)[role];
        (visits > 0).then_some(f64::from(mean))
    }

    /// Returns the slots of a role at the root; empty if it has no choice or a mixed strategy.
    fn slots_of(&self, role: usize) -> &[Slot] {
        let node = self.top();
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        match &node.kind {
            NodeKind::Turn { role: mover } if *mover == role => slots,
            NodeKind::Apart { choices } => {
                let before: usize =
                    choices.iter().take_while(|&&(other, _)| other != role).map(|&(_, moves)| moves).sum();
                let own = choices.iter().find(|&&(other, _)| other == role).map_or(0, |&(_, moves)| moves);
                slots.get(before..before + own).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// Returns the statistics of a role's moves at the root, in move order.
    pub(in crate::search::mcts) fn tried(&self, role: usize) -> Vec<Tried> {
        let tried = |slot: &Slot| Tried {
            action: slot.action,
            visits: slot.visits.into(),
            value: slot.mean().into(),
        };
        self.slots_of(role).iter().map(tried).collect()
    }

    /// Returns the index in [`Self::tried`] of the move to make.
    pub(in crate::search::mcts) fn best(&self, role: usize) -> Option<usize> {
        choose(self.slots_of(role), self.payoff.range(role).1.into())
    }

    /// Returns the probability and the value of each legal move of a role at the root, in move
    /// order. Returns `None` unless several roles choose there with mixed strategies, this role
    /// among them.
    pub(in crate::search::mcts) fn mixed(&self, role: usize) -> Option<Vec<(f64, f64)>> {
        let NodeKind::Stage(stage) = &self.top().kind else { return None };
        let number = stage.decisions.iter().position(|decision| decision.role == role)?;
        // A proof holds for the joint move of the saddle point.
        let strategy = match self.saddle(self.root) {
            Some(cell) => {
                let own = stage.moves_of(cell)[number];
                (0..stage.strategy(number).len()).map(|place| f64::from(u8::from(place == own))).collect()
            }
            None => stage.strategy(number),
        };
        let worth = |(place, &likely): (usize, &f64)| (likely, stage.worth(number, place));
        Some(strategy.iter().enumerate().map(worth).collect())
    }

    /// Returns the number of visits of the root.
    pub(in crate::search::mcts) fn visits(&self) -> u32 {
        self.top().visits
    }

    /// Adds the statistics of another tree with the same root. A value proved in either tree is
    /// proved.
    pub(in crate::search::mcts) fn merge(&mut self, other: &Self) {
        let more = other.top();
        let top = &mut self.nodes[self.root as usize];
        let (first, count) = (top.first as usize, top.count as usize);
        let slots = self.slots[first..first + count].iter_mut();
        for (slot, more) in slots.zip(&other.slots[more.first as usize..][..more.count as usize]) {
            let mean = [&*slot, more].into_iter().find(|slot| slot.is_proved).map(Slot::mean);
            slot.visits += more.visits;
            slot.sum = mean.map_or(slot.sum + more.sum, |mean| mean * slot.visits as f32);
            slot.is_proved |= more.is_proved;
        }
        if let (NodeKind::Stage(stage), NodeKind::Stage(more)) = (&mut top.kind, &more.kind) {
            stage.merge(more);
        }
        let sums = &mut self.sums[self.root as usize * self.roles..][..self.roles];
        let found = &other.sums[other.root as usize * self.roles..][..self.roles];
        if more.is_proved {
            sums.copy_from_slice(found);
        } else if !top.is_proved {
            sums.iter_mut().zip(found).for_each(|(sum, more)| *sum += more);
        }
        top.visits += more.visits;
        top.is_proved |= more.is_proved;
        self.depth = self.depth.max(other.depth);
    }

    /// Returns the principal variation: the joint moves with the best slots, as far as they were
    /// visited more than once.
    pub(in crate::search::mcts) fn line(&mut self, game: &G) -> Vec<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut at = self.root;
        loop {
            let node = &self.nodes[at as usize];
            let NodeKind::Turn { role } = node.kind else { break };
            let slots = &self.slots[node.first as usize..][..node.count as usize];
            let Some(slot) = choose(slots, f32::from(self.payoff.range(role).1)) else { break };
            let child = slots[slot].child;
            if child == NONE || slots[slot].visits < 2 {
                break;
            }
            let step = TreeStep::Slot(node.first + slot as u32);
            self.follow(game, at, &step);
            line.push(self.options.joint().to_vec());
            at = child;
        }
        line
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use crate::{player::Budget, search::Mcts};
    use gdl_runtime::{Game, GameExt, game::Id, load};

    #[test]
    fn what_one_tree_proved_is_proved_of_both() {
        let game = load(include_str!("../../../../../games/board/tictactoe.kif")).expect("a sound rulesheet");
        let mut state = game.initial();
        for text in ["(mark 1 1)", "(mark 3 3)", "(mark 1 2)"] {
            let mark = game.parse_move(text).expect("a move");
            state = game.apply_one(&state, mark).expect("a legal move");
        }
        let role = game.to_play(&state).expect("a role");
        let search = |nodes, seed| {
            let mut mcts = Mcts::new().seed(seed).single();
            let found = mcts.search(&game, &state, role, &Budget::of_nodes(nodes));
            (mcts.tree.take().expect("a tree"), found.report.exact)
        };
        let (proved, is_proved) = search(10_000, 1);
        let (open, is_open) = search(10, 2);
        assert!(is_proved && !is_open);
        // Merges in both directions.
        for (mut first, second) in [(search(10, 2).0, &proved), (search(10_000, 1).0, &open)] {
            let visits = first.visits() + second.visits();
            let slots = first.slots_of(role.index()).iter().zip(second.slots_of(role.index()));
            let expected: Vec<bool> = slots.map(|(a, b)| a.is_proved || b.is_proved).collect();
            first.merge(second);
            let slots = first.slots_of(role.index()).iter();
            assert_eq!(slots.map(|slot| slot.is_proved).collect::<Vec<_>>(), expected);
            assert!(first.is_proved());
            assert_eq!(first.value(role.index()), proved.value(role.index()));
            assert_eq!(first.visits(), visits);
            let best = first.tried(role.index())[first.best(role.index()).expect("a move")].action;
            assert_eq!(best, proved.tried(role.index())[proved.best(role.index()).expect("a move")].action);
        }
    }
}

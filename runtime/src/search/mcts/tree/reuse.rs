//! Reuse of a tree when play has gone on: what is below the state that it came to stays, the rest is dropped.

use super::{Kind, NONE, Node, Tree};
use crate::{game::Game, search::memory::hash};
use std::collections::VecDeque;

impl<G: Game> Tree<G> {
    /// The part of the tree below a state, however far down, if it is known.
    pub(in crate::search::mcts) fn below(&self, game: &G, state: &G::State) -> Option<Self> {
        let is_it = |&number: &u32| self.nodes[number as usize].state == *state;
        let number = self.numbers.find(hash(state.as_ref()), is_it)?;
        Some(self.copy(game, *number))
    }

    /// A tree of what is below a node.
    fn copy(&self, game: &G, root: u32) -> Self {
        let mut tree = Self::new(game, &self.nodes[root as usize].state, self.rules);
        tree.nodes.clear();
        tree.slots.clear();
        tree.sums.clear();
        tree.worths.clear();
        tree.numbers.clear();
        tree.more_bytes = 0;
        tree.advantages.clone_from(&self.advantages);
        if let Some(advantages) = &mut tree.advantages {
            advantages.fade();
        }
        let mut numbers = vec![NONE; self.nodes.len()];
        numbers[root as usize] = 0;
        let mut queue = VecDeque::from([root]);
        let mut next = 1_u32;
        while let Some(old) = queue.pop_front() {
            let node = &self.nodes[old as usize];
            let first = tree.slots.len() as u32;
            let mut renumber = |child: &mut u32| {
                if *child != NONE {
                    let number = &mut numbers[*child as usize];
                    if *number == NONE {
                        queue.push_back(*child);
                        *number = next;
                        next += 1;
                    }
                    *child = *number;
                }
            };
            let mut kind = node.kind.clone();
            if let Kind::Stage(stage) = &mut kind {
                stage.children.iter_mut().for_each(&mut renumber);
                tree.more_bytes += stage.bytes();
            }
            for slot in &self.slots[node.first as usize..][..node.count as usize] {
                let mut slot = *slot;
                renumber(&mut slot.child);
                tree.slots.push(slot);
            }
            let own = old as usize * self.roles..(old as usize + 1) * self.roles;
            tree.sums.extend(&self.sums[own.clone()]);
            tree.worths.extend(&self.worths[own]);
            tree.nodes.push(Node { state: node.state.clone(), kind, first, ..*node });
            tree.index(tree.nodes.len() as u32 - 1);
        }
        tree
    }
}

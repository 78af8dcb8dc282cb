//! Reuse of a tree when play has gone on: what is below the state that it came to stays, the rest is dropped.

use super::{Kind, NONE, Node, Tree};
use crate::game::Game;
use std::collections::VecDeque;

impl<G: Game> Tree<G> {
    /// The part of the tree below a state that is at most so many moves away, if there is one.
    pub(in crate::search::mcts) fn below(&self, game: &G, state: &G::State, moves: u32) -> Option<Self> {
        let mut queue = VecDeque::from([(0_u32, 0_u32)]);
        while let Some((at, depth)) = queue.pop_front() {
            if self.nodes[at as usize].state == *state {
                return Some(self.copy(game, at));
            }
            if depth < moves {
                queue.extend(self.children(at).into_iter().map(|child| (child, depth + 1)));
            }
        }
        None
    }

    fn children(&self, at: u32) -> Vec<u32> {
        let node = &self.nodes[at as usize];
        match &node.kind {
            Kind::Stage(stage) => stage.children.iter().copied().filter(|&child| child != NONE).collect(),
            // What is reached by joint moves that are hashed is left behind.
            Kind::Apart { .. } => Vec::new(),
            _ => {
                let slots = &self.slots[node.first as usize..][..node.count as usize];
                slots.iter().map(|slot| slot.child).filter(|&child| child != NONE).collect()
            }
        }
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

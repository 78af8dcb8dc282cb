//! Reuse of a tree after a move: the part below the new state is compacted to the front of the
//! lists, and the rest is dropped.
//!
//! Compaction takes [`Tree::REUSE`] bytes for each node, in addition to the tree. Children of
//! [`NodeKind::Apart`] nodes are dropped too.

use super::{NONE, NodeKind, Tree};
use crate::search::memory::hash;
use gdl_runtime::Game;

impl<G: Game> Tree<G> {
    /// The bytes for each node: its new number, and a place in the queue of the breadth-first
    /// search.
    pub(super) const REUSE: usize = 2 * size_of::<u32>();

    /// Returns the part of the tree below a state at any depth, if the state has a node. If that
    /// node is the root, the tree stays unchanged, since compacting a large tree may take longer
    /// than the remaining time.
    pub(in crate::search::mcts) fn below(mut self, state: &G::State) -> Option<Self> {
        let is_it = |&number: &u32| self.nodes[number as usize].state == *state;
        let root = *self.numbers.find(hash(state.as_ref()), is_it)?;
        if root != self.root {
            self.keep(root);
        }
        Some(self)
    }

    /// Drops all nodes that are not reachable from `root`, which becomes the root.
    fn keep(&mut self, root: u32) {
        let mut numbers = self.reached(root);
        // Nodes keep their order, so each moves to an earlier place, which is free by then.
        let mut next = 0;
        for number in numbers.iter_mut().filter(|number| **number != NONE) {
            *number = next;
            next += 1;
        }
        let renumber = |child: &mut u32| {
            if *child != NONE {
                *child = numbers[*child as usize];
            }
        };
        let (mut first, mut more_bytes) = (0, 0);
        for (old, &new) in numbers.iter().enumerate().filter(|&(_, &new)| new != NONE) {
            let (new, roles) = (new as usize, self.roles);
            let node = &mut self.nodes[old];
            let own = node.first as usize..(node.first + node.count) as usize;
            node.first = first as u32;
            if let NodeKind::Stage(stage) = &mut node.kind {
                stage.children.iter_mut().for_each(renumber);
                more_bytes += stage.bytes();
            }
            self.slots[own.clone()].iter_mut().for_each(|slot| renumber(&mut slot.child));
            self.slots.copy_within(own.clone(), first);
            first += own.len();
            for list in [&mut self.sums, &mut self.worths] {
                list.copy_within(old * roles..(old + 1) * roles, new * roles);
            }
            self.nodes.swap(old, new);
        }
        self.root = numbers[root as usize];
        drop(numbers);
        self.nodes.truncate(next as usize);
        self.slots.truncate(first);
        self.sums.truncate(next as usize * self.roles);
        self.worths.truncate(next as usize * self.roles);
        self.numbers.clear();
        (0..next).for_each(|number| self.index(number));
        self.apart.clear();
        self.more_bytes = more_bytes;
        self.depth = 0;
        if let Some(advantages) = &mut self.advantages {
            advantages.fade();
        }
    }

    /// Returns 0 for each node that is `root` or reachable from it, and [`NONE`] for the others.
    fn reached(&self, root: u32) -> Vec<u32> {
        let mut numbers = vec![NONE; self.nodes.len()];
        let mut queue = Vec::with_capacity(self.nodes.len());
        let mut reach = |child: u32, queue: &mut Vec<u32>| {
            if child != NONE && numbers[child as usize] == NONE {
                numbers[child as usize] = 0;
                queue.push(child);
            }
        };
        reach(root, &mut queue);
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            let node = &self.nodes[at as usize];
            if let NodeKind::Stage(stage) = &node.kind {
                stage.children.iter().for_each(|&child| reach(child, &mut queue));
            }
            let slots = &self.slots[node.first as usize..][..node.count as usize];
            slots.iter().for_each(|slot| reach(slot.child, &mut queue));
        }
        numbers
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::{player::Budget, search::Mcts};
    use gdl_runtime::{Dynamic, Game, GameExt, bits::BitBox, load};

    #[test]
    fn a_tree_whose_root_stays_is_not_gone_through() {
        let game = load(include_str!("../../../../../games/board/tictactoe.kif")).expect("a sound rulesheet");
        let start = game.initial();
        let role = game.to_play(&start).expect("a role");
        let mut mcts = Mcts::new().seed(1).single();
        mcts.search(&game, &start, role, &Budget::of_nodes(2000));
        let tree = mcts.tree.take().expect("a tree");
        let (depth, nodes) = (tree.depth, tree.nodes.len());
        assert!(depth > 0);
        let tree = tree.below(&start).expect("the root is known");
        assert_eq!((tree.depth, tree.nodes.len()), (depth, nodes));
    }

    #[test]
    fn what_is_below_a_state_stays_as_it_was() {
        let game = load(include_str!("../../../../../games/board/tictactoe.kif")).expect("a sound rulesheet");
        let start = game.initial();
        let role = game.to_play(&start).expect("a role");
        let grown = || {
            let mut mcts = Mcts::new().seed(1).single();
            mcts.search(&game, &start, role, &Budget::of_nodes(2000));
            mcts.tree.take().expect("a tree")
        };
        let whole = grown();
        let known = |tree: &Tree<Dynamic>, state: &BitBox| {
            let is_it = |&number: &u32| tree.nodes[number as usize].state == *state;
            tree.numbers.find(hash(state.as_ref()), is_it).copied()
        };
        let mut later_roots = 0;
        // Nodes with at least six visits.
        let visited = (0..whole.nodes.len()).filter(|&number| whole.nodes[number].visits >= 6);
        for number in visited.skip(1).step_by(3) {
            let state = whole.nodes[number].state.clone();
            let tree = grown().below(&state).expect("it is known");
            assert!(tree.nodes[tree.root as usize].state == state);
            later_roots += usize::from(tree.root > 0);
            for (number, node) in tree.nodes.iter().enumerate() {
                // Of equal states, the index has the last node.
                let before = known(&whole, &node.state).expect("a node of before") as usize;
                if known(&tree, &node.state) != Some(number as u32) || whole.nodes[before].level != node.level
                {
                    continue;
                }
                let of = |tree: &Tree<Dynamic>, number: usize| {
                    let node = &tree.nodes[number];
                    let slots = tree.slots[node.first as usize..][..node.count as usize].iter();
                    let child = |child: u32| tree.nodes.get(child as usize).map(|child| child.state.clone());
                    let slots: Vec<_> =
                        slots.map(|slot| (slot.action, slot.visits, child(slot.child))).collect();
                    (slots, tree.mean(number as u32), tree.worths[number * 2..][..2].to_vec())
                };
                assert!(of(&tree, number) == of(&whole, before));
            }
        }
        assert!(later_roots > 0, "some child was met before");
    }
}

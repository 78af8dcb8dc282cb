//! Backup: propagates the value of the state at the end of a path to the means, best lines and
//! proofs of all nodes on it.

use super::{NONE, NodeKind, Path, Reply, Tree, TreeStep, slot::Slot};
use gdl_runtime::Game;

impl<G: Game> Tree<G> {
    /// Adds the values of a state to all nodes of its path. Proved values replace `judged`.
    pub(in crate::search::mcts) fn backup(&mut self, path: &Path, judged: &[f32]) {
        let mut values = judged.to_vec();
        let mut below = path.node;
        let mut proved = None;
        if let Some(leaf) = path.node {
            if self.nodes[leaf as usize].is_proved {
                values = self.mean(leaf);
                proved = self.rules.proves.then_some(leaf);
            } else {
                self.count(leaf, &values);
                self.worths[leaf as usize * self.roles..][..self.roles].copy_from_slice(&values);
            }
        }
        self.learn(path, &values);
        for (at, step) in path.steps.iter().rev() {
            match (step, &mut self.nodes[*at as usize].kind) {
                (TreeStep::Slot(slot), kind) => {
                    let role = match kind {
                        NodeKind::Turn { role } => *role,
                        _ => 0,
                    };
                    let slot = &mut self.slots[*slot as usize];
                    slot.sum += values[role];
                    if let Some(child) = below {
                        slot.worth = self.worths[child as usize * self.roles + role];
                    }
                    if let Some(child) = proved {
                        slot.is_proved = true;
                        slot.sum = self.sums[child as usize * self.roles + role] * slot.visits as f32;
                    }
                }
                (TreeStep::Cell(cell), NodeKind::Stage(stage)) => {
                    stage.learn(*cell as usize, &values);
                    if proved.is_some() {
                        stage.settle(*cell as usize, &values);
                    }
                }
                (TreeStep::Slots(slots), NodeKind::Apart { choices }) => {
                    for (&(role, _), &slot) in choices.iter().zip(slots) {
                        self.slots[slot as usize].sum += values[role];
                    }
                }
                _ => {}
            }
            proved = proved.and_then(|_| self.prove(*at));
            if let Some(node) = proved {
                values = self.mean(node);
            } else {
                self.count(*at, &values);
            }
            self.settle(*at);
            below = Some(*at);
        }
    }

    /// Adds the advantage of the last move of a path over its state, if a single role chose it.
    fn learn(&mut self, path: &Path, values: &[f32]) {
        let [before @ .., (at, step)] = &path.steps[..] else { return };
        let (Some(action), NodeKind::Turn { role }) =
            (self.action(Some(step)), &self.nodes[*at as usize].kind)
        else {
            return;
        };
        let (role, to) = (*role, self.action(before.last().map(|(_, step)| step)));
        let more = values[role] - self.expected(*at, role);
        if let Some(advantages) = &mut self.advantages {
            advantages.learn(Reply { role, action, to }, more);
        }
    }

    /// Sets the value of a node's best line to the value of its best slot. If several roles or
    /// chance decide, the node is proved, or no slot has a value, sets it to the node's mean.
    fn settle(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let own = at as usize * self.roles;
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        let known = slots.iter().filter(|slot| slot.worth >= 0.0);
        match known.max_by(|a, b| a.worth.total_cmp(&b.worth)) {
            Some(best) if matches!(node.kind, NodeKind::Turn { .. }) && !node.is_proved => {
                let from = best.child as usize * self.roles;
                self.worths.copy_within(from..from + self.roles, own);
            }
            _ => {
                let mean = self.mean(at);
                self.worths[own..][..self.roles].copy_from_slice(&mean);
            }
        }
    }

    fn count(&mut self, node: u32, values: &[f32]) {
        if self.nodes[node as usize].is_proved {
            return;
        }
        let sums = &mut self.sums[node as usize * self.roles..][..self.roles];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }

    /// Returns the joint move of a stage that is a saddle point of proved values, if there is one.
    pub(super) fn saddle(&self, at: u32) -> Option<usize> {
        let NodeKind::Stage(stage) = &self.nodes[at as usize].kind else { return None };
        stage.saddle(|cell| {
            let child = stage.children[cell];
            let is_proved = child != NONE && self.nodes[child as usize].is_proved;
            is_proved.then(|| &self.sums[child as usize * self.roles..][..self.roles])
        })
    }

    /// Proves the value of a node if its children determine it (Winands, Björnsson and Saito,
    /// "Monte-Carlo tree search solver", 2008, for any number of roles and any goals). Returns the
    /// node if it is proved.
    fn prove(&mut self, at: u32) -> Option<u32> {
        let node = &self.nodes[at as usize];
        if node.is_proved {
            return Some(at);
        }
        let slots = &mut self.slots[node.first as usize..][..node.count as usize];
        let role = if let NodeKind::Turn { role } = node.kind { role } else { 0 };
        // Values of children that were proved on other paths count too.
        for slot in slots.iter_mut().filter(|slot| !slot.is_proved && slot.child != NONE) {
            if self.nodes[slot.child as usize].is_proved {
                let value = self.sums[slot.child as usize * self.roles + role];
                slot.visits = slot.visits.max(1);
                (slot.is_proved, slot.sum, slot.worth) = (true, value * slot.visits as f32, value);
            }
        }
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        let values = match &node.kind {
            NodeKind::Stage(stage) => {
                let child = stage.children[self.saddle(at)?] as usize;
                self.sums[child * self.roles..][..self.roles].to_vec()
            }
            &NodeKind::Turn { role } => {
                let best = slots.iter().filter(|slot| slot.is_proved).max_by(|a, b| {
                    let value = |slot: &Slot| self.sums[slot.child as usize * self.roles + role];
                    value(a).total_cmp(&value(b))
                })?;
                let values = self.sums[best.child as usize * self.roles..][..self.roles].to_vec();
                let is_most = values[role] >= f32::from(self.payoff.range(role).1);
                (is_most || slots.iter().all(|slot| slot.is_proved)).then_some(values)?
            }
            NodeKind::Chance if slots.iter().all(|slot| slot.is_proved) => {
                let mut values = vec![0.0; self.roles];
                for slot in slots {
                    let child = &self.sums[slot.child as usize * self.roles..][..self.roles];
                    values.iter_mut().zip(child).for_each(|(sum, value)| *sum += value / slots.len() as f32);
                }
                values
            }
            _ => return None,
        };
        self.sums[at as usize * self.roles..][..self.roles].copy_from_slice(&values);
        self.nodes[at as usize].is_proved = true;
        Some(at)
    }
}

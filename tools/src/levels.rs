//! The net of a game as levels of three-input gates, for programs that evaluate a level at once,
//! such as array libraries.
//!
//! A step is one [`Levels`]: the circuit that advances a state, then the circuit that observes the
//! next one. Gates that no output needs are dropped. A gate of two inputs may be merged into its
//! only user, which then has three inputs. In the built-in games this saves a third of the gates
//! and of the levels. The gates of a level depend on earlier levels only.

use gdl_runtime::engine::{Circuit, Table};

/// Goals are a separate circuit if they add more than `1 / GOALS_APART` of the step's gates.
const GOALS_APART: usize = 4;

/// A circuit of three-input gates, ordered by level.
///
/// A signal is twice its slot, plus one if complemented. Slot 0 is false; the inputs follow, then
/// the gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The number of inputs.
    pub inputs: usize,
    /// The gates: `[a, b, 2 * c + n]` is `((a & b) ^ n) & c` of the signals `a`, `b` and `c`.
    pub gates: Vec<[u32; 3]>,
    /// The number of gates of each level.
    pub sizes: Vec<u32>,
    /// The signals of the outputs.
    pub outputs: Vec<u32>,
}

/// The circuits of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepLevels {
    /// The circuit of a step. The inputs are the fluents, then each role's moves. The outputs are,
    /// in this order:
    ///
    /// - the next value of each fluent,
    /// - in the next state, the legality of each role's moves, then `terminal`,
    /// - in the next state, each role's goal values, unless they are a separate circuit,
    /// - each role's percepts of the step.
    pub step: Levels,
    /// The circuit of each role's goal values, with the fluents as inputs. `None` if `step` has
    /// them.
    pub goals: Option<Levels>,
}

impl StepLevels {
    /// Returns the circuits of a table. O(gates).
    #[must_use]
    pub fn new(table: &Table) -> Self {
        let moves_of = |role| table.vocabulary().moves_of(role).len();
        let moves = (0..table.shape().roles).map(moves_of).sum();
        let [observe, advance] = table.circuits();
        let (legal, goals) = observe.outputs().split_at(moves);
        let (terminal, goals) = goals.split_last().unwrap_or((&0, &[]));
        let seen: Vec<u32> = legal.iter().chain([terminal]).copied().collect();

        let fluents = table.shape().fluents;
        let inputs = advance.inputs() - 1;
        let step = |goals: &[u32]| {
            let mut net = Net::new(inputs);
            let own = net.own();
            let mut outputs = net.add(advance, &own, advance.outputs());
            let state = [&[0], &outputs[..]].concat();
            outputs.extend(net.add(observe, &state, &[&seen, goals].concat()));
            if let Some(perceive) = table.perception() {
                outputs.extend(net.add(perceive, &own, perceive.outputs()));
            }
            net.levels(outputs)
        };
        let (whole, without) = (step(goals), step(&[]));
        let apart = whole.gates.len().saturating_sub(without.gates.len());
        if GOALS_APART * apart <= whole.gates.len() {
            return Self { step: whole, goals: None };
        }
        let mut net = Net::new(fluents);
        let goals = net.add(observe, &net.own(), goals);
        Self { step: without, goals: Some(net.levels(goals)) }
    }
}

/// A network of two-input gates under construction. Node 0 is false; the inputs follow, then the
/// gates.
struct Net {
    inputs: usize,
    gates: Vec<[u32; 2]>,
}

impl Net {
    fn new(inputs: usize) -> Self {
        Self { inputs, gates: Vec::new() }
    }

    /// Returns the signals of the constant and the inputs.
    fn own(&self) -> Vec<u32> {
        (0..=self.inputs as u32).map(|node| 2 * node).collect()
    }

    /// Adds a circuit whose constant and inputs are `signals`. Returns the signals of `outputs`.
    fn add(&mut self, circuit: &Circuit, signals: &[u32], outputs: &[u32]) -> Vec<u32> {
        let mut signals = signals.to_vec();
        for gate in 0..circuit.size() {
            let operands = circuit.gate(gate).map(|signal| signals[signal as usize / 2] ^ (signal % 2));
            signals.push(2 * (1 + self.inputs + self.gates.len()) as u32);
            self.gates.push(operands);
        }
        outputs.iter().map(|&signal| signals[signal as usize / 2] ^ (signal % 2)).collect()
    }

    /// Returns the gates that `outputs` need, merged and ordered by level.
    fn levels(&self, mut outputs: Vec<u32>) -> Levels {
        let first = 1 + self.inputs;
        let node = |signal: u32| signal as usize / 2;
        let mut uses = vec![0_u32; first + self.gates.len()];
        outputs.iter().for_each(|&signal| uses[node(signal)] += 1);
        for (i, gate) in self.gates.iter().enumerate().rev() {
            if uses[first + i] > 0 {
                gate.iter().for_each(|&signal| uses[node(signal)] += 1);
            }
        }

        // For each node its level; for each gate the merged three-input gate, or `None` after the
        // gate was merged into its user.
        let mut level = vec![0_u32; uses.len()];
        let mut merged: Vec<Option<[u32; 3]>> = vec![None; self.gates.len()];
        let mut is_wide = vec![false; self.gates.len()];
        for (i, &[a, b]) in self.gates.iter().enumerate() {
            if uses[first + i] == 0 {
                continue;
            }
            let mergeable = |&(signal, _): &(u32, u32)| {
                node(signal) >= first && uses[node(signal)] == 1 && !is_wide[node(signal) - first]
            };
            let inner = [(a, b), (b, a)].into_iter().filter(mergeable).max_by_key(|pair| level[node(pair.0)]);
            let (operands, gate) = match inner {
                Some((inner, other)) => {
                    let [a, b] = self.gates[node(inner) - first];
                    merged[node(inner) - first] = None;
                    is_wide[i] = true;
                    ([a, b, other], [a, b, 2 * other + inner % 2])
                }
                None => ([a, a, b], [a, a, 2 * b]),
            };
            level[first + i] = 1 + operands.map(|signal| level[node(signal)]).into_iter().max().unwrap_or(0);
            merged[i] = Some(gate);
        }

        let mut order: Vec<usize> = (0..self.gates.len()).filter(|&i| merged[i].is_some()).collect();
        order.sort_by_key(|&i| level[first + i]);
        let mut slots: Vec<u32> = (0..uses.len() as u32).collect();
        let mut sizes = Vec::new();
        for (slot, &i) in (first as u32..).zip(&order) {
            slots[first + i] = slot;
            sizes.resize(level[first + i] as usize, 0);
            sizes[level[first + i] as usize - 1] += 1;
        }
        let rename = |signal: u32| 2 * slots[node(signal)] + signal % 2;
        outputs.iter_mut().for_each(|signal| *signal = rename(*signal));
        let gates = order.iter().filter_map(|&i| merged[i]);
        Levels {
            inputs: self.inputs,
            gates: gates.map(|[a, b, c]| [rename(a), rename(b), 2 * rename(c / 2) + c % 2]).collect(),
            sizes,
            outputs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::{Game, GameExt, bits, game::Id};

    fn evaluate(levels: &Levels, inputs: &[bool]) -> Vec<bool> {
        assert_eq!(inputs.len(), levels.inputs);
        let mut slots = [&[false], inputs].concat();
        for &size in &levels.sizes {
            let start = slots.len();
            let value = |signal: u32| {
                assert!((signal as usize / 2) < start, "a gate depends on earlier levels alone");
                slots[signal as usize / 2] ^ (signal % 2 == 1)
            };
            let gates = &levels.gates[start - 1 - levels.inputs..][..size as usize];
            let values = gates.iter().map(|&[a, b, c]| ((value(a) & value(b)) ^ (c % 2 == 1)) & value(c / 2));
            let values: Vec<bool> = values.collect();
            slots.extend(values);
        }
        levels.outputs.iter().map(|&signal| slots[signal as usize / 2] ^ (signal % 2 == 1)).collect()
    }

    fn row(words: &[u64], length: usize) -> Vec<bool> {
        (0..length).map(|bit| bits::test(words, bit)).collect()
    }

    /// Checks random play of each built-in game: circuits and engine agree in every step.
    #[test]
    fn levels_agree_with_the_engine() {
        let mut merged = 0;
        for entry in gdl_games::LIST {
            let Some(game) = gdl_games::dynamic(entry.name) else { continue };
            let Some(table) = game.table() else { continue };
            let levels = StepLevels::new(table);
            merged += levels.step.gates.iter().filter(|[a, b, _]| a != b).count();
            let (shape, vocabulary) = (game.shape(), game.vocabulary());
            let mut stream = gdl_runtime::chance::Stream::new(1, 0);
            let (mut state, mut view) = (game.initial(), game.new_view());
            for _ in 0..12 {
                game.observe(&state, &mut view);
                let joint: Option<Vec<_>> =
                    game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
                let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else { break };
                let mut inputs = row(state.as_ref(), shape.fluents);
                let mut percepts = vec![0; shape.roles * shape.percept_words()];
                game.perceive(&state, &joint, &mut percepts);
                game.advance(&mut state, &joint);
                game.observe(&state, &mut view);
                let mut expected = row(state.as_ref(), shape.fluents);
                let (mut goals, mut seen) = (Vec::new(), Vec::new());
                for role in 0..shape.roles {
                    let moves = vocabulary.moves_of(role);
                    inputs.extend(moves.iter().map(|&action| action as usize == joint[role].index()));
                    let legal =
                        |&action: &u32| bits::test(view.as_ref(), shape.legal_bit(role, action as usize));
                    expected.extend(moves.iter().map(legal));
                    let percept =
                        |&percept: &u32| bits::test(&percepts, shape.percept_bit(role, percept as usize));
                    seen.extend(vocabulary.percepts_of(role).iter().map(percept));
                }
                expected.push(bits::test(view.as_ref(), shape.terminal_bit()));
                goals.extend(
                    (shape.goal_bit()..shape.terminal_bit()).map(|bit| bits::test(view.as_ref(), bit)),
                );
                match &levels.goals {
                    Some(apart) => {
                        assert_eq!(evaluate(apart, &expected[..shape.fluents]), goals, "{}", entry.name);
                    }
                    None => expected.extend(goals),
                }
                expected.extend(seen);
                assert_eq!(evaluate(&levels.step, &inputs), expected, "{}", entry.name);
            }
        }
        assert!(merged > 1000);
    }
}

//! Steps as patches: what changes in a state when the roles make their moves.
//!
//! What moves do to a fluent is often constant, or follows from a few others, once they are known and are known to be legal. In
//! comes the circuit that advances any state by any moves; moves that are made often get what is left of it. That is
//! the whole step if the others always made the same moves with one, as they do where players take turns. Else a step is
//! what follows when nobody does anything, and then what each role's move changes in that.

use super::residual::{Habit, Residual};
use crate::{
    bits,
    circuit::{Circuit, Pair},
};
use rustc_hash::FxHasher;
use std::{
    hash::{Hash, Hasher},
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
};

/// Gates and outputs of all patches of a game: some ten megabytes. Moves beyond that run the circuit.
const BUDGET: usize = 1 << 20;

/// Inputs are loaded one by one where less than one fluent in so many is read, and else with the whole state, whose
/// fluents are loaded so many at once.
const FEW: usize = 8;

/// The residuals of a game's moves, as far as they are made.
#[derive(Debug)]
pub(super) struct Patches {
    /// What follows when nobody does anything.
    idle: Habit<Residual>,
    /// For each role its moves.
    moves: Box<[Box<[Move]>]>,
    /// What patches weigh together.
    weight: AtomicUsize,
}

/// What a move of a role changes.
#[derive(Debug, Default)]
struct Move {
    /// All that changes where the others make the moves that they always made with it.
    together: Habit<Together>,
    /// What it changes whatever the others do.
    alone: Habit<Residual>,
    /// A hash of the moves of all roles when it was made last; 0 if it was never made.
    last: AtomicU32,
    /// True if the others have made other moves with it.
    varies: AtomicBool,
}

/// All that changes where the roles make these moves, each given by role and place.
#[derive(Debug)]
struct Together {
    moves: Box<[(usize, usize)]>,
    patch: Residual,
}

/// What patches are made of.
#[derive(Clone, Copy)]
pub(super) struct Rules<'t> {
    pub(super) fluents: usize,
    pub(super) observe: &'t Circuit,
    pub(super) advance: &'t Circuit,
    /// The node of each role's first move.
    pub(super) does: &'t [u32],
}

impl Patches {
    /// No patches yet, for roles with so many moves.
    pub(super) fn new(moves: impl Iterator<Item = usize>) -> Self {
        let list = |count| (0..count).map(|_| Move::default()).collect();
        Self { idle: Habit::default(), moves: moves.map(list).collect(), weight: AtomicUsize::new(0) }
    }

    /// Steps a state, if there are patches for all moves, which `moves` gives by role and place. Else the state is as
    /// it was.
    #[inline]
    pub(super) fn apply(
        &self,
        rules: Rules<'_>,
        scratch: &mut [Pair],
        state: &mut [u64],
        moves: &[(usize, usize)],
    ) -> bool {
        let together = moves.iter().find_map(|&(role, place)| {
            let together =
                self.moves[role][place].together(moves, || self.afford(rules, rules.together(moves)))?;
            (*together.moves == *moves).then_some(&together.patch)
        });
        if let Some(patch) = together {
            if FEW * patch.reads() < rules.fluents {
                patch.load(scratch, |node| bits::test(state, node - 1));
            } else {
                Circuit::load_state(scratch, state, rules.fluents);
            }
            patch.write(scratch, state);
            return true;
        }
        let alone = |&(role, place): &(usize, usize)| {
            self.moves[role][place].alone.get(|| self.afford(rules, rules.alone(role, place)))
        };
        let reads = moves.iter().map(|made| alone(made).map(Residual::reads)).sum::<Option<usize>>();
        let Some(reads) = reads else { return false };
        let Some(idle) = self.idle.get(|| self.afford(rules, rules.idle())) else { return false };
        if FEW * (idle.reads() + reads) < rules.fluents {
            let value = |node: usize| {
                if node > rules.fluents {
                    moves.iter().any(|&(role, place)| rules.does[role] as usize + place == node)
                } else {
                    bits::test(state, node - 1)
                }
            };
            idle.load(scratch, value);
            moves.iter().filter_map(alone).for_each(|patch| patch.load(scratch, value));
        } else {
            rules.load(rules.advance, scratch, state, moves);
        }
        idle.write(scratch, state);
        moves.iter().filter_map(alone).for_each(|patch| patch.write(scratch, state));
        true
    }

    /// The residual, if it is worth while and there is room for it.
    fn afford(&self, rules: Rules<'_>, residual: Residual) -> Option<Residual> {
        let weight = residual.weight();
        let pays = 2 * weight < rules.advance.len() + rules.fluents;
        (pays && self.weight.fetch_add(weight, Ordering::Relaxed) < BUDGET).then_some(residual)
    }
}

impl Move {
    /// All that changes where the others make the moves that they always made with it, if they did. In come the moves of all
    /// roles and what changes by them.
    #[inline]
    fn together(
        &self,
        moves: &[(usize, usize)],
        patch: impl FnOnce() -> Option<Residual>,
    ) -> Option<&Together> {
        if self.together.is_open() {
            let mut hasher = FxHasher::default();
            moves.hash(&mut hasher);
            let all = hasher.finish() as u32 | 1;
            let last = self.last.swap(all, Ordering::Relaxed);
            if last != 0 && last != all {
                self.varies.store(true, Ordering::Relaxed);
            }
        }
        self.together.get(|| {
            let varies = self.varies.load(Ordering::Relaxed);
            let patch = if varies { None } else { patch() };
            patch.map(|patch| Together { moves: moves.into(), patch })
        })
    }
}

/// A table's copy makes its own.
impl Clone for Patches {
    fn clone(&self) -> Self {
        Self::new(self.moves.iter().map(|moves| moves.len()))
    }
}

impl Rules<'_> {
    /// Sets all inputs of a circuit that depends on the moves, which are given by role and place.
    #[inline]
    pub(super) fn load(
        self,
        circuit: &Circuit,
        scratch: &mut [Pair],
        state: &[u64],
        moves: &[(usize, usize)],
    ) {
        circuit.load(scratch, state, self.fluents);
        moves.iter().for_each(|&(role, place)| scratch[self.does[role] as usize + place] = [1, 0]);
    }

    /// What follows when nobody does anything.
    fn idle(self) -> Residual {
        let outputs: Vec<(u32, u32)> = self.advance.outputs().iter().copied().zip(0..).collect();
        Residual::new(self.advance, |node| (node > self.fluents).then_some(false), &outputs, true)
    }

    /// What changes when the roles make these moves, all of them legal, and the others none.
    fn together(self, joint: &[(usize, usize)]) -> Residual {
        let made: Vec<usize> = joint.iter().map(|&(role, place)| self.does[role] as usize + place).collect();
        let literals: Vec<u32> = made.iter().flat_map(|&node| self.literals(node)).collect();
        let known = |node: usize| {
            if node > self.fluents { Some(made.contains(&node)) } else { value(&literals, node) }
        };
        let outputs: Vec<(u32, u32)> = self.advance.outputs().iter().copied().zip(0..).collect();
        Residual::new(self.advance, known, &outputs, true)
    }

    /// What a legal move changes, whatever the others do.
    fn alone(self, role: usize, place: usize) -> Residual {
        let first = self.does[role] as usize;
        let end = self.does.get(role + 1).map_or(self.advance.inputs(), |&node| node as usize);
        let made = first + place;
        let touched = self.advance.reached(made);
        let outputs = self.advance.outputs().iter().copied().zip(0..);
        let outputs: Vec<(u32, u32)> = outputs.filter(|&(signal, _)| touched[signal as usize / 2]).collect();
        let literals = self.literals(made);
        let known = |node: usize| {
            if (first..end).contains(&node) { Some(node == made) } else { value(&literals, node) }
        };
        Residual::new(self.advance, known, &outputs, false)
    }

    /// What holds wherever the move of a node is legal.
    fn literals(self, made: usize) -> Vec<u32> {
        // The legality of a role's moves comes first among what is seen, role by role as the moves do.
        self.observe.literals(self.observe.outputs()[made - (1 + self.fluents)])
    }
}

/// The value of a node that is among some literals.
fn value(literals: &[u32], node: usize) -> Option<bool> {
    literals.iter().find(|&&signal| signal as usize / 2 == node).map(|signal| signal % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const FLUENTS: usize = 70;
    const MOVES: usize = 3;

    /// Random gates, each of an input and any signal; outputs are gates or, most of them, the first inputs.
    fn circuit(stream: &mut Stream, inputs: usize, gates: usize, outputs: usize) -> Circuit {
        let signal = |stream: &mut Stream, nodes: usize| 2 + stream.below(2 * nodes as u64 - 2) as u32;
        let nodes = inputs + gates;
        let list = (inputs..nodes).map(|end| [signal(stream, inputs), signal(stream, end)]).collect();
        let output =
            |i| if stream.below(4) > 0 { 1 + i } else { inputs + stream.below(gates as u64) as usize };
        let outputs = (0..outputs).map(output).map(|node| 2 * node as u32).collect();
        Circuit::new(inputs, list, outputs)
    }

    fn run(circuit: &Circuit, load: impl Fn(&mut [Pair])) -> Vec<bool> {
        let mut values = Vec::new();
        circuit.with_scratch(|scratch| {
            load(scratch);
            let signals = circuit.run(scratch);
            values.extend(circuit.outputs().iter().map(|&signal| signals[signal as usize] == 1));
        });
        values
    }

    /// Random states and legal moves of two roles. The second makes the same move for the first rounds, then any.
    #[test]
    fn steps_are_what_the_circuit_says() {
        let mut stream = Stream::new(5, 1);
        let (mut together, mut alone) = (0, 0);
        for _ in 0..40 {
            let observe = circuit(&mut stream, 1 + FLUENTS, 10, 2 * MOVES);
            let advance = circuit(&mut stream, 1 + FLUENTS + 2 * MOVES, 4 * FLUENTS, FLUENTS);
            let does = [1 + FLUENTS as u32, (1 + FLUENTS + MOVES) as u32];
            let rules = Rules { fluents: FLUENTS, observe: &observe, advance: &advance, does: &does };
            let patches = Patches::new([MOVES; 2].into_iter());
            for round in 0..700 {
                let others = if round < 350 { 1 } else { MOVES as u64 };
                let joint = [(0, stream.below(MOVES as u64) as usize), (1, stream.below(others) as usize)];
                let mut state = [stream.below(u64::MAX), stream.below(1 << (FLUENTS - 64))];
                for (role, place) in joint {
                    for signal in rules.literals(does[role] as usize + place) {
                        let (word, bit) = (signal as usize / 2 - 1, u64::from(signal % 2 == 0));
                        let (word, place) = (&mut state[word / 64], word % 64);
                        *word = *word & !(1 << place) | bit << place;
                    }
                }
                let legal = run(&observe, |scratch| observe.load(scratch, &state, FLUENTS));
                if joint.iter().any(|&(role, place)| !legal[role * MOVES + place]) {
                    continue;
                }
                let load = |scratch: &mut [Pair]| rules.load(&advance, scratch, &state, &joint);
                let expected = run(&advance, load);
                let mut applied = false;
                let before = state;
                advance.with_scratch(|scratch| {
                    applied = patches.apply(rules, scratch, &mut state, &joint);
                });
                if applied {
                    let seen: Vec<bool> = (0..FLUENTS).map(|fluent| bits::test(&state, fluent)).collect();
                    assert_eq!(seen, expected);
                    let first = &patches.moves[0][joint[0].1].together;
                    let whole = first.made().is_some_and(|all| all.moves[..] == joint);
                    *(if whole { &mut together } else { &mut alone }) += 1;
                } else {
                    assert_eq!(state, before);
                }
            }
        }
        assert!(together > 100 && alone > 100, "{together} steps by all moves at once, {alone} move by move");
    }
}

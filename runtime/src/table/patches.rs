//! Steps as patches: residuals of the circuit that advances states, each for a frequent move.
//!
//! Once the moves are known to be made and legal, a fluent's next value is often constant, or a
//! function of few others. So frequent moves get a residual of the circuit. There are three forms:
//!
//! - With few joint moves, each gets a residual of the whole step, run 64 gates at a time if that
//!   is faster ([`Wide`]).
//! - With more joint moves, a move gets a residual of the whole step if the other roles always made
//!   the same moves with it, as in turn-based games.
//! - Otherwise a step is the step without moves, followed by the effect of each role's move.
//!
//! A step looks up each role's move a constant number of times. It runs no more gates than the
//! circuit has: patches that together have more gates are not used. The second form compares all
//! moves for each role, so games with more than [`MOST_TOGETHER`] roles do not use it. The
//! [`ByteBudget`] of the table bounds the bytes of patches; [`MOST_MOVES`] and [`MOST_JOINT`] bound
//! the counters.

use super::{
    memo::Memo,
    residual::{ByteBudget, HotCounter, Residual},
    wide::Wide,
};
use crate::{
    bits,
    circuit::{Circuit, Pair},
};
use rustc_hash::FxHasher;
use std::{
    hash::{Hash, Hasher},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

/// The maximum number of roles whose moves are patched together, since a step compares each move
/// once for each role.
const MOST_TOGETHER: usize = 16;

/// The maximum number of joint moves of a game in which each joint move gets a patch. With more of
/// them, each is made too rarely.
const MOST_JOINT: usize = 1 << 12;

/// The maximum number of moves of all roles that are counted, at about 64 bytes each. Games with
/// more moves run the circuit.
const MOST_MOVES: usize = 1 << 18;

/// Patches that read less than one in this number of the fluents load their inputs one by one.
/// Otherwise the whole state is loaded, many fluents at once.
const FEW: usize = 8;

/// Patches of at most this weight run gate by gate and without a memo, since both alternatives copy
/// the state.
const SHORT: usize = 128;

/// The patches of a game's moves, as far as they are made.
#[derive(Debug)]
pub(super) struct Patches {
    /// The residual of the step in which no role moves.
    idle: HotCounter<Residual>,
    /// The moves of each role; empty if there are too many to be counted.
    moves: Box<[Box<[Move]>]>,
    /// The whole step of each joint move; empty if there are more than [`MOST_JOINT`]. The index is
    /// a number whose digits are the places of the roles' moves, the first role's the highest.
    joint: Box<[HotCounter<Joint>]>,
}

/// The patches of one role's move.
#[derive(Debug, Default)]
struct Move {
    /// The whole step with the moves that the others always made with this one.
    together: HotCounter<Together>,
    /// The effect of the move for any moves of the others.
    alone: HotCounter<Residual>,
    /// A hash of the joint move when this move was made last; 0 if never.
    last: AtomicU32,
    /// True if the other roles have made different moves with this one.
    varies: AtomicBool,
}

/// The whole step of one joint move.
#[derive(Debug)]
struct Joint {
    next: Next,
    /// Recent states with their successors by this joint move, if the patch is long.
    memo: Option<Memo>,
}

#[derive(Debug)]
enum Next {
    /// A residual that writes the fluents that change.
    Narrow(Residual),
    /// A residual that writes all fluents, 64 gates at a time.
    Wide(Wide),
}

/// The whole step of a joint move, whose moves are given by role and place.
#[derive(Debug)]
struct Together {
    moves: Box<[(usize, usize)]>,
    patch: Residual,
}

/// The circuits from which patches are made.
#[derive(Clone, Copy)]
pub(super) struct Rules<'t> {
    pub(super) fluents: usize,
    pub(super) observe: &'t Circuit,
    pub(super) advance: &'t Circuit,
    /// The node of each role's first move.
    pub(super) does: &'t [u32],
}

impl Patches {
    /// Creates an empty set of patches, for roles with the given numbers of moves.
    pub(super) fn new(moves: impl Iterator<Item = usize> + Clone) -> Self {
        let is_watched = moves.clone().sum::<usize>() <= MOST_MOVES;
        let product = moves.clone().try_fold(1_usize, usize::checked_mul);
        let joint = product.filter(|&count| moves.clone().count() > 1 && count <= MOST_JOINT).unwrap_or(0);
        let joint = (0..joint).map(|_| HotCounter::default()).collect();
        let list = |count| (0..count).map(|_| Move::default()).collect();
        let moves = moves.filter(|_| is_watched).map(list).collect();
        Self { idle: HotCounter::default(), moves, joint }
    }

    /// The patch of a joint move. Returns `None` if there are too many joint moves, or this one has
    /// no patch yet.
    #[inline]
    fn joint(&self, rules: Rules<'_>, room: &ByteBudget, moves: &[(usize, usize)]) -> Option<&Joint> {
        if self.joint.is_empty() || moves.len() < self.moves.len() {
            return None;
        }
        let number = moves.iter().fold(0, |sum, &(role, place)| sum * self.moves[role].len() + place);
        self.joint[number].get(|| Joint::new(rules, room, moves))
    }

    /// The patch of the whole step. Returns `None` if no move of `moves` has a patch for exactly
    /// these moves.
    #[inline]
    fn together(&self, rules: Rules<'_>, room: &ByteBudget, moves: &[(usize, usize)]) -> Option<&Residual> {
        if moves.len() > MOST_TOGETHER || !self.joint.is_empty() {
            return None;
        }
        moves.iter().find_map(|&(role, place)| {
            let together = self.moves[role][place].together(moves, || Together::new(rules, room, moves))?;
            (*together.moves == *moves).then_some(&together.patch)
        })
    }

    /// The estimated cost of [`Patches::apply`] once the moves are frequent, in single gates,
    /// including the time to load the state. Returns `None` if these moves get no patches. Moves
    /// are patched together if the other roles always made the same moves with one of them so far.
    /// O(gates * roles).
    #[cfg(feature = "load")]
    pub(super) fn weight(&self, rules: Rules<'_>, moves: &[(usize, usize)]) -> Option<usize> {
        if self.moves.is_empty() {
            return None;
        }
        let load = super::wide::load_weight(rules.fluents);
        if !self.joint.is_empty() && moves.len() == self.moves.len() {
            let patch = rules.together(moves, true);
            let whole = (patch.weight() > SHORT).then(|| rules.together(moves, false));
            let whole = whole.map(|whole| whole.whole_weight(rules.fluents));
            return whole.or_else(|| rules.is_shorter(&patch).then(|| patch.weight() + load));
        }
        let is_together =
            |&(role, place): &(usize, usize)| !self.moves[role][place].varies.load(Ordering::Relaxed);
        if moves.len() <= MOST_TOGETHER && self.joint.is_empty() && moves.iter().any(is_together) {
            let patch = rules.together(moves, true);
            return rules.is_shorter(&patch).then(|| patch.weight() + load);
        }
        let alone = moves.iter().map(|&(role, place)| rules.alone(role, place));
        let patches: Vec<Residual> = std::iter::once(rules.idle()).chain(alone).collect();
        let weight: usize = patches.iter().map(Residual::weight).sum();
        (patches.iter().all(|patch| rules.is_shorter(patch)) && weight <= rules.weight())
            .then_some(weight + load)
    }

    /// Steps a state by the patches of all moves, which are given by role and place. Returns false
    /// and leaves the state unchanged if a patch is missing, or the patches together take longer
    /// than the circuit.
    #[inline]
    pub(super) fn apply(
        &self,
        rules: Rules<'_>,
        room: &ByteBudget,
        scratch: &mut [Pair],
        state: &mut [u64],
        moves: &[(usize, usize)],
    ) -> bool {
        if self.moves.is_empty() {
            return false;
        }
        if let Some(Joint { next, memo }) = self.joint(rules, room, moves) {
            let mut step = |state: &mut [u64]| match next {
                Next::Narrow(patch) => rules.run(patch, scratch, state),
                Next::Wide(wide) => {
                    let before = state.to_vec();
                    wide.write(&before, state);
                }
            };
            match memo {
                Some(memo) => memo.step(state, step),
                None => step(state),
            }
            return true;
        }
        if let Some(patch) = self.together(rules, room, moves) {
            rules.run(patch, scratch, state);
            return true;
        }
        let idle = || self.idle.get(|| rules.afford(room, 0, || rules.idle()));
        let alone = |&(role, place): &(usize, usize)| {
            let make = || rules.afford(room, 0, || rules.alone(role, place));
            self.moves[role][place].alone.get(make)
        };
        let (mut reads, mut weight) = (0, 0);
        for made in moves {
            let Some(patch) = alone(made) else { return false };
            (reads, weight) = (reads + patch.reads(), weight + patch.weight());
        }
        let Some(idle) = idle() else { return false };
        if idle.weight() + weight > rules.weight() {
            return false;
        }
        if FEW * (idle.reads() + reads) < rules.fluents {
            // All moves are loaded as not made, then those made are set.
            let value = |node: usize| node <= rules.fluents && bits::test(state, node - 1);
            idle.load(scratch, value);
            moves.iter().filter_map(alone).for_each(|patch| patch.load(scratch, value));
            rules.make(scratch, moves);
        } else {
            rules.load(rules.advance, scratch, state, moves);
        }
        idle.write(scratch, state);
        moves.iter().filter_map(alone).for_each(|patch| patch.write(scratch, state));
        true
    }
}

impl Joint {
    /// Makes the patch. Returns `None` if it runs gate by gate and takes half of the circuit's time
    /// or more, or if the budget is exhausted.
    fn new(rules: Rules<'_>, room: &ByteBudget, moves: &[(usize, usize)]) -> Option<Self> {
        room.make(rules.advance, || {
            let patch = rules.together(moves, true);
            let is_long = patch.weight() > SHORT;
            let memo = is_long.then(|| Memo::new(rules.fluents.div_ceil(64)));
            let wide = if is_long { rules.together(moves, false).widen(rules.fluents) } else { None };
            let (next, bytes) = if let Some(wide) = wide {
                let bytes = wide.bytes();
                (Next::Wide(wide), bytes)
            } else {
                let bytes = rules.is_shorter(&patch).then(|| patch.bytes())?;
                (Next::Narrow(patch), bytes)
            };
            let bytes = bytes + memo.as_ref().map_or(0, Memo::bytes);
            Some((Self { next, memo }, bytes))
        })
    }
}

impl Together {
    /// Makes the patch. Returns `None` if it takes half of the circuit's time or more, or the
    /// budget is exhausted.
    fn new(rules: Rules<'_>, room: &ByteBudget, moves: &[(usize, usize)]) -> Option<Self> {
        let patch = rules.afford(room, size_of_val(moves), || rules.together(moves, true))?;
        Some(Self { moves: moves.into(), patch })
    }
}

impl Move {
    /// The patch of the whole step, if the others always made the same moves with this one. `moves`
    /// has the moves of all roles, and `make` makes the patch. O(roles).
    #[inline]
    fn together(
        &self,
        moves: &[(usize, usize)],
        make: impl FnOnce() -> Option<Together>,
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
        self.together.get(|| if self.varies.load(Ordering::Relaxed) { None } else { make() })
    }
}

/// The clone of a table makes its own patches.
impl Clone for Patches {
    fn clone(&self) -> Self {
        Self::new(self.moves.iter().map(|moves| moves.len()))
    }
}

impl Rules<'_> {
    /// Loads all inputs of a circuit: the fluents of `state`, and the moves, given by role and
    /// place.
    #[inline]
    pub(super) fn load(
        self,
        circuit: &Circuit,
        scratch: &mut [Pair],
        state: &[u64],
        moves: &[(usize, usize)],
    ) {
        circuit.load(scratch, state, self.fluents);
        self.make(scratch, moves);
    }

    /// Sets the inputs of the moves that are made.
    #[inline]
    fn make(self, scratch: &mut [Pair], moves: &[(usize, usize)]) {
        moves.iter().for_each(|&(role, place)| scratch[self.does[role] as usize + place] = [1, 0]);
    }

    /// Runs a patch of the whole step on a state.
    #[inline]
    fn run(self, patch: &Residual, scratch: &mut [Pair], state: &mut [u64]) {
        if FEW * patch.reads() < self.fluents {
            patch.load(scratch, |node| bits::test(state, node - 1));
        } else {
            Circuit::load_state(scratch, state, self.fluents);
        }
        patch.write(scratch, state);
    }

    /// The estimated time of the circuit, in gates.
    #[inline]
    fn weight(self) -> usize {
        self.advance.size() + self.fluents
    }

    /// Makes a residual, and charges `besides` bytes in addition to those of the residual. Returns
    /// `None` if it takes half of the circuit's time or more, or the budget is exhausted.
    fn afford(self, room: &ByteBudget, besides: usize, make: impl FnOnce() -> Residual) -> Option<Residual> {
        room.make(self.advance, || {
            let residual = make();
            let bytes = besides + residual.bytes();
            self.is_shorter(&residual).then_some((residual, bytes))
        })
    }

    /// Returns true if a residual takes less than half of the circuit's time.
    fn is_shorter(self, residual: &Residual) -> bool {
        2 * residual.weight() < self.weight()
    }

    /// The residual of the step in which no role moves.
    fn idle(self) -> Residual {
        let outputs: Vec<(u32, u32)> = self.advance.outputs().iter().copied().zip(0..).collect();
        Residual::new(self.advance, |node| (node > self.fluents).then_some(false), &outputs, true)
    }

    /// The residual of the step by these legal moves; other roles make none. If `stays`, it writes
    /// only the fluents that may change.
    fn together(self, joint: &[(usize, usize)], stays: bool) -> Residual {
        let made: Vec<usize> = joint.iter().map(|&(role, place)| self.does[role] as usize + place).collect();
        let mut literals: Vec<u32> = made.iter().flat_map(|&node| self.literals(node)).collect();
        literals.sort_unstable();
        let known = |node: usize| {
            if node > self.fluents { Some(made.contains(&node)) } else { value(&literals, node) }
        };
        let outputs: Vec<(u32, u32)> = self.advance.outputs().iter().copied().zip(0..).collect();
        Residual::new(self.advance, known, &outputs, stays)
    }

    /// The residual of the effect of a legal move, for any moves of the others.
    fn alone(self, role: usize, place: usize) -> Residual {
        let first = self.does[role] as usize;
        let end = self.does.get(role + 1).map_or(self.advance.inputs(), |&node| node as usize);
        let made = first + place;
        let touched = self.advance.reached(made..made + 1);
        let outputs = self.advance.outputs().iter().copied().zip(0..);
        let outputs: Vec<(u32, u32)> = outputs.filter(|&(signal, _)| touched[signal as usize / 2]).collect();
        let literals = self.literals(made);
        let known = |node: usize| {
            if (first..end).contains(&node) { Some(node == made) } else { value(&literals, node) }
        };
        Residual::new(self.advance, known, &outputs, false)
    }

    /// The literals that hold whenever the move of a node is legal, ascending.
    fn literals(self, made: usize) -> Vec<u32> {
        // Observations begin with the legality of the moves, in the order of the move inputs.
        let mut literals = self.observe.literals(self.observe.outputs()[made - (1 + self.fluents)]);
        literals.sort_unstable();
        literals
    }
}

/// The value that sorted literals give to a node, if any.
fn value(literals: &[u32], node: usize) -> Option<bool> {
    let place = literals.partition_point(|&signal| (signal as usize / 2) < node);
    let signal = *literals.get(place)?;
    (signal as usize / 2 == node).then_some(signal % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{random::Stream, simd::Isa};

    const FLUENTS: usize = 70;
    const MOVES: usize = 3;

    /// Random gates of one input and any signal. A quarter of the outputs are gates, the others the
    /// first inputs.
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

    /// Random states and legal moves of two roles. The second role makes the same move in the first
    /// rounds, then any. Joint moves have patches in every second case.
    #[test]
    fn steps_are_what_the_circuit_says() {
        let mut stream = Stream::new(5, 1);
        let (mut together, mut alone, mut joints) = (0, 0, 0);
        for case in 0..80 {
            let observe = circuit(&mut stream, 1 + FLUENTS, 10, 2 * MOVES);
            let advance = circuit(&mut stream, 1 + FLUENTS + 2 * MOVES, 4 * FLUENTS, FLUENTS);
            let does = [1 + FLUENTS as u32, (1 + FLUENTS + MOVES) as u32];
            let rules = Rules { fluents: FLUENTS, observe: &observe, advance: &advance, does: &does };
            let (mut patches, room) = (Patches::new([MOVES; 2].into_iter()), ByteBudget::default());
            assert_eq!(patches.joint.len(), MOVES * MOVES);
            if case % 2 == 0 {
                patches.joint = Box::default();
            }
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
                    applied = patches.apply(rules, &room, scratch, &mut state, &joint);
                });
                if applied {
                    let seen: Vec<bool> = (0..FLUENTS).map(|fluent| bits::test(&state, fluent)).collect();
                    assert_eq!(seen, expected);
                    // The estimate exists, and is at most that of the circuit.
                    #[cfg(feature = "load")]
                    assert!(patches.weight(rules, &joint).is_some_and(|weight| weight <= rules.weight()));
                    let first = &patches.moves[0][joint[0].1].together;
                    let whole = first.made().is_some_and(|all| all.moves[..] == joint);
                    let number = MOVES * joint[0].1 + joint[1].1;
                    *match patches.joint.get(number).and_then(HotCounter::made) {
                        Some(_) => &mut joints,
                        None if whole => &mut together,
                        None => &mut alone,
                    } += 1;
                } else {
                    assert_eq!(state, before);
                }
            }
        }
        assert!(together > 100 && alone > 100, "{together} steps by all moves at once, {alone} move by move");
        assert!(joints > 5_000, "{joints} steps by joint moves");
    }

    /// A circuit in which each move of the first role flips each fluent if an odd number of five
    /// other fluents hold. The move determines these five. So two thirds of the gates are unused by
    /// each move, and the rest is still long.
    #[test]
    fn long_patches_are_run_64_gates_at_a_time_where_that_is_faster() {
        const OTHERS: usize = 5;
        let inputs = 1 + FLUENTS + MOVES + 1;
        let mut gates: Vec<[u32; 2]> = Vec::new();
        let mut and = |a: u32, b: u32| {
            gates.push([a, b]);
            2 * (inputs + gates.len() - 1) as u32
        };
        let other = |fluent: usize, place: usize, i: usize| (fluent + 3 * place + 11 * i + 1) % FLUENTS;
        let outputs = (0..FLUENTS).map(|fluent| {
            (0..MOVES).fold(2 * (1 + fluent) as u32, |signal, place| {
                let made = 2 * (1 + FLUENTS + place) as u32;
                let odd = (0..OTHERS).fold(0, |odd, i| {
                    let held = 2 * (1 + other(fluent, place, i)) as u32;
                    let (one, both) = (and(odd ^ 1, held ^ 1), and(odd, held));
                    and(one ^ 1, both ^ 1)
                });
                let turned = and(made, odd);
                let (neither, both) = (and(signal ^ 1, turned ^ 1), and(signal, turned));
                and(neither ^ 1, both ^ 1)
            })
        });
        let outputs = outputs.collect();
        let observe = Circuit::new(1 + FLUENTS, Vec::new(), vec![1; MOVES + 1]);
        let advance = Circuit::new(inputs, gates, outputs);
        let does = [(1 + FLUENTS) as u32, (1 + FLUENTS + MOVES) as u32];
        let rules = Rules { fluents: FLUENTS, observe: &observe, advance: &advance, does: &does };
        let (patches, room) = (Patches::new([MOVES, 1].into_iter()), ByteBudget::default());
        let mut stream = Stream::new(9, 0);
        for round in 0..400 {
            let place = stream.below(MOVES as u64) as usize;
            let before = [stream.bits(), stream.below(1 << (FLUENTS - 64))];
            let mut state = before;
            let mut applied = false;
            advance.with_scratch(|scratch| {
                applied = patches.apply(rules, &room, scratch, &mut state, &[(0, place), (1, 0)]);
            });
            assert_eq!(applied, patches.joint[place].made().is_some(), "round {round}");
            for fluent in (0..FLUENTS).filter(|_| applied) {
                let odd =
                    (0..OTHERS).filter(|&i| bits::test(&before, other(fluent, place, i))).count() % 2 == 1;
                let expected = bits::test(&before, fluent) != odd;
                assert_eq!(bits::test(&state, fluent), expected, "round {round}: {fluent}");
            }
        }
        // A move that a role can never make counts as missing.
        let (mut state, mut applied) = ([1, 0], false);
        advance.with_scratch(|scratch| {
            applied = patches.apply(rules, &room, scratch, &mut state, &[(1, 0)]);
        });
        assert!(!applied && state == [1, 0]);
        let is_wide =
            |joint: &HotCounter<Joint>| joint.made().is_some_and(|made| matches!(made.next, Next::Wide(_)));
        let count = patches.joint.iter().filter(|joint| is_wide(joint)).count();
        assert_eq!(count, if Isa::best() == Isa::Avx512 { MOVES } else { 0 });
        assert!(patches.joint.iter().all(|joint| joint.made().is_some()));
    }

    /// A circuit in which each role has two moves. The second move of every third role flips a
    /// fluent.
    fn turns(roles: usize) -> [Circuit; 2] {
        let first = 1 + FLUENTS;
        let inputs = first + 2 * roles;
        let mut gates: Vec<[u32; 2]> = Vec::new();
        let mut outputs = Vec::new();
        for fluent in 0..FLUENTS {
            let mut signal = 2 * (1 + fluent) as u32;
            for role in (0..roles).filter(|role| (role + fluent) % 3 == 0) {
                let turned = 2 * (first + 2 * role + 1) as u32;
                let gate = (2 * (inputs + gates.len())) as u32;
                gates.extend([[signal, turned ^ 1], [signal ^ 1, turned], [gate ^ 1, (gate + 2) ^ 1]]);
                signal = (gate + 4) ^ 1;
            }
            outputs.push(signal);
        }
        let always = vec![1; 2 * roles];
        [Circuit::new(first, Vec::new(), always), Circuit::new(inputs, gates, outputs)]
    }

    /// The number of steps made by patches, among `steps` steps in which each role makes its second
    /// move. Checks that each fluent is flipped the right number of times.
    fn patched(roles: usize, patches: &Patches, room: &ByteBudget, steps: usize) -> usize {
        let [observe, advance] = turns(roles);
        let does: Vec<u32> = (0..roles).map(|role| (1 + FLUENTS + 2 * role) as u32).collect();
        let rules = Rules { fluents: FLUENTS, observe: &observe, advance: &advance, does: &does };
        let joint: Vec<(usize, usize)> = (0..roles).map(|role| (role, 1)).collect();
        let step = || {
            let mut state = [0, 0];
            let mut applied = false;
            advance.with_scratch(|scratch| {
                applied = patches.apply(rules, room, scratch, &mut state, &joint);
            });
            for fluent in (0..FLUENTS).filter(|_| applied) {
                let count = (0..roles).filter(|role| (role + fluent) % 3 == 0).count();
                assert_eq!(bits::test(&state, fluent), count % 2 == 1, "fluent {fluent}");
            }
            applied
        };
        (0..steps).filter(|_| step()).count()
    }

    #[test]
    fn many_roles_are_not_compared_with_each_other() {
        for (roles, are_compared) in [(MOST_TOGETHER, true), (MOST_TOGETHER + 1, false)] {
            let (patches, room) = (Patches::new(std::iter::repeat_n(2, roles)), ByteBudget::default());
            let count = patched(roles, &patches, &room, 200);
            assert_eq!(count > 0, are_compared, "{count} of 200 steps by patches");
            let noted = patches.moves.iter().flatten().any(|action| action.last.load(Ordering::Relaxed) != 0);
            assert_eq!(noted, are_compared, "{roles} roles");
        }
    }

    /// Each patch is a third of the circuit, so sixty of them would take twenty times as long.
    #[test]
    fn patches_that_take_longer_than_the_circuit_are_not_run() {
        let (patches, room) = (Patches::new(std::iter::repeat_n(2, 60)), ByteBudget::default());
        assert_eq!(patched(60, &patches, &room, 65 * 62), 0);
        assert!(patches.moves.iter().all(|moves| moves[1].alone.made().is_some()));
        assert!(room.bytes() > 0);
    }

    #[test]
    fn more_moves_than_can_be_watched_are_not() {
        let patches = Patches::new([MOST_MOVES, 1].into_iter());
        assert!(patches.moves.is_empty());
        assert_eq!(patched(2, &patches, &ByteBudget::default(), 200), 0);
    }
}

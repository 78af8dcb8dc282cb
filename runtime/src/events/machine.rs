//! A machine of the event-driven engine: the gates of a net with their values in one state, kept up to date by what changes.
//!
//! A gate is *live* if an output is it, or a live gate relies on it: a true gate relies on all its operands, a false one on one
//! false operand, which it *watches*. All others are *stale*: their values are not kept, and evaluated when a live gate looks
//! at them. Each operand of a gate, an *edge*, is in a list of the gate that it reads while that matters: so a gate that changes
//! finds those that rely on it, and no others. Changed gates are evaluated level by level, each at most once, and one that no
//! live gate relies on any more goes stale instead.
//!
//! Input: a state, and the moves made in it. Output: a row of bits with the next state and the view, changed where an output
//! changes. What a machine shows depends on the state and the moves alone, and not on where it was before. To go to a state
//! takes as many steps as gates change by it, at most O(operands). The memory is fixed, but for lists of at most one entry for each gate.

use super::wiring::{Output, Wiring};
use crate::{bits, game::Shape};
use std::ops::Range;

/// No edge, no gate: the end of a list, a watch of nothing, no move.
const NONE: u32 = u32::MAX;
/// Of an edge in no list, what comes behind it.
const APART: u32 = u32::MAX - 1;

/// Flags of a gate, below its level: its value, whether it is stale, whether it is to be evaluated, and whether outputs read it.
const TRUE: u32 = 1;
const STALE: u32 = 2;
const PENDING: u32 = 4;
const READ: u32 = 8;
const FLAGS: u32 = 4;

/// Words of a state that are compared at once: a game of forty thousand fluents changes few of them in a step.
const CHUNK: usize = 16;

/// What a gate reads.
#[derive(Clone, Copy, Debug)]
struct Edge {
    signal: u32,
    /// The gate that reads it.
    owner: u32,
    /// The next edge in the list of the gate that is read, [`NONE`] or [`APART`].
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Gate {
    /// Its first edge.
    start: u32,
    /// The edge of the operand that it watches; none if it is true, or was never evaluated.
    watch: u32,
    /// The first edge of those that may rely on it.
    head: u32,
    /// Its level and flags.
    bits: u32,
}

/// The values of a net in a state.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    edges: Vec<Edge>,
    /// One more than there are, which has no edges.
    gates: Vec<Gate>,
    /// For each gate the first of its entries in `bits`; one more than there are gates.
    readers: Vec<u32>,
    /// Bits of the row that change with a gate.
    bits: Vec<u32>,
    /// The state that the machine is in.
    state: Vec<u64>,
    /// The state that follows, and behind it what is seen.
    row: Vec<u64>,
    /// The input that each role's move is.
    made: Vec<u32>,
    /// The gates to be evaluated on each level, and a bit for each level that has some.
    levels: Vec<Vec<u32>>,
    busy: Vec<u64>,
    /// Stale gates being evaluated, each with the edge that it has come to.
    asking: Vec<(u32, u32)>,
    /// Edges looked at so far.
    work: u64,
}

impl Machine {
    /// A machine in the state without fluents. O(operands).
    pub(super) fn new(wiring: &Wiring, shape: Shape) -> Self {
        let (state_words, view_words) = (shape.state_words(), shape.view_words());
        let count = wiring.len();
        let mut readers = vec![0_u32; count + 1];
        wiring.kept.iter().for_each(|&(signal, _)| readers[signal as usize / 2] += 1);
        let mut sum = 0;
        for reader in &mut readers {
            sum += *reader;
            *reader = sum;
        }
        let mut bits = vec![0; wiring.kept.len()];
        let mut row = vec![0; state_words + view_words];
        for &(signal, bit) in &wiring.kept {
            let reader = &mut readers[signal as usize / 2];
            *reader -= 1;
            bits[*reader as usize] = bit;
            if signal % 2 == 1 {
                bits::set(&mut row, bit as usize);
            }
        }
        let is_read = |gate: usize| if readers[gate] < readers[gate + 1] { READ } else { 0 };
        let mut gates = Vec::with_capacity(count + 1);
        let mut edges = Vec::with_capacity(wiring.operands.len());
        gates.extend((0..wiring.inputs).map(|gate| Gate {
            start: 0,
            watch: NONE,
            head: NONE,
            bits: is_read(gate),
        }));
        for (and, &level) in wiring.levels.iter().enumerate() {
            let gate = wiring.inputs + and;
            let [start, end] = [wiring.starts[and], wiring.starts[and + 1]];
            gates.push(Gate { start, watch: NONE, head: NONE, bits: level << FLAGS | STALE | is_read(gate) });
            let signals = &wiring.operands[start as usize..end as usize];
            edges.extend(signals.iter().map(|&signal| Edge { signal, owner: gate as u32, next: APART }));
        }
        gates.push(Gate { start: edges.len() as u32, watch: NONE, head: NONE, bits: 0 });
        let mut machine = Self {
            edges,
            gates,
            readers,
            bits,
            state: vec![0; state_words],
            row,
            made: vec![NONE; shape.roles],
            levels: vec![Vec::new(); wiring.height],
            busy: vec![0; wiring.height.div_ceil(64)],
            asking: Vec::new(),
            work: 0,
        };
        for &(signal, _) in &wiring.kept {
            machine.ask(signal);
        }
        machine
    }

    /// Goes to a state: what is seen of it is known afterwards.
    pub(super) fn visit(&mut self, wiring: &Wiring, state: &[u64]) {
        let words = self.state.len().min(state.len());
        for start in (0..words).step_by(CHUNK) {
            let chunk = start..words.min(start + CHUNK);
            if self.state[chunk.clone()] == state[chunk.clone()] {
                continue;
            }
            for word in chunk {
                let fluents = wiring.fluents - 64 * word;
                let known = if fluents < 64 { (1 << fluents) - 1 } else { u64::MAX };
                let mut changed = (self.state[word] ^ state[word]) & known;
                self.state[word] ^= changed;
                while changed != 0 {
                    self.flip(1 + 64 * word + changed.trailing_zeros() as usize);
                    changed &= changed - 1;
                }
            }
        }
        self.settle(0..wiring.moved);
    }

    /// Makes a move of each role, by its input, in the state that it is in: what follows is known afterwards.
    pub(super) fn make(&mut self, wiring: &Wiring, moves: impl Iterator<Item = Option<u32>>) {
        let moves = moves.map(|input| input.unwrap_or(NONE)).chain(std::iter::repeat(NONE));
        for (role, input) in (0..self.made.len()).zip(moves) {
            let before = std::mem::replace(&mut self.made[role], input);
            if before != input {
                [before, input]
                    .into_iter()
                    .filter(|&input| input != NONE)
                    .for_each(|input| self.flip(input as usize));
            }
        }
        self.settle(wiring.moved..wiring.height);
    }

    /// The state that follows, and what is seen.
    pub(super) fn row(&self) -> &[u64] {
        &self.row
    }

    /// The number of fluents that another state has otherwise.
    pub(super) fn distance(&self, state: &[u64]) -> u32 {
        self.state.iter().zip(state).map(|(here, there)| (here ^ there).count_ones()).sum()
    }

    /// The number of edges looked at so far, which tells how long that took.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Writes outputs that are not kept, where they are true.
    pub(super) fn write(&mut self, outputs: &[Output], row: &mut [u64]) {
        for &(signal, bit) in outputs {
            if self.ask(signal) {
                bits::set(row, bit as usize);
            }
        }
    }

    /// Changes an input.
    fn flip(&mut self, input: usize) {
        self.gates[input].bits ^= TRUE;
        self.tell(input);
    }

    /// Has those evaluated that rely on a gate which has changed, and changes what outputs read of it.
    fn tell(&mut self, gate: usize) {
        if self.gates[gate].bits & READ != 0 {
            for &bit in &self.bits[self.readers[gate] as usize..self.readers[gate + 1] as usize] {
                self.row[bit as usize / 64] ^= 1 << (bit % 64);
            }
        }
        let mut edge = std::mem::replace(&mut self.gates[gate].head, NONE);
        while edge != NONE {
            self.work += 1;
            let Edge { owner, next, .. } = self.edges[edge as usize];
            self.edges[edge as usize].next = APART;
            let gate = &mut self.gates[owner as usize];
            if gate.bits & (STALE | PENDING) == 0 && (gate.watch == edge || gate.watch == NONE) {
                gate.bits |= PENDING;
                let level = (gate.bits >> FLAGS) as usize;
                self.levels[level].push(owner);
                self.busy[level / 64] |= 1 << (level % 64);
            }
            edge = next;
        }
    }

    /// Evaluates what has to be on some levels, from the lowest up.
    fn settle(&mut self, levels: Range<usize>) {
        let mut from = levels.start;
        while let Some(level) = self.busy_level(from..levels.end) {
            self.busy[level / 64] &= !(1 << (level % 64));
            let mut gates = std::mem::take(&mut self.levels[level]);
            for &gate in &gates {
                self.renew(gate as usize);
            }
            gates.clear();
            self.levels[level] = gates;
            from = level + 1;
        }
    }

    /// The lowest level of some that has gates to be evaluated.
    fn busy_level(&self, levels: Range<usize>) -> Option<usize> {
        let mut word = levels.start / 64;
        let mut busy = *self.busy.get(word)? & (u64::MAX << (levels.start % 64));
        while busy == 0 {
            word += 1;
            if 64 * word >= levels.end {
                return None;
            }
            busy = self.busy[word];
        }
        Some(64 * word + busy.trailing_zeros() as usize).filter(|&level| level < levels.end)
    }

    /// Evaluates a pending gate, or lets it go stale.
    fn renew(&mut self, gate: usize) {
        self.gates[gate].bits &= !PENDING;
        if !self.is_live(gate) {
            self.gates[gate].bits |= STALE;
            return;
        }
        let Gate { start, watch, .. } = self.gates[gate];
        if watch != NONE && !self.ask(self.edges[watch as usize].signal) {
            self.list(watch);
            return;
        }
        for edge in start..self.gates[gate + 1].start {
            if !self.ask(self.edges[edge as usize].signal) {
                self.conclude(gate, edge);
                return;
            }
        }
        self.conclude(gate, NONE);
    }

    /// True if an output is the gate, or a gate that is not stale relies on it. Edges of others leave its list.
    fn is_live(&mut self, gate: usize) -> bool {
        if self.gates[gate].bits & READ != 0 {
            return true;
        }
        loop {
            let edge = self.gates[gate].head;
            if edge == NONE {
                return false;
            }
            self.work += 1;
            let Edge { owner, next, .. } = self.edges[edge as usize];
            let owner = &self.gates[owner as usize];
            if owner.bits & STALE == 0 && (owner.watch == edge || owner.watch == NONE) {
                return true;
            }
            self.edges[edge as usize].next = APART;
            self.gates[gate].head = next;
        }
    }

    /// The value of a signal, whose gate is evaluated if it is stale.
    #[inline]
    fn ask(&mut self, signal: u32) -> bool {
        self.work += 1;
        if self.gates[signal as usize / 2].bits & STALE != 0 {
            self.evaluate(signal / 2);
        }
        self.value(signal)
    }

    #[inline]
    fn value(&self, signal: u32) -> bool {
        self.gates[signal as usize / 2].bits & TRUE != signal & 1
    }

    /// Evaluates a stale gate, and all stale ones that it takes, each at most once. What is below it is settled.
    fn evaluate(&mut self, gate: u32) {
        self.asking.push((gate, self.gates[gate as usize].start));
        'gates: while let Some((gate, from)) = self.asking.pop() {
            for edge in from..self.gates[gate as usize + 1].start {
                self.work += 1;
                let signal = self.edges[edge as usize].signal;
                let operand = self.gates[signal as usize / 2];
                if operand.bits & STALE != 0 {
                    self.asking.extend([(gate, edge), (signal / 2, operand.start)]);
                    continue 'gates;
                }
                if !self.value(signal) {
                    self.conclude(gate as usize, edge);
                    continue 'gates;
                }
            }
            self.conclude(gate as usize, NONE);
        }
    }

    /// Notes that an operand is false, or none.
    fn conclude(&mut self, gate: usize, watch: u32) {
        let Gate { start, bits: before, .. } = self.gates[gate];
        let value = if watch == NONE { TRUE } else { 0 };
        let now = &mut self.gates[gate];
        now.watch = watch;
        now.bits = before & !(STALE | TRUE) | value;
        if watch == NONE {
            (start..self.gates[gate + 1].start).for_each(|edge| self.list(edge));
        } else {
            self.list(watch);
        }
        // Only outputs read a stale gate, and only when the machine is made; all others are still to look at it.
        if before & TRUE != value && (before & STALE == 0 || before & READ != 0) {
            self.tell(gate);
        }
    }

    /// Puts an edge into the list of the gate that it reads.
    #[inline]
    fn list(&mut self, edge: u32) {
        let Edge { signal, next, .. } = self.edges[edge as usize];
        if next == APART {
            let head = &mut self.gates[signal as usize / 2].head;
            self.edges[edge as usize].next = std::mem::replace(head, edge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use gdl_compiler::propnet::{Gate as Of, Net, Outputs, Signal, Vocabulary};

    const FLUENTS: usize = 70;
    const MOVES: usize = 5;

    /// A net of one role with gates of all widths, and outputs of all kinds.
    fn draw(random: &mut Stream, gates: usize) -> Net {
        let texts = |count: usize| (0..count).map(|i| format!("t{i:04}")).collect();
        let vocabulary = Vocabulary {
            roles: texts(1),
            fluents: texts(FLUENTS),
            moves: texts(MOVES),
            percepts: texts(2),
            ..Vocabulary::default()
        };
        let does = (0..MOVES as u32).map(|action| (0, action)).collect();
        let mut net = Net::new(vocabulary, vec![false; FLUENTS], does);
        let mut early: Vec<Signal> = (0..FLUENTS).map(|fluent| net.fluent(fluent)).collect();
        let mut late: Vec<Signal> = (0..MOVES).map(|place| net.does_at(place)).collect();
        let pick = |random: &mut Stream, signals: &[Signal]| {
            // Late signals make for depth.
            let last = signals.len() as u64;
            let most = 1 + random.below(last);
            let place = last - 1 - random.below(most);
            signals[place as usize].negate_if(random.below(2) == 0)
        };
        for _ in 0..gates {
            let width = 2 + random.below(3) + random.below(2) * random.below(30);
            let is_late = random.below(3) == 0;
            let mut operand = || {
                let signals = if is_late && random.below(4) == 0 { &late } else { &early };
                pick(random, signals)
            };
            let operands = (0..width).map(|_| operand()).collect();
            // Its complement, so that wide gates are not all false.
            let gate = net.and(operands).negate_if(random.below(2) == 0);
            if !gate.is_constant() {
                if is_late { late.push(gate) } else { early.push(gate) }
            }
        }
        net.outputs = Outputs {
            next: (0..FLUENTS).map(|_| pick(random, &late)).collect(),
            legal: vec![(0..MOVES as u32).map(|action| (action, pick(random, &early))).collect()],
            goal: vec![vec![(0, pick(random, &early)), (100, Signal::TRUE)]],
            terminal: pick(random, &early),
            sees: Some(vec![vec![(0, pick(random, &late)), (1, Signal::FALSE)]]),
        };
        // The gates that nothing reads stay: a net need not be swept.
        net
    }

    /// The values of all gates, one after the other.
    fn evaluate(net: &Net, state: &[u64], made: Option<usize>) -> Vec<bool> {
        let mut values = vec![false];
        values.extend((0..FLUENTS).map(|fluent| bits::test(state, fluent)));
        values.extend((0..net.does().len()).map(|place| made == Some(place)));
        for gate in net.inputs()..net.len() {
            let Of::And(operands) = net.gate(gate as u32) else { panic!("an AND") };
            let value = operands.iter().all(|s| values[s.gate() as usize] != s.is_negated());
            values.push(value);
        }
        values
    }

    #[test]
    fn a_machine_shows_what_the_net_says() {
        let mut random = Stream::new(3, 0);
        let mut met = [0; 2];
        for case in 0..60 {
            let net = draw(&mut random, 5 + case * 8);
            let shape = net.shape();
            let wiring = Wiring::new(&net, shape).expect("it is small");
            let mut machine = Machine::new(&wiring, shape);
            let mut state = vec![0; shape.state_words()];
            for step in 0..60 {
                // Now and then far away, now and then nowhere, with garbage behind the fluents.
                for _ in 0..[1, 3, 0, 40][step % 4] {
                    let bit = random.below(128) as usize;
                    state[bit / 64] ^= 1 << (bit % 64);
                }
                machine.visit(&wiring, &state);
                let made = (step % 3 > 0).then(|| random.below(MOVES as u64) as usize);
                let values = evaluate(&net, &state, made);
                let holds = |s: Signal| values[s.gate() as usize] != s.is_negated();
                let (next, view) = machine.row().split_at(shape.state_words());
                let _ = next;
                let outputs = &net.outputs;
                for &(action, signal) in &outputs.legal[0] {
                    assert_eq!(
                        bits::test(view, action as usize),
                        holds(signal),
                        "{case} {step}: legal {action}"
                    );
                    met[usize::from(holds(signal))] += 1;
                }
                assert_eq!(bits::test(view, shape.terminal_bit()), holds(outputs.terminal), "{case} {step}");
                if step % 5 == 0 {
                    let mut view = vec![0; shape.view_words()];
                    machine.write(&wiring.goals, &mut view);
                    let expected: Vec<bool> = outputs.goal[0].iter().map(|goal| holds(goal.1)).collect();
                    let found = (0..2).map(|goal| bits::test(&view, shape.goal_bit() + goal));
                    assert!(found.eq(expected), "{case} {step}: goals");
                }
                if step % 7 == 0 {
                    // On to the next state without a step.
                    continue;
                }
                machine.make(&wiring, std::iter::once(made.map(|place| (1 + FLUENTS + place) as u32)));
                for (fluent, &signal) in outputs.next.iter().enumerate() {
                    assert_eq!(
                        bits::test(machine.row(), fluent),
                        holds(signal),
                        "{case} {step}: next {fluent}"
                    );
                    met[usize::from(holds(signal))] += 1;
                }
                let mut percepts = vec![0; shape.percept_words()];
                machine.write(&wiring.percepts, &mut percepts);
                let seen = outputs.sees.as_ref().expect("percepts")[0][0].1;
                assert_eq!(percepts[0], u64::from(holds(seen)), "{case} {step}: percepts");
            }
        }
        assert!(met.iter().all(|&count| count > 10_000), "{met:?}");
    }

    /// A chain of gates as deep as nets may be, all of them stale until the goal is asked for.
    #[test]
    fn depth_needs_no_stack() {
        const DEPTH: usize = 300_000;
        let vocabulary = Vocabulary {
            roles: vec!["r".to_owned()],
            fluents: vec!["a".to_owned(), "b".to_owned()],
            moves: vec!["m".to_owned()],
            ..Vocabulary::default()
        };
        let mut net = Net::new(vocabulary, vec![false; 2], vec![(0, 0)]);
        let fluents = [net.fluent(0), net.fluent(1)];
        let mut chain = fluents[0];
        for depth in 0..DEPTH {
            // (.. & a) | !b, over and over: the value of the one before, as long as both hold.
            chain = !net.and(vec![chain, fluents[depth % 2]]);
        }
        net.outputs = Outputs {
            next: fluents.to_vec(),
            legal: vec![vec![(0, Signal::TRUE)]],
            goal: vec![vec![(100, chain)]],
            terminal: Signal::FALSE,
            sees: None,
        };
        let shape = net.shape();
        let wiring = Wiring::new(&net, shape).expect("levels are enough");
        let mut machine = Machine::new(&wiring, shape);
        for state in [3, 1, 2, 0, 3, 3] {
            machine.visit(&wiring, &[state]);
            let mut view = vec![0; shape.view_words()];
            machine.write(&wiring.goals, &mut view);
            let mut expected = state & 1 == 1;
            for depth in 0..DEPTH {
                expected = !(expected && state >> (depth % 2) & 1 == 1);
            }
            assert_eq!(bits::test(&view, shape.goal_bit()), expected, "{state}");
        }
    }

    /// What a step does not touch takes no work, however large the net is.
    #[test]
    fn only_what_changes_takes_work() {
        let mut random = Stream::new(5, 0);
        let net = draw(&mut random, 3_000);
        let shape = net.shape();
        let wiring = Wiring::new(&net, shape).expect("it is small");
        let mut machine = Machine::new(&wiring, shape);
        let state = vec![u64::MAX; shape.state_words()];
        machine.visit(&wiring, &state);
        let before = machine.work();
        machine.visit(&wiring, &state);
        assert_eq!(machine.work(), before);
        let mut other = state.clone();
        other[0] ^= 1;
        machine.visit(&wiring, &other);
        machine.visit(&wiring, &state);
        assert!(machine.work() - before < wiring.operands.len() as u64 / 2, "{}", machine.work() - before);
    }
}

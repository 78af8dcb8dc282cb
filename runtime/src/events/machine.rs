//! A machine of the event-driven engine: the values of a net in one state. It moves to any other
//! state by changing the inputs that differ.
//!
//! Input: a [`Wiring`] of a net, a state, and the moves made in it. Output: a row of bits with the
//! next state and the view, updated where an output changes. The row depends only on the state and
//! the moves, not on earlier states. A move to a state compares each word of it; the [`Gates`] then
//! propagate the inputs that differ.

use crate::game::Shape;
use std::sync::Arc;

/// The input of a role without a move.
const NONE: u32 = u32::MAX;

/// The number of words that are compared at once: a game with forty thousand fluents changes few of
/// them in a step.
const CHUNK: usize = 16;

/// A net prepared for machines, which share it.
pub(super) trait Wiring: Send + Sync {
    /// The gates of the net in the state without fluents. O(operands).
    fn gates(self: Arc<Self>) -> Box<dyn Gates>;

    /// The number of operands of all gates.
    fn edges(&self) -> usize;

    /// The bytes of a machine's gates, except for lists that grow with the changes of a step.
    fn gate_bytes(&self) -> usize;
}

/// The gates of a net with their values. The first gates are inputs: the constant, then the
/// fluents, then the moves.
pub(super) trait Gates: Send {
    /// Changes an input.
    fn flip(&mut self, input: usize);

    /// Propagates the changed fluents, so that the row has the view of the state.
    fn see(&mut self);

    /// Also propagates the changed moves, so that the row has the next state.
    fn step(&mut self);

    /// The row of bits: the next state, then the view.
    fn row(&self) -> &[u64];

    /// Sets, in a view, the bits of the goals that hold.
    fn write_goals(&mut self, view: &mut [u64]);

    /// Sets, in a row of percepts, the bits of the percepts that follow from the moves made.
    fn write_percepts(&mut self, percepts: &mut [u64]);

    /// The work done so far; the trial estimates time from it.
    fn work(&self) -> u64;
}

/// The values of a net in one state and for one joint move.
pub(super) struct Machine {
    gates: Box<dyn Gates>,
    fluents: usize,
    /// The current state.
    state: Vec<u64>,
    /// The input of each role's last move, or [`NONE`].
    made: Vec<u32>,
}

impl Machine {
    /// Creates a machine in the state without fluents. O(operands).
    pub(super) fn new(wiring: Arc<dyn Wiring>, shape: Shape) -> Self {
        Self {
            gates: wiring.gates(),
            fluents: shape.fluents,
            state: vec![0; shape.state_words()],
            made: vec![NONE; shape.roles],
        }
    }

    /// Moves the machine to a state, and computes its view.
    pub(super) fn visit(&mut self, state: &[u64]) {
        let words = self.state.len().min(state.len());
        for start in (0..words).step_by(CHUNK) {
            let chunk = start..words.min(start + CHUNK);
            if self.state[chunk.clone()] == state[chunk.clone()] {
                continue;
            }
            for word in chunk {
                let fluents = self.fluents - 64 * word;
                let known = if fluents < 64 { (1 << fluents) - 1 } else { u64::MAX };
                let mut changed = (self.state[word] ^ state[word]) & known;
                self.state[word] ^= changed;
                while changed != 0 {
                    self.gates.flip(1 + 64 * word + changed.trailing_zeros() as usize);
                    changed &= changed - 1;
                }
            }
        }
        self.gates.see();
    }

    /// Makes a move of each role, given by its input, in the current state, and computes the next
    /// state.
    pub(super) fn make(&mut self, moves: impl Iterator<Item = Option<u32>>) {
        let moves = moves.map(|input| input.unwrap_or(NONE)).chain(std::iter::repeat(NONE));
        for (made, input) in self.made.iter_mut().zip(moves) {
            let before = std::mem::replace(made, input);
            if before != input {
                [before, input]
                    .into_iter()
                    .filter(|&input| input != NONE)
                    .for_each(|input| self.gates.flip(input as usize));
            }
        }
        self.gates.step();
    }

    /// The number of fluents in which another state differs.
    pub(super) fn distance(&self, state: &[u64]) -> u32 {
        self.state.iter().zip(state).map(|(here, there)| (here ^ there).count_ones()).sum()
    }

    /// The gates.
    pub(super) fn gates(&self) -> &dyn Gates {
        &*self.gates
    }

    /// The gates, for outputs that are not in the row.
    pub(super) fn gates_mut(&mut self) -> &mut dyn Gates {
        &mut *self.gates
    }
}

#[cfg(test)]
mod tests {
    use super::{super::GateKind, *};
    use crate::{bits, random::Stream};
    use gdl_compiler::propnet::{Gate as Of, Net, Outputs, Signal, Vocabulary};

    const FLUENTS: usize = 70;
    const MOVES: usize = 5;

    /// A net of one role with gates of different widths and depths, and outputs of all kinds.
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
            // Recent signals make the net deeper.
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
            // Half of the gates are complemented, so that wide gates are not all false.
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
        // Gates without readers stay: a net need not be swept.
        net
    }

    /// A machine for each kind of gates.
    fn machines(net: &Net) -> [(Arc<dyn Wiring>, Machine); 2] {
        [GateKind::Count, GateKind::Watch].map(|kind| {
            let wiring = kind.wiring(net, net.shape()).expect("it is small");
            (Arc::clone(&wiring), Machine::new(wiring, net.shape()))
        })
    }

    /// Evaluates all gates in order.
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
            for (_, machine) in machines(&net) {
                compare(&net, machine, &mut random.clone(), &mut met, case);
            }
        }
        assert!(met.iter().all(|&count| count > 20_000), "{met:?}");
    }

    /// Moves a machine through states of a net, and compares it with [`evaluate`]. `met` counts
    /// false and true outputs.
    fn compare(net: &Net, mut machine: Machine, random: &mut Stream, met: &mut [usize; 2], case: usize) {
        let shape = net.shape();
        let mut state = vec![0; shape.state_words()];
        for step in 0..60 {
            // The next state differs in many fluents, few or none, with arbitrary bits after the
            // fluents.
            for _ in 0..[1, 3, 0, 40][step % 4] {
                let bit = random.below(128) as usize;
                state[bit / 64] ^= 1 << (bit % 64);
            }
            machine.visit(&state);
            let made = (step % 3 > 0).then(|| random.below(MOVES as u64) as usize);
            let values = evaluate(net, &state, made);
            let holds = |s: Signal| values[s.gate() as usize] != s.is_negated();
            let view = &machine.gates().row()[shape.state_words()..];
            let outputs = &net.outputs;
            for &(action, signal) in &outputs.legal[0] {
                assert_eq!(bits::test(view, action as usize), holds(signal), "{case} {step}: legal {action}");
                met[usize::from(holds(signal))] += 1;
            }
            assert_eq!(bits::test(view, shape.terminal_bit()), holds(outputs.terminal), "{case} {step}");
            if step % 5 == 0 {
                let mut view = vec![0; shape.view_words()];
                machine.gates_mut().write_goals(&mut view);
                let expected: Vec<bool> = outputs.goal[0].iter().map(|goal| holds(goal.1)).collect();
                let found = (0..2).map(|goal| bits::test(&view, shape.goal_bit() + goal));
                assert!(found.eq(expected), "{case} {step}: goals");
            }
            if step % 7 == 0 {
                // Visits the next state without making a move.
                continue;
            }
            machine.make(std::iter::once(made.map(|place| (1 + FLUENTS + place) as u32)));
            let next = machine.gates().row();
            for (fluent, &signal) in outputs.next.iter().enumerate() {
                assert_eq!(bits::test(next, fluent), holds(signal), "{case} {step}: next {fluent}");
                met[usize::from(holds(signal))] += 1;
            }
            let mut percepts = vec![0; shape.percept_words()];
            machine.gates_mut().write_percepts(&mut percepts);
            let seen = outputs.sees.as_ref().expect("percepts")[0][0].1;
            assert_eq!(percepts[0], u64::from(holds(seen)), "{case} {step}: percepts");
        }
    }

    /// A net of one role whose goal 100 is a signal of some fluents.
    fn goal_net(fluents: usize, goal: impl FnOnce(&mut Net, &[Signal]) -> Signal) -> Net {
        let texts = |count: usize| (0..count).map(|i| format!("t{i:06}")).collect();
        let vocabulary =
            Vocabulary { roles: texts(1), fluents: texts(fluents), moves: texts(1), ..Vocabulary::default() };
        let mut net = Net::new(vocabulary, vec![false; fluents], vec![(0, 0)]);
        let signals: Vec<Signal> = (0..fluents).map(|fluent| net.fluent(fluent)).collect();
        let goal = goal(&mut net, &signals);
        net.outputs = Outputs {
            next: signals,
            legal: vec![vec![(0, Signal::TRUE)]],
            goal: vec![vec![(100, goal)]],
            terminal: Signal::FALSE,
            sees: None,
        };
        net
    }

    /// Returns true if the goal holds in a state.
    fn is_won(machine: &mut Machine, shape: Shape, state: &[u64]) -> bool {
        machine.visit(state);
        let mut view = vec![0; shape.view_words()];
        machine.gates_mut().write_goals(&mut view);
        bits::test(&view, shape.goal_bit())
    }

    /// A chain of 300,000 gates, which is evaluated only when the goal is requested.
    #[test]
    fn depth_needs_no_stack() {
        const DEPTH: usize = 300_000;
        let net = goal_net(2, |net, fluents| {
            // Two gates compute `(chain & a) | !b`, which equals `chain` as long as both fluents
            // hold.
            (0..DEPTH).fold(fluents[0], |chain, depth| !net.and(vec![chain, fluents[depth % 2]]))
        });
        for (_, mut machine) in machines(&net) {
            for state in [3, 1, 2, 0, 3, 3] {
                let mut expected = state & 1 == 1;
                for depth in 0..DEPTH {
                    expected = !(expected && state >> (depth % 2) & 1 == 1);
                }
                assert_eq!(is_won(&mut machine, net.shape(), &[state]), expected, "{state}");
            }
        }
    }

    /// A gate with more operands than a 16-bit count can hold.
    #[test]
    fn a_gate_may_be_wide() {
        const FLUENTS: usize = 3 * 65_536 + 17;
        let net = goal_net(FLUENTS, |net, fluents| net.and(fluents.to_vec()));
        let shape = net.shape();
        let mut state = vec![u64::MAX; shape.state_words()];
        for (_, mut machine) in machines(&net) {
            assert!(!is_won(&mut machine, shape, &vec![0; shape.state_words()]));
            assert!(is_won(&mut machine, shape, &state));
            for fluent in [0, 65_534, 65_535, 65_536, FLUENTS - 1] {
                state[fluent / 64] ^= 1 << (fluent % 64);
                assert!(!is_won(&mut machine, shape, &state), "{fluent}");
                state[fluent / 64] ^= 1 << (fluent % 64);
                assert!(is_won(&mut machine, shape, &state), "{fluent}");
            }
        }
    }

    /// Gates of goals alone stay pending until goals are requested, although they share words with
    /// gates that a move changes.
    #[test]
    fn goals_take_work_when_they_are_asked_for() {
        const DEPTH: usize = 20;
        let mut net = goal_net(DEPTH, |net, fluents| {
            (1..DEPTH).fold(fluents[0], |chain, depth| !net.and(vec![chain, fluents[depth]]))
        });
        let both = net.and(vec![net.fluent(0), net.does_at(0)]);
        net.outputs.next[1] = both;
        let wiring = GateKind::Count.wiring(&net, net.shape()).expect("it is small");
        let mut machine = Machine::new(wiring, net.shape());
        machine.visit(&[0]);
        machine.gates_mut().write_goals(&mut vec![0; net.shape().view_words()]);
        machine.visit(&[(1 << DEPTH) - 1]);
        machine.make(std::iter::once(Some(1 + DEPTH as u32)));
        assert_eq!(machine.gates().row()[0], (1 << DEPTH) - 1);
        let before = machine.gates().work();
        machine.gates_mut().write_goals(&mut vec![0; net.shape().view_words()]);
        assert!(machine.gates().work() > before + 20, "{before}");
    }

    /// Views depend only on states: a net whose legal moves depend on moves has no machine.
    #[test]
    fn what_is_seen_depends_on_no_move() {
        let mut net = goal_net(2, |_, fluents| fluents[0]);
        let is_made = |net: &Net, kind: GateKind| kind.wiring(net, net.shape()).is_some();
        assert!([GateKind::Count, GateKind::Watch].iter().all(|&kind| is_made(&net, kind)));
        net.outputs.legal[0][0].1 = net.and(vec![net.fluent(0), net.does_at(0)]);
        assert!(![GateKind::Count, GateKind::Watch].iter().any(|&kind| is_made(&net, kind)));
    }

    /// Work depends only on the gates that change, not on the size of the net.
    #[test]
    fn only_what_changes_takes_work() {
        let mut random = Stream::new(5, 0);
        let net = draw(&mut random, 3_000);
        for (wiring, mut machine) in machines(&net) {
            let state = vec![u64::MAX; net.shape().state_words()];
            machine.visit(&state);
            let before = machine.gates().work();
            machine.visit(&state);
            assert_eq!(machine.gates().work(), before);
            let mut other = state.clone();
            other[0] ^= 1;
            machine.visit(&other);
            machine.visit(&state);
            let work = machine.gates().work() - before;
            assert!(work < wiring.edges() as u64 / 2, "{work}");
        }
    }
}

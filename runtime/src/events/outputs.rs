//! The outputs of a net in the form that machines use: signals with their destination bits.
//!
//! Input: a net, the layout of the game's rows, and the indices of the net's gates in a wiring.
//! Output: the outputs that are always up to date, and those that are computed on request.

use gdl_compiler::propnet::{Net, Signal};
use gdl_format::shape::Shape;

/// A signal (twice a gate, plus one if complemented), and its destination bit.
pub(super) type Output = (u32, u32);

#[derive(Clone, Debug)]
pub(super) struct Outputs {
    /// The next state, the legal moves and the end, with bits of the machine's row: the next state,
    /// then the view.
    pub(super) kept: Vec<Output>,
    /// Goals with their bits of the view.
    pub(super) goals: Vec<Output>,
    /// Percepts with their bits of the row of percepts.
    pub(super) percepts: Vec<Output>,
}

impl Outputs {
    /// Lists the outputs of a net; `places` has the indices of the net's gates in the wiring.
    pub(super) fn new(net: &Net, shape: Shape, places: &[u32]) -> Self {
        let outputs = &net.outputs;
        let output = |signal: Signal, bit: usize| (code(places, signal), bit as u32);
        let view = shape.state_words() * 64;
        let mut kept: Vec<Output> =
            outputs.next.iter().zip(0..).map(|(&s, fluent)| output(s, fluent)).collect();
        for (role, list) in outputs.legal.iter().enumerate() {
            let bit = |action: u32| view + shape.legal_bit(role, action as usize);
            kept.extend(list.iter().map(|&(action, s)| output(s, bit(action))));
        }
        kept.push(output(outputs.terminal, view + shape.terminal_bit()));
        let goals = outputs.goal.iter().flatten().zip(shape.goal_bit()..);
        let mut percepts = Vec::new();
        for (role, list) in net.percepts().enumerate() {
            let bit = |percept: u32| shape.percept_bit(role, percept as usize);
            percepts.extend(list.iter().map(|&(percept, s)| output(s, bit(percept))));
        }
        Self { kept, goals: goals.map(|(&(_, s), bit)| output(s, bit)).collect(), percepts }
    }
}

/// Converts a signal of the net to the wiring; `places` has the indices of the net's gates in the
/// wiring.
pub(super) fn code(places: &[u32], signal: Signal) -> u32 {
    places[signal.gate() as usize] << 1 | u32::from(signal.is_negated())
}

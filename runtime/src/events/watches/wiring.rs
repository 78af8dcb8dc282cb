//! The wiring of gates that watch: a net whose gates have few operands, in levels, with the
//! destination bit of each output.
//!
//! Input: a net, and the layout of the game's rows. Output: the operands of each gate, in the order
//! of evaluation. Wide gates become trees of smaller ones, so that none takes long to evaluate.
//! Every operand is on a lower level than its gate. Gates that depend on the moves are on higher
//! levels than all others. Creating the wiring takes O(operands * log operands of a gate) steps,
//! and about twelve bytes for each operand.

use super::{
    super::{
        machine::{self, Gates},
        outputs::{Output, Outputs, code},
    },
    Watches,
};
use gdl_compiler::propnet::{Gate, Net};
use gdl_format::shape::Shape;
use std::sync::Arc;

/// The maximum number of operands of a gate. Four or sixteen make no large net much faster.
const WIDE: usize = 8;

/// The bound on levels, which are stored next to flags.
const HEIGHT: u32 = 1 << 28;

/// A net in the form that machines run.
#[derive(Clone, Debug)]
pub(in super::super) struct Wiring {
    /// The number of gates before the first AND: the constant, the fluents and the moves.
    pub(super) inputs: usize,
    /// The operands of all ANDs, gate by gate.
    pub(super) operands: Vec<u32>,
    /// The index of each AND's first operand, and the end of the last one.
    pub(super) starts: Vec<u32>,
    /// The level of each AND.
    pub(super) levels: Vec<u32>,
    /// The first level of gates that depend on the moves.
    pub(super) moved: usize,
    /// The number of levels.
    pub(super) height: usize,
    /// The words of the row: the next state, then the view.
    pub(super) words: usize,
    pub(super) outputs: Outputs,
}

/// The gates built so far.
struct Builder {
    operands: Vec<u32>,
    starts: Vec<u32>,
    /// For each gate, true if it depends on the moves, and its level. Levels of gates that depend
    /// on the moves are numbered separately, from 0.
    levels: Vec<(bool, u32)>,
}

impl Builder {
    /// Appends an AND of signals and returns its number.
    fn push(&mut self, signals: &[u32]) -> u32 {
        let levels = || signals.iter().map(|&signal| self.levels[signal as usize / 2]);
        let is_moved = levels().any(|(is_moved, _)| is_moved);
        let below = levels().filter(|level| level.0 == is_moved).map(|level| level.1).max();
        self.levels.push((is_moved, below.map_or(0, |level| level + 1)));
        self.operands.extend_from_slice(signals);
        self.starts.push(self.operands.len() as u32);
        self.levels.len() as u32 - 1
    }
}

impl Wiring {
    /// Creates the wiring of a net. Returns `None` if the net is too large or too deep for 32-bit
    /// numbers, or its views depend on moves.
    pub(in super::super) fn new(net: &Net, shape: Shape) -> Option<Self> {
        let (fluents, inputs) = (net.initial.len(), net.inputs());
        let first = shape.state_words() * 64;
        u32::try_from(first + shape.view_words() * 64).ok()?;
        // Splitting wide gates into trees less than doubles the operands. A signal takes one bit
        // more than a gate. So all numbers fit into 32 bits.
        (net.len() + net.literals() < (1 << 30)).then_some(())?;
        let mut uses = vec![0_u32; net.len()];
        let and = |gate: usize| match net.gate(gate as u32) {
            Gate::And(operands) => operands,
            _ => &[],
        };
        (inputs..net.len()).flat_map(and).for_each(|s| uses[s.gate() as usize] += 1);
        let is_move = |gate: usize| gate > fluents && gate < inputs;
        let mut builder = Builder {
            operands: Vec::with_capacity(net.literals() + net.literals() / (WIDE - 1)),
            starts: Vec::with_capacity(net.ands() + 1),
            levels: (0..inputs).map(|gate| (is_move(gate), 0)).collect(),
        };
        builder.starts.push(0);
        let mut places: Vec<u32> = (0..inputs as u32).collect();
        let mut operands = Vec::new();
        for gate in inputs..net.len() {
            operands.clear();
            operands.extend(and(gate).iter().map(|s| (code(&places, *s), uses[s.gate() as usize])));
            // Moves come first, since most gates are false for moves that are not made. Then come
            // operands on low levels with few uses, which settle a gate best.
            operands.sort_unstable_by_key(|&(signal, uses)| {
                let gate = signal as usize / 2;
                (!is_move(gate), builder.levels[gate], uses, signal)
            });
            let mut signals: Vec<u32> = operands.iter().map(|operand| operand.0).collect();
            while signals.len() > WIDE {
                signals = signals
                    .chunks(WIDE)
                    .map(|chunk| if let &[signal] = chunk { signal } else { builder.push(chunk) << 1 })
                    .collect();
            }
            places.push(builder.push(&signals));
        }
        let ands = &builder.levels[inputs..];
        let height = |moved| ands.iter().filter(|level| level.0 == moved).map(|level| level.1 + 1).max();
        let (moved, above) = (height(false).unwrap_or(0), height(true).unwrap_or(0));
        (moved + above < HEIGHT).then_some(())?;
        let levels = ands.iter().map(|&(is_moved, level)| if is_moved { moved + level } else { level });
        let outputs = Outputs::new(net, shape, &places);
        // Views must not depend on moves, which checked rules guarantee.
        let is_moved = |(signal, _): &Output| builder.levels[*signal as usize / 2].0;
        let seen = &outputs.kept[net.outputs.next.len()..];
        (!seen.iter().chain(&outputs.goals).any(is_moved)).then_some(())?;
        Some(Self {
            inputs,
            levels: levels.collect(),
            moved: moved as usize,
            height: (moved + above) as usize,
            words: shape.state_words() + shape.view_words(),
            outputs,
            operands: builder.operands,
            starts: builder.starts,
        })
    }

    /// The maximum number of bytes of the wiring of a net and a machine.
    pub(in super::super) fn most_bytes(net: &Net) -> usize {
        32 * net.literals() + 40 * net.len() + 24 * net.outputs.iter().count()
    }

    /// The number of gates, with the constant and the inputs.
    pub(super) fn len(&self) -> usize {
        self.inputs + self.levels.len()
    }
}

impl machine::Wiring for Wiring {
    fn gates(self: Arc<Self>) -> Box<dyn Gates> {
        Box::new(Watches::new(self))
    }

    fn edges(&self) -> usize {
        self.operands.len()
    }

    fn gate_bytes(&self) -> usize {
        12 * self.operands.len() + 24 * self.len() + 12 * self.outputs.kept.len()
    }
}

//! The wiring of gates that count: an inverted net, in which each gate has the list of its readers.
//!
//! Input: a net, and the layout of the game's rows. Output: the readers of each gate. Gates that no
//! output depends on are removed; gates with too many operands for a count are split. The number of
//! a gate is higher than those of its operands.
//!
//! Gates are in bands: those of legal moves and the end, of goals alone, of the next state, of
//! percepts alone, and the bits of the row. Creating the wiring takes O(operands) steps, and about
//! twelve bytes for each operand.

use super::{
    super::{
        machine::{self, Gates},
        outputs::{Output, Outputs, code},
    },
    Counts,
};
use gdl_compiler::propnet::{Gate, Net, Signal};
use gdl_format::shape::Shape;
use std::{ops::Range, sync::Arc};

/// The maximum number of operands of a gate, since a count has 16 bits.
const WIDE: usize = u16::MAX as usize;

/// A net in the form that machines run.
#[derive(Clone, Debug)]
pub(in super::super) struct Wiring {
    /// For each gate, the start of its readers and of the readers of its complement; finally the
    /// end of all.
    starts: Vec<[u32; 2]>,
    /// The readers of each gate, then those of its complement.
    readers: Vec<u32>,
    /// The first gate of each band, and the end of the last one. The constant and the inputs
    /// precede them.
    bands: [usize; BANDS + 1],
    /// The first gate of the row with the next state and the view; a multiple of 64. The row has
    /// one gate for each bit, which reads the output of that bit, if any.
    row: usize,
    /// The goals with their bits of the view, and the percepts with their bits of the row of
    /// percepts.
    pub(super) goals: Vec<Output>,
    pub(super) percepts: Vec<Output>,
}

/// A set of gates that is evaluated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Band {
    /// Gates that legal moves and the end depend on. Also gates of the next state and of percepts
    /// that do not depend on moves.
    Seen,
    /// Gates that only goals depend on.
    Goals,
    /// Gates that depend on moves and that the next state depends on.
    Moved,
    /// Gates that depend on moves and that only percepts depend on.
    Percepts,
}

const BANDS: usize = 4;

/// An edge: a reader, and the signal that it reads (twice a gate, plus one if complemented).
#[derive(Clone, Copy, Debug)]
struct Edge {
    signal: u32,
    reader: u32,
}

impl Wiring {
    /// Creates the wiring of a net. Returns `None` if the net is too large for 32-bit numbers, or
    /// its views depend on moves.
    pub(in super::super) fn new(net: &Net, shape: Shape) -> Option<Self> {
        // Wide gates are split into fewer parts than there are operands, and a signal takes one bit
        // more than a gate. So all numbers fit into 32 bits.
        (net.len() + net.literals() + row_bits(shape) < (1 << 30)).then_some(())?;
        let bands_of = bands(net)?;
        let inputs = net.inputs();
        let ands = || (inputs..).zip(&bands_of).filter_map(|(gate, band)| Some((gate, (*band)?)));
        let operands = |gate: usize| match net.gate(gate as u32) {
            Gate::And(operands) => operands,
            _ => &[],
        };
        let mut bands = [inputs; BANDS + 1];
        for (gate, band) in ands() {
            let count = operands(gate).len();
            let parts = if count > WIDE { count.div_ceil(WIDE) } else { 0 };
            bands[band as usize + 1..].iter_mut().for_each(|first| *first += parts + 1);
        }
        let mut free = bands.map(|first| first as u32);
        let mut places: Vec<u32> = (0..net.len() as u32).collect();
        let mut edges: Vec<Edge> = Vec::with_capacity(net.literals() + net.outputs.iter().count());
        let mut signals = Vec::new();
        for (gate, band) in ands() {
            let mut push = |signals: &[u32]| {
                let place = free[band as usize];
                edges.extend(signals.iter().map(|&signal| Edge { signal, reader: place }));
                free[band as usize] += 1;
                place
            };
            signals.clear();
            signals.extend(operands(gate).iter().map(|&s| code(&places, s)));
            if signals.len() > WIDE {
                signals = signals.chunks(WIDE).map(|part| push(part) << 1).collect();
            }
            places[gate] = push(&signals);
        }
        let outputs = Outputs::new(net, shape, &places);
        let row = bands[BANDS].next_multiple_of(64);
        edges.extend(outputs.kept.iter().map(|&(signal, bit)| Edge { signal, reader: row as u32 + bit }));
        let (starts, readers) = turn_round(&edges, row + row_bits(shape));
        let Outputs { goals, percepts, .. } = outputs;
        Some(Self { starts, readers, bands, row, goals, percepts })
    }

    /// The maximum number of bytes of the wiring of a net and a machine, including temporary
    /// memory.
    pub(in super::super) fn most_bytes(net: &Net, shape: Shape) -> usize {
        12 * (net.literals() + net.outputs.iter().count()) + 24 * net.len() + 12 * row_bits(shape)
    }

    /// The number of gates: the constant, the inputs, the ANDs and the bits of the row.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The gates of [`Band::Seen`], which every state needs.
    pub(super) fn seen(&self) -> Range<usize> {
        self.band(Band::Seen)
    }

    /// The gates of [`Band::Goals`].
    pub(super) fn scored(&self) -> Range<usize> {
        self.band(Band::Goals)
    }

    /// The gates of [`Band::Moved`].
    pub(super) fn moved(&self) -> Range<usize> {
        self.band(Band::Moved)
    }

    /// The gates of [`Band::Percepts`].
    pub(super) fn perceived(&self) -> Range<usize> {
        self.band(Band::Percepts)
    }

    fn band(&self, band: Band) -> Range<usize> {
        self.bands[band as usize]..self.bands[band as usize + 1]
    }

    /// The words that hold the row, in a bit vector with one bit for each gate.
    pub(super) fn row(&self) -> Range<usize> {
        self.row / 64..self.len() / 64
    }

    /// The readers of a gate, and those of its complement.
    #[inline]
    pub(super) fn readers(&self, gate: usize) -> [&[u32]; 2] {
        let [plain, complement] = self.starts[gate].map(|start| start as usize);
        let end = self.starts[gate + 1][0] as usize;
        [&self.readers[plain..complement], &self.readers[complement..end]]
    }

    /// The number of false operands of each gate when no gate is true. It is 1 for inputs and for
    /// bits of the row without an output.
    pub(super) fn falses(&self) -> Vec<u16> {
        let ands = self.bands[0]..self.bands[BANDS];
        let mut falses = vec![1; self.len()];
        falses[ands.clone()].fill(0);
        for gate in 0..self.len() {
            let [plain, complement] =
                self.readers(gate).map(|list| list.iter().map(|&reader| reader as usize));
            plain.filter(|reader| ands.contains(reader)).for_each(|reader| falses[reader] += 1);
            complement.filter(|reader| !ands.contains(reader)).for_each(|reader| falses[reader] = 0);
        }
        falses
    }
}

impl machine::Wiring for Wiring {
    fn gates(self: Arc<Self>) -> Box<dyn Gates> {
        Box::new(Counts::new(self))
    }

    fn edges(&self) -> usize {
        self.readers.len()
    }

    fn gate_bytes(&self) -> usize {
        2 * self.len() + self.len() / 7
    }
}

/// The number of bits of the row.
fn row_bits(shape: Shape) -> usize {
    64 * (shape.state_words() + shape.view_words())
}

/// The band of each AND; `None` for an AND that no output depends on. Returns `None` if views
/// depend on moves.
fn bands(net: &Net) -> Option<Vec<Option<Band>>> {
    let (fluents, inputs) = (net.initial.len(), net.inputs());
    let mut is_moved: Vec<bool> = (0..inputs).map(|gate| gate > fluents).collect();
    for gate in inputs..net.len() {
        let reads_moved = |operands: &[Signal]| operands.iter().any(|s| is_moved[s.gate() as usize]);
        is_moved.push(matches!(net.gate(gate as u32), Gate::And(operands) if reads_moved(operands)));
    }
    let outputs = &net.outputs;
    let seen = || outputs.legal.iter().flatten().map(|(_, s)| s).chain([&outputs.terminal]);
    let goals = || outputs.goal.iter().flatten().map(|(_, s)| s);
    if seen().chain(goals()).any(|s| is_moved[s.gate() as usize]) {
        return None;
    }
    let mut bands: Vec<Option<Band>> = vec![None; net.len()];
    let need = |bands: &mut [Option<Band>], signal: &Signal, band: Band| {
        let gate = signal.gate() as usize;
        let band = if is_moved[gate] || band == Band::Goals { band } else { Band::Seen };
        // Keeps the first band that needs the gate.
        bands[gate] = bands[gate].into_iter().chain([band]).min();
    };
    seen().for_each(|signal| need(&mut bands, signal, Band::Seen));
    goals().for_each(|signal| need(&mut bands, signal, Band::Goals));
    outputs.next.iter().for_each(|signal| need(&mut bands, signal, Band::Moved));
    net.percepts().flatten().for_each(|(_, signal)| need(&mut bands, signal, Band::Percepts));
    for gate in (inputs..net.len()).rev() {
        if let (Some(band), Gate::And(operands)) = (bands[gate], net.gate(gate as u32)) {
            operands.iter().for_each(|signal| need(&mut bands, signal, band));
        }
    }
    Some(bands.split_off(inputs))
}

/// Inverts edges: returns the start of each gate's readers and of the readers of its complement,
/// and all readers in this order.
fn turn_round(edges: &[Edge], gates: usize) -> (Vec<[u32; 2]>, Vec<u32>) {
    let mut starts = vec![[0; 2]; gates + 1];
    edges.iter().for_each(|edge| *edge.start(&mut starts) += 1);
    let mut sum = 0;
    for start in starts.as_flattened_mut() {
        sum += *start;
        *start = sum;
    }
    // The starts are ends at first; lists are filled from the back.
    let mut readers = vec![0; edges.len()];
    for edge in edges.iter().rev() {
        let start = edge.start(&mut starts);
        *start -= 1;
        readers[*start as usize] = edge.reader;
    }
    (starts, readers)
}

impl Edge {
    /// The start of the list that the edge belongs to.
    fn start(self, starts: &mut [[u32; 2]]) -> &mut u32 {
        &mut starts[self.signal as usize / 2][self.signal as usize % 2]
    }
}

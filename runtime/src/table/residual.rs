//! Partial evaluation of a circuit. A [`Residual`] is the circuit that remains for known inputs and
//! wanted outputs; it writes the outputs into a row of bits.
//!
//! Known inputs make gates constant or equal to others, and gates that no output needs are removed.
//! Input nodes keep their numbers, so several residuals of a circuit can run on inputs that are
//! loaded once.
//!
//! Making a residual takes O(gates) steps and about 200 bytes for each gate. A circuit of more than
//! [`MOST_GATES`] gates gets none. [`HotCounter`] makes a residual only after the circuit was run
//! [`OFTEN`] times. The [`ByteBudget`] of a table bounds the bytes of its residuals.

use super::wide::{WantedWord, Wide};
use crate::circuit::{Circuit, Pair};
use gdl_format::aig::{Aig, FALSE, TRUE, cone, here};
use std::sync::{
    OnceLock,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

/// The number of runs with the same known inputs before a residual is made. Making it takes about
/// as long as 10 to 50 runs. So a few runs do not pay for a residual, and the total time of many
/// runs at most doubles.
const OFTEN: u32 = 64;

/// The maximum number of bytes of all residuals of a table. Beyond that the whole circuit is run.
const ROOM: usize = 32 << 20;

/// The maximum number of gates of a circuit for which residuals are made.
pub(super) const MOST_GATES: usize = 1 << 18;

/// A residual circuit and the destinations of its outputs.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    circuit: Circuit,
    /// The nodes of the inputs that it reads.
    reads: Box<[u32]>,
    words: Box<[ResidualWord]>,
    /// The bit of each output within its word.
    bits: Box<[u8]>,
}

/// A word of the row that the residual writes.
#[derive(Clone, Copy, Debug)]
struct ResidualWord {
    place: u32,
    /// The number of outputs of the circuit that go to this word.
    outputs: u32,
    /// The bits that are not written.
    keep: u64,
    /// The bits that are always set.
    set: u64,
}

impl Residual {
    /// Makes the residual for `outputs`, each a signal of the circuit and a bit of the row, with
    /// ascending bits. `known` returns the value of a known input by its node. If `stays`, the row
    /// has the values of the first inputs already, so outputs equal to the input of their bit are
    /// not written. O(gates).
    pub(super) fn new(
        circuit: &Circuit,
        known: impl Fn(usize) -> Option<bool>,
        outputs: &[(u32, u32)],
        stays: bool,
    ) -> Self {
        let first = circuit.inputs();
        let needed =
            cone(first, circuit.size(), |gate| circuit.gate(gate), outputs.iter().map(|output| output.0));
        let input = |node: usize| match (node, known(node)) {
            (0, _) => FALSE,
            (_, Some(value)) => u32::from(value),
            _ => 2 * node as u32,
        };
        let mut aig = Aig::new(first - 1);
        let gates = (0..circuit.size()).map(|gate| circuit.gate(gate));
        let signals = aig.extend((0..first).map(input).collect(), gates, |node| needed[node]);
        let outputs = outputs.iter().map(|&(signal, bit)| (here(&signals, signal), bit));
        let outputs: Vec<(u32, u32)> =
            outputs.filter(|&(signal, bit)| !(stays && signal == 2 * (bit + 1))).collect();
        Self::of(&aig, &outputs)
    }

    /// Makes the residual of the gates that the outputs need.
    fn of(aig: &Aig, outputs: &[(u32, u32)]) -> Self {
        let varying = outputs.iter().map(|output| output.0).filter(|&signal| signal > TRUE);
        let program = aig.program(&varying.collect::<Vec<_>>());
        let mut words = Vec::new();
        let mut bits = Vec::new();
        for outputs in outputs.chunk_by(|a, b| a.1 / 64 == b.1 / 64) {
            let mut word = ResidualWord { place: outputs[0].1 / 64, outputs: 0, keep: u64::MAX, set: 0 };
            for &(signal, bit) in outputs {
                let bit = bit % 64;
                word.keep &= !(1 << bit);
                match signal {
                    FALSE => {}
                    TRUE => word.set |= 1 << bit,
                    _ => {
                        bits.push(bit as u8);
                        word.outputs += 1;
                    }
                }
            }
            words.push(word);
        }
        let nodes = program.gates.iter().flatten().chain(&program.outputs).map(|signal| signal / 2);
        let mut reads: Vec<u32> = nodes.filter(|&node| node as usize <= program.inputs).collect();
        reads.sort_unstable();
        reads.dedup();
        Self { circuit: program.into(), reads: reads.into(), words: words.into(), bits: bits.into() }
    }

    /// The estimated time, in gates.
    pub(super) fn weight(&self) -> usize {
        self.circuit.size() + self.bits.len() + self.words.len()
    }

    /// The bytes of the residual.
    pub(super) fn bytes(&self) -> usize {
        let Self { circuit, reads, words, bits } = self;
        size_of::<Self>() + circuit.bytes() + size_of_val(&**reads) + size_of_val(&**words) + bits.len()
    }

    /// The number of inputs that the residual reads.
    #[inline]
    pub(super) fn reads(&self) -> usize {
        self.reads.len()
    }

    /// Loads the inputs that the residual reads; `value` returns their values by node.
    #[inline]
    pub(super) fn load(&self, scratch: &mut [Pair], value: impl Fn(usize) -> bool) {
        for &node in &self.reads {
            let value = u8::from(value(node as usize));
            scratch[node as usize] = [value, value ^ 1];
        }
    }

    /// Converts the residual to [`Wide`] if that is faster. All inputs must be among the first
    /// `fluents` fluents, and rows must be clear.
    pub(super) fn widen(&self, fluents: usize) -> Option<Wide> {
        Wide::new(&self.circuit, fluents, &self.wanted())
    }

    /// The estimated time on a machine that supports [`Wide`], in single gates, including the time
    /// to load `fluents` fluents. The estimate is the same on all machines.
    #[cfg(feature = "load")]
    pub(super) fn whole_weight(&self, fluents: usize) -> usize {
        let wide = Wide::arrange(&self.circuit, fluents, &self.wanted());
        wide.weight().min(super::wide::narrow_weight(&self.circuit, fluents))
    }

    /// The words that are written, with their signals.
    fn wanted(&self) -> Vec<WantedWord> {
        let mut outputs = self.circuit.outputs().iter().copied().zip(self.bits.iter().copied());
        let wanted = self.words.iter().map(|word| {
            let signals = outputs.by_ref().take(word.outputs as usize).collect();
            WantedWord { place: word.place, set: word.set, signals }
        });
        wanted.collect()
    }

    /// Writes the outputs into a row, given the inputs. Words beyond the row are dropped.
    #[inline]
    pub(super) fn write(&self, scratch: &mut [Pair], row: &mut [u64]) {
        let signals = self.circuit.run(scratch);
        let mut outputs = self.circuit.outputs().iter().zip(&self.bits);
        for word in &self.words {
            let values = outputs.by_ref().take(word.outputs as usize);
            let bits = values.fold(word.set, |bits, (&signal, &bit)| {
                bits | u64::from(signals[signal as usize]) << (bit % 64)
            });
            if let Some(to) = row.get_mut(word.place as usize) {
                *to = *to & word.keep | bits;
            }
        }
    }
}

/// The byte budget of all residuals of a table.
#[derive(Debug, Default)]
pub(super) struct ByteBudget {
    bytes: AtomicUsize,
}

impl ByteBudget {
    /// Makes a value from a circuit and charges its bytes. Returns `None` if `make` does, the
    /// circuit is too large, or the budget is exhausted.
    pub(super) fn make<T>(&self, circuit: &Circuit, make: impl FnOnce() -> Option<(T, usize)>) -> Option<T> {
        if circuit.size() > MOST_GATES || self.bytes.load(Ordering::Relaxed) >= ROOM {
            return None;
        }
        let (made, bytes) = make()?;
        let fits = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= ROOM;
        if !fits {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits.then_some(made)
    }

    /// The bytes charged so far.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// The clone of a table makes its own residuals.
impl Clone for ByteBudget {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A run counter with a residual, which is made after [`OFTEN`] runs with the same known inputs.
#[derive(Debug)]
pub(super) struct HotCounter<T> {
    runs: AtomicU32,
    residual: OnceLock<Option<Box<T>>>,
}

impl<T> Default for HotCounter<T> {
    fn default() -> Self {
        Self { runs: AtomicU32::new(0), residual: OnceLock::new() }
    }
}

impl<T> HotCounter<T> {
    /// The residual, if it is made.
    #[cfg(test)]
    pub(super) fn made(&self) -> Option<&T> {
        self.residual.get()?.as_deref()
    }

    /// Returns true until it is decided if there is a residual.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.residual.get().is_none()
    }

    /// Counts a run and returns the residual, if there is one. `make` is called once, after
    /// [`OFTEN`] runs.
    #[inline]
    pub(super) fn get(&self, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        match self.residual.get() {
            Some(residual) => residual.as_deref(),
            None if self.runs.fetch_add(1, Ordering::Relaxed) < OFTEN => None,
            None => self.residual.get_or_init(|| make().map(Box::new)).as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bits, random::Stream};

    const FLUENTS: usize = 150;

    /// A circuit of gates that mostly read the latest nodes, and its outputs with their bits.
    fn circuit(stream: &mut Stream, gates: u64) -> (Circuit, Vec<(u32, u32)>) {
        let nodes = 1 + FLUENTS as u64;
        let signal = |stream: &mut Stream, end: u64| {
            let start = stream.below(end);
            (2 * (start + stream.below(end - start)) + stream.below(2)) as u32
        };
        let list = (0..gates).map(|gate| [(); 2].map(|()| signal(stream, nodes + gate))).collect();
        let outputs = (0..120).map(|_| signal(stream, nodes + gates)).collect();
        let circuit = Circuit::new(1 + FLUENTS, list, outputs);
        let mut outputs: Vec<(u32, u32)> =
            circuit.outputs().iter().map(|&signal| (signal, stream.below(3) as u32)).collect();
        let mut bit = 0;
        for output in &mut outputs {
            bit += 1 + output.1;
            output.1 = bit - 1;
        }
        (circuit, outputs)
    }

    /// The row by the circuit itself; bits that are not outputs are set.
    fn expected(circuit: &Circuit, state: &[u64], outputs: &[(u32, u32)]) -> Vec<u64> {
        let mut row = vec![u64::MAX; 6];
        circuit.with_scratch(|scratch| {
            circuit.load(scratch, state, FLUENTS);
            let signals = circuit.run(scratch);
            for &(signal, bit) in outputs.iter().filter(|&&(signal, _)| signals[signal as usize] == 0) {
                row[bit as usize / 64] &= !(u64::from(signals[signal as usize ^ 1]) << (bit % 64));
            }
        });
        row
    }

    /// Gates one by one and 64 at a time, with none, some and all inputs known.
    #[test]
    fn residuals_are_what_the_circuit_is() {
        let mut stream = Stream::new(3, 1);
        for round in 0..300 {
            let gates = stream.below(400);
            let (circuit, outputs) = circuit(&mut stream, gates);
            let known: Vec<Option<bool>> =
                (0..FLUENTS).map(|_| (stream.below(3) < round % 4).then(|| stream.below(2) == 1)).collect();
            let residual = Residual::new(&circuit, |node| known[node.checked_sub(1)?], &outputs, false);
            let wide = Wide::arrange(&residual.circuit, FLUENTS, &residual.wanted());
            assert!(residual.circuit.size() <= circuit.size());
            for _ in 0..4 {
                let mut state = vec![0; FLUENTS.div_ceil(64)];
                for (fluent, value) in known.iter().enumerate() {
                    if value.unwrap_or_else(|| stream.below(2) == 1) {
                        bits::set(&mut state, fluent);
                    }
                }
                let expected = expected(&circuit, &state, &outputs);
                let mut row = vec![u64::MAX; 6];
                circuit.with_scratch(|scratch| {
                    circuit.load(scratch, &state, FLUENTS);
                    residual.write(scratch, &mut row);
                });
                assert_eq!(row, expected, "round {round}");
                let mut row = vec![0; 6];
                wide.write(&state, &mut row);
                let written = outputs.iter().fold(vec![0; 6], |mut row, &(_, bit)| {
                    bits::set(&mut row, bit as usize);
                    row
                });
                let seen: Vec<u64> = expected.iter().zip(&written).map(|(row, mask)| row & mask).collect();
                assert_eq!(row, seen, "round {round}, 64 at a time");
            }
        }
    }

    #[test]
    fn what_stays_is_not_written() {
        // Outputs: the first fluent, the second one, and its complement.
        let circuit = Circuit::new(4, Vec::new(), vec![2, 4, 5]);
        let outputs = [(2, 0), (4, 1), (5, 2)];
        let residual = Residual::new(&circuit, |_| None, &outputs, true);
        assert_eq!(residual.weight(), 2);
        let mut row = [0b0100_0011];
        circuit.with_scratch(|scratch| {
            circuit.load(scratch, &[0b01], 3);
            residual.write(scratch, &mut row);
        });
        assert_eq!(row, [0b0100_0111]);
    }

    #[test]
    fn hot_counters_take_some_runs() {
        let counter = HotCounter::default();
        for _ in 0..OFTEN {
            assert!(counter.get(|| Some(())).is_none());
        }
        assert!(counter.get(|| Some(())).is_some());
        assert!(counter.get(|| panic!("made twice")).is_some());
    }

    #[test]
    fn residuals_beyond_the_room_are_not_kept() {
        let circuit = Circuit::new(2, vec![[2, 2]], vec![4]);
        let room = ByteBudget::default();
        let make = |bytes: usize| room.make(&circuit, || Some(((), bytes))).is_some();
        assert!(make(ROOM - 10));
        assert!(!make(11));
        assert_eq!(room.bytes(), ROOM - 10);
        assert!(make(10));
        assert!(room.make(&circuit, || -> Option<((), usize)> { panic!("it is full") }).is_none());
        let large = Circuit::new(2, vec![[2, 2]; MOST_GATES + 1], Vec::new());
        let none = ByteBudget::default();
        assert!(none.make(&large, || -> Option<((), usize)> { panic!("it is too large") }).is_none());
    }

    #[test]
    fn bytes_are_those_of_what_is_kept() {
        let mut stream = Stream::new(9, 1);
        let (circuit, outputs) = circuit(&mut stream, 3_000);
        let residual = Residual::new(&circuit, |_| None, &outputs, false);
        let wide = Wide::arrange(&residual.circuit, FLUENTS, &residual.wanted());
        // Small circuits take four bytes a gate. A take has a plane, lanes and the number of a
        // pair.
        let gates = 4 * residual.circuit.size();
        assert!((gates..gates + 4_000).contains(&residual.bytes()), "{} for {gates}", residual.bytes());
        assert!(wide.bytes() > 64 * residual.circuit.size() / 64, "{}", wide.bytes());
    }
}

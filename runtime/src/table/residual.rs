//! Partial evaluation of a circuit: a [`Residual`] is the circuit that remains where some inputs
//! are known and some outputs wanted, and writes these into a row of bits.
//!
//! Known inputs make gates constant or equal to others (partial evaluation); what no output wants
//! is left out. Nodes of inputs keep their places, so residuals of a circuit run one after the
//! other on inputs loaded once.
//!
//! To make one takes O(gates) steps, which [`HotCounter`] spends only where the circuit was run
//! [`OFTEN`] times, and some 200 bytes for each gate while it is made, of at most [`MOST_GATES`].
//! What residuals of a table keep is within its [`ByteBudget`].

use super::wide::{Wanted, Wide};
use crate::circuit::{Circuit, Pair};
use gdl_format::aig::{Aig, FALSE, TRUE, cone, here};
use std::sync::{
    OnceLock,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

/// The number of runs of a circuit with the same inputs known before its residual is made. Making
/// it takes the time of some ten to fifty runs: a caller of a few steps does not pay for it, and it
/// at most doubles the time of more.
const OFTEN: u32 = 64;

/// Bytes that all residuals of a table may keep. What does not fit is not kept, and the whole
/// circuit run instead.
const ROOM: usize = 32 << 20;

/// The most gates of a circuit that residuals are made of.
pub(super) const MOST_GATES: usize = 1 << 18;

/// A smaller circuit and where its outputs go.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    circuit: Circuit,
    /// The nodes of the inputs that it reads.
    reads: Box<[u32]>,
    words: Box<[Word]>,
    /// For each output of the circuit its bit of its word.
    bits: Box<[u8]>,
}

/// A word of a row with bits that are written.
#[derive(Clone, Copy, Debug)]
struct Word {
    place: u32,
    /// The number of outputs of the circuit with that signal.
    outputs: u32,
    /// The bits that are not written.
    keep: u64,
    /// The bits that are always set.
    set: u64,
}

impl Residual {
    /// The residual for some outputs, each given as its signal in the circuit and its bit of the
    /// row, the bits ascending. Inputs are known by their nodes. If `stays`, the row has the values
    /// of the first inputs, and outputs that are the inputs of their bits are not written.
    /// O(gates).
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

    /// The gates that the outputs need.
    fn of(aig: &Aig, outputs: &[(u32, u32)]) -> Self {
        let varying = outputs.iter().map(|output| output.0).filter(|&signal| signal > TRUE);
        let program = aig.program(&varying.collect::<Vec<_>>());
        let mut words = Vec::new();
        let mut bits = Vec::new();
        for outputs in outputs.chunk_by(|a, b| a.1 / 64 == b.1 / 64) {
            let mut word = Word { place: outputs[0].1 / 64, outputs: 0, keep: u64::MAX, set: 0 };
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

    /// About how long it takes, in gates.
    pub(super) fn weight(&self) -> usize {
        self.circuit.size() + self.bits.len() + self.words.len()
    }

    /// The bytes that it keeps.
    pub(super) fn bytes(&self) -> usize {
        let Self { circuit, reads, words, bits } = self;
        size_of::<Self>() + circuit.bytes() + size_of_val(&**reads) + size_of_val(&**words) + bits.len()
    }

    /// The number of inputs it reads.
    #[inline]
    pub(super) fn reads(&self) -> usize {
        self.reads.len()
    }

    /// Sets the inputs that it reads, whose values are given by their nodes.
    #[inline]
    pub(super) fn load(&self, scratch: &mut [Pair], value: impl Fn(usize) -> bool) {
        for &node in &self.reads {
            let value = u8::from(value(node as usize));
            scratch[node as usize] = [value, value ^ 1];
        }
    }

    /// The same for a row that is clear, 64 gates at a time, if that is faster. It reads fluents
    /// alone, `fluents` of them.
    pub(super) fn widen(&self, fluents: usize) -> Option<Wide> {
        Wide::new(&self.circuit, fluents, &self.wanted())
    }

    /// The approximate time including the loading of `fluents` fluents, in gates one by one, where
    /// machines have what [`Wide`] wants: the same on all machines.
    #[cfg(feature = "load")]
    pub(super) fn whole_weight(&self, fluents: usize) -> usize {
        let wide = Wide::arrange(&self.circuit, fluents, &self.wanted());
        wide.weight().min(super::wide::narrow_weight(&self.circuit, fluents))
    }

    /// The words with the signals that go there.
    fn wanted(&self) -> Vec<Wanted> {
        let mut outputs = self.circuit.outputs().iter().copied().zip(self.bits.iter().copied());
        let wanted = self.words.iter().map(|word| {
            let signals = outputs.by_ref().take(word.outputs as usize).collect();
            Wanted { place: word.place, set: word.set, signals }
        });
        wanted.collect()
    }

    /// Writes the outputs into a row, given the inputs. What it has no place for is left out.
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

/// The bytes of all residuals of a table.
#[derive(Debug, Default)]
pub(super) struct ByteBudget {
    bytes: AtomicUsize,
}

impl ByteBudget {
    /// Makes something from a circuit and accounts for its bytes. Returns `None` if it does not
    /// pay, the circuit is too large or the room too small.
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

    /// The bytes that are taken.
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

/// A run counter with the residual that is made once it is hot: once the circuit was run [`OFTEN`]
/// times with the same inputs known.
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
    /// The residual if it is made already.
    #[cfg(test)]
    pub(super) fn made(&self) -> Option<&T> {
        self.residual.get()?.as_deref()
    }

    /// True until it is known whether there is a residual.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.residual.get().is_none()
    }

    /// The residual if it is made already and pays; `make` is called once.
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

    /// The row that the circuit itself gives, where bits that are not written are set.
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

    /// One by one and 64 at a time, with none, some and all inputs known.
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
        // Four bytes a gate in small circuits; a take is a plane, lanes and the number of a pair.
        let gates = 4 * residual.circuit.size();
        assert!((gates..gates + 4_000).contains(&residual.bytes()), "{} for {gates}", residual.bytes());
        assert!(wide.bytes() > 64 * residual.circuit.size() / 64, "{}", wide.bytes());
    }
}

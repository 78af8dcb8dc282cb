//! Reads the numbers, texts and lists of a table and checks their limits. An error has the offset
//! of the first fault. The memory of a list is at most a small multiple of the remaining bytes.

use crate::{aig::Program, lanes::MOST_SLOTS};

/// A value that is invalid or missing.
pub(crate) struct Fault {
    /// The offset of the fault, in bytes.
    pub(crate) offset: usize,
    /// The error, for example "a signal out of order".
    pub(crate) what: &'static str,
}

/// The bytes of a table, and the offset of the next byte to read.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns true if all bytes are read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    pub(crate) fn fault(&self, what: &'static str) -> Fault {
        Fault { offset: self.offset, what }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'b [u8], Fault> {
        let end = self.offset.checked_add(length);
        let part = end.and_then(|end| self.bytes.get(self.offset..end));
        let part = part.ok_or_else(|| self.fault("it ends too soon"))?;
        self.offset += length;
        Ok(part)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Fault> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn number(&mut self) -> Result<u32, Fault> {
        let mut number = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| self.fault("a number too large"));
            }
        }
        Err(self.fault("a number too long"))
    }

    /// Reads the number of a slot of lanes.
    pub(crate) fn slot(&mut self) -> Result<u32, Fault> {
        let slot = self.number()?;
        self.has_slot(slot as usize).then_some(slot).ok_or_else(|| self.fault("a slot beyond all"))
    }

    /// Returns true if a slot may have this number. A value with a slot takes at least one byte of
    /// the table, so memory may be reserved for the slots.
    pub(crate) fn has_slot(&self, slot: usize) -> bool {
        /// The number of slots that every table may have.
        const FEW: usize = 1 << 16;
        slot < self.bytes.len().clamp(FEW, MOST_SLOTS)
    }

    /// Reads the length of a list whose items take at least `least` bytes each. The items fit in
    /// the remaining bytes, so memory may be reserved for them.
    pub(crate) fn length(&mut self, least: usize) -> Result<usize, Fault> {
        let length = self.number()? as usize;
        if length > (self.bytes.len() - self.offset) / least {
            return Err(self.fault("a list longer than the table"));
        }
        Ok(length)
    }

    pub(crate) fn texts(&mut self) -> Result<Vec<&'b str>, Fault> {
        let length = self.length(1)?;
        let mut texts = Vec::with_capacity(length);
        for _ in 0..length {
            let bytes = self.number()? as usize;
            let bytes = self.take(bytes)?;
            texts.push(std::str::from_utf8(bytes).map_err(|_| self.fault("a name that is not UTF-8"))?);
        }
        Ok(texts)
    }

    /// Reads texts in strictly ascending bytewise order.
    pub(crate) fn sorted_texts(&mut self) -> Result<Vec<&'b str>, Fault> {
        let texts = self.texts()?;
        if texts.is_sorted_by(|a, b| a < b) { Ok(texts) } else { Err(self.fault("names out of order")) }
    }

    /// Reads a list of strictly ascending numbers below `end`, stored as distances.
    pub(crate) fn ascending(&mut self, end: usize) -> Result<Vec<u32>, Fault> {
        let length = self.length(1)?;
        let mut list = Vec::with_capacity(length);
        let mut previous = 0_u32;
        for i in 0..length {
            let distance = self.number()?;
            if i > 0 && distance == 0 {
                return Err(self.fault("a position twice"));
            }
            let next = previous.checked_add(distance).filter(|&next| (next as usize) < end);
            previous = next.ok_or_else(|| self.fault("a position beyond its list"))?;
            list.push(previous);
        }
        Ok(list)
    }

    pub(crate) fn goals(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.length(1)?;
        let list = self.take(length)?.to_vec();
        if list.is_sorted_by(|a, b| a < b) { Ok(list) } else { Err(self.fault("goal values out of order")) }
    }

    /// Reads a signal of one of the first `nodes` nodes.
    fn signal(&mut self, nodes: usize) -> Result<u32, Fault> {
        let signal = self.number()?;
        if signal as usize / 2 < nodes { Ok(signal) } else { Err(self.fault("a signal out of order")) }
    }

    /// Reads a program with the given numbers of inputs and outputs.
    pub(crate) fn program(&mut self, inputs: usize, outputs: usize) -> Result<Program, Fault> {
        let length = self.length(2)?;
        let first = 1 + inputs;
        let mut gates = Vec::with_capacity(length);
        for gate in 0..length {
            gates.push([self.signal(first + gate)?, self.signal(first + gate)?]);
        }
        if self.length(1)? != outputs {
            return Err(self.fault("a wrong number of outputs"));
        }
        let outputs = (0..outputs).map(|_| self.signal(first + length)).collect::<Result<Vec<_>, _>>()?;
        Ok(Program { inputs, gates, outputs })
    }
}

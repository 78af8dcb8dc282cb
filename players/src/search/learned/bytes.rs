//! The format of net and training files: magic bytes, a version, the fingerprint of the game,
//! numbers of fixed size, and a checksum. A reader allocates no more bytes than the file has.

use super::{NetError, features::Fnv};

/// A writer of a file.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new(magic: [u8; 8], version: u32, fingerprint: u64) -> Self {
        let mut writer = Self(magic.to_vec());
        writer.u32(version);
        writer.u64(fingerprint);
        writer
    }

    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn shorts(&mut self, numbers: &[i16]) {
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(super) fn floats<'n>(&mut self, numbers: impl IntoIterator<Item = &'n f32>) {
        self.0.extend(numbers.into_iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        let sum = checksum(&self.0);
        self.u64(sum);
        self.0
    }
}

/// A reader of a file.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
    pub(super) fingerprint: u64,
}

impl<'b> Reader<'b> {
    /// # Errors
    /// Returns an error if the bytes are of another kind, of a newer version, or damaged.
    pub(super) fn new(bytes: &'b [u8], magic: [u8; 8], version: u32) -> Result<Self, NetError> {
        let body = bytes.strip_prefix(&magic).ok_or(NetError::Other)?;
        let mut reader = Self { rest: body, fingerprint: 0 };
        if reader.u32()? > version {
            return Err(NetError::Newer);
        }
        let (whole, sum) = bytes.split_last_chunk::<8>().ok_or(NetError::Damaged)?;
        if checksum(whole) != u64::from_le_bytes(*sum) {
            return Err(NetError::Damaged);
        }
        reader.rest = whole.get(magic.len() + 4..).ok_or(NetError::Damaged)?;
        reader.fingerprint = reader.u64()?;
        Ok(reader)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], NetError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(NetError::Damaged)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u32(&mut self) -> Result<u32, NetError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, NetError> {
        self.take().map(u64::from_le_bytes)
    }

    /// Reads `count` numbers. Nothing is allocated unless the file has that many.
    pub(super) fn shorts(&mut self, count: usize) -> Result<Box<[i16]>, NetError> {
        if count > self.rest.len() / 2 {
            return Err(NetError::Damaged);
        }
        (0..count).map(|_| self.take().map(i16::from_le_bytes)).collect()
    }

    /// Reads numbers and rejects infinities and NaN.
    pub(super) fn floats(&mut self, numbers: &mut [f32]) -> Result<(), NetError> {
        for number in numbers {
            *number = f32::from_le_bytes(self.take()?);
            if !number.is_finite() {
                return Err(NetError::Damaged);
            }
        }
        Ok(())
    }

    /// # Errors
    /// Returns an error if bytes remain.
    pub(super) fn end(self) -> Result<(), NetError> {
        if self.rest.is_empty() { Ok(()) } else { Err(NetError::Damaged) }
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::new();
    hash.add(bytes.iter().copied());
    hash.0
}

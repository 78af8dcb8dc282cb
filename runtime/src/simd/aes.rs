//! Rounds of AES by tables, for machines without instructions for them.

/// A round of AES without its key.
pub(super) fn round(block: [u64; 2]) -> [u64; 2] {
    // Byte i is in row i % 4 of column i / 4; `ShiftRows` brings row r of column c + r to column c.
    let byte = |row: usize, column: usize| {
        let place = row + 4 * ((column + row) % 4);
        (block[place / 8] >> (8 * (place % 8)) & 0xff) as usize
    };
    let column = |c: usize| (0..4).fold(0, |sum, row| sum ^ MIXED[byte(row, c)].rotate_left(8 * row as u32));
    let pair = |c: usize| u64::from(column(c)) | u64::from(column(c + 1)) << 32;
    [pair(0), pair(2)]
}

/// For each byte, the column that `SubBytes` and `MixColumns` make from it in row 0.
static MIXED: [u32; 256] = {
    let mut mixed = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let s = substitute(byte as u8);
        mixed[byte] = u32::from_le_bytes([times(s, 2), s, s, times(s, 3)]);
        byte += 1;
    }
    mixed
};

/// Multiplies in the field of 256 elements modulo x^8 + x^4 + x^3 + x + 1.
const fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ ((a >> 7) * 0x1b);
        b >>= 1;
    }
    product
}

/// The S-box: the inverse in the field, then an affine map.
const fn substitute(byte: u8) -> u8 {
    // The inverse is the 254th power.
    let (mut inverse, mut square, mut i) = (1, byte, 1);
    while i < 8 {
        square = times(square, square);
        inverse = times(inverse, square);
        i += 1;
    }
    inverse
        ^ inverse.rotate_left(1)
        ^ inverse.rotate_left(2)
        ^ inverse.rotate_left(3)
        ^ inverse.rotate_left(4)
        ^ 0x63
}

#[cfg(test)]
mod tests {
    use super::substitute;

    #[test]
    fn the_s_box_is_the_standard_s() {
        // FIPS 197, figure 7.
        assert_eq!([0x00, 0x01, 0x10, 0x53, 0xff].map(substitute), [0x63, 0x7c, 0xca, 0xed, 0x16]);
    }
}

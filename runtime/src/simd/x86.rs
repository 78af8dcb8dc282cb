//! Planes in the vectors of x86-64 machines.
//!
//! Each instruction set has a type whose functions call its instructions. The type is private to
//! this file, except for `Quarter`, which every machine supports. Only the function here that runs
//! a [`Kernel`] passes the type on, after it has checked the machine. So the machine has the
//! instructions wherever a function of the type is called. Loads and stores use references to a
//! [`Plane`], which has the required size and alignment.

use super::{Chunk, Kernel, Plane, Slots, Vector, Word, vector::Pair};
#[allow(clippy::wildcard_imports, reason = "three dozen instructions")]
use std::arch::{is_x86_feature_detected, x86_64::*};
use std::sync::LazyLock;

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("aes")
}

pub(super) fn has_avx512() -> bool {
    // The result is checked at each run of a kernel, and some kernels take only tens of
    // nanoseconds.
    static HAS: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("vaes")
            && is_x86_feature_detected!("gfni")
    });
    *HAS
}

/// Encrypts every plane by three rounds of AES, with one key for each round. Returns false if the
/// machine has no AES instructions.
pub(super) fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) -> bool {
    #[target_feature(enable = "aes")]
    fn encrypt(planes: &mut [Plane], keys: &[Plane; 3]) {
        for block in 0..4 {
            // SAFETY: a plane is 64 bytes, aligned to 64: four blocks of 16.
            let load = |plane: &Plane| unsafe {
                _mm_load_si128(std::ptr::from_ref(plane).cast::<__m128i>().add(block))
            };
            let [first, second, third] = keys.each_ref().map(load);
            for plane in &mut *planes {
                let state = _mm_aesenc_si128(_mm_aesenc_si128(load(plane), first), second);
                let state = _mm_aesenc_si128(state, third);
                // SAFETY: as for `load`.
                unsafe {
                    _mm_store_si128(std::ptr::from_mut(plane).cast::<__m128i>().add(block), state);
                }
            }
        }
    }
    let is_there = is_x86_feature_detected!("aes");
    if is_there {
        // SAFETY: the machine was just checked for these instructions.
        unsafe { encrypt(planes, keys) }
    }
    is_there
}

/// # Panics
/// Panics if the machine lacks AVX2 or AES.
pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    #[target_feature(enable = "avx2,aes")]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Pair<Half>>()
    }
    assert!(has_avx2(), "the machine has AVX2");
    // SAFETY: the machine was just checked for these features.
    unsafe { run(kernel) }
}

/// # Panics
/// Panics if the machine lacks AVX-512, VAES or GFNI.
pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq,vaes,gfni")]
    fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }
    assert!(has_avx512(), "the machine has AVX-512");
    // SAFETY: the machine was just checked for these features.
    unsafe { run(kernel) }
}

/// 512 bits. Only created and used inside [`run_avx512`].
#[derive(Clone, Copy)]
struct Avx512(__m512i);

impl Vector for Avx512 {
    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are 64 bytes, aligned, see the function; the machine has AVX-512, see the
        // module.
        Self(unsafe { _mm512_load_si512(from.cast()) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe { _mm512_store_si512(to.cast(), self.0) }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_set1_epi64(-i64::from(bit)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn ternary<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_ternarylogic_epi64::<TABLE>(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: the machine has AVX-512, see the module.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) != 0 }
    }

    #[inline(always)]
    fn counts(self) -> Self {
        // SAFETY: the machine has VPOPCNTDQ, see the module.
        Self(unsafe { _mm512_popcnt_epi64(self.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        Self(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        // SAFETY: the machine has VAES, see the module.
        Self(unsafe { _mm512_aesenc_epi128(self.0, key.0) })
    }
}

impl Word for Avx512 {
    type Part = Self;

    #[inline(always)]
    fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512vpopcntdq,vaes")]
        fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
            chunk.run::<Avx512>(slots);
        }
        // SAFETY: the machine has these features, see the module.
        unsafe { call(chunk, slots) }
    }

    #[inline(always)]
    fn take(lanes: u64, low: Self, high: Self, places: Self) -> Self {
        // SAFETY: the machine has AVX-512 with VBMI, see the module.
        Self(unsafe { _mm512_maskz_permutex2var_epi8(lanes, low.0, places.0, high.0) })
    }

    #[inline(always)]
    fn spread(bits: u64) -> Self {
        // SAFETY: the machine has AVX-512 with BW, see the module.
        Self(unsafe { _mm512_movm_epi8(bits) })
    }

    #[inline(always)]
    fn put<const BYTES: usize>(self, to: &mut [u8; BYTES]) {
        let to = to.as_mut_ptr();
        // SAFETY: the machine has AVX-512, see the module; the place has as many bytes, and need
        // not be aligned.
        unsafe {
            match BYTES {
                16 => _mm_storeu_si128(to.cast(), _mm512_castsi512_si128(self.0)),
                32 => _mm256_storeu_si256(to.cast(), _mm512_castsi512_si256(self.0)),
                64 => _mm512_storeu_si512(to.cast(), self.0),
                _ => unreachable!("16, 32 or 64 bytes"),
            }
        }
    }

    #[inline(always)]
    fn look_up(self, count: usize, values: &[f32; 128], to: &mut [f32; 64]) {
        if count > 16 {
            return super::bytes::look_up(self, count, values, to);
        }
        // SAFETY: the machine has AVX-512, see the module.
        unsafe { look_up(self, values, to) }
    }

    #[inline(always)]
    fn collect(self) -> u64 {
        // SAFETY: the machine has AVX-512 with BW, see the module.
        unsafe { _mm512_movepi8_mask(self.0) }
    }

    #[inline(always)]
    fn exchange(mut words: [Self; 8]) -> [Self; 8] {
        // SAFETY: the machine has AVX-512, see the module.
        unsafe { exchange(&mut words) };
        words
    }

    #[inline(always)]
    fn transpose(mut words: [Self; 8]) -> [Self; 8] {
        // SAFETY: the machine has AVX-512 with VBMI, and GFNI, see the module.
        unsafe { transpose(&mut words) };
        words
    }

    #[inline(always)]
    fn widen(few: &[Self]) -> [Self; 8] {
        // SAFETY: the machine has AVX-512 with BW and VBMI, and GFNI, see the module.
        unsafe { widen(few) }
    }

    #[inline(always)]
    fn narrow(words: [Self; 8], few: &mut [Self]) {
        // SAFETY: as for `widen`.
        unsafe { narrow(&words, few) }
    }

    #[inline(always)]
    fn column(states: &[Plane], word: usize) -> Self {
        // SAFETY: the machine has AVX-512, see the module.
        unsafe { column(states, word) }
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        const FIRST: Plane = Plane([0, 8, 1, 9, 2, 10, 3, 11]);
        const LAST: Plane = Plane([4, 12, 5, 13, 6, 14, 7, 15]);
        // SAFETY: the machine has AVX-512, see the module.
        [FIRST, LAST]
            .map(|places| Self(unsafe { _mm512_permutex2var_epi64(self.0, Self::load(&places).0, other.0) }))
    }

    #[inline(always)]
    fn digits(self) -> Self {
        // SAFETY: the machine has AVX-512 with VBMI, and GFNI, see the module.
        unsafe { digits(self) }
    }
}

/// A word whose bytes are all 1.
const FIRST_BYTES: u64 = 0x0101_0101_0101_0101;

/// The identity matrix of 8 x 8 bits.
const IDENTITY: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// Exchanges words of eight registers: neighbours, then pairs, then halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange(words: &mut [Avx512; 8]) {
    let mut pairs = [[words[0].0; 4]; 2];
    for i in 0..4 {
        let (even, odd) = (words[2 * i].0, words[2 * i + 1].0);
        pairs[0][i] = _mm512_unpacklo_epi64(even, odd);
        pairs[1][i] = _mm512_unpackhi_epi64(even, odd);
    }
    let (even, odd) = (exchange_quarters(pairs[0]), exchange_quarters(pairs[1]));
    for i in 0..4 {
        words[2 * i].0 = even[i];
        words[2 * i + 1].0 = odd[i];
    }
}

/// Transposes the 128-bit quarters of four registers.
#[inline]
#[target_feature(enable = "avx512f")]
fn exchange_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab, cd) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0x44>(c, d));
    let (ab_high, cd_high) = (_mm512_shuffle_i64x2::<0xee>(a, b), _mm512_shuffle_i64x2::<0xee>(c, d));
    [
        _mm512_shuffle_i64x2::<0x88>(ab, cd),
        _mm512_shuffle_i64x2::<0xdd>(ab, cd),
        _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
        _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
    ]
}

/// Transposes a square: bytes within registers, bits within blocks of eight bytes, words across
/// registers, and bytes again. The product of matrices of 8 x 8 bits is a transpose if one factor
/// is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
fn transpose(words: &mut [Avx512; 8]) {
    // The source of each byte: bytes of words become words of bytes, in reverse order as the
    // product needs them.
    const UPSIDE_DOWN: Plane = bytes(7);
    const UPRIGHT: Plane = bytes(0);
    let (first, last) = (Avx512::load(&UPSIDE_DOWN).0, Avx512::load(&UPRIGHT).0);
    let identity = _mm512_set1_epi64(IDENTITY);
    for Avx512(word) in &mut *words {
        *word = _mm512_gf2p8affine_epi64_epi8::<0>(identity, _mm512_permutexvar_epi8(first, *word));
    }
    exchange(words);
    for Avx512(word) in words {
        *word = _mm512_permutexvar_epi8(last, *word);
    }
}

/// Expands each word to bytes, one for each row. The bytes of the first words are interleaved, then
/// pairs of them, then zeros follow.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn widen(few: &[Avx512]) -> [Avx512; 8] {
    const UPSIDE_DOWN: Plane = bytes(7);
    // The quarters of registers are interleaved, so the rows of word r, two in each quarter, move
    // to bytes 2r and 2r + 1.
    const DEALT: Plane = {
        let mut words = [0; 8];
        let mut place = 0;
        while place < 64 {
            let (quarter, row, second) = (place / 16, place % 16 / 2, place % 2);
            let from = (8 * row + 2 * quarter + second) as u64;
            words[place / 8] |= from << (8 * (place % 8));
            place += 1;
        }
        Plane(words)
    };
    let identity = _mm512_set1_epi64(IDENTITY);
    let zero = _mm512_setzero_si512();
    let mut bytes = [zero; 4];
    for (bytes, &Avx512(word)) in bytes.iter_mut().zip(few) {
        let turned = _mm512_permutexvar_epi8(Avx512::load(&UPSIDE_DOWN).0, word);
        let rows = _mm512_gf2p8affine_epi64_epi8::<0>(identity, turned);
        *bytes = _mm512_permutexvar_epi8(Avx512::load(&DEALT).0, rows);
    }
    let [a, b, c, d] = bytes;
    let halves = [
        (_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d)),
        (_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d)),
    ];
    let mut words = [Avx512(zero); 8];
    for (words, (ab, cd)) in words.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
        let (low, high) = (_mm512_unpacklo_epi16(ab, cd), _mm512_unpackhi_epi16(ab, cd));
        words[0].0 = _mm512_unpacklo_epi32(low, zero);
        words[1].0 = _mm512_unpackhi_epi32(low, zero);
        words[2].0 = _mm512_unpacklo_epi32(high, zero);
        words[3].0 = _mm512_unpackhi_epi32(high, zero);
    }
    words
}

/// Gathers one byte of each row into a word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn narrow(words: &[Avx512; 8], few: &mut [Avx512]) {
    for (place, few) in few.iter_mut().enumerate() {
        // The byte at this place of each word, copied to all destinations.
        let places = _mm512_set1_epi64((0x3830_2820_1810_0800 + FIRST_BYTES * place as u64).cast_signed());
        let mut bytes = _mm512_setzero_si512();
        for (row, Avx512(word)) in words.iter().enumerate() {
            bytes = _mm512_mask_permutexvar_epi8(bytes, 0xff << (8 * row), places, *word);
        }
        *few = digits(Avx512(bytes));
    }
}

/// Transposes bits within blocks of eight bytes, then bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
fn digits(word: Avx512) -> Avx512 {
    const UPRIGHT: Plane = bytes(0);
    let upside_down = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
    let turned = _mm512_shuffle_epi8(word.0, upside_down);
    let bits = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_set1_epi64(IDENTITY), turned);
    Avx512(_mm512_permutexvar_epi8(Avx512::load(&UPRIGHT).0, bits))
}

/// Looks up sixteen bytes at a time; each is an index below 16.
#[inline]
#[target_feature(enable = "avx512f")]
fn look_up(places: Avx512, values: &[f32; 128], to: &mut [f32; 64]) {
    // SAFETY: there are as many values as are read, and more; they need not be aligned.
    let table = unsafe { _mm512_loadu_ps(values.as_ptr()) };
    let quarters = [
        _mm512_castsi512_si128(places.0),
        _mm512_extracti32x4_epi32::<1>(places.0),
        _mm512_extracti32x4_epi32::<2>(places.0),
        _mm512_extracti32x4_epi32::<3>(places.0),
    ];
    for (to, quarter) in to.as_chunks_mut::<16>().0.iter_mut().zip(quarters) {
        let found = _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(quarter), table);
        // SAFETY: the place has as many bytes, and need not be aligned.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), found) }
    }
}

/// Gathers words from two planes at a time, as far as planes exist.
#[inline]
#[target_feature(enable = "avx512f")]
fn column(states: &[Plane], word: usize) -> Avx512 {
    let size = states.len();
    if size > 8 {
        return super::transpose::column(states, word);
    }
    let places: Plane = Plane(std::array::from_fn(|state| (size * state + word) as u64));
    let places = Avx512::load(&places).0;
    let load = |place: usize| Avx512::load(&states[place.min(size - 1)]).0;
    let mut words = _mm512_permutex2var_epi64(load(0), places, load(1));
    for pair in 1..size.div_ceil(2) {
        let others = _mm512_permutex2var_epi64(load(2 * pair), places, load(2 * pair + 1));
        let is_there =
            _mm512_cmpeq_epi64_mask(_mm512_srli_epi64::<4>(places), _mm512_set1_epi64(pair as i64));
        words = _mm512_mask_mov_epi64(words, is_there, others);
    }
    Avx512(words)
}

/// The shuffle that moves byte c of word i to byte i of word c. If `turn` is 7, it moves byte c of
/// word 7 - i there.
const fn bytes(turn: u64) -> Plane {
    let mut words = [0; 8];
    let mut place = 0;
    while place < 64 {
        let (word, byte) = (place / 8, place % 8);
        words[word as usize] |= (8 * (byte ^ turn) + word) << (8 * byte);
        place += 1;
    }
    Plane(words)
}

/// 256 bits. Only created and used inside [`run_avx2`].
#[derive(Clone, Copy)]
struct Half(__m256i);

impl Word for Pair<Half> {
    type Part = Half;

    #[inline(always)]
    fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
        #[inline(never)]
        #[target_feature(enable = "avx2,aes")]
        fn call<C: Chunk>(chunk: C, slots: &mut Slots) {
            chunk.run::<Pair<Half>>(slots);
        }
        // SAFETY: the machine has these features, see the module.
        unsafe { call(chunk, slots) }
    }
}

impl Vector for Half {
    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are 32 bytes, aligned, see the function; the machine has AVX2, see the
        // module.
        Self(unsafe { _mm256_load_si256(from.cast()) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe { _mm256_store_si256(to.cast(), self.0) }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_set1_epi64x(-i64::from(bit)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { _mm256_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: the machine has AVX2, see the module.
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }

    #[inline(always)]
    fn counts(self) -> Self {
        // SAFETY: the machine has AVX2, see the module.
        Self(unsafe { counts(self.0) })
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        // SAFETY: the machine has AVX2 and AES, see the module.
        Self(unsafe { aes_round(self.0, key.0) })
    }
}

/// The number of set bits in each word of 64. A table in a register counts four bits at a time
/// (Mula, Kurz, Lemire, "Faster population counts using AVX2 instructions", 2018).
#[inline]
#[target_feature(enable = "avx2")]
fn counts(half: __m256i) -> __m256i {
    let (low, high) = (0x0302_0201_0201_0100, 0x0403_0302_0302_0201);
    let table = _mm256_setr_epi64x(low, high, low, high);
    let mask = _mm256_set1_epi8(0x0f);
    let lower = _mm256_shuffle_epi8(table, _mm256_and_si256(half, mask));
    let upper = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16::<4>(half), mask));
    _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
}

/// Computes a round of AES for two blocks.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn aes_round(half: __m256i, key: __m256i) -> __m256i {
    let low = _mm_aesenc_si128(_mm256_castsi256_si128(half), _mm256_castsi256_si128(key));
    let high = _mm_aesenc_si128(_mm256_extracti128_si256::<1>(half), _mm256_extracti128_si256::<1>(key));
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

/// 128 bits, for which every x86-64 machine has registers.
#[derive(Clone, Copy)]
pub(super) struct Quarter(__m128i);

impl Vector for Quarter {
    #[inline(always)]
    unsafe fn read(from: *const u64) -> Self {
        // SAFETY: there are 16 bytes, aligned, see the function.
        Self(unsafe { _mm_load_si128(from.cast()) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut u64) {
        // SAFETY: as for `read`.
        unsafe { _mm_store_si128(to.cast(), self.0) }
    }

    #[inline(always)]
    fn splat(bit: bool) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_set1_epi64x(-i64::from(bit)) })
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_andnot_si128(other.0, self.0) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_add_epi64(self.0, other.0) })
    }

    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: every x86-64 machine has SSE2.
        unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(self.0, _mm_setzero_si128())) != 0xffff }
    }

    /// Bits are counted in groups of two, four and eight (Warren, "Hacker's Delight", section 5-1).
    #[inline(always)]
    fn counts(self) -> Self {
        // SAFETY: every x86-64 machine has SSE2.
        unsafe {
            let (two, four, eight) = (_mm_set1_epi8(0x55), _mm_set1_epi8(0x33), _mm_set1_epi8(0x0f));
            let twos = _mm_sub_epi8(self.0, _mm_and_si128(_mm_srli_epi64::<1>(self.0), two));
            let fours =
                _mm_add_epi8(_mm_and_si128(twos, four), _mm_and_si128(_mm_srli_epi64::<2>(twos), four));
            let eights = _mm_and_si128(_mm_add_epi8(fours, _mm_srli_epi64::<4>(fours)), eight);
            Self(_mm_sad_epu8(eights, _mm_setzero_si128()))
        }
    }

    #[inline(always)]
    fn aes_round(self, key: Self) -> Self {
        let mut block = [0; 2];
        // SAFETY: there are 16 bytes, and they need not be aligned.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), self.0) };
        let [low, high] = super::aes::round(block).map(u64::cast_signed);
        // SAFETY: every x86-64 machine has SSE2.
        Self(unsafe { _mm_xor_si128(_mm_set_epi64x(high, low), key.0) })
    }
}

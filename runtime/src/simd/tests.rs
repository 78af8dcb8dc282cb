//! Every instruction set computes what a model of one bit or word at a time computes.

use super::{
    Apart, Isa, Kernel, LANES, Line, Plane, Rows, Slots, Vector, View, Word, digits, portable::Portable, run,
    to_planes, to_rows,
};
use crate::random::Stream;

/// All functions of a word, applied to three planes.
struct Functions([Plane; 3]);

impl Kernel for Functions {
    type Output = Vec<Plane>;

    #[inline(always)]
    fn run<W: Word>(self) -> Vec<Plane> {
        let [a, b, c] = self.0.each_ref().map(W::load);
        let mut results = vec![
            a.and(b),
            a.or(b),
            a.xor(b),
            a.and_not(b),
            a.not(),
            a.pick(b, c),
            a.or_both(b, c),
            W::sum(a, b, c),
            W::carry(a, b, c),
            W::borrow(a, b, c),
            W::splat(a.any()),
            W::splat(true),
            a.counts(),
            a.add(b),
            a.aes_round(b),
            encrypted::<W>(self.0),
        ];
        macro_rules! tables {
            ($($table:literal)*) => { results.extend([$(W::ternary::<$table>(a, b, c)),*]) };
        }
        tables!(0x00 0x01 0x16 0x1b 0x22 0x27 0x33 0x35 0x44 0x69 0x7f 0x80 0x81 0x96 0xac 0xca 0xd8 0xdd 0xfe 0xff);
        results
            .into_iter()
            .map(|word| {
                let mut plane = Plane::ZERO;
                word.store(&mut plane);
                plane
            })
            .collect()
    }
}

/// The tables among [`Functions`]: every function of two operands is among their lower halves.
const TABLES: [u8; 20] = [
    0x00, 0x01, 0x16, 0x1b, 0x22, 0x27, 0x33, 0x35, 0x44, 0x69, 0x7f, 0x80, 0x81, 0x96, 0xac, 0xca, 0xd8,
    0xdd, 0xfe, 0xff,
];

/// Three rounds, as in the encryption of many planes at a time.
#[inline(always)]
fn encrypted<W: Word>([a, b, c]: [Plane; 3]) -> W {
    let mut planes = [a, b, a];
    W::encrypt(&mut planes, &[b, c, a]);
    assert!(planes[0] == planes[2] && planes[0] != planes[1]);
    W::load(&planes[0])
}

/// The functions that work on each bit, one bit at a time.
fn bits([a, b, c]: [bool; 3]) -> [bool; 10] {
    let sum = u8::from(a) + u8::from(b) + u8::from(c);
    let difference = i8::from(a) - i8::from(b) - i8::from(c);
    let (pick, or_both) = (if a { b } else { c }, a || (b && c));
    [a && b, a || b, a != b, a && !b, !a, pick, or_both, sum % 2 == 1, sum > 1, difference < 0]
}

fn random(stream: &mut Stream) -> Plane {
    Plane(std::array::from_fn(|_| stream.bits()))
}

#[test]
fn words_do_as_single_bits_do() {
    let mut stream = Stream::new(1, 1);
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        for round in 0..50 {
            let mut planes = [random(&mut stream), random(&mut stream), random(&mut stream)];
            if round == 0 {
                planes[0] = Plane::ZERO;
            }
            let [a, b, _] = planes;
            let results = isa.run(Functions(planes));
            for lane in 0..LANES {
                let row = planes.map(|plane| plane.lane(lane));
                for (result, expected) in results.iter().zip(bits(row)) {
                    assert_eq!(result.lane(lane), expected, "{isa:?}");
                }
                let row = row.iter().fold(0, |row, &bit| 2 * row + u8::from(bit));
                for (result, table) in results[16..].iter().zip(TABLES) {
                    assert_eq!(result.lane(lane), table >> row & 1 == 1, "{isa:?}: {table:#x}");
                }
            }
            let counts = a.0.map(|word| u64::from(word.count_ones()));
            let sums = std::array::from_fn(|i| a.0[i].wrapping_add(b.0[i]));
            let expected = [Plane::splat(a != Plane::ZERO), Plane::ONES, Plane(counts), Plane(sums)];
            assert_eq!(results[10..14], expected, "{isa:?}");
            assert_eq!(counts.iter().sum::<u64>(), a.count());
            let mut round = Plane::ZERO;
            Portable::load(&a).aes_round(Portable::load(&b)).store(&mut round);
            assert_eq!(results[14], round, "{isa:?}");
            let rounds = [planes[1], planes[2], planes[0]].iter().fold(a, |before, key| {
                let mut after = Plane::ZERO;
                Portable::load(&before).aes_round(Portable::load(key)).store(&mut after);
                after
            });
            assert_eq!(results[15], rounds, "{isa:?}");
        }
    }
}

/// Two operations on three slots; the second slot is written and then read.
#[derive(Clone, Copy)]
struct Operations;

impl Line<3> for Operations {
    #[inline(always)]
    fn run<V: Vector>(self, slots: &mut View<'_, V, 3>) {
        let (a, b, c) = (slots.load(0), slots.load(1), slots.load(2));
        slots.store(1, V::ternary::<0xca>(a, b, c));
        let b = slots.load(1);
        slots.store(2, V::ternary::<0x1b>(a, b, c));
    }
}

/// A kernel that runs the operations inline, then as a function call.
struct Twice<'a>(&'a mut Slots);

impl Kernel for Twice<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        run::<W, 3>(Operations, self.0);
        W::call(Apart::<_, 3>(Operations), self.0);
    }
}

#[test]
fn straight_lines_run_on_all_lanes() {
    let mut stream = Stream::new(7, 1);
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        let before: [Plane; 4] = std::array::from_fn(|_| random(&mut stream));
        let mut slots = before;
        isa.run(Twice(&mut slots));
        for lane in 0..LANES {
            let [a, mut b, mut c, d] = before.map(|plane| plane.lane(lane));
            for _ in 0..2 {
                b = if a { b } else { c };
                c = 0x1b >> (4 * u8::from(a) + 2 * u8::from(b) + u8::from(c)) & 1 == 1;
            }
            assert_eq!(slots.map(|plane| plane.lane(lane)), [a, b, c, d], "{isa:?}");
        }
    }
}

#[test]
#[should_panic(expected = "as many slots as the code uses")]
fn straight_lines_need_their_slots() {
    Isa::Portable.run(Twice(&mut [Plane::ZERO; 2]));
}

/// The first round of the example in FIPS 197, appendix B.
#[test]
fn the_round_is_that_of_the_standard() {
    let words = |bytes: u128| {
        let bytes = bytes.to_be_bytes();
        let word = |i: usize| u64::from_le_bytes(bytes[i..i + 8].try_into().expect("eight bytes"));
        [0, 8, 0, 8, 0, 8, 0, 8].map(word)
    };
    let start = Plane(words(0x193d_e3be_a0f4_e22b_9ac6_8d2a_e9f8_4808));
    let key = Plane(words(0xa0fa_fe17_8854_2cb1_23a3_3939_2a6c_7605));
    let after = Plane(words(0xa49c_7ff2_689f_352b_6b5b_ea43_026a_5049));
    for isa in Isa::ALL {
        assert_eq!(isa.run(Functions([start, key, key]))[14], after, "{isa:?}");
    }
}

#[test]
fn the_first_set_bits() {
    let plane = Plane([0, 0b1011, 0, 1 << 63, 0, 0, 0, 1]);
    assert_eq!(plane.first(0), Plane::ZERO);
    assert_eq!(plane.first(2), Plane([0, 0b11, 0, 0, 0, 0, 0, 0]));
    assert_eq!(plane.first(4), Plane([0, 0b1011, 0, 1 << 63, 0, 0, 0, 0]));
    assert_eq!(plane.first(9), plane);
}

/// Transposes planes to rows, and a word of states to planes, for some blocks.
struct Transposes<'a> {
    planes: &'a [Plane],
    blocks: usize,
    states: &'a [Plane],
    word: usize,
}

impl Kernel for Transposes<'_> {
    type Output = (Rows, Vec<Plane>);

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        let Self { planes, blocks, states, word } = self;
        let (mut to, mut from) = ([Plane::ONES; 64], vec![Plane::ONES; planes.len()]);
        let mut scratch = [Plane::ONES; 64];
        to_rows::<W>(planes, &mut to, blocks, &mut scratch);
        to_planes::<W>(states, word, &mut from, blocks, &mut scratch);
        (to, from)
    }
}

#[test]
fn rows_and_planes_are_transposes() {
    let mut stream = Stream::new(2, 1);
    let bit = |words: &[Plane], word: usize, bit: usize| words[word / 8].0[word % 8] >> bit & 1 == 1;
    let sizes = [64, 1, 7, 8, 9, 16, 17, 24, 25, 32, 33, 37, 41, 48, 56, 63, 0];
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        for (round, count) in sizes.into_iter().enumerate() {
            // The sizes of states are one word or more.
            let (size, blocks) = (1 + round, [8, 3, 1][round % 3]);
            let planes: Vec<Plane> = (0..count).map(|_| random(&mut stream)).collect();
            let states: Vec<Plane> = (0..64 * size).map(|_| random(&mut stream)).collect();
            for word in 0..size {
                let (to, from) = isa.run(Transposes { planes: &planes, blocks, states: &states, word });
                for lane in 0..LANES {
                    let is_wanted = lane < 64 * blocks;
                    for plane in 0..64 {
                        let expected =
                            if is_wanted { planes.get(plane).is_some_and(|p| p.lane(lane)) } else { true };
                        assert_eq!(bit(&to, lane, plane), expected, "{isa:?}: {count}, {lane} {plane}");
                    }
                    for (number, plane) in from.iter().enumerate().filter(|_| is_wanted) {
                        let expected = bit(&states, size * lane + word, number);
                        assert_eq!(plane.lane(lane), expected, "{isa:?}: {count}, {lane} {number}");
                    }
                }
            }
        }
    }
}

/// The digits of a number for each lane.
struct Digits<'a>(&'a [u8; LANES]);

impl Kernel for Digits<'_> {
    type Output = [Plane; 8];

    #[inline(always)]
    fn run<W: Word>(self) -> [Plane; 8] {
        let mut planes = [Plane::ZERO; 8];
        planes.iter_mut().zip(digits::<W>(self.0)).for_each(|(plane, word)| word.store(plane));
        planes
    }
}

#[test]
fn numbers_have_digits() {
    let mut stream = Stream::new(4, 2);
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        let numbers = std::array::from_fn(|_| stream.below(256) as u8);
        for (digit, plane) in isa.run(Digits(&numbers)).iter().enumerate() {
            for (lane, number) in numbers.iter().enumerate() {
                assert_eq!(plane.lane(lane), number >> digit & 1 == 1, "{isa:?}");
            }
        }
    }
}

/// The interleaved words of two planes, some first bytes, and looked-up values.
struct Moved([Plane; 2], usize);

impl Kernel for Moved {
    type Output = ([Plane; 2], [u8; 112], [f32; 64]);

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        let Self([a, b], count) = self;
        let mut turns = [Plane::ZERO; 2];
        turns.iter_mut().zip(W::load(&a).interleave(W::load(&b))).for_each(|(to, word)| word.store(to));
        let mut bytes = [0; 112];
        W::load(&a).put::<16>(bytes[..16].first_chunk_mut().expect("16"));
        W::load(&a).put::<32>(bytes[16..48].first_chunk_mut().expect("32"));
        W::load(&a).put::<64>(bytes[48..].first_chunk_mut().expect("64"));
        let values = std::array::from_fn(|place| place as f32);
        let mut found = [0.0; 64];
        W::load(&b).look_up(count, &values, &mut found);
        (turns, bytes, found)
    }
}

#[test]
fn words_take_turns_and_places_have_values() {
    let mut stream = Stream::new(5, 3);
    let bytes = |plane: &Plane| -> Vec<u8> { plane.0.iter().flat_map(|word| word.to_le_bytes()).collect() };
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        for (count, mask) in [(16, 0x0f0f_0f0f_0f0f_0f0f), (128, 0x7f7f_7f7f_7f7f_7f7f)] {
            let [a, mut b] = [(); 2].map(|()| random(&mut stream));
            b.0.iter_mut().for_each(|word| *word &= mask);
            let ([first, last], some, found) = isa.run(Moved([a, b], count));
            for i in 0..8 {
                assert_eq!([first, last][i / 4].0[2 * (i % 4)..][..2], [a.0[i], b.0[i]], "{isa:?}");
            }
            let all = bytes(&a);
            assert_eq!(some[..], [&all[..16], &all[..32], &all].concat(), "{isa:?}");
            assert!(
                bytes(&b)
                    .iter()
                    .zip(found)
                    .all(|(&place, value)| f32::from(place).to_bits() == value.to_bits()),
                "{isa:?}"
            );
        }
    }
}

/// The bytes selected from two planes, the expanded bits of a word, and the top bits.
struct Bytes {
    lanes: u64,
    planes: [Plane; 3],
}

impl Kernel for Bytes {
    type Output = (Plane, Plane, u64);

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        let [low, high, places] = self.planes.each_ref().map(W::load);
        let (mut taken, mut spread) = (Plane::ZERO, Plane::ZERO);
        W::take(self.lanes, low, high, places).store(&mut taken);
        W::spread(self.lanes).store(&mut spread);
        (taken, spread, low.collect())
    }
}

#[test]
fn bytes_are_taken_by_their_places() {
    let mut stream = Stream::new(3, 2);
    let byte = |plane: &Plane, i: usize| plane.0[i / 8].to_le_bytes()[i % 8];
    for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        for _ in 0..20 {
            let lanes = stream.bits();
            let [low, high, mut places] = [(); 3].map(|()| random(&mut stream));
            places.0.iter_mut().for_each(|word| *word &= 0x7f7f_7f7f_7f7f_7f7f);
            let (taken, spread, tops) = isa.run(Bytes { lanes, planes: [low, high, places] });
            for i in 0..64 {
                let is_set = lanes >> i & 1 == 1;
                let place = usize::from(byte(&places, i));
                let from = if place < 64 { byte(&low, place) } else { byte(&high, place - 64) };
                assert_eq!(byte(&taken, i), if is_set { from } else { 0 }, "{isa:?}");
                assert_eq!(byte(&spread, i), if is_set { 0xff } else { 0 }, "{isa:?}");
                assert_eq!(tops >> i & 1 == 1, byte(&low, i) > 0x7f, "{isa:?}");
            }
        }
    }
}

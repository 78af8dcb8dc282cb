//! Choices are legal, uniform, and the same on every machine. Seeds are fixed, so the results are,
//! too.

use super::*;
use crate::{
    lanes::noise::Noise,
    random::Stream,
    simd::{Isa, Kernel, LANES},
};

struct Choose<'a> {
    moves: &'a mut [Plane],
    noise: &'a mut Noise,
}

impl Kernel for Choose<'_> {
    type Output = Plane;

    #[inline(always)]
    fn run<W: Word>(self) -> Plane {
        let mut source = Source::<W>::open(self.noise);
        let mut groups = Groups::new(self.moves.len());
        let mut none = Plane::ZERO;
        choose(self.moves, &mut source, &mut groups).store(&mut none);
        source.close();
        self.noise.settle();
        none
    }
}

/// Random legal moves: about one in `sparse` is legal.
fn random(stream: &mut Stream, moves: usize, sparse: u64) -> Vec<Plane> {
    let mut plane = || {
        let mut plane = Plane::ZERO;
        for lane in 0..LANES {
            plane.0[lane / 64] |= u64::from(stream.below(sparse) == 0) << (lane % 64);
        }
        plane
    };
    (0..moves).map(|_| plane()).collect()
}

#[test]
fn one_legal_move_is_made_if_there_is_one() {
    let mut stream = Stream::new(8, 1);
    for moves in [0, 1, 2, 3, 6, 7, 8, 9, 15, 16, 31, 64, 155, 300, 1_200] {
        for sparse in [1, 2, 40] {
            let legal = random(&mut stream, moves, sparse);
            let mut results = Vec::new();
            for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
                let (mut made, mut noise) = (legal.clone(), Noise::new(1, moves as u64));
                let none = isa.run(Choose { moves: &mut made, noise: &mut noise });
                for lane in 0..LANES {
                    let choices = legal.iter().filter(|plane| plane.lane(lane)).count();
                    let chosen: Vec<usize> = (0..moves).filter(|&m| made[m].lane(lane)).collect();
                    assert_eq!(none.lane(lane), choices == 0);
                    assert_eq!(chosen.len(), choices.min(1), "{isa:?}, {moves} moves: {chosen:?}");
                    assert!(chosen.iter().all(|&m| legal[m].lane(lane)));
                }
                results.push((made, format!("{noise:?}")));
            }
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{moves}");
        }
    }
}

/// Equal noise makes equal choices in crowds and in groups alone.
#[test]
fn crowds_choose_as_groups_do() {
    struct Both<'a>(&'a mut [Plane], &'a mut Noise, bool);

    impl Kernel for Both<'_> {
        type Output = Plane;

        #[inline(always)]
        fn run<W: Word>(self) -> Plane {
            let Self(moves, noise, crowds) = self;
            let mut source = Source::<W>::open(noise);
            let mut groups = Groups::new(moves.len());
            groups.groups.resize(moves.len().div_ceil(GROUP), [Plane::ZERO; 4]);
            let mut none = Plane::ZERO;
            // A call by pointer would be compiled without the instructions of the word.
            if crowds {
                vast::<W>(moves, &mut source, &mut groups).store(&mut none);
            } else {
                many::<W, 16>(moves, &mut source, &mut groups).store(&mut none);
            }
            source.close();
            noise.settle();
            none
        }
    }

    let mut stream = Stream::new(8, 2);
    for (moves, sparse) in
        [(16, 1), (63, 2), (64, 1), (126, 40), (127, 3), (500, 200), (1_200, 1), (5_000, 3_000)]
    {
        let mut legal = random(&mut stream, moves, sparse);
        // Some lanes have all moves.
        legal.iter_mut().for_each(|plane| plane.0[3] |= 0xff);
        for isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let run = |crowds| {
                let (mut made, mut noise) = (legal.clone(), Noise::new(4, moves as u64));
                let none = isa.run(Both(&mut made, &mut noise, crowds));
                (made, none, format!("{noise:?}"))
            };
            assert!(run(true) == run(false), "{isa:?}, {moves} moves");
        }
    }
}

/// More moves than 16 bits can count, with all of them legal or almost none.
#[test]
fn one_of_very_many_moves_is_made() {
    for (moves, sparse) in [(70_000, 1), (70_001, 20_000)] {
        let mut stream = Stream::new(8, 3);
        let mut legal = vec![Plane::splat(sparse == 1); moves];
        for _ in 0..LANES * moves / sparse {
            let lane = stream.below(LANES as u64) as usize;
            legal[stream.below(moves as u64) as usize].0[lane / 64] |= 1 << (lane % 64);
        }
        let (mut made, mut noise) = (legal.clone(), Noise::new(1, 5));
        let none = Isa::best().run(Choose { moves: &mut made, noise: &mut noise });
        let (mut able, mut one) = (Plane::ZERO, Plane::ZERO);
        let (mut sum, mut high) = (0, 0);
        for (place, (legal, made)) in legal.iter().zip(&made).enumerate() {
            for word in 0..LANES / 64 {
                assert_eq!(made.0[word] & (one.0[word] | !legal.0[word]), 0, "move {place}");
                one.0[word] |= made.0[word];
                able.0[word] |= legal.0[word];
            }
            sum += place as u64 * made.count();
            high += if place >= 1 << 16 { made.count() } else { 0 };
        }
        assert_eq!(one, able);
        assert_eq!(none, Plane(std::array::from_fn(|word| !able.0[word])));
        // The deviation of the mean place, in units of its standard error.
        let mean = sum as f64 / one.count() as f64;
        let error = moves as f64 / (12.0 * one.count() as f64).sqrt();
        assert!((mean - moves as f64 / 2.0).abs() < 3.5 * error, "{mean}");
        assert!(high > 0);
    }
}

/// The sum of squared deviations, as a standard normal deviate (Wilson and Hilferty).
fn deviation(chi: f64, degrees: f64) -> f64 {
    ((chi / degrees).cbrt() - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt()
}

/// Each lane has a separate set of legal moves and is drawn from many times.
#[test]
fn choices_are_uniform() {
    let mut stream = Stream::new(3, 3);
    for (moves, sparse) in [(2, 1), (4, 2), (7, 1), (9, 2), (10, 1), (16, 2), (25, 3), (64, 5), (155, 20)] {
        let draws = 400 * moves.min(40);
        let legal = random(&mut stream, moves, sparse);
        let mut counts = vec![[0_u32; LANES]; moves];
        let mut noise = Noise::new(2, moves as u64);
        let isa = Isa::best();
        for _ in 0..draws {
            let mut made = legal.clone();
            isa.run(Choose { moves: &mut made, noise: &mut noise });
            for (counts, plane) in counts.iter_mut().zip(&made) {
                for lane in crate::bits::ones(&plane.0) {
                    counts[lane] += 1;
                }
            }
        }
        let (mut chi, mut degrees) = (0.0, 0.0);
        for lane in 0..LANES {
            let choices = legal.iter().filter(|plane| plane.lane(lane)).count();
            if choices > 1 {
                let expected = draws as f64 / choices as f64;
                let of = |m: usize| (f64::from(counts[m][lane]) - expected).powi(2) / expected;
                chi += (0..moves).filter(|&m| legal[m].lane(lane)).map(of).sum::<f64>();
                degrees += choices as f64 - 1.0;
            }
        }
        let z = deviation(chi, degrees);
        assert!(z.abs() < 3.5, "{moves} moves: z = {z}");
    }
}

/// Bits of planes are set half of the time, and so are the differences between planes and between
/// lanes.
#[test]
fn noise_is_fair() {
    struct Planes(Noise, usize);

    impl Kernel for Planes {
        type Output = Vec<Plane>;

        #[inline(always)]
        fn run<W: Word>(mut self) -> Vec<Plane> {
            let mut source = Source::<W>::open(&mut self.0);
            let mut planes = vec![Plane::ZERO; self.1];
            planes.iter_mut().for_each(|plane| source.plane().store(plane));
            planes
        }
    }

    let count = 20_000;
    let planes = Isa::best().run(Planes(Noise::new(1, 1), count));
    let shares = |of: &dyn Fn(usize) -> Plane| {
        // The sum over lanes of the squared deviation from one half, each with one degree of
        // freedom.
        let mut sums = [0_i64; LANES];
        for i in 0..count - 64 {
            let plane = of(i);
            (0..LANES).for_each(|lane| sums[lane] += if plane.lane(lane) { 1 } else { -1 });
        }
        let n = (count - 64) as f64;
        deviation(sums.iter().map(|&sum| (sum as f64).powi(2) / n).sum(), LANES as f64)
    };
    let xor = |a: Plane, b: Plane| Plane(std::array::from_fn(|i| a.0[i] ^ b.0[i]));
    let turned =
        |plane: Plane, by: usize| Plane(std::array::from_fn(|i| plane.0[(i + by) % 8].rotate_left(7)));
    let mut deviations = vec![shares(&|i| planes[i])];
    deviations.extend([1, 2, 3, 4, 8, 16, 64].map(|far| shares(&|i| xor(planes[i], planes[i + far]))));
    deviations.extend([0, 1, 2, 5].map(|by| shares(&|i| xor(planes[i], turned(planes[i], by)))));
    deviations.extend([1, 2].map(|by| shares(&|i| xor(planes[i], turned(planes[i + 1], by)))));
    assert!(deviations.iter().all(|z| z.abs() < 3.5), "{deviations:?}");
}

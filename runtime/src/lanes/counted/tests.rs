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
    count: usize,
    noise: &'a mut Noise,
}

impl Kernel for Choose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let mut source = Source::<W>::open(self.noise);
        choose_counted(self.moves, self.count, &mut source);
        source.close();
        self.noise.settle();
    }
}

/// Random legal moves: `count` of them in each lane.
fn random(stream: &mut Stream, moves: usize, count: usize) -> Vec<Plane> {
    let mut planes = vec![Plane::ZERO; moves];
    for lane in 0..LANES {
        let mut left = count;
        for (place, plane) in planes.iter_mut().enumerate() {
            if (stream.below((moves - place) as u64) as usize) < left {
                plane.0[lane / 64] |= 1 << (lane % 64);
                left -= 1;
            }
        }
    }
    planes
}

#[test]
fn choices_are_legal_and_uniform() {
    let mut stream = Stream::new(5, 7);
    for (moves, count) in (1..=MOST_COUNTED).flat_map(|moves| (1..=moves).map(move |count| (moves, count))) {
        let legal = random(&mut stream, moves, count);
        let mut noise = Noise::new(3, (16 * moves + count) as u64);
        let mut counts = vec![0_u32; count];
        let draws = 40 * count;
        for draw in 0..draws {
            let isas = Isa::ALL.iter().filter(|isa| isa.is_available()).take(if draw < 4 { 3 } else { 1 });
            let mut results = Vec::new();
            for isa in isas {
                // If all moves are legal, their planes need not be set.
                let mut made = if count == moves { vec![Plane::ZERO; moves] } else { legal.clone() };
                let mut noise = noise.clone();
                isa.run(Choose { moves: &mut made, count, noise: &mut noise });
                results.push((made, noise));
            }
            let same = results.windows(2).all(|pair| {
                pair[0].0 == pair[1].0 && format!("{:?}", pair[0].1) == format!("{:?}", pair[1].1)
            });
            assert!(same, "{count} of {moves}");
            let (made, next) = results.swap_remove(0);
            noise = next;
            for lane in 0..LANES {
                let mut ranks = (0..moves).filter(|&m| legal[m].lane(lane)).zip(0..);
                let rank = ranks.find(|&(m, _)| made[m].lane(lane)).map(|(_, rank): (_, usize)| rank);
                counts[rank.expect("a legal move is made")] += 1;
                let all = made.iter().filter(|plane| plane.lane(lane)).count();
                assert_eq!(all, 1, "{count} of {moves}");
            }
        }
        let expected = (draws * LANES) as f64 / count as f64;
        let chi: f64 = counts.iter().map(|&made| (f64::from(made) - expected).powi(2) / expected).sum();
        let degrees = count as f64 - 1.0;
        if count > 1 {
            // Wilson and Hilferty: about normal with these mean and deviation.
            let z = ((chi / degrees).cbrt() - (1.0 - 2.0 / (9.0 * degrees))) / (2.0 / (9.0 * degrees)).sqrt();
            assert!(z.abs() < 3.9, "{count} of {moves}: z = {z}");
        }
    }
}

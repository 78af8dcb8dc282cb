//! The net in play: the trained weights rounded to 16-bit integers, so that evaluations are equal
//! on all machines.
//!
//! Weights of the first layer are in units of 1/256; sums of rows saturate at 16 bits and are
//! clipped to 0 to 256. Weights of the later layers are in units of 1/1024, and their 32-bit sums
//! cannot overflow.

use super::weights::{SECOND, Sizes, Weights, tanh};
use gdl_runtime::{engine::Work, lanes::Isa};

/// The fixed-point representations of 1 in the first layer, and in the later weights.
const FIRST: i16 = 256;
const LATER: i32 = 1024;

/// The fixed-point representation of 1 in the second layer before it is clipped.
const ONE: i32 = FIRST as i32 * LATER;

/// The greatest absolute weight, so that sums of 128 products fit into 32 bits.
const MOST: f32 = 32_000.0;

/// A net of integer weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judge {
    pub(super) sizes: Sizes,
    /// The rows of features, followed by that of biases.
    pub(super) rows: Box<[i16]>,
    pub(super) heads: Box<[Head]>,
}

/// The layers after the first, for one turn phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The weights of each unit of the second layer, a row for each.
    pub(super) second: Box<[i16]>,
    pub(super) biases: [i32; SECOND],
    /// The weights of each output, a row for each.
    pub(super) last: Box<[i16]>,
    pub(super) last_biases: Box<[i32]>,
}

/// A buffer of features that are not added yet.
#[repr(align(64))]
struct Active([u16; Active::ROOM]);

impl Active {
    const ROOM: usize = 128;
}

impl Judge {
    /// Rounds the weights of a trained net.
    pub(super) fn of(weights: &Weights) -> Self {
        let (sizes, values) = (weights.sizes, &weights.values);
        #[allow(clippy::cast_possible_truncation, reason = "clamped before")]
        let round = |x: f32, one: f32| libm::rintf(x * one).clamp(-MOST, MOST) as i16;
        #[allow(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
        let round_bias = |x: f32| libm::rintf((x * ONE as f32).clamp(-1e9, 1e9)) as i32;
        let rows = values[..sizes.head(0)].iter().map(|&x| round(x, FIRST.into())).collect();
        let head = |number: usize| {
            let head = &values[sizes.head(number)..][..sizes.head_len()];
            let (second, rest) = head.split_at(SECOND * sizes.hidden);
            let (biases, rest) = rest.split_at(SECOND);
            let (last, last_biases) = rest.split_at(sizes.outputs * SECOND);
            let later = |weights: &[f32]| weights.iter().map(|&x| round(x, LATER as f32)).collect();
            Head {
                second: later(second),
                biases: std::array::from_fn(|unit| round_bias(biases[unit])),
                last: later(last),
                last_biases: last_biases.iter().map(|&x| round_bias(x)).collect(),
            }
        };
        Self { sizes, rows, heads: (0..sizes.heads).map(head).collect() }
    }

    /// Writes the outputs, -1 to 1, for the features that `visit` passes.
    #[inline]
    pub(super) fn judge(&self, head: usize, outputs: &mut [f32], visit: impl FnOnce(&mut dyn FnMut(usize))) {
        match self.sizes.hidden {
            128 => self.sum::<128>(head, outputs, visit),
            64 => self.sum::<64>(head, outputs, visit),
            _ => self.sum::<32>(head, outputs, visit),
        }
    }

    #[inline(always)]
    fn sum<const H: usize>(
        &self,
        head: usize,
        outputs: &mut [f32],
        visit: impl FnOnce(&mut dyn FnMut(usize)),
    ) {
        let isa = Isa::best();
        let mut active = Active([0; Active::ROOM]);
        let mut count = 0;
        let mut sums = Sums([0; H]);
        sums.0.copy_from_slice(&self.rows[self.sizes.features * H..][..H]);
        visit(&mut |feature| {
            if count == Active::ROOM {
                isa.work(Add { rows: &self.rows, active: &active.0, sums: &mut sums });
                count = 0;
            }
            active.0[count] = feature as u16;
            count += 1;
        });
        isa.work(EndWork {
            rows: &self.rows,
            active: &active.0[..count],
            sums: &mut sums,
            head: &self.heads[head],
            outputs,
        });
    }
}

/// The sums of the first layer before they are clipped.
#[repr(align(64))]
struct Sums<const H: usize>([i16; H]);

/// The work of adding rows to the first layer.
struct Add<'a, const H: usize> {
    rows: &'a [i16],
    active: &'a [u16],
    sums: &'a mut Sums<H>,
}

impl<const H: usize> Work for Add<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut sums = self.sums.0;
        for &feature in self.active {
            let row = &self.rows[usize::from(feature) * H..][..H];
            for unit in 0..H {
                sums[unit] = sums[unit].saturating_add(row[unit]);
            }
        }
        self.sums.0 = sums;
    }
}

/// The work of adding the last rows and computing the later layers.
struct EndWork<'a, const H: usize> {
    rows: &'a [i16],
    active: &'a [u16],
    sums: &'a mut Sums<H>,
    head: &'a Head,
    outputs: &'a mut [f32],
}

impl<const H: usize> Work for EndWork<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, active, sums, head, outputs } = self;
        Add { rows, active, sums }.run();
        for sum in &mut sums.0 {
            *sum = (*sum).clamp(0, FIRST);
        }
        let mut second = [0_i32; SECOND];
        for (unit, row) in head.second.chunks_exact(H).enumerate() {
            let mut sum = 0_i32;
            for (&a, &b) in sums.0.iter().zip(row) {
                sum += i32::from(a) * i32::from(b);
            }
            // The result is in units of 1/1024.
            second[unit] = sum.saturating_add(head.biases[unit]).clamp(0, ONE) / i32::from(FIRST);
        }
        let biases = head.last_biases.iter();
        for ((output, row), &bias) in outputs.iter_mut().zip(head.last.chunks_exact(SECOND)).zip(biases) {
            let mut sum = 0_i32;
            for (&a, &b) in second.iter().zip(row) {
                sum += a * i32::from(b);
            }
            // Sums are in units of 2^-20, biases of 2^-18.
            let sum = i64::from(sum) + i64::from(bias) * i64::from(LATER * LATER / ONE);
            *output = tanh(sum as f32 / (LATER * LATER) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::chance::Stream;

    #[test]
    fn whole_numbers_give_about_what_floats_do() {
        for hidden in [32, 64, 128] {
            let sizes = Sizes { features: 300, hidden, heads: 3, outputs: 2 };
            let weights = Weights::new(sizes, 5, 30.0);
            let judge = Judge::of(&weights);
            let mut stream = Stream::new(1, 1);
            let mut spread = 0.0_f32;
            for number in 0..200 {
                // The first 20 states have more features than the buffer holds.
                let active: Vec<u32> =
                    (0..300).filter(|_| stream.below(if number < 20 { 2 } else { 10 }) == 0).collect();
                let exact = weights.outputs(&active, number % 3);
                let mut outputs = [0.0; 2];
                judge.judge(number % 3, &mut outputs, |feature| {
                    active.iter().for_each(|&f| feature(f as usize));
                });
                for (exact, found) in exact.iter().zip(outputs) {
                    assert!((exact - found).abs() < 0.02, "{exact} {found}");
                    spread = spread.max(exact.abs());
                }
            }
            assert!(spread > 0.2, "{spread}");
        }
    }

    #[test]
    fn all_instructions_give_the_same() {
        let sizes = Sizes { features: 50, hidden: 64, heads: 1, outputs: 1 };
        let judge = Judge::of(&Weights::new(sizes, 2, 8.0));
        let active: Vec<u16> = (0..50).step_by(3).collect();
        let value = |isa: Isa| {
            let (mut sums, mut outputs) = (Sums([0_i16; 64]), [0.0_f32]);
            isa.work(EndWork {
                rows: &judge.rows,
                active: &active,
                sums: &mut sums,
                head: &judge.heads[0],
                outputs: &mut outputs,
            });
            outputs[0].to_bits()
        };
        assert!(Isa::ALL.iter().all(|&isa| value(isa) == value(Isa::Portable)));
    }
}

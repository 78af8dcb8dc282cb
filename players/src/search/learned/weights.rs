//! The net during training: weights of 32-bit floats, their gradient, and the steps of Adam.
//!
//! The layers are features → H → 32 → outputs, with clipped `ReLU` (0 to 1) between them and
//! [`tanh`] at the end. The first layer is a sum of rows, one for each feature of a state. The
//! later layers are a *head*, one for each turn phase.
//!
//! Results are equal on all machines. The code uses only sums, products, quotients and square roots
//! in a fixed order, which IEEE 754 rounds uniquely and Rust never fuses or reorders.

use gdl_runtime::{chance::Stream, engine::Work, lanes::Isa};

/// The number of units of the second hidden layer.
pub(super) const SECOND: usize = 32;

/// The number of partial sums of a dot product.
const SIDE: usize = 16;

/// The slope outside of 0 to 1 in training, so that no unit stops learning.
const LEAK: f32 = 0.02;

/// The least slope of the output's `tanh` in training.
const STEEP: f32 = 0.02;

/// Adam's decay of means and of squares (Kingma and Ba, "Adam: a method for stochastic
/// optimization", 2015).
const DECAY: [f32; 2] = [0.9, 0.999];

/// Computes the hyperbolic tangent with an error of at most 1e-4, as a rational function, so that
/// it is equal on all machines. The result is between -1 and 1.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let x = x.clamp(-4.9, 4.9);
    let y = x * x;
    x * (135_135.0 + y * (17_325.0 + y * (378.0 + y)))
        / (135_135.0 + y * (62_370.0 + y * (3_150.0 + y * 28.0)))
}

/// The sizes of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) features: usize,
    /// The number of units of the first hidden layer: 32, 64 or 128.
    pub(super) hidden: usize,
    pub(super) heads: usize,
    pub(super) outputs: usize,
}

impl Sizes {
    /// Returns the index of a head's weights: 32 rows and 32 biases of the second layer, then a row
    /// for each output, then a bias for each output.
    pub(super) fn head(self, head: usize) -> usize {
        (self.features + 1) * self.hidden + head * self.head_len()
    }

    pub(super) fn head_len(self) -> usize {
        SECOND * self.hidden + SECOND + self.outputs * SECOND + self.outputs
    }

    /// Returns the number of weights.
    pub(super) fn len(self) -> usize {
        self.head(self.heads)
    }
}

/// A batch of states: the features of each, its head and its targets.
#[derive(Debug, Default)]
pub(super) struct Batch {
    active: Vec<u32>,
    ends: Vec<u32>,
    heads: Vec<u32>,
    targets: Vec<f32>,
}

impl Batch {
    pub(super) fn clear(&mut self) {
        self.active.clear();
        self.ends.clear();
        self.heads.clear();
        self.targets.clear();
    }

    /// Adds a state; `visit` pushes its features.
    pub(super) fn push(&mut self, head: usize, targets: &[f32], visit: impl FnOnce(&mut Vec<u32>)) {
        visit(&mut self.active);
        self.ends.push(self.active.len() as u32);
        self.heads.push(head as u32);
        self.targets.extend(targets);
    }
}

/// The weights of a net, and Adam's moments of their gradients.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) sizes: Sizes,
    pub(super) values: Vec<f32>,
    pub(super) means: Vec<f32>,
    pub(super) squares: Vec<f32>,
    /// The powers of Adam's decays after the steps so far.
    pub(super) powers: [f32; 2],
    gradient: Vec<f32>,
}

impl Weights {
    /// Creates random weights; `active` is the mean number of features of a state.
    pub(super) fn new(sizes: Sizes, seed: u64, active: f32) -> Self {
        let mut stream = Stream::new(seed, u64::MAX);
        let mut uniform = || (stream.bits() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0;
        let mut values = vec![0.0; sizes.len()];
        let hidden = sizes.hidden;
        let (rows, bias) = values[..sizes.head(0)].split_at_mut(sizes.features * hidden);
        let scale = (1.0 / active.max(1.0)).sqrt();
        rows.iter_mut().for_each(|weight| *weight = uniform() * scale);
        bias.fill(0.25);
        for head in 0..sizes.heads {
            let head = &mut values[sizes.head(head)..sizes.head(head + 1)];
            let (second, rest) = head.split_at_mut(SECOND * hidden);
            let (biases, rest) = rest.split_at_mut(SECOND);
            let scale = (2.0 / hidden as f32).sqrt();
            second.iter_mut().for_each(|weight| *weight = uniform() * scale);
            biases.fill(0.1);
            let scale = (1.0 / SECOND as f32).sqrt();
            rest[..sizes.outputs * SECOND].iter_mut().for_each(|weight| *weight = uniform() * scale);
        }
        let zeros = vec![0.0; values.len()];
        Self {
            sizes,
            values,
            means: zeros.clone(),
            squares: zeros.clone(),
            powers: [1.0; 2],
            gradient: zeros,
        }
    }

    /// Makes a step of Adam along the gradient of a batch. Returns the mean squared error before
    /// the step.
    pub(super) fn step(&mut self, batch: &Batch, rate: f32) -> f32 {
        match self.sizes.hidden {
            128 => Isa::best().work(TrainingStep::<128> { weights: self, batch, rate }),
            64 => Isa::best().work(TrainingStep::<64> { weights: self, batch, rate }),
            _ => Isa::best().work(TrainingStep::<32> { weights: self, batch, rate }),
        }
    }
}

/// One step of training a net with `H` hidden units.
struct TrainingStep<'a, const H: usize> {
    weights: &'a mut Weights,
    batch: &'a Batch,
    rate: f32,
}

impl<const H: usize> Work for TrainingStep<'_, H> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        let Self { weights, batch, rate } = self;
        let loss = gradient::<H>(weights, batch);
        descend::<H>(weights, batch, rate);
        loss
    }
}

/// Computes a dot product as [`SIDE`] partial sums that are added pairwise at the end.
#[inline(always)]
fn dot<const H: usize>(a: &[f32; H], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; SIDE];
    for (a, b) in a.chunks_exact(SIDE).zip(b.chunks_exact(SIDE)) {
        for side in 0..SIDE {
            sums[side] += a[side] * b[side];
        }
    }
    let eight: [f32; 8] = std::array::from_fn(|side| sums[side] + sums[side + 8]);
    let four: [f32; 4] = std::array::from_fn(|side| eight[side] + eight[side + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}

/// Adds a multiple of one row to another.
#[inline(always)]
fn add<const H: usize>(to: &mut [f32], factor: f32, row: &[f32; H]) {
    for (to, row) in to.iter_mut().zip(row) {
        *to += factor * row;
    }
}

#[inline(always)]
fn slope(x: f32) -> f32 {
    if x > 0.0 && x < 1.0 { 1.0 } else { LEAK }
}

/// Computes the outputs of the net before [`tanh`], and both hidden layers before they are clipped.
#[inline(always)]
fn forward<const H: usize>(
    sizes: Sizes,
    values: &[f32],
    active: &[u32],
    head: usize,
    first: &mut [f32; H],
    second: &mut [f32; SECOND],
    outputs: &mut [f32],
) {
    first.copy_from_slice(&values[sizes.features * H..][..H]);
    for &feature in active {
        let row = &values[feature as usize * H..][..H];
        for unit in 0..H {
            first[unit] += row[unit];
        }
    }
    let clipped = first.map(|x| x.clamp(0.0, 1.0));
    let head = &values[sizes.head(head)..][..sizes.head_len()];
    let (rows, rest) = head.split_at(SECOND * H);
    for (unit, row) in rows.chunks_exact(H).enumerate() {
        second[unit] = dot(&clipped, row) + rest[unit];
    }
    let clipped = second.map(|x| x.clamp(0.0, 1.0));
    let (rows, biases) = rest[SECOND..].split_at(sizes.outputs * SECOND);
    for ((output, row), bias) in outputs.iter_mut().zip(rows.chunks_exact(SECOND)).zip(biases) {
        *output = dot(&clipped, row) + bias;
    }
}

/// Sets the gradient of half the squared error, summed over a batch; rows of features that are not
/// in the batch stay unchanged. Returns the mean squared error.
#[inline(always)]
fn gradient<const H: usize>(weights: &mut Weights, batch: &Batch) -> f32 {
    let Weights { sizes, values, gradient, .. } = weights;
    let sizes = *sizes;
    let (mut first, mut second) = ([0.0; H], [0.0; SECOND]);
    let mut outputs = [0.0; MOST_OUTPUTS];
    let outputs = &mut outputs[..sizes.outputs];
    gradient[sizes.features * H..].fill(0.0);
    for &feature in &batch.active {
        gradient[feature as usize * H..][..H].fill(0.0);
    }
    let (mut loss, mut start) = (0.0, 0);
    for (number, (&end, &head)) in batch.ends.iter().zip(&batch.heads).enumerate() {
        let active = &batch.active[start as usize..end as usize];
        let targets = &batch.targets[number * sizes.outputs..][..sizes.outputs];
        start = end;
        forward(sizes, values, active, head as usize, &mut first, &mut second, outputs);
        let place = sizes.head(head as usize);
        let (row_gradients, head_gradient) = gradient.split_at_mut(place);
        let (second_gradient, rest) = head_gradient[..sizes.head_len()].split_at_mut(SECOND * H);
        let (biases, last) = rest.split_at_mut(SECOND);
        let (last, last_biases) = last.split_at_mut(sizes.outputs * SECOND);
        let head = &values[place..][..sizes.head_len()];
        let clipped = second.map(|x| x.clamp(0.0, 1.0));
        let mut errors = [0.0_f32; SECOND];
        for (output, &target) in targets.iter().enumerate() {
            let value = tanh(outputs[output]);
            let error = value - target;
            loss += error * error;
            let error = error * (1.0 - value * value).max(STEEP);
            add(&mut last[output * SECOND..][..SECOND], error, &clipped);
            last_biases[output] += error;
            let row = &head[SECOND * H + SECOND + output * SECOND..][..SECOND];
            for unit in 0..SECOND {
                errors[unit] += error * row[unit];
            }
        }
        let clipped = first.map(|x| x.clamp(0.0, 1.0));
        let mut back = [0.0_f32; H];
        for unit in 0..SECOND {
            let error = errors[unit] * slope(second[unit]);
            biases[unit] += error;
            add(&mut second_gradient[unit * H..][..H], error, &clipped);
            let row = &head[unit * H..][..H];
            for unit in 0..H {
                back[unit] += error * row[unit];
            }
        }
        for unit in 0..H {
            back[unit] *= slope(first[unit]);
        }
        add(&mut row_gradients[sizes.features * H..][..H], 1.0, &back);
        for &feature in active {
            add(&mut row_gradients[feature as usize * H..][..H], 1.0, &back);
        }
    }
    loss / batch.targets.len().max(1) as f32
}

/// The maximum number of outputs of a net.
pub(super) const MOST_OUTPUTS: usize = 8;

/// Makes Adam's step. Rows of features that are not in the batch stay unchanged.
#[inline(always)]
fn descend<const H: usize>(weights: &mut Weights, batch: &Batch, rate: f32) {
    let Weights { sizes, values, means, squares, powers, gradient } = weights;
    powers.iter_mut().zip(DECAY).for_each(|(power, decay)| *power *= decay);
    let scale = 1.0 / batch.ends.len().max(1) as f32;
    let rate = rate / (1.0 - powers[0]);
    let whole = 1.0 / (1.0 - powers[1]);
    let step = AdamFactors { scale, rate, whole };
    let mut touched = vec![false; sizes.features];
    batch.active.iter().for_each(|&feature| touched[feature as usize] = true);
    for feature in 0..sizes.features {
        if touched[feature] {
            let row = feature * H..(feature + 1) * H;
            let (values, means) = (&mut values[row.clone()], &mut means[row.clone()]);
            step.adapt(values, means, &mut squares[row.clone()], &gradient[row]);
        }
    }
    let rest = sizes.features * H;
    step.adapt(&mut values[rest..], &mut means[rest..], &mut squares[rest..], &gradient[rest..]);
}

/// The factors of a step of Adam for gradients, means and squares.
struct AdamFactors {
    scale: f32,
    rate: f32,
    whole: f32,
}

impl AdamFactors {
    #[inline(always)]
    fn adapt(&self, values: &mut [f32], means: &mut [f32], squares: &mut [f32], gradient: &[f32]) {
        let moments = means.iter_mut().zip(squares);
        for ((value, (mean, square)), slope) in values.iter_mut().zip(moments).zip(gradient) {
            let slope = slope * self.scale;
            *mean = DECAY[0] * *mean + (1.0 - DECAY[0]) * slope;
            *square = DECAY[1] * *square + (1.0 - DECAY[1]) * slope * slope;
            *value -= self.rate * *mean / ((*square * self.whole).sqrt() + 1e-8);
        }
    }
}

#[cfg(test)]
impl Weights {
    /// Computes the outputs for a state.
    pub(super) fn outputs(&self, active: &[u32], head: usize) -> Vec<f32> {
        let mut outputs = vec![0.0; self.sizes.outputs];
        let mut second = [0.0; SECOND];
        let (sizes, values) = (self.sizes, &self.values);
        match sizes.hidden {
            128 => forward(sizes, values, active, head, &mut [0.0; 128], &mut second, &mut outputs),
            64 => forward(sizes, values, active, head, &mut [0.0; 64], &mut second, &mut outputs),
            _ => forward(sizes, values, active, head, &mut [0.0; 32], &mut second, &mut outputs),
        }
        outputs.into_iter().map(tanh).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(sizes: Sizes) -> Batch {
        let mut batch = Batch::default();
        let mut stream = Stream::new(3, 0);
        for number in 0..5_u32 {
            let targets: Vec<f32> = (0..sizes.outputs).map(|_| stream.below(3) as f32 - 1.0).collect();
            batch.push(number as usize % sizes.heads, &targets, |active| {
                active.extend([number, number + 2, 7]);
            });
        }
        batch
    }

    #[test]
    fn the_gradient_is_that_of_small_changes() {
        let sizes = Sizes { features: 9, hidden: 32, heads: 2, outputs: 2 };
        let mut weights = Weights::new(sizes, 1, 3.0);
        let batch = batch(sizes);
        gradient::<32>(&mut weights, &batch);
        let exact = weights.gradient.clone();
        let loss = |weights: &Weights| {
            let mut start = 0;
            let mut loss = 0.0;
            for (number, (&end, &head)) in batch.ends.iter().zip(&batch.heads).enumerate() {
                let active = &batch.active[start..end as usize];
                start = end as usize;
                let targets = &batch.targets[number * sizes.outputs..];
                for (value, target) in weights.outputs(active, head as usize).iter().zip(targets) {
                    loss += 0.5 * f64::from(value - target) * f64::from(value - target);
                }
            }
            loss
        };
        let mut compared = 0;
        for place in 0..sizes.len() {
            // No state has the feature 8. The tolerance below is for values outside of 0 to 1,
            // where the slope in training differs from that of the net.
            if place < 9 * 32 && place / 32 > 6 && place / 32 != 7 {
                continue;
            }
            let mut changed = [0.0; 2];
            for (changed, step) in changed.iter_mut().zip([1e-2, -1e-2]) {
                let mut weights = weights.clone();
                weights.values[place] += step;
                *changed = loss(&weights);
            }
            let slope = (changed[0] - changed[1]) / 2e-2;
            let found = f64::from(exact[place]);
            compared += u32::from(slope.abs() > 1e-3);
            assert!((slope - found).abs() < 0.03 + 0.15 * slope.abs(), "{place}: {slope} {found}");
        }
        assert!(compared > 200, "{compared}");
    }

    #[test]
    fn steps_lead_to_the_targets_with_any_instructions() {
        for hidden in [32, 64, 128] {
            let sizes = Sizes { features: 9, hidden, heads: 2, outputs: 2 };
            let batch = batch(sizes);
            let mut weights = Weights::new(sizes, 1, 3.0);
            let mut plain = weights.clone();
            let before = weights.step(&batch, 0.01);
            let after = (0..200).map(|_| weights.step(&batch, 0.01)).last().expect("a step");
            assert!(after < before / 20.0, "{hidden}: {before} {after}");
            if hidden == 32 {
                for _ in 0..201 {
                    Isa::Portable.work(TrainingStep::<32> { weights: &mut plain, batch: &batch, rate: 0.01 });
                }
                assert_eq!(weights.values, plain.values);
            }
        }
    }
}

//! An evaluation for any game: in come random games, out go weights of the fluents.

use super::{evaluation::Evaluation, payoff::Payoff};
use crate::{bits, game::Game, player::Budget, random::Stream};

/// The goal that a role can expect is a logistic function of the fluents that hold, each with a weight.
///
/// The weights are fitted to states of random games and how those ended, by stochastic gradient descent with a step
/// for each weight (Duchi, Hazan and Singer, "Adaptive subgradient methods", 2011). Learning visits states for as long
/// as its budget allows, with a seed; the same seed and number of states give the same weights.
#[derive(Clone, Debug)]
pub struct Linear {
    roles: usize,
    /// For each fluent one weight for each role that is judged, then as many for every state.
    weights: Vec<f32>,
    /// Where goals always add up to that: two roles, only the first of which is judged.
    total: Option<f32>,
}

impl Linear {
    /// States visited, unless the budget says less.
    pub const DEFAULT_STATES: u64 = 100_000;

    /// States of one random game that are learnt from, and its greatest length.
    const KEPT: usize = 6;
    const MAX_LENGTH: usize = 2000;

    const RATE: f32 = 0.15;
    const EPOCHS: usize = 4;

    /// Learns from random games; the nodes of the budget are states visited.
    #[must_use]
    pub fn learn<G: Game>(game: &G, seed: u64, budget: &Budget) -> Self {
        let samples = Samples::play(game, seed, budget);
        let roles = game.shape().roles;
        let total = match samples.goals.first() {
            Some(&first) if roles == 2 => {
                let sum = first + samples.goals[1];
                samples.goals.chunks(2).all(|pair| (pair[0] + pair[1] - sum).abs() < 0.01).then_some(sum)
            }
            _ => None,
        };
        let judged = if total.is_some() { 1 } else { roles };
        let mut linear = Self { roles, weights: vec![0.0; (game.shape().fluents + 1) * judged], total };
        linear.fit(&samples, judged, game.shape().fluents, budget);
        linear
    }

    fn fit(&mut self, samples: &Samples, judged: usize, fluents: usize, budget: &Budget) {
        let mut squares = vec![1e-3_f32; self.weights.len()];
        let mut errors = vec![0.0; judged];
        for _ in 0..Self::EPOCHS {
            for number in 0..samples.len() {
                if number % 256 == 0 && budget.is_spent() {
                    return;
                }
                let state = samples.state(number);
                self.sums(state, judged, &mut errors);
                for (role, error) in errors.iter_mut().enumerate() {
                    *error = logistic(*error) - samples.goals[number * self.roles + role] / 100.0;
                }
                for fluent in bits::ones(state).chain([fluents]) {
                    for (role, &error) in errors.iter().enumerate() {
                        let place = fluent * judged + role;
                        squares[place] += error * error;
                        self.weights[place] -= Self::RATE * error / squares[place].sqrt();
                    }
                }
            }
        }
    }

    #[inline]
    fn sums(&self, state: &[u64], judged: usize, sums: &mut [f32]) {
        let always = self.weights.len() - judged;
        if judged == 1 {
            let weights = bits::ones(state).map(|fluent| self.weights[fluent]);
            sums[0] = weights.sum::<f32>() + self.weights[always];
            return;
        }
        sums[..judged].copy_from_slice(&self.weights[always..]);
        for fluent in bits::ones(state) {
            let weights = &self.weights[fluent * judged..][..judged];
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
    }
}

impl<G: Game> Evaluation<G> for Linear {
    #[inline]
    fn evaluate(&self, _: &G, state: &G::State, _: &G::View, goals: &mut [f32]) {
        if let Some(total) = self.total {
            self.sums(state.as_ref(), 1, goals);
            // Goals are parts of 100 wherever they add up to it.
            goals[0] = 100.0 * logistic(goals[0]);
            goals[1] = total - goals[0];
            return;
        }
        self.sums(state.as_ref(), self.roles, goals);
        goals.iter_mut().for_each(|goal| *goal = 100.0 * logistic(*goal));
    }
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// States of random games, and how those ended.
struct Samples {
    words: usize,
    states: Vec<u64>,
    /// The goals of all roles, for each state.
    goals: Vec<f32>,
}

impl Samples {
    fn play<G: Game>(game: &G, seed: u64, budget: &Budget) -> Self {
        let mut samples = Self { words: game.shape().state_words(), states: Vec::new(), goals: Vec::new() };
        let most = budget.nodes().unwrap_or(Linear::DEFAULT_STATES).min(Linear::DEFAULT_STATES);
        let mut visited = 0;
        let mut path = Vec::new();
        let payoff = Payoff::new(game);
        for number in 0.. {
            if visited >= most || budget.is_spent() {
                break;
            }
            let mut stream = Stream::new(seed, number);
            let ended = walk(game, &mut stream, budget, most - visited, &mut path);
            visited += path.len().max(1) as u64;
            let Some(view) = ended else { continue };
            for _ in 0..Linear::KEPT.min(path.len()) {
                let drawn = path.swap_remove(stream.below(path.len() as u64) as usize);
                samples.states.extend(drawn.as_ref());
                samples
                    .goals
                    .extend((0..game.shape().roles).map(|r| f32::from(payoff.goal(view.as_ref(), r))));
            }
        }
        samples
    }

    fn len(&self) -> usize {
        self.states.len().checked_div(self.words).unwrap_or(0)
    }

    fn state(&self, number: usize) -> &[u64] {
        &self.states[number * self.words..][..self.words]
    }
}

/// Plays at random from the start and keeps the states before the end; gives what is seen of that, if it was reached
/// within so many moves.
fn walk<G: Game>(
    game: &G,
    stream: &mut Stream,
    budget: &Budget,
    most: u64,
    path: &mut Vec<G::State>,
) -> Option<G::View> {
    path.clear();
    let mut state = game.initial();
    let mut view = game.blank();
    let mut joint = Vec::new();
    loop {
        game.glance(&state, &mut view);
        if game.terminal_in(&view) {
            return Some(view);
        }
        joint.clear();
        for role in game.roles() {
            joint.push(game.draw_in(&view, role, stream)?);
        }
        path.push(state.clone());
        let length = path.len();
        if length >= Linear::MAX_LENGTH || length as u64 >= most || (length % 64 == 0 && budget.is_spent()) {
            return None;
        }
        game.advance(&mut state, &joint);
    }
}

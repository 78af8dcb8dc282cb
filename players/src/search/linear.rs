//! Linear evaluation for any game: weights of features of a state, learnt from random games.
//!
//! The budget limits the number of visited states, and a random game has at most 2,000. The stored
//! states take at most [`BYTES`]. If the weights need more than that, every state has the value 50.

use super::{
    evaluation::Evaluation,
    lines::Lines,
    payoff::Payoff,
    rollouts::{RolloutKind, Rollouts},
};
use crate::player::Budget;
use gdl_runtime::{Game, GameExt, bits, chance::Stream, engine::legal_words, game::Shape};
use std::time::{Duration, Instant};

/// The maximum number of bytes of training states, and of weights.
const BYTES: usize = 64 << 20;

/// A linear evaluation: a role's expected goal is a logistic function of a weighted sum. The
/// features are the fluents that hold, the number of moves of each role, and the state of lines.
///
/// A line is a set of three to seven fluents that gives a role its greatest goal, such as four in a
/// row. Lines are found in the circuit of the goals. A fluent that is the only one missing in a
/// line is a feature, as is the number of lines that miss two. A line does not count if a fluent of
/// the other role's lines rules it out. Lines are not used if the game has no table, more than
/// 2,048 lines, 4,096 fluents or 2^18 gates, or if finding them takes too many steps.
///
/// Each weight is a pair, for few and for many fluents that hold, with linear interpolation between
/// them (tapered evaluation). In many games the number of fluents shows the progress of the game,
/// and a piece may be worth less towards the end.
///
/// The weights are fitted to states of random games and the goals of random play from there. With
/// lanes, hundreds of games start at each state; otherwise the goals of the state's own game count.
/// The method is stochastic gradient descent with a step size for each weight (Duchi, Hazan and
/// Singer, "Adaptive subgradient methods", 2011). Learning visits states while its budget lasts.
/// The same seed and number of states give the same weights.
#[derive(Clone, Debug)]
pub struct Linear {
    shape: Shape,
    /// The number of roles that are evaluated: one if the goals of two roles have a constant sum.
    judged: usize,
    /// Two weights for each feature and evaluated role, the roles changing fastest. Features are
    /// the fluents, the number of moves of each role, a constant, and the features of lines.
    weights: Vec<[f32; 2]>,
    lines: Lines,
    /// The least number of fluents that hold, and the reciprocal of the difference to the greatest.
    least: f32,
    part: f32,
    /// The reciprocal of the maximum number of moves of a role.
    mobility: f32,
    /// The sum of the two roles' goals if it is constant; then only the first is evaluated.
    total: Option<f32>,
}

impl Linear {
    /// The maximum number of visited states.
    pub const DEFAULT_STATES: u64 = 30_000;

    /// The maximum number of training states from one random game, and the maximum length of a
    /// game.
    const KEPT: usize = 8;
    const MAX_LENGTH: usize = 2000;

    /// The least budget that makes up for the setup of lanes: nodes, time, and time as a multiple
    /// of the time of one random game. Hundreds of games at once take up to about twenty times as
    /// long as one.
    const LANES_FROM: (u64, Duration, u32) = (1000, Duration::from_millis(10), 100);

    /// The share of the time for random games; the rest is for fitting the weights.
    const PLAYING: f64 = 0.7;

    const RATE: f32 = 0.15;
    const EPOCHS: usize = 8;

    /// Learns from random games. A node of the budget is a visited state; a state from which lanes
    /// play counts twice.
    #[must_use]
    pub fn learn<G: Game>(game: &G, seed: u64, budget: &Budget) -> Self {
        Self::learn_counted(game, seed, budget).0
    }

    /// Learns as [`Self::learn`] does, and returns the number of nodes taken.
    pub(super) fn learn_counted<G: Game>(game: &G, seed: u64, budget: &Budget) -> (Self, u64) {
        let end = budget.deadline().map(|end| {
            let now = Instant::now();
            now + end.saturating_duration_since(now).mul_f64(Self::PLAYING)
        });
        let playing = end.map_or_else(|| budget.clone(), |end| budget.clone().and_until(end));
        let samples = Samples::play(game, seed, &playing);
        let shape = game.shape();
        let total = match samples.goals.first() {
            Some(&first) if shape.roles == 2 => {
                let sum = first + samples.goals[1];
                samples.goals.chunks(2).all(|pair| (pair[0] + pair[1] - sum).abs() < 0.01).then_some(sum)
            }
            _ => None,
        };
        let judged = if total.is_some() { 1 } else { shape.roles };
        let mut lines = match game.table() {
            Some(table) if !budget.is_spent() => Lines::of(table, work(budget)),
            _ => Lines::default(),
        };
        lines.rule_out((0..samples.len()).map(|number| samples.state(number)), work(budget));
        let features = shape.fluents + shape.roles + 1 + lines.features();
        // Each weight needs a sum of squares while it is fitted.
        let fits = features.saturating_mul(judged) <= BYTES / (2 * size_of::<[f32; 2]>());
        let judged = if fits { judged } else { 0 };
        let total = total.filter(|_| fits);
        let held = |number| bits::ones(samples.state(number)).count() as f32;
        let (least, most) = (0..samples.len())
            .map(held)
            .fold((f32::MAX, 0.0_f32), |(least, most), held| (least.min(held), most.max(held)));
        let moves = samples.moves.iter().copied().max().unwrap_or(1).max(1);
        let mut linear = Self {
            shape,
            judged,
            weights: vec![[0.0; 2]; features * judged],
            lines,
            least,
            part: 1.0 / (most - least).max(1.0),
            mobility: 1.0 / moves as f32,
            total,
        };
        linear.fit(&samples, budget);
        (linear, samples.visited)
    }

    fn fit(&mut self, samples: &Samples, budget: &Budget) {
        let judged = self.judged;
        if judged == 0 {
            return;
        }
        let mut squares = vec![[1e-3_f32; 2]; self.weights.len()];
        let mut errors = vec![0.0; judged];
        let mut features = Vec::new();
        for _ in 0..Self::EPOCHS {
            for number in 0..samples.len() {
                // The first 256 states are used even without time, since without weights all states
                // are equal.
                if number > 0 && number % 256 == 0 && budget.is_spent() {
                    return;
                }
                let (state, moves) = (samples.state(number), samples.moves_of(number, self.shape.roles));
                let moves = |role: usize| moves[role] as usize;
                let late = self.late(state);
                self.sums(state, late, moves, &mut errors);
                for (role, error) in errors.iter_mut().enumerate() {
                    *error = logistic(*error) - samples.goals[number * self.shape.roles + role] / 100.0;
                }
                features.clear();
                self.visit(state, moves, |feature, value| features.push((feature, value)));
                for &(feature, value) in &features {
                    for (role, &error) in errors.iter().enumerate() {
                        let place = feature * judged + role;
                        for (side, share) in [1.0 - late, late].into_iter().enumerate() {
                            let slope = error * value * share;
                            let square = &mut squares[place][side];
                            *square += slope * slope;
                            self.weights[place][side] -= Self::RATE * slope / square.sqrt();
                        }
                    }
                }
            }
        }
    }

    /// Returns the position of a state between few fluents, 0, and many, 1.
    #[inline]
    fn late(&self, state: &[u64]) -> f32 {
        let held: u32 = state.iter().map(|word| word.count_ones()).sum();
        ((held as f32 - self.least) * self.part).clamp(0.0, 1.0)
    }

    /// Visits the nonzero features of a state, each with its value.
    #[inline]
    fn visit(&self, state: &[u64], moves: impl Fn(usize) -> usize, mut feature: impl FnMut(usize, f32)) {
        let Shape { fluents, roles, .. } = self.shape;
        bits::ones(state).for_each(|fluent| feature(fluent, 1.0));
        (0..roles).for_each(|role| feature(fluents + role, moves(role) as f32 * self.mobility));
        let always = fluents + roles;
        feature(always, 1.0);
        self.lines.visit(state, |lacking, value| feature(always + 1 + lacking, value));
    }

    /// Writes the weighted sum for each evaluated role.
    #[inline]
    fn sums(&self, state: &[u64], late: f32, moves: impl Fn(usize) -> usize, sums: &mut [f32]) {
        let sums = &mut sums[..self.judged];
        sums.fill(0.0);
        self.visit(state, moves, |feature, value| {
            let weights = &self.weights[feature * self.judged..][..self.judged];
            for (sum, &[early, end]) in sums.iter_mut().zip(weights) {
                *sum += value * (early + late * (end - early));
            }
        });
    }
}

impl<G: Game> Evaluation<G> for Linear {
    #[inline]
    fn evaluate(&self, _: &G, state: &G::State, view: &G::View, goals: &mut [f32]) {
        if self.judged == 0 {
            goals.fill(50.0);
            return;
        }
        let moves = |role| count(view.as_ref(), self.shape, role);
        let state = state.as_ref();
        self.sums(state, self.late(state), moves, goals);
        goals[..self.judged].iter_mut().for_each(|goal| *goal = 100.0 * logistic(*goal));
        if let Some(total) = self.total {
            goals[1] = total - goals[0];
        }
    }
}

/// Returns the maximum number of steps for finding lines, or for finding the fluents that rule them
/// out. These steps take about a quarter of the remaining time.
fn work(budget: &Budget) -> usize {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
    let quarter = left.and_then(|left| usize::try_from(left.as_micros() / 4).ok());
    quarter.map_or(usize::MAX, |micros| micros.saturating_mul(Lines::STEPS))
}

/// Returns the number of legal moves of a role.
#[inline]
fn count(view: &[u64], shape: Shape, role: usize) -> usize {
    legal_words(view, shape, role).iter().map(|word| word.count_ones() as usize).sum()
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-x))
}

/// States of random games with the goals of random play from them.
struct Samples {
    words: usize,
    states: Vec<u64>,
    /// The number of moves of each role, for each state.
    moves: Vec<u32>,
    /// The goals of all roles, for each state.
    goals: Vec<f32>,
    /// The number of states visited to collect the samples.
    visited: u64,
}

impl Samples {
    fn play<G: Game>(game: &G, seed: u64, budget: &Budget) -> Self {
        let (shape, payoff) = (game.shape(), Payoff::new(game));
        let (states, moves, goals) = (Vec::new(), Vec::new(), Vec::new());
        let mut samples = Self { words: shape.state_words(), states, moves, goals, visited: 0 };
        let most = budget.nodes().unwrap_or(Linear::DEFAULT_STATES).min(Linear::DEFAULT_STATES);
        let mut rollouts = None;
        let room = BYTES / (8 * shape.state_words() + 8 * shape.roles);
        let (mut path, mut drawn, mut means) = (Vec::new(), Vec::new(), Vec::new());
        let mut view = game.new_view();
        for number in 0.. {
            if samples.visited >= most || samples.len() >= room || budget.is_spent() {
                break;
            }
            let mut stream = Stream::new(seed, number);
            let start = Instant::now();
            let ended = walk(game, &mut stream, budget, (most - samples.visited).min(room as u64), &mut path);
            samples.visited += path.len().max(1) as u64;
            let rollouts = rollouts.get_or_insert_with(|| {
                let (nodes, time, games) = Linear::LANES_FROM;
                let time = time.max(start.elapsed() * games);
                let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
                let in_lanes = most >= nodes && left.is_none_or(|left| left >= time);
                Rollouts::new(game, RolloutKind::of(in_lanes), seed, 0)
            });
            drawn.clear();
            for _ in 0..Linear::KEPT.min(path.len()) {
                drawn.push(path.swap_remove(stream.below(path.len() as u64) as usize));
            }
            if rollouts.batch() > 1 {
                samples.visited += drawn.len() as u64;
                rollouts.play(&drawn.iter().collect::<Vec<_>>(), &mut means);
                samples.goals.extend(&means);
            } else {
                let Some(end) = ended else { continue };
                let goals = (0..shape.roles).map(|role| f32::from(payoff.goal(end.as_ref(), role)));
                let goals: Vec<f32> = goals.collect();
                drawn.iter().for_each(|_| samples.goals.extend(&goals));
            }
            for state in &drawn {
                samples.states.extend(state.as_ref());
                game.observe_without_goals(state, &mut view);
                samples.moves.extend((0..shape.roles).map(|role| count(view.as_ref(), shape, role) as u32));
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

    fn moves_of(&self, number: usize, roles: usize) -> &[u32] {
        &self.moves[number * roles..][..roles]
    }
}

/// Plays at random from the initial state and stores the states before the end in `path`. Returns
/// the view of the terminal state if it is reached within the limits.
fn walk<G: Game>(
    game: &G,
    stream: &mut Stream,
    budget: &Budget,
    most: u64,
    path: &mut Vec<G::State>,
) -> Option<G::View> {
    path.clear();
    let mut state = game.initial();
    let mut view = game.new_view();
    let mut joint = Vec::new();
    loop {
        game.observe_without_goals(&state, &mut view);
        if game.is_terminal_in(&view) {
            return Some(view);
        }
        joint.clear();
        for role in game.roles() {
            joint.push(game.random_move_in(&view, role, stream)?);
        }
        path.push(state.clone());
        let length = path.len();
        if length >= Linear::MAX_LENGTH || length as u64 >= most || (length % 64 == 0 && budget.is_spent()) {
            return None;
        }
        game.advance(&mut state, &joint);
    }
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use gdl_runtime::load;

    #[test]
    fn a_line_that_can_be_made_is_worth_more_than_one_that_cannot() {
        let game = load(include_str!("../../../games/board/tictactoe.kif")).expect("a sound rulesheet");
        let linear = Linear::learn(&game, 1, &Budget::of_nodes(20_000));
        let value = |moves: [&str; 4]| {
            let state = moves.iter().fold(game.initial(), |state, action| {
                let action = game.parse_move(&format!("(mark {action})")).expect("a move");
                game.apply_one(&state, action).expect("a legal move")
            });
            let mut view = game.new_view();
            game.observe_without_goals(&state, &mut view);
            let mut goals = [0.0; 2];
            linear.evaluate(&game, &state, &view, &mut goals);
            goals[0]
        };
        // Both states have equal numbers of marks on corners and edges.
        let [open, closed] = [["1 1", "3 3", "1 2", "2 1"], ["1 1", "1 3", "1 2", "2 1"]].map(value);
        assert!(open > closed + 10.0, "{open} {closed}");
    }
}

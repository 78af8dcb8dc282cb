//! Self-play of a net, dozens of games at once, which gives states and their targets.
//!
//! The role on turn makes the move whose successor has the greatest value for it, or a random move
//! one time in ten. The value of a state is that of its best successor. Its target mixes this value
//! with the target of the next state: TD(λ) at one ply (Sutton, "Learning to predict by the methods
//! of temporal differences", 1988). The target is the value alone if a random move follows, or if
//! one ply proves the value.

use super::{
    features::{Features, head},
    judge::Judge,
};
use crate::{
    Budget,
    search::{options::Options, payoff::Payoff, state_batch::StateBatch},
};
use gdl_runtime::{Game, GameExt, bits, chance::Stream};

/// The number of games that are played at once.
const GAMES: usize = 64;

/// The least number of successors that are computed at once.
const MADE: usize = 512;

/// The reciprocal of the share of random moves.
const DRAWN: u64 = 10;

/// The share of games that begin with random moves, seven of ten. `OPENING` is the maximum number
/// of such moves, as a share of the mean length of random games.
const OPENED: (u64, u64) = (7, 10);
const OPENING: f64 = 0.9;

/// The share of the next state's target in a target.
const LAMBDA: f32 = 0.3;

/// The maximum number of moves of a game, and of bytes of the states of all games.
const LONGEST: usize = 500;
const BYTES: usize = 32 << 20;

/// States and their targets.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    pub(super) states: Vec<u64>,
    pub(super) targets: Vec<f32>,
    pub(super) games: u64,
}

/// A game in progress.
struct Playing<G: Game> {
    state: G::State,
    view: G::View,
    /// The number of random moves that remain at the start.
    opening: usize,
    /// The role and the index of its chosen move, if chance chooses too. Chance then draws again,
    /// independently of the draw that the choice was based on.
    pending: Option<(usize, usize)>,
    /// The states so far, with their values by one ply, and the kinds of these values.
    states: Vec<u64>,
    values: Vec<f32>,
    kinds: Vec<ValueKind>,
    /// The outputs for the current state.
    outputs: Vec<f32>,
    is_over: bool,
}

/// The origin of a state's value, which determines its target.
#[derive(Clone, Copy, PartialEq)]
enum ValueKind {
    /// The value is proved.
    Proved,
    /// The role made the best move.
    Best(usize),
    /// Chance decided, or no role had a choice.
    Sampled,
    /// The move was random.
    Drawn,
}

/// The choice in a game at the current step.
#[derive(Default)]
struct StepChoice {
    /// The role that decides; `None` if all moves are random.
    decider: Option<usize>,
    /// The index of the successor by a random move, if one is drawn.
    drawn: Option<usize>,
    /// The index of the best successor; used if chance chooses too.
    best_place: usize,
    is_unsure: bool,
    /// The number of successors so far, and of terminal ones.
    made: usize,
    ended: usize,
    best: f32,
}

/// A player of games of a net against itself.
pub(super) struct SelfPlay<'a, G: Game> {
    game: &'a G,
    features: &'a Features,
    payoff: Payoff,
    batch: StateBatch<'a, G>,
    options: Options<G>,
    longest: usize,
    opening: u64,
}

impl<'a, G: Game> SelfPlay<'a, G> {
    pub(super) fn new(game: &'a G, features: &'a Features) -> Self {
        let bytes = GAMES * (8 * game.shape().state_words() + 4 * features.outputs());
        #[allow(clippy::cast_sign_loss, reason = "a length is none below 0")]
        let opening = (features.length * OPENING) as u64;
        Self {
            game,
            features,
            payoff: Payoff::new(game),
            batch: StateBatch::new(game),
            options: Options::new(game),
            longest: LONGEST.min(BYTES / bytes).max(8),
            opening,
        }
    }

    /// Plays the games of a block and returns their states. The result depends only on the net, the
    /// seed and the number of the block. Returns `None` once the budget is spent.
    pub(super) fn play(&mut self, net: &Judge, seed: u64, block: u64, budget: &Budget) -> Option<Samples> {
        let (game, outputs) = (self.game, self.features.outputs());
        let (width, seen) = (game.shape().state_words(), game.shape().view_words());
        let mut stream = Stream::new(seed, block);
        let mut view = game.new_view();
        game.observe(&game.initial(), &mut view);
        let mut games: Vec<Playing<G>> = (0..GAMES)
            .map(|_| {
                let is_opened = stream.below(OPENED.1) < OPENED.0;
                let opening = if is_opened { stream.below(self.opening + 1) as usize } else { 0 };
                let (states, values, kinds) = (Vec::new(), Vec::new(), Vec::new());
                let (state, view) = (game.initial(), view.clone());
                let now = vec![0.0; outputs];
                Playing {
                    state,
                    view,
                    opening,
                    pending: None,
                    states,
                    values,
                    kinds,
                    outputs: now,
                    is_over: false,
                }
            })
            .collect();
        let mut samples = Samples::default();
        let (mut parents, mut joints, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        let (mut successors, mut views) = (Vec::new(), Vec::new());
        let mut judged = vec![0.0; outputs];
        while !games.is_empty() {
            if budget.is_spent() {
                return None;
            }
            // States of the same turn phase are stepped together.
            games.sort_by_key(|playing| head(game, usize::MAX, playing.state.as_ref()));
            let mut choices: Vec<StepChoice> = (0..games.len()).map(|_| StepChoice::default()).collect();
            let mut next: Vec<(G::State, G::View)> =
                games.iter().map(|playing| (playing.state.clone(), playing.view.clone())).collect();
            let mut number = 0;
            while number < games.len() || !owners.is_empty() {
                if number < games.len() {
                    let playing = &mut games[number];
                    self.choose(playing, &mut choices[number], &mut stream);
                    let before = joints.len();
                    if !playing.is_over {
                        self.extend(&choices[number], &mut joints);
                    }
                    for _ in 0..(joints.len() - before) / game.shape().roles {
                        parents.extend(playing.state.as_ref());
                        owners.push(number);
                    }
                    number += 1;
                    if owners.len() < MADE && number < games.len() {
                        continue;
                    }
                }
                self.batch.step(&parents, &joints, &mut successors, &mut views);
                for (place, &owner) in owners.iter().enumerate() {
                    let (state, view) =
                        (&successors[place * width..][..width], &views[place * seen..][..seen]);
                    let (playing, choice) = (&mut games[owner], &mut choices[owner]);
                    let is_end = bits::test(view, game.shape().terminal_bit());
                    if is_end {
                        self.features.of_goals(&self.payoff, view, &mut judged);
                    } else if playing.opening == 0 {
                        let head = head(game, net.sizes.heads, state);
                        net.judge(head, &mut judged, |feature| self.features.visit(state, feature));
                    }
                    let worth = choice.decider.map_or(0.0, |role| self.features.worth(role, &judged));
                    let is_best = choice.made == 0 || worth > choice.best;
                    if is_best {
                        (choice.best, choice.best_place) = (worth, choice.made);
                        playing.outputs.copy_from_slice(&judged);
                    }
                    if choice.drawn.map_or(is_best, |drawn| drawn == choice.made) {
                        next[owner].0.as_mut().copy_from_slice(state);
                        next[owner].1.as_mut().copy_from_slice(view);
                    }
                    choice.made += 1;
                    choice.ended += usize::from(is_end);
                }
                parents.clear();
                joints.clear();
                owners.clear();
            }
            for ((playing, choice), (state, view)) in games.iter_mut().zip(&choices).zip(next) {
                self.make(playing, choice, state, view);
            }
            for playing in games.iter_mut().filter(|playing| playing.is_over) {
                self.finish(playing, &mut samples);
            }
            games.retain(|playing| !playing.is_over);
        }
        Some(samples)
    }

    /// Finds the deciding role, and draws a random move one time in ten.
    fn choose(&mut self, playing: &mut Playing<G>, choice: &mut StepChoice, stream: &mut Stream) {
        if playing.kinds.len() >= self.longest || !self.options.read(self.game, &playing.view) {
            playing.is_over = true;
            return;
        }
        let mut deciders = self.features.players.iter().filter(|&&role| self.options.of(role).len() > 1);
        choice.decider =
            deciders.next().copied().filter(|_| playing.opening == 0 && playing.pending.is_none());
        let (options, features) = (&mut self.options, self.features);
        for role in 0..self.game.shape().roles {
            let moves = options.of(role);
            if moves.len() > 1 && (choice.decider.is_none() || Some(role) == features.chance) {
                let drawn = moves[stream.below(moves.len() as u64) as usize];
                options.set(role, drawn);
            }
        }
        if let Some((role, place)) = playing.pending.take() {
            let action = options.of(role)[place];
            options.set(role, action);
        }
        choice.is_unsure = features.chance.is_some_and(|chance| options.of(chance).len() > 1);
        if let Some(role) = choice.decider
            && !choice.is_unsure
            && stream.below(DRAWN) == 0
        {
            choice.drawn = Some(stream.below(options.of(role).len() as u64) as usize);
        }
    }

    /// Adds the joint moves of a choice.
    fn extend(&mut self, choice: &StepChoice, joints: &mut Vec<G::Move>) {
        let Some(role) = choice.decider else {
            joints.extend(self.options.joint());
            return;
        };
        for place in 0..self.options.of(role).len() {
            let action = self.options.of(role)[place];
            self.options.set(role, action);
            joints.extend(self.options.joint());
        }
    }

    /// Makes the chosen move and stores the state before it.
    fn make(&self, playing: &mut Playing<G>, choice: &StepChoice, state: G::State, view: G::View) {
        if playing.is_over {
            return;
        }
        if let Some(role) = choice.decider.filter(|_| choice.is_unsure) {
            playing.pending = Some((role, choice.best_place));
            return;
        }
        let is_end = self.game.is_terminal_in(&view);
        if let Some(left) = playing.opening.checked_sub(1) {
            playing.opening = left;
            // A game that ends during its random opening gives no samples.
            playing.is_over = is_end;
        } else {
            let kind = match choice.decider {
                Some(_) if choice.best >= 1.0 || choice.ended == choice.made => ValueKind::Proved,
                Some(_) if choice.drawn.is_some() => ValueKind::Drawn,
                Some(role) => ValueKind::Best(role),
                None if is_end && !choice.is_unsure => ValueKind::Proved,
                None => ValueKind::Sampled,
            };
            playing.states.extend(playing.state.as_ref());
            playing.values.extend(&playing.outputs);
            playing.kinds.push(kind);
            playing.is_over = is_end;
        }
        (playing.state, playing.view) = (state, view);
    }

    /// Adds the states of a game to the samples, with their targets.
    fn finish(&self, playing: &Playing<G>, samples: &mut Samples) {
        let outputs = self.features.outputs();
        let start = samples.targets.len();
        samples.states.extend(&playing.states);
        samples.targets.extend(&playing.values);
        samples.games += 1;
        let targets = &mut samples.targets[start..];
        // True if the target of the next state is proved.
        let mut is_proved = true;
        for number in (0..playing.kinds.len()).rev() {
            let (own, next) = targets[number * outputs..].split_at_mut(outputs);
            let next = &next[..next.len().min(outputs)];
            match playing.kinds[number] {
                ValueKind::Proved => is_proved = true,
                ValueKind::Drawn => is_proved = false,
                _ if next.is_empty() => is_proved = false,
                kind => {
                    let won = |role| self.features.worth(role, next) >= 1.0;
                    is_proved &= matches!(kind, ValueKind::Best(role) if won(role));
                    let share = if is_proved { 1.0 } else { LAMBDA };
                    own.iter_mut().zip(next).for_each(|(own, next)| *own += share * (next - *own));
                }
            }
        }
    }
}

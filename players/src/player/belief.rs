//! Beliefs of players: the states that fit the information of a role, or a sample of them.
//!
//! A step of the play takes at most [`Belief::MAX_JOINTS`] steps of the game, then as many as a
//! sample may try, and keeps as many states as [`Belief::MAX_STATES`] and [`Belief::BYTES`] allow.

use gdl_runtime::{
    Game, GameExt, Information,
    chance::Stream,
    game::{Id, Perception},
    information::{InformationError, InformationSet, Step},
};

/// The states that a role has to reckon with, followed from one decision to the next.
///
/// If each role perceives the joint move, there is one state, and it is exact. If the rules have
/// percepts (`sees`), it is an [`InformationSet`] as long as that is small, and then a
/// sample of it: states that were drawn step by step and kept if they fit. Should all of them prove
/// wrong, others are looked for from the start of the play, and as a last resort states that do not
/// fit everything perceived are kept, so that there is always a move to make.
#[derive(Clone, Debug)]
pub struct Belief<G: Game> {
    /// The role; `None` before the first information.
    role: Option<G::Role>,
    /// The steps that `worlds` have followed.
    steps: Vec<Step<G>>,
    /// The states and their weights; none if the information does not fit the game.
    worlds: Vec<(G::State, u128)>,
    /// True if these are all.
    is_exact: bool,
    stream: Stream,
}

impl<G: Game> Belief<G> {
    /// The most states that are followed exactly, and the most joint moves tried in a step.
    const MAX_STATES: usize = 1 << 13;
    const MAX_JOINTS: u64 = 1 << 16;

    /// The most bytes of states that are followed exactly.
    const BYTES: usize = 64 << 20;

    /// States of a sample, and how many are tried for each that is wanted.
    const SAMPLE: usize = 256;
    const TRIES: usize = 32;

    /// A belief about nothing yet; the seed is for samples.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let stream = Stream::new(seed, u64::MAX);
        Self { role: None, steps: Vec::new(), worlds: Vec::new(), is_exact: true, stream }
    }

    /// Follows the information to the states that fit it. Takes the steps that are new if it
    /// continues what was followed before, all of them otherwise. False if the information is not
    /// of a play of the game.
    pub fn follow(&mut self, game: &G, information: &Information<G>) -> bool {
        let known = self.steps.len();
        // What has no steps yet may be of another game.
        let continues = self.role == Some(information.role())
            && known > 0
            && !self.worlds.is_empty()
            && information.steps().get(..known).is_some_and(|steps| steps == self.steps);
        if !continues {
            self.steps.clear();
            self.worlds = vec![(game.initial(), 1)];
            self.is_exact = true;
            self.role = Some(information.role());
        }
        for step in &information.steps()[self.steps.len()..] {
            self.step(game, information.role(), step);
            self.steps.push(step.clone());
        }
        !self.worlds.is_empty()
    }

    /// The states and the weight of each; none before the first [`Belief::follow`] or if that was
    /// false.
    #[must_use]
    pub fn worlds(&self) -> &[(G::State, u128)] {
        &self.worlds
    }

    /// Returns whether these are all states that fit, and no sample.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The state, if there is only one.
    #[must_use]
    pub fn state(&self) -> Option<&G::State> {
        match &self.worlds[..] {
            [(state, _)] => Some(state),
            _ => None,
        }
    }

    /// One of the states, each as likely as its weight says.
    pub fn draw(&mut self) -> Option<&G::State> {
        let place = draw(&self.worlds, &mut self.stream)?;
        Some(&self.worlds[place].0)
    }

    fn step(&mut self, game: &G, role: G::Role, step: &Step<G>) {
        if let (Perception::Joint(joint), false) = (&step.1, game.vocabulary().has_percepts()) {
            let fits = joint.get(role.index()) == Some(&step.0);
            let next =
                self.worlds.first().filter(|_| fits).and_then(|(state, _)| game.apply(state, joint).ok());
            self.worlds = next.into_iter().map(|state| (state, 1)).collect();
            return;
        }
        if self.is_exact && !self.worlds.is_empty() {
            let worlds = std::mem::take(&mut self.worlds);
            let set = InformationSet::resume(game, role, worlds);
            let states = Self::MAX_STATES.min(InformationSet::states_in(game, Self::BYTES));
            let mut set = set.max_states(states).max_joints(Self::MAX_JOINTS);
            let result = set.step(step.0, &step.1);
            self.worlds = set.into_states();
            match result {
                Ok(()) => return,
                Err(InformationError::Impossible) => {
                    self.worlds.clear();
                    return;
                }
                Err(_) => self.is_exact = false,
            }
        }
        self.sample(game, role, step);
    }

    /// Follows a step by states drawn from those before.
    fn sample(&mut self, game: &G, role: G::Role, step: &Step<G>) {
        let before = std::mem::take(&mut self.worlds);
        let mut misfit = None;
        for _ in 0..Self::SAMPLE * Self::TRIES {
            let Some(place) = draw(&before, &mut self.stream) else { break };
            match try_step(game, role, &before[place].0, step, &mut self.stream) {
                Some((state, true)) => self.worlds.push((state, 1)),
                Some((state, false)) => misfit = Some(state),
                None => {}
            }
            if self.worlds.len() == Self::SAMPLE {
                break;
            }
        }
        if self.worlds.is_empty() {
            let found = self.replay(game, role, step);
            self.worlds.extend(found.or(misfit).map(|state| (state, 1)));
        }
        self.worlds.sort_unstable();
        self.worlds.dedup_by(|(state, weight), (kept, sum)| {
            let equal = state == kept;
            *sum += if equal { *weight } else { 0 };
            equal
        });
    }

    /// Looks for a play from the start that fits all steps and this one, going back wherever it
    /// does not.
    fn replay(&mut self, game: &G, role: G::Role, last: &Step<G>) -> Option<G::State> {
        let mut path = vec![game.initial()];
        let mut failures = 0;
        for _ in 0..Self::SAMPLE * Self::TRIES {
            let depth = path.len() - 1;
            let step = self.steps.get(depth).unwrap_or(last);
            match try_step(game, role, &path[depth], step, &mut self.stream) {
                Some((state, true)) if depth == self.steps.len() => return Some(state),
                Some((state, true)) => path.push(state),
                _ => {
                    failures += 1;
                    // Further back the longer it does not work.
                    let back = if failures % Self::TRIES == 0 { failures / Self::TRIES } else { 0 };
                    path.truncate(path.len().saturating_sub(back).max(1));
                }
            }
        }
        None
    }
}

/// The place of a state drawn by weight.
fn draw<S>(worlds: &[(S, u128)], stream: &mut Stream) -> Option<usize> {
    let total = worlds.iter().fold(0_u128, |sum, (_, weight)| sum.saturating_add(*weight));
    let mut rank = stream.below_wide(total);
    let place = worlds.iter().position(|(_, weight)| {
        let before = rank;
        rank = rank.wrapping_sub(*weight);
        before < *weight
    });
    place.or(worlds.len().checked_sub(1))
}

/// A step from `state` with the role's own move, the others' drawn, and whether it is perceived as
/// it was. Returns `None` if the move cannot be made there.
fn try_step<G: Game>(
    game: &G,
    role: G::Role,
    state: &G::State,
    (action, perception): &Step<G>,
    stream: &mut Stream,
) -> Option<(G::State, bool)> {
    let mut view = game.new_view();
    game.observe_without_goals(state, &mut view);
    let joint: Option<Vec<G::Move>> = game
        .roles()
        .map(|other| if other == role { Some(*action) } else { game.random_move_in(&view, other, stream) })
        .collect();
    let joint = joint.filter(|joint| game.check_in(&view, joint).is_ok())?;
    let fits = game.perception(state, &joint, role) == *perception;
    Some((game.apply_unchecked(state, &joint), fits))
}

//! Beliefs of players: the states that are consistent with the information of a role, or a sample
//! of them.
//!
//! Following a step of the play takes at most [`Belief::MAX_JOINTS`] steps of the game, plus the
//! steps of a sample once the belief is not exact. An exact belief has at most
//! [`Belief::MAX_STATES`] states, which take at most [`Belief::BYTES`].

use gdl_runtime::{
    Game, GameExt, Information,
    chance::Stream,
    game::{Id, Perception},
    information::{InformationError, InformationSet, Step},
};

/// The states that are consistent with the information of a role, updated from one decision to the
/// next.
///
/// If each role perceives the joint move, the belief is exact and has one state. If the rules have
/// percepts (`sees`), the belief is an [`InformationSet`] while that is small, and a sample of it
/// later. A sample draws steps and keeps the states that match the percepts.
///
/// If no sampled state matches, the belief searches for a consistent play from the initial state.
/// If that fails too, it keeps a state that does not match the last percepts, so that there is
/// always a move to make.
#[derive(Clone, Debug)]
pub struct Belief<G: Game> {
    /// The role; `None` before the first information.
    role: Option<G::Role>,
    /// The steps that lead to `worlds`.
    steps: Vec<Step<G>>,
    /// The states and their weights; empty if the information is not of a play of the game.
    worlds: Vec<(G::State, u128)>,
    /// True if `worlds` has all consistent states.
    is_exact: bool,
    stream: Stream,
}

impl<G: Game> Belief<G> {
    /// The limits of an exact belief: the number of its states, and the number of joint moves tried
    /// in a step.
    const MAX_STATES: usize = 1 << 13;
    const MAX_JOINTS: u64 = 1 << 16;

    /// The maximum number of bytes of an exact belief's states.
    const BYTES: usize = 64 << 20;

    /// The number of states of a sample, and the number of tries for each of them.
    const SAMPLE: usize = 256;
    const TRIES: usize = 32;

    /// Creates a belief without information; `seed` is for samples.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let stream = Stream::new(seed, u64::MAX);
        Self { role: None, steps: Vec::new(), worlds: Vec::new(), is_exact: true, stream }
    }

    /// Updates the states to those that are consistent with `information`. If the information
    /// continues that of the last call, only the new steps are followed, otherwise all. Returns
    /// false if the information does not describe a play of the game.
    pub fn follow(&mut self, game: &G, information: &Information<G>) -> bool {
        let known = self.steps.len();
        // A belief without steps may come from another game.
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

    /// Returns each state with its weight. Empty before the first [`Belief::follow`], or if that
    /// returned false.
    #[must_use]
    pub fn worlds(&self) -> &[(G::State, u128)] {
        &self.worlds
    }

    /// Returns true if the belief has all consistent states, not a sample of them.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns the state if there is exactly one.
    #[must_use]
    pub fn state(&self) -> Option<&G::State> {
        match &self.worlds[..] {
            [(state, _)] => Some(state),
            _ => None,
        }
    }

    /// Draws one of the states by weight. Returns `None` if there are none.
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

    /// Replaces the states by a sample of their successors that match a step.
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

    /// Searches with backtracking for a play from the initial state that matches all steps followed
    /// so far and `last`.
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
                    // Backtracks further the more attempts have failed.
                    let back = if failures % Self::TRIES == 0 { failures / Self::TRIES } else { 0 };
                    path.truncate(path.len().saturating_sub(back).max(1));
                }
            }
        }
        None
    }
}

/// Draws the index of a state by weight.
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

/// Makes a step from `state` with the role's own move and random moves of the others. Returns the
/// successor and whether its percepts match, or `None` if the move is not legal.
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

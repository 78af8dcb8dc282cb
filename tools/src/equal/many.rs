//! States of one game by the hundred: what is seen of them, and their successors.
//!
//! At most [`MOST`] states go in; all of them have the same number of joint moves from the start,
//! so that they are at one phase of the turn cycle. Views or successors come out in their order.
//! They are made in lanes where the game has these, otherwise one after the other; the result is
//! the same except for the view of a terminal state besides its goals.

use gdl_runtime::{
    Dynamic, Game, GameExt,
    lanes::{Batch, Expansion, Isa},
};

/// The number of states that are made at once.
pub(super) const MOST: usize = Expansion::<Dynamic>::LANES;

/// A game, and what makes many states of it at once.
pub(super) struct Many<'g, G: Game> {
    game: &'g G,
    lanes: Option<(Expansion<'g, G>, Batch<G>)>,
}

impl<'g, G: Game> Many<'g, G> {
    pub(super) fn new(game: &'g G) -> Self {
        let lanes = Expansion::new(game, Isa::best()).map(|expansion| (expansion, Batch::new(game)));
        Self { game, lanes }
    }

    /// The views of states.
    pub(super) fn views(&mut self, states: &[&G::State]) -> Vec<G::View> {
        let Self { game, lanes } = self;
        let Some((expansion, batch)) = begin(lanes, states.first().copied()) else {
            return states.iter().map(|state| game.view(state)).collect();
        };
        states.iter().for_each(|state| expansion.push_state(state));
        expansion.observe(batch);
        let mut views = vec![game.new_view(); states.len()];
        views.iter_mut().enumerate().for_each(|(lane, view)| batch.view(lane, view));
        views
    }

    /// The states that follow, each from a state by a joint move that is legal there.
    pub(super) fn successors(&mut self, steps: &[(&G::State, Vec<G::Move>)]) -> Vec<G::State> {
        let Self { game, lanes } = self;
        let Some((expansion, batch)) = begin(lanes, steps.first().map(|step| step.0)) else {
            return steps.iter().map(|(state, joint)| game.apply_unchecked(state, joint)).collect();
        };
        steps.iter().for_each(|(state, joint)| expansion.push(state, joint));
        expansion.advance_without_goals(batch);
        let mut states = vec![game.new_state(); steps.len()];
        states.iter_mut().enumerate().for_each(|(lane, state)| batch.state(lane, state));
        states
    }
}

/// A pass for states at the phase of the first of them; none without lanes.
fn begin<'l, 'g, G: Game>(
    lanes: &'l mut Option<(Expansion<'g, G>, Batch<G>)>,
    first: Option<&G::State>,
) -> Option<(&'l mut Expansion<'g, G>, &'l mut Batch<G>)> {
    let (expansion, batch) = lanes.as_mut()?;
    expansion.start(expansion.phase(first?)?);
    Some((expansion, batch))
}

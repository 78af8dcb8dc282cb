//! Views and successors of up to [`MOST`] states of one game at once.
//!
//! All states of a call must have the same number of joint moves from the initial state, so that
//! they have the same turn phase. Results are in the order of the states. They are computed in
//! lanes if the game supports lanes, otherwise one by one. Both ways give the same results, except
//! that their views of a terminal state may differ. Its goals are the same in both views.

use gdl_runtime::{
    Dynamic, Game, GameExt,
    lanes::{Batch, Expansion, Isa},
};

/// The most states of a call.
pub(super) const MOST: usize = Expansion::<Dynamic>::LANES;

/// A game, and its lanes if it supports them.
pub(super) struct Many<'g, G: Game> {
    game: &'g G,
    lanes: Option<(Expansion<'g, G>, Batch<G>)>,
}

impl<'g, G: Game> Many<'g, G> {
    pub(super) fn new(game: &'g G) -> Self {
        let lanes = Expansion::new(game, Isa::best()).map(|expansion| (expansion, Batch::new(game)));
        Self { game, lanes }
    }

    /// Returns the views of states.
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

    /// Returns the successors of states, each by a joint move that is legal in its state.
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

/// Begins a pass for states with the turn phase of the first one. Returns `None` without lanes.
fn begin<'l, 'g, G: Game>(
    lanes: &'l mut Option<(Expansion<'g, G>, Batch<G>)>,
    first: Option<&G::State>,
) -> Option<(&'l mut Expansion<'g, G>, &'l mut Batch<G>)> {
    let (expansion, batch) = lanes.as_mut()?;
    expansion.start(expansion.phase(first?)?);
    Some((expansion, batch))
}

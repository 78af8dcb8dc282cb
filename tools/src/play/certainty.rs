//! The certain knowledge of a role: the fluents that hold in all states of its information set.

use gdl_players::player::Belief;
use gdl_runtime::Game;

/// Returns the fluents that hold in every state of a belief, as a state. Returns `None` if the
/// belief has no state.
#[must_use]
pub fn certain<G: Game>(belief: &Belief<G>) -> Option<G::State> {
    let mut worlds = belief.worlds().iter().map(|(state, _)| state);
    let mut common = worlds.next()?.clone();
    for state in worlds {
        common.as_mut().iter_mut().zip(state.as_ref()).for_each(|(a, b)| *a &= b);
    }
    Some(common)
}

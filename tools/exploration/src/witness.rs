//! Witnesses: observers of the positions of random games.

use gdl_runtime::{Dynamic, Game, dynamic::MoveId};

/// An observer of all positions of followed games. Games are divided among several witnesses, which
/// are merged. The result must not depend on the division.
pub(crate) trait Witness: Send {
    /// Observes a position of a game with this number: the state, its view, and the joint move that
    /// is made in it, if any.
    fn see(
        &mut self,
        number: u64,
        state: &<Dynamic as Game>::State,
        view: &<Dynamic as Game>::View,
        joint: Option<&[MoveId]>,
    );

    /// Adds the observations of another witness.
    fn merge(&mut self, other: Self);
}

/// A witness that observes nothing.
impl Witness for () {
    fn see(
        &mut self,
        _: u64,
        _: &<Dynamic as Game>::State,
        _: &<Dynamic as Game>::View,
        _: Option<&[MoveId]>,
    ) {
    }

    fn merge(&mut self, (): Self) {}
}

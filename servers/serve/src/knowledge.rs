//! The knowledge of roles in a play: the information of a role, and the fluents that it can be sure
//! of, computed from the history.
//!
//! Knowledge is kept and extended as play goes on, so a second request takes no steps of the game.
//! A new place takes a step for the percepts. If the fluents or states are requested, it also takes
//! a step of a [`Belief`], which tries at most 65,536 joint moves. The budget is checked before
//! each place. The knowledge of at most `KEPT` roles is kept. The states of a belief take at most
//! `MOST_BYTES`; if a game's states could take more, no role is sure of anything.

use gdl_players::{Budget, player::Belief};
use gdl_runtime::{Dynamic, Game, History, Information, dynamic::RoleId, history::Place};
use gdl_tools::play::certainty::certain;

/// The most roles whose knowledge is kept.
const KEPT: usize = 4;

/// The most bytes of the states of one belief, and the most states.
const MOST_BYTES: usize = 4 << 20;
const MOST_STATES: usize = 1 << 13;

/// The knowledge of the roles of a session.
pub(crate) struct Knowledge {
    seed: u64,
    /// The kept knowledge of roles, the last requested one last.
    known: Vec<Known>,
}

/// Returns whether the states of a belief fit in `MOST_BYTES`.
fn believes(game: &Dynamic) -> bool {
    game.shape().state_words() * 8 * MOST_STATES <= MOST_BYTES
}

struct Known {
    information: Information<Dynamic>,
    belief: Belief<Dynamic>,
    /// The places that the information covers.
    path: Vec<Place>,
    /// The number of steps that the belief has followed.
    followed: usize,
}

impl Known {
    fn new(role: RoleId, seed: u64) -> Self {
        let (information, belief) = (Information::<Dynamic>::new(role), Belief::new(seed));
        Self { information, belief, path: vec![Place::START], followed: 0 }
    }
}

impl Knowledge {
    /// Creates an empty knowledge; the seed determines samples of states.
    #[must_use]
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, known: Vec::new() }
    }

    /// Returns the information of a role from the start to the current place. Returns `None` if the
    /// budget ends first; a further call continues.
    pub(crate) fn information(
        &mut self,
        game: &Dynamic,
        history: &History<Dynamic>,
        role: RoleId,
        budget: &Budget,
    ) -> Option<&Information<Dynamic>> {
        self.follow(game, history, role, budget, false).map(|known| &known.information)
    }

    /// Returns the fluents that hold in every possible state of a role, and the role's information.
    /// Returns `None` if the budget ends first.
    pub(crate) fn sure(
        &mut self,
        game: &Dynamic,
        history: &History<Dynamic>,
        role: RoleId,
        budget: &Budget,
    ) -> Option<(<Dynamic as Game>::State, &Information<Dynamic>)> {
        let believes = believes(game);
        let known = self.follow(game, history, role, budget, believes)?;
        let sure = believes.then(|| certain(&known.belief)).flatten().unwrap_or_else(|| game.new_state());
        Some((sure, &known.information))
    }

    /// Returns the role's information set. It is empty if it has more than `most` states, is
    /// incomplete, or could take too much memory. Returns `None` if the budget ends first.
    pub(crate) fn states(
        &mut self,
        game: &Dynamic,
        history: &History<Dynamic>,
        role: RoleId,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<<Dynamic as Game>::State>> {
        if !believes(game) {
            return Some(Vec::new());
        }
        let belief = &self.follow(game, history, role, budget, true)?.belief;
        let is_told = belief.is_exact() && belief.worlds().len() <= most;
        Some(belief.worlds().iter().filter(|_| is_told).map(|(state, _)| state.clone()).collect())
    }

    fn follow(
        &mut self,
        game: &Dynamic,
        history: &History<Dynamic>,
        role: RoleId,
        budget: &Budget,
        believes: bool,
    ) -> Option<&Known> {
        let place = self.known.iter().position(|known| known.information.role() == role);
        let mut known = place.map(|place| self.known.remove(place));
        let path = history.path();
        // Knowledge of another line of play is dropped. If a belief is needed, knowledge whose
        // belief has not followed all steps is dropped too.
        known = known.filter(|known| {
            path.starts_with(&known.path) && (!believes || known.followed + 1 == known.path.len())
        });
        let mut known = known.unwrap_or_else(|| Known::new(role, self.seed));
        if believes && known.followed == 0 {
            known.belief.follow(game, &known.information);
        }
        let mut in_time = true;
        for &next in &path[known.path.len()..] {
            in_time = !budget.is_spent();
            let before = history.parent(next).and_then(|parent| history.state_at(parent));
            let (Some(before), Some(joint), true) = (before, history.joint(next), in_time) else { break };
            known.information.step(game, before, joint);
            known.path.push(next);
            if believes {
                known.belief.follow(game, &known.information);
                known.followed += 1;
            }
        }
        if self.known.len() >= KEPT {
            self.known.remove(0);
        }
        self.known.push(known);
        self.known.last().filter(|_| in_time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::{Cancel, GameExt, chance::Stream};

    #[test]
    fn it_goes_on_where_it_was_and_can_be_called_off() {
        let game = crate::games::Games::default().find("liars_dice").expect("it is built in").game;
        let mut history = History::new(&game);
        let mut stream = Stream::new(1, 0);
        let mut knowledge = Knowledge::new(0);
        let cancel = Cancel::default();
        cancel.cancel();
        let (unlimited, spent) = (Budget::unlimited(), Budget::unlimited().cancelled_by(&cancel));
        let roles: Vec<RoleId> = game.roles().filter(|&role| game.chance_role() != Some(role)).collect();
        while !game.is_terminal(history.state()) {
            let view = game.view(history.state());
            let joint: Option<Vec<_>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            history.play(&game, &joint.expect("moves")).expect("they are legal");
            for &role in &roles {
                // A new step takes time, so the spent budget stops it; a repeated call needs none.
                assert!(knowledge.sure(&game, &history, role, &spent).is_none());
                let (sure, information) =
                    knowledge.sure(&game, &history, role, &unlimited).expect("no limit");
                assert_eq!(*information, history.information(&game, role));
                let mut belief = Belief::new(0);
                belief.follow(&game, information);
                assert!(belief.worlds().iter().all(|(state, _)| {
                    sure.as_ref().iter().zip(state.as_ref()).all(|(sure, holds)| sure & !holds == 0)
                }));
                assert!(game.fluents(&sure).next().is_some());
                // All possible states are returned, or none.
                let worlds: Vec<_> = belief.worlds().iter().map(|(state, _)| state.clone()).collect();
                let mut states = |most: usize| {
                    knowledge.states(&game, &history, role, most, &unlimited).expect("no limit")
                };
                assert!(
                    belief.is_exact()
                        && states(worlds.len()) == worlds
                        && states(worlds.len() - 1).is_empty()
                );
                assert!(knowledge.sure(&game, &history, role, &spent).is_some());
            }
        }
        assert!(knowledge.known.len() <= KEPT && history.depth() > 3);
    }
}

//! Steps through a history, between choices of the roles that people play. [`back`] and [`forth`]
//! observe the states on the way while the budget lasts, and return whether the history moved.

use gdl_players::Budget;
use gdl_runtime::{Game, GameExt, History};

/// Returns whether one of the roles has a choice in a state, or the game is over there.
#[must_use]
pub fn is_choice<G: Game>(game: &G, state: &G::State, people: &[G::Role]) -> bool {
    let mut view = game.new_view();
    game.observe_without_goals(state, &mut view);
    game.is_terminal_in(&view) || people.iter().any(|&role| game.legal_moves_in(&view, role).len() > 1)
}

/// Goes back to the previous choice of one of the roles. Returns false and stays in place if there
/// is none within the budget.
pub fn back<G: Game>(game: &G, history: &mut History<G>, people: &[G::Role], budget: &Budget) -> bool {
    let here = history.place();
    while !budget.is_spent() && history.undo().is_some() {
        if is_choice(game, history.state(), people) {
            return true;
        }
    }
    history.go(here);
    false
}

/// Goes forward to the next choice of one of the roles, or as far as the undone moves and the
/// budget allow. Returns false if it did not move.
pub fn forth<G: Game>(game: &G, history: &mut History<G>, people: &[G::Role], budget: &Budget) -> bool {
    let here = history.place();
    while !budget.is_spent() && history.redo().is_some() {
        if is_choice(game, history.state(), people) {
            break;
        }
    }
    history.place() != here
}

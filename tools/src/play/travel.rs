//! Ways through a history, from one choice of the roles that people play to another; each function
//! says whether it led anywhere. A way looks at each state on it, as long as there is budget left.

use gdl_players::Budget;
use gdl_runtime::{Game, GameExt, History};

/// Returns whether one of the roles has something to decide in a state, or the game is over there.
#[must_use]
pub fn is_choice<G: Game>(game: &G, state: &G::State, people: &[G::Role]) -> bool {
    let mut view = game.new_view();
    game.observe_without_goals(state, &mut view);
    game.is_terminal_in(&view) || people.iter().any(|&role| game.legal_moves_in(&view, role).len() > 1)
}

/// Back to the last choice of one of the roles. If there is none, or no budget to find it, false,
/// and nothing happens.
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

/// Forth to the next choice of one of the roles, or as far as what was taken back and the budget
/// lead. If that is nowhere, false.
pub fn forth<G: Game>(game: &G, history: &mut History<G>, people: &[G::Role], budget: &Budget) -> bool {
    let here = history.place();
    while !budget.is_spent() && history.redo().is_some() {
        if is_choice(game, history.state(), people) {
            break;
        }
    }
    history.place() != here
}

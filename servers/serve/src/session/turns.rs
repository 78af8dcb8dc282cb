//! The turns of a session: choices of people, and steps until a role has to think.
//!
//! A choice is a legal move of a role that has not chosen. The session chooses for chance and for
//! roles without a choice. After [`Session::settle`], a role has yet to choose, the game is over,
//! play is paused or halts with a reason, or the budget is spent. At most [`MOST_FORCED`]
//! consecutive steps are made without a choice.

use super::{Session, Viewer, make_room};
use crate::{
    problem::{Answer, Problem},
    seats::Seat,
    thought::Thought,
};
use gdl_players::Budget;
use gdl_runtime::{GameExt, dynamic::MoveId, game::Id};

/// The number of consecutive steps without a choice after which play halts, since the game might
/// never end.
const MOST_FORCED: usize = 1000;

impl Session {
    /// Chooses the move of a person.
    ///
    /// # Errors
    /// Returns an error if the move is illegal, or the viewer may not make it now. The session is
    /// then unchanged.
    pub(crate) fn choose(
        &mut self,
        looker: Viewer,
        role: &str,
        action: &str,
        place: Option<usize>,
    ) -> Answer<()> {
        let game = &self.opened.game;
        if place.is_some_and(|place| place != self.history.place().index()) {
            return Err(Problem::conflict("stale", "the position has changed"));
        }
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        if game.is_terminal(self.history.state()) {
            return Err(Problem::conflict("over", "the game is over").help("restart it or take a move back"));
        }
        if let Some(trouble) = &self.trouble {
            return Err(Problem::conflict("halted", trouble.clone()));
        }
        if !self.plays(looker, role) {
            let name = game.role_text(role);
            let whose = if self.is_person(role) { "by a person elsewhere" } else { "not by a person" };
            return Err(Problem::conflict("not_yours", format!("{name} is played {whose}")));
        }
        let action = game.parse_move(action).map_err(|error| Problem::unfit("no_move", error.to_string()))?;
        if !game.is_legal_in(&game.view(self.history.state()), role, action) {
            let (role, action) = (game.role_text(role), game.move_text(action));
            return Err(Problem::conflict("illegal_move", format!("`{action}` is not legal for {role} now"))
                .help("the view lists the legal moves"));
        }
        if self.has_chosen(role) {
            let name = game.role_text(role);
            return Err(Problem::conflict("chosen", format!("{name} has chosen already")));
        }
        self.chosen[role.index()] = Some(action);
        self.clocks.press(role);
        self.is_paused = false;
        self.version += 1;
        Ok(())
    }

    /// Steps the session until a role has to think, and returns at most `most` tasks. Stops early
    /// when the budget is spent.
    pub(crate) fn settle(&mut self, budget: &Budget, most: usize) -> Vec<Thought> {
        let mut forced = 0;
        loop {
            if budget.is_spent() || self.is_over() || self.is_paused || self.trouble.is_some() {
                return Vec::new();
            }
            let had_choice = self.fill();
            let Some(joint) = self.chosen.iter().copied().collect::<Option<Vec<MoveId>>>() else {
                return self.thoughts(budget, most);
            };
            forced = if had_choice { 0 } else { forced + 1 };
            if forced > MOST_FORCED {
                self.trouble = Some("the game does not end: restart it".to_owned());
                return Vec::new();
            }
            if let Err(problem) = make_room(&self.history) {
                self.trouble = Some(format!("{}: restart the game", problem.message));
                return Vec::new();
            }
            if let Err(error) = self.history.play(&self.opened.game, &joint) {
                self.trouble = Some(error.to_string());
                return Vec::new();
            }
            self.clocks.note(self.history.place().index());
            self.arrive();
        }
    }

    /// Chooses for chance and for roles without a choice. Returns true if another role has a
    /// choice, even if it has chosen, or if a person must confirm a move.
    fn fill(&mut self) -> bool {
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let counts: Vec<usize> = game.roles().map(|role| game.legal_moves_in(&view, role).len()).collect();
        // If no role has a choice, a person confirms a move that is not idle.
        let nobody = counts.iter().all(|&count| count < 2);
        let mut had_choice = false;
        for role in game.roles() {
            let place = role.index();
            if self.chosen[place].is_some() {
                had_choice |= counts[place] > 1;
                continue;
            }
            let only = game.legal_moves_in(&view, role).next().filter(|_| counts[place] == 1);
            let acts = only.is_some_and(|action| !is_idle(game.move_text(action)));
            match &self.seats[place] {
                Seat::Chance => self.chosen[place] = game.random_move_in(&view, role, &mut self.luck),
                Seat::Person | Seat::Guest { .. } if nobody && acts => had_choice = true,
                _ if only.is_some() => self.chosen[place] = only,
                _ => had_choice = true,
            }
        }
        had_choice
    }
}

/// Returns whether a move's name means that the role does nothing.
#[must_use]
pub(crate) fn is_idle(action: &str) -> bool {
    const NAMES: [&str; 9] = ["noop", "no_op", "no-op", "nop", "nil", "none", "nothing", "wait", "idle"];
    let head = action.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(head))
}

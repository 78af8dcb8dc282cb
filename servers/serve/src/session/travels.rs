//! Travel through the history of a session: back and forth between choices of people, to any place,
//! and to the start.
//!
//! After a successful call, the session is at its destination. All choices and searches are
//! dropped, and clocks stand. Machines wait, unless a person has a choice there or play was
//! restarted. Travel evaluates the states on the way, within its [`Budget`].

use super::Session;
use crate::{
    knowledge::Knowledge,
    problem::{Answer, Problem},
    seats::Seat,
};
use gdl_players::Budget;
use gdl_runtime::{GameExt, History, chance::Stream, history::Place};
use gdl_tools::play::travel;

impl Session {
    /// Returns whether the current place is an end at which people see hidden information.
    fn is_revealed(&self) -> bool {
        let is_shown = self.hides() && !self.people().is_empty();
        is_shown && self.game().is_terminal(self.history.state())
    }

    /// Completes travel to the current place. Machines wait there, unless a person has a choice.
    fn land(&mut self) {
        self.clocks.go(self.history.place().index());
        self.arrive();
        self.is_paused = !travel::is_choice(self.game(), self.history.state(), &self.people());
    }

    /// Goes back to the last choice of a person, or by one step if no person plays.
    ///
    /// # Errors
    /// Returns an error if there is nothing to undo, or the budget ends first.
    pub(crate) fn undo(&mut self, budget: &Budget) -> Answer<()> {
        let is_revealed = self.is_revealed();
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.undo().is_some(),
            _ => travel::back(&self.opened.game, &mut self.history, &people, budget),
        };
        if !moved {
            let nothing = || Problem::conflict("no_undo", "there is nothing to undo");
            return Err(if budget.is_spent() { Problem::late() } else { nothing() });
        }
        self.was_revealed |= is_revealed;
        self.land();
        Ok(())
    }

    /// Goes forth along the steps that were taken back, to the next choice of a person, or by one
    /// step if no person plays.
    ///
    /// # Errors
    /// Returns an error if there is nothing to redo, or the budget ends first.
    pub(crate) fn redo(&mut self, budget: &Budget) -> Answer<()> {
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.redo().is_some(),
            _ => travel::forth(&self.opened.game, &mut self.history, &people, budget),
        };
        if !moved {
            let nothing = || Problem::conflict("no_redo", "there is nothing to redo");
            return Err(if budget.is_spent() { Problem::late() } else { nothing() });
        }
        self.land();
        Ok(())
    }

    /// Goes to a place of the history.
    ///
    /// # Errors
    /// Returns an error if the history has no such place.
    pub(crate) fn go(&mut self, place: usize) -> Answer<()> {
        let missing = || Problem::missing("no_place", format!("the history has no place {place}"));
        let place: Place = self.history.places().nth(place).ok_or_else(missing)?;
        self.was_revealed |= self.is_revealed();
        self.history.go(place);
        self.land();
        Ok(())
    }

    /// Starts a new play from the initial state of the game. The seed of chance is the given one,
    /// or follows from the last one.
    pub(crate) fn restart(&mut self, seed: Option<u64>) {
        self.history = History::new(&self.opened.game);
        self.seed = seed.unwrap_or_else(|| self.luck.bits() >> 32);
        self.luck = Stream::new(self.seed, 0);
        self.knowledge = Knowledge::new(self.seed);
        self.was_revealed = false;
        self.choosers.clear();
        for seat in &mut self.seats {
            if let Seat::Machine { mind, .. } = seat {
                *mind = None;
            }
        }
        self.is_paused = false;
        self.clocks.restart();
        self.arrive();
    }
}

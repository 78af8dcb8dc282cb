//! The tasks of machines in a session: moves of their roles, and advice for a person.
//!
//! A session returns a task with all its inputs, and accepts the result unless play has gone on
//! meanwhile. At most [`MOST_THINKING`] machines of a session think at a time.

use super::{Session, Viewer};
use crate::{
    problem::{Answer, Problem},
    seats::{Mind, Seat},
    thought::{Advice, AdviceQuestion, Effort, Thought},
};
use gdl_players::{Budget, player::MoveStats};
use gdl_runtime::{
    GameExt,
    dynamic::{MoveId, RoleId},
    game::Id,
};

/// The most machines of a session that think at a time; others wait.
const MOST_THINKING: usize = 16;

impl Session {
    /// Returns the tasks of the machines that have to choose and are not thinking yet, at most
    /// `most`.
    pub(super) fn thoughts(&mut self, budget: &Budget, most: usize) -> Vec<Thought> {
        let is_shown = self.people().is_empty();
        let thinking = self.efforts.iter().flatten().count();
        let most = most.min(MOST_THINKING.saturating_sub(thinking));
        let mut thoughts = Vec::new();
        for role in self.opened.game.roles() {
            let place = role.index();
            if self.chosen[place].is_some() || self.efforts[place].is_some() {
                continue;
            }
            if !matches!(self.seats[place], Seat::Machine { .. }) {
                continue;
            }
            if thoughts.len() >= most {
                break;
            }
            let game = &self.opened.game;
            let information = self.knowledge.information(game, &self.history, role, budget).cloned();
            let Some(information) = information else { break };
            let Seat::Machine { machine, mind } = &mut self.seats[place] else { continue };
            let (mind, is_fresh) = match mind.take() {
                Some(mind) => (Some(mind), false),
                None => (machine.build(self.luck.bits()), true),
            };
            let Some(mind) = mind else { continue };
            self.efforts[place] = Some(Effort::default());
            thoughts.push(Thought {
                role,
                mind,
                is_fresh,
                time: machine.time().min(self.clocks.allowance(role)),
                machine: machine.clone(),
                information,
                game: game.clone(),
                is_known: self.opened.is_known,
                epoch: self.epoch,
                cancel: self.cancel.clone(),
                is_shown,
            });
        }
        if !thoughts.is_empty() {
            self.version += 1;
        }
        thoughts
    }

    /// Accepts the result of a machine's task; a result for an earlier epoch is dropped. A move
    /// that is illegal or missing, for example after a panic, is replaced by a legal one.
    pub(crate) fn conclude(
        &mut self,
        role: RoleId,
        epoch: u64,
        thinker: Option<Mind>,
        action: Option<MoveId>,
    ) {
        if epoch != self.epoch {
            return;
        }
        let place = role.index();
        self.efforts[place] = None;
        if let Seat::Machine { mind, .. } = &mut self.seats[place] {
            *mind = thinker.and_then(Mind::rest);
        }
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let action = action.filter(|&action| game.is_legal_in(&view, role, action));
        self.chosen[place] = action.or_else(|| game.random_move_in(&view, role, &mut self.luck));
        self.clocks.press(role);
        self.version += 1;
    }

    /// Records the work of a search so far. Returns false if its epoch is over.
    pub(crate) fn follow(&mut self, role: RoleId, epoch: u64, effort: Effort) -> bool {
        if epoch != self.epoch {
            return false;
        }
        self.efforts[role.index()] = Some(effort);
        self.version += 1;
        true
    }

    /// Returns the advice for a person who has yet to choose, and the task to compute the advice,
    /// unless an earlier call returned the task.
    ///
    /// # Errors
    /// Returns an error if no such person has to choose, or the budget ends before the role's
    /// information is computed.
    pub(crate) fn advise(
        &mut self,
        asked: Option<RoleId>,
        budget: &Budget,
    ) -> Answer<(Advice, Option<AdviceQuestion>)> {
        let nobody = || Problem::conflict("no_advice", "no person has to choose now");
        // Advice for a role would reveal the role's knowledge, so only a viewer of the role gets
        // advice.
        let here = Viewer::Here(asked);
        let eyes = self.eyes(here);
        let is_due = |role: &RoleId| {
            self.plays(here, *role) && eyes.see(*role) && asked.is_none_or(|asked| asked == *role)
        };
        let role = self.waiting().find(is_due).ok_or_else(nobody)?;
        if let Some(known) =
            self.advice.as_ref().filter(|known| known.role == role && known.epoch == self.epoch)
        {
            return Ok((known.clone(), None));
        }
        let game = &self.opened.game;
        let information = self.knowledge.information(game, &self.history, role, budget).cloned();
        let information = information.ok_or_else(Problem::late)?;
        let advice =
            Advice { role, epoch: self.epoch, effort: Effort::default(), moves: Vec::new(), is_done: false };
        self.advice = Some(advice.clone());
        let question = AdviceQuestion {
            information,
            game: self.opened.game.clone(),
            is_known: self.opened.is_known,
            epoch: self.epoch,
            cancel: self.cancel.clone(),
            seed: self.seed,
        };
        Ok((advice, Some(question)))
    }

    /// Records the results of a search so far. Returns false if its epoch is over, or the advice is
    /// now for another role.
    pub(crate) fn learn(
        &mut self,
        role: RoleId,
        epoch: u64,
        effort: Effort,
        moves: Vec<MoveStats>,
        is_done: bool,
    ) -> bool {
        let is_wanted = epoch == self.epoch && self.advice.as_ref().is_some_and(|known| known.role == role);
        if is_wanted {
            self.advice = Some(Advice { role, epoch, effort, moves, is_done });
        }
        is_wanted
    }
}

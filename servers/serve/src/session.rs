//! A session is a game that is being played. It takes moves, seats and ways through its history,
//! and returns the thoughts that machines have to think next.
//!
//! A session steps itself: chance and roles without a choice move at once, and a joint move is made
//! as soon as every role has chosen. Choices of machines come out as
//! [`Thought`](crate::thought::Thought)s, and other threads work on these. Results for a state the
//! session has already left are dropped. Nothing here waits. The viewer, a person at this page or a
//! guest elsewhere, determines what is seen and which roles may be moved ([`Viewer`]).
//!
//! A history has no more than [`MOST_PLACES`] places and [`MOST_HISTORY_BYTES`], whether it is
//! replayed or played, so those of all sessions together stay within 128 MiB. A step looks at the
//! state three times and makes a joint move; what may take many steps is given a [`Budget`] that is
//! looked at before each, and goes on when it is next asked for.

mod thoughts;
mod timing;
mod travels;
mod turns;

pub(crate) use turns::is_idle;

use crate::{
    clocks::Clocks,
    games::Opened,
    knowledge::Knowledge,
    net::SessionNet,
    problem::{Answer, Problem},
    seats::Seat,
    thought::{Advice, Effort},
};
use gdl_players::Budget;
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt, History,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    engine::Table,
    game::Id,
    history::Place,
};
use gdl_tools::scene::Stage;
use std::{
    sync::{Arc, OnceLock},
    time::SystemTime,
};

/// No history is longer: a session is no heap.
pub(crate) const MOST_PLACES: usize = 5_000;

/// No history takes more bytes.
pub(crate) const MOST_HISTORY_BYTES: usize = 2 << 20;

/// Returns an error unless there is room for another place.
///
/// # Errors
/// Returns an error if there is not.
pub(crate) fn make_room(history: &History<Dynamic>) -> Answer<()> {
    if history.len() < MOST_PLACES && history.bytes() < MOST_HISTORY_BYTES {
        return Ok(());
    }
    let message =
        format!("a history has at most {MOST_PLACES} places and {} MiB of states", MOST_HISTORY_BYTES >> 20);
    Err(Problem::too_large(message).help("start from a position instead"))
}

/// The part of a game that a person may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// Everything: nothing is hidden, only machines play, or the game is over.
    All,
    /// The knowledge of a role.
    Of(RoleId),
    /// No view of anything hidden from any role: people share the screen, and no viewer was given.
    Closed,
}

impl Visibility {
    /// Returns whether what the role does and may do is seen.
    #[must_use]
    pub(crate) fn see(self, role: RoleId) -> bool {
        match self {
            Self::All => true,
            Self::Of(own) => own == role,
            Self::Closed => false,
        }
    }
}

/// The person who looks at a session, and plays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viewer {
    /// At the page of this machine: through the eyes of a role, if one was named.
    Here(Option<RoleId>),
    /// Elsewhere, at the seat of a role.
    Guest(RoleId),
}

/// A game that is being played.
pub(crate) struct Session {
    /// Its id.
    pub id: String,
    /// The game.
    pub opened: Opened,
    /// The stage on which it is drawn.
    pub stage: Stage,
    /// Its net, once it was looked at; `None` if it has no net.
    pub net: Arc<OnceLock<Option<SessionNet>>>,
    /// The history of play.
    pub history: History<Dynamic>,
    /// The players of the roles, in role order.
    pub seats: Vec<Seat>,
    /// Goes up whenever something that can be seen has changed.
    pub version: u64,
    /// True if machines wait, since a person looks at the past.
    pub is_paused: bool,
    /// True if play went on from a place before the end after people had seen what was hidden until
    /// then.
    pub was_revealed: bool,
    /// The last error, if play cannot go on.
    pub trouble: Option<String>,
    /// The remaining time.
    pub clocks: Clocks,
    /// The time at which it began.
    pub started: SystemTime,
    /// The seed of chance and players.
    pub seed: u64,
    /// The moves chosen for this step, in role order.
    chosen: Vec<Option<MoveId>>,
    /// The last advice.
    advice: Option<Advice>,
    /// The work of each thinking role.
    efforts: Vec<Option<Effort>>,
    /// Goes up with every position and every seat.
    epoch: u64,
    cancel: Cancel,
    luck: Stream,
    knowledge: Knowledge,
    /// For each place the roles that have more than one legal move there, once computed.
    choosers: Vec<Option<Vec<RoleId>>>,
}

impl Session {
    /// A session at the start of a game or in another position. Machines do not move before
    /// [`Session::settle`].
    #[must_use]
    pub(crate) fn new(
        id: String,
        opened: Opened,
        history: History<Dynamic>,
        seats: Vec<Seat>,
        seed: u64,
    ) -> Self {
        let roles = opened.game.shape().roles;
        Self {
            id,
            stage: Stage::of(&opened.game, &opened.text),
            net: Arc::default(),
            history,
            seats,
            version: 1,
            is_paused: false,
            was_revealed: false,
            trouble: None,
            clocks: Clocks::default(),
            started: SystemTime::now(),
            seed,
            chosen: vec![None; roles],
            advice: None,
            efforts: vec![None; roles],
            epoch: 0,
            cancel: Cancel::default(),
            luck: Stream::new(seed, 0),
            knowledge: Knowledge::new(seed),
            choosers: Vec::new(),
            opened,
        }
    }

    /// Bytes that the session may come to take, roughly: its game, unless the server has that
    /// anyway, a full history, and the net for those who look inside.
    #[must_use]
    pub(crate) fn weight(&self) -> usize {
        /// Bytes per gate: in programs, their residuals, and the net. Bytes per name include its
        /// index.
        const GATE: usize = 64;
        const NAME: usize = 128;
        if self.opened.is_known {
            return MOST_HISTORY_BYTES;
        }
        let (observe, advance) = self.game().table().map_or((0, 0), Table::gates);
        let names = self.game().vocabulary();
        let names: usize =
            names.fluents().iter().chain(names.moves().iter()).map(|name| NAME + 2 * name.len()).sum();
        MOST_HISTORY_BYTES + self.opened.text.len() + (observe + advance) * GATE + names
    }

    /// The game.
    #[must_use]
    pub(crate) fn game(&self) -> &Dynamic {
        &self.opened.game
    }

    /// True if people play the role, here or elsewhere.
    #[must_use]
    pub(crate) fn is_person(&self, role: RoleId) -> bool {
        matches!(self.seats[role.index()], Seat::Person | Seat::Guest { .. })
    }

    /// True if the role is played by the person who looks, or by another one at the same page.
    #[must_use]
    pub(crate) fn plays(&self, looker: Viewer, role: RoleId) -> bool {
        match looker {
            Viewer::Here(_) => matches!(self.seats[role.index()], Seat::Person),
            Viewer::Guest(own) => own == role && self.is_person(role),
        }
    }

    /// True if people elsewhere play along.
    #[must_use]
    pub(crate) fn has_guests(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat, Seat::Guest { .. }))
    }

    /// True if the role has chosen in this step.
    #[must_use]
    pub(crate) fn has_chosen(&self, role: RoleId) -> bool {
        self.chosen[role.index()].is_some()
    }

    /// The work of a role's search so far, if it goes on.
    #[must_use]
    pub(crate) fn effort(&self, role: RoleId) -> Option<Effort> {
        self.efforts[role.index()]
    }

    /// The roles that must choose and have not.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = RoleId> {
        let over = self.is_over();
        self.game().roles().filter(move |&role| !over && !self.has_chosen(role))
    }

    /// True if nothing follows here: the game is over, or a role has no legal move.
    #[must_use]
    pub(crate) fn is_over(&self) -> bool {
        let game = self.game();
        let mut view = game.new_view();
        game.observe_without_goals(self.history.state(), &mut view);
        game.is_terminal_in(&view) || game.roles().any(|role| game.legal_moves_in(&view, role).len() == 0)
    }

    /// Returns whether the rules hide something of the game from its roles.
    #[must_use]
    pub(crate) fn hides(&self) -> bool {
        self.game().vocabulary().has_percepts()
    }

    /// Through whose eyes a person sees the game.
    #[must_use]
    pub(crate) fn eyes(&self, looker: Viewer) -> Visibility {
        if !self.hides() || self.people().is_empty() || self.game().is_terminal(self.history.state()) {
            return Visibility::All;
        }
        let asked = match looker {
            Viewer::Here(asked) => asked,
            Viewer::Guest(own) => return Visibility::Of(own),
        };
        let people: Vec<RoleId> = self.game().roles().filter(|&role| self.plays(looker, role)).collect();
        match (asked.filter(|role| people.contains(role)), &people[..]) {
            (Some(role), _) | (None, &[role]) => Visibility::Of(role),
            _ => Visibility::Closed,
        }
    }

    /// The fluents that a role can be sure of, and what it perceived last. Returns `None` if there
    /// was no time to find out.
    pub(crate) fn sure(
        &mut self,
        role: RoleId,
        budget: &Budget,
    ) -> Option<(<Dynamic as Game>::State, Option<String>)> {
        let game = &self.opened.game;
        let (state, information) = self.knowledge.sure(game, &self.history, role, budget)?;
        let last = information.steps().last();
        Some((state, last.map(|(_, perception)| game.perception_text(perception))))
    }

    /// All states that fit what a role knows: see [`Knowledge::states`].
    pub(crate) fn possible(
        &mut self,
        role: RoleId,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<<Dynamic as Game>::State>> {
        self.knowledge.states(&self.opened.game, &self.history, role, most, budget)
    }

    /// Finds out who has a choice at some places. Returns `None` if there was no time for all of
    /// them.
    pub(crate) fn find_choosers(
        &mut self,
        places: impl Iterator<Item = Place>,
        budget: &Budget,
    ) -> Option<()> {
        let game = &self.opened.game;
        let mut view = game.new_view();
        self.choosers.resize(self.history.len(), None);
        for place in places {
            let Some(state) = self.history.state_at(place) else { continue };
            let known = &mut self.choosers[place.index()];
            if known.is_none() {
                if budget.is_spent() {
                    return None;
                }
                game.observe_without_goals(state, &mut view);
                *known =
                    Some(game.roles().filter(|&role| game.legal_moves_in(&view, role).len() > 1).collect());
            }
        }
        Some(())
    }

    /// Returns whether a role has a choice at a place, as far as [`Session::find_choosers`] was
    /// asked.
    #[must_use]
    pub(crate) fn has_choice(&self, place: Place, role: RoleId) -> bool {
        let known = self.choosers.get(place.index()).and_then(Option::as_ref);
        known.is_some_and(|choosers| choosers.binary_search(&role).is_ok())
    }

    /// Whatever was chosen or thought about the last position is of no use any more.
    fn arrive(&mut self) {
        self.cancel.cancel();
        self.cancel = Cancel::default();
        self.epoch += 1;
        self.version += 1;
        self.trouble = None;
        self.chosen.fill(None);
        self.efforts.fill(None);
    }

    /// The roles that people play.
    fn people(&self) -> Vec<RoleId> {
        self.game().roles().filter(|&role| self.is_person(role)).collect()
    }

    /// Lets machines wait, or go on.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        let epoch = self.epoch;
        if is_paused {
            self.arrive();
        }
        self.is_paused = is_paused;
        self.version += u64::from(epoch == self.epoch);
    }

    /// Seats another player, or a person.
    ///
    /// # Errors
    /// Returns an error if there is no such role, or it is chance's.
    pub(crate) fn seat(&mut self, role: &str, text: &str) -> Answer<()> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        let seat = Seat::parse(game, &self.opened.text, role, text)?;
        self.take(role, seat);
        Ok(())
    }

    /// Gives the seat of a role to a guest who will come by a link that holds this; one who had it
    /// before has it no more.
    ///
    /// # Errors
    /// Returns an error if there is no such role, or it is chance's.
    pub(crate) fn invite(&mut self, role: &str, token: &str) -> Answer<RoleId> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        Seat::parse(game, &self.opened.text, role, Seat::PERSON)?;
        self.take(role, Seat::Guest { token: token.to_owned(), has_come: false });
        Ok(role)
    }

    /// Notes that the guest of a role came by a link.
    ///
    /// # Errors
    /// Returns an error if the seat was given to others since.
    pub(crate) fn admit(&mut self, role: RoleId, given: &str) -> Answer<()> {
        match self.seats.get_mut(role.index()) {
            Some(Seat::Guest { token, has_come }) if token == given => {
                self.version += u64::from(!*has_come);
                *has_come = true;
                Ok(())
            }
            _ => Err(Problem::no_seat()),
        }
    }

    fn take(&mut self, role: RoleId, seat: Seat) {
        // What the others thought or chose stays.
        self.seats[role.index()] = seat;
        let chosen = std::mem::take(&mut self.chosen);
        self.arrive();
        self.chosen = chosen;
        self.chosen[role.index()] = None;
    }

    /// The handle that ends all thinking about the position.
    #[must_use]
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Games, LoadMode},
        work::observer,
    };

    /// Two hundred steps in which no role has a choice.
    const CLOCK: &str =
        "(role r) (init (at 0)) (legal r tick) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 200))) (goal r 100) ";

    pub(super) fn session(opened: Opened, seats: &[&str]) -> Session {
        let game = &opened.game;
        let seats = game.roles().zip(seats).map(|(role, seat)| Seat::parse(game, &opened.text, role, seat));
        let seats = seats.collect::<Answer<Vec<Seat>>>().unwrap_or_else(|problem| panic!("{problem:?}"));
        let history = History::new(game);
        Session::new(String::new(), opened, history, seats, 0)
    }

    #[test]
    fn play_that_was_called_off_goes_on_where_it_was() {
        let steps: Vec<String> = (0..200).map(|at| format!("(succ {at} {}) ", at + 1)).collect();
        let steps = steps.concat();
        let opened = Games::default().load(
            "clock",
            &format!("{CLOCK}{steps}"),
            LoadMode::Quick,
            observer(&Cancel::default()),
        );
        let mut session = session(opened.unwrap_or_else(|problem| panic!("{problem:?}")), &["first"]);
        let cancel = Cancel::default();
        cancel.cancel();
        let spent = Budget::unlimited().cancelled_by(&cancel);
        assert!(session.settle(&spent, 1).is_empty() && session.history.depth() == 0);
        assert!(session.find_choosers(session.history.places(), &spent).is_none());
        assert!(session.settle(&Budget::unlimited(), 1).is_empty());
        assert_eq!((session.history.depth(), session.is_over()), (200, true));
        assert!(session.find_choosers(session.history.places(), &Budget::unlimited()).is_some());
        assert!(session.find_choosers(session.history.places(), &spent).is_some());
        // The way back looks at each state.
        session.seats[0] = Seat::Person;
        assert!(matches!(session.undo(&spent), Err(problem) if problem.code == "too_slow"));
        let nothing = session.undo(&Budget::unlimited());
        assert!(matches!(nothing, Err(problem) if problem.code == "no_undo"));
    }

    #[test]
    fn no_more_machines_think_than_there_is_room_for() {
        let opened = Games::default().find("rock_paper_scissors").expect("it is built in");
        let mut session = session(opened, &["random", "random"]);
        let unlimited = Budget::unlimited();
        assert!(session.settle(&unlimited, 0).is_empty());
        let thinking = [1, 1, 1].map(|most| session.settle(&unlimited, most).len());
        assert_eq!(thinking, [1, 1, 0]);
    }
}

//! A session: a game that is being played. It accepts moves, seats and travel through its history,
//! and returns the tasks of thinking that machines have to do next.
//!
//! A session steps itself. Chance and roles without a choice move at once, and a joint move is made
//! as soon as every role has chosen. For a machine's choice the session returns a
//! [`Thought`](crate::thought::Thought), which another thread works on. The session drops results
//! for a state that it has left. No function here waits. The [`Viewer`], a person at this page or a
//! guest elsewhere, determines the roles whose knowledge is visible and the roles whose moves can
//! be chosen.
//!
//! A history has at most [`MOST_PLACES`] places and [`MOST_HISTORY_BYTES`] bytes, whether it is
//! replayed or played. Thus the histories of all sessions stay within 128 MiB. A step evaluates the
//! state three times and makes a joint move. A function that may take many steps checks a
//! [`Budget`] before each, and continues at its next call.

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

/// The most places of a history.
pub(crate) const MOST_PLACES: usize = 5_000;

/// The most bytes of a history.
pub(crate) const MOST_HISTORY_BYTES: usize = 2 << 20;

/// Checks that a history has room for another place.
///
/// # Errors
/// Returns an error if it has [`MOST_PLACES`] places or [`MOST_HISTORY_BYTES`] bytes.
pub(crate) fn make_room(history: &History<Dynamic>) -> Answer<()> {
    if history.len() < MOST_PLACES && history.bytes() < MOST_HISTORY_BYTES {
        return Ok(());
    }
    let message =
        format!("a history has at most {MOST_PLACES} places and {} MiB of states", MOST_HISTORY_BYTES >> 20);
    Err(Problem::too_large(message).help("start from a position instead"))
}

/// The part of a game that a viewer may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// Everything: nothing is hidden, only machines play, or the game is over.
    All,
    /// The knowledge of a role.
    Of(RoleId),
    /// Only what is visible to all roles: people share the screen, and the request names no role.
    Closed,
}

impl Visibility {
    /// Returns whether the moves and choices of a role are visible.
    #[must_use]
    pub(crate) fn see(self, role: RoleId) -> bool {
        match self {
            Self::All => true,
            Self::Of(own) => own == role,
            Self::Closed => false,
        }
    }
}

/// The person who sees a session and plays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viewer {
    /// A person at the page of this machine, with the role named in the request.
    Here(Option<RoleId>),
    /// A person elsewhere, at the seat of a role.
    Guest(RoleId),
}

/// A game that is being played.
pub(crate) struct Session {
    /// The id in the address of its requests.
    pub id: String,
    /// The game with its rulesheet.
    pub opened: Opened,
    /// The stage on which states are drawn: the board, its motion and its clues.
    pub stage: Stage,
    /// The net, once requested; `None` inside if the game has no net.
    pub net: Arc<OnceLock<Option<SessionNet>>>,
    /// The history of play.
    pub history: History<Dynamic>,
    /// The players of the roles, in role order.
    pub seats: Vec<Seat>,
    /// A counter that grows with each visible change.
    pub version: u64,
    /// True if machines wait, as they do while a person visits an earlier place.
    pub is_paused: bool,
    /// True if play went on from a place before the end after people had seen hidden information.
    pub was_revealed: bool,
    /// The last error, if play cannot go on.
    pub trouble: Option<String>,
    /// The clocks of the roles.
    pub clocks: Clocks,
    /// The time at which the session began.
    pub started: SystemTime,
    /// The seed of chance and players.
    pub seed: u64,
    /// The moves chosen for the current step, in role order.
    chosen: Vec<Option<MoveId>>,
    /// The last advice.
    advice: Option<Advice>,
    /// The work of each thinking role.
    efforts: Vec<Option<Effort>>,
    /// A counter that grows with each new position and each new seat.
    epoch: u64,
    cancel: Cancel,
    luck: Stream,
    knowledge: Knowledge,
    /// The roles with more than one legal move at each place, once computed.
    choosers: Vec<Option<Vec<RoleId>>>,
}

impl Session {
    /// Creates a session from a history. Machines do not move before [`Session::settle`] is called.
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

    /// Estimates the bytes that the session may take: a full history, and for an uploaded rulesheet
    /// also the game with its net.
    #[must_use]
    pub(crate) fn weight(&self) -> usize {
        /// The bytes of a gate in programs, residual circuits and the net, and the bytes of a name
        /// with its index.
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

    /// Returns the game.
    #[must_use]
    pub(crate) fn game(&self) -> &Dynamic {
        &self.opened.game
    }

    /// Returns whether a person plays the role, here or elsewhere.
    #[must_use]
    pub(crate) fn is_person(&self, role: RoleId) -> bool {
        matches!(self.seats[role.index()], Seat::Person | Seat::Guest { .. })
    }

    /// Returns whether the viewer may choose moves of the role. People at the same page share their
    /// roles.
    #[must_use]
    pub(crate) fn plays(&self, looker: Viewer, role: RoleId) -> bool {
        match looker {
            Viewer::Here(_) => matches!(self.seats[role.index()], Seat::Person),
            Viewer::Guest(own) => own == role && self.is_person(role),
        }
    }

    /// Returns whether a guest has a seat.
    #[must_use]
    pub(crate) fn has_guests(&self) -> bool {
        self.seats.iter().any(|seat| matches!(seat, Seat::Guest { .. }))
    }

    /// Returns whether the role has chosen its move of this step.
    #[must_use]
    pub(crate) fn has_chosen(&self, role: RoleId) -> bool {
        self.chosen[role.index()].is_some()
    }

    /// Returns the work of a role's search so far. `None` if no search runs.
    #[must_use]
    pub(crate) fn effort(&self, role: RoleId) -> Option<Effort> {
        self.efforts[role.index()]
    }

    /// Iterates over the roles that have not chosen yet. Empty if the game is over.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = RoleId> {
        let over = self.is_over();
        self.game().roles().filter(move |&role| !over && !self.has_chosen(role))
    }

    /// Returns whether no step can follow: the game is over, or a role has no legal move.
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

    /// Returns the part of the game that a viewer may see.
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

    /// Returns the fluents that a role can be sure of, and its last percepts. Returns `None` if the
    /// budget ends first.
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

    /// Returns all states that agree with a role's knowledge; see [`Knowledge::states`].
    pub(crate) fn possible(
        &mut self,
        role: RoleId,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<<Dynamic as Game>::State>> {
        self.knowledge.states(&self.opened.game, &self.history, role, most, budget)
    }

    /// Computes and stores the roles with a choice at some places. Returns `None` if the budget
    /// ends first.
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

    /// Returns whether a role has a choice at a place. False if [`Session::find_choosers`] has not
    /// computed that place.
    #[must_use]
    pub(crate) fn has_choice(&self, place: Place, role: RoleId) -> bool {
        let known = self.choosers.get(place.index()).and_then(Option::as_ref);
        known.is_some_and(|choosers| choosers.binary_search(&role).is_ok())
    }

    /// Discards the choices and cancels the searches of the previous position.
    fn arrive(&mut self) {
        self.cancel.cancel();
        self.cancel = Cancel::default();
        self.epoch += 1;
        self.version += 1;
        self.trouble = None;
        self.chosen.fill(None);
        self.efforts.fill(None);
    }

    /// Returns the roles that people play.
    fn people(&self) -> Vec<RoleId> {
        self.game().roles().filter(|&role| self.is_person(role)).collect()
    }

    /// Pauses machines, or lets them go on.
    pub(crate) fn pause(&mut self, is_paused: bool) {
        let epoch = self.epoch;
        if is_paused {
            self.arrive();
        }
        self.is_paused = is_paused;
        self.version += u64::from(epoch == self.epoch);
    }

    /// Gives the seat of a role to a player or a person.
    ///
    /// # Errors
    /// Returns an error if there is no such role, and the errors of [`Seat::parse`].
    pub(crate) fn seat(&mut self, role: &str, text: &str) -> Answer<()> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        let seat = Seat::parse(game, &self.opened.text, role, text)?;
        self.take(role, seat);
        Ok(())
    }

    /// Gives the seat of a role to a guest whose link contains `token`. Earlier links to this seat
    /// no longer open it.
    ///
    /// # Errors
    /// Returns an error if there is no such role, or the role is chance.
    pub(crate) fn invite(&mut self, role: &str, token: &str) -> Answer<RoleId> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        Seat::parse(game, &self.opened.text, role, Seat::PERSON)?;
        self.take(role, Seat::Guest { token: token.to_owned(), has_come: false });
        Ok(role)
    }

    /// Records that the guest of a role came by a link.
    ///
    /// # Errors
    /// Returns an error if the link does not open the seat any more.
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
        // The choices of other roles stay. All searches are cancelled.
        self.seats[role.index()] = seat;
        let chosen = std::mem::take(&mut self.chosen);
        self.arrive();
        self.chosen = chosen;
        self.chosen[role.index()] = None;
    }

    /// Returns the handle that cancels all searches of the current position.
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

    /// A game of two hundred steps in which no role has a choice. It has percepts, so that states
    /// are hidden until the end.
    const CLOCK: &str =
        "(role r) (init (at 0)) (legal r tick) (<= (sees r late) (true (at 199))) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
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
        // `undo` evaluates each state on the way back.
        session.seats[0] = Seat::Person;
        assert!(matches!(session.undo(&spent), Err(problem) if problem.code == "too_slow"));
        let nothing = session.undo(&Budget::unlimited());
        assert!(matches!(nothing, Err(problem) if problem.code == "no_undo"));
        assert!(!session.was_revealed, "play never left the end");
        session.go(0).unwrap_or_else(|problem| panic!("{problem:?}"));
        assert!(session.was_revealed);
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

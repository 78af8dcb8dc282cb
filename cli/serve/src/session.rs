//! A session is a game that is being played: it takes moves, seats and ways through its history, and says who has to think next.
//!
//! A session steps itself: chance and roles without a choice move at once, a joint move is made as soon as every role has
//! chosen, and what machines have to think about comes out as [`Thought`]s, which are thought elsewhere. A thought that comes
//! back when the session is elsewhere counts nothing. Nothing here waits. Who looks, a person at this page or a guest elsewhere, decides
//! what is seen and which roles may be moved ([`Looker`]).
//!
//! A history has no more than [`MOST_PLACES`] places and [`MOST_HISTORY_BYTES`], whether it is replayed or played, so those of
//! all sessions together stay within 128 MiB. A step looks at the state three times and makes a joint move; what may take many
//! steps is given a [`Budget`] that is looked at before each, and goes on when it is next asked for.

use crate::{
    clocks::Clocks,
    games::Opened,
    knowledge::Knowledge,
    net::SessionNet,
    problem::{Answer, Problem},
    scene::Stage,
    seats::{Mind, Seat},
    thought::{Advice, Effort, Question, Thought},
};
use gdl_runtime::{
    __private::Table,
    Budget, Cancel, Dynamic, Game, GameExt, History,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    game::Id,
    history::Place,
    player::Tried,
};
use gdl_tools::play::travel;
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::{Instant, SystemTime},
};

/// No history is longer: a session is no heap.
pub(crate) const MOST_PLACES: usize = 5_000;

/// No history takes more bytes.
pub(crate) const MOST_HISTORY_BYTES: usize = 2 << 20;

/// If there is room for another place.
///
/// # Errors
/// If there is not.
pub(crate) fn make_room(history: &History<Dynamic>) -> Answer<()> {
    if history.len() < MOST_PLACES && history.bytes() < MOST_HISTORY_BYTES {
        return Ok(());
    }
    let message =
        format!("a history has {MOST_PLACES} places and {} MiB of states at most", MOST_HISTORY_BYTES >> 20);
    Err(Problem::too_large(message).help("go on from a position instead"))
}

/// After so many steps without a choice play halts, should the game have no end.
const MOST_FORCED: usize = 1000;

/// No more machines of a session think at a time; the others do after them.
const MOST_THINKING: usize = 16;

/// How much a person may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eyes {
    /// Everything: nothing is hidden, only machines play, or the game is over.
    All,
    /// What a role may know.
    Of(RoleId),
    /// Nothing that is hidden from any role: people share the screen, and it was not said who looks.
    Closed,
}

impl Eyes {
    /// If what the role does and may do is seen.
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
pub(crate) enum Looker {
    /// At the page of this machine: through the eyes of a role, if one was named.
    Here(Option<RoleId>),
    /// Elsewhere, at the seat of a role.
    Guest(RoleId),
}

/// A game that is being played.
pub(crate) struct Session {
    /// What it is called.
    pub id: String,
    /// The game.
    pub opened: Opened,
    /// Where it is drawn.
    pub stage: Stage,
    /// Its net, once it was looked at; none if it has no net.
    pub net: Arc<OnceLock<Option<SessionNet>>>,
    /// Where play has been.
    pub history: History<Dynamic>,
    /// Who plays the roles, in role order.
    pub seats: Vec<Seat>,
    /// Goes up whenever something that can be seen has changed.
    pub version: u64,
    /// If machines wait, since a person looks at the past.
    pub is_paused: bool,
    /// If play went on from a place before the end after people had seen what was hidden until then.
    pub was_revealed: bool,
    /// What went wrong last, if play cannot go on.
    pub trouble: Option<String>,
    /// What time is left.
    pub clocks: Clocks,
    /// When it began.
    pub started: SystemTime,
    /// What chance and players follow from.
    pub seed: u64,
    /// The moves chosen for this step, in role order.
    chosen: Vec<Option<MoveId>>,
    /// What was advised last.
    advice: Option<Advice>,
    /// Who is thinking.
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
    /// A session at the start of a game or in another position. Machines do not move before [`Session::settle`].
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

    /// Bytes that the session may come to take, roughly: its game, unless the server has that anyway, a full history, and the net
    /// for those who look inside.
    #[must_use]
    pub(crate) fn weight(&self) -> usize {
        /// Of a gate, in programs, what is left of them, and the net; of a name, with what finds it.
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
    pub(crate) fn plays(&self, looker: Looker, role: RoleId) -> bool {
        match looker {
            Looker::Here(_) => matches!(self.seats[role.index()], Seat::Person),
            Looker::Guest(own) => own == role && self.is_person(role),
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

    /// What the search of a role has done so far, if it goes on.
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

    /// If the rules hide something of the game from its roles.
    #[must_use]
    pub(crate) fn hides(&self) -> bool {
        self.game().vocabulary().has_percepts()
    }

    /// Through whose eyes a person sees the game.
    #[must_use]
    pub(crate) fn eyes(&self, looker: Looker) -> Eyes {
        if !self.hides() || self.people().is_empty() || self.game().is_terminal(self.history.state()) {
            return Eyes::All;
        }
        let asked = match looker {
            Looker::Here(asked) => asked,
            Looker::Guest(own) => return Eyes::Of(own),
        };
        let people: Vec<RoleId> = self.game().roles().filter(|&role| self.plays(looker, role)).collect();
        match (asked.filter(|role| people.contains(role)), &people[..]) {
            (Some(role), _) | (None, &[role]) => Eyes::Of(role),
            _ => Eyes::Closed,
        }
    }

    /// The fluents that a role can be sure of, and what it perceived last. None if there was no time to find out.
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

    /// Finds out who has a choice at some places. None if there was no time for all of them.
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

    /// If a role has a choice at a place, as far as [`Session::find_choosers`] was asked.
    #[must_use]
    pub(crate) fn has_choice(&self, place: Place, role: RoleId) -> bool {
        let known = self.choosers.get(place.index()).and_then(Option::as_ref);
        known.is_some_and(|choosers| choosers.binary_search(&role).is_ok())
    }

    /// A person's move.
    ///
    /// # Errors
    /// If it is not theirs to make now; then nothing has changed.
    pub(crate) fn choose(
        &mut self,
        looker: Looker,
        role: &str,
        action: &str,
        place: Option<usize>,
    ) -> Answer<()> {
        let game = &self.opened.game;
        if place.is_some_and(|place| place != self.history.place().index()) {
            return Err(Problem::conflict("stale", "the position is another one by now"));
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

    /// What a machine came to in that epoch; too late it counts nothing. A move that is not legal is replaced by one that is,
    /// and so is that of a player that broke down, who is not there any more.
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

    /// What a search has done so far. False if that is not wanted any more.
    pub(crate) fn follow(&mut self, role: RoleId, epoch: u64, effort: Effort) -> bool {
        if epoch != self.epoch {
            return false;
        }
        self.efforts[role.index()] = Some(effort);
        self.version += 1;
        true
    }

    /// Plays on until a role has to think, and gives these thoughts: so many at most. When the budget is spent it ends in
    /// the midst of that.
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
                self.trouble = Some("the game does not come to an end: restart it".to_owned());
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

    /// Chooses for chance and for those who have no choice. True if anybody else had one.
    fn fill(&mut self) -> bool {
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let counts: Vec<usize> = game.roles().map(|role| game.legal_moves_in(&view, role).len()).collect();
        // Where nobody has a choice it is the turn of those who do something.
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

    /// Those of the machines that have to think and do not yet.
    fn thoughts(&mut self, budget: &Budget, most: usize) -> Vec<Thought> {
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

    /// Notes whether the place that play is about to leave shows what the rules hide elsewhere.
    fn leave(&mut self) {
        let is_shown = self.hides() && !self.people().is_empty();
        self.was_revealed |= is_shown && self.game().is_terminal(self.history.state());
    }

    /// Somewhere else in the history. Machines wait there, unless a person has something to decide.
    fn land(&mut self) {
        self.clocks.go(self.history.place().index());
        self.arrive();
        self.is_paused = !travel::is_choice(self.game(), self.history.state(), &self.people());
    }

    /// Back to the last choice of a person, or by one step where no person plays.
    ///
    /// # Errors
    /// If there is nothing to take back, or no time to find it.
    pub(crate) fn undo(&mut self, budget: &Budget) -> Answer<()> {
        self.leave();
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.undo().is_some(),
            _ => travel::back(&self.opened.game, &mut self.history, &people, budget),
        };
        if !moved {
            let nothing = || Problem::conflict("no_undo", "there is nothing to take back");
            return Err(if budget.is_spent() { Problem::late() } else { nothing() });
        }
        self.land();
        Ok(())
    }

    /// Forth to the next choice of a person, or by one step where no person plays, along what was taken back.
    ///
    /// # Errors
    /// If there is nothing to make again, or no time to find it.
    pub(crate) fn redo(&mut self, budget: &Budget) -> Answer<()> {
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.redo().is_some(),
            _ => travel::forth(&self.opened.game, &mut self.history, &people, budget),
        };
        if !moved {
            let nothing = || Problem::conflict("no_redo", "there is nothing to make again");
            return Err(if budget.is_spent() { Problem::late() } else { nothing() });
        }
        self.land();
        Ok(())
    }

    /// To any place where play has been.
    ///
    /// # Errors
    /// If it has not been there.
    pub(crate) fn go(&mut self, place: usize) -> Answer<()> {
        let missing = || Problem::missing("no_place", format!("play has not been at place {place}"));
        let place: Place = self.history.places().nth(place).ok_or_else(missing)?;
        self.leave();
        self.history.go(place);
        self.land();
        Ok(())
    }

    /// To a new play from the start of the game, in which chance follows from another seed: this one, or one that the last
    /// seed leads to.
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

    /// Gives roles clocks, which begin here; those that are not named have none.
    ///
    /// # Errors
    /// If there is no such role, or no such time.
    pub(crate) fn time(&mut self, texts: &BTreeMap<String, String>) -> Answer<()> {
        self.clocks = Clocks::parse(&self.opened.game, texts, self.history.place().index())?;
        self.arrive();
        Ok(())
    }

    /// Takes the time that went by from the clocks that run. When one has run down play halts.
    pub(crate) fn tick(&mut self, now: Instant) {
        if let Some(role) = self.clocks.tick(now) {
            self.arrive();
            let name = self.game().role_text(role);
            self.trouble = Some(format!(
                "{name} has run out of time: restart, take a move back, or play on without clocks"
            ));
            self.wind(now);
        }
    }

    /// Lets the clocks run of those who have a choice to make, and of nobody else.
    pub(crate) fn wind(&mut self, now: Instant) {
        if self.clocks.are_none() {
            return;
        }
        let halts = self.is_paused || self.trouble.is_some();
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let due: Vec<bool> = if halts {
            vec![false; self.seats.len()]
        } else {
            let waits = |role: RoleId| !self.has_chosen(role) && game.legal_moves_in(&view, role).len() > 1;
            game.roles().map(|role| !game.is_terminal_in(&view) && waits(role)).collect()
        };
        self.clocks.wind(now, |role| due[role.index()]);
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
    /// If there is no such role, or it is chance's.
    pub(crate) fn seat(&mut self, role: &str, text: &str) -> Answer<()> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        let seat = Seat::parse(game, &self.opened.text, role, text)?;
        self.take(role, seat);
        Ok(())
    }

    /// Gives the seat of a role to a guest who will come by a link that holds this; one who had it before has it no more.
    ///
    /// # Errors
    /// If there is no such role, or it is chance's.
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
    /// If the seat was given to others since.
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

    /// What is advised to a person who is to choose, and the question if it was not asked yet.
    ///
    /// # Errors
    /// If no person is to choose, or not this one, or there was no time to find out what they know.
    pub(crate) fn advise(
        &mut self,
        asked: Option<RoleId>,
        budget: &Budget,
    ) -> Answer<(Advice, Option<Question>)> {
        let nobody = || Problem::conflict("no_advice", "nobody is to choose who could be advised");
        // What a role is advised says something of what it knows.
        let here = Looker::Here(asked);
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
        let question = Question {
            information,
            game: self.opened.game.clone(),
            is_known: self.opened.is_known,
            epoch: self.epoch,
            cancel: self.cancel.clone(),
            seed: self.seed,
        };
        Ok((advice, Some(question)))
    }

    /// What a search has found so far. False if that is not wanted any more.
    pub(crate) fn learn(
        &mut self,
        role: RoleId,
        epoch: u64,
        effort: Effort,
        moves: Vec<Tried>,
        is_done: bool,
    ) -> bool {
        let is_wanted = epoch == self.epoch && self.advice.as_ref().is_some_and(|known| known.role == role);
        if is_wanted {
            self.advice = Some(Advice { role, epoch, effort, moves, is_done });
        }
        is_wanted
    }

    /// What ends all thinking about the position.
    #[must_use]
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

/// If a move's name says that nothing is done.
#[must_use]
pub(crate) fn is_idle(action: &str) -> bool {
    const NAMES: [&str; 9] = ["noop", "no_op", "no-op", "nop", "nil", "none", "nothing", "wait", "idle"];
    let head = action.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Games, Way},
        work::observer,
    };
    use std::time::Duration;

    /// Two hundred steps in which no role has a choice.
    const CLOCK: &str =
        "(role r) (init (at 0)) (legal r tick) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 200))) (goal r 100) ";

    fn session(opened: Opened, seats: &[&str]) -> Session {
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
            Way::Quick,
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

    /// Tells a session, second by second, what time it is; and lets it play on.
    struct Time {
        start: Instant,
        seconds: u64,
    }

    impl Time {
        fn pass(&mut self, session: &mut Session, seconds: u64) {
            self.seconds += seconds;
            session.tick(self.start + Duration::from_secs(self.seconds));
        }

        /// As a request does that chooses a move for a role.
        fn choose(&self, session: &mut Session, role: &str, action: &str) -> Answer<()> {
            session.choose(Looker::Here(None), role, action, None)?;
            session.settle(&Budget::unlimited(), 0);
            session.wind(self.start + Duration::from_secs(self.seconds));
            Ok(())
        }
    }

    /// What is left of the clocks of a session, in seconds.
    fn left(session: &Session) -> Vec<Option<u64>> {
        session
            .game()
            .roles()
            .map(|role| session.clocks.of(role).map(|clock| clock.left().as_secs()))
            .collect()
    }

    /// A match of two people who have a minute each and ten seconds a move; play has begun.
    fn timed() -> (Session, Time) {
        let opened = Games::default().find("tictactoe_led").expect("it is built in");
        let mut session = session(opened, &["person", "person"]);
        let clocks = BTreeMap::from(["x", "o"].map(|role| (role.to_owned(), "1+10".to_owned())));
        assert!(session.time(&clocks).is_ok());
        let mut time = Time { start: Instant::now(), seconds: 0 };
        session.wind(time.start);
        // Before the first move no time goes by, and it adds none.
        time.pass(&mut session, 30);
        assert_eq!(left(&session), [Some(60), Some(60)]);
        assert!(time.choose(&mut session, "x", "(take 1)").is_ok());
        (session, time)
    }

    #[test]
    fn the_clock_of_who_is_to_move_runs_and_a_move_adds_to_it() {
        let (mut session, mut time) = timed();
        assert_eq!(left(&session), [Some(60), Some(60)]);
        time.pass(&mut session, 20);
        assert_eq!(left(&session), [Some(60), Some(40)]);
        assert!(time.choose(&mut session, "o", "(take 2)").is_ok());
        assert_eq!(left(&session), [Some(60), Some(50)]);
        time.pass(&mut session, 5);
        assert_eq!(left(&session), [Some(55), Some(50)]);
        // Halted play takes no time.
        session.pause(true);
        session.wind(time.start + Duration::from_secs(time.seconds));
        time.pass(&mut session, 500);
        assert_eq!((left(&session), session.clocks.soonest()), (vec![Some(55), Some(50)], None));
    }

    #[test]
    fn a_place_that_one_goes_back_to_has_its_time_and_the_clocks_stand_there() {
        let (mut session, mut time) = timed();
        time.pass(&mut session, 20);
        assert!(time.choose(&mut session, "o", "(take 2)").is_ok());
        time.pass(&mut session, 7);
        assert!(session.undo(&Budget::unlimited()).is_ok());
        session.wind(time.start + Duration::from_secs(time.seconds));
        time.pass(&mut session, 500);
        assert_eq!(left(&session), [Some(60), Some(60)]);
        assert!(session.redo(&Budget::unlimited()).is_ok());
        assert_eq!(left(&session), [Some(60), Some(50)]);
        assert!(time.choose(&mut session, "x", "(take 3)").is_ok());
        time.pass(&mut session, 1);
        assert_eq!(left(&session), [Some(60), Some(49)]);
        session.restart(None);
        assert_eq!(left(&session), [Some(60), Some(60)]);
    }

    #[test]
    fn play_halts_when_a_clock_has_run_down_until_a_move_is_taken_back_or_clocks_are_put_away() {
        let (mut session, mut time) = timed();
        let version = session.version;
        time.pass(&mut session, 61);
        assert_eq!(left(&session), [Some(60), Some(0)]);
        assert!(session.version > version, "those who wait are told");
        let told = session.trouble.clone().unwrap_or_default();
        assert!(told.starts_with("o has run out of time"), "{told}");
        let refused = time.choose(&mut session, "o", "(take 2)");
        assert!(matches!(refused, Err(problem) if problem.code == "halted"));
        assert_eq!(session.history.depth(), 1);
        // Play goes on from where there was time.
        assert!(session.undo(&Budget::unlimited()).is_ok());
        assert!(time.choose(&mut session, "x", "(take 2)").is_ok());
        time.pass(&mut session, 61);
        assert!(session.trouble.is_some());
        assert!(session.time(&BTreeMap::new()).is_ok());
        assert!(time.choose(&mut session, "o", "(take 3)").is_ok());
        assert_eq!((session.history.depth(), left(&session)), (2, vec![None, None]));
    }

    #[test]
    fn a_clock_stands_at_the_end_and_a_machine_thinks_within_its_own() {
        let (mut session, mut time) = timed();
        for (role, action) in [("o", 4), ("x", 2), ("o", 5), ("x", 3)] {
            assert!(time.choose(&mut session, role, &format!("(take {action})")).is_ok());
        }
        assert!(session.is_over());
        time.pass(&mut session, 500);
        assert_eq!((&session.trouble, session.clocks.soonest()), (&None, None));
        // A minute and ten seconds a move are nine and a half seconds for this one, and half of what is left at most.
        let role = session.game().roles().next().expect("a role");
        session.restart(None);
        assert_eq!(session.clocks.allowance(role), Duration::from_millis(9_500));
        assert!(session.time(&BTreeMap::from([("x".to_owned(), "0.1+30".to_owned())])).is_ok());
        assert_eq!(session.clocks.allowance(role), Duration::from_secs(3));
        assert!(session.seat("x", "best:seconds=20").is_ok());
        let thoughts = session.settle(&Budget::unlimited(), 1);
        assert_eq!(thoughts[0].time, Duration::from_secs(3));
        for (clocks, code) in [(("z", "1"), "no_role"), (("x", "soon"), "no_clock")] {
            let clocks = BTreeMap::from([(clocks.0.to_owned(), clocks.1.to_owned())]);
            assert!(matches!(session.time(&clocks), Err(problem) if problem.code == code));
        }
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

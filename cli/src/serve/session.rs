//! A game that is being played: in come moves, seats and ways through its history, out goes who has to think next.
//!
//! A session steps itself: chance and roles without a choice move at once, a joint move is made as soon as every role has
//! chosen, and what machines have to think about comes out as [`Thought`]s, which somebody else thinks. A thought that comes
//! back when the session is elsewhere counts nothing. Nothing here waits.

use super::{
    errors::{Answer, Problem},
    games::Opened,
    inside::Inside,
    seats::{Machine, Seat},
};
use crate::play::travel;
use gdl_runtime::{
    Belief, Board, Cancel, Dynamic, Game, History, Id, MoveId, Place, RoleId, Stream,
    player::{InformationOf, Player, Tried},
};
use std::{
    sync::{Arc, OnceLock},
    time::SystemTime,
};

/// No history is longer: a session is no heap.
const MOST_PLACES: usize = 5_000;

/// After so many steps without a choice play halts, should the game have no end.
const MOST_FORCED: usize = 1000;

/// A player that is to choose a move, and all it needs for that.
pub struct Thought {
    /// For whom.
    pub role: RoleId,
    /// Who thinks.
    pub player: Box<dyn Player<Dynamic>>,
    /// If it has not thought in this play yet.
    pub is_fresh: bool,
    /// How it is bounded.
    pub machine: Machine,
    /// What its role knows.
    pub information: InformationOf<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// Which state of the session it belongs to.
    pub epoch: u64,
    /// Pulled when nobody wants it any more.
    pub cancel: Cancel,
    /// If nobody but machines plays, so that people want to see it.
    pub is_shown: bool,
}

/// What is known of a search that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Random games so far.
    pub playouts: u64,
    /// States visited so far.
    pub nodes: u64,
    /// For so many seconds.
    pub seconds: f64,
}

/// What a search thinks of the moves of a role.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The role.
    pub role: RoleId,
    /// Which state of the session it belongs to.
    epoch: u64,
    /// What it has done so far.
    pub effort: Effort,
    /// The moves as far as they are known, the best first.
    pub moves: Vec<Tried>,
    /// If no more is to come.
    pub is_done: bool,
}

/// A question for advice, and all that is needed to answer it.
pub struct Question {
    /// What the role knows.
    pub information: InformationOf<Dynamic>,
    /// The game.
    pub game: Dynamic,
    /// Which state of the session it belongs to.
    pub epoch: u64,
    /// Pulled when nobody wants it any more.
    pub cancel: Cancel,
    /// What the search follows from.
    pub seed: u64,
}

/// How the moves of a game go on its board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// If some go from cell to cell.
    pub travels: bool,
    /// If some are of a column as a whole.
    pub drops: bool,
}

impl Motion {
    /// What the moves say that the game has.
    #[must_use]
    pub fn of<G: Game>(board: &Board, game: &G) -> Self {
        let spots = game.vocabulary().moves().iter().map(|action| board.spot(action));
        spots.fold(Self::default(), |motion, spot| Self {
            travels: motion.travels || spot.cells.len() > 1,
            drops: motion.drops || !spot.area.is_empty(),
        })
    }
}

/// How much somebody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eyes {
    /// Everything: nothing is hidden, only machines play, or the game is over.
    All,
    /// What a role may know.
    Of(RoleId),
    /// Nothing that is hidden from anybody: people share the screen, and nobody said who looks.
    Closed,
}

impl Eyes {
    /// If what the role does and may do is seen.
    #[must_use]
    pub fn see(self, role: RoleId) -> bool {
        match self {
            Self::All => true,
            Self::Of(own) => own == role,
            Self::Closed => false,
        }
    }
}

/// A game that is being played.
pub struct Session {
    /// What it is called.
    pub id: String,
    /// The game.
    pub opened: Opened,
    /// Where it is drawn.
    pub board: Option<Board>,
    /// Its net, once somebody has looked inside; none if it has no net.
    pub inside: Arc<OnceLock<Option<Inside>>>,
    /// How moves go on the board.
    pub motion: Motion,
    /// Where play has been.
    pub history: History<Dynamic>,
    /// Who plays the roles, in role order.
    pub seats: Vec<Seat>,
    /// Goes up whenever something that can be seen has changed.
    pub version: u64,
    /// If machines wait, since somebody looks at the past.
    pub is_paused: bool,
    /// What went wrong last, if play cannot go on.
    pub trouble: Option<String>,
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
    beliefs: Vec<Belief<Dynamic>>,
}

impl Session {
    /// A session at the start of a game or in another position. Machines do not move before [`Session::settle`].
    #[must_use]
    pub fn new(id: String, opened: Opened, history: History<Dynamic>, seats: Vec<Seat>, seed: u64) -> Self {
        let roles = opened.game.shape().roles;
        let board = Board::of(&opened.game).map(|board| board.hinted(&opened.text));
        let motion = board.as_ref().map(|board| Motion::of(board, &opened.game)).unwrap_or_default();
        Self {
            id,
            board,
            motion,
            inside: Arc::default(),
            history,
            seats,
            version: 1,
            is_paused: false,
            trouble: None,
            started: SystemTime::now(),
            seed,
            chosen: vec![None; roles],
            advice: None,
            efforts: vec![None; roles],
            epoch: 0,
            cancel: Cancel::default(),
            luck: Stream::new(seed, 0),
            beliefs: (0..roles).map(|_| Belief::new(seed)).collect(),
            opened,
        }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Dynamic {
        &self.opened.game
    }

    /// True if people play the role.
    #[must_use]
    pub fn is_person(&self, role: RoleId) -> bool {
        matches!(self.seats[role.index()], Seat::Person)
    }

    /// True if the role has chosen in this step.
    #[must_use]
    pub fn has_chosen(&self, role: RoleId) -> bool {
        self.chosen[role.index()].is_some()
    }

    /// What the search of a role has done so far, if it goes on.
    #[must_use]
    pub fn effort(&self, role: RoleId) -> Option<Effort> {
        self.efforts[role.index()]
    }

    /// The roles that must choose and have not.
    pub fn waiting(&self) -> impl Iterator<Item = RoleId> {
        let over = self.is_over();
        self.game().roles().filter(move |&role| !over && !self.has_chosen(role))
    }

    /// True if nothing follows here: the game is over, or a role has no legal move.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let game = self.game();
        let state = self.history.state();
        game.terminal(state) || game.roles().any(|role| game.legal(state, role).len() == 0)
    }

    /// If the rules hide something of the game from its roles.
    #[must_use]
    pub fn hides(&self) -> bool {
        self.game().vocabulary().has_percepts()
    }

    /// Through whose eyes the game is seen where somebody asks for those of a role, or of nobody.
    #[must_use]
    pub fn eyes(&self, asked: Option<RoleId>) -> Eyes {
        let people = self.people();
        if !self.hides() || people.is_empty() || self.game().terminal(self.history.state()) {
            return Eyes::All;
        }
        match (asked.filter(|role| people.contains(role)), &people[..]) {
            (Some(role), _) | (None, &[role]) => Eyes::Of(role),
            _ => Eyes::Closed,
        }
    }

    /// The fluents that a role can be sure of: those that hold in every state that fits what it knows.
    pub fn known(&mut self, role: RoleId) -> <Dynamic as Game>::State {
        let information = self.history.information(self.game(), role);
        let belief = &mut self.beliefs[role.index()];
        belief.follow(&self.opened.game, &information);
        let mut worlds = belief.worlds().iter().map(|(state, _)| state.clone());
        let Some(first) = worlds.next() else { return self.opened.game.empty() };
        worlds.fold(first, |mut common, state| {
            common.as_mut().iter_mut().zip(state.as_ref()).for_each(|(a, b)| *a &= b);
            common
        })
    }

    /// A person's move.
    ///
    /// # Errors
    /// If it is not theirs to make now; then nothing has changed.
    pub fn choose(&mut self, role: &str, action: &str, place: Option<usize>) -> Answer<()> {
        let game = &self.opened.game;
        if place.is_some_and(|place| place != self.history.place().index()) {
            return Err(Problem::conflict("stale", "the position is another one by now"));
        }
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        if game.terminal(self.history.state()) {
            return Err(Problem::conflict("over", "the game is over").help("restart it or take a move back"));
        }
        if !self.is_person(role) {
            let name = game.role_text(role);
            return Err(Problem::conflict("not_yours", format!("{name} is not played by a person")));
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
        self.is_paused = false;
        self.version += 1;
        Ok(())
    }

    /// What a machine came to in that epoch; too late it counts nothing. A move that is not legal is replaced by one that is,
    /// and so is that of a player that broke down, who is not there any more.
    pub fn conclude(
        &mut self,
        role: RoleId,
        epoch: u64,
        thinker: Option<Box<dyn Player<Dynamic>>>,
        action: Option<MoveId>,
    ) {
        if epoch != self.epoch {
            return;
        }
        let place = role.index();
        self.efforts[place] = None;
        if let Seat::Machine { player, .. } = &mut self.seats[place] {
            *player = thinker;
        }
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let action = action.filter(|&action| game.is_legal_in(&view, role, action));
        self.chosen[place] = action.or_else(|| game.draw_in(&view, role, &mut self.luck));
        self.version += 1;
    }

    /// What a search has done so far. False if nobody wants to know any more.
    pub fn follow(&mut self, role: RoleId, epoch: u64, effort: Effort) -> bool {
        if epoch != self.epoch {
            return false;
        }
        self.efforts[role.index()] = Some(effort);
        self.version += 1;
        true
    }

    /// Plays on as far as nobody needs to think, and tells who has to.
    pub fn settle(&mut self) -> Vec<Thought> {
        let mut forced = 0;
        loop {
            if self.is_over() || self.is_paused || self.trouble.is_some() {
                return Vec::new();
            }
            let had_choice = self.fill();
            let Some(joint) = self.chosen.iter().copied().collect::<Option<Vec<MoveId>>>() else {
                return self.thoughts();
            };
            forced = if had_choice { 0 } else { forced + 1 };
            if self.history.len() >= MOST_PLACES || forced > MOST_FORCED {
                self.trouble = Some("the game does not come to an end: restart it".to_owned());
                return Vec::new();
            }
            if let Err(error) = self.history.play(&self.opened.game, &joint) {
                self.trouble = Some(error.to_string());
                return Vec::new();
            }
            self.arrive();
        }
    }

    /// Chooses for chance and for those who have no choice. True if anybody else had one.
    fn fill(&mut self) -> bool {
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let counts: Vec<usize> = game.roles().map(|role| game.legal_in(&view, role).len()).collect();
        // Where nobody has a choice it is the turn of those who do something.
        let nobody = counts.iter().all(|&count| count < 2);
        let mut had_choice = false;
        for role in game.roles() {
            let place = role.index();
            if self.chosen[place].is_some() {
                had_choice |= counts[place] > 1;
                continue;
            }
            let only = game.legal_in(&view, role).next().filter(|_| counts[place] == 1);
            let acts = only.is_some_and(|action| !is_idle(game.move_text(action)));
            match &self.seats[place] {
                Seat::Chance => self.chosen[place] = game.draw_in(&view, role, &mut self.luck),
                Seat::Person if nobody && acts => had_choice = true,
                _ if only.is_some() => self.chosen[place] = only,
                _ => had_choice = true,
            }
        }
        had_choice
    }

    /// Those of the machines that have to think and do not yet.
    fn thoughts(&mut self) -> Vec<Thought> {
        let is_shown = self.people().is_empty();
        let mut thoughts = Vec::new();
        for role in self.opened.game.roles() {
            let place = role.index();
            if self.chosen[place].is_some() || self.efforts[place].is_some() {
                continue;
            }
            let Seat::Machine { machine, player } = &mut self.seats[place] else { continue };
            let (player, is_fresh) = match player.take() {
                Some(player) => (Some(player), false),
                None => (machine.build(self.luck.bits()), true),
            };
            let Some(player) = player else { continue };
            self.efforts[place] = Some(Effort::default());
            thoughts.push(Thought {
                role,
                player,
                is_fresh,
                machine: machine.clone(),
                information: self.history.information(&self.opened.game, role),
                game: self.opened.game.clone(),
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

    /// Somewhere else in the history. Machines wait there, unless a person has something to decide.
    fn land(&mut self) {
        self.arrive();
        self.is_paused = !travel::is_choice(self.game(), self.history.state(), &self.people());
    }

    /// Back to the last choice of a person, or by one step where no person plays.
    ///
    /// # Errors
    /// If there is nothing to take back.
    pub fn undo(&mut self) -> Answer<()> {
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.undo().is_some(),
            _ => travel::back(&self.opened.game, &mut self.history, &people),
        };
        if !moved {
            return Err(Problem::conflict("no_undo", "there is nothing to take back"));
        }
        self.land();
        Ok(())
    }

    /// Forth to the next choice of a person, or by one step where no person plays, along what was taken back.
    ///
    /// # Errors
    /// If there is nothing to make again.
    pub fn redo(&mut self) -> Answer<()> {
        let people = self.people();
        let moved = match people[..] {
            [] => self.history.redo().is_some(),
            _ => travel::forth(&self.opened.game, &mut self.history, &people),
        };
        if !moved {
            return Err(Problem::conflict("no_redo", "there is nothing to make again"));
        }
        self.land();
        Ok(())
    }

    /// To any place where play has been.
    ///
    /// # Errors
    /// If it has not been there.
    pub fn go(&mut self, place: usize) -> Answer<()> {
        let missing = || Problem::missing("no_place", format!("play has not been at place {place}"));
        let place: Place = self.history.places().nth(place).ok_or_else(missing)?;
        self.history.go(place);
        self.land();
        Ok(())
    }

    /// To a new play from the start of the game.
    pub fn restart(&mut self) {
        self.history = History::new(&self.opened.game);
        for seat in &mut self.seats {
            if let Seat::Machine { player, .. } = seat {
                *player = None;
            }
        }
        self.is_paused = false;
        self.arrive();
    }

    /// Lets machines wait, or go on.
    pub fn pause(&mut self, is_paused: bool) {
        let epoch = self.epoch;
        if is_paused {
            self.arrive();
        }
        self.is_paused = is_paused;
        self.version += u64::from(epoch == self.epoch);
    }

    /// Seats somebody else.
    ///
    /// # Errors
    /// If there is no such role, or it is chance's.
    pub fn seat(&mut self, role: &str, text: &str) -> Answer<()> {
        let game = &self.opened.game;
        let role = game.parse_role(role).map_err(|error| Problem::unfit("no_role", error.to_string()))?;
        let seat = Seat::parse(game, role, text)?;
        // What the others thought or chose stays.
        self.seats[role.index()] = seat;
        let chosen = std::mem::take(&mut self.chosen);
        self.arrive();
        self.chosen = chosen;
        self.chosen[role.index()] = None;
        Ok(())
    }

    /// What is advised to a person who is to choose, and the question if nobody was asked yet.
    ///
    /// # Errors
    /// If no person is to choose, or not this one.
    pub fn advise(&mut self, asked: Option<RoleId>) -> Answer<(Advice, Option<Question>)> {
        let nobody = || Problem::conflict("no_advice", "nobody is to choose who could be advised");
        // What a role is advised says something of what it knows.
        let eyes = self.eyes(asked);
        let is_due = |role: &RoleId| {
            self.is_person(*role) && eyes.see(*role) && asked.is_none_or(|asked| asked == *role)
        };
        let role = self.waiting().find(is_due).ok_or_else(nobody)?;
        if let Some(known) =
            self.advice.as_ref().filter(|known| known.role == role && known.epoch == self.epoch)
        {
            return Ok((known.clone(), None));
        }
        let advice =
            Advice { role, epoch: self.epoch, effort: Effort::default(), moves: Vec::new(), is_done: false };
        self.advice = Some(advice.clone());
        let question = Question {
            information: self.history.information(self.game(), role),
            game: self.opened.game.clone(),
            epoch: self.epoch,
            cancel: self.cancel.clone(),
            seed: self.seed,
        };
        Ok((advice, Some(question)))
    }

    /// What a search has found so far. False if nobody wants to know any more.
    pub fn learn(
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

    /// Ends all thinking.
    pub fn close(&mut self) {
        self.arrive();
    }
}

/// If a move's name says that nothing is done.
#[must_use]
pub fn is_idle(action: &str) -> bool {
    const NAMES: [&str; 9] = ["noop", "no_op", "no-op", "nop", "nil", "none", "nothing", "wait", "idle"];
    let head = action.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(head))
}

//! The view of a session for the page: data for one viewer, who may have only the knowledge of a
//! single role.
//!
//! Building a view evaluates the current state. It also evaluates the state before each listed
//! step, unless an earlier view did. If the budget ends first, there is no view. The names of
//! fluents take at most one [`Room`]. So do the names of moves, of past steps, of later steps and
//! of abandoned lines, each by itself. Omitted items are counted, except for steps of abandoned
//! lines. Omitted moves can still be made, and omitted places can still be visited. The rulesheet
//! bounds the rest, and the number of cells bounds a board. A match, and the test made from one,
//! take at most `MOST_SAVED` bytes each. Illegal moves are listed on request, at most
//! `MOST_ILLEGAL`.

use crate::{
    clocks::Clock,
    problem::{Answer, Problem},
    seats::Seat,
    session::{Session, Viewer, Visibility, is_idle},
    thought::{Advice, Effort},
};
use gdl_players::{Budget, record::Record};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    dynamic::{MoveId, RoleId},
    game::Id,
    history::Place,
    kif::bare,
};
use gdl_tools::{
    play::outcome::Outcome,
    plays,
    scene::{BoardView, GroupView, Room},
};
use indexmap::IndexMap;
use serde::Serialize;
use std::{collections::BTreeSet, time::UNIX_EPOCH};

/// The most bytes that the states of a saved match may take.
const MOST_SAVED: usize = 8 << 20;
/// The greatest number of illegal moves in a list.
const MOST_ILLEGAL: usize = 200;
/// The most steps of abandoned lines in a view.
const MOST_BRANCHES: usize = 500;
/// The most characters of a role's percepts in a view.
const MOST_PERCEIVED: usize = 10_000;

/// A session as one viewer sees it.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "they are what the page asks about")]
pub(crate) struct View {
    /// The id of the session.
    pub id: String,
    /// A number that grows whenever the view changes.
    pub version: u64,
    /// The game.
    pub game: GameView,
    /// The role whose knowledge limits the view; `None` if all hidden information is visible, or
    /// none.
    pub seat: Option<String>,
    /// The role of the guest who asks; `None` for a person at the page.
    pub guest: Option<String>,
    /// True if people share the screen, the rules hide something, and the request names no role.
    pub closed: bool,
    /// The board, if the game has one.
    pub board: Option<BoardView>,
    /// The fluents that hold and are not on the board, by relation.
    pub fluents: Vec<GroupView>,
    /// The last percepts of the viewer's role, if the rules hide something.
    pub perceived: Option<String>,
    /// The roles that have not chosen their move of this step.
    pub turn: Vec<String>,
    /// The legal moves of the roles in `turn` that the viewer plays.
    pub legal: Vec<LegalView>,
    /// The roles with several legal moves that have chosen while others have not. Their moves are
    /// hidden.
    pub chosen: Vec<String>,
    /// True if the game is over.
    pub terminal: bool,
    /// The goal of each role at the end.
    pub goals: Option<Vec<Option<u8>>>,
    /// The status of the game, in words.
    pub status: String,
    /// The index of the current position in the history.
    pub place: usize,
    /// The steps from the start to the current place.
    pub line: Vec<StepView>,
    /// The steps that `redo` makes again, the next one first.
    pub ahead: Vec<StepView>,
    /// The steps of abandoned lines, in the order in which they were made.
    pub branches: Vec<BranchView>,
    /// True if a step can be taken back.
    pub can_undo: bool,
    /// True if a step can be made again.
    pub can_redo: bool,
    /// True if machines wait because play is paused.
    pub paused: bool,
    /// The seed of chance. `None` while it would reveal hidden information, or future chance to
    /// guests.
    pub seed: Option<u64>,
    /// True if play went on from a place before the end after hidden information was seen there.
    pub revealed: bool,
    /// The roles whose machines are thinking, with their work so far.
    pub thinking: Vec<EffortView>,
    /// The last error, if play cannot go on.
    pub trouble: Option<String>,
    /// The numbers of items left out of the lists above.
    pub left_out: LeftOut,
}

/// The numbers of items that were left out for lack of room.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct LeftOut {
    /// The number of fluents that hold and are left out.
    pub fluents: usize,
    /// The number of legal moves left out.
    pub moves: usize,
    /// The number of steps left out: the first ones of the line, and the last ones that were taken
    /// back.
    pub steps: usize,
}

/// The game of a session.
#[derive(Debug, Serialize)]
pub(crate) struct GameView {
    /// The name of the game.
    pub name: String,
    /// True if its rulesheet was uploaded.
    pub own: bool,
    /// `table`, or `lifted` if the rules are interpreted in each state.
    pub engine: String,
    /// True if the rules hide something from the roles.
    pub hides: bool,
    /// The roles, in role order.
    pub roles: Vec<RoleView>,
}

/// A saved match that can be continued: its record, as `gdl match` writes it, and the settings to
/// open it again.
#[derive(Debug, Serialize)]
pub(crate) struct Saved {
    /// The game, if `gdl serve` knows it by name.
    pub game: Option<String>,
    /// The name of the rulesheet.
    pub name: String,
    /// The rulesheet; `None` if the game is known by name.
    pub rulesheet: Option<String>,
    /// The players of the roles.
    pub seats: IndexMap<String, String>,
    /// The remaining times, for roles with clocks.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub clocks: IndexMap<String, String>,
    /// The record of the match.
    #[serde(flatten)]
    pub record: Record,
}

impl Saved {
    /// Saves the line of a session from the start to its current place.
    ///
    /// # Errors
    /// Returns an error if the states take more than `MOST_SAVED` bytes, or if the rules hide moves
    /// from a guest.
    pub(crate) fn of(session: &Session) -> Answer<Self> {
        let game = session.game();
        if session.has_guests() && session.eyes(Viewer::Here(None)) != Visibility::All {
            let hidden = Problem::conflict(
                "hidden",
                "a match has the moves of all roles, and the rules hide some of them from guests",
            );
            return Err(hidden.help("ask again at the end of the game"));
        }
        let mut room = MOST_SAVED;
        for state in session.history.path().into_iter().filter_map(|place| session.history.state_at(place)) {
            let large =
                || Problem::too_large(format!("a match of more than {} MiB is not saved", MOST_SAVED >> 20));
            room = room.checked_sub(game.state_text(state).len()).ok_or_else(large)?;
        }
        let opened = &session.opened;
        let is_known = opened.is_known;
        let milliseconds = session.started.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
        // A link opens no seat in another session, so a guest is saved as a person.
        let seat = |seat: &Seat| match seat {
            Seat::Guest { .. } => Seat::PERSON.to_owned(),
            _ => seat.to_string(),
        };
        let seats = || session.seats.iter().map(seat);
        let roles = game.roles().map(|role| game.role_text(role).to_owned());
        Ok(Self {
            game: is_known.then(|| opened.name.clone()),
            name: opened.name.clone(),
            rulesheet: (!is_known).then(|| opened.text.to_string()),
            seats: roles.zip(seats()).collect(),
            clocks: game
                .roles()
                .filter_map(|role| {
                    Some((game.role_text(role).to_owned(), session.clocks.of(role)?.to_string()))
                })
                .collect(),
            record: Record {
                match_id: format!("{}.{milliseconds}", opened.name),
                start_time: u64::try_from(milliseconds).unwrap_or_default(),
                player_names_from_host: seats().collect(),
                is_player_human: game.roles().map(|role| session.is_person(role)).collect(),
                ..Record::of(game, &session.history)
            },
        })
    }
}

/// A test for `gdl test`, recorded from a play.
#[derive(Debug, Serialize)]
pub(crate) struct Recorded {
    /// The name of the rulesheet.
    pub name: String,
    /// The test, in KIF.
    pub test: String,
}

impl Recorded {
    /// Records the line of a session up to its current place.
    ///
    /// # Errors
    /// Returns an error if the test is too long, or some moves are hidden from `looker`.
    pub(crate) fn of(session: &Session, looker: Viewer) -> Answer<Self> {
        if session.eyes(looker) != Visibility::All {
            let hidden = Problem::conflict(
                "hidden",
                "a test has the moves of all roles, and the rules hide some of them",
            );
            return Err(hidden.help("ask again at the end of the game"));
        }
        let large =
            || Problem::too_large(format!("a test of more than {} MiB is not written", MOST_SAVED >> 20));
        let test = plays::recorded(session.game(), &session.history, MOST_SAVED).ok_or_else(large)?;
        Ok(Self { name: session.opened.name.clone(), test })
    }
}

/// The illegal moves of a role at a place, and the fluents of a cell: atoms whose reason can be
/// requested.
#[derive(Debug, Serialize)]
pub(crate) struct IllegalView {
    /// The index of the place in the history.
    pub place: usize,
    /// The role.
    pub role: String,
    /// The illegal moves.
    pub moves: Vec<String>,
    /// The number of illegal moves left out.
    pub left_out: usize,
    /// The fluents that surely hold in the cell, as far as the viewer knows.
    pub fluents: Vec<String>,
}

impl IllegalView {
    /// Lists the illegal moves whose text contains `find`, ignoring case, and that mention `cell`
    /// if one is given. The role is `whose`, otherwise a waiting role of the viewer, otherwise any
    /// visible role.
    ///
    /// # Errors
    /// Returns an error if the role's legal moves are hidden from `looker`, or the budget ends
    /// first.
    pub(crate) fn of(
        session: &mut Session,
        looker: Viewer,
        whose: Option<RoleId>,
        find: &str,
        cell: Option<usize>,
        budget: &Budget,
    ) -> Answer<Self> {
        let eyes = session.eyes(looker);
        let sure = match eyes {
            Visibility::All => session.history.state().clone(),
            Visibility::Of(role) => session.sure(role, budget).ok_or_else(Problem::late)?.0,
            Visibility::Closed => session.game().new_state(),
        };
        let session = &*session;
        let game = session.game();
        let due = session.waiting().find(|&role| session.plays(looker, role) && eyes.see(role));
        let role = whose.or(due).or_else(|| game.roles().find(|&role| eyes.see(role)));
        let hidden = || Problem::conflict("hidden", "the legal moves of others are hidden until the end");
        let role = role.filter(|&role| eyes.see(role)).ok_or_else(hidden)?;
        let view = game.view(session.history.state());
        let board = session.stage.board.as_ref();
        let find = find.to_lowercase();
        let names = game.vocabulary();
        let speaks = |text: &str| {
            let spot = || board.map(|board| board.spot(text)).unwrap_or_default();
            text.to_lowercase().contains(&find)
                && cell.is_none_or(|cell| {
                    let spot = spot();
                    spot.cells.contains(&cell) || spot.area.contains(&cell)
                })
        };
        let all = names.moves_of(role.index()).iter().map(|&action| MoveId::from_index(action as usize));
        let illegal = all.filter(|&action| !game.is_legal_in(&view, role, action));
        let found: Vec<&str> =
            illegal.map(|action| game.move_text(action)).filter(|text| speaks(text)).collect();
        let mut room = Room::default();
        let moves: Vec<String> = (found.iter().take(MOST_ILLEGAL))
            .take_while(|text| room.takes(text.len()))
            .map(|&text| text.to_owned())
            .collect();
        let stands =
            |fluent: usize| board.and_then(|board| board.place(fluent)).map(|(cell, _)| cell) == cell;
        let fluents = game.fluents(&sure).filter(|fluent| cell.is_some() && stands(fluent.index()));
        let mut room = Room::default();
        let fluents = (fluents.map(|fluent| game.fluent_text(fluent)))
            .take_while(|text| room.takes(text.len()))
            .map(str::to_owned)
            .collect();
        Ok(Self {
            place: session.history.place().index(),
            role: game.role_text(role).to_owned(),
            left_out: found.len() - moves.len(),
            moves,
            fluents,
        })
    }
}

/// A role and its player.
#[derive(Debug, Serialize)]
pub(crate) struct RoleView {
    /// The name of the role.
    pub name: String,
    /// `person`, `guest`, `chance` or a player's name with options.
    pub seat: String,
    /// True if the seat is for a guest who has not opened the link yet.
    pub absent: bool,
    /// The remaining time; `None` if the role has no clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockView>,
}

/// The clock of a role.
#[derive(Debug, Serialize)]
pub(crate) struct ClockView {
    /// The remaining time, in seconds.
    pub left: f64,
    /// True if the clock is running.
    pub runs: bool,
    /// The text of a clock with the remaining time: minutes, and the seconds that a move adds.
    pub text: String,
}

impl ClockView {
    fn of(clock: &Clock) -> Self {
        Self { left: clock.left().as_secs_f64(), runs: clock.runs(), text: clock.to_string() }
    }
}

/// The legal moves of a role.
#[derive(Debug, Serialize)]
pub(crate) struct LegalView {
    /// The role.
    pub role: String,
    /// The moves.
    pub moves: Vec<MoveView>,
}

/// A move.
#[derive(Debug, Serialize)]
pub(crate) struct MoveView {
    /// The move as KIF text.
    #[serde(rename = "move")]
    pub action: String,
    /// The cells that the move mentions, in that order.
    pub cells: Vec<usize>,
    /// The cells of the column or row that the move mentions.
    pub area: Vec<usize>,
}

/// A joint move of the history.
#[derive(Debug, Serialize)]
pub(crate) struct StepView {
    /// The index of the place after the move.
    pub place: usize,
    /// The number of steps from the start to that place.
    pub step: usize,
    /// The move of each role, in role order; null if it is hidden.
    pub joint: Vec<Option<String>>,
    /// The moves in words, without idle moves of roles that had no choice.
    pub text: String,
    /// The cells that these moves mention.
    pub cells: Vec<usize>,
}

/// A step of an abandoned line.
#[derive(Debug, Serialize)]
pub(crate) struct BranchView {
    /// The index of the place before the step.
    pub parent: usize,
    /// The index of the place after the step.
    pub place: usize,
    /// The moves in words, without idle moves of roles that had no choice.
    pub text: String,
}

/// The work of a role's search so far.
#[derive(Debug, Serialize)]
pub(crate) struct EffortView {
    /// The role that thinks.
    pub role: String,
    /// The number of random games.
    pub playouts: u64,
    /// The number of visited states.
    pub nodes: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// The number of random games a second.
    pub playouts_per_second: f64,
}

impl View {
    /// Builds the view of a session for a person.
    ///
    /// # Errors
    /// Returns an error if the budget ends first. The results so far are kept, so a second request
    /// has less to compute.
    pub(crate) fn of(session: &mut Session, looker: Viewer, budget: &Budget) -> Answer<Self> {
        let eyes = session.eyes(looker);
        let (state, perceived) = match eyes {
            Visibility::All => (session.history.state().clone(), None),
            Visibility::Of(role) => session.sure(role, budget).ok_or_else(Problem::late)?,
            Visibility::Closed => (session.game().new_state(), None),
        };
        let path: Vec<Place> = session.history.path().into_iter().skip(1).collect();
        let onward = session.history.ahead();
        let [line, ahead] = told(session, &path, &onward);
        let elsewhere = elsewhere(session, &path, &onward);
        let before =
            line.iter().chain(&ahead).chain(&elsewhere).filter_map(|&place| session.history.parent(place));
        let before: Vec<Place> = before.collect();
        session.find_choosers(before.into_iter(), budget).ok_or_else(Problem::late)?;
        let session = &*session;
        let game = session.game();
        let name = |role: RoleId| game.role_text(role).to_owned();
        let scene = session.stage.scene(game, &state);
        let here = session.history.state();
        let view = game.view(here);
        let terminal = game.is_terminal_in(&view);
        let waiting: Vec<RoleId> = session.waiting().collect();
        let steps = |places: &[Place]| places.iter().map(|&place| step(session, place, eyes)).collect();
        let sees = |role: &&RoleId| session.plays(looker, **role) && eyes.see(**role);
        let (mut room, mut moves_left) = (Room::default(), 0);
        let legal: Vec<LegalView> = (waiting.iter().filter(sees))
            .map(|&role| {
                let moves: Vec<MoveView> = (game.legal_moves_in(&view, role))
                    .take_while(|&action| room.takes(game.move_text(action).len()))
                    .map(|action| move_view(session, action))
                    .collect();
                moves_left += game.legal_moves_in(&view, role).len() - moves.len();
                LegalView { role: name(role), moves }
            })
            .collect();
        let chosen = game.roles().filter(|&role| session.has_chosen(role) && !waiting.is_empty());
        let chosen = chosen.filter(|&role| game.legal_moves_in(&view, role).len() > 1);
        Ok(Self {
            id: session.id.clone(),
            version: session.version,
            game: GameView {
                name: session.opened.name.clone(),
                own: !session.opened.is_known,
                engine: game.engine().to_owned(),
                hides: session.hides(),
                roles: game
                    .roles()
                    .zip(&session.seats)
                    .map(|(role, seat)| RoleView {
                        name: name(role),
                        seat: seat.to_string(),
                        absent: matches!(seat, Seat::Guest { has_come: false, .. }),
                        clock: session.clocks.of(role).map(ClockView::of),
                    })
                    .collect(),
            },
            seat: if let Visibility::Of(role) = eyes { Some(name(role)) } else { None },
            guest: if let Viewer::Guest(role) = looker { Some(name(role)) } else { None },
            closed: eyes == Visibility::Closed,
            board: scene.board,
            fluents: scene.fluents,
            perceived: perceived.map(|text| shortened(&text)),
            legal,
            chosen: chosen.map(name).collect(),
            terminal,
            goals: terminal.then(|| game.roles().map(|role| game.goal_in(&view, role)).collect()),
            status: status(session, &view, &waiting),
            place: session.history.place().index(),
            can_undo: !path.is_empty(),
            can_redo: !onward.is_empty(),
            line: steps(&line),
            ahead: steps(&ahead),
            branches: elsewhere.iter().map(|&place| branch(session, place, eyes)).collect(),
            paused: session.is_paused,
            seed: (eyes == Visibility::All && (terminal || !session.has_guests())).then_some(session.seed),
            revealed: session.was_revealed,
            thinking: waiting
                .iter()
                .filter_map(|&role| session.effort(role).map(|effort| EffortView::new(session, role, effort)))
                .collect(),
            turn: waiting.into_iter().map(name).collect(),
            trouble: session.trouble.clone(),
            left_out: LeftOut {
                fluents: scene.left_out,
                moves: moves_left,
                steps: path.len() + onward.len() - line.len() - ahead.len(),
            },
        })
    }
}

/// Returns the places of `line` and `ahead` that fit in a view, those nearest to the current place.
fn told(session: &Session, line: &[Place], ahead: &[Place]) -> [Vec<Place>; 2] {
    let game = session.game();
    let joint = |place: &Place| session.history.joint(*place).unwrap_or_default().iter();
    // The text of a move occurs twice: by itself and in the words for the step.
    let bytes =
        |place: &Place| joint(place).map(|&action| 2 * game.move_text(action).len() + 16).sum::<usize>();
    let mut room = Room::default();
    let mut line: Vec<Place> =
        line.iter().rev().take_while(|place| room.takes(256 + bytes(place))).copied().collect();
    line.reverse();
    let mut room = Room::default();
    [line, ahead.iter().take_while(|place| room.takes(256 + bytes(place))).copied().collect()]
}

/// Returns the places on neither `line` nor `ahead` that fit in a view: the last ones, in the order
/// in which play reached them.
fn elsewhere(session: &Session, line: &[Place], ahead: &[Place]) -> Vec<Place> {
    let game = session.game();
    let told: BTreeSet<usize> = line.iter().chain(ahead).map(|place| place.index()).collect();
    let others: Vec<Place> =
        session.history.places().skip(1).filter(|place| !told.contains(&place.index())).collect();
    let joint = |place: Place| session.history.joint(place).unwrap_or_default().iter();
    let mut room = Room::default();
    let fits = |&place: &Place| {
        room.takes(64 + joint(place).map(|&action| game.move_text(action).len()).sum::<usize>())
    };
    let mut others: Vec<Place> = others.into_iter().rev().take(MOST_BRANCHES).take_while(fits).collect();
    others.reverse();
    others
}

/// Returns a step of an abandoned line, without moves that are hidden from `eyes`.
fn branch(session: &Session, place: Place, eyes: Visibility) -> BranchView {
    let parent = session.history.parent(place).map_or(0, Place::index);
    BranchView { parent, place: place.index(), text: step(session, place, eyes).text }
}

/// Truncates a text to `MOST_PERCEIVED` characters, and adds "…" if it is longer.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_PERCEIVED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl EffortView {
    fn new(session: &Session, role: RoleId, effort: Effort) -> Self {
        let rate = if effort.seconds > 0.0 { effort.playouts as f64 / effort.seconds } else { 0.0 };
        Self {
            role: session.game().role_text(role).to_owned(),
            playouts: effort.playouts,
            nodes: effort.nodes,
            seconds: effort.seconds,
            playouts_per_second: rate,
        }
    }
}

/// A search's statistics of a role's moves.
#[derive(Debug, Serialize)]
pub(crate) struct AdviceView {
    /// The index of the place that the advice is about.
    pub place: usize,
    /// The work of the search so far, and its role.
    pub effort: EffortView,
    /// True if the advice is final.
    pub done: bool,
    /// The moves tried so far, the best first.
    pub moves: Vec<EstimateView>,
}

/// A search's estimate of a move.
#[derive(Debug, Serialize)]
pub(crate) struct EstimateView {
    /// The move as KIF text.
    #[serde(rename = "move")]
    pub action: String,
    /// The expected goal, 0 to 100.
    pub value: f64,
    /// The number of times that the move was tried.
    pub visits: u64,
}

impl AdviceView {
    /// Builds the view of some advice.
    #[must_use]
    pub(crate) fn of(session: &Session, advice: &Advice) -> Self {
        let tried = advice.moves.iter();
        Self {
            place: session.history.place().index(),
            effort: EffortView::new(session, advice.role, advice.effort),
            done: advice.is_done,
            moves: tried
                .map(|tried| EstimateView {
                    action: tried.action.clone(),
                    value: tried.value,
                    visits: tried.visits,
                })
                .collect(),
        }
    }
}

fn move_view(session: &Session, action: MoveId) -> MoveView {
    let text = session.game().move_text(action);
    let spot = session.stage.board.as_ref().map(|board| board.spot(text)).unwrap_or_default();
    MoveView { action: text.to_owned(), cells: spot.cells, area: spot.area }
}

/// Returns the cells that the moves of a step mention.
fn touched(session: &Session, place: Place, moves: impl Iterator<Item = MoveId>) -> Vec<usize> {
    let (game, history) = (session.game(), &session.history);
    let changed = || {
        let before = history.parent(place).and_then(|parent| history.state_at(parent));
        let board = session.stage.board.as_ref()?;
        Some((board.cells_of(game, before?), board.cells_of(game, history.state_at(place)?)))
    };
    session.stage.touched(moves.map(|action| game.move_text(action)), changed)
}

/// Returns a step of the history, without moves that are hidden from `eyes`.
fn step(session: &Session, place: Place, eyes: Visibility) -> StepView {
    let game: &Dynamic = session.game();
    let history = &session.history;
    let joint = history.joint(place).unwrap_or_default();
    let seen = |role: RoleId| eyes.see(role);
    let has_choice = |role| history.parent(place).is_some_and(|parent| session.has_choice(parent, role));
    let acts = |role, action| has_choice(role) || !is_idle(game.move_text(action));
    let moves = game.roles().zip(joint.iter().copied()).filter(|&(role, _)| seen(role));
    let shown: Vec<(RoleId, MoveId)> = moves.filter(|&(role, action)| acts(role, action)).collect();
    StepView {
        place: place.index(),
        step: history.depth_at(place),
        joint: game
            .roles()
            .zip(joint)
            .map(|(role, &action)| seen(role).then(|| game.move_text(action).to_owned()))
            .collect(),
        text: shown
            .iter()
            .map(|&(role, action)| format!("{} {}", game.role_text(role), bare(game.move_text(action))))
            .collect::<Vec<_>>()
            .join(", "),
        cells: touched(session, place, shown.iter().map(|&(_, action)| action)),
    }
}

/// Returns the status of a game, in words.
fn status(session: &Session, view: &<Dynamic as Game>::View, waiting: &[RoleId]) -> String {
    let game = session.game();
    if game.is_terminal_in(view) {
        return Outcome::of(game, session.history.state()).headline();
    }
    if let Some(trouble) = &session.trouble {
        return trouble.clone();
    }
    if let Some(stuck) = game.roles().find(|&role| game.legal_moves_in(view, role).len() == 0) {
        return format!("{} has no legal move: the rules have an error", game.role_text(stuck));
    }
    // If some role has a choice, roles with only one legal move are not named, even while play is
    // halted before that move is made.
    let has_choice = |role: &&RoleId| game.legal_moves_in(view, **role).len() > 1;
    let choosing: Vec<&RoleId> = waiting.iter().filter(has_choice).collect();
    let names = if choosing.is_empty() { waiting.iter().collect() } else { choosing };
    match names[..] {
        [] => String::new(),
        [only] => format!("{}'s turn", game.role_text(*only)),
        _ => {
            let names: Vec<&str> = names.iter().map(|&&role| game.role_text(role)).collect();
            let (last, first) = names.split_last().unwrap_or((&"", &[]));
            format!("{} and {last} choose", first.join(", "))
        }
    }
}

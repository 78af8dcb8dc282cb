//! What the page is told of a session: in comes a session and through whose eyes it is seen, out goes data for serde.

use super::session::Session;
use crate::play::view::Outcome;
use gdl_runtime::{
    Dynamic, Game, Id, MoveId, Place, RoleId,
    board::{Cell, grouped},
};
use serde::Serialize;

/// A session, as somebody sees it.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "they are what the page asks about")]
pub struct View {
    /// What the session is called.
    pub id: String,
    /// Goes up whenever the view changes.
    pub version: u64,
    /// What is played.
    pub game: GameView,
    /// The role through whose eyes it is seen, where the rules hide something.
    pub seat: Option<String>,
    /// The grid, if the game has one.
    pub board: Option<BoardView>,
    /// What else holds.
    pub fluents: Vec<GroupView>,
    /// What the role that looks perceived last, where the rules hide something.
    pub perceived: Option<String>,
    /// The roles that must choose and have not.
    pub turn: Vec<String>,
    /// What the people among them may do.
    pub legal: Vec<LegalView>,
    /// The roles that have chosen while others have not. What they chose is not told.
    pub chosen: Vec<String>,
    /// If the game is over.
    pub terminal: bool,
    /// The goal of each role at the end.
    pub goals: Option<Vec<Option<u8>>>,
    /// Where the game stands, in words.
    pub status: String,
    /// Where play is.
    pub place: usize,
    /// The steps that led here.
    pub line: Vec<StepView>,
    /// The steps that were taken back, the next one first.
    pub ahead: Vec<StepView>,
    /// If there is something to take back.
    pub can_undo: bool,
    /// If there is something to make again.
    pub can_redo: bool,
    /// If machines wait to be told to go on.
    pub paused: bool,
    /// Who is thinking.
    pub thinking: Vec<EffortView>,
    /// Why play cannot go on, if it cannot.
    pub trouble: Option<String>,
}

/// What is played.
#[derive(Debug, Serialize)]
pub struct GameView {
    /// What it is called.
    pub name: String,
    /// If it came with a rulesheet of its own.
    pub own: bool,
    /// `table`, or `lifted` if it is evaluated state by state.
    pub engine: String,
    /// If the rules hide something from the roles.
    pub hides: bool,
    /// The roles, in role order.
    pub roles: Vec<RoleView>,
}

/// A role and who plays it.
#[derive(Debug, Serialize)]
pub struct RoleView {
    /// What it is called.
    pub name: String,
    /// `person`, `chance` or a player's name with options.
    pub seat: String,
}

/// A grid, or several of one size.
#[derive(Clone, Debug, Serialize)]
pub struct BoardView {
    /// The relation that is drawn.
    pub relation: String,
    /// The names of the grids; one without a name, unless there are several.
    pub grids: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The columns and the rows after which there is a gap.
    pub breaks: [Vec<usize>; 2],
    /// What can be in a cell.
    pub marks: Vec<MarkView>,
    /// What is in each cell, grid by grid, row by row: positions of marks. Null where there is no cell.
    pub cells: Vec<Option<Vec<usize>>>,
}

/// What can be in a cell.
#[derive(Clone, Debug, Serialize)]
pub struct MarkView {
    /// What it is called.
    pub text: String,
    /// One to three characters for it.
    pub symbol: String,
    /// The same for marks that belong together.
    pub family: usize,
    /// If it stands for nothing.
    pub blank: bool,
}

/// The fluents of a relation.
#[derive(Debug, Serialize)]
pub struct GroupView {
    /// What it is called.
    pub relation: String,
    /// The arguments of each; none if it takes none.
    pub values: Vec<String>,
}

/// What a role may do.
#[derive(Debug, Serialize)]
pub struct LegalView {
    /// Which role.
    pub role: String,
    /// The moves.
    pub moves: Vec<MoveView>,
}

/// A move.
#[derive(Debug, Serialize)]
pub struct MoveView {
    /// Its text.
    #[serde(rename = "move")]
    pub action: String,
    /// The cells that it speaks of, in the order in which it does.
    pub cells: Vec<usize>,
    /// The column or row that it speaks of, as cells.
    pub area: Vec<usize>,
}

/// A joint move.
#[derive(Debug, Serialize)]
pub struct StepView {
    /// The place that it led to.
    pub place: usize,
    /// How many steps there are from the start to there.
    pub step: usize,
    /// What each role did, in role order; null where that is hidden.
    pub joint: Vec<Option<String>>,
    /// The moves that matter, in words.
    pub text: String,
    /// The cells that they speak of.
    pub cells: Vec<usize>,
}

/// What a search has done so far.
#[derive(Debug, Serialize)]
pub struct EffortView {
    /// For which role.
    pub role: String,
    /// Random games.
    pub playouts: u64,
    /// States visited.
    pub nodes: u64,
    /// For so many seconds.
    pub seconds: f64,
    /// Random games a second.
    pub playouts_per_second: f64,
}

impl View {
    /// What is seen of a session through the eyes of the role that was asked for, if the rules hide something.
    pub fn of(session: &mut Session, asked: Option<RoleId>) -> Self {
        let eyes = session.eyes(asked);
        let state = match eyes {
            Some(role) => session.known(role),
            None => session.history.state().clone(),
        };
        let session = &*session;
        let game = session.game();
        let name = |role: RoleId| game.role_text(role).to_owned();
        let held = || game.fluents(&state).map(Id::index);
        let (board, others): (Option<BoardView>, Vec<usize>) = match &session.board {
            Some(board) => (Some(BoardView::of(board, &board.cells(held()))), board.others(held()).collect()),
            None => (None, held().collect()),
        };
        let names = game.vocabulary().fluents();
        let groups = grouped(others.into_iter().filter_map(|fluent| names.get(fluent)));
        let groups =
            groups.into_iter().map(|(relation, values)| GroupView { relation: relation.to_owned(), values });
        let here = session.history.state();
        let terminal = game.terminal(here);
        let waiting: Vec<RoleId> = session.waiting().collect();
        let line: Vec<Place> = session.history.path().into_iter().skip(1).collect();
        let ahead = session.history.ahead();
        let steps = |places: &[Place]| places.iter().map(|&place| step(session, place, eyes)).collect();
        let sees = |role: &&RoleId| session.is_person(**role) && eyes.is_none_or(|eyes| eyes == **role);
        let legal = waiting.iter().filter(sees).map(|&role| LegalView {
            role: name(role),
            moves: game.legal(here, role).map(|action| move_view(session, action)).collect(),
        });
        let chosen = game.roles().filter(|&role| session.has_chosen(role) && !waiting.is_empty());
        let chosen = chosen.filter(|&role| game.legal(here, role).len() > 1);
        Self {
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
                    .map(|(role, seat)| RoleView { name: name(role), seat: seat.to_string() })
                    .collect(),
            },
            seat: eyes.map(name),
            board,
            fluents: groups.collect(),
            perceived: eyes.and_then(|role| {
                let information = session.history.information(game, role);
                information.steps().last().map(|(_, perception)| game.perception_text(perception))
            }),
            legal: legal.collect(),
            chosen: chosen.map(name).collect(),
            terminal,
            goals: terminal.then(|| game.roles().map(|role| game.goal(here, role)).collect()),
            status: status(session, &waiting),
            place: session.history.place().index(),
            can_undo: !line.is_empty(),
            can_redo: !ahead.is_empty(),
            line: steps(&line),
            ahead: steps(&ahead),
            paused: session.is_paused,
            thinking: waiting.iter().filter_map(|&role| EffortView::of(session, role)).collect(),
            turn: waiting.into_iter().map(name).collect(),
            trouble: session.trouble.clone(),
        }
    }
}

impl BoardView {
    /// The grid with these cells.
    #[must_use]
    pub fn of(board: &gdl_runtime::Board, cells: &[Cell]) -> Self {
        let marks = board.marks().iter().enumerate();
        let cell = |cell: &Cell| match cell {
            Cell::None => None,
            Cell::Blank => Some(Vec::new()),
            Cell::Marked(marks) => Some(marks.clone()),
        };
        Self {
            relation: board.relation().to_owned(),
            grids: board.grids().to_vec(),
            columns: board.columns().to_vec(),
            rows: board.rows().to_vec(),
            breaks: board.breaks().clone(),
            marks: marks
                .map(|(place, mark)| MarkView {
                    text: mark.text.clone(),
                    symbol: mark.symbol.clone(),
                    family: mark.family,
                    blank: board.blank() == Some(place),
                })
                .collect(),
            cells: cells.iter().map(cell).collect(),
        }
    }
}

impl EffortView {
    fn of(session: &Session, role: RoleId) -> Option<Self> {
        let effort = session.effort(role)?;
        let rate = if effort.seconds > 0.0 { effort.playouts as f64 / effort.seconds } else { 0.0 };
        Some(Self {
            role: session.game().role_text(role).to_owned(),
            playouts: effort.playouts,
            nodes: effort.nodes,
            seconds: effort.seconds,
            playouts_per_second: rate,
        })
    }
}

fn move_view(session: &Session, action: MoveId) -> MoveView {
    let text = session.game().move_text(action);
    let spot = session.board.as_ref().map(|board| board.spot(text)).unwrap_or_default();
    MoveView { action: text.to_owned(), cells: spot.cells, area: spot.area }
}

/// A step of the history, with what the eyes may see of it.
fn step(session: &Session, place: Place, eyes: Option<RoleId>) -> StepView {
    let game: &Dynamic = session.game();
    let history = &session.history;
    let joint = history.joint(place).unwrap_or_default();
    let seen = |role: RoleId| eyes.is_none_or(|eyes| eyes == role);
    let before = history.parent(place).and_then(|parent| history.state_at(parent));
    let has_choice = |role| before.is_some_and(|before| game.legal(before, role).len() > 1);
    let nobody = !game.roles().any(has_choice);
    let moves = || game.roles().zip(joint).filter(|&(role, _)| seen(role));
    let shown: Vec<(RoleId, MoveId)> = moves()
        .filter(|&(role, _)| nobody || has_choice(role))
        .map(|(role, &action)| (role, action))
        .collect();
    let spots = shown.iter().map(|&(_, action)| move_view(session, action));
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
        cells: spots.flat_map(|spot| if spot.cells.is_empty() { spot.area } else { spot.cells }).collect(),
    }
}

/// The text without the parentheses around it.
fn bare(action: &str) -> &str {
    action.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(action)
}

/// Where a game stands, in words.
fn status(session: &Session, waiting: &[RoleId]) -> String {
    let game = session.game();
    let state = session.history.state();
    if game.terminal(state) {
        return Outcome::of(game, state).headline();
    }
    if let Some(trouble) = &session.trouble {
        return trouble.clone();
    }
    if let Some(stuck) = game.roles().find(|&role| game.legal(state, role).len() == 0) {
        return format!("{} has no legal move: the rules are at fault", game.role_text(stuck));
    }
    // Those without a choice wait for the others, even where play is halted and nobody chose for them yet.
    let has_choice = |role: &&RoleId| game.legal(state, **role).len() > 1;
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

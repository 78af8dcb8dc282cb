//! The results of `gdl manage` that a server shows: a file, which each request opens anew, and the
//! games of the last drawn positions.
//!
//! The file is only read and never kept open, so a manager can play into it at the same time. If
//! the server does not know a game by name, it compiles the game when a position is first drawn,
//! within the limits of uploaded rulesheets. The last [`MOST_DRAWN`] games are kept.

use crate::{
    games::{Games, LoadMode, Opened},
    lock::lock,
    problem::{Answer, Problem},
    session::is_idle,
    work::observer,
};
use gdl_manage::{
    Store,
    matches::{Listed, MatchPosition, Told, Watched},
};
use gdl_runtime::{Cancel, GameExt, kif::bare};
use gdl_tools::{
    error::{Error, Result},
    scene::{BoardView, GroupView, Scene, Stage},
};
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// The most games that are kept.
const MOST_DRAWN: usize = 4;

/// A file of results.
#[derive(Debug)]
pub(crate) struct Results {
    path: PathBuf,
    /// The games of the last drawn positions, the most recent first.
    drawn: Mutex<Vec<Arc<Drawn>>>,
}

/// A game, with the unchanging parts of its scenes.
#[derive(Debug)]
struct Drawn {
    opened: Opened,
    stage: Stage,
}

/// A position of a match, as the page draws it.
#[derive(Debug, Serialize)]
pub(crate) struct PositionView {
    /// The board, if the game has one.
    board: Option<BoardView>,
    /// The fluents that hold and are not on the board, by relation.
    fluents: Vec<GroupView>,
    /// The number of fluents left out.
    fluents_left_out: usize,
    /// The cells that the moves of the last step mention.
    cells: Vec<usize>,
    /// True if the game is over.
    terminal: bool,
    /// The roles with more than one legal move.
    turn: Vec<String>,
}

/// A match with the steps in words.
#[derive(Debug, Serialize)]
pub(crate) struct MatchView {
    #[serde(flatten)]
    about: Listed,
    /// The steps from the requested one on.
    steps: Vec<StepView>,
}

/// A step of a match.
#[derive(Debug, Serialize)]
struct StepView {
    #[serde(flatten)]
    told: Told,
    /// The moves in words, without idle moves unless all moves are idle.
    text: String,
}

impl MatchView {
    /// Builds the view of a match.
    #[must_use]
    pub(crate) fn of(watched: Watched) -> Self {
        let Watched { about, steps } = watched;
        let text = |told: &Told| {
            let made = || about.seats.iter().zip(told.moves.iter().flatten());
            let is_idle_all = made().all(|(_, action)| is_idle(action));
            let matter = made().filter(|(_, action)| is_idle_all || !is_idle(action));
            let words: Vec<String> =
                matter.map(|(seat, action)| format!("{} {}", seat.role, bare(action))).collect();
            words.join(", ")
        };
        let steps = steps.into_iter().map(|told| StepView { text: text(&told), told }).collect();
        Self { about, steps }
    }
}

impl Results {
    /// Opens a file of results.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or has no results of this version.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Store::read(path)?.contents()?;
        Ok(Self { path: path.to_owned(), drawn: Mutex::default() })
    }

    /// Opens the file and reads from it until cancelled.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read any more, or reading was cancelled.
    pub(crate) fn read<T>(&self, cancel: &Cancel, read: impl FnOnce(&Store) -> Result<T>) -> Answer<T> {
        let told = |error: Error| {
            if cancel.is_cancelled() {
                return Problem::too_many("these results take too long to read");
            }
            Problem::conflict("unreadable", error.to_string())
        };
        let store = Store::read(&self.path).and_then(|store| store.cancelled_by(cancel)).map_err(told)?;
        read(&store).map_err(told)
    }

    /// Builds the view of a position.
    ///
    /// # Errors
    /// Returns an error if the game cannot be loaded within the limits, or has no such state.
    pub(crate) fn draw(
        &self,
        games: &Games,
        position: &MatchPosition,
        cancel: &Cancel,
    ) -> Answer<PositionView> {
        let drawn = self.drawn(games, position, cancel)?;
        let (game, stage) = (&drawn.opened.game, &drawn.stage);
        let parse = |text: &str| {
            game.parse_state(text).map_err(|error| Problem::unfit("no_position", error.to_string()))
        };
        let state = parse(&position.state)?;
        let Scene { board, fluents, left_out } = stage.scene(game, &state);
        let made = position.moves.as_deref().unwrap_or_default();
        let changed = || {
            let (board, before) = (stage.board.as_ref()?, position.before.as_deref()?);
            Some((board.cells_of(game, &parse(before).ok()?), board.cells_of(game, &state)))
        };
        let matter = || made.iter().map(String::as_str).filter(|action| !is_idle(action));
        let cells = stage.touched(matter(), changed);
        let view = game.view(&state);
        let terminal = game.is_terminal_in(&view);
        let chooses = |&role: &_| !terminal && game.legal_moves_in(&view, role).len() > 1;
        let turn = game.roles().filter(chooses).map(|role| game.role_text(role).to_owned()).collect();
        Ok(PositionView { board, fluents, fluents_left_out: left_out, cells, terminal, turn })
    }

    /// Returns the game of a position with its stage; compiles it if it is not kept.
    fn drawn(&self, games: &Games, position: &MatchPosition, cancel: &Cancel) -> Answer<Arc<Drawn>> {
        let is_of = |drawn: &&Arc<Drawn>| *drawn.opened.text == *position.rulesheet;
        if let Some(drawn) = lock(&self.drawn).iter().find(is_of) {
            return Ok(Arc::clone(drawn));
        }
        let known = games.find(&position.game).ok().filter(|known| *known.text == *position.rulesheet);
        let opened = match known {
            Some(known) => known,
            None => games.load(&position.game, &position.rulesheet, LoadMode::Quick, observer(cancel))?,
        };
        let stage = Stage::of(&opened.game, &opened.text);
        let drawn = Arc::new(Drawn { opened, stage });
        let mut kept = lock(&self.drawn);
        kept.retain(|other| !is_of(&other));
        kept.insert(0, Arc::clone(&drawn));
        kept.truncate(MOST_DRAWN);
        Ok(drawn)
    }
}

//! Which game is meant: a built-in name or a rulesheet's path in, something that implements [`Game`]
//! out.

use crate::{
    args::did_you_mean,
    error::{Error, Result},
    load,
};
use gdl_games::Entry;
use gdl_runtime::{Dynamic, Game};
use std::{path::PathBuf, str::FromStr};

/// A GAME argument.
#[derive(Clone, Debug)]
pub enum GameArg {
    /// A game that is compiled into this program.
    BuiltIn(&'static Entry),
    /// A rulesheet.
    File(PathBuf),
}

impl FromStr for GameArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        // A backslash too, for the paths of Windows.
        if text.contains(['/', '\\']) || text.to_ascii_lowercase().ends_with(".kif") {
            return Ok(Self::File(text.into()));
        }
        gdl_games::find(text).map(Self::BuiltIn).ok_or_else(|| {
            let near = did_you_mean(text, gdl_games::LIST.iter().map(|entry| entry.name));
            let hint = "`gdl list` shows the built-in games, a file needs a `/` or the ending `.kif`";
            format!("no built-in game has this name{near}\n\n{hint}")
        })
    }
}

/// What is to be done with a game whose type is not known.
pub trait Task {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run<G: Game>(self, game: &G) -> Self::Output;
}

impl GameArg {
    /// What the game is called in reports: the built-in name, or the file's name without its ending.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(entry) => entry.name.to_owned(),
            Self::File(path) => {
                path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    /// The game as a table, whether it is built in or not.
    ///
    /// # Errors
    /// If the rulesheet is at fault; the diagnostics went to stderr.
    pub fn table(&self) -> Result<Dynamic> {
        let compiled = match self {
            Self::BuiltIn(entry) => load::built_in(entry)?,
            Self::File(path) => load::load(path, &load::tolerant())?,
        };
        decode(&compiled.table)
    }

    /// Takes `task` to the game: compiled code if it is built in, a table if it is a file.
    ///
    /// # Errors
    /// As for [`GameArg::table`].
    pub fn with<T: Task>(&self, task: T) -> Result<T::Output> {
        match self {
            Self::BuiltIn(entry) => Ok(with_entry(entry, task)),
            Self::File(_) => Ok(task.run(&self.table()?)),
        }
    }
}

/// Takes `task` to a built-in game.
///
/// # Panics
/// If `entry` is not one of the list.
pub fn with_entry<T: Task>(entry: &Entry, task: T) -> T::Output {
    gdl_games::visit(entry.name, Visitor(task)).expect("built-in games are in the list")
}

/// The game of a table.
///
/// # Errors
/// If it is too large to be played.
pub fn decode(table: &[u8]) -> Result<Dynamic> {
    Dynamic::decode(table).map_err(|error| Error::Input(error.to_string()))
}

struct Visitor<T>(T);

impl<T: Task> gdl_games::Visitor for Visitor<T> {
    type Output = T::Output;

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        _: &'static Entry,
    ) -> Self::Output {
        self.0.run(&game)
    }
}

//! Which game is meant: a built-in name or a rulesheet's path in, something that implements [`Game`]
//! out.

use crate::{
    engine,
    error::{Error, Result},
    load::{self, Way},
    output::{self, BAD},
    parse::did_you_mean,
};
use gdl_compiler::{Options, Source};
use gdl_games::Entry;
use gdl_runtime::{Dynamic, Game};
use std::{path::PathBuf, str::FromStr};

/// A GAME argument.
#[derive(Clone, Debug)]
pub enum GameArg {
    /// A game of the catalogue.
    BuiltIn(&'static Entry),
    /// A rulesheet.
    File(PathBuf),
}

impl FromStr for GameArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        // A backslash too, for the paths of Windows.
        if text.contains(['/', '\\'])
            || load::ENDINGS.iter().any(|ending| lower.ends_with(&format!(".{ending}")))
        {
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

    /// Does it, with the name of the engine that takes the game from state to state: `straight`, or one of [`Dynamic::engine`].
    fn run<G: Game>(self, game: &G, engine: &'static str) -> Self::Output;
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

    /// The game without compiled code, whether it is built in or not: as asked for, else as a table if it
    /// can be grounded.
    ///
    /// # Errors
    /// If the rulesheet is at fault; the diagnostics went to stderr.
    pub fn dynamic(&self, way: Option<Way>) -> Result<Dynamic> {
        let (source, options) = self.source()?;
        load::play(source, &options, way)
    }

    /// The rulesheet, and the options for those who want to use it.
    ///
    /// # Errors
    /// If it cannot be read; the diagnostics went to stderr.
    pub fn source(&self) -> Result<(Source, Options)> {
        match self {
            Self::BuiltIn(entry) => Ok((load::text_of(entry), load::quiet())),
            Self::File(path) => {
                let options = load::tolerant();
                Ok((load::open(path, &options)?, options))
            }
        }
    }

    /// The text of the rulesheet; none if it cannot be read any more.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::BuiltIn(entry) => entry.text.to_owned(),
            Self::File(path) => std::fs::read_to_string(path).unwrap_or_default(),
        }
    }

    /// Takes `task` to the game: compiled code if there is some and nothing else is asked for, else as
    /// [`GameArg::dynamic`] has it.
    ///
    /// # Errors
    /// As for [`GameArg::dynamic`], or if evaluations were given up, which is told on stderr.
    pub fn with<T: Task>(&self, way: Option<Way>, task: T) -> Result<T::Output> {
        if let (Self::BuiltIn(entry), None) = (self, way)
            && entry.is_compiled()
        {
            let engine = if engine::is_straight(self)? { "straight" } else { "table" };
            return Ok(with_compiled(entry, task, engine));
        }
        let game = self.dynamic(way)?;
        let output = task.run(&game, game.engine());
        settle(&game)?;
        Ok(output)
    }

    /// Calls `run` with the game as a [`Dynamic`], for code that is too large to be compiled for each compiled game. Such a game runs as a
    /// table, with straight-line code in lanes, unless `way` says otherwise.
    ///
    /// # Errors
    /// As for [`GameArg::with`].
    pub fn with_dynamic<T>(&self, way: Option<Way>, run: impl FnOnce(&Dynamic) -> T) -> Result<T> {
        let game = self.tabled(way)?;
        let output = run(&game);
        settle(&game)?;
        Ok(output)
    }

    /// The game that [`GameArg::with_dynamic`] has.
    ///
    /// # Errors
    /// As for [`GameArg::dynamic`].
    pub fn tabled(&self, way: Option<Way>) -> Result<Dynamic> {
        let tabled = match (self, way) {
            (Self::BuiltIn(entry), None) if entry.is_compiled() => gdl_games::dynamic(entry.name),
            _ => None,
        };
        tabled.map_or_else(|| self.dynamic(way), Ok)
    }
}

/// Tells on stderr if evaluations of the game were given up.
///
/// # Errors
/// If there were any: then what was found is not all there is.
pub fn settle(game: &Dynamic) -> Result {
    let Some((count, excess)) = game.given_up() else { return Ok(()) };
    let count = output::counted(usize::try_from(count).unwrap_or(usize::MAX), "evaluation");
    output::remark(format_args!("{BAD}error{BAD:#}: {count} given up: the first {excess}"));
    Err(Error::Reported)
}

/// Takes `task` to a game that is compiled in.
fn with_compiled<T: Task>(entry: &Entry, task: T, engine: &'static str) -> T::Output {
    gdl_games::visit(entry.name, Visitor(task, engine)).expect("it is compiled in")
}

struct Visitor<T>(T, &'static str);

impl<T: Task> gdl_games::Visitor for Visitor<T> {
    type Output = T::Output;

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        _: &'static Entry,
    ) -> Self::Output {
        self.0.run(&game, self.1)
    }
}

//! The game that arguments name. A built-in name or the path of a rulesheet becomes a [`Dynamic`],
//! playouts or counts.

use crate::{
    error::{Error, Result},
    load::{self, Way},
    output::{self, BAD},
    parse::did_you_mean,
};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use gdl_compiler::{Options, Source};
use gdl_games::{Counter, Entry, PerftSettings, PlayoutSettings};
use gdl_runtime::{Dynamic, Stats, bits::BitBox, perft::Perft};
use std::{path::PathBuf, str::FromStr};

/// A GAME argument, either alone or as a group of arguments with the option `--lenient`.
#[derive(Clone, Debug)]
pub enum GameArg {
    /// A game of the catalogue.
    BuiltIn(&'static Entry),
    /// A rulesheet.
    File {
        /// The path of the file.
        path: PathBuf,
        /// True if [`Options::lenient`] holds for the rulesheet.
        lenient: bool,
    },
}

/// The reading of rules with errors that other systems play.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ReadingArgs {
    /// Accept rules with errors as other systems do: roles without goals have 0; no move is made
    /// where `legal`, `goal` or `terminal` depend on `does`; and callers bind the variables that a
    /// rule does not
    #[arg(long)]
    pub lenient: bool,
}

/// The arguments of [`GameArg`] as a group.
#[derive(Debug, Args)]
struct GameArgs {
    /// A built-in game or a rulesheet
    game: GameArg,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl Args for GameArg {
    fn augment_args(command: Command) -> Command {
        GameArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        GameArgs::augment_args_for_update(command)
    }
}

impl FromArgMatches for GameArg {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let GameArgs { game, reading } = GameArgs::from_arg_matches(matches)?;
        Ok(game.read(reading))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl FromStr for GameArg {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        // Backslashes separate the folders of paths on Windows.
        if text.contains(['/', '\\'])
            || load::ENDINGS.iter().any(|ending| lower.ends_with(&format!(".{ending}")))
        {
            return Ok(Self::File { path: text.into(), lenient: false });
        }
        gdl_games::find(text).map(Self::BuiltIn).ok_or_else(|| {
            let near = near(text);
            let hint = "`gdl list` shows the built-in games, a file needs a `/` or the ending `.kif`";
            format!("no built-in game has this name{near}\n\n{hint}")
        })
    }
}

/// Returns `; did you mean ...?` with the built-in game of the most similar name, or an empty text
/// if none is similar.
#[must_use]
pub fn near(name: &str) -> String {
    did_you_mean(name, gdl_games::LIST.iter().map(|entry| entry.name))
}

impl GameArg {
    /// Sets the reading of a rulesheet. Built-in games are unchanged, as they have no errors.
    #[must_use]
    pub fn read(self, reading: ReadingArgs) -> Self {
        match self {
            Self::File { path, .. } => Self::File { path, lenient: reading.lenient },
            built_in @ Self::BuiltIn(_) => built_in,
        }
    }

    /// Returns the name of the game in reports: the built-in name, or the file name without its
    /// extension.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn(entry) => entry.name.to_owned(),
            Self::File { path, .. } => {
                path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    /// Loads the game, built in or from a file, without compiled code. The game runs on the engine
    /// `way`. By default it runs as a table if its rules can be grounded.
    ///
    /// # Errors
    /// Returns an error if the rulesheet has errors, after printing the diagnostics on stderr.
    pub fn dynamic(&self, way: Option<Way>) -> Result<Dynamic> {
        let (source, options) = self.source()?;
        load::play(source, &options, way)
    }

    /// Returns the rulesheet and the options to compile it with.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, after printing the diagnostics on stderr.
    pub fn source(&self) -> Result<(Source, Options)> {
        match self {
            Self::BuiltIn(entry) => Ok((load::text_of(entry), load::quiet())),
            &Self::File { ref path, lenient } => {
                let options = Options { lenient, ..Options::default() };
                Ok((load::open(path, &options)?, options))
            }
        }
    }

    /// Returns the text of the rulesheet, or an empty text if the file can no longer be read.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::BuiltIn(entry) => entry.text.to_owned(),
            Self::File { path, .. } => std::fs::read_to_string(path).unwrap_or_default(),
        }
    }

    /// Plays random games. Uses compiled code if the game has some and `way` is `None`.
    ///
    /// Returns the engine that steps single games, and the statistics. The engine is `straight` or
    /// a name that [`Dynamic::engine`] returns.
    ///
    /// # Errors
    /// Returns an error as [`GameArg::dynamic`] does, or if evaluations failed, after reporting
    /// this on stderr.
    #[allow(clippy::missing_panics_doc, reason = "a game that is compiled in is found")]
    pub fn playouts(&self, way: Option<Way>, settings: PlayoutSettings<'_>) -> Result<(&'static str, Stats)> {
        if let Some((name, engine)) = self.compiled(way)? {
            let stats = gdl_games::playouts(name, settings).expect("it is compiled in");
            return Ok((engine, stats));
        }
        let game = self.dynamic(way)?;
        let stats = playouts(&game, settings);
        settle(&game)?;
        Ok((game.engine(), stats))
    }

    /// Calls `work` with a counter of joint move sequences and the name of the engine, as in
    /// [`GameArg::playouts`].
    ///
    /// # Errors
    /// As for [`GameArg::playouts`], and errors of `work`.
    #[allow(clippy::missing_panics_doc, reason = "a game that is compiled in is found")]
    pub fn perft(
        &self,
        way: Option<Way>,
        settings: PerftSettings,
        work: &mut dyn FnMut(&mut dyn Counter, &'static str) -> Result,
    ) -> Result {
        if let Some((name, engine)) = self.compiled(way)? {
            let mut result = Ok(());
            gdl_games::perft(name, settings, &mut |counter| result = work(counter, engine))
                .expect("it is compiled in");
            return result;
        }
        let game = self.dynamic(way)?;
        work(&mut settings.counter(&game), game.engine())?;
        settle(&game)
    }

    /// Returns whether the game has straight-line code for single states.
    ///
    /// # Errors
    /// Returns an error if its rulesheet has errors.
    pub fn is_straight(&self) -> Result<bool> {
        match self {
            Self::BuiltIn(entry) if entry.is_compiled() => Ok(load::built_in(entry)?.is_straight()),
            Self::BuiltIn(_) | Self::File { .. } => Ok(false),
        }
    }

    /// Returns the names of a compiled-in game and of its engine. Returns `None` if the game is not
    /// compiled in or `way` selects an engine.
    fn compiled(&self, way: Option<Way>) -> Result<Option<(&'static str, &'static str)>> {
        match self {
            Self::BuiltIn(entry) if way.is_none() && entry.is_compiled() => {
                Ok(Some((entry.name, if self.is_straight()? { "straight" } else { "table" })))
            }
            _ => Ok(None),
        }
    }

    /// Calls `run` with the game as a [`Dynamic`], for code that is too large to be instantiated
    /// for each compiled game. By default compiled-in games run as tables, with straight-line code
    /// in lanes.
    ///
    /// # Errors
    /// As for [`GameArg::playouts`].
    pub fn with_dynamic<T>(&self, way: Option<Way>, run: impl FnOnce(&Dynamic) -> T) -> Result<T> {
        let game = self.tabled(way)?;
        let output = run(&game);
        settle(&game)?;
        Ok(output)
    }

    /// Returns the game that [`GameArg::with_dynamic`] passes to its callback.
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

/// Plays random games. This one optimised instance of the code serves all commands.
#[must_use]
pub fn playouts(game: &Dynamic, settings: PlayoutSettings<'_>) -> Stats {
    settings.run(game)
}

/// Returns the numbers of sequences of 1, 2, .. `depth` joint moves from a state. Compiled once for
/// all commands, like [`playouts`].
#[must_use]
pub fn perft(game: &Dynamic, state: BitBox, depth: usize) -> Vec<u128> {
    Perft::from(game, state).take(depth).collect()
}

/// Reports on stderr if evaluations of the game were abandoned.
///
/// # Errors
/// Returns an error if there were any, since the results are incomplete then.
pub fn settle(game: &Dynamic) -> Result {
    let Some((count, excess)) = game.failed_evaluations() else { return Ok(()) };
    let count = output::counted(usize::try_from(count).unwrap_or(usize::MAX), "evaluation");
    output::remark(format_args!("{BAD}error{BAD:#}: {count} abandoned: the first {excess}"));
    Err(Error::Reported)
}

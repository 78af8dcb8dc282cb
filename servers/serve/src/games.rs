//! The games that can be opened: a name or a rulesheet becomes a game and its text.
//!
//! An uploaded rulesheet is compiled within [`Limits::network`], or on request within the larger
//! limits of `gdl serve FILE`. Compilation is cancelled when its client leaves. The last compiled
//! games are kept, so a rulesheet that was just checked need not be compiled again.

use crate::{
    lock::lock,
    problem::{Answer, Problem},
};
use gdl_compiler::{Limits, Observer, Options, Severity, Source, diagnostic::codes};
use gdl_runtime::{
    Dynamic,
    engine::{self, compile_as},
};
use gdl_tools::{error::Result, game::GameArg, load, report};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

/// The limits on the compiled games that are kept: their number, and the bytes of their rulesheets
/// together.
const KEPT: usize = 4;
const KEPT_BYTES: usize = 4 << 20;

/// A game that is ready to be played, with its rulesheet.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// The name of the game.
    pub name: String,
    /// True for a built-in game or the game of `gdl serve`; false for an uploaded rulesheet.
    pub is_known: bool,
    /// The text of the rulesheet.
    pub text: Arc<str>,
    /// The loaded game.
    pub game: Dynamic,
}

/// The way in which an uploaded rulesheet becomes a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadMode {
    /// Within the limits of untrusted rulesheets.
    Quick,
    /// Compiled within the limits of `gdl serve FILE`: see [`load::tolerant`].
    Patient,
    /// Interpreted in each state, within the limits of untrusted rulesheets but with more memory.
    Lifted,
}

impl LoadMode {
    /// Returns the mode of a compilation, with larger limits if `is_patient` is true.
    #[must_use]
    pub(crate) fn within(is_patient: bool) -> Self {
        if is_patient { Self::Patient } else { Self::Quick }
    }

    /// Returns the limits for a rulesheet in this mode.
    #[must_use]
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::Quick => Limits::network(),
            Self::Patient => Limits::default(),
            // Only the rules are kept; a quarter of these bytes is for the facts of the initial
            // state.
            Self::Lifted => Limits { max_bytes: 512 << 20, ..Limits::network() },
        }
    }
}

/// The named games, which are the built-in ones and the game of `gdl serve`, and the last compiled
/// games of uploaded rulesheets.
#[derive(Debug, Default)]
pub(crate) struct Games {
    own: Option<Opened>,
    is_lenient: bool,
    recent: Mutex<VecDeque<(Arc<str>, Dynamic)>>,
}

impl Games {
    /// Loads `own`, if it is not built in. Uploaded rulesheets are read leniently if `is_lenient`
    /// is true.
    ///
    /// # Errors
    /// Returns an error if the rulesheet cannot be read or has errors.
    pub(crate) fn new(own: Option<&GameArg>, is_lenient: bool) -> Result<Self> {
        let games = Self { is_lenient, ..Self::default() };
        let Some(arg @ GameArg::File { .. }) = own else { return Ok(games) };
        let (source, options) = arg.source()?;
        let text = source.text().into();
        let game = load::play(source, &options, None)?;
        Ok(Self { own: Some(Opened { name: arg.name(), is_known: true, text, game }), ..games })
    }

    /// Returns the game of `gdl serve`, if it is not built in.
    #[must_use]
    pub(crate) fn own(&self) -> Option<&Opened> {
        self.own.as_ref()
    }

    /// Finds a game by name.
    ///
    /// # Errors
    /// Returns an error if there is no game of this name.
    pub(crate) fn find(&self, name: &str) -> Answer<Opened> {
        if let Some(own) = self.own.as_ref().filter(|own| own.name == name) {
            return Ok(own.clone());
        }
        let missing = || {
            Problem::missing("no_game", format!("there is no game `{name}`"))
                .help("`GET /api/games` lists the games")
        };
        let entry = gdl_games::find(name).ok_or_else(missing)?;
        let game = gdl_games::dynamic(entry.name).ok_or_else(Problem::broken)?;
        Ok(Opened { name: entry.name.to_owned(), is_known: true, text: entry.text.into(), game })
    }

    /// Returns the options for an uploaded rulesheet.
    #[must_use]
    pub(crate) fn options(&self, mode: LoadMode, observer: Observer) -> Options {
        Options { lenient: self.is_lenient, limits: mode.limits(), observer, ..Options::default() }
    }

    /// Returns whether the game of a rulesheet is kept.
    #[must_use]
    pub(crate) fn is_recent(&self, text: &str) -> bool {
        lock(&self.recent).iter().any(|(known, _)| &**known == text)
    }

    /// Keeps a compiled game, and drops the oldest ones beyond the limits.
    pub(crate) fn keep(&self, text: &str, game: Dynamic) {
        let mut recent = lock(&self.recent);
        recent.retain(|(known, _)| &**known != text);
        recent.push_front((text.into(), game));
        let mut bytes = 0;
        recent.retain(|(known, _)| {
            bytes += known.len();
            bytes <= KEPT_BYTES
        });
        recent.truncate(KEPT);
    }

    /// Loads the game of an uploaded rulesheet.
    ///
    /// # Errors
    /// Returns an error if the rulesheet has errors or exceeds the limits, or compilation was
    /// cancelled.
    pub(crate) fn load(&self, name: &str, text: &str, mode: LoadMode, observer: Observer) -> Answer<Opened> {
        let opened = |game| Opened { name: name.to_owned(), is_known: false, text: text.into(), game };
        let known =
            || lock(&self.recent).iter().find(|(known, _)| &**known == text).map(|(_, game)| game.clone());
        if mode != LoadMode::Lifted
            && let Some(game) = known()
        {
            return Ok(opened(game));
        }
        let options = self.options(mode, observer);
        let source = Source::new(name, text);
        let engine = (mode == LoadMode::Lifted).then_some(engine::EngineKind::Lifted);
        let made = compile_as(&source, &options, engine);
        let game = made.map_err(|diagnostics| {
            let too_much = |message: String| {
                Problem::unfit("too_large_to_play", message)
                    .help("give it more time, or play it state by state")
            };
            if let Some(late) = diagnostics.iter().find(|fault| fault.code == &codes::CANCELLED) {
                return too_much(late.message.clone());
            }
            let list = || diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, &source)).collect();
            let first = diagnostics.iter().find(|fault| fault.severity == Severity::Error);
            match first.filter(|_| diagnostics.are_excesses()) {
                Some(first) => too_much(first.message.clone()).diagnostics(list()),
                None => Problem::unfit("faulty_rulesheet", "the rulesheet has errors").diagnostics(list()),
            }
        })?;
        if mode != LoadMode::Lifted {
            self.keep(text, game.clone());
        }
        Ok(opened(game))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::observer;
    use gdl_runtime::Cancel;

    #[test]
    fn what_was_called_off_is_no_game() {
        let (cancel, text) = (Cancel::default(), gdl_games::find("nim").expect("it is built in").text);
        let load = |games: &Games| games.load("nim", text, LoadMode::Quick, observer(&cancel));
        let games = Games::default();
        assert!(load(&games).is_ok());
        cancel.cancel();
        let late = load(&Games::default());
        assert!(matches!(late, Err(problem) if problem.code == "too_large_to_play"));
        // A game that is kept is returned at once.
        assert!(games.is_recent(text) && load(&games).is_ok());
    }

    #[test]
    fn a_rulesheet_can_be_played_state_by_state() {
        let text = gdl_games::find("nim").expect("it is built in").text;
        let opened = Games::default().load("nim", text, LoadMode::Lifted, observer(&Cancel::default()));
        assert_eq!(opened.map(|opened| opened.game.engine()).ok(), Some("lifted"));
    }

    #[test]
    fn few_games_are_kept() {
        let (games, game) = (Games::default(), Games::default().find("nim").expect("it is built in").game);
        for length in 0..9 {
            games.keep(&"x".repeat(length), game.clone());
        }
        assert!(games.is_recent("xxxxxxxx") && games.is_recent("xxxxx") && !games.is_recent("xxxx"));
        games.keep(&" ".repeat(KEPT_BYTES - 3), game);
        assert!(!games.is_recent("xxxxxxxx"));
    }
}

//! Games that can be opened: a name or a rulesheet becomes a game and its text.
//!
//! A rulesheet that came with a request is compiled within [`Limits::network`], until its request is gone.

use crate::{
    problem::{Answer, Problem},
    work::observer,
};
use gdl_compiler::{Limits, Options, Source, diagnostic::codes};
use gdl_runtime::{__private::compile, Cancel, Dynamic};
use gdl_tools::{error::Result, game::GameArg, load, report};
use std::sync::Arc;

/// A game, ready to be played, and where it came from.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// What it is called.
    pub name: String,
    /// If `gdl serve` knows it by this name; else it came with the request.
    pub is_known: bool,
    /// The rulesheet.
    pub text: Arc<str>,
    /// What plays it.
    pub game: Dynamic,
}

/// The games that have names here: those that are built in, and the one that `gdl serve` was given.
#[derive(Debug, Default)]
pub(crate) struct Games {
    own: Option<Opened>,
}

impl Games {
    /// The built-in games, and `own` if it is none of them.
    ///
    /// # Errors
    /// If the rulesheet cannot be read or is at fault.
    pub(crate) fn new(own: Option<&GameArg>) -> Result<Self> {
        let Some(arg @ GameArg::File(path)) = own else { return Ok(Self::default()) };
        let options = load::tolerant();
        let source = load::open(path, &options)?;
        let text = source.text().into();
        let game = load::play(source, &options, None)?;
        Ok(Self { own: Some(Opened { name: arg.name(), is_known: true, text, game }) })
    }

    /// The game that `gdl serve` was given, if it is not built in.
    #[must_use]
    pub(crate) fn own(&self) -> Option<&Opened> {
        self.own.as_ref()
    }

    /// The game with a name.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn find(&self, name: &str) -> Answer<Opened> {
        if let Some(own) = self.own.as_ref().filter(|own| own.name == name) {
            return Ok(own.clone());
        }
        let missing = || {
            Problem::missing("no_game", format!("no game is called `{name}`"))
                .help("`GET /api/games` lists the games")
        };
        let entry = gdl_games::find(name).ok_or_else(missing)?;
        let game = gdl_games::dynamic(entry.name).ok_or_else(Problem::broken)?;
        Ok(Opened { name: entry.name.to_owned(), is_known: true, text: entry.text.into(), game })
    }

    /// The game of a rulesheet that came with a request, within what a stranger's may take.
    ///
    /// # Errors
    /// All that is wrong with it, or that it was called off.
    pub(crate) fn load(name: &str, text: &str, cancel: &Cancel) -> Answer<Opened> {
        let options = Options { limits: Limits::network(), observer: observer(cancel), ..load::tolerant() };
        let source = Source::new(name, text);
        let game = compile(&source, &options).map_err(|diagnostics| {
            if let Some(late) = diagnostics.iter().find(|fault| fault.code == &codes::CANCELLED) {
                return Problem::unfit("too_large_to_play", late.message.clone())
                    .help("`gdl check` says what takes so much");
            }
            let list = diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, &source));
            Problem::unfit("faulty_rulesheet", "the rulesheet is at fault").diagnostics(list.collect())
        })?;
        Ok(Opened { name: name.to_owned(), is_known: false, text: text.into(), game })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_called_off_is_no_game() {
        let (cancel, text) = (Cancel::default(), gdl_games::find("nim").expect("it is built in").text);
        assert!(Games::load("nim", text, &cancel).is_ok());
        cancel.cancel();
        let late = Games::load("nim", text, &cancel);
        assert!(matches!(late, Err(problem) if problem.code == "too_large_to_play"));
    }
}

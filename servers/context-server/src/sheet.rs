//! The rulesheets of calls: a text, the name of a built-in game, or a file in a folder. Rules or
//! games are made from them.
//!
//! An argument with a parenthesis is the text itself. Texts and files are compiled within
//! [`Limits::network`], built-in games within the default limits. Compilation ends when the call is
//! cancelled. A file is read only if, after following links, it is a `.kif` file inside the folder.

use crate::refusal::Refusal;
use gdl_compiler::{Levels, Limits, Observer, Options, Rules, Source, eval::Evaluator};
use gdl_games::Entry;
use gdl_runtime::{Cancel, Dynamic, engine::playable};
use gdl_tools::{game::near, load, output::counted};
use std::{ops::ControlFlow, path::PathBuf};

/// The name of a rulesheet in diagnostics.
const NAME: &str = "rulesheet";

/// The sources of rulesheets.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    /// The canonical path of the folder whose files may be read.
    folder: Option<PathBuf>,
    is_lenient: bool,
}

/// A rulesheet with the options for reading it.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub source: Source,
    entry: Option<&'static Entry>,
    is_lenient: bool,
}

impl Shelf {
    pub(crate) fn new(folder: Option<PathBuf>, is_lenient: bool) -> Self {
        Self { folder, is_lenient }
    }

    fn sheet(&self, source: Source) -> Sheet {
        Sheet { source, entry: None, is_lenient: self.is_lenient }
    }

    /// Finds the rulesheet that an argument names.
    ///
    /// # Errors
    /// Returns an error if there is no such rulesheet, or it may not be read.
    pub(crate) fn find(&self, rulesheet: &str) -> Result<Sheet, Refusal> {
        if rulesheet.contains('(') {
            let limit = Limits::network().max_source_bytes;
            if rulesheet.len() > limit {
                let message = format!("the rulesheet has {} bytes, more than {limit}", rulesheet.len());
                return Err(Refusal::new(message));
            }
            return Ok(self.sheet(Source::new(NAME, rulesheet)));
        }
        let name = rulesheet.trim();
        if let Some(entry) = gdl_games::find(name) {
            return Ok(Sheet { entry: Some(entry), ..self.sheet(load::text_of(entry)) });
        }
        if name.contains(['/', '\\']) || name.to_ascii_lowercase().ends_with(".kif") {
            return self.read(name);
        }
        let near = near(name);
        let shown: String = name.chars().take(100).collect();
        let names: Vec<&str> = gdl_games::LIST.iter().map(|entry| entry.name).collect();
        Err(Refusal::new(format!("`{shown}` is neither a rulesheet nor the name of a built-in game{near}"))
            .help(format!("give the text of a rulesheet, or one of {}", names.join(", "))))
    }

    fn read(&self, name: &str) -> Result<Sheet, Refusal> {
        let Some(folder) = &self.folder else {
            return Err(Refusal::new("files are not read")
                .help("give the text of the rulesheet, or start the server as `gdl mcp --folder DIR`"));
        };
        // The error is the same for all paths outside the folder, so it reveals nothing about them.
        let missing = || {
            Refusal::new(format!("there is no rulesheet `{name}` below the folder of the server"))
                .help("give its path from there, with the ending `.kif`")
        };
        let path = folder.join(name).canonicalize().map_err(|_| missing())?;
        let is_rulesheet = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("kif"));
        if !path.starts_with(folder) || !is_rulesheet || !path.is_file() {
            return Err(missing());
        }
        let options = Options { limits: Limits::network(), ..Options::default() };
        let source = load::read(&path, &options).map_err(|fault| {
            let (source, diagnostics) = load::alone(*fault);
            Refusal::of_rules(&diagnostics, &source)
        })?;
        Ok(self.sheet(Source::new(name, source.text())))
    }
}

impl Sheet {
    /// Returns the options for compiling the rulesheet. The compilation stops once `cancel` is
    /// cancelled.
    pub(crate) fn options(&self, levels: Levels, cancel: &Cancel) -> Options {
        let limits = if self.entry.is_some() { Limits::default() } else { Limits::network() };
        let lenient = self.is_lenient;
        Options { lenient, limits, levels, observer: observer(cancel), ..Options::default() }
    }

    /// Compiles the game. If grounding exceeds the limits, the rules are interpreted in each state.
    ///
    /// # Errors
    /// Returns an error if the rulesheet has errors.
    pub(crate) fn game(&self, cancel: &Cancel) -> Result<Dynamic, Refusal> {
        if let Some(game) = self.entry.and_then(|entry| gdl_games::dynamic(entry.name)) {
            return Ok(game);
        }
        let options = self.options(Levels::default(), cancel);
        let (mut diagnostics, compiled) = load::inspect(&self.source, &options);
        match compiled {
            Ok(compiled) => playable(&compiled, None).map_err(|excess| Refusal::new(excess.message)),
            Err(rules) => rules
                .and_then(|rules| load::excuse(&rules, &options, &mut diagnostics))
                .ok_or_else(|| Refusal::of_rules(&diagnostics, &self.source)),
        }
    }

    /// Returns the checked rules, without grounding them.
    ///
    /// # Errors
    /// Returns an error if the rulesheet has errors.
    pub(crate) fn rules(&self, cancel: &Cancel) -> Result<Rules, Refusal> {
        let options = self.options(Levels::default(), cancel);
        let read = gdl_compiler::read(&self.source, &options);
        read.map(|(rules, _)| rules).map_err(|failure| Refusal::of_rules(&failure.diagnostics, &self.source))
    }

    /// Creates the reference evaluator, which interprets the rules.
    ///
    /// # Errors
    /// Returns an error if the rules exceed the evaluator's limits.
    pub(crate) fn evaluator(rules: &Rules) -> Result<Evaluator<'_>, Refusal> {
        let limits = Limits::network();
        Evaluator::with_limits(rules, &limits).map_err(|error| Refusal::new(error.to_string()))
    }
}

/// Returns an observer that stops a compilation on cancellation.
fn observer(cancel: &Cancel) -> Observer {
    let cancel = cancel.clone();
    Observer::new(
        move |_| if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) },
    )
}

/// Checks that no evaluation of a game has failed.
///
/// # Errors
/// Returns an error if an evaluation has failed, since results are then incomplete.
pub(crate) fn settle(game: &Dynamic) -> Result<(), Refusal> {
    let Some((count, excess)) = game.failed_evaluations() else { return Ok(()) };
    let count = counted(usize::try_from(count).unwrap_or(usize::MAX), "evaluation");
    Err(Refusal::new(format!("{count} abandoned: the first {excess}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn refused(shelf: &Shelf, rulesheet: &str) -> String {
        shelf.find(rulesheet).map(|sheet| sheet.source.name().to_owned()).expect_err(rulesheet).to_string()
    }

    #[test]
    fn texts_and_names_are_told_apart() {
        let shelf = Shelf::new(None, false);
        assert_eq!(shelf.find("(role x)").expect("a text").source.text(), "(role x)");
        assert_eq!(shelf.find(" nim ").expect("a name").source.name(), "nim.kif");
        assert!(refused(&shelf, "tictacto").contains("did you mean `tictactoe`?"));
        assert!(refused(&shelf, "nim.kif").contains("files are not read"));
        assert!(refused(&shelf, "").contains("is neither"));
    }

    #[test]
    fn only_rulesheets_below_the_folder_are_read() {
        let whole = tempfile::tempdir().expect("a folder");
        let folder = whole.path().join("games");
        fs::create_dir_all(folder.join("mine")).expect("a folder");
        fs::write(whole.path().join("secret.kif"), "(role secret)").expect("written");
        fs::write(folder.join("mine/a.kif"), "(role a)").expect("written");
        fs::write(folder.join("notes.txt"), "(role b)").expect("written");
        let shelf = Shelf::new(Some(folder.canonicalize().expect("it is there")), false);
        assert_eq!(shelf.find("mine/a.kif").expect("below").source.text(), "(role a)");
        assert_eq!(shelf.find("./mine/../mine/a.kif").expect("below").source.text(), "(role a)");
        let secret = whole.path().join("secret.kif");
        let secret = secret.to_str().expect("UTF-8");
        let mut outside =
            vec!["../secret.kif", "./notes.txt", "mine/", "no.kif", "mine/../../secret.kif", secret];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(secret, folder.join("link.kif")).expect("a link");
            outside.push("link.kif");
        }
        for path in outside {
            assert!(refused(&shelf, path).contains("there is no rulesheet"), "{path}");
        }
    }
}

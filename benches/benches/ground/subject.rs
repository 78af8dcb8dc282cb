//! The subject of a measurement: a public rulesheet next to the checkout or a built-in one.

use gdl_compiler::{Options, Rules, Source, check::check, syntax::parse};
use std::{fmt, fs, path::PathBuf, str::FromStr};

/// The names of the twelve games.
const SELECTION: &[&str] = &[
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "checkers",
    "reversi",
    "hex",
    "othello-comp2007",
    "chineseCheckers4",
    "pentago",
    "skirmish",
    "amazons_8x8",
    "alexChess",
];

/// A rulesheet to measure.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Public(PathBuf),
    BuiltIn(&'static gdl_games::Entry),
}

impl Subject {
    /// The public rulesheets, sorted by name; empty if the folder is missing.
    pub(crate) fn corpus() -> Vec<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/rulesheets/games");
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
        paths.sort();
        paths.into_iter().map(Self::Public).collect()
    }

    /// The twelve games; empty if there are no public rulesheets.
    pub(crate) fn selection() -> Vec<Self> {
        let corpus = Self::corpus();
        if corpus.is_empty() {
            return corpus;
        }
        let rulesheets = [corpus, Self::built_in()].concat();
        let find = |name: &&str| rulesheets.iter().find(|subject| subject.name() == *name).cloned();
        SELECTION.iter().filter_map(find).collect()
    }

    /// The built-in games.
    pub(crate) fn built_in() -> Vec<Self> {
        gdl_games::LIST.iter().map(Self::BuiltIn).collect()
    }

    /// The name without folder, collection and extension.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Public(path) => {
                let stem = path.file_stem().expect("a file").to_string_lossy();
                stem.strip_prefix("base__").unwrap_or(&stem).to_owned()
            }
            Self::BuiltIn(entry) => entry.name.to_owned(),
        }
    }

    pub(crate) fn source(&self) -> Source {
        match self {
            Self::Public(path) => {
                let bytes = fs::read(path).expect("a readable rulesheet");
                Source::new(self.name(), String::from_utf8_lossy(&bytes))
            }
            Self::BuiltIn(entry) => Source::new(entry.name, entry.text),
        }
    }

    /// The checked rules; `None` if they have errors.
    pub(crate) fn rules(&self) -> Option<Rules> {
        let (source, options) = (self.source(), options());
        let mut diagnostics = gdl_compiler::Diagnostics::new(options.levels.clone());
        check(&parse(&source, &options, &mut diagnostics), &source, &options, &mut diagnostics)
    }
}

/// The options of all measurements. Symbols are case-sensitive, as the authors of the public
/// rulesheets assumed.
pub(crate) fn options() -> Options {
    Options { case_sensitive: true, ..Options::default() }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public(path) => path.display().fmt(f),
            Self::BuiltIn(entry) => f.write_str(entry.name),
        }
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let entry = gdl_games::LIST.iter().find(|entry| entry.name == text);
        Ok(entry.map_or_else(|| Self::Public(text.into()), Self::BuiltIn))
    }
}

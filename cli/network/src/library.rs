//! The library: the rulesheets that are compiled into this program, in which a rulesheet from elsewhere is looked up.

use crate::names::Names;
use gdl_games::LIST;
use gdl_runtime::Dynamic;
use std::sync::OnceLock;

/// The built-in games, each made ready when it is first asked for.
#[derive(Debug)]
pub(crate) struct Library {
    games: Vec<OnceLock<Option<Dynamic>>>,
}

impl Library {
    pub(crate) fn new() -> Self {
        Self { games: LIST.iter().map(|_| OnceLock::new()).collect() }
    }

    /// The built-in game that a rulesheet is, plain or with other symbols, with its name and those symbols.
    pub(crate) fn find(&self, rules: &str) -> Option<(&'static str, Dynamic, Names)> {
        let found = LIST.iter().zip(&self.games);
        let mut found =
            found.filter_map(|(entry, game)| Some((entry, game, Names::between(entry.text, rules)?)));
        let (entry, game, names) = found.next()?;
        let game = game.get_or_init(|| gdl_games::dynamic(entry.name));
        Some((entry.name, game.clone()?, names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{normalise, tokens};

    /// Symbols exchanged for words of no meaning, as managers do it.
    pub(crate) fn scramble(rules: &str) -> String {
        let words: Vec<String> = tokens(rules)
            .map(|token| match token.text {
                text if Names::between(text, "?v").is_some() => format!("?q{}", &text[1..]),
                text if Names::between(text, "zz").is_some() => {
                    format!(
                        "z{}",
                        text.bytes().map(|byte| char::from(b'a' + byte % 26)).rev().collect::<String>()
                    )
                }
                text => text.to_owned(),
            })
            .collect();
        normalise(&words.join(" "))
    }

    #[test]
    fn every_built_in_game_is_known_plain_scrambled_and_in_capitals() {
        let library = Library::new();
        for entry in LIST {
            for text in [entry.text.to_owned(), scramble(entry.text), normalise(entry.text).to_uppercase()] {
                let (name, game, _) = library.find(&text).unwrap_or_else(|| panic!("{}: {text}", entry.name));
                assert_eq!((name, game.engine()), (entry.name, "table"));
            }
            assert!(library.find(&entry.text.replacen("(role ", "(role a) (role ", 1)).is_none());
        }
    }
}

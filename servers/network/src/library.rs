//! The library: recognises the built-in rulesheets.

use crate::names::Names;
use gdl_games::{Entry, LIST};

/// Finds the built-in game that equals a rulesheet up to the names of symbols. Returns it with the
/// names.
pub(crate) fn find(rules: &str) -> Option<(&'static Entry, Names)> {
    LIST.iter().find_map(|entry| Some((entry, Names::between(entry.text, rules)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{normalise, tokens};

    /// Replaces the symbols of a rulesheet by meaningless words, as managers do.
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
        for entry in LIST {
            for text in [entry.text.to_owned(), scramble(entry.text), normalise(entry.text).to_uppercase()] {
                let (found, _) = find(&text).unwrap_or_else(|| panic!("{}: {text}", entry.name));
                assert_eq!(found.name, entry.name);
            }
            assert!(find(&entry.text.replacen("(role ", "(role a) (role ", 1)).is_none());
        }
    }
}

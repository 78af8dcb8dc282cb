//! Names of a match: a mapping between the symbols of two rulesheets that differ only in their
//! symbols.
//!
//! Managers send the whole rulesheet, and some scramble it: they rename every symbol but keep the
//! order of all tokens. So both sheets are read in parallel. Symbols and variables must correspond
//! one to one; parentheses, numbers and keywords must be equal. If that holds to the last token,
//! the sheets are equal term by term, and so is the play. Case does not matter in KIF. O(tokens);
//! sheets of different games usually differ in the first one or two tokens.
//!
//! This module also scrambles rulesheets: their symbols and variables become meaningless words,
//! drawn from a seed. O(tokens). All texts here are KIF. For another syntax, a conversion gives the
//! author's names ([`Sheet`](crate::Sheet)).

use crate::message::{Token, normalise, tokens};
use gdl_runtime::chance::Stream;
use std::collections::{HashMap, HashSet};

/// The keywords of the language, and the symbols that managers leave unchanged.
const KEYWORDS: [&str; 21] = [
    "<=", "not", "or", "distinct", "and", "=", "=>", "<=>", "->", "role", "init", "true", "does", "next",
    "legal", "goal", "terminal", "base", "input", "sees", "random",
];

/// A one-to-one mapping between the symbols of two rulesheets: the game's own ones, and those of
/// the match.
#[derive(Clone, Debug, Default)]
pub struct Names {
    to_own: Words,
    to_received: Words,
}

/// A mapping from the symbols of one rulesheet to those of another.
#[derive(Clone, Debug, Default)]
struct Words {
    /// True if symbols that differ only in case are different, as in all syntaxes but KIF.
    is_sensitive: bool,
    others: HashMap<String, String>,
}

impl Words {
    fn key(&self, word: &str) -> String {
        if self.is_sensitive { word.to_owned() } else { word.to_ascii_lowercase() }
    }

    fn get(&self, word: &str) -> Option<&str> {
        self.others.get(&self.key(word)).map(String::as_str)
    }

    /// Maps `word` to `other` unless it is mapped already, and returns the symbol that it is mapped
    /// to.
    fn note(&mut self, word: &str, other: &str) -> &str {
        let key = self.key(word);
        self.others.entry(key).or_insert_with(|| other.to_owned())
    }

    /// Translates a term. Unknown symbols stay as they are.
    fn translate(&self, term: &str) -> String {
        let mut text = String::with_capacity(term.len());
        for token in tokens(term) {
            text.push_str(self.get(token.text).unwrap_or(token.text));
            text.push(' ');
        }
        normalise(&text)
    }

    /// Composes two mappings. A symbol that `next` lacks stays as it is.
    fn then(&self, next: &Self) -> Self {
        let through = |other: &String| next.get(other).unwrap_or(other).to_owned();
        let others = self.others.iter().map(|(word, other)| (word.clone(), through(other))).collect();
        Self { is_sensitive: self.is_sensitive, others }
    }
}

impl Names {
    /// Maps the symbols of two rulesheets in KIF to each other. Returns `None` if the rulesheets
    /// differ in more than names.
    pub(crate) fn between(own: &str, received: &str) -> Option<Self> {
        let mut names = Self::default();
        // Variables are local to a form.
        let (mut variables, mut named): (HashMap<&str, &str>, HashMap<&str, &str>) = Default::default();
        let mut depth = 0_usize;
        let (mut left, mut right) = (tokens(own), tokens(received));
        loop {
            let (Token { text: own, .. }, Token { text: other, .. }) = match (left.next(), right.next()) {
                (None, None) => return Some(names),
                (left, right) => (left?, right?),
            };
            match own {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                variables.clear();
                named.clear();
            }
            let fits = if is_fixed(own) || is_fixed(other) {
                own.eq_ignore_ascii_case(other)
            } else if own.starts_with('?') || other.starts_with('?') {
                own.starts_with('?')
                    && other.starts_with('?')
                    && *variables.entry(own).or_insert(other) == other
                    && *named.entry(other).or_insert(own) == own
            } else {
                names.pair(own, other)
            };
            if !fits {
                return None;
            }
        }
    }

    /// Creates the names of a rulesheet that was converted to `kif`. `renamed` has the symbols that
    /// were changed, each before and after. Symbols of the rulesheet are case-sensitive, those of
    /// the KIF are not.
    pub(crate) fn of_conversion(kif: &str, renamed: &[(String, String)]) -> Self {
        let mut names = Self::default();
        names.to_received.is_sensitive = true;
        for (own, received) in renamed {
            names.pair(own, received);
        }
        for Token { text, .. } in tokens(kif).filter(|token| !is_fixed(token.text)) {
            if names.to_own.get(text).is_none() {
                names.pair(text, text);
            }
        }
        names
    }

    /// Returns the pairs of an own and a received symbol that differ, in byte order.
    #[must_use]
    pub fn renamed(&self) -> Vec<[String; 2]> {
        let words = &self.to_received;
        let mut pairs: Vec<[String; 2]> = words
            .others
            .iter()
            .filter(|(own, received)| words.key(own) != words.key(received))
            .map(|(own, received)| [own.clone(), received.clone()])
            .collect();
        pairs.sort();
        pairs
    }

    /// Maps two symbols to each other. Returns false if one of them is mapped to another symbol.
    fn pair(&mut self, own: &str, received: &str) -> bool {
        let is_received = self.to_received.note(own, received).eq_ignore_ascii_case(received);
        let known = self.to_own.note(received, own);
        is_received
            && if self.to_received.is_sensitive { known == own } else { known.eq_ignore_ascii_case(own) }
    }

    /// Draws other names for all symbols of a rulesheet in KIF. Returns the mapping, and the
    /// renamed rulesheet on one line. No drawn name occurs in the rulesheet.
    pub(crate) fn scrambled(own: &str, seed: u64) -> (Self, String) {
        let mut names = Self::default();
        let mut taken: HashSet<String> =
            tokens(own).map(|token| token.text.trim_start_matches('?').to_ascii_lowercase()).collect();
        let mut stream = Stream::new(seed, 2);
        for Token { text, .. } in tokens(own).filter(|token| !is_fixed(token.text)) {
            if names.to_received.get(text).is_some() {
                continue;
            }
            let drawn = loop {
                let drawn = word(&mut stream);
                if taken.insert(drawn.clone()) {
                    break drawn;
                }
            };
            let drawn = if text.starts_with('?') { format!("?{drawn}") } else { drawn };
            names.pair(text, &drawn);
        }
        let rules = names.to_received(own);
        (names, rules)
    }

    /// Composes two maps: from own words to the words of a third rulesheet.
    pub(crate) fn then(&self, next: &Self) -> Self {
        Self { to_own: next.to_own.then(&self.to_own), to_received: self.to_received.then(&next.to_received) }
    }

    /// Returns the inverse mapping.
    pub(crate) fn reversed(self) -> Self {
        Self { to_own: self.to_received, to_received: self.to_own }
    }

    /// Returns whether all symbols of a term occur in the received rulesheet.
    pub(crate) fn knows(&self, term: &str) -> bool {
        tokens(term).all(|token| is_fixed(token.text) || self.to_own.get(token.text).is_some())
    }

    /// Translates a term into the game's own symbols. Unknown symbols stay as they are.
    pub(crate) fn to_own(&self, term: &str) -> String {
        self.to_own.translate(term)
    }

    /// Translates a term into the received symbols. Unknown symbols stay as they are.
    #[must_use]
    pub fn to_received(&self, term: &str) -> String {
        self.to_received.translate(term)
    }
}

/// Returns whether a token is a parenthesis, a number or a keyword, which is never renamed.
fn is_fixed(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    matches!(word, "(" | ")")
        || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        || KEYWORDS.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// Draws one of 81 million words of four syllables, more than any rulesheet has symbols. No keyword
/// has this form.
fn word(stream: &mut Stream) -> String {
    let mut letter = |letters: &[u8]| char::from(letters[stream.below(letters.len() as u64) as usize]);
    (0..4).flat_map(|_| [letter(b"bcdfghjklmnprstvwxz"), letter(b"aeiou")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "(role x) (init (cell 1 b)) ; a comment
        (<= (legal ?r (mark ?m)) (true (cell ?m b)) (role ?r)) (<= (next (cell ?m ?r)) (does ?r (mark ?m)))";

    #[test]
    fn what_is_renamed_is_known_again() {
        let received = "(ROLE RED)(INIT(POND 1 DRY))(<=(LEGAL ?A(DIG ?B))(TRUE(POND ?B DRY))(ROLE ?A))\
            (<=(NEXT(POND ?X ?A))(DOES ?A(DIG ?X)))";
        let names = Names::between(OWN, received).expect("the same game");
        assert_eq!(names.to_received("(mark 1)"), "(DIG 1)");
        assert_eq!(names.to_own("( dig 1 )"), "(mark 1)");
        assert_eq!(names.to_own("red"), "x");
        assert_eq!(names.to_own("(jump 3)"), "(jump 3)");
    }

    #[test]
    fn what_is_scrambled_is_the_same_game() {
        for seed in 0..20 {
            let (names, rules) = Names::scrambled(OWN, seed);
            assert!(Names::between(OWN, &rules).is_some(), "{rules}");
            assert_eq!(Names::scrambled(OWN, seed).1, rules);
            assert_ne!(Names::scrambled(OWN, seed + 1).1, rules);
            for own in ["x", "cell", "b", "mark", "?r", "?m"] {
                assert!(!rules.split([' ', '(', ')']).any(|word| word == own), "{own}: {rules}");
            }
            for own in ["(mark 1)", "x", "(cell 1 b)"] {
                assert_eq!(names.to_own(&names.to_received(own).to_uppercase()), own);
            }
            assert!(names.knows(&names.to_received("(mark 1)")) && !names.knows("(mark 1)"));
        }
    }

    #[test]
    fn what_only_looks_alike_is_not() {
        for (from, to) in [
            ("(cell 1 b)) ;", "(cell 2 b)) ;"),             // a number
            ("(true (cell ?m b))", "(true (cell ?m x))"),   // two symbols are one
            ("(does ?r (mark ?m))", "(does ?r (cell ?m))"), // one is another
            ("(does ?r (mark ?m))", "(does ?m (mark ?r))"), // variables are exchanged
            ("(role ?r))", "(true ?r))"),                   // a keyword
            ("(role x)", "(role random)"),                  // chance
            ("(does ?r (mark ?m))", "(does ?r mark ?m)"),
            ("(does ?r (mark ?m))", ""),
        ] {
            assert!(Names::between(OWN, &OWN.replacen(from, to, 1)).is_none(), "{from} {to}");
            assert!(Names::between(&OWN.replacen(from, to, 1), OWN).is_none(), "{to} {from}");
        }
        assert!(Names::between(OWN, &OWN.to_uppercase()).is_some());
        assert!(Names::between("", "").is_some() && Names::between("a", "").is_none());
    }
}

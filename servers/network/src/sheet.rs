//! Sheets: a rulesheet in any syntax as the KIF that the protocol requires, with its author's
//! names.
//!
//! Players receive KIF and answer in its words. Most words are the author's. Others had to be
//! renamed, since KIF ignores case, or are scrambled on purpose ([`Sheet::scrambled`]). A sheet
//! translates terms in both directions.

use crate::names::Names;
use gdl_compiler::{Diagnostics, Options, Source, Syntax, convert::convert};
use std::sync::Arc;

/// A rulesheet as KIF, with its author's names.
///
/// ```
/// use gdl_compiler::Source;
/// use gdl_network::Sheet;
///
/// let rules = "role(r)\nlegal(r, goA)\nlegal(r, goa)\ngoal(r, 0)\nterminal :- ~true(p)\n";
/// let source = Source::new("game.hrf", rules);
/// let sheet = Sheet::new(&source)?;
/// assert!(sheet.kif().starts_with("(role r)\n"));
/// assert_eq!(sheet.to_kif("goa"), "goa_");
/// assert_eq!(sheet.to_own("GOA_").as_deref(), Some("goa"));
/// # Ok::<(), Box<gdl_compiler::Diagnostics>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sheet {
    kif: Arc<str>,
    /// The mapping from the author's words to those of the KIF; `None` if they are the same.
    names: Option<Arc<Names>>,
}

impl Sheet {
    /// Converts a rulesheet to a sheet. KIF stays as it is.
    ///
    /// # Errors
    /// Returns the errors of a text in another syntax whose forms cannot be parsed.
    pub fn new(source: &Source) -> Result<Self, Box<Diagnostics>> {
        if Syntax::of(source.text()) == Syntax::Kif {
            return Ok(Self { kif: source.text().into(), names: None });
        }
        let conversion = convert(source, &Options::default(), Syntax::Kif)?;
        let names = Names::of_conversion(&conversion.text, &conversion.renamed);
        Ok(Self { kif: conversion.text.into(), names: Some(Arc::new(names)) })
    }

    /// Returns the rulesheet in KIF.
    #[must_use]
    pub fn kif(&self) -> &str {
        &self.kif
    }

    /// Returns the sheet with all symbols and variables replaced by words drawn from a seed, on one
    /// line. Numbers and keywords stay.
    #[must_use]
    pub fn scrambled(&self, seed: u64) -> Self {
        let (drawn, kif) = Names::scrambled(&self.kif, seed);
        let names = self.names.as_ref().map_or_else(|| drawn.clone(), |names| names.then(&drawn));
        Self { kif: kif.into(), names: Some(Arc::new(names)) }
    }

    /// Returns the mapping from this sheet's author's words to those of another sheet's author.
    /// Returns `None` if the two sheets differ in more than words.
    #[must_use]
    pub fn names_in(&self, other: &Self) -> Option<Names> {
        let between = Names::between(&self.kif, &other.kif)?;
        let own = self.names.as_ref().map_or_else(|| between.clone(), |names| names.then(&between));
        let others = other.names.as_ref().map(|names| Names::clone(names).reversed());
        Some(others.iter().fold(own, |own, others| own.then(others)))
    }

    /// Translates a term into the words of the KIF.
    #[must_use]
    pub fn to_kif(&self, term: &str) -> String {
        self.names.as_ref().map_or_else(|| term.to_owned(), |names| names.to_received(term))
    }

    /// Translates a term into the author's words. Returns `None` if a word of the term does not
    /// occur in the KIF.
    #[must_use]
    pub fn to_own(&self, term: &str) -> Option<String> {
        match &self.names {
            None => Some(term.to_owned()),
            Some(names) => names.knows(term).then(|| names.to_own(term)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(text: &str) -> Sheet {
        Sheet::new(&Source::new("game", text)).expect("a rulesheet that can be read")
    }

    /// A game with two moves that differ only in case.
    const CASE: &str = "role(r)\ninit(p)\nlegal(r,goA)\nlegal(r,goa)\nnext(p) :- does(r,goA)\n\
        terminal :- ~true(p)\ngoal(r,100)\n";

    #[test]
    fn words_that_differ_in_case_alone_stay_two() {
        let sheet = sheet(CASE);
        for sheet in [&sheet, &sheet.scrambled(3)] {
            let [one, other] = ["goA", "goa"].map(|own| sheet.to_kif(own));
            assert!(!one.eq_ignore_ascii_case(&other), "{one} {other}");
            for (own, received) in [("goA", one), ("goa", other)] {
                assert_eq!(sheet.to_own(&received.to_ascii_uppercase()).as_deref(), Some(own));
            }
            assert_eq!(sheet.to_own("stay"), None);
        }
    }

    #[test]
    fn sheets_of_all_syntaxes_are_compared_by_their_words() {
        let own = sheet(CASE);
        let kif = sheet(own.kif());
        let other = sheet(&CASE.replace(",goa)", ",x)").replace(",goA)", ",goa)"));
        for (from, to, pairs) in [
            (&own, &own, [("goA", "goA"), ("goa", "goa")]),
            (&own, &kif, [("goA", "goA"), ("goa", "goa_")]),
            (&kif, &own, [("goA", "goA"), ("goa_", "goa")]),
            (&own, &other, [("goA", "goa"), ("goa", "x")]),
            (&other, &own, [("goa", "goA"), ("x", "goa")]),
            // The author's words of a scrambled sheet are those before scrambling.
            (&own, &kif.scrambled(1), [("goA", "goA"), ("goa", "goa_")]),
        ] {
            let names = from.names_in(to).expect("the same game");
            for (word, expected) in pairs {
                assert_eq!(names.to_received(word), expected);
            }
        }
        // The two moves become one, so the sheets differ in more than words.
        assert!(own.names_in(&sheet(&CASE.replace(",goa)", ",goA)"))).is_none());
    }

    #[test]
    fn words_of_the_language_that_terms_have_are_told_apart() {
        let sheet = sheet(
            "role(r)\nlegal(r, not(a))\ninit(role)\ngoal(r, 0)\nterminal :- true(role) & ~does(r, not(a))\n",
        );
        assert_eq!(sheet.to_own(&sheet.to_kif("(not a)")).as_deref(), Some("(not a)"));
        assert_ne!(sheet.to_kif("(not a)"), "(not a)");
    }

    #[test]
    fn text_that_cannot_be_read_is_no_sheet() {
        let faults =
            Sheet::new(&Source::new("game", "role(r)\nlegal(r, go(\n")).expect_err("a parenthesis is open");
        assert!(faults.has_errors());
    }
}

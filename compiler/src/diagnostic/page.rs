//! The examples on the pages of the catalogue.
//!
//! A page is Markdown with fenced examples. A block fenced as `kif`, `infix` or `epilog` is a
//! rulesheet, or an addition to the [frame](frame) in that syntax. The words after the language are
//! options:
//!
//! | word | meaning |
//! |---|---|
//! | `wrong` | the compiler reports the page's code |
//! | `right` | the compiler reports nothing |
//! | `whole` | a whole rulesheet, not an addition |
//! | `controls` | pictures of control characters, such as ␇, stand for the characters |
//! | `latin1` | the file is in ISO 8859-1 |
//! | `NAME:NUMBER` | a limit, by the name of its field |

use super::Code;
use crate::Syntax;

/// The game in KIF that short examples add rules to.
pub const FRAME: &str = include_str!("../../diagnostics/frame.kif");

/// Returns the game that short examples add rules to, in the given syntax.
#[must_use]
pub fn frame(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Kif => FRAME,
        Syntax::Infix => include_str!("../../diagnostics/frame.infix"),
        Syntax::Epilog => include_str!("../../diagnostics/frame.epilog"),
    }
}

/// A fenced example of a page. Its fences are three backticks, or more if the example contains
/// three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The language and the options of the fence.
    pub info: &'static str,
    /// The text between the fences, with a line end after each line.
    pub text: &'static str,
}

impl Example {
    /// The language and the options of the fence, one by one.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.info.split(',')
    }

    /// True if the language or an option is this word.
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        self.words().any(|w| w == word)
    }

    /// The syntax of the rulesheet; `None` if the example is not a rulesheet.
    #[must_use]
    pub fn syntax(&self) -> Option<Syntax> {
        [Syntax::Kif, Syntax::Infix, Syntax::Epilog].into_iter().find(|syntax| self.is(syntax.name()))
    }

    /// The bytes of the example as a file, after the frame if it is an addition.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let syntax = self.syntax().unwrap_or_default();
        let mut text = if self.is("whole") { String::new() } else { frame(syntax).to_owned() };
        text.push_str(self.text);
        let characters = text.chars().map(|c| match c {
            '\u{2400}'..='\u{241F}' if self.is("controls") => (c as u8) as char,
            c => c,
        });
        if self.is("latin1") {
            characters.map(|c| c as u8).collect()
        } else {
            characters.collect::<String>().into()
        }
    }
}

impl Code {
    /// The examples on the code's page, in order. O(bytes).
    pub fn examples(&self) -> impl Iterator<Item = Example> + use<> {
        let mut rest = self.page;
        std::iter::from_fn(move || {
            let opened = &rest[rest.find("```")?..];
            let info = opened.trim_start_matches('`');
            let fence = &opened[..opened.len() - info.len()];
            let (info, behind) = info.split_once('\n')?;
            let (text, behind) = behind.split_once(fence)?;
            rest = behind;
            Some(Example { info, text })
        })
    }
}

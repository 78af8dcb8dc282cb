//! The pages of the catalogue, taken apart: which examples they have.
//!
//! A page is Markdown with fenced examples. What is fenced as `kif` is a
//! rulesheet, or an addition to [`FRAME`]; the words behind that say how it is to be read:
//!
//! | word | meaning |
//! |---|---|
//! | `wrong` | the compiler reports the page's code |
//! | `right` | the compiler has nothing to say |
//! | `whole` | a whole rulesheet, no addition |
//! | `controls` | pictures of control characters, such as ␇, stand for the characters |
//! | `latin1` | the file is in ISO 8859-1 |
//! | `NAME:NUMBER` | a limit, by the name of its field |

use super::Code;

/// The game that short examples are additions to.
pub const FRAME: &str = include_str!("../../diagnostics/frame.kif");

/// A fenced example of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The language and the words behind it, as the fence has them.
    pub info: &'static str,
    /// The text between the fences, with a line end behind each line.
    pub text: &'static str,
}

impl Example {
    /// The words behind the fence, the language first.
    pub fn words(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.info.split(',')
    }

    /// True if the fence has this word.
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        self.words().any(|w| w == word)
    }

    /// The file that the example stands for.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let mut text = if self.is("whole") { String::new() } else { FRAME.to_owned() };
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
            let fence = rest.find("```")? + "```".len();
            let (info, behind) = rest[fence..].split_once('\n')?;
            let (text, behind) = behind.split_once("```")?;
            rest = behind;
            Some(Example { info, text })
        })
    }
}

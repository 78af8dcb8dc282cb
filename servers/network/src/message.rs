//! Messages of the protocol: a text is parsed into a [`Request`] or a located [`MessageFault`], an
//! answer into a [`Reply`]. Both can be written again.
//!
//! A text is read token by token without recursion, so nested parentheses cost no more than their
//! bytes. Each reader bounds a message by [`MOST_BYTES`]. Keywords are recognised in any case;
//! other symbols keep their spelling. Managers write one of two [`Dialect`]s, which consist of the
//! same tokens.
//!
//! ```
//! use gdl_network::message::{Dialect, Request};
//!
//! let play: Request = "(PLAY M1 ((MARK 1 1) NOOP))".parse()?;
//! assert_eq!(play, Request::Play { id: "M1".into(), news: Some(vec!["(MARK 1 1)".into(), "NOOP".into()]) });
//! assert_eq!(play.write(Dialect::Base), "( PLAY M1 ( (MARK 1 1) NOOP ) )");
//!
//! let fault = "( PLAY m1 )".parse::<Request>().unwrap_err();
//! assert_eq!(fault.to_string(), "1:1: a PLAY has an id and a list of moves, found 1 item");
//! # Ok::<(), gdl_network::message::MessageFault>(())
//! ```

use std::{error::Error, fmt, str::FromStr};

/// The most bytes of a message: an untrusted rulesheet of the greatest size, and a line around it.
pub const MOST_BYTES: usize = (1 << 20) + (1 << 12);

/// The requests of a manager to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `INFO`: asks for the player's name, and whether it is free.
    Info,
    /// `PREVIEW`: announces rules that may be played later.
    Preview {
        /// The rulesheet, without the parentheses around it.
        rules: String,
        /// The time to think about it, in seconds.
        clock: u64,
    },
    /// `START`: begins a match.
    Start {
        /// The name of the match.
        id: String,
        /// The role to play.
        role: String,
        /// The rulesheet, without the parentheses around it.
        rules: String,
        /// The start clock, in seconds.
        start: u64,
        /// The play clock, in seconds.
        play: u64,
    },
    /// `PLAY`: reports the previous step and asks for a move.
    Play {
        /// The name of the match.
        id: String,
        /// The moves of all roles, in role order. If the rules use `sees`, the player's percepts.
        /// `None`, written `NIL`, before the first step.
        news: Option<Vec<String>>,
    },
    /// `STOP`: reports that the match is over.
    Stop {
        /// The name of the match.
        id: String,
        /// The news of the last step, as in a `PLAY`.
        news: Option<Vec<String>>,
    },
    /// `ABORT`: reports that the match was abandoned.
    Abort {
        /// The name of the match.
        id: String,
    },
}

/// The dialect in which messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The dialect of ggp-base's manager: spaces inside parentheses, symbols unchanged.
    #[default]
    Base,
    /// The dialect of Dresden's `GameController`: no optional spaces, all symbols in upper case.
    Controller,
}

/// The replies of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The answer to `INFO`.
    Info {
        /// The name of the player.
        name: String,
        /// False during a match.
        is_available: bool,
    },
    /// The answer to `PREVIEW` and `START`.
    Ready,
    /// The answer to any request except `INFO`, if the player is in another match or in no match of
    /// this name.
    Busy,
    /// The answer to `PLAY`: a term. `nil` and `busy`, which are moves of no game, are terms too.
    Move(String),
    /// The answer to `STOP`.
    Done,
    /// The answer to `ABORT`.
    Aborted,
}

/// An error in a message, with its place. `Display` writes one line, such as `1:7: a message is one
/// list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageFault {
    /// The error, as one plain sentence.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl MessageFault {
    fn new(text: &str, at: usize, message: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        Self {
            message: message.into(),
            line: before.matches('\n').count() + 1,
            column: before[line..].chars().count() + 1,
        }
    }
}

impl fmt::Display for MessageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl Error for MessageFault {}

/// A parenthesis or a word, with its offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) at: usize,
    pub(crate) text: &'t str,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// Iterates over the parentheses and words of a text, divided as by the compiler. Comments end with
/// their line.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            at += rest.find(|c| !is_space(c)).unwrap_or(rest.len());
            let rest = &text[at..];
            let length = match rest.chars().next()? {
                '(' | ')' => 1,
                ';' => {
                    at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                    continue;
                }
                _ => rest.find(|c| is_space(c) || matches!(c, '(' | ')' | ';')).unwrap_or(rest.len()),
            };
            let token = Token { at, text: &rest[..length] };
            at += length;
            return Some(token);
        }
    })
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{0C}')
}

/// An item of a list: a word, or a list with its parentheses.
#[derive(Clone, Copy, Debug)]
struct Item<'t> {
    at: usize,
    text: &'t str,
}

impl<'t> Item<'t> {
    /// Returns the text inside the parentheses of a list.
    fn inside(&self) -> Option<&'t str> {
        self.text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
    }

    fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }
}

/// Splits a text into items. More than `most` items are an error.
fn items(text: &str, most: usize) -> Result<Vec<Item<'_>>, MessageFault> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for token in tokens(text) {
        if depth == 0 {
            start = token.at;
        }
        match token.text {
            "(" => depth += 1,
            ")" if depth == 0 => return Err(MessageFault::new(text, token.at, "this `)` closes nothing")),
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            if items.len() == most {
                let noun = if most == 1 { "item" } else { "items" };
                return Err(MessageFault::new(text, start, format!("more than {most} {noun}")));
            }
            items.push(Item { at: start, text: &text[start..token.end()] });
        }
    }
    if depth > 0 { Err(MessageFault::new(text, start, "this `(` is never closed")) } else { Ok(items) }
}

/// Returns the first 64 words of a reply, more than any valid one has.
fn words(text: &str) -> Vec<&str> {
    tokens(text).map(|token| token.text).take(64).collect()
}

/// The maximum number of items in the news of a message. No step of a game has more roles or
/// percepts.
const MOST_ITEMS: usize = 1 << 14;

impl FromStr for Request {
    type Err = MessageFault;

    fn from_str(text: &str) -> Result<Self, MessageFault> {
        let whole = items(text, 1)?;
        let fault = |at: usize, message: &str| MessageFault::new(text, at, message);
        let Some(&list) = whole.first() else { return Err(fault(0, "there is no message")) };
        let Some(inside) = list.inside() else { return Err(fault(list.at, "a message is a list")) };
        // Places are counted in the whole text.
        let inside_at = list.at + 1;
        let moved = |inner: &MessageFault| {
            let within = MessageFault::new(text, inside_at, "");
            let column = if inner.line == 1 { within.column + inner.column - 1 } else { inner.column };
            MessageFault { message: inner.message.clone(), line: within.line + inner.line - 1, column }
        };
        let parts = items(inside, 16).map_err(|inner| moved(&inner))?;
        let [kind, parts @ ..] = &parts[..] else { return Err(fault(list.at, "the message is empty")) };
        let clock = |item: &Item<'_>| {
            let wrong = || fault(inside_at + item.at, "a clock is a whole number of seconds");
            item.text.parse::<u64>().map_err(|_| wrong())
        };
        let rules = |item: &Item<'_>| {
            let inside = item.inside().map(str::to_owned);
            inside.ok_or_else(|| fault(inside_at + item.at, "rules are a list of forms"))
        };
        let word = |item: &Item<'_>| match item.inside() {
            None => Ok(item.text.to_owned()),
            Some(_) => Err(fault(inside_at + item.at, "the id of a match is a word")),
        };
        let news = |item: &Item<'_>| match item.inside() {
            None if item.is("nil") => Ok(None),
            None => Err(fault(inside_at + item.at, "moves are a list, or NIL before the first")),
            Some(list) => {
                let terms = items(list, MOST_ITEMS).map_err(|inner| {
                    fault(inside_at + item.at, &format!("the list of moves: {}", inner.message))
                })?;
                Ok(Some(terms.iter().map(|term| normalise(term.text)).collect()))
            }
        };
        let count = |takes: &str| {
            let items = if parts.len() == 1 { "item" } else { "items" };
            fault(list.at, &format!("{takes}, found {} {items}", parts.len()))
        };
        match kind.text.to_ascii_uppercase().as_str() {
            "INFO" => match parts {
                [] => Ok(Self::Info),
                _ => Err(count("INFO has no arguments")),
            },
            "PREVIEW" => match parts {
                [sheet, time] => Ok(Self::Preview { rules: rules(sheet)?, clock: clock(time)? }),
                _ => Err(count("a PREVIEW has rules and a clock")),
            },
            "START" => match parts {
                [id, role, sheet, start, play] => Ok(Self::Start {
                    id: word(id)?,
                    role: normalise(role.text),
                    rules: rules(sheet)?,
                    start: clock(start)?,
                    play: clock(play)?,
                }),
                _ => Err(count("a START has an id, a role, rules and two clocks")),
            },
            "PLAY" => match parts {
                [id, list] => Ok(Self::Play { id: word(id)?, news: news(list)? }),
                _ => Err(count("a PLAY has an id and a list of moves")),
            },
            "STOP" => match parts {
                [id, list] => Ok(Self::Stop { id: word(id)?, news: news(list)? }),
                _ => Err(count("a STOP has an id and a list of moves")),
            },
            "ABORT" => match parts {
                [id] => Ok(Self::Abort { id: word(id)? }),
                _ => Err(count("an ABORT has an id")),
            },
            _ => Err(fault(
                inside_at + kind.at,
                "unknown message: expected INFO, PREVIEW, START, PLAY, STOP or ABORT",
            )),
        }
    }
}

impl Request {
    /// Returns the name of the request.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Info => "INFO",
            Self::Preview { .. } => "PREVIEW",
            Self::Start { .. } => "START",
            Self::Play { .. } => "PLAY",
            Self::Stop { .. } => "STOP",
            Self::Abort { .. } => "ABORT",
        }
    }

    /// Returns the id of the match, if the request has one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Info | Self::Preview { .. } => None,
            Self::Start { id, .. } | Self::Play { id, .. } | Self::Stop { id, .. } | Self::Abort { id } => {
                Some(id)
            }
        }
    }

    /// Writes the request on one line and without comments.
    #[must_use]
    pub fn write(&self, dialect: Dialect) -> String {
        let list = |items: &[String]| match dialect {
            Dialect::Base if items.is_empty() => "( )".to_owned(),
            Dialect::Base => format!("( {} )", items.join(" ")),
            Dialect::Controller => format!("({})", items.join(" ")),
        };
        let sheet = |rules: &str| list(&[normalise(rules)]);
        let news = |news: &Option<Vec<String>>| news.as_ref().map_or("NIL".to_owned(), |news| list(news));
        let parts = match self {
            Self::Info => vec![],
            Self::Preview { rules, clock } => vec![sheet(rules), clock.to_string()],
            Self::Start { id, role, rules, start, play } => {
                vec![id.clone(), role.clone(), sheet(rules), start.to_string(), play.to_string()]
            }
            Self::Play { id, news: told } | Self::Stop { id, news: told } => vec![id.clone(), news(told)],
            Self::Abort { id } => vec![id.clone()],
        };
        let text = list(&[vec![self.kind().to_owned()], parts].concat());
        if dialect == Dialect::Controller { text.to_ascii_uppercase() } else { text }
    }

    /// Parses a player's answer to this request.
    ///
    /// # Errors
    /// Returns an error if the text is no valid answer to it.
    pub fn read_reply(&self, text: &str) -> Result<Reply, MessageFault> {
        let words = words(text);
        let is = |word: &str| matches!(&words[..], [only] if only.eq_ignore_ascii_case(word));
        let reply = match self {
            Self::Info => {
                // Returns the word after a key that follows a parenthesis.
                let behind = |key: &str| {
                    let is_key = |pair: &[&str]| pair[0] == "(" && pair[1].eq_ignore_ascii_case(key);
                    let place = words.windows(2).position(is_key)?;
                    words.get(place + 2).copied().filter(|&word| word != ")" && word != "(")
                };
                let status = behind("status").or(if words.len() == 1 { Some(words[0]) } else { None });
                status.map(|status| Reply::Info {
                    name: behind("name").unwrap_or_default().to_owned(),
                    is_available: status.eq_ignore_ascii_case("available"),
                })
            }
            Self::Play { .. } => {
                let terms = items(text, 1)?;
                terms.first().map(|term| Reply::Move(normalise(term.text)))
            }
            _ if is("busy") => Some(Reply::Busy),
            Self::Preview { .. } | Self::Start { .. } => is("ready").then_some(Reply::Ready),
            Self::Stop { .. } => is("done").then_some(Reply::Done),
            Self::Abort { .. } => is("aborted").then_some(Reply::Aborted),
        };
        let article = if matches!(self, Self::Info | Self::Abort { .. }) { "an" } else { "a" };
        reply.ok_or_else(|| {
            MessageFault::new(text, 0, format!("this is not an answer to {article} {}", self.kind()))
        })
    }
}

/// Writes terms or rules in normal form: on one line, with one space between the items of a list,
/// and without comments.
pub(crate) fn normalise(terms: &str) -> String {
    let mut text = String::with_capacity(terms.len());
    for token in tokens(terms) {
        if token.text != ")" && !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        text.push_str(token.text);
    }
    text
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info { name, is_available } => {
                let status = if *is_available { "available" } else { "busy" };
                write!(f, "( ( name {name} ) ( status {status} ) )")
            }
            Self::Ready => f.write_str("ready"),
            Self::Busy => f.write_str("busy"),
            Self::Move(action) => f.write_str(action),
            Self::Done => f.write_str("done"),
            Self::Aborted => f.write_str("aborted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        text.parse::<Request>().expect_err(text).to_string()
    }

    #[test]
    fn faults_have_their_places() {
        for (text, expected) in [
            ("", "1:1: there is no message"),
            ("hello", "1:1: a message is a list"),
            ("()", "1:1: the message is empty"),
            ("(play m1", "1:1: this `(` is never closed"),
            ("(info))", "1:7: this `)` closes nothing"),
            ("(info) (info)", "1:8: more than 1 item"),
            ("(info now)", "1:1: INFO has no arguments, found 1 item"),
            ("( DANCE m1 )", "1:3: unknown message: expected INFO, PREVIEW, START, PLAY, STOP or ABORT"),
            ("(start m1 x\n ((role x)) ten 1)", "2:13: a clock is a whole number of seconds"),
            ("(start m1 x rules 10 1)", "1:13: rules are a list of forms"),
            ("(play (m 1) nil)", "1:7: the id of a match is a word"),
            ("(play m1 noop)", "1:10: moves are a list, or NIL before the first"),
            ("(start m1 x ((role x)) 18446744073709551616 1)", "1:24: a clock is a whole number of seconds"),
        ] {
            assert_eq!(fault(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "(".repeat(400_000);
        assert!(fault(&deep).ends_with("this `(` is never closed"));
        let closed = format!("(play m1 ({}{}))", "(".repeat(200_000), ")".repeat(200_000));
        assert!(closed.parse::<Request>().is_ok());
        let wide = format!("(play m1 ({}))", "a ".repeat(100_000));
        assert!(fault(&wide).contains("more than 16384 items"), "{}", fault(&wide));
    }

    #[test]
    fn answers_are_read_by_what_was_asked() {
        let play = Request::Play { id: "m".into(), news: None };
        let stop = Request::Stop { id: "m".into(), news: None };
        assert_eq!(play.read_reply("( mark 1\n 1 )"), Ok(Reply::Move("(mark 1 1)".into())));
        assert_eq!(play.read_reply("busy"), Ok(Reply::Move("busy".into())));
        assert!(play.read_reply("(mark 1").is_err() && play.read_reply("").is_err());
        assert!(play.read_reply("mark 1 1").is_err());
        assert_eq!(stop.read_reply("DONE"), Ok(Reply::Done));
        assert_eq!(stop.read_reply(" busy "), Ok(Reply::Busy));
        assert!(stop.read_reply("ready").is_err());
        for (text, name, is_available) in [
            ("( ( name gdl ) ( status available ) )", "gdl", true),
            ("((NAME GDL)(STATUS BUSY))", "GDL", false),
            ("((status available)(species alien)(name x))", "x", true),
            ("available", "", true),
            ("((status available)(name status))", "status", true),
        ] {
            let reply = Request::Info.read_reply(text);
            assert_eq!(reply, Ok(Reply::Info { name: name.into(), is_available }), "{text}");
        }
        assert!(Request::Info.read_reply("( ( name x ) )").is_err());
    }
}

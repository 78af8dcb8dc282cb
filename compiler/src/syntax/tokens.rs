//! The tokens of infix GDL and Epilog, by the pest grammar `signs.pest`.

use super::chunk::chunk;
use crate::diagnostic::Span;
use grammar::{Rule, Signs};
use pest::Parser as _;

#[allow(unreachable_pub, missing_docs, reason = "what pest derives is public and bare")]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "syntax/signs.pest"]
    pub(super) struct Signs;
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word,
    Sign,
    Comment,
    Text,
    Other,
}

/// The tokens of a text, without white space and byte order mark.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (Token, Span)> + '_ {
    let mut next = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let mut ready: Vec<(Token, Span)> = Vec::new();
    std::iter::from_fn(move || {
        while ready.is_empty() {
            let rest = text.get(next..).filter(|rest| !rest.is_empty())?;
            let opens = |byte: u8| matches!(byte, b'%' | b';' | b'"');
            let between = |byte: u8| byte <= b' ' || matches!(byte, b'(' | b')' | b',');
            let end = chunk(rest, opens, between);
            // The grammar accepts any text, so there is no error to report.
            let pairs = Signs::parse(Rule::tokens, &rest[..end])
                .into_iter()
                .flatten()
                .flat_map(pest::iterators::Pair::into_inner);
            ready.extend(pairs.filter_map(|pair| {
                let token = match pair.as_rule() {
                    Rule::word => Token::Word,
                    Rule::sign => Token::Sign,
                    Rule::comment => Token::Comment,
                    Rule::string => Token::Text,
                    Rule::other => Token::Other,
                    _ => return None,
                };
                let span = pair.as_span();
                Some((token, Span::new(next + span.start(), next + span.end())))
            }));
            ready.reverse();
            next += end;
        }
        ready.pop()
    })
}

//! What the expansions of `gdl!` call. No part of the public interface: it changes with the macro,
//! whose version the runtime pins.

pub use crate::{
    bits::Bits,
    error::TextError as UnknownName,
    game::{Game, Id, NoPercept, Shape},
    lanes::{Chunk, Code, Groups, Slots, Source, add, choose, choose_counted},
    simd::{Plane, Word},
    table::Table,
    vocabulary::{Texts, Vocabulary},
};
pub use core;
pub use std::sync::OnceLock;

use std::fmt::Write;

/// The table of an expansion.
///
/// # Panics
/// If macro and runtime do not belong together.
#[must_use]
pub fn decode(bytes: &[u8]) -> Table {
    match Table::decode(bytes) {
        Ok(table) => table,
        Err(error) => panic!("gdl! and gdl_runtime do not fit: {error}"),
    }
}

/// The table of an expansion that has straight-line code for its lanes.
///
/// # Panics
/// If macro and runtime do not belong together.
#[must_use]
pub fn decode_with<C: Code + Sync>(bytes: &[u8], code: &'static C) -> Table {
    decode(bytes).with_straight(code)
}

/// An argument of a constructor such as `Move::mark(1, "a")`.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// A number; `None` if it is beyond all that a rulesheet's names have.
    Integer(Option<i64>),
    /// KIF text.
    Text(&'a str),
}

impl Argument<'_> {
    /// A number of whatever type.
    pub fn integer(number: impl TryInto<i64>) -> Self {
        Self::Integer(number.try_into().ok())
    }
}

/// The id of the name with this head and these arguments.
pub fn find<I: Id>(texts: &Texts, head: &str, arguments: &[Argument<'_>]) -> Option<I> {
    if arguments.is_empty() {
        return texts.find(head).map(I::from_index);
    }
    let mut text = format!("({head}");
    for argument in arguments {
        match argument {
            Argument::Integer(number) => write!(text, " {}", (*number)?).ok()?,
            Argument::Text(part) => {
                text.push(' ');
                text.push_str(part);
            }
        }
    }
    text.push(')');
    texts.find(&text).map(I::from_index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_head_and_arguments() {
        let texts = Texts::new(["(at -1 (s 0))", "(at 1 b)", "noop"]);
        assert_eq!(find::<usize>(&texts, "at", &[Argument::integer(1), Argument::Text("b")]), Some(1));
        assert_eq!(
            find(&texts, "at", &[Argument::integer(-1_i64), Argument::Text("( s 0 )")]),
            Some(0_usize)
        );
        assert_eq!(find::<usize>(&texts, "at", &[Argument::integer(u64::MAX), Argument::Text("b")]), None);
        assert_eq!(find::<usize>(&texts, "at", &[Argument::integer(1_u8)]), None);
        assert_eq!(find::<usize>(&texts, "noop", &[]), Some(2));
    }
}

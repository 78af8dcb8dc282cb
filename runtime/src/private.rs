//! The items that expansions of `gdl!` use. Not part of the public interface: they change with the
//! macro, whose version the runtime pins.

pub use crate::{
    bits::Bits,
    game::{Game, GameExt, Id, NoPercept, Shape, TextError as UnknownName},
    lanes::{
        choice::{Groups, choose},
        code::{Code, add},
        counted::choose_counted,
        noise::Source,
    },
    simd::{Apart, Line, Plane, Slots, Vector, View, Word, run},
    table::Table,
    vocabulary::{Texts, Vocabulary},
};
pub use core;

use crate::lanes::Straight;
use gdl_format::table::has_this_version;
use std::{fmt::Write, sync::OnceLock};

/// The table of an expansion, decoded on first use. The decoder is compiled once, with the runtime.
#[derive(Debug)]
pub struct Decoded {
    bytes: &'static [u8],
    straight: Option<Straight>,
    /// A reference rather than a value: the drop glue of a table would be compiled with each game,
    /// though no static value is dropped.
    table: OnceLock<&'static Table>,
}

impl Decoded {
    /// Wraps the bytes of a table. In a constant, differing versions of macro and runtime are a
    /// compile-time error.
    #[must_use]
    pub const fn new(bytes: &'static [u8]) -> Self {
        check(bytes);
        Self { bytes, straight: None, table: OnceLock::new() }
    }

    /// Wraps the bytes of a table, with straight-line code for its lanes.
    #[must_use]
    pub const fn with<C: Code + Sync>(bytes: &'static [u8], code: &'static C) -> Self {
        check(bytes);
        Self { bytes, straight: Some(Straight::new(code)), table: OnceLock::new() }
    }

    /// Returns the table, and decodes it on the first call.
    ///
    /// # Panics
    /// Panics if the versions of macro and runtime differ.
    #[inline]
    #[must_use]
    pub fn get(&'static self) -> &'static Table {
        match self.table.get() {
            Some(table) => table,
            None => self.decode(),
        }
    }

    #[cold]
    fn decode(&'static self) -> &'static Table {
        self.table.get_or_init(|| match Table::decode(self.bytes) {
            Ok(table) => Box::leak(Box::new(table.with_straight(self.straight))),
            Err(error) => panic!("gdl! and gdl_runtime do not match: {error}"),
        })
    }
}

/// Panics, at compile time in a constant, if this runtime cannot read the table.
const fn check(bytes: &[u8]) {
    assert!(has_this_version(bytes), "gdl! and gdl_runtime do not match: their versions differ");
}

/// An argument of a constructor such as `Move::mark(1, "a")`.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// A number; `None` if it does not fit an `i64`, so that no name matches.
    Integer(Option<i64>),
    /// KIF text.
    Text(&'a str),
}

impl Argument<'_> {
    /// Wraps a number of any integer type.
    pub fn integer(number: impl TryInto<i64>) -> Self {
        Self::Integer(number.try_into().ok())
    }
}

/// Returns the id of the name with this head and these arguments.
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
    use crate::dynamic::MoveId;

    #[test]
    fn names_are_found_by_head_and_arguments() {
        let texts = Texts::new(["(at -1 (s 0))", "(at 1 b)", "noop"]);
        assert_eq!(
            find::<MoveId>(&texts, "at", &[Argument::integer(1), Argument::Text("b")]),
            Some(MoveId::from_index(1))
        );
        assert_eq!(
            find::<MoveId>(&texts, "at", &[Argument::integer(-1_i64), Argument::Text("( s 0 )")]),
            Some(MoveId::from_index(0))
        );
        assert_eq!(find::<MoveId>(&texts, "at", &[Argument::integer(u64::MAX), Argument::Text("b")]), None);
        assert_eq!(find::<MoveId>(&texts, "at", &[Argument::integer(1_u8)]), None);
        assert_eq!(find::<MoveId>(&texts, "noop", &[]), Some(MoveId::from_index(2)));
    }
}

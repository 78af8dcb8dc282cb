//! The orientation of a board by the names of variables in the rulesheet: `(cell ?row ?col ?mark)`
//! has the row first.
//!
//! Each atom of the board's relation has a vote if a coordinate has one of these names. The
//! majority decides. With `row` or `r` before `col` or `c`, rows run down, as in tables. With `y`
//! before `x`, rows run up, as in mathematics. The last of three coordinates distinguishes the
//! boards if it is called `board`, `grid`, `z`, `level` or `layer`. Other names have no effect, and
//! neither have rules in a syntax other than KIF.

use super::Board;
use crate::kif;

/// The maximum length of an atom in bytes; longer atoms are skipped.
const LONGEST: usize = 200;

/// The meaning of a coordinate, by the name of its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    Row,
    Column,
    Up,
    Across,
    Layer,
    Other,
}

impl Called {
    fn of(argument: &str) -> Self {
        let Some(name) = argument.strip_prefix('?') else { return Self::Other };
        let name = name.to_ascii_lowercase();
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_' || c == '\'');
        match name {
            "r" => Self::Row,
            "c" => Self::Column,
            "y" => Self::Up,
            "x" => Self::Across,
            "board" | "grid" | "z" | "level" | "layer" => Self::Layer,
            _ if name.starts_with("row") => Self::Row,
            _ if name.starts_with("col") && !name.starts_with("colo") => Self::Column,
            _ => Self::Other,
        }
    }
}

impl Board {
    /// Turns the board as the names of its coordinates in the rulesheet require.
    pub(super) fn meant(mut self, rulesheet: &str) -> Self {
        let arguments: Vec<usize> = self.axes.iter().map(|axis| axis.argument).collect();
        let (mut tables, mut graphs, mut others, mut layers) = (0, 0, 0, 0);
        let head = format!("({} ", self.relation);
        for (place, _) in rulesheet.match_indices(&head) {
            let within = rulesheet.as_bytes()[place..].iter().take(LONGEST);
            let Some(end) = within.into_iter().position(|&byte| byte == b')') else { continue };
            let Some(items) = kif::items(&rulesheet[place..=place + end]) else { continue };
            let called =
                |at: &usize| items.get(at + 1).map_or(Called::Other, |argument| Called::of(argument));
            let called: Vec<Called> = arguments.iter().map(called).collect();
            match called[..] {
                [.., Called::Row, Called::Column] => tables += 1,
                [.., Called::Up, Called::Across] => graphs += 1,
                [_, _, Called::Layer] => layers += 1,
                _ => others += usize::from(called.iter().any(|name| *name != Called::Other)),
            }
        }
        let pair = self.axes.len() == 2 || self.axes.len() == 3;
        if self.axes.len() == 3 && layers > tables + graphs {
            self.layer_last();
        } else if pair && tables + graphs > others && !self.has_rows_first() {
            self.transpose();
            if graphs > tables {
                self.flip();
            }
        }
        self
    }
}

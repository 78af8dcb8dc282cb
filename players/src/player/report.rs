//! Reports of searches: statistics as fields for programs, and as a line of text.

use std::fmt;

/// A report of the last search. Statistics that a search does not compute are 0 or empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The number of visited states.
    pub nodes: u64,
    /// The number of random games played.
    pub playouts: u64,
    /// The depth in joint moves: the last depth that was searched completely, or the depth of the
    /// deepest node of a tree.
    pub depth: u32,
    /// The number of nodes whose remaining moves were pruned.
    pub cutoffs: u64,
    /// The number of nodes answered by the transposition table.
    pub table_hits: u64,
    /// The bytes of memory in use.
    pub bytes: u64,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The expected goal of the role, 0 to 100.
    pub value: Option<f64>,
    /// True if the value is proved.
    pub exact: bool,
    /// The principal variation: the expected joint moves as far as known, each a KIF list in role
    /// order.
    pub line: Vec<String>,
    /// The role's legal moves, best first; empty if the search does not rank them.
    pub moves: Vec<MoveStats>,
    /// A remark, such as the reason why a game was not solved.
    pub note: Option<String>,
}

/// The statistics of a legal move.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MoveStats {
    /// The move, as KIF text.
    pub action: String,
    /// The number of times the search tried the move.
    pub visits: u64,
    /// The expected goal of the role after the move, 0 to 100.
    pub value: f64,
}

/// Formats one line, for example `value 50.0 exact, depth 9, 549 nodes (120 cut off, 31 known) in
/// 0.001 s: ..`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(value) = self.value {
            write!(f, "value {value:.1}{}, ", if self.exact { " exact" } else { "" })?;
        }
        if self.depth > 0 {
            write!(f, "depth {}, ", self.depth)?;
        }
        if self.nodes > 0 {
            write!(f, "{} nodes ", self.nodes)?;
            if self.cutoffs + self.table_hits > 0 {
                write!(f, "({} cut off, {} known) ", self.cutoffs, self.table_hits)?;
            }
        }
        if self.playouts > 0 {
            write!(f, "{} playouts ", self.playouts)?;
        }
        write!(f, "in {:.3} s", self.seconds)?;
        if !self.line.is_empty() {
            write!(f, ": {}", self.line.join(" "))?;
        }
        if let Some(note) = &self.note {
            write!(f, "; {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_counted() {
        let report = Report {
            nodes: 12,
            cutoffs: 3,
            depth: 2,
            value: Some(50.0),
            exact: true,
            line: vec!["(a noop)".into(), "(noop b)".into()],
            note: Some("not solved".into()),
            ..Report::default()
        };
        let line = "value 50.0 exact, depth 2, 12 nodes (3 cut off, 0 known) in 0.000 s: (a noop) (noop b); not solved";
        assert_eq!(report.to_string(), line);
        assert_eq!(Report::default().to_string(), "in 0.000 s");
    }
}

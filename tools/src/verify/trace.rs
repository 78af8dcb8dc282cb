//! Reference traces: the results of another reasoner, read from JSON.
//!
//! The text of a `ggp-oracle-trace-1` file becomes a [`Trace`]. Every list of terms in it is sorted
//! by bytes. Fields that no check needs are ignored. A trace has at most [`MOST_BYTES`].

use gdl_players::record::Record;
use serde::Deserialize;
use std::io::Read;

/// The format this module reads.
pub const FORMAT: &str = "ggp-oracle-trace-1";

/// The greatest length of a trace in bytes. Traces of the public rulesheets have some megabytes.
pub const MOST_BYTES: usize = 256 << 20;

/// The trace of one game.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    /// Always [`FORMAT`].
    pub format: String,
    /// The rulesheet's name, without its ending.
    pub name: String,
    /// `ok`, `partial` or `failed`. The content of a partial trace is right, but the reasoner was
    /// cut off.
    pub status: String,
    /// The problems that the reasoner reported.
    #[serde(default)]
    pub problems: Vec<String>,
    /// The players, in the order of the rules.
    pub roles: Vec<String>,
    /// The fluents of the initial state.
    pub initial_state: Vec<String>,
    /// True if the initial state is terminal.
    pub initial_terminal: bool,
    /// Each player's legal moves in the initial state.
    pub initial_legals: Vec<Vec<String>>,
    /// Each player's goal values in the initial state.
    pub initial_goal_values: Vec<Vec<String>>,
    /// The numbers of joint move sequences of length 1, 2, ..
    #[serde(default)]
    pub perft: Vec<u128>,
    /// The numbers of distinct states at depth 0, 1, ..
    #[serde(default)]
    pub distinct_states: Vec<u128>,
    /// For each depth, the hash of the sorted hashes of the distinct states.
    #[serde(default)]
    pub level_hash: Vec<String>,
    /// The numbers of distinct terminal states at depth 0, 1, ..
    #[serde(default)]
    pub terminal_distinct: Vec<u128>,
    /// The numbers of joint move sequences that end in a terminal state at depth 0, 1, ..
    #[serde(default)]
    pub terminal_sequences: Vec<u128>,
    /// The random games.
    #[serde(default)]
    pub playouts: Vec<Playout>,
}

impl Trace {
    /// Reads a trace from an untrusted reader, which may be endless.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, has more than `most` bytes, or is not a trace.
    pub fn receive(reader: impl Read, most: usize) -> Result<Self, String> {
        let mut bytes = Vec::new();
        // One byte more than `most` shows that the trace is too long.
        reader.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() > most {
            return Err(format!("a trace has at most {most} bytes"));
        }
        Self::read(std::str::from_utf8(&bytes).map_err(|error| format!("not a trace: {error}"))?)
    }

    /// Reads a trace.
    ///
    /// # Errors
    /// Returns an error with its position if the text is not a trace.
    pub fn read(text: &str) -> Result<Self, String> {
        let trace: Self = serde_json::from_str(text).map_err(|error| {
            // The record of a match has no hashes and counts; another command compares it.
            if serde_json::from_str::<Record>(text).is_ok() {
                "this is the record of a match: compare it with the rules by `gdl test RULES FILE`".to_owned()
            } else {
                format!("not a trace: {error}")
            }
        })?;
        if trace.format == FORMAT {
            Ok(trace)
        } else {
            Err(format!("not a trace: the format is `{}`, not `{FORMAT}`", trace.format))
        }
    }
}

/// One random game.
#[derive(Clone, Debug, Deserialize)]
pub struct Playout {
    /// The number of the playout.
    pub k: usize,
    /// The steps, in order.
    pub steps: Vec<TraceStep>,
    /// The last state.
    pub end: TraceEnd,
}

/// A state and the joint move made in it.
#[derive(Clone, Debug, Deserialize)]
pub struct TraceStep {
    /// The joint move.
    pub j: Vec<String>,
    /// The number of each player's legal moves.
    pub n: Vec<usize>,
    /// The hash of each player's legal moves.
    pub lh: Vec<String>,
    /// The hash of the state's fluents.
    pub sh: String,
    /// The number of fluents of the state.
    pub nf: usize,
    /// Each player's legal moves in full. Recorded only at the start of the first playout.
    pub legals: Option<Vec<Vec<String>>>,
    /// The fluents of the state. Recorded only at the start of the first playout.
    pub state: Option<Vec<String>>,
    /// Each player's goal values. Recorded only at the start of the first playout.
    pub goals: Option<Vec<Vec<String>>>,
}

/// The last state of a playout.
#[derive(Clone, Debug, Deserialize)]
pub struct TraceEnd {
    /// The number of joint moves of the playout.
    pub length: usize,
    /// True if the state is terminal.
    pub terminal: bool,
    /// The reason why the playout stopped, if the state is not terminal.
    pub capped: Option<String>,
    /// The hash of the state's fluents.
    pub sh: String,
    /// The number of fluents of the state.
    pub nf: usize,
    /// The fluents of the state, if recorded.
    pub state: Option<Vec<String>>,
    /// Each player's goal values, if the state is terminal.
    pub goal_values: Option<Vec<Vec<String>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_it() {
        let endless = Trace::receive(std::io::repeat(b' '), 1_000);
        assert_eq!(endless.expect_err("it has no end"), "a trace has at most 1000 bytes");
        let short = Trace::receive(&b"{}"[..], 2).expect_err("no fields");
        assert!(short.starts_with("not a trace"), "{short}");
    }
}

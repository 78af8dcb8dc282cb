//! Reference traces: what another reasoner found, read from JSON.
//!
//! The text of a `ggp-oracle-trace-1` file becomes a [`Trace`]. Every list of terms in it is sorted
//! by bytes. Fields a check does not need are not read. A trace has no more than [`MOST_BYTES`].

use gdl_players::record::Record;
use serde::Deserialize;
use std::io::Read;

/// The format this module reads.
pub const FORMAT: &str = "ggp-oracle-trace-1";

/// Traces of more bytes are not read; those of the public rulesheets have some megabytes.
pub const MOST_BYTES: usize = 256 << 20;

/// One game's trace.
#[derive(Clone, Debug, Deserialize)]
pub struct Trace {
    /// Always [`FORMAT`].
    pub format: String,
    /// The rulesheet's name, without its ending.
    pub name: String,
    /// `ok`; `partial` if the reasoner was cut off, when what is there is right; or `failed`.
    pub status: String,
    /// The problems that the reasoner reported.
    #[serde(default)]
    pub problems: Vec<String>,
    /// The players, in the order of the text.
    pub roles: Vec<String>,
    /// The fluents at the start.
    pub initial_state: Vec<String>,
    /// True if the game is over at the start.
    pub initial_terminal: bool,
    /// Each player's moves at the start.
    pub initial_legals: Vec<Vec<String>>,
    /// Each player's goal values at the start.
    pub initial_goal_values: Vec<Vec<String>>,
    /// Joint move sequences of length one, two and so on.
    #[serde(default)]
    pub perft: Vec<u128>,
    /// Distinct states at depth zero, one and so on.
    #[serde(default)]
    pub distinct_states: Vec<u128>,
    /// For each depth the hash over the sorted hashes of the distinct states.
    #[serde(default)]
    pub level_hash: Vec<String>,
    /// Distinct terminal states at depth zero, one and so on.
    #[serde(default)]
    pub terminal_distinct: Vec<u128>,
    /// Joint move sequences that end in a terminal state at depth zero, one and so on.
    #[serde(default)]
    pub terminal_sequences: Vec<u128>,
    /// Games played at random.
    #[serde(default)]
    pub playouts: Vec<Playout>,
}

impl Trace {
    /// Reads a trace from what may have no end.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, has more bytes than that, or is not a trace.
    pub fn receive(reader: impl Read, most: usize) -> Result<Self, String> {
        let mut bytes = Vec::new();
        // One byte more shows that there are more.
        reader.take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() > most {
            return Err(format!("a trace has at most {most} bytes"));
        }
        Self::read(std::str::from_utf8(&bytes).map_err(|error| format!("not a trace: {error}"))?)
    }

    /// Reads a trace.
    ///
    /// # Errors
    /// Returns an error with the place if the text is not a trace.
    pub fn read(text: &str) -> Result<Self, String> {
        let trace: Self = serde_json::from_str(text).map_err(|error| {
            // A record has no hashes and counts: it is another comparison.
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

/// One game played at random.
#[derive(Clone, Debug, Deserialize)]
pub struct Playout {
    /// Its number.
    pub k: usize,
    /// The states and the moves made in them.
    pub steps: Vec<Step>,
    /// Its end.
    pub end: End,
}

/// A state and the joint move made in it.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// The joint move.
    pub j: Vec<String>,
    /// The number of moves of each player.
    pub n: Vec<usize>,
    /// The hash of each player's moves.
    pub lh: Vec<String>,
    /// The hash of the state.
    pub sh: String,
    /// The number of its fluents.
    pub nf: usize,
    /// Each player's moves in full, at the start of the first playout.
    pub legals: Option<Vec<Vec<String>>>,
    /// The state in full, under the same condition.
    pub state: Option<Vec<String>>,
    /// Each player's goal values, under the same condition.
    pub goals: Option<Vec<Vec<String>>>,
}

/// The last state of a playout.
#[derive(Clone, Debug, Deserialize)]
pub struct End {
    /// The number of joint moves that led there.
    pub length: usize,
    /// True if the game is over.
    pub terminal: bool,
    /// The reason why the playout stopped, if the game is not over.
    pub capped: Option<String>,
    /// The hash of the state.
    pub sh: String,
    /// The number of its fluents.
    pub nf: usize,
    /// The state in full, where recorded.
    pub state: Option<Vec<String>>,
    /// Each player's goal values, if the game is over.
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

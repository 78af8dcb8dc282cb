//! Plays in files: matches in the form of ggp-base, and plays of people.

use crate::{
    error::{Error, Result},
    load,
};
use gdl_players::record::Record;
use gdl_runtime::history::Transcript;
use serde::Deserialize;
use std::path::Path;

/// A play in a file, in one of two formats.
#[derive(Deserialize)]
#[serde(untagged)]
enum Play {
    Recorded(Box<Record>),
    Saved(Transcript),
}

/// Reads the joint moves of a play from the initial state, as KIF texts in role order. For a play
/// with branches, returns the line through its current place, continued by the latest step at each
/// place.
///
/// # Errors
/// Returns an error if the file cannot be read, or is not a play.
pub fn joint_moves(path: &Path) -> Result<Vec<Vec<String>>> {
    let play = serde_json::from_str(&load::text(path)?).map_err(|_| {
        let name = path.display();
        Error::Input(format!("{name} is neither a saved play nor the record of a match"))
    })?;
    let transcript = match play {
        Play::Recorded(record) => return Ok(record.moves),
        Play::Saved(transcript) => transcript,
    };
    let mut line = Vec::new();
    let mut at = transcript.at;
    // A step from a later place is invalid, and would make this loop endless.
    while let Some(step) = at.checked_sub(1).and_then(|place| transcript.steps.get(place)) {
        line.push(step.moves.clone());
        if step.from >= at {
            break;
        }
        at = step.from;
    }
    line.reverse();
    let mut at = transcript.at;
    while let Some(next) =
        transcript.steps.iter().rposition(|step| step.from == at).filter(|&next| next >= at)
    {
        line.push(transcript.steps[next].moves.clone());
        at = next + 1;
    }
    Ok(line)
}

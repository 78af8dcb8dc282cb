//! Documents: the results of a shard, as JSON that `cli/schema/shard.json` describes, with errors
//! for invalid texts.

use super::{Subject, fingerprint_of, job::Job, sums::Sums};
use crate::error::{Error, Result};
use gdl_runtime::Game;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// The format of documents.
pub const FORMAT: &str = "gdl-shard-1";

/// The version of this program. Documents of another version may have other numbers.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The greatest length of a document in bytes.
pub const MAX_BYTES: u64 = 1 << 28;

/// The most players of a match. The counts of a document grow with the square of their number.
const MOST_PLAYERS: usize = 256;

/// Finished blocks and their sums. The parts are in block order, with gaps between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub(super) format: String,
    pub(super) version: String,
    /// The fingerprint of the rulesheet, or of all rulesheets.
    pub(super) fingerprint: String,
    /// The names of the roles.
    pub(super) roles: Vec<String>,
    /// The index of the chance role.
    pub(super) chance: Option<usize>,
    pub(super) seed: u64,
    /// The job.
    pub job: Job,
    /// The number of all blocks of the job.
    pub blocks: u64,
    /// The finished ranges of blocks.
    pub parts: Vec<Part>,
    /// The ranges of blocks that are missing; set by [`merge`](super::merge).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<[u64; 2]>>,
    /// Means and intervals; set by [`merge`](super::merge).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
}

/// A finished range of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The first block and the end of the range.
    pub blocks: [u64; 2],
    /// The sums over these blocks.
    #[serde(flatten)]
    pub sums: Sums,
}

impl Document {
    /// Creates a document without parts.
    pub(super) fn new(subject: &Subject<'_>, job: Job, seed: u64) -> Self {
        let (roles, chance) = match subject {
            Subject::Game(game, _) => {
                let vocabulary = game.vocabulary();
                (vocabulary.roles().iter().map(str::to_owned).collect(), vocabulary.chance())
            }
            Subject::Rulesheets(_) => (Vec::new(), None),
        };
        Self {
            format: FORMAT.to_owned(),
            version: VERSION.to_owned(),
            fingerprint: fingerprint_of(subject),
            roles,
            chance,
            seed,
            job,
            blocks: 0,
            parts: Vec::new(),
            missing: None,
            summary: None,
        }
    }

    /// Returns the document as JSON text.
    #[must_use]
    pub fn text(&self) -> String {
        // Names and numbers always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Parses a document, which messages call `name`.
    ///
    /// # Errors
    /// Returns an error if the text is not a document, has another version, or has impossible
    /// values.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let fault = |what: String, help: &str| Err(Error::Input(format!("{name} {what}\n\nhelp: {help}")));
        let again = "run that shard again: a run that was stopped may leave half a file";
        if text.trim().is_empty() {
            return fault("is empty".to_owned(), again);
        }
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) if error.is_eof() => return fault(format!("breaks off: {error}"), again),
            Err(error) => return fault(format!("is not JSON: {error}"), "give files that `gdl shard` wrote"),
        };
        match value.get("format").and_then(Value::as_str) {
            Some(FORMAT) => {}
            Some(other) if other.starts_with("gdl-shard-") => {
                return fault(
                    format!("has the format {other}, not {FORMAT}"),
                    "use one version of gdl for all",
                );
            }
            _ => {
                return fault(
                    "is not a shard".to_owned(),
                    "give files that `gdl shard` or `gdl shard merge` wrote",
                );
            }
        }
        match value.get("version").and_then(Value::as_str) {
            Some(VERSION) => {}
            other => {
                let other = other.unwrap_or("an unknown version");
                return fault(
                    format!("was made by gdl {other}, but this is gdl {VERSION}"),
                    "use one version of gdl for all shards and to merge them: versions may play different games",
                );
            }
        }
        let damaged = "run that shard again: this file is damaged, or was changed by hand";
        let document: Self = match serde_json::from_value(value) {
            Ok(document) => document,
            Err(error) => return fault(format!("is not a valid shard: {error}"), damaged),
        };
        match document.check() {
            Ok(()) => Ok(document),
            Err(what) => fault(format!("is not a valid shard: {what}"), damaged),
        }
    }

    fn check(&self) -> std::result::Result<(), String> {
        self.job.check()?;
        if self.job.blocks().is_some_and(|blocks| blocks != self.blocks) {
            return Err(format!("its job does not have {} blocks", self.blocks));
        }
        if self.chance.is_some_and(|chance| chance >= self.roles.len()) {
            return Err("its role of chance does not exist".to_owned());
        }
        if matches!(&self.job, Job::Matches { players, .. } if players.len() > self.roles.len().min(MOST_PLAYERS))
        {
            return Err("it has more players than roles".to_owned());
        }
        let mut done = 0;
        for part in &self.parts {
            let [start, end] = part.blocks;
            if start < done || end <= start || end > self.blocks {
                return Err(format!("its blocks {start}..{end} are out of order or do not exist"));
            }
            if !part.sums.fit(&self.job, self.roles.len(), start..end) {
                return Err(format!("its sums are impossible for blocks {start}..{end}"));
            }
            done = end;
        }
        Ok(())
    }

    /// Returns the missing ranges of blocks, in order.
    pub(super) fn gaps(&self) -> Vec<Range<u64>> {
        let ends = [0].into_iter().chain(self.parts.iter().map(|part| part.blocks[1]));
        let starts = self.parts.iter().map(|part| part.blocks[0]).chain([self.blocks]);
        ends.zip(starts).map(|(end, start)| end..start).filter(|gap| !gap.is_empty()).collect()
    }

    /// Returns the sums over all its blocks.
    #[must_use]
    pub fn total(&self) -> Sums {
        let mut parts = self.parts.iter().map(|part| part.sums.clone());
        let mut total = parts.next().unwrap_or_else(|| Sums::none(&self.job, self.roles.len()));
        parts.for_each(|sums| total.add(sums));
        total
    }

    /// Returns whether no block is missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.gaps().is_empty()
    }

    /// Returns the names of the roles.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.roles
    }
}

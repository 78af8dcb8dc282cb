//! Merging: makes one document of several for the same job. The result does not depend on their
//! order or on the division of the blocks.
//!
//! A range of blocks may occur several times if its sums agree. Merged documents can be merged
//! again. The sums of a merged range cannot be separated, so overlapping ranges are an error unless
//! they are equal.

use super::{
    document::{Document, Part},
    summary::summary,
};
use crate::error::{Error, Result};

/// Merges documents, each with a name for messages, and sets [`Document::missing`] and
/// [`Document::summary`]. O(n log n) for n parts.
///
/// # Errors
/// Returns an error if there are no documents, if games, jobs or seeds differ, or if ranges overlap
/// and are not equal with equal sums.
pub fn merge(documents: Vec<(String, Document)>) -> Result<Document> {
    let fault = |what: String, help: &str| Err(Error::Input(format!("{what}\n\nhelp: {help}")));
    let Some((first_name, first)) = documents.first() else {
        return fault("there is nothing to merge".to_owned(), "name the files that `gdl shard` wrote");
    };
    let mut merged = Document { parts: Vec::new(), missing: None, summary: None, ..first.clone() };
    let first_name = first_name.clone();
    let mut parts: Vec<(Part, String)> = Vec::new();
    for (name, document) in documents {
        if let Some(what) = difference(&merged, &document) {
            return fault(
                format!("{name} has a different {what} from {first_name}"),
                "merge the shards of one game, job and seed",
            );
        }
        parts.extend(document.parts.into_iter().map(|part| (part, name.clone())));
    }
    parts.sort_by_key(|(part, _)| part.blocks);
    let mut previous: Option<(Part, String)> = None;
    for (part, name) in parts {
        let [start, end] = part.blocks;
        if let Some((other, other_name)) = &previous {
            if other == &part {
                continue;
            }
            if other.blocks == part.blocks {
                return fault(
                    format!("{other_name} and {name} differ in the blocks {start}..{end}"),
                    "run that shard again: one of the files is damaged",
                );
            }
            if start < other.blocks[1] {
                let end = end.min(other.blocks[1]);
                return fault(
                    format!("{other_name} and {name} both have the blocks {start}..{end}"),
                    "merge shards of one division, and none with a file that already contains it",
                );
            }
        }
        previous = Some((part.clone(), name));
        match merged.parts.last_mut() {
            Some(last) if last.blocks[1] == start => {
                last.blocks[1] = end;
                last.sums.add(part.sums);
            }
            _ => merged.parts.push(part),
        }
    }
    merged.missing = Some(merged.gaps().into_iter().map(|gap| [gap.start, gap.end]).collect());
    merged.summary = summary(&merged);
    Ok(merged)
}

/// Returns the first difference between the headers of two documents.
fn difference(a: &Document, b: &Document) -> Option<&'static str> {
    if a.fingerprint != b.fingerprint || a.roles != b.roles || a.chance != b.chance {
        Some("game")
    } else if a.job != b.job || a.blocks != b.blocks {
        Some("job")
    } else if a.seed != b.seed {
        Some("seed")
    } else {
        None
    }
}

//! The summary of a document: means and intervals, as JSON.

use super::{
    document::Document,
    job::Job,
    sums::{Entry, Sums},
};
use crate::analyze::Estimate;
use serde_json::{Map, Value, json};

/// Returns the summary of a document. Means are defined as in `gdl playouts` and `gdl match`;
/// intervals are 95 % intervals.
///
/// - playouts: `playouts`, `states`, `mean_length`, `too_long`, `stuck`, `unscored`; for each role
///   its mean of `goals` and their `intervals` (both null if no game gave it a goal), `wins`,
///   `draws` and `losses`;
/// - perft: `counts` of sequences of length 1, 2, ..; no summary while blocks are missing;
/// - matches: `matches`, and the fields of [`Total::to_json`](crate::contest::Total::to_json);
/// - analysis: the number of `rulesheets`, and the names of the `faulty` ones.
pub(super) fn summary(document: &Document) -> Option<Value> {
    let Document { roles, chance, job, .. } = document;
    match (document.total(), job) {
        (Sums::Tally(tally), _) => {
            let per_role = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
                roles.iter().enumerate().map(|(i, role)| (role.clone(), value(i))).collect()
            };
            let goal = |role: usize| {
                let is_aimless = tally.scored() == 0 || *chance == Some(role) && tally.roles[role].goals == 0;
                (!is_aimless).then(|| Estimate::new(tally.mean_goal(role), tally.goal_error(role)))
            };
            Some(json!({
                "playouts": tally.playouts,
                "states": tally.states,
                "mean_length": tally.mean_length(),
                "too_long": tally.too_long,
                "stuck": tally.stuck,
                "unscored": tally.unscored,
                "goals": per_role(&|role| json!(goal(role).map(|goal| goal.mean))),
                "intervals": per_role(&|role| json!(goal(role).map(|goal| goal.interval))),
                "wins": per_role(&|role| json!(tally.roles[role].wins)),
                "draws": per_role(&|role| json!(tally.roles[role].draws)),
                "losses": per_role(&|role| json!(tally.roles[role].losses)),
            }))
        }
        (Sums::Counts(counts), Job::Perft { counts: first, .. }) => {
            let counts: Vec<_> = first.iter().chain(&counts).collect();
            document.is_complete().then(|| json!({ "counts": counts }))
        }
        (Sums::Matches(total), Job::Matches { players, .. }) => {
            let matches = document.parts.iter().map(|part| part.blocks[1] - part.blocks[0]).sum();
            let mut summary = Map::new();
            summary.insert("matches".to_owned(), json!(matches));
            let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
            summary.extend(total.to_json(matches, players.iter().cloned(), &roles));
            Some(Value::Object(summary))
        }
        (Sums::Rulesheets(list), _) => {
            let faulty = list.iter().filter(|entry: &&Entry| entry.error.is_some());
            let faulty: Vec<&str> = faulty.map(|entry| &*entry.name).collect();
            Some(json!({ "rulesheets": list.len(), "faulty": faulty }))
        }
        _ => None,
    }
}

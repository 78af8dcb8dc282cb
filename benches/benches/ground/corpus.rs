//! The corpus of all public rulesheets: the number that become nets, the time of grounding, and the
//! rulesheets that exceed the bounds.

use crate::{
    measure::{Outcome, apart},
    subject::Subject,
};
use gdl_tools::output::duration;
use serde_json::{Map, Value};
use std::time::Duration;

/// The seconds and bytes that a rulesheet should not exceed.
const BOUNDS: (f64, u64) = (10.0, 2 << 30);

/// Measures the rulesheets and prints a summary.
pub(crate) fn run(subjects: &[Subject], cap: Duration, json: bool) {
    let outcomes: Vec<(String, Outcome)> = subjects
        .iter()
        .map(|subject| {
            eprintln!("{}", subject.name());
            (subject.name(), apart(subject, cap))
        })
        .collect();
    if json {
        let value = |outcome: &Outcome| serde_json::to_value(outcome).expect("JSON");
        let report: Map<String, Value> =
            outcomes.iter().map(|(name, outcome)| (name.clone(), value(outcome))).collect();
        println!("{}", serde_json::to_string_pretty(&report).expect("JSON"));
        return;
    }
    let mut seconds = Vec::new();
    let mut heavy = Vec::new();
    for (name, outcome) in &outcomes {
        match outcome {
            Outcome::Grounded(figures) => {
                seconds.push(figures.ground_seconds);
                let bytes = figures.bytes.unwrap_or(0);
                if figures.ground_seconds > BOUNDS.0 || bytes > BOUNDS.1 {
                    heavy.push((name, figures.ground_seconds, bytes));
                }
            }
            Outcome::Refused { code, message, seconds } => {
                println!("{name}: {code} after {}, {message}", duration(*seconds));
            }
            Outcome::Stopped => println!("{name}: not done in {} s", cap.as_secs_f64()),
        }
    }
    for (name, seconds, bytes) in heavy {
        println!("{name}: {} and {} MB", duration(seconds), bytes / 1_000_000);
    }
    println!("{} of {} become nets", seconds.len(), outcomes.len());
    seconds.sort_by(f64::total_cmp);
    let Some(last) = seconds.len().checked_sub(1) else { return };
    println!(
        "from text to ground rules: median {}, nine of ten within {}, all within {}",
        duration(seconds[last / 2]),
        duration(seconds[last * 9 / 10]),
        duration(seconds[last])
    );
}

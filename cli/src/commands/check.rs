//! `gdl check`: all faults of rulesheets, parsed, checked and grounded.

use crate::{
    args::CheckArgs,
    error::{Error, Result},
    load,
    output::{self, BAD, GOOD, ODD},
    report,
};
use gdl_compiler::Severity;
use serde_json::{Value, json};
use std::io::Write;

/// Checks each file; the diagnostics go to stderr, a line per file to stdout.
///
/// # Errors
/// [`Error::Reported`] if a diagnostic of any file is an error.
pub fn run(args: &CheckArgs) -> Result {
    let options = args.rules.options();
    let mut found: Vec<Value> = Vec::new();
    let mut faulty = false;
    let mut out = output::stdout();
    for path in &args.files {
        let (source, diagnostics) = load::faults(path, &options);
        let errors = diagnostics.count(Severity::Error);
        let others = diagnostics.count(Severity::Warning) + diagnostics.count(Severity::Lint);
        faulty |= errors > 0;
        if args.json {
            found.extend(diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, &source)));
            continue;
        }
        report::show(&diagnostics, &source);
        writeln!(out, "{}: {}", source.name(), summary(errors, others))?;
        // In step with the diagnostics on stderr.
        out.flush()?;
    }
    if args.json {
        output::json(&json!({ "diagnostics": found }))?;
    }
    if faulty { Err(Error::Reported) } else { Ok(()) }
}

/// `no faults`, or how many there are of which kind.
fn summary(errors: usize, others: usize) -> String {
    let warnings = output::counted(others, "warning");
    let count = output::counted(errors, "error");
    match (errors, others) {
        (0, 0) => format!("{GOOD}no faults{GOOD:#}"),
        (0, _) => format!("{ODD}{warnings}{ODD:#}"),
        (_, 0) => format!("{BAD}{count}{BAD:#}"),
        _ => format!("{BAD}{count}{BAD:#}, {ODD}{warnings}{ODD:#}"),
    }
}

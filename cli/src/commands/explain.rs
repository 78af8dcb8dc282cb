//! `gdl explain`: what the catalogue says of a code.

use crate::{
    args::ExplainArgs,
    error::Result,
    output::{self, BOLD},
};
use gdl_compiler::Severity;
use std::io::Write;

/// Prints the code's name, severity and what may be done about it.
///
/// # Errors
/// If stdout takes no more.
pub fn run(args: &ExplainArgs) -> Result {
    let code = args.code;
    let mut out = output::stdout();
    writeln!(out, "{BOLD}{} {}{BOLD:#}: {}", code.id, code.name, code.severity)?;
    let name = code.name;
    match (code.severity, code.lint) {
        (Severity::Error, false) => writeln!(out, "It cannot be allowed.")?,
        (Severity::Error, true) => {
            writeln!(out, "Let it pass with `gdl check --allow {name}`, in Rust with `allow({name})`.")?;
        }
        (Severity::Warning | Severity::Lint, _) => {
            writeln!(out, "Make it an error with `gdl check --deny {name}`, in Rust with `deny({name})`;")?;
            writeln!(out, "silence it with `--allow {name}` and `allow({name})`.")?;
        }
    }
    out.flush()?;
    Ok(())
}

//! `gdl explain`: prints the page of a code, or lists all codes.

use clap::Args;
use gdl_compiler::{
    Severity,
    diagnostic::{Code, codes},
};
use gdl_tools::{
    error::Result,
    output::{self, BAD, BOLD, CODE, GOOD},
    parse::code,
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Arguments of `gdl explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gdl explain GDL085
  gdl explain unused_relation
  gdl explain")]
pub(crate) struct ExplainArgs {
    /// A code such as GDL085, or its name; without one, all codes are listed
    #[arg(value_name = "CODE", value_parser = code)]
    pub code: Option<&'static Code>,
    /// List all codes
    #[arg(long, conflicts_with = "code")]
    pub list: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Prints the page of a code or, without one, a line for each code.
///
/// # Errors
/// Returns an error if writing to stdout fails.
pub(crate) fn run(args: &ExplainArgs) -> Result {
    if args.json {
        return output::json(&match args.code {
            Some(code) => to_json(code),
            None => json!({ "codes": codes::ALL.iter().map(|code| summary(code)).collect::<Vec<_>>() }),
        });
    }
    let mut out = output::stdout();
    match args.code {
        Some(code) => explain(code, &mut out)?,
        None => list(&mut out)?,
    }
    out.flush()?;
    Ok(())
}

/// Returns the severity of the code, or `reserved`.
fn severity(code: &Code) -> String {
    if code.reserved { "reserved".to_owned() } else { code.severity.to_string() }
}

fn list(out: &mut impl Write) -> io::Result<()> {
    for code in codes::ALL {
        // The number comes first, as in messages and as `explain` accepts it.
        writeln!(out, "{BOLD}{}{BOLD:#} {:<8} {}: {}", code.id, severity(code), code.name, code.meaning)?;
    }
    Ok(())
}

/// Prints the page with its examples indented. Without colours the output is Markdown again.
fn explain(code: &Code, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{BOLD}{} {}: {}{BOLD:#}\n", code.id, code.name, severity(code))?;
    // The backticks that close the current example.
    let mut fence: Option<&str> = None;
    for line in code.page.lines() {
        let info = line.trim_start_matches('`');
        let ticks = &line[..line.len() - info.len()];
        if ticks.len() >= 3 && fence.is_none_or(|fence| fence == ticks) {
            fence = if fence.is_none() { Some(ticks) } else { None };
            if info.split(',').any(|word| word == "wrong") {
                writeln!(out, "{BAD}Wrong:{BAD:#}\n")?;
            } else if info.split(',').any(|word| word == "right") {
                writeln!(out, "{GOOD}Right:{GOOD:#}\n")?;
            }
        } else if fence.is_some() && !line.is_empty() {
            writeln!(out, "    {CODE}{line}{CODE:#}")?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)?;
    let name = code.name;
    match code.severity {
        _ if code.reserved => writeln!(out, "It is never reported."),
        Severity::Error => writeln!(out, "It cannot be allowed."),
        Severity::Warning => {
            writeln!(out, "Make it an error with `gdl check --deny {name}`, in Rust with `deny({name})`;")?;
            writeln!(out, "silence it with `--allow {name}` and `allow({name})`.")
        }
        Severity::Lint => {
            writeln!(out, "It is silent unless asked for: show it with `gdl check --warn {name}`,")?;
            writeln!(out, "make it an error with `--deny {name}`, in Rust with `deny({name})`.")
        }
    }
}

fn summary(code: &Code) -> Value {
    json!({
        "code": code.id,
        "name": code.name,
        "severity": code.severity.to_string(),
        "allowable": code.severity != Severity::Error,
        "reserved": code.reserved,
        "meaning": code.meaning,
    })
}

fn to_json(code: &Code) -> Value {
    let mut object = summary(code);
    let examples: Vec<Value> = code
        .examples()
        .map(|example| json!({ "right": example.is("right"), "info": example.info, "text": example.text }))
        .collect();
    object["page"] = json!(code.page);
    object["examples"] = json!(examples);
    object
}

//! Answers requests about rulesheets.

use crate::request::{Failure, Target};
use gdl_compiler::{
    Applicability, Limits, Options, Source, Syntax, convert,
    diagnostic::{Code, codes},
    format,
};
use gdl_games::{Entry, LIST};
use gdl_tools::{fix, game::near, load, parse, report, verdict};
use serde_json::{Value, json};

/// The name of a rulesheet in messages.
const NAME: &str = "rulesheet";

/// Returns the options of the native command if `patient`, otherwise those for untrusted
/// rulesheets.
pub(crate) fn options(patient: bool) -> Options {
    let limits = if patient { Limits::default() } else { Limits::network() };
    Options { limits, ..Options::default() }
}

pub(crate) fn list() -> Value {
    let row = |entry: &Entry| {
        let tags: Vec<String> = entry.tags.iter().map(ToString::to_string).collect();
        json!({
            "name": entry.name,
            "kind": entry.kind.folder(),
            "players": entry.players,
            "tags": tags,
            "summary": entry.summary(),
        })
    };
    json!(LIST.iter().map(row).collect::<Vec<_>>())
}

pub(crate) fn built_in(name: &str) -> Result<&'static Entry, Failure> {
    let none = || Failure::new(format!("no built-in game is called `{name}`{}", near(name)));
    gdl_games::find(name).ok_or_else(none)
}

pub(crate) fn check(text: &str, patient: bool) -> Value {
    let verdict = verdict::judge(&Source::new(NAME, text), &options(patient), &mut |_, _| {});
    json!(verdict)
}

pub(crate) fn format(text: &str) -> Result<String, Failure> {
    let source = Source::new(NAME, text);
    format::format(&source, &options(true)).map_err(|faults| Failure::of(&faults, &source))
}

pub(crate) fn convert(text: &str, to: Target) -> Result<Value, Failure> {
    let source = Source::new(NAME, text);
    let to = match to {
        Target::Kif => Syntax::Kif,
        Target::Infix => Syntax::Infix,
    };
    let written = convert::convert(&source, &load::quiet(), to);
    let written = written.map_err(|faults| Failure::of(&faults, &source))?;
    Ok(json!({ "text": written.text, "renamed": written.renamed }))
}

pub(crate) fn fix(text: &str, guess: bool) -> Value {
    let least = if guess { Applicability::HasPlaceholders } else { Applicability::MachineApplicable };
    let mut examine = |source: &Source| load::inspect(source, &options(false)).0;
    let mut made = 0;
    let (source, left) = fix::fix(&Source::new(NAME, text), least, &mut examine, &mut |_, _| made += 1);
    let left: Vec<Value> = left.iter().map(|diagnostic| report::to_json(diagnostic, &source)).collect();
    json!({ "text": source.text(), "fixed": made, "diagnostics": left })
}

pub(crate) fn explain(code: Option<&str>) -> Result<Value, Failure> {
    let summary = |code: &Code| {
        json!({
            "code": code.id,
            "name": code.name,
            "severity": code.severity.to_string(),
            "meaning": code.meaning,
        })
    };
    let Some(code) = code else {
        return Ok(json!(codes::ALL.iter().map(|code| summary(code)).collect::<Vec<_>>()));
    };
    let code = parse::code(code).map_err(Failure::new)?;
    let mut answer = summary(code);
    answer["page"] = json!(code.page);
    Ok(answer)
}

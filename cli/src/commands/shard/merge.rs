//! `gdl shard merge`: merges the documents of shards and prints their totals.

use clap::Args;
use gdl_tools::{
    error::{Error, Result},
    output::{self, BOLD, DIM, ODD, thousands},
    shard::{self, Document, Job, MAX_BYTES, Sums},
};
use serde_json::Value;
use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Arguments of `gdl shard merge`.
#[derive(Debug, Args)]
#[command(after_help = "\
All shards must have the same game, job and seed, and be made by this version of gdl. A shard may be
given twice; other overlaps of ranges are an error. Merged files can be merged again. Missing blocks
are reported. The document of all blocks does not depend on how they were divided.

Examples:
  gdl shard merge shards/*.json
  gdl shard merge shards/*.json --json --out all.json")]
pub(crate) struct MergeArgs {
    /// Documents of `gdl shard` and `gdl shard merge`; `-` is stdin
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Write the merged document to a file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the merged document, one JSON object, on stdout
    #[arg(long, conflicts_with = "schema")]
    pub json: bool,
    /// Print the JSON schema of shards and merged documents
    #[arg(long, exclusive = true)]
    pub schema: bool,
}

/// Merges the documents, writes the result and prints it.
///
/// # Errors
/// Returns an error if a file cannot be read, is no shard or does not fit the others, or if the
/// result cannot be written.
pub(crate) fn run(args: &MergeArgs) -> Result {
    let mut out = output::stdout();
    if args.schema {
        out.write_all(include_bytes!("../../../schema/shard.json"))?;
        return Ok(out.flush()?);
    }
    let documents = args.files.iter().map(|path| {
        let name = path.display().to_string();
        Document::parse(&name, &read(path, &name)?).map(|document| (name, document))
    });
    let merged = shard::merge(documents.collect::<Result<_>>()?)?;
    if let Some(path) = &args.out {
        output::file(path, &merged.text())?;
    }
    if let Some(missing) = merged.missing.as_deref().filter(|missing| !missing.is_empty()) {
        let ranges: Vec<String> =
            missing.iter().take(10).map(|[start, end]| format!("{start}..{end}")).collect();
        let more = if missing.len() > 10 { " and more" } else { "" };
        let all = thousands(merged.blocks);
        output::remark(format_args!(
            "{ODD}remark{ODD:#}: missing blocks of {all}: {}{more}",
            ranges.join(", ")
        ));
    }
    if args.json {
        out.write_all(merged.text().as_bytes())?;
    } else {
        print(&merged, &mut out)?;
    }
    Ok(out.flush()?)
}

fn read(path: &Path, name: &str) -> Result<String> {
    let unread = |error: io::Error| Error::Input(format!("cannot read {name}: {error}"));
    let mut text = Vec::new();
    let reader: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(unread)?)
    };
    reader.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(unread)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::Input(format!("{name} has more than {MAX_BYTES} bytes: no shard is as large")));
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Prints the summary as text.
fn print(merged: &Document, out: &mut impl Write) -> Result {
    let null = Value::Null;
    let summary = merged.summary.as_ref().unwrap_or(&null);
    let figure = |pointer: &str| summary.pointer(pointer).and_then(Value::as_f64);
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let width = merged.roles().iter().map(|role| role.chars().count()).max().unwrap_or(0).max("player".len());
    match (merged.total(), &merged.job) {
        (Sums::Tally(tally), _) => {
            let (playouts, length) = (thousands(tally.playouts), tally.mean_length());
            writeln!(out, "{BOLD}{playouts} playouts{BOLD:#} {DIM}of {length:.2} moves each{DIM:#}")?;
            writeln!(
                out,
                "{DIM}{:<width$}{:>11}{:>20}{:>18}{:>18}{:>18}{DIM:#}",
                "role", "mean goal", "95 %", "wins", "draws", "losses"
            )?;
            for (role, results) in merged.roles().iter().zip(&tally.roles) {
                let goal = summary["goals"].get(role).and_then(Value::as_f64);
                let bound = |end: usize| number(summary["intervals"][role].get(end).and_then(Value::as_f64));
                let interval = goal.map_or("-".to_owned(), |_| format!("{} .. {}", bound(0), bound(1)));
                let [wins, draws, losses] = [results.wins, results.draws, results.losses].map(thousands);
                writeln!(
                    out,
                    "{role:<width$}{:>11}{interval:>20}{wins:>18}{draws:>18}{losses:>18}",
                    number(goal)
                )?;
            }
        }
        (Sums::Counts(longer), Job::Perft { counts, .. }) => {
            writeln!(out, "{DIM}{:>5}  {:>26}{DIM:#}", "depth", "sequences")?;
            let longer = longer.iter().filter(|_| merged.is_complete());
            for (count, depth) in counts.iter().chain(longer).zip(1..) {
                writeln!(out, "{depth:>5}  {:>26}", thousands(count.0))?;
            }
        }
        (Sums::Matches(_), Job::Matches { players, .. }) => {
            let matches = summary["matches"].as_u64().unwrap_or(0);
            let noun = if matches == 1 { "match" } else { "matches" };
            writeln!(out, "{BOLD}{} {noun}{BOLD:#}", thousands(matches))?;
            let width = players.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(width);
            writeln!(
                out,
                "{DIM}{:<width$}{:>10}{:>10}{:>10}{:>11}{:>9}{:>18}{DIM:#}",
                "player", "wins", "draws", "losses", "mean goal", "score", "95 %"
            )?;
            for (i, name) in players.iter().enumerate() {
                let of = |key: &str| figure(&format!("/players/{i}/{key}"));
                let whole = |key: &str| thousands(summary["players"][i][key].as_u64().unwrap_or(0));
                let interval =
                    format!("{} .. {}", number(of("score_interval/0")), number(of("score_interval/1")));
                writeln!(
                    out,
                    "{name:<width$}{:>10}{:>10}{:>10}{:>11}{:>9}{interval:>18}",
                    whole("wins"),
                    whole("draws"),
                    whole("losses"),
                    number(of("mean_goal")),
                    number(of("score"))
                )?;
            }
        }
        (Sums::Rulesheets(list), _) => {
            let width = list.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
            for entry in &list {
                let name = &entry.name;
                match (&entry.figures, &entry.error) {
                    (Some(figures), _) => {
                        let at = |pointer: &str| number(figures.pointer(pointer).and_then(Value::as_f64));
                        let (joint, length) = (at("/branching/joint/mean"), at("/length/mean/mean"));
                        writeln!(
                            out,
                            "{name:<width$}  {joint:>12} joint moves a state, {length:>12} moves a game"
                        )?;
                    }
                    (None, error) => {
                        let line =
                            error.as_deref().and_then(|error| error.lines().next()).unwrap_or("no figures");
                        writeln!(out, "{name:<width$}  {ODD}{line}{ODD:#}")?;
                    }
                }
            }
        }
        _ => {}
    }
    Ok(())
}

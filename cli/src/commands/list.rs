//! `gdl list`: prints the built-in games, grouped by kind.

use clap::Args;
use gdl_games::{Entry, Kind, LIST};
use gdl_runtime::{Dynamic, Game};
use gdl_tools::{
    error::Result,
    game::GameArg,
    load,
    output::{self, BOLD, DIM},
};
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `gdl list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Load every game, and show its numbers of fluents and moves too
    #[arg(long)]
    pub sizes: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// The description of a game; `size` has the numbers of fluents and moves.
struct Row {
    entry: &'static Entry,
    roles: Vec<String>,
    size: Option<[usize; 2]>,
}

impl Row {
    fn new(entry: &'static Entry, sizes: bool) -> Result<Self> {
        let rules = load::checked(load::text_of(entry), &load::quiet())?;
        let role = |role| rules.declaration(role).map(|fact| rules.display_term(fact, &rules.roles[role]));
        let roles = (0..rules.roles.len()).filter_map(role).collect();
        let size = |game: &Dynamic| [game.vocabulary().fluents().len(), game.vocabulary().moves().len()];
        let size = sizes.then(|| GameArg::BuiltIn(entry).tabled(None)).transpose()?.as_ref().map(size);
        Ok(Self { entry, roles, size })
    }

    /// Returns the texts of all columns but the last.
    fn columns(&self) -> [String; 4] {
        let tags: Vec<String> = self.entry.tags.iter().map(ToString::to_string).collect();
        let size = self.size.map(|[fluents, moves]| {
            [output::counted(fluents, "fluent"), output::counted(moves, "move")].join(", ")
        });
        [self.entry.name.to_owned(), self.roles.join(", "), tags.join(", "), size.unwrap_or_default()]
    }

    fn json(&self) -> Value {
        let tags: Vec<String> = self.entry.tags.iter().map(ToString::to_string).collect();
        let mut row = json!({
            "name": self.entry.name,
            "kind": self.entry.kind.folder(),
            "roles": self.roles,
            "players": self.entry.players,
            "tags": tags,
            "compiled": self.entry.is_compiled(),
            "summary": summary(self.entry),
        });
        if let Some([fluents, moves]) = self.size {
            row["fluents"] = fluents.into();
            row["moves"] = moves.into();
        }
        row
    }
}

fn summary(entry: &Entry) -> &str {
    entry.summary().trim_end_matches('.')
}

/// Prints the name, roles, tags and summary of each game.
///
/// # Errors
/// Returns an error if a game cannot be loaded, or writing to stdout fails.
pub(crate) fn run(args: &ListArgs) -> Result {
    let rows: Vec<Row> = LIST.iter().map(|entry| Row::new(entry, args.sizes)).collect::<Result<_>>()?;
    if args.json {
        let games: Vec<Value> = rows.iter().map(Row::json).collect();
        return output::json(&json!({ "games": games }));
    }
    let mut out = output::stdout();
    for kind in Kind::ALL {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.entry.kind == kind).collect();
        let columns: Vec<[String; 4]> = rows.iter().map(|row| row.columns()).collect();
        let widths: Vec<usize> =
            (0..4).map(|i| columns.iter().map(|row| row[i].len()).max().unwrap_or(0)).collect();
        writeln!(out, "{DIM}{}{DIM:#}", kind.title())?;
        for (row, [name, others @ ..]) in rows.iter().zip(&columns) {
            write!(out, "  {BOLD}{name:<width$}{BOLD:#}", width = widths[0])?;
            for (text, &width) in others.iter().zip(&widths[1..]).filter(|(_, width)| **width > 0) {
                write!(out, "  {DIM}{text:<width$}{DIM:#}")?;
            }
            writeln!(out, "  {}", summary(row.entry))?;
        }
    }
    out.flush()?;
    Ok(())
}

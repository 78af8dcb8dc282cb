//! `gdl list`: the built-in games.

use clap::Args;
use gdl_runtime::Game;
use gdl_tools::{
    error::Result,
    game::{self, Task},
    output::{self, BOLD, DIM},
};
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of `gdl list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Prints name, roles and a summary of each game.
///
/// # Errors
/// If stdout takes no more.
pub(crate) fn run(args: &ListArgs) -> Result {
    let games: Vec<(&str, Vec<String>, &str)> = gdl_games::LIST
        .iter()
        .map(|entry| (entry.name, game::with_entry(entry, Roles), entry.summary().trim_end_matches('.')))
        .collect();
    if args.json {
        let games: Vec<Value> = games
            .iter()
            .map(|(name, roles, summary)| json!({ "name": name, "roles": roles, "summary": summary }))
            .collect();
        return output::json(&json!({ "games": games }));
    }
    let rows: Vec<_> = games.iter().map(|(name, roles, summary)| (name, roles.join(", "), summary)).collect();
    let names = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    let players = rows.iter().map(|(_, roles, _)| roles.len()).max().unwrap_or(0);
    let mut out = output::stdout();
    for (name, roles, summary) in rows {
        writeln!(out, "{BOLD}{name:<names$}{BOLD:#}  {DIM}{roles:<players$}{DIM:#}  {summary}")?;
    }
    out.flush()?;
    Ok(())
}

struct Roles;

impl Task for Roles {
    type Output = Vec<String>;

    fn run<G: Game>(self, game: &G) -> Vec<String> {
        game.vocabulary().roles().iter().map(str::to_owned).collect()
    }
}

//! The built-in games in one table: their sizes, load times and speeds of play, as in
//! `docs/reference/games.md`.
//!
//!     cargo bench -p gdl-benches --bench games -- [--seconds S] [--rounds N] [--write PAGE]
//!
//! Operations are those of the largest phase of the turn cycle. Times are processor time of one
//! thread, the best of several rounds. The load time is from the text to the end of a random game.
//! Speeds are of random games in lanes of the table, without the code of `gdl!`. With `--write` the
//! table replaces the one between the comments `<!-- sizes and speeds -->` and `<!-- end -->` of a
//! page.

use clap::Parser;
use cpu_time::ProcessTime;
use gdl_benches::page;
use gdl_games::Entry;
use gdl_runtime::{Game, Loader, Playouts, playouts::PlayoutMode};
use gdl_tools::{load, output};
use std::{error::Error, path::PathBuf, time::Duration};

/// Duration, rounds and the page to write.
#[derive(Debug, Parser)]
struct Args {
    /// Seconds of random games of each game in each round
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// Rounds
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// The page that the table is written to
    #[arg(long)]
    write: Option<PathBuf>,
    /// What cargo adds to the arguments of a benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut table =
        "| game | kind | players | fluents | moves of a role | operations | load | playouts/s | states/s |\n"
            .to_owned();
    table += "|---|---|---|---|---|---|---|---|---|\n";
    for entry in gdl_games::LIST {
        let row = measure(entry, &args)?;
        eprint!("{row}");
        table += &row;
    }
    page::write(args.write.as_deref(), "sizes and speeds", &table)
}

/// Measures a game and returns its row of the table.
fn measure(entry: &Entry, args: &Args) -> Result<String, Box<dyn Error>> {
    let compiled = load::compile(load::text_of(entry), &load::quiet()).map_err(|_| "it does not load")?;
    let operations = compiled.operations().into_iter().max().unwrap_or(0);
    let (mut load_seconds, mut playouts, mut states) = (f64::INFINITY, 0.0_f64, 0.0_f64);
    let mut sizes = (0, 0);
    for _ in 0..args.rounds.max(1) {
        let clock = ProcessTime::now();
        let game = Loader::new().name(entry.name).load(entry.text)?;
        let run = |engine| Playouts::new(&game).engine(engine).threads(1);
        let _ = run(PlayoutMode::Single).count(1).run();
        load_seconds = load_seconds.min(clock.elapsed().as_secs_f64());
        let _ = run(PlayoutMode::TableLanes).count(1).run();
        let stats = run(PlayoutMode::TableLanes).within(Duration::from_secs_f64(args.seconds)).run();
        playouts = playouts.max(stats.tally.playouts as f64 / stats.cpu_seconds);
        states = states.max(stats.tally.states as f64 / stats.cpu_seconds);
        let names = game.vocabulary();
        let moves = (0..names.roles().len()).map(|role| names.moves_of(role).len()).max().unwrap_or(0);
        sizes = (names.fluents().len(), moves);
    }
    let mut kinds: Vec<String> = entry.tags.iter().map(ToString::to_string).collect();
    if kinds.is_empty() {
        kinds.push(if entry.players == 1 { "puzzle" } else { "board" }.to_owned());
    }
    let [fluents, moves, operations] =
        [sizes.0, sizes.1, operations].map(|number| output::thousands(number as u128));
    Ok(format!(
        "| [{0}](games/{0}.md) | {1} | {2} | {fluents} | {moves} | {operations} | {3:.0} ms | {4} | {5} |\n",
        entry.name,
        kinds.join(", "),
        entry.players,
        load_seconds * 1e3,
        output::scaled(playouts),
        output::scaled(states),
    ))
}

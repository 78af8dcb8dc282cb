//! Games in Epilog compared with the same games in KIF: load time and speed of play. A second table
//! compares public games in Epilog with built-in games of their kind. Their rules differ, so those
//! ratios only compare the sizes of games.
//!
//!     cargo bench -p gdl-benches --bench syntaxes -- [--rounds N] [--seconds S] [GAME..]
//!
//! The two games of a row take turns. Rates are states per second of processor time, and ratios are
//! medians over the rounds. Public games are in a folder `shared` next to the checkout; without it
//! they are skipped.

use clap::Parser;
use cpu_time::ProcessTime;
use gdl_runtime::{Dynamic, Playouts, load, playouts::PlayoutMode};
use gdl_test_support::shared;
use std::{fs, time::Duration};

/// Arguments of the benchmark.
#[derive(Debug, Parser)]
struct Args {
    /// Number of measurements of each game
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Seconds of random games of each game in each round, by each engine
    #[arg(long, default_value_t = 0.5)]
    seconds: f64,
    /// What cargo passes
    #[arg(long, hide = true)]
    bench: bool,
    /// The games in Epilog; all if none is named
    games: Vec<String>,
}

/// The games written for the tests. Each equals the built-in game of the same name.
const OWN: [(&str, &str); 4] = [
    ("tictactoe", include_str!("../../tests/known/tictactoe.epilog")),
    ("breakthrough", include_str!("../../tests/known/breakthrough.epilog")),
    ("hex", include_str!("../../tests/known/hex.epilog")),
    ("pentago", include_str!("../../tests/known/pentago.epilog")),
];

/// Public games, each with a built-in game of its kind.
const PUBLIC: [(&str, &str); 5] = [
    ("tictactoe", "tictactoe"),
    ("hex7x7", "hex"),
    ("knightthrough", "breakthrough"),
    ("pentagosuicide", "pentago"),
    ("reversum", "reversi"),
];

/// The measured quantities: milliseconds of loading, and states per second in lanes and in single
/// mode.
const MEASURED: [&str; 3] = ["load ms", "lanes", "single"];

fn main() {
    let args = Args::parse();
    let wanted = |name: &str| args.games.is_empty() || args.games.iter().any(|game| game == name);
    println!("| game | {} |", MEASURED.map(|what| format!("KIF {what} | Epilog {what} | ratio")).join(" | "));
    println!("|---|{}", "---:|".repeat(3 * MEASURED.len()));
    for (name, epilog) in OWN.iter().filter(|(name, _)| wanted(name)) {
        row(name, built_in(name), epilog, &args);
    }
    let Some(folder) = shared("epilog/games") else { return };
    for (name, relative) in PUBLIC.iter().filter(|(name, _)| wanted(name)) {
        let text = fs::read_to_string(folder.join(format!("{name}.epilog"))).expect("a rulesheet");
        row(&format!("{name} (public) and {relative}"), built_in(relative), &text, &args);
    }
}

fn built_in(name: &str) -> &'static str {
    gdl_games::find(name).expect("it is built in").text
}

/// Measures two games and prints their row of the table.
fn row(name: &str, kif: &str, epilog: &str, args: &Args) {
    let mut rounds: Vec<[[f64; 3]; 2]> = Vec::new();
    for round in 0..args.rounds {
        // The first game to be measured alternates from round to round.
        let mut pair = [[0.0; 3]; 2];
        for i in [round % 2, 1 - round % 2] {
            pair[i] = measure([kif, epilog][i], args.seconds);
        }
        rounds.push(pair);
    }
    let cells = (0..MEASURED.len()).map(|what| {
        let [kif, epilog] = [0, 1].map(|i| median(rounds.iter().map(|pair| pair[i][what]).collect()));
        let ratio = median(rounds.iter().map(|pair| pair[1][what] / pair[0][what]).collect());
        format!("{} | {} | {ratio:.2}", shown(kif), shown(epilog))
    });
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn shown(number: f64) -> String {
    match number {
        1e6.. => format!("{:.1} M", number / 1e6),
        1e4.. => format!("{:.0} k", number / 1e3),
        _ => format!("{number:.1}"),
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn measure(text: &str, seconds: f64) -> [f64; 3] {
    let start = ProcessTime::now();
    let game = load(text).expect("it can be loaded");
    let loading = start.elapsed().as_secs_f64();
    [loading * 1e3, rate(&game, PlayoutMode::Lanes, seconds), rate(&game, PlayoutMode::Single, seconds)]
}

/// States per second of processor time.
fn rate(game: &Dynamic, engine: PlayoutMode, seconds: f64) -> f64 {
    let stats = Playouts::new(game).engine(engine).threads(1).within(Duration::from_secs_f64(seconds)).run();
    stats.tally.states as f64 / stats.cpu_seconds
}

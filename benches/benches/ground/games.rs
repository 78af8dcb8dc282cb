//! The twelve games compared with gringo, as two tables or as JSON.

use crate::{
    measure::{Figures, Outcome, apart},
    subject::Subject,
};
use gdl_benches::gringo::{self, Run};
use gdl_tools::output::{duration, thousands};
use serde::Serialize;
use std::time::Duration;

/// The costs of a game in the compiler and in gringo.
#[derive(Serialize)]
struct Row {
    game: String,
    compiler: Outcome,
    /// Gringo's run on the unchanged rules.
    plain: Option<Run>,
    /// Gringo's run on rules that are split by their syntax.
    split: Option<Run>,
}

/// Measures the games and prints the tables.
pub(crate) fn run(subjects: &[Subject], cap: Duration, json: bool) {
    let has_gringo = gringo::is_installed();
    let rows: Vec<Row> = subjects.iter().map(|subject| row(subject, cap, has_gringo)).collect();
    if json {
        println!("{}", serde_json::to_string_pretty(&rows).expect("JSON"));
        return;
    }
    print_sizes(&rows);
    if has_gringo {
        print_comparison(&rows, cap);
    } else {
        println!("\nno gringo to compare with: `pip install clingo`");
    }
}

fn row(subject: &Subject, cap: Duration, has_gringo: bool) -> Row {
    let game = subject.name();
    eprintln!("{game}");
    let compiler = apart(subject, cap);
    let rules = if has_gringo { subject.rules() } else { None };
    let gringo = |splits: bool| {
        let program = gringo::program(rules.as_ref()?, splits)?;
        Some(gringo::run(&program, cap))
    };
    Row { game, compiler, plain: gringo(false), split: gringo(true) }
}

fn print_sizes(rows: &[Row]) {
    println!(
        "| game | ground | net | peak memory, ground | net | fluents | moves | ground rules | gates, raw | optimised | operations | depth |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for Row { game, compiler, .. } in rows {
        match compiler {
            Outcome::Grounded(f) => println!(
                "| {game} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                duration(f.ground_seconds),
                duration(f.net_seconds),
                megabytes(f.ground_bytes),
                megabytes(f.bytes),
                thousands(f.fluents),
                thousands(f.moves),
                thousands(f.rules),
                thousands(f.raw_gates),
                thousands(f.gates),
                thousands(f.operations),
                thousands(f.depth),
            ),
            Outcome::Refused { code, message, seconds } => {
                println!("| {game} | {}: {code}, {message} |", duration(*seconds));
            }
            Outcome::Stopped => println!("| {game} | stopped |"),
        }
    }
}

/// Prints the ratios of the compiler's cost to gringo's; above 1, where gringo is better, they are
/// bold. In the first ratio gringo drops its rules, in the second its solver stores them.
fn print_comparison(rows: &[Row], cap: Duration) {
    let over = format!("over {} s", cap.as_secs_f64());
    println!();
    println!(
        "| game | ground | gringo | split | ground / better | where kept | ground rules | gringo, relevant | split, relevant | rules / better |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for Row { game, compiler, plain, split } in rows {
        let runs = [plain, split].map(|run| run.unwrap_or_default());
        let seconds = runs.map(|run| run.cost.map(|cost| cost.seconds));
        let kept = runs.map(|run| run.cost.map(|cost| cost.kept_seconds));
        let relevant = runs.map(|run| run.counts.map(|counts| counts.relevant));
        let ours = if let Outcome::Grounded(figures) = compiler { Some(figures) } else { None };
        let our_seconds = ours.map(|f| f.ground_seconds);
        let our_rules = ours.map(|f| f.rules);
        let none = || "-".to_owned();
        let time = |seconds: Option<f64>| seconds.map_or_else(|| over.clone(), duration);
        let number = |count: Option<u64>| count.map_or_else(|| over.clone(), thousands);
        println!(
            "| {game} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            our_seconds.map_or_else(none, duration),
            time(seconds[0]),
            time(seconds[1]),
            ratio(our_seconds, seconds),
            ratio(our_seconds, kept),
            our_rules.map_or_else(none, thousands),
            number(relevant[0]),
            number(relevant[1]),
            ratio(our_rules.map(|c| c as f64), relevant.map(|count| count.map(|c| c as f64))),
        );
    }
    for row in rows {
        warn_of_more(row);
    }
}

/// Warns if the compiler finds more possible atoms than gringo, which tests only derivability and
/// so should find more.
fn warn_of_more(row: &Row) {
    let (Outcome::Grounded(Figures { fluents, moves, .. }), Some(counts)) =
        (&row.compiler, row.plain.and_then(|run| run.counts))
    else {
        return;
    };
    if *fluents > counts.fluents || *moves > counts.moves {
        let game = &row.game;
        println!(
            "{game}: {fluents} fluents and {moves} moves, gringo {} and {}",
            counts.fluents, counts.moves
        );
    }
}

/// The ratio to the smaller of two costs.
fn ratio(ours: Option<f64>, theirs: [Option<f64>; 2]) -> String {
    let better = theirs.into_iter().flatten().min_by(f64::total_cmp);
    ours.zip(better).map_or_else(|| "-".to_owned(), |(ours, better)| format!("{:.2}", ours / better))
}

fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{} MB", thousands(bytes / 1_000_000)))
}

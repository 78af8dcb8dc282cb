//! The operations of lane programs, compared with those of ABC, the reference of logic synthesis.
//!
//!     cargo bench -p gdl-benches --bench circuits -- [--abc PROGRAM] [GAME or FILE..]
//!
//! The programs that observe, score and advance each turn phase are written out as networks of
//! functions of three operands (BLIF). ABC runs three scripts on each, and its best result is
//! shown. Programs of plies are left out. Operations of one operand, which copy or complement, are
//! not counted here. ABC treats every state as reachable. Without ABC (Debian's `berkeley-abc`) the
//! table has the operations of this project alone. Files are relative to the repository.

use clap::Parser;
use gdl_compiler::{Options, Source, compile};
use gdl_format::{
    lanes::{ENDED, FLUENTS, FRESH, Phase, SCORED, Schedule, TERMINAL},
    table::Table,
};
use std::{
    collections::HashMap,
    error::Error,
    fmt::Write,
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// ABC's program and the games.
#[derive(Debug, Parser)]
struct Args {
    /// The program of ABC
    #[arg(long, default_value = "berkeley-abc")]
    abc: String,
    /// Built-in games or files of rulesheets; without any, nine games
    games: Vec<String>,
    /// The argument that `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

/// The games that are measured unless some are named.
const GAMES: &[&str] = &[
    "breakthrough",
    "checkers",
    "chess",
    "connect_four",
    "hex",
    "pentago",
    "reversi",
    "tictactoe",
    "yavalath",
];

/// The scripts: mapping alone, structural choices with resubstitution, and resubstitution of the
/// project's own operations.
const SCRIPTS: [&str; 3] = [
    "strash; if -K 3 -a",
    "strash; dch; if -K 3 -a; strash; dch; if -K 3 -a; mfs2 -a -L 100; strash; dch; if -K 3 -a; mfs2 -a",
    "mfs2 -a -L 200 -W 6 -M 500 -C 5000; mfs2 -a -L 200",
];

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let has_abc =
        Command::new(&args.abc).arg("-h").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !has_abc {
        println!("`{}` is not installed, so nothing is compared", args.abc);
    }
    let games: Vec<&str> =
        if args.games.is_empty() { GAMES.to_vec() } else { args.games.iter().map(String::as_str).collect() };
    let folder = tempfile::tempdir()?;
    println!("| program | operations | ABC | ratio |\n|---|---:|---:|---:|");
    for name in games {
        let text = if let Some(entry) = gdl_games::find(name) {
            entry.text.to_owned()
        } else {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
            fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?
        };
        let Ok(compilation) = compile(&Source::new(name, text), &Options::default()) else {
            println!("| {name}, does not compile | | | |");
            continue;
        };
        let table = Table::decode(&compilation.table)?;
        let Some(lanes) = &table.lanes else { continue };
        let fluents = table.fluents.len() as u32;
        let mut totals = [0, 0];
        for (i, phase) in lanes.phases.iter().enumerate() {
            let parts = [("observe", &phase.observe), ("score", &phase.score), ("advance", &phase.advance)];
            for (part, schedule) in parts {
                let network = Network::new(schedule, &outputs(phase, part, fluents));
                if network.operations == 0 {
                    continue;
                }
                let best = if has_abc {
                    let file = folder.path().join("network.blif");
                    fs::write(&file, &network.blif)?;
                    Some(fewest(&args.abc, &file)?)
                } else {
                    None
                };
                row(&format!("{name} {i} {part}"), network.operations, best);
                totals[0] += network.operations;
                totals[1] += best.unwrap_or(0);
            }
        }
        row(&format!("**{name}**"), totals[0], has_abc.then_some(totals[1]));
    }
    Ok(())
}

/// Prints a row of the table.
fn row(name: &str, ours: usize, best: Option<usize>) {
    match best {
        Some(best) => println!("| {name} | {ours} | {best} | {:.2} |", best as f64 / ours as f64),
        None => println!("| {name} | {ours} | | |"),
    }
}

/// Returns the slots that other parts read.
fn outputs(phase: &Phase, part: &str, fluents: u32) -> Vec<u32> {
    let mut slots: Vec<u32> = (FLUENTS..FLUENTS + fluents).collect();
    if part != "advance" {
        slots.extend([FRESH, TERMINAL, SCORED, ENDED]);
        slots.extend(phase.roles.iter().flat_map(|role| role.slots().map(|slot| slot as u32)));
        slots.extend(phase.items.iter().map(|item| item.1));
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// A lane program as a network of functions.
struct Network {
    blif: String,
    /// The number of operations that are not copies.
    operations: usize,
}

impl Network {
    fn new(schedule: &Schedule, outputs: &[u32]) -> Self {
        // The name of each slot's value, and the slots that are read before they are written.
        let mut names: HashMap<u32, String> = HashMap::new();
        let (mut inputs, mut body) = (Vec::new(), String::new());
        let (mut written, mut operations) = (HashMap::new(), 0);
        for (number, (table, step)) in schedule.operations().enumerate() {
            let operands = step.operands.map(|slot| {
                let name = names.entry(slot).or_insert_with(|| {
                    inputs.push(slot);
                    format!("i{slot}")
                });
                name.clone()
            });
            let result = format!("n{number}");
            let _ = writeln!(body, ".names {} {result}", operands.join(" "));
            for row in (0..8).filter(|row| table >> row & 1 == 1) {
                let _ = writeln!(body, "{row:03b} 1");
            }
            operations += usize::from(operands.iter().any(|operand| *operand != operands[0]));
            names.insert(step.result, result.clone());
            written.insert(step.result, result);
        }
        let outputs: Vec<(u32, &String)> =
            outputs.iter().filter_map(|&slot| Some((slot, written.get(&slot)?))).collect();
        let mut blif = String::from(".model program\n.inputs");
        for slot in inputs.iter().filter(|&&slot| slot != 0) {
            let _ = write!(blif, " i{slot}");
        }
        blif += "\n.outputs";
        for (slot, _) in &outputs {
            let _ = write!(blif, " o{slot}");
        }
        blif += "\n";
        if inputs.contains(&0) {
            blif += ".names i0\n";
        }
        blif += &body;
        for (slot, name) in outputs {
            let _ = write!(blif, ".names {name} o{slot}\n1 1\n");
        }
        blif += ".end\n";
        Self { blif, operations }
    }
}

/// Runs ABC's scripts on a network, and returns the fewest operations of any.
fn fewest(abc: &str, file: &Path) -> Result<usize, Box<dyn Error>> {
    let mut fewest = usize::MAX;
    for script in SCRIPTS {
        let commands = format!("read_blif {}; {script}; print_stats", file.display());
        let output = Command::new(abc).args(["-q", &commands]).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        // The statistics have `nd = NUMBER`.
        let number = text.rsplit_once("nd =").and_then(|(_, rest)| rest.split_whitespace().next());
        let number = number.ok_or_else(|| format!("ABC printed no number of nodes: {text}"))?;
        fewest = fewest.min(number.parse()?);
    }
    Ok(fewest)
}

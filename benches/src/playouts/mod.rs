//! The comparison of random playouts by every engine and by handwritten baselines: a [`Report`] as
//! a table and a chart.
//!
//! All contestants of a game play in one process, on the same clock and in turn; one sample of each
//! makes a round. Other work on the machine slows all samples of a round, so ratios are taken
//! within rounds, and the report has their median. The clock is processor time, which stands still
//! while other processes run.
//!
//! Each engine has its own generators, and every choice is exactly uniform in all of them.

mod chart;
mod contest;
mod engine;
mod report;
mod table;

pub use report::Report;

use clap::{Parser, builder::PossibleValuesParser};
use engine::{ENGINES, GAMES};
use gdl_runtime::lanes::Isa;
use gdl_tools::{output, parse, progress::Progress};
use std::{fs, path::PathBuf};

/// Random playouts by each engine and by loops written by hand, in turn and in one process.
///
/// Rates are per second of processor time, ratios are to the loop written by hand: medians over all
/// rounds.
#[derive(Debug, Parser)]
#[command(name = "playouts")]
pub struct Args {
    /// The games; all that have a loop written by hand if none is named
    #[arg(value_name = "GAME", value_parser = PossibleValuesParser::new(GAMES))]
    games: Vec<String>,
    /// Seconds for each engine on each game, in all rounds together
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = parse::seconds)]
    seconds: f64,
    /// Rounds; each engine plays one sample in each
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    rounds: u64,
    /// Instruction sets of lanes [default: the best one of this machine]
    #[arg(long, value_name = "ISA", value_enum, value_delimiter = ',')]
    isa: Vec<gdl_tools::engine::Isa>,
    /// Numbers of threads; with several, the scaling per core is printed
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = parse::threads)]
    threads: Vec<usize>,
    /// The folder for `playouts.md` and `playouts.svg` [default: `tmp` in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON with every sample instead of the table
    #[arg(long)]
    json: bool,
    /// The argument that `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Args {
    /// The names of the games to play.
    fn games(&self) -> Vec<&'static str> {
        let named = |game: &&str| self.games.is_empty() || self.games.iter().any(|name| name == game);
        GAMES.into_iter().filter(named).collect()
    }

    /// The instruction sets to compare.
    ///
    /// # Errors
    /// Returns the name of an instruction set that this machine lacks.
    fn isas(&self) -> Result<Vec<Isa>, String> {
        if self.isa.is_empty() {
            return Ok(vec![Isa::best()]);
        }
        let isas: Vec<Isa> = self.isa.iter().map(|&isa| isa.into()).collect();
        match isas.iter().find(|isa| !isa.is_available()) {
            Some(isa) => Err(format!("this machine does not have the instruction set {}", isa.name())),
            None => Ok(isas),
        }
    }
}

/// Plays, prints the table, and writes table and chart to `out` or to the folder of the arguments.
///
/// # Errors
/// Returns a message if an instruction set or a game is missing, or a file cannot be written.
pub fn run(args: &Args, out: PathBuf) -> Result<(), String> {
    let isas = args.isas()?;
    let games = args.games();
    let setups = contest::setups(ENGINES, &isas, &args.threads);
    let plan = contest::Plan { seconds: args.seconds, rounds: args.rounds };
    let samples = games.len() * setups.len() * (args.rounds as usize + 1);
    let progress = Progress::counted("samples", samples as u64);
    let mut done = 0;
    let report = contest::hold(&games, &setups, plan, &mut || {
        done += 1;
        progress.tell(done);
    });
    drop(progress);

    let table = report.to_string();
    let folder = args.out.clone().unwrap_or(out);
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        output::remark(format_args!("written: {}", path.display()));
        Ok::<_, String>(())
    };
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    write("playouts.md", &table)?;
    write("playouts.svg", &chart::draw(&report))?;
    if args.json {
        let value = serde_json::to_value(&report).map_err(|error| error.to_string())?;
        output::json(&value).map_err(|error| error.to_string())
    } else {
        print!("{table}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Args, String> {
        let words = ["playouts"].into_iter().chain(text.split_whitespace());
        Args::try_parse_from(words).map_err(|error| error.to_string())
    }

    #[test]
    fn all_games_are_played_unless_some_are_named() {
        assert_eq!(parse("--bench").unwrap().games(), GAMES);
        let args = parse("reversi tictactoe --bench").unwrap();
        assert_eq!(args.games(), ["tictactoe", "reversi"]);
        assert_eq!((args.threads, args.rounds), (vec![1], 10));
        assert!(parse("tictacto").unwrap_err().contains("'tictactoe'"));
    }

    #[test]
    fn instruction_sets_must_be_there() {
        let args = parse("--isa portable --threads 1,2 --seconds 0.5").unwrap();
        assert_eq!(args.isas(), Ok(vec![Isa::Portable]));
        assert_eq!(args.threads, [1, 2]);
        assert_eq!(parse("").unwrap().isas(), Ok(vec![Isa::best()]));
        let all = parse("--isa portable,avx2,avx512").unwrap().isas();
        assert_eq!(all.is_ok(), Isa::Avx512.is_available());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["--seconds 0", "--seconds -1", "--rounds 0", "--threads 0", "--isa sse", "--threads 1,"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn files_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let args = parse("rock_paper_scissors --seconds 0.001 --rounds 1 --isa portable").unwrap();
        run(&args, folder.path().join("new")).unwrap();
        for (name, start) in [("playouts.md", "Machine: "), ("playouts.svg", "<svg ")] {
            let text = fs::read_to_string(folder.path().join("new").join(name)).unwrap();
            assert!(text.starts_with(start) && text.contains("rock_paper_scissors"), "{text}");
        }
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(run(&args, file).unwrap_err().starts_with("cannot make the folder"));
    }
}

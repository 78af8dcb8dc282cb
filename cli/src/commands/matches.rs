//! `gdl match`: plays matches between players and prints their scores.

use crate::args::{terms::TermsArgs, way::WayArgs};
use clap::Args;
use gdl_players::{record::Record, referee::Match};
use gdl_runtime::{Cancel, Dynamic, Game, playouts::RoleTally};
use gdl_tools::{
    contest::{Contest, DEFAULT_COUNT, DEFAULT_LONGEST, DEFAULT_NODES, Total, mean_goal, score},
    error::{Error, Result},
    game::GameArg,
    output::{self, BOLD, DIM, duration, thousands},
    parse::{count, threads},
    players::{self, Spec},
    progress::Progress,
    statistics::{elo, wilson},
};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    thread,
    time::Instant,
};

/// Arguments of `gdl match`.
#[derive(Clone, Debug, Args)]
#[command(after_help = players::help("\
Players change seats from match to match, so each plays each role equally often; the matches of a
round have the same random choices. A win is a goal above all others, a draw the greatest goal shared;
with one role 100 is a win. Scores come with Wilson's 95 % intervals; Elo is the score of two players
in points.

If a player answers with an illegal move, too late or not at all, a random move is made and counted.
Without --clock and --nodes, players visit 10,000 nodes for each move. With nodes instead of a clock,
the same seed gives the same matches on any number of threads.

Examples:
  gdl match tictactoe alphabeta random -n 1000
  gdl match connect_four mcts alphabeta:depth=6 --clock 0.1
  gdl match mygame.kif mcts random random -n 30 --record matches"))]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// One player for each role other than chance
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<Spec>,
    /// Matches to play
    #[arg(long, short = 'n', value_name = "N", default_value_t = DEFAULT_COUNT, value_parser = count)]
    pub count: u64,
    /// The cost of moves.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// The engine that makes moves.
    #[command(flatten)]
    pub engine: WayArgs,
    /// Matches played at once [default: one for each processor; one with a clock or a
    /// remote player]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Write each match to a file of this folder, in ggp-base's form
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Plays and prints the report.
///
/// # Errors
/// Returns an error if the rulesheet has errors, the players do not fit the game, or a file or
/// stdout cannot be written.
pub(crate) fn run(args: &MatchArgs) -> Result {
    if args.players.iter().any(Spec::is_human) {
        return Err(Error::Usage("`human` plays in `gdl play` only".to_owned()));
    }
    if let Some(folder) = &args.record {
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    }
    let players: Result<Vec<Spec>> = args.players.iter().map(|player| player.told(&args.game)).collect();
    let args = MatchArgs { players: players?, ..args.clone() };
    args.game.with_dynamic(args.engine.way, |game| play(&args, game))?
}

fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    Error::Input(format!("cannot write {}: {error}", path.display()))
}

/// Plays the matches and prints the report.
fn play(args: &MatchArgs, game: &Dynamic) -> Result {
    let name = args.game.name();
    let contest = Contest {
        name: &name,
        players: &args.players,
        seed: args.terms.seed,
        clock: args.terms.clock(),
        nodes: args.terms.nodes(DEFAULT_NODES),
        longest: DEFAULT_LONGEST,
    };
    contest.seats(game)?;
    let start = Instant::now();
    let total = play_all(args, game, contest)?;
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        return output::json(&to_json(args, game, &total, seconds));
    }
    print(args, game, &total, seconds)
}

/// Plays all matches, several at once if possible, and writes their records.
fn play_all(args: &MatchArgs, game: &Dynamic, contest: Contest<'_>) -> Result<Total> {
    let threads = match (args.threads, args.terms.clock) {
        (Some(threads), _) => threads,
        // With a clock, concurrent matches would slow each other down. A remote player plays one
        // match at a time.
        (None, Some(_)) => 1,
        _ if args.players.iter().any(Spec::is_remote) => 1,
        (None, None) => thread::available_parallelism().map_or(1, usize::from),
    };
    let progress = Progress::counted("matches", args.count);
    let keep = |number: u64, played: &Match<Dynamic>| {
        let Some(folder) = &args.record else { return Ok(()) };
        let (name, width) = (contest.name, args.count.to_string().len());
        let path = folder.join(format!("{name}.{}.{:0width$}.json", contest.seed, number + 1));
        write(&path, &played.record(game))
    };
    let tell = |done| progress.tell(done);
    contest.play(game, 0..args.count, threads, &Cancel::default(), &tell, &keep)
}

fn write(path: &Path, record: &Record) -> Result {
    let text = serde_json::to_string(record).map_err(|error| Error::Output(error.into()))?;
    fs::write(path, text + "\n").map_err(|error| unwritten(path, &error))
}

/// Returns the time and nodes for a move as text.
fn bounds(args: &MatchArgs) -> String {
    let time = args.terms.clock.map(duration);
    let nodes = args.terms.nodes(DEFAULT_NODES).map(|nodes| format!("{} nodes", thousands(nodes)));
    let bounds: Vec<String> = time.into_iter().chain(nodes).collect();
    format!("{} a move", bounds.join(" or "))
}

fn print(args: &MatchArgs, game: &Dynamic, total: &Total, seconds: f64) -> Result {
    let mut out = output::stdout();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{}, {}, {}, seed {}, {}{DIM:#}",
        args.game.name(),
        game.engine(),
        matches(args.count),
        bounds(args),
        args.terms.seed,
        duration(seconds)
    )?;
    let names = args.players.iter().map(ToString::to_string);
    let roles = game.vocabulary().roles();
    let widest = names.clone().chain(roles.iter().map(|role| format!("  as {role}")));
    let width = widest.map(|name| name.chars().count()).max().unwrap_or(0).max("player".len());
    let head = "    wins   draws  losses   mean goal     score  95 %";
    let two = args.players.len() == 2;
    writeln!(
        out,
        "{DIM}{:<width$}{head}{}{DIM:#}",
        "player",
        if two { "                Elo  95 %" } else { "" }
    )?;
    for (name, tally) in names.zip(&total.players) {
        let all = tally.all();
        let [low, high] = wilson(score(&all), all.games());
        write!(out, "{BOLD}{name:<width$}{BOLD:#}{}", columns(&all))?;
        if two {
            let interval = format!("{} .. {}", points(elo(low)), points(elo(high)));
            write!(out, "  {BOLD}{:>6}{BOLD:#}  {interval}", points(elo(score(&all))))?;
        }
        writeln!(out)?;
        let seats = tally.roles.iter().enumerate().filter(|(_, results)| results.games() > 0);
        if total.players.len() > 1 {
            for (role, results) in seats {
                let role = format!("  as {}", roles.get(role).unwrap_or("?"));
                writeln!(out, "{DIM}{role:<width$}{}{DIM:#}", columns(results))?;
            }
        }
    }
    let length = total.steps as f64 / args.count as f64;
    writeln!(out, "{DIM}{length:.1} moves a match{DIM:#}")?;
    for (spec, tally) in args.players.iter().zip(&total.players) {
        for (number, what) in
            [(tally.illegal, "illegal moves"), (tally.late, "late answers"), (tally.gone, "answers missing")]
        {
            if number > 0 {
                writeln!(out, "{spec}: {} {what}", thousands(number))?;
            }
        }
    }
    if total.unscored > 0 {
        writeln!(out, "{} abandoned, or without one goal for each role", matches(total.unscored))?;
    }
    out.flush()?;
    Ok(())
}

fn matches(count: u64) -> String {
    format!("{} match{}", thousands(count), if count == 1 { "" } else { "es" })
}

fn columns(results: &RoleTally) -> String {
    let [low, high] = wilson(score(results), results.games());
    format!(
        "{:>8}{:>8}{:>8}{:>12.2}{:>8.1} %  {:>5.1} .. {:>5.1}",
        thousands(results.wins),
        thousands(results.draws),
        thousands(results.losses),
        mean_goal(results),
        100.0 * score(results),
        100.0 * low,
        100.0 * high
    )
}

/// Returns an Elo difference as text, with its sign.
fn points(elo: f64) -> String {
    if elo.is_infinite() {
        return if elo > 0.0 { "+inf" } else { "-inf" }.to_owned();
    }
    // Adding zero turns -0 into 0.
    format!("{:+.0}", elo.round() + 0.0)
}

/// Returns the JSON object of the command. `clock` is the seconds for a move, or null; `nodes` the
/// nodes for a move, or null. [`Total::to_json`] adds the results.
fn to_json(args: &MatchArgs, game: &Dynamic, total: &Total, seconds: f64) -> Value {
    let mut report = json!({
        "game": args.game.name(),
        "engine": game.engine(),
        "matches": args.count,
        "seed": args.terms.seed,
        "clock": args.terms.clock,
        "nodes": args.terms.nodes(DEFAULT_NODES),
    });
    let players = args.players.iter().map(ToString::to_string);
    let roles: Vec<&str> = game.vocabulary().roles().iter().collect();
    if let Value::Object(report) = &mut report {
        report.extend(total.to_json(args.count, players, &roles));
        report.insert("seconds".to_owned(), json!(seconds));
    }
    report
}

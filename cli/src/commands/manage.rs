//! `gdl manage`: plays schedules of matches between local and remote players, and prints results
//! and standings.

use clap::{Args, Subcommand};
#[cfg(feature = "sign")]
use gdl_manage::Key;
use gdl_manage::{Done, Manager, Plan, Row, Schedule, Standings, Store};
use gdl_players::record::Record;
use gdl_runtime::Cancel;
use gdl_tools::{
    contest::mean_goal,
    error::{Error, Result},
    output::{self, BOLD, DIM, counted, duration, thousands},
    parse::threads,
    progress::Progress,
};
use serde_json::json;
use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process,
    time::Instant,
};

/// Arguments of `gdl manage`.
#[derive(Debug, Args)]
#[command(after_help = "\
A schedule is a file like this one; docs/how-to/tournaments.md lists all keys:

  version = 1
  games = [\"tictactoe\", \"mygames/nim.kif\"]
  start_clock = 10
  play_clock = 2
  repetitions = 5
  [players]
  mine = \"remote:127.0.0.1:9147\"
  base = \"mcts\"

Every combination of players meets in every game and in all seats. Each step is written to a database
as it is made. After any interruption the same command continues where the last one ended, and plays
no match twice. If a player answers with an illegal move, too late or not at all, a random move is made
and recorded.

Examples:
  gdl manage check cup.toml
  gdl manage run cup.toml --results cup.db
  gdl manage standings cup.db
  gdl manage export cup.db matches")]
pub(crate) struct ManageArgs {
    #[command(subcommand)]
    pub action: Action,
}

/// The actions.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Check a schedule and count its matches, without playing
    Check {
        /// The schedule
        schedule: PathBuf,
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
    },
    /// Play the missing matches of a schedule
    Run(RunArgs),
    /// Print the standings
    Standings {
        /// The database of results
        results: PathBuf,
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
    },
    /// Write each match to a file, in ggp-base's form
    Export {
        /// The database of results
        results: PathBuf,
        /// The folder to write to
        folder: PathBuf,
    },
}

/// Arguments of `gdl manage run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The schedule
    pub schedule: PathBuf,
    /// The database of results
    #[arg(long, value_name = "FILE")]
    pub results: PathBuf,
    /// Matches played at once [default: the most that do not slow each other down]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Sign the record of each match with an RSA key: a PEM file, or a JSON file of ggp-base
    #[cfg(feature = "sign")]
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Print a JSON object for each match on stdout, a line each
    #[arg(long)]
    pub json: bool,
}

impl ManageArgs {
    /// Returns whether the command prints JSON on stdout.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.action {
            Action::Check { json, .. } | Action::Standings { json, .. } => *json,
            Action::Run(args) => args.json,
            Action::Export { .. } => false,
        }
    }
}

/// Runs the action.
///
/// # Errors
/// Returns an error if a schedule, a rulesheet or a database has errors, something cannot be
/// written, or the run was cancelled.
pub(crate) fn run(args: &ManageArgs) -> Result {
    match &args.action {
        Action::Check { schedule, json } => check(schedule, *json),
        Action::Run(args) => play(args),
        Action::Standings { results, json } => {
            let standings = Standings::of(&Store::read(results)?)?;
            if *json { output::json(&standings.to_json()) } else { print(&standings) }
        }
        Action::Export { results, folder } => export(&Store::read(results)?, folder),
    }
}

/// Checks a schedule and prints a summary, as one JSON object if `json` is true. In the object,
/// `matches` of a game is the number in one repetition. `most_seconds` is an upper bound on the
/// time of all matches in sequence, or null without clocks.
fn check(path: &Path, json: bool) -> Result {
    let schedule = Schedule::open(path)?;
    let name = schedule.name.clone();
    let plan = Plan::new(schedule)?;
    if json {
        let games = plan.games();
        let games = games.map(|(name, seats, each)| json!({ "name": name, "seats": seats, "matches": each }));
        return output::json(&json!({
            "schedule": name,
            "matches": plan.matches(),
            "games": games.collect::<Vec<_>>(),
            "players": plan.players().collect::<Vec<_>>(),
            "terms": plan.terms(),
            "most_seconds": plan.longest().map(|longest| longest.as_secs_f64()),
        }));
    }
    let mut out = output::stdout();
    let players: Vec<&str> = plan.players().collect();
    writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}{}{DIM:#}", matches(plan.matches()))?;
    writeln!(out, "{}: {}", counted(players.len(), "player"), players.join(", "))?;
    for (name, seats, each) in plan.games() {
        let each = matches(each as u64);
        writeln!(out, "{BOLD}{name}{BOLD:#} {DIM}{}, {each} a repetition{DIM:#}", counted(seats, "seat"))?;
    }
    if let (Some([start, play]), Some(longest)) = (plan.clocks(), plan.longest()) {
        let [start, play] = [start, play].map(|clock| clock.as_secs_f64());
        writeln!(out, "clocks: {start} s before the first move, {play} s for each")?;
        let steps = thousands(Plan::MOST_STEPS as u64);
        let longest = span(longest.as_secs());
        writeln!(out, "at most {longest}{DIM}, if each match has {steps} steps, one after the other{DIM:#}")?;
    }
    Ok(out.flush()?)
}

/// Returns a time in seconds, minutes, hours or days, rounded up.
fn span(seconds: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("day", 86_400), ("hour", 3600), ("minute", 60)];
    let unit = UNITS.into_iter().find(|&(_, unit)| seconds >= 2 * unit);
    let (name, unit) = unit.unwrap_or(("second", 1));
    counted(usize::try_from(seconds.div_ceil(unit)).unwrap_or(usize::MAX), name)
}

fn play(args: &RunArgs) -> Result {
    #[cfg(feature = "sign")]
    let key = args.key.as_deref().map(Key::open).transpose()?;
    let plan = Plan::new(Schedule::open(&args.schedule)?)?;
    let store = Store::play(&args.results, &plan)?;
    let cancel = Cancel::default();
    let pull = cancel.clone();
    let handled = ctrlc::set_handler(move || {
        if pull.is_cancelled() {
            // The second Ctrl-C exits at once. Unfinished matches are played again in the next run.
            process::exit(130);
        }
        pull.cancel();
    });
    handled.map_err(|error| Error::Input(format!("cannot listen for Ctrl-C: {error}")))?;

    let manager = Manager::new(&plan, store, &cancel);
    let threads = args.threads.unwrap_or_else(|| manager.threads());
    let progress = Progress::counted("matches", plan.matches());
    let has_lines = args.json || !progress.is_shown() || !io::stdout().is_terminal();
    let tell = |done: &Done| {
        progress.tell(done.done);
        if has_lines {
            let text = if args.json { done.to_json().to_string() } else { line(done, plan.matches()) };
            // A reader that closed the pipe needs no more output; the matches go on.
            let mut out = io::stdout().lock();
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        }
        Ok(())
    };
    let sign = |record: &Record| {
        #[cfg(feature = "sign")]
        if let Some(key) = &key {
            return key.sign(record);
        }
        serde_json::to_string(record).map_err(|error| Error::Output(error.into()))
    };
    let start = Instant::now();
    let done = manager.play(threads, &sign, &tell)?;
    drop(progress);
    let time = duration(start.elapsed().as_secs_f64());
    let all = plan.matches();
    if !args.json {
        print(&Standings::of(&Store::read(&args.results)?)?)?;
        output::remark(format_args!("{DIM}{} of {} in {time}{DIM:#}", thousands(done), matches(all)));
    }
    if done < all {
        output::remark(format_args!(
            "cancelled: {} are left; run the same command again to play them",
            matches(all - done)
        ));
        return Err(Error::Reported);
    }
    Ok(())
}

/// Returns the line of a finished match.
fn line(done: &Done, all: u64) -> String {
    let seats = done.players.iter().zip(&done.goals).zip(&done.faults).map(|((player, goal), faults)| {
        let goal = goal.map_or_else(|| "-".to_owned(), |goal| goal.to_string());
        let faults = if faults.count == 0 { String::new() } else { format!(" ({faults})") };
        format!("{player} {goal}{faults}")
    });
    let seats: Vec<String> = seats.collect();
    let ending = if done.ending == "terminal" { String::new() } else { format!(": {}", done.ending) };
    format!("{}/{all} {} #{}: {}{ending}", done.done, done.game, done.number, seats.join(", "))
}

fn print(standings: &Standings) -> Result {
    let mut out = output::stdout();
    let [planned, running, done] = standings.matches;
    let all = planned + running + done;
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{} of {} done{DIM:#}",
        standings.name,
        thousands(done),
        matches(all)
    )?;
    let names = standings.rows.iter().map(|row| row.player.chars().count());
    let width = names.max().unwrap_or(0).max("player".len());
    writeln!(
        out,
        "{DIM}{:<width$} matches    wins   draws  losses   mean goal  illegal    late missing  rating  95 %{DIM:#}",
        "player"
    )?;
    for row in &standings.rows {
        writeln!(out, "{BOLD}{:<width$}{BOLD:#}{}", row.player, columns(row))?;
    }
    if standings.unscored > 0 {
        writeln!(
            out,
            "{} not played to the end, or without one goal for each role",
            matches(standings.unscored)
        )?;
    }
    Ok(out.flush()?)
}

fn columns(row: &Row) -> String {
    // Adding zero turns -0 into 0.
    let points = |elo: f64| format!("{:+.0}", elo.round() + 0.0);
    let rating = row.rating.map_or_else(
        || format!("{:>8}", "-"),
        |rating| {
            let [low, high] = rating.interval.map(points);
            format!("{BOLD}{:>8}{BOLD:#}  {low} .. {high}", points(rating.elo))
        },
    );
    format!(
        "{:>8}{:>8}{:>8}{:>8}{:>12.2}{:>9}{:>8}{:>8}{rating}",
        thousands(row.results.games()),
        thousands(row.results.wins),
        thousands(row.results.draws),
        thousands(row.results.losses),
        mean_goal(&row.results),
        thousands(row.illegal),
        thousands(row.late),
        thousands(row.missing),
    )
}

fn export(store: &Store, folder: &Path) -> Result {
    let unwritten = |error: io::Error| Error::Input(format!("cannot write {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(unwritten)?;
    let [_, _, done] = Standings::of(store)?.matches;
    let progress = Progress::counted("matches", done);
    let mut written = 0;
    store.records(|number, game, record| {
        written += 1;
        progress.tell(written);
        // The database may be untrusted, so a name must not form a path.
        let game: String =
            game.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        output::file(&folder.join(format!("{number:06}.{game}.json")), &format!("{record}\n"))
    })?;
    drop(progress);
    output::remark(format_args!("{} written to {}", matches(written), folder.display()));
    Ok(())
}

fn matches(count: u64) -> String {
    format!("{} match{}", thousands(count), if count == 1 { "" } else { "es" })
}

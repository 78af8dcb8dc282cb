//! `gdl match`: players against each other, and what they score.

use crate::args::terms::TermsArgs;
use clap::Args;
use gdl_runtime::{
    Game, GameExt, Player, Referee,
    chance::Stream,
    game::Id,
    playouts::RoleTally,
    record::Record,
    referee::{End, Fault, Match},
};
use gdl_tools::{
    error::{Error, Result},
    game::{GameArg, Task},
    output::{self, BOLD, DIM, counted, duration, thousands},
    parse::{count, threads},
    players::{self, Spec},
    progress::Progress,
    statistics::{elo, wilson},
};
use serde_json::{Map, Value, json};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

/// Arguments of `gdl match`.
#[derive(Debug, Args)]
#[command(after_help = players::help("\
Players change seats from match to match, so each plays each role equally often; the matches of a
round have the same luck. A win is a goal above all others, a draw the greatest goal shared; with
one role 100 is a win. Scores come with Wilson's 95 % intervals; Elo is the score of two players
in points.

For a player that answers with an illegal move, too late or not at all, a random move is made, which
is counted. Without --clock and --nodes players visit 10,000 nodes for a move. With nodes in place
of a clock the same seed gives the same matches, whatever the number of threads.

Examples:
  gdl match tictactoe alphabeta random -n 1000
  gdl match connect_four mcts alphabeta:depth=6 --clock 0.1
  gdl match mygame.kif mcts random random -n 30 --record matches"))]
pub(crate) struct MatchArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// One player for each role other than chance
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<Spec>,
    /// How many matches to play
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100, value_parser = count)]
    pub count: u64,
    /// What moves may cost.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// How many matches are played at once [default: one for each processor, with a clock one]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Write each match to a file of this folder, in ggp-base's form
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Nodes for a move unless it is said how many or how long: some milliseconds of small games.
const DEFAULT_NODES: u64 = 10_000;

/// Plays and prints the report.
///
/// # Errors
/// If the rulesheet is at fault, there are not as many players as roles, or something cannot be written.
pub(crate) fn run(args: &MatchArgs) -> Result {
    if args.players.iter().any(Spec::is_human) {
        return Err(Error::Usage("`human` plays in `gdl play` only".to_owned()));
    }
    if let Some(folder) = &args.record {
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    }
    args.game.with_dynamic(Contest(args))?
}

fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    Error::Input(format!("cannot write {}: {error}", path.display()))
}

/// The matches that the arguments ask for.
struct Contest<'a>(&'a MatchArgs);

impl Task for Contest<'_> {
    type Output = Result;

    fn run<G: Game>(self, game: &G) -> Result {
        let Self(args) = self;
        let seats: Vec<usize> =
            game.roles().filter(|&role| Some(role) != game.chance_role()).map(Id::index).collect();
        if seats.len() != args.players.len() {
            let takes = counted(seats.len(), "player");
            return Err(Error::Usage(format!(
                "{} takes {takes}, found {}: one for each role",
                args.game.name(),
                args.players.len()
            )));
        }
        let start = Instant::now();
        let total = play_all(args, game, &seats)?;
        let seconds = start.elapsed().as_secs_f64();
        if args.json {
            return output::json(&to_json(args, game, &total, seconds));
        }
        print(args, game, &total, seconds)
    }
}

/// Wins and half the draws, as a share.
fn score(results: &RoleTally) -> f64 {
    (results.wins as f64 + 0.5 * results.draws as f64) / results.games().max(1) as f64
}

fn mean_goal(results: &RoleTally) -> f64 {
    results.goals as f64 / results.games().max(1) as f64
}

/// What one player came to.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// By role, in role order.
    roles: Vec<RoleTally>,
    illegal: u64,
    late: u64,
    gone: u64,
}

impl Tally {
    fn all(&self) -> RoleTally {
        let mut all = RoleTally::default();
        self.roles.iter().for_each(|results| all.merge(results));
        all
    }
}

/// What the matches came to.
#[derive(Clone, Debug, Default)]
struct Total {
    /// In the order of the arguments.
    players: Vec<Tally>,
    steps: u64,
    /// Matches that were given up, or ended without one goal for each player.
    unscored: u64,
}

impl Total {
    fn new(players: usize, roles: usize) -> Self {
        let tally = Tally { roles: vec![RoleTally::default(); roles], ..Tally::default() };
        Self { players: vec![tally; players], ..Self::default() }
    }

    /// Adds a match in which these players had these seats, which are roles.
    fn add<G: Game>(&mut self, played: &Match<G>, seats: &[usize], seated: &[usize]) {
        self.steps += played.history.depth() as u64;
        for (&role, &player) in seats.iter().zip(seated) {
            for faults in &played.faults {
                let tally = &mut self.players[player];
                match faults[role] {
                    None => {}
                    Some(Fault::Illegal(_)) => tally.illegal += 1,
                    Some(Fault::Late) => tally.late += 1,
                    Some(_) => tally.gone += 1,
                }
            }
        }
        let goals: Option<Vec<u8>> = seats.iter().map(|&role| played.goals[role]).collect();
        let Some(goals) = goals.filter(|_| played.end == End::Terminal) else {
            self.unscored += 1;
            return;
        };
        let mut results = vec![RoleTally::default(); goals.len()];
        RoleTally::count(results.iter_mut(), &goals);
        for ((&role, &player), result) in seats.iter().zip(seated).zip(&results) {
            self.players[player].roles[role].merge(result);
        }
    }

    fn merge(&mut self, other: &Self) {
        for (tally, other) in self.players.iter_mut().zip(&other.players) {
            tally.roles.iter_mut().zip(&other.roles).for_each(|(results, other)| results.merge(other));
            tally.illegal += other.illegal;
            tally.late += other.late;
            tally.gone += other.gone;
        }
        self.steps += other.steps;
        self.unscored += other.unscored;
    }
}

/// Plays all matches, several at once. All of it is whole numbers, so who plays which does not matter.
fn play_all<G: Game>(args: &MatchArgs, game: &G, seats: &[usize]) -> Result<Total> {
    let threads = match (args.threads, args.terms.clock) {
        (Some(threads), _) => threads,
        // Matches that share processors would take each other's time.
        (None, Some(_)) => 1,
        (None, None) => thread::available_parallelism().map_or(1, usize::from),
    };
    let threads = threads.min(usize::try_from(args.count).unwrap_or(usize::MAX));
    let progress = Progress::counted("matches", args.count);
    let roles = game.shape().roles;
    let next = AtomicU64::new(0);
    let done = AtomicUsize::new(0);
    let shared = Mutex::new((Total::new(args.players.len(), roles), Ok(())));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= args.count {
                break;
            }
            let result = play(args, game, seats, number);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            match result {
                Ok(part) => shared.0.merge(&part),
                Err(error) => {
                    shared.1 = Err(error);
                    next.store(args.count, Ordering::Relaxed);
                }
            }
            progress.tell(done.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // The system may be out of threads: then fewer play.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    drop(progress);
    let (total, result) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    result.map(|()| total)
}

/// Plays one match, players moved on by one seat from the match before.
fn play<G: Game>(args: &MatchArgs, game: &G, seats: &[usize], number: u64) -> Result<Total> {
    let count = args.players.len();
    let round = number / count as u64;
    let shift = (number % count as u64) as usize;
    let seated: Vec<usize> = (0..count).map(|seat| (seat + shift) % count).collect();
    let mut luck = Stream::new(args.terms.seed, round);
    let chance = luck.bits();
    let seeds: Vec<u64> = (0..count).map(|_| luck.bits()).collect();
    let players = seated.iter().map(|&player| args.players[player].build(seeds[player]));
    let mut players: Vec<Box<dyn Player<G> + '_>> = players.flatten().collect();

    let name = args.game.name();
    let id = format!("{name}.{}.{}", args.terms.seed, number + 1);
    let referee = args.terms.hold(Referee::new(game).seed(chance).id(id), DEFAULT_NODES);
    let played = referee.run(&mut players).map_err(|error| Error::Usage(error.to_string()))?;
    let mut total = Total::new(count, game.shape().roles);
    total.add(&played, seats, &seated);
    if let Some(folder) = &args.record {
        let width = args.count.to_string().len();
        let path = folder.join(format!("{name}.{}.{:0width$}.json", args.terms.seed, number + 1));
        write(&path, &played.record(game))?;
    }
    Ok(total)
}

fn write(path: &Path, record: &Record) -> Result {
    let text = serde_json::to_string(record).map_err(|error| Error::Output(error.into()))?;
    fs::write(path, text + "\n").map_err(|error| unwritten(path, &error))
}

/// Nodes or time for a move, for people.
fn bounds(args: &MatchArgs) -> String {
    let time = args.terms.clock.map(duration);
    let nodes = args.terms.nodes(DEFAULT_NODES).map(|nodes| format!("{} nodes", thousands(nodes)));
    let bounds: Vec<String> = time.into_iter().chain(nodes).collect();
    format!("{} a move", bounds.join(" or "))
}

fn print<G: Game>(args: &MatchArgs, game: &G, total: &Total, seconds: f64) -> Result {
    let mut out = output::stdout();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{}, {}, seed {}, {}{DIM:#}",
        args.game.name(),
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
        for (number, what) in [
            (tally.illegal, "illegal moves"),
            (tally.late, "late answers"),
            (tally.gone, "answers missing after a panic"),
        ] {
            if number > 0 {
                writeln!(out, "{spec}: {} {what}", thousands(number))?;
            }
        }
    }
    if total.unscored > 0 {
        writeln!(out, "{} given up, or without one goal for each role", matches(total.unscored))?;
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

/// Points of Elo with their sign.
fn points(elo: f64) -> String {
    if elo.is_infinite() {
        return if elo > 0.0 { "+inf" } else { "-inf" }.to_owned();
    }
    // No minus before a zero.
    format!("{:+.0}", elo.round() + 0.0)
}

/// The one JSON object of the command:
///
/// - `game`, `matches`, `seed`, `clock` (seconds a move, or null), `nodes` (a move, or null), `mean_length` (joint moves),
///   `unscored` (matches given up, or without one goal for each role), `seconds`;
/// - `players`, in the order of the arguments: `player`, `matches`, `wins`, `draws`, `losses`, `mean_goal`, `score`
///   (wins and half the draws, 0 to 1), `score_interval` (95 %, Wilson); with two players `elo` and `elo_interval`, null
///   where infinite; `roles`, the same counts for each role it played; `faults`, the `illegal`, `late` and missing (`gone`)
///   answers.
fn to_json<G: Game>(args: &MatchArgs, game: &G, total: &Total, seconds: f64) -> Value {
    // JSON knows no infinity.
    let points = |score: f64| Some(elo(score)).filter(|elo| elo.is_finite());
    let results = |results: &RoleTally| {
        json!({
            "matches": results.games(),
            "wins": results.wins,
            "draws": results.draws,
            "losses": results.losses,
            "mean_goal": mean_goal(results),
            "score": score(results),
            "score_interval": wilson(score(results), results.games()),
        })
    };
    let player = |(spec, tally): (&Spec, &Tally)| {
        let all = tally.all();
        let mut object = json!({ "player": spec.to_string() });
        if let (Value::Object(object), Value::Object(counts)) = (&mut object, results(&all)) {
            object.extend(counts);
        }
        if total.players.len() == 2 {
            object["elo"] = json!(points(score(&all)));
            object["elo_interval"] = json!(wilson(score(&all), all.games()).map(points));
        }
        let seats = game.vocabulary().roles().iter().zip(&tally.roles);
        let seats = seats.filter(|(_, results)| results.games() > 0);
        let seats: Map<String, Value> =
            seats.map(|(role, counts)| (role.to_owned(), results(counts))).collect();
        object["roles"] = Value::Object(seats);
        object["faults"] = json!({ "illegal": tally.illegal, "late": tally.late, "gone": tally.gone });
        object
    };
    json!({
        "game": args.game.name(),
        "matches": args.count,
        "seed": args.terms.seed,
        "clock": args.terms.clock,
        "nodes": args.terms.nodes(DEFAULT_NODES),
        "players": args.players.iter().zip(&total.players).map(player).collect::<Vec<_>>(),
        "mean_length": total.steps as f64 / args.count as f64,
        "unscored": total.unscored,
        "seconds": seconds,
    })
}

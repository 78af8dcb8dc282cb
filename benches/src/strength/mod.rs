//! The strength of players and the speed of their searches, as tables.
//!
//! Two players in a contest exchange roles after each match. A point is shared in proportion to the
//! goals. The report has the first player's mean share with its interval of 95% confidence. It is
//! Wilson's interval, which is slightly wide if there are draws. The report also has the greatest
//! delay of a move after its deadline.

mod choice;
mod contest;
mod exact;
mod openspiel;
mod puzzles;
mod speed;

use clap::Parser;
use contest::{CONTESTS, Contender, Cost};
use gdl_games::find;
use gdl_players::search::Net;
use gdl_runtime::{Dynamic, load};
use std::path::PathBuf;

/// Plays matches between players, and measures the speed of their searches.
#[derive(Debug, Parser)]
#[command(name = "strength")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Args {
    /// The games, by name or by their files; those of each contest if none is named
    #[arg(value_name = "GAME")]
    games: Vec<String>,
    /// Matches of each contest in each game
    #[arg(long, value_name = "N", default_value_t = 40)]
    matches: u64,
    /// Seconds for a move, multiplied by the player's factor in the contest
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    seconds: f64,
    /// Seconds are processor time: they are converted to nodes at the rate of the player's earlier
    /// moves
    #[arg(long)]
    processor: bool,
    /// Nodes for a move instead of seconds, ten times as many for alpha-beta and `learned`: then
    /// other work on the machine does not matter
    #[arg(long, value_name = "N", conflicts_with_all = ["seconds", "processor"])]
    nodes: Option<u64>,
    /// Four matches, a fiftieth of a second for a move
    #[arg(long)]
    quick: bool,
    /// The net of the player `learned`, a file of `gdl train`; without it the contests of `learned`
    /// are skipped
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// `best` uses the nets of built-in games
    #[arg(long)]
    nets: bool,
    /// Wall-clock seconds before a match [default: ten times the cost of a move]
    #[arg(long, value_name = "S")]
    start: Option<f64>,
    /// Random moves at the start of matches
    #[arg(long, value_name = "N", default_value_t = 0)]
    drawn: u32,
    /// The seed of the positions of `exact`
    #[arg(long, value_name = "N", default_value_t = 4)]
    seed: u64,
    /// The contests, `choice`, `exact`, `openspiel`, `puzzles` or `speed`; all if none is named
    #[arg(long = "contest", value_name = "NAME")]
    contests: Vec<String>,
    /// The argument that `cargo bench` adds.
    #[arg(long, hide = true)]
    bench: bool,
}

impl Args {
    fn wants(&self, contest: &str) -> bool {
        self.contests.is_empty() || self.contests.iter().any(|name| name == contest)
    }

    fn games<'a>(&'a self, usual: &'a [&'a str]) -> Vec<&'a str> {
        if self.games.is_empty() { usual.to_vec() } else { self.games.iter().map(String::as_str).collect() }
    }
}

/// Loads a built-in game by its name, or a game from a file. It is played from its table, so that
/// searches are compiled once for all games.
fn game(name: &str) -> Option<Dynamic> {
    let text = match find(name) {
        Some(entry) => entry.text.to_owned(),
        None => match std::fs::read_to_string(name) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("there is no game called `{name}`, and no such file: {error}");
                return None;
            }
        },
    };
    load(&text).map_err(|error| eprintln!("{name}: {error}")).ok()
}

/// Plays the contests and prints their rows.
pub fn run(args: &Args) {
    let (matches, seconds) = if args.quick { (4, 0.02) } else { (args.matches, args.seconds) };
    let each = match args.nodes {
        Some(nodes) => Cost::Nodes(nodes),
        None if args.processor => Cost::Processor(seconds),
        None => Cost::Seconds(seconds),
    };
    if let Some(path) = &args.net {
        let net = std::fs::read(path).map_err(|error| error.to_string());
        match net.and_then(|bytes| Net::from_bytes(&bytes).map_err(|error| error.to_string())) {
            Ok(net) => contest::NET.get_or_init(|| net.into()),
            Err(error) => return eprintln!("{}: {error}", path.display()),
        };
    }
    if args.nets {
        contest::NETS.get_or_init(gdl_tools::players::nets);
    }
    let is_there = |players: &[Contender; 2]| args.net.is_some() || players[0] != Contender::Learned;
    for contest in CONTESTS.iter().filter(|contest| args.wants(contest.name) && is_there(&contest.players)) {
        let cost = |place: usize| each.of(contest.players[place]).times(contest.factors[place]);
        let costs = [cost(0), cost(1)];
        let shown = |place: usize| match contest.players[place] {
            Contender::Random => "random".to_owned(),
            player => format!("{player:?}, {}", costs[place]),
        };
        println!("\n{}: {} against {}\n", contest.name, shown(0), shown(1));
        println!("| game | matches | won | drawn | lost | share | 95 % | latest |");
        println!("|---|---|---|---|---|---|---|---|");
        for name in args.games(contest.games) {
            let row = contest::Row {
                players: contest.players,
                costs,
                matches,
                drawn: args.drawn,
                start: args.start,
            };
            if let Some(game) = game(name) {
                println!("{}", row.play(name, &game));
            }
        }
    }
    if args.wants("choice") {
        let start = args.start.unwrap_or(10.0 * seconds);
        println!("\nchoice: how often `best` takes alpha-beta, {start} s before a match\n");
        println!("| game | chosen | the last reason |");
        println!("|---|---|---|");
        for name in args.games(contest::BOARDS) {
            if let Some(game) = game(name) {
                println!("{}", choice::row(name, &game, start, matches));
            }
        }
    }
    if args.wants("exact") {
        println!("\nexact: moves that keep the value of a position, {each}\n");
        println!("| game | player | positions | kept | share | 95 % | of all moves |");
        println!("|---|---|---|---|---|---|---|");
        let mut players = vec![Contender::Best, Contender::Mcts, Contender::AlphaBeta];
        players.extend(args.net.is_some().then_some(Contender::Learned));
        for name in args.games(exact::GAMES) {
            let rows = exact::rows(name, args.seed, &players, each, 5 * matches as usize);
            rows.iter().for_each(|row| println!("{row}"));
        }
    }
    if args.wants("openspiel") {
        if openspiel::is_there() {
            println!("\nopenspiel: against its MCTS, {seconds} s of processor time for a move\n");
            println!("| game | player | matches | won | drawn | lost | share | 95 % |");
            println!("|---|---|---|---|---|---|---|---|");
            for name in args.games(openspiel::GAMES) {
                for player in [Contender::Best, Contender::AlphaBeta] {
                    match openspiel::row(name, player, seconds, matches) {
                        Ok(row) => row.into_iter().for_each(|row| println!("{row}")),
                        Err(error) => eprintln!("{name}: {error}"),
                    }
                }
            }
        } else {
            println!("\nopenspiel: left out, since no Python that can import `pyspiel` is there");
        }
    }
    if args.wants("puzzles") {
        println!("\npuzzles: the planner from the start, {} s at most\n", 100.0 * seconds);
        println!("| puzzle | goal | greatest named | proved best | moves | nodes | MiB | seconds |");
        println!("|---|---|---|---|---|---|---|---|");
        for name in args.games(puzzles::GAMES) {
            let row = game(name).and_then(|game| puzzles::row(name, &game, 100.0 * seconds));
            row.into_iter().for_each(|row| println!("{row}"));
        }
    }
    if args.wants("speed") {
        println!("\nspeed: from the start, one thread, {} s each, thousands a second\n", 10.0 * seconds);
        println!(
            "| game | alpha-beta nodes | depth | MCTS leaves | MCTS playouts | MCTS, single | playouts | playouts, single |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for name in args.games(speed::GAMES) {
            if let Some(game) = game(name) {
                println!("{}", speed::row(name, &game, 10.0 * seconds));
            }
        }
    }
}

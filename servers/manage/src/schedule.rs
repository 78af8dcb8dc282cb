//! Schedules: a text in TOML is parsed into a [`Schedule`], the games, players and terms of
//! matches, or a located [`ScheduleFault`].
//!
//! The parser checks that every key is known, every value in range, and every player and game
//! exists. A rulesheet is only checked to be a file. [`Plan`](crate::Plan) checks games and players
//! together, such as that there are enough players.

use crate::fault::ScheduleFault;
use gdl_compiler::Source;
use gdl_tools::{
    error::Error,
    game::{GameArg, ReadingArgs},
    parse::did_you_mean,
    players::Spec,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::Read,
    path::Path,
    time::Duration,
};
use toml::Spanned;

/// The version of schedules that this program reads.
pub const VERSION: i64 = 1;

/// The most bytes of a schedule.
const MOST_BYTES: usize = 1 << 20;

/// The most games of a schedule.
pub(crate) const MOST_GAMES: usize = 1000;

/// The maximum number of players of a schedule. The time to compute ratings is cubic in the number
/// of players.
pub(crate) const MOST_PLAYERS: usize = 200;

/// The most repetitions of a schedule.
const MOST_REPETITIONS: u64 = 1_000_000;

/// The most characters of a player's name.
const LONGEST_NAME: usize = 100;

/// The name of chance in matches, which no player may have.
const CHANCE: &str = "random";

/// A tournament: games, players and the terms of their matches.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The text, with its name for messages.
    pub source: Source,
    /// The name of the matches: the name of the file without its extension.
    pub name: String,
    /// The games, each with its span in the text.
    pub(crate) games: Vec<Spanned<GameArg>>,
    /// The players, in the order of the text.
    pub(crate) players: Vec<Entrant>,
    /// The terms of the matches.
    pub(crate) terms: Terms,
}

/// A player of a schedule.
#[derive(Clone, Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) spec: Spec,
}

/// The terms that all matches share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Terms {
    /// The start clock in seconds.
    pub(crate) start_clock: Option<f64>,
    /// The play clock in seconds.
    pub(crate) play_clock: Option<f64>,
    /// The node budget for each move.
    pub(crate) nodes: Option<u64>,
    /// The number of times that all matches are played.
    pub(crate) repetitions: u64,
    /// The assignment of players to seats.
    pub(crate) seats: Seats,
    /// True if remote players receive scrambled symbols.
    pub(crate) scramble: bool,
    /// The seed of the tournament.
    pub(crate) seed: u64,
}

impl Terms {
    /// Returns the start clock and the play clock. `None` without clocks.
    pub(crate) fn clocks(&self) -> Option<[Duration; 2]> {
        let play = Duration::from_secs_f64(self.play_clock?);
        Some([self.start_clock.map_or(play, Duration::from_secs_f64), play])
    }
}

/// The assignment of players to seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seats {
    /// The order of the schedule, once.
    Fixed,
    /// All rotations of the schedule's order: each player plays each role.
    #[default]
    Rotated,
    /// All orders.
    Permuted,
}

/// The choice of players that meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
enum Pairing {
    /// Every combination of players for the seats.
    #[default]
    #[serde(rename = "round robin")]
    RoundRobin,
}

/// A schedule as it is parsed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "version")]
    _version: i64,
    games: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    lenient: bool,
    players: Spanned<BTreeMap<Spanned<String>, Spanned<String>>>,
    #[serde(default, rename = "pairing")]
    _pairing: Pairing,
    start_clock: Option<Spanned<f64>>,
    play_clock: Option<Spanned<f64>>,
    nodes: Option<Spanned<u64>>,
    repetitions: Option<Spanned<u64>>,
    #[serde(default)]
    seats: Seats,
    #[serde(default)]
    scramble: bool,
    #[serde(default)]
    seed: u64,
}

/// The only key that all versions share.
#[derive(Debug, Deserialize)]
struct Versioned {
    version: Option<Spanned<i64>>,
}

/// The keys of [`Written`].
const KEYS: [&str; 12] = [
    "version",
    "games",
    "lenient",
    "players",
    "pairing",
    "start_clock",
    "play_clock",
    "nodes",
    "repetitions",
    "seats",
    "scramble",
    "seed",
];

impl Schedule {
    /// Reads a schedule from a file. Paths of rulesheets are relative to the folder of the file.
    ///
    /// # Errors
    /// Returns the first error, with its place.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display();
        let unreadable = |error: &dyn std::fmt::Display| Error::Input(format!("cannot read {name}: {error}"));
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() > MOST_BYTES {
            return Err(Error::Input(format!("{name}: a schedule has no more than {MOST_BYTES} bytes")));
        }
        let source = match String::from_utf8(bytes) {
            Ok(text) => Source::new(name.to_string(), text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let source =
                    Source::new(name.to_string(), String::from_utf8_lossy(error.as_bytes()).into_owned());
                let fault =
                    ScheduleFault::new(at..at + 1, "the text is not valid UTF-8").help("save it as UTF-8");
                return Err(Error::Input(fault.render(&source)));
            }
        };
        let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read(&source, &stem, folder)
    }

    /// Reads a schedule from its text. Paths of rulesheets are relative to `folder`.
    ///
    /// # Errors
    /// Returns the first error, with its place.
    pub fn read(source: &Source, name: &str, folder: &Path) -> Result<Self, Error> {
        parse(source, name, folder).map_err(|fault| Error::Input(fault.render(source)))
    }
}

fn parse(source: &Source, name: &str, folder: &Path) -> Result<Schedule, ScheduleFault> {
    let text = source.text();
    // The version is checked first, since other versions may have other keys.
    let Versioned { version } = toml::from_str(text).map_err(|error| of_toml(&error))?;
    match &version {
        None => {
            return Err(ScheduleFault::whole("the schedule has no version")
                .help(format!("write `version = {VERSION}` on its first line")));
        }
        Some(version) if *version.get_ref() != VERSION => {
            let message = format!(
                "this schedule has version {}, but this gdl reads version {VERSION}",
                version.get_ref()
            );
            return Err(ScheduleFault::new(version.span(), message)
                .help("docs/how-to/tournaments.md has the keys of this version"));
        }
        Some(_) => {}
    }
    let written: Written = toml::from_str(text).map_err(|error| of_toml(&error))?;
    let games = games(&written.games, ReadingArgs { lenient: written.lenient }, folder)?;
    let mut players: Vec<_> = written.players.get_ref().iter().collect();
    players.sort_by_key(|(name, _)| name.span().start);
    let players_span = written.players.span();
    if players.is_empty() || players.len() > MOST_PLAYERS {
        let message = format!("there are {} players, not 1 to {MOST_PLAYERS}", players.len());
        return Err(
            ScheduleFault::new(players_span, message).help("write `name = \"mcts\"` below `[players]`")
        );
    }
    let clock = |clock: &Option<Spanned<f64>>| {
        clock.as_ref().map(|clock| match *clock.get_ref() {
            seconds if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
            _ => Err(ScheduleFault::new(clock.span(), "a clock must be above 0 and at most 86400 seconds")),
        })
    };
    let above_0 = |number: &Option<Spanned<u64>>, most: u64| {
        number.as_ref().map(|number| match *number.get_ref() {
            count if (1..=most).contains(&count) => Ok(count),
            _ => Err(ScheduleFault::new(number.span(), format!("not in 1..={most}"))),
        })
    };
    let play_clock = clock(&written.play_clock).transpose()?;
    let nodes = above_0(&written.nodes, u64::MAX).transpose()?;
    let terms = Terms {
        start_clock: clock(&written.start_clock).transpose()?,
        play_clock,
        // A player without any bound would never stop thinking.
        nodes: nodes.or((play_clock.is_none()).then_some(gdl_tools::contest::DEFAULT_NODES)),
        repetitions: above_0(&written.repetitions, MOST_REPETITIONS).transpose()?.unwrap_or(1),
        seats: written.seats,
        scramble: written.scramble,
        seed: written.seed,
    };
    if let (Some(start), None) = (&written.start_clock, play_clock) {
        let fault = ScheduleFault::new(start.span(), "there is a clock for the start, but none for moves");
        return Err(fault.help("write `play_clock = 1` for one second a move"));
    }
    // The name begins the ids of matches, which must be single words of the protocol.
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().take(LONGEST_NAME).map(word).collect();
    let name = if name.is_empty() { "schedule".to_owned() } else { name };
    Ok(Schedule { source: source.clone(), name, games, players: entrants(&players, &written)?, terms })
}

/// Checks the games: each needs its own name.
fn games(
    written: &Spanned<Vec<Spanned<String>>>,
    reading: ReadingArgs,
    folder: &Path,
) -> Result<Vec<Spanned<GameArg>>, ScheduleFault> {
    let list = written.get_ref();
    if list.is_empty() || list.len() > MOST_GAMES {
        let message = format!("there are {} games, not 1 to {MOST_GAMES}", list.len());
        return Err(ScheduleFault::new(written.span(), message).help("`gdl list` shows the built-in ones"));
    }
    let mut known = HashSet::new();
    let mut games = Vec::new();
    for game in list {
        let span = game.span();
        let parsed: Result<GameArg, String> = game.get_ref().parse();
        let parsed = parsed.map_err(|error| ScheduleFault::of_argument(span.clone(), &error))?;
        let parsed = match parsed.read(reading) {
            GameArg::File { path, lenient } => {
                let path = folder.join(path);
                if !path.is_file() {
                    let message = format!("there is no file {}", path.display());
                    let help = "paths are looked for from the folder of the schedule";
                    return Err(ScheduleFault::new(span, message).help(help));
                }
                GameArg::File { path, lenient }
            }
            built_in @ GameArg::BuiltIn(_) => built_in,
        };
        let name = parsed.name();
        if !known.insert(name.clone()) {
            let fault = ScheduleFault::new(span, format!("two games are called `{name}`"));
            return Err(fault.help("remove it, or rename the file: results are listed by the names of games"));
        }
        games.push(Spanned::new(span, parsed));
    }
    Ok(games)
}

/// Checks the players. Each player needs its own name. A remote player also needs its own address,
/// and clocks in whole seconds.
fn entrants(
    players: &[(&Spanned<String>, &Spanned<String>)],
    written: &Written,
) -> Result<Vec<Entrant>, ScheduleFault> {
    let mut entrants: Vec<Entrant> = Vec::new();
    let mut addresses = HashMap::new();
    for (name, text) in players {
        let label = name.get_ref();
        if label.is_empty() || label.chars().count() > LONGEST_NAME || label.chars().any(char::is_control) {
            let message = format!("a name needs 1 to {LONGEST_NAME} printable characters");
            return Err(ScheduleFault::new(name.span(), message));
        }
        if label == CHANCE {
            let fault = ScheduleFault::new(name.span(), "`random` is the name of chance in matches");
            return Err(fault.help("give the player another name: `dice = \"random\"`"));
        }
        let spec: Spec = text
            .get_ref()
            .parse()
            .map_err(|error: String| ScheduleFault::of_argument(text.span(), &error))?;
        if spec.is_human() {
            return Err(ScheduleFault::new(text.span(), "`human` plays in `gdl play` only"));
        }
        let spec = spec.with_net().map_err(|error| ScheduleFault::new(text.span(), error.to_string()))?;
        if let Some(address) = spec.address() {
            if let Some(other) = addresses.insert(address.clone(), label) {
                let fault = ScheduleFault::new(text.span(), format!("`{other}` already has this address"));
                return Err(fault.help("use one name: a remote player plays one match at a time"));
            }
            if written.play_clock.is_none() {
                let fault =
                    ScheduleFault::new(text.span(), "a remote player needs clocks, and there are none");
                return Err(fault.help("write `play_clock = 5` above `[players]`, and a `start_clock`"));
            }
            let clocks = [&written.start_clock, &written.play_clock];
            if let Some(clock) = clocks.into_iter().flatten().find(|clock| clock.get_ref().fract() > 0.0) {
                let message = "clocks of remote players must be whole seconds";
                return Err(
                    ScheduleFault::new(clock.span(), message).help(format!("`{label}` plays elsewhere"))
                );
            }
        }
        entrants.push(Entrant { name: label.clone(), spec });
    }
    Ok(entrants)
}

/// Converts an error of the TOML parser. For an unknown key, the help lists all keys.
fn of_toml(error: &toml::de::Error) -> ScheduleFault {
    let message = error.message();
    let fault = match error.span() {
        Some(span) => ScheduleFault::new(span, message),
        None => ScheduleFault::whole(message),
    };
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    match unknown {
        Some((key, _)) => {
            let near = did_you_mean(key, KEYS.into_iter());
            let help = format!("the keys are {}", KEYS.join(", "));
            ScheduleFault { message: format!("there is no key `{key}`{near}"), ..fault }.help(help)
        }
        None => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"version = 1
games = ["tictactoe", "nim"]
start_clock = 5
play_clock = 1
repetitions = 3
scramble = true
seed = 7
[players]
there = "remote:127.0.0.1:9147"
here = "mcts:nodes=10"
"#;

    fn read(text: &str) -> Result<Schedule, String> {
        Schedule::read(&Source::new("s.toml", text), "my cup", Path::new(""))
            .map_err(|error| error.message().unwrap_or_default())
    }

    #[test]
    fn a_schedule_is_read_in_its_order() {
        let schedule = read(WHOLE).expect("well formed");
        let names: Vec<&str> = schedule.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!((schedule.name.as_str(), names), ("my-cup", vec!["there", "here"]));
        let terms = &schedule.terms;
        assert_eq!((terms.repetitions, terms.scramble, terms.seed, terms.nodes), (3, true, 7, None));
        assert_eq!(terms.clocks(), Some([Duration::from_secs(5), Duration::from_secs(1)]));
        let least = read("version = 1\ngames = [\"nim\"]\nplayers.a = \"random\"\n").expect("well formed");
        assert_eq!(
            (least.terms.clocks(), least.terms.nodes, least.terms.repetitions),
            (None, Some(10_000), 1)
        );
    }

    #[test]
    fn faults_have_their_place_their_line_and_help() {
        assert_eq!(
            read(&WHOLE.replace("play_clock", "play_clok")).expect_err("a slip"),
            "s.toml:4:1: there is no key `play_clok`; did you mean `play_clock`?\n  |\n4 | play_clok = 1\n  | ^^^^^^^^^\n  \
             = help: the keys are version, games, lenient, players, pairing, start_clock, play_clock, nodes, repetitions, seats, scramble, seed"
        );
        for (from, to, place, message) in [
            ("version = 1", "version = 2", "1:11", "this gdl reads version 1"),
            ("version = 1\n", "", "s.toml: ", "has no version"),
            ("version = 1", "version = x", "1:11", ""),
            ("\"nim\"", "\"nimm\"", "2:23", "did you mean `nim`?"),
            ("\"nim\"", "\"no/such.kif\"", "2:23", "there is no file no/such.kif"),
            ("\"nim\"", "\"tictactoe\"", "2:23", "two games are called `tictactoe`"),
            ("[\"tictactoe\", \"nim\"]", "[]", "2:9", "there are 0 games"),
            ("play_clock = 1", "play_clock = 0", "4:14", "above 0"),
            ("play_clock = 1", "play_clock = nan", "4:14", "above 0"),
            ("play_clock = 1", "play_clock = 1.5", "4:14", "whole seconds"),
            ("play_clock = 1", "play_clock = \"1\"", "4:14", ""),
            ("start_clock = 5\nplay_clock = 1", "", "8:9", "and there are none"),
            ("repetitions = 3", "repetitions = 0", "5:15", "not in 1..="),
            ("repetitions = 3", "repetitions = -1", "5:15", ""),
            ("seed = 7", "seats = \"sorted\"", "7:9", "unknown variant `sorted`"),
            ("seed = 7", "pairing = \"swiss\"", "7:11", "unknown variant `swiss`"),
            ("seed = 7", "scramble = true", "7:1", "duplicate key"),
            ("\nhere =", "\nthere =", "10:1", "duplicate key"),
            ("\nhere =", "\nrandom =", "10:1", "`random` is the name of chance"),
            ("mcts:nodes=10", "mtcs", "10:8", "did you mean `mcts`?"),
            ("mcts:nodes=10", "human", "10:8", "`gdl play` only"),
            ("mcts:nodes=10", "remote:127.0.0.1", "10:8", "`there` already has this address"),
            ("here = \"mcts:nodes=10\"", "\"a\\nb\" = \"mcts\"", "10:1", "1 to 100 printable characters"),
            ("[players]", "[players", "8:9", ""),
        ] {
            let text = WHOLE.replace(from, to);
            assert_ne!(text, WHOLE, "{from}");
            let fault = read(&text).map(drop).expect_err(to);
            assert!(fault.contains(place) && fault.contains(message), "{to}: {fault}");
        }
        let deep = format!("version = 1\ngames = {}", "[".repeat(100_000));
        assert!(read(&deep).is_err());
        let wide = format!("{}é = 1 # {}", " ".repeat(500), "x".repeat(500));
        assert!(read(&wide).expect_err("no such key").lines().all(|line| line.chars().count() < 150));
    }
}

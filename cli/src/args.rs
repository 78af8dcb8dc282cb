//! The command line: what may be asked, parsed into plain data.
//!
//! Everything that can be judged without opening a file is judged here, so that wrong arguments end
//! with exit code 2, the nearest right one named, before any work is done.

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::styling::{AnsiColor, Styles},
};
use gdl_compiler::{Levels, Limits, Options, diagnostic::codes};
use gdl_runtime::{Game, Referee};
use gdl_tools::{
    engine::{Engine, Isa},
    game::GameArg,
    load::Way,
    parse::{count, did_you_mean, seconds, threads, whole},
    players::{self, Spec},
    simulate::Settings,
};
use std::{path::PathBuf, time::Duration};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const AFTER_HELP: &str = "\
A GAME is a built-in name (see `gdl list`), or a rulesheet if it contains `/` or ends in `.kif`.
With --json a command prints one JSON object on stdout; messages go to stderr.
Exit codes: 0 done, 1 the input is at fault, 2 wrong usage.

Examples:
  gdl playouts tictactoe             a million random games of tic-tac-toe
  gdl check mygame.kif               what is wrong with a rulesheet, and where
  gdl perft connect_four --depth 6   how many ways there are to make six moves";

/// Check, compile, play and verify games written in the Game Description Language.
#[derive(Debug, Parser)]
#[command(name = "gdl", version, styles = STYLES, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the built-in games
    List(ListArgs),
    /// Find the faults of rulesheets
    Check(CheckArgs),
    /// Say what a diagnostic's code means
    Explain(ExplainArgs),
    /// Bring rulesheets into the usual layout
    Fmt(FmtArgs),
    /// Show the propositional net a game compiles to
    Net(NetArgs),
    /// Count the sequences of joint moves, depth by depth
    Perft(PerftArgs),
    /// Play random games and measure
    Playouts(PlayoutsArgs),
    /// Measure how wide, long, large and fair a game is
    Analyze(AnalyzeArgs),
    /// Play matches between players, and count
    Match(MatchArgs),
    /// Play against a player, or watch one play itself
    Play(PlayArgs),
    /// Show a game in the browser: a board to click, against people or players
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    /// Compare a rulesheet with recorded traces of a reference reasoner
    Verify(VerifyArgs),
    /// Measure how soon rulesheets load, how fast they play and what memory they take
    Bench(BenchArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

impl Command {
    /// True if stdout is to have one JSON object.
    #[must_use]
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::List(args) => args.json,
            Self::Check(args) => args.json,
            Self::Net(args) => args.json,
            Self::Perft(args) => args.json,
            Self::Playouts(args) => args.json,
            Self::Analyze(args) => args.json,
            Self::Match(args) => args.json,
            Self::Verify(args) => args.json,
            Self::Bench(args) => args.json,
            Self::Explain(args) => args.json,
            #[cfg(feature = "serve")]
            Self::Serve(_) => false,
            Self::Fmt(_) | Self::Play(_) | Self::Completions(_) => false,
        }
    }
}

/// Arguments of `gdl list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Warnings alone leave the exit code 0. A LINT is a name or a code; several are separated by commas.

--simulate plays: it visits the states that play can reach, all of them if they are few, else as many
as take some seconds, and then plays random games. What it finds comes with the moves that show it.
The same seed gives the same report.

Examples:
  gdl check tictactoe.kif
  gdl check games/*.kif --deny warnings
  gdl check draft.kif --simulate --warn goal_not_monotone
  gdl check draft.kif --allow unused_relation,GDL021 --json
  gdl check - --name draft.kif --json < unsaved_buffer")]
pub(crate) struct CheckArgs {
    /// The rulesheets; `-` is stdin
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    pub files: Vec<PathBuf>,
    /// What stdin is called in messages
    #[arg(long, value_name = "NAME", default_value = "stdin")]
    pub name: String,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Print the JSON Schema of what `--json` prints
    #[arg(long, exclusive = true)]
    pub schema: bool,
    /// Play, and report what only play shows
    #[arg(long)]
    pub simulate: bool,
    /// How much is played.
    #[command(flatten)]
    pub simulation: SimulationArgs,
    /// How symbols and lints are judged.
    #[command(flatten)]
    pub rules: RulesArgs,
}

/// How much `--simulate` plays.
#[derive(Debug, Args)]
#[command(next_help_heading = "Simulation")]
pub(crate) struct SimulationArgs {
    /// What the random choices follow from
    #[arg(long, value_name = "N", default_value_t = 0, requires = "simulate")]
    pub seed: u64,
    /// Random games to play where not all states can be visited [default: 1000, fewer of a vast game]
    #[arg(long, value_name = "N", requires = "simulate", value_parser = whole)]
    pub playouts: Option<u64>,
    /// The most moves of a random game
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub steps: u64,
    /// The most states to visit
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub states: u64,
}

impl SimulationArgs {
    /// The simulation's settings.
    #[must_use]
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            seed: self.seed,
            states: self.states as usize,
            playouts: self.playouts,
            steps: self.steps as usize,
            ..Settings::default()
        }
    }
}

/// Arguments of `gdl fmt`.
#[derive(Debug, Args)]
#[command(after_help = "\
The files that change are listed. Tokens and comments stay as they are; a file whose forms cannot be read
is left alone.

Examples:
  gdl fmt games/*.kif
  gdl fmt --check games/*.kif
  gdl fmt - < draft.kif")]
pub(crate) struct FmtArgs {
    /// The rulesheets; `-` formats stdin to stdout
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing, list what would change, and exit with 1 if anything would
    #[arg(long)]
    pub check: bool,
}

/// How a rulesheet is to be read.
#[derive(Debug, Default, Args)]
pub(crate) struct RulesArgs {
    /// Keep silent about a lint
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint)]
    pub allow: Vec<String>,
    /// Show a lint that is silent by default; `lints` shows all
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint_or_lints)]
    pub warn: Vec<String>,
    /// Make a lint an error; `warnings` makes errors of all warnings
    #[arg(long, value_name = "LINT", value_delimiter = ',', value_parser = lint_or_warnings)]
    pub deny: Vec<String>,
    /// Whether `Cell` and `cell` are one symbol
    #[arg(long, value_enum, default_value_t)]
    pub case: Case,
    /// How much the rulesheet may cost
    #[arg(long, value_enum, default_value_t)]
    pub limits: Bounds,
}

impl RulesArgs {
    /// The compiler's options.
    #[must_use]
    pub(crate) fn options(&self) -> Options {
        Options {
            case_sensitive: self.case == Case::Sensitive,
            levels: Levels { allow: self.allow.clone(), warn: self.warn.clone(), deny: self.deny.clone() },
            limits: self.limits.limits(),
            ..Options::default()
        }
    }
}

/// How much a rulesheet may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bounds {
    /// What a game of one's own may take
    #[default]
    Default,
    /// What a stranger's may take: two seconds and 300 MiB
    Network,
}

impl Bounds {
    /// The compiler's limits.
    #[must_use]
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::Default => Limits::default(),
            Self::Network => Limits::network(),
        }
    }
}

/// Whether spellings that differ in case alone are one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Case {
    /// One symbol, as the language has it
    #[default]
    Fold,
    /// Different symbols, as some reasoners have it
    Sensitive,
}

/// Arguments of `gdl explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gdl explain GDL085
  gdl explain unused_relation
  gdl explain")]
pub(crate) struct ExplainArgs {
    /// A code such as GDL085, or its name; without one, all codes are listed
    #[arg(value_name = "CODE", value_parser = code)]
    pub code: Option<&'static codes::Code>,
    /// List all codes
    #[arg(long, conflicts_with = "code")]
    pub list: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl net`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gdl net tictactoe
  gdl net mygame.kif --json
  gdl net tictactoe --dot | dot -Tsvg > tictactoe.svg")]
pub(crate) struct NetArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How the rules are run [default: table or, if they take too much to be grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Way>,
    /// Print the net as a Graphviz graph
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl perft`.
#[derive(Debug, Args)]
#[command(after_help = "\
The count of depth d is the number of sequences of d joint moves from the start, through states
that are not terminal.

Examples:
  gdl perft tictactoe --depth 9
  gdl perft mygame.kif --depth 3 --divide")]
pub(crate) struct PerftArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How moves are made [default: lanes or, if the rules take too much to be grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Engine>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// How many joint moves deep to count
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub depth: u32,
    /// List the count of the last depth for each first joint move
    #[arg(long)]
    pub divide: bool,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl playouts`.
#[derive(Debug, Args)]
#[command(after_help = "\
The same count and seed give the same games, whatever the number of threads and the machine.

Examples:
  gdl playouts tictactoe
  gdl playouts connect_four --count 100_000 --seed 7
  gdl playouts mygame.kif --seconds 5 --threads 1 --json")]
pub(crate) struct PlayoutsArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How many games to play [default: a million]
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "seconds", value_parser = count)]
    pub count: Option<u64>,
    /// Play for so long instead
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// What the random choices follow from
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How many threads play [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// How games are played [default: lanes or, if the rules take too much to be grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Engine>,
    /// The instruction set of lanes; results do not depend on it [default: the best one of this machine]
    #[arg(long, value_enum)]
    pub isa: Option<Isa>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl analyze`.
#[derive(Debug, Args)]
#[command(after_help = "\
Random games are followed move by move for lengths, moves and states; a hundred times as many are
played in lanes for the outcome, and ten times as many after each move at the start. The number of
states is a lower bound by Chao's estimator, the game tree is Knuth's estimate. The same count and
seed give the same figures.

Examples:
  gdl analyze connect_four
  gdl analyze breakthrough --count 10_000 --html breakthrough.html
  gdl analyze mygame.kif --seconds 20 --json")]
pub(crate) struct AnalyzeArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// How many random games to follow [default: 1,000]
    #[arg(long, short = 'n', value_name = "N", conflicts_with = "seconds", value_parser = count)]
    pub count: Option<u64>,
    /// Play for so long instead
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// What the random choices follow from
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// How many threads play [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Write a page with charts to a file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `gdl match`.
#[derive(Debug, Args)]
#[command(after_help = players::help("\
Players change seats from match to match, so each plays each role equally often; the matches of a
round have the same luck. A win is a goal above all others, a draw the greatest goal shared; with
one role 100 is a win. Scores come with Wilson's 95 % intervals; Elo is the score of two players
in points.

Whoever answers with an illegal move, too late or not at all has a random move made for it, which
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

/// Arguments of `gdl play`.
#[derive(Debug, Args)]
#[command(after_help = players::help("\
Moves are made by number or text, or as much of the text as no other move begins with; `help`
lists what else there is: undo, redo, hint, save, load. In games of hidden information only what
your role knows is shown.

Columns of the board run from left to right and rows from bottom to top, as the numbers say.

Players have a second for a move, with --self 100,000 nodes, unless --clock or --nodes says otherwise.

--self plays the player against itself, shows each board and says how it ended. In a well-known
tutorial on self-playing tic-tac-toe the list of moves does not ask whether the game is won, so a
won game plays on until the board is full; its last line may give the win to the wrong player,
and prints a player as a number. Here a game ends where it is won, and the winner is named.

Examples:
  gdl play tictactoe
  gdl play tictactoe --self
  gdl play connect_four --as yellow --against alphabeta:depth=6"))]
pub(crate) struct PlayArgs {
    /// A built-in game or a rulesheet
    pub game: GameArg,
    /// The role you play [default: the first one]
    #[arg(long = "as", value_name = "ROLE", conflicts_with = "itself")]
    pub role: Option<String>,
    /// Who plays all other roles, with `--self` by default `alphabeta`; `human` is you again
    #[arg(long, value_name = "PLAYER", default_value = players::DEFAULT, default_value_if("itself", "true", "alphabeta"))]
    pub against: Spec,
    /// Watch that player play all roles
    #[arg(long = "self")]
    pub itself: bool,
    /// What moves may cost.
    #[command(flatten)]
    pub terms: TermsArgs,
}

/// What moves may cost, and what luck follows from.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TermsArgs {
    /// How many seconds players may take for a move
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub clock: Option<f64>,
    /// How many nodes players may visit for a move
    #[arg(long, value_name = "N", value_parser = count)]
    pub nodes: Option<u64>,
    /// What chance and players follow from
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
}

impl TermsArgs {
    /// Time for a move.
    #[must_use]
    pub(crate) fn clock(&self) -> Option<Duration> {
        self.clock.map(Duration::from_secs_f64)
    }

    /// Nodes for a move: as many as `otherwise` if neither they nor a clock were asked for.
    #[must_use]
    pub(crate) fn nodes(&self, otherwise: u64) -> Option<u64> {
        self.nodes.or(self.clock.is_none().then_some(otherwise))
    }

    /// Has a referee keep to that.
    pub(crate) fn hold<'g, G: Game>(&self, referee: Referee<'g, G>, otherwise: u64) -> Referee<'g, G> {
        let referee = self.clock().into_iter().fold(referee, |referee, clock| referee.clocks(clock, clock));
        self.nodes(otherwise).into_iter().fold(referee, Referee::nodes)
    }
}

/// Arguments of `gdl serve`.
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
#[command(after_help = "\
The command prints an address that only this machine can reach, and ends with
Ctrl-C. Without a game the page begins with the built-in ones as cards, and a
box for a rulesheet of your own, whose faults are shown in place as you type.

On the board a click makes a move, two clicks one from cell to cell; arrow
keys and Enter do as well, and all legal moves are listed. Each role but that
of chance is played by a person or by any player. Moves can be taken back,
gone to and made anew, hints shade them by what they are worth, a position can
be kept as a link and a match as a file. Where the rules hide something, a
person who looks sees what their role may know.

\"See inside\" shows what holds, the net with the gates that are true now (all
of a small net, else what a move, a goal or a fluent depends on), the charts
of `gdl analyze`, and the rules, to be changed and played.

The look of a board is read off the names of the fluents. A comment of the
rulesheet can say more:
  ; board: hex         hexagons, each row half a cell further to the right
  ; board: hex left    the same, further to the left
  ; board: 3 columns   cells with one number, in rows of three

Nothing leaves the machine. For programs, /api/openapi.json describes the
requests.

Examples:
  gdl serve
  gdl serve connect_four
  gdl serve mygame.kif --port 8080")]
pub(crate) struct ServeArgs {
    /// The game to open first
    pub game: Option<GameArg>,
    /// Where to listen on 127.0.0.1 [default: any port that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

/// Arguments of `gdl verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
The rulesheet is read as the reference reasoner reads it: case counts, and lints are allowed.

Examples:
  gdl verify tictactoe.kif tictactoe.json
  gdl verify mygame.kif traces/*.json --json
  gdl verify vast.kif vast.json --engine eval")]
pub(crate) struct VerifyArgs {
    /// The rulesheet
    pub rules: PathBuf,
    /// Traces made from it
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// What is compared with the traces [default: table or, if the rules take too much to be grounded,
    /// lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Semantics>,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
}

/// What answers for a rulesheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantics {
    /// The table the rulesheet compiles to
    Table,
    /// The rules, evaluated state by state
    Lifted,
    /// The rules as they stand: slow, but nothing is grounded, so no rulesheet is too large
    Eval,
}

/// Arguments of `gdl bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Each rulesheet has a process of its own, one thread and the time that is given; warnings are not
shown. One that does not load, or takes too long, is told in its place, and the others go on.

`load` is the time from the text to the end of a first random game. That and the rates are in
seconds of processor time. `memory` is the peak of the whole process.

Examples:
  gdl bench rulesheets
  gdl bench rulesheets --seconds 0.2 --json > bench.json
  gdl bench mygame.kif yours.kif --engine table")]
pub(crate) struct BenchArgs {
    /// Rulesheets, and folders with rulesheets that end in `.kif`
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// How long each rulesheet is played
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    pub seconds: f64,
    /// How long the compilation of each may take
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub deadline: f64,
    /// How games are played [default: lanes or, if the rules take too much to be grounded, lifted]
    #[arg(long, value_enum)]
    pub engine: Option<Engine>,
    /// Whether `Cell` and `cell` are one symbol
    #[arg(long, value_enum, default_value_t)]
    pub case: Case,
    /// How much a rulesheet may cost
    #[arg(long, value_enum, default_value_t)]
    pub limits: Bounds,
    /// Print one JSON object on stdout
    #[arg(long)]
    pub json: bool,
    /// Measure one rulesheet here, and print what came of it for the process that started this one
    #[arg(long, hide = true)]
    pub alone: bool,
}

/// Arguments of `gdl completions`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  gdl completions bash > ~/.local/share/bash-completion/completions/gdl")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

fn code(text: &str) -> Result<&'static codes::Code, String> {
    codes::find(text).ok_or_else(|| {
        let names = codes::ALL.iter().flat_map(|code| [code.id, code.name]);
        format!("no such code{}", did_you_mean(text, names))
    })
}

fn lint(text: &str) -> Result<String, String> {
    code(text).map(|code| code.id.to_owned())
}

fn lint_or_lints(text: &str) -> Result<String, String> {
    if text == "lints" { Ok(text.to_owned()) } else { lint(text) }
}

fn lint_or_warnings(text: &str) -> Result<String, String> {
    if text == "warnings" { Ok(text.to_owned()) } else { lint(text) }
}

//! Players by name: parses texts such as `alphabeta:depth=4` and builds the player. The feature
//! `network` adds remote players.

use crate::{
    error::{Error, Result},
    game::GameArg,
    load,
    parse::{did_you_mean, seconds, threads, whole},
    report,
};
use gdl_compiler::{Diagnostics, Source};
#[cfg(feature = "network")]
use gdl_network::{Remote, Sheet, client::Address};
use gdl_players::{
    Budget, Player,
    player::{Report, Settings, named},
    referee::Fault,
    search::{Net, NetError, Perfect},
};
use gdl_runtime::{
    Dynamic, Information,
    dynamic::{MoveId, RoleId},
};
use std::{
    fmt, fs,
    path::PathBuf,
    result,
    str::FromStr,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

/// A kind of player, with the options that a PLAYER argument may have.
#[derive(Debug)]
pub struct Kind {
    /// The name of the kind.
    pub name: &'static str,
    /// A description of at most a line.
    pub about: &'static str,
    /// The options of the kind, except its [`BOUNDS`].
    options: &'static [&'static str],
}

impl Kind {
    /// Returns the names of all options, including the bounds.
    pub fn options(&self) -> impl Iterator<Item = &'static str> + use<> {
        // The nodes of a remote player are not counted.
        let bounds = if self.is_remote() { &BOUNDS[..1] } else { &BOUNDS };
        self.options.iter().chain(bounds).copied()
    }

    /// Returns whether it plays by a net from a file. The name of the file stands before the
    /// options.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.name == LEARNED
    }

    /// Returns whether it is a remote player. Its address stands before the options.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.name == REMOTE
    }
}

/// The bounds on a move that every player may have; remote players have the first one only.
const BOUNDS: [&str; 2] = ["seconds", "nodes"];

/// The name of the kind that plays by a net of `gdl train`. Its file stands before the options.
const LEARNED: &str = "learned";

/// The name of the remote kind.
const REMOTE: &str = "remote";

/// The kinds of players in the order of the help, the person at the terminal last.
pub static KINDS: &[Kind] = &[
    Kind { name: "best", about: "the player that suits the game", options: &["seed", "threads", "memory"] },
    Kind { name: "first", about: "the first legal move", options: &[] },
    Kind { name: "random", about: "any legal move", options: &["seed"] },
    Kind { name: "greedy", about: "the best move one step ahead", options: &["seed"] },
    Kind { name: "flat", about: "random games after each move", options: &["seed"] },
    Kind {
        name: "mcts",
        about: "a tree that grows by random games",
        options: &["seed", "threads", "memory"],
    },
    Kind { name: "ismcts", about: "the same, from what each role knows", options: &["seed", "memory"] },
    Kind { name: "equilibrium", about: "bluffs optimally in small games", options: &["seed", "memory"] },
    Kind { name: "planner", about: "finds and follows plans in puzzles", options: &["seed", "memory"] },
    Kind {
        name: "alphabeta",
        about: "alpha-beta by iterative deepening",
        options: &["seed", "depth", "memory"],
    },
    Kind {
        name: "paranoid",
        about: "alpha-beta against all other roles",
        options: &["seed", "depth", "memory"],
    },
    Kind { name: "perfect", about: "perfect play of solvable games", options: &["seed", "memory"] },
    Kind {
        name: LEARNED,
        about: "alpha-beta by a net: `learned:FILE`",
        options: &["seed", "depth", "memory", "threads"],
    },
    #[cfg(feature = "network")]
    Kind { name: REMOTE, about: "a player elsewhere: `remote:HOST:PORT`", options: &["start"] },
    Kind { name: "human", about: "you, at the terminal; in `gdl play` only", options: &[] },
];

/// The name of the default player against people.
pub const DEFAULT: &str = "best";

/// Returns the help of a command, followed by the list of players.
#[must_use]
pub fn help(command: &str) -> String {
    let row = |kind: &Kind| {
        let options = kind.options.join(", ");
        format!("  {:<11} {:<36} {options}", kind.name, kind.about).trim_end().to_owned() + "\n"
    };
    let rows: String = KINDS.iter().map(row).collect::<Vec<_>>().concat();
    format!(
        "{command}\n\nPlayers, with the options of each:\n{rows}\n\
         Options follow a colon: `mcts:seed=3,memory=64` (MiB). Each player may have its own bounds\n\
         for a move, `seconds` and `nodes`: `alphabeta:depth=6,seconds=0.5`.{}",
        if KINDS.iter().any(Kind::is_remote) {
            "\n\nA remote player, such as one of `gdl player`, receives the rulesheet and its clocks for the start and\n\
             for each move, in whole seconds: `remote:127.0.0.1:9147,start=10,seconds=5`. A `start` that\n\
             is longer than --clock is the time before the first move for all players of the match."
        } else {
            ""
        }
    )
}

/// Returns the nets of built-in games, which `best` uses. They are read once.
#[must_use]
pub fn nets() -> Vec<Arc<Net>> {
    static NETS: LazyLock<Vec<Arc<Net>>> = LazyLock::new(|| {
        let nets = gdl_games::NETS.iter().filter_map(|(_, bytes)| Net::from_bytes(bytes).ok());
        nets.map(Arc::new).collect()
    });
    NETS.clone()
}

/// Returns the start clock and the play clock of a match. The start clock is `play`, or the longest
/// start clock of a remote player if that is longer.
#[must_use]
pub fn clocks(players: &[Spec], play: Duration) -> [Duration; 2] {
    [players.iter().filter_map(Spec::start).fold(play, Duration::max), play]
}

/// A parsed PLAYER argument.
#[derive(Clone, Debug)]
pub struct Spec {
    text: String,
    kind: &'static Kind,
    depth: Option<u32>,
    seed: Option<u64>,
    seconds: Option<f64>,
    nodes: Option<u64>,
    threads: Option<usize>,
    memory: Option<usize>,
    file: Option<PathBuf>,
    net: Option<Arc<Net>>,
    keep: Option<PathBuf>,
    #[cfg(feature = "network")]
    elsewhere: Option<Elsewhere>,
}

/// The properties of a remote player.
#[cfg(feature = "network")]
#[derive(Clone, Debug)]
struct Elsewhere {
    address: Address,
    /// The start clock in seconds.
    start: Option<f64>,
    /// The rulesheet that is sent to the player.
    sheet: Option<Sheet>,
    /// The start clock and the play clock of the match: upper bounds on the clocks that the player
    /// receives.
    clocks: Option<[Duration; 2]>,
    /// The data of the match that is sent to the player.
    told: Option<Told>,
}

/// The data of a match that a remote player receives from its manager.
#[cfg(feature = "network")]
#[derive(Clone, Debug)]
pub struct Told {
    /// The id of the match.
    pub id: String,
    /// The seed of the words that replace the symbols of the rules, if any.
    pub scramble: Option<u64>,
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> result::Result<Self, String> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let near = did_you_mean(name, KINDS.iter().map(|kind| kind.name));
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            let reason = match name {
                "remote" => ": this program was built without the network",
                _ => &near,
            };
            format!("there is no player `{name}`{reason}\n\nplayers: {}", names.join(", "))
        })?;
        let mut spec = Self {
            text: text.to_owned(),
            kind,
            depth: None,
            seed: None,
            seconds: None,
            nodes: None,
            threads: None,
            memory: None,
            file: None,
            net: None,
            keep: None,
            #[cfg(feature = "network")]
            elsewhere: None,
        };
        #[cfg(feature = "network")]
        let options = match options.split_once(',').unwrap_or((options, "")) {
            (address, options) if kind.is_remote() => {
                let address = address.parse()?;
                spec.elsewhere =
                    Some(Elsewhere { address, start: None, sheet: None, clocks: None, told: None });
                options
            }
            _ => options,
        };
        let options = match options.split_once(',').unwrap_or((options, "")) {
            ("", _) if name == LEARNED => {
                return Err("name the file of `gdl train`: `learned:FILE`".to_owned());
            }
            (file, options) if name == LEARNED => {
                spec.file = Some(file.into());
                options
            }
            _ => options,
        };
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=') else {
                return Err(format!("`{option}` is not an option: write `{name}:key=value`"));
            };
            let known = kind.options();
            if !kind.options().any(|known| known == key) {
                let near = did_you_mean(key, kind.options());
                let known: Vec<&str> = known.collect();
                return Err(format!("`{name}` has no option `{key}`{near}\n\noptions: {}", known.join(", ")));
            }
            let place = |error: String| format!("`{option}`: {error}");
            match key {
                "depth" => spec.depth = Some(above_0(value, 200).map_err(place)? as u32),
                "seed" => spec.seed = Some(whole(value).map_err(place)?),
                #[cfg(feature = "network")]
                "start" => {
                    let start = Some(seconds(value).map_err(place)?);
                    spec.elsewhere.iter_mut().for_each(|elsewhere| elsewhere.start = start);
                }
                "seconds" => spec.seconds = Some(seconds(value).map_err(place)?),
                "nodes" => spec.nodes = Some(above_0(value, u64::MAX).map_err(place)?),
                "threads" => spec.threads = Some(threads(value).map_err(place)?),
                _ => spec.memory = Some((above_0(value, 1 << 20).map_err(place)? as usize) << 20),
            }
        }
        Ok(spec)
    }
}

fn above_0(text: &str, most: u64) -> result::Result<u64, String> {
    match whole(text)? {
        number if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("not in 1..={most}")),
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Spec {
    /// Returns whether the player is the person at the terminal.
    #[must_use]
    pub fn is_human(&self) -> bool {
        self.kind.name == "human"
    }

    /// Returns whether the player is remote. A remote player plays one match at a time.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.kind.is_remote()
    }

    /// Returns whether the player keeps memory in this process from one move to the next.
    #[must_use]
    pub fn remembers(&self) -> bool {
        !["first", "random", "flat", REMOTE].contains(&self.kind.name)
    }

    /// Sets the rulesheet of the game, which a remote player receives in KIF. Other players are
    /// unchanged.
    ///
    /// # Errors
    /// Returns the diagnostics of a rulesheet that cannot be sent to a remote player.
    #[cfg_attr(
        not(feature = "network"),
        allow(unused_variables, clippy::unnecessary_wraps, reason = "all players are here")
    )]
    pub fn with_rules(self, source: &Source) -> result::Result<Self, Box<Diagnostics>> {
        #[cfg(feature = "network")]
        if self.elsewhere.is_some() {
            return Ok(self.with_sheet(&Sheet::new(source)?));
        }
        Ok(self)
    }

    /// Sets the rulesheet that a remote player receives. Other players are unchanged.
    #[cfg(feature = "network")]
    #[must_use]
    pub fn with_sheet(mut self, sheet: &Sheet) -> Self {
        self.elsewhere.iter_mut().for_each(|elsewhere| elsewhere.sheet = Some(sheet.clone()));
        self
    }

    /// Sets the data of the match that a remote player receives. Other players are unchanged.
    #[cfg(feature = "network")]
    #[must_use]
    pub fn with_told(mut self, told: &Told) -> Self {
        self.elsewhere.iter_mut().for_each(|elsewhere| elsewhere.told = Some(told.clone()));
        self
    }

    /// Sets the start clock and the play clock of the match for a remote player. Other players are
    /// unchanged.
    #[must_use]
    #[cfg_attr(
        not(feature = "network"),
        allow(unused_mut, unused_variables, reason = "all players are here")
    )]
    pub fn with_clocks(mut self, clocks: [Duration; 2]) -> Self {
        #[cfg(feature = "network")]
        self.elsewhere.iter_mut().for_each(|elsewhere| elsewhere.clocks = Some(clocks));
        self
    }

    /// Returns the start clock of a remote player, if it has one of its own.
    #[must_use]
    pub fn start(&self) -> Option<Duration> {
        #[cfg(feature = "network")]
        return self.elsewhere.as_ref()?.start.map(Duration::from_secs_f64);
        #[cfg(not(feature = "network"))]
        None
    }

    /// Returns the address of a remote player.
    #[cfg(feature = "network")]
    #[must_use]
    pub fn address(&self) -> Option<&Address> {
        self.elsewhere.as_ref().map(|elsewhere| &elsewhere.address)
    }

    /// Creates the player that uses this net.
    ///
    /// # Panics
    /// Never: the kind `learned` always exists.
    #[must_use]
    pub fn of_net(net: Arc<Net>) -> Self {
        let spec: Self = "learned:net".parse().expect("it is well formed");
        Self { net: Some(net), ..spec }
    }

    /// Makes `best` keep what it learns in this folder, which is created if it is not there.
    ///
    /// # Errors
    /// Returns an error if the player is another one, or the folder cannot be created.
    pub fn with_keep(self, folder: PathBuf) -> Result<Self> {
        if self.kind.name != DEFAULT {
            return Err(Error::Usage(format!("`{}` keeps nothing: only `{DEFAULT}` does", self.kind())));
        }
        fs::create_dir_all(&folder)
            .map_err(|error| Error::Input(format!("cannot use {}: {error}", folder.display())))?;
        Ok(Self { keep: Some(folder), ..self })
    }

    /// Returns whether the player has a file, which [`Spec::with_net`] reads.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Reads the net from the file, if the player has one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or holds no net.
    pub fn with_net(mut self) -> Result<Self> {
        if let Some(path) = &self.file {
            let bytes = load::bytes(path, Net::MOST_BYTES)?;
            let net = Net::from_bytes(&bytes)
                .map_err(|error| Error::Input(format!("cannot use {}: {error}", path.display())))?;
            self.net = Some(Arc::new(net));
        }
        Ok(self)
    }

    /// Checks that the net that was read from a file, if any, belongs to this game.
    ///
    /// # Errors
    /// Returns an error if it belongs to another game.
    pub fn check(&self, game: &Dynamic) -> Result {
        match (&self.net, &self.file) {
            (Some(net), Some(path)) if !net.is_of(game) => {
                Err(Error::Input(format!("cannot use {}: {}", path.display(), NetError::Foreign)))
            }
            _ => Ok(()),
        }
    }

    /// Returns the player with all that it reads from files: its net, or the rules of the game for
    /// a remote player.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or the rules cannot be sent.
    pub fn told(&self, game: &GameArg) -> Result<Self> {
        if !self.is_remote() {
            return self.clone().with_net();
        }
        let (source, _) = game.source()?;
        self.clone().with_rules(&source).map_err(|faults| {
            report::show(&faults, &source);
            Error::Rules(Box::new((source, *faults)))
        })
    }

    /// Returns the name of the kind, without options.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind.name
    }

    /// Returns the time limit for a move in seconds, if one was given.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        self.seconds
    }

    /// Returns the limit of nodes for a move, if one was given.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        self.nodes
    }

    /// Returns the number of threads, if one was given.
    #[must_use]
    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// Limits the memory to `bytes`, which is also the limit if none was given. Limits the number
    /// of threads to `threads`, if a number was given.
    #[must_use]
    pub fn at_most(self, bytes: usize, threads: usize) -> Self {
        let memory = Some(self.memory.map_or(bytes, |memory| memory.min(bytes)));
        Self { memory, threads: self.threads.map(|asked| asked.clamp(1, threads)), ..self }
    }

    /// Returns the player that gives people advice if no other is available.
    #[must_use]
    pub fn adviser() -> Option<Self> {
        DEFAULT.parse().ok()
    }

    /// Builds the player. It uses `seed` unless it has a seed of its own. Returns `None` for a
    /// person, for a remote player without rules, and for a player whose net was not read.
    #[must_use]
    pub fn build(&self, seed: u64) -> Option<Box<dyn Player<Dynamic>>> {
        #[cfg(feature = "network")]
        if let Some(Elsewhere { address, sheet, clocks, told, .. }) = &self.elsewhere {
            let own = [self.start(), self.seconds.map(Duration::from_secs_f64)];
            let [start, play] = [0, 1].map(|which: usize| {
                let clock = clocks.map(|clocks| clocks[which]);
                own[which].into_iter().chain(clock).min()
            });
            let scramble = told.as_ref().and_then(|told| told.scramble);
            let sheet = scramble.into_iter().fold(sheet.clone()?, |sheet, seed| sheet.scrambled(seed));
            let player = Remote::new(address.clone(), sheet).clocks(start, play);
            return Some(Box::new(told.iter().fold(player, |player, told| player.id(&told.id))));
        }
        let settings = Settings {
            seed: self.seed.unwrap_or(seed),
            threads: self.threads.unwrap_or(1),
            depth: self.depth,
            memory: self.memory,
            net: self.net.clone(),
            nets: if self.kind.name == DEFAULT { nets() } else { Vec::new() },
            keep: self.keep.clone(),
        };
        let player = named(self.kind.name, &settings)?;
        let time = self.seconds.map(Duration::from_secs_f64);
        let solves = self.kind.name == "perfect";
        Some(Box::new(Bounded { player, name: self.text.clone(), time, nodes: self.nodes, solves }))
    }
}

/// A player with its own bounds on a move, named by the text of its argument.
struct Bounded {
    player: Box<dyn Player<Dynamic>>,
    name: String,
    time: Option<Duration>,
    nodes: Option<u64>,
    /// True if it solves the game at the start. The time for a move does not bound this, since a
    /// partial solution is useless.
    solves: bool,
}

impl Bounded {
    fn bound(&self, budget: &Budget) -> Budget {
        let end = self.time.and_then(|time| Instant::now().checked_add(time));
        let budget = end.iter().fold(budget.clone(), |budget, &end| budget.and_until(end));
        self.nodes.iter().fold(budget, |budget, &nodes| budget.and_nodes(nodes))
    }
}

impl Player<Dynamic> for Bounded {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, game: &Dynamic, role: RoleId, budget: &Budget) {
        let nodes = self.nodes.unwrap_or(Perfect::<Dynamic>::DEFAULT_NODES);
        let budget = match budget.deadline() {
            _ if !self.solves => self.bound(budget),
            Some(deadline) => Budget::until(deadline).and_nodes(nodes),
            None => Budget::of_nodes(nodes),
        };
        self.player.start(game, role, &budget);
    }

    fn choose(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> Option<MoveId> {
        let budget = self.bound(budget);
        self.player.choose(game, information, &budget)
    }

    fn stop(&mut self, game: &Dynamic, information: &Information<Dynamic>) {
        self.player.stop(game, information);
    }

    fn abort(&mut self) {
        self.player.abort();
    }

    fn fault(&self) -> Option<Fault> {
        self.player.fault()
    }

    fn report(&self) -> Option<Report> {
        self.player.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::GameExt;

    #[test]
    fn who_asks_for_no_memory_gets_no_more() {
        let memory = |text: &str| text.parse::<Spec>().expect("well formed").at_most(64 << 20, 16).memory;
        let asked = ["perfect", "mcts:memory=4096", "mcts:memory=3"].map(memory);
        assert_eq!(asked, [Some(64 << 20), Some(64 << 20), Some(3 << 20)]);
    }

    #[test]
    fn best_uses_the_nets_of_built_in_games() {
        assert_eq!(nets().len(), gdl_games::NETS.len(), "all of them are sound");
        for (net, (name, bytes)) in nets().iter().zip(gdl_games::NETS) {
            assert!(bytes.len() <= 200_000, "{name}: {} bytes", bytes.len());
            assert!(net.is_of(&gdl_games::dynamic(name).expect("a built-in game")), "{name}");
        }
        let game = gdl_games::dynamic("breakthrough_small").expect("a built-in game");
        let mut best = DEFAULT.parse::<Spec>().expect("it is well formed").build(1).expect("a player");
        let role = game.roles().next().expect("two roles");
        let budget = Budget::of_nodes(100);
        best.start(&game, role, &budget);
        best.choose(&game, &Information::new(role), &budget).expect("a move");
        let note = best.report().and_then(|report| report.note).expect("a note");
        assert!(note.contains(": alpha-beta with a value learned from 8"), "{note}");
    }

    #[test]
    fn mistakes_are_told_with_what_is_near() {
        for (text, message) in [
            ("randm", "did you mean `random`?"),
            ("", "players: best, first, random"),
            ("random:sede=3", "did you mean `seed`?"),
            ("random:seed", "write `random:key=value`"),
            ("random:seed=x", "`seed=x`: not a whole number"),
            ("first:seconds=0", "not above 0"),
            ("first:nodes=0", "not in 1..="),
            ("learned", "`learned:FILE`"),
            ("learned:net,sede=3", "did you mean `seed`?"),
        ] {
            let error = text.parse::<Spec>().expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
        let spec: Spec = "random:seed=3,nodes=1_000".parse().expect("well formed");
        assert_eq!(
            (spec.seed, spec.nodes, spec.to_string().as_str()),
            (Some(3), Some(1000), "random:seed=3,nodes=1_000")
        );
    }
}

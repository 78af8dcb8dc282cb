//! The contest of two players: matches in which they alternate between the roles.

use cpu_time::ThreadTime;
use gdl_players::{
    Budget, Player,
    player::Random,
    search::{AlphaBeta, Best, Equilibrium, FlatMonteCarlo, Ismcts, Learned, Mcts, Net, Perfect},
};
use gdl_runtime::{
    Dynamic, Game, GameExt, Information,
    chance::Stream,
    dynamic::{MoveId, RoleId},
};
use gdl_tools::statistics::wilson;
use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

/// The number of moves after which a match is drawn.
const MAX_LENGTH: u32 = 300;

/// The least number of nodes for a move if the cost is processor time.
const LEAST: f64 = 64.0;

/// The number of first moves of a match that estimate the rate of nodes. Later nodes are often
/// proved, which takes no time.
const RATED: u32 = 5;

/// The net of [`Contender::Learned`], set from the arguments.
pub(super) static NET: OnceLock<Arc<Net>> = OnceLock::new();

/// The nets of [`Contender::Best`], set from the arguments.
pub(super) static NETS: OnceLock<Vec<Arc<Net>>> = OnceLock::new();

/// A player in a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    Random,
    Flat,
    Mcts,
    /// MCTS with one single playout for each leaf.
    Single,
    /// MCTS without propagation of proofs.
    Unproved,
    /// MCTS without values of moves learnt in other states.
    Unlearned,
    /// MCTS with uniformly random playouts.
    Uniform,
    /// MCTS with two threads.
    Threads,
    AlphaBeta,
    Perfect,
    Best,
    Ismcts,
    Equilibrium,
    /// A search with the evaluation of [`NET`].
    Learned,
}

impl Contender {
    /// The number of nodes that take about the time of one node with playouts in lanes.
    pub(super) fn nodes(self) -> u32 {
        if matches!(self, Self::AlphaBeta | Self::Learned) { 10 } else { 1 }
    }

    fn make(self, seed: u64) -> Box<dyn Player<Dynamic>> {
        match self {
            Self::Random => Box::new(Random::new().seed(seed)),
            Self::Flat => Box::new(FlatMonteCarlo::new().seed(seed)),
            Self::Mcts => Box::new(Mcts::new().seed(seed)),
            Self::Single => Box::new(Mcts::new().seed(seed).single()),
            Self::Unproved => Box::new(Mcts::new().seed(seed).unproved()),
            Self::Unlearned => Box::new(Mcts::new().seed(seed).unlearned()),
            Self::Uniform => Box::new(Mcts::new().seed(seed).uniform()),
            Self::Threads => Box::new(Mcts::new().seed(seed).threads(2)),
            Self::AlphaBeta => Box::new(AlphaBeta::new().seed(seed)),
            Self::Perfect => Box::new(Perfect::new().seed(seed)),
            Self::Best => Box::new(Best::new().seed(seed).nets(NETS.get().cloned().unwrap_or_default())),
            Self::Ismcts => Box::new(Ismcts::new().seed(seed)),
            Self::Equilibrium => Box::new(Equilibrium::new().seed(seed)),
            Self::Learned => {
                Box::new(Learned::new(NET.get().expect("contests of it have a net").clone()).seed(seed))
            }
        }
    }
}

/// A player in a match, with its estimated speed.
pub(super) struct Side {
    player: Box<dyn Player<Dynamic>>,
    /// The number of nodes per second of processor time.
    rate: f64,
    /// The number of moves made in this match.
    moves: u32,
}

impl Side {
    pub(super) fn new(contender: Contender, seed: u64) -> Self {
        Self { player: contender.make(seed), rate: 2e4 * f64::from(contender.nodes()), moves: 0 }
    }

    /// Starts a match, with time to think before it.
    pub(super) fn start(&mut self, game: &Dynamic, role: RoleId, cost: Cost) {
        self.moves = 0;
        self.player.start(game, role, &cost.budget(self.rate));
    }

    /// Drops the results of the last match.
    pub(super) fn forget(&mut self) {
        self.moves = 0;
        self.player.abort();
    }

    /// Chooses a move, and updates the rate from its time and nodes.
    pub(super) fn choose(
        &mut self,
        game: &Dynamic,
        known: &Information<Dynamic>,
        cost: Cost,
    ) -> Option<MoveId> {
        let budget = cost.budget(self.rate);
        let start = ThreadTime::now();
        let action = self.player.choose(game, known, &budget);
        let seconds = start.elapsed().as_secs_f64();
        let nodes = self.player.report().map_or(0, |report| report.nodes);
        self.moves += 1;
        // A search that ends early by a proof does not show the rate.
        if self.moves <= RATED && budget.nodes().is_some_and(|most| 2 * nodes >= most) && seconds > 0.0 {
            self.rate = f64::midpoint(self.rate, nodes as f64 / seconds);
        }
        action
    }
}

/// The cost of a move, which becomes its budget.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cost {
    Seconds(f64),
    /// Seconds of processor time of the player's thread, converted to nodes by the rate of earlier
    /// moves.
    Processor(f64),
    Nodes(u64),
}

impl Cost {
    /// The cost for a player. Node budgets are scaled, since nodes of some players take less time.
    pub(super) fn of(self, player: Contender) -> Self {
        if let Self::Nodes(_) = self { self.times(player.nodes()) } else { self }
    }

    /// A multiple of the cost.
    pub(super) fn times(self, factor: u32) -> Self {
        match self {
            Self::Seconds(seconds) => Self::Seconds(seconds * f64::from(factor)),
            Self::Processor(seconds) => Self::Processor(seconds * f64::from(factor)),
            Self::Nodes(nodes) => Self::Nodes(nodes.saturating_mul(factor.into())),
        }
    }

    /// The budget that starts now, for a player with `rate` nodes per second.
    #[allow(clippy::cast_sign_loss, reason = "neither is below 0")]
    fn budget(self, rate: f64) -> Budget {
        match self {
            Self::Seconds(seconds) => Budget::within(Duration::from_secs_f64(seconds)),
            Self::Processor(seconds) => Budget::of_nodes((seconds * rate).max(LEAST) as u64),
            Self::Nodes(nodes) => Budget::of_nodes(nodes),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "{seconds} s"),
            Self::Processor(seconds) => write!(f, "{seconds} s of processor time"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes"),
        }
    }
}

/// The terms of a contest.
pub(super) struct Contest {
    pub(super) name: &'static str,
    pub(super) players: [Contender; 2],
    /// The factors of the given cost, one for each player.
    pub(super) factors: [u32; 2],
    pub(super) games: &'static [&'static str],
}

const SIX: &[&str] = &["tictactoe", "nim", "connect_four", "breakthrough_small", "reversi", "pentago"];

/// Games for two players, of all kinds.
const TWELVE: &[&str] = &[
    "tictactoe",
    "nim",
    "connect_four",
    "breakthrough_small",
    "reversi",
    "pentago",
    "checkers",
    "hex",
    "quarto",
    "kalah",
    "pig",
    "liars_dice",
];

/// Board games for two players that are not solved before the first move.
pub(super) const BOARDS: &[&str] = &[
    "connect_four",
    "breakthrough_small",
    "breakthrough",
    "reversi",
    "pentago",
    "checkers",
    "hex",
    "quarto",
    "kalah",
    "gomoku",
    "dots_and_boxes",
    "yavalath",
];

const DICE: &[&str] = &["liars_dice"];

pub(super) static CONTESTS: &[Contest] = &[
    Contest {
        name: "best-mcts",
        players: [Contender::Best, Contender::Mcts],
        factors: [1; 2],
        games: TWELVE,
    },
    Contest {
        name: "learned-best",
        players: [Contender::Learned, Contender::Best],
        factors: [1; 2],
        games: &[],
    },
    Contest {
        name: "learned-mcts",
        players: [Contender::Learned, Contender::Mcts],
        factors: [1; 2],
        games: &[],
    },
    Contest {
        name: "learned-alphabeta",
        players: [Contender::Learned, Contender::AlphaBeta],
        factors: [1; 2],
        games: &[],
    },
    Contest {
        name: "ismcts-flat",
        players: [Contender::Ismcts, Contender::Flat],
        factors: [1; 2],
        games: DICE,
    },
    Contest {
        name: "ismcts-time",
        players: [Contender::Ismcts, Contender::Ismcts],
        factors: [10, 1],
        games: DICE,
    },
    Contest {
        name: "equilibrium-flat",
        players: [Contender::Equilibrium, Contender::Flat],
        factors: [1; 2],
        games: DICE,
    },
    Contest {
        name: "mcts-random",
        players: [Contender::Mcts, Contender::Random],
        factors: [1; 2],
        games: SIX,
    },
    Contest { name: "mcts-flat", players: [Contender::Mcts, Contender::Flat], factors: [1; 2], games: SIX },
    Contest {
        name: "alphabeta-random",
        players: [Contender::AlphaBeta, Contender::Random],
        factors: [1; 2],
        games: SIX,
    },
    Contest {
        name: "alphabeta-flat",
        players: [Contender::AlphaBeta, Contender::Flat],
        factors: [1; 2],
        games: SIX,
    },
    Contest {
        name: "mcts-alphabeta",
        players: [Contender::Mcts, Contender::AlphaBeta],
        factors: [1; 2],
        games: SIX,
    },
    Contest {
        name: "mcts-time",
        players: [Contender::Mcts, Contender::Mcts],
        factors: [10, 1],
        games: &["connect_four", "breakthrough_small", "reversi"],
    },
    Contest {
        name: "mcts-lanes",
        players: [Contender::Mcts, Contender::Single],
        factors: [1; 2],
        games: &["connect_four", "breakthrough_small", "reversi", "pentago"],
    },
    Contest {
        name: "mcts-proofs",
        players: [Contender::Mcts, Contender::Unproved],
        factors: [1; 2],
        games: &["connect_four", "breakthrough_small"],
    },
    Contest {
        name: "mcts-advantages",
        players: [Contender::Mcts, Contender::Unlearned],
        factors: [1; 2],
        games: BOARDS,
    },
    Contest {
        name: "mcts-decisive",
        players: [Contender::Mcts, Contender::Uniform],
        factors: [1; 2],
        games: &["connect_four", "breakthrough_small", "breakthrough"],
    },
    Contest {
        name: "mcts-threads",
        players: [Contender::Threads, Contender::Mcts],
        factors: [1; 2],
        games: &["connect_four", "breakthrough_small"],
    },
    Contest {
        name: "perfect-mcts",
        players: [Contender::Perfect, Contender::Mcts],
        factors: [1; 2],
        games: &["tictactoe", "nim", "tictactoe_led"],
    },
    Contest {
        name: "perfect-random",
        players: [Contender::Perfect, Contender::Random],
        factors: [1; 2],
        games: &["tictactoe", "nim", "tictactoe_led"],
    },
];

/// A contest in one game, which is a row of a table.
pub(super) struct Row {
    pub(super) players: [Contender; 2],
    pub(super) costs: [Cost; 2],
    pub(super) matches: u64,
    /// The number of random moves at the start. Both matches of a pair have the same random moves.
    pub(super) drawn: u32,
    /// The wall-clock seconds before a match.
    pub(super) start: Option<f64>,
}

impl Row {
    /// Plays all matches and returns the row.
    pub(super) fn play(&self, name: &str, game: &Dynamic) -> String {
        let (mut won, mut drawn, mut lost) = (0, 0, 0);
        let mut points = 0.0;
        let mut latest = Duration::ZERO;
        let mut players = self.players.map(|player| Side::new(player, 1));
        for number in 0..self.matches {
            let [own, other] = play(game, &mut players, self, number, &mut latest);
            points += if own + other > 0.0 { own / (own + other) } else { 0.5 };
            won += u32::from(own > other);
            drawn += u32::from((own - other).abs() < f64::EPSILON);
            lost += u32::from(own < other);
        }
        let share = points / self.matches as f64;
        let [low, high] = wilson(share, self.matches).map(|bound| 100.0 * bound);
        let late = if latest.is_zero() {
            "never".to_owned()
        } else {
            format!("{:.1} ms", 1e3 * latest.as_secs_f64())
        };
        let (matches, share) = (self.matches, 100.0 * share);
        format!(
            "| {name} | {matches} | {won} | {drawn} | {lost} | {share:.1} % | {low:.0}-{high:.0} % | {late} |"
        )
    }
}

/// Returns the goals of the two players after a match. In every other match they exchange roles.
fn play(
    game: &Dynamic,
    players: &mut [Side; 2],
    &Row { costs, drawn, start, .. }: &Row,
    number: u64,
    latest: &mut Duration,
) -> [f64; 2] {
    let roles: Vec<RoleId> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
    let seat = |place: usize| if number % 2 == 1 { 1 - place } else { place };
    let mut known: Vec<_> = game.roles().map(Information::new).collect();
    let mut state = game.initial();
    // Both matches of a pair have the same random moves and the same chance.
    let mut stream = Stream::new(1, number / 2);
    for place in 0..2 {
        // The time before a match is ten times that of a move.
        let cost = start.map_or(costs[place].times(10), Cost::Seconds);
        players[place].start(game, roles[seat(place)], cost);
    }
    for step in 0..MAX_LENGTH {
        let view = game.view(&state);
        if game.is_terminal_in(&view) {
            break;
        }
        let mut joint: Vec<MoveId> = game
            .roles()
            .map(|role| game.random_move_in(&view, role, &mut stream).expect("a legal move"))
            .collect();
        for place in (0..2).filter(|_| step >= drawn) {
            let number = gdl_runtime::game::Id::index(roles[seat(place)]);
            let deadline = match costs[place] {
                Cost::Seconds(seconds) => Some(Instant::now() + Duration::from_secs_f64(seconds)),
                _ => None,
            };
            joint[number] = players[place].choose(game, &known[number], costs[place]).expect("a legal move");
            let late = deadline.map(|deadline| Instant::now().saturating_duration_since(deadline));
            *latest = (*latest).max(late.unwrap_or_default());
        }
        known.iter_mut().for_each(|known| known.step(game, &state, &joint));
        state = game.apply(&state, &joint).expect("players make legal moves");
    }
    [0, 1].map(|place| game.goal(&state, roles[seat(place)]).map_or(0.0, f64::from))
}

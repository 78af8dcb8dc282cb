//! What a game is like: in come a game and a number of random games, out go [`Figures`] of its size, length and outcome.
//!
//! Random games are followed move by move where that is asked for ([`walk`]), and played in lanes where totals are enough.
//! What comes of it depends on the seed and the number of games alone. [`page`] shows it with charts, which [`chart`] draws.

pub mod chart;
pub mod openings;
pub mod page;
pub mod states;
pub mod text;
pub mod walk;

use crate::statistics::Z95;
use gdl_runtime::{Cancel, Game, Playouts, Stats};
use openings::Openings;
use serde_json::{Map, Value, json};
use std::time::Instant;
use walk::Walks;

/// How much is played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the random choices follow from.
    pub seed: u64,
    /// Games that are followed move by move.
    pub count: u64,
    /// Instead of that, so many seconds for everything.
    pub seconds: Option<f64>,
    /// The threads.
    pub threads: usize,
    /// Pulled when nobody wants to know any more.
    pub cancel: Cancel,
}

impl Settings {
    /// Games that are followed, if nobody says how many.
    pub const DEFAULT_COUNT: u64 = 1_000;

    /// For each game that is followed so many are played in lanes for the outcome, and for each move at the start.
    pub const OUTCOMES: u64 = 100;
    /// See [`Settings::OUTCOMES`].
    pub const OPENINGS: u64 = 10;
}

/// What random games show.
#[derive(Clone, Debug)]
pub struct Figures {
    /// What the game is called.
    pub name: String,
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The role of chance.
    pub chance: Option<usize>,
    /// The seed.
    pub seed: u64,
    /// Games followed move by move.
    pub walks: Walks,
    /// Many more, of which only the ends are known.
    pub outcome: Stats,
    /// What the moves at the start lead to.
    pub openings: Option<Openings>,
}

/// Plays and adds up. `tell` is told how many of the games that are followed are done. None if it was cancelled, which is looked
/// for after each of these games and each move at the start.
pub fn analyze<G: Game>(
    name: &str,
    game: &G,
    settings: &Settings,
    tell: &(dyn Fn(u64) + Sync),
) -> Option<Figures> {
    let start = Instant::now();
    // Of a given time a half is for following games, and a quarter for each of the others.
    let walks = Walks::play(game, settings, settings.seconds.map(|seconds| seconds / 2.0), tell);
    if settings.cancel.is_cancelled() {
        return None;
    }
    let followed = walks.games();
    let in_lanes = game.table().is_some();
    let outcome = {
        let playouts = Playouts::new(game).seed(settings.seed).threads(settings.threads);
        let playouts = playouts.max_length(walk::MAX_LENGTH as u64);
        match settings.seconds {
            Some(seconds) => playouts.seconds(seconds / 4.0),
            None => playouts.count(followed * if in_lanes { Settings::OUTCOMES } else { 1 }),
        }
        .run()
    };
    let left = settings.seconds.map(|seconds| (seconds - start.elapsed().as_secs_f64()).max(0.0));
    let each = if in_lanes { followed * Settings::OPENINGS } else { followed.div_ceil(10) };
    let openings = Openings::play(game, settings, each, left);
    if settings.cancel.is_cancelled() {
        return None;
    }
    Some(Figures {
        name: name.to_owned(),
        roles: game.vocabulary().roles().iter().map(str::to_owned).collect(),
        chance: game.vocabulary().chance(),
        seed: settings.seed,
        walks,
        outcome,
        openings,
    })
}

/// A mean and how far it may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The 95 % interval around it.
    pub interval: [f64; 2],
}

impl Estimate {
    /// Of a mean with a standard error.
    #[must_use]
    pub fn new(mean: f64, error: f64) -> Self {
        Self { mean, interval: [mean - Z95 * error, mean + Z95 * error] }
    }

    fn to_json(self) -> Value {
        json!({ "mean": self.mean, "interval": self.interval })
    }
}

impl Figures {
    /// The roles other than chance.
    pub fn players(&self) -> impl Iterator<Item = usize> {
        (0..self.roles.len()).filter(|&role| Some(role) != self.chance)
    }

    /// A role's mean goal.
    #[must_use]
    pub fn goal(&self, role: usize) -> Estimate {
        Estimate::new(self.outcome.mean_goal(role), self.outcome.goal_error(role))
    }

    /// Wins, draws and losses of a role, as shares of the games that have an outcome.
    #[must_use]
    pub fn shares(&self, role: usize) -> [f64; 3] {
        let tally = self.outcome.tally.roles[role];
        [tally.wins, tally.draws, tally.losses]
            .map(|games| games as f64 / self.outcome.tally.scored().max(1) as f64)
    }

    /// How much more of two players the one who chooses first wins than the other: its share of wins less that of
    /// the other. None unless there are two players, of whom one chooses before the other.
    #[must_use]
    pub fn first_move_advantage(&self) -> Option<(usize, Estimate)> {
        let first = self.walks.first_to_choose?;
        let players: Vec<usize> = self.players().collect();
        let [a, b] = players[..] else { return None };
        let other = if first == a { b } else { a };
        let [wins, losses] = [first, other].map(|role| self.shares(role)[0]);
        let games = self.outcome.tally.scored().max(1) as f64;
        let variance = wins + losses - (wins - losses).powi(2);
        Some((first, Estimate::new(wins - losses, (variance / games).sqrt())))
    }

    /// The first-move advantage in words.
    #[must_use]
    pub fn advantage_words(&self) -> Option<String> {
        let (role, advantage) = self.first_move_advantage()?;
        // Who loses more than it wins had better be second.
        let (verb, other, sign) =
            if advantage.mean < 0.0 { ("loses", "wins", -100.0) } else { ("wins", "loses", 100.0) };
        let mut bounds = advantage.interval.map(|bound| sign * bound);
        bounds.sort_by(f64::total_cmp);
        let [low, high] = bounds;
        let mean = sign * advantage.mean;
        let name = &self.roles[role];
        Some(format!(
            "{name} chooses first and {verb} {mean:.2} % ({low:.2} to {high:.2}) more of all games than it {other}"
        ))
    }

    /// The one JSON object of the command. Estimates are objects of `mean` and `interval` (95 %).
    ///
    /// - `game`, `seed`, `games` (followed move by move);
    /// - `branching`: `joint` moves of a state, `mean` and `most`; for each of `roles` its `mean` moves, `mean_of_choices` (where
    ///   it has more than one), `most`, `share_of_choices` (of the states);
    /// - `length` in joint moves: `mean` (an estimate), `shortest`, `median`, `longest`, `games` (pairs of a length and
    ///   its number of games), `unfinished` (games given up);
    /// - `states`: `visited`, `distinct` among them, and how many there are `at_least`;
    /// - `tree`: `log10_sequences` of joint moves, `log10_games`, and their `relative_error`;
    /// - `outcome`: `playouts`, `mean_length`; for each of `roles` its `goal` (an estimate) and the shares of `wins`, `draws` and
    ///   `losses`; `first_move_advantage`, null or the `role` and an `estimate` of its wins less its losses, as a share;
    /// - `openings`, null where nobody chooses at the start: `role`, `playouts_of_each`, `spread` (best less worst),
    ///   `deviation` (beyond chance), `moves` from the best to the worst, each with its `goal` (an estimate);
    /// - `plies`, move by move: `games` that came so far, mean `joint` moves, and `choices`, each role's mean moves where it
    ///   has more than one, or null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let walks = &self.walks;
        let per_role = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
            self.roles.iter().enumerate().map(|(role, name)| (name.clone(), value(role))).collect()
        };
        let tree = walks.tree();
        let seen = walks.states.estimate();
        json!({
            "game": self.name,
            "seed": self.seed,
            "games": walks.games(),
            "branching": {
                "joint": { "mean": walks.branching(), "most": walks.most_joint },
                "roles": per_role(&|role| json!({
                    "mean": walks.moves(role),
                    "mean_of_choices": walks.choices(role),
                    "most": walks.most[role],
                    "share_of_choices": walks.share_of_choices(role),
                })),
            },
            "length": {
                "mean": walks.mean_length().to_json(),
                "shortest": walks.quantile(0.0),
                "median": walks.quantile(0.5),
                "longest": walks.quantile(1.0),
                "games": walks.lengths.iter().map(|(length, games)| json!([length, games])).collect::<Vec<_>>(),
                "unfinished": walks.unfinished,
            },
            "states": {
                "visited": walks.states.visited(),
                "distinct": seen.distinct,
                "at_least": seen.at_least,
            },
            "tree": {
                "log10_sequences": tree.log10_nodes,
                "log10_games": tree.log10_leaves,
                "relative_error": tree.relative_error,
            },
            "outcome": {
                "playouts": self.outcome.tally.playouts,
                "mean_length": self.outcome.mean_length(),
                "roles": per_role(&|role| {
                    let [wins, draws, losses] = self.shares(role);
                    json!({ "goal": self.goal(role).to_json(), "wins": wins, "draws": draws, "losses": losses })
                }),
                "first_move_advantage": self.first_move_advantage().map(|(role, estimate)| {
                    json!({ "role": self.roles[role], "estimate": estimate.to_json() })
                }),
            },
            "openings": self.openings.as_ref().map(|openings| json!({
                "role": self.roles[openings.role],
                "playouts_of_each": openings.playouts,
                "spread": openings.spread(),
                "deviation": openings.deviation(),
                "moves": openings.moves.iter().map(|opening| json!({
                    "move": opening.action,
                    "goal": opening.goal.to_json(),
                })).collect::<Vec<_>>(),
            })),
            "plies": walks.plies.iter().map(|ply| json!({
                "games": ply.games,
                "joint": ply.joint(),
                "choices": per_role(&|role| json!(ply.choices(role, 1))),
            })).collect::<Vec<_>>(),
        })
    }
}

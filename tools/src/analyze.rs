//! Measures of a game: [`Figures`] of its size, length and outcome, from random games.
//!
//! Some games are followed move by move ([`Walks`]). Many more are played in lanes for totals.
//! Figures depend on the seed and the number of games alone. [`page`] shows them with charts, which
//! [`chart`] draws.
//!
//! The settings bound the number of games and [`longest`] bounds their length. Games in lanes
//! are played in parts of about `PART` gate evaluations. The work can be cancelled between parts
//! and between moves. A page has a constant number of marks for each role and each ply, and at most
//! 40 moves.

pub mod chart;
pub mod openings;
pub mod page;
pub mod text;

pub use gdl_exploration::{statistics::Estimate, walk::Settings};

use gdl_exploration::walk::{Walks, longest};
use gdl_runtime::{Dynamic, Game, Playouts, Stats, bits::BitBox, chance::Stream};
use openings::Openings;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The number of games played in lanes for the outcome, for each game that is followed.
const OUTCOMES: u64 = 100;

/// The number of games played in lanes after each move of the initial state, for each game that is
/// followed.
const OPENINGS: u64 = 10;

/// The measures of random games.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The name of the game.
    pub name: String,
    /// The engine that stepped the game: a name that [`Dynamic::engine`] returns.
    pub engine: &'static str,
    /// The names of the roles.
    pub roles: Vec<String>,
    /// The index of the chance role.
    pub chance: Option<usize>,
    /// The seed of random choices.
    pub seed: u64,
    /// The statistics of games followed move by move.
    pub walks: Walks,
    /// The statistics of games in lanes: their ends and lengths alone.
    pub outcome: Stats,
    /// The results of the moves in the initial state.
    pub openings: Option<Openings>,
}

/// The number of gate evaluations in a part of random games, counted once for each game. Lanes
/// evaluate a gate for 512 games at once, so a part takes some tenths of a second.
const PART: f64 = 7e10;

/// The number of games to play.
#[derive(Clone, Copy, Debug)]
enum Many {
    /// `count` games, `part` of them at a time.
    Games { count: u64, part: u64 },
    /// The number that fits into this time, in seconds.
    Seconds(f64),
}

/// Returns the number of games in a part, for games of this mean length.
fn part(game: &Dynamic, length: f64) -> u64 {
    // Lanes are always filled. Without a table, games are not grouped.
    let Some(table) = game.table() else { return 1 };
    let (observe, advance) = table.gates();
    let games = PART / (length.max(1.0) * (observe + advance + 1) as f64);
    #[allow(clippy::cast_sign_loss, reason = "what is above 0 is not below it")]
    let games = games as u64;
    games.max(512)
}

/// Plays random games from a state, by default the initial one. Returns `None` if cancelled.
fn play(game: &Dynamic, settings: &Settings, start: Option<&BitBox>, many: Many) -> Option<Stats> {
    let playouts = |seed| {
        let playouts = Playouts::new(game).seed(seed).threads(settings.threads);
        let playouts = playouts.max_length(longest(game) as u64);
        start.into_iter().fold(playouts, Playouts::start)
    };
    let (count, part) = match many {
        Many::Games { count, part } => (count, part),
        Many::Seconds(seconds) => {
            return Some(playouts(settings.seed).within(Duration::from_secs_f64(seconds)).run());
        }
    };
    let mut stats = playouts(settings.seed).count(count.min(part)).run();
    let mut number = 0;
    while stats.tally.playouts < count {
        if settings.cancel.is_cancelled() {
            return None;
        }
        number += 1;
        let seed = Stream::new(settings.seed, u64::MAX - number).bits();
        let more = playouts(seed).count(part.min(count - stats.tally.playouts)).run();
        stats.tally.merge(&more.tally);
        stats.seconds += more.seconds;
        stats.cpu_seconds += more.cpu_seconds;
    }
    (!settings.cancel.is_cancelled()).then_some(stats)
}

/// Measures a game. Calls `tell` with the number of followed games that are done. Returns `None` if
/// cancelled.
pub fn analyze(
    name: &str,
    game: &Dynamic,
    settings: &Settings,
    tell: &(dyn Fn(u64) + Sync),
) -> Option<Figures> {
    let start = Instant::now();
    // Half of a given time is for following games, a quarter for the outcome, and the rest for the
    // openings.
    let half = Settings { seconds: settings.seconds.map(|seconds| seconds / 2.0), ..settings.clone() };
    let walks = Walks::play(game, &half, tell);
    if settings.cancel.is_cancelled() {
        return None;
    }
    let followed = walks.games();
    let in_lanes = game.table().is_some();
    let part = part(game, walks.mean_length().mean);
    let count = followed * if in_lanes { OUTCOMES } else { 1 };
    let many = settings.seconds.map_or(Many::Games { count, part }, |seconds| Many::Seconds(seconds / 4.0));
    let outcome = play(game, settings, None, many)?;
    let left = settings.seconds.map(|seconds| (seconds - start.elapsed().as_secs_f64()).max(0.0));
    let each = if in_lanes { followed * OPENINGS } else { followed.div_ceil(10) };
    let openings = Openings::play(game, settings, [each, part], left);
    if settings.cancel.is_cancelled() {
        return None;
    }
    Some(Figures {
        name: name.to_owned(),
        engine: game.engine(),
        roles: game.vocabulary().roles().iter().map(str::to_owned).collect(),
        chance: game.vocabulary().chance(),
        seed: settings.seed,
        walks,
        outcome,
        openings,
    })
}

impl Figures {
    /// Returns the indices of the roles other than chance.
    pub fn players(&self) -> impl Iterator<Item = usize> {
        (0..self.roles.len()).filter(|&role| Some(role) != self.chance)
    }

    /// Returns a role's mean goal, or `None` if no game gave it a goal.
    #[must_use]
    pub fn goal(&self, role: usize) -> Option<Estimate> {
        let estimate = || Estimate::new(self.outcome.mean_goal(role), self.outcome.goal_error(role));
        self.outcome.has_goals(role).then(estimate)
    }

    /// Returns the shares of wins, draws and losses of a role, among the games that have an
    /// outcome.
    #[must_use]
    pub fn shares(&self, role: usize) -> [f64; 3] {
        let tally = self.outcome.tally.roles[role];
        [tally.wins, tally.draws, tally.losses]
            .map(|games| games as f64 / self.outcome.tally.scored().max(1) as f64)
    }

    /// Returns the first-move advantage: of two players, the one who chooses first, and its share
    /// of wins minus the other's share. Returns `None` unless there are two players and one of them
    /// chooses first.
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

    /// Returns the first-move advantage as a sentence.
    #[must_use]
    pub fn advantage_words(&self) -> Option<String> {
        let (role, advantage) = self.first_move_advantage()?;
        // A negative advantage is described by losses.
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

    /// Returns the JSON object of the command. Estimates are objects of `mean` and `interval` (95
    /// %).
    ///
    /// - `game`, `engine` (`table`, `events` or `lifted`), `seed`, `games` (followed move by move);
    /// - `branching`: `joint` moves of a state, `mean` and `most`; for each of `roles` its `mean`
    ///   moves, `mean_of_choices` (where it has more than one), `most`, `share_of_choices` (of the
    ///   states);
    /// - `length` in joint moves: `mean` (an estimate), `shortest`, `median`, `longest`, `games`
    ///   (pairs of a length and its number of games), `unfinished` (games abandoned);
    /// - `states`: `visited`, `distinct` among them, and how many there are `at_least`;
    /// - `tree`: `log10_sequences` of joint moves, `log10_games`, and their `relative_error`;
    /// - `outcome`: `playouts`, `mean_length`; for each of `roles` its `goal` (an estimate, or
    ///   null for a role without one) and the shares of `wins`, `draws` and `losses`;
    ///   `first_move_advantage`, null or the `role` and an `estimate`: its share of wins minus the
    ///   other player's share;
    /// - `openings`, null where no role chooses at the start: `role`, `playouts_of_each`,
    ///   `spread` (the best goal minus the worst), `deviation` (without sampling error), `moves`
    ///   from the best to the worst, each with its `goal` (an estimate);
    /// - `plies`, move by move: the number of `games` that reached the ply, mean `joint` moves,
    ///   and `choices`, each role's mean moves where it has more than one, or null.
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
            "engine": self.engine,
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
                    json!({ "goal": self.goal(role).map(Estimate::to_json), "wins": wins, "draws": draws, "losses": losses })
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

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::Cancel;

    #[test]
    fn parts_add_up_and_are_called_off() {
        let text = gdl_games::find("nim").expect("it is built in").text;
        let game = gdl_runtime::load(text).expect("it is sound");
        let settings = Settings { seed: 1, count: 10, seconds: None, threads: 1, cancel: Cancel::default() };
        let many = |part| Many::Games { count: 1_000, part };
        let whole = play(&game, &settings, None, many(1_000)).expect("nobody calls it off");
        let parts = play(&game, &settings, None, many(300)).expect("nobody calls it off");
        assert_eq!(
            [whole, parts].map(|stats| (stats.tally.playouts, stats.tally.scored())),
            [(1_000, 1_000); 2]
        );
        assert!(part(&game, 10.0) > part(&game, 1e6) && part(&game, 1e12) == 512);
        settings.cancel.cancel();
        assert!(play(&game, &settings, None, many(300)).is_none());
        assert!(analyze("nim", &game, &settings, &|_| ()).is_none());
    }

    #[test]
    fn games_of_many_roles_are_given_up_earlier() {
        let rules = |roles: usize| {
            let roles: Vec<String> = (0..roles).map(|n| format!("(role r{n}{})", "x".repeat(900))).collect();
            let roles = roles.concat();
            format!(
                "{roles} (<= (legal ?r wait) (role ?r)) (init a) (<= (next a) (true a)) \
                 (<= (next b) (not (true a))) (<= terminal (true b)) (<= (goal ?r 100) (role ?r))"
            )
        };
        let longest = |roles| {
            let game = gdl_runtime::load(&rules(roles)).unwrap_or_else(|error| panic!("{error}"));
            (longest(&game), game)
        };
        assert_eq!(longest(1).0, 4_568);
        let (most, game) = longest(100);
        let settings = Settings { seed: 1, count: 2, seconds: None, threads: 1, cancel: Cancel::default() };
        let walks = Walks::play(&game, &settings, &|_| ());
        assert_eq!((most, walks.plies.len(), walks.unfinished), (45, 45, 2));
    }
}

//! Contests: matches of the same players, who change seats from match to match. A [`Contest`] has
//! the players and their limits; a [`Total`] has the results of each player.
//!
//! A match depends on the seed and its number alone, unless players use the clock. Totals are
//! integers, so the totals of ranges of matches add up, even if different processes play them.

use crate::{
    error::{Error, Result},
    output::counted,
    players::{self, Spec},
    statistics::{elo, wilson},
};
use gdl_players::{
    Player, Referee,
    player::Report,
    referee::{End, Fault, Match},
};
use gdl_runtime::{Cancel, Dynamic, Game, GameExt, chance::Stream, game::Id, playouts::RoleTally};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// The default number of matches.
pub const DEFAULT_COUNT: u64 = 100;

/// The default limit of nodes for a move, which takes some milliseconds in small games.
pub const DEFAULT_NODES: u64 = 10_000;

/// The default number of joint moves after which a match is abandoned.
pub const DEFAULT_LONGEST: usize = 10_000;

/// A contest: matches between the same players.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The name of the game.
    pub name: &'a str,
    /// The players, one for each role other than chance.
    pub players: &'a [Spec],
    /// The seed of chance and of the players.
    pub seed: u64,
    /// The time limit for a move.
    pub clock: Option<Duration>,
    /// The limit of nodes for a move.
    pub nodes: Option<u64>,
    /// The number of joint moves after which a match is abandoned.
    pub longest: usize,
}

impl Contest<'_> {
    /// Returns the roles other than chance, in order.
    ///
    /// # Errors
    /// Returns an error if the number of these roles differs from the number of players.
    pub fn seats(&self, game: &Dynamic) -> Result<Vec<usize>> {
        let roles = game.roles().filter(|&role| Some(role) != game.chance_role());
        let seats: Vec<usize> = roles.map(Id::index).collect();
        if seats.len() != self.players.len() {
            let (name, takes, found) = (self.name, counted(seats.len(), "player"), self.players.len());
            return Err(Error::Usage(format!("{name} takes {takes}, found {found}: one for each role")));
        }
        self.players.iter().try_for_each(|player| player.check(game))?;
        Ok(seats)
    }

    /// Returns the start clock and the play clock.
    fn clocks(&self) -> Option<[Duration; 2]> {
        self.clock.map(|play| players::clocks(self.players, play))
    }

    /// Returns a player, with the clocks of the match if it is remote.
    fn told(&self, player: usize) -> Spec {
        let spec = self.players[player].clone();
        self.clocks().into_iter().fold(spec, Spec::with_clocks)
    }

    /// Plays the matches with these numbers, several at once, until cancelled. Calls `tell` with
    /// the number of finished matches, and `keep` with each match and its number.
    ///
    /// # Errors
    /// Returns an error if the numbers of players and roles differ, or the referee cannot run the
    /// game. Passes on an error of `keep`.
    pub fn play(
        &self,
        game: &Dynamic,
        numbers: Range<u64>,
        threads: usize,
        cancel: &Cancel,
        tell: &(dyn Fn(u64) + Sync),
        keep: &(dyn Fn(u64, &Match<Dynamic>) -> Result + Sync),
    ) -> Result<Total> {
        let seats = self.seats(game)?;
        let matches = usize::try_from(numbers.end.saturating_sub(numbers.start)).unwrap_or(usize::MAX);
        let total = Total::new(self.players.len(), game.shape().roles);
        let (next, done) = (AtomicU64::new(numbers.start), AtomicU64::new(0));
        let shared = Mutex::new((total, Ok(())));
        let work = || {
            while !cancel.is_cancelled() {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= numbers.end {
                    break;
                }
                let played = self.play_one(game, &seats, number, number == numbers.start, keep);
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                match played {
                    Ok(part) => shared.0.merge(&part),
                    Err(error) => {
                        shared.1 = Err(error);
                        next.store(numbers.end, Ordering::Relaxed);
                    }
                }
                tell(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads.min(matches) {
                // If no thread can be started, fewer threads play.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let (total, result) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        result.map(|()| total)
    }

    /// Plays one match, with the players rotated by one seat since the previous match. In the first
    /// match, a remote player that cannot be reached at the start is an error: its address may be
    /// wrong.
    fn play_one(
        &self,
        game: &Dynamic,
        seats: &[usize],
        number: u64,
        is_first: bool,
        keep: &(dyn Fn(u64, &Match<Dynamic>) -> Result + Sync),
    ) -> Result<Total> {
        let count = self.players.len();
        let round = number / count as u64;
        let shift = (number % count as u64) as usize;
        let seated: Vec<usize> = (0..count).map(|seat| (seat + shift) % count).collect();
        let mut luck = Stream::new(self.seed, round);
        let chance = luck.bits();
        let seeds: Vec<u64> = (0..count).map(|_| luck.bits()).collect();
        let players = seated.iter().map(|&player| self.told(player).build(seeds[player]));
        let mut players: Vec<Box<dyn Player<Dynamic>>> = players.flatten().collect();

        let id = format!("{}.{}.{}", self.name, self.seed, number + 1);
        let referee = Referee::new(game).seed(chance).id(id).max_steps(self.longest);
        let clocks = self.clocks();
        let referee = clocks.into_iter().fold(referee, |referee, [start, play]| referee.clocks(start, play));
        let referee = self.nodes.into_iter().fold(referee, Referee::nodes);
        // Remote players get extra time for the latency of the network.
        let is_far = self.players.iter().any(Spec::is_remote);
        let referee = if is_far { referee.grace(Referee::<Dynamic>::DEFAULT_GRACE) } else { referee };
        let (cancel, mut absent) = (Cancel::default(), None);
        let referee = referee.cancelled_by(&cancel).watch(|played, reports| {
            if is_first && played.history.depth() == 0 {
                let mut specs = seats.iter().zip(seated.iter().map(|&player| &self.players[player]));
                absent = specs.find_map(|(&role, spec)| {
                    let is_absent = spec.is_remote() && played.faults[0][role] == Some(Fault::Gone);
                    is_absent.then(|| out_of_reach(spec, reports[role].as_ref()))
                });
                if absent.is_some() {
                    cancel.cancel();
                }
            }
        });
        let played = referee.run(&mut players).map_err(|error| Error::Usage(error.to_string()))?;
        if let Some(absent) = absent {
            return Err(absent);
        }
        let mut total = Total::new(count, game.shape().roles);
        total.add(&played, seats, &seated);
        keep(number, &played)?;
        Ok(total)
    }
}

/// Returns the error that a remote player cannot be reached.
fn out_of_reach(spec: &Spec, report: Option<&Report>) -> Error {
    let note = report.and_then(|report| report.note.as_deref()).unwrap_or("no answer");
    let help = "start it first, or give the address at which it listens";
    Error::Input(format!("cannot reach `{spec}`: {note}\n\n{help}"))
}

/// Returns the score: the share of wins plus half the share of draws.
#[must_use]
pub fn score(results: &RoleTally) -> f64 {
    (results.wins as f64 + 0.5 * results.draws as f64) / results.games().max(1) as f64
}

/// Returns the mean goal of scored matches; 0 if there are none.
#[must_use]
pub fn mean_goal(results: &RoleTally) -> f64 {
    results.goals as f64 / results.games().max(1) as f64
}

/// The results of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The results in each role, by role index.
    pub roles: Vec<RoleTally>,
    /// The number of illegal moves.
    pub illegal: u64,
    /// The number of late answers.
    pub late: u64,
    /// The number of missing answers: the player panicked or cannot be reached.
    pub gone: u64,
}

impl Tally {
    /// Returns the sum over all roles.
    #[must_use]
    pub fn all(&self) -> RoleTally {
        let mut all = RoleTally::default();
        self.roles.iter().for_each(|results| all.merge(results));
        all
    }
}

/// The total results of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// The results of each player, in the order of the arguments.
    pub players: Vec<Tally>,
    /// The number of joint moves in all matches.
    pub steps: u64,
    /// The number of matches that were abandoned, or ended without exactly one goal for each
    /// player.
    pub unscored: u64,
}

impl Total {
    /// Creates the total of no matches.
    #[must_use]
    pub fn new(players: usize, roles: usize) -> Self {
        let tally = Tally { roles: vec![RoleTally::default(); roles], ..Tally::default() };
        Self { players: vec![tally; players], ..Self::default() }
    }

    /// Adds a match. Player `seated[i]` has the role `seats[i]`.
    fn add(&mut self, played: &Match<Dynamic>, seats: &[usize], seated: &[usize]) {
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

    /// Adds another total.
    pub fn merge(&mut self, other: &Self) {
        for (tally, other) in self.players.iter_mut().zip(&other.players) {
            tally.roles.iter_mut().zip(&other.roles).for_each(|(results, other)| results.merge(other));
            tally.illegal += other.illegal;
            tally.late += other.late;
            tally.gone += other.gone;
        }
        self.steps += other.steps;
        self.unscored += other.unscored;
    }

    /// Returns the results as JSON. `players` are the names in the arguments, and `roles` the names
    /// in the game.
    ///
    /// - `players`, in order: `player`, `matches`, `wins`, `draws`, `losses`, `mean_goal`, `score`
    ///   (wins and half the draws, 0 to 1), `score_interval` (95 %, Wilson); with two players `elo`
    ///   and `elo_interval`, null where infinite; `roles`, the same counts for each role it played;
    ///   `faults`, the `illegal`, `late` and missing (`gone`) answers;
    /// - `mean_length` (joint moves) of that number of matches, `unscored` (matches abandoned, or
    ///   without one goal for each player).
    #[must_use]
    pub fn to_json(
        &self,
        matches: u64,
        players: impl Iterator<Item = String>,
        roles: &[&str],
    ) -> Map<String, Value> {
        // JSON has no infinity.
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
        let player = |(name, tally): (String, &Tally)| {
            let all = tally.all();
            let mut object = json!({ "player": name });
            if let (Value::Object(object), Value::Object(counts)) = (&mut object, results(&all)) {
                object.extend(counts);
            }
            if self.players.len() == 2 {
                object["elo"] = json!(points(score(&all)));
                object["elo_interval"] = json!(wilson(score(&all), all.games()).map(points));
            }
            let seats = roles.iter().zip(&tally.roles).filter(|(_, results)| results.games() > 0);
            let seats: Map<String, Value> =
                seats.map(|(&role, counts)| (role.to_owned(), results(counts))).collect();
            object["roles"] = Value::Object(seats);
            object["faults"] = json!({ "illegal": tally.illegal, "late": tally.late, "gone": tally.gone });
            object
        };
        let mut report = Map::new();
        report.insert("players".to_owned(), players.zip(&self.players).map(player).collect());
        report.insert("mean_length".to_owned(), json!(self.steps as f64 / matches.max(1) as f64));
        report.insert("unscored".to_owned(), json!(self.unscored));
        report
    }
}

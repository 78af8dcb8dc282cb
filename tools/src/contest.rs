//! Contests: matches of the same players, who change seats from match to match. A [`Contest`] has
//! the players and the cost of moves; a [`Total`] has the results of each player.
//!
//! A match depends on the seed and its number alone, unless players use the clock. Totals are whole
//! numbers, so those of ranges of matches add up to that of all, in whatever process each is
//! played.

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

/// Matches that are played unless it is said how many.
pub const DEFAULT_COUNT: u64 = 100;

/// Nodes for a move unless it is said how many or how long: some milliseconds of small games.
pub const DEFAULT_NODES: u64 = 10_000;

/// Joint moves after which a match is abandoned by default.
pub const DEFAULT_LONGEST: usize = 10_000;

/// Matches between players.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The name of the game.
    pub name: &'a str,
    /// One for each role other than chance.
    pub players: &'a [Spec],
    /// The seed of chance and players.
    pub seed: u64,
    /// Time for a move.
    pub clock: Option<Duration>,
    /// Nodes for a move.
    pub nodes: Option<u64>,
    /// The joint moves after which a match is abandoned.
    pub longest: usize,
}

impl Contest<'_> {
    /// The roles that players have, in order.
    ///
    /// # Errors
    /// Returns an error if there are not as many players.
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

    /// The clocks before the first move and for each.
    fn clocks(&self) -> Option<[Duration; 2]> {
        self.clock.map(|play| players::clocks(self.players, play))
    }

    /// The player, with the clocks of the match if it is remote.
    fn told(&self, player: usize) -> Spec {
        let spec = self.players[player].clone();
        self.clocks().into_iter().fold(spec, Spec::with_clocks)
    }

    /// Plays the matches of these numbers, several at once, until it is cancelled. Calls `tell`
    /// with the number done, and `keep` with each match and its number.
    ///
    /// # Errors
    /// Returns an error if there are not as many players as roles, a referee cannot lead the game,
    /// or `keep` says so.
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
                // The system may be out of threads: then fewer play.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let (total, result) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        result.map(|()| total)
    }

    /// Plays one match, players moved on by one seat from the match before. A first one in which a
    /// player elsewhere is out of reach at the start is an error: then most likely it was not
    /// started, or its address is wrong.
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
        // Answers from elsewhere take their time on the way.
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

/// The error that a player elsewhere is not there.
fn out_of_reach(spec: &Spec, report: Option<&Report>) -> Error {
    let note = report.and_then(|report| report.note.as_deref()).unwrap_or("no answer");
    let help = "start it first, or give the address at which it listens";
    Error::Input(format!("cannot reach `{spec}`: {note}\n\n{help}"))
}

/// Wins and half the draws, as a share.
#[must_use]
pub fn score(results: &RoleTally) -> f64 {
    (results.wins as f64 + 0.5 * results.draws as f64) / results.games().max(1) as f64
}

/// The mean goal of scored matches; 0 if there are none.
#[must_use]
pub fn mean_goal(results: &RoleTally) -> f64 {
    results.goals as f64 / results.games().max(1) as f64
}

/// The results of one player.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The results in each role, in role order.
    pub roles: Vec<RoleTally>,
    /// Illegal moves.
    pub illegal: u64,
    /// Late answers.
    pub late: u64,
    /// Answers missing: the player panicked, or is out of reach.
    pub gone: u64,
}

impl Tally {
    /// All roles together.
    #[must_use]
    pub fn all(&self) -> RoleTally {
        let mut all = RoleTally::default();
        self.roles.iter().for_each(|results| all.merge(results));
        all
    }
}

/// The results of the matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// In the order of the arguments.
    pub players: Vec<Tally>,
    /// Joint moves.
    pub steps: u64,
    /// Matches that were abandoned, or ended without one goal for each player.
    pub unscored: u64,
}

impl Total {
    /// No matches.
    #[must_use]
    pub fn new(players: usize, roles: usize) -> Self {
        let tally = Tally { roles: vec![RoleTally::default(); roles], ..Tally::default() };
        Self { players: vec![tally; players], ..Self::default() }
    }

    /// Adds a match in which these players had these seats, which are roles.
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

    /// Adds the matches of another total.
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

    /// The results as JSON, except those that depend on the clock; `players` are named as they were
    /// asked for, `roles` are those of the game:
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

//! The value of skill: matches of equal players ([`Peers`]), and of players with different budgets
//! ([`Ladder`]).
//!
//! All players are Monte Carlo tree searches with different node budgets for a move, except that
//! the weakest one plays at random. A contest has the number of matches in the settings, or fewer
//! if their work would exceed its limit. Work is counted in evaluated gates. A node costs one
//! random game from its state to the end, which is about half as long as a game from the start. A
//! contest with fewer than `FEWEST` matches for each seat is skipped.

use super::{Settings, outcome::Outcome};
use crate::{analyze::Estimate, contest::Contest, players::Spec, statistics::mean_and_error};
use gdl_players::{
    Budget,
    referee::{End, Match},
    search::Mcts,
};
use gdl_runtime::{
    Dynamic, Game,
    dynamic::{MoveId, RoleId},
    engine::Table,
    game::Id,
};
use serde_json::{Value, json};
use std::{
    iter,
    sync::{Mutex, PoisonError},
};

/// The reason for a skipped contest.
pub const TOO_MUCH: &str = "its games are too long, or its rules too large, for the searches";

/// The fewest matches of a contest, for each seat.
const FEWEST: u64 = 2;

/// The length at which a match is abandoned: the mean length of random games times `PATIENCE`, plus
/// `MORE` joint moves.
const PATIENCE: f64 = 8.0;
const MORE: f64 = 20.0;

/// The memory of a player in MiB.
const MEMORY: u32 = 64;

/// The terms that contests of a game share.
#[derive(Clone, Debug)]
pub(super) struct Terms<'g> {
    game: &'g Dynamic,
    settings: &'g Settings,
    seats: &'g [usize],
    /// The mean number of joint moves of a random game, and the mean number of its decisions.
    length: f64,
    decisions: f64,
    /// The number of gates that a node evaluates, by estimate.
    price: f64,
}

/// A callback that receives the joint moves of each match.
type See<'s> = &'s mut dyn FnMut(&[Vec<MoveId>]);

/// A finished match.
#[derive(Clone, Debug)]
pub struct FinishedMatch {
    number: u64,
    /// The goals of all seats, if the match ended with one for each.
    pub goals: Option<Vec<u8>>,
    /// The joint moves.
    pub joints: Vec<Vec<MoveId>>,
    end: End,
}

impl<'g> Terms<'g> {
    pub(super) fn new(
        game: &'g Dynamic,
        settings: &'g Settings,
        seats: &'g [usize],
        random: &Outcome,
        choosing: f64,
    ) -> Self {
        let length = random.length();
        let (observe, advance) = game.table().map_or((1, 1), Table::gates);
        let price = (observe + advance + 1) as f64 * (1.0 + length / 2.0);
        Self { game, settings, seats, length, decisions: length * choosing, price }
    }

    /// Returns the number of matches if players visit `nodes` nodes for a decision on average: the
    /// number in the settings, or fewer if `work` requires it. Returns `None` if there would be
    /// fewer than `FEWEST` matches for each seat.
    fn matches(&self, nodes: u64) -> Option<u64> {
        let seats = self.seats.len() as u64;
        let each = (1.0 + self.decisions) * self.price * nodes as f64;
        #[allow(clippy::cast_sign_loss, reason = "it is positive, and casts of floats saturate")]
        let most = (self.settings.work / each) as u64;
        // The number is a multiple of the seats, so each player has each seat equally often.
        let count = self.settings.matches.min(most) / seats * seats;
        (count >= FEWEST * seats).then_some(count)
    }

    /// Returns the number of joint moves after which a match is abandoned.
    fn longest(&self) -> usize {
        #[allow(clippy::cast_sign_loss, reason = "it is positive, and casts of floats saturate")]
        let patience = (PATIENCE * self.length + MORE) as usize;
        patience.min(self.settings.longest)
    }

    /// Plays matches. In each round, every player has every seat once.
    fn play(&self, players: &[Spec], count: u64, see: See<'_>) -> Vec<FinishedMatch> {
        let Settings { seed, threads, cancel, .. } = self.settings;
        let contest = Contest {
            name: "the game",
            players,
            seed: *seed,
            clock: None,
            nodes: None,
            longest: self.longest(),
        };
        let list = Mutex::new(Vec::new());
        let keep = |number: u64, played: &Match<Dynamic>| {
            let goals = self.seats.iter().map(|&role| played.goals[role]).collect();
            let joints = played.history.line().into_iter().map(<[MoveId]>::to_vec).collect();
            let played = FinishedMatch { number, goals, joints, end: played.end };
            list.lock().unwrap_or_else(PoisonError::into_inner).push(played);
            Ok(())
        };
        let total = contest.play(self.game, 0..count, *threads, cancel, &|_| (), &keep);
        debug_assert!(total.is_ok(), "there is a player for each seat");
        let mut list = list.into_inner().unwrap_or_else(PoisonError::into_inner);
        list.sort_by_key(|played| played.number);
        list.iter().for_each(|played| see(&played.joints));
        list
    }

    /// Plays matches of equal players, which have the second budget of the ladder.
    pub(super) fn peers(&self, see: See<'_>) -> Option<(Peers, Vec<FinishedMatch>)> {
        let nodes = self.nodes_of_equals()?;
        let count = self.matches(nodes)?;
        let matches = self.play(&vec![player(Some(nodes)); self.seats.len()], count, see);
        Some((Peers { nodes, outcome: outcome(&matches, self.seats) }, matches))
    }

    fn nodes_of_equals(&self) -> Option<u64> {
        self.settings.budgets.get(1).copied()
    }

    /// Plays each player of the ladder against the next weaker one. In a game for one role, each
    /// player plays alone. Returns `None` if not even the first contest fits into the work limit.
    pub(super) fn ladder(&self, see: See<'_>) -> Option<Ladder> {
        let budgets = || self.settings.budgets.iter().copied();
        let steps: Vec<Option<u64>> = [None].into_iter().chain(budgets().map(Some)).collect();
        let several = self.seats.len() > 1;
        let mut ladder = Ladder { rungs: Vec::new(), goals: Vec::new() };
        if !several {
            for &nodes in &steps {
                let Some(count) = self.matches(nodes.unwrap_or(1)) else { break };
                let matches = self.play(&[player(nodes)], count, see);
                ladder.goals.push((nodes, alone(&matches)));
            }
        }
        for (place, pair) in steps.windows(2).enumerate() {
            let &[weak, strong] = pair else { continue };
            let rung = if several {
                let [weaker, stronger] = [weak, strong].map(|nodes| nodes.unwrap_or(1));
                let others = self.seats.len() as u64 - 1;
                let Some(count) = self.matches((stronger + others * weaker).div_ceil(others + 1)) else {
                    break;
                };
                let players: Vec<Spec> =
                    (0..self.seats.len()).map(|seat| player(if seat == 0 { strong } else { weak })).collect();
                let matches = self.play(&players, count, see);
                Rung { weak, strong, matches: count, gain: gain(&matches, self.seats.len()) }
            } else {
                let [Some((_, low)), Some((_, high))] = [place, place + 1].map(|step| ladder.goals.get(step))
                else {
                    break;
                };
                Rung { weak, strong, matches: high.0, gain: difference(*low, *high) }
            };
            ladder.rungs.push(rung);
        }
        (!ladder.rungs.is_empty()).then_some(ladder)
    }

    /// Returns the expectation of each seat, from 0 to 100, in each position of a match before its
    /// end.
    pub(super) fn values(&self, played: &FinishedMatch) -> Vec<Vec<f64>> {
        let nodes = self.nodes_of_equals().unwrap_or(1);
        let mut search = Mcts::new().seed(self.settings.seed);
        let mut state = self.game.initial();
        let mut values = Vec::new();
        for joint in &played.joints {
            // The search for the first seat grows the tree; the others only read it.
            let budgets = iter::once(nodes).chain(iter::repeat(1));
            let each = self.seats.iter().zip(budgets).map(|(&role, nodes)| {
                let budget = Budget::of_nodes(nodes);
                search.search(self.game, &state, RoleId::from_index(role), &budget).report.value
            });
            values.extend(each.collect::<Option<Vec<f64>>>());
            self.game.advance(&mut state, joint);
        }
        values
    }
}

/// Returns the player that visits `nodes` nodes for a move, or the random player if `None`.
fn player(nodes: Option<u64>) -> Spec {
    let text =
        nodes.map_or_else(|| "random".to_owned(), |nodes| format!("mcts:nodes={nodes},memory={MEMORY}"));
    text.parse().expect("the text of a player")
}

/// Returns the outcome of matches.
fn outcome(matches: &[FinishedMatch], seats: &[usize]) -> Outcome {
    let mut outcome = Outcome::new(seats);
    for played in matches {
        outcome.games += 1;
        outcome.steps += played.joints.len() as u64;
        match (&played.goals, played.end) {
            (Some(goals), _) => outcome.add(goals),
            (None, End::Terminal) => outcome.unscored += 1,
            (None, End::Stuck) => outcome.stuck += 1,
            (None, _) => outcome.too_long += 1,
        }
    }
    outcome
}

/// Matches of equal players.
#[derive(Clone, Debug)]
pub struct Peers {
    /// The node budget of each player, per move.
    pub nodes: u64,
    /// The outcome of the matches.
    pub outcome: Outcome,
}

impl Peers {
    pub(super) fn to_json(&self, roles: &[String]) -> Value {
        let mut object = self.outcome.to_json(roles);
        object["nodes"] = json!(self.nodes);
        object
    }
}

/// Matches of players of different strength.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// The contests, from the weakest pair to the strongest.
    pub rungs: Vec<Rung>,
    /// The results of each player in a game for one role. A player is given by its node budget; its
    /// results are the number of games with a result, the mean goal and its standard error.
    pub goals: Vec<(Option<u64>, (u64, f64, f64))>,
}

/// A contest of two players of different strength. In a game for more than two roles, the weaker
/// player has all other seats. In a game for one role, both play alone.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The node budget of the weaker player; `None` if it plays at random.
    pub weak: Option<u64>,
    /// The node budget of the stronger player.
    pub strong: Option<u64>,
    /// The number of matches.
    pub matches: u64,
    /// The gain of the stronger player, as a share of 100 points. `None` if no match had a result.
    pub gain: Option<Estimate>,
}

impl Rung {
    /// Returns the gain if its 95 % interval is above 0, otherwise 0.
    #[must_use]
    pub fn sure_gain(&self) -> f64 {
        self.gain.filter(|gain| gain.interval[0] > 0.0).map_or(0.0, |gain| gain.mean.min(1.0))
    }
}

impl Ladder {
    /// Returns the depth of skill: the mean of [`Rung::sure_gain`] over all rungs.
    #[must_use]
    pub fn depth(&self) -> f64 {
        self.rungs.iter().map(Rung::sure_gain).sum::<f64>() / self.rungs.len().max(1) as f64
    }

    /// Returns the levels of skill: the number of rungs with a significant gain.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.rungs.iter().filter(|rung| rung.sure_gain() > 0.0).count()
    }

    pub(super) fn to_json(&self) -> Value {
        let rung = |rung: &Rung| {
            json!({
                "strong": rung.strong,
                "weak": rung.weak,
                "matches": rung.matches,
                "gain": rung.gain.map(Estimate::to_json),
            })
        };
        let goal = |&(nodes, (games, mean, error)): &(Option<u64>, (u64, f64, f64))| json!({ "nodes": nodes, "games": games, "goal": (games > 0).then(|| Estimate::new(mean, error).to_json()) });
        json!({
            "depth": self.depth(),
            "levels": self.levels(),
            "rungs": self.rungs.iter().map(rung).collect::<Vec<_>>(),
            "goals": self.goals.iter().map(goal).collect::<Vec<_>>(),
        })
    }
}

/// Returns the mean gain over the matches: the goal of the first player minus the mean goal of the
/// others, divided by 100. Players rotate by one seat from each match to the next. Returns `None`
/// if no match has a result.
#[must_use]
pub fn gain(matches: &[FinishedMatch], seats: usize) -> Option<Estimate> {
    let one = |played: &FinishedMatch| {
        let goals = played.goals.as_ref()?;
        let own = (seats - (played.number % seats as u64) as usize) % seats;
        let sum: f64 = goals.iter().map(|&goal| f64::from(goal)).sum();
        let goal = f64::from(goals[own]);
        Some((goal - (sum - goal) / (seats - 1) as f64) / 100.0)
    };
    let (count, mean, error) = mean_and_error(matches.iter().filter_map(one));
    (count > 0).then(|| Estimate::new(mean, error))
}

/// Returns the number of games with a result, the mean goal and its standard error, for a single
/// player.
fn alone(matches: &[FinishedMatch]) -> (u64, f64, f64) {
    mean_and_error(
        matches.iter().filter_map(|played| played.goals.as_ref()?.first().map(|&goal| f64::from(goal))),
    )
}

/// Returns the gain in a game for one role: the difference of the players' mean goals, divided by
/// 100.
fn difference(low: (u64, f64, f64), high: (u64, f64, f64)) -> Option<Estimate> {
    let error = (low.2.powi(2) + high.2.powi(2)).sqrt() / 100.0;
    (low.0 > 0 && high.0 > 0).then(|| Estimate::new((high.1 - low.1) / 100.0, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(number: u64, goals: &[u8]) -> FinishedMatch {
        FinishedMatch { number, goals: Some(goals.to_vec()), joints: Vec::new(), end: End::Terminal }
    }

    fn rung(gain: f64, error: f64) -> Rung {
        Rung { weak: None, strong: Some(10), matches: 4, gain: Some(Estimate::new(gain, error)) }
    }

    #[test]
    fn the_first_player_moves_on_by_one_seat() {
        // The first player has seat 0 in match 0. In match 1 it has seat 1 of two, but seat 2 of
        // three.
        let two = gain(&[played(0, &[100, 0]), played(1, &[0, 100])], 2).expect("two results");
        assert!((two.mean - 1.0).abs() < 1e-12 && (two.interval[0] - 1.0).abs() < 1e-12, "{two:?}");
        let even = gain(&[played(0, &[100, 0]), played(1, &[100, 0])], 2).expect("two results");
        assert!(even.mean.abs() < 1e-12 && even.interval[0] < -0.9, "{even:?}");
        let three = gain(&[played(0, &[90, 0, 30]), played(1, &[0, 30, 90]), played(2, &[0, 90, 30])], 3);
        assert!((three.expect("three results").mean - 0.75).abs() < 1e-12, "{three:?}");
        let none = FinishedMatch { goals: None, ..played(0, &[]) };
        assert_eq!(gain(&[none], 2), None);
    }

    #[test]
    fn depth_is_what_is_gained_beyond_luck() {
        let ladder =
            Ladder { rungs: vec![rung(0.9, 0.05), rung(0.3, 0.1), rung(0.1, 0.2)], goals: Vec::new() };
        assert!((ladder.depth() - 0.4).abs() < 1e-12);
        assert_eq!(ladder.levels(), 2);
        let worse = Ladder { rungs: vec![rung(-0.5, 0.01)], goals: Vec::new() };
        assert_eq!((worse.depth().to_string(), worse.levels()), ("0".to_owned(), 0));
    }

    #[test]
    fn alone_a_player_is_compared_with_itself() {
        let [low, high] =
            [[played(0, &[0]), played(1, &[50])], [played(0, &[100]), played(1, &[75])]].map(|m| alone(&m));
        assert_eq!((low.0, low.1.to_string(), high.1.to_string()), (2, "25".to_owned(), "87.5".to_owned()));
        let gain = difference(low, high).expect("results");
        assert!((gain.mean - 0.625).abs() < 1e-12);
        assert_eq!(difference((0, 0.0, 0.0), high), None);
    }
}

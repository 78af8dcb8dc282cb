//! Standings: the finished matches of a plan, as a row for each player.
//!
//! A player wins with a goal value above all others, and draws if several players share the
//! greatest value. In a game for one role, 100 is a win. For [ratings](crate::rating), the players
//! of a match are compared in pairs, and the greater goal value takes the point. With k players
//! each comparison has a weight of 1 / (k - 1), so the match counts as one game for each player. A
//! player with two seats is not compared with itself. A match without an end or without a goal
//! value of some role is unscored; only its faults count.

use crate::{
    rating::{Rating, rate},
    store::{SeatResult, Store},
};
use gdl_runtime::playouts::RoleTally;
use gdl_tools::{contest::mean_goal, error::Result};
use serde_json::{Value, json};

/// The standings of a file of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// The name of the schedule.
    pub name: String,
    /// The numbers of planned, running and finished matches.
    pub matches: [u64; 3],
    /// The number of finished matches without scores.
    pub unscored: u64,
    /// The players, the strongest first.
    pub rows: Vec<Row>,
}

/// The results of a player in all finished matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The name of the player.
    pub player: String,
    /// The tally of the player's scores.
    pub results: RoleTally,
    /// The number of illegal answers, including those that are no move of the game.
    pub illegal: u64,
    /// The number of late answers.
    pub late: u64,
    /// The number of missing answers.
    pub missing: u64,
    /// The rating; `None` if the player met no other player.
    pub rating: Option<Rating>,
}

impl Standings {
    /// Computes the standings of the finished matches.
    ///
    /// # Errors
    /// Returns an error if the file is damaged.
    pub fn of(store: &Store) -> Result<Self> {
        let names = store.players()?;
        let count = names.len();
        let mut rows: Vec<Row> = names.into_iter().map(|player| Row { player, ..Row::default() }).collect();
        let mut points = vec![vec![0.0; count]; count];
        let mut unscored = 0;
        store.results(|is_over, seats| {
            // A damaged file may refer to players that do not exist.
            if seats.iter().any(|seat| seat.player >= count) {
                return;
            }
            for seat in seats {
                let row = &mut rows[seat.player];
                row.illegal += seat.illegal;
                row.late += seat.late;
                row.missing += seat.missing;
            }
            let goals: Option<Vec<u8>> = seats.iter().map(|seat| seat.goal).collect();
            let Some(goals) = goals.filter(|_| is_over) else {
                unscored += 1;
                return;
            };
            let mut results = vec![RoleTally::default(); seats.len()];
            RoleTally::count(results.iter_mut(), &goals);
            for (seat, result) in seats.iter().zip(&results) {
                rows[seat.player].results.merge(result);
            }
            compare(seats, &goals, &mut points);
        })?;
        for (row, rating) in rows.iter_mut().zip(rate(&points)) {
            row.rating = rating;
        }
        let elo = |row: &Row| row.rating.map_or(f64::NEG_INFINITY, |rating| rating.elo);
        let goal = |row: &Row| mean_goal(&row.results);
        rows.sort_by(|a, b| elo(b).total_cmp(&elo(a)).then(goal(b).total_cmp(&goal(a))));
        Ok(Self { name: store.name()?, matches: store.counts()?, unscored, rows })
    }

    /// Returns the standings as JSON: `schedule`; `matches` with the numbers `planned`, `running`,
    /// `done` and `unscored`; and `players`, the strongest first. A player has `player`, `matches`,
    /// `wins`, `draws`, `losses`, `mean_goal`, `faults` (`illegal`, `late`, `missing`), `rating`
    /// and `rating_interval`. The last two are in Elo points, and null for a player that met no
    /// other player.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let [planned, running, done] = self.matches;
        let player = |row: &Row| {
            json!({
                "player": row.player,
                "matches": row.results.games(),
                "wins": row.results.wins,
                "draws": row.results.draws,
                "losses": row.results.losses,
                "mean_goal": mean_goal(&row.results),
                "faults": { "illegal": row.illegal, "late": row.late, "missing": row.missing },
                "rating": row.rating.map(|rating| rating.elo),
                "rating_interval": row.rating.map(|rating| rating.interval),
            })
        };
        json!({
            "schedule": self.name,
            "matches": { "planned": planned, "running": running, "done": done, "unscored": self.unscored },
            "players": self.rows.iter().map(player).collect::<Vec<_>>(),
        })
    }
}

/// Adds the points of a match's players against each other.
fn compare(seats: &[SeatResult], goals: &[u8], points: &mut [Vec<f64>]) {
    let weight = 1.0 / (seats.len().max(2) - 1) as f64;
    for (i, first) in seats.iter().enumerate() {
        for (j, second) in seats.iter().enumerate() {
            if first.player != second.player {
                let share = match goals[i].cmp(&goals[j]) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
                points[first.player][second.player] += weight * share;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_one_game_for_each_of_its_players() {
        let seat = |player| SeatResult { player, goal: None, illegal: 0, late: 0, missing: 0 };
        let mut points = vec![vec![0.0; 3]; 3];
        compare(&[seat(2), seat(0), seat(1)], &[100, 50, 50], &mut points);
        assert_eq!(points, [vec![0.0, 0.25, 0.0], vec![0.25, 0.0, 0.0], vec![0.5, 0.5, 0.0]]);
        let mut points = vec![vec![0.0; 2]; 2];
        compare(&[seat(0), seat(0), seat(1)], &[100, 0, 50], &mut points);
        assert_eq!(points, [vec![0.0, 0.5], vec![0.5, 0.0]]);
        compare(&[seat(1)], &[100], &mut points);
        assert_eq!(points[1], [0.5, 0.0]);
    }
}

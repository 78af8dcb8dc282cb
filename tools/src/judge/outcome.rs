//! The ends of games: [`Outcome`], with the measures computed from it.
//!
//! Seats are the roles other than chance. Games have no result if they were abandoned or ended
//! without exactly one goal for each seat.

use gdl_runtime::playouts::{RoleTally, Tally};
use serde_json::{Map, Value, json};

/// The ends of a number of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The number of games.
    pub games: u64,
    /// The number of games with a result.
    pub scored: u64,
    /// The number of games abandoned as too long.
    pub too_long: u64,
    /// The number of games abandoned because a role had no legal move.
    pub stuck: u64,
    /// The number of games that ended without exactly one goal for each seat.
    pub unscored: u64,
    /// The number of joint moves in all games.
    pub steps: u64,
    /// The results of each seat.
    pub seats: Vec<SeatOutcome>,
}

/// The results of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOutcome {
    /// The index of its role.
    pub role: usize,
    /// The tally of its goals, wins, draws and losses.
    pub results: RoleTally,
}

impl Outcome {
    /// Creates an outcome of no games.
    #[must_use]
    pub fn new(seats: &[usize]) -> Self {
        let seat = |&role| SeatOutcome { role, results: RoleTally::default() };
        let seats = seats.iter().map(seat).collect();
        Self { games: 0, scored: 0, too_long: 0, stuck: 0, unscored: 0, steps: 0, seats }
    }

    /// Creates the outcome of playouts.
    #[must_use]
    pub fn of_tally(tally: &Tally, seats: &[usize]) -> Self {
        let seat = |&role| SeatOutcome { role, results: tally.roles.get(role).copied().unwrap_or_default() };
        Self {
            games: tally.playouts,
            scored: tally.scored(),
            too_long: tally.too_long,
            stuck: tally.stuck,
            unscored: tally.unscored,
            steps: tally.states,
            seats: seats.iter().map(seat).collect(),
        }
    }

    /// Adds the result of a game: the goals of all seats.
    pub fn add(&mut self, goals: &[u8]) {
        self.scored += 1;
        RoleTally::count(self.seats.iter_mut().map(|seat| &mut seat.results), goals);
    }

    /// Returns the completion: the share of games that have a result.
    #[must_use]
    pub fn completion(&self) -> f64 {
        self.scored as f64 / self.games.max(1) as f64
    }

    /// Returns the share of games with a result that a seat wins.
    #[must_use]
    pub fn wins(&self, seat: &SeatOutcome) -> f64 {
        seat.results.wins as f64 / self.scored.max(1) as f64
    }

    /// Returns the decisiveness: the share of games with a result that one seat wins.
    #[must_use]
    pub fn decisiveness(&self) -> f64 {
        self.seats.iter().map(|seat| self.wins(seat)).sum()
    }

    /// Returns the share of draws: games with a result in which several seats share the greatest
    /// goal. 0 for a single seat.
    #[must_use]
    pub fn draws(&self) -> f64 {
        let drawn = self.seats.len() > 1 && self.scored > 0;
        if drawn { (1.0 - self.decisiveness()).max(0.0) } else { 0.0 }
    }

    /// Returns the balance: 1 minus the greatest difference between the win shares of two seats.
    #[must_use]
    pub fn balance(&self) -> f64 {
        let shares = || self.seats.iter().map(|seat| self.wins(seat));
        let (least, most) = (shares().fold(f64::INFINITY, f64::min), shares().fold(0.0, f64::max));
        if least.is_finite() { 1.0 - (most - least) } else { 1.0 }
    }

    /// Returns the length: the mean number of joint moves of a game.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.steps as f64 / self.games.max(1) as f64
    }

    /// Returns the mean goal of a seat. `None` if no game has a result.
    #[must_use]
    pub fn goal(&self, seat: &SeatOutcome) -> Option<f64> {
        (self.scored > 0).then(|| seat.results.goals as f64 / self.scored as f64)
    }

    /// Returns the measures as JSON; see [`Judgement::to_json`](super::Judgement::to_json).
    #[must_use]
    pub fn to_json(&self, roles: &[String]) -> Value {
        let share = |games: u64| games as f64 / self.games.max(1) as f64;
        let several = self.seats.len() > 1;
        let of_results = |games: u64| games as f64 / self.scored.max(1) as f64;
        let seat = |(name, seat): (&String, &SeatOutcome)| {
            let results = &seat.results;
            let value = json!({
                "goal": self.goal(seat),
                "wins": of_results(results.wins),
                "draws": of_results(results.draws),
                "losses": of_results(results.losses),
            });
            (name.clone(), value)
        };
        json!({
            "games": self.games,
            "completion": self.completion(),
            "too_long": share(self.too_long),
            "stuck": share(self.stuck),
            "unscored": share(self.unscored),
            "decisiveness": several.then(|| self.decisiveness()),
            "draws": several.then(|| self.draws()),
            "balance": several.then(|| self.balance()),
            "length": self.length(),
            "roles": roles.iter().zip(&self.seats).map(seat).collect::<Map<_, _>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(seats: usize, games: &[&[u8]]) -> Outcome {
        let seats: Vec<usize> = (0..seats).collect();
        let mut outcome = Outcome::new(&seats);
        for goals in games {
            outcome.games += 1;
            outcome.steps += 3;
            outcome.add(goals);
        }
        outcome
    }

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }

    #[test]
    fn results_are_shares_of_the_games_that_have_one() {
        let mut games = outcome(2, &[&[100, 0], &[100, 0], &[0, 100], &[50, 50]]);
        // Four more games without a result.
        (games.games, games.too_long, games.steps) = (8, 4, 40);
        assert_near(games.completion(), 0.5);
        assert_near(games.decisiveness(), 0.75);
        assert_near(games.draws(), 0.25);
        // The win shares are 2 of 4 and 1 of 4.
        assert_near(games.balance(), 0.75);
        assert_near(games.length(), 5.0);
        assert_eq!(games.goal(&games.seats[1]), Some(37.5));
    }

    #[test]
    fn the_worst_of_three_seats_counts() {
        let games = outcome(3, &[&[100, 0, 0], &[0, 100, 0], &[100, 0, 0], &[50, 50, 0]]);
        assert_near(games.balance(), 0.5);
        assert_near(games.draws(), 0.25);
    }

    #[test]
    fn one_seat_neither_draws_nor_has_a_better_one() {
        let games = outcome(1, &[&[100], &[40]]);
        assert_near(games.draws(), 0.0);
        assert_near(games.balance(), 1.0);
        assert_near(games.decisiveness(), 0.5);
        let none = outcome(2, &[]);
        assert_eq!((none.goal(&none.seats[0]), none.draws(), none.completion()), (None, 0.0, 0.0));
    }
}

//! The expected value of each move of a role with hidden information: the mean result of random
//! games over the possible states.
//!
//! A search in each state would assume that the role knows the state. With a prize at one of
//! several doors, it would find the winning door in each state and rate every door 100. So no
//! search is made. States are weighted by their probability, and each legal move is rated by random
//! games.

use gdl_players::{
    Budget,
    player::{Belief, MoveStats},
    search::FlatMonteCarlo,
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, dynamic::MoveId, game::Id};

/// The most states that are used. If more are possible, a sample of this size is drawn.
const MOST_STATES: usize = 64;

/// The number of random games of a move in a state, in each round.
const GAMES: u64 = 2;

/// The statistics of a role's moves so far.
pub(crate) struct Expectation {
    /// The possible states with their weights.
    states: Vec<(<Dynamic as Game>::State, f64)>,
    /// For each state and legal move: the number of games, and the sum of their goal values.
    sums: Vec<Vec<(u64, f64)>>,
    search: FlatMonteCarlo<Dynamic>,
    playouts: u64,
}

impl Expectation {
    /// Creates empty statistics for the information of a role.
    pub(crate) fn new(game: &Dynamic, information: &Information<Dynamic>, seed: u64) -> Self {
        let mut belief = Belief::new(seed);
        belief.follow(game, information);
        let mut states: Vec<(<Dynamic as Game>::State, f64)> = if belief.worlds().len() <= MOST_STATES {
            belief.worlds().iter().map(|(state, weight)| (state.clone(), *weight as f64)).collect()
        } else {
            (0..MOST_STATES).filter_map(|_| belief.draw().map(|state| (state.clone(), 1.0))).collect()
        };
        let whole: f64 = states.iter().map(|(_, weight)| weight).sum();
        states.iter_mut().for_each(|(_, weight)| *weight /= whole);
        let role = information.role();
        let sums = states.iter().map(|(state, _)| vec![(0, 0.0); game.legal_moves(state, role).count()]);
        Self { sums: sums.collect(), states, search: FlatMonteCarlo::new().seed(seed), playouts: 0 }
    }

    /// Plays another round of games from each state. Returns false if the budget ends first;
    /// finished games count.
    pub(crate) fn improve(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> bool {
        let role = information.role();
        for ((state, _), sums) in self.states.iter().zip(&mut self.sums) {
            if budget.is_spent() {
                return false;
            }
            let games = Budget::of_nodes(GAMES * sums.len() as u64);
            let found = self.search.search(game, state, role, &games);
            for (place, action) in game.legal_moves(state, role).enumerate() {
                if let Some(&(_, visits, value)) = found.moves.iter().find(|(tried, ..)| *tried == action) {
                    self.playouts += visits;
                    sums[place].0 += visits;
                    sums[place].1 += value * visits as f64;
                }
            }
        }
        true
    }

    /// Returns the number of random games so far.
    pub(crate) fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Returns the moves, the best first; empty until each was tried in each state where it is
    /// legal.
    pub(crate) fn moves(&self, game: &Dynamic, information: &Information<Dynamic>) -> Vec<MoveStats> {
        let role = information.role();
        let mut moves: Vec<(MoveId, f64, f64, u64)> = Vec::new();
        for ((state, weight), sums) in self.states.iter().zip(&self.sums) {
            for (action, &(visits, sum)) in game.legal_moves(state, role).zip(sums) {
                if visits == 0 {
                    return Vec::new();
                }
                let mean = weight * sum / visits as f64;
                match moves.iter_mut().find(|(known, ..)| *known == action) {
                    Some(known) => *known = (action, known.1 + mean, known.2 + weight, known.3 + visits),
                    None => moves.push((action, mean, *weight, visits)),
                }
            }
        }
        moves.sort_by(|a, b| (b.1 / b.2).total_cmp(&(a.1 / a.2)).then(a.0.index().cmp(&b.0.index())));
        let tried = |(action, sum, weight, visits): (MoveId, f64, f64, u64)| {
            let mut tried = MoveStats::default();
            (tried.action, tried.value, tried.visits) =
                (game.move_text(action).to_owned(), sum / weight, visits);
            tried
        };
        moves.into_iter().map(tried).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Games;
    use gdl_runtime::{History, chance::Stream};

    /// Returns the statistics of a role's moves after some random steps.
    fn moves(name: &str, role: &str, steps: usize, seed: u64) -> Vec<MoveStats> {
        let game = Games::default().find(name).expect("it is built in").game;
        let (mut history, mut stream) = (History::new(&game), Stream::new(seed, 0));
        for _ in 0..steps {
            let view = game.view(history.state());
            let joint: Option<Vec<_>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            history.play(&game, &joint.expect("moves")).expect("they are legal");
        }
        let role = game.parse_role(role).expect("a role");
        let information = history.information(&game, role);
        let mut expectation = Expectation::new(&game, &information, 1);
        assert!(expectation.moves(&game, &information).is_empty());
        let rounds = 50;
        for _ in 0..rounds {
            assert!(expectation.improve(&game, &information, &Budget::unlimited()));
        }
        let moves = expectation.moves(&game, &information);
        assert_eq!(moves.len(), game.legal_moves(history.state(), role).count());
        assert!(expectation.playouts() >= rounds * GAMES);
        moves
    }

    #[test]
    fn monty_hall_is_told_as_it_is() {
        for seed in 0..3 {
            let told = moves("monty_hall", "candidate", 2, seed);
            let told: Vec<(&str, f64)> = told.iter().map(|one| (&*one.action, one.value.round())).collect();
            assert_eq!(told, [("switch", 67.0), ("stay", 33.0)]);
        }
    }

    #[test]
    fn every_bid_is_rated() {
        let bids = moves("liars_dice", "alice", 1, 3);
        assert!(bids.len() > 3 && bids.iter().any(|bid| bid.value < 99.0), "{bids:?}");
    }
}

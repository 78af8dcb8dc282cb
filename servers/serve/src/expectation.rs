//! The expectation of each move of a role that does not see everything: the mean, over the states
//! that fit what it knows, of random games that begin with the move.
//!
//! A search of each state by itself would think that the role knows that state: it would find the
//! winning door in each, and every door to be worth 100. So nothing is searched. Each state is
//! weighed by how likely it is, and each legal move is rated.

use gdl_players::{
    Budget,
    player::{Belief, MoveStats},
    search::FlatMonteCarlo,
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, dynamic::MoveId, game::Id};

/// States that are reckoned with; of more some are drawn.
const MOST_STATES: usize = 64;

/// Random games that begin with a move in a state, each time around.
const GAMES: u64 = 2;

/// The statistics of the moves so far.
pub(crate) struct Expectation {
    /// The states with their probabilities, which add up to 1.
    states: Vec<(<Dynamic as Game>::State, f64)>,
    /// For each state and each legal move the games and the sum of their goals.
    sums: Vec<Vec<(u64, f64)>>,
    search: FlatMonteCarlo<Dynamic>,
    playouts: u64,
}

impl Expectation {
    /// An empty expectation, for the information of a role.
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

    /// Plays some games more from each state. False if there was no time for all of them, and what
    /// was played counts.
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

    /// Random games so far.
    pub(crate) fn playouts(&self) -> u64 {
        self.playouts
    }

    /// The moves, the best first; `None` until each was tried in each state where it is legal.
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

    /// The role's statistics of its moves after `steps` steps drawn from a seed.
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

//! A trial of two searches before a match: which of them wins short matches of the game, with few nodes for each move.

use crate::{
    game::{Game, GameExt, Id},
    player::{Budget, Player},
    random::Stream,
    search::{AlphaBeta, Mcts, payoff::Payoff},
};
use std::fmt;

/// The most matches, from both seats in turn, and the points that say something: one search in a hundred has so many against one that is as
/// good. So many wins before anything else say nearly as much, and no more are played then, nor where the points are out of reach.
const MATCHES: u32 = 10;
const CLEAR: u32 = 9;
const STRAIGHT: u32 = 6;

/// How matches are played: the nodes of the tree for a move, and the moves at the start that are drawn.
#[derive(Clone, Copy)]
struct Terms {
    nodes: u64,
    drawn: usize,
}

/// Where roles choose in turn, two moves that are drawn make matches differ.
const IN_TURN: &[Terms] = &[Terms { nodes: 150, drawn: 2 }];
/// Where they choose at the same time a move that is drawn may lose the match, and few nodes say little: all matches are played again with
/// more. The tree mixes its moves, so matches differ.
const AT_ONCE: &[Terms] = &[Terms { nodes: 150, drawn: 0 }, Terms { nodes: 600, drawn: 0 }];

/// Nodes of alpha-beta for one of the tree, which costs about as much.
const RATE: u64 = 10;

/// A budget of less nodes is no time for a trial.
const WORTH: u64 = 1 << 18;

/// The longest match.
const LONGEST: usize = 200;

/// The result of matches of alpha-beta against random games in a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    /// Twice the points of alpha-beta.
    points: u32,
    matches: u32,
}

impl Trial {
    /// Plays matches of two roles, which choose at the same time or in turn; none if the budget is too short for them. Alpha-beta keeps its
    /// evaluation.
    pub(super) fn of<G: Game>(
        game: &G,
        seed: u64,
        is_simultaneous: bool,
        rival: &mut AlphaBeta<G>,
        budget: &Budget,
    ) -> Option<Self> {
        if budget.nodes().is_some_and(|nodes| nodes < WORTH) {
            return None;
        }
        let first = game.roles().next()?;
        Player::start(rival, game, first, &budget.share(0.2, 0).and_nodes(WORTH / 8));
        let mut series = Series { game, seed, rival, budget, spent: WORTH / 8 };
        let terms = if is_simultaneous { AT_ONCE } else { IN_TURN };
        terms.iter().map_while(|&terms| series.play(terms)).last()
    }

    /// If alpha-beta is clearly better.
    pub(super) fn is_won(self) -> bool {
        self.points >= 2 * CLEAR || self.matches >= STRAIGHT && self.points == 2 * self.matches
    }

    /// If another match may tell.
    fn is_open(self) -> bool {
        let left = MATCHES - self.matches;
        left > 0 && !self.is_won() && self.points + 2 * left >= 2 * CLEAR
    }
}

/// Matches within a budget.
struct Series<'s, G: Game> {
    game: &'s G,
    seed: u64,
    rival: &'s mut AlphaBeta<G>,
    budget: &'s Budget,
    spent: u64,
}

impl<G: Game> Series<'_, G> {
    /// Plays matches until it is clear which search is better; none if the budget is spent before.
    fn play(&mut self, terms: Terms) -> Option<Trial> {
        let mut trial = Trial::default();
        while trial.is_open() {
            trial.points += self.play_match(trial.matches, terms)?;
            trial.matches += 1;
        }
        Some(trial)
    }

    /// One match: twice the points of the rival. None if it was broken off.
    fn play_match(&mut self, number: u32, Terms { nodes, drawn }: Terms) -> Option<u32> {
        let (game, budget) = (self.game, self.budget);
        if budget.nodes().is_some_and(|nodes| self.spent >= nodes) {
            return None;
        }
        let seat = (number % 2) as usize;
        let mut tree = Mcts::new().seed(self.seed.wrapping_add(number.into())).memory(16 << 20);
        let mut luck = Stream::new(self.seed, u64::from(number / 2));
        let mut state = game.initial();
        let mut view = game.new_view();
        for step in 0..LONGEST {
            if budget.is_spent() {
                return None;
            }
            game.observe_without_goals(&state, &mut view);
            if game.is_terminal_in(&view) {
                let payoff = Payoff::new(game);
                let goal = |role: usize| payoff.goal(view.as_ref(), role);
                let (own, other) = (goal(seat), goal(1 - seat));
                return Some(u32::from(own >= other) + u32::from(own > other));
            }
            let mut joint = Vec::with_capacity(2);
            for role in game.roles() {
                let is_forced = game.legal_moves_in(&view, role).len() == 1;
                let action = if is_forced || step < drawn {
                    game.random_move_in(&view, role, &mut luck)?
                } else if role.index() == seat {
                    self.spent += RATE * nodes;
                    self.rival.search(game, &state, role, &budget.clone().and_nodes(RATE * nodes)).action?
                } else {
                    self.spent += nodes;
                    tree.search(game, &state, role, &budget.clone().and_nodes(nodes)).action?
                };
                joint.push(action);
            }
            game.advance(&mut state, &joint);
        }
        Some(1)
    }
}

/// As in `9.5 of 10 trials`.
impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} trials", f64::from(self.points) / 2.0, self.matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_ends_as_soon_as_it_tells() {
        let trial = |points, matches| Trial { points, matches };
        for (points, matches, is_open, is_won) in [
            (0, 0, true, false),
            (10, 5, true, false),
            (12, 6, false, true),
            // More than a match lost: nine points are out of reach.
            (1, 2, false, false),
            (2, 2, true, false),
            (10, 6, true, false),
            (17, 9, true, false),
            (18, 10, false, true),
            (17, 10, false, false),
        ] {
            let trial = trial(points, matches);
            assert_eq!((trial.is_open(), trial.is_won()), (is_open, is_won), "{trial}");
        }
    }
}

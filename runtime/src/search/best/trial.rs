//! A trial of two searches before a match: which of them wins short matches of the game, with few nodes for each move.

use crate::{
    game::{Game, GameExt, Id},
    player::{Budget, Player},
    random::Stream,
    search::{AlphaBeta, Mcts, payoff::Payoff},
};
use std::fmt;

/// Matches, from both seats in turn, and the points that say something: one search in a hundred has so many against one that is as good.
const MATCHES: u32 = 10;
const CLEAR: u32 = 9;

/// Nodes for a move: those of a tree cost about ten times as much.
const NODES: u64 = 150;
const RIVAL_NODES: u64 = 10 * NODES;

/// A budget of less nodes is no time for a trial.
const WORTH: u64 = 1 << 18;

/// The longest match, and its moves that are drawn.
const LONGEST: usize = 200;
const DRAWN: usize = 2;

/// How matches of alpha-beta against random games in a tree came out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Trial {
    matches: u32,
    /// Twice the points of alpha-beta.
    points: u32,
}

impl Trial {
    /// Plays matches of two roles within a budget; none if that is too short. Alpha-beta keeps what it learns.
    pub(super) fn of<G: Game>(
        game: &G,
        seed: u64,
        rival: &mut AlphaBeta<G>,
        budget: &Budget,
    ) -> Option<Self> {
        if budget.nodes().is_some_and(|nodes| nodes < WORTH) {
            return None;
        }
        let first = game.roles().next()?;
        Player::start(rival, game, first, &budget.share(0.2, 0).and_nodes(WORTH / 8));
        let mut trial = Self::default();
        let mut spent = WORTH / 8;
        for number in 0..MATCHES {
            if budget.is_spent() || budget.nodes().is_some_and(|nodes| spent >= nodes) {
                break;
            }
            let mut tree = Mcts::new().seed(seed.wrapping_add(number.into())).memory(16 << 20);
            let Some(points) = play(game, number, seed, rival, &mut tree, budget, &mut spent) else { break };
            trial.matches += 1;
            trial.points += points;
        }
        Some(trial)
    }

    /// If alpha-beta is clearly better.
    pub(super) fn is_won(self) -> bool {
        self.matches == MATCHES && self.points >= 2 * CLEAR
    }
}

/// One match: twice the points of the rival. None if it was broken off.
fn play<G: Game>(
    game: &G,
    number: u32,
    seed: u64,
    rival: &mut AlphaBeta<G>,
    tree: &mut Mcts<G>,
    budget: &Budget,
    spent: &mut u64,
) -> Option<u32> {
    let seat = (number % 2) as usize;
    let mut luck = Stream::new(seed, u64::from(number / 2));
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
            let action = if is_forced || step < DRAWN {
                game.random_move_in(&view, role, &mut luck)?
            } else if role.index() == seat {
                *spent += RIVAL_NODES;
                rival.search(game, &state, role, &budget.clone().and_nodes(RIVAL_NODES)).action?
            } else {
                *spent += NODES;
                tree.search(game, &state, role, &budget.clone().and_nodes(NODES)).action?
            };
            joint.push(action);
        }
        game.advance(&mut state, &joint);
    }
    Some(1)
}

/// As in `7.5 of 10 trials`.
impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} trials", f64::from(self.points) / 2.0, self.matches)
    }
}

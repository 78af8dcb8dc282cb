//! The effect of the first move: the results of random games after each move of the initial state.
//!
//! At most `MAX_JOINTS` joint moves are played, each as often as the settings require. The work can
//! be cancelled between them.

use super::{Estimate, Many, Settings, play};
use crate::statistics::Z95;
use gdl_runtime::{Dynamic, Game, GameExt, dynamic::MoveId, game::Id};

/// The limits on the role's moves and on the joint moves that are compared.
const MAX_MOVES: usize = 512;
const MAX_JOINTS: usize = 4096;

/// The results of a role's moves in the initial state.
#[derive(Clone, Debug)]
pub struct Openings {
    /// The index of the role: the first one other than chance that has more than one move.
    pub role: usize,
    /// The number of random games after a move. With a time limit, the number after the move that
    /// comes last in the rules.
    pub playouts: u64,
    /// The moves, best first.
    pub moves: Vec<Opening>,
}

/// The result of a move in the initial state.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The move, as KIF text.
    pub action: String,
    /// The mean goal of the role after the move.
    pub goal: Estimate,
}

impl Openings {
    /// Plays `each` random games after each move, in parts of `part` games, or as many as fit into
    /// `seconds`. Returns `None` if cancelled, if no role has a choice, or if there are too many
    /// joint moves.
    pub(super) fn play(
        game: &Dynamic,
        settings: &Settings,
        [each, part]: [u64; 2],
        seconds: Option<f64>,
    ) -> Option<Self> {
        let start = game.initial();
        let view = game.view(&start);
        if game.is_terminal_in(&view) {
            return None;
        }
        let role = game
            .roles()
            .filter(|&role| Some(role) != game.chance_role())
            .find(|&role| game.legal_moves_in(&view, role).len() > 1)?;
        let own: Vec<MoveId> = game.legal_moves_in(&view, role).collect();
        // The other roles choose uniformly at random: each combination of their moves is played
        // equally often.
        let mut joints: Vec<Vec<MoveId>> = vec![Vec::new()];
        for other in game.roles().filter(|&other| other != role) {
            let moves: Vec<MoveId> = game.legal_moves_in(&view, other).collect();
            if joints.len() * moves.len() * own.len() > MAX_JOINTS {
                return None;
            }
            joints = joints
                .iter()
                .flat_map(|joint| moves.iter().map(move |&action| [&joint[..], &[action]].concat()))
                .collect();
        }
        if own.len() > MAX_MOVES || joints.is_empty() {
            return None;
        }
        let share = each.div_ceil(joints.len() as u64);
        let time = seconds.map(|seconds| seconds / (own.len() * joints.len()) as f64);
        let mut played = 0;
        let mut moves: Vec<Opening> = Vec::new();
        for &action in &own {
            let (mut mean, mut variance, mut scored) = (0.0, 0.0, 0_u32);
            played = 0;
            for others in &joints {
                let mut joint = others.clone();
                joint.insert(role.index(), action);
                let state = game.apply_unchecked(&start, &joint);
                let many = time.map_or(Many::Games { count: share, part }, Many::Seconds);
                let stats = play(game, settings, Some(&state), many)?;
                played += stats.tally.playouts;
                if stats.tally.scored() > 0 {
                    mean += stats.mean_goal(role.index());
                    variance += stats.goal_error(role.index()).powi(2);
                    scored += 1;
                }
            }
            if scored > 0 {
                let n = f64::from(scored);
                let goal = Estimate::new(mean / n, variance.sqrt() / n);
                moves.push(Opening { action: game.move_text(action).to_owned(), goal });
            }
        }
        // The sort is stable: equal moves stay in the order of the rules.
        moves.sort_by(|a, b| b.goal.mean.total_cmp(&a.goal.mean));
        (!moves.is_empty()).then_some(Self { role: role.index(), playouts: played, moves })
    }

    /// Returns the mean goal of the best move minus that of the worst one.
    #[must_use]
    pub fn spread(&self) -> f64 {
        match (self.moves.first(), self.moves.last()) {
            (Some(best), Some(worst)) => best.goal.mean - worst.goal.mean,
            _ => 0.0,
        }
    }

    /// Returns the standard deviation of the moves' mean goals in points, without the part that is
    /// sampling error.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let n = self.moves.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = self.moves.iter().map(|opening| opening.goal.mean).sum::<f64>() / n;
        let seen =
            self.moves.iter().map(|opening| (opening.goal.mean - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = |goal: Estimate| (goal.interval[1] - goal.mean) / Z95;
        let chance = self.moves.iter().map(|opening| error(opening.goal).powi(2)).sum::<f64>() / n;
        (seen - chance).max(0.0).sqrt()
    }
}

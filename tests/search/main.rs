//! Players and their parts. Searches agree with exhaustive search, solutions are right, beliefs
//! follow play, and equal seeds give equal moves.

mod information;
mod mcts;
mod minimax;
mod players;
mod solve;

use gdl_runtime::gdl;

gdl!("rulesheets/circles.kif");

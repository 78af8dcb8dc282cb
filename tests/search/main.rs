//! Players and what they are made of: searches find what plain search finds, solutions are right,
//! beliefs follow play, and the same seed makes the same moves.

mod information;
mod mcts;
mod minimax;
mod players;
mod solve;

use gdl_runtime::gdl;

gdl!("rulesheets/circles.kif");

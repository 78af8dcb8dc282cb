//! Games played in the plainest way that anybody could check by reading: arrays, loops, and a list
//! of the positions that can follow. They share no code with the compiler, with the rulesheets or
//! with the loops in the benchmarks, and are the oracle for tests that count positions.

pub mod breakthrough;
pub mod checkers;
pub mod connect_four;
pub mod liars_dice;
pub mod monty_hall;
pub mod pentago;
pub mod reversi;
pub mod tictactoe;

/// A position of a game in which two players take turns, with moves that have the names of the rulesheet's.
pub trait Position: Clone {
    /// The legal moves and what follows; none once the game is over.
    fn moves(&self) -> Vec<(String, Self)>;
    /// The player in turn, 0 or 1.
    fn to_move(&self) -> usize;
    /// The players' goals, if the game is over.
    fn goals(&self) -> [u8; 2];

    /// What follows, whatever the moves are called.
    fn successors(&self) -> Vec<Self> {
        self.moves().into_iter().map(|(_, next)| next).collect()
    }
}

/// Counts the legal move sequences of each length from 1 to `depth`.
///
/// `list_successors` gives one position for each legal move, and none once the game is over.
fn count_sequences<P>(position: &P, depth: u32, list_successors: &impl Fn(&P) -> Vec<P>) -> Vec<u64> {
    let mut counts = vec![0; depth as usize];
    if let Some((first, later)) = counts.split_first_mut() {
        for successor in list_successors(position) {
            *first += 1;
            let below = count_sequences(&successor, depth - 1, list_successors);
            for (count, below) in later.iter_mut().zip(below) {
                *count += below;
            }
        }
    }
    counts
}

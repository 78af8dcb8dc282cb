//! Games played in the plainest way that anybody could check by reading: arrays, loops, and a list
//! of the positions that can follow. They share no code with the compiler, with the rulesheets or
//! with the loops in the benchmarks, and are the oracle for tests that count positions.

pub mod breakthrough;
pub mod connect_four;
pub mod liars_dice;
pub mod monty_hall;
pub mod reversi;
pub mod tictactoe;

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

//! Games written as plainly as possible, so that they can be checked by reading: arrays, loops and
//! lists of successors. They share no code with the compiler, the rulesheets or the benchmarks'
//! loops, and serve as the oracle of tests that count positions.

pub mod amazons;
pub mod battleship;
pub mod breakthrough;
pub mod checkers;
pub mod chinese_checkers;
pub mod connect_four;
pub mod dots_and_boxes;
pub mod draughts;
pub mod eight_puzzle;
pub mod go;
pub mod gomoku;
pub mod goofspiel;
pub mod hex;
pub mod kalah;
pub mod knights_tour;
pub mod kuhn_poker;
pub mod leduc_poker;
pub mod liars_dice;
pub mod monty_hall;
pub mod nine_mens_morris;
pub mod peg_solitaire;
pub mod pentago;
pub mod phantom_tictactoe;
pub mod pig;
pub mod pocket_cube;
pub mod quarto;
pub mod reversi;
pub mod sokoban;
pub mod sudoku;
pub mod tictactoe;
pub mod towers_of_hanoi;
pub mod ultimate_tictactoe;
pub mod xiangqi;
pub mod yavalath;

/// A position of a game, whose moves are named as in the rulesheet.
///
/// In each step, one role has a choice, and all others make the move `noop`. Simultaneous choices
/// are made one after the other, unseen by the other players.
pub trait Position: Clone {
    /// The legal moves with the position after each; empty once the game is over.
    fn moves(&self) -> Vec<(String, Self)>;
    /// The role to move, as an index. Chance counts as a role.
    fn to_move(&self) -> usize;
    /// The goals of the players, without chance; empty if the game is not over.
    fn goals(&self) -> Vec<u8>;

    /// Returns whether other roles still choose in the same step, in games with simultaneous moves.
    fn is_within_step(&self) -> bool {
        false
    }

    /// The percepts of each player in the last step; `None` if every player sees all moves.
    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        None
    }

    /// The successors, without the moves' names.
    fn successors(&self) -> Vec<Self> {
        self.moves().into_iter().map(|(_, next)| next).collect()
    }
}

/// The goals of two players: 100 for a winner, 0 for the loser, 50 each without a winner.
fn goals_of(winner: Option<usize>) -> Vec<u8> {
    match winner {
        Some(0) => vec![100, 0],
        Some(_) => vec![0, 100],
        None => vec![50, 50],
    }
}

/// The orthogonal neighbours of a cell in a grid.
fn neighbours((x, y): (usize, usize), columns: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    // The column before the first wraps to a huge number, which is outside the grid.
    let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
    around.into_iter().filter(move |&(x, y)| x < columns && y < rows)
}

/// Counts the arrangements at distance 0, 1, 2 and so on from `start`, up to `depth` or the last
/// layer.
fn count_layers<P: Clone + Eq + std::hash::Hash>(
    start: P,
    depth: usize,
    list_successors: impl Fn(&P) -> Vec<P>,
) -> Vec<u64> {
    let mut seen = std::collections::HashSet::from([start.clone()]);
    let mut layer = vec![start];
    let mut counts = Vec::new();
    while !layer.is_empty() {
        counts.push(layer.len() as u64);
        if counts.len() > depth {
            break;
        }
        let next = layer.iter().flat_map(&list_successors);
        layer = next.filter(|arrangement| seen.insert(arrangement.clone())).collect();
    }
    counts
}

/// Counts the legal move sequences of each length from 1 to `depth`.
///
/// `list_successors` returns one position for each legal move, and none once the game is over.
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

//! Games played in the plainest way that anybody could check by reading: arrays, loops, and a list
//! of the positions that can follow. They share no code with the compiler, with the rulesheets or
//! with the loops in the benchmarks, and are the oracle for tests that count positions.

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

/// A position of a game, with moves that have the names of the rulesheet's. In each step one role
/// has a choice, a player or chance, and all others make the move `noop`; or several choose one
/// after the other, unseen.
pub trait Position: Clone {
    /// The legal moves and what follows; none once the game is over.
    fn moves(&self) -> Vec<(String, Self)>;
    /// The role in turn.
    fn to_move(&self) -> usize;
    /// The players' goals, if the game is over, and none of chance.
    fn goals(&self) -> Vec<u8>;

    /// Returns whether others still choose in the same step, where moves are made at the same time.
    fn is_within_step(&self) -> bool {
        false
    }

    /// The percepts of each player in the last step; `None` where all see all moves.
    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        None
    }

    /// The successors, whatever the moves are called.
    fn successors(&self) -> Vec<Self> {
        self.moves().into_iter().map(|(_, next)| next).collect()
    }
}

/// The goals of two players of whom one may have won.
fn goals_of(winner: Option<usize>) -> Vec<u8> {
    match winner {
        Some(0) => vec![100, 0],
        Some(_) => vec![0, 100],
        None => vec![50, 50],
    }
}

/// The neighbours of a cell in a grid of that size, upright and level.
fn neighbours((x, y): (usize, usize), columns: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    // One column left of the first is a very large number.
    let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
    around.into_iter().filter(move |&(x, y)| x < columns && y < rows)
}

/// Counts the arrangements that are first reached after 0, 1, 2 and more moves, as long as there
/// are some and up to `depth`.
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

//! A solver of connect four: alpha-beta search over bitboards with a transposition table, which
//! tries wins and forced moves first.
//!
//! Positions need a dozen discs: from the initial position the search takes hours.

use crate::hand::connect_four::{HIGHEST, LOWEST, drop_disc, has_line};

/// A position: the discs of the player to move, and those of the opponent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Board {
    mine: u64,
    theirs: u64,
}

/// The columns in search order, from the middle outwards.
const ORDER: [u32; 7] = [3, 2, 4, 1, 5, 0, 6];

/// The lowest cells, and all cells.
const BOTTOM: u64 = HIGHEST >> 5;
const CELLS: u64 = 0x3f * BOTTOM;

/// The number of entries of the transposition table.
const PLACES: usize = 1 << 22;

impl Board {
    fn taken(self) -> u64 {
        self.mine | self.theirs
    }

    /// The columns that are not full.
    pub(super) fn open(self) -> impl Iterator<Item = u32> {
        ORDER.into_iter().filter(move |&column| self.taken() & HIGHEST & (0x3f << (7 * column)) == 0)
    }

    fn disc(self, column: u32) -> u64 {
        drop_disc(self.taken(), LOWEST[column as usize])
    }

    /// The position after a disc in a column.
    pub(super) fn after(self, column: u32) -> Self {
        Self { mine: self.theirs, theirs: self.mine | self.disc(column) }
    }

    /// Returns whether the opponent has a line.
    pub(super) fn is_lost(self) -> bool {
        has_line(self.theirs)
    }

    /// Returns whether either player could complete a line with the next disc.
    pub(super) fn is_tense(self) -> bool {
        self.open().any(|column| {
            has_line(self.mine | self.disc(column)) || has_line(self.theirs | self.disc(column))
        })
    }

    /// The cells where the next disc can fall.
    fn cells(self) -> u64 {
        (self.taken() + BOTTOM) & CELLS
    }

    /// The cells that complete a line of the given discs.
    fn lines(self, discs: u64) -> u64 {
        let upright = discs << 1 & discs << 2 & discs << 3;
        let lines = [6, 7, 8].into_iter().fold(upright, |lines, step| {
            let (below, above) = (discs << step & discs << (2 * step), discs >> step & discs >> (2 * step));
            let ends = below & discs << (3 * step) | above & discs >> (3 * step);
            lines | ends | below & discs >> step | above & discs << step
        });
        lines & CELLS & !self.taken()
    }

    /// A unique key of a position: a bit above the top disc of each column, and the own discs below
    /// it.
    fn key(self) -> u64 {
        self.mine + self.taken() + BOTTOM
    }
}

/// A solver that stores the values of positions in a table.
pub(super) struct Solver {
    /// The entries: a key, with the lower and upper bound of the value.
    known: Vec<(u64, i8, i8)>,
}

impl Solver {
    pub(super) fn new() -> Self {
        Self { known: vec![(0, -1, 1); PLACES] }
    }

    /// The value: 1 if the player to move wins, 0 for a draw, -1 if the opponent wins.
    pub(super) fn value(&mut self, board: Board) -> i8 {
        if board.is_lost() { -1 } else { self.search(board, -1, 1) }
    }

    /// The value if it is between `least` and `most`, otherwise a bound of it. Neither player has a
    /// line yet.
    fn search(&mut self, board: Board, mut least: i8, mut most: i8) -> i8 {
        let (cells, lines, threats) = (board.cells(), board.lines(board.mine), board.lines(board.theirs));
        if cells & lines != 0 {
            return 1;
        }
        let forced = cells & threats;
        if forced & forced.wrapping_sub(1) != 0 {
            // One move cannot stop two lines.
            return -1;
        }
        // No player wants to play first below a cell that completes the opponent's line.
        let allowed = if forced == 0 { cells } else { forced } & !(threats >> 1);
        if allowed == 0 {
            return if cells == 0 { 0 } else { -1 };
        }
        let key = board.key();
        let place = (key % (PLACES as u64 - 3)) as usize;
        let known = self.known[place];
        if known.0 == key {
            (least, most) = (least.max(known.1), most.min(known.2));
            if least >= most {
                return if known.1 >= most { known.1 } else { known.2 };
            }
        }
        let (low, mut best) = (least, -1);
        // Moves that create the most threats are tried first.
        let (mut moves, mut count) = ([(0, 0); 7], 0);
        for column in ORDER {
            let disc = allowed & 0x3f << (7 * column);
            if disc != 0 {
                moves[count] = (board.lines(board.mine | disc).count_ones(), disc);
                count += 1;
            }
        }
        moves[..count].sort_by_key(|&(threats, _)| std::cmp::Reverse(threats));
        for &(_, disc) in &moves[..count] {
            let next = Board { mine: board.theirs, theirs: board.mine | disc };
            best = best.max(-self.search(next, -most, -least));
            least = least.max(best);
            if least >= most {
                break;
            }
        }
        let (from, to) = if known.0 == key { (known.1, known.2) } else { (-1, 1) };
        self.known[place] = if best >= most {
            (key, best.max(from), to)
        } else if best <= low {
            (key, from, best.min(to))
        } else {
            (key, best, best)
        };
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::chance::Stream;

    /// The value by exhaustive search.
    fn plain(board: Board) -> i8 {
        if board.is_lost() {
            return -1;
        }
        board.open().map(|column| -plain(board.after(column))).max().unwrap_or(0)
    }

    #[test]
    fn values_are_those_of_plain_search() {
        let mut solver = Solver::new();
        let mut seen = [0; 3];
        for seed in 0..1000 {
            let mut stream = Stream::new(seed, 0);
            let mut board = Board::default();
            for _ in 0..32 {
                let open: Vec<u32> = board.open().collect();
                let next = board.after(open[stream.below(open.len() as u64) as usize]);
                if next.is_lost() {
                    break;
                }
                board = next;
            }
            if board.taken().count_ones() == 32 {
                let value = plain(board);
                assert_eq!(solver.value(board), value, "{board:?}");
                seen[usize::from(value >= 0) + usize::from(value > 0)] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }
}

//! Breakthrough on a board of four to eight cells a side, with two rows of pieces each. A piece
//! moves one row forward: straight or diagonally to an empty cell, or diagonally onto an enemy,
//! which it captures. A player wins by reaching the last row or by capturing every piece.
//!
//! A row is eight bits of a word for every board size. Counting the moves of a position and finding
//! one by its rank would be a long chain of dependent operations. Instead, a move is drawn among
//! all pieces and directions, and drawn again if it is illegal; this is equally uniform. About
//! three in five draws are legal, so two are drawn at a time. Besides its cells, each player has an
//! array of its pieces' squares. Each occupied square stores the index of its piece in that array,
//! the slot. So the last piece of the array can take the slot of a captured piece.
//!
//! The benchmark measures a game of many pieces, whose moves depend on both players' cells.

use super::{Outcome, below_each};

/// Plays one game on a board of `SIDE` by `SIDE` cells.
#[inline]
pub fn playout<const SIDE: usize>(rng: &mut impl FnMut() -> u64) -> Outcome {
    let mut white = const { Pieces::new(SIDE, Colour::White) };
    let mut black = const { Pieces::new(SIDE, Colour::Black) };
    let mut slots = const { fill_slots(SIDE) };
    let mut length = 0;
    loop {
        length += 1;
        if advance::<SIDE, true>(rng, &mut white, &mut black, &mut slots) {
            return Outcome::won_at(length);
        }
        length += 1;
        if advance::<SIDE, false>(rng, &mut black, &mut white, &mut slots) {
            return Outcome::won_at(length);
        }
    }
}

/// Makes one move, and returns whether it wins.
///
/// The foremost piece can always move diagonally, so the draw terminates.
#[inline]
fn advance<const SIDE: usize, const UP: bool>(
    rng: &mut impl FnMut() -> u64,
    mine: &mut Pieces,
    theirs: &mut Pieces,
    slots: &mut [u8; 64],
) -> bool {
    let targets = if UP {
        const { &find_targets(SIDE, Colour::White) }
    } else {
        const { &find_targets(SIDE, Colour::Black) }
    };
    let try_move = |slot: u64, way: u64| {
        let (slot, way) = (slot as usize & 15, way as usize & 3);
        let from = mine.squares[slot];
        let blocked = mine.cells | (theirs.cells & BLOCKED_BY_ENEMY[way]);
        (slot, way, targets[usize::from(from) & 63][way] & !blocked)
    };

    let (slot, way, target) = loop {
        let choices = below_each(rng, [mine.count, 3, mine.count, 3]);
        let first = try_move(choices[0], choices[1]);
        let second = try_move(choices[2], choices[3]);
        // An index instead of a condition, which would become an unpredictable branch.
        let chosen = [first, second][usize::from(first.2 == 0)];
        if chosen.2 != 0 {
            break chosen;
        }
    };

    let from = mine.squares[slot];
    let step = 7 + way as u8;
    let to = if UP { from + step } else { from - step };
    mine.cells ^= target | 1 << from;
    mine.squares[slot] = to;
    if theirs.cells & target != 0 {
        theirs.cells ^= target;
        theirs.count -= 1;
        if theirs.count == 0 {
            return true;
        }
        let freed = slots[usize::from(to) & 63];
        let last = theirs.squares[theirs.count as usize & 15];
        theirs.squares[usize::from(freed) & 15] = last;
        slots[usize::from(last) & 63] = freed;
    }
    slots[usize::from(to) & 63] = slot as u8;
    if UP { usize::from(to) >= 8 * (SIDE - 1) } else { to < 8 }
}

#[derive(Clone, Copy)]
enum Colour {
    White,
    Black,
}

/// The pieces of one player on the board.
struct Pieces {
    /// The cells of the pieces.
    cells: u64,
    /// The squares of the pieces in no order; only the first `count` are valid.
    squares: [u8; 16],
    count: u64,
}

impl Pieces {
    /// Places two rows of pieces.
    const fn new(side: usize, colour: Colour) -> Self {
        assert!(side >= 4 && side <= 8, "two rows each, within 64 cells");
        let mut pieces = Self { cells: 0, squares: [0; 16], count: 2 * side as u64 };
        let mut slot = 0;
        while slot < 2 * side {
            let row = match colour {
                Colour::White => slot / side,
                Colour::Black => side - 1 - slot / side,
            };
            let square = 8 * row + slot % side;
            pieces.cells |= 1 << square;
            pieces.squares[slot] = square as u8;
            slot += 1;
        }
        pieces
    }
}

/// The slot of the piece on each square of the initial position.
const fn fill_slots(side: usize) -> [u8; 64] {
    let players = [Pieces::new(side, Colour::White), Pieces::new(side, Colour::Black)];
    let mut slots = [0; 64];
    let mut slot = 0;
    while slot < 2 * side {
        slots[players[0].squares[slot] as usize] = slot as u8;
        slots[players[1].squares[slot] as usize] = slot as u8;
        slot += 1;
    }
    slots
}

/// The target cell of each direction from each square; zero outside the board.
///
/// Directions are numbered so that a step is 7 squares plus the direction's number, up or down.
const fn find_targets(side: usize, colour: Colour) -> [[u64; 4]; 64] {
    let mut targets = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let (row, column) = (square / 8, square % 8);
        let mut way = 0;
        while row < side && column < side && way < 3 {
            // Both are one too large, so that they do not fall below zero.
            let (row, column) = match colour {
                Colour::White => (row + 2, column + way),
                Colour::Black => (row, column + 2 - way),
            };
            if row > 0 && row <= side && column > 0 && column <= side {
                targets[square][way] = 1 << (8 * (row - 1) + column - 1);
            }
            way += 1;
        }
        square += 1;
    }
    targets
}

/// The cells where an enemy blocks each direction: all of them straight ahead.
const BLOCKED_BY_ENEMY: [u64; 4] = [0, u64::MAX, 0, 0];

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_those_of_plain_arrays() {
        // The means of 0.4 and 1.3 million games of a player that lists its moves from a plain
        // array.
        check_means(|mut rng| super::playout::<8>(&mut rng), 64.09, 50.82);
        check_means(|mut rng| super::playout::<6>(&mut rng), 28.100, 51.52);
    }
}

//! Reversi on 8x8: a disc is placed so that it and another of the player's enclose enemies in a
//! row; these are turned over. A player who cannot place passes, which counts as a move; the game
//! ends when neither can place, and more discs win.
//!
//! The legal cells are found for the whole board at once. From the player's discs, runs of enemies
//! grow in the eight directions, first by one, then by two cells at a time, and the cell after a
//! run is legal if empty. To the right a carry does all of that in one addition. The discs to turn
//! are found one ray at a time. The first cell on it that is no enemy is the lowest bit of the rest
//! of the ray, if the ray rises. For the rays that fall, the board is turned upside down, which is
//! one instruction.
//!
//! What is measured is a game of much arithmetic and few decisions.

use super::{Outcome, pick};

/// Plays one game.
#[inline]
pub fn playout(rng: &mut impl FnMut() -> u64) -> Outcome {
    let mut mine: u64 = 1 << 28 | 1 << 35;
    let mut theirs: u64 = 1 << 27 | 1 << 36;
    let mut length = 0;
    let mut first_to_move = true;
    let mut legal = find_legal(mine, theirs);
    loop {
        let cell = pick(rng, legal);
        let turned = find_turned(mine, theirs, cell);
        (mine, theirs) = (theirs ^ turned, mine ^ turned ^ (1 << cell));
        first_to_move = !first_to_move;
        length += 1;
        legal = find_legal(mine, theirs);
        if legal == 0 {
            legal = find_legal(theirs, mine);
            if legal == 0 {
                break;
            }
            (mine, theirs) = (theirs, mine);
            first_to_move = !first_to_move;
            length += 1;
        }
    }
    if !first_to_move {
        (mine, theirs) = (theirs, mine);
    }
    Outcome::compared(length, mine.count_ones(), theirs.count_ones())
}

/// Finds the empty cells where a disc would enclose enemies.
#[inline]
pub(crate) fn find_legal(mine: u64, theirs: u64) -> u64 {
    let inner = theirs & INNER;
    let mut ends = inner + ((mine << 1) & inner);
    ends |= run_down::<1>(mine, inner, inner & (inner << 1)) >> 1;
    ends |= grow_both::<7>(mine, inner);
    ends |= grow_both::<8>(mine, theirs);
    ends |= grow_both::<9>(mine, inner);
    ends & !(mine | theirs)
}

/// Finds the cells next to runs of enemies, upwards and downwards along one line.
#[inline]
fn grow_both<const STEP: u32>(mine: u64, theirs: u64) -> u64 {
    let pairs = theirs & (theirs << STEP);
    let mut run = (mine << STEP) & theirs;
    run |= (run << STEP) & theirs;
    run |= (run << (2 * STEP)) & pairs;
    run |= (run << (2 * STEP)) & pairs;
    (run << STEP) | (run_down::<STEP>(mine, theirs, pairs) >> STEP)
}

/// Finds the runs of enemies below the player's discs, given the upper cells of all pairs of
/// enemies.
#[inline]
fn run_down<const STEP: u32>(mine: u64, theirs: u64, pairs: u64) -> u64 {
    let pairs = pairs >> STEP;
    let mut run = (mine >> STEP) & theirs;
    run |= (run >> STEP) & theirs;
    run |= (run >> (2 * STEP)) & pairs;
    run | ((run >> (2 * STEP)) & pairs)
}

/// Finds the enemies that a disc on `cell` encloses.
#[inline]
pub(crate) fn find_turned(mine: u64, theirs: u64, cell: u32) -> u64 {
    let [right, rising @ ..] = &RAYS[cell as usize & 63];
    let [_, falling @ ..] = &RAYS[(cell ^ 0o70) as usize & 63];
    let (mine_flipped, theirs_flipped) = (mine.swap_bytes(), theirs.swap_bytes());
    let mut turned = enclose(mine, theirs, *right) | enclose_left(mine, theirs, cell);
    let mut turned_flipped = 0;
    for (&up, &down) in rising.iter().zip(falling) {
        turned |= enclose(mine, theirs, up);
        turned_flipped |= enclose(mine_flipped, theirs_flipped, down);
    }
    turned | turned_flipped.swap_bytes()
}

/// Finds the enemies enclosed on a ray towards higher cells.
#[inline]
fn enclose(mine: u64, theirs: u64, ray: u64) -> u64 {
    let others = ray & !theirs;
    let end = others & others.wrapping_neg() & mine;
    // Take one from the end to get all cells below it, but take nothing if it is no cell at all:
    // the top bit of its negative says so without a branch.
    (end - (end.wrapping_neg() >> 63)) & ray
}

/// Finds the enemies enclosed to the left, the one direction that is not rising either way up.
#[inline]
fn enclose_left(mine: u64, theirs: u64, cell: u32) -> u64 {
    let inner = theirs & INNER;
    let run = run_down::<1>(1 << cell, inner, inner & (inner << 1));
    let enclosed = (run >> 1) & mine != 0;
    run & u64::from(enclosed).wrapping_neg()
}

/// All columns but the outer two: a run enclosed sideways cannot hold a cell of those, and without
/// them no run goes on in the next row.
const INNER: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The cells to the right of, above left of, above, and above right of each cell.
static RAYS: [[u64; 4]; 64] = {
    let steps = [(0, 1), (1, -1), (1, 0), (1, 1)];
    let mut rays = [[0; 4]; 64];
    let mut cell = 0;
    while cell < 64 {
        let mut way = 0;
        while way < 4 {
            let (mut row, mut column) = (cell as i32 / 8, cell as i32 % 8);
            row += steps[way].0;
            column += steps[way].1;
            while row < 8 && column >= 0 && column < 8 {
                rays[cell][way] |= 1 << (8 * row + column);
                row += steps[way].0;
                column += steps[way].1;
            }
            way += 1;
        }
        cell += 1;
    }
    rays
};

#[cfg(test)]
mod tests {
    use super::super::tests::check_means;

    #[test]
    fn means_are_those_of_plain_arrays() {
        // Means over 0.4 million games of a player that lists its moves from a plain array.
        check_means(|mut rng| super::playout(&mut rng), 60.4105, 47.49);
    }
}

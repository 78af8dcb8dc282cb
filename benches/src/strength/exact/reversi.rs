//! A solver of reversi positions with a dozen empty cells, by plain alpha-beta search.

use crate::hand::reversi::{find_legal, find_turned};

/// A position: the discs of the player to move, and those of the opponent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board {
    mine: u64,
    theirs: u64,
}

impl Default for Board {
    fn default() -> Self {
        Self { mine: 1 << 28 | 1 << 35, theirs: 1 << 27 | 1 << 36 }
    }
}

impl Board {
    pub(super) fn empty(self) -> u32 {
        64 - (self.mine | self.theirs).count_ones()
    }

    /// Returns whether neither player can place a disc.
    pub(super) fn is_over(self) -> bool {
        find_legal(self.mine, self.theirs) == 0 && find_legal(self.theirs, self.mine) == 0
    }

    /// The cells where a disc can be placed, or `None` for a pass.
    pub(super) fn moves(self) -> impl Iterator<Item = Option<u32>> {
        let mut cells = find_legal(self.mine, self.theirs);
        let mut passes = cells == 0;
        std::iter::from_fn(move || {
            if cells == 0 {
                return std::mem::take(&mut passes).then_some(None);
            }
            let cell = cells.trailing_zeros();
            cells &= cells - 1;
            Some(Some(cell))
        })
    }

    /// The position after placing a disc, or after a pass.
    pub(super) fn after(self, cell: Option<u32>) -> Self {
        let Some(cell) = cell else { return Self { mine: self.theirs, theirs: self.mine } };
        let turned = find_turned(self.mine, self.theirs, cell);
        Self { mine: self.theirs ^ turned, theirs: self.mine ^ turned | 1 << cell }
    }

    /// The value: 1 if the player to move ends with more discs, 0 for a tie, otherwise -1. Outside
    /// `least` to `most` it is only a bound.
    pub(super) fn value(self, mut least: i8, most: i8) -> i8 {
        if self.is_over() {
            return self.mine.count_ones().cmp(&self.theirs.count_ones()) as i8;
        }
        let mut best = -1;
        for cell in self.moves() {
            best = best.max(-self.after(cell).value(-most, -least));
            least = least.max(best);
            if least >= most {
                break;
            }
        }
        best
    }
}

//! Nine men's morris. Points are numbered clockwise around each of the three squares, from the
//! lower left corner.

use super::Position;

/// The men on the board, in hand and lost, and whether a mill was just closed.
#[derive(Clone)]
pub struct Board {
    /// The player of each man, by square from the outermost and by place on it.
    men: [[Option<usize>; 8]; 3],
    hand: [usize; 2],
    lost: [usize; 2],
    closed: bool,
    quiet: u32,
    to_move: usize,
}

type Point = (usize, usize);

impl Default for Board {
    fn default() -> Self {
        Self { men: Default::default(), hand: [9; 2], lost: [0; 2], closed: false, quiet: 0, to_move: 0 }
    }
}

fn points() -> impl Iterator<Item = Point> {
    (0..3).flat_map(|square| (0..8).map(move |place| (square, place)))
}

/// The name of a point: its column and row.
fn name((square, place): Point) -> String {
    let (right, up) = [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)][place];
    let size = 3 - square as i32;
    format!("{} {}", 4 + right * size, 4 + up * size)
}

fn are_joined(a: Point, b: Point) -> bool {
    let around = (a.1 + 1) % 8 == b.1 || (b.1 + 1) % 8 == a.1;
    (a.0 == b.0 && around) || (a.1 == b.1 && a.1 % 2 == 1 && a.0.abs_diff(b.0) == 1)
}

impl Board {
    fn at(&self, (square, place): Point) -> Option<usize> {
        self.men[square][place]
    }

    /// Returns whether a man of the player on a point would be in a mill.
    fn is_mill(&self, (square, place): Point, player: usize) -> bool {
        let all = |points: [Point; 3]| points.into_iter().all(|point| self.at(point) == Some(player));
        let side = |corner: usize| all([0, 1, 2].map(|step| (square, (corner + step) % 8)));
        if place % 2 == 1 {
            side(place - 1) || all([0, 1, 2].map(|square| (square, place)))
        } else {
            side(place) || side((place + 6) % 8)
        }
    }

    /// The position after a man of the player to move arrives on a point.
    fn arrived(mut self, point: Point) -> Self {
        self.men[point.0][point.1] = Some(self.to_move);
        if self.is_mill(point, self.to_move) {
            self.closed = true;
        } else {
            self.to_move = 1 - self.to_move;
        }
        self
    }

    fn possible(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        let me = self.to_move;
        let empty = || points().filter(|&point| self.at(point).is_none());
        if self.closed {
            let theirs = || points().filter(|&point| self.at(point) == Some(1 - me));
            let all = theirs().all(|point| self.is_mill(point, 1 - me));
            for point in theirs().filter(|&point| all || !self.is_mill(point, 1 - me)) {
                let mut next = Self { closed: false, quiet: 0, to_move: 1 - me, ..self.clone() };
                next.men[point.0][point.1] = None;
                next.lost[1 - me] += 1;
                moves.push((format!("(remove {})", name(point)), next));
            }
        } else if self.hand[me] > 0 {
            for point in empty() {
                let mut next = Self { quiet: 0, ..self.clone() };
                next.hand[me] -= 1;
                moves.push((format!("(place {})", name(point)), next.arrived(point)));
            }
        } else {
            for from in points().filter(|&point| self.at(point) == Some(me)) {
                for to in empty().filter(|&to| self.lost[me] == 6 || are_joined(from, to)) {
                    let mut next = Self { quiet: self.quiet + 1, ..self.clone() };
                    next.men[from.0][from.1] = None;
                    moves.push((format!("(move {} {})", name(from), name(to)), next.arrived(to)));
                }
            }
        }
        moves
    }

    fn loser(&self) -> Option<usize> {
        let few = (0..2).find(|&player| self.lost[player] == 7);
        few.or_else(|| self.possible().is_empty().then_some(self.to_move))
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.loser().is_some() || self.quiet == 100 { Vec::new() } else { self.possible() }
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.loser().map(|loser| 1 - loser))
    }
}

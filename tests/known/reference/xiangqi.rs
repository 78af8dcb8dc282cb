//! Xiangqi. Moves are generated without regard to check, then dropped if the own king could be
//! captured.

use super::Position;

type Point = (i32, i32);

const ALONG: [Point; 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const ASLANT: [Point; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// The pieces, the player to move and the number of quiet moves.
#[derive(Clone)]
pub struct Board {
    /// The ranks from red's side. Red's pieces are lower case.
    ranks: [[char; 9]; 10],
    to_move: usize,
    quiet: u32,
}

impl Default for Board {
    fn default() -> Self {
        let ranks = [
            "rheakaehr",
            ".........",
            ".c.....c.",
            "p.p.p.p.p",
            ".........",
            ".........",
            "P.P.P.P.P",
            ".C.....C.",
            ".........",
            "RHEAKAEHR",
        ];
        let ranks = ranks.map(|rank| std::array::from_fn(|x| rank.chars().nth(x).unwrap_or('.')));
        Self { ranks, to_move: 0, quiet: 0 }
    }
}

impl Board {
    /// The piece on a point; `None` outside the board.
    fn at(&self, (x, y): Point) -> Option<char> {
        self.ranks.get(usize::try_from(y).ok()?)?.get(usize::try_from(x).ok()?).copied()
    }

    fn set(&mut self, (x, y): Point, piece: char) {
        if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
            self.ranks[y][x] = piece;
        }
    }

    fn is_of(piece: char, player: usize) -> bool {
        if player == 0 { piece.is_ascii_lowercase() } else { piece.is_ascii_uppercase() }
    }

    fn is_palace((x, y): Point, player: usize) -> bool {
        (3..=5).contains(&x) && if player == 0 { y <= 2 } else { y >= 7 }
    }

    /// The points where a piece can move or capture, ignoring own pieces and check.
    fn targets(&self, from: Point, player: usize) -> Vec<Point> {
        let add = |(x, y): Point, (right, up): Point, times: i32| (x + right * times, y + up * times);
        let kind = self.at(from).unwrap_or('.').to_ascii_lowercase();
        let is_home = |y: i32| if player == 0 { y <= 4 } else { y >= 5 };
        let mut targets = Vec::new();
        match kind {
            'k' => {
                let steps = ALONG.map(|way| add(from, way, 1));
                targets.extend(steps.into_iter().filter(|&to| Self::is_palace(to, player)));
                // The facing king on an open file counts as a target, which forbids facing kings.
                let up = if player == 0 { (0, 1) } else { (0, -1) };
                let seen = (1..10).map(|times| add(from, up, times)).find(|&to| self.at(to) != Some('.'));
                targets.extend(seen.filter(|&to| matches!(self.at(to), Some('k' | 'K'))));
            }
            'a' => {
                let steps = ASLANT.map(|way| add(from, way, 1));
                targets.extend(steps.into_iter().filter(|&to| Self::is_palace(to, player)));
            }
            'e' => {
                let open = ASLANT.into_iter().filter(|&way| self.at(add(from, way, 1)) == Some('.'));
                targets.extend(open.map(|way| add(from, way, 2)).filter(|to| is_home(to.1)));
            }
            'h' => {
                for (right, up) in ALONG {
                    let leg = add(from, (right, up), 1);
                    if self.at(leg) == Some('.') {
                        targets.extend(
                            [(right + up, up + right), (right - up, up - right)].map(|way| add(leg, way, 1)),
                        );
                    }
                }
            }
            'p' => {
                targets.push(add(from, if player == 0 { (0, 1) } else { (0, -1) }, 1));
                if !is_home(from.1) {
                    targets.extend([(1, 0), (-1, 0)].map(|way| add(from, way, 1)));
                }
            }
            _ => {
                for way in ALONG {
                    let mut screens = 0;
                    for times in 1..10 {
                        let to = add(from, way, times);
                        let is_empty = self.at(to) == Some('.');
                        if (screens == 0 && (is_empty || kind == 'r'))
                            || (screens == 1 && kind == 'c' && !is_empty)
                        {
                            targets.push(to);
                        }
                        screens += i32::from(!is_empty);
                    }
                }
            }
        }
        targets.retain(|&to| self.at(to).is_some());
        targets
    }

    fn steps(&self, player: usize) -> Vec<(Point, Point)> {
        let mut steps = Vec::new();
        for y in 0..10 {
            for x in 0..9 {
                if self.at((x, y)).is_some_and(|piece| Self::is_of(piece, player)) {
                    let targets = self.targets((x, y), player).into_iter();
                    let free =
                        targets.filter(|&to| !self.at(to).is_some_and(|piece| Self::is_of(piece, player)));
                    steps.extend(free.map(|to| ((x, y), to)));
                }
            }
        }
        steps
    }

    fn can_capture_king(&self, player: usize) -> bool {
        self.steps(player).into_iter().any(|(_, to)| matches!(self.at(to), Some('k' | 'K')))
    }

    fn possible(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for (from, to) in self.steps(self.to_move) {
            let mut next = self.clone();
            next.quiet = if self.at(to) == Some('.') { self.quiet + 1 } else { 0 };
            next.set(to, self.at(from).unwrap_or('.'));
            next.set(from, '.');
            next.to_move = 1 - self.to_move;
            if !next.can_capture_king(next.to_move) {
                let name = format!("(move {} {} {} {})", from.0 + 1, from.1 + 1, to.0 + 1, to.1 + 1);
                moves.push((name, next));
            }
        }
        moves
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.quiet == 120 { Vec::new() } else { self.possible() }
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.possible().is_empty().then_some(1 - self.to_move))
    }
}

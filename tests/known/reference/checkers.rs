//! English draughts. Each jump is a move, and a piece that must continue its chain keeps the turn.

use super::Position;

/// Counts the move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&Draughts::new(), depth, &Position::successors)
}

/// Counts the sequences of whole turns of each length, as draughts programs do. A chain of jumps is
/// one turn.
#[must_use]
pub fn perft_by_turns(depth: u32) -> Vec<u64> {
    fn finish(position: Draughts, finished: &mut Vec<Draughts>) {
        if position.chain.is_some() {
            position.successors().into_iter().for_each(|next| finish(next, finished));
        } else {
            finished.push(position);
        }
    }
    super::count_sequences(&Draughts::new(), depth, &|position: &Draughts| {
        let mut finished = Vec::new();
        position.successors().into_iter().for_each(|next| finish(next, &mut finished));
        finished
    })
}

/// The board, the player to move, a chain in progress and the count of quiet moves.
#[derive(Clone)]
pub struct Draughts {
    /// The rows from the bottom. Men are lower case, kings upper case; black men move up.
    rows: [[char; 8]; 8],
    to_move: char,
    /// The column and row of the piece that must continue its chain.
    chain: Option<(usize, usize)>,
    /// The number of moves since a man moved or a piece was captured.
    quiet: u32,
}

impl Draughts {
    /// The initial position.
    #[must_use]
    pub fn new() -> Self {
        let rows =
            ["b.b.b.b.", ".b.b.b.b", "b.b.b.b.", "........", "........", ".w.w.w.w", "w.w.w.w.", ".w.w.w.w"];
        let rows = rows.map(|row| std::array::from_fn(|x| row.chars().nth(x).unwrap_or('.')));
        Self { rows, to_move: 'b', chain: None, quiet: 0 }
    }

    /// The piece on a square; `None` outside the board.
    fn at(&self, (x, y): (usize, usize)) -> Option<char> {
        self.rows.get(y)?.get(x).copied()
    }

    /// The target squares of a piece, by steps or by jumps over an enemy.
    fn targets(&self, x: usize, y: usize, jumping: bool) -> Vec<(usize, usize)> {
        let piece = self.rows[y][x];
        let forward = if self.to_move == 'b' { 1 } else { -1 };
        let mut targets = Vec::new();
        for (right, up) in [(-1_isize, -1_isize), (-1, 1), (1, -1), (1, 1)] {
            if piece.is_ascii_lowercase() && up != forward {
                continue;
            }
            // The index below zero wraps to a huge number, which is outside the board.
            let square =
                |steps: isize| (x.wrapping_add_signed(steps * right), y.wrapping_add_signed(steps * up));
            let is_enemy = |piece: char| piece != '.' && piece.to_ascii_lowercase() != self.to_move;
            if jumping {
                if self.at(square(1)).is_some_and(is_enemy) && self.at(square(2)) == Some('.') {
                    targets.push(square(2));
                }
            } else if self.at(square(1)) == Some('.') {
                targets.push(square(1));
            }
        }
        targets
    }

    /// The steps, or the jumps, of all pieces that may move.
    fn moves_of_kind(&self, jumping: bool) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        for y in 0..8 {
            for x in 0..8 {
                let mine = self.rows[y][x].to_ascii_lowercase() == self.to_move;
                if !mine || self.chain.is_some_and(|square| square != (x, y)) {
                    continue;
                }
                for (to_x, to_y) in self.targets(x, y, jumping) {
                    let kind = if jumping { "jump" } else { "step" };
                    let name = format!("({kind} {} {} {} {})", x + 1, y + 1, to_x + 1, to_y + 1);
                    moves.push((name, self.after((x, y), (to_x, to_y), jumping)));
                }
            }
        }
        moves
    }

    fn possible(&self) -> Vec<(String, Self)> {
        let jumps = self.moves_of_kind(true);
        if jumps.is_empty() { self.moves_of_kind(false) } else { jumps }
    }

    fn after(&self, (x, y): (usize, usize), (to_x, to_y): (usize, usize), jumping: bool) -> Self {
        let mut next = self.clone();
        let piece = next.rows[y][x];
        let crowned = piece.is_ascii_lowercase() && to_y == if piece == 'b' { 7 } else { 0 };
        next.rows[y][x] = '.';
        next.rows[to_y][to_x] = if crowned { piece.to_ascii_uppercase() } else { piece };
        next.quiet = if jumping || piece.is_ascii_lowercase() { 0 } else { self.quiet + 1 };
        next.chain = None;
        if jumping {
            next.rows[usize::midpoint(y, to_y)][usize::midpoint(x, to_x)] = '.';
            if !crowned && !next.targets(to_x, to_y, true).is_empty() {
                next.chain = Some((to_x, to_y));
                return next;
            }
        }
        next.to_move = if self.to_move == 'b' { 'w' } else { 'b' };
        next
    }
}

impl Default for Draughts {
    fn default() -> Self {
        Self::new()
    }
}

impl Position for Draughts {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.quiet == 40 { Vec::new() } else { self.possible() }
    }

    fn to_move(&self) -> usize {
        usize::from(self.to_move == 'w')
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.possible().is_empty().then(|| 1 - self.to_move()))
    }
}

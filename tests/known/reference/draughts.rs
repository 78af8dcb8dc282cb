//! International draughts. Each jump is a move, and a piece that must continue its chain keeps the
//! turn.

use super::Position;
use std::collections::HashSet;

type Square = (usize, usize);

const WAYS: [(isize, isize); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The board, the player to move, a chain in progress and the counters of the draw rules.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    /// The rows from the bottom. Men are lower case, kings upper case; white men move up.
    rows: [[char; 10]; 10],
    to_move: char,
    /// The column and row of the piece that must continue its chain.
    chain: Option<Square>,
    /// The pieces captured in the chain, which stay on the board until it ends.
    taken: Vec<Square>,
    /// The number of moves since a man moved or a piece was captured.
    quiet: u32,
    /// The number of moves in an ending of a lone king against at most three pieces.
    ending: u32,
}

impl Board {
    /// Reads a position from square numbers, counted from the top: the player to move and the
    /// pieces of both, such as `W:W31,K32:B7`.
    ///
    /// # Panics
    /// Panics if the text is not such a position.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut rows = [['.'; 10]; 10];
        let mut fields = text.split(':');
        let to_move = fields.next().expect("a player").to_ascii_lowercase();
        for field in fields {
            let player = field.chars().next().expect("a player").to_ascii_lowercase();
            for piece in field[1..].split(',') {
                let number: usize = piece.trim_start_matches('K').parse().expect("a square");
                let (row, place) = (9 - (number - 1) / 5, (number - 1) % 5);
                let kind = if piece.starts_with('K') { player.to_ascii_uppercase() } else { player };
                rows[row][2 * place + row % 2] = kind;
            }
        }
        let to_move = to_move.chars().next().expect("a player");
        Self { rows, to_move, chain: None, taken: Vec::new(), quiet: 0, ending: 0 }
    }

    /// The pieces by column and row, with their letters.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, char)> {
        let squares = (0..10).flat_map(|y| (0..10).map(move |x| (x, y)));
        squares.map(|(x, y)| ((x, y), self.rows[y][x])).filter(|&(_, piece)| piece != '.')
    }

    fn opponent(&self) -> char {
        if self.to_move == 'w' { 'b' } else { 'w' }
    }

    /// The square `steps` steps in a direction and its piece; `None` outside the board.
    fn look(&self, (x, y): Square, (right, up): (isize, isize), steps: isize) -> Option<(Square, char)> {
        // The index below zero wraps to a huge number, which is outside the board.
        let (x, y) = (x.wrapping_add_signed(steps * right), y.wrapping_add_signed(steps * up));
        Some(((x, y), *self.rows.get(y)?.get(x)?))
    }

    /// The jumps of a piece: the captured square and the landing square of each.
    fn jumps(&self, from: Square) -> Vec<(Square, Square)> {
        let is_king = self.rows[from.1][from.0].is_ascii_uppercase();
        let mut jumps = Vec::new();
        for way in WAYS {
            let mut steps = 1;
            while is_king && self.look(from, way, steps).is_some_and(|(_, piece)| piece == '.') {
                steps += 1;
            }
            let Some((captured, piece)) = self.look(from, way, steps) else { continue };
            if piece.to_ascii_lowercase() != self.opponent() || self.taken.contains(&captured) {
                continue;
            }
            loop {
                steps += 1;
                match self.look(from, way, steps) {
                    Some((landing, '.')) => jumps.push((captured, landing)),
                    _ => break,
                }
                if !is_king {
                    break;
                }
            }
        }
        jumps
    }

    /// The position after a jump. Captured pieces stay on the board until the chain ends.
    fn jump(&self, from: Square, (captured, landing): (Square, Square)) -> Self {
        let mut next = self.clone();
        next.rows[landing.1][landing.0] = next.rows[from.1][from.0];
        next.rows[from.1][from.0] = '.';
        next.taken.push(captured);
        next.taken.sort_unstable();
        next
    }

    /// The largest number of pieces that a piece can capture from a square.
    fn most(&self, from: Square) -> usize {
        let jumps = self.jumps(from).into_iter();
        jumps.map(|jump| 1 + self.jump(from, jump).most(jump.1)).max().unwrap_or(0)
    }

    /// The pieces that may move.
    fn movers(&self) -> Vec<Square> {
        let own = self.pieces().filter(|(_, piece)| piece.to_ascii_lowercase() == self.to_move);
        own.map(|(square, _)| square)
            .filter(|&square| self.chain.is_none_or(|chain| chain == square))
            .collect()
    }

    /// The steps and jumps that the rules allow, ignoring draws.
    fn possible(&self) -> Vec<(Square, Square, Self)> {
        let mut chains = Vec::new();
        for from in self.movers() {
            for jump in self.jumps(from) {
                let next = self.jump(from, jump);
                chains.push((next.most(jump.1), from, jump.1, next));
            }
        }
        if let Some(most) = chains.iter().map(|chain| chain.0).max() {
            chains.retain(|chain| chain.0 == most);
            return chains.into_iter().map(|(_, from, to, next)| (from, to, next.after_jump(to))).collect();
        }
        let mut steps = Vec::new();
        for from in self.movers() {
            let piece = self.rows[from.1][from.0];
            let forward = if piece == 'w' { 1 } else { -1 };
            for way in WAYS {
                if piece.is_ascii_lowercase() {
                    let step = self.look(from, way, 1);
                    steps.extend(
                        step.filter(|step| step.1 == '.' && way.1 == forward).map(|step| (from, step.0)),
                    );
                } else {
                    let squares = (1..).map_while(|steps| self.look(from, way, steps));
                    steps.extend(squares.take_while(|step| step.1 == '.').map(|step| (from, step.0)));
                }
            }
        }
        steps.into_iter().map(|(from, to)| (from, to, self.step(from, to))).collect()
    }

    fn step(&self, from: Square, to: Square) -> Self {
        let mut next = self.clone();
        let piece = next.rows[from.1][from.0];
        next.rows[to.1][to.0] = piece;
        next.rows[from.1][from.0] = '.';
        next.quiet = if piece.is_ascii_lowercase() { 0 } else { self.quiet + 1 };
        next.ending = if self.few().is_some() { self.ending + 1 } else { 0 };
        next.end_turn(to);
        next
    }

    fn after_jump(mut self, to: Square) -> Self {
        (self.quiet, self.ending, self.chain) = (0, 0, Some(to));
        if self.jumps(to).is_empty() {
            for (x, y) in std::mem::take(&mut self.taken) {
                self.rows[y][x] = '.';
            }
            self.end_turn(to);
        }
        self
    }

    fn end_turn(&mut self, (x, y): Square) {
        let last = if self.to_move == 'w' { 9 } else { 0 };
        if y == last {
            self.rows[y][x] = self.rows[y][x].to_ascii_uppercase();
        }
        self.chain = None;
        self.to_move = self.opponent();
    }

    /// The number of pieces against a lone king, if they are at most three and include a king.
    fn few(&self) -> Option<usize> {
        let of = |player: char| -> Vec<char> {
            self.pieces()
                .map(|(_, piece)| piece)
                .filter(|piece| piece.to_ascii_lowercase() == player)
                .collect()
        };
        let has_king = |pieces: &[char]| pieces.iter().any(char::is_ascii_uppercase);
        let [white, black] = [of('w'), of('b')];
        let few = white.len().min(black.len()) == 1 && has_king(&white) && has_king(&black);
        Some(white.len().max(black.len())).filter(|&most| few && most <= 3)
    }

    fn is_draw(&self) -> bool {
        let most = match self.few() {
            Some(3) => 32,
            Some(_) => 10,
            None => u32::MAX,
        };
        self.quiet == 50 || self.ending >= most
    }

    /// The distinct positions after a whole move.
    fn after_turns(&self) -> HashSet<Self> {
        let (done, open): (Vec<_>, Vec<_>) =
            self.successors().into_iter().partition(|next| next.chain.is_none());
        open.iter().flat_map(Self::after_turns).chain(done).collect()
    }

    /// Counts sequences of whole moves, as draughts programs do: moves with the same result count
    /// once.
    #[must_use]
    pub fn perft(&self, depth: u32) -> Vec<u64> {
        super::count_sequences(self, depth, &|position: &Self| position.after_turns().into_iter().collect())
    }
}

impl Default for Board {
    fn default() -> Self {
        let men = |squares: std::ops::RangeInclusive<u32>| {
            squares.map(|square| square.to_string()).collect::<Vec<_>>().join(",")
        };
        Self::read(&format!("W:W{}:B{}", men(31..=50), men(1..=20)))
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.is_draw() {
            return Vec::new();
        }
        let name = |(x, y): Square| format!("{} {}", x + 1, y + 1);
        let moves = self.possible().into_iter();
        moves.map(|(from, to, next)| (format!("(move {} {})", name(from), name(to)), next)).collect()
    }

    fn to_move(&self) -> usize {
        usize::from(self.to_move == 'b')
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.possible().is_empty().then(|| 1 - self.to_move()))
    }
}

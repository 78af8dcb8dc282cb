//! Tic-tac-toe twice: a `Game` written by hand, and a table assembled gate by gate.

#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

pub mod encode;

use gdl_runtime::{
    Game,
    bits::Bits,
    game::{Id, NoPercept, Shape},
    vocabulary::{Texts, Vocabulary},
};
use std::sync::LazyLock;

/// The cells of each line, as sets of nine bits.
pub const LINES: [u64; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

const SHAPE: Shape = Shape { roles: 2, fluents: 29, moves: 10, goals: 6, percepts: 0 };

/// Every third bit, for the fluents of blank cells. The fluents of `o` and `x` follow each of these
/// bits.
const CELLS: u64 = 0o111_111_111;

/// The names of the game.
pub fn vocabulary() -> Vocabulary {
    let cells = || (1..=3).flat_map(|m| (1..=3).map(move |n| (m, n)));
    let fluents = cells()
        .flat_map(|(m, n)| ["b", "o", "x"].map(|mark| format!("(cell {m} {n} {mark})")))
        .chain(["(control oplayer)", "(control xplayer)"].map(String::from));
    let moves = cells().map(|(m, n)| format!("(mark {m} {n})")).chain(["noop".into()]);
    Vocabulary::new(
        Texts::new(["xplayer", "oplayer"]),
        Texts::new(fluents),
        Texts::new(moves),
        vec![(0..10).collect(); 2],
        vec![vec![0, 50, 100]; 2],
    )
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(vocabulary);

/// The game written by hand.
#[derive(Clone, Copy, Debug)]
pub struct TicTacToe;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub u32);

impl Id for Number {
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// The cells of a mark as nine adjacent bits, from every third bit.
#[inline]
fn gather(bits: u64) -> u64 {
    (0..9).fold(0, |cells, i| cells | (bits >> (2 * i) & 1 << i))
}

#[inline]
fn has_line(bits: u64) -> bool {
    // The lines, with their bits moved to every third position.
    const SPREAD: [u64; 8] = {
        let mut spread = [0; 8];
        let mut i = 0;
        while i < 72 {
            spread[i / 9] |= (LINES[i / 9] >> (i % 9) & 1) << (3 * (i % 9));
            i += 1;
        }
        spread
    };
    SPREAD.iter().fold(0, |any, line| any | u64::from(bits & line == *line)) != 0
}

impl Game for TicTacToe {
    type State = Bits<1>;
    type View = Bits<3>;
    type Role = Number;
    type Move = Number;
    type Fluent = Number;
    type Percept = NoPercept;

    fn vocabulary(&self) -> &Vocabulary {
        &VOCABULARY
    }

    #[inline]
    fn shape(&self) -> Shape {
        SHAPE
    }

    fn new_state(&self) -> Bits<1> {
        Bits::EMPTY
    }

    fn new_view(&self) -> Bits<3> {
        Bits::EMPTY
    }

    fn initial(&self) -> Bits<1> {
        Bits::new([CELLS | 1 << 28])
    }

    #[inline]
    fn observe(&self, state: &Bits<1>, view: &mut Bits<3>) {
        let [bits] = *state.words();
        let blank = gather(bits & CELLS);
        let (o, x) = (has_line(bits >> 1 & CELLS), has_line(bits >> 2 & CELLS));
        let (o_moves, x_moves) = (bits >> 27 & 1, bits >> 28 & 1);
        let legal = |moves: u64, waits: u64| (blank * moves) | (waits << 9);
        let goal = |won: bool, lost: bool| {
            u64::from(lost && !won) | u64::from(!won && !lost) << 1 | u64::from(won) << 2
        };
        let terminal = u64::from(o || x || blank == 0);
        *view.words_mut() =
            [legal(x_moves, o_moves), legal(o_moves, x_moves), goal(x, o) | goal(o, x) << 3 | terminal << 6];
    }

    #[inline]
    fn advance(&self, state: &mut Bits<1>, joint: &[Number]) {
        let [bits] = state.words_mut();
        for (&Number(action), mark) in joint.iter().zip([2, 1]) {
            if action < 9 {
                *bits ^= (1 | 1 << mark) << (3 * action);
            }
        }
        *bits ^= 3 << 27;
    }
}

/// The handwritten game as an encoded table.
pub fn table() -> Vec<u8> {
    encode(&vocabulary(), None)
}

/// The same game as a table with hidden information, in which `xplayer` is chance. Each player
/// perceives the row that the other one marks. `oplayer` also perceives that `xplayer` marks the
/// centre.
pub fn blind_table() -> Vec<u8> {
    let percepts = Texts::new(["(row 1)", "(row 2)", "(row 3)", "centre"]);
    let vocabulary =
        vocabulary().with_chance(0).with_percepts(percepts, vec![vec![0, 1, 2], vec![0, 1, 2, 3]]);
    let mut perceive = encode::Circuit::new(50);
    for other in [1, 0] {
        for row in 0..3 {
            let any = (0..3).fold(0, |any, column| perceive.or(any, does(other, 3 * row + column)));
            perceive.outputs.push(any);
        }
    }
    let taken = perceive.and(does(0, 4), 2 * (1 + 3 * 4));
    perceive.outputs.push(taken);
    encode(&vocabulary, Some(&perceive))
}

/// The signal of a role's `does` input. Inputs of the first role come before those of the second.
fn does(role: usize, action: usize) -> u32 {
    2 * (30 + 10 * role + action) as u32
}

fn encode(vocabulary: &Vocabulary, perceive: Option<&encode::Circuit>) -> Vec<u8> {
    use encode::Circuit;
    let fluent = |i: usize| 2 * (i as u32 + 1);
    let (control_o, control_x) = (fluent(27), fluent(28));

    let mut see = Circuit::new(30);
    let mut outputs = Vec::new();
    for (moves, waits) in [(control_x, control_o), (control_o, control_x)] {
        for cell in 0..9 {
            outputs.push(see.and(fluent(3 * cell), moves));
        }
        outputs.push(waits);
    }
    let [x, o] = [2, 1].map(|mark| {
        LINES.iter().fold(0, |any, line| {
            let cells = (0..9).filter(|cell| line >> cell & 1 == 1);
            let full = cells.fold(1, |all, cell| see.and(all, fluent(3 * cell + mark)));
            see.or(any, full)
        })
    });
    let open = (0..9).fold(0, |any, cell| see.or(any, fluent(3 * cell)));
    let neither = see.and(x ^ 1, o ^ 1);
    for (won, lost) in [(x, o), (o, x)] {
        let lost = see.and(lost, won ^ 1);
        outputs.extend([lost, neither, won]);
    }
    let over = see.or(x, o);
    outputs.push(see.or(over, open ^ 1));

    let mut step = Circuit::new(50);
    let mut next = Vec::new();
    for cell in 0..9 {
        let marked = step.or(does(0, cell), does(1, cell));
        let blank = step.and(fluent(3 * cell), marked ^ 1);
        let o = step.or(fluent(3 * cell + 1), does(1, cell));
        let x = step.or(fluent(3 * cell + 2), does(0, cell));
        next.extend([blank, o, x]);
    }
    next.extend([control_x, control_o]);
    see.outputs = outputs;
    step.outputs = next;
    encode::table(vocabulary, &[0, 3, 6, 9, 12, 15, 18, 21, 24, 28], &see, &step, perceive)
}

//! Lines: sets of fluents that together give a role its greatest goal, such as four in a row. Lines
//! are found in the circuit of the goals, and evaluated by the one or two fluents that a state
//! lacks.
//!
//! The gates of a goal are expanded to a disjunction of sets while these are few. Conditions on
//! fluents that must not hold are ignored, so lines are features of an evaluation and prove
//! nothing.

use gdl_runtime::{
    bits,
    engine::{Circuit, Table},
    game::Shape,
};

/// The maximum number of lines of all roles, and of sets of a signal; goals with more are of
/// another kind.
const MOST: usize = 2048;

/// The number of fluents of a line. With lines of two, nearly every state would have threats.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=7;

/// The maximum number of fluents of a game, and of gates.
const MOST_FLUENTS: usize = 1 << 12;
const MOST_GATES: usize = 1 << 18;

/// The maximum number of steps for the lines of a role, about one for each fluent of an
/// intermediate set.
const WORK: usize = 1 << 21;

/// The maximum number of words of states that are read for ruling lines out, and the number of
/// words that are read in the time of a step.
const LOOKED: usize = 1 << 25;
const WORDS: usize = 32;

/// The number of lines that are evaluated together.
const BLOCK: usize = 256;

/// A set of lines of a block, one bit each.
type Lines256 = [u64; BLOCK / 64];

/// A set of fluents, in ascending order.
type Set = Vec<u32>;

/// The lines of all roles.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    all: Vec<Line>,
    blocks: Vec<Block>,
    /// The number of roles that have lines.
    sides: usize,
    /// The number of pairs of a side and a fluent of its lines.
    threats: usize,
}

/// A line: its side, and its fluents. Each fluent has the number of the threat that exists if only
/// this fluent is missing.
#[derive(Clone, Debug)]
struct Line {
    side: usize,
    fluents: Vec<(u32, usize)>,
}

/// A block of up to 256 lines, which are evaluated together.
#[derive(Clone, Debug)]
struct Block {
    /// Three binary digits of a counter for each line: 8 minus the number of its fluents. The
    /// counter adds one for each fluent that holds, so 7 means that one is missing.
    start: [Lines256; 3],
    /// The lines that each fluent is in, and those that it rules out.
    of: Box<[[Lines256; 2]]>,
    /// The lines of each side.
    sides: Vec<Lines256>,
}

impl Lines {
    /// The approximate number of steps of finding lines in a microsecond.
    pub(super) const STEPS: usize = 50;

    /// Finds the lines of the roles, within `work` steps for all of them. Roles that need more have
    /// no lines. O(gates + [`WORK`] + [`MOST`]²) for each role.
    pub(super) fn of(table: &Table, mut work: usize) -> Self {
        let (Shape { fluents, roles, .. }, vocabulary) = (table.shape(), table.vocabulary());
        let [observe, advance] = table.circuits();
        let mut found = Self::default();
        if fluents > MOST_FLUENTS || observe.size() > MOST_GATES {
            return found;
        }
        // Fluents that no move affects, such as `control`, can be neither made nor prevented.
        let reached = advance.reached(1 + fluents..advance.inputs());
        let is_made = |fluent: usize| reached[advance.outputs()[fluent] as usize / 2];
        let mut at: usize = (0..roles).map(|role| vocabulary.moves_of(role).len()).sum();
        for role in 0..roles {
            let values = vocabulary.goals_of(role);
            let best = (0..values.len()).max_by_key(|&place| values[place]);
            let sets =
                best.and_then(|best| sets_of(observe, observe.outputs()[at + best], is_made, &mut work));
            at += values.len();
            let Some(sets) = sets.filter(|sets| !sets.is_empty() && found.all.len() + sets.len() <= MOST)
            else {
                continue;
            };
            let mut numbers = vec![None; fluents];
            for set in sets {
                let numbered = set.into_iter().map(|fluent| {
                    let number = *numbers[fluent as usize].get_or_insert_with(|| {
                        found.threats += 1;
                        found.threats - 1
                    });
                    (fluent, number)
                });
                let fluents = numbered.collect();
                found.all.push(Line { side: found.sides, fluents });
            }
            found.sides += 1;
        }
        found.blocks = found.all.chunks(BLOCK).map(|lines| Block::new(lines, found.sides, fluents)).collect();
        found
    }

    /// Returns the number of features: one for each threat and for each side.
    pub(super) fn features(&self) -> usize {
        self.threats + self.sides
    }

    /// Finds the fluents that rule out lines of another side. In the given states, such a fluent
    /// holds, but never together with some fluent of the line. Reads as many states as `work` steps
    /// allow. O([`LOOKED`] + lines × fluents of lines).
    pub(super) fn rule_out<'s>(&mut self, states: impl Iterator<Item = &'s [u64]>, work: usize) {
        let Some(fluents) = self.blocks.first().map(|block| block.of.len()) else { return };
        let words = fluents.div_ceil(64);
        let mut of_side = vec![vec![0; words]; self.sides];
        let mut in_lines = vec![0; words];
        for line in &self.all {
            for &(fluent, _) in &line.fluents {
                bits::set(&mut of_side[line.side], fluent as usize);
                bits::set(&mut in_lines, fluent as usize);
            }
        }
        let mut together = vec![0; fluents * words];
        let mut left = work.saturating_mul(WORDS).min(LOOKED);
        for state in states {
            for fluent in bits::ones(state) {
                left = left.saturating_sub(words);
                if bits::test(&in_lines, fluent) {
                    let met = &mut together[fluent * words..][..words];
                    met.iter_mut().zip(state).for_each(|(met, held)| *met |= held);
                }
            }
            if left == 0 {
                break;
            }
        }
        for (number, line) in self.all.iter().enumerate() {
            let block = &mut self.blocks[number / BLOCK];
            let others = (0..self.sides).filter(|&side| side != line.side);
            for other in others.flat_map(|side| bits::ones(&of_side[side])) {
                let met = &together[other * words..][..words];
                let excludes = |&(fluent, _): &(u32, usize)| !bits::test(met, fluent as usize);
                if bits::test(met, other) && line.fluents.iter().any(excludes) {
                    bits::set(&mut block.of[other][1], number % BLOCK);
                }
            }
        }
    }

    /// Returns the number of features of [`Lines::visit_each`]: one for each threat and for each
    /// line.
    pub(super) fn each(&self) -> usize {
        self.threats + self.all.len()
    }

    /// Returns the number of threats.
    pub(super) fn threats(&self) -> usize {
        self.threats
    }

    /// Visits the nonzero features of a state, each with its value. A threat has 1. A side has a
    /// fifth of the number of its lines that lack two fluents. Lines that are ruled out do not
    /// count. O(fluents that hold × blocks).
    #[inline]
    pub(super) fn visit(&self, state: &[u64], mut feature: impl FnMut(usize, f32)) {
        self.look(state, |lacking| match lacking {
            Lacking::One(threat) => feature(threat, 1.0),
            Lacking::Two(number, two) => {
                for (side, of_side) in self.blocks[number].sides.iter().enumerate() {
                    let count: u32 =
                        two.iter().zip(of_side).map(|(two, side)| (two & side).count_ones()).sum();
                    if count > 0 {
                        feature(self.threats + side, count as f32 * 0.2);
                    }
                }
            }
        });
    }

    /// Visits the threats of a state, and the lines that lack two fluents, by feature number.
    #[inline]
    pub(super) fn visit_each(&self, state: &[u64], mut feature: impl FnMut(usize)) {
        self.look(state, |lacking| match lacking {
            Lacking::One(threat) => feature(threat),
            Lacking::Two(number, two) => {
                bits::ones(&two).for_each(|line| feature(self.threats + number * BLOCK + line));
            }
        });
    }

    #[inline]
    fn look(&self, state: &[u64], mut found: impl FnMut(Lacking)) {
        // A threat that several lines share counts once, as long as it is among the last eight.
        let mut seen = [usize::MAX; 8];
        let mut threats = 0;
        for (place, (block, lines)) in self.blocks.iter().zip(self.all.chunks(BLOCK)).enumerate() {
            let [one, two] = block.lacking(state);
            for number in bits::ones(&one) {
                let mut fluents = lines[number].fluents.iter();
                let missing = fluents.find(|&&(fluent, _)| !bits::test(state, fluent as usize));
                let Some(&(_, threat)) = missing else { continue };
                if !seen.contains(&threat) {
                    seen[threats % seen.len()] = threat;
                    threats += 1;
                    found(Lacking::One(threat));
                }
            }
            found(Lacking::Two(place, two));
        }
    }
}

/// The fluents that lines lack in a state.
enum Lacking {
    /// A fluent that a line lacks alone: the number of the threat.
    One(usize),
    /// The number of a block, and its lines that lack two fluents.
    Two(usize, Lines256),
}

impl Block {
    fn new(lines: &[Line], sides: usize, fluents: usize) -> Self {
        let mut block = Self {
            start: [[0; BLOCK / 64]; 3],
            of: vec![[[0; BLOCK / 64]; 2]; fluents].into(),
            sides: vec![[0; BLOCK / 64]; sides],
        };
        for (number, line) in lines.iter().enumerate() {
            for (digit, start) in block.start.iter_mut().enumerate() {
                if (8 - line.fluents.len()) >> digit & 1 == 1 {
                    bits::set(start, number);
                }
            }
            line.fluents.iter().for_each(|&(fluent, _)| bits::set(&mut block.of[fluent as usize][0], number));
            bits::set(&mut block.sides[line.side], number);
        }
        block
    }

    /// Returns the lines that lack one fluent, and those that lack two, without the lines that are
    /// ruled out.
    #[inline]
    fn lacking(&self, state: &[u64]) -> [Lines256; 2] {
        let [mut ones, mut twos, mut fours] = self.start;
        let mut out = [0; BLOCK / 64];
        for fluent in bits::ones(state) {
            let [within, ruled_out] = &self.of[fluent];
            for word in 0..BLOCK / 64 {
                let carry = ones[word] & within[word];
                ones[word] ^= within[word];
                fours[word] ^= twos[word] & carry;
                twos[word] ^= carry;
                out[word] |= ruled_out[word];
            }
        }
        let open = |word: usize| twos[word] & fours[word] & !out[word];
        [
            std::array::from_fn(|word| ones[word] & open(word)),
            std::array::from_fn(|word| !ones[word] & open(word)),
        ]
    }
}

/// Returns the minimal sets of fluents that make a signal true. The sets have only fluents that
/// moves affect, and the length of a line. Returns `None` if there are too many sets, or finding
/// them takes too many steps.
fn sets_of(
    circuit: &Circuit,
    signal: u32,
    is_made: impl Fn(usize) -> bool,
    work: &mut usize,
) -> Option<Vec<Set>> {
    let inputs = circuit.inputs();
    let mut wanted = vec![false; 2 * (inputs + circuit.size())];
    wanted[signal as usize] = true;
    for gate in (0..circuit.size()).rev() {
        for side in 0..2 {
            if wanted[2 * (inputs + gate) + side as usize] {
                circuit.gate(gate).iter().for_each(|&operand| wanted[(operand ^ side) as usize] = true);
            }
        }
    }
    // Node 0 is the constant false, and the next ones are fluents. Negative conditions, and fluents
    // that no move affects, become the empty set. A signal with too many sets has `None`.
    let input = |signal: usize| match signal {
        0 => Some(Vec::new()),
        _ if signal % 2 == 1 || !is_made(signal / 2 - 1) => Some(vec![Vec::new()]),
        _ => Some(vec![vec![signal as u32 / 2 - 1]]),
    };
    let mut sets: Vec<Option<Vec<Set>>> = (0..2 * inputs).map(input).collect();
    let mut left = WORK.min(*work);
    *work -= left;
    for gate in 0..circuit.size() {
        let operands = circuit.gate(gate);
        for side in 0..2 {
            if !wanted[2 * (inputs + gate) + side as usize] {
                sets.push(None);
                continue;
            }
            let [a, b] = operands.map(|operand| sets[(operand ^ side) as usize].as_deref());
            let [in_a, in_b] = [a, b].map(|sets| sets.map_or(0, <[Set]>::len));
            let made = if side == 0 && in_a * in_b > 0 { in_a * in_b } else { in_a + in_b };
            left = left.checked_sub(1 + made * LENGTHS.end())?;
            let both = a.zip(b);
            let found = both.map(|(a, b)| if side == 0 { product(a, b) } else { [a, b].concat() });
            sets.push(found.map(different).filter(|sets| sets.len() <= MOST));
        }
    }
    let all = sets.swap_remove(signal as usize)?;
    // One step stands for about four comparisons of sets.
    left = left.checked_sub(all.len() * all.len() / 8)?;
    *work += left;
    let found = least(all);
    Some(found.into_iter().filter(|set| LENGTHS.contains(&set.len())).collect())
}

/// Returns the union of each set of `a` with each set of `b`, except those that are too long.
fn product(a: &[Set], b: &[Set]) -> Vec<Set> {
    let both = |a: &Set, b: &Set| {
        let mut both = [&a[..], b].concat();
        both.sort_unstable();
        both.dedup();
        both
    };
    let all = a.iter().flat_map(|a| b.iter().map(move |b| both(a, b)));
    all.filter(|set| set.len() <= *LENGTHS.end()).collect()
}

/// Removes duplicates and sorts the sets by length.
fn different(mut sets: Vec<Set>) -> Vec<Set> {
    sets.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    sets
}

/// Returns the sets that contain no other set; `sets` are sorted by length.
fn least(sets: Vec<Set>) -> Vec<Set> {
    let mut kept: Vec<Set> = Vec::new();
    for set in sets {
        let holds = |other: &Set| other.iter().all(|fluent| set.binary_search(fluent).is_ok());
        if !kept.iter().any(holds) {
            kept.push(set);
        }
    }
    kept
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use gdl_runtime::{Game, GameExt, load};

    /// Returns the table of a game, and the state after some moves of the role on turn.
    fn after(text: &str, moves: &[&str]) -> (Table, Vec<u64>) {
        let game = load(text).expect("a sound rulesheet");
        let state = moves.iter().fold(game.initial(), |state, action| {
            let action = game.parse_move(action).expect("a move");
            game.apply_one(&state, action).expect("a legal move")
        });
        (game.table().expect("a small game").clone(), state.as_ref().to_vec())
    }

    /// Returns the names of the threats, and for each side a fifth of the number of lines that lack
    /// two fluents.
    fn seen(table: &Table, lines: &Lines, state: &[u64]) -> (Vec<String>, Vec<f32>) {
        let (mut threats, mut two) = (Vec::new(), vec![0.0; lines.sides]);
        let fluents = || lines.all.iter().flat_map(|line| &line.fluents);
        lines.visit(state, |feature, value| {
            if let Some(side) = feature.checked_sub(lines.threats) {
                two[side] += value;
            } else {
                let (fluent, _) = fluents().find(|of| of.1 == feature).expect("a fluent");
                threats.push(table.vocabulary().fluents().get(*fluent as usize).expect("a name").to_owned());
            }
        });
        threats.sort_unstable();
        (threats, two)
    }

    const TICTACTOE: &str = include_str!("../../../games/board/tictactoe.kif");
    const CONNECT_FOUR: &str = include_str!("../../../games/board/connect_four.kif");

    #[test]
    fn lines_are_those_of_the_board() {
        let count = |text| {
            let lines = Lines::of(&after(text, &[]).0, usize::MAX);
            (lines.all.len(), lines.sides, lines.threats)
        };
        assert_eq!(count(TICTACTOE), (2 * 8, 2, 2 * 9));
        // 24 in a row, 21 in a column, 24 diagonals.
        assert_eq!(count(CONNECT_FOUR), (2 * 69, 2, 2 * 42));
        // Five in a row of six by six: 12, 12 and 8.
        assert_eq!(count(include_str!("../../../games/board/pentago.kif")), (2 * 32, 2, 2 * 36));
        // More lines than a block has: 11 of each of 15 rows and columns, 121 of each diagonal.
        assert_eq!(count(include_str!("../../../games/board/gomoku.kif")), (2 * 572, 2, 2 * 225));
        // Reversi counts pieces, so it has no lines.
        assert_eq!(count(include_str!("../../../games/board/reversi.kif")), (0, 0, 0));
    }

    #[test]
    fn what_is_missing_is_told_and_what_is_ruled_out_is_not() {
        let (table, state) = after(TICTACTOE, &["(mark 1 1)", "(mark 2 2)", "(mark 1 2)", "(mark 3 1)"]);
        let mut lines = Lines::of(&table, usize::MAX);
        let name = |x, y, mark| format!("(cell {x} {y} {mark})");
        // Until fluents are known to exclude each other, x also has a threat on a cell of o: (1, 3)
        // in `blocked`.
        let (threats, _) = seen(&table, &lines, &state);
        assert_eq!(threats, [name(1, 3, "o"), name(1, 3, "x")]);
        let (_, blocked) = after(TICTACTOE, &["(mark 1 1)", "(mark 3 1)", "(mark 1 2)", "(mark 1 3)"]);
        assert_eq!(seen(&table, &lines, &blocked).0, [name(1, 3, "x"), name(2, 2, "o")][..]);
        // States in which each mark stands together with each mark of another cell.
        let cells: Vec<(usize, [usize; 2])> = (0..9)
            .map(|cell| {
                let of = |mark| {
                    let wanted = name(1 + cell / 3, 1 + cell % 3, mark);
                    let mut names = table.vocabulary().fluents().iter();
                    names.position(|name| name == wanted).expect("a fluent")
                };
                (cell, [of("x"), of("o")])
            })
            .collect();
        let mut states = Vec::new();
        for (a, of_a) in &cells {
            for (_, of_b) in cells.iter().filter(|(b, _)| b > a) {
                for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let mut state = vec![0; state.len()];
                    bits::set(&mut state, of_a[first]);
                    bits::set(&mut state, of_b[second]);
                    states.push(state);
                }
            }
        }
        lines.rule_out(states.iter().map(Vec::as_slice), usize::MAX);
        assert_eq!(seen(&table, &lines, &blocked).0, [name(2, 2, "o")]);
        assert_eq!(seen(&table, &lines, &state).0, [name(1, 3, "o"), name(1, 3, "x")]);
        // With a single mark on the board, the lines through it lack two.
        let (_, first) = after(TICTACTOE, &["(mark 2 2)"]);
        assert_eq!(seen(&table, &lines, &first), (Vec::new(), vec![4.0 * 0.2, 0.0]));
    }

    #[test]
    fn a_threat_of_two_lines_is_one() {
        let marks = ["(mark 1 1)", "(mark 1 2)", "(mark 3 1)", "(mark 3 2)", "(mark 2 2)"];
        let (table, state) = after(TICTACTOE, &marks);
        let (threats, _) = seen(&table, &Lines::of(&table, usize::MAX), &state);
        let of_x = threats.iter().filter(|name| name.ends_with("x)")).count();
        // The threats of x are on an edge and on both diagonals. That of o is on a cell of x, since
        // no line is ruled out yet.
        assert_eq!((of_x, threats.len()), (3, 4), "{threats:?}");
    }

    #[test]
    fn goals_that_have_too_many_lines_have_none() {
        // At least 6 of 24: over a hundred thousand sets, which are rejected before they take
        // memory.
        let cells = 0..24;
        let facts = cells.map(|cell| format!("(cell {cell}) (after {cell} {}) ", cell + 1));
        let text = facts.collect::<Vec<_>>().concat()
            + "(role p) (init nothing) (<= (legal p (mark ?c)) (cell ?c))
            (<= (next (on ?c)) (does p (mark ?c))) (<= (next (on ?c)) (true (on ?c)))
            (<= (sum 0 1) (true (on 0))) (<= (sum 0 0) (not (true (on 0))))
            (<= (sum ?d ?n) (cell ?d) (after ?c ?d) (sum ?c ?n) (not (true (on ?d))))
            (<= (sum ?d ?m) (cell ?d) (after ?c ?d) (sum ?c ?n) (after ?n ?m) (true (on ?d)) (distinct ?n 6))
            (<= (sum ?d 6) (cell ?d) (after ?c ?d) (sum ?c 6) (true (on ?d)))
            (<= (goal p 100) (sum 23 6)) (<= (goal p 0) (not (sum 23 6))) (<= terminal (sum 23 6))";
        let (table, _) = after(&text, &[]);
        assert_eq!(Lines::of(&table, usize::MAX).features(), 0);
    }
}

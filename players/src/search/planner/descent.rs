//! A descent into a puzzle: depth-first search that prunes moves to lost states, and first makes
//! moves without which the state is lost.
//!
//! In puzzles such as sudoku, marks may be set in any order. A failed move need not be tried again
//! after an independent move (sleep sets: Godefroid, "Partial-order methods for the verification of
//! concurrent systems", 1996). The outlook treats failed moves as barred, so the search backtracks
//! when a sudoku's row has no values left. Thus it works like a constraint solver, although the
//! rules state no constraints. A descent proves nothing.
//!
//! A descent that fails too often restarts, and breaks ties between moves at random (Gomes, Selman
//! and Kautz, "Boosting combinatorial search through randomization", 1998; Luby, Sinclair and
//! Zuckerman, "Optimal speedup of Las Vegas algorithms", 1993).
//!
//! The states of the current path take at most about half of the given bytes. Visited states are
//! stored while both together take less than half.

use super::{Goal, Problem, gates::LANES, steps::Steps, sweep::End};
use crate::search::{meter::Meter, states::States};
use gdl_runtime::{Game, chance::Stream, game::Id};

/// The status of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    /// The state is lost without the move.
    Needed,
    /// The move leads to a visited state.
    Known,
    /// The move is known to fail.
    Barred,
}

/// A state of the current path.
struct PathFrame {
    row: Vec<u64>,
    /// The move that led to the state.
    action: u32,
    moves: Vec<u32>,
    marks: Vec<Mark>,
    distances: Vec<u16>,
    /// The successor states of the moves.
    rows: Vec<u64>,
    /// The move being tried.
    trying: Option<usize>,
}

impl PathFrame {
    fn bytes(&self) -> usize {
        size_of::<Self>() + 8 * (self.row.len() + self.rows.len()) + 8 * self.moves.len()
    }
}

pub(super) struct Descent {
    root: Vec<u64>,
    frames: Vec<PathFrame>,
    visited: States,
    /// The number of descents begun, and of failures in the current one.
    begun: u64,
    failures: u64,
    stream: Stream,
    bytes: usize,
    frame_bytes: usize,
}

/// The number of failures before the first restart.
const FAILURES: u64 = 512;

/// The number of nodes that evaluating a move costs, in addition to the step.
const COST: u64 = 4;

impl Descent {
    /// Creates a descent from a root state.
    pub(super) fn new(root: &[u64], bytes: usize) -> Self {
        Self {
            root: root.to_vec(),
            frames: Vec::new(),
            visited: States::new(root.len()),
            begun: 0,
            failures: 0,
            stream: Stream::new(0, 0),
            bytes,
            frame_bytes: 0,
        }
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.frame_bytes + self.visited.bytes()
    }

    /// Continues until the meter has counted `nodes` further nodes; the problem records goals.
    pub(super) fn go_on<G: Game>(
        &mut self,
        problem: &mut Problem,
        steps: &mut Steps<'_, G>,
        meter: &mut Meter,
        nodes: u64,
    ) -> End {
        let end = meter.nodes() + nodes;
        while meter.nodes() < end && !meter.is_over() {
            if self.begun == 0 || self.failures >= FAILURES * luby(self.begun) {
                self.begun += 1;
                self.failures = 0;
                (self.frames, self.frame_bytes) = (Vec::new(), 0);
                self.visited = States::new(self.root.len());
                let root = self.root.clone();
                if self.enter(problem, steps, meter, &root, u32::MAX) {
                    return End::Paused;
                }
            }
            let Some(frame) = self.frames.last_mut() else { return End::Done };
            if let Some(tried) = frame.trying.take() {
                frame.marks[tried] = Mark::Barred;
                meter.spend(1);
                if !is_open(problem, frame) {
                    self.leave();
                    continue;
                }
            }
            let Some(place) = next(frame, &mut self.stream, self.begun > 1) else {
                self.leave();
                continue;
            };
            frame.trying = Some(place);
            let words = frame.row.len();
            let (action, row) = (frame.moves[place], frame.rows[place * words..][..words].to_vec());
            if self.frame_bytes > self.bytes / 2 {
                return End::Full;
            }
            if self.enter(problem, steps, meter, &row, action) {
                return End::Paused;
            }
        }
        End::Paused
    }

    fn leave(&mut self) {
        self.failures += 1;
        if let Some(frame) = self.frames.pop() {
            self.frame_bytes -= frame.bytes();
        }
    }

    /// Evaluates a state and adds it to the path, unless it is terminal or lost. Returns whether
    /// the aim is reached.
    fn enter<G: Game>(
        &mut self,
        problem: &mut Problem,
        steps: &mut Steps<'_, G>,
        meter: &mut Meter,
        row: &[u64],
        action: u32,
    ) -> bool {
        if self.bytes() < self.bytes / 2 {
            self.visited.insert(row);
        }
        steps.look(row, usize::MAX);
        if let Some(value) = steps.goal(0) {
            meter.spend(1);
            let on_the_way = self.frames.iter().skip(1).map(|frame| frame.action);
            let plan = on_the_way.chain((action != u32::MAX).then_some(action)).collect();
            return problem.tell(Goal { value, plan });
        }
        let words = steps.words();
        let (moves, rows) = steps.of(0);
        let mut frame = PathFrame {
            row: row.to_vec(),
            action,
            moves: moves.iter().map(|action| action.index() as u32).collect(),
            marks: vec![Mark::Open; moves.len()],
            distances: vec![0; moves.len()],
            rows: rows.to_vec(),
            trying: None,
        };
        meter.spend(1 + COST * frame.moves.len() as u64);
        self.sleep(steps, &mut frame);
        for (place, row) in frame.rows.chunks(words).enumerate() {
            if frame.marks[place] == Mark::Open && self.visited.find(row).is_some() {
                frame.marks[place] = Mark::Known;
            }
        }
        let open = |frame: &PathFrame| -> Vec<usize> {
            (0..frame.moves.len()).filter(|&place| frame.marks[place] == Mark::Open).collect()
        };
        let places = open(&frame);
        let rows = |place: &usize| &frame.rows[place * words..][..words];
        let are_open = problem.open(places.iter().map(rows));
        for (&place, is_open) in places.iter().zip(are_open) {
            if !is_open {
                frame.marks[place] = Mark::Barred;
            }
        }
        if !is_open(problem, &frame) {
            return false;
        }
        need(problem, &mut frame, &open);
        let places = open(&frame);
        let wanted: Vec<u64> =
            places.iter().flat_map(|&place| &frame.rows[place * words..][..words]).copied().collect();
        for (&place, distance) in places.iter().zip(problem.distances(&wanted, words)) {
            frame.distances[place] = distance;
        }
        self.frame_bytes += frame.bytes();
        self.frames.push(frame);
        false
    }

    /// Bars moves that failed in the previous state and are independent of the last move (sleep
    /// sets).
    fn sleep<G: Game>(&self, steps: &mut Steps<'_, G>, frame: &mut PathFrame) {
        let (Some(before), words) = (self.frames.last(), frame.row.len()) else { return };
        let Some(made) = before.trying else { return };
        let mut barred: Vec<(usize, usize)> = Vec::new();
        for (place, action) in before.moves.iter().enumerate() {
            if before.marks[place] == Mark::Barred
                && let Ok(here) = frame.moves.binary_search(action)
            {
                barred.push((place, here));
            }
        }
        if barred.is_empty() {
            return;
        }
        let rows: Vec<u64> =
            barred.iter().flat_map(|&(place, _)| &before.rows[place * words..][..words]).copied().collect();
        let moves = vec![G::Move::from_index(before.moves[made] as usize); barred.len()];
        let other_way = steps.follow(&rows, &moves);
        for (&(_, here), row) in barred.iter().zip(other_way.chunks(words)) {
            if frame.rows[here * words..][..words] == *row {
                frame.marks[here] = Mark::Barred;
            }
        }
    }
}

/// Returns whether the aim may still be reachable from a state without the barred moves.
fn is_open(problem: &mut Problem, frame: &PathFrame) -> bool {
    let barred = barred(frame);
    if barred.is_empty() {
        return !frame.moves.is_empty();
    }
    problem.open_without(&frame.row, &barred, &[None])[0]
}

fn barred(frame: &PathFrame) -> Vec<u32> {
    let barred = frame.marks.iter().zip(&frame.moves).filter(|&(&mark, _)| mark == Mark::Barred);
    barred.map(|(_, &action)| action).collect()
}

/// Marks the moves without which the state is lost.
fn need(problem: &mut Problem, frame: &mut PathFrame, open: &impl Fn(&PathFrame) -> Vec<usize>) {
    let (barred, places) = (barred(frame), open(frame));
    for places in places.chunks(LANES) {
        let without: Vec<Option<u32>> = places.iter().map(|&place| Some(frame.moves[place])).collect();
        let found = problem.open_without(&frame.row, &barred, &without);
        for (&place, is_open) in places.iter().zip(found) {
            if !is_open {
                frame.marks[place] = Mark::Needed;
            }
        }
    }
}

/// Returns the place of the move to try next: a needed one, otherwise one with the least distance.
/// Takes the first of several such moves, or a random one if `is_drawn`.
fn next(frame: &PathFrame, stream: &mut Stream, is_drawn: bool) -> Option<usize> {
    let needed = frame.marks.iter().position(|&mark| mark == Mark::Needed);
    needed.or_else(|| {
        let open = || (0..frame.moves.len()).filter(|&place| frame.marks[place] == Mark::Open);
        let least = open().map(|place| frame.distances[place]).min()?;
        let mut nearest = open().filter(|&place| frame.distances[place] == least);
        let rank = if is_drawn { stream.below(nearest.clone().count() as u64) as usize } else { 0 };
        nearest.nth(rank)
    })
}

/// Returns a number of the Luby sequence 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, …, from index
/// 1.
fn luby(mut number: u64) -> u64 {
    loop {
        let power = (number + 1).next_power_of_two();
        if power == number + 1 {
            return power / 2;
        }
        number -= power / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn most_descents_are_short() {
        assert_eq!((1..=15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}

//! The visit of all states that play can reach from a start: collects the states, their successors
//! and the values of terminal states.
//!
//! States are evaluated in blocks, which shrink if the views of a block take too many bytes. Each
//! step is made once, and once more for each symmetry. Lists grow only if the bytes suffice for
//! that and for retrograde analysis.

use super::{
    SolveError, canonical,
    look::{Look, PART},
};
use crate::search::{growth::Grow, meter::Meter, payoff::Payoff, states::States, symmetry::Symmetry};
use gdl_runtime::Game;

/// All states of a game in breadth-first order.
pub(super) struct Visit {
    pub(super) players: Vec<usize>,
    pub(super) symmetries: Vec<Symmetry>,
    pub(super) states: States,
    /// The start of each state's successors in `successors`, followed by the end of that list.
    pub(super) starts: Vec<u32>,
    pub(super) successors: Vec<u32>,
    /// The index in `players` of each state's deciding role; [`END`] for terminal states.
    pub(super) movers: Vec<u8>,
    /// The values of terminal states; 0 for others.
    pub(super) values: Vec<i8>,
    /// The maximum number of bytes of the whole solution.
    limit: usize,
}

/// The mover of terminal states.
pub(super) const END: u8 = 2;

/// The number of states that are evaluated together.
const BLOCK: usize = 128;

impl Visit {
    /// Creates an empty visit that may take `limit` bytes.
    pub(super) fn new(words: usize, players: Vec<usize>, symmetries: Vec<Symmetry>, limit: usize) -> Self {
        Self {
            players,
            symmetries,
            states: States::new(words),
            starts: vec![0],
            successors: Vec::new(),
            movers: Vec::new(),
            values: Vec::new(),
            limit,
        }
    }

    /// Visits all states. Returns false if some state refutes a symmetry.
    pub(super) fn run<G: Game>(
        &mut self,
        game: &G,
        start: &G::State,
        look: &mut Look<'_, G>,
        meter: &mut Meter,
    ) -> Result<bool, SolveError> {
        let payoff = Payoff::new(game);
        self.states.insert(&canonical(start.as_ref(), &self.symmetries));
        let (mut done, mut block) = (0, BLOCK);
        while done < self.states.len() {
            let end = self.states.len().min(done + block);
            let count = end - done;
            if !meter.spend((count * (1 + self.symmetries.len())) as u64) {
                return Err(SolveError::Budget);
            }
            let Some(seen) = look.at(count, self.states.rows(done, end), &self.symmetries)? else {
                return Ok(false);
            };
            if seen < count {
                block = seen;
            }
            for place in 0..seen {
                self.make_room(look.successors(place, &self.symmetries).count())?;
                match look.decider(place) {
                    Some(role) => self.go_on(place, role, look)?,
                    None => self.end(look.view(place), &payoff),
                }
                self.starts.push(self.successors.len() as u32);
            }
            done += seen;
        }
        Ok(true)
    }

    /// Makes room for one more evaluated state with `steps` successors.
    fn make_room(&mut self, steps: usize) -> Result<(), SolveError> {
        let growth = self.states.growth(steps)
            + self.successors.growth(steps)
            + self.starts.growth(1)
            + self.movers.growth(1)
            + self.values.growth(1);
        self.check(growth)?;
        self.states.grow(steps);
        self.successors.grow(steps);
        self.starts.grow(1);
        self.movers.grow(1);
        self.values.grow(1);
        // Retrograde analysis needs the steps once more, and four numbers for each state.
        self.check(4 * (self.successors.len() + steps) + 16 * (self.states.len() + steps))
    }

    /// Returns an error if `more` bytes in addition to those in use exceed the limit, or there are
    /// too many steps to number.
    fn check(&self, more: usize) -> Result<(), SolveError> {
        let lists = self.successors.held() + self.starts.held() + self.movers.held() + self.values.held();
        let limit = self.limit - 3 * (self.limit / PART);
        if self.states.bytes() + lists + more > limit || self.successors.len() >= u32::MAX as usize / 2 {
            return Err(SolveError::Bytes { limit: self.limit });
        }
        Ok(())
    }

    fn end(&mut self, view: &[u64], payoff: &Payoff) {
        let goal = |player: usize| payoff.goal(view, self.players[player]).cast_signed();
        let value = if self.players.len() == 1 { goal(0) } else { goal(0) - goal(1) };
        self.movers.push(END);
        self.values.push(value);
    }

    fn go_on<G: Game>(&mut self, place: usize, role: usize, look: &Look<'_, G>) -> Result<(), SolveError> {
        let mover = self.players.iter().position(|&player| player == role).ok_or(SolveError::Chance)?;
        self.movers.push(mover as u8);
        self.values.push(0);
        // Several moves to the same state count once.
        let successors = look.successors(place, &self.symmetries);
        let mut numbers: Vec<u32> =
            successors.map(|successor| self.states.insert(&canonical(successor, &self.symmetries))).collect();
        numbers.sort_unstable();
        numbers.dedup();
        self.successors.extend(numbers);
        Ok(())
    }
}

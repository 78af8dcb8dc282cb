//! Small games solved: in comes a game for one role or for two that take turns, out go the values of all states that play
//! can reach.
//!
//! States are visited breadth first and numbered; then values go back from the ends, against the moves, until none
//! changes (retrograde analysis). So games that can go round in circles are solved too: play without end is worth
//! nothing to one role, and half to each of two.
//!
//! States that a symmetry takes into each other are one. That a permutation is a symmetry is proved as the states are
//! visited: of every state that is kept, all images are looked at too, and must have the images of its legal moves,
//! goals and successors. At the first that does not, the permutation is dropped and the visit begins again. That saves
//! memory, and all the work on values; it saves no steps of the game.

use super::{
    memory::hash,
    meter::Meter,
    options::Options,
    payoff::Payoff,
    symmetry::{Symmetry, candidates},
};
use crate::{
    bits,
    game::{Game, Id},
    player::Budget,
    random::Stream,
};
use std::{cmp::Reverse, collections::VecDeque, error::Error, fmt, marker::PhantomData};

/// Why a game was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// There are more than two roles.
    Roles,
    /// Chance has a choice.
    Chance,
    /// Roles choose at the same time.
    Simultaneous,
    /// It takes more memory than is allowed.
    Bytes {
        /// The most bytes.
        limit: usize,
    },
    /// The budget was spent first.
    Budget,
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roles => f.write_str("only games for one or two roles can be solved"),
            Self::Chance => f.write_str("games of chance cannot be solved"),
            Self::Simultaneous => {
                f.write_str("games in which roles choose at the same time cannot be solved")
            }
            Self::Bytes { limit } => write!(f, "the states take more than {limit} bytes"),
            Self::Budget => f.write_str("the budget was spent before the game was solved"),
        }
    }
}

impl Error for SolveError {}

/// The value of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solved {
    /// The goal that the role gets if both play as well as can be, where the goals of two add up to 100; else half of
    /// 100 and how much more it gets than the other.
    pub value: f64,
    /// After how many moves, if whoever is ahead hurries and the other one does not. None where nobody is ahead.
    pub moves: Option<u32>,
}

/// What comes of every state that play can reach from some state.
///
/// ```
/// use gdl_runtime::{Budget, Game, Solution, gdl};
///
/// gdl!(name = nim, rules = r"
///     (role left) (role right) (init (sticks 5)) (init (control left))
///     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
///     (minus 4 1 3) (minus 4 2 2) (minus 5 1 4) (minus 5 2 3) (other left right) (other right left)
///     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
///     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
///     (<= terminal (true (sticks 0)))
///     (<= (goal ?r 0) (true (control ?r)))
///     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
/// ");
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let game = nim::game();
///     let solution = Solution::of(&game, &game.initial(), 1 << 20, &Budget::unlimited())?;
///     let solved = solution.value(&game.initial(), nim::Role::Left).unwrap();
///     assert_eq!((solved.value, solved.moves), (100.0, Some(3)));
///     let best = solution.best(&game, &game.initial(), nim::Role::Left).unwrap();
///     assert_eq!(game.move_text(best), "(take 2)");
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Solution<G: Game> {
    states: States,
    symmetries: Vec<Symmetry>,
    /// What the first player has more than the second in the end, or its goal if it is alone.
    values: Vec<i8>,
    /// Moves to the end; [`NONE`] where nobody is ahead.
    distances: Vec<u32>,
    players: Vec<usize>,
    game: PhantomData<fn() -> G>,
}

/// No state, nobody, never.
const NONE: u32 = u32::MAX;

impl<G: Game> Solution<G> {
    /// Bytes that are enough for some millions of states.
    pub const DEFAULT_BYTES: usize = 1 << 30;

    /// Solves what play can reach from a state. The nodes of the budget are states looked at, images among
    /// them, and names of fluents and moves.
    ///
    /// Time and memory: O(states and moves), where states that symmetries take into each other count once for memory.
    ///
    /// # Errors
    /// If the game is not of the kind, or takes too much.
    pub fn of(game: &G, state: &G::State, bytes: usize, budget: &Budget) -> Result<Self, SolveError> {
        let chance = game.chance_role();
        let players: Vec<usize> = game.roles().filter(|&role| Some(role) != chance).map(Id::index).collect();
        if players.is_empty() || players.len() > 2 {
            return Err(SolveError::Roles);
        }
        let mut meter = Meter::new(budget, u64::MAX);
        // Symmetries are looked for in names.
        let names = game.shape().fluents + game.shape().moves;
        if !meter.spend(names as u64) {
            return Err(SolveError::Budget);
        }
        let mut groups = candidates(game);
        groups.retain(|group| holds_in_play(game, state, group, &mut meter));
        groups.push(Vec::new());
        let mut error = SolveError::Budget;
        for group in groups {
            let mut visit = Visit::new(game, players.clone(), group, bytes);
            match visit.run(state, &mut meter) {
                Ok(true) => return Ok(visit.solve()),
                Ok(false) => {}
                Err(fault) => {
                    error = fault;
                    break;
                }
            }
        }
        Err(error)
    }

    /// How many states there are, those that symmetries take into each other counted once.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// False: there is at least one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many symmetries were proved and used, the identity among them.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.symmetries.len() + 1
    }

    /// What a state is worth to a role; none of a state that play does not reach. O(words of a state and symmetries).
    #[must_use]
    pub fn value(&self, state: &G::State, role: G::Role) -> Option<Solved> {
        let (value, distance) = self.find(state)?;
        let value = f64::from(value);
        let value = match self.players[..] {
            [alone] => (alone == role.index()).then_some(value)?,
            _ if role.index() == self.players[0] => f64::midpoint(100.0, value),
            _ => f64::midpoint(100.0, -value),
        };
        Some(Solved { value, moves: (distance != NONE).then_some(distance) })
    }

    /// A best move of a role: to the greatest value, and there as soon as it is ahead, as late as it is behind. None if
    /// play does not reach the state or the role has no move there. The first such move in move order.
    #[must_use]
    pub fn best(&self, game: &G, state: &G::State, role: G::Role) -> Option<G::Move> {
        let mut view = game.blank();
        game.glance(state, &mut view);
        let mut options = Options::new(game);
        if game.terminal_in(&view) || !options.read(game, &view) {
            return None;
        }
        let moves: Vec<G::Move> = options.of(role.index()).to_vec();
        if let [only] = moves[..] {
            return Some(only);
        }
        let sign = if role.index() == self.players[0] { 1 } else { -1 };
        let rank = |action: &G::Move| {
            options.set(role.index(), *action);
            let (value, distance) = self.find(&game.next_unchecked(state, options.joint()))?;
            let value = sign * i64::from(value);
            // Moves count as far as somebody is ahead.
            let hurry = if distance == NONE { 0 } else { -value.signum() * i64::from(distance) };
            Some((value, hurry))
        };
        let ranked: Option<Vec<_>> = moves.iter().map(rank).collect();
        let ranked = ranked?;
        let best = ranked.iter().max()?;
        ranked.iter().position(|rank| rank == best).map(|place| moves[place])
    }

    fn find(&self, state: &G::State) -> Option<(i8, u32)> {
        let row = canonical(state.as_ref(), &self.symmetries);
        let number = self.states.find(&row)? as usize;
        Some((self.values[number], self.distances[number]))
    }
}

/// The least of all images of a row.
fn canonical(row: &[u64], symmetries: &[Symmetry]) -> Vec<u64> {
    let mut least = row.to_vec();
    let mut image = vec![0; row.len()];
    for symmetry in symmetries {
        permute(row, &symmetry.fluents, &mut image);
        if image < least {
            least.copy_from_slice(&image);
        }
    }
    least
}

fn permute(row: &[u64], to: &[u32], image: &mut [u64]) {
    image.fill(0);
    bits::ones(row).for_each(|bit| bits::set(image, to[bit] as usize));
}

/// States by number, and numbers by state.
#[derive(Debug)]
struct States {
    words: usize,
    rows: Vec<u64>,
    /// Open addressing; a power of two of places.
    places: Vec<u32>,
}

impl States {
    fn new(words: usize) -> Self {
        Self { words, rows: Vec::new(), places: vec![NONE; 64] }
    }

    fn len(&self) -> usize {
        self.rows.len() / self.words.max(1)
    }

    fn row(&self, number: u32) -> &[u64] {
        &self.rows[number as usize * self.words..][..self.words]
    }

    /// Where a row stands or would stand.
    fn place(&self, row: &[u64]) -> usize {
        let mask = self.places.len() - 1;
        let mut place = (hash(row) >> 20) as usize & mask;
        while self.places[place] != NONE && self.row(self.places[place]) != row {
            place = (place + 1) & mask;
        }
        place
    }

    fn find(&self, row: &[u64]) -> Option<u32> {
        let number = self.places[self.place(row)];
        (number != NONE).then_some(number)
    }

    fn insert(&mut self, row: &[u64]) -> u32 {
        let place = self.place(row);
        if self.places[place] != NONE {
            return self.places[place];
        }
        let number = self.len() as u32;
        self.places[place] = number;
        self.rows.extend(row);
        if 2 * self.len() > self.places.len() {
            self.places = vec![NONE; 2 * self.places.len()];
            for number in 0..self.len() as u32 {
                let place = self.place(self.row(number));
                self.places[place] = number;
            }
        }
        number
    }

    fn bytes(&self) -> usize {
        8 * self.rows.capacity() + 4 * self.places.len()
    }
}

/// A look at all states.
struct Visit<'g, G: Game> {
    game: &'g G,
    players: Vec<usize>,
    payoff: Payoff,
    symmetries: Vec<Symmetry>,
    limit: usize,
    states: States,
    /// For each state where its successors start in `children`.
    starts: Vec<u32>,
    children: Vec<u32>,
    /// For each state the place in `players` of who decides; [`END`] in terminal states.
    movers: Vec<u8>,
    values: Vec<i8>,
}

const END: u8 = 2;

impl<'g, G: Game> Visit<'g, G> {
    fn new(game: &'g G, players: Vec<usize>, symmetries: Vec<Symmetry>, limit: usize) -> Self {
        Self {
            game,
            players,
            payoff: Payoff::new(game),
            symmetries,
            limit,
            states: States::new(game.shape().state_words().max(1)),
            starts: vec![0],
            children: Vec::new(),
            movers: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Visits all states. False if some state shows that the symmetries are none.
    fn run(&mut self, start: &G::State, meter: &mut Meter) -> Result<bool, SolveError> {
        let game = self.game;
        let mut options = Options::new(game);
        let (mut view, mut state) = (game.blank(), start.clone());
        self.states.insert(&canonical(start.as_ref(), &self.symmetries));
        let mut number = 0;
        while (number as usize) < self.states.len() {
            if !meter.spend(1 + self.symmetries.len() as u64) {
                return Err(SolveError::Budget);
            }
            state.as_mut().copy_from_slice(self.states.row(number));
            game.glance(&state, &mut view);
            if !self.is_symmetric(&state) {
                return Ok(false);
            }
            let over = game.terminal_in(&view);
            if over || !options.read(game, &view) {
                if !over {
                    game.observe(&state, &mut view);
                }
                self.end(view.as_ref());
            } else {
                self.expand(&state, &mut options)?;
            }
            self.starts.push(self.children.len() as u32);
            // Going back takes as many again, and some lists for each state.
            let bytes = self.states.bytes() + 8 * self.children.capacity() + 24 * self.movers.capacity();
            if bytes > self.limit || self.children.len() >= NONE as usize / 2 {
                return Err(SolveError::Bytes { limit: self.limit });
            }
            number += 1;
        }
        Ok(true)
    }

    fn end(&mut self, view: &[u64]) {
        let goal = |player: usize| self.payoff.goal(view, self.players[player]).cast_signed();
        let value = if self.players.len() == 1 { goal(0) } else { goal(0) - goal(1) };
        self.movers.push(END);
        self.values.push(value);
    }

    fn expand(&mut self, state: &G::State, options: &mut Options<G>) -> Result<(), SolveError> {
        let mut deciders = (0..self.game.shape().roles).filter(|&role| options.of(role).len() > 1);
        let decider = deciders.next();
        if deciders.next().is_some() {
            return Err(SolveError::Simultaneous);
        }
        // Where nobody decides it does not matter who does.
        let role = decider.unwrap_or(self.players[0]);
        let mover = self.players.iter().position(|&player| player == role).ok_or(SolveError::Chance)?;
        self.movers.push(mover as u8);
        self.values.push(0);
        let first = self.children.len();
        for place in 0..options.of(role).len() {
            let action = options.of(role)[place];
            options.set(role, action);
            let next = self.game.next_unchecked(state, options.joint());
            let child = self.states.insert(&canonical(next.as_ref(), &self.symmetries));
            // One is enough of moves to the same state.
            if !self.children[first..].contains(&child) {
                self.children.push(child);
            }
        }
        Ok(())
    }

    /// True if every symmetry takes what is seen of the state, and what follows, to what is seen of the image and
    /// follows there.
    fn is_symmetric(&self, state: &G::State) -> bool {
        self.symmetries.iter().all(|symmetry| is_image(self.game, state, symmetry))
    }

    /// Goes back from the ends.
    fn solve(self) -> Solution<G> {
        let Self { players, states, symmetries, starts, children, movers, mut values, .. } = self;
        let count = movers.len();
        // The states before each, one list behind the other.
        let mut before_starts = vec![0_u32; count + 1];
        children.iter().for_each(|&child| before_starts[child as usize + 1] += 1);
        (0..count).for_each(|number| before_starts[number + 1] += before_starts[number]);
        let mut fill = before_starts.clone();
        let mut before = vec![0_u32; children.len()];
        for number in 0..count {
            for &child in &children[starts[number] as usize..starts[number + 1] as usize] {
                let place = &mut fill[child as usize];
                before[*place as usize] = number as u32;
                *place += 1;
            }
        }
        let mut distances = vec![NONE; count];
        let ends: Vec<u32> = (0..count as u32).filter(|&number| movers[number as usize] == END).collect();
        // First what one player can force above 0, the most first, then what the other one can below.
        for (mover, sign) in [(0_u8, 1_i8), (1, -1)] {
            let mut left: Vec<u32> = (0..count).map(|number| starts[number + 1] - starts[number]).collect();
            let mut worths: Vec<i8> =
                ends.iter().map(|&end| values[end as usize].saturating_mul(sign)).collect();
            worths.retain(|&worth| worth > 0);
            worths.sort_unstable_by_key(|&worth| Reverse(worth));
            worths.dedup();
            for worth in worths {
                let value = worth * sign;
                let mut queue: VecDeque<u32> =
                    ends.iter().copied().filter(|&end| values[end as usize] == value).collect();
                queue.iter().for_each(|&end| distances[end as usize] = 0);
                while let Some(number) = queue.pop_front() {
                    let range = before_starts[number as usize]..before_starts[number as usize + 1];
                    for &parent in &before[range.start as usize..range.end as usize] {
                        let place = parent as usize;
                        left[place] -= 1;
                        let is_forced = movers[place] == mover || left[place] == 0;
                        if distances[place] == NONE && is_forced {
                            values[place] = value;
                            distances[place] = distances[number as usize] + 1;
                            queue.push_back(parent);
                        }
                    }
                }
            }
        }
        Solution { states, symmetries, values, distances, players, game: PhantomData }
    }
}

/// True if the symmetry takes what is seen of the state, and what follows, to what is seen of its image and follows
/// there.
fn is_image<G: Game>(game: &G, state: &G::State, symmetry: &Symmetry) -> bool {
    let shape = game.shape();
    let image_of = |state: &G::State| {
        let mut image = game.empty();
        permute(state.as_ref(), &symmetry.fluents, image.as_mut());
        image
    };
    let image = image_of(state);
    let (mut view, mut seen) = (game.blank(), game.blank());
    game.observe(state, &mut view);
    game.observe(&image, &mut seen);
    let behind = shape.goal_bit() / 64;
    if view.as_ref()[behind..] != seen.as_ref()[behind..] {
        return false;
    }
    for role in game.roles() {
        let mut legal: Vec<u32> = game.legal_in(&view, role).map(|m| symmetry.moves[m.index()]).collect();
        legal.sort_unstable();
        if !game.legal_in(&seen, role).map(|m| m.index() as u32).eq(legal) {
            return false;
        }
    }
    let mut options = Options::new(game);
    if game.terminal_in(&view) || !options.read(game, &view) {
        return true;
    }
    let roles: Vec<usize> = (0..shape.roles).collect();
    (0..options.ways(&roles)).all(|way| {
        options.set_way(&roles, way);
        let turned = options.joint().iter().map(|m| G::Move::from_index(symmetry.moves[m.index()] as usize));
        let turned: Vec<G::Move> = turned.collect();
        let next = game.next_unchecked(state, options.joint());
        image_of(&next) == game.next_unchecked(&image, &turned)
    })
}

/// False if random play shows that some of the permutations are no symmetries, or the budget is spent.
fn holds_in_play<G: Game>(game: &G, start: &G::State, group: &[Symmetry], meter: &mut Meter) -> bool {
    const GAMES: u64 = 3;
    const MOVES: usize = 30;
    (0..GAMES).all(|number| {
        let mut stream = Stream::new(0, number);
        let mut state = start.clone();
        let mut view = game.blank();
        for _ in 0..MOVES {
            if !group.iter().all(|symmetry| meter.tick() && is_image(game, &state, symmetry)) {
                return false;
            }
            game.glance(&state, &mut view);
            let joint: Option<Vec<G::Move>> =
                game.roles().map(|role| game.draw_in(&view, role, &mut stream)).collect();
            let Some(joint) = joint.filter(|_| !game.terminal_in(&view)) else { break };
            game.advance(&mut state, &joint);
        }
        true
    })
}

//! The comparison of two rulesheets as games. In every reachable state, both must have the same
//! legal moves, the same end and, in terminal states, the same goals.
//!
//! The input is two games and a callback that translates names of the first to names of the second.
//! The output is an [`EqualityVerdict`]. Pairs of states are visited breadth first from the initial
//! states, each pair once. If none remains, the games are proved equal. The first difference found
//! has a shortest play.
//!
//! If there are more pairs or moves than [`Bounds`] allow, the depth of the last complete level is
//! reported. Seeded random play from the initial states follows. The fluents of states may differ.
//! States and views are computed 512 at a time in lanes if the games support lanes. A pair takes
//! the memory of its two states, and 24 bytes.

mod many;

use gdl_runtime::{
    Game, GameExt,
    chance::Stream,
    game::{Id, Perception},
};
use indexmap::IndexSet;
use many::{MOST, Many};
use rustc_hash::FxBuildHasher;
use std::{collections::HashSet, ops::Range};

/// The bounds of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most pairs of states to visit.
    pub states: usize,
    /// The most joint moves to make during the visit.
    pub moves: usize,
    /// The number of random games to play if the visit is incomplete.
    pub playouts: u64,
    /// The most joint moves of a random game.
    pub length: usize,
    /// The seed of random play.
    pub seed: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { states: 200_000, moves: 4_000_000, playouts: 200, length: 500, seed: 0 }
    }
}

/// The verdict of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EqualityVerdict {
    /// All reachable states were compared, and they are equal.
    Proved {
        /// The number of pairs of states.
        states: usize,
    },
    /// No difference was found within the bounds.
    Agreed {
        /// The depth up to which all states were compared.
        depth: usize,
        /// The number of pairs of states visited.
        states: usize,
        /// The number of random games played.
        playouts: u64,
    },
    /// A difference was found.
    Different {
        /// The difference, as a sentence.
        what: String,
        /// The joint moves that lead to it, each in the role order of the first game.
        play: Vec<Vec<String>>,
    },
}

/// Two games and the correspondence of their names.
struct GamePair<'g, A: Game, B: Game> {
    a: &'g A,
    b: &'g B,
    /// For each role of the first game, the corresponding role of the second.
    roles: Vec<B::Role>,
    /// For each move of the first game, the corresponding move of the second, if any.
    moves: Vec<Option<B::Move>>,
    /// For each percept of the first game, the corresponding percept of the second, if any.
    percepts: Vec<Option<B::Percept>>,
}

/// Compares two games. `rename` translates a name of the first game to the second.
///
/// Calls `tell` from time to time with the number of pairs of states visited.
pub fn compare<A: Game, B: Game>(
    a: &A,
    b: &B,
    rename: impl Fn(&str) -> String,
    bounds: &Bounds,
    tell: &mut dyn FnMut(usize),
) -> EqualityVerdict {
    let different = |what: String| EqualityVerdict::Different { what, play: Vec::new() };
    let mut roles = Vec::new();
    for role in a.roles() {
        let text = rename(a.role_text(role));
        match b.parse_role(&text) {
            Ok(other) => roles.push(other),
            Err(_) => return different(format!("the second game has no role `{text}`")),
        }
    }
    if let Some(role) = b.roles().find(|role| !roles.contains(role)) {
        return different(format!("the first game has no role `{}`", b.role_text(role)));
    }
    let moves = (0..a.shape().moves)
        .map(|i| b.parse_move(&rename(a.move_text(A::Move::from_index(i)))).ok())
        .collect();
    let percepts = (0..a.shape().percepts)
        .map(|i| b.parse_percept(&rename(a.percept_text(A::Percept::from_index(i)))).ok())
        .collect();
    GamePair { a, b, roles, moves, percepts }.walk(bounds, tell)
}

/// The pairs of states found. For each pair, `origins` has the index of its predecessor and the
/// number of the joint move between the two.
struct Walk<A: Game, B: Game> {
    pairs: IndexSet<(A::State, B::State), FxBuildHasher>,
    origins: Vec<(usize, usize)>,
}

impl<A: Game, B: Game> Walk<A, B> {
    /// Returns the views of the pairs with these indices.
    fn views(
        &self,
        many: &mut (Many<'_, A>, Many<'_, B>),
        places: Range<usize>,
    ) -> impl Iterator<Item = (A::View, B::View)> + use<A, B> {
        let (left, right): (Vec<_>, Vec<_>) =
            places.map(|place| (&self.pairs[place].0, &self.pairs[place].1)).unzip();
        many.0.views(&left).into_iter().zip(many.1.views(&right))
    }
}

/// Joint moves to make: the index of the pair, the number of the joint move there, and its moves.
type Steps<M> = Vec<(usize, usize, Vec<M>)>;

impl<A: Game, B: Game> GamePair<'_, A, B> {
    /// Visits pairs of states level by level.
    fn walk(&self, bounds: &Bounds, tell: &mut dyn FnMut(usize)) -> EqualityVerdict {
        let mut many = (Many::new(self.a), Many::new(self.b));
        let pairs = std::iter::once((self.a.initial(), self.b.initial())).collect();
        let mut walk = Walk::<A, B> { pairs, origins: vec![(0, 0)] };
        let (mut first, mut depth, mut made) = (0, 0, 0);
        // Once a bound is exceeded, the rest of the level is compared but not expanded.
        let mut goes_on = true;
        loop {
            let end = walk.pairs.len();
            let mut steps: Steps<A::Move> = Vec::new();
            for start in (first..end).step_by(MOST) {
                tell(start);
                for (place, views) in (start..end).zip(walk.views(&mut many, start..end.min(start + MOST))) {
                    let legal = match self.differ(&views.0, &views.1) {
                        Ok(legal) => legal,
                        Err(what) => {
                            return EqualityVerdict::Different { what, play: self.play(&walk, place) };
                        }
                    };
                    let Some(legal) = legal.filter(|_| goes_on) else { continue };
                    for (number, joint) in Joints::new(legal).enumerate() {
                        made += 1;
                        goes_on = walk.pairs.len() < bounds.states && made <= bounds.moves;
                        if !goes_on {
                            break;
                        }
                        let (left, right) = &walk.pairs[place];
                        if let Some(what) = self.percepts_differ(left, right, &joint) {
                            let mut play = self.play(&walk, place);
                            play.push(self.texts(&joint));
                            return EqualityVerdict::Different { what, play };
                        }
                        steps.push((place, number, joint));
                        if steps.len() == MOST {
                            self.make(&mut many, &mut walk, &mut steps);
                        }
                    }
                }
            }
            self.make(&mut many, &mut walk, &mut steps);
            if !goes_on {
                return self.play_on(bounds, depth, walk.pairs.len());
            }
            if walk.pairs.len() == end {
                return EqualityVerdict::Proved { states: end };
            }
            (first, depth) = (end, depth + 1);
        }
    }

    /// Makes joint moves and adds the new pairs. Clears `steps`.
    fn make(&self, many: &mut (Many<'_, A>, Many<'_, B>), walk: &mut Walk<A, B>, steps: &mut Steps<A::Move>) {
        let (left, right): (Vec<_>, Vec<_>) = steps
            .iter()
            .map(|(place, _, joint)| {
                let (a, b) = &walk.pairs[*place];
                ((a, joint.clone()), (b, self.joint(joint)))
            })
            .unzip();
        let (left, right) = (many.0.successors(&left), many.1.successors(&right));
        for ((place, number, _), pair) in steps.drain(..).zip(left.into_iter().zip(right)) {
            if walk.pairs.insert(pair) {
                walk.origins.push((place, number));
            }
        }
    }

    /// Plays random games from the initial states, after an incomplete visit.
    fn play_on(&self, bounds: &Bounds, depth: usize, states: usize) -> EqualityVerdict {
        for playout in 0..bounds.playouts {
            let mut stream = Stream::new(bounds.seed, playout);
            let (mut a, mut b) = (self.a.initial(), self.b.initial());
            let mut play = Vec::new();
            for _ in 0..bounds.length {
                let legal = match self.differ(&self.a.view(&a), &self.b.view(&b)) {
                    Ok(Some(legal)) if legal.iter().all(|moves| !moves.is_empty()) => legal,
                    Ok(_) => break,
                    Err(what) => return EqualityVerdict::Different { what, play },
                };
                let joint: Vec<A::Move> =
                    legal.iter().map(|moves| moves[stream.below(moves.len() as u64) as usize]).collect();
                play.push(self.texts(&joint));
                if let Some(what) = self.percepts_differ(&a, &b, &joint) {
                    return EqualityVerdict::Different { what, play };
                }
                (a, b) = self.step(&a, &b, &joint);
            }
        }
        EqualityVerdict::Agreed { depth, states, playouts: bounds.playouts }
    }

    /// Compares two views. Returns the legal moves of each role, `None` in a terminal state, or the
    /// difference as an error.
    fn differ(&self, left: &A::View, right: &B::View) -> Result<Option<Vec<Vec<A::Move>>>, String> {
        let (ends, other) = (self.a.is_terminal_in(left), self.b.is_terminal_in(right));
        if ends != other {
            let which = if ends { "first" } else { "second" };
            return Err(format!("the {which} game is over, the other goes on"));
        }
        if ends {
            // The goals of chance are irrelevant.
            let chance = self.a.vocabulary().chance();
            for (role, &other) in
                self.a.roles().zip(&self.roles).filter(|(role, _)| Some(role.index()) != chance)
            {
                let (goals, others) = (self.a.goals_in(left, role), self.b.goals_in(right, other));
                let (goals, others): (Vec<u8>, Vec<u8>) = (goals.collect(), others.collect());
                if goals != others {
                    let name = self.a.role_text(role);
                    return Err(format!("the goal of `{name}` is {} or {}", values(&goals), values(&others)));
                }
            }
            return Ok(None);
        }
        let mut legal = Vec::new();
        for (role, &other) in self.a.roles().zip(&self.roles) {
            let name = self.a.role_text(role);
            let moves: Vec<A::Move> = self.a.legal_moves_in(left, role).collect();
            for &action in &moves {
                let there =
                    self.moves[action.index()].is_some_and(|there| self.b.is_legal_in(right, other, there));
                if !there {
                    let action = self.a.move_text(action);
                    return Err(format!("`{name}` may do `{action}` only in the first game"));
                }
            }
            let count = self.b.legal_moves_in(right, other).count();
            if count != moves.len() {
                let known: HashSet<B::Move> =
                    moves.iter().filter_map(|action| self.moves[action.index()]).collect();
                let more = self.b.legal_moves_in(right, other).find(|action| !known.contains(action));
                let action = more.map_or("", |action| self.b.move_text(action));
                return Err(format!("`{name}` may do `{action}` only in the second game"));
            }
            legal.push(moves);
        }
        Ok(Some(legal))
    }

    /// Returns the difference in the roles' percepts of a joint move, if any. There is none if
    /// neither game has rules for percepts, since every role then perceives the joint move.
    fn percepts_differ(&self, a: &A::State, b: &B::State, joint: &[A::Move]) -> Option<String> {
        let has = (self.a.vocabulary().has_percepts(), self.b.vocabulary().has_percepts());
        if has == (false, false) {
            return None;
        }
        if has.0 != has.1 {
            return Some("only one game has rules for what roles perceive".to_owned());
        }
        let others = self.joint(joint);
        self.a.roles().zip(&self.roles).find_map(|(role, &other)| {
            let left = self.a.perception(a, joint, role);
            let right = self.b.perception(b, &others, other);
            let same = match (&left, &right) {
                (Perception::Percepts(left), Perception::Percepts(right)) => {
                    let mut there: Vec<Option<B::Percept>> =
                        left.iter().map(|percept| self.percepts[percept.index()]).collect();
                    // The two games may number the percepts differently.
                    there.sort_unstable();
                    there.into_iter().eq(right.iter().map(|&percept| Some(percept)))
                }
                _ => false,
            };
            let name = self.a.role_text(role);
            (!same).then(|| {
                let (left, right) = (self.a.perception_text(&left), self.b.perception_text(&right));
                format!("`{name}` perceives `{left}` or `{right}`")
            })
        })
    }

    /// Translates a joint move to the second game, in its role order. All moves must be legal
    /// there.
    fn joint(&self, joint: &[A::Move]) -> Vec<B::Move> {
        let mut others = vec![B::Move::from_index(0); joint.len()];
        for (action, role) in joint.iter().zip(&self.roles) {
            if let Some(action) = self.moves[action.index()] {
                others[role.index()] = action;
            }
        }
        others
    }

    fn step(&self, a: &A::State, b: &B::State, joint: &[A::Move]) -> (A::State, B::State) {
        (self.a.apply_unchecked(a, joint), self.b.apply_unchecked(b, &self.joint(joint)))
    }

    fn texts(&self, joint: &[A::Move]) -> Vec<String> {
        joint.iter().map(|&action| self.a.move_text(action).to_owned()).collect()
    }

    /// Returns the joint moves that lead to a pair.
    fn play(&self, walk: &Walk<A, B>, mut place: usize) -> Vec<Vec<String>> {
        let mut play = Vec::new();
        while place > 0 {
            let (from, number) = walk.origins[place];
            let (a, b) = &walk.pairs[from];
            // The pair has no difference, or the comparison would have ended there.
            let legal = self.differ(&self.a.view(a), &self.b.view(b)).ok().flatten().unwrap_or_default();
            play.extend(Joints::new(legal).nth(number).map(|joint| self.texts(&joint)));
            place = from;
        }
        play.reverse();
        play
    }
}

fn values(goals: &[u8]) -> String {
    match goals {
        [] => "missing".to_owned(),
        goals => goals.iter().map(u8::to_string).collect::<Vec<_>>().join(" and "),
    }
}

/// An iterator over all joint moves from the legal moves of each role. It is empty if a role has no
/// legal move.
struct Joints<M> {
    legal: Vec<Vec<M>>,
    places: Option<Vec<usize>>,
}

impl<M: Copy> Joints<M> {
    fn new(legal: Vec<Vec<M>>) -> Self {
        let places = legal.iter().all(|moves| !moves.is_empty()).then(|| vec![0; legal.len()]);
        Self { legal, places }
    }
}

impl<M: Copy> Iterator for Joints<M> {
    type Item = Vec<M>;

    fn next(&mut self) -> Option<Vec<M>> {
        let places = self.places.as_mut()?;
        let joint = self.legal.iter().zip(&*places).map(|(moves, &place)| moves[place]).collect();
        let mut role = 0;
        while let Some(place) = places.get_mut(role) {
            *place += 1;
            if *place < self.legal[role].len() {
                break;
            }
            *place = 0;
            role += 1;
        }
        if role == self.legal.len() {
            self.places = None;
        }
        Some(joint)
    }
}

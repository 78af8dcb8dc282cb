//! The tree of states of a game: joint moves add states to it, and undo and redo move in it.
//!
//! Undo and redo have no limit. A move made after an undo opens a branch; the old line stays, and
//! every place can be visited again. A [`History`] needs no players. It also serves a shared board,
//! an editor of openings or the study of a finished game.
//!
//! ```
//! use gdl_runtime::{Game, GameExt, gdl, History};
//!
//! gdl!(name = nim, rules = r"
//!     (role left) (role right) (init (sticks 3)) (init (control left))
//!     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
//!     (other left right) (other right left)
//!     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
//!     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
//!     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
//!     (<= terminal (true (sticks 0)))
//!     (<= (goal ?r 0) (true (control ?r)))
//!     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
//! ");
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use nim::Move;
//!
//!     let game = nim::game();
//!     let [one, two] = [Move::take(1), Move::take(2)].map(|m| m.expect("a move of the game"));
//!     let mut history = History::new(&game);
//!     let bad = history.play(&game, &[two, Move::NOOP])?;
//!     history.undo();
//!     history.play(&game, &[one, Move::NOOP])?; // a branch: the other line is still there
//!     assert_eq!(history.text(&game), "((control right) (sticks 2))");
//!     assert_eq!(history.len(), 3);
//!
//!     history.go(bad);
//!     assert_eq!(history.line(), [[two, Move::NOOP]]);
//!     assert!(history.play(&game, &[two, Move::NOOP]).is_err()); // left is not to move
//!     Ok(())
//! }
//! ```
//!
//! # Memory
//!
//! A place keeps its state, its joint move and ten words. Since states are stored, undo, redo and
//! jumps take constant time and no step of the game. A place without its state would be smaller: by
//! 8 bytes for tic-tac-toe, about 30 for reversi, a few hundred for the largest public rulesheets.
//! But each step back would then replay all moves from the start. A million places of reversi take
//! about 110 MB. Places lie in one array, so neither a long line nor a wide tree needs any stack.
//!
//! A history grows with every new place and bounds neither the number of places nor their bytes. A
//! program that plays untrusted moves should check [`History::len`] and [`History::bytes`] before
//! each step.

use crate::{
    game::{Game, GameExt, StepError, TextError},
    information::Information,
};
use std::{error::Error, fmt};

/// A place in a [`History`], with a state: the start, or the result of a joint move. It is valid
/// only for the history that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(usize);

impl Place {
    /// The place where every history starts.
    pub const START: Self = Self(0);

    /// The number of the place: 0 for the start, then in the order of creation.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A tree of states and the current place in it.
#[derive(Clone, Debug)]
pub struct History<G: Game> {
    /// The places, in the order of creation, so that a parent comes before its children.
    nodes: Vec<PlaceNode<G::State>>,
    /// The joint moves of all nodes except the first, in order.
    moves: Vec<G::Move>,
    roles: usize,
    /// The bytes of a place: its node, the words of its state and its joint move.
    bytes: usize,
    at: usize,
}

#[derive(Clone, Debug)]
struct PlaceNode<S> {
    state: S,
    depth: usize,
    /// The index of the parent; 0 for the start.
    parent: usize,
    /// The children, linked in the order in which they were made.
    first_child: Option<usize>,
    last_child: Option<usize>,
    sibling: Option<usize>,
    /// The child that was visited last, to which redo goes.
    onward: Option<usize>,
}

impl<G: Game> History<G> {
    /// Creates a history that begins at the initial state.
    #[must_use]
    pub fn new(game: &G) -> Self {
        Self::from_state(game, game.initial())
    }

    /// Creates a history that begins at any state, reachable or not.
    #[must_use]
    pub fn from_state(game: &G, state: G::State) -> Self {
        let start = PlaceNode::new(state, 0, 0);
        let shape = game.shape();
        // States of loaded games lie on the heap, others in the node. Counting both is a safe upper
        // bound.
        let bytes =
            size_of::<PlaceNode<G::State>>() + shape.state_words() * 8 + shape.roles * size_of::<G::Move>();
        Self { nodes: vec![start], moves: Vec::new(), roles: shape.roles, bytes, at: 0 }
    }

    /// Creates a history that begins at a state in KIF text, such as [`History::text`] returns.
    ///
    /// # Errors
    /// As for [`GameExt::parse_state`].
    pub fn from_text(game: &G, text: &str) -> Result<Self, TextError> {
        Ok(Self::from_state(game, game.parse_state(text)?))
    }

    /// Makes a joint move at the current place, one move for each role in role order, and goes to
    /// its result. If the joint move was made here before, it leads to the existing place.
    /// Otherwise a new place is added, and other lines stay.
    ///
    /// Compares `joint` with all joint moves made here before. A new joint move takes one
    /// observation and one step of the game.
    ///
    /// # Errors
    /// As for [`GameExt::apply`]; the history is then unchanged.
    pub fn play(&mut self, game: &G, joint: &[G::Move]) -> Result<Place, StepError> {
        let known = self.children(Place(self.at)).find(|&child| self.joint(child) == Some(joint));
        let child = if let Some(Place(child)) = known {
            child
        } else {
            let state = game.apply(self.state(), joint)?;
            let child = self.nodes.len();
            self.nodes.push(PlaceNode::new(state, self.nodes[self.at].depth + 1, self.at));
            self.moves.extend_from_slice(joint);
            match self.nodes[self.at].last_child.replace(child) {
                Some(before) => self.nodes[before].sibling = Some(child),
                None => self.nodes[self.at].first_child = Some(child),
            }
            child
        };
        self.nodes[self.at].onward = Some(child);
        self.at = child;
        Ok(Place(child))
    }

    /// Goes back one joint move and returns it. Returns `None` at the start.
    pub fn undo(&mut self) -> Option<&[G::Move]> {
        let here = self.at;
        if here == 0 {
            return None;
        }
        self.at = self.nodes[here].parent;
        self.joint(Place(here))
    }

    /// Goes to the next place of the line that was followed last, and returns the joint move to it.
    /// Returns `None` if no move was ever made here.
    pub fn redo(&mut self) -> Option<&[G::Move]> {
        self.at = self.nodes[self.at].onward?;
        self.joint(Place(self.at))
    }

    /// Goes to any place, and makes redo lead along the line to it. Returns false and changes
    /// nothing if this history has no such place. O(depth of the place).
    pub fn go(&mut self, place: Place) -> bool {
        if place.0 >= self.nodes.len() {
            return false;
        }
        self.at = place.0;
        let mut child = place.0;
        while child != 0 {
            let parent = self.nodes[child].parent;
            self.nodes[parent].onward = Some(child);
            child = parent;
        }
        true
    }

    /// The current place.
    #[must_use]
    pub fn place(&self) -> Place {
        Place(self.at)
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> &G::State {
        &self.nodes[self.at].state
    }

    /// The current state as KIF text, which [`History::from_text`] reads.
    #[must_use]
    pub fn text(&self, game: &G) -> String {
        game.state_text(self.state())
    }

    /// The number of joint moves between the start and the current place.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.nodes[self.at].depth
    }

    /// The number of joint moves between the start and a place; 0 for one that this history does
    /// not have. O(1).
    #[must_use]
    pub fn depth_at(&self, place: Place) -> usize {
        self.nodes.get(place.0).map_or(0, |node| node.depth)
    }

    /// The number of places, the start among them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of all places: their states, joint moves and links. The arrays may have reserved
    /// that amount again, except for the states of loaded games. O(1).
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.nodes.len() * self.bytes
    }

    /// Returns true if no move was ever made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// All places, in the order of creation.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Place> + use<G> {
        (0..self.nodes.len()).map(Place)
    }

    /// The state at a place. Returns `None` if this history has no such place.
    #[must_use]
    pub fn state_at(&self, place: Place) -> Option<&G::State> {
        self.nodes.get(place.0).map(|node| &node.state)
    }

    /// The joint move that led to a place. Returns `None` for the start.
    #[must_use]
    pub fn joint(&self, place: Place) -> Option<&[G::Move]> {
        let step = place.0.checked_sub(1)?;
        self.moves.get(step * self.roles..(step + 1) * self.roles)
    }

    /// The parent of a place. Returns `None` for the start.
    #[must_use]
    pub fn parent(&self, place: Place) -> Option<Place> {
        self.nodes.get(place.0).filter(|_| place.0 != 0).map(|node| Place(node.parent))
    }

    /// The children of a place, in the order of creation.
    pub fn children(&self, place: Place) -> impl Iterator<Item = Place> {
        let first = self.nodes.get(place.0).and_then(|node| node.first_child);
        std::iter::successors(first, |&child| self.nodes[child].sibling).map(Place)
    }

    /// The places from the start to the current one, both included. O(depth).
    #[must_use]
    pub fn path(&self) -> Vec<Place> {
        let mut path: Vec<Place> =
            std::iter::successors(Some(Place(self.at)), |&place| self.parent(place)).collect();
        path.reverse();
        path
    }

    /// The places that [`History::redo`] would go to, the next one first. O(number of these
    /// places).
    #[must_use]
    pub fn ahead(&self) -> Vec<Place> {
        std::iter::successors(self.nodes[self.at].onward, |&place| self.nodes[place].onward)
            .map(Place)
            .collect()
    }

    /// The joint moves from the start to the current place. O(depth).
    #[must_use]
    pub fn line(&self) -> Vec<&[G::Move]> {
        self.path().into_iter().filter_map(|place| self.joint(place)).collect()
    }

    /// The information of a role on the line from the start to the current place. If the rules have
    /// `sees`, this computes the percepts of each joint move.
    #[must_use]
    pub fn information(&self, game: &G, role: G::Role) -> Information<G> {
        let mut information = Information::new(role);
        for place in self.path() {
            if let (Some(parent), Some(joint)) = (self.parent(place), self.joint(place)) {
                information.step(game, &self.nodes[parent.0].state, joint);
            }
        }
        information
    }

    /// The whole tree as names, for storage. The names do not depend on how the rulesheet was
    /// compiled.
    #[must_use]
    pub fn transcript(&self, game: &G) -> Transcript {
        let step = |place: Place| Step {
            from: self.nodes[place.0].parent,
            moves: (self.joint(place).into_iter().flatten())
                .map(|&action| game.move_text(action).to_owned())
                .collect(),
        };
        Transcript {
            start: game.state_text(&self.nodes[0].state),
            steps: self.places().skip(1).map(step).collect(),
            at: self.at,
        }
    }

    /// Rebuilds the tree of a transcript, whose places keep their numbers. Every step is made anew,
    /// so the result follows the rules.
    ///
    /// # Errors
    /// Returns an error if the start is not a state of the game, or a step or the current place is
    /// not valid.
    pub fn from_transcript(game: &G, transcript: &Transcript) -> Result<Self, TranscriptError> {
        let mut history = Self::from_text(game, &transcript.start).map_err(TranscriptError::Start)?;
        for (step, Step { from, moves }) in transcript.steps.iter().enumerate() {
            let place = step + 1;
            if *from >= place {
                return Err(TranscriptError::Place { step: place, place: *from });
            }
            // Places are numbered in the order of creation, so replaying the steps restores the
            // numbers.
            history.at = *from;
            let joint: Result<Vec<_>, _> = moves.iter().map(|text| game.parse_move(text)).collect();
            let joint = joint.map_err(|error| TranscriptError::Move { step: place, error })?;
            let reached = history.play(game, &joint);
            let reached = reached.map_err(|error| TranscriptError::Step { step: place, error })?;
            if reached.0 != place {
                return Err(TranscriptError::Repeated { step: place });
            }
        }
        if !history.go(Place(transcript.at)) {
            return Err(TranscriptError::Place { step: transcript.steps.len(), place: transcript.at });
        }
        Ok(history)
    }
}

impl<S> PlaceNode<S> {
    fn new(state: S, depth: usize, parent: usize) -> Self {
        Self { state, depth, parent, first_child: None, last_child: None, sibling: None, onward: None }
    }
}

/// A [`History`] as names; serde data with the feature `serde`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transcript {
    /// The state at the start, as KIF text.
    pub start: String,
    /// The steps; the first one leads to place 1, the second to place 2 and so on.
    pub steps: Vec<Step>,
    /// The number of the current place.
    pub at: usize,
}

/// A step of a [`Transcript`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The number of the place at which the step was made.
    pub from: usize,
    /// One move for each role, in role order, as KIF text.
    pub moves: Vec<String>,
}

/// The reason why a [`Transcript`] is not a valid history of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The start is not a state of the game.
    Start(TextError),
    /// A step names a move that the game does not have.
    Move {
        /// The number of the step, from 1.
        step: usize,
        /// The error.
        error: TextError,
    },
    /// A step is not legal.
    Step {
        /// The number of the step, from 1.
        step: usize,
        /// The error.
        error: StepError,
    },
    /// The place of a step, or the current place, does not exist.
    Place {
        /// The number of the step, from 1. If the current place of the transcript does not exist,
        /// the number of all steps.
        step: usize,
        /// The number of the place.
        place: usize,
    },
    /// A step repeats an earlier one at the same place.
    Repeated {
        /// The number of the step, from 1.
        step: usize,
    },
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "the start: {error}"),
            Self::Move { step, error } => write!(f, "step {step}: {error}"),
            Self::Step { step, error } => write!(f, "step {step}: {error}"),
            Self::Place { step, place } => write!(f, "there is no place {place} after {step} steps"),
            Self::Repeated { step } => write!(f, "step {step} was made before"),
        }
    }
}

impl Error for TranscriptError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Start(error) | Self::Move { error, .. } => Some(error),
            Self::Step { error, .. } => Some(error),
            Self::Place { .. } | Self::Repeated { .. } => None,
        }
    }
}

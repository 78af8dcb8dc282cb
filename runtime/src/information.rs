//! Information of a role: its own moves and its perception of each step, but never the state.
//!
//! An [`Information`] is all that a role observes of a play, directly or from a match server: its
//! moves, each with a [`Perception`]. The role cannot distinguish plays with equal information. The
//! possible states are its [`InformationSet`], each with its exact probability.
//!
//! An information grows by one entry in each step. A step of an information set takes one step of
//! the game for each joint move, and memory for the states before and after. The numbers of joint
//! moves and of states have limits; exceeding one is an [`InformationError`].
//!
//! If the rules have no `sees`, a player perceives the joint move of each step, as in matches of
//! such games.
//!
//! ```
//! use gdl_runtime::{chance::Probability, Game, GameExt, gdl, Information, information::InformationSet};
//!
//! gdl!(name = coins, rules = r"
//!     ; Two coins are tossed; the player is told of the first one only, and calls the second.
//!     (role random) (role player) (init start) (side heads) (side tails)
//!     (<= (legal random (toss ?a ?b)) (true start) (side ?a) (side ?b))
//!     (<= (legal random noop) (not (true start)))
//!     (<= (legal player noop) (true start))
//!     (<= (legal player (call ?a)) (side ?a) (not (true start)))
//!     (<= (next (coins ?a ?b)) (does random (toss ?a ?b)))
//!     (<= (next (called ?c ?b)) (does player (call ?c)) (true (coins ?a ?b)))
//!     (<= (sees player (first ?a)) (does random (toss ?a ?b)))
//!     (<= terminal (true (called ?b ?c)))
//!     (<= (goal player 100) (true (called ?b ?b)))
//!     (<= (goal player 0) (true (called ?b ?c)) (distinct ?b ?c))
//! ");
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use coins::{Fluent, Move, Role};
//!
//!     let game = coins::game();
//!     let start = game.initial();
//!     // Chance has four moves, each as likely as the others.
//!     assert!(game.chance(&start).iter().all(|&(_, p)| p == Probability::one_in(4)));
//!
//!     let toss = Move::toss("heads", "tails").ok_or("no such move")?;
//!     let joint = [toss, Move::NOOP];
//!     let mut information = Information::new(Role::Player);
//!     information.step(&game, &start, &joint);
//!     assert_eq!(information.text(&game), "(player (noop ((first heads))))");
//!
//!     // The player knows the first coin, and nothing of the second.
//!     let set = InformationSet::of(&game, &information)?;
//!     assert_eq!(set.len(), 2);
//!     let both = Fluent::coins("heads", "heads").ok_or("no such fluent")?;
//!     assert_eq!(set.probability_that(|state| game.holds(state, both)), Probability::one_in(2));
//!     Ok(())
//! }
//! ```

use crate::{
    bits,
    chance::Probability,
    game::{Game, GameExt, Id, Perception, percept_words},
    joints::Joints,
    random::Stream,
};
use num_integer::Integer;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, btree_map::Entry},
    error::Error,
    fmt,
    hash::{Hash, Hasher},
};

/// A role's move in a step, and its perception of the step.
pub type Step<G> = (<G as Game>::Move, Perception<<G as Game>::Move, <G as Game>::Percept>);

/// The information of a role: its moves, and its perception of each step. Equal for plays that the
/// role cannot distinguish.
pub struct Information<G: Game> {
    role: G::Role,
    steps: Vec<Step<G>>,
}

impl<G: Game> Information<G> {
    /// Creates the information of a role before the first step.
    #[must_use]
    pub fn new(role: G::Role) -> Self {
        Self { role, steps: Vec::new() }
    }

    /// The role that has this information.
    #[must_use]
    pub fn role(&self) -> G::Role {
        self.role
    }

    /// The role's move in each step and its perception of that step.
    #[must_use]
    pub fn steps(&self) -> &[Step<G>] {
        &self.steps
    }

    /// Computes the state by replaying all steps, if nothing is hidden. Returns `None` if the rules
    /// have `sees`, or the steps are not those of a play. For rules with `sees` use `Belief` of
    /// `gdl-players`.
    #[must_use]
    pub fn state(&self, game: &G) -> Option<G::State> {
        if game.vocabulary().has_percepts() {
            return None;
        }
        self.steps.iter().try_fold(game.initial(), |state, (_, perception)| match perception {
            Perception::Joint(joint) => game.apply(&state, joint).ok(),
            Perception::Percepts(_) => None,
        })
    }

    /// Adds a step that the role perceived.
    pub fn push(&mut self, action: G::Move, perception: Perception<G::Move, G::Percept>) {
        self.steps.push((action, perception));
    }

    /// Adds the step from `state` by a joint move, one move for each role in role order, as the
    /// role perceives it. Nothing is checked, as for [`Game::advance`]. A joint move that lacks the
    /// role's move adds nothing.
    pub fn step(&mut self, game: &G, state: &G::State, joint: &[G::Move]) {
        if let Some(&action) = joint.get(self.role.index()) {
            self.push(action, game.perception(state, joint, self.role));
        }
    }

    /// The information as KIF text: the role, then for each step its move and its perception. An
    /// example is `(alice ((bid 1) ()) (wait ((bid 2))))`.
    #[must_use]
    pub fn text(&self, game: &G) -> String {
        let mut parts = vec![game.role_text(self.role).to_owned()];
        parts.extend(self.steps.iter().map(|(action, perception)| {
            format!("({} {})", game.move_text(*action), game.perception_text(perception))
        }));
        format!("({})", parts.join(" "))
    }

    /// The key for equality, order and hashing.
    fn key(&self) -> (G::Role, &[Step<G>]) {
        (self.role, &self.steps)
    }
}

// Derived implementations would need bounds on `G` itself, not only on its roles, moves and
// percepts.
impl<G: Game> Clone for Information<G> {
    fn clone(&self) -> Self {
        Self { role: self.role, steps: self.steps.clone() }
    }
}

impl<G: Game> fmt::Debug for Information<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Information").field("role", &self.role).field("steps", &self.steps).finish()
    }
}

impl<G: Game> PartialEq for Information<G> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<G: Game> Eq for Information<G> {}

impl<G: Game> PartialOrd for Information<G> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<G: Game> Ord for Information<G> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<G: Game> Hash for Information<G> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.key().hash(hasher);
    }
}

/// The reason why an information set rejects a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InformationError {
    /// No state is consistent with the moves, the percepts and the weights of the other roles.
    Impossible,
    /// More states are possible than the limit allows.
    States {
        /// The greatest number of states allowed.
        limit: usize,
    },
    /// More joint moves must be tried than the limit allows.
    Joints {
        /// The greatest number of joint moves allowed.
        limit: u64,
    },
    /// The probabilities take more than 128 bits.
    TooFine,
}

impl fmt::Display for InformationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Impossible => f.write_str("no state is consistent with the moves and percepts"),
            Self::States { limit } => write!(f, "more than {limit} states are possible"),
            Self::Joints { limit } => write!(f, "a step has more than {limit} joint moves to try"),
            Self::TooFine => f.write_str("the probabilities take more than 128 bits"),
        }
    }
}

impl Error for InformationError {}

/// The states that are consistent with a role's information, each with its exact probability.
///
/// Chance draws its legal moves uniformly. So do the other roles, unless
/// [`InformationSet::step_with`] receives other weights; this is an assumption, not part of the
/// rules.
///
/// ```text
/// at the start: the initial state, for certain
/// step:         all that follows from a state of the set by a legal joint move with the role's own move
///               and with the same perception; equal states add up
/// ```
#[derive(Clone, Debug)]
pub struct InformationSet<'g, G: Game> {
    game: &'g G,
    role: G::Role,
    /// The states, ascending, each with its weight. Its probability is its weight divided by
    /// `total`.
    states: Vec<(G::State, u128)>,
    total: u128,
    max_states: usize,
    max_joints: u64,
}

impl<'g, G: Game> InformationSet<'g, G> {
    /// The default limit on states, unless they take more than 1 GiB; see
    /// [`InformationSet::max_states`].
    pub const DEFAULT_MAX_STATES: usize = 1 << 20;

    /// The default limit on the bytes of the states before and after a step.
    const BYTES: usize = 1 << 30;

    /// The default limit on the joint moves of a step; see [`InformationSet::max_joints`].
    pub const DEFAULT_MAX_JOINTS: u64 = 1 << 24;

    /// Creates the set before the first step: the initial state alone.
    #[must_use]
    pub fn new(game: &'g G, role: G::Role) -> Self {
        Self {
            game,
            role,
            states: vec![(game.initial(), 1)],
            total: 1,
            max_states: Self::DEFAULT_MAX_STATES.min(Self::states_in(game, Self::BYTES)),
            max_joints: Self::DEFAULT_MAX_JOINTS,
        }
    }

    /// The maximum number of states of a set for which the sets before and after a step together
    /// fit into `bytes` bytes; at least 1.
    #[must_use]
    pub fn states_in(game: &G, bytes: usize) -> usize {
        // A node of a B-tree may be half empty.
        let state = size_of::<(G::State, u128)>() + 8 * game.shape().state_words();
        (bytes / (3 * state)).max(1)
    }

    /// Computes the set after all steps of an information, with the default limits.
    ///
    /// # Errors
    /// As for [`InformationSet::step`].
    pub fn of(game: &'g G, information: &Information<G>) -> Result<Self, InformationError> {
        let mut set = Self::new(game, information.role);
        for (action, perception) in &information.steps {
            set.step(*action, perception)?;
        }
        Ok(set)
    }

    /// Restores a set from its states and their weights. The states must be ascending, the weights
    /// positive.
    ///
    /// # Panics
    /// Panics if there is no state.
    #[must_use]
    pub fn resume(game: &'g G, role: G::Role, states: Vec<(G::State, u128)>) -> Self {
        assert!(!states.is_empty(), "a set of states that are consistent has one");
        let total = states.iter().map(|(_, weight)| weight).sum();
        Self { states, total, ..Self::new(game, role) }
    }

    /// Returns the states, ascending, with their weights.
    #[must_use]
    pub fn into_states(self) -> Vec<(G::State, u128)> {
        self.states
    }

    /// Sets the maximum number of states after a step.
    #[must_use]
    pub fn max_states(mut self, states: usize) -> Self {
        self.max_states = states;
        self
    }

    /// Sets the maximum number of joint moves that a step may try over all states. This bounds the
    /// time of a step.
    #[must_use]
    pub fn max_joints(mut self, joints: u64) -> Self {
        self.max_joints = joints;
        self
    }

    /// The role that has this information.
    #[must_use]
    pub fn role(&self) -> G::Role {
        self.role
    }

    /// The number of possible states; at least one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns false: at least one state is always possible.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The possible states, ascending, each with its probability. The probabilities sum to 1.
    pub fn states(&self) -> impl ExactSizeIterator<Item = (&G::State, Probability)> {
        self.states.iter().map(|(state, weight)| (state, self.probability_of(*weight)))
    }

    /// The probability that the state is this one. O(log states).
    #[must_use]
    pub fn probability(&self, state: &G::State) -> Probability {
        let place = self.states.binary_search_by(|(other, _)| other.cmp(state));
        place.map_or(Probability::ZERO, |place| self.probability_of(self.states[place].1))
    }

    /// The probability that the state has a property.
    #[must_use]
    pub fn probability_that(&self, has: impl Fn(&G::State) -> bool) -> Probability {
        self.probability_of(
            self.states.iter().filter(|(state, _)| has(state)).map(|(_, weight)| weight).sum(),
        )
    }

    /// Draws a possible state by its probability: a determinisation of the hidden state. O(states).
    #[must_use]
    pub fn draw(&self, stream: &mut Stream) -> &G::State {
        let mut rank = stream.below_wide(self.total);
        let drawn = self.states.iter().find(|(_, weight)| {
            let before = rank;
            rank = rank.wrapping_sub(*weight);
            before < *weight
        });
        &drawn.unwrap_or(&self.states[0]).0
    }

    fn probability_of(&self, weight: u128) -> Probability {
        Probability::new(weight, self.total).unwrap_or(Probability::ZERO)
    }

    /// Updates the set by a step with this move and perception of the role. The other roles draw
    /// their moves uniformly.
    ///
    /// Takes O(joint moves with the role's move, over all states) steps of the game, each with a
    /// percept row. Memory is for the states before and after.
    ///
    /// # Errors
    /// Returns an error if no state is consistent or a limit is exceeded; the set is then
    /// unchanged.
    pub fn step(
        &mut self,
        action: G::Move,
        perception: &Perception<G::Move, G::Percept>,
    ) -> Result<(), InformationError> {
        self.step_with(action, perception, |_, _, _| 1)
    }

    /// Like [`InformationSet::step`], with a model of the other roles. `model` returns the weight
    /// of a legal move in a state, for a role that is neither this one nor chance. Each move has a
    /// probability proportional to its weight. A state in which all weights of a role are 0 is
    /// impossible.
    ///
    /// # Errors
    /// As for [`InformationSet::step`].
    pub fn step_with(
        &mut self,
        action: G::Move,
        perception: &Perception<G::Move, G::Percept>,
        model: impl Fn(&G::State, G::Role, G::Move) -> u64,
    ) -> Result<(), InformationError> {
        let game = self.game;
        let (own, chance) = (self.role, game.chance_role());
        let weight = |state: &G::State, role: G::Role, action: G::Move| {
            let given = role == own || Some(role) == chance;
            if given { 1 } else { u128::from(model(state, role, action)) }
        };
        let filter = Filter::new(game, own, perception).ok_or(InformationError::Impossible)?;

        // The weights of a state's joint moves sum to its `ways`. Scaling by `common`, the least
        // common multiple of all `ways`, keeps all shares whole.
        let mut view = game.new_view();
        let mut joints = Joints::new(game);
        let mut parents: Vec<(usize, u128)> = Vec::new();
        let (mut common, mut count) = (1_u128, 0_u128);
        for (place, (state, _)) in self.states.iter().enumerate() {
            game.observe(state, &mut view);
            joints.start(game, &view);
            if !joints.fix(own.index(), action) {
                continue;
            }
            count = count.saturating_add(joints.count());
            if count > self.max_joints.into() {
                return Err(InformationError::Joints { limit: self.max_joints });
            }
            let others = game.roles().filter(|&role| role != own);
            let mut ways = others.map(|role| {
                let mut weights = game.legal_moves_in(&view, role).map(|m| weight(state, role, m));
                weights.try_fold(0, u128::checked_add)
            });
            let ways = ways.try_fold(1, |product: u128, sum| product.checked_mul(sum?));
            let ways = ways.ok_or(InformationError::TooFine)?;
            if ways > 0 {
                common = (ways / common.gcd(&ways)).checked_mul(common).ok_or(InformationError::TooFine)?;
                parents.push((place, ways));
            }
        }

        let mut next: BTreeMap<G::State, u128> = BTreeMap::new();
        let mut row = vec![0; filter.row_words()];
        for (place, ways) in parents {
            let (state, before) = &self.states[place];
            game.observe(state, &mut view);
            joints.start(game, &view);
            joints.fix(own.index(), action);
            let before = before.checked_mul(common / ways).ok_or(InformationError::TooFine)?;
            while let Some(joint) = joints.next() {
                let mut others = game.roles().zip(joint).filter(|&(role, _)| role != own);
                let share = others.try_fold(before, |product, (role, &action)| {
                    product.checked_mul(weight(state, role, action))
                });
                let share = share.ok_or(InformationError::TooFine)?;
                if share == 0 || !filter.fits(state, joint, &mut row) {
                    continue;
                }
                let states = next.len();
                match next.entry(game.apply_unchecked(state, joint)) {
                    Entry::Occupied(mut known) => {
                        let sum = known.get().checked_add(share).ok_or(InformationError::TooFine)?;
                        known.insert(sum);
                    }
                    Entry::Vacant(_) if states == self.max_states => {
                        return Err(InformationError::States { limit: self.max_states });
                    }
                    Entry::Vacant(place) => {
                        place.insert(share);
                    }
                }
            }
        }
        if next.is_empty() {
            return Err(InformationError::Impossible);
        }
        let divisor = next.values().fold(0, |divisor: u128, weight| divisor.gcd(weight));
        let states: Vec<(G::State, u128)> =
            next.into_iter().map(|(s, weight)| (s, weight / divisor)).collect();
        let total = states.iter().try_fold(0_u128, |sum, (_, weight)| sum.checked_add(*weight));
        self.total = total.ok_or(InformationError::TooFine)?;
        self.states = states;
        Ok(())
    }
}

/// A filter for the joint moves that give a role the expected perception.
struct Filter<'g, G: Game> {
    game: &'g G,
    role: G::Role,
    wanted: WantedPerception<G::Move>,
}

/// The expected perception, in a form that is fast to compare.
enum WantedPerception<M> {
    Joint(Box<[M]>),
    /// The role's part of a row of percepts.
    Row(Vec<u64>),
}

impl<'g, G: Game> Filter<'g, G> {
    /// Creates the filter. Returns `None` if the game never gives such a perception.
    fn new(game: &'g G, role: G::Role, perception: &Perception<G::Move, G::Percept>) -> Option<Self> {
        let shape = game.shape();
        let wanted = match (perception, game.vocabulary().has_percepts()) {
            (Perception::Joint(joint), false) => WantedPerception::Joint(joint.clone()),
            (Perception::Percepts(percepts), true) => {
                let mut row = vec![0; shape.percept_words()];
                for percept in percepts {
                    if percept.index() >= shape.percepts {
                        return None;
                    }
                    bits::set(&mut row, percept.index());
                }
                WantedPerception::Row(row)
            }
            _ => return None,
        };
        Some(Self { game, role, wanted })
    }

    /// The length of the buffer that [`Filter::fits`] needs, in words.
    fn row_words(&self) -> usize {
        let shape = self.game.shape();
        shape.roles * shape.percept_words()
    }

    fn fits(&self, state: &G::State, joint: &[G::Move], row: &mut [u64]) -> bool {
        match &self.wanted {
            WantedPerception::Joint(wanted) => **wanted == *joint,
            WantedPerception::Row(wanted) => {
                self.game.perceive(state, joint, row);
                percept_words(row, self.game.shape(), self.role.index()) == wanted
            }
        }
    }
}

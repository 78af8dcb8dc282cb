//! The evaluation of a block of states: the deciding role and the successors of each. It also finds
//! out whether some permutation is not a symmetry.
//!
//! The views, steps and successors of a block are stored until the next block, within a number of
//! bytes.

use super::{SolveError, permute};
use crate::search::{options::Options, state_batch::StateBatch, symmetry::Symmetry};
use gdl_runtime::{Game, GameExt, bits, engine::legal_words, game::Id};

/// The share of the bytes for a block: one part in this number. Lists take up to three such parts,
/// since a full list moves into one of twice the length.
pub(super) const PART: usize = 16;

/// The states evaluated last, with their views and steps.
pub(super) struct Look<'g, G: Game> {
    game: &'g G,
    batch: StateBatch<'g, G>,
    /// The role that counts as deciding in states in which no role has a choice.
    usual: usize,
    options: Options<G>,
    view: G::View,
    /// The states, followed by their images for each symmetry, and the views of all.
    states: Vec<u64>,
    views: Vec<u64>,
    /// The deciding role of each state, if there is one, and the end of the state's steps.
    deciders: Vec<Option<usize>>,
    ends: Vec<usize>,
    /// The steps of each state, followed by those of its images for each symmetry: the parent, the
    /// joint move and the successor.
    parents: Vec<u64>,
    joints: Vec<G::Move>,
    successors: Vec<u64>,
    /// The maximum number of bytes of the whole solution.
    limit: usize,
}

impl<'g, G: Game> Look<'g, G> {
    /// Creates an empty evaluation. The role `usual` decides in states in which no role has a
    /// choice. Lists take at most three sixteenths of `limit` bytes.
    pub(super) fn new(game: &'g G, usual: usize, limit: usize) -> Self {
        Self {
            game,
            batch: StateBatch::new(game),
            usual,
            options: Options::new(game),
            view: game.new_view(),
            states: Vec::new(),
            views: Vec::new(),
            deciders: Vec::new(),
            ends: Vec::new(),
            parents: Vec::new(),
            joints: Vec::new(),
            successors: Vec::new(),
            limit,
        }
    }

    /// Checks that a number of states and steps fits into the bytes.
    fn check(&self, states: usize, steps: usize) -> Result<(), SolveError> {
        let shape = self.game.shape();
        let seen = 8 * (shape.state_words() + shape.view_words());
        let step = 16 * shape.state_words() + size_of::<G::Move>() * shape.roles;
        let bytes = states.saturating_mul(seen).saturating_add(steps.saturating_mul(step));
        if bytes > self.limit / PART { Err(SolveError::Bytes { limit: self.limit }) } else { Ok(()) }
    }

    /// Evaluates `count` states, or the first of them if all take too many bytes. Returns the
    /// number of evaluated states, or `None` if some symmetry does not map the view and the
    /// successors of each state to those of its image. O(states × symmetries × moves) steps.
    ///
    /// # Errors
    /// Returns an error if several roles decide in a state, or a single state takes too many bytes.
    pub(super) fn at(
        &mut self,
        count: usize,
        rows: &[u64],
        symmetries: &[Symmetry],
    ) -> Result<Option<usize>, SolveError> {
        let mut count = count;
        loop {
            match self.at_all(count, rows, symmetries) {
                Err(SolveError::Bytes { .. }) if count > 1 => count /= 2,
                result => return Ok(result?.then_some(count)),
            }
        }
    }

    fn at_all(&mut self, count: usize, rows: &[u64], symmetries: &[Symmetry]) -> Result<bool, SolveError> {
        let words = self.game.shape().state_words();
        let states = count * (1 + symmetries.len());
        self.check(states, 0)?;
        self.states.clear();
        self.states.extend(&rows[..count * words]);
        for symmetry in symmetries {
            for place in 0..count {
                let start = self.states.len();
                self.states.resize(start + words, 0);
                permute(&rows[place * words..][..words], &symmetry.fluents, &mut self.states[start..]);
            }
        }
        self.batch.observe(states, &self.states, &mut self.views);
        self.deciders.clear();
        self.ends.clear();
        self.parents.clear();
        self.joints.clear();
        for place in 0..count {
            let are_alike = (1..)
                .zip(symmetries)
                .all(|(number, symmetry)| self.is_seen_alike(place, number * count + place, symmetry));
            if !are_alike {
                return Ok(false);
            }
            let decider = self.unfold(count, place, symmetries)?;
            self.deciders.push(decider);
            self.ends.push(self.joints.len() / self.game.shape().roles);
        }
        self.batch.advance(&self.parents, &self.joints, &mut self.successors);
        Ok((0..count).all(|place| self.follows_alike(place, symmetries)))
    }

    /// Returns the deciding role of a state, or `None` if it is terminal or some role has no legal
    /// move.
    pub(super) fn decider(&self, place: usize) -> Option<usize> {
        self.deciders[place]
    }

    /// Returns the view of a state.
    pub(super) fn view(&self, place: usize) -> &[u64] {
        let width = self.game.shape().view_words();
        &self.views[place * width..][..width]
    }

    /// Returns the successors of a state, in move order.
    pub(super) fn successors(&self, place: usize, symmetries: &[Symmetry]) -> impl Iterator<Item = &[u64]> {
        let (start, count) = self.steps(place, symmetries);
        (start..start + count).map(|step| self.successor(step))
    }

    /// Returns the first step of a state, and the number of its steps.
    fn steps(&self, place: usize, symmetries: &[Symmetry]) -> (usize, usize) {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        (start, (self.ends[place] - start) / (1 + symmetries.len()))
    }

    fn successor(&self, step: usize) -> &[u64] {
        let words = self.game.shape().state_words();
        &self.successors[step * words..][..words]
    }

    /// Adds the steps of a state and its images. Returns the deciding role.
    fn unfold(
        &mut self,
        count: usize,
        place: usize,
        symmetries: &[Symmetry],
    ) -> Result<Option<usize>, SolveError> {
        let (words, roles) = (self.game.shape().state_words(), self.game.shape().roles);
        let width = self.game.shape().view_words();
        self.view.as_mut().copy_from_slice(&self.views[place * width..][..width]);
        if self.game.is_terminal_in(&self.view) || !self.options.read(self.game, &self.view) {
            return Ok(None);
        }
        let mut deciders = (0..roles).filter(|&role| self.options.of(role).len() > 1);
        let decider = deciders.next();
        if deciders.next().is_some() {
            return Err(SolveError::Simultaneous);
        }
        let decider = decider.unwrap_or(self.usual);
        let steps = self.options.of(decider).len();
        let first = self.joints.len();
        let images = 1 + symmetries.len();
        self.check(count * images, first / roles + steps * images)?;
        for step in 0..steps {
            let action = self.options.of(decider)[step];
            self.options.set(decider, action);
            self.joints.extend(self.options.joint());
        }
        for symmetry in symmetries {
            let turn = |action: &G::Move| G::Move::from_index(symmetry.moves[action.index()] as usize);
            let turned: Vec<G::Move> = self.joints[first..first + steps * roles].iter().map(turn).collect();
            self.joints.extend(turned);
        }
        for image in 0..=symmetries.len() {
            let state = &self.states[(image * count + place) * words..][..words];
            (0..steps).for_each(|_| self.parents.extend(state));
        }
        Ok(Some(decider))
    }

    /// Returns whether a symmetry maps the legal moves, goals and end of a state to those of
    /// `image`.
    fn is_seen_alike(&self, state: usize, image: usize, symmetry: &Symmetry) -> bool {
        let shape = self.game.shape();
        let (seen, image) = (self.view(state), self.view(image));
        let behind = shape.goal_bit() / 64;
        seen[behind..] == image[behind..]
            && (0..shape.roles).all(|role| {
                let (legal, turned) = (legal_words(seen, shape, role), legal_words(image, shape, role));
                bits::count(legal) == bits::count(turned)
                    && bits::ones(legal).all(|action| bits::test(turned, symmetry.moves[action] as usize))
            })
    }

    /// Returns whether every symmetry maps the successors of a state to those of its image.
    fn follows_alike(&self, place: usize, symmetries: &[Symmetry]) -> bool {
        let (start, count) = self.steps(place, symmetries);
        let mut image = vec![0; self.game.shape().state_words()];
        (1..).zip(symmetries).all(|(number, symmetry)| {
            (start..start + count).all(|step| {
                permute(self.successor(step), &symmetry.fluents, &mut image);
                image == self.successor(step + number * count)
            })
        })
    }
}

//! Lifted games, evaluated state by state with variables, because they are too large to be grounded.
//!
//! What [`gdl_compiler::lifted`] makes of the rules says what a [`Table`](crate::__private::Table) would say too, only slower.
//! Threads share the rules and take turns with the places to work in, of which there are as
//! many as threads ever worked at the same time.
//!
//! An evaluation may take more than the limits allow. Then it is given up, and counted: a state that takes too much
//! shows no legal moves and no goals and is not terminal, and a step that takes too much leads to the lost
//! state, which has one bit that is no fluent and shows nothing either. So play ends there, as it
//! does where a role has no legal move.

use crate::{
    bits,
    game::{Id, Shape},
    table::TableError,
    vocabulary::{Texts, Vocabulary},
};
use gdl_compiler::lifted::{self, Excess, Scratch};
use gdl_format::table::MAX_VIEW_WORDS;
use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// A game, ready to be evaluated.
pub(crate) struct Lifted {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    rules: lifted::Lifted,
    /// Places to work in that no thread works in.
    idle: Mutex<Vec<Scratch>>,
    /// Evaluations that were given up, and why the first one was.
    given_up: AtomicU64,
    excess: Mutex<Option<Excess>>,
}

impl fmt::Debug for Lifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifted").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Lifted {
    /// The game of evaluable rules.
    ///
    /// # Errors
    /// If views would be too large.
    pub(crate) fn new(rules: lifted::Lifted) -> Result<Self, TableError> {
        let names = &rules.vocabulary;
        let shape = rules.shape;
        let words = shape.view_words().max(shape.roles.saturating_mul(shape.percept_words()));
        if words > MAX_VIEW_WORDS {
            return Err(TableError::TooLarge { words });
        }
        let mut vocabulary = Vocabulary::new(
            Texts::new(&names.roles),
            Texts::new(&names.fluents),
            Texts::new(&names.moves),
            rules.role_moves.clone(),
            rules.role_goals.clone(),
        );
        if let Some(role) = names.chance {
            vocabulary = vocabulary.with_chance(role as usize);
        }
        if let Some(percepts) = &rules.role_percepts {
            vocabulary = vocabulary.with_percepts(Texts::new(&names.percepts), percepts.clone());
        }
        let mut initial = vec![0; state_words(shape)];
        initial[..rules.initial().len()].copy_from_slice(rules.initial());
        let (idle, given_up, excess) = (Mutex::default(), AtomicU64::new(0), Mutex::default());
        Ok(Self { vocabulary, shape, initial: initial.into(), rules, idle, given_up, excess })
    }

    /// The names and goal values of the game.
    #[must_use]
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sizes of the game. Its states may have one word more.
    #[must_use]
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The words of the state at the start.
    #[must_use]
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// How many evaluations were given up since the game was loaded, and why the first of them was.
    #[must_use]
    pub(crate) fn given_up(&self) -> Option<(u64, Excess)> {
        let excess = self.excess.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some((self.given_up.load(Ordering::Relaxed), excess))
    }

    /// Writes what is seen of `state` into `view`; nothing of a lost state, or if it takes too much.
    ///
    /// # Panics
    /// If a row is too short.
    pub(crate) fn observe(&self, state: &[u64], view: &mut [u64]) {
        if bits::test(state, self.shape.fluents) {
            view.fill(0);
            return;
        }
        let result = self.with_scratch(|scratch| self.rules.observe(scratch, state, view));
        self.note(&result);
    }

    /// Replaces `state` by the one that follows when each role makes its move of `joint`: the lost state
    /// from a lost one, or if it takes too much.
    ///
    /// # Panics
    /// If the row is too short.
    pub(crate) fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        if bits::test(state, self.shape.fluents) {
            return;
        }
        let result = self.with_scratch(|scratch| self.rules.advance(scratch, state, &numbers(joint)));
        if self.note(&result) {
            bits::set(state, self.shape.fluents);
        }
    }

    /// Writes what each role perceives of the joint move; nothing in a lost state, or if it takes too much.
    ///
    /// # Panics
    /// If a row is too short.
    pub(crate) fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        if bits::test(state, self.shape.fluents) {
            percepts.fill(0);
            return;
        }
        let result =
            self.with_scratch(|scratch| self.rules.perceive(scratch, state, &numbers(joint), percepts));
        self.note(&result);
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = idle().pop().unwrap_or_else(|| self.rules.scratch());
        let result = work(&mut scratch);
        idle().push(scratch);
        result
    }

    /// Counts an evaluation that was given up; true if it was.
    fn note(&self, result: &Result<(), Excess>) -> bool {
        let Err(excess) = result else { return false };
        self.given_up.fetch_add(1, Ordering::Relaxed);
        self.excess.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| excess.clone());
        true
    }
}

fn state_words(shape: Shape) -> usize {
    (shape.fluents + 1).div_ceil(64)
}

fn numbers<M: Id>(joint: &[M]) -> Vec<u32> {
    joint.iter().map(|action| action.index() as u32).collect()
}

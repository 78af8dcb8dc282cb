//! Lifted games, whose rules are interpreted in each state, with variables. Either the rules are
//! too large to be grounded, or a trial estimates this engine as the fastest.
//!
//! [`gdl_compiler::lifted`] computes the results of a [`Table`](crate::engine::Table), only slower.
//! Threads share the rules, and each evaluation borrows a working memory. The number of memories is
//! the maximum number of threads that worked at the same time.
//!
//! An evaluation may exceed the limits. If the rules also have a table, the table does the
//! evaluation then. Otherwise the evaluation fails, and failures are counted. A state whose
//! evaluation fails has no legal moves and no goals and is not terminal.
//!
//! A step whose evaluation fails leads to the *lost state*. This state has one extra bit that is no
//! fluent, and it has no legal moves either. So play ends there, as it does if a role has no legal
//! move.

use crate::{
    bits,
    game::{Id, Shape},
    table::{Table, TableError},
    vocabulary::{Texts, Vocabulary},
};
use gdl_compiler::{
    Limits,
    lifted::{self, Excess, Scratch},
};
use gdl_format::table::MAX_VIEW_WORDS;
use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// A game of interpreted rules.
pub(crate) struct Lifted {
    vocabulary: Vocabulary,
    shape: Shape,
    initial: Box<[u64]>,
    rules: lifted::Lifted,
    /// The working memories that no thread uses.
    idle: Mutex<Vec<Scratch>>,
    /// The number of failed evaluations, and the reason of the first.
    failed_evaluations: AtomicU64,
    excess: Mutex<Option<Excess>>,
    /// The table of the same rules, which plays many games at once and replaces failed evaluations.
    table: Option<Arc<Table>>,
}

impl fmt::Debug for Lifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifted").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Lifted {
    /// Creates the game of interpreted rules.
    ///
    /// # Errors
    /// Returns an error if views would be too large.
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
        // One more bit, which is set in the lost state.
        let mut initial = vec![0; (shape.fluents + 1).div_ceil(64)];
        initial[..rules.initial().len()].copy_from_slice(rules.initial());
        let (idle, failed_evaluations, excess) = (Mutex::default(), AtomicU64::new(0), Mutex::default());
        Ok(Self {
            vocabulary,
            shape,
            initial: initial.into(),
            rules,
            idle,
            failed_evaluations,
            excess,
            table: None,
        })
    }

    /// Adds a table of the same rules and names. Then no state is lost.
    pub(crate) fn with_table(self, table: Arc<Table>) -> Self {
        Self { initial: table.initial().into(), table: Some(table), ..self }
    }

    /// Sets other limits for evaluations.
    pub(crate) fn with_limits(self, limits: &Limits) -> Self {
        Self { rules: self.rules.with_limits(limits), ..self }
    }

    /// The table of the same rules.
    pub(crate) fn table(&self) -> Option<&Table> {
        self.table.as_deref()
    }

    /// The steps of all evaluations so far, except in memories that threads are using now.
    pub(crate) fn work(&self) -> u64 {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).iter().map(Scratch::work).sum()
    }

    /// The names and goal values of the game.
    #[must_use]
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The sizes of the game. Its states may have one more word.
    #[must_use]
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The words of the initial state.
    #[must_use]
    pub(crate) fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// The number of evaluations that failed since the game was loaded, and the reason of the
    /// first. Returns `None` if none failed.
    #[must_use]
    pub(crate) fn failed_evaluations(&self) -> Option<(u64, Excess)> {
        let excess = self.excess.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some((self.failed_evaluations.load(Ordering::Relaxed), excess))
    }

    /// Writes the view of `state` into `view`. The view is empty if the state is lost or the
    /// evaluation fails.
    ///
    /// # Panics
    /// Panics if a row is too short.
    pub(crate) fn observe(&self, state: &[u64], view: &mut [u64]) {
        self.see(state, view, true);
    }

    /// Like [`Lifted::observe`], but goals are missing unless the state is terminal.
    ///
    /// # Panics
    /// Panics if a row is too short.
    pub(crate) fn observe_without_goals(&self, state: &[u64], view: &mut [u64]) {
        self.see(state, view, false);
    }

    fn see(&self, state: &[u64], view: &mut [u64], with_goals: bool) {
        if self.is_lost(state) {
            view.fill(0);
            return;
        }
        let result = self.with_scratch(|scratch| {
            if with_goals {
                self.rules.observe(scratch, state, view)
            } else {
                self.rules.observe_without_goals(scratch, state, view)
            }
        });
        match (&self.table, result) {
            (Some(table), Err(_)) if with_goals => table.observe(state, view),
            (Some(table), Err(_)) => table.observe_without_goals(state, view),
            (_, result) => drop(self.note(&result)),
        }
    }

    /// Replaces `state` by its successor when each role makes its move of `joint`. The result is
    /// the lost state if `state` is lost or the evaluation fails.
    ///
    /// # Panics
    /// Panics if the row is too short.
    pub(crate) fn advance<M: Id>(&self, state: &mut [u64], joint: &[M]) {
        if self.is_lost(state) {
            return;
        }
        let result = self.with_scratch(|scratch| self.rules.advance(scratch, state, &numbers(joint)));
        match (&self.table, result) {
            (Some(table), Err(_)) => table.advance(state, joint),
            (_, result) => {
                if self.note(&result) {
                    state.fill(0);
                    bits::set(state, self.shape.fluents);
                }
            }
        }
    }

    /// Writes the percepts of each role for the joint move. They are empty if the state is lost or
    /// the evaluation fails.
    ///
    /// # Panics
    /// Panics if a row is too short.
    pub(crate) fn perceive<M: Id>(&self, state: &[u64], joint: &[M], percepts: &mut [u64]) {
        if self.is_lost(state) {
            percepts.fill(0);
            return;
        }
        let result =
            self.with_scratch(|scratch| self.rules.perceive(scratch, state, &numbers(joint), percepts));
        match (&self.table, result) {
            (Some(table), Err(_)) => table.perceive(state, joint, percepts),
            (_, result) => drop(self.note(&result)),
        }
    }

    /// Returns true for the lost state. There is none if there is a table.
    fn is_lost(&self, state: &[u64]) -> bool {
        self.table.is_none() && bits::test(state, self.shape.fluents)
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = idle().pop().unwrap_or_else(|| self.rules.scratch());
        let result = work(&mut scratch);
        idle().push(scratch);
        result
    }

    /// Counts a failed evaluation and returns true; otherwise returns false.
    fn note(&self, result: &Result<(), Excess>) -> bool {
        let Err(excess) = result else { return false };
        self.failed_evaluations.fetch_add(1, Ordering::Relaxed);
        self.excess.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| excess.clone());
        true
    }
}

fn numbers<M: Id>(joint: &[M]) -> Vec<u32> {
    joint.iter().map(|action| action.index() as u32).collect()
}

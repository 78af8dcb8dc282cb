//! How much a rulesheet may cost: named limits, counted before memory is taken.
//!
//! Every limit is deterministic (counts and steps, never a clock) and monotone: raising it never
//! changes a result that was reached without it.

use crate::{
    Options,
    observer::{Observer, Phase, Progress},
};

/// The limits of one compilation.
///
/// ```
/// use gdl_compiler::{Limits, Options, Source, compile};
///
/// let limits = Limits { max_fluents: 1, ..Limits::network() };
/// let text = "(role r) (init a) (init b) (legal r x) (goal r 0) (<= terminal (true a) (true b))";
/// let found = compile(&Source::new("game.kif", text), &Options { limits, ..Options::default() });
/// assert!(found.is_err_and(|faults| faults.iter().any(|fault| fault.code.id == "GDL137")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source text.
    pub max_source_bytes: usize,
    /// Words, parentheses and comments of the source text.
    pub max_tokens: usize,
    /// Depth of parentheses.
    pub max_nesting: usize,
    /// Bytes of one identifier.
    pub max_identifier_bytes: usize,
    /// Rules, facts included.
    pub max_rules: usize,
    /// Variables of one rule.
    pub max_rule_variables: usize,
    /// Literals of one body, those inside `or` and `not` included.
    pub max_body_literals: usize,
    /// Depth of a ground term.
    pub max_term_depth: usize,
    /// Symbols of a ground term, written out.
    pub max_term_size: usize,
    /// Ground terms, parts of others included; each counts once, wherever it occurs.
    pub max_terms: usize,
    /// Ground atoms, static ones included.
    pub max_atoms: usize,
    /// Fluents of the game.
    pub max_fluents: usize,
    /// Rule instances.
    pub max_ground_rules: usize,
    /// Gates of the net before it is optimised; one of n operands counts as n - 1.
    pub max_gates: usize,
    /// Bytes that a phase keeps at a time, counted from what its tables hold. What is in use at the worst
    /// moment, while a table is moved to a larger place or one net is made from another, is within three
    /// times as many.
    pub max_bytes: usize,
    /// Steps of joins while grounding, steps of building the net, steps of each pass that optimises it.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_source_bytes: 16 << 20,
            max_tokens: 4_000_000,
            max_nesting: 1_000,
            max_identifier_bytes: 1_024,
            max_rules: 400_000,
            max_rule_variables: 64,
            max_body_literals: 512,
            max_term_depth: 1_000,
            max_term_size: 100_000,
            max_terms: 2_000_000,
            max_atoms: 5_000_000,
            max_fluents: 500_000,
            max_ground_rules: 8_000_000,
            max_gates: 10_000_000,
            max_bytes: 1 << 30,
            fuel: 500_000_000,
        }
    }
}

impl Limits {
    /// Limits for text that arrives over a network: a megabyte of text, whatever is in it, ends within a few
    /// seconds and 200 MiB.
    #[must_use]
    pub fn network() -> Self {
        let whole = Self::default();
        Self {
            max_source_bytes: 1 << 20,
            max_tokens: 500_000,
            max_rules: 100_000,
            max_terms: whole.max_terms / 2,
            max_atoms: 1_000_000,
            max_fluents: whole.max_fluents / 2,
            max_ground_rules: 1_000_000,
            max_gates: 2_500_000,
            max_bytes: 64 << 20,
            fuel: 50_000_000,
            ..whole
        }
    }
}

/// The steps that a phase has left. It stops when there are none, by `?`.
///
/// Every [`INTERVAL`] steps the phase reports to the [`Observer`] of the compilation, if it has one; when that
/// has enough, no steps are left.
#[derive(Clone, Debug)]
pub struct Fuel {
    /// Steps to the next report.
    near: u64,
    /// Steps after those.
    far: u64,
    progress: Progress,
    observer: Observer,
    is_cancelled: bool,
}

/// Steps between two reports of a phase: a few milliseconds at most.
pub const INTERVAL: u64 = 1 << 15;

impl Fuel {
    /// So many steps, of which nobody hears.
    #[must_use]
    pub fn of(steps: u64) -> Self {
        let limits = Limits { fuel: steps, ..Limits::default() };
        Self::new(&Options { limits, ..Options::default() }, Phase::Check)
    }

    /// As much as the options give to a phase. The phase reports when it first spends some.
    #[must_use]
    pub fn new(options: &Options, phase: Phase) -> Self {
        let progress = Progress { phase, made: 0 };
        Self {
            near: 0,
            far: options.limits.fuel,
            progress,
            observer: options.observer.clone(),
            is_cancelled: false,
        }
    }

    /// Takes steps away; none if there are not so many left.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Option<()> {
        match self.near.checked_sub(steps) {
            Some(near) => {
                self.near = near;
                Some(())
            }
            None => self.report(steps),
        }
    }

    /// Takes steps away and reports.
    fn report(&mut self, steps: u64) -> Option<()> {
        let left = self.left().checked_sub(steps)?;
        if self.observer.tell(self.progress).is_break() {
            (self.near, self.far, self.is_cancelled) = (0, 0, true);
            return None;
        }
        self.near = left.min(INTERVAL);
        self.far = left - self.near;
        Some(())
    }

    /// Notes what the phase has made so far, for its next report.
    pub fn note(&mut self, made: usize) {
        self.progress.made = made;
    }

    /// How many steps are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.near + self.far
    }

    /// How far the phase had come, if there are no steps left because the caller had enough.
    #[must_use]
    pub fn cancelled(&self) -> Option<Progress> {
        self.is_cancelled.then_some(self.progress)
    }
}

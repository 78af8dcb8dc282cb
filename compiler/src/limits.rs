//! Limits on the cost of a rulesheet, checked before memory is allocated.
//!
//! Every limit is deterministic: it counts items or steps and reads no clock. It is also monotone:
//! raising it never changes a game that compiled with the lower limit. Optional work, such as a
//! pass of the optimiser, is left out if a limit is too low for it ([`Omission`](crate::Omission)).

use crate::observer::Phase;

/// The limits of one compilation.
///
/// ```
/// use gdl_compiler::{Limits, Options, Source, compile};
///
/// let limits = Limits { max_fluents: 1, ..Limits::network() };
/// let text = "(role r) (init a) (init b) (legal r x) (goal r 0) (<= terminal (true a) (true b))";
/// let found = compile(&Source::new("game.kif", text), &Options { limits, ..Options::default() });
/// assert!(found.is_err_and(|failure| failure.diagnostics.iter().any(|fault| fault.code.id == "GDL137")));
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
    /// Distinct ground terms, subterms included.
    pub max_terms: usize,
    /// Ground atoms, static ones included.
    pub max_atoms: usize,
    /// Fluents of the game.
    pub max_fluents: usize,
    /// Rule instances.
    pub max_ground_rules: usize,
    /// Gates of the net before it is optimised; a gate of n operands counts as n - 1.
    pub max_gates: usize,
    /// Bytes that the tables of a phase hold at a time. The peak is at most three times as high,
    /// since a growing table is copied, and a net may be made from another net. A game is played in
    /// lanes only if this many bytes suffice for sixteen threads.
    pub max_bytes: usize,
    /// Steps of grounding, about ten nanoseconds each. Each later phase may take [half as
    /// many](Limits::fuel_of).
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
            fuel: 1_500_000_000,
        }
    }
}

impl Limits {
    /// The maximum number of steps of a phase.
    #[must_use]
    pub fn fuel_of(&self, phase: Phase) -> u64 {
        match phase {
            Phase::Parse | Phase::Check | Phase::Ground | Phase::Lift => self.fuel,
            Phase::Propnet | Phase::Optimize | Phase::Derive | Phase::Emit => self.fuel / 2,
        }
    }

    /// Returns limits for text from a network. Compiling at most 1 MiB of text then takes at most
    /// about two seconds and 300 MiB.
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
            max_gates: 1_500_000,
            max_bytes: 64 << 20,
            fuel: 40_000_000,
            ..whole
        }
    }
}

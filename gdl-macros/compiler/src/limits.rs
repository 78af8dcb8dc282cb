//! How much a rulesheet may cost: named limits, counted before memory is taken.
//!
//! Every limit is deterministic (counts and steps, never a clock) and monotone: raising it never
//! changes a result that was reached without it.

/// The limits of one compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source text.
    pub max_source_bytes: usize,
    /// Depth of parentheses.
    pub max_nesting: usize,
    /// Bytes of one identifier.
    pub max_identifier_bytes: usize,
    /// Variables of one rule.
    pub max_rule_variables: usize,
    /// Literals of one body, those inside `or` and `not` included.
    pub max_body_literals: usize,
    /// Depth of a ground term.
    pub max_term_depth: usize,
    /// Symbols of a ground term, written out.
    pub max_term_size: usize,
    /// Ground atoms, static ones included.
    pub max_atoms: usize,
    /// Fluents of the game.
    pub max_fluents: usize,
    /// Rule instances. Those of over 32 literals on average count as more, and so do bindings of one join
    /// that would take over 256 MiB at once.
    pub max_ground_rules: usize,
    /// Gates of the net.
    pub max_gates: usize,
    /// Join steps of grounding.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_source_bytes: 16 << 20,
            max_nesting: 1_000,
            max_identifier_bytes: 1_024,
            max_rule_variables: 64,
            max_body_literals: 512,
            max_term_depth: 1_000,
            max_term_size: 100_000,
            max_atoms: 5_000_000,
            max_fluents: 500_000,
            max_ground_rules: 2_000_000,
            max_gates: 5_000_000,
            fuel: 500_000_000,
        }
    }
}

impl Limits {
    /// Limits for text that arrives over a network: half of everything, and a megabyte of text.
    #[must_use]
    pub fn network() -> Self {
        let whole = Self::default();
        Self {
            max_source_bytes: 1 << 20,
            max_atoms: whole.max_atoms / 2,
            max_fluents: whole.max_fluents / 2,
            max_ground_rules: whole.max_ground_rules / 2,
            max_gates: whole.max_gates / 2,
            fuel: whole.fuel / 2,
            ..whole
        }
    }
}

//! The diagnostic for a limit that grounding exceeded: the limit, the rule to blame and a remedy.
//! Only this rule is analysed.

use super::advice;
use crate::{
    Diagnostic, Limits, Rules,
    diagnostic::{Code, codes},
    observer::Progress,
};

/// A limit that grounding exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Excess {
    pub(super) what: What,
    /// The rule to blame, an index into [`Rules::rules`]; `None` if all rules together exceed it.
    pub(super) rule: Option<usize>,
    /// True if the relation of the rule's head depends on itself.
    pub(super) recursive: bool,
    /// The number of instances of the rule so far.
    pub(super) instances: usize,
    /// The steps that the joins of the rule have taken so far.
    pub(super) steps: u64,
    /// The remaining steps.
    pub(super) left: u64,
}

impl Excess {
    /// The code for too many tuples, which depends on the rule that makes them.
    fn code(&self, rules: &Rules) -> &'static Code {
        let makes_fluents = |rule: usize| rules.rules[rule].head.relation == rules.keywords.init;
        if self.recursive {
            &codes::LONG_CHAIN_RECURSION
        } else if self.rule.is_some_and(makes_fluents) {
            &codes::EXPONENTIAL_COUNTER
        } else {
            &codes::TOO_MANY_INSTANCES
        }
    }
}

/// The quantity that exceeded its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Clauses, after multiplying out `or`s.
    Clauses,
    /// Rule instances.
    Instances,
    Atoms,
    Terms,
    /// A term too deep or too large, with its abridged text.
    Term(String),
    Fluents,
    Bytes,
    /// Names of fluents and moves.
    Names,
    Fuel,
    /// No limit: the caller cancelled grounding.
    Cancelled(Progress),
}

impl What {
    pub(super) fn of(self, rule: usize) -> Excess {
        Excess { what: self, rule: Some(rule), recursive: false, instances: 0, steps: 0, left: 0 }
    }
}

impl Excess {
    pub(super) fn diagnostic(self, rules: &Rules, limits: &Limits) -> Diagnostic {
        let instances = self.code(rules);
        let Self { what, rule, instances: count, steps, .. } = self;
        let rule = rule.map(|rule| &rules.rules[rule]);
        let choices = rule.map_or_else(String::new, advice::choices);
        let plural = if count == 1 { "" } else { "s" };
        let has_instances = format!("has {count} instance{plural} so far{choices}");
        let split = || rule.map_or_else(String::new, |rule| advice::help(rules, rule));
        let (code, message, note, help) = match what {
            What::Cancelled(progress) => return progress.cancelled(),
            What::Clauses => (
                &codes::OR_EXPLOSION,
                format!(
                    "multiplying out the `or`s gives more than {} rules (`max_ground_rules`) or {} bytes (`max_bytes`)",
                    limits.max_ground_rules, limits.max_bytes
                ),
                String::new(),
                "bind the same variables in each branch of an `or`, or move the branch into a separate relation"
                    .to_owned(),
            ),
            What::Instances => (
                instances,
                format!(
                    "the rulesheet has more than {} rule instances (`max_ground_rules`)",
                    limits.max_ground_rules
                ),
                format!("this rule has {count} of them so far{choices}"),
                split(),
            ),
            What::Atoms => (
                instances,
                format!("the rulesheet has more than {} ground atoms (`max_atoms`)", limits.max_atoms),
                format!("this rule {has_instances}"),
                split(),
            ),
            What::Terms => (
                instances,
                format!("the rulesheet has more than {} ground terms (`max_terms`)", limits.max_terms),
                format!("this rule {has_instances}"),
                split(),
            ),
            What::Term(text) => (
                &codes::BILLION_LAUGHS,
                format!(
                    "a term grows beyond depth {} (`max_term_depth`) or {} symbols (`max_term_size`)",
                    limits.max_term_depth, limits.max_term_size
                ),
                format!("the term is `{text}`"),
                "bound the growth by a finite relation, such as `succ` over the values needed"
                    .to_owned(),
            ),
            What::Fluents => (
                &codes::EXPONENTIAL_COUNTER,
                format!("the game has more than {} fluents (`max_fluents`)", limits.max_fluents),
                "the limit was reached in this rule".to_owned(),
                "use fewer independent arguments in a fluent, or raise the limit".to_owned(),
            ),
            What::Bytes => (
                instances,
                format!("grounding takes more than {} bytes (`max_bytes`)", limits.max_bytes),
                format!("this rule {has_instances}"),
                split(),
            ),
            What::Names => (
                &codes::BILLION_LAUGHS,
                format!(
                    "the names of fluents and moves take more than {} bytes (a quarter of `max_bytes`)",
                    limits.max_bytes / 4
                ),
                String::new(),
                "use smaller terms as arguments of fluents and moves".to_owned(),
            ),
            What::Fuel => (
                &codes::OUT_OF_FUEL,
                format!("grounding takes more than {} steps (`fuel`)", limits.fuel),
                format!("this rule takes {steps} of them and {has_instances}"),
                split(),
            ),
        };
        let place = rule.map(|rule| rule.span);
        let diagnostic = Diagnostic::new(code, place, message).help(help);
        if place.is_some() { diagnostic.note(note) } else { diagnostic }
    }
}

//! Tree to checked rules.

mod keywords;
mod lower;

use crate::{Diagnostics, Options, Rules, Source, syntax::Tree};
use lower::{Lowered, lower};

/// Checks a parsed rulesheet: every fault goes to `diagnostics`, and the rules come back if none of
/// them is an error.
pub fn check(
    tree: &Tree,
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Rules> {
    let Lowered { mut rules, .. } = lower(tree, source, options, diagnostics);
    for rule in &rules.rules {
        if rule.head.relation == rules.keywords.role
            && rule.body.is_empty()
            && !rules.roles.contains(&rule.head.arguments[0])
        {
            rules.roles.push(rule.head.arguments[0].clone());
        }
    }
    (!diagnostics.has_errors()).then_some(rules)
}

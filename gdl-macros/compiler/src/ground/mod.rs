//! Checked rules to ground rules.

use crate::{Diagnostics, Options, Rules};

/// All rule instances that can matter.
#[derive(Clone, Debug)]
pub struct GroundRules {}

/// Grounds a rulesheet; faults that only the ground program shows, and limits, go to `diagnostics`.
pub fn ground(rules: &Rules, options: &Options, diagnostics: &mut Diagnostics) -> Option<GroundRules> {
    let _ = (rules, options, diagnostics);
    todo!()
}

//! Tree to checked rules.

use crate::{Diagnostics, Options, Rules, Source, syntax::Tree};

/// Checks a parsed rulesheet: every fault goes to `diagnostics`, and the rules come back if none of
/// them is an error.
pub fn check(
    tree: &Tree,
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Rules> {
    let _ = (tree, source, options, diagnostics);
    todo!()
}

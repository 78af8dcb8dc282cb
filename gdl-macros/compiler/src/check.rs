//! Tree to checked rules.
//!
//! The tree becomes [`Rules`], unless some fault is an error. Each check is a file
//! that says what it looks for; a fault gives its own message and no second one elsewhere.
//!
//! All checks together take time and memory in proportion to the text, as far as their pages do not say otherwise;
//! a message is as long as a few names. Of the messages no more are kept than [`Diagnostics`] says.

mod arity;
mod dependency;
mod domains;
pub mod frame;
mod goals;
mod growth;
mod keywords;
mod lints;
mod lower;
mod presence;
mod recursion;
mod roles;
mod safety;
mod scene;
mod spelling;
mod usage;

use crate::diagnostic::{Diagnostic, Meant, codes};
use crate::{
    Diagnostics, Options, Rules, Source,
    observer::{Phase, Progress},
    syntax::Tree,
};
use lower::{Lowered, lower};
use scene::Scene;

/// Checks a parsed rulesheet: every fault goes to `diagnostics`, and the rules come back if none of
/// them is an error.
pub fn check(
    tree: &Tree,
    source: &Source,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Rules> {
    let progress = Progress { phase: Phase::Check, made: tree.forms.len(), steps: 0 };
    if options.observer.tell(progress).is_break() {
        diagnostics.push(progress.cancelled());
        return None;
    }
    if tree.forms.is_empty() {
        if !tree.broken {
            let message = "the rulesheet contains no rules";
            let help = "start with the players: `(role white)`";
            diagnostics.push(Diagnostic::new(&codes::EMPTY_SOURCE, None, message).help(help));
        }
        return None;
    }
    let Lowered { mut rules, forms, first_uses, complete } = lower(tree, source, options, diagnostics);
    rules.roles = roles::collect(&rules);
    let scene =
        Scene { tree, source, rules: &rules, forms: &forms, first_uses: &first_uses, meant: Meant::new() };

    // Names: one spelling, one arity, one kind.
    spelling::check(&scene, diagnostics);
    let functions = arity::check(&scene, diagnostics);

    // Each rule by itself.
    roles::check(&scene, complete, diagnostics);
    goals::check(&scene, diagnostics);
    safety::check(&scene, diagnostics);
    lints::check(&scene, diagnostics);

    // All rules together. What seems missing may stand in a form that could not be read.
    if complete {
        let missing = presence::check(&scene, diagnostics);
        usage::check(&scene, &functions, &missing, diagnostics);
        frame::check(&rules, diagnostics);
    }
    let dependencies = dependency::check(&scene, diagnostics);
    let growing = growth::check(&scene, diagnostics);
    recursion::check(&scene, &dependencies, &growing, diagnostics);

    (!diagnostics.has_errors()).then_some(rules)
}

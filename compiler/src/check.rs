//! Checking: from a tree to checked rules.
//!
//! The tree becomes [`Rules`], unless there are errors other than growing terms. Each check is a
//! module that documents its faults, and each fault is reported by one check only. If a rule that
//! play does not need (`need`) has errors, it is left out with a warning. With [`Options::lenient`]
//! some faults are warnings that state the assumption (`lenient`, `callers`).
//!
//! All checks take O(text) time and memory unless their modules document other bounds.
//! [`Diagnostics`] bounds the number of messages.

mod arity;
mod binding;
mod callers;
mod dependency;
mod domains;
pub mod frame;
mod goals;
mod growth;
mod keywords;
mod lenient;
mod lints;
mod lower;
mod need;
mod presence;
mod recursion;
mod roles;
mod safety;
mod scene;
mod spelling;
mod usage;

use crate::diagnostic::{Diagnostic, Meant, codes};
use crate::{
    Diagnostics, Options, Rules, Severity, Source,
    observer::{Phase, Progress},
    rules::Rule,
    syntax::Tree,
};
use callers::Callers;
use lower::{Lowered, lower};
use scene::Scene;

/// Checks a parsed rulesheet and reports every fault in `diagnostics`. Returns the rules if there
/// is no error, or if all errors report growing terms. Rules with growing terms are evaluated state
/// by state and not grounded.
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
    let Lowered { mut rules, forms, first_uses, complete, left_out } =
        lower(tree, source, options, diagnostics);
    rules.roles = roles::collect(&rules);
    let needed = need::find(&rules);
    for (relation, fault) in left_out {
        diagnostics.push(if needed[relation.index()] { fault } else { fault.harmless() });
    }
    let (first_uses, needed, meant) = (&first_uses, &needed, Meant::new());
    let scene = Scene { tree, source, rules: &rules, forms: &forms, first_uses, needed, meant };

    // Names: one spelling, one arity, one kind.
    spelling::check(&scene, diagnostics);
    let functions = arity::check(&scene, diagnostics);

    // Each rule by itself.
    roles::check(&scene, complete, diagnostics);
    goals::check(&scene, diagnostics);
    let callers = options.lenient.then(|| Callers::find(&rules));
    let unsafe_rules = safety::check(&scene, callers.as_ref(), diagnostics);
    lints::check(&scene, diagnostics);

    // All rules together. A definition that seems missing may be in a form that could not be read.
    if complete {
        let missing = presence::check(&scene, options.lenient, diagnostics);
        usage::check(&scene, &functions, &missing, diagnostics);
        frame::check(&rules, diagnostics);
    }
    let dependencies = dependency::check(&scene, options.lenient, diagnostics);
    let others = diagnostics.count(Severity::Error);
    let growing = growth::check(&scene, diagnostics);
    let of_growth = diagnostics.count(Severity::Error) - others;
    recursion::check(&scene, &dependencies, &growing, diagnostics);

    // Counts include the errors that are not kept.
    if diagnostics.count(Severity::Error) > of_growth {
        return None;
    }
    rules.grows = diagnostics.has_errors();
    // Removes the rules that have errors and that play does not need.
    let is_idle = |number: usize, rule: &Rule| {
        let relation = rule.head.relation;
        unsafe_rules.contains(&number) || (growing.contains(&relation) && !needed[relation.index()])
    };
    let mut number = 0..;
    rules.rules.retain(|rule| !number.next().is_some_and(|number| is_idle(number, rule)));
    if let Some(callers) = callers {
        callers.specialise(&mut rules);
        lenient::give_goals(&mut rules);
        lenient::forget_moves(&mut rules);
    }
    Some(rules)
}

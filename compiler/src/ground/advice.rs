//! Advice for the author of a rule with too many instances.
//!
//! A rule has an instance for each way to choose all its variables. Variables that only some
//! literals mention can be chosen independently of the others, if these literals become a relation
//! of their own. O(literals · variables²) for a rule. The limits keep this below about two million
//! steps.

use crate::{
    Rules,
    rules::{Formula, Rule, Variable},
};

/// The length of the longest list of variables that is named in full.
const SHOWN: usize = 6;

/// Names the variables that are chosen together: ``for `?x` and `?y` of its head and `?z` of its
/// body``.
pub(super) fn choices(rule: &Rule) -> String {
    let head = in_head(rule);
    let (outer, inner): (Vec<Variable>, Vec<Variable>) = all(rule).partition(|v| head[v.index()]);
    match (outer.is_empty(), inner.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(", for {} of its head", list(rule, &outer)),
        (true, false) => format!(", for {} of its body", list(rule, &inner)),
        (false, false) => {
            format!(", for {} of its head and {} of its body", list(rule, &outer), list(rule, &inner))
        }
    }
}

/// Returns advice on how to rewrite the rule.
pub(super) fn help(rules: &Rules, rule: &Rule) -> String {
    let head = in_head(rule);
    let outer = all(rule).filter(|v| head[v.index()]).count();
    // If most variables are in the head, the rule has about as many instances as its head.
    let is_wide = 2 * outer > rule.variables.len();
    if let (false, Some((gone, kept))) = (is_wide, part(rule)) {
        let arguments: Vec<&str> = kept.iter().map(|v| rule.variables[v.index()].as_str()).collect();
        let part =
            if kept.is_empty() { "part".to_owned() } else { format!("(part {})", arguments.join(" ")) };
        let gone = list(rule, &gone);
        return format!("move the literals with {gone} into a separate relation, such as `{part}`");
    }
    if rule.variables.is_empty() {
        return "use fewer rules, or raise the limit".to_owned();
    }
    if !is_wide {
        return "use literals that bind fewer values, or raise the limit".to_owned();
    }
    let keywords = &rules.keywords;
    let relation = rule.head.relation;
    let what = if relation == keywords.legal {
        "a move".to_owned()
    } else if [keywords.init, keywords.next].contains(&relation) {
        "a fluent".to_owned()
    } else {
        format!("`{}`", rules.relation_name(relation))
    };
    format!("use fewer independent arguments in {what}, or raise the limit")
}

/// Finds literals to move into a separate relation: those that mention one variable that does not
/// occur in the head. Returns the variables that only these literals mention, and those that they
/// share with the rest of the rule. Prefers the fewest shared variables. Returns `None` if there is
/// no such part.
fn part(rule: &Rule) -> Option<(Vec<Variable>, Vec<Variable>)> {
    let head = in_head(rule);
    let parts = all(rule).filter(|v| !head[v.index()]).filter_map(|variable| {
        let (mut inside, mut outside) = (vec![false; rule.variables.len()], head.clone());
        let mut bound = vec![false; rule.variables.len()];
        for formula in &rule.body {
            let mentioned = in_formula(rule, formula);
            let is_in = mentioned[variable.index()];
            add(if is_in { &mut inside } else { &mut outside }, &mentioned);
            if is_in && matches!(formula, Formula::Atom(_)) {
                add(&mut bound, &mentioned);
            }
        }
        let (kept, gone): (Vec<Variable>, Vec<Variable>) =
            all(rule).filter(|v| inside[v.index()]).partition(|v| outside[v.index()]);
        let is_smaller = all(rule).any(|v| !inside[v.index()]);
        (is_smaller && inside == bound).then_some((gone, kept))
    });
    parts.min_by_key(|(_, kept)| kept.len())
}

fn all(rule: &Rule) -> impl Iterator<Item = Variable> {
    (0..rule.variables.len() as u32).map(Variable)
}

fn add(set: &mut [bool], others: &[bool]) {
    set.iter_mut().zip(others).for_each(|(is_in, other)| *is_in |= other);
}

/// For each variable, whether the head mentions it.
fn in_head(rule: &Rule) -> Vec<bool> {
    in_formula(rule, &Formula::Atom(rule.head.clone()))
}

/// For each variable, whether the formula mentions it.
fn in_formula(rule: &Rule, formula: &Formula) -> Vec<bool> {
    let mut mentioned = vec![false; rule.variables.len()];
    formula.for_each_variable(&mut |variable| mentioned[variable.index()] = true);
    mentioned
}

/// Lists variables for a message: `?x`, `?y` and 7 others.
fn list(rule: &Rule, variables: &[Variable]) -> String {
    let names: Vec<String> = variables.iter().map(|v| format!("`{}`", rule.variables[v.index()])).collect();
    match &names[..] {
        [] => String::new(),
        [single] => single.clone(),
        [most @ .., last] if names.len() <= SHOWN => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} others", names[..SHOWN - 1].join(", "), names.len() - SHOWN + 1),
    }
}

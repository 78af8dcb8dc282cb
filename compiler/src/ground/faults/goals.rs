//! GDL079, GDL081 and GDL082: goal values that are not integers from 0 to 100.
//!
//! A possible wrong value is a warning. If a random game ends with it, it is an error, since a
//! match would have no result. O(goals), and at most the steps of the meter to find the origins of
//! values and to play random games.

use super::{Findings, effort, matches, shorten, witness::Seen};
use crate::{
    Diagnostic, Diagnostics, Severity, Span,
    diagnostic::codes,
    ground::{
        GroundRules,
        terms::{AtomId, TermId},
    },
    meter::Meter,
    rules::{Formula, Rule, Term, Variable},
    vocabulary::{BEST_GOAL, goal_value},
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

pub(super) fn check(
    findings: &Findings<'_>,
    ground: &GroundRules,
    meter: &mut Meter,
    diagnostics: &mut Diagnostics,
) {
    let wrong = wrong_values(findings);
    if wrong.is_empty() {
        return;
    }
    // Only a part of the steps, since random games use up all that they get.
    let share = meter.left() / 4;
    let seen = Seen::play(ground, &mut Meter::of(share));
    if meter.spend(share).is_none() {
        return;
    }
    let rules = findings.rules;
    // For each rule, its first wrong value and the number of further ones. If games ended with some
    // of a rule's values, its other values do not count.
    let mut found: BTreeMap<usize, Found> = BTreeMap::new();
    for (atom, value) in wrong {
        let is_seen = seen.ends_with(atom);
        for (rule, _) in ground.instances(atom) {
            let new = Found { value, more: 0, is_seen };
            let known = found.entry(rule).or_insert(Found { more: usize::MAX, ..new });
            *known = match (known.more, known.is_seen, is_seen) {
                (usize::MAX, ..) | (_, false, true) => new,
                (_, true, false) => continue,
                (more, ..) => Found { more: more + 1, ..*known },
            };
        }
    }
    for (number, found) in found {
        if matches!(rules.rules[number].head.arguments[1], Term::Variable(_)) {
            let fault = of_variable(findings, number, found, meter);
            diagnostics.push(if found.is_seen { fault } else { fault.harmless() });
        } else if found.is_seen {
            of_constant(&rules.rules[number], diagnostics);
        }
    }
}

/// The wrong goal values of a rule: one of them, the number of others, and true if a game showed
/// it.
#[derive(Clone, Copy)]
struct Found {
    value: TermId,
    more: usize,
    is_seen: bool,
}

/// The goal atoms of the roles with a value that is not an integer from 0 to 100, and this value.
fn wrong_values(findings: &Findings<'_>) -> Vec<(AtomId, TermId)> {
    let (rules, program) = (findings.rules, findings.program);
    let roles: FxHashSet<TermId> =
        rules.roles.iter().filter_map(|role| program.terms.find_term(role)).collect();
    let is_right =
        |value| goal_value(value, &program.terms, &rules.symbols).is_some_and(|value| value <= BEST_GOAL);
    let goals = findings.atoms(rules.keywords.goal).iter().filter_map(|&atom| {
        let &[role, value] = program.atoms.arguments(atom) else { return None };
        (roles.contains(&role) && !is_right(value)).then_some((atom, value))
    });
    goals.collect()
}

/// Raises the diagnostic about a constant to an error, since a game ended with it.
fn of_constant(rule: &Rule, diagnostics: &mut Diagnostics) {
    for code in [&codes::GOAL_OUT_OF_RANGE, &codes::GOAL_HUGE_NUMBER] {
        let is_of_rule = |fault: &Diagnostic| {
            fault.span.is_some_and(|span| rule.span.start <= span.start && span.end <= rule.span.end)
        };
        let known: Vec<Diagnostic> =
            diagnostics.iter().filter(|fault| fault.code == code && is_of_rule(fault)).cloned().collect();
        diagnostics.retract(code, |fault| !is_of_rule(fault));
        for fault in known {
            diagnostics.push_as_is(Diagnostic { severity: Severity::Error, ..fault }.note(SEEN));
        }
    }
}

/// The note for a value with which a random game ended.
const SEEN: &str = "random games end with it";

/// Builds the diagnostic for the wrong values of a variable.
fn of_variable(findings: &Findings<'_>, number: usize, found: Found, meter: &mut Meter) -> Diagnostic {
    let (rules, program) = (findings.rules, findings.program);
    let Found { value, more, is_seen } = found;
    let rule = &rules.rules[number];
    let text = program.terms.brief(value, &rules.symbols);
    let subject = shorten(rules.display_term(rule, &rule.head.arguments[1]));
    let message = format!("goal value `{subject}` can be `{text}`, which is not an integer from 0 to 100");
    let help = if is_seen {
        "bind the variable only to integers from 0 to 100: 100 is a win, 0 a loss"
    } else {
        "bind the variable only to integers from 0 to 100; no game that was tried ends with this value"
    };
    let mut diagnostic = Diagnostic::new(&codes::GOAL_VARIABLE_NONINT, rule.head.span, message).help(help);
    let notes =
        [is_seen.then(|| SEEN.to_owned()), (more > 0).then(|| format!("and {more} more such values"))];
    diagnostic = diagnostic.note(notes.into_iter().flatten().collect::<Vec<_>>().join("; "));
    if let Term::Variable(variable) = rule.head.arguments[1]
        && let Some((place, relation)) = origin(findings, number, variable, value, meter)
    {
        diagnostic = diagnostic.label(place, format!("`{text}` comes from `{relation}` here"));
    }
    diagnostic
}

/// Finds the first rule that gives the variable this value through a literal of the body. Returns
/// the place of its head and its relation.
fn origin<'a>(
    findings: &Findings<'a>,
    number: usize,
    variable: Variable,
    value: TermId,
    meter: &mut Meter,
) -> Option<(Span, &'a str)> {
    let (rules, program) = (findings.rules, findings.program);
    let keywords = &rules.keywords;
    rules.rules[number].body.iter().find_map(|formula| {
        let Formula::Atom(atom) = formula else { return None };
        let mut bindings = Vec::new();
        let effort = effort(atom);
        let known = findings.atoms(atom.relation);
        let fact = known.iter().take_while(|_| meter.spend(effort).is_some()).find(|&&fact| {
            bindings.clear();
            let pairs = atom.arguments.iter().zip(program.atoms.arguments(fact));
            { pairs }.all(|(pattern, &term)| matches(pattern, term, &program.terms, &mut bindings))
                && bindings.contains(&(variable.0, value))
        })?;
        let arguments = program.atoms.arguments(*fact);
        let sources = if atom.relation == keywords.fact {
            vec![keywords.init, keywords.next]
        } else {
            vec![atom.relation]
        };
        let rules_of = sources.iter().flat_map(|&relation| findings.rules_of(relation));
        let rule = { rules_of }.take_while(|_| meter.spend(effort).is_some()).find(|&&rule| {
            let mut bindings = Vec::new();
            let pairs = rules.rules[rule].head.arguments.iter().zip(arguments);
            findings.program.fired[rule] && { pairs }
                .all(|(pattern, &term)| matches(pattern, term, &program.terms, &mut bindings))
        })?;
        let head = &rules.rules[*rule].head;
        Some((head.span, rules.relation_name(head.relation)))
    })
}

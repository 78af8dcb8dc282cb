//! GDL082: goal values, bound to variables, that are no integers from 0 to 100. O(goals), and for where the values
//! come from as many steps as there are.

use super::{Findings, effort, matches, shorten};
use crate::{
    Diagnostic, Diagnostics, Span,
    diagnostic::codes,
    ground::{GroundRules, terms::TermId},
    meter::Meter,
    rules::{Formula, Term, Variable},
    vocabulary::goal_value,
};
use rustc_hash::FxHashSet;

pub(super) fn check(
    findings: &Findings<'_>,
    ground: &GroundRules,
    meter: &mut Meter,
    diagnostics: &mut Diagnostics,
) {
    let (rules, program) = (findings.rules, findings.program);
    let roles: FxHashSet<TermId> =
        rules.roles.iter().filter_map(|role| program.terms.find_term(role)).collect();
    // For each rule, its first wrong value and how many more there are.
    let mut wrong: Vec<Option<(TermId, usize)>> = vec![None; rules.rules.len()];
    for &atom in findings.atoms(rules.keywords.goal) {
        let [role, value] = program.atoms.arguments(atom) else { continue };
        let is_value = || goal_value(*value, &program.terms, &rules.symbols).is_some();
        if roles.contains(role) && !is_value() {
            for (rule, _) in ground.instances(atom) {
                match &mut wrong[rule] {
                    Some((_, more)) => *more += 1,
                    none => *none = Some((*value, 0)),
                }
            }
        }
    }
    for (number, &found) in wrong.iter().enumerate() {
        let Some((value, more)) = found else { continue };
        let rule = &rules.rules[number];
        let text = program.terms.brief(value, &rules.symbols);
        let subject = shorten(rules.display_term(rule, &rule.head.arguments[1]));
        let message = format!("goal value `{subject}` can be `{text}`, which is no integer from 0 to 100");
        let mut diagnostic = Diagnostic::new(&codes::GOAL_VARIABLE_NONINT, rule.head.span, message)
            .help("100 is a win, 0 a loss; let only such values reach the variable");
        if more > 0 {
            diagnostic = diagnostic.note(format!("and {more} more such values"));
        }
        if let Term::Variable(variable) = rule.head.arguments[1]
            && let Some((place, relation)) = origin(findings, number, variable, value, meter)
        {
            diagnostic = diagnostic.label(place, format!("`{text}` comes from `{relation}` here"));
        }
        diagnostics.push(diagnostic);
    }
}

/// The first rule that gives a literal of the body in which the variable has the value, and its relation.
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

//! GDL111: fluents that are written and never read.
//!
//! A fluent's own `next` rules do not count as readers, since they only carry the fluent over to
//! the next state. O(literals + fluents).

use super::{Findings, Name, display_name, name, name_of};
use crate::{Diagnostic, Diagnostics, diagnostic::codes, meter::Meter};
use rustc_hash::FxHashSet;

pub(super) fn check(findings: &Findings<'_>, meter: &mut Meter, diagnostics: &mut Diagnostics) {
    let (rules, program) = (findings.rules, findings.program);
    let keywords = &rules.keywords;
    let mut read: FxHashSet<Name> = FxHashSet::default();
    for number in (0..rules.rules.len()).filter(|&number| findings.is_relevant(number)) {
        let rule = &rules.rules[number];
        let own = if rule.head.relation == keywords.next { name(&rule.head.arguments[0]) } else { None };
        let mut any = false;
        for formula in &rule.body {
            formula.for_each_atom(&mut |atom, _| {
                if atom.relation == keywords.fact {
                    match name(&atom.arguments[0]) {
                        // A variable reads all fluents.
                        None => any = true,
                        Some(name) if Some(name) == own => {}
                        Some(name) => drop(read.insert(name)),
                    }
                }
            });
        }
        if any {
            return;
        }
    }
    let mut told = FxHashSet::default();
    for &atom in findings.atoms(keywords.fact) {
        let name = name_of(program.atoms.arguments(atom)[0], &program.terms);
        if read.contains(&name) || !told.insert(name) {
            continue;
        }
        if meter.spend(1).is_none() {
            return;
        }
        let place = findings.namesake(&[keywords.next, keywords.init], name);
        let text = display_name(name, rules);
        let message = format!("fluent `{text}` is written but never read");
        diagnostics.push(
            Diagnostic::new(&codes::FLUENT_NEVER_READ, place, message)
                .help("remove its rules: they change neither moves nor goals nor the end of the game"),
        );
    }
}

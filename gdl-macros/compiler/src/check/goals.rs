//! Goal values that are written as constants: GDL078 to GDL081. Afterwards all of those are integers
//! from 0 to 100; values of variables are known to grounding only.

use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Diagnostic, codes};
use crate::rules::Term;

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    for form in scene.forms().filter(|form| form.rule.head.relation == scene.rules.keywords.goal) {
        let node = scene.arguments(form.head)[1];
        if matches!(form.rule.head.arguments[1], Term::Variable(_)) {
            continue;
        }
        let text = scene.quote(node);
        let text = text.trim_start_matches('(').trim_end_matches(')').trim();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // Digits are never read as a number: there may be more than any number type holds.
        let significant = text.trim_start_matches('0');
        let (code, found) = if text.strip_prefix('-').is_some_and(digits) {
            (&codes::GOAL_NEGATIVE, format!("`{text}`"))
        } else if !digits(text) {
            (&codes::GOAL_NOT_INTEGER, format!("`{}`", scene.quote(node)))
        } else if significant.len() > 9 {
            (&codes::GOAL_HUGE_NUMBER, format!("a number of {} digits", significant.len()))
        } else if significant.len() > 3 || (significant.len() == 3 && significant != "100") {
            (&codes::GOAL_OUT_OF_RANGE, format!("`{text}`"))
        } else {
            continue;
        };
        diagnostics.push(
            Diagnostic::new(
                code,
                scene.span(node),
                format!("a goal value must be an integer from 0 to 100, found {found}"),
            )
            .help("100 is a win, 0 a loss"),
        );
    }
}

//! Goal values that are written as constants: GDL078 to GDL081.
//!
//! After this check, all of these values are integers that are not negative. A value above 100 is
//! only a warning here: grounding makes it an error if a random playout ends with it. Grounding
//! also checks the values of variables. O(forms · log forms).

use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Diagnostic, codes};
use crate::rules::Term;
use std::collections::BTreeSet;

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let nearest = Nearest::of(scene);
    for form in scene.forms().filter(|form| form.rule.head.relation == scene.rules.keywords.goal) {
        let node = scene.arguments(form.head)[1];
        if matches!(form.rule.head.arguments[1], Term::Variable(_)) {
            continue;
        }
        let text = scene.quote(node);
        let text = text.trim_start_matches('(').trim_end_matches(')').trim();
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // The digits are compared as text, since a long number may overflow every integer type.
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
        let message = format!("a goal value must be an integer from 0 to 100, found {found}");
        let fault = Diagnostic::new(code, scene.span(node), message);
        let is_above = [&codes::GOAL_HUGE_NUMBER, &codes::GOAL_OUT_OF_RANGE].contains(&code);
        let fault = if is_above { fault.harmless() } else { fault };
        let near = if code == &codes::GOAL_NEGATIVE {
            nearest.low.then_some("0")
        } else {
            (nearest.high && digits(text)).then_some("100")
        };
        diagnostics.push(match near {
            Some(near) => {
                fault.help(format!("100 is a win, 0 a loss: write `{near}`")).suggest(scene.span(node), near)
            }
            None => fault.help("100 is a win, 0 a loss"),
        });
    }
}

/// For each end of the range, true if a value beyond it can be replaced by 0 or 100 without
/// changing the order of values. It can if only one value lies at this end or beyond.
struct Nearest {
    low: bool,
    high: bool,
}

impl Nearest {
    fn of(scene: &Scene<'_>) -> Self {
        let (mut low, mut high) = (BTreeSet::new(), BTreeSet::new());
        let goals = scene.forms().filter(|form| form.rule.head.relation == scene.rules.keywords.goal);
        for form in goals {
            let text = scene.text(scene.arguments(form.head)[1]);
            let digits = text.trim_start_matches(['-', '0']);
            match (text.starts_with('-'), digits.len()) {
                // A variable may have any value.
                _ if text.starts_with('?') => return Self { low: false, high: false },
                (true, _) | (false, 0) => low.insert(text),
                (false, 3..) => high.insert(text),
                _ => continue,
            };
        }
        Self { low: low.len() == 1, high: high.len() == 1 }
    }
}

//! What every game needs: GDL027 to GDL033, and GDL117 for `base` without `input`.

use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::rules::RelationId;
use rustc_hash::FxHashSet;

pub(super) fn check(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let keywords = &scene.rules.keywords;
    let defined: FxHashSet<RelationId> = scene.forms().map(|form| form.rule.head.relation).collect();
    let needed: [(RelationId, &'static Code, &str, &str); 6] = [
        (
            keywords.role,
            &codes::MISSING_ROLE,
            "there is no `role` fact: a game needs a player",
            "write `(role white)`",
        ),
        (
            keywords.init,
            &codes::MISSING_INIT,
            "there is no `init`: the initial state is empty",
            "write `(init (cell 1 1 blank))` for what holds at the start",
        ),
        (
            keywords.legal,
            &codes::MISSING_LEGAL,
            "there is no rule for `legal`: nobody can ever move",
            "write `(<= (legal ?role noop) (role ?role))` or the like",
        ),
        (
            keywords.next,
            &codes::MISSING_NEXT,
            "there is no rule for `next`: every state after the first is empty",
            "write `(<= (next (cell ?x ?y ?c)) ..)` for what holds after a move",
        ),
        (
            keywords.terminal,
            &codes::MISSING_TERMINAL,
            "there is no rule for `terminal`: the game never ends",
            "write `(<= terminal ..)`",
        ),
        (
            keywords.goal,
            &codes::MISSING_GOAL,
            "there is no rule for `goal`: nobody can win or lose",
            "write `(<= (goal white 100) ..)` for each player",
        ),
    ];
    for (relation, code, message, help) in needed {
        if !defined.contains(&relation) {
            diagnostics.push(Diagnostic::new(code, None, message).help(help));
        }
    }
    if defined.contains(&keywords.goal) {
        check_goals(scene, diagnostics);
    }
    if defined.contains(&keywords.base) && !defined.contains(&keywords.input) {
        diagnostics.push(
            Diagnostic::new(
                &codes::BASE_WITHOUT_INPUT,
                scene.first_use(keywords.base),
                "`base` is given but `input` is not",
            )
            .help("give both or neither"),
        );
    }
}

/// Every player but `random` needs a goal.
fn check_goals(scene: &Scene<'_>, diagnostics: &mut Diagnostics) {
    let keywords = &scene.rules.keywords;
    let mut with_goal = FxHashSet::default();
    for form in scene.forms().filter(|form| form.rule.head.relation == keywords.goal) {
        let role = &form.rule.head.arguments[0];
        let mut ground = true;
        role.for_each_variable(&mut |_| ground = false);
        if !ground {
            return; // for all of them, for all that is known here
        }
        with_goal.insert(role);
    }
    let chance = scene.rules.chance();
    let mut roles = FxHashSet::default();
    for form in scene.forms().filter(|form| form.rule.head.relation == keywords.role) {
        let (role, node) = (&form.rule.head.arguments[0], scene.arguments(form.head)[0]);
        if Some(role) == chance || with_goal.contains(role) || !roles.insert(role) {
            continue;
        }
        let name = scene.quote(node);
        diagnostics.push(
            Diagnostic::new(
                &codes::MISSING_GOAL_ONE_ROLE,
                scene.span(node),
                format!("role `{name}` has no rule for `goal`"),
            )
            .help(format!("write `(<= (goal {name} 100) ..)`")),
        );
    }
}

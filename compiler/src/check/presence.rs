//! The relations that every game needs: GDL027 to GDL033, and GDL117 for `base` without `input`.
//! O(text), plus the search for similar names in [`scene`](super::scene).

use super::scene::Scene;
use crate::Diagnostics;
use crate::diagnostic::{Code, Diagnostic, codes};
use crate::rules::{RelationId, Term};
use rustc_hash::FxHashSet;

/// The note for roles without goals that the lenient reading accepts.
const ZERO: &str = "assumed: the goal value is 0";

/// Reports missing keywords, and returns them.
pub(super) fn check(scene: &Scene<'_>, is_lenient: bool, diagnostics: &mut Diagnostics) -> Vec<RelationId> {
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
            "write a rule such as `(<= (legal ?role noop) (role ?role))`",
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
    let mut missing = Vec::new();
    for (relation, code, message, help) in needed {
        if defined.contains(&relation) {
            continue;
        }
        missing.push(relation);
        let name = scene.relation_name(relation);
        // The first head that looks like a misspelling of the keyword.
        let slip = scene.forms().find(|form| {
            let other = form.rule.head.relation;
            !scene.is_keyword(other)
                && scene.meant.nearest(scene.relation_name(other), std::iter::once(name)).is_some()
        });
        let fault = match slip {
            Some(form) => Diagnostic::new(code, scene.name(form.head), message)
                .help(format!("did you mean `{name}` here?"))
                .suggest(scene.name(form.head), name),
            None => Diagnostic::new(code, None, message).help(help),
        };
        let is_assumed = is_lenient && relation == keywords.goal;
        diagnostics.push(if is_assumed { fault.harmless().note(ZERO) } else { fault });
    }
    if defined.contains(&keywords.goal) {
        check_goals(scene, is_lenient, diagnostics);
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
    missing
}

/// Checks that every player except `random` has a goal.
fn check_goals(scene: &Scene<'_>, is_lenient: bool, diagnostics: &mut Diagnostics) {
    let keywords = &scene.rules.keywords;
    let mut with_goal = FxHashSet::default();
    let mut goals = Vec::new();
    for form in scene.forms().filter(|form| form.rule.head.relation == keywords.goal) {
        let role = &form.rule.head.arguments[0];
        let mut ground = true;
        role.for_each_variable(&mut |_| ground = false);
        if !ground {
            return; // a variable may stand for every role
        }
        with_goal.insert(role);
        goals.push((role, scene.arguments(form.head)[0]));
    }
    let known: FxHashSet<&Term> = scene.rules.roles.iter().collect();
    let strangers: Vec<_> = goals.into_iter().filter(|(role, _)| !known.contains(role)).collect();
    let chance = scene.rules.chance();
    let mut roles = FxHashSet::default();
    for form in scene.forms().filter(|form| form.rule.head.relation == keywords.role) {
        let (role, node) = (&form.rule.head.arguments[0], scene.arguments(form.head)[0]);
        if Some(role) == chance || with_goal.contains(role) || !roles.insert(role) {
            continue;
        }
        let name = scene.quote(node);
        let message = format!("role `{name}` has no rule for `goal`");
        let fault = Diagnostic::new(&codes::MISSING_GOAL_ONE_ROLE, scene.span(node), message);
        // A goal of a misspelled role may be the missing one: that is one fault, not two.
        let mut near = strangers.iter().map_while(|stranger| scene.meant.compare(1).map(|()| stranger));
        let slip =
            near.find(|(_, node)| scene.meant.nearest(scene.quote(*node), std::iter::once(name)).is_some());
        let fault = match slip {
            Some(&(_, node)) => {
                let place = scene.span(node);
                diagnostics.retract(&codes::UNKNOWN_ROLE_GOAL, |d| d.span != Some(place));
                let text = format!("`{}` is not a role", scene.quote(node));
                fault.label(place, text).help(format!("did you mean `{name}` there?")).suggest(place, name)
            }
            None => fault.help(format!("write `(<= (goal {name} 100) ..)`")),
        };
        diagnostics.push(if is_lenient { fault.harmless().note(ZERO) } else { fault });
    }
}

//! Checks how games begin and end: GDL118 to GDL121, and GDL140 as a possible cause.
//!
//! The checks warn of games that cannot end and players that cannot win, which constant outputs of
//! the optimised net prove. They also evaluate the initial state, which may be terminal or leave a
//! player without a move. Only play can decide the other cases.

use crate::check::frame;
use crate::diagnostic::{Diagnostic, codes};
use crate::ground::GroundRules;
use crate::propnet::{Net, Signal};
use crate::rules::Term;
use crate::{Diagnostics, Rules};

/// Reports the faults that the net and the ground rules prove. O(ground rules).
pub fn check(rules: &Rules, ground: &GroundRules, net: &Net, diagnostics: &mut Diagnostics) {
    let is_endless = !may_end(net);
    let roles = net.vocabulary.roles.iter().map(String::as_str).enumerate();
    conclude(rules, is_endless, roles.filter(|&(role, _)| !may_win(net, role)), diagnostics);
    start(rules, ground, diagnostics);
}

/// Reports that the game cannot end if `is_endless`, and that `losers` cannot win, with the
/// possible causes.
pub fn conclude<'a>(
    rules: &Rules,
    is_endless: bool,
    losers: impl Iterator<Item = (usize, &'a str)>,
    diagnostics: &mut Diagnostics,
) {
    let mut faults = Vec::new();
    let mut roots = Vec::new();
    if is_endless {
        faults.push(endless(rules));
        roots.push(rules.keywords.terminal);
    }
    for (role, name) in losers {
        let fault = winless(rules, role, name);
        // Without any rule for 100, the missing rule is the cause.
        roots.extend((!fault.labels.is_empty()).then_some(rules.keywords.goal));
        faults.push(fault);
    }
    frame::causes(rules, &roots, diagnostics);
    faults.into_iter().for_each(|fault| diagnostics.push(fault));
}

/// Returns false if the net proves that no state is terminal.
#[must_use]
pub fn may_end(net: &Net) -> bool {
    net.outputs.terminal != Signal::FALSE
}

/// Returns false if the net proves that a role never has the goal value 100. True for chance, which
/// needs no goals.
#[must_use]
pub fn may_win(net: &Net, role: usize) -> bool {
    let possible = |&(value, signal): &(u8, Signal)| value == 100 && signal != Signal::FALSE;
    net.vocabulary.chance == Some(role as u32) || net.outputs.goal[role].iter().any(possible)
}

/// GDL118, at the first rule for `terminal`.
fn endless(rules: &Rules) -> Diagnostic {
    let rule = rules.rules.iter().find(|rule| rule.head.relation == rules.keywords.terminal);
    let message = "no state that play can reach is terminal";
    Diagnostic::new(&codes::TERMINAL_UNREACHABLE, rule.map(|rule| rule.head.span), message)
        .note("this never holds")
        .help("derive `terminal` from fluents that hold at the start or after a move")
}

/// GDL119 at the declaration of the role called `name`. Labels a rule for the goal value 100, if
/// there is one, since it never holds at the end.
fn winless(rules: &Rules, role: usize, name: &str) -> Diagnostic {
    let place = rules.declaration(role).map(|rule| rule.head.span);
    let diagnostic =
        Diagnostic::new(&codes::GOAL_100_MISSING, place, format!("role `{name}` can never get 100"));
    // Digits are compared as text, since `100` is a constant like any other.
    let is_100 = |term: &Term| matches!(term, Term::Constant(value) if rules.symbols.name(*value) == "100");
    match rules.about(rules.keywords.goal, role).find(|rule| is_100(&rule.head.arguments[1])) {
        Some(rule) => diagnostic
            .label(rule.head.span, "this never holds at the end")
            .help("derive the rule from fluents that play can make true"),
        None => {
            diagnostic.help(format!("add a rule `(<= (goal {name} 100) ..)` for the states that are a win"))
        }
    }
}

/// The initial state: GDL120 at the rule that makes it terminal, or GDL121 at the declaration of
/// each role without a legal move in it.
fn start(rules: &Rules, ground: &GroundRules, diagnostics: &mut Diagnostics) {
    let truths = ground.truths(&|fluent| ground.initial[fluent as usize]);
    if let Some(rule) = ground.terminal.and_then(|terminal| ground.firing(terminal, &truths)) {
        let span = rules.rules[rule].head.span;
        diagnostics.push(
            Diagnostic::new(&codes::INITIAL_STATE_TERMINAL, span, "the initial state is terminal")
                .note("this holds at the start")
                .help("add a literal that only play makes true, or change the `init` facts"),
        );
        return;
    }
    let is_stuck = |role: usize| !ground.legal[role].iter().any(|&(_, atom)| truths[atom.index()]);
    for role in (0..ground.legal.len()).filter(|&role| is_stuck(role)) {
        let name = &ground.vocabulary.roles[role];
        diagnostics.push(stuck(rules, role, name, "the initial state"));
    }
}

/// GDL121 at the declaration of the role called `name`, which has no legal move in `state`.
#[must_use]
pub fn stuck(rules: &Rules, role: usize, name: &str, state: &str) -> Diagnostic {
    let place = rules.declaration(role).map(|rule| rule.head.span);
    let message = format!("role `{name}` has no legal move in {state}");
    Diagnostic::new(&codes::NO_LEGAL_MOVE_SOMEWHERE, place, message)
        .help(format!("add a rule such as `(<= (legal {name} noop) ..)` for it, or make it terminal"))
}

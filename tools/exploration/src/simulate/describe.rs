//! Diagnostics of the findings: the rules concerned, the moves that show the fault, and help.

use super::{
    Subject,
    findings::{GameFault, Line},
    sample,
};
use crate::counted;
use gdl_compiler::{
    Diagnostic, Span,
    check::frame,
    diagnostic::{Witness, codes},
    ground::terms::AtomId,
    outcome,
};
use gdl_runtime::{Game, GameExt, bits::BitBox, game::Id, playouts::thousands};

/// Returns the diagnostic of a fault.
pub(super) fn describe(subject: Subject<'_>, fault: GameFault, line: &Line) -> Diagnostic {
    let Subject { rules, game, .. } = subject;
    let name = |role: usize| &game.vocabulary().roles()[role];
    let (before, state) = replay(subject, line);
    let scene = Scene::new(subject, &state);
    let diagnostic = match fault {
        GameFault::Stuck { role } => outcome::stuck(rules, role, name(role), "a state that is not terminal"),
        GameFault::TwoGoals { role, terminal } => two_goals(&scene, role, name(role), terminal),
        GameFault::NoGoal { role } => {
            let name = name(role);
            let message = format!("role `{name}` has no goal value in a terminal state");
            let diagnostic = Diagnostic::new(&codes::NO_GOAL_IN_TERMINAL, scene.terminal(), message)
                .note("the game ends by this rule")
                .help(format!("add a rule such as `(<= (goal {name} 0) ..)` for it"));
            match rules.about(rules.keywords.goal, role).next() {
                Some(rule) => diagnostic.label(rule.head.span, format!("the first goal rule of `{name}`")),
                None => diagnostic,
            }
        }
        GameFault::Falling { role } => {
            let earlier = Scene::new(subject, &before);
            let (from, to) = (earlier.goals(role), scene.goals(role));
            let ((high, high_place), (low, low_place)) = (from[0], to[0]);
            let message = format!("the goal value of `{}` can fall: {high}, then {low}", name(role));
            let diagnostic = Diagnostic::new(&codes::GOAL_NOT_MONOTONE, low_place, message)
                .note(format!("gives {low} in the end"))
                .help("give no goal value that may fall later");
            match high_place {
                Some(place) if high_place != low_place => {
                    diagnostic.label(place, format!("gave {high} a move earlier"))
                }
                _ => diagnostic,
            }
        }
        GameFault::Loop => {
            let moves = counted(line.moves.len() / game.shape().roles, "move");
            let message = match line.repeats {
                None | Some(0) => format!("a game may never end: after {moves} it is back at the start"),
                Some(earlier) => {
                    let first = thousands(earlier as u128);
                    format!("a game may never end: after {moves} it is in the same state as after {first}")
                }
            };
            Diagnostic::new(&codes::NON_TERMINATING, first_terminal(subject), message)
                .note("this does not hold on the way")
                .help("count the moves in a fluent, and make `terminal` hold at a limit")
        }
        GameFault::TooLong => {
            let steps = line.moves.len() / game.shape().roles;
            let moves = counted(steps, "move");
            let all_compared = steps < sample::most_met(game);
            let compared = if all_compared { ", and no state was repeated" } else { "" };
            let message = format!("a random game is not over after {moves}{compared}");
            Diagnostic::new(&codes::NON_TERMINATING, first_terminal(subject), message)
                .note("this does not hold on the way")
                .help("make `terminal` hold sooner, or allow more moves with `--steps`")
        }
    };
    let is_endless = matches!(fault, GameFault::Loop | GameFault::TooLong);
    let diagnostic = if is_endless { lost(subject, line, diagnostic) } else { diagnostic };
    diagnostic.witness(witness(subject, line, &state))
}

/// Adds a label about a lost fluent and suggests a frame rule. The fluent must be one that play
/// lost, that `terminal` depends on, and that no rule keeps.
fn lost(subject: Subject<'_>, line: &Line, diagnostic: Diagnostic) -> Diagnostic {
    /// The most moves that are searched for the loss.
    const MOST: usize = 1_000;
    let (rules, game) = (subject.rules, subject.game);
    let unkept = frame::unkept(rules);
    if unkept.is_empty() {
        return diagnostic;
    }
    let mut state = game.initial();
    for (number, joint) in line.moves.chunks(game.shape().roles).enumerate().take(MOST) {
        let before = state.clone();
        game.advance(&mut state, joint);
        let after: Vec<usize> = game.fluents(&state).map(Id::index).collect();
        let gone = game.fluents(&before).filter(|fluent| after.binary_search(&fluent.index()).is_err());
        // Fluents of the initial state may be lost on purpose.
        for fluent in gone.filter(|_| number > 0) {
            let text = game.fluent_text(fluent);
            let name = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
            let Some(found) = unkept.iter().find(|unkept| unkept.name == name) else { continue };
            let label = format!(
                "`{text}` holds after move {number} and is gone after move {}: no rule keeps `{name}`",
                number + 1
            );
            let help = diagnostic.help.clone().unwrap_or_default();
            return diagnostic
                .label(found.place, label)
                .help(format!("{help}; or add `{}` if `{name}` should stay", found.rule))
                .suggest(Span { start: found.end, end: found.end }, format!("\n{}", found.rule));
        }
    }
    diagnostic
}

/// Returns GDL122, placed at the rules that derive the values.
fn two_goals(scene: &Scene<'_>, role: usize, name: &str, terminal: bool) -> Diagnostic {
    let goals = scene.goals(role);
    let values: Vec<String> = goals.iter().map(|(value, _)| value.to_string()).collect();
    let (last, others) = values.split_last().expect("two values at least");
    let values = format!("{} and {last}", others.join(", "));
    let when = if terminal { "a terminal state" } else { "one state" };
    let message = format!("role `{name}` has several goal values in {when}: {values}");
    let place = goals[0].1;
    // One rule with a variable may derive all values.
    let one = goals.iter().all(|&(_, other)| other == place);
    let note = if one { format!("gives {values}") } else { format!("gives {}", goals[0].0) };
    let mut diagnostic = Diagnostic::new(&codes::TWO_GOALS_AT_ONCE, place, message).note(note);
    for &(value, other) in goals[1..].iter().filter(|_| !one) {
        if let Some(other) = other {
            diagnostic = diagnostic.label(other, format!("gives {value}"));
        }
    }
    diagnostic.help("make the bodies of the rules exclude each other")
}

/// Returns the head of the first rule for `terminal`.
fn first_terminal(subject: Subject<'_>) -> Option<Span> {
    let rules = subject.rules;
    rules.rules.iter().find(|r| r.head.relation == rules.keywords.terminal).map(|r| r.head.span)
}

/// Returns the states before and after the last joint move of a line.
fn replay(subject: Subject<'_>, line: &Line) -> (BitBox, BitBox) {
    let game = subject.game;
    let mut state = game.initial();
    let mut before = state.clone();
    for joint in line.moves.chunks(game.shape().roles) {
        before.clone_from(&state);
        game.advance(&mut state, joint);
    }
    (before, state)
}

fn witness(subject: Subject<'_>, line: &Line, state: &BitBox) -> Witness {
    let game = subject.game;
    let texts = |joint: &[_]| joint.iter().map(|&action| game.move_text(action).to_owned()).collect();
    Witness {
        roles: game.roles().map(|role| game.role_text(role).to_owned()).collect(),
        moves: line.moves.chunks(game.shape().roles).map(texts).collect(),
        state: game.state_text(state),
        repeats: line.repeats,
    }
}

/// The ground rules evaluated in a state, and their places in the source.
struct Scene<'g> {
    subject: Subject<'g>,
    truths: Vec<bool>,
}

impl<'g> Scene<'g> {
    fn new(subject: Subject<'g>, state: &BitBox) -> Self {
        // The ground rules and the game number the fluents in the same order.
        let mut holds = vec![false; subject.ground.vocabulary.fluents.len()];
        subject.game.fluents(state).for_each(|fluent| holds[Id::index(fluent)] = true);
        Self { subject, truths: subject.ground.truths(&|fluent| holds[fluent as usize]) }
    }

    /// Returns the head of a rule that derives the atom in this state.
    fn place(&self, atom: AtomId) -> Option<Span> {
        let rule = self.subject.ground.firing(atom, &self.truths)?;
        Some(self.subject.rules.rules[rule].head.span)
    }

    fn terminal(&self) -> Option<Span> {
        self.place(self.subject.ground.terminal?)
    }

    /// Returns a role's goal values, each with the place of a rule that derives it.
    fn goals(&self, role: usize) -> Vec<(u8, Option<Span>)> {
        let goals = self.subject.ground.goal[role].iter();
        goals.filter(|(_, atom)| self.truths[atom.index()]).map(|&(v, atom)| (v, self.place(atom))).collect()
    }
}

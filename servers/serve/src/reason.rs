//! The reasons that a person may see in a session. A [`ReasonQuestion`] has the states that the
//! person considers possible. The evaluator answers it in another thread, as in `gdl why`.
//!
//! For a role with hidden information, an answer is shown only if it is the same in every state of
//! its information set. So it reveals nothing new to the role. The set may have at most
//! [`MOST_STATES`] states. A query of the evaluator takes at most [`FUEL`] steps divided by the
//! number of states. An answer of more than [`MOST_BYTES`] as JSON is computed again with less
//! depth.

use crate::{
    games::Opened,
    problem::{Answer, Problem},
    session::{Session, Viewer, Visibility},
    work::observer,
};
use gdl_compiler::{Limits, Options, Source, eval::Evaluator};
use gdl_players::Budget;
use gdl_runtime::{Cancel, Game, GameExt, history::Place};
use gdl_tools::{
    load,
    why::{Position, to_json},
};
use serde::Serialize;
use serde_json::Value;
use std::iter;

/// The greatest size of an information set for which a reason is computed.
const MOST_STATES: usize = 64;
/// The fuel of the evaluator for an answer: about a second.
const FUEL: u64 = 8_000_000;
/// The most atoms of a relation in the evaluator.
const MOST_ATOMS: usize = 200_000;
/// The most bytes of an answer as JSON.
const MOST_BYTES: usize = 1 << 20;
/// The greatest number of nested rules in an answer.
pub(crate) const DEEPEST: usize = 20;

/// The position of a session in which reasons are requested.
pub(crate) struct ReasonQuestion {
    opened: Opened,
    place: usize,
    /// The possible states as KIF text: the actual one, or those of an information set.
    states: Vec<String>,
    /// The previous state, the joint move made there, and the number of steps from the start.
    /// `None` if they are hidden, or at the first place.
    before: Option<(String, Vec<String>, usize)>,
    /// True if the position is the initial state of the game.
    is_start: bool,
}

/// The reason for an atom.
#[derive(Debug, Serialize)]
pub(crate) struct Reason {
    /// The index of the place in the history.
    place: usize,
    /// The reason, in the format of `gdl why --json`.
    why: Value,
}

fn hidden() -> Problem {
    Problem::conflict("hidden", "the reason is hidden until the end: it depends on hidden information")
}

impl ReasonQuestion {
    /// Creates the question for the current place of a session.
    ///
    /// # Errors
    /// Returns an error if the viewer may see nothing, the information set is not known completely
    /// or has too many states, or the budget ends first.
    pub(crate) fn of(session: &mut Session, looker: Viewer, budget: &Budget) -> Answer<Self> {
        let states = match session.eyes(looker) {
            Visibility::All => vec![session.history.state().clone()],
            Visibility::Of(role) => session.possible(role, MOST_STATES, budget).ok_or_else(Problem::late)?,
            Visibility::Closed => return Err(hidden().help("choose who looks at the screen")),
        };
        if states.is_empty() {
            return Err(hidden());
        }
        let (game, history) = (session.game(), &session.history);
        let knows = session.eyes(looker) == Visibility::All;
        let before = history.parent(history.place()).filter(|_| knows).and_then(|before| {
            let joint = history.joint(history.place())?;
            let joint = joint.iter().map(|&action| game.move_text(action).to_owned()).collect();
            Some((game.state_text(history.state_at(before)?), joint, history.depth()))
        });
        Ok(Self {
            opened: session.opened.clone(),
            place: history.place().index(),
            states: states.iter().map(|state| game.state_text(state)).collect(),
            before,
            is_start: knows && history.place() == Place::START && *history.state() == game.initial(),
        })
    }

    /// Explains with at most `depth` nested rules why an atom holds or not.
    ///
    /// # Errors
    /// Returns an error if the text is no atom of the rules, the answer is hidden or too large, or
    /// the computation is cancelled.
    pub(crate) fn answer(&self, atom: &str, depth: usize, cancel: &Cancel) -> Answer<Reason> {
        let unfit = |message: String| Problem::unfit("no_reason", message);
        let source = Source::new(&*self.opened.name, &*self.opened.text);
        let limits = if self.opened.is_known { Limits::default() } else { Limits::network() };
        // The game was read strictly or leniently; for rules without errors both give the same
        // result.
        let options =
            Options { lenient: true, limits: limits.clone(), observer: observer(cancel), ..load::quiet() };
        let (rules, _) =
            gdl_compiler::read(&source, &options).map_err(|_| unfit("the rules are too large".to_owned()))?;
        // The states share the fuel.
        let limits = Limits { fuel: FUEL / self.states.len() as u64, max_atoms: MOST_ATOMS, ..limits };
        let evaluator = Evaluator::with_limits(&rules, &limits).map_err(|error| unfit(error.to_string()))?;
        let explain = |state: &String, depth: usize| {
            if cancel.is_cancelled() {
                return Err(Problem::late());
            }
            let position = Position::of(&evaluator, state).and_then(|position| match &self.before {
                Some((before, joint, depth)) => position.reached(before, joint, *depth, &evaluator),
                None if self.is_start => Ok(position.at_start()),
                None => Ok(position),
            });
            position
                .and_then(|position| position.ask(&rules, &evaluator, atom, depth))
                .map_err(|error| unfit(error.to_string()))
        };
        let depths = iter::successors(Some(depth.clamp(1, DEEPEST)), |depth| Some(depth / 2));
        for depth in depths.take_while(|&depth| depth > 0) {
            let Some((first, others)) = self.states.split_first() else { return Err(hidden()) };
            let found = explain(first, depth)?;
            for state in others {
                if explain(state, depth)? != found {
                    return Err(hidden());
                }
            }
            let why = to_json(&found, &rules, &source);
            if why.to_string().len() <= MOST_BYTES {
                return Ok(Reason { place: self.place, why });
            }
        }
        Err(Problem::too_large("the reason is too long").help("`gdl why` tells it"))
    }
}

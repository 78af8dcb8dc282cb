//! The reasons by the rules that a person may see in a session. A [`Question`] is taken from the
//! session with the permitted states, and the evaluator answers it in another thread, as `gdl why`
//! does.
//!
//! A role that may not know the state receives a reason if it is the same in every state of its
//! information set, so it reveals nothing that the role could not find out by itself. There may be
//! [`MOST_STATES`] of them. An answer takes at most [`FUEL`] steps of the evaluator in all and
//! [`MOST_BYTES`] as JSON; a larger one is cut to a smaller depth.

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

/// States that fit what a role knows in which a reason is looked for.
const MOST_STATES: usize = 64;
/// Steps of the evaluator for an answer: a second or so.
const FUEL: u64 = 8_000_000;
/// The most atoms of a relation.
const MOST_ATOMS: usize = 200_000;
/// Bytes of an answer.
const MOST_BYTES: usize = 1 << 20;
/// The most rules deep.
pub(crate) const DEEPEST: usize = 20;

/// A question about a state of a session.
pub(crate) struct Question {
    opened: Opened,
    place: usize,
    /// The states as KIF text: the one there is, or those that fit what a role knows.
    states: Vec<String>,
    /// The state before it, the joint move made there and the moves from the start; nothing for a
    /// role that may not know.
    before: Option<(String, Vec<String>, usize)>,
    /// True if the game begins there.
    is_start: bool,
}

/// A reason.
#[derive(Debug, Serialize)]
pub(crate) struct Reason {
    /// The place that it is about.
    place: usize,
    /// The same as in `gdl why --json`.
    why: Value,
}

fn hidden() -> Problem {
    Problem::conflict("hidden", "the reason is hidden until the end: it depends on hidden information")
}

impl Question {
    /// Creates the question that a viewer may ask.
    ///
    /// # Errors
    /// Returns an error if nothing may be revealed, or there was no time to compute the role's
    /// knowledge.
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

    /// The reason why an atom holds, or why not, `depth` rules deep.
    ///
    /// # Errors
    /// Returns an error if it is no atom of the rules, may not be revealed, takes too much, or is
    /// not wanted any more.
    pub(crate) fn answer(&self, atom: &str, depth: usize, cancel: &Cancel) -> Answer<Reason> {
        let unfit = |message: String| Problem::unfit("no_reason", message);
        let source = Source::new(&*self.opened.name, &*self.opened.text);
        let limits = if self.opened.is_known { Limits::default() } else { Limits::network() };
        // An open game was read strictly or leniently; sound rules read the same both ways.
        let options =
            Options { lenient: true, limits: limits.clone(), observer: observer(cancel), ..load::quiet() };
        let (rules, _) =
            gdl_compiler::read(&source, &options).map_err(|_| unfit("the rules are too large".to_owned()))?;
        // States in which the same is asked share the fuel.
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

//! Faults of a rulesheet that only play shows: GDL118, GDL119 and GDL121 to GDL125.
//!
//! The input is a compiled game with its rules and [`SimulationSettings`]. The output is
//! diagnostics, each with the moves that show the fault, and [`Statistics`]. Reachable states are
//! visited breadth first, so small games are checked completely and each fault has a shortest play.
//! If there are too many states, random games follow. The result depends on the game and the
//! settings alone, not on the clock or threads.

mod choices;
mod describe;
mod explore;
mod findings;
mod sample;

use crate::counted;
use choices::Choices;
use explore::Graph;
use findings::{Findings, GameFault};
use gdl_compiler::{Diagnostic, Diagnostics, Rules, ground::GroundRules, outcome, propnet::Net};
use gdl_runtime::{Dynamic, Game, GameExt};
use std::fmt;

/// A game and the rules it was compiled from.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'g> {
    /// The checked rules.
    pub rules: &'g Rules,
    /// The ground rules.
    pub ground: &'g GroundRules,
    /// The optimised net.
    pub net: &'g Net,
    /// The game that is played.
    pub game: &'g Dynamic,
}

/// The amount of play.
#[derive(Clone, Debug)]
pub struct SimulationSettings {
    /// The seed of random choices.
    pub seed: u64,
    /// The most states visited breadth first.
    pub states: usize,
    /// The number of random games if the visit is incomplete. `None` stands for
    /// [`SimulationSettings::PLAYOUTS`], or fewer if `work` is used up.
    pub playouts: Option<u64>,
    /// The greatest number of moves in a random game.
    pub steps: usize,
    /// The limit on evaluated gates, once for visiting states and once for random games.
    pub work: u64,
}

impl SimulationSettings {
    /// The default number of random games.
    pub const PLAYOUTS: u64 = 1_000;
}

impl Default for SimulationSettings {
    fn default() -> Self {
        // The limit on work takes a few seconds, whatever the size of the game.
        Self { seed: 0, states: 100_000, playouts: None, steps: 1_000, work: 1_000_000_000 }
    }
}

/// The amount of play so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The number of states visited breadth first.
    pub states: usize,
    /// True if all reachable states were visited, so that no fault was missed.
    pub complete: bool,
    /// The number of random games played.
    pub playouts: u64,
    /// The number of joint moves made in random games.
    pub steps: u64,
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = counted(self.states, "state");
        match (self.complete, self.states) {
            (true, 1) => f.write_str("1 state, the only one, was visited"),
            (true, _) => write!(f, "all {states} were visited"),
            (false, _) => {
                // The number is at most the requested one, which fits into 64 bits.
                let playouts = counted(self.playouts as usize, "random game");
                let steps = counted(self.steps as usize, "move");
                write!(f, "the first {states} were visited, {playouts} of {steps} were played")
            }
        }
    }
}

/// The progress of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Visiting states, with the number so far.
    States(usize),
    /// Playing random games, with the number so far.
    Playouts(u64),
}

/// Plays a game and reports its faults, one diagnostic for each code and role, except those that
/// [`outcome`] proves from the net. `tell` receives the progress.
///
/// The settings bound the gates that are evaluated. States take at most 64 MiB; goals, edges and
/// plays take about 32 MiB each. A diagnostic also contains the names of a state.
pub fn simulate(
    subject: Subject<'_>,
    settings: &SimulationSettings,
    diagnostics: &mut Diagnostics,
    tell: &mut dyn FnMut(Progress),
) -> Statistics {
    let mut findings = Findings::default();
    let graph = Graph::explore(subject, settings, &mut findings, tell);
    let mut statistics =
        Statistics { states: graph.visited(), complete: graph.is_complete(), playouts: 0, steps: 0 };
    if !statistics.complete {
        (statistics.playouts, statistics.steps) = sample::play(subject, settings, &mut findings, tell);
    }
    let roles = subject.game.roles().len();
    if !outcome::may_end(subject.net) {
        findings.leave_without_end(roles);
    } else if statistics.complete {
        conclude(subject, &graph, &mut findings, diagnostics);
    }
    for (fault, line) in findings.into_lines() {
        let found = describe::describe(subject, fault, &line);
        // A check of the initial state may have reported the same role without moves already.
        let is_known = |known: &Diagnostic| (known.code, known.span) == (found.code, found.span);
        if !matches!(fault, GameFault::Stuck { .. }) || !diagnostics.iter().any(is_known) {
            diagnostics.push(found);
        }
    }
    diagnostics.sort();
    statistics
}

/// Reports faults that only the complete set of states shows: no end, or no way to win.
fn conclude(subject: Subject<'_>, graph: &Graph<'_>, findings: &mut Findings, diagnostics: &mut Diagnostics) {
    let Subject { rules, net, game, .. } = subject;
    // If some role gets stuck, the end or the win may lie beyond the states reached.
    if findings.any(|fault| matches!(fault, GameFault::Stuck { .. })) {
        return;
    }
    let (is_endless, roles) = (!graph.ends(), game.roles().len());
    if is_endless {
        findings.leave_without_end(roles);
    }
    let chance = game.vocabulary().chance();
    let is_winless =
        |role| !is_endless && !graph.wins(role) && outcome::may_win(net, role) && chance != Some(role);
    let winless = game.vocabulary().roles().iter().enumerate().filter(|&(role, _)| is_winless(role));
    outcome::conclude(rules, is_endless, winless, diagnostics);
}

/// The results of checking one state.
struct Sight {
    terminal: bool,
    /// The goal value of each role, by role index; `None` if the role has no value or several.
    goals: Vec<Option<u8>>,
    choices: Choices,
}

/// Checks a state and offers its faults.
fn look(game: &Dynamic, view: &<Dynamic as Game>::View, mut offer: impl FnMut(GameFault)) -> Sight {
    let chance = game.vocabulary().chance();
    let terminal = game.is_terminal_in(view);
    let choices = Choices::new(game, view);
    let mut goals = Vec::with_capacity(choices.roles());
    for (role, id) in game.roles().enumerate() {
        if !terminal && choices.of(role).is_empty() {
            offer(GameFault::Stuck { role });
        }
        let mut values = game.goals_in(view, id);
        let (first, is_only) = (values.next(), values.next().is_none());
        match first {
            // Goals of chance are irrelevant.
            None if terminal && chance != Some(role) => offer(GameFault::NoGoal { role }),
            Some(_) if !is_only => offer(GameFault::TwoGoals { role, terminal }),
            _ => {}
        }
        goals.push(first.filter(|_| is_only));
    }
    Sight { terminal, goals, choices }
}

/// Returns the roles whose goal value is lower in `after`.
fn falls(before: &[Option<u8>], after: &[Option<u8>]) -> impl Iterator<Item = usize> {
    let pairs = before.iter().zip(after).enumerate();
    pairs.filter(|(_, (before, after))| after.is_some() && before > after).map(|(role, _)| role)
}

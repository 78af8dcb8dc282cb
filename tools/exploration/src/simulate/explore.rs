//! The reachable states, visited breadth first, with a shortest play to each and their faults.
//!
//! Observing a state, advancing it and comparing goals each have a [cost](cost) in gates, which is
//! subtracted from `work`. The search ends when `work` or the limit of edges is used up. Once the
//! limits of states and stored goals are reached, no further states are stored. Building the play
//! of a fault observes each state of that play again.

use super::{
    Progress, SimulationSettings, Subject,
    choices::Choices,
    falls,
    findings::{Findings, GameFault, Line},
    look,
};
use gdl_compiler::ground::cycle;
use gdl_runtime::{Game, GameExt, bits::BitBox, dynamic::MoveId, engine::Table, game::Id};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;

/// The limit on the memory of states, in bytes.
pub(super) const MAX_STATE_BYTES: usize = 64 << 20;

/// The most joint moves that are stored.
const MAX_EDGES: usize = 4_000_000;

/// The most goals that are stored, one for each role of a state. It also bounds the moves of a
/// play.
pub(super) const MAX_GOALS: usize = 8_000_000;

/// The number in `edges` for a successor that is not stored, because there are too many states.
const UNKNOWN: u32 = u32::MAX;

/// The number of states between two reports of progress.
const TELL: usize = 1_024;

/// The visited states and the transitions between them. States are numbered in breadth-first order,
/// so smaller numbers are not farther from the initial state.
pub(super) struct Graph<'g> {
    subject: Subject<'g>,
    states: IndexSet<BitBox, FxBuildHasher>,
    /// For each state, its predecessor and the number of the joint move from there.
    parents: Vec<(u32, u32)>,
    /// For each state, the number of joint moves from the initial state.
    depths: Vec<u32>,
    /// The start of each visited state's successors in `edges`, which are ordered by joint move.
    starts: Vec<usize>,
    edges: Vec<u32>,
    /// The goal values of each visited state, role by role.
    goals: Vec<Option<u8>>,
    complete: bool,
    /// True if a terminal state was found.
    ends: bool,
    /// For each role, true if its goal value is 100 in a visited terminal state.
    wins: Vec<bool>,
}

impl<'g> Graph<'g> {
    /// Visits states until all are visited or a limit of the settings is reached.
    pub(super) fn explore(
        subject: Subject<'g>,
        settings: &SimulationSettings,
        findings: &mut Findings,
        tell: &mut dyn FnMut(Progress),
    ) -> Self {
        let game = subject.game;
        let shape = game.shape();
        let mut graph = Self {
            subject,
            states: IndexSet::default(),
            parents: vec![(0, 0)],
            depths: vec![0],
            starts: vec![0],
            edges: Vec::new(),
            goals: Vec::new(),
            complete: false,
            ends: false,
            wins: vec![false; shape.roles],
        };
        graph.states.insert(game.initial());
        // The memory of a state: its words, its number and its entry in the set.
        let max_states = settings.states.min(MAX_STATE_BYTES / (shape.state_words() * 8 + 48));
        let max_states = max_states.min(MAX_GOALS / shape.roles.max(1)).max(1);
        graph.complete = graph.visit(settings.work, max_states, findings, tell);
        graph.find_falls(findings);
        graph.find_loop(findings);
        graph
    }

    /// Visits at most `max_states` states. Returns whether all reachable states were visited.
    fn visit(
        &mut self,
        mut work: u64,
        max_states: usize,
        findings: &mut Findings,
        tell: &mut dyn FnMut(Progress),
    ) -> bool {
        let game = self.subject.game;
        let [observe, advance] = cost(self.subject);
        let mut view = game.new_view();
        let mut joint = vec![MoveId::from_index(0); game.shape().roles];
        let mut complete = true;
        let mut number = 0;
        while let Some(state) = self.states.get_index(number) {
            let Some(left) = work.checked_sub(observe) else { return false };
            work = left;
            game.observe(state, &mut view);
            let state = state.clone();
            let sight = look(game, &view, |fault| {
                findings.offer(fault, self.depth(number) * joint.len(), || self.line(number));
            });
            if sight.terminal {
                self.ends = true;
                for (role, id) in game.roles().enumerate() {
                    self.wins[role] |= game.goals_in(&view, id).any(|value| value == 100);
                }
            } else {
                let count = sight.choices.count();
                let room = (MAX_EDGES - self.edges.len()) as u64;
                let Some(left) = work.checked_sub(count.saturating_mul(advance)) else { return false };
                if count > room {
                    return false;
                }
                work = left;
                for k in 0..count {
                    sight.choices.write(k, &mut joint);
                    let (next, new) = self.states.insert_full(game.apply_unchecked(&state, &joint));
                    if new && next >= max_states {
                        self.states.pop();
                        self.edges.push(UNKNOWN);
                        complete = false;
                        continue;
                    }
                    if new {
                        self.parents.push((number as u32, k as u32));
                        self.depths.push(self.depths[number] + 1);
                    }
                    self.edges.push(next as u32);
                }
            }
            self.goals.extend(sight.goals);
            self.starts.push(self.edges.len());
            number += 1;
            if number.is_multiple_of(TELL) {
                tell(Progress::States(number));
            }
        }
        complete
    }

    /// Returns the number of visited states.
    pub(super) fn visited(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns whether all reachable states were visited.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns whether a visited state is terminal.
    pub(super) fn ends(&self) -> bool {
        self.ends
    }

    /// Returns whether the role's goal value is 100 in a visited terminal state.
    pub(super) fn wins(&self, role: usize) -> bool {
        self.wins[role]
    }

    fn successors(&self, state: usize) -> &[u32] {
        if state < self.visited() { &self.edges[self.starts[state]..self.starts[state + 1]] } else { &[] }
    }

    /// Returns the number of joint moves to a state.
    fn depth(&self, state: usize) -> usize {
        self.depths[state] as usize
    }

    /// Returns a shortest play to a state.
    fn line(&self, mut state: usize) -> Line {
        let mut steps = Vec::new();
        while state > 0 {
            let (parent, number) = self.parents[state];
            steps.push((parent as usize, u64::from(number)));
            state = parent as usize;
        }
        let mut line = Line::default();
        steps.into_iter().rev().for_each(|(state, number)| self.push(&mut line, state, number));
        line
    }

    /// Adds the joint move with this number in `state` to a line.
    fn push(&self, line: &mut Line, state: usize, number: u64) {
        let game = self.subject.game;
        let choices = Choices::new(game, &game.view(&self.states[state]));
        let end = line.moves.len();
        line.moves.resize(end + choices.roles(), MoveId::from_index(0));
        choices.write(number, &mut line.moves[end..]);
    }

    /// Offers, for each role, the earliest joint move after which its goal value is lower.
    fn find_falls(&self, findings: &mut Findings) {
        let roles = self.wins.len();
        let goals = |state: usize| &self.goals[state * roles..(state + 1) * roles];
        let mut found = vec![false; roles];
        for state in 0..self.visited() {
            for (number, &next) in self.successors(state).iter().enumerate() {
                if next as usize >= self.visited() {
                    continue;
                }
                for role in falls(goals(state), goals(next as usize)) {
                    if !std::mem::replace(&mut found[role], true) {
                        let length = (self.depth(state) + 1) * roles;
                        findings.offer(GameFault::Falling { role }, length, || {
                            let mut line = self.line(state);
                            self.push(&mut line, state, number as u64);
                            line
                        });
                    }
                }
            }
        }
    }

    /// Offers the play that leads to the first recurring state in breadth-first order and then once
    /// round its cycle.
    fn find_loop(&self, findings: &mut Findings) {
        let visited = self.visited();
        let mut component = vec![u32::MAX; visited];
        let (mut count, mut first) = (0, usize::MAX);
        let inside = |next: &&u32| (**next as usize) < visited;
        cycle::components(
            visited,
            |state, out| out.extend(self.successors(state).iter().filter(inside).map(|&next| next as usize)),
            |members| {
                members.iter().for_each(|&state| component[state] = count);
                count += 1;
                if members.len() > 1 || self.successors(members[0]).contains(&(members[0] as u32)) {
                    first = members.iter().fold(first, |first, &state| first.min(state));
                }
            },
        );
        if first == usize::MAX {
            return;
        }
        let mut line = self.line(first);
        let depth = self.depth(first);
        for (state, number) in self.round(first, |state| component[state] == component[first]) {
            self.push(&mut line, state, number as u64);
        }
        line.repeats = Some(depth);
        findings.offer(GameFault::Loop, line.moves.len(), || line);
    }

    /// Returns a shortest cycle from a state through states that `may` accepts, as pairs of a state
    /// and the number of the joint move made there.
    fn round(&self, from: usize, may: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
        const UNSEEN: (u32, u32) = (u32::MAX, u32::MAX);
        let mut before = vec![UNSEEN; self.visited()];
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (number, &next) in self.successors(state).iter().enumerate() {
                let next = next as usize;
                if next >= before.len() || !may(next) || before[next] != UNSEEN {
                    continue;
                }
                before[next] = (state as u32, number as u32);
                if next == from {
                    let mut steps = vec![(state, number)];
                    let mut at = state;
                    while at != from {
                        let (state, number) = before[at];
                        steps.push((state as usize, number as usize));
                        at = state as usize;
                    }
                    steps.reverse();
                    return steps;
                }
                queue.push_back(next);
            }
        }
        Vec::new()
    }
}

/// Returns the costs of observing and of advancing a state, in gates. Both include the number of
/// fluents and of roles, and the first also includes the words of the view.
pub(super) fn cost(subject: Subject<'_>) -> [u64; 2] {
    // Only games with a table are simulated.
    let (observe, advance) = subject.game.table().map_or((0, 0), Table::gates);
    let shape = subject.game.shape();
    [observe + shape.fluents + shape.view_words(), advance + shape.fluents]
        .map(|gates| (gates + shape.roles) as u64 + 1)
}

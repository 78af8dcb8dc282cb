//! The subgoals of tabling, each a procedure with its given arguments, and the answers found.
//!
//! Each subgoal and each answer is stored once. A clause that waits for answers is stored with its
//! variables until all answers are found.

use super::table::END;
use crate::datalog::{calls::Calls, terms::TermId};

/// The table of subgoals and answers, both numbered.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// The procedure and the given arguments of each subgoal.
    asked: Calls,
    list: Vec<Subgoal>,
    /// The subgoal and the other arguments of each answer.
    found: Calls,
    /// For each answer, the next answer to the same subgoal, or `END`.
    next: Vec<u32>,
    waiting: Vec<Waiting>,
    saved: Vec<TermId>,
}

#[derive(Clone, Debug)]
struct Subgoal {
    /// The first and the last answer found, or `END`.
    first: u32,
    last: u32,
    /// The last clause that waits for the subgoal's answers, or `END`.
    waiting: u32,
    /// True if all answers are found.
    is_complete: bool,
}

/// A clause that stopped at a subgoal of its own component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The subgoal that the clause answers.
    pub(super) question: u32,
    /// The index of the clause in its procedure.
    pub(super) entry: usize,
    /// The step where the clause stopped.
    pub(super) step: usize,
    /// The end of its variables in `saved`.
    end: u32,
    pub(super) next: u32,
}

impl Waiting {
    pub(super) fn new(question: u32, entry: usize, step: usize) -> Self {
        Self { question, entry, step, end: 0, next: END }
    }
}

impl Questions {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The procedure that a subgoal calls.
    pub(super) fn procedure(&self, question: u32) -> usize {
        self.asked.head(question) as usize
    }

    /// The given arguments of a subgoal.
    pub(super) fn arguments(&self, question: u32) -> &[TermId] {
        self.asked.arguments(question)
    }

    pub(super) fn is_complete(&self, question: u32) -> bool {
        self.list[question as usize].is_complete
    }

    /// The first answer to a subgoal, or `END`.
    pub(super) fn first(&self, question: u32) -> u32 {
        self.list[question as usize].first
    }

    /// The next answer to the same subgoal, or `END`.
    pub(super) fn next(&self, answer: u32) -> u32 {
        self.next[answer as usize]
    }

    /// The terms of an answer.
    pub(super) fn values(&self, answer: u32) -> &[TermId] {
        self.found.arguments(answer)
    }

    /// The last clause that waits for a subgoal's answers, or `END`.
    pub(super) fn waits_for(&self, question: u32) -> u32 {
        self.list[question as usize].waiting
    }

    /// Returns the number of a subgoal, and true if it is new.
    pub(super) fn ask(&mut self, procedure: usize, arguments: &[TermId]) -> (u32, bool) {
        let (question, is_new) = self.asked.intern(procedure as u32, arguments);
        if is_new {
            self.list.push(Subgoal { first: END, last: END, waiting: END, is_complete: false });
        }
        (question, is_new)
    }

    pub(super) fn is_answer(&self, question: u32, values: &[TermId]) -> bool {
        self.found.find(question, values).is_some()
    }

    /// Adds an answer and returns its number. Returns `None` if the answer is known.
    pub(super) fn answer(&mut self, question: u32, values: &[TermId]) -> Option<u32> {
        let (answer, true) = self.found.intern(question, values) else { return None };
        self.next.push(END);
        let list = &mut self.list[question as usize];
        match std::mem::replace(&mut list.last, answer) {
            END => list.first = answer,
            last => self.next[last as usize] = answer,
        }
        Some(answer)
    }

    /// Makes a clause wait for the answers to `question`. Returns the number of the waiting clause.
    pub(super) fn wait(&mut self, question: u32, mut waiting: Waiting, variables: &[TermId]) -> u32 {
        self.saved.extend_from_slice(variables);
        waiting.end = self.saved.len() as u32;
        let number = self.waiting.len() as u32;
        waiting.next = std::mem::replace(&mut self.list[question as usize].waiting, number);
        self.waiting.push(waiting);
        number
    }

    /// A waiting clause and its variables.
    pub(super) fn waiting(&self, number: u32) -> (Waiting, &[TermId]) {
        let place = number as usize;
        let waiting = self.waiting[place];
        let start = place.checked_sub(1).map_or(0, |before| self.waiting[before].end);
        (waiting, &self.saved[start as usize..waiting.end as usize])
    }

    /// The number of waiting clauses.
    pub(super) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Marks the subgoals from `first` on as complete, and drops the clauses that wait for them:
    /// all but the first `waiting`.
    pub(super) fn complete(&mut self, first: usize, waiting: usize) {
        self.list[first..].iter_mut().for_each(|question| question.is_complete = true);
        self.waiting.truncate(waiting);
        self.saved.truncate(self.waiting.last().map_or(0, |waiting| waiting.end as usize));
    }

    /// Drops all subgoals but the first `len`, which were complete before the others were asked.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.list.len() {
            let kept =
                (0..self.next.len() as u32).take_while(|&i| (self.found.head(i) as usize) < len).count();
            self.asked.truncate(len);
            self.list.truncate(len);
            self.found.truncate(kept);
            self.next.truncate(kept);
            self.waiting.clear();
            self.saved.clear();
        }
    }
}

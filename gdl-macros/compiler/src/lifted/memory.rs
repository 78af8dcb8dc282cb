//! What an evaluation keeps: tables, terms, questions with their answers, and how much it may still take.
//!
//! Every step is paid for with fuel before it is done. Every tuple, term, question and answer is paid for with bytes when it
//! is kept, and besides by what it takes in views and indexes: while plans are looked for, by what these hold
//! ([`Store::indexed`]), and in play by what they will hold, so that the order of evaluations does not matter.
//! The agenda is bounded by its length. What is kept takes about as many bytes as it is charged, and twice as
//! many while a table moves to a larger place.

use super::{
    Stop,
    table::{END, Store, Table, hash},
    terms::{Id, Terms},
};
use crate::{
    Limits, Observer,
    observer::{Phase, Progress},
};
use hashbrown::HashTable;
use std::ops::ControlFlow;

/// What a question, an answer or a tuple takes beside its terms.
pub(super) const BYTES_PER_ENTRY: usize = 48;

/// How many terms are handled in a step.
const TERMS: usize = 16;

/// Everything an evaluation writes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) store: Store,
    pub(super) terms: Terms,
    pub(super) questions: Questions,
    pub(super) agenda: Vec<Task>,
    /// The tuples of each relation that were new in the round before.
    pub(super) new: Vec<(u32, u32)>,
    /// The tuples that negations on a cycle are judged by.
    pub(super) assumed: Vec<Table>,
    /// The variables of the clauses at work.
    pub(super) slots: Vec<Id>,
    /// Terms on their way into a tuple or a larger term.
    pub(super) stack: Vec<Id>,
    /// How deep steps are nested.
    pub(super) depth: usize,
    /// Steps that may be taken before anybody is told, and those that may be taken afterwards.
    fuel: u64,
    reserve: u64,
    bytes: usize,
    /// What an evaluation may take in views and indexes, in bytes, and what of that is left.
    room: usize,
    rows: usize,
    /// Who is told of the steps; nobody during play.
    observer: Observer,
    /// Steps that were taken before the fuel at hand.
    spent: u64,
}

/// Steps after which the observer is told.
const SLICE: u64 = 1 << 20;

impl Memory {
    /// Nothing but the terms, and within the limits.
    pub(super) fn new(store: Store, terms: Terms, limits: &Limits) -> Self {
        let relations = store.tables.len();
        Self {
            room: bytes_of(limits),
            store,
            terms,
            questions: Questions::default(),
            agenda: Vec::new(),
            new: vec![(0, 0); relations],
            assumed: vec![Table::default(); relations],
            slots: Vec::new(),
            stack: Vec::new(),
            ..Self::default()
        }
    }

    /// Lets somebody follow the steps, and end them.
    pub(super) fn observe(&mut self, observer: Observer) {
        self.observer = observer;
    }

    /// So many steps and bytes may be taken from now on.
    pub(super) fn refuel(&mut self, fuel: u64, bytes: usize) {
        (self.fuel, self.reserve, self.bytes) = (fuel.min(SLICE), fuel.saturating_sub(SLICE), bytes);
        self.rows = self.room;
        self.agenda.clear();
        self.slots.clear();
        self.stack.clear();
        self.depth = 0;
    }

    /// Steps that may still be taken.
    pub(super) fn fuel(&self) -> u64 {
        self.fuel + self.reserve
    }

    #[inline]
    pub(super) fn burn(&mut self, steps: u64) -> Result<(), Stop> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => self.draw(steps),
        }
    }

    /// Burns steps of the reserve too.
    #[cold]
    fn draw(&mut self, steps: u64) -> Result<(), Stop> {
        let left = self.fuel().checked_sub(steps).ok_or(Stop::Fuel)?;
        self.spent += SLICE;
        self.fuel = left.min(SLICE);
        self.reserve = left - self.fuel;
        let made = usize::try_from(self.spent).unwrap_or(usize::MAX);
        match self.observer.tell(Progress { phase: Phase::Lift, made, steps: self.spent }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stop::Cancelled(made)),
        }
    }

    /// Burns what it takes to handle so many terms beyond the few of a step.
    #[inline]
    pub(super) fn handle(&mut self, terms: usize) -> Result<(), Stop> {
        if terms < TERMS { Ok(()) } else { self.burn((terms / TERMS) as u64) }
    }

    /// Bytes that may still be taken.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Accounts for something of so many terms that is kept.
    #[inline]
    pub(super) fn charge(&mut self, width: usize) -> Result<(), Stop> {
        self.bytes = self.bytes.checked_sub(BYTES_PER_ENTRY + 8 * width).ok_or(Stop::Bytes)?;
        Ok(())
    }

    /// Accounts for a tuple of a relation.
    #[inline]
    pub(super) fn charge_tuple(&mut self, relation: usize, width: usize) -> Result<(), Stop> {
        self.rows = self.rows.checked_sub(self.store.price(relation)).ok_or(Stop::Bytes)?;
        self.charge(width)
    }

    /// Whether views and indexes hold no more than they may, if they are not paid for tuple by tuple.
    #[inline]
    pub(super) fn check_views(&self) -> Result<(), Stop> {
        if self.store.indexed() <= self.room || self.store.is_priced() { Ok(()) } else { Err(Stop::Bytes) }
    }

    /// Puts a task on the agenda.
    #[inline]
    pub(super) fn put_off(&mut self, task: Task) -> Result<(), Stop> {
        self.burn(1)?;
        if self.agenda.len() >= self.room / size_of::<Task>() {
            return Err(Stop::Bytes);
        }
        self.agenda.push(task);
        Ok(())
    }
}

/// The share of [`Limits::max_bytes`] that one evaluation may take: there may be one for each thread.
pub(super) fn bytes_of(limits: &Limits) -> usize {
    limits.max_bytes / 4
}

/// What is still to be done for open questions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Run the clauses for a question.
    Start(u32),
    /// Go on where a clause waits, with an answer.
    Resume(u32, u32),
}

/// Questions, each a procedure with the given arguments, and what was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    list: Vec<Question>,
    keys: Vec<Id>,
    table: HashTable<u32>,
    answers: Vec<Answer>,
    values: Vec<Id>,
    set: HashTable<u32>,
    waiting: Vec<Waiting>,
    saved: Vec<Id>,
}

#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) procedure: usize,
    /// Where its arguments end in `keys`.
    end: u32,
    /// Its answers, in the order they were found.
    pub(super) first: u32,
    last: u32,
    /// The clauses that wait for its answers, the last one first.
    pub(super) waiting: u32,
    /// All answers are there.
    pub(super) complete: bool,
}

#[derive(Clone, Debug)]
struct Answer {
    question: u32,
    /// Where its terms end in `values`.
    end: u32,
    next: u32,
}

/// A clause that stopped at a question of its own component.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The question that the clause is to answer.
    pub(super) question: u32,
    /// The clause's place in the procedure.
    pub(super) entry: usize,
    /// The step where it stopped.
    pub(super) step: usize,
    /// Where its variables end in `saved`.
    end: u32,
    pub(super) next: u32,
}

fn part(cells: &[Id], end_before: Option<u32>, end: u32) -> &[Id] {
    &cells[end_before.map_or(0, |end| end as usize)..end as usize]
}

impl Questions {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn question(&self, question: u32) -> &Question {
        &self.list[question as usize]
    }

    /// The given arguments of a question.
    pub(super) fn arguments(&self, question: u32) -> &[Id] {
        let place = question as usize;
        part(&self.keys, place.checked_sub(1).map(|before| self.list[before].end), self.list[place].end)
    }

    fn key(&self, question: u32) -> u64 {
        let procedure = self.list[question as usize].procedure as Id;
        hash(std::iter::once(procedure).chain(self.arguments(question).iter().copied()))
    }

    /// The question, and true if it is new.
    pub(super) fn ask(&mut self, procedure: usize, arguments: &[Id]) -> (u32, bool) {
        let key = hash(std::iter::once(procedure as Id).chain(arguments.iter().copied()));
        let equal = |&question: &u32| {
            self.list[question as usize].procedure == procedure && self.arguments(question) == arguments
        };
        if let Some(&known) = self.table.find(key, equal) {
            return (known, false);
        }
        let question = self.list.len() as u32;
        self.keys.extend_from_slice(arguments);
        let end = self.keys.len() as u32;
        self.list.push(Question { procedure, end, first: END, last: END, waiting: END, complete: false });
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(key, question, |&question| self.key(question));
        self.table = table;
        (question, true)
    }

    pub(super) fn values(&self, answer: u32) -> &[Id] {
        let place = answer as usize;
        let before = place.checked_sub(1).map(|before| self.answers[before].end);
        part(&self.values, before, self.answers[place].end)
    }

    fn answer_key(&self, answer: u32) -> u64 {
        let question = self.answers[answer as usize].question;
        hash(std::iter::once(question).chain(self.values(answer).iter().copied()))
    }

    /// The answer after this one.
    pub(super) fn next(&self, answer: u32) -> u32 {
        self.answers[answer as usize].next
    }

    pub(super) fn is_answer(&self, question: u32, values: &[Id]) -> bool {
        if values.is_empty() {
            return self.list[question as usize].first != END;
        }
        let key = hash(std::iter::once(question).chain(values.iter().copied()));
        let equal = |&answer: &u32| {
            self.answers[answer as usize].question == question && self.values(answer) == values
        };
        self.set.find(key, equal).is_some()
    }

    /// Adds an answer, unless it is known.
    pub(super) fn answer(&mut self, question: u32, values: &[Id]) -> Option<u32> {
        if self.is_answer(question, values) {
            return None;
        }
        let answer = self.answers.len() as u32;
        self.values.extend_from_slice(values);
        self.answers.push(Answer { question, end: self.values.len() as u32, next: END });
        let list = &mut self.list[question as usize];
        match std::mem::replace(&mut list.last, answer) {
            END => list.first = answer,
            last => self.answers[last as usize].next = answer,
        }
        if !values.is_empty() {
            let key = self.answer_key(answer);
            let mut set = std::mem::take(&mut self.set);
            set.insert_unique(key, answer, |&answer| self.answer_key(answer));
            self.set = set;
        }
        Some(answer)
    }

    /// Lets a clause wait for the answers to `question`.
    pub(super) fn wait(&mut self, question: u32, mut waiting: Waiting, variables: &[Id]) -> u32 {
        self.saved.extend_from_slice(variables);
        waiting.end = self.saved.len() as u32;
        let number = self.waiting.len() as u32;
        waiting.next = std::mem::replace(&mut self.list[question as usize].waiting, number);
        self.waiting.push(waiting);
        number
    }

    /// A clause that waits, with its variables.
    pub(super) fn waiting(&self, number: u32) -> (Waiting, &[Id]) {
        let place = number as usize;
        let waiting = self.waiting[place];
        let before = place.checked_sub(1).map(|before| self.waiting[before].end);
        (waiting, part(&self.saved, before, waiting.end))
    }

    /// How many clauses wait.
    pub(super) fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Calls the questions from a certain one on complete; nobody waits for them any longer.
    pub(super) fn complete(&mut self, first: usize, waiting: usize) {
        self.list[first..].iter_mut().for_each(|question| question.complete = true);
        self.waiting.truncate(waiting);
        self.saved.truncate(self.waiting.last().map_or(0, |waiting| waiting.end as usize));
    }

    /// Forgets all questions but the first `len`, which are complete.
    pub(super) fn truncate(&mut self, len: usize) {
        if len == self.list.len() {
            return;
        }
        self.table.retain(|&mut question| (question as usize) < len);
        self.set.retain(|&mut answer| (self.answers[answer as usize].question as usize) < len);
        let kept = self.answers.iter().take_while(|answer| (answer.question as usize) < len).count();
        self.answers.truncate(kept);
        self.list.truncate(len);
        self.keys.truncate(self.list.last().map_or(0, |question| question.end as usize));
        self.values.truncate(self.answers.last().map_or(0, |answer| answer.end as usize));
        self.waiting.clear();
        self.saved.clear();
    }
}

impl Waiting {
    pub(super) fn new(question: u32, entry: usize, step: usize) -> Self {
        Self { question, entry, step, end: 0, next: END }
    }
}

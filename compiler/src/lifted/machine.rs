//! The interpreter of plans: finds all bindings that satisfy a body and derives the head for each.
//!
//! A [`Machine`] executes the steps of [`plan`](super::plan). It adds new tuples to a relation's
//! table in a [`Memory`], or new answers to a subgoal. A clause that calls a subgoal of its own
//! component is suspended with its variables, and resumes with each answer that is found. So
//! recursion in the rules costs no stack and cycles end (tabling, as in SLG resolution, Chen and
//! Warren 1996). A subgoal of a lower component is evaluated completely before the clause
//! continues, so it may be negated, too.
//!
//! Backtracking recurses once per step of a body and per component, up to [`MAX_DEPTH`].
//!
//! Every step, row, answer and task costs fuel, and more if it handles many terms. Everything that
//! is stored is charged in bytes ([`memory`](super::memory)).

use super::{
    Stop,
    clause::Leaf,
    memory::{Memory, Task},
    plan::{ClauseEntry, Procedures, Rows, Scan, Step},
    program::Program,
    questions::Waiting,
    table::{END, Store},
};
use crate::datalog::{
    calls::hash,
    pattern::{Match, Pattern},
    terms::TermId,
};

/// The greatest nesting depth of steps, so that the stack does not overflow.
const MAX_DEPTH: usize = 1_000;

/// The target of a clause's run.
#[derive(Clone, Copy)]
enum Target {
    /// The table of the relation of the clause with this index.
    Clause(usize),
    /// A subgoal, and the index of the clause's entry in the subgoal's procedure.
    Question(u32, usize),
}

/// A running clause: the start of its variables, and its target.
#[derive(Clone, Copy)]
struct Frame {
    base: usize,
    target: Target,
}

/// The interpreter of plans, with the memory that it writes to.
pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) procedures: &'p Procedures,
    /// The tables that are the same in all states, and for each relation, true if its table is one
    /// of them.
    pub(super) fixed: Option<(&'p Store, &'p [bool])>,
    pub(super) memory: &'p mut Memory,
}

impl<'p> Machine<'p> {
    /// Runs a clause's code, which adds tuples to its relation's table.
    pub(super) fn run_clause(&mut self, clause: usize, code: &'p [Step]) -> Result<(), Stop> {
        self.with_frame(self.program.clauses[clause].variables, Target::Clause(clause), |m, frame| {
            m.run(code, 0, frame).map(|_| ())
        })
    }

    fn with_frame(
        &mut self,
        variables: usize,
        target: Target,
        work: impl FnOnce(&mut Self, Frame) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let base = self.memory.slots.len();
        self.memory.slots.resize(base + variables, TermId::NONE);
        work(self, Frame { base, target })?;
        self.memory.slots.truncate(base);
        Ok(())
    }

    fn is_fixed(&self, relation: usize) -> bool {
        self.fixed.is_some_and(|(_, fixed)| fixed[relation])
    }

    fn store(&self, is_fixed: bool) -> &Store {
        match self.fixed {
            Some((store, _)) if is_fixed => store,
            _ => &self.memory.store,
        }
    }

    /// Runs the steps from `at` on. Returns true if they were satisfied at least once.
    fn run(&mut self, code: &'p [Step], mut at: usize, frame: Frame) -> Result<bool, Stop> {
        loop {
            self.memory.burn(1)?;
            match &code[at] {
                Step::Scan(scan) => return self.nested(|m| m.scan(scan, code, at, frame)),
                Step::Call { .. } => return self.nested(|m| m.call(code, at, frame)),
                Step::Branch { starts, once } => {
                    return self.nested(|m| m.branch(starts, *once, code, frame));
                }
                Step::Member { relation, arguments, positive, assumed } => {
                    self.memory.handle(arguments.len())?;
                    if self.is_member(*relation, arguments, *assumed, frame.base) != *positive {
                        return Ok(false);
                    }
                    at += 1;
                }
                Step::Deny { procedure, bound } => {
                    let question = self.answered(*procedure, bound, frame.base)?;
                    if self.memory.questions.first(question) != END {
                        return Ok(false);
                    }
                    at += 1;
                }
                Step::Compare { left, right, equal } => {
                    let same = self.build(left, frame.base)? == self.build(right, frame.base)?;
                    if same != *equal {
                        return Ok(false);
                    }
                    at += 1;
                }
                Step::Jump(to) => at = *to,
                Step::Cut => {
                    if self.is_known(frame)? {
                        return Ok(false);
                    }
                    at += 1;
                }
                Step::Emit => {
                    self.emit(frame)?;
                    return Ok(true);
                }
            }
        }
    }

    /// Calls `work`, which may run further steps, one level deeper.
    fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        if self.memory.depth == MAX_DEPTH {
            return Err(Stop::Depth);
        }
        self.memory.depth += 1;
        let result = work(self)?;
        self.memory.depth -= 1;
        Ok(result)
    }

    fn branch(&mut self, starts: &[usize], once: bool, code: &'p [Step], frame: Frame) -> Result<bool, Stop> {
        let mut found = false;
        for &start in starts {
            found |= self.run(code, start, frame)?;
            if found && once {
                break;
            }
        }
        Ok(found)
    }

    fn scan(&mut self, scan: &Scan, code: &'p [Step], at: usize, frame: Frame) -> Result<bool, Stop> {
        let is_fixed = self.is_fixed(scan.relation);
        if !is_fixed {
            let Memory { store, terms, .. } = &mut *self.memory;
            store.refresh(scan.view, terms);
            if let Rows::Index(index) = scan.rows {
                store.refresh_index(scan.view, index);
            }
            self.memory.check_views()?;
        }
        let (mut row, end, index) = match scan.rows {
            Rows::All => (0, self.store(is_fixed).rows(scan.view), None),
            Rows::New => {
                let (from, to) = self.memory.new[scan.relation];
                let (from, to) = self.store(is_fixed).rows_of(scan.view, from, to);
                (from, to, None)
            }
            Rows::Index(index) => {
                let slots = &self.memory.slots[frame.base..];
                let key = hash(scan.key.iter().map(|&(_, leaf)| value(leaf, slots).0));
                (self.store(is_fixed).first(scan.view, index, key), END, Some(index))
            }
        };
        let mut found = false;
        let terms = scan.key.len() + scan.binds.len() + scan.checks.len();
        while row != end {
            self.memory.burn(1)?;
            self.memory.handle(terms)?;
            if self.fits(scan, is_fixed, row, frame.base) {
                found |= self.run(code, at + 1, frame)?;
                if found && scan.once {
                    break;
                }
            }
            row = match index {
                None => row + 1,
                Some(index) => self.store(is_fixed).next(scan.view, index, row),
            };
        }
        Ok(found)
    }

    /// Binds variables to the row's values. Returns false if some value does not fit.
    fn fits(&mut self, scan: &Scan, is_fixed: bool, row: u32, base: usize) -> bool {
        let Memory { store, slots, .. } = &mut *self.memory;
        let store = match self.fixed {
            Some((fixed, _)) if is_fixed => fixed,
            _ => store,
        };
        let cells = store.row(scan.view, row);
        let slots = &mut slots[base..];
        if !scan.key.iter().all(|&(column, leaf)| cells[column] == value(leaf, slots)) {
            return false;
        }
        for &(column, variable) in &scan.binds {
            slots[variable as usize] = cells[column];
        }
        scan.checks.iter().all(|&(column, variable)| cells[column] == slots[variable as usize])
    }

    /// Tries the answers of a procedure, or suspends the clause until there are answers.
    fn call(&mut self, code: &'p [Step], at: usize, frame: Frame) -> Result<bool, Stop> {
        let Step::Call { procedure, bound, free, own, once } = &code[at] else { return Ok(false) };
        let question = if *own {
            let question = self.ask(*procedure, bound, frame.base)?;
            if !self.memory.questions.is_complete(question) {
                self.wait(question, at, frame)?;
                return Ok(false);
            }
            question
        } else {
            self.answered(*procedure, bound, frame.base)?
        };
        let mut found = false;
        let mut answer = self.memory.questions.first(question);
        while answer != END {
            self.memory.burn(1)?;
            self.memory.handle(free.len())?;
            if self.accepts(free, answer, frame.base) {
                found |= self.run(code, at + 1, frame)?;
                if found && *once {
                    break;
                }
            }
            answer = self.memory.questions.next(answer);
        }
        Ok(found)
    }

    /// Returns the subgoal with these arguments. A new subgoal is put on the agenda.
    fn ask(&mut self, procedure: usize, bound: &[Pattern], base: usize) -> Result<u32, Stop> {
        let start = self.build_all(bound, base)?;
        let Memory { questions, stack, .. } = &mut *self.memory;
        let (question, new) = questions.ask(procedure, &stack[start..]);
        stack.truncate(start);
        if new {
            self.memory.put_off(Task::Start(question))?;
            self.memory.charge(bound.len())?;
        }
        Ok(question)
    }

    /// Returns a subgoal of a lower component, after finding all its answers.
    fn answered(&mut self, procedure: usize, bound: &[Pattern], base: usize) -> Result<u32, Stop> {
        let (open, first) = (self.memory.agenda.len(), self.memory.questions.len());
        let waiting = self.memory.questions.n_waiting();
        let question = self.ask(procedure, bound, base)?;
        if self.memory.agenda.len() > open {
            self.nested(|m| {
                while m.memory.agenda.len() > open {
                    match m.memory.agenda.pop() {
                        Some(Task::Start(question)) => m.start(question)?,
                        Some(Task::Resume(waiting, answer)) => m.resume(waiting, answer)?,
                        None => {}
                    }
                }
                Ok(())
            })?;
            self.memory.questions.complete(first, waiting);
        }
        Ok(question)
    }

    /// Runs the clauses of a subgoal's procedure.
    fn start(&mut self, question: u32) -> Result<(), Stop> {
        let procedure = &self.procedures.list[self.memory.questions.procedure(question)];
        for (number, entry) in procedure.entries.iter().enumerate() {
            self.memory.burn(1)?;
            self.with_frame(entry.variables, Target::Question(question, number), |m, frame| {
                let Memory { questions, terms, slots, .. } = &mut *m.memory;
                let slots = &mut slots[frame.base..];
                if Match::all_fit(&entry.given, questions.arguments(question), terms, slots) {
                    m.run(&entry.code, 0, frame)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Suspends a clause until a subgoal has answers.
    fn wait(&mut self, question: u32, at: usize, frame: Frame) -> Result<(), Stop> {
        // Only clauses of procedures call procedures of their own component.
        let Target::Question(own, entry) = frame.target else { return Err(Stop::Unsafe) };
        let end = frame.base + self.entry(own, entry).variables;
        self.memory.charge(end - frame.base)?;
        let Memory { questions, slots, .. } = &mut *self.memory;
        let number = questions.wait(question, Waiting::new(own, entry, at), &slots[frame.base..end]);
        let mut answer = questions.first(question);
        while answer != END {
            self.memory.put_off(Task::Resume(number, answer))?;
            answer = self.memory.questions.next(answer);
        }
        Ok(())
    }

    /// Resumes a suspended clause with an answer.
    fn resume(&mut self, waiting: u32, answer: u32) -> Result<(), Stop> {
        let (Waiting { question, entry: number, step, .. }, variables) =
            self.memory.questions.waiting(waiting);
        let base = self.memory.slots.len();
        self.memory.slots.extend_from_slice(variables);
        let entry = self.entry(question, number);
        let Step::Call { free, .. } = &entry.code[step] else { return Err(Stop::Unsafe) };
        self.memory.burn(1)?;
        if self.accepts(free, answer, base) {
            self.run(&entry.code, step + 1, Frame { base, target: Target::Question(question, number) })?;
        }
        self.memory.slots.truncate(base);
        Ok(())
    }

    fn entry(&self, question: u32, entry: usize) -> &'p ClauseEntry {
        &self.procedures.list[self.memory.questions.procedure(question)].entries[entry]
    }

    /// Binds variables to the values of an answer. Returns false if some value does not fit.
    fn accepts(&mut self, free: &[Match], answer: u32, base: usize) -> bool {
        let Memory { questions, terms, slots, .. } = &mut *self.memory;
        Match::all_fit(free, questions.values(answer), terms, &mut slots[base..])
    }

    fn is_member(&mut self, relation: usize, arguments: &[Pattern], assumed: bool, base: usize) -> bool {
        let is_fixed = self.is_fixed(relation);
        let Memory { store, terms, slots, stack, assumed: tables, .. } = &mut *self.memory;
        let table = match self.fixed {
            _ if assumed => &tables[relation],
            Some((fixed, _)) if is_fixed => &fixed.tables[relation],
            _ => &store.tables[relation],
        };
        // A tuple with a term that is not interned is in no table.
        Pattern::with_found(arguments, terms, &slots[base..], stack, |found| table.contains(found))
            == Some(true)
    }

    /// Builds the term of a bound pattern.
    fn build(&mut self, pattern: &Pattern, base: usize) -> Result<TermId, Stop> {
        match pattern {
            Pattern::Variable(variable) => Ok(self.memory.slots[base + *variable as usize]),
            Pattern::Ground(id) => Ok(*id),
            Pattern::Function(symbol, arguments) => {
                let start = self.build_all(arguments, base)?;
                let Memory { terms, stack, .. } = &mut *self.memory;
                let before = terms.len();
                let id = terms.intern(*symbol, &stack[start..])?;
                let new = terms.len() > before;
                stack.truncate(start);
                if new {
                    self.memory.charge(arguments.len())?;
                }
                Ok(id)
            }
        }
    }

    /// Pushes the terms of bound patterns on the stack. Returns the index of the first.
    fn build_all(&mut self, patterns: &[Pattern], base: usize) -> Result<usize, Stop> {
        self.memory.handle(patterns.len())?;
        let start = self.memory.stack.len();
        for pattern in patterns {
            let id = self.build(pattern, base)?;
            self.memory.stack.push(id);
        }
        Ok(start)
    }

    /// Builds the terms that a frame derives, on the stack. Returns the index of the first.
    fn head(&mut self, frame: Frame) -> Result<usize, Stop> {
        match frame.target {
            Target::Clause(clause) => {
                let program = self.program;
                self.build_all(&program.clauses[clause].head.arguments, frame.base)
            }
            Target::Question(question, entry) => {
                self.build_all(&self.entry(question, entry).answer, frame.base)
            }
        }
    }

    /// Returns whether the head of a frame is derived already.
    fn is_known(&mut self, frame: Frame) -> Result<bool, Stop> {
        let start = self.head(frame)?;
        let Memory { store, questions, stack, .. } = &mut *self.memory;
        let head = &stack[start..];
        let is_known = match frame.target {
            Target::Clause(clause) => store.tables[self.program.clauses[clause].head.relation].contains(head),
            Target::Question(question, _) => questions.is_answer(question, head),
        };
        stack.truncate(start);
        Ok(is_known)
    }

    fn emit(&mut self, frame: Frame) -> Result<(), Stop> {
        let start = self.head(frame)?;
        let Memory { store, questions, stack, .. } = &mut *self.memory;
        let head = &stack[start..];
        let width = head.len();
        match frame.target {
            Target::Clause(clause) => {
                let relation = self.program.clauses[clause].head.relation;
                let new = store.tables[relation].insert(head);
                stack.truncate(start);
                if new { self.memory.charge_tuple(relation, width) } else { Ok(()) }
            }
            Target::Question(question, _) => {
                let answer = questions.answer(question, head);
                stack.truncate(start);
                let Some(answer) = answer else { return Ok(()) };
                self.memory.charge(width)?;
                let mut waiting = self.memory.questions.waits_for(question);
                while waiting != END {
                    self.memory.put_off(Task::Resume(waiting, answer))?;
                    waiting = self.memory.questions.waiting(waiting).0.next;
                }
                Ok(())
            }
        }
    }
}

fn value(leaf: Leaf, slots: &[TermId]) -> TermId {
    match leaf {
        Leaf::Variable(variable) => slots[variable as usize],
        Leaf::Ground(id) => id,
    }
}

//! Emission of an instance: from a full binding of a clause's variables to the head and the
//! literals that it depends on.
//!
//! Fixed literals are evaluated here and left out. A disjunction of other literals gets an atom
//! that stands for it, and equal disjunctions share one atom. Thus an instance has at most one
//! literal for each test.

use super::{
    super::{
        Literal,
        clause::{self, Clause, Test},
        excess::{Excess, What},
        terms::{AtomId, Oversized, TermId, Terms},
    },
    Grounder,
};
use crate::datalog::pattern::Pattern;

/// The bytes of a disjunction besides its literals: an entry of a hash map and a heap allocation.
const BYTES_PER_FORMULA: usize = 80;

/// A formula's value in an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    False,
    True,
    Literal(Literal),
}

/// An atom that stands for a disjunction, and the rule that first made it.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) atom: AtomId,
    pub(super) literals: Vec<Literal>,
    pub(super) rule: usize,
}

/// The atoms of several rows, looked up together before the rows are emitted, so that their cache
/// misses overlap.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The atom of the head, and then of each test, in each row. `None` if the atom was not looked
    /// up or does not exist.
    found: Vec<Option<u32>>,
    /// The number of rows that were looked up.
    rows: usize,
    /// The arguments of one literal in all rows, reused between literals.
    arguments: Vec<TermId>,
}

impl Ahead {
    /// The atom of a part in a row. Part 0 is the head, and the others are the tests.
    fn atom(&self, part: usize, row: usize) -> Option<AtomId> {
        self.found.get(part * self.rows + row).copied().flatten().map(AtomId)
    }
}

impl Grounder<'_> {
    /// Looks up the existing atoms that several rows need. O(rows · arguments) time and memory;
    /// emitting the rows takes the same time.
    pub(super) fn look_ahead(&mut self, clause: &Clause, rows: &[TermId]) {
        let Self { atoms, terms, strata, stack, ahead, .. } = self;
        ahead.found.clear();
        ahead.rows = rows.len() / clause.slots().max(1);
        // A single row gains nothing from a lookup ahead.
        if ahead.rows < 2 {
            return;
        }
        // Fixed literals need no atoms and are evaluated elsewhere.
        let is_made = |literal: &&clause::Literal| strata.dynamic[literal.relation.index()];
        let tests = clause.tests.iter().map(|test| literal(test).filter(is_made));
        for literal in std::iter::once(Some(&clause.head)).chain(tests) {
            let Some(literal) = literal.filter(|literal| !literal.arguments.is_empty()) else {
                ahead.found.resize(ahead.found.len() + ahead.rows, None);
                continue;
            };
            ahead.arguments.clear();
            for row in rows.chunks_exact(clause.slots()) {
                let terms = literal.arguments.iter().map(|pattern| pattern.find(terms, row, stack));
                ahead.arguments.extend(terms.map(|term| term.unwrap_or(TermId::NONE)));
            }
            atoms.find_all(literal.relation, literal.arguments.len(), &ahead.arguments, &mut ahead.found);
        }
    }

    /// Adds the head of an instance to the facts. If the head depends on the state, stores the
    /// instance too. `place` is the index of the row among those that were looked up ahead.
    pub(super) fn emit(
        &mut self,
        number: usize,
        clause: &Clause,
        row: &[TermId],
        place: usize,
    ) -> Result<(), Excess> {
        let head = match self.ahead.atom(0, place) {
            Some(head) => head,
            None => self.atom(&clause.head, row, number)?,
        };
        self.facts.note(head, &self.atoms);
        let state = &mut self.states[number];
        state.hits += 1;
        state.spent += state.effort;
        let effort = state.effort;
        self.spend(effort, number)?;
        // An instance of a part of a rule does not show that the rule fires.
        self.fired[clause.rule] |= clause.head.relation.index() < self.relations;
        if !self.is_dynamic(clause.head.relation) {
            return self.check(number);
        }
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        for (i, literal) in clause.positives.iter().enumerate() {
            if self.is_dynamic(literal.relation) {
                body.push(Literal::new(AtomId(row[clause.slot(i)].0), false));
            }
        }
        for (test, part) in clause.tests.iter().zip(1..) {
            let known = self.ahead.atom(part, place);
            match self.value(test, row, known, number)? {
                Value::True => {}
                Value::Literal(literal) => body.push(literal),
                // The plan has already tested fixed literals.
                Value::False => return Ok(()),
            }
        }
        let instances = &mut self.states[number].instances;
        instances.heads.push((head, instances.literals.len() as u32));
        instances.literals.extend_from_slice(&body);
        self.kept += 1;
        self.kept_bytes += size_of::<(AtomId, u32)>() + size_of::<Literal>() * body.len();
        self.body = body;
        self.check(number)
    }

    /// The atom of a literal in a row, created if it does not exist.
    fn atom(&mut self, literal: &clause::Literal, row: &[TermId], number: usize) -> Result<AtomId, Excess> {
        self.arguments.clear();
        for pattern in &literal.arguments {
            match build(pattern, &mut self.terms, row, &mut self.stack) {
                Ok(term) => self.arguments.push(term),
                Err(term) => {
                    let text = self.terms.brief_oversized(&term, self.symbols);
                    return Err(self.excess(What::Term(text), number));
                }
            }
        }
        Ok(self.atoms.intern(literal.relation, &self.arguments))
    }

    /// Evaluates a test under a full binding. `known` is the atom of its literal if it was looked
    /// up ahead.
    fn value(
        &mut self,
        test: &Test,
        row: &[TermId],
        known: Option<AtomId>,
        number: usize,
    ) -> Result<Value, Excess> {
        let truth = |holds: bool| if holds { Value::True } else { Value::False };
        Ok(match test {
            Test::Literal(literal) if self.is_dynamic(literal.relation) => {
                let atom = match known {
                    Some(atom) => atom,
                    None => self.atom(literal, row, number)?,
                };
                Value::Literal(Literal::new(atom, false))
            }
            Test::Literal(literal) => {
                let atom = literal.find(&self.atoms, &self.terms, row, &mut self.stack);
                truth(atom.is_some_and(|atom| self.facts.contains(atom)))
            }
            Test::Distinct(left, right) => truth(!left.equals(right, &self.terms, row, &mut self.stack)),
            Test::Not(inner) => match self.value(inner, row, known, number)? {
                Value::True => Value::False,
                Value::False => Value::True,
                Value::Literal(literal) => Value::Literal(!literal),
            },
            Test::Or(branches) => {
                let mut literals = Vec::new();
                for branch in branches {
                    match self.value(branch, row, None, number)? {
                        Value::True => return Ok(Value::True),
                        Value::False => {}
                        Value::Literal(literal) => literals.push(literal),
                    }
                }
                self.disjunction(literals, number)
            }
        })
    }

    /// The literal that stands for a disjunction. Equal disjunctions share one atom.
    fn disjunction(&mut self, mut literals: Vec<Literal>, number: usize) -> Value {
        literals.sort_unstable();
        literals.dedup();
        match literals[..] {
            [] => return Value::False,
            [single] => return Value::Literal(single),
            _ => {}
        }
        if let Some(&atom) = self.formulas.get(&literals) {
            return Value::Literal(Literal::new(atom, false));
        }
        let atom = self.atoms.intern(self.formula, &[TermId(self.formulas.len() as u32)]);
        self.kept += literals.len();
        self.kept_bytes += BYTES_PER_FORMULA + 2 * size_of::<Literal>() * literals.len();
        let rule = self.states[number].clause.rule;
        self.definitions.push(Definition { atom, literals: literals.clone(), rule });
        self.formulas.insert(literals, atom);
        Value::Literal(Literal::new(atom, false))
    }
}

/// The literal of a test that has a single one, negated or not.
fn literal(test: &Test) -> Option<&clause::Literal> {
    match test {
        Test::Literal(literal) => Some(literal),
        Test::Not(inner) => literal(inner),
        Test::Distinct(..) | Test::Or(_) => None,
    }
}

/// Builds the term of a pattern in a row, creating it if it does not exist.
fn build(
    pattern: &Pattern,
    terms: &mut Terms,
    row: &[TermId],
    stack: &mut Vec<TermId>,
) -> Result<TermId, Oversized> {
    match pattern {
        Pattern::Ground(term) => Ok(*term),
        Pattern::Variable(variable) => Ok(row[*variable as usize]),
        Pattern::Function(symbol, arguments) => {
            let start = stack.len();
            for argument in arguments {
                let term = build(argument, terms, row, stack)?;
                stack.push(term);
            }
            let term = terms.intern(*symbol, &stack[start..]);
            stack.truncate(start);
            term
        }
    }
}

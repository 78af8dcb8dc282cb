//! An instance of a clause: a full binding of its variables in, the head that holds and the literals it hangs on out.
//!
//! What is fixed is evaluated here and left out. A disjunction of what is not gets an atom that stands for it, shared by all
//! equal ones, so an instance takes one literal for each test at most.

use super::{
    super::{
        Literal,
        clause::{self, Clause, Test},
        excess::{Excess, What},
        join,
        terms::{AtomId, TermId},
    },
    Grounder,
};

/// Bytes that a disjunction takes besides its literals: an entry of a hash map and a piece of the heap.
const BYTES_PER_FORMULA: usize = 80;

/// A formula's value in an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    False,
    True,
    Literal(Literal),
}

/// An atom that stands for a disjunction, and the rule that made it.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) atom: AtomId,
    pub(super) literals: Vec<Literal>,
    pub(super) rule: usize,
}

impl Grounder<'_> {
    /// Enters the head of an instance and, if it depends on the state, the instance.
    pub(super) fn emit(&mut self, number: usize, clause: &Clause, row: &[TermId]) -> Result<(), Excess> {
        let rule = clause.rule;
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.clear();
        arguments.extend(clause.head.arguments.iter().map(|a| join::instantiate(a, &mut self.terms, row)));
        if let Some(term) = self.terms.excess() {
            return Err(self.excess(What::Term(self.terms.brief(term, self.symbols)), number));
        }
        let head = self.atoms.intern(clause.head.relation, &arguments);
        self.arguments = arguments;
        self.facts.note(head, &self.atoms);
        let work = &mut self.works[number];
        work.hits += 1;
        work.spent += work.effort;
        let effort = work.effort;
        self.spend(effort, number)?;
        // Parts of rules come from rules that fire.
        self.fired[rule] |= clause.head.relation.index() < self.relations;
        if !self.is_dynamic(clause.head.relation) {
            return self.check(number);
        }
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        for (place, literal) in clause.positives.iter().enumerate() {
            if self.is_dynamic(literal.relation) {
                body.push(Literal::new(AtomId(row[clause.slot(place)].0), false));
            }
        }
        for test in &clause.tests {
            match self.value(test, row, rule) {
                Value::True => {}
                Value::Literal(literal) => body.push(literal),
                // The plan tested what is fixed.
                Value::False => return Ok(()),
            }
        }
        let instances = &mut self.works[number].instances;
        instances.heads.push((head, instances.literals.len() as u32));
        instances.literals.extend_from_slice(&body);
        self.kept += 1;
        self.kept_bytes += size_of::<(AtomId, u32)>() + size_of::<Literal>() * body.len();
        self.body = body;
        self.check(number)
    }

    fn atom(&mut self, literal: &clause::Literal, row: &[TermId]) -> AtomId {
        let arguments: Vec<TermId> =
            literal.arguments.iter().map(|a| join::instantiate(a, &mut self.terms, row)).collect();
        self.atoms.intern(literal.relation, &arguments)
    }

    /// The value of a test under a full binding.
    fn value(&mut self, test: &Test, row: &[TermId], rule: usize) -> Value {
        match test {
            Test::Literal(literal) => {
                if self.is_dynamic(literal.relation) {
                    return Value::Literal(Literal::new(self.atom(literal, row), false));
                }
                let arguments: Option<Vec<TermId>> =
                    literal.arguments.iter().map(|a| join::find(a, &self.terms, row)).collect();
                let atom = arguments.and_then(|a| self.atoms.find(literal.relation, &a));
                if atom.is_some_and(|a| self.facts.contains(a)) { Value::True } else { Value::False }
            }
            Test::Distinct(left, right) => {
                if join::equal(left, right, &self.terms, row) {
                    Value::False
                } else {
                    Value::True
                }
            }
            Test::Not(inner) => match self.value(inner, row, rule) {
                Value::True => Value::False,
                Value::False => Value::True,
                Value::Literal(literal) => Value::Literal(!literal),
            },
            Test::Or(branches) => {
                let mut literals = Vec::new();
                for branch in branches {
                    match self.value(branch, row, rule) {
                        Value::True => return Value::True,
                        Value::False => {}
                        Value::Literal(literal) => literals.push(literal),
                    }
                }
                self.disjunction(literals, rule)
            }
        }
    }

    /// An atom that stands for a disjunction, shared by all equal ones.
    fn disjunction(&mut self, mut literals: Vec<Literal>, rule: usize) -> Value {
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
        self.definitions.push(Definition { atom, literals: literals.clone(), rule });
        self.formulas.insert(literals, atom);
        Value::Literal(Literal::new(atom, false))
    }
}

//! Rules in the form that grounding works on.
//!
//! A [`Clause`] has positive literals that bind variables, and tests that only read bound ones.
//! [`clauses`] converts checked [`Rules`]. An `or` that binds variables becomes a relation of its
//! own. If there are fewer than `NAMED_FROM` combinations of branches, or a branch needs the rest
//! of the body to bind its variables, the `or` becomes one clause for each branch. All other
//! connectives stay inside the tests.
//!
//! An `or` may give many clauses. The steps and bytes of each clause, and of each copy of a body,
//! are counted before it is made.

use super::{
    excess::{Excess, What},
    terms::{AtomId, Atoms, TermId, Terms},
};
use crate::{
    Limits,
    datalog::pattern::{FUNCTION, Pattern},
    meter::Meter,
    rules::{Atom, Formula, RelationId, Rule, Rules, Symbols, Term, Variable},
};
use std::rc::Rc;

/// A relation applied to patterns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Literal {
    pub(super) relation: RelationId,
    pub(super) arguments: Vec<Pattern>,
}

impl Literal {
    /// The cost of reading the literal, as a number of variables.
    pub(super) fn size(&self) -> usize {
        self.arguments.iter().map(Pattern::size).sum()
    }

    /// The distinct variables, by first occurrence.
    pub(super) fn variables(&self) -> Vec<u32> {
        let mut variables = Vec::new();
        for argument in &self.arguments {
            argument.for_each_variable(&mut |v| {
                if !variables.contains(&v) {
                    variables.push(v);
                }
            });
        }
        variables
    }

    /// Looks up the atom of the literal in a row that binds all its variables. Returns `None` if
    /// the atom does not exist. The terms already on the stack stay there.
    pub(super) fn find(
        &self,
        atoms: &Atoms,
        terms: &Terms,
        row: &[TermId],
        stack: &mut Vec<TermId>,
    ) -> Option<AtomId> {
        let look = |found: &[TermId]| atoms.find(self.relation, found);
        Pattern::with_found(&self.arguments, terms, row, stack, look).flatten()
    }

    /// The literal with each variable replaced by its entry in `values`.
    pub(super) fn substitute(&self, values: &[Pattern]) -> Self {
        let arguments = self.arguments.iter().map(|a| a.substitute(values)).collect();
        Self { relation: self.relation, arguments }
    }

    /// The literal with each variable renamed by `name`.
    pub(super) fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Self {
        let arguments = self.arguments.iter().map(|a| a.rename(name)).collect();
        Self { relation: self.relation, arguments }
    }
}

/// A condition on bound variables, which binds none itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Test {
    Literal(Literal),
    Distinct(Pattern, Pattern),
    Not(Box<Test>),
    Or(Vec<Test>),
}

impl Test {
    /// The cost of deciding the test, as a number of variables.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Literal(literal) => FUNCTION + literal.size(),
            Self::Distinct(left, right) => left.size() + right.size(),
            Self::Not(inner) => inner.size(),
            Self::Or(branches) => branches.iter().map(Self::size).sum(),
        }
    }

    pub(super) fn for_each_literal<'a>(&'a self, negative: bool, visit: &mut impl FnMut(&'a Literal, bool)) {
        match self {
            Self::Literal(literal) => visit(literal, negative),
            Self::Distinct(..) => {}
            Self::Not(inner) => inner.for_each_literal(!negative, visit),
            Self::Or(branches) => branches.iter().for_each(|b| b.for_each_literal(negative, visit)),
        }
    }

    pub(super) fn variables(&self) -> Vec<u32> {
        let mut variables = Vec::new();
        self.visit_variables(&mut |v| {
            if !variables.contains(&v) {
                variables.push(v);
            }
        });
        variables
    }

    /// The test with each variable renamed by `name`.
    pub(super) fn rename(&self, name: &mut impl FnMut(u32) -> u32) -> Self {
        match self {
            Self::Literal(literal) => Self::Literal(literal.rename(name)),
            Self::Distinct(left, right) => Self::Distinct(left.rename(name), right.rename(name)),
            Self::Not(inner) => Self::Not(Box::new(inner.rename(name))),
            Self::Or(branches) => Self::Or(branches.iter().map(|b| b.rename(name)).collect()),
        }
    }

    /// The test with each variable replaced by its entry in `values`.
    pub(super) fn substitute(&self, values: &[Pattern]) -> Self {
        match self {
            Self::Literal(literal) => Self::Literal(literal.substitute(values)),
            Self::Distinct(left, right) => Self::Distinct(left.substitute(values), right.substitute(values)),
            Self::Not(inner) => Self::Not(Box::new(inner.substitute(values))),
            Self::Or(branches) => Self::Or(branches.iter().map(|b| b.substitute(values)).collect()),
        }
    }

    /// The test with each literal replaced by the result of `change`.
    pub(super) fn map(&self, change: &impl Fn(&Literal) -> Literal) -> Self {
        match self {
            Self::Literal(literal) => Self::Literal(change(literal)),
            Self::Distinct(left, right) => Self::Distinct(left.clone(), right.clone()),
            Self::Not(inner) => Self::Not(Box::new(inner.map(change))),
            Self::Or(branches) => Self::Or(branches.iter().map(|b| b.map(change)).collect()),
        }
    }

    fn visit_variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Literal(literal) => literal.arguments.iter().for_each(|a| a.for_each_variable(visit)),
            Self::Distinct(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Not(inner) => inner.visit_variables(visit),
            Self::Or(branches) => branches.iter().for_each(|b| b.visit_variables(visit)),
        }
    }
}

/// A rule in clausal form; its positive literals bind every variable.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Literal,
    pub(super) positives: Vec<Literal>,
    pub(super) tests: Vec<Test>,
    /// The number of variables, which are numbered from zero.
    pub(super) variables: usize,
    /// The rule that the clause comes from, an index into [`Rules::rules`].
    pub(super) rule: usize,
    /// True if the head only narrows joins: it is an upper bound of the possible atoms, and occurs
    /// in no instance.
    pub(super) is_guard: bool,
}

impl Clause {
    /// The steps to emit an instance once its values are known: each of its atoms is created or
    /// looked up.
    pub(super) fn effort(&self) -> u64 {
        let tests = self.tests.iter().map(Test::size).sum::<usize>();
        // Lookups of new terms and atoms are spread over memory.
        (12 + 2 * self.head.size() + self.positives.len() / 4 + 2 * tests) as u64
    }

    /// The length of a binding: one value for each variable, and one atom for each positive
    /// literal.
    pub(super) fn slots(&self) -> usize {
        self.variables + self.positives.len()
    }

    /// The index in a binding of the atom of the positive literal at `place`.
    pub(super) fn slot(&self, place: usize) -> usize {
        self.variables + place
    }

    /// Visits each literal of the body, with true if it stands under an odd number of negations.
    pub(super) fn for_each_literal<'a>(&'a self, visit: &mut impl FnMut(&'a Literal, bool)) {
        self.positives.iter().for_each(|l| visit(l, false));
        self.tests.iter().for_each(|t| t.for_each_literal(false, visit));
    }

    /// The clause with its variables numbered without gaps.
    pub(super) fn compact(&self) -> Self {
        let mut names = Vec::new();
        let mut name = |variable| numbered(variable, &mut names);
        let head = self.head.rename(&mut name);
        let positives = self.positives.iter().map(|l| l.rename(&mut name)).collect();
        let tests = self.tests.iter().map(|t| t.rename(&mut name)).collect();
        Self { head, positives, tests, variables: names.len(), ..*self }
    }
}

/// Returns the index of a variable in `met`, after appending it if it is new.
pub(super) fn numbered(variable: u32, met: &mut Vec<u32>) -> u32 {
    let place = met.iter().position(|&other| other == variable).unwrap_or_else(|| {
        met.push(variable);
        met.len() - 1
    });
    place as u32
}

/// The patterns with their variables numbered by first occurrence; `names` collects the originals.
pub(super) fn canonical(patterns: &[Pattern], names: &mut Vec<u32>) -> Vec<Pattern> {
    patterns.iter().map(|pattern| pattern.rename(&mut |variable| numbered(variable, names))).collect()
}

/// All clauses of a rulesheet.
#[derive(Debug)]
pub(super) struct Clauses {
    pub(super) list: Vec<Rc<Clause>>,
    /// The number of relations, including [`Clauses::formula`] and those made for `or`.
    pub(super) relations: usize,
    /// The relation of the atoms that stand for formulas in instances. It has no clauses.
    pub(super) formula: RelationId,
    /// The relations that are derived only as far as they are requested.
    pub(super) demanded: Vec<RelationId>,
    /// The relations whose facts a rewriting changed or dropped.
    pub(super) rewritten: Vec<RelationId>,
}

/// The least number of combinations for which an `or` becomes a relation. With fewer, it is
/// multiplied out. A relation would hide from the optimiser which moves the `or` mentions.
const NAMED_FROM: usize = 4;

/// The approximate bytes of a literal besides its patterns.
const BYTES_PER_LITERAL: usize = 200;

/// The steps to convert a rule, for each symbol and variable in it.
const STEPS_PER_SYMBOL: u64 = 5;

/// Converts every rule into clauses.
pub(super) fn clauses(
    rules: &Rules,
    terms: &mut Terms,
    limits: &Limits,
    meter: &mut Meter,
) -> Result<Clauses, Excess> {
    let mut converter = Converter {
        symbols: &rules.symbols,
        terms,
        meter,
        list: Vec::new(),
        relations: rules.relations.len(),
        rule: 0,
        // A rule without an `or` is one clause, so only multiplying out can exceed this.
        max_clauses: limits.max_ground_rules.saturating_add(rules.rules.len()),
        bytes: limits.max_bytes,
    };
    for (index, rule) in rules.rules.iter().enumerate() {
        converter.rule = index;
        converter.convert(rule)?;
    }
    let Converter { list, relations, .. } = converter;
    Ok(Clauses {
        list,
        relations: relations + 1,
        formula: RelationId(relations as u32),
        demanded: Vec::new(),
        rewritten: Vec::new(),
    })
}

struct Converter<'t> {
    symbols: &'t Symbols,
    terms: &'t mut Terms,
    meter: &'t mut Meter,
    list: Vec<Rc<Clause>>,
    relations: usize,
    rule: usize,
    max_clauses: usize,
    /// The bytes that clauses may still take.
    bytes: usize,
}

impl Converter<'_> {
    fn convert(&mut self, rule: &Rule) -> Result<(), Excess> {
        let mut body = Vec::new();
        rule.body.iter().for_each(|formula| flatten(formula, &mut body));
        let head = self.literal(&rule.head)?;
        self.expand(&head, body, rule.variables.len())
    }

    /// Emits the clauses of `head <= body`, for a flattened body.
    fn expand(&mut self, head: &Literal, mut body: Vec<Formula>, variables: usize) -> Result<(), Excess> {
        let size: usize = body.iter().map(Formula::size).sum();
        self.spend(size)?;
        let mut bound = vec![false; variables];
        bind(&body, &mut bound);
        let binding: Vec<usize> = (0..body.len())
            .filter(|&i| matches!(body[i], Formula::Or(_)) && !all_bound(&body[i], &bound))
            .collect();
        let Some(&first) = binding.first() else {
            return self.emit(head, &body, variables);
        };
        let width = |i: usize| if let Formula::Or(branches) = &body[i] { branches.len() } else { 1 };
        let combinations = binding.iter().fold(1usize, |product, &i| product.saturating_mul(width(i)));
        if combinations >= NAMED_FROM {
            for &i in &binding {
                if let Some(literal) = self.name(head, &body, i, variables)? {
                    body[i] = Formula::Atom(literal);
                    return self.expand(head, body, variables);
                }
            }
        }
        let Formula::Or(branches) = body.remove(first) else { unreachable!("chosen above") };
        for branch in branches {
            self.spend(size)?;
            let mut expanded = body.clone();
            flatten(&branch, &mut expanded);
            self.expand(head, expanded, variables)?;
        }
        Ok(())
    }

    /// Makes a relation for the `or` at `place` and returns the atom that stands for it. Returns
    /// `None` if some branch needs the rest of the body to bind its variables.
    fn name(
        &mut self,
        head: &Literal,
        body: &[Formula],
        place: usize,
        variables: usize,
    ) -> Result<Option<Atom>, Excess> {
        let Formula::Or(branches) = &body[place] else { return Ok(None) };
        let mut outside = vec![false; variables];
        head.arguments.iter().for_each(|a| a.for_each_variable(&mut |v| outside[v as usize] = true));
        for (i, formula) in body.iter().enumerate() {
            if i != place {
                formula.for_each_variable(&mut |v| outside[v.index()] = true);
            }
        }
        let mut shared = Vec::new();
        body[place].for_each_variable(&mut |v| {
            if outside[v.index()] && !shared.contains(&v) {
                shared.push(v);
            }
        });
        let mut bodies = Vec::new();
        for branch in branches {
            let mut inner = Vec::new();
            flatten(branch, &mut inner);
            let mut bound = vec![false; variables];
            bind_all(branch, false, &mut bound);
            if !shared.iter().all(|v| bound[v.index()]) || !inner.iter().all(|f| all_bound(f, &bound)) {
                return Ok(None);
            }
            bodies.push(inner);
        }
        let relation = RelationId(self.relations as u32);
        self.relations += 1;
        let named = Literal { relation, arguments: shared.iter().map(|v| Pattern::Variable(v.0)).collect() };
        for inner in bodies {
            self.expand(&named, inner, variables)?;
        }
        let arguments = shared.into_iter().map(Term::Variable).collect();
        Ok(Some(Atom { relation, arguments, span: crate::Span::default() }))
    }

    fn emit(&mut self, head: &Literal, body: &[Formula], variables: usize) -> Result<(), Excess> {
        let parts: usize = body.iter().map(Formula::size).sum();
        self.spend(parts + body.len() * body.len() / 16)?;
        let size = BYTES_PER_LITERAL * (1 + body.len()) + size_of::<Pattern>() * (parts + head.size());
        if self.list.len() >= self.max_clauses || self.bytes < size {
            return Err(What::Clauses.of(self.rule));
        }
        self.bytes -= size;
        let (mut positives, mut tests) = (Vec::new(), Vec::new());
        // A repeated literal would only cost a second plan.
        for formula in body {
            if let Formula::Atom(atom) = formula {
                let literal = self.literal(atom)?;
                if !positives.contains(&literal) {
                    positives.push(literal);
                }
            } else {
                let test = self.test(formula)?;
                if !tests.contains(&test) {
                    tests.push(test);
                }
            }
        }
        let (head, rule) = (head.clone(), self.rule);
        self.list.push(Rc::new(Clause { head, positives, tests, variables, rule, is_guard: false }));
        Ok(())
    }

    /// Spends the steps to copy `size` symbols and variables and to read them.
    fn spend(&mut self, size: usize) -> Result<(), Excess> {
        let stopped = self.meter.spend(STEPS_PER_SYMBOL * size as u64).is_none();
        match self.meter.cancelled() {
            Some(progress) => Err(What::Cancelled(progress).of(self.rule)),
            None if stopped => Err(What::Fuel.of(self.rule)),
            None => Ok(()),
        }
    }

    fn test(&mut self, formula: &Formula) -> Result<Test, Excess> {
        Ok(match formula {
            Formula::Atom(atom) => Test::Literal(self.literal(atom)?),
            Formula::Distinct(left, right) => Test::Distinct(self.pattern(left)?, self.pattern(right)?),
            Formula::Not(inner) => Test::Not(Box::new(self.test(inner)?)),
            Formula::Or(branches) => {
                Test::Or(branches.iter().map(|branch| self.test(branch)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn literal(&mut self, atom: &Atom) -> Result<Literal, Excess> {
        let arguments = atom.arguments.iter().map(|t| self.pattern(t)).collect::<Result<_, _>>()?;
        Ok(Literal { relation: atom.relation, arguments })
    }

    fn pattern(&mut self, term: &Term) -> Result<Pattern, Excess> {
        let pattern = Pattern::of(term, self.terms);
        pattern.map_err(|term| What::Term(self.terms.brief_oversized(&term, self.symbols)).of(self.rule))
    }
}

/// Appends `formula` to a conjunction, and removes double negations, negated disjunctions and
/// disjunctions of one branch.
fn flatten(formula: &Formula, out: &mut Vec<Formula>) {
    match formula {
        Formula::Or(branches) if branches.len() == 1 => flatten(&branches[0], out),
        Formula::Not(inner) => match &**inner {
            Formula::Not(same) => flatten(same, out),
            Formula::Or(branches) => {
                for branch in branches {
                    flatten(&Formula::Not(Box::new(branch.clone())), out);
                }
            }
            _ => out.push(formula.clone()),
        },
        _ => out.push(formula.clone()),
    }
}

/// Marks the variables that the atoms of a conjunction bind.
fn bind(body: &[Formula], bound: &mut [bool]) {
    for formula in body {
        if let Formula::Atom(atom) = formula {
            atom.arguments
                .iter()
                .for_each(|t| t.for_each_variable(&mut |v: Variable| bound[v.index()] = true));
        }
    }
}

/// Marks the variables that a formula, or its negation if `negated`, binds wherever it holds. An
/// atom binds its variables; an `or` binds those that every branch binds. O(symbols + branches ·
/// variables).
fn bind_all(formula: &Formula, negated: bool, bound: &mut [bool]) {
    match (formula, negated) {
        (Formula::Atom(_), false) => formula.for_each_variable(&mut |v| bound[v.index()] = true),
        (Formula::Not(inner), _) => bind_all(inner, !negated, bound),
        // A negated `or` holds if none of its branches does.
        (Formula::Or(branches), true) => branches.iter().for_each(|branch| bind_all(branch, true, bound)),
        (Formula::Or(branches), false) => {
            let mut common = vec![true; bound.len()];
            for branch in branches {
                let mut here = vec![false; bound.len()];
                bind_all(branch, false, &mut here);
                common.iter_mut().zip(here).for_each(|(common, here)| *common &= here);
            }
            bound.iter_mut().zip(common).for_each(|(bound, common)| *bound |= common);
        }
        (Formula::Atom(_) | Formula::Distinct(..), _) => {}
    }
}

fn all_bound(formula: &Formula, bound: &[bool]) -> bool {
    let mut all = true;
    formula.for_each_variable(&mut |v| all &= bound[v.index()]);
    all
}

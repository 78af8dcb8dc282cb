//! Explanations: the reason why an atom holds in a state or does not.
//!
//! The input is an [`Explainer`] with filled tables, and a ground atom. If the atom holds, the
//! explanation is a rule that derives it, with the satisfied literals of the body and their own
//! explanations. Otherwise it lists each rule whose head matches. For each it has the literals that
//! hold together, in the order of the text, and the first literal that does not. A test waits until
//! its variables are bound.
//!
//! Atoms of recursive relations are explained by their first derivation, so no explanation is
//! circular. The caller limits the depth. An explanation has at most [`MOST`] atoms and
//! [`MOST_BYTES`] of texts, and takes fuel like any query. An atom beyond the depth or these limits
//! has the reason [`Reason::Deeper`].

use super::machine::Machine;
use super::program::{Clause, Goal};
use super::solve::{Sink, Solver};
use super::store::Derivation;
use super::term::Id;
use super::{EvalError, Term};
use crate::diagnostic::Span;
use crate::rules::{self, Atom, Formula, RelationId, Rule, Rules};

/// The most atoms of one explanation.
const MOST: usize = 1_000;

/// The most bytes of texts in one explanation. Each text counts [`AROUND`] bytes more than it has.
const MOST_BYTES: usize = 4 << 20;

/// The number of bytes that each text counts in addition to its own.
const AROUND: usize = 64;

/// The greatest depth of an explanation, in rules.
const DEEPEST: usize = 100;

/// The values of a rule's variables; `None` for unbound ones.
type Binding = Vec<Option<Id>>;

/// An atom, and the reason why it holds or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The atom as KIF text.
    pub atom: String,
    /// True if the atom holds.
    pub holds: bool,
    /// The reason.
    pub reason: Reason,
}

/// The reason why an atom holds or does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The atom is of `true` or `does`, so the state or the joint move decides.
    Given,
    /// A rule derives the atom.
    Rule {
        /// The index of the rule in [`Rules::rules`].
        rule: usize,
        /// The literals of its body, in the order of the text.
        premises: Vec<Literal>,
    },
    /// No rule derives the atom. The rules whose heads match are listed in the order of the text.
    None(Vec<Attempt>),
    /// The atom is beyond the depth or the size of the explanation.
    Deeper,
}

/// A literal of a rule after its variables are replaced by their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The literal as KIF text; a variable that nothing binds keeps its name.
    pub text: String,
    /// The place of the literal's atom. If the literal is a disequality or a disjunction, the place
    /// of the whole rule.
    pub span: Span,
    /// The explanation of the literal's atom; `None` if there is no atom or it has an unbound
    /// variable.
    pub why: Option<Box<Explanation>>,
}

/// A rule that fails to derive an atom, and the part of its body that can be satisfied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The index of the rule in [`Rules::rules`].
    pub rule: usize,
    /// Literals that hold together, as KIF text.
    pub held: Vec<String>,
    /// The first literal that does not hold together with these.
    pub fails: Literal,
}

/// The explainer of atoms, for one state and joint move.
pub(super) struct Explainer<'m> {
    pub(super) rules: &'m Rules,
    pub(super) machine: &'m mut Machine,
    /// The derivations of recursive relations, by relation and in the order of its table; computed
    /// on first use.
    derivations: Vec<Option<Vec<Derivation>>>,
    left: usize,
    room: usize,
}

impl<'m> Explainer<'m> {
    pub(super) fn new(rules: &'m Rules, machine: &'m mut Machine) -> Self {
        Self { rules, machine, derivations: vec![None; rules.relations.len()], left: MOST, room: MOST_BYTES }
    }

    /// Explains an atom. Its relation and all that it depends on must be up to date.
    pub(super) fn explain(
        &mut self,
        relation: RelationId,
        tuple: &[Id],
        depth: usize,
    ) -> Result<Explanation, EvalError> {
        let keywords = &self.rules.keywords;
        let holds = self.holds_tuple(relation, tuple)?;
        let atom = self.machine.display(self.rules, relation, tuple);
        self.tell(&atom);
        let depth = depth.min(DEEPEST);
        let reason = if relation == keywords.fact || relation == keywords.does {
            Reason::Given
        } else if depth == 0 || self.left == 0 || self.room == 0 {
            Reason::Deeper
        } else {
            self.left -= 1;
            if holds { self.proof(relation, tuple, depth)? } else { self.attempts(relation, tuple, depth)? }
        };
        Ok(Explanation { atom, holds, reason })
    }

    /// Subtracts the bytes of a text from the room left.
    fn tell(&mut self, text: &str) {
        self.room = self.room.saturating_sub(text.len() + AROUND);
    }

    /// Returns a rule that derives the atom, with its literals.
    fn proof(&mut self, relation: RelationId, tuple: &[Id], depth: usize) -> Result<Reason, EvalError> {
        let component = self.machine.program.component_of[relation.index()];
        let found = match self.derivation(relation, tuple)? {
            Some(derivation) => Some(derivation),
            None => self.solution(relation, tuple)?,
        };
        let Derivation { clause, binding } = found.ok_or(EvalError::Unsafe)?;
        let rule = self.machine.program.components[component].clauses[clause].rule;
        let (rules, mut premises) = (self.rules, Vec::new());
        for formula in &rules.rules[rule].body {
            if self.room == 0 {
                return Ok(Reason::Deeper);
            }
            premises.push(self.literal(&rules.rules[rule], formula, &binding, depth)?);
        }
        Ok(Reason::Rule { rule, premises })
    }

    /// Returns the attempts of all rules whose heads match the atom.
    fn attempts(&mut self, relation: RelationId, tuple: &[Id], depth: usize) -> Result<Reason, EvalError> {
        let component = self.machine.program.component_of[relation.index()];
        let rules = self.rules;
        let mut attempts = Vec::new();
        for clause in self.clauses(relation) {
            if self.room == 0 {
                return Ok(Reason::Deeper);
            }
            let Some(Derivation { mut binding, .. }) = self.first(component, clause, tuple, &[])? else {
                continue;
            };
            let Clause { rule, body, .. } = &self.machine.program.components[component].clauses[clause];
            let (number, rule, body) = (*rule, &rules.rules[*rule], body.clone());
            let mut goals = Vec::new();
            let mut held = Vec::new();
            for (formula, range) in order(rule, &binding) {
                goals.extend_from_slice(&body[range]);
                if let Some(found) = self.first(component, clause, tuple, &goals)? {
                    binding = found.binding;
                    held.push(formula);
                    continue;
                }
                let fails = self.literal(rule, formula, &binding, depth)?;
                let held: Vec<String> = held.iter().map(|held| self.display(rule, held, &binding)).collect();
                held.iter().for_each(|held| self.tell(held));
                attempts.push(Attempt { rule: number, held, fails });
                break;
            }
        }
        Ok(Reason::None(attempts))
    }

    /// The indexes of the clauses for a relation, in its component.
    fn clauses(&self, relation: RelationId) -> Vec<usize> {
        let component = self.machine.program.component_of[relation.index()];
        let clauses = self.machine.program.components[component].clauses.iter().enumerate();
        clauses
            .filter(|(_, clause)| clause.head.relation == relation.index())
            .map(|(place, _)| place)
            .collect()
    }

    /// Returns the first clause that derives an atom, with the values of its variables.
    fn solution(&mut self, relation: RelationId, tuple: &[Id]) -> Result<Option<Derivation>, EvalError> {
        let component = self.machine.program.component_of[relation.index()];
        for clause in self.clauses(relation) {
            let body = self.machine.program.components[component].clauses[clause].body.clone();
            if let Some(found) = self.first(component, clause, tuple, &body)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Returns the first solution of `goals`, which belong to the clause, after the clause's head
    /// is matched with `tuple`. Returns `None` if there is none.
    fn first(
        &mut self,
        component: usize,
        clause: usize,
        tuple: &[Id],
        goals: &[Goal],
    ) -> Result<Option<Derivation>, EvalError> {
        let Machine { program, store, .. } = &mut *self.machine;
        store.fuel.burn(1)?;
        let mut solver = Solver::new(program, store, component, clause, Sink::First(None));
        solver.run_given(goals, component, tuple)?;
        let Sink::First(found) = solver.sink else { return Ok(None) };
        Ok(found.map(|binding| Derivation { clause, binding }))
    }

    /// Returns the first derivation of an atom of a recursive relation; `None` for other relations.
    fn derivation(&mut self, relation: RelationId, tuple: &[Id]) -> Result<Option<Derivation>, EvalError> {
        let number = self.machine.program.component_of[relation.index()];
        let component = &self.machine.program.components[number];
        let is_recursive = component.clauses.iter().any(|clause| !clause.variants.is_empty());
        if component.negative_cycle || !is_recursive || self.machine.store.is_on_demand(relation.index()) {
            return Ok(None);
        }
        if self.derivations[relation.index()].is_none() {
            let relations = component.relations.clone();
            let mut derivations = self.machine.derive_again(number, self.rules)?;
            for relation in relations {
                self.derivations[relation] = Some(std::mem::take(&mut derivations[relation]));
            }
        }
        let place = self.machine.table(relation).place(tuple);
        let known = self.derivations[relation.index()].as_ref();
        Ok(known.zip(place).and_then(|(known, place)| known.get(place)).cloned())
    }

    /// Explains a literal of a rule. A disjunction is replaced by a branch that holds, if there is
    /// one.
    fn literal(
        &mut self,
        rule: &Rule,
        formula: &Formula,
        binding: &Binding,
        depth: usize,
    ) -> Result<Literal, EvalError> {
        if let Formula::Or(branches) = formula {
            for branch in branches {
                if self.holds(branch, binding)? == Some(true) {
                    return self.literal(rule, branch, binding, depth);
                }
            }
        }
        let (mut inner, mut span, mut why) = (formula, rule.span, None);
        while let Formula::Not(formula) = inner {
            inner = formula;
        }
        if let Formula::Atom(atom) = inner {
            span = atom.span;
            if let Some(tuple) = self.tuple(atom, binding)? {
                why = Some(Box::new(self.explain(atom.relation, &tuple, depth - 1)?));
            }
        }
        let text = self.display(rule, formula, binding);
        self.tell(&text);
        Ok(Literal { text, span, why })
    }

    /// Returns whether a formula holds; `None` if unbound variables leave that open.
    fn holds(&mut self, formula: &Formula, binding: &Binding) -> Result<Option<bool>, EvalError> {
        Ok(match formula {
            Formula::Atom(atom) => match self.tuple(atom, binding)? {
                Some(tuple) => Some(self.holds_tuple(atom.relation, &tuple)?),
                None => None,
            },
            Formula::Distinct(left, right) => {
                let (left, right) = (self.ground(left, binding)?, self.ground(right, binding)?);
                left.zip(right).map(|(left, right)| left != right)
            }
            Formula::Not(inner) => self.holds(inner, binding)?.map(|holds| !holds),
            Formula::Or(branches) => {
                let mut any = Some(false);
                for branch in branches {
                    match self.holds(branch, binding)? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                any
            }
        })
    }

    fn holds_tuple(&mut self, relation: RelationId, tuple: &[Id]) -> Result<bool, EvalError> {
        if !self.machine.store.is_on_demand(relation.index()) {
            return Ok(self.machine.table(relation).contains(tuple));
        }
        Ok(self.solution(relation, tuple)?.is_some())
    }

    /// The arguments of an atom; `None` if a variable in them is unbound.
    fn tuple(&mut self, atom: &Atom, binding: &Binding) -> Result<Option<Vec<Id>>, EvalError> {
        atom.arguments.iter().map(|argument| self.ground(argument, binding)).collect()
    }

    fn ground(&mut self, term: &rules::Term, binding: &Binding) -> Result<Option<Id>, EvalError> {
        let (symbol, arguments) = match term {
            rules::Term::Variable(variable) => return Ok(binding[variable.index()]),
            rules::Term::Constant(symbol) => (symbol, &[][..]),
            rules::Term::Function(symbol, arguments) => (symbol, &arguments[..]),
        };
        let mut key = vec![symbol.0];
        for argument in arguments {
            let Some(id) = self.ground(argument, binding)? else { return Ok(None) };
            key.push(id);
        }
        self.machine.store.terms.intern(&key).map(Some)
    }

    /// Prints a formula as KIF, with values in the place of variables.
    fn display(&mut self, rule: &Rule, formula: &Formula, binding: &Binding) -> String {
        let list = |head: &str, parts: Vec<String>| format!("({head} {})", parts.join(" "));
        match formula {
            Formula::Atom(atom) => {
                let name = self.rules.relation_name(atom.relation);
                if atom.arguments.is_empty() {
                    return name.to_owned();
                }
                list(name, self.all(rule, &atom.arguments, binding))
            }
            Formula::Distinct(left, right) => {
                list("distinct", vec![self.term(rule, left, binding), self.term(rule, right, binding)])
            }
            Formula::Not(inner) => list("not", vec![self.display(rule, inner, binding)]),
            Formula::Or(branches) => {
                list("or", branches.iter().map(|branch| self.display(rule, branch, binding)).collect())
            }
        }
    }

    fn all(&mut self, rule: &Rule, terms: &[rules::Term], binding: &Binding) -> Vec<String> {
        terms.iter().map(|term| self.term(rule, term, binding)).collect()
    }

    fn term(&mut self, rule: &Rule, term: &rules::Term, binding: &Binding) -> String {
        match term {
            rules::Term::Variable(variable) => match binding[variable.index()] {
                Some(id) => self.machine.store.terms.term(&self.rules.symbols, id).as_str().to_owned(),
                None => rule.variables[variable.index()].clone(),
            },
            rules::Term::Constant(symbol) => self.rules.symbols.name(*symbol).to_owned(),
            rules::Term::Function(symbol, arguments) => {
                let arguments = self.all(rule, arguments, binding);
                format!("({} {})", self.rules.symbols.name(*symbol), arguments.join(" "))
            }
        }
    }
}

/// The literals of a rule with the ranges of their goals. They are in the order of the text, except
/// that tests wait for their variables.
fn order<'r>(rule: &'r Rule, binding: &Binding) -> Vec<(&'r Formula, std::ops::Range<usize>)> {
    let mut bound: Vec<bool> = binding.iter().map(Option::is_some).collect();
    let mut place = 0;
    let mut waiting: Vec<(&Formula, std::ops::Range<usize>)> = Vec::new();
    for formula in &rule.body {
        let count = goals(formula, false);
        waiting.push((formula, place..place + count));
        place += count;
    }
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let is_ready = |formula: &Formula| {
            let mut ready = true;
            formula.for_each_variable(&mut |variable| ready &= bound[variable.index()]);
            ready || matches!(formula, Formula::Atom(_) | Formula::Or(_))
        };
        // Rules are safe, so some literal is ready; otherwise the planner returns an error.
        let next = waiting.iter().position(|(formula, _)| is_ready(formula)).unwrap_or(0);
        let (formula, range) = waiting.remove(next);
        formula.for_each_variable(&mut |variable| bound[variable.index()] = true);
        ordered.push((formula, range));
    }
    ordered
}

/// The number of goals that make up a formula of a body.
fn goals(formula: &Formula, negative: bool) -> usize {
    match formula {
        Formula::Not(inner) => goals(inner, !negative),
        Formula::Or(branches) if negative => branches.iter().map(|branch| goals(branch, true)).sum(),
        Formula::Atom(_) | Formula::Distinct(..) | Formula::Or(_) => 1,
    }
}

impl super::Evaluator<'_> {
    /// Explains why an atom such as `(legal white (mark 1 1))` holds in a state or not. `joint` is
    /// the joint move, needed only for atoms that depend on `does`, such as those of `next` and
    /// `sees`. Atoms of `init` depend on neither the state nor the joint move. The explanation goes
    /// `depth` rules deep, 100 at most. It has at most 1,000 atoms and 4 MiB of texts.
    ///
    /// # Errors
    /// Returns an error if the text is not a ground atom of the rules, if the number of moves is
    /// not the number of players, or if a limit is exceeded.
    pub fn explain(
        &self,
        atom: &str,
        state: &super::State,
        joint: Option<&[Term]>,
        depth: usize,
    ) -> Result<Explanation, EvalError> {
        let (relation, tuple) = self.atom(atom)?;
        let mut machine = self.machine.borrow_mut();
        let moves = match joint {
            Some(joint) => self.moves(&mut machine, joint)?,
            None => Vec::new(),
        };
        machine.enter(self.rules, state, moves)?;
        let needed = machine.program.closure(relation);
        machine.demand(&needed, self.rules)?;
        Explainer::new(self.rules, &mut machine).explain(relation, &tuple, depth)
    }

    /// Parses a ground atom into its relation and arguments.
    fn atom(&self, text: &str) -> Result<(RelationId, Vec<Id>), EvalError> {
        let mut machine = self.machine.borrow_mut();
        let id = machine.store.terms.parse(&self.rules.symbols, text)?;
        let key = machine.store.terms.key(id);
        let is_named =
            |relation: &rules::Relation| relation.name.0 == key[0] && relation.arity == key.len() - 1;
        let relation = self.rules.relations.iter().position(is_named);
        let relation =
            relation.ok_or_else(|| EvalError::NoRelation { text: text.chars().take(80).collect() })?;
        Ok((RelationId(relation as u32), key[1..].to_vec()))
    }
}

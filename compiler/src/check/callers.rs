//! The lenient reading of unsafe rules: callers bind the variables that the rule leaves unbound.
//!
//! The reference reasoner evaluates rules when they are called. It calls `legal`, `goal`, `sees`
//! and `input` with one role at a time, so a variable in the place of the role gets `(role ?r)`.
//! For every other relation, each call gets its own copies of the rules. They are restricted to the
//! arguments of the call, as in the magic-set transformation (Bancilhon et al., 1986). For example,
//! with a new relation `asked`:
//!
//! ```text
//! (<= (h ?x) (b ?x) (not (p ?x)))         (<= (h ?x) (b ?x) (not (p' ?x)))
//! (<= (p ?x) (not (c ?x)))          ->    (<= (p' ?x) (asked ?x) (not (c ?x)))
//!                                         (<= (asked ?x) (b ?x))
//! ```
//!
//! A relation is read in this way if it does not depend on itself and every call binds all its
//! arguments. The literals that bind these arguments may neither depend on the caller nor be such
//! calls themselves. So the copies add no cycle to the dependencies, and the checks hold for them
//! too. Time is O(text) for each of at most [`MOST_RELATIONS`] relations and callers. The added
//! rules have at most [`MOST_ADDED`] names and variables.

use super::binding;
use super::lenient::{atoms, dependent_on};
use crate::rules::{Atom, Formula, Relation, RelationId, Rule, Rules, Term, Variable};
use std::collections::BTreeMap;

/// The most relations that callers bind, together with the relations that call them.
const MOST_RELATIONS: usize = 64;

/// The most names and variables of the rules that are added for calls.
const MOST_ADDED: usize = 1 << 18;

/// The relations whose rules callers bind.
#[derive(Default)]
pub(super) struct Callers {
    /// For each relation, true if callers bind its rules. Empty if there is no such relation.
    called: Vec<bool>,
    /// For each called relation and each caller, true for every relation that depends on it.
    dependent: BTreeMap<RelationId, Vec<bool>>,
}

impl Callers {
    /// Finds the relations that have unsafe rules, and whose arguments every call binds.
    pub(super) fn find(rules: &Rules) -> Self {
        let mut called = vec![false; rules.relations.len()];
        let mut others = Vec::new();
        for rule in rules.rules.iter().filter(|rule| !rule.variables.is_empty()) {
            let relation = rule.head.relation;
            let unbound = unbound(rules, rule);
            if unbound.iter().any(|&unbound| unbound) {
                called[relation.index()] = true;
                let in_head = variables(&rule.head, rule);
                if rules.keywords.contains(relation) || unbound.iter().zip(in_head).any(|(a, b)| *a && !b) {
                    others.push(relation);
                }
            }
        }
        others.iter().for_each(|relation| called[relation.index()] = false);
        let mut relevant: Vec<RelationId> =
            (0..).map(RelationId).take(called.len()).filter(|relation| called[relation.index()]).collect();
        let is_caller = |rule: &&Rule| calls(rule).any(|atom| called[atom.relation.index()]);
        relevant.extend(rules.rules.iter().filter(is_caller).map(|rule| rule.head.relation));
        relevant.sort_unstable();
        relevant.dedup();
        if relevant.is_empty() || relevant.len() > MOST_RELATIONS {
            return Self::default();
        }
        let dependent = relevant.into_iter().map(|relation| (relation, dependent_on(rules, relation)));
        let mut callers = Self { called, dependent: dependent.collect() };
        for (relation, dependent) in &callers.dependent {
            callers.called[relation.index()] &= !dependent[relation.index()];
        }
        // A relation that is removed no longer binds the calls of its own rules, so this repeats.
        while let Some(relation) = callers.unbound_call(rules) {
            callers.called[relation.index()] = false;
        }
        if callers.added(rules) > MOST_ADDED { Self::default() } else { callers }
    }

    /// True if the unbound variables of the rule are bound by callers or as a role.
    pub(super) fn bind(&self, rules: &Rules, rule: &Rule) -> bool {
        self.is_called(rule.head.relation) || !unbound(rules, rule).contains(&true)
    }

    fn is_called(&self, relation: RelationId) -> bool {
        self.called.get(relation.index()) == Some(&true)
    }

    /// The literals of a caller that bind the arguments of its calls.
    fn binding<'r>(&self, rule: &'r Rule) -> impl Iterator<Item = &'r Atom> {
        let dependent = self.dependent.get(&rule.head.relation);
        rule.body.iter().filter_map(move |formula| match formula {
            Formula::Atom(atom) => {
                let depends = dependent.is_some_and(|list| list.get(atom.relation.index()) == Some(&true));
                (!depends && !self.is_called(atom.relation)).then_some(atom)
            }
            _ => None,
        })
    }

    /// A relation that has a call with an unbound argument.
    fn unbound_call(&self, rules: &Rules) -> Option<RelationId> {
        rules.rules.iter().find_map(|rule| {
            let mut bound = vec![false; rule.variables.len()];
            let mut mark = |variable: Variable| bound[variable.index()] = true;
            self.binding(rule).flat_map(|atom| &atom.arguments).for_each(|t| t.for_each_variable(&mut mark));
            if self.is_called(rule.head.relation) {
                rule.head.arguments.iter().for_each(|term| term.for_each_variable(&mut mark));
            }
            role_variable(rules, rule).into_iter().for_each(mark);
            let is_unbound = |atom: &&Atom| {
                let mut is_unbound = false;
                let mut look = |variable: Variable| is_unbound |= !bound[variable.index()];
                atom.arguments.iter().for_each(|term| term.for_each_variable(&mut look));
                is_unbound
            };
            calls(rule)
                .filter(|atom| self.is_called(atom.relation))
                .find(is_unbound)
                .map(|atom| atom.relation)
        })
    }

    /// The size of the rules that [`Callers::specialise`] adds, in names and variables. Each copy
    /// of a caller repeats its calls.
    fn added(&self, rules: &Rules) -> usize {
        let mut own: BTreeMap<RelationId, usize> = BTreeMap::default();
        let mut sites: BTreeMap<RelationId, Vec<(RelationId, usize)>> = BTreeMap::default();
        for rule in &rules.rules {
            let size = 2 + rule.body.iter().map(Formula::size).sum::<usize>();
            *own.entry(rule.head.relation).or_default() += size;
            for atom in calls(rule).filter(|atom| self.is_called(atom.relation)) {
                sites.entry(atom.relation).or_default().push((rule.head.relation, size));
            }
        }
        // Called relations do not depend on themselves, so one round for each relation reaches the
        // fixpoint.
        let mut copies: BTreeMap<RelationId, usize> = BTreeMap::default();
        let count = |copies: &BTreeMap<RelationId, usize>, caller: RelationId| {
            if self.is_called(caller) { copies.get(&caller).copied().unwrap_or(0) } else { 1 }
        };
        for _ in 0..MOST_RELATIONS {
            for (&relation, callers) in &sites {
                let counts = callers.iter().map(|&(caller, _)| count(&copies, caller));
                let sum = counts.fold(0, usize::saturating_add);
                copies.insert(relation, sum);
            }
        }
        let each = sites.iter().flat_map(|(relation, callers)| {
            let rules = own.get(relation).copied().unwrap_or(0);
            let copies = &copies;
            callers.iter().map(move |&(caller, size)| count(copies, caller).saturating_mul(size + rules))
        });
        each.fold(0, usize::saturating_add)
    }

    /// Gives each call its own copy of the rules, and adds `(role ?r)` for unbound variables in the
    /// place of a role.
    pub(super) fn specialise(&self, rules: &mut Rules) {
        let asked = rules.symbols.intern("asked");
        let mut templates: BTreeMap<RelationId, Vec<Rule>> = BTreeMap::default();
        let mut waiting = Vec::new();
        for mut rule in std::mem::take(&mut rules.rules) {
            if self.is_called(rule.head.relation) {
                templates.entry(rule.head.relation).or_default().push(rule);
                continue;
            }
            if let Some(role) = role_variable(rules, &rule) {
                let (relation, span) = (rules.keywords.role, rule.head.span);
                let role = Atom { relation, arguments: vec![Term::Variable(role)], span };
                rule.body.insert(0, Formula::Atom(role));
            }
            waiting.push(rule);
        }
        waiting.reverse();
        while let Some(mut rule) = waiting.pop() {
            let binding: Vec<Formula> = self.binding(&rule).cloned().map(Formula::Atom).collect();
            let Rule { span, ref variables, .. } = rule;
            for call in atoms(&mut rule.body).filter(|atom| self.is_called(atom.relation)) {
                let Relation { name, arity, .. } = rules.relations[call.relation.index()];
                let [copy, question] = [name, asked].map(|name| {
                    rules.relations.push(Relation { name, arity, span });
                    RelationId(rules.relations.len() as u32 - 1)
                });
                for template in templates.get(&call.relation).into_iter().flatten() {
                    let mut rule = template.clone();
                    rule.head.relation = copy;
                    rule.body.insert(0, Formula::Atom(Atom { relation: question, ..rule.head.clone() }));
                    waiting.push(rule);
                }
                call.relation = copy;
                let head = Atom { relation: question, ..call.clone() };
                rules.rules.push(Rule { head, body: binding.clone(), variables: variables.clone(), span });
            }
            rules.rules.push(rule);
        }
    }
}

/// The atoms of a body at any depth, each a possible call.
fn calls(rule: &Rule) -> impl Iterator<Item = &Atom> {
    let mut found = Vec::new();
    rule.body.iter().for_each(|formula| formula.for_each_atom(&mut |atom, _| found.push(atom)));
    found.into_iter()
}

/// For each variable of a rule, true if the atom has it.
fn variables(atom: &Atom, rule: &Rule) -> Vec<bool> {
    let mut found = vec![false; rule.variables.len()];
    atom.arguments.iter().for_each(|term| term.for_each_variable(&mut |v| found[v.index()] = true));
    found
}

/// The variable in the place of the role in a head of `legal`, `goal`, `sees` or `input`, if it is
/// unbound.
fn role_variable(rules: &Rules, rule: &Rule) -> Option<Variable> {
    let k = rules.keywords;
    let Some(&Term::Variable(variable)) = rule.head.arguments.first() else { return None };
    let is_asked = [k.legal, k.goal, k.sees, k.input].contains(&rule.head.relation);
    (is_asked && binding::unbound(rule)[variable.index()]).then_some(variable)
}

/// For each variable of a rule, true if it is unsafe. A variable in the place of a role is safe,
/// since play evaluates the relation for one role at a time.
fn unbound(rules: &Rules, rule: &Rule) -> Vec<bool> {
    let mut unbound = binding::unbound(rule);
    if let Some(role) = role_variable(rules, rule) {
        unbound[role.index()] = false;
    }
    unbound
}

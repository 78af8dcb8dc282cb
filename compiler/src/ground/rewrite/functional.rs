//! Functional variables, which have at most one value in each state, and clauses split at them.
//!
//! The mark of a cell is a function of the cell: no two fluents `(mark ?i ?k ?m)` that differ in
//! `?m` alone hold together. So the formula `E m (mark(i, k, m) & A(m) & B(m))` is equivalent to
//! the conjunction of `E m (mark(i, k, m) & A(m))` and `E m (mark(i, k, m) & B(m))`. If the
//! conjunction holds, both values are the same one. A rule about nine cells, each with one of nine
//! values, has `9^9` instances. Its parts, one for each cell, have nine.
//!
//! [`Functional::learn`] finds such arguments of fluents. It is tried if grounding the whole
//! rulesheet exceeds the limits. It is also tried for a parked clause that reads several fluents
//! with variables outside its head. The rules for moves and steps are grounded alone, which gives
//! all fluents, and mutex groups of their net are proved (`optimize/mutex.rs`). An argument is
//! functional if, for all values of the others, the fluents that differ in it alone are in one
//! group. That holds in every state that play can reach, even beyond the end of a game, since the
//! rules for the end are not used.
//!
//! [`Functional::split`] splits clauses, except those of moves and steps. A literal for a fluent
//! binds its functional variable under three conditions. The head does not mention the variable,
//! the literal mentions it once, and no other argument of the literal has such a variable. So all
//! functional variables are functions of the remaining variables.
//!
//! Each other literal or test with functional variables becomes a part: a relation of its own, over
//! the variables that it shares with the rest. The part includes the literals that bind its
//! functional variables, and the literals of the context that share a variable with it. The context
//! is everything without a functional variable. It stays in the clause, so copying it changes
//! nothing.
//!
//! A part that combines several functional variables is unfolded and split again. Its relation must
//! not be recursive, and at most [`DEFINITIONS`] clauses with distinct variables in their heads may
//! define it. Splitting ends, since each part has only one of the clause's literals and tests with
//! functional variables, and definitions are acyclic. Clauses stay as they are if more than
//! [`MOST`] symbols and variables would be made.

use super::{
    super::{
        GroundProgram, GroundRules, Meaning, assemble,
        clause::{self, Clause, Clauses, Literal, Test},
        constant,
        rounds::{self, Apart},
        start, strata, stratified,
        terms::{AtomId, TermId, Terms},
    },
    Context,
};
use crate::{
    Diagnostics, Options, Rules,
    datalog::pattern::Pattern,
    graph,
    meter::Meter,
    observer::Phase,
    optimize, propnet,
    propnet::Net,
    rules::{Keywords, RelationId, Symbol},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The number of symbols and variables that may be made, about thirty bytes each.
const MOST: usize = 1_000_000;

/// The least number of fluents with variables outside the head for which a clause is worth
/// splitting.
const ASKED: usize = 3;

/// The greatest number of clauses of a relation that is unfolded.
const DEFINITIONS: usize = 16;

/// The steps to read or copy a symbol or a variable.
const STEPS: u64 = 8;

/// The share of the remaining fuel for grounding the rules for moves and steps alone: one part in
/// this number.
pub(in super::super) const SHARE: u64 = 4;

/// The steps that learning may take as long as no limit is exceeded.
const LEARNING: u64 = 2_000_000;

/// Splits clauses at functional variables, if a parked clause reads several fluents with variables
/// outside its head. Functional arguments are learnt once.
pub(super) fn take_apart(clauses: &Clauses, context: &mut Context<'_>) -> Option<Clauses> {
    let keywords = &context.rules.keywords;
    if !*context.learns || !context.parked.iter().any(|clause| asks(clause, keywords)) {
        return None;
    }
    *context.learns = false;
    let share = (context.meter.left() / SHARE).min(LEARNING);
    context.meter.spend(share)?;
    let functional = Functional::learn(context.rules, &context.options.with_fuel(share))?;
    functional.split(clauses, keywords, context.meter)
}

/// The arguments of fluents that are functions of the others.
pub(in super::super) struct Functional {
    /// The name of the fluent, its number of arguments, and the index of the functional one.
    places: FxHashSet<(Symbol, usize, usize)>,
    /// For each relation, whether moves and steps depend on it.
    is_core: Vec<bool>,
}

impl Functional {
    /// Learns the functional arguments within the limits of the options. Returns `None` if these
    /// are exceeded, or if no clause except those for moves and steps reads several fluents with
    /// variables outside its head.
    pub(in super::super) fn learn(rules: &Rules, options: &Options) -> Option<Self> {
        let is_core = core(rules, options, &mut Meter::of(options.limits.fuel))?;
        let (program, _) = rounds::solve(rules, options, &roots(&rules.keywords), Apart::Never).ok()?;
        let mut ground = assemble(rules, &program, &options.limits).ok()?;
        ground.order = stratified::order(&ground).ok()?;
        start(rules, &program, &mut ground);
        let net = propnet::build(&ground, options, &mut Diagnostics::new(options.levels.clone()))?;
        let mut meter = Meter::new(options, Phase::Optimize);
        let net = optimize::fold_constants(&net, &mut meter)?;
        let net = optimize::find_mutex_groups(&net, &mut meter)?;
        Some(Self { places: places(&program, &ground, &net), is_core })
    }

    /// Splits all clauses that can be split. Returns `None` if there are none, or if a limit is
    /// exceeded.
    pub(in super::super) fn split(
        &self,
        clauses: &Clauses,
        keywords: &Keywords,
        meter: &mut Meter,
    ) -> Option<Clauses> {
        let mut definitions: Vec<Vec<Rc<Clause>>> = vec![Vec::new(); clauses.relations];
        for clause in &clauses.list {
            meter.spend(STEPS * (1 + clause.positives.len() + clause.tests.len()) as u64)?;
            definitions[clause.head.relation.index()].push(clause.clone());
        }
        let component = graph::component_of(clauses.relations, |from, out| {
            for clause in &definitions[from] {
                clause.for_each_literal(&mut |literal, _| out.push(literal.relation.index()));
            }
        });
        let mut splitter = Splitter {
            functional: self,
            fact: keywords.fact,
            definitions,
            component,
            known: clauses.relations,
            relations: clauses.relations,
            parts: FxHashMap::default(),
            list: Vec::new(),
            room: MOST,
        };
        let mut is_split = false;
        for clause in &clauses.list {
            if self.is_core.get(clause.head.relation.index()).copied().unwrap_or(true) {
                splitter.list.push(clause.clone());
            } else {
                is_split |= splitter.settle(clause, meter)?;
            }
        }
        let Splitter { list, relations, .. } = splitter;
        let (rewritten, demanded) = (clauses.rewritten.clone(), clauses.demanded.clone());
        is_split.then_some(Clauses { list, relations, demanded, rewritten, ..*clauses })
    }

    fn is_functional(&self, symbol: Symbol, arity: usize, place: usize) -> bool {
        self.places.contains(&(symbol, arity, place))
    }
}

/// For each relation, whether moves and steps depend on it. Returns `None` unless a clause for
/// another relation reads several fluents with variables outside its head.
fn core(rules: &Rules, options: &Options, meter: &mut Meter) -> Option<Vec<bool>> {
    let mut terms = Terms::new(&options.limits);
    let mut clauses = clause::clauses(rules, &mut terms, &options.limits, meter).ok()?;
    constant::fold(&mut clauses, &terms, &rules.keywords);
    let is_core = strata::stratify(&clauses, &rules.keywords, &roots(&rules.keywords)).relevant;
    let is_other = |clause: &&Rc<Clause>| !is_core[clause.head.relation.index()];
    let is_any = clauses.list.iter().filter(is_other).any(|clause| asks(clause, &rules.keywords));
    is_any.then_some(is_core)
}

/// Returns whether at least [`ASKED`] fluents of a clause have variables that its head does not
/// mention.
fn asks(clause: &Clause, keywords: &Keywords) -> bool {
    let head = clause.head.variables();
    let hidden = |literal: &&Literal| {
        literal.relation == keywords.fact && literal.variables().iter().any(|v| !head.contains(v))
    };
    clause.positives.iter().filter(hidden).count() >= ASKED
}

/// The relations that determine all fluents and how they change.
fn roots(keywords: &Keywords) -> [RelationId; 4] {
    [keywords.role, keywords.init, keywords.next, keywords.legal]
}

/// A fluent without one of its arguments: its name, the index of the argument, and the others.
type Others = (Symbol, usize, Vec<TermId>);

/// Finds the functional arguments by the mutex groups of a net.
fn places(program: &GroundProgram, ground: &GroundRules, net: &Net) -> FxHashSet<(Symbol, usize, usize)> {
    let mut groups_of: Vec<Vec<usize>> = vec![Vec::new(); net.initial.len()];
    for (number, group) in net.mutex_groups.iter().enumerate() {
        group.members.iter().for_each(|&fluent| groups_of[fluent as usize].push(number));
    }
    // For each name, index of an argument, and values of the other arguments: the number of such
    // fluents, and the groups that contain all of these fluents.
    let mut common: FxHashMap<Others, (usize, Vec<usize>)> = FxHashMap::default();
    let mut order = Vec::new();
    for atom in (0..ground.meaning.len() as u32).map(AtomId) {
        let Meaning::Fluent(fluent) = ground.meaning[atom.index()] else { continue };
        let (term, groups) = (program.atoms.arguments(atom)[0], &groups_of[fluent as usize]);
        let (symbol, arguments) = (program.terms.symbol(term), program.terms.arguments(term));
        for place in 0..arguments.len() {
            let mut others = arguments.to_vec();
            others.remove(place);
            let key = (symbol, place, others);
            let (count, shared) = common.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                (0, groups.clone())
            });
            *count += 1;
            shared.retain(|group| groups.contains(group));
        }
    }
    let (mut found, mut refuted) = (FxHashSet::default(), FxHashSet::default());
    for key in order {
        let (count, shared) = &common[&key];
        let place = (key.0, key.2.len() + 1, key.1);
        // With a single fluent, the argument is a function of the others.
        let list = if *count == 1 || !shared.is_empty() { &mut found } else { &mut refuted };
        list.insert(place);
    }
    found.retain(|place| !refuted.contains(place));
    found
}

/// The identity of a part: its arguments, literals and tests, with variables numbered by
/// occurrence.
type Key = (Vec<Pattern>, Vec<Literal>, Vec<Test>);

struct Splitter<'f> {
    functional: &'f Functional,
    fact: RelationId,
    /// The clauses of each relation, and the strongly connected component of each relation.
    definitions: Vec<Vec<Rc<Clause>>>,
    component: Vec<usize>,
    /// The number of relations before splitting, and the number now.
    known: usize,
    relations: usize,
    parts: FxHashMap<Key, RelationId>,
    list: Vec<Rc<Clause>>,
    /// The number of symbols and variables that may still be made.
    room: usize,
}

/// A split clause, and those of its parts that are new.
struct Parts {
    whole: Clause,
    parts: Vec<Clause>,
}

impl Splitter<'_> {
    /// Splits a clause and its parts repeatedly. Returns false if the clause stays whole, and
    /// `None` if a limit is exceeded.
    fn settle(&mut self, clause: &Clause, meter: &mut Meter) -> Option<bool> {
        let (mut pending, mut is_split) = (vec![clause.clone()], false);
        while let Some(clause) = pending.pop() {
            if let Some(Parts { whole, parts }) = self.parts(&clause, meter)? {
                is_split = true;
                self.list.push(Rc::new(whole));
                pending.extend(parts);
            } else if let Some(unfolded) = self.unfold(&clause, meter)? {
                pending.extend(unfolded);
            } else {
                self.list.push(Rc::new(clause));
            }
        }
        Some(is_split)
    }

    /// Splits a clause with several literals or tests of functional variables. Returns `Some(None)`
    /// if there is nothing to split, and `None` if a limit is exceeded.
    #[expect(clippy::option_option, reason = "nothing to take apart, and no steps left")]
    fn parts(&mut self, clause: &Clause, meter: &mut Meter) -> Option<Option<Parts>> {
        let Some(sides) = self.sides(clause, meter)? else { return Some(None) };
        if sides.units() < 2 {
            return Some(None);
        }
        // Each part reads the whole clause, however small the part is.
        meter.spend(STEPS * (sides.units() * size(clause)) as u64)?;
        let Sides { context, bindings, literals, tests } = &sides;
        let mut count = vec![0; clause.variables];
        let mut see = |variables: Vec<u32>| variables.into_iter().for_each(|v| count[v as usize] += 1);
        see(clause.head.variables());
        context.0.iter().for_each(|l| see(l.variables()));
        context.1.iter().for_each(|t| see(t.variables()));
        // A literal that binds a functional variable may be in several parts.
        bindings.iter().chain(bindings).for_each(|(_, l)| see(l.variables()));
        literals.iter().for_each(|l| see(l.variables()));
        tests.iter().for_each(|t| see(t.variables()));
        let is_functional = |v: &u32| bindings.iter().any(|(functional, _)| functional == v);
        let mut whole =
            Clause { positives: context.0.clone(), tests: context.1.clone(), ..Clause::clone(clause) };
        let (mut drafts, mut used) = (Vec::new(), vec![false; bindings.len()]);
        let units = literals.iter().map(|l| (Some(l), None)).chain(tests.iter().map(|t| (None, Some(t))));
        for (literal, test) in units {
            let own = literal.map(Literal::variables).or(test.map(Test::variables)).unwrap_or_default();
            let mut binders = Vec::new();
            for (binding, used) in bindings.iter().zip(&mut used).filter(|((v, _), _)| own.contains(v)) {
                *used = true;
                binders.push(binding.1.clone());
            }
            binders.extend(literal.cloned());
            let near: Vec<u32> =
                binders.iter().flat_map(Literal::variables).chain(own.iter().copied()).collect();
            let is_near = |variables: Vec<u32>| variables.iter().any(|v| near.contains(v));
            let mut positives: Vec<Literal> =
                context.0.iter().filter(|l| is_near(l.variables())).cloned().collect();
            positives.extend(binders);
            let bound: Vec<u32> = positives.iter().flat_map(Literal::variables).collect();
            let is_bound = |test: &&Test| test.variables().iter().all(|v| bound.contains(v));
            if test.is_some_and(|test| !is_bound(&test)) {
                return Some(None);
            }
            let others = context.1.iter().filter(|test| is_near(test.variables()));
            let tests = others.chain(test).filter(is_bound).cloned().collect();
            let mut arguments = Vec::new();
            for v in bound.iter().copied().filter(|v| !is_functional(v)) {
                let once = usize::from(own.contains(&v));
                if count[v as usize] > once && !arguments.contains(&Pattern::Variable(v)) {
                    arguments.push(Pattern::Variable(v));
                }
            }
            let head = Literal { relation: clause.head.relation, arguments };
            let part = Clause { head, positives, tests, ..*clause };
            self.pay(size(&part), meter)?;
            drafts.push(part);
        }
        let mut parts = Vec::new();
        for mut part in drafts {
            let (relation, is_new) = self.relation(&part);
            part.head.relation = relation;
            whole.positives.push(part.head.clone());
            if is_new {
                parts.push(part.compact());
            }
        }
        let unused = bindings.iter().zip(used).filter(|(_, used)| !used);
        whole.positives.extend(unused.map(|((_, literal), _)| literal.clone()));
        self.pay(size(&whole), meter)?;
        Some(Some(Parts { whole: whole.compact(), parts }))
    }

    /// Pays for `size` new symbols and variables. Returns `None` if a limit is exceeded.
    fn pay(&mut self, size: usize, meter: &mut Meter) -> Option<()> {
        meter.spend(STEPS * size as u64)?;
        self.room = self.room.checked_sub(size)?;
        Some(())
    }

    /// The relation of a part, and true if it is new.
    fn relation(&mut self, part: &Clause) -> (RelationId, bool) {
        let part = part.compact();
        let next = RelationId(self.relations as u32);
        let key = (part.head.arguments, part.positives, part.tests);
        let relation = *self.parts.entry(key).or_insert(next);
        self.relations += usize::from(relation == next);
        (relation, relation == next)
    }

    /// Divides a clause into the literals with functional variables and the others. Returns
    /// `Some(None)` if there are no functional variables, and `None` if too few steps are left.
    #[expect(clippy::option_option, reason = "nothing functional, and no steps left")]
    fn sides(&self, clause: &Clause, meter: &mut Meter) -> Option<Option<Sides>> {
        meter.spend(STEPS * (size(clause) * (1 + clause.positives.len())) as u64)?;
        let head = clause.head.variables();
        let functional: Vec<(u32, usize)> = (0..clause.positives.len())
            .filter_map(|i| Some((self.functional_variable(&clause.positives[i], &head)?, i)))
            .collect();
        // A variable is bound by the first of its literals that has no other functional variable.
        let mut bindings: Vec<(u32, usize)> = Vec::new();
        for &(variable, i) in &functional {
            let own = clause.positives[i].variables();
            let depends = functional.iter().any(|(other, _)| *other != variable && own.contains(other));
            if !depends && bindings.iter().all(|(other, _)| *other != variable) {
                bindings.push((variable, i));
            }
        }
        if bindings.is_empty() {
            return Some(None);
        }
        let speaks = |variables: &[u32]| bindings.iter().any(|(v, _)| variables.contains(v));
        let (mut context, mut literals) = (Vec::new(), Vec::new());
        for (i, literal) in clause.positives.iter().enumerate() {
            if bindings.iter().all(|&(_, place)| place != i) {
                let list = if speaks(&literal.variables()) { &mut literals } else { &mut context };
                list.push(literal.clone());
            }
        }
        let (tests, others) = clause.tests.iter().cloned().partition(|test: &Test| speaks(&test.variables()));
        let bindings = bindings.into_iter().map(|(v, i)| (v, clause.positives[i].clone())).collect();
        Some(Some(Sides { context: (context, others), bindings, literals, tests }))
    }

    /// The variable of a literal for a fluent that is a function of the literal's other variables.
    /// Returns `None` if there is none outside the head.
    fn functional_variable(&self, literal: &Literal, head: &[u32]) -> Option<u32> {
        let [Pattern::Function(symbol, arguments)] = &literal.arguments[..] else { return None };
        if literal.relation != self.fact {
            return None;
        }
        let places = arguments.iter().enumerate().filter_map(|(place, argument)| match argument {
            Pattern::Variable(v) => Some((place, *v)),
            _ => None,
        });
        let count = |variable: u32| {
            let mut count = 0;
            literal.arguments[0].for_each_variable(&mut |v| count += usize::from(v == variable));
            count
        };
        let is_functional = |place| self.functional.is_functional(*symbol, arguments.len(), place);
        let mut hidden =
            places.filter(|&(place, v)| is_functional(place) && !head.contains(&v) && count(v) == 1);
        hidden.next().map(|(_, v)| v)
    }

    /// Unfolds a literal with several functional variables. Returns the new clauses, `Some(None)`
    /// if there is no such literal with a suitable definition, and `None` if a limit is exceeded.
    #[expect(clippy::option_option, reason = "nothing to unfold, and no steps left")]
    fn unfold(&mut self, clause: &Clause, meter: &mut Meter) -> Option<Option<Vec<Clause>>> {
        let Some(sides) = self.sides(clause, meter)? else { return Some(None) };
        let several = |literal: &&Literal| {
            let own = literal.variables();
            sides.bindings.iter().filter(|(v, _)| own.contains(v)).count() > 1
        };
        let Some(literal) = sides.literals.iter().filter(several).find(|l| self.is_plain(l)) else {
            return Some(None);
        };
        let mut unfolded = Vec::new();
        for defined in self.definitions[literal.relation.index()].clone() {
            self.pay(size(clause) + size(&defined), meter)?;
            let names = defined.head.variables();
            // Variables outside the definition's head are new.
            let mut values: Vec<Pattern> = (0..defined.variables as u32)
                .map(|v| Pattern::Variable(clause.variables as u32 + v))
                .collect();
            names.iter().zip(&literal.arguments).for_each(|(&v, value)| values[v as usize] = value.clone());
            let mut positives: Vec<Literal> =
                clause.positives.iter().filter(|other| *other != literal).cloned().collect();
            let mut tests = clause.tests.clone();
            positives.extend(defined.positives.iter().map(|l| l.substitute(&values)));
            tests.extend(defined.tests.iter().map(|t| t.substitute(&values)));
            let variables = clause.variables + defined.variables;
            unfolded.push(Clause { positives, tests, variables, ..Clause::clone(clause) }.compact());
        }
        Some(Some(unfolded))
    }

    /// Returns whether a literal's relation can be unfolded. It must not be recursive, and at most
    /// [`DEFINITIONS`] clauses without functions and with distinct variables in their heads define
    /// it.
    fn is_plain(&self, literal: &Literal) -> bool {
        let relation = literal.relation;
        if relation.index() >= self.known || relation == self.fact {
            return false;
        }
        let definition = &self.definitions[relation.index()];
        let own = self.component[relation.index()];
        let is_plain = |clause: &Rc<Clause>| {
            let mut depends = false;
            clause.for_each_literal(&mut |l, _| {
                depends |= self.component[l.relation.index()] == own;
                depends |= l.arguments.iter().any(|argument| matches!(argument, Pattern::Function(..)));
            });
            let are_variables = clause.head.arguments.iter().all(|a| matches!(a, Pattern::Variable(_)));
            !depends && are_variables && clause.head.variables().len() == clause.head.arguments.len()
        };
        (1..=DEFINITIONS).contains(&definition.len()) && definition.iter().all(is_plain)
    }
}

/// The parts of a body, divided by functional variables.
struct Sides {
    /// The literals and tests without functional variables.
    context: (Vec<Literal>, Vec<Test>),
    /// Functional variables, and the literals that bind them.
    bindings: Vec<(u32, Literal)>,
    /// The other literals and tests.
    literals: Vec<Literal>,
    tests: Vec<Test>,
}

impl Sides {
    /// The number of literals and tests with functional variables.
    fn units(&self) -> usize {
        self.literals.len() + self.tests.len()
    }
}

/// The cost of copying a clause, as a number of variables.
fn size(clause: &Clause) -> usize {
    let positives: usize = clause.positives.iter().map(|l| 1 + l.size()).sum();
    1 + clause.head.size() + positives + clause.tests.iter().map(|t| 1 + t.size()).sum::<usize>()
}

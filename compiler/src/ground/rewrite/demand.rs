//! Demand-driven derivation of wide relations: only the requested part is derived.
//!
//! [`restrict`] restricts wide relations, and relations derived from them, to the arguments that
//! some use can have. For example, `threatened(x, y)`, used only together with `cell(x, y)`, is not
//! needed for squares that no cell has. If rules derive it for all of a wide domain, most of the
//! work has no effect. No fact in use is lost.
//!
//! These are magic sets (Bancilhon, Maier, Sagiv and Ullman, "Magic sets and other strange ways to
//! implement logic programs", 1986). There is one set for each argument, instead of one set of
//! tuples for all arguments. Such a set is never larger than a domain, so it is cheap to compute
//! even if nothing is gained.
//!
//! Every relation is visited once. Finding the sources that bind the arguments of a use takes
//! steps; if too few are left, nothing is restricted. Each argument of each use gets a clause, made
//! from the text of the clause with the use.

use super::{
    super::{
        clause::{Clause, Clauses, Literal, numbered},
        strata::Strata,
    },
    Context,
};
use crate::{
    datalog::pattern::Pattern,
    meter::Meter,
    rules::{Keywords, RelationId},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The steps to decide which relations can be restricted.
fn effort(clauses: &Clauses) -> u64 {
    let literals = |clause: &Rc<Clause>| 4 + clause.positives.len() + clause.tests.len();
    clauses.list.iter().map(literals).sum::<usize>() as u64
}

/// The steps to find the sources that bind the arguments of all uses in a clause.
fn asking(clause: &Clause, arguments: usize) -> u64 {
    let size: usize = clause.positives.iter().map(Literal::size).sum();
    ((1 + arguments) * (1 + clause.positives.len()) * (1 + size)) as u64
}

/// Restricts wide relations to their requested arguments. Returns `None` if too few steps are left,
/// if no new relation can be restricted, or if all relations that can be restricted already are.
pub(super) fn restrict(clauses: &Clauses, context: &mut Context<'_>) -> Option<Clauses> {
    context.meter.spend(effort(clauses))?;
    let graph = Graph::new(clauses);
    let strata = context.strata;
    let may = restrictable(&graph, clauses, strata, &context.rules.keywords);
    if !context.news().iter().any(|relation| may[relation.index()]) {
        return None;
    }
    let chosen = demanded(&graph, &may, context.wide);
    let kept: FxHashSet<&RelationId> = context.kept.iter().collect();
    if chosen.iter().all(|relation| kept.contains(relation)) {
        return None;
    }
    let mut demand = Demand {
        clauses,
        strata,
        open: FxHashMap::default(),
        made: FxHashMap::default(),
        relations: clauses.relations,
        list: Vec::new(),
    };
    for relation in chosen {
        let first = *graph.clauses[relation.index()].first()?;
        demand.open.insert(relation, vec![true; clauses.list[first].head.arguments.len()]);
    }
    demand.settle(context.meter)?;
    let is_open = |relation: &RelationId| demand.open.get(relation).is_some_and(|open| open.contains(&true));
    if !context.news().iter().any(is_open) {
        return None;
    }
    // The rewriting visits each use again, and copies its literals.
    context.meter.spend(2 * demand.asking())?;
    Some(demand.rewrite())
}

/// The clauses of each relation, and the relations that depend on it directly.
struct Graph {
    clauses: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
}

impl Graph {
    /// Builds the graph. O(literals).
    fn new(clauses: &Clauses) -> Self {
        let none = || vec![Vec::new(); clauses.relations];
        let mut graph = Self { clauses: none(), users: none() };
        for (number, clause) in clauses.list.iter().enumerate() {
            let head = clause.head.relation.index();
            graph.clauses[head].push(number);
            clause.for_each_literal(&mut |literal, _| {
                let users = &mut graph.users[literal.relation.index()];
                if users.last() != Some(&head) {
                    users.push(head);
                }
            });
        }
        graph
    }
}

/// For each relation, whether it may be restricted. Outputs of the game may not, nor may relations
/// that the roles and the initial state depend on.
fn restrictable(graph: &Graph, clauses: &Clauses, strata: &Strata, keywords: &Keywords) -> Vec<bool> {
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = *keywords;
    let mut early = vec![false; clauses.relations];
    let mut pending = vec![role.index(), init.index()];
    while let Some(relation) = pending.pop() {
        if !std::mem::replace(&mut early[relation], true) {
            for &number in &graph.clauses[relation] {
                clauses.list[number]
                    .for_each_literal(&mut |literal, _| pending.push(literal.relation.index()));
            }
        }
    }
    let is_root = |number: usize| [next, legal, goal, terminal, sees].iter().any(|r| r.index() == number);
    (0..clauses.relations)
        .map(|number| strata.relevant[number] && !early[number] && !is_root(number))
        .collect()
}

/// The relations to restrict: the wide ones and those that are derived from them.
fn demanded(graph: &Graph, may: &[bool], wide: &[RelationId]) -> Vec<RelationId> {
    let mut chosen = vec![false; may.len()];
    let mut list: Vec<RelationId> = Vec::new();
    let mut pending: Vec<usize> = wide.iter().map(|relation| relation.index()).collect();
    while let Some(relation) = pending.pop() {
        if may[relation] && !std::mem::replace(&mut chosen[relation], true) {
            list.push(RelationId(relation as u32));
            pending.extend(&graph.users[relation]);
        }
    }
    list
}

/// The set of values that a guard admits: those of a variable for which literals hold, or those
/// requested of an argument. Variables are numbered by occurrence, so that equal guards compare
/// equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Guard {
    Values(Vec<Literal>, u32),
    Asked(RelationId, usize),
}

struct Demand<'c> {
    clauses: &'c Clauses,
    strata: &'c Strata,
    /// For each restricted relation and each argument, whether every use binds it to known values.
    open: FxHashMap<RelationId, Vec<bool>>,
    made: FxHashMap<Guard, RelationId>,
    relations: usize,
    list: Vec<Rc<Clause>>,
}

/// A use of a restricted relation in a body.
struct Use<'u> {
    clause: &'u Clause,
    literal: &'u Literal,
    /// The literals that may be evaluated before the use.
    before: &'u [Literal],
}

impl Demand<'_> {
    /// The steps to visit every use.
    fn asking(&self) -> u64 {
        let mut steps = 0u64;
        self.for_each_use(&mut |_, place| {
            steps = steps.saturating_add(asking(place.clause, place.literal.arguments.len()));
        });
        steps
    }

    /// Clears `open` for the arguments that may have any value in some use. Returns `None` if too
    /// few steps are left.
    fn settle(&mut self, meter: &mut Meter) -> Option<()> {
        let steps = self.asking();
        let mut news = true;
        while std::mem::take(&mut news) {
            meter.spend(steps)?;
            let mut closed: Vec<(RelationId, usize)> = Vec::new();
            self.for_each_use(&mut |this, place| {
                for (i, pattern) in place.literal.arguments.iter().enumerate() {
                    if this.open[&place.literal.relation][i] && !this.is_known(&place, pattern) {
                        closed.push((place.literal.relation, i));
                    }
                }
            });
            for (relation, argument) in closed {
                let open = self.open.get_mut(&relation).expect("a kept relation");
                news |= std::mem::replace(&mut open[argument], false);
            }
        }
        Some(())
    }

    /// Visits every use of a restricted relation.
    fn for_each_use(&self, visit: &mut impl FnMut(&Self, Use<'_>)) {
        for clause in self.clauses.list.iter().filter(|c| self.strata.relevant[c.head.relation.index()]) {
            for (i, literal) in clause.positives.iter().enumerate() {
                if self.open.contains_key(&literal.relation) {
                    visit(self, Use { clause, literal, before: &clause.positives[..i] });
                }
            }
            for test in &clause.tests {
                test.for_each_literal(false, &mut |literal, _| {
                    if self.open.contains_key(&literal.relation) {
                        visit(self, Use { clause, literal, before: &clause.positives });
                    }
                });
            }
        }
    }

    /// Returns whether every variable of an argument has a source.
    fn is_known(&self, place: &Use<'_>, pattern: &Pattern) -> bool {
        let mut known = true;
        pattern.for_each_variable(&mut |variable| known &= !self.sources(place, variable).is_empty());
        known
    }

    /// The sources that bind a variable before a use of the relation is evaluated.
    fn sources(&self, place: &Use<'_>, variable: u32) -> Vec<ValueSource> {
        let mut sources = Vec::new();
        let head = &place.clause.head;
        if let Some(open) = self.open.get(&head.relation) {
            let same = |i: &usize| open[*i] && head.arguments[*i] == Pattern::Variable(variable);
            sources.extend((0..open.len()).filter(same).map(|i| ValueSource::Asked(head.relation, i)));
        }
        let binds = |literal: &&Literal| literal.variables().contains(&variable);
        // A restricted relation may itself wait for this use, unless its literal stands before the
        // use.
        let is_free = |literal: &&Literal| !self.open.contains_key(&literal.relation);
        let free: Vec<&Literal> = place.clause.positives.iter().filter(is_free).collect();
        for literal in free.iter().copied().filter(binds) {
            let own = literal.variables();
            let touches =
                |other: &Literal| other.variables().iter().any(|v| *v != variable && own.contains(v));
            let others = free.iter().filter(|&&other| other != literal && touches(other));
            sources.push(ValueSource::Values(literal.clone(), others.copied().cloned().collect()));
        }
        if sources.is_empty() {
            let before = place.before.iter().filter(binds).cloned();
            sources.extend(before.map(|literal| ValueSource::Values(literal, Vec::new())));
        }
        sources
    }

    /// Returns the clauses with guards for the requested arguments.
    fn rewrite(mut self) -> Clauses {
        let mut questions = Vec::new();
        self.for_each_use(&mut |this, place| {
            let relation = place.literal.relation;
            for (argument, pattern) in place.literal.arguments.iter().enumerate() {
                if this.open[&relation][argument] {
                    let mut sources = Vec::new();
                    pattern.for_each_variable(&mut |variable| {
                        sources.extend(this.sources(&place, variable).into_iter().map(|s| (variable, s)));
                    });
                    let (pattern, rule) = (pattern.clone(), place.clause.rule);
                    questions.push(ArgumentQuestion { relation, argument, pattern, sources, rule });
                }
            }
        });
        let mut known = FxHashSet::default();
        for ArgumentQuestion { relation, argument, pattern, sources, rule } in questions {
            let head = Literal { relation: self.asked(relation, argument), arguments: vec![pattern] };
            let mut positives = Vec::new();
            for (variable, source) in sources {
                let relation = match source {
                    ValueSource::Asked(relation, argument) => self.asked(relation, argument),
                    ValueSource::Values(literal, others) => self.narrow(literal, &others, variable, rule),
                };
                let literal = Literal { relation, arguments: vec![Pattern::Variable(variable)] };
                if !positives.contains(&literal) {
                    positives.push(literal);
                }
            }
            // Many uses request the same values, and a recursive one may request its own values
            // again.
            let is_news = !positives.contains(&head);
            let clause = guard(head, positives, rule);
            if is_news && known.insert((clause.head.clone(), clause.positives.clone())) {
                self.list.push(clause);
            }
        }
        for clause in &self.clauses.list {
            let head = &clause.head;
            let Some(open) = self.open.get(&head.relation).cloned() else {
                self.list.push(clause.clone());
                continue;
            };
            let mut kept = Clause::clone(clause);
            for i in (0..open.len()).filter(|&i| open[i]) {
                let arguments = vec![head.arguments[i].clone()];
                kept.positives.push(Literal { relation: self.asked(head.relation, i), arguments });
            }
            self.list.push(Rc::new(kept));
        }
        let mut demanded: Vec<RelationId> = self.open.keys().copied().collect();
        demanded.sort_unstable_by_key(|relation| relation.index());
        let rewritten = self.clauses.rewritten.clone();
        Clauses {
            list: self.list,
            relations: self.relations,
            formula: self.clauses.formula,
            demanded,
            rewritten,
        }
    }

    /// The guard for the requested values of an argument.
    fn asked(&mut self, relation: RelationId, argument: usize) -> RelationId {
        self.guard(Guard::Asked(relation, argument)).0
    }

    /// The guard for the values that a variable takes in a literal. The literal's other variables
    /// have only values that `others` allow.
    fn narrow(&mut self, literal: Literal, others: &[Literal], variable: u32, rule: usize) -> RelationId {
        let mut body = vec![literal];
        for other in others {
            for shared in body[0].variables() {
                if shared != variable && other.variables().contains(&shared) {
                    let relation = self.values(vec![other.clone()], shared, rule);
                    body.push(Literal { relation, arguments: vec![Pattern::Variable(shared)] });
                }
            }
        }
        self.values(body, variable, rule)
    }

    /// The guard for the values of a variable for which all literals hold, created if it does not
    /// exist.
    fn values(&mut self, mut body: Vec<Literal>, variable: u32, rule: usize) -> RelationId {
        let mut names = Vec::new();
        for literal in &mut body {
            *literal = literal.rename(&mut |v| numbered(v, &mut names));
        }
        let place = names.iter().position(|&name| name == variable).expect("a variable of the body") as u32;
        let (relation, is_new) = self.guard(Guard::Values(body.clone(), place));
        if is_new {
            let head = Literal { relation, arguments: vec![Pattern::Variable(place)] };
            self.list.push(guard(head, body, rule));
        }
        relation
    }

    /// The relation of a guard, and true if it is new.
    fn guard(&mut self, guard: Guard) -> (RelationId, bool) {
        let next = RelationId(self.relations as u32);
        let relation = *self.made.entry(guard).or_insert(next);
        self.relations += usize::from(relation == next);
        (relation, relation == next)
    }
}

/// The values that one use requests of an argument. They are the values of the pattern, where each
/// variable has a value that all of its sources contain.
struct ArgumentQuestion {
    relation: RelationId,
    argument: usize,
    pattern: Pattern,
    sources: Vec<(u32, ValueSource)>,
    rule: usize,
}

/// The source of a variable's values.
enum ValueSource {
    Asked(RelationId, usize),
    /// A literal, and others of its clause that share variables with it.
    Values(Literal, Vec<Literal>),
}

fn guard(head: Literal, positives: Vec<Literal>, rule: usize) -> Rc<Clause> {
    Rc::new(Clause { head, positives, tests: Vec::new(), variables: 0, rule, is_guard: true }.compact())
}

//! Demand-driven derivation of wide relations: only the requested part is derived.
//!
//! [`restrict`] makes of clauses others in which relations that turned out wide, and those derived
//! from them, are kept to arguments that some use of them can have. `threatened(x, y)`, used only
//! together with `cell(x, y)`, needs no square that no cell has: where the rules say it for all of
//! a wide domain, that is most of the work. Nothing that is used is lost.
//!
//! These are magic sets (Bancilhon, Maier, Sagiv and Ullman, "Magic sets and other strange ways to
//! implement logic programs", 1986), with a set for each argument instead of one for all together.
//! Such a set is never larger than a domain, so computing it costs next to nothing, whatever the
//! gain.
//!
//! Every relation is visited once. Asking what binds the arguments of a use takes steps, and where
//! there are too few nothing is kept to anything. What is made is a part for each argument of each
//! use, from its clause's text.

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

/// Steps that it takes to see whether relations can be kept, whatever they are.
fn effort(clauses: &Clauses) -> u64 {
    let literals = |clause: &Rc<Clause>| 4 + clause.positives.len() + clause.tests.len();
    clauses.list.iter().map(literals).sum::<usize>() as u64
}

/// Steps that it takes to find out what binds the arguments of all uses in a clause.
fn asking(clause: &Clause, arguments: usize) -> u64 {
    let size: usize = clause.positives.iter().map(Literal::size).sum();
    ((1 + arguments) * (1 + clause.positives.len()) * (1 + size)) as u64
}

/// Keeps wide relations to what is asked of them. Returns `None` if that changes nothing, if none
/// of the new ones can be kept, or if those that can are kept already.
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
    // Each use is written down, with its literals.
    context.meter.spend(2 * demand.asking())?;
    Some(demand.rewrite())
}

/// The clauses that define each relation, and the relations defined by it.
struct Graph {
    clauses: Vec<Vec<usize>>,
    users: Vec<Vec<usize>>,
}

impl Graph {
    /// O(literals).
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

/// Returns whether a relation may be kept to what is asked of it: what the game is asked for as a
/// whole may not, nor what the start depends on.
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

/// The relations to keep: those wide and those that are derived from them.
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
    /// For each relation that is kept, which arguments are asked for everywhere by values that are
    /// known.
    open: FxHashMap<RelationId, Vec<bool>>,
    made: FxHashMap<Guard, RelationId>,
    relations: usize,
    list: Vec<Rc<Clause>>,
}

/// A place where a relation is asked for.
struct Use<'u> {
    clause: &'u Clause,
    literal: &'u Literal,
    /// The literals that may be looked at before.
    before: &'u [Literal],
}

impl Demand<'_> {
    /// Steps that looking at every use takes.
    fn asking(&self) -> u64 {
        let mut steps = 0u64;
        self.for_each_use(&mut |_, place| {
            steps = steps.saturating_add(asking(place.clause, place.literal.arguments.len()));
        });
        steps
    }

    /// Closes the arguments that somewhere may have any value; `None` if that takes too many steps.
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

    /// Visits every use of a kept relation.
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

    /// Returns whether all variables of an argument are bound by what may be looked at.
    fn is_known(&self, place: &Use<'_>, pattern: &Pattern) -> bool {
        let mut known = true;
        pattern.for_each_variable(&mut |variable| known &= !self.sources(place, variable).is_empty());
        known
    }

    /// The sources that bind a variable before the relation is asked for.
    fn sources(&self, place: &Use<'_>, variable: u32) -> Vec<Source> {
        let mut sources = Vec::new();
        let head = &place.clause.head;
        if let Some(open) = self.open.get(&head.relation) {
            let same = |i: &usize| open[*i] && head.arguments[*i] == Pattern::Variable(variable);
            sources.extend((0..open.len()).filter(same).map(|i| Source::Asked(head.relation, i)));
        }
        let binds = |literal: &&Literal| literal.variables().contains(&variable);
        // What is kept itself may wait for this use, unless it stands before it.
        let is_free = |literal: &&Literal| !self.open.contains_key(&literal.relation);
        let free: Vec<&Literal> = place.clause.positives.iter().filter(is_free).collect();
        for literal in free.iter().copied().filter(binds) {
            let own = literal.variables();
            let touches =
                |other: &Literal| other.variables().iter().any(|v| *v != variable && own.contains(v));
            let others = free.iter().filter(|&&other| other != literal && touches(other));
            sources.push(Source::Values(literal.clone(), others.copied().cloned().collect()));
        }
        if sources.is_empty() {
            let before = place.before.iter().filter(binds).cloned();
            sources.extend(before.map(|literal| Source::Values(literal, Vec::new())));
        }
        sources
    }

    /// The clauses, with guards for what is asked.
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
                    questions.push(Question { relation, argument, pattern, sources, rule });
                }
            }
        });
        let mut known = FxHashSet::default();
        for Question { relation, argument, pattern, sources, rule } in questions {
            let head = Literal { relation: self.asked(relation, argument), arguments: vec![pattern] };
            let mut positives = Vec::new();
            for (variable, source) in sources {
                let relation = match source {
                    Source::Asked(relation, argument) => self.asked(relation, argument),
                    Source::Values(literal, others) => self.narrow(literal, &others, variable, rule),
                };
                let literal = Literal { relation, arguments: vec![Pattern::Variable(variable)] };
                if !positives.contains(&literal) {
                    positives.push(literal);
                }
            }
            // Many uses ask for the same, and a recursive one may ask for what is asked already.
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

    /// The guard of an argument.
    fn asked(&mut self, relation: RelationId, argument: usize) -> RelationId {
        self.guard(Guard::Asked(relation, argument)).0
    }

    /// The guard that has the values of a literal's variable, its other variables having values
    /// that `others` may take.
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

    /// The guard that has the values of a variable for which all literals hold, made if need be.
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

    /// The relation of a guard, and whether it is new.
    fn guard(&mut self, guard: Guard) -> (RelationId, bool) {
        let next = RelationId(self.relations as u32);
        let relation = *self.made.entry(guard).or_insert(next);
        self.relations += usize::from(relation == next);
        (relation, relation == next)
    }
}

/// The values of an argument that one use asks for: those of a pattern, with its variables' values
/// from all of their sources.
struct Question {
    relation: RelationId,
    argument: usize,
    pattern: Pattern,
    sources: Vec<(u32, Source)>,
    rule: usize,
}

/// The source of a variable's values.
enum Source {
    Asked(RelationId, usize),
    /// A literal, and others of its clause that share variables with it.
    Values(Literal, Vec<Literal>),
}

fn guard(head: Literal, positives: Vec<Literal>, rule: usize) -> Rc<Clause> {
    Rc::new(Clause { head, positives, tests: Vec::new(), variables: 0, rule, is_guard: true }.compact())
}

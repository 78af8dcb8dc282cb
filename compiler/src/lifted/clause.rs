//! Rules prepared for evaluation.
//!
//! Checked [`Rules`] become [`Clause`]s in negation normal form, and [`Patterns`] collect the
//! shapes of their atoms. [`relaxed`] weakens the clauses so that their least model contains every
//! atom that can hold in play. All states are merged into one, and negations that depend on the
//! state or the moves are dropped.
//!
//! Steps and bytes are linear in the length of the rules, with one exception. The variables of a
//! disjunction count once for each disjunction around it;
//! [`Limits::max_nesting`](crate::Limits::max_nesting) bounds that depth.

use super::Stop;
use crate::{
    datalog::{
        pattern::Pattern,
        terms::{TermId, Terms},
    },
    rules::{self, Formula, Keywords, RelationId, Rules, Symbol},
};
use rustc_hash::FxHashMap;

/// The functions of a pattern, without the variables and ground terms at its leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum PatternShape {
    Leaf,
    Function(Symbol, Vec<PatternShape>),
}

/// A variable or a ground term: at a leaf of an atom's shape, or as the source of a column's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leaf {
    Variable(u32),
    Ground(TermId),
}

impl Leaf {
    pub(super) fn is_bound(self, bound: &[bool]) -> bool {
        match self {
            Self::Variable(variable) => bound[variable as usize],
            Self::Ground(_) => true,
        }
    }
}

/// A relation applied to patterns.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) relation: usize,
    pub(super) arguments: Vec<Pattern>,
    /// The leaves of the arguments, left to right.
    pub(super) leaves: Vec<Leaf>,
    /// The view for the arguments' shape, an index into [`Patterns::shapes`].
    pub(super) view: usize,
}

impl Atom {
    pub(super) fn is_bound(&self, bound: &[bool]) -> bool {
        self.leaves.iter().all(|leaf| leaf.is_bound(bound))
    }

    pub(super) fn bind(&self, bound: &mut [bool]) {
        for leaf in &self.leaves {
            if let Leaf::Variable(variable) = leaf {
                bound[*variable as usize] = true;
            }
        }
    }
}

/// A literal in negation normal form.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    Holds(Atom),
    Fails(Atom),
    /// The patterns are equal if the flag is true; otherwise they differ.
    Compare(Pattern, Pattern, bool),
    /// One of the conjunctions holds. The listed variables must be bound before: they also occur
    /// outside, and not every branch binds them.
    Any(Vec<Vec<Goal>>, Vec<u32>),
}

impl Goal {
    /// Calls `visit` for every atom with true if it must hold.
    pub(super) fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, bool)) {
        match self {
            Self::Holds(atom) => visit(atom, true),
            Self::Fails(atom) => visit(atom, false),
            Self::Compare(..) => {}
            Self::Any(branches, _) => branches.iter().flatten().for_each(|goal| goal.for_each_atom(visit)),
        }
    }

    /// The number of leaves of the goal's own atom.
    pub(super) fn terms(&self) -> usize {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => atom.leaves.len(),
            Self::Compare(..) | Self::Any(..) => 0,
        }
    }

    /// The number of literals of the goal.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Holds(_) | Self::Fails(_) | Self::Compare(..) => 1,
            Self::Any(branches, _) => 1 + branches.iter().flatten().map(Self::size).sum::<usize>(),
        }
    }

    fn for_each_variable(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => {
                atom.arguments.iter().for_each(|argument| argument.for_each_variable(visit));
            }
            Self::Compare(left, right, _) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Self::Any(branches, _) => branches.iter().flatten().for_each(|g| g.for_each_variable(visit)),
        }
    }

    /// Finds the variables that must be bound before each disjunction. `total` counts occurrences
    /// in the clause, except in the other branches of disjunctions around the goal.
    fn find_outer(&mut self, total: &[u32]) {
        let mut bound = vec![false; total.len()];
        self.bind(&mut bound);
        let count = |goal: &Self, total: &mut [u32]| goal.for_each_variable(&mut |v| total[v as usize] += 1);
        let mut inside = vec![0; total.len()];
        count(self, &mut inside);
        let Self::Any(branches, outer) = self else { return };
        for goals in branches {
            let mut path: Vec<u32> =
                total.iter().zip(&inside).map(|(total, inside)| total - inside).collect();
            goals.iter().for_each(|goal| count(goal, &mut path));
            goals.iter_mut().for_each(|goal| goal.find_outer(&path));
        }
        let is_outer = |v: &u32| {
            let v = *v as usize;
            inside[v] > 0 && inside[v] < total[v] && !bound[v]
        };
        *outer = (0..total.len() as u32).filter(is_outer).collect();
    }

    /// Marks the variables that are bound once the goal is satisfied.
    pub(super) fn bind(&self, bound: &mut [bool]) {
        match self {
            Self::Holds(atom) => atom.bind(bound),
            Self::Fails(_) | Self::Compare(..) => {}
            Self::Any(branches, _) => {
                let mut after = vec![true; bound.len()];
                for goals in branches {
                    let mut inside = bound.to_vec();
                    goals.iter().for_each(|goal| goal.bind(&mut inside));
                    after.iter_mut().zip(inside).for_each(|(all, one)| *all &= one);
                }
                bound.copy_from_slice(&after);
            }
        }
    }
}

/// A rule or a fact.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) head: Atom,
    pub(super) body: Vec<Goal>,
    /// The number of variables, which are numbered from zero.
    pub(super) variables: usize,
}

impl Clause {
    /// Returns whether the body binds all variables that need a value.
    fn is_safe(&self) -> bool {
        let mut bound = vec![false; self.variables];
        self.body.iter().for_each(|goal| goal.bind(&mut bound));
        let mut all = self.head.is_bound(&bound);
        for goal in &self.body {
            match goal {
                // A variable that only some branches bind may be unbound outside.
                Goal::Any(_, outer) => all &= outer.iter().all(|&variable| bound[variable as usize]),
                goal => goal.for_each_variable(&mut |variable| all &= bound[variable as usize]),
            }
        }
        all
    }
}

/// The shapes of all atoms, with their relations: one for each possible view of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    pub(super) shapes: Vec<(usize, Vec<PatternShape>)>,
    numbers: FxHashMap<(usize, Vec<PatternShape>), usize>,
}

impl Patterns {
    fn atom(&mut self, relation: usize, arguments: Vec<Pattern>) -> Atom {
        let mut leaves = Vec::new();
        let shape = (relation, arguments.iter().map(|a| shape(a, &mut leaves)).collect::<Vec<_>>());
        let view = *self.numbers.entry(shape).or_insert_with_key(|shape| {
            self.shapes.push(shape.clone());
            self.shapes.len() - 1
        });
        Atom { relation, arguments, leaves, view }
    }
}

fn shape(pattern: &Pattern, leaves: &mut Vec<Leaf>) -> PatternShape {
    match pattern {
        Pattern::Variable(variable) => leaves.push(Leaf::Variable(*variable)),
        Pattern::Ground(id) => leaves.push(Leaf::Ground(*id)),
        Pattern::Function(symbol, arguments) => {
            return PatternShape::Function(*symbol, arguments.iter().map(|a| shape(a, leaves)).collect());
        }
    }
    PatternShape::Leaf
}

/// Converts the rules into clauses, one for each rule.
pub(super) fn clauses(
    rules: &Rules,
    terms: &mut Terms,
    patterns: &mut Patterns,
) -> Result<Vec<Clause>, Stop> {
    let mut reader = ClauseReader { terms, patterns };
    let mut clauses = Vec::with_capacity(rules.rules.len());
    for rule in &rules.rules {
        let head = reader.atom(&rule.head)?;
        let mut body = Vec::new();
        for formula in &rule.body {
            reader.normalise(formula, false, &mut body)?;
        }
        let mut total = vec![0; rule.variables.len()];
        let mut count = |variable: u32| total[variable as usize] += 1;
        head.arguments.iter().for_each(|argument| argument.for_each_variable(&mut count));
        body.iter().for_each(|goal| goal.for_each_variable(&mut count));
        body.iter_mut().for_each(|goal| goal.find_outer(&total));
        clauses.push(Clause { head, body, variables: rule.variables.len() });
    }
    Ok(clauses)
}

/// Converts the terms and formulas of rules into patterns and goals.
struct ClauseReader<'t> {
    terms: &'t mut Terms,
    patterns: &'t mut Patterns,
}

impl ClauseReader<'_> {
    fn pattern(&mut self, term: &rules::Term) -> Result<Pattern, Stop> {
        Ok(Pattern::of(term, self.terms)?)
    }

    fn atom(&mut self, atom: &rules::Atom) -> Result<Atom, Stop> {
        let arguments = Pattern::of_all(&atom.arguments, self.terms)?;
        Ok(self.patterns.atom(atom.relation.index(), arguments))
    }

    /// Adds a conjunction to `out` that is equivalent to `formula`, or to its negation if
    /// `negative`.
    fn normalise(&mut self, formula: &Formula, negative: bool, out: &mut Vec<Goal>) -> Result<(), Stop> {
        match formula {
            Formula::Atom(inner) => {
                let atom = self.atom(inner)?;
                out.push(if negative { Goal::Fails(atom) } else { Goal::Holds(atom) });
            }
            Formula::Distinct(left, right) => {
                out.push(Goal::Compare(self.pattern(left)?, self.pattern(right)?, negative));
            }
            Formula::Not(inner) => self.normalise(inner, !negative, out)?,
            Formula::Or(branches) if negative || branches.len() == 1 => {
                for branch in branches {
                    self.normalise(branch, negative, out)?;
                }
            }
            Formula::Or(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    let mut goals = Vec::new();
                    self.normalise(branch, false, &mut goals)?;
                    all.push(goals);
                }
                out.push(Goal::Any(all, Vec::new()));
            }
        }
        Ok(())
    }
}

/// Builds clauses whose least model contains everything that can hold in any state that play can
/// reach. Added clauses derive `true` from `init` and `next`, and `does` from `legal`. A negation
/// always succeeds if its atom depends on the state or the moves; `dynamic` marks such relations.
pub(super) fn relaxed(
    clauses: &[Clause],
    keywords: &Keywords,
    dynamic: &[bool],
    patterns: &mut Patterns,
) -> Vec<Clause> {
    let [role, init, fact, does, next, legal] =
        [keywords.role, keywords.init, keywords.fact, keywords.does, keywords.next, keywords.legal]
            .map(RelationId::index);
    let mut list: Vec<Clause> = Vec::new();
    for clause in clauses {
        let mut clause = clause.clone();
        if dynamic[clause.head.relation] {
            clause.body =
                clause.body.into_iter().filter_map(|goal| without_negation(goal, dynamic)).collect();
        }
        list.push(clause);
    }
    let variable = Pattern::Variable;
    let mut follow = |head: usize, body: usize, arguments: &[u32]| {
        let arguments: Vec<Pattern> = arguments.iter().map(|&v| variable(v)).collect();
        Clause {
            head: patterns.atom(head, arguments.clone()),
            body: vec![Goal::Holds(patterns.atom(body, arguments.clone()))],
            variables: arguments.len(),
        }
    };
    let mut done = follow(does, legal, &[0, 1]);
    list.push(follow(fact, init, &[0]));
    list.push(follow(fact, next, &[0]));
    // Only roles make moves.
    done.body.push(Goal::Holds(patterns.atom(role, vec![variable(0)])));
    list.push(done);
    list
}

/// Drops literals for `vast` relations from the clauses for `dynamic` relations, unless a variable
/// would become unbound. Returns true if any was dropped. The clauses then derive the same facts or
/// more.
pub(super) fn drop_demands(clauses: &mut [Clause], dynamic: &[bool], vast: &[bool]) -> bool {
    let mut changed = false;
    for clause in clauses.iter_mut().filter(|clause| dynamic[clause.head.relation]) {
        let mut i = 0;
        while i < clause.body.len() {
            let is_vast = matches!(&clause.body[i], Goal::Holds(atom) if vast[atom.relation]);
            let dropped = is_vast.then(|| clause.body.remove(i));
            match dropped {
                Some(goal) if !clause.is_safe() => clause.body.insert(i, goal),
                Some(_) => {
                    changed = true;
                    continue;
                }
                None => {}
            }
            i += 1;
        }
    }
    changed
}

/// Removes negations of relations that depend on the state. Returns `None` if the goal itself is
/// such a negation.
fn without_negation(goal: Goal, dynamic: &[bool]) -> Option<Goal> {
    match goal {
        Goal::Fails(atom) if dynamic[atom.relation] => None,
        Goal::Any(branches, outer) => {
            let relax = |goals: Vec<Goal>| {
                goals.into_iter().filter_map(|goal| without_negation(goal, dynamic)).collect()
            };
            Some(Goal::Any(branches.into_iter().map(relax).collect(), outer))
        }
        goal => Some(goal),
    }
}

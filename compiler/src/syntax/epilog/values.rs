//! The possible values of variables, for constructs that KIF lacks: arithmetic, counting, and
//! variables of heads that only callers bind.
//!
//! Each argument place of each relation, fact and function has the set of names that may occur
//! there. The sets are the least fixpoint of the clauses: a variable takes the values that all
//! places of its positive literals allow. All states share the sets, and negation is ignored. If
//! numbers grow without end, places of facts are restricted to the values that `base` declares.
//! From the fixpoint, tables, domains and counts are written as facts. The limits are
//! [`MOST_VALUES`] values, [`MOST_ROUNDS`] rounds, [`MOST_ENTRIES`] entries of tables and
//! [`MOST_STEPS`] literals and entries visited.

use super::clause::{EpilogClause, EpilogLiteral, Shape, Term};
use crate::Span;
use std::collections::{BTreeMap, BTreeSet};

const MOST_VALUES: usize = 20_000;
const MOST_ROUNDS: usize = 300;
const MOST_ENTRIES: usize = 50_000;
const MOST_STEPS: usize = 3_000_000;

/// The operation whose results a table lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Max,
    Min,
    Less,
    AtMost,
}

impl Operation {
    pub(super) fn find(name: &str) -> Option<Self> {
        Some(match name {
            "plus" => Self::Plus,
            "minus" => Self::Minus,
            "times" => Self::Times,
            "max" => Self::Max,
            "min" => Self::Min,
            "less" => Self::Less,
            "leq" => Self::AtMost,
            _ => return None,
        })
    }

    /// Returns whether the last argument is the result.
    pub(super) fn has_result(self) -> bool {
        !matches!(self, Self::Less | Self::AtMost)
    }

    /// Returns the result for some numbers; `None` if it overflows, or if a comparison does not
    /// hold.
    fn apply(self, inputs: &[i64]) -> Option<Computed> {
        let (&first, rest) = inputs.split_first()?;
        let mut rest = rest.iter().copied();
        let number = match self {
            Self::Plus => rest.try_fold(first, i64::checked_add)?,
            Self::Minus => rest.try_fold(first, i64::checked_sub)?,
            Self::Times => rest.try_fold(first, i64::checked_mul)?,
            Self::Max => rest.fold(first, i64::max),
            Self::Min => rest.fold(first, i64::min),
            Self::Less => return rest.all(|other| first < other).then_some(Computed::Holds),
            Self::AtMost => return rest.all(|other| first <= other).then_some(Computed::Holds),
        };
        Some(Computed::Number(number))
    }
}

/// The result of an operation.
enum Computed {
    Number(i64),
    /// A comparison that holds, which has no result.
    Holds,
}

/// A counting relation: the number of tuples that hold, for each list of its outer arguments.
#[derive(Clone, Debug)]
pub(super) struct Count {
    /// The relation whose tuples are counted, with the outer arguments before them.
    pub(super) holds: String,
    /// The number of outer arguments.
    pub(super) outer: usize,
    /// The number of arguments of a counted tuple.
    pub(super) counted: usize,
    /// The relation of the steps of counting; `item` is the relation of the numbered tuples.
    pub(super) step: String,
    pub(super) item: String,
    pub(super) succ: String,
}

/// Relations whose facts are computed from values.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    pub(super) tables: BTreeMap<String, Operation>,
    /// For each domain, the argument whose values it lists: a relation and an index. The values are
    /// those that callers pass.
    pub(super) domains: BTreeMap<String, (String, usize)>,
    pub(super) counts: BTreeMap<String, Count>,
    /// The relation that the sheet's `legal` is translated to.
    pub(super) legal: String,
}

/// The values that may occur at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Values {
    names: BTreeSet<String>,
    /// True if other terms than names may occur there.
    open: bool,
}

impl Values {
    fn all() -> Self {
        Self { names: BTreeSet::new(), open: true }
    }

    fn meet(&self, other: &Self) -> Self {
        match (self.open, other.open) {
            (true, true) => Self { names: self.names.union(&other.names).cloned().collect(), open: true },
            (true, false) => other.clone(),
            (false, true) => self.clone(),
            (false, false) => {
                Self { names: self.names.intersection(&other.names).cloned().collect(), open: false }
            }
        }
    }
}

/// The error for values without a bound, and its place.
#[derive(Debug)]
pub(super) struct Unbounded {
    pub(super) span: Span,
    pub(super) message: String,
}

/// Returns the clauses of tables, domains and counts.
pub(super) fn facts(clauses: &[EpilogClause], made: &Made) -> Result<Vec<EpilogClause>, Unbounded> {
    if made.tables.is_empty() && made.domains.is_empty() && made.counts.is_empty() {
        return Ok(Vec::new());
    }
    let mut survey = Survey::new(clauses, made, false);
    if !survey.run() {
        survey = Survey::new(clauses, made, true);
        if !survey.run() {
            return Err(survey.unbounded());
        }
    }
    survey.facts()
}

struct Survey<'c> {
    clauses: &'c [EpilogClause],
    made: &'c Made,
    /// True if facts are restricted to the values that `base` declares.
    cut: bool,
    places: BTreeMap<String, Values>,
    entries: BTreeMap<String, BTreeSet<Vec<String>>>,
    size: usize,
    changed: bool,
    steps: usize,
    /// The arguments for which callers' values are collected: those that domains list, and those
    /// through which callers pass values on.
    asked: BTreeSet<(&'c str, usize)>,
}

/// Calls `visit` for each place of an atom. `legal` is the relation that the sheet's `legal` is
/// translated to.
fn places(atom: &Term, legal: &str, visit: &mut impl FnMut(&str, &Term)) {
    let Some((name, arguments)) = atom.parts() else { return };
    let (prefix, inner) = match (name, arguments) {
        ("true" | "next" | "init", [fact]) => ("fact", fact),
        ("does" | "legal", [_, inner]) => ("move", inner),
        (name, [inner]) if name == legal => ("move", inner),
        ("base", [fact]) => ("base", fact),
        _ => {
            for (i, argument) in arguments.iter().enumerate() {
                below(&format!("{name}/{}.{i}", arguments.len()), argument, visit);
            }
            return;
        }
    };
    below(prefix, inner, visit);
}

fn below(path: &str, term: &Term, visit: &mut impl FnMut(&str, &Term)) {
    visit(path, term);
    if let Shape::Call(name, arguments) = &term.shape {
        for (i, argument) in arguments.iter().enumerate() {
            below(&format!("{path}:{name}/{}.{i}", arguments.len()), argument, visit);
        }
    }
}

impl<'c> Survey<'c> {
    fn new(clauses: &'c [EpilogClause], made: &'c Made, cut: bool) -> Self {
        let asked = asked(clauses, made);
        Self {
            clauses,
            made,
            cut,
            places: BTreeMap::new(),
            entries: BTreeMap::new(),
            size: 0,
            changed: false,
            steps: 0,
            asked,
        }
    }

    /// Computes the fixpoint. Returns false if it exceeds the limits.
    fn run(&mut self) -> bool {
        let (declared, others): (Vec<&EpilogClause>, Vec<&EpilogClause>) =
            self.clauses.iter().partition(|clause| clause.declares);
        // Declarations, which may depend on the other clauses, come before the facts that they
        // restrict.
        let groups = if self.cut { vec![others.clone(), declared, others] } else { vec![others] };
        let cut = self.cut;
        for (i, group) in groups.into_iter().enumerate() {
            if cut && i == 0 {
                // Only clauses that do not depend on the state.
                let fixed: Vec<&EpilogClause> =
                    group.into_iter().filter(|clause| clause.body.iter().all(is_fixed)).collect();
                self.cut = false;
                if !self.settle(&fixed) {
                    return false;
                }
                self.cut = true;
            } else if !self.settle(&group) {
                return false;
            }
        }
        true
    }

    fn settle(&mut self, clauses: &[&EpilogClause]) -> bool {
        for _ in 0..MOST_ROUNDS {
            self.changed = false;
            for clause in clauses {
                if self.steps > MOST_STEPS {
                    return false;
                }
                self.clause(clause);
            }
            if self.size > MOST_VALUES
                || self.steps > MOST_STEPS
                || self.entries.values().map(BTreeSet::len).sum::<usize>() > MOST_ENTRIES
            {
                return false;
            }
            if !self.changed {
                return true;
            }
        }
        false
    }

    fn clause(&mut self, clause: &EpilogClause) {
        self.steps += 1 + clause.body.len() * clause.body.len();
        let Some(mut values) = self.variables(clause, None) else {
            // A call counts even if another literal of the clause has no values yet.
            self.calls(clause, &BTreeMap::new());
            return;
        };
        // Results are computed from the left, since an input may be the result of another literal.
        for literal in &clause.body {
            if let EpilogLiteral::Positive(atom) = literal
                && let Some((name, arguments)) = atom.parts()
            {
                if let Some(&operation) = self.made.tables.get(name) {
                    if !self.compute(name, operation, arguments, &mut values) {
                        return;
                    }
                } else if let Some(count) = self.made.counts.get(name)
                    && let Some(Term { shape: Shape::Variable(number), .. }) = arguments.last()
                {
                    let most =
                        self.candidates(count).map_or(0, |lists| lists.iter().map(BTreeSet::len).product());
                    let numbers = (0..=most.min(MOST_VALUES)).map(|n| n.to_string()).collect();
                    let found = Values { names: numbers, open: false };
                    let known = values.entry(number.clone()).or_insert_with(Values::all);
                    *known = known.meet(&found);
                }
            }
        }
        for literal in &clause.body {
            if let EpilogLiteral::Negative(atom) = literal
                && let Some((name, arguments)) = atom.parts()
                && let Some(&operation) = self.made.tables.get(name)
            {
                self.compute(name, operation, arguments, &mut values.clone());
            }
        }
        let mut found = Vec::new();
        places(&clause.head, &self.made.legal, &mut |place, term| {
            found.push((place.to_owned(), Self::of(term, &values)));
        });
        for (place, values) in found {
            self.add(place, &values);
        }
        self.calls(clause, &values);
    }

    fn of(term: &Term, values: &BTreeMap<String, Values>) -> Values {
        match &term.shape {
            Shape::Variable(name) => values.get(name).cloned().unwrap_or_else(Values::all),
            Shape::Name(name) => Values { names: BTreeSet::from([name.clone()]), open: false },
            Shape::Call(..) => Values::all(),
        }
    }

    /// Adds the values that a clause passes to the arguments in `asked`.
    fn calls(&mut self, clause: &EpilogClause, values: &BTreeMap<String, Values>) {
        for (i, literal) in clause.body.iter().enumerate() {
            let (EpilogLiteral::Positive(atom) | EpilogLiteral::Negative(atom)) = literal else { continue };
            let Some((name, arguments)) = atom.parts() else { continue };
            let asked: Vec<usize> = self
                .asked
                .iter()
                .filter(|(relation, _)| *relation == name)
                .map(|&(_, argument)| argument)
                .collect();
            for argument in asked {
                let Some(term) = arguments.get(argument) else { continue };
                let given = match &term.shape {
                    Shape::Variable(variable) => {
                        let others = self.variables(clause, Some(i)).unwrap_or_default();
                        // The values that other literals give, otherwise those that a computation
                        // gives.
                        match (others.get(variable), values.get(variable)) {
                            (Some(given), _) => given.clone(),
                            (None, Some(computed)) if self.is_computed(clause, variable) => computed.clone(),
                            // Otherwise the values that callers pass to this clause; without these,
                            // the call adds no values.
                            _ => match caller(clause, variable).and_then(|place| self.places.get(&place)) {
                                Some(given) => given.clone(),
                                None => continue,
                            },
                        }
                    }
                    _ => Self::of(term, values),
                };
                self.add(format!("call {name}.{argument}"), &given);
            }
        }
    }

    /// Returns whether a variable is the result of a table or a count.
    fn is_computed(&self, clause: &EpilogClause, variable: &str) -> bool {
        clause.body.iter().any(|literal| {
            let EpilogLiteral::Positive(atom) = literal else { return false };
            let Some((name, arguments)) = atom.parts() else { return false };
            let is_made = self.made.tables.contains_key(name) || self.made.counts.contains_key(name);
            is_made && arguments.last().is_some_and(|last| last.has(variable))
        })
    }

    /// Returns the values that positive literals allow for their variables, without the literal
    /// `without` if given. Returns `None` if a literal can never hold and `without` is `None`.
    fn variables(&self, clause: &EpilogClause, without: Option<usize>) -> Option<BTreeMap<String, Values>> {
        let mut values: BTreeMap<String, Values> = BTreeMap::new();
        let mut dead = false;
        for (i, literal) in clause.body.iter().enumerate() {
            let EpilogLiteral::Positive(atom) = literal else { continue };
            let Some((name, arguments)) = atom.parts() else { continue };
            if without == Some(i)
                || self.made.tables.contains_key(name)
                || self.made.counts.contains_key(name)
            {
                continue;
            }
            let mut meet = |place: &str, term: &Term| {
                let there = self.places.get(place);
                match &term.shape {
                    Shape::Variable(variable) => {
                        let there = there.cloned().unwrap_or_default();
                        let known = values.entry(variable.clone()).or_insert_with(Values::all);
                        *known = known.meet(&there);
                        dead |= known.names.is_empty() && !known.open;
                    }
                    Shape::Name(name) => {
                        dead |= !there.is_some_and(|there| there.open || there.names.contains(name));
                    }
                    Shape::Call(..) => dead |= !there.is_some_and(|there| there.open),
                }
            };
            if let Some((relation, argument)) = self.made.domains.get(name) {
                meet(&format!("call {relation}.{argument}"), &arguments[0]);
            } else {
                places(atom, &self.made.legal, &mut meet);
            }
        }
        (!dead || without.is_some()).then_some(values)
    }

    /// Adds the entries of an operation for all values of its inputs. Returns false if there is no
    /// result.
    fn compute(
        &mut self,
        name: &str,
        operation: Operation,
        arguments: &[Term],
        values: &mut BTreeMap<String, Values>,
    ) -> bool {
        let inputs = if operation.has_result() { &arguments[..arguments.len() - 1] } else { arguments };
        let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
        for input in inputs {
            let numbers: Vec<i64> =
                Self::of(input, values).names.iter().filter_map(|name| number(name)).collect();
            if tuples.len().saturating_mul(numbers.len()) > MOST_ENTRIES {
                // `settle` then finds too many values.
                self.size = MOST_VALUES + 1;
                return false;
            }
            tuples = tuples
                .iter()
                .flat_map(|tuple| numbers.iter().map(|&number| [tuple.as_slice(), &[number]].concat()))
                .collect();
        }
        self.steps += tuples.len();
        let mut results = BTreeSet::new();
        let mut any = false;
        let entries = self.entries.entry(name.to_owned()).or_default();
        for tuple in tuples {
            let Some(result) = operation.apply(&tuple) else { continue };
            any = true;
            let mut entry: Vec<String> = tuple.iter().map(i64::to_string).collect();
            if let Computed::Number(number) = result {
                entry.push(number.to_string());
                results.insert(number.to_string());
            }
            self.changed |= entries.insert(entry);
        }
        if operation.has_result()
            && let Some(Term { shape: Shape::Variable(variable), .. }) = arguments.last()
        {
            let found = Values { names: results, open: false };
            let known = values.entry(variable.clone()).or_insert_with(Values::all);
            *known = known.meet(&found);
            any = !known.names.is_empty() || known.open;
        }
        any
    }

    fn add(&mut self, place: String, values: &Values) {
        let mut names: Vec<&String> = values.names.iter().collect();
        if self.cut
            && let Some(inner) = place.strip_prefix("fact")
            && let Some(declared) = self.places.get(&format!("base{inner}"))
            && !declared.open
        {
            names.retain(|name| declared.names.contains(*name));
        }
        let there = self.places.entry(place).or_default();
        for name in names {
            if there.names.insert(name.clone()) {
                self.size += 1;
                self.changed = true;
            }
        }
        self.changed |= values.open && !there.open;
        there.open |= values.open;
    }

    /// The values of each argument of a counted tuple; `None` if one has no bound.
    fn candidates(&self, count: &Count) -> Option<Vec<BTreeSet<String>>> {
        let arity = count.outer + count.counted;
        (count.outer..arity)
            .map(|i| {
                let values =
                    self.places.get(&format!("{}/{arity}.{i}", count.holds)).cloned().unwrap_or_default();
                (!values.open).then_some(values.names)
            })
            .collect()
    }

    /// Returns the error for numbers that grow without end, at the first use of a table.
    fn unbounded(&self) -> Unbounded {
        let tables = self.clauses.iter().flat_map(|clause| &clause.body).find_map(|literal| match literal {
            EpilogLiteral::Positive(atom)
                if atom.parts().is_some_and(|(name, _)| self.made.tables.contains_key(name)) =>
            {
                Some(atom.span)
            }
            _ => None,
        });
        Unbounded {
            span: tables.unwrap_or_default(),
            message: "the numbers that this computes have no bound".to_owned(),
        }
    }

    fn facts(&self) -> Result<Vec<EpilogClause>, Unbounded> {
        let mut facts = Vec::new();
        let mut fact = |name: &str, arguments: Vec<String>| {
            let span = Span::default();
            let arguments = arguments.into_iter().map(|argument| Term::name(argument, span)).collect();
            facts.push(EpilogClause {
                head: Term::call(name, arguments, span),
                body: Vec::new(),
                span,
                declares: false,
            });
        };
        for (name, entries) in &self.entries {
            for entry in entries {
                fact(name, entry.clone());
            }
        }
        for (name, (relation, argument)) in &self.made.domains {
            let values = self.places.get(&format!("call {relation}.{argument}")).cloned().unwrap_or_default();
            if values.open {
                return Err(self.open_domain(name));
            }
            for value in values.names {
                fact(name, vec![value]);
            }
        }
        let mut succs: BTreeMap<&str, usize> = BTreeMap::new();
        let mut totals = Vec::new();
        for (name, count) in &self.made.counts {
            let span = self.place_of(name);
            let message = "this count has no bound".to_owned();
            let Some(lists) = self.candidates(count) else { return Err(Unbounded { span, message }) };
            let size = lists.iter().map(BTreeSet::len).try_fold(1_usize, usize::checked_mul);
            let Some(size) = size.filter(|&size| size <= MOST_ENTRIES) else {
                return Err(Unbounded { span, message });
            };
            let mut tuples: Vec<Vec<String>> = vec![Vec::new()];
            for list in &lists {
                tuples = tuples
                    .iter()
                    .flat_map(|tuple| {
                        list.iter().map(|value| [tuple.as_slice(), std::slice::from_ref(value)].concat())
                    })
                    .collect();
            }
            for (i, tuple) in tuples.into_iter().enumerate() {
                let numbers = [i.to_string(), (i + 1).to_string()];
                fact(&count.item, numbers.into_iter().chain(tuple).collect());
            }
            let most = succs.entry(&count.succ).or_default();
            *most = size.max(*most);
            totals.push((name, count, size));
        }
        for (succ, most) in succs {
            for i in 0..most {
                fact(succ, vec![i.to_string(), (i + 1).to_string()]);
            }
        }
        for (name, count, size) in totals {
            let span = Span::default();
            let mut outer: Vec<Term> =
                (0..count.outer).map(|i| Term::variable(format!("A{i}"), span)).collect();
            let mut step = outer.clone();
            step.push(Term::name(size.to_string(), span));
            let number = Term::variable("N", span);
            outer.push(number.clone());
            step.push(number);
            let body = vec![EpilogLiteral::Positive(Term::call(&count.step, step, span))];
            facts.push(EpilogClause { head: Term::call(name, outer, span), body, span, declares: false });
        }
        Ok(facts)
    }

    fn open_domain(&self, domain: &str) -> Unbounded {
        Unbounded {
            span: self.place_of(domain),
            message: "nothing bounds the values of this variable".to_owned(),
        }
    }

    /// The place of the first literal with a relation.
    fn place_of(&self, relation: &str) -> Span {
        let atoms = self.clauses.iter().flat_map(|clause| &clause.body).filter_map(|literal| match literal {
            EpilogLiteral::Positive(atom) | EpilogLiteral::Negative(atom) => Some(atom),
            _ => None,
        });
        let mut atoms = atoms.filter(|atom| atom.parts().is_some_and(|(name, _)| name == relation));
        atoms.next().map_or(Span::default(), |atom| atom.span)
    }
}

/// Returns the head's relation, and the index of its argument that is this variable, if there is
/// one.
fn head_place<'c>(clause: &'c EpilogClause, variable: &str) -> Option<(&'c str, usize)> {
    let (relation, arguments) = clause.head.parts()?;
    let is_it = |argument: &Term| matches!(&argument.shape, Shape::Variable(name) if name == variable);
    Some((relation, arguments.iter().position(is_it)?))
}

fn caller(clause: &EpilogClause, variable: &str) -> Option<String> {
    head_place(clause, variable).map(|(relation, argument)| format!("call {relation}.{argument}"))
}

/// The arguments that domains list, and those through which callers pass their values on.
fn asked<'c>(clauses: &'c [EpilogClause], made: &'c Made) -> BTreeSet<(&'c str, usize)> {
    let mut asked: BTreeSet<(&str, usize)> =
        made.domains.values().map(|(relation, argument)| (relation.as_str(), *argument)).collect();
    loop {
        let before = asked.len();
        for clause in clauses {
            for (i, literal) in clause.body.iter().enumerate() {
                let (EpilogLiteral::Positive(atom) | EpilogLiteral::Negative(atom)) = literal else {
                    continue;
                };
                let Some((name, arguments)) = atom.parts() else { continue };
                for (place, argument) in arguments.iter().enumerate() {
                    let Shape::Variable(variable) = &argument.shape else { continue };
                    let others = clause.body.iter().enumerate().any(|(j, other)| {
                        j != i && matches!(other, EpilogLiteral::Positive(atom) if atom.has(variable))
                    });
                    if asked.contains(&(name, place)) && !others {
                        asked.extend(head_place(clause, variable));
                    }
                }
            }
        }
        if asked.len() == before {
            return asked;
        }
    }
}

/// Returns whether a literal reads neither the state nor the moves.
fn is_fixed(literal: &EpilogLiteral) -> bool {
    let (EpilogLiteral::Positive(atom) | EpilogLiteral::Negative(atom)) = literal else { return true };
    !matches!(atom.parts(), Some(("true" | "does", _)))
}

/// Returns the integer that a name spells, if it spells one.
fn number(name: &str) -> Option<i64> {
    let digits = name.strip_prefix('-').unwrap_or(name);
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    name.parse().ok().filter(|_| is_plain)
}

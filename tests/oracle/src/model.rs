//! The model of the rules: strata in the order of dependence, each by naive iteration.

use crate::{
    Error, Settings,
    kif::MAX_DEPTH,
    rules::{Atom, Keywords, Literal, Rule, Term},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

/// The facts of each relation, as rows of arguments.
pub(crate) type Facts = Vec<Rc<BTreeSet<Vec<Term>>>>;

/// The strata of the rules, each after those that it depends on.
pub(crate) struct Program {
    strata: Vec<Stratum>,
}

/// The rules of relations that depend on each other.
struct Stratum {
    rules: Vec<Rule>,
    /// 2 if the rules depend on a move, 1 if on the state alone, 0 otherwise.
    layer: usize,
    /// True if one of the relations depends on its own negation.
    is_negative: bool,
}

impl Program {
    /// Groups the rules that queries depend on into strata.
    pub(crate) fn new(rules: Vec<Rule>, n_relations: usize, keywords: &Keywords) -> Result<Self, Error> {
        let Keywords { init, fact, does, next, legal, goal, terminal, sees } = *keywords;
        let mut edges = vec![BTreeSet::new(); n_relations];
        for rule in &rules {
            for literal in &rule.body {
                literal.for_each_atom(&mut |atom, _| edges[rule.head.relation].extend([atom.relation]));
            }
        }
        // Relations depend on each other exactly if they reach the same relations.
        let reach: Vec<BTreeSet<usize>> =
            (0..n_relations).map(|relation| reached(&edges, relation)).collect();
        let asked = [init, next, legal, goal, terminal, sees];
        let mut strata: BTreeMap<(usize, &BTreeSet<usize>), Stratum> = BTreeMap::new();
        for rule in rules {
            let relation = rule.head.relation;
            let reached = &reach[relation];
            if !asked.iter().any(|&asked| reach[asked].contains(&relation)) {
                continue;
            }
            let layer = if reached.contains(&does) { 2 } else { usize::from(reached.contains(&fact)) };
            let new = || Stratum { rules: Vec::new(), layer, is_negative: false };
            // The number of reachable relations orders the strata: a superset is larger.
            let stratum = strata.entry((reached.len(), reached)).or_insert_with(new);
            for literal in &rule.body {
                literal.for_each_atom(&mut |atom, is_positive| {
                    stratum.is_negative |= !is_positive && reach[atom.relation].contains(&relation);
                });
            }
            stratum.rules.push(rule.ordered()?);
        }
        Ok(Self { strata: strata.into_values().collect() })
    }

    /// Adds the facts that the strata of a layer derive.
    pub(crate) fn evaluate(&self, layer: usize, facts: &Facts, settings: &Settings) -> Result<Facts, Error> {
        let mut facts = facts.clone();
        let mut left = Left { steps: settings.max_steps, symbols: settings.max_symbols };
        for stratum in self.strata.iter().filter(|stratum| stratum.layer == layer) {
            let mut least = |assumed: &Facts| stratum.least(&facts, assumed, &mut left);
            let mut possible = least(&facts)?;
            if stratum.is_negative {
                // The alternating fixpoint of the certain and the possible facts.
                loop {
                    let certain = least(&possible)?;
                    if certain == possible {
                        break;
                    }
                    let fewer = least(&certain)?;
                    if fewer == possible {
                        return Err(Error::Unstratified);
                    }
                    possible = fewer;
                }
            }
            facts = possible;
        }
        Ok(facts)
    }
}

/// The remaining steps, and the remaining symbols of new facts.
struct Left {
    steps: u64,
    symbols: usize,
}

/// A relation and all that it depends on, transitively.
fn reached(edges: &[BTreeSet<usize>], relation: usize) -> BTreeSet<usize> {
    let (mut found, mut stack) = (BTreeSet::from([relation]), vec![relation]);
    while let Some(relation) = stack.pop() {
        stack.extend(edges[relation].iter().filter(|&&other| found.insert(other)));
    }
    found
}

impl Stratum {
    /// The least set of facts closed under the rules. A negation holds unless its atom is in
    /// `assumed`.
    fn least(&self, facts: &Facts, assumed: &Facts, left: &mut Left) -> Result<Facts, Error> {
        let mut facts = facts.clone();
        loop {
            let mut new = BTreeSet::new();
            for Rule { head, body, n_variables } in &self.rules {
                let mut search = Search {
                    facts: &facts,
                    assumed,
                    bindings: vec![None; *n_variables],
                    trail: Vec::new(),
                    left: &mut *left,
                };
                search.solve(body, &mut |search| {
                    let mut symbols = search.left.symbols;
                    let row = search.row(&head.arguments, &mut symbols)?;
                    search.step((search.left.symbols - symbols) as u64)?;
                    if !search.facts[head.relation].contains(&row) && new.insert((head.relation, row)) {
                        search.left.symbols = symbols;
                    }
                    Ok(())
                })?;
            }
            if new.is_empty() {
                return Ok(facts);
            }
            for (relation, row) in new {
                Rc::make_mut(&mut facts[relation]).insert(row);
            }
        }
    }
}

/// A search for the solutions of a body.
struct Search<'f> {
    facts: &'f Facts,
    assumed: &'f Facts,
    /// The subterm of a fact that each variable stands for.
    bindings: Vec<Option<&'f Term>>,
    /// The bound variables, in the order of their binding.
    trail: Vec<usize>,
    left: &'f mut Left,
}

impl<'f> Search<'f> {
    /// Calls `then` for each solution of the literals.
    fn solve(
        &mut self,
        literals: &[Literal],
        then: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some((first, rest)) = literals.split_first() else { return then(self) };
        match first {
            Literal::Holds(Atom { relation, arguments }) => {
                let facts = self.facts;
                for row in facts[*relation].iter() {
                    self.step(1)?;
                    let bound = self.trail.len();
                    if arguments.iter().zip(row).all(|(pattern, term)| self.matches(pattern, term)) {
                        self.solve(rest, then)?;
                    }
                    self.trail.drain(bound..).for_each(|variable| self.bindings[variable] = None);
                }
                Ok(())
            }
            Literal::Any(branches) => {
                for branch in branches {
                    self.solve(branch, &mut |search| search.solve(rest, then))?;
                }
                Ok(())
            }
            test => {
                self.step(1)?;
                if self.passes(test)? { self.solve(rest, then) } else { Ok(()) }
            }
        }
    }

    fn passes(&self, test: &Literal) -> Result<bool, Error> {
        let mut symbols = self.left.symbols;
        Ok(match test {
            Literal::Fails(Atom { relation, arguments }) => {
                !self.assumed[*relation].contains(&self.row(arguments, &mut symbols)?)
            }
            Literal::Equal(left, right) => {
                self.term(left, 0, &mut symbols)? == self.term(right, 0, &mut symbols)?
            }
            Literal::Differ(left, right) => {
                self.term(left, 0, &mut symbols)? != self.term(right, 0, &mut symbols)?
            }
            Literal::Holds(_) | Literal::Any(_) => true,
        })
    }

    /// Matches a pattern with a ground term, and binds the pattern's variables.
    fn matches(&mut self, pattern: &Term, term: &'f Term) -> bool {
        match (pattern, term) {
            (Term::Variable(variable), _) => {
                if let Some(bound) = self.bindings[*variable] {
                    return bound == term;
                }
                self.bindings[*variable] = Some(term);
                self.trail.push(*variable);
                true
            }
            (Term::Function(name, patterns), Term::Function(other, terms)) => {
                name == other
                    && patterns.len() == terms.len()
                    && patterns.iter().zip(terms).all(|(pattern, term)| self.matches(pattern, term))
            }
            (Term::Function(..), Term::Variable(_)) => false,
        }
    }

    /// Replaces the variables in an atom's arguments. Each symbol of the result decrements
    /// `symbols`.
    fn row(&self, arguments: &[Term], symbols: &mut usize) -> Result<Vec<Term>, Error> {
        arguments.iter().map(|term| self.term(term, 0, symbols)).collect()
    }

    fn term(&self, pattern: &Term, depth: usize, symbols: &mut usize) -> Result<Term, Error> {
        if depth > MAX_DEPTH {
            return Err(Error::TooMuch);
        }
        *symbols = symbols.checked_sub(1).ok_or(Error::TooMuch)?;
        match pattern {
            Term::Variable(variable) => match self.bindings[*variable] {
                Some(term) => self.term(term, depth, symbols),
                None => Err(Error::Refused("a variable is unbound".to_owned())),
            },
            Term::Function(name, patterns) => {
                let terms = patterns.iter().map(|pattern| self.term(pattern, depth + 1, symbols));
                Ok(Term::Function(*name, terms.collect::<Result<_, _>>()?))
            }
        }
    }

    fn step(&mut self, count: u64) -> Result<(), Error> {
        self.left.steps = self.left.steps.checked_sub(count).ok_or(Error::TooMuch)?;
        Ok(())
    }
}

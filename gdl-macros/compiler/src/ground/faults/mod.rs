//! What only the ground program shows to be wrong or odd.
//!
//! In come the rules and what grounding found to be possible, out go diagnostics. Whatever is not possible
//! here is not possible in play; what is possible here may still never happen, so nothing is said of
//! it. A fault is told once, where it starts: what follows from it is not.

mod declared;
mod goals;
mod unread;
mod vain;
mod witness;

use super::{
    GroundRules, Program,
    clause::Clauses,
    find_term,
    terms::{AtomId, TermId, Terms},
};
use crate::{
    Diagnostic, Diagnostics, Options, Rules, Span,
    rules::{Atom, RelationId, Symbol, Term},
};

/// Reports everything.
pub(super) fn report(
    rules: &Rules,
    clauses: &Clauses,
    program: &Program,
    ground: &GroundRules,
    options: &Options,
    diagnostics: &mut Diagnostics,
) {
    let findings = Findings::new(rules, program);
    goals::check(&findings, ground, diagnostics);
    vain::check(&findings, clauses, ground, diagnostics);
    unread::check(&findings, diagnostics);
    declared::check(rules, clauses, program, ground, options, diagnostics);
}

/// The rules and what grounding found.
struct Findings<'a> {
    rules: &'a Rules,
    program: &'a Program,
    /// The possible atoms of each relation.
    atoms: Vec<Vec<AtomId>>,
    /// The rules of each relation.
    heads: Vec<Vec<usize>>,
}

impl<'a> Findings<'a> {
    fn new(rules: &'a Rules, program: &'a Program) -> Self {
        let mut atoms = vec![Vec::new(); rules.relations.len()];
        for atom in (0..program.atoms.len() as u32).map(AtomId).filter(|a| program.possible[a.index()]) {
            if let Some(list) = atoms.get_mut(program.atoms.relation(atom).index()) {
                list.push(atom);
            }
        }
        let mut heads = vec![Vec::new(); rules.relations.len()];
        for (number, rule) in rules.rules.iter().enumerate() {
            heads[rule.head.relation.index()].push(number);
        }
        Self { rules, program, atoms, heads }
    }

    fn atoms(&self, relation: RelationId) -> &[AtomId] {
        &self.atoms[relation.index()]
    }

    /// The rules with this relation in the head, by their numbers.
    fn rules_of(&self, relation: RelationId) -> &[usize] {
        &self.heads[relation.index()]
    }

    /// Whether the rule was grounded: it was not if nothing depends on it, and maybe not all of it if only what is
    /// asked for was.
    fn is_relevant(&self, rule: usize) -> bool {
        let head = self.rules.rules[rule].head.relation.index();
        self.program.strata.relevant[head] && !self.program.strata.partial[head]
    }

    /// Whether some possible atom matches, for all that is known, or None once `steps` are spent.
    fn is_possible(&self, atom: &Atom, steps: &mut usize) -> Option<bool> {
        if self.program.strata.partial[atom.relation.index()] {
            return Some(true);
        }
        let Program { terms, atoms, possible, .. } = self.program;
        let ground: Option<Vec<TermId>> = atom.arguments.iter().map(|a| find_term(a, terms)).collect();
        if let Some(arguments) = ground {
            return Some(atoms.find(atom.relation, &arguments).is_some_and(|a| possible[a.index()]));
        }
        let mut bindings = Vec::new();
        for &fact in self.atoms(atom.relation) {
            *steps = steps.checked_sub(1)?;
            bindings.clear();
            let pairs = atom.arguments.iter().zip(atoms.arguments(fact));
            if { pairs }.all(|(pattern, &term)| matches(pattern, term, terms, &mut bindings)) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Matches a term, binding variables that are not bound.
fn matches(pattern: &Term, term: TermId, terms: &Terms, bindings: &mut Vec<(u32, TermId)>) -> bool {
    match pattern {
        Term::Variable(variable) => {
            let bound = bindings.iter().find(|(bound, _)| *bound == variable.0).map(|&(_, value)| value);
            if bound.is_none() {
                bindings.push((variable.0, term));
            }
            bound.is_none_or(|value| value == term)
        }
        Term::Constant(symbol) => terms.symbol(term) == *symbol && terms.arguments(term).is_empty(),
        Term::Function(symbol, arguments) => {
            terms.symbol(term) == *symbol
                && terms.arguments(term).len() == arguments.len()
                && arguments.iter().zip(terms.arguments(term)).all(|(p, &t)| matches(p, t, terms, bindings))
        }
    }
}

/// A name and its number of arguments: what is told of one fluent or move is told of all with its name.
type Name = (Symbol, usize);

/// The outermost name of a term; none for a variable.
fn name(term: &Term) -> Option<Name> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(symbol) => Some((*symbol, 0)),
        Term::Function(symbol, arguments) => Some((*symbol, arguments.len())),
    }
}

fn name_of(term: TermId, terms: &Terms) -> Name {
    (terms.symbol(term), terms.arguments(term).len())
}

/// `pile` or `(pile ..)`.
fn display_name((symbol, arity): Name, rules: &Rules) -> String {
    let name = rules.symbols.name(symbol);
    if arity == 0 { name.to_owned() } else { format!("({name} ..)") }
}

/// A text short enough for a message.
fn shorten(text: String) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

/// How many second places a message shows of those it is about.
const SHOWN: usize = 3;

/// Adds the other places a diagnostic is about: a few as labels, the rest as a count beside the caret.
fn with_others(mut diagnostic: Diagnostic, others: &[Span], what: &str) -> Diagnostic {
    for &place in others.iter().take(SHOWN) {
        diagnostic = diagnostic.label(place, "likewise");
    }
    if others.len() > SHOWN {
        let text = format!("and {} more {what}", others.len());
        let note = &mut diagnostic.note;
        *note = if note.is_empty() { text } else { format!("{note}; {text}") };
    }
    diagnostic
}

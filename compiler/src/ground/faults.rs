//! Faults and oddities that only the ground program shows.
//!
//! The diagnostics come from the rules and the possible atoms that grounding found. An atom that is
//! impossible here is impossible in play. A possible atom may still never hold; random games show
//! that some do (`faults/witness.rs`). Each fault is reported once, where it starts; its
//! consequences are not.
//!
//! Names are looked up in maps that are built once. Further searches spend the steps of one meter,
//! a small part of the fuel. When it runs out, the remaining checks report less or nothing. The
//! maps have an entry for each rule and each atom. The declarations count their bytes with those of
//! the program.

mod declared;
mod goals;
mod unread;
mod vain;
mod witness;

use super::{
    GroundProgram, GroundRules,
    clause::Clauses,
    terms::{AtomId, TermId, Terms},
};
use crate::{
    Diagnostic, Diagnostics, Options, Rules, Span,
    diagnostic::Meant,
    meter::Meter,
    rules::{Atom, RelationId, Symbol, Term},
};
use rustc_hash::FxHashMap;

/// The steps that all checks together may take: [`STEPS`], but at most `fuel / SHARE`.
const STEPS: u64 = 10_000_000;
const SHARE: u64 = 16;

/// Reports all faults. Returns the steps taken.
pub(super) fn report(
    rules: &Rules,
    clauses: &Clauses,
    program: &GroundProgram,
    ground: &GroundRules,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> u64 {
    let steps = STEPS.min(options.limits.fuel / SHARE);
    let mut meter = Meter::of(steps);
    let findings = Findings::new(rules, program);
    goals::check(&findings, ground, &mut meter, diagnostics);
    vain::check(&findings, clauses, ground, &mut meter, diagnostics);
    unread::check(&findings, &mut meter, diagnostics);
    declared::check(&findings, clauses, ground, options, &mut meter, diagnostics);
    steps - meter.left()
}

/// The rules and the result of grounding, with maps to look them up.
struct Findings<'a> {
    rules: &'a Rules,
    program: &'a GroundProgram,
    /// The possible atoms of each relation.
    atoms: Vec<Vec<AtomId>>,
    /// The indices of each relation's rules.
    heads: Vec<Vec<usize>>,
    /// The indices of each relation's rules, by the name of the head's last argument; `None` if
    /// that is a variable.
    named: FxHashMap<(RelationId, Option<Name>), Vec<usize>>,
    meant: Meant,
}

impl<'a> Findings<'a> {
    fn new(rules: &'a Rules, program: &'a GroundProgram) -> Self {
        let mut atoms = vec![Vec::new(); rules.relations.len()];
        for atom in (0..program.atoms.len() as u32).map(AtomId).filter(|a| program.possible[a.index()]) {
            if let Some(list) = atoms.get_mut(program.atoms.relation(atom).index()) {
                list.push(atom);
            }
        }
        let mut heads = vec![Vec::new(); rules.relations.len()];
        let mut named: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.rules.iter().enumerate() {
            heads[rule.head.relation.index()].push(number);
            if let Some(last) = rule.head.arguments.last() {
                named.entry((rule.head.relation, name(last))).or_default().push(number);
            }
        }
        Self { rules, program, atoms, heads, named, meant: Meant::new() }
    }

    fn atoms(&self, relation: RelationId) -> &[AtomId] {
        &self.atoms[relation.index()]
    }

    /// The indices of the rules with this relation in the head.
    fn rules_of(&self, relation: RelationId) -> &[usize] {
        &self.heads[relation.index()]
    }

    /// The rules with this relation in the head and this name in its last argument. Without a name,
    /// those whose last argument is a variable.
    fn rules_for(&self, relation: RelationId, name: Option<Name>) -> &[usize] {
        self.named.get(&(relation, name)).map_or(&[], |rules| rules)
    }

    /// The place of the first head with one of the relations and with this name in its last
    /// argument.
    fn namesake(&self, relations: &[RelationId], name: Name) -> Option<Span> {
        let rule = relations.iter().find_map(|&relation| self.rules_for(relation, Some(name)).first())?;
        Some(self.rules.rules[*rule].head.span)
    }

    /// The name nearest to a name that no rule gives, if one is near. Searches the last arguments
    /// of heads with one of the relations.
    fn near(&self, relations: &[RelationId], (symbol, arity): Name) -> Option<Name> {
        let heads = relations.iter().flat_map(|&relation| self.rules_of(relation));
        let names: FxHashMap<&str, Name> = heads
            .filter_map(|&rule| name(self.rules.rules[rule].head.arguments.last()?))
            .filter(|other| other.1 == arity)
            .map(|other| (self.rules.symbols.name(other.0), other))
            .collect();
        let mut sorted: Vec<&str> = names.keys().copied().collect();
        sorted.sort_unstable();
        let near = self.meant.nearest(self.rules.symbols.name(symbol), sorted.into_iter())?;
        names.get(near).copied()
    }

    /// Returns whether the rule was grounded completely. Returns false if no output depends on its
    /// relation, or if a rewriting changed the relation or derived it only in part.
    fn is_relevant(&self, rule: usize) -> bool {
        let head = self.rules.rules[rule].head.relation.index();
        self.program.strata.relevant[head] && !self.program.strata.partial[head]
    }

    /// Returns whether some possible atom matches. Returns true if the possible atoms of the
    /// relation are not all known. Returns `None` once all steps are spent.
    fn is_possible(&self, atom: &Atom, meter: &mut Meter) -> Option<bool> {
        let effort = effort(atom);
        meter.spend(effort)?;
        if self.program.strata.partial[atom.relation.index()] {
            return Some(true);
        }
        let GroundProgram { terms, atoms, possible, .. } = self.program;
        let ground: Option<Vec<TermId>> = atom.arguments.iter().map(|a| terms.find_term(a)).collect();
        if let Some(arguments) = ground {
            return Some(atoms.find(atom.relation, &arguments).is_some_and(|a| possible[a.index()]));
        }
        let mut bindings = Vec::new();
        for &fact in self.atoms(atom.relation) {
            meter.spend(effort)?;
            bindings.clear();
            let pairs = atom.arguments.iter().zip(atoms.arguments(fact));
            if { pairs }.all(|(pattern, &term)| matches(pattern, term, terms, &mut bindings)) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The steps to compare an atom with another: one for each symbol and variable.
fn effort(atom: &Atom) -> u64 {
    1 + atom.arguments.iter().map(Term::size).sum::<usize>() as u64
}

/// Matches a term with a pattern, and binds the pattern's free variables.
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

/// A name and its arity. One report stands for all fluents or moves with the same name.
type Name = (Symbol, usize);

/// The outermost name of a term; `None` for a variable.
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

/// Displays a name as `pile` or `(pile ..)`.
fn display_name((symbol, arity): Name, rules: &Rules) -> String {
    let name = rules.symbols.name(symbol);
    if arity == 0 { name.to_owned() } else { format!("({name} ..)") }
}

/// Cuts a text after 80 characters, and marks the cut by `..`.
fn shorten(text: String) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

/// The number of further places that a message shows.
const SHOWN: usize = 3;

/// Adds further places to a diagnostic: the first [`SHOWN`] as labels. If there are more, the note
/// has the number of those that are not shown. `what` is the singular for one place.
fn with_others(mut diagnostic: Diagnostic, others: &[Span], what: &str) -> Diagnostic {
    for &place in others.iter().take(SHOWN) {
        diagnostic = diagnostic.label(place, "likewise");
    }
    if let Some(more @ 1..) = others.len().checked_sub(SHOWN) {
        let text = format!("and {more} more {what}{}", if more == 1 { "" } else { "s" });
        let note = &mut diagnostic.note;
        *note = if note.is_empty() { text } else { format!("{note}; {text}") };
    }
    diagnostic
}

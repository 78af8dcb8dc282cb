//! GDL114 to GDL116: the declarations by `base` and `input`, compared with what is possible.
//!
//! The declarations are grounded by themselves, since nothing else depends on them. The size of the
//! game bounds the steps. The bytes that remain after grounding the game bound those of the
//! declarations. Only fluents and moves that occur in random games are reported as missing. To find
//! the rule that derives one of them, each head with its name is visited once.

use super::{Findings, Name, display_name, matches, name_of, witness::Seen};
use crate::{
    Diagnostic, Diagnostics, Options, Span,
    diagnostic::{Edit, codes},
    ground::{
        GroundProgram, GroundRules,
        clause::Clauses,
        fixpoint,
        terms::{AtomId, Atoms, TermId, Terms},
    },
    meter::Meter,
    rules::RelationId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The steps for grounding declarations: a constant, and more for each fluent and move.
const STEPS: u64 = 200_000;
const STEPS_PER_ITEM: u64 = 40;

pub(super) fn check(
    findings: &Findings<'_>,
    clauses: &Clauses,
    ground: &GroundRules,
    options: &Options,
    meter: &mut Meter,
    diagnostics: &mut Diagnostics,
) {
    let (rules, program) = (findings.rules, findings.program);
    let keywords = rules.keywords;
    // Declarations that may not be stratified are not worth their own fixpoint.
    let is_given = |relation: RelationId| {
        !program.strata.dynamic[relation.index()] && !findings.rules_of(relation).is_empty()
    };
    let roots: Vec<RelationId> =
        [keywords.base, keywords.input].into_iter().filter(|&relation| is_given(relation)).collect();
    if roots.is_empty() {
        return;
    }
    let items = (ground.initial.len() + ground.does.len()) as u64;
    let mut options = options.clone();
    options.limits.fuel = meter.left().min(STEPS + STEPS_PER_ITEM * items);
    options.limits.max_bytes = options.limits.max_bytes.saturating_sub(program.cost.bytes);
    let declared = fixpoint::declarations(rules, clauses, program.terms.clone(), &options, &roots);
    let Ok((terms, atoms, facts)) = declared else { return };
    let mut read = FxHashSet::default();
    for formula in rules.rules.iter().flat_map(|rule| &rule.body) {
        formula.for_each_atom(&mut |atom, _| {
            read.insert(atom.relation);
        });
    }
    let declarations = Declarations { findings, terms: &terms, atoms: &atoms, read };
    let missing = |kind: RelationId, word: RelationId| -> Vec<AtomId> {
        if !roots.contains(&word) {
            return Vec::new();
        }
        let declared = declarations.declared(word, &facts);
        let undeclared = |&atom: &AtomId| !declared.contains(program.atoms.arguments(atom));
        declarations.possible(kind).filter(undeclared).collect()
    };
    let mut fluents = missing(keywords.fact, keywords.base);
    let mut moves = missing(keywords.does, keywords.input);
    if !(fluents.is_empty() && moves.is_empty()) {
        let seen = Seen::play(ground, meter);
        let happens = |atom: &AtomId| seen.contains(ground.meaning[atom.index()]);
        fluents.retain(happens);
        moves.retain(happens);
    }
    declarations.report_fluents(&fluents, diagnostics);
    declarations.report_moves(&moves, diagnostics);
    // Without `init` or `next`, all of `base` would be reported.
    let is_there = |word: RelationId| !findings.rules_of(word).is_empty();
    if roots.contains(&keywords.base) && is_there(keywords.init) && is_there(keywords.next) {
        declarations.report_vain(&facts, diagnostics);
    }
}

struct Declarations<'a> {
    findings: &'a Findings<'a>,
    /// The terms of the program, and those that the declarations add.
    terms: &'a Terms,
    /// The atoms of the declarations.
    atoms: &'a Atoms,
    /// Relations that bodies read. A declaration among them is part of the game.
    read: FxHashSet<RelationId>,
}

/// A group of fluents or moves with one name: the first of them, and the number of the others.
struct Group {
    first: TermId,
    role: Option<TermId>,
    more: usize,
    /// The first [`WRITTEN`] fluents or moves of the group: the role of a move, and the term.
    listed: Vec<(Option<TermId>, TermId)>,
}

/// The greatest number of declarations that one edit adds.
const WRITTEN: usize = 100;

impl Declarations<'_> {
    fn declared(&self, relation: RelationId, facts: &[AtomId]) -> FxHashSet<Vec<TermId>> {
        let own = facts.iter().filter(|&&fact| self.atoms.relation(fact) == relation);
        own.map(|&fact| self.atoms.arguments(fact).to_vec()).collect()
    }

    fn possible(&self, relation: RelationId) -> impl Iterator<Item = AtomId> {
        let GroundProgram { atoms, possible, .. } = self.findings.program;
        let all = (0..atoms.len() as u32).map(AtomId);
        all.filter(move |&a| atoms.relation(a) == relation && possible[a.index()])
    }

    /// GDL115: fluents that `base` lacks.
    fn report_fluents(&self, missing: &[AtomId], diagnostics: &mut Diagnostics) {
        let keywords = &self.findings.rules.keywords;
        let terms = missing.iter().map(|&atom| (None, self.findings.program.atoms.arguments(atom)[0]));
        for group in self.group(terms) {
            let text = self.terms.brief(group.first, &self.findings.rules.symbols);
            let message = format!("fluent `{text}` can become true, but `base` does not declare it");
            let sources = [keywords.init, keywords.next];
            self.tell(&codes::BASE_MISSING, message, &group, &sources, keywords.base, diagnostics);
        }
    }

    /// GDL116: moves that `input` lacks.
    fn report_moves(&self, missing: &[AtomId], diagnostics: &mut Diagnostics) {
        let keywords = &self.findings.rules.keywords;
        let arguments = missing.iter().map(|&atom| self.findings.program.atoms.arguments(atom));
        for group in self.group(arguments.map(|arguments| (Some(arguments[0]), arguments[1]))) {
            let text = self.terms.brief(group.first, &self.findings.rules.symbols);
            let role = group
                .role
                .map_or_else(String::new, |role| self.terms.brief(role, &self.findings.rules.symbols));
            let message = format!("move `{text}` of `{role}` can be legal, but `input` does not declare it");
            self.tell(&codes::INPUT_MISSING, message, &group, &[keywords.legal], keywords.input, diagnostics);
        }
    }

    /// GDL114: declared fluents that are never true.
    fn report_vain(&self, facts: &[AtomId], diagnostics: &mut Diagnostics) {
        let keywords = &self.findings.rules.keywords;
        let fluents = self.possible(keywords.fact).map(|atom| self.findings.program.atoms.arguments(atom)[0]);
        let possible: FxHashSet<TermId> = fluents.collect();
        let own = facts.iter().filter(|&&fact| self.atoms.relation(fact) == keywords.base);
        let vain = own.map(|&fact| self.atoms.arguments(fact)[0]).filter(|fluent| !possible.contains(fluent));
        for group in self.group(vain.map(|fluent| (None, fluent))) {
            let text = self.terms.brief(group.first, &self.findings.rules.symbols);
            let message = format!("`base` declares `{text}`, which no `init` or `next` makes true");
            let sources = [keywords.base];
            self.tell(&codes::BASE_TOO_LARGE, message, &group, &sources, keywords.next, diagnostics);
        }
    }

    /// Groups terms by name, in the order of their first occurrence.
    fn group(&self, terms: impl Iterator<Item = (Option<TermId>, TermId)>) -> Vec<Group> {
        let mut places: FxHashMap<Name, usize> = FxHashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for (role, term) in terms {
            let place = *places.entry(name_of(term, self.terms)).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.more += 1,
                None => groups.push(Group { first: term, role, more: 0, listed: Vec::new() }),
            }
            if groups[place].listed.len() < WRITTEN {
                groups[place].listed.push((role, term));
            }
        }
        groups
    }

    /// The head of a rule that may derive the first term of the group.
    fn source(&self, sources: &[RelationId], group: &Group) -> Option<Span> {
        let rules = self.findings.rules;
        let name = name_of(group.first, self.terms);
        sources.iter().find_map(|&relation| {
            let last = |&&rule: &&usize| {
                let term = rules.rules[rule].head.arguments.last();
                term.is_some_and(|term| matches(term, group.first, self.terms, &mut Vec::new()))
            };
            let own = self.findings.rules_for(relation, Some(name)).iter().find(last);
            // A rule whose head ends with a variable may derive any term.
            let any = self.findings.rules_for(relation, None).first();
            own.into_iter().chain(any).min().map(|&rule| rules.rules[rule].head.span)
        })
    }

    /// The edit that declares all terms of a group. It inserts them after the last declaration of
    /// their name or, if there is none, after the last declaration. Returns `None` if the group is
    /// too large or has a long term.
    fn declare(&self, group: &Group, relation: RelationId) -> Option<Edit> {
        let rules = self.findings.rules;
        if group.more >= group.listed.len() {
            return None;
        }
        let own = self.findings.rules_for(relation, Some(name_of(group.first, self.terms))).last();
        let rule = own.or_else(|| self.findings.rules_of(relation).last())?;
        let brief = |term| self.terms.brief(term, &rules.symbols);
        let fact = |&(role, term): &(Option<TermId>, TermId)| {
            let role = role.map_or_else(String::new, |role| brief(role) + " ");
            format!("\n({} {role}{})", rules.relation_name(relation), brief(term))
        };
        let text: String = group.listed.iter().map(fact).collect();
        let end = rules.rules[*rule].span.end;
        // A long term is abridged, so it is no declaration.
        (!text.contains("..")).then(|| Edit::insert(end, text))
    }

    fn tell(
        &self,
        code: &'static crate::diagnostic::Code,
        message: String,
        group: &Group,
        sources: &[RelationId],
        other: RelationId,
        diagnostics: &mut Diagnostics,
    ) {
        let place = self.source(sources, group);
        let all = display_name(name_of(group.first, self.terms), self.findings.rules);
        let mut diagnostic = Diagnostic::new(code, place, message);
        if group.more > 0 {
            diagnostic = diagnostic.note(format!("and {} more of the form `{all}`", group.more));
        }
        let word = self.findings.rules.relation_name(other);
        if code == &codes::BASE_TOO_LARGE {
            diagnostic =
                diagnostic.help("remove the declaration, or correct the rule that should make it true");
        } else {
            if let Some(place) = self.findings.namesake(&[other], name_of(group.first, self.terms)) {
                diagnostic = diagnostic.label(place, format!("`{word}` declares `{all}` here"));
            }
            diagnostic = diagnostic
                .help(format!("add it to the rules for `{word}`"))
                .suggest_all(self.declare(group, other));
            if !self.read.contains(&other) {
                diagnostic = diagnostic.machine_applicable();
            }
        }
        diagnostics.push(diagnostic);
    }
}

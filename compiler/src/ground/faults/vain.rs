//! Atoms that are read without effect: GDL110 fluents that are never true, GDL112 moves that are
//! never legal, GDL113 rules that never fire.
//!
//! A literal that no possible atom matches is reported, unless it fails because other rules never
//! fire. In that case, those rules are reported. Among literals that depend on each other in a
//! circle, the first is reported.
//!
//! Comparing literals with atoms, with the heads of rules and with each other takes steps. Once
//! they are spent, nothing is reported. For each rule that never fires, the rules that depend on it
//! are stored, at most as many as heads were compared.

use super::{Findings, display_name, effort, name, shorten, with_others};
use crate::{
    Diagnostic, Diagnostics, Span,
    datalog::pattern::Pattern,
    diagnostic::codes,
    ground::{
        GroundRules,
        clause::{Clause, Clauses, Literal},
        facts::Facts,
        join::Walk,
        plan::{self, JoinPlan, JoinStep},
        terms::TermId,
    },
    meter::Meter,
    rules::{Atom, Formula, RelationId, Rule, Rules, Symbol, Term},
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The number of rules that are searched for the literal that fails, and the steps for each.
const SEARCHES: usize = 20;
const SEARCH_STEPS: u64 = 100_000;

/// The greatest number of subjects that are reported.
const SUBJECTS: usize = 100;

/// The reason why a literal has no match.
enum VainReason {
    /// The reason is visible in the text, and the checks of the text have reported it.
    Told,
    /// The fault starts at this literal.
    Here,
    /// These rules could give matches, but none of them ever fires.
    Rules(Vec<usize>),
}

/// A literal that no possible atom matches.
#[derive(Clone, Copy)]
struct Vain<'a> {
    rule: usize,
    atom: &'a Atom,
    /// True if the literal is an element of the body and not inside a connective, so that its rule
    /// never fires.
    needed: bool,
}

/// The key by which diagnostics are grouped: the relation and, for fluents and moves, their name.
type Subject = (RelationId, Option<super::Name>);

struct VainSearch<'a> {
    findings: &'a Findings<'a>,
    ground: &'a GroundRules,
    /// The indexes of the roles.
    roles: FxHashMap<&'a Term, usize>,
    /// For each rule, whether the reason why it never fires is reported.
    explained: Vec<bool>,
    /// Names of relations with several arities, which the checks of the text have reported.
    clashing: FxHashSet<Symbol>,
    /// For each rule, the rules that never fire because of it.
    followers: FxHashMap<usize, Vec<usize>>,
    /// The literals to report.
    found: Vec<Vain<'a>>,
}

/// The names of relations with several arities.
fn clashing(rules: &Rules) -> FxHashSet<Symbol> {
    let mut known = FxHashSet::default();
    rules.relations.iter().map(|relation| relation.name).filter(|&name| !known.insert(name)).collect()
}

pub(super) fn check(
    findings: &Findings<'_>,
    clauses: &Clauses,
    ground: &GroundRules,
    meter: &mut Meter,
    diagnostics: &mut Diagnostics,
) {
    let rules = findings.rules;
    let mut search = VainSearch {
        findings,
        ground,
        roles: rules.roles.iter().zip(0..).collect(),
        explained: vec![false; rules.rules.len()],
        clashing: clashing(rules),
        followers: FxHashMap::default(),
        found: Vec::new(),
    };
    // Rules that never fire though each of their literals has a match.
    let mut puzzles = Vec::new();
    // Rules that never fire because of others, each with the first literal that depends on them.
    let mut waiting: Vec<Vain<'_>> = Vec::new();
    let mut reasons = VecDeque::new();
    for number in (0..rules.rules.len()).filter(|&number| findings.is_relevant(number)) {
        let silent = !findings.program.fired[number];
        let Some(vain) = vain_literals(findings, number, silent, meter) else { return };
        let mut blocked = silent && is_contradictory(&rules.rules[number]);
        if blocked {
            reasons.push_back(number);
        }
        for literal in vain {
            let Some(reason) = search.reason(&literal, meter) else { return };
            match reason {
                VainReason::Told if silent => reasons.push_back(number),
                VainReason::Told => {}
                VainReason::Here => {
                    search.found.push(literal);
                    if silent {
                        reasons.push_back(number);
                    }
                }
                VainReason::Rules(others) => {
                    if literal.needed && !blocked {
                        waiting.push(literal);
                    }
                    if silent {
                        for other in others {
                            search.followers.entry(other).or_default().push(number);
                        }
                    }
                }
            }
            blocked |= silent;
        }
        if silent && !blocked {
            puzzles.push(number);
            reasons.push_back(number);
        }
    }
    search.explain(&mut reasons);
    for literal in waiting {
        if !search.explained[literal.rule] {
            search.found.push(literal);
            reasons.push_back(literal.rule);
            search.explain(&mut reasons);
        }
    }
    search.found.sort_by_key(|vain| vain.atom.span);
    let mut told = ToldLiterals::default();
    search.found.iter().for_each(|vain| told.tell(findings, vain.rule, vain.atom, vain.needed));
    told.report(findings, diagnostics);
    report_puzzles(findings, clauses, &puzzles, meter, diagnostics);
}

/// The literals of a rule that no possible atom matches; `None` once the steps are spent. In a rule
/// that fires, only fluents and moves under a connective count.
fn vain_literals<'a>(
    findings: &Findings<'a>,
    number: usize,
    silent: bool,
    meter: &mut Meter,
) -> Option<Vec<Vain<'a>>> {
    let keywords = &findings.rules.keywords;
    let rule = &findings.rules.rules[number];
    let mut vain = Vec::new();
    let mut done = Some(());
    for formula in &rule.body {
        let needed = matches!(formula, Formula::Atom(_));
        formula.for_each_atom(&mut |atom, negative| {
            let given = atom.relation == keywords.fact || atom.relation == keywords.does;
            let wanted = given || (silent && !negative);
            if done.is_none() || !wanted || (needed && !silent) {
                return;
            }
            match findings.is_possible(atom, meter) {
                Some(true) => {}
                Some(false) => vain.push(Vain { rule: number, atom, needed }),
                None => done = None,
            }
        });
    }
    done.map(|()| vain)
}

/// Returns whether the body is contradictory, which the checks of the text have reported. O(body).
fn is_contradictory(rule: &Rule) -> bool {
    fn said(formula: &Formula) -> Option<(RelationId, &[Term])> {
        if let Formula::Atom(atom) = formula { Some((atom.relation, &atom.arguments)) } else { None }
    }
    let required: FxHashSet<_> = rule.body.iter().filter_map(said).collect();
    rule.body.iter().any(|formula| match formula {
        Formula::Distinct(left, right) => left == right,
        Formula::Not(inner) => said(inner).is_some_and(|denied| required.contains(&denied)),
        _ => false,
    })
}

impl VainSearch<'_> {
    /// Marks the rules `reasons` as explained, and all rules that never fire because of them.
    fn explain(&mut self, reasons: &mut VecDeque<usize>) {
        while let Some(rule) = reasons.pop_front() {
            if !std::mem::replace(&mut self.explained[rule], true) {
                reasons.extend(self.followers.remove(&rule).unwrap_or_default());
            }
        }
    }

    /// The reason why the literal has no match; `None` once the steps are spent.
    fn reason(&self, vain: &Vain<'_>, meter: &mut Meter) -> Option<VainReason> {
        let (findings, atom) = (self.findings, vain.atom);
        let keywords = &findings.rules.keywords;
        let sources: &[RelationId] = if atom.relation == keywords.fact {
            if [keywords.init, keywords.next].into_iter().any(|r| findings.rules_of(r).is_empty()) {
                return Some(VainReason::Told);
            }
            &[keywords.init, keywords.next]
        } else if atom.relation == keywords.does {
            if self.never_moves(&atom.arguments[0]) {
                return Some(VainReason::Told);
            }
            &[keywords.legal]
        } else {
            &[atom.relation]
        };
        if self.clashing.contains(&findings.rules.relations[atom.relation.index()].name) {
            return Some(VainReason::Told);
        }
        let mut rules = sources.iter().flat_map(|&relation| findings.rules_of(relation)).peekable();
        let is_given = atom.relation == keywords.fact || atom.relation == keywords.does;
        if rules.peek().is_none() && !is_given && atom.relation != keywords.role {
            return Some(VainReason::Told);
        }
        let mut silent = Vec::new();
        let effort = effort(atom);
        for &rule in rules {
            meter.spend(effort)?;
            let head = &findings.rules.rules[rule].head;
            if head.arguments.iter().zip(&atom.arguments).all(|(left, right)| left.may_equal(right)) {
                if findings.program.fired[rule] {
                    return Some(VainReason::Here);
                }
                silent.push(rule);
            }
        }
        Some(if silent.is_empty() { VainReason::Here } else { VainReason::Rules(silent) })
    }

    /// Returns whether the term is not a role, or is a role that never has a legal move; another
    /// check reports these.
    fn never_moves(&self, role: &Term) -> bool {
        if matches!(role, Term::Variable(_)) {
            return false;
        }
        self.roles.get(role).is_none_or(|&position| self.ground.legal[position].is_empty())
    }
}

/// Literals without a match: the first of each subject, with the places of the subject's other
/// literals.
#[derive(Default)]
struct ToldLiterals<'a> {
    subjects: FxHashMap<Subject, usize>,
    list: Vec<(usize, &'a Atom, bool, Vec<Span>)>,
}

impl<'a> ToldLiterals<'a> {
    fn tell(&mut self, findings: &Findings<'_>, rule: usize, atom: &'a Atom, needed: bool) {
        let keywords = &findings.rules.keywords;
        let given = atom.relation == keywords.fact || atom.relation == keywords.does;
        let subject = (atom.relation, if given { atom.arguments.last().and_then(name) } else { None });
        let place = *self.subjects.entry(subject).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some((.., others)) => others.push(atom.span),
            None => self.list.push((rule, atom, needed, Vec::new())),
        }
    }

    fn report(self, findings: &Findings<'_>, diagnostics: &mut Diagnostics) {
        let keywords = &findings.rules.keywords;
        for (rule, atom, needed, others) in self.list.into_iter().take(SUBJECTS) {
            let diagnostic = if atom.relation == keywords.fact {
                never_true(findings, rule, atom)
            } else if atom.relation == keywords.does {
                never_legal(findings, rule, atom)
            } else {
                never_derived(findings, rule, atom)
            };
            let diagnostic = if needed && diagnostic.code != &codes::RULE_NEVER_FIRES {
                diagnostic.note("so this rule never fires")
            } else {
                diagnostic
            };
            diagnostics.push(with_others(diagnostic, &others, "such literal"));
        }
    }
}

/// GDL110: a fluent that is never true.
fn never_true(findings: &Findings<'_>, rule: usize, atom: &Atom) -> Diagnostic {
    let rules = findings.rules;
    let fluent = &atom.arguments[0];
    let text = shorten(rules.display_term(&rules.rules[rule], fluent));
    let keywords = &rules.keywords;
    let message = format!("fluent `{text}` is read here, but no `init` or `next` makes it true");
    let diagnostic = Diagnostic::new(&codes::FLUENT_NEVER_TRUE, atom.span, message);
    let all = name(fluent).map_or(text, |name| display_name(name, rules));
    let givers = [keywords.init, keywords.next];
    if let Some(place) = name(fluent).and_then(|name| findings.namesake(&givers, name)) {
        return diagnostic
            .label(place, format!("`{all}` is made true here, with other arguments"))
            .help("check the arguments, or add an `init` or `next` rule for it");
    }
    let near = name(fluent).and_then(|name| findings.near(&givers, name));
    let rule = format!("add an `init` or `next` rule for `{all}`");
    diagnostic.help(check_name(near, &rule, rules))
}

/// GDL112: a move that is never legal.
fn never_legal(findings: &Findings<'_>, rule: usize, atom: &Atom) -> Diagnostic {
    let rules = findings.rules;
    let [role, action] = &atom.arguments[..] else { unreachable!("`does` has two arguments") };
    let display = |term| shorten(rules.display_term(&rules.rules[rule], term));
    let whose = match role {
        Term::Variable(_) => String::new(),
        _ => format!(" for `{}`", display(role)),
    };
    let text = display(action);
    let message = format!("move `{text}` is read here, but it is never legal{whose}");
    let diagnostic = Diagnostic::new(&codes::MOVE_NEVER_LEGAL, atom.span, message);
    let all = name(action).map_or(text, |name| display_name(name, rules));
    if let Some(place) = name(action).and_then(|name| findings.namesake(&[rules.keywords.legal], name)) {
        return diagnostic
            .label(place, format!("`{all}` is made legal here, for others or with other arguments"))
            .help("check the arguments, or add a `legal` rule for it");
    }
    let near = name(action).and_then(|name| findings.near(&[rules.keywords.legal], name));
    diagnostic.help(check_name(near, &format!("add a `legal` rule for `{all}`"), rules))
}

/// The help for a name that no rule gives. Suggests the nearest name, if one is near.
fn check_name(near: Option<super::Name>, rule: &str, rules: &Rules) -> String {
    match near {
        Some(near) => format!("did you mean `{}`? Otherwise {rule}", display_name(near, rules)),
        None => format!("check the name, or {rule}"),
    }
}

/// GDL113 for a literal that no possible atom matches.
fn never_derived(findings: &Findings<'_>, rule: usize, atom: &Atom) -> Diagnostic {
    let rules = findings.rules;
    let text = shorten(rules.display_atom(&rules.rules[rule], atom));
    let message = format!("this rule never fires: nothing matches `{text}`");
    let diagnostic = Diagnostic::new(&codes::RULE_NEVER_FIRES, atom.span, message);
    let name = rules.relation_name(atom.relation);
    let diagnostic = match findings.rules_of(atom.relation).first() {
        Some(&first) => diagnostic.label(rules.rules[first].head.span, format!("`{name}` is defined here")),
        None => diagnostic,
    };
    diagnostic.help(format!("check the arguments, add what `{name}` lacks, or remove the rule"))
}

/// GDL113 for rules whose literals all have matches, but never together.
fn report_puzzles(
    findings: &Findings<'_>,
    clauses: &Clauses,
    puzzles: &[usize],
    meter: &mut Meter,
    diagnostics: &mut Diagnostics,
) {
    let culprits = culprits(findings, clauses, &puzzles[..puzzles.len().min(SEARCHES)], meter);
    let rules = findings.rules;
    let mut subjects: FxHashMap<(RelationId, bool), usize> = FxHashMap::default();
    let mut list: Vec<(Diagnostic, Vec<Span>)> = Vec::new();
    for (i, &number) in puzzles.iter().enumerate() {
        let rule = &rules.rules[number];
        let culprit = culprits.get(i).copied().flatten();
        let place = culprit.map_or(rule.head.span, |atom| atom.span);
        let subject = culprit.map_or((rule.head.relation, false), |atom| (atom.relation, true));
        if let Some(&first) = subjects.get(&subject) {
            list[first].1.push(place);
            continue;
        }
        subjects.insert(subject, list.len());
        let message = match culprit {
            Some(atom) => format!(
                "this rule never fires: `{}` never holds together with the rest of the body",
                shorten(rules.display_atom(rule, atom))
            ),
            None => "this rule never fires: no values of its variables satisfy the whole body".to_owned(),
        };
        let help = "check the names of its variables, or remove the rule";
        list.push((Diagnostic::new(&codes::RULE_NEVER_FIRES, place, message).help(help), Vec::new()));
    }
    for (diagnostic, others) in list {
        diagnostics.push(with_others(diagnostic, &others, "such rule"));
    }
}

/// For each rule, the literal at which the longest partial joins of its body end; `None` if that
/// literal is not known.
fn culprits<'a>(
    findings: &Findings<'a>,
    clauses: &Clauses,
    puzzles: &[usize],
    meter: &mut Meter,
) -> Vec<Option<&'a Atom>> {
    if puzzles.is_empty() {
        return Vec::new();
    }
    let program = findings.program;
    let mut facts = Facts::default();
    let plans: Vec<_> = puzzles
        .iter()
        .map(|&number| {
            let head = findings.rules.rules[number].head.relation;
            let of = |clause: &Clause| clause.rule == number && clause.head.relation == head;
            // A rule with several clauses fails at several places.
            let mut own = (0..clauses.list.len()).filter(|&i| of(&clauses.list[i]));
            let (first, second) = (own.next(), own.next());
            first.filter(|_| second.is_none()).and_then(|number| {
                let clause = &clauses.list[number];
                // All known atoms of a relation enter its indexes.
                let known = |literal: &Literal| match findings.atoms.get(literal.relation.index()) {
                    Some(atoms) => atoms.len() as u64,
                    None => 0,
                };
                let effort = |literal: &Literal| known(literal) * (1 + literal.size() as u64);
                meter.spend(plan::effort(clause) + clause.positives.iter().map(effort).sum::<u64>())?;
                Some(JoinPlan::new(&mut facts, clause, number, None, &vec![None; clause.positives.len()]))
            })
        })
        .collect();
    findings.atoms.iter().flatten().for_each(|&atom| {
        facts.note(atom, &program.atoms);
    });
    while facts.filling().is_some() {
        facts.fill(&program.atoms, &program.terms);
    }
    facts.fill(&program.atoms, &program.terms);
    let culprit = |(plan, &number)| {
        let plan: &JoinPlan = Option::as_ref(plan)?;
        let clause = &clauses.list[plan.clause];
        let (known, dynamic) = ((&program.atoms, &program.terms), &program.strata.dynamic);
        let mut walk = Walk::new(clause, &facts, known, dynamic, SEARCH_STEPS, meter);
        walk.room = 0;
        walk.run(&plan.steps, &mut vec![TermId::NONE; clause.slots()]);
        if walk.steps == 0 || walk.hits > 0 {
            return None;
        }
        match plan.steps.get(plan.steps.len().checked_sub(walk.left)?)? {
            JoinStep::Check { place, .. } | JoinStep::Lookup { place, .. } => {
                source(findings, &findings.rules.rules[number], &clause.positives[*place])
            }
            JoinStep::Test { .. } => None,
        }
    };
    plans.iter().zip(puzzles).map(culprit).collect()
}

/// The literal of a rule's body that became `literal` of its clause.
fn source<'a>(findings: &Findings<'a>, rule: &'a Rule, literal: &Literal) -> Option<&'a Atom> {
    let same = |atom: &Atom| {
        atom.relation == literal.relation
            && atom.arguments.iter().zip(&literal.arguments).all(|(t, p)| is_same(t, p, findings))
    };
    rule.body.iter().find_map(|formula| match formula {
        Formula::Atom(atom) if same(atom) => Some(atom),
        _ => None,
    })
}

fn is_same(term: &Term, pattern: &Pattern, findings: &Findings<'_>) -> bool {
    match (term, pattern) {
        (Term::Variable(variable), Pattern::Variable(number)) => variable.0 == *number,
        (Term::Function(symbol, terms), Pattern::Function(other, patterns)) => {
            symbol == other
                && terms.len() == patterns.len()
                && terms.iter().zip(patterns).all(|(t, p)| is_same(t, p, findings))
        }
        (_, Pattern::Ground(ground)) => findings.program.terms.find_term(term) == Some(*ground),
        _ => false,
    }
}

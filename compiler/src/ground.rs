//! Checked rules to ground rules: every rule instance that can matter, by name.
//!
//! Static relations are computed first, level by level, and folded away. Then one semi-naive
//! fixpoint over everything that depends on the state or the moves finds what can possibly hold,
//! with `legal` giving `does` and `next` giving `true`; an instance is emitted when its last
//! literal becomes possible, exactly once. Negation on what depends on the state is taken as
//! possible here; the net decides it. `base` and `input` are not needed.
//!
//! The fixpoint and what splits rules for it spend steps and bytes of the phase; what comes before
//! is linear in the text, and what comes after in the instances, which are bounded by then.
//!
//! Afterwards [`GroundRules`] are stratified: no negation lies on a cycle; each role has a move
//! that is possible, and no end is known where a goal value is no integer from 0 to 100. Only these
//! tests or a named limit can fail.

mod advice;
mod branches;
mod clause;
mod clause_state;
mod constant;
mod excess;
mod facts;
mod faults;
mod fixpoint;
mod join;
mod plan;
mod relevance;
mod rewrite;
mod rounds;
mod split;
mod statistics;
mod strata;
mod stratified;
mod truth;
mod unfold;
mod watch;

pub use crate::datalog::terms;

/// Strongly connected components, for checks that look for cycles in the ground rules.
pub mod cycle {
    pub use crate::graph::components;
}

use crate::{
    Diagnostic, Diagnostics, Limits, Options, Rules, Span,
    diagnostic::codes,
    rules::{Keywords, Term},
    vocabulary::{NameTable, Numbers, Vocabulary, goal_value},
};
use clause::Clauses;
use clause_state::Instances;
use excess::{Excess, What};
use rewrite::Functional;
use rounds::Apart;
use rustc_hash::FxHashMap;
use strata::Strata;
use terms::{AtomId, Atoms, TermId, Terms};

/// A ground atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The atom, negated or not.
    #[must_use]
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Self(atom.0 << 1 | u32::from(negated))
    }

    /// The atom.
    #[must_use]
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// True if the atom is negated.
    #[must_use]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The meaning of an atom to the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The fluent holds now.
    Fluent(u32),
    /// The role makes the move.
    Does(u32, u32),
    /// Something defined by rules.
    Derived,
}

/// All rule instances that can matter.
#[derive(Clone, Debug)]
pub struct GroundRules {
    /// The names of roles, fluents and moves.
    pub vocabulary: Vocabulary,
    /// The initial state: for each fluent, true if it holds.
    pub initial: Vec<bool>,
    /// Role and move of every move that is ever possible, sorted.
    pub does: Vec<(u32, u32)>,
    /// For each fluent, the atom that it holds next, if it can.
    pub next: Vec<Option<AtomId>>,
    /// For each role, moves and the atoms that say they are legal.
    pub legal: Vec<Vec<(u32, AtomId)>>,
    /// For each role, goal values and the atoms that say they hold.
    pub goal: Vec<Vec<(u8, AtomId)>>,
    /// The atom that the state is terminal, if it can be.
    pub terminal: Option<AtomId>,
    /// For each role, percepts and the atoms that say the role perceives them; `None` without rules
    /// for `sees`.
    pub sees: Option<Vec<Vec<(u32, AtomId)>>>,
    /// The meaning of each atom.
    pub meaning: Vec<Meaning>,
    /// For each atom, whether it can possibly hold.
    pub possible: Vec<bool>,
    /// The instances, grouped by head: where those of each atom start in `bodies`.
    heads: Vec<u32>,
    /// The start of each instance's literals.
    bodies: Vec<u32>,
    literals: Vec<Literal>,
    /// The rule of each instance, an index into [`Rules::rules`].
    origins: Vec<u32>,
    /// The place of each rule.
    places: Vec<Span>,
    /// For each rule, whether it can never fire though the game rests on its relation.
    silent: Vec<bool>,
    /// For each atom, whether its relation is one that grounding made for a part of a rule.
    auxiliary: Vec<bool>,
    /// The cost of grounding.
    pub cost: Cost,
    /// Derived atoms in groups, each after all it depends on; a group of several, or of one that
    /// depends on itself, is a cycle without negation.
    pub order: Vec<Vec<AtomId>>,
}

/// The cost of grounding, in the units of [`Limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps, as `fuel` counts them.
    pub steps: u64,
    /// Bytes, as `max_bytes` counts them.
    pub bytes: usize,
}

impl GroundRules {
    /// The number of rule instances.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len() - 1
    }

    /// True if there are no instances.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bodies of the instances whose head is `atom`: conjunctions of literals.
    pub fn bodies(&self, atom: AtomId) -> impl Iterator<Item = &[Literal]> {
        self.instances(atom).map(|(_, body)| body)
    }

    /// The place of a rule that has `atom` as its head, if there is one.
    #[must_use]
    pub fn place(&self, atom: AtomId) -> Option<Span> {
        self.instances(atom).next().map(|(rule, _)| self.places[rule])
    }

    /// The instances whose head is `atom`: the rule each comes from and its body.
    fn instances(&self, atom: AtomId) -> impl Iterator<Item = (usize, &[Literal])> {
        let (start, end) = (self.heads[atom.index()] as usize, self.heads[atom.index() + 1] as usize);
        (start..end).map(|i| {
            let body = &self.literals[self.bodies[i] as usize..self.bodies[i + 1] as usize];
            (self.origins[i] as usize, body)
        })
    }
}

/// Grounds a rulesheet. Faults that only the ground program shows, and exceeded limits, go to
/// `diagnostics`; then the result is `None`. It is also `None` for rules that grow, which the
/// checks have reported.
pub fn ground(rules: &Rules, options: &Options, diagnostics: &mut Diagnostics) -> Option<GroundRules> {
    if rules.grows {
        return None;
    }
    let limits = &options.limits;
    let grounded = solve(rules, options)
        .and_then(|(program, clauses)| Ok((assemble(rules, &program, limits)?, program, clauses)));
    let (mut ground, program, clauses) = match grounded {
        Ok(grounded) => grounded,
        Err(excess) => {
            diagnostics.push(excess.diagnostic(rules, limits));
            return None;
        }
    };
    match stratified::order(&ground) {
        Ok(order) => {
            ground.order = order;
            start(rules, &program, &mut ground);
        }
        Err(cycles) => {
            // The warning that the relations have such a cycle was right: one message is enough.
            diagnostics.retract(&codes::UNSTRATIFIED_LEGAL, |_| false);
            cycles.iter().for_each(|cycle| diagnostics.push(cycle.diagnostic(rules, &program)));
            return None;
        }
    }
    report_roles(rules, &ground, diagnostics);
    ground.cost.steps += faults::report(rules, &clauses, &program, &ground, options, diagnostics);
    relevance::trim(&mut ground);
    if diagnostics.has_errors() { None } else { Some(ground) }
}

/// Finds all instances; where there are too many, again with clauses taken apart by what is found
/// to be functional.
fn solve(rules: &Rules, options: &Options) -> Result<(Program, Clauses), Excess> {
    let Keywords { role, init, next, legal, goal, terminal, sees, .. } = rules.keywords;
    let roots = [role, init, next, legal, goal, terminal, sees];
    rounds::solve(rules, options, &roots, Apart::Learn).or_else(|excess| {
        let is_size = matches!(excess.what, What::Instances | What::Atoms | What::Terms | What::Bytes);
        let share = excess.left / rewrite::SHARE;
        let learnt = (is_size && share > 0).then(|| Functional::learn(rules, &options.with_fuel(share)));
        let Some(functional) = learnt.flatten() else { return Err(excess) };
        let rest = options.with_fuel(excess.left - share);
        let (mut program, clauses) =
            rounds::solve(rules, &rest, &roots, Apart::By(&functional)).map_err(|later| {
                match later.what {
                    What::Cancelled(_) => later,
                    _ => excess,
                }
            })?;
        program.cost.steps += options.limits.fuel - rest.limits.fuel;
        Ok((program, clauses))
    })
}

/// Adds to the initial state what rules give that only the ground program shows to be stratified.
fn start(rules: &Rules, program: &Program, ground: &mut GroundRules) {
    let atoms = (0..program.atoms.len() as u32).map(AtomId);
    let init = |&atom: &AtomId| program.atoms.relation(atom) == rules.keywords.init;
    let ruled: Vec<AtomId> = atoms.filter(init).filter(|&atom| ground.place(atom).is_some()).collect();
    if ruled.is_empty() {
        return;
    }
    let truths = stratified::evaluate(ground, |_| false);
    for atom in ruled.into_iter().filter(|atom| truths[atom.index()]) {
        let fluent = program.atoms.find(rules.keywords.fact, program.atoms.arguments(atom));
        if let Some(Meaning::Fluent(fluent)) = fluent.map(|f| ground.meaning[f.index()]) {
            ground.initial[fluent as usize] = true;
        }
    }
}

/// Reports roles that never have a legal move. O(rules).
fn report_roles(rules: &Rules, ground: &GroundRules, diagnostics: &mut Diagnostics) {
    let mut places: FxHashMap<&Term, Span> = FxHashMap::default();
    for rule in rules.rules.iter().filter(|rule| rule.head.relation == rules.keywords.role) {
        places.entry(&rule.head.arguments[0]).or_insert(rule.head.span);
    }
    // Inserted after the existing rules for `legal`.
    let legal = rules.rules.iter().rev().find(|rule| rule.head.relation == rules.keywords.legal);
    let end = legal.map_or(0, |rule| rule.span.end);
    let legal = Span { start: end, end };
    let roles = rules.roles.iter().zip(&ground.vocabulary.roles).zip(&ground.legal);
    for ((term, role), _) in roles.filter(|(_, legal)| legal.is_empty()) {
        let message = format!("role `{role}` has no legal move in any reachable state");
        diagnostics.push(
            Diagnostic::new(&codes::MISSING_LEGAL_ONE_ROLE, places.get(term).copied(), message)
                .help(format!("add a rule such as `(<= (legal {role} noop) ..)`"))
                .suggest(legal, format!("\n(legal {role} noop)")),
        );
    }
}

/// The result of the fixpoint.
#[derive(Debug)]
struct Program {
    terms: Terms,
    atoms: Atoms,
    /// For each atom, whether it can hold.
    possible: Vec<bool>,
    /// Instances, and the rule they come from.
    instances: Vec<(Instances, usize)>,
    /// Terms of the fluents that hold at the start.
    initial: Vec<TermId>,
    /// For each rule, whether it has an instance.
    fired: Vec<bool>,
    strata: Strata,
    cost: Cost,
}

/// Refuses names that are too long together: texts may be far longer than the terms they are made
/// from.
fn measure_names(rules: &Rules, program: &Program, limits: &Limits) -> Result<(), Excess> {
    let Program { terms, atoms, possible, .. } = program;
    let keywords = &rules.keywords;
    let lengths = terms.lengths(&rules.symbols);
    let mut total = 0usize;
    for atom in (0..atoms.len() as u32).map(AtomId).filter(|a| possible[a.index()]) {
        if [keywords.fact, keywords.legal, keywords.sees].contains(&atoms.relation(atom))
            && let Some(term) = atoms.arguments(atom).last()
        {
            let bytes = lengths[term.0 as usize].saturating_add(size_of::<(String, TermId)>());
            total = total.saturating_add(bytes);
        }
    }
    // The net keeps them as well, and so does the one that an optimisation makes of it.
    if total > limits.max_bytes / 4 {
        return Err(Excess { rule: None, ..What::Names.of(0) });
    }
    Ok(())
}

/// Names and sorts everything.
fn assemble(rules: &Rules, program: &Program, limits: &Limits) -> Result<GroundRules, Excess> {
    let Program { terms, atoms, possible, .. } = program;
    let keywords = &rules.keywords;
    let roles: Vec<TermId> = rules.roles.iter().filter_map(|role| terms.find_term(role)).collect();
    let role_of = Numbers::new(&roles, terms);
    measure_names(rules, program, limits)?;
    let (mut fluents, mut moves, mut percepts) = (Vec::new(), Vec::new(), Vec::new());
    let is_possible = |&atom: &AtomId| possible.get(atom.index()).copied().unwrap_or(false);
    let all = || (0..atoms.len() as u32).map(AtomId).filter(is_possible);
    for atom in all() {
        // The arguments of atoms that stand for disjunctions are no terms.
        match (atoms.relation(atom), atoms.arguments(atom)) {
            (relation, &[fluent]) if relation == keywords.fact => fluents.push(fluent),
            (relation, &[role, action]) if relation == keywords.legal && role_of.of(role).is_some() => {
                moves.push(action);
            }
            (relation, &[role, percept]) if relation == keywords.sees && role_of.of(role).is_some() => {
                percepts.push(percept);
            }
            _ => {}
        }
    }
    let [fluents, moves, percepts] =
        [fluents, moves, percepts].map(|list| NameTable::new(list, terms, &rules.symbols));
    let mut meaning = vec![Meaning::Derived; atoms.len()];
    let mut does = Vec::new();
    let mut next = vec![None; fluents.terms.len()];
    let mut legal = vec![Vec::new(); roles.len()];
    let mut goal = vec![Vec::new(); roles.len()];
    let mut sees = vec![Vec::new(); roles.len()];
    let mut terminal = None;
    for atom in all() {
        let relation = atoms.relation(atom);
        let arguments = atoms.arguments(atom);
        let role = arguments.first().and_then(|&term| role_of.of(term));
        if relation == keywords.fact {
            meaning[atom.index()] = Meaning::Fluent(fluents.numbers.at(arguments[0]));
        } else if relation == keywords.next {
            next[fluents.numbers.at(arguments[0]) as usize] = Some(atom);
        } else if relation == keywords.terminal {
            terminal = Some(atom);
        } else if let Some(role) = role {
            if relation == keywords.does {
                let action = moves.numbers.at(arguments[1]);
                meaning[atom.index()] = Meaning::Does(role as u32, action);
                does.push((role as u32, action));
            } else if relation == keywords.legal {
                legal[role].push((moves.numbers.at(arguments[1]), atom));
            } else if relation == keywords.goal {
                // Other values are reported; where one comes up all the same, the role has no goal
                // value.
                if let Some(value) = goal_value(arguments[1], terms, &rules.symbols) {
                    goal[role].push((value, atom));
                }
            } else if relation == keywords.sees {
                sees[role].push((percepts.numbers.at(arguments[1]), atom));
            }
        }
    }
    does.sort_unstable();
    legal.iter_mut().for_each(|list| list.sort_unstable());
    goal.iter_mut().for_each(|list| list.sort_unstable());
    sees.iter_mut().for_each(|list| list.sort_unstable());

    let mut initial = vec![false; fluents.terms.len()];
    program.initial.iter().for_each(|term| initial[fluents.numbers.at(*term) as usize] = true);

    let Grouped { heads, bodies, literals, origins } = group(program);
    Ok(GroundRules {
        vocabulary: Vocabulary::new(
            rules,
            terms,
            &roles,
            [fluents, moves, percepts].map(|titles| titles.texts),
        ),
        initial,
        does,
        next,
        legal,
        goal,
        terminal,
        sees: rules.has_percepts().then_some(sees),
        meaning,
        possible: possible.clone(),
        heads,
        bodies,
        literals,
        origins,
        places: rules.rules.iter().map(|rule| rule.span).collect(),
        silent: silent(rules, program),
        auxiliary: (0..atoms.len() as u32)
            .map(|atom| atoms.relation(AtomId(atom)).index() >= rules.relations.len())
            .collect(),
        cost: program.cost,
        order: Vec::new(),
    })
}

/// For each rule, whether it has no instance though all instances of its relation were looked for.
fn silent(rules: &Rules, program: &Program) -> Vec<bool> {
    let whole = |relation: usize| program.strata.relevant[relation] && !program.strata.partial[relation];
    let heads = rules.rules.iter().map(|rule| rule.head.relation.index());
    heads.zip(&program.fired).map(|(relation, fired)| !fired && whole(relation)).collect()
}

/// The instances by head: where each atom's start, where each one's literals start, the literals,
/// and the rule of each.
struct Grouped {
    heads: Vec<u32>,
    bodies: Vec<u32>,
    literals: Vec<Literal>,
    origins: Vec<u32>,
}

fn group(program: &Program) -> Grouped {
    let all =
        || program.instances.iter().flat_map(|(list, rule)| list.iter().map(move |i| (i.0, i.1, *rule)));
    // First how many instances each head has, then where its next one goes.
    let mut heads = vec![0u32; program.atoms.len() + 1];
    all().for_each(|(head, ..)| heads[head.index() + 1] += 1);
    for i in 1..heads.len() {
        heads[i] += heads[i - 1];
    }
    let count = heads.last().map_or(0, |&count| count as usize);
    let mut place = heads.clone();
    let mut sorted: Vec<(&[Literal], usize)> = vec![(&[], 0); count];
    for (head, body, rule) in all() {
        sorted[place[head.index()] as usize] = (body, rule);
        place[head.index()] += 1;
    }
    let mut bodies = Vec::with_capacity(count + 1);
    let mut literals = Vec::new();
    let mut origins = Vec::with_capacity(count);
    bodies.push(0);
    for (body, rule) in sorted {
        literals.extend_from_slice(body);
        bodies.push(literals.len() as u32);
        origins.push(rule as u32);
    }
    Grouped { heads, bodies, literals, origins }
}

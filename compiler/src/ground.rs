//! Grounding: turns checked rules into ground rules, which are all rule instances that can matter.
//!
//! Static relations are computed first, stage by stage, and folded away. Then one semi-naive
//! fixpoint over the relations that depend on the state or the moves finds all atoms that can hold.
//! In this fixpoint, each `legal` atom yields a `does` atom, and each `next` atom a `true` atom. An
//! instance is emitted exactly once, when its last literal becomes possible. A negated literal that
//! depends on the state counts as possible here; the net decides it. `base` and `input` are not
//! needed.
//!
//! The fixpoint and the splitting of rules spend the steps and bytes of the phase. The work before
//! is linear in the text, the work after in the instances, which the limits bound.
//!
//! The resulting [`GroundRules`] are stratified: no negation lies on a cycle. Each role has a
//! possible move. No random playout ended with a goal value other than an integer from 0 to 100.
//! Grounding fails only if one of these tests fails or a named limit is exceeded.

mod advice;
mod branches;
mod clause;
mod clause_state;
mod constant;
mod excess;
mod facts;
mod faults;
mod fixpoint;
pub(crate) mod ground_rules;
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
pub use ground_rules::{Cost, GroundRules, Literal, Meaning};

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

/// Grounds a rulesheet.
///
/// Returns `None` if the ground program has errors or a limit is exceeded, and reports that in
/// `diagnostics`. Also returns `None` for rules that grow, which the checks have reported.
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
            // The cycle confirms the warning about its relations, so only the error is kept.
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

/// Finds all instances. If there are too many, tries again with clauses that are split at
/// functional arguments of fluents.
fn solve(rules: &Rules, options: &Options) -> Result<(GroundProgram, Clauses), Excess> {
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

/// Adds fluents from ground rules for `init` to the initial state. Such rules exist only if
/// grounding had to show that they are stratified.
fn start(rules: &Rules, program: &GroundProgram, ground: &mut GroundRules) {
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
    // The suggested rule comes after the existing rules for `legal`.
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

/// The result of the fixpoint, before fluents, moves and percepts get their numbers.
#[derive(Debug)]
struct GroundProgram {
    terms: Terms,
    atoms: Atoms,
    /// For each atom, whether it can hold.
    possible: Vec<bool>,
    /// The instances of each clause, and the rule of the clause.
    instances: Vec<(Instances, usize)>,
    /// The terms of the fluents in the initial state.
    initial: Vec<TermId>,
    /// For each rule, whether it has an instance.
    fired: Vec<bool>,
    strata: Strata,
    cost: Cost,
}

/// Checks that all names together take at most a quarter of `max_bytes`. The text of a name may be
/// far longer than its term, which shares equal subterms.
fn measure_names(rules: &Rules, program: &GroundProgram, limits: &Limits) -> Result<(), Excess> {
    let GroundProgram { terms, atoms, possible, .. } = program;
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
    // The net and its optimised copy store the names as well.
    if total > limits.max_bytes / 4 {
        return Err(Excess { rule: None, ..What::Names.of(0) });
    }
    Ok(())
}

/// Assembles the ground rules: numbers and names roles, fluents, moves and percepts, and groups the
/// instances by head.
fn assemble(rules: &Rules, program: &GroundProgram, limits: &Limits) -> Result<GroundRules, Excess> {
    let GroundProgram { terms, atoms, possible, .. } = program;
    let keywords = &rules.keywords;
    let roles: Vec<TermId> = rules.roles.iter().filter_map(|role| terms.find_term(role)).collect();
    let role_of = Numbers::new(&roles, terms);
    measure_names(rules, program, limits)?;
    let (mut fluents, mut moves, mut percepts) = (Vec::new(), Vec::new(), Vec::new());
    let is_possible = |&atom: &AtomId| possible.get(atom.index()).copied().unwrap_or(false);
    let all = || (0..atoms.len() as u32).map(AtomId).filter(is_possible);
    for atom in all() {
        // The arguments of atoms that stand for disjunctions are not terms.
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
                // Other values are reported. In a state with such a value, the role has no goal
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

/// For each rule, whether it has no instance although its relation was grounded completely.
fn silent(rules: &Rules, program: &GroundProgram) -> Vec<bool> {
    let whole = |relation: usize| program.strata.relevant[relation] && !program.strata.partial[relation];
    let heads = rules.rules.iter().map(|rule| rule.head.relation.index());
    heads.zip(&program.fired).map(|(relation, fired)| !fired && whole(relation)).collect()
}

/// Instances grouped by head, in the layout of [`GroundRules`].
struct Grouped {
    heads: Vec<u32>,
    bodies: Vec<u32>,
    literals: Vec<Literal>,
    origins: Vec<u32>,
}

fn group(program: &GroundProgram) -> Grouped {
    let all =
        || program.instances.iter().flat_map(|(list, rule)| list.iter().map(move |i| (i.0, i.1, *rule)));
    // A counting sort by head: first the number of instances of each head, then the index of its
    // first instance.
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

//! Rules to a [`Lifted`] game: everything that is found out once.
//!
//! What is looked into is paid for by the [`survey`](super::survey), plans by their [`Effort`](super::plan::Effort); names may
//! take as many bytes as an evaluation, and so may the tables of relations that depend on the rules alone, and their
//! indexes. Besides there are O(terms + clauses + names) steps.

use super::{
    Lifted, Names, Phases, Plan, Relations, Stop,
    clause::{self, Pattern, Patterns},
    domain::{self, Domain},
    memory::{Memory, bytes_of},
    plan::{Planner, Procedures},
    program::{Layer, Program},
    samples::{self, Guard},
    survey::{OF_RULES, Survey},
    table::Store,
    terms::{Id, NONE, Terms},
};
use crate::{
    Limits, Options,
    propnet::Vocabulary,
    rules::{RelationId, Rules, Symbols},
};
use gdl_format::shape::Shape;
use rustc_hash::FxHashMap;

/// Makes rules ready to be evaluated.
pub(super) fn assemble(rules: &Rules, options: &Options) -> Result<Lifted, Stop> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let mut patterns = Patterns::default();
    let clauses = clause::clauses(rules, &mut terms, &mut patterns)?;
    let mut roles = Vec::new();
    for role in &rules.roles {
        roles.push(clause::ground(role, &mut terms)?);
    }
    let n_relations = rules.relations.len();
    let k = Relations::of(&rules.keywords);
    let given = [(k.fact, Layer::State), (k.does, Layer::Moves)];
    let program = Program::new(clauses, n_relations, &given, limits)?;
    let dynamic: Vec<bool> = (0..n_relations).map(|r| program.layer(r) != Layer::Rules).collect();
    let relaxed = clause::relaxed(&program.clauses, &rules.keywords, &dynamic, &mut patterns);
    let arities: Vec<usize> = rules.relations.iter().map(|relation| relation.arity).collect();
    let mut store = Store::new(&arities);
    store.add_views(&patterns.shapes);

    let mut memory = Memory::new(store, terms, limits);
    memory.observe(options.observer.clone());
    let mut survey = Survey::new(&program, rules, memory, limits);
    let (role, init) = (rules.keywords.role.index(), rules.keywords.init.index());
    survey.fill_all(&[role, init, k.legal, k.next, k.goal, k.terminal, k.sees], Layer::Rules, OF_RULES)?;
    let domain = domain::find(rules, &relaxed, &dynamic, &mut survey, limits)?;
    if domain.fluents.len() > limits.max_fluents {
        return Err(Stop::Fluents);
    }
    let initial = domain::singles(&survey.memory, init);
    let guard = Guard::new(rules, &k, &roles, &domain);
    let measures = samples::measure(&mut survey, &guard, &initial)?;

    let (demanded, mut memory, effort) = survey.into_parts();
    let phases = phases(&program, &k, &demanded);
    let mut procedures = Procedures::default();
    let mut planner = Planner {
        program: &program,
        demanded: &demanded,
        measures: &measures,
        store: &mut memory.store,
        procedures: &mut procedures,
        effort: &effort,
    };
    let plans = plans(&mut planner, &phases)?;
    planner.procedures_from(0)?;

    // Texts may be far longer than the terms they are made from.
    let lengths = memory.terms.lengths(&rules.symbols);
    let named = domain.fluents.iter().chain(domain.moves.iter().chain(&domain.percepts).map(|(_, id)| id));
    let length = named.fold(0, |sum: usize, &id| sum.saturating_add(lengths[id as usize]));
    if length > bytes_of(limits) {
        return Err(Stop::Bytes);
    }
    let game = Titles::new(rules, domain, roles, &memory.terms);
    if let Some(role) = game.role_moves.iter().position(Vec::is_empty) {
        return Err(Stop::NoMoves(role));
    }
    let role_goals = goals(&program, &k, &game.names, &memory.terms);
    let shape = Shape {
        roles: rules.roles.len(),
        fluents: game.vocabulary.fluents.len(),
        moves: game.vocabulary.moves.len(),
        goals: role_goals.iter().map(Vec::len).sum(),
        percepts: game.vocabulary.percepts.len(),
    };
    let mut start = vec![0; shape.state_words()];
    for term in initial {
        if let Some(fluent) = super::number(&game.names.fluent_of, term) {
            super::set(&mut start, fluent);
        }
    }
    memory.terms.fix();
    let is_fixed: Vec<bool> = (0..n_relations).map(|r| !dynamic[r] && !demanded[r]).collect();
    let fixed = part(&mut memory, &is_fixed, limits)?;
    Ok(Lifted {
        goal_starts: goal_starts(&role_goals),
        open_names: open_names(rules, &program),
        vocabulary: game.vocabulary,
        role_moves: game.role_moves,
        role_goals,
        role_percepts: game.role_percepts,
        shape,
        initial: start,
        relations: k,
        limits: limits.clone(),
        names: game.names,
        program,
        procedures,
        plans,
        phases,
        fixed,
        is_fixed,
        blank: Memory::new(memory.store, memory.terms, limits),
    })
}

/// Parts the tables that are the same in all states, with views and indexes up to date, from those that are filled for
/// each, which are left empty.
fn part(memory: &mut Memory, is_fixed: &[bool], limits: &Limits) -> Result<Store, Stop> {
    memory.store.set_prices();
    let blank = memory.store.blank();
    let mut fixed = std::mem::replace(&mut memory.store, blank);
    for (relation, _) in is_fixed.iter().enumerate().filter(|(_, is_fixed)| !**is_fixed) {
        fixed.drop_table(relation);
    }
    let mut relations = (0..is_fixed.len()).filter(|&relation| is_fixed[relation]);
    let fits = relations.all(|relation| fixed.refresh_all(relation, &memory.terms, bytes_of(limits)));
    if fits { Ok(fixed) } else { Err(Stop::Bytes) }
}

/// For each role how many goals those before it have.
fn goal_starts(role_goals: &[Vec<u8>]) -> Vec<usize> {
    let start = |next: &mut usize, goals: &Vec<u8>| {
        *next += goals.len();
        Some(*next - goals.len())
    };
    role_goals.iter().scan(0, start).collect()
}

/// The names of relations on a cycle with a negation.
fn open_names(rules: &Rules, program: &Program) -> FxHashMap<usize, String> {
    let cyclic = program.components.iter().filter(|component| component.negative_cycle);
    let names = cyclic.flat_map(|component| &component.relations).map(|&relation| {
        let name = rules.relation_name(RelationId(relation as u32));
        (relation, name.to_owned())
    });
    names.collect()
}

fn phases(program: &Program, k: &Relations, demanded: &[bool]) -> Phases {
    let filled = |relations: &[usize]| -> Vec<usize> {
        let is_filled = |&number: &usize| {
            let component = &program.components[number];
            component.layer != Layer::Rules
                && !component.clauses.is_empty()
                && !component.relations.iter().any(|&relation| demanded[relation])
        };
        program.closure(relations).into_iter().filter(is_filled).collect()
    };
    let observe = filled(&[k.legal, k.goal, k.terminal]);
    let besides = |relation: usize| {
        filled(&[relation]).into_iter().filter(|number| !observe.contains(number)).collect()
    };
    Phases { advance: besides(k.next), perceive: besides(k.sees), observe }
}

/// The plans of the clauses that are filled, by clause.
fn plans(planner: &mut Planner<'_>, phases: &Phases) -> Result<Vec<Plan>, Stop> {
    let program = planner.program;
    let mut plans = Vec::new();
    plans.resize_with(program.clauses.len(), Plan::default);
    for &component in phases.observe.iter().chain(&phases.advance).chain(&phases.perceive) {
        for &clause in &program.components[component].clauses {
            let variants = 0..program.variants[clause].len();
            plans[clause] = Plan {
                whole: planner.kept(clause, None)?,
                variants: variants.map(|v| planner.kept(clause, Some(v))).collect::<Result<_, _>>()?,
            };
        }
    }
    Ok(plans)
}

/// The names of a game and the numbers of its terms.
struct Titles {
    vocabulary: Vocabulary,
    names: Names,
    role_moves: Vec<Vec<u32>>,
    role_percepts: Option<Vec<Vec<u32>>>,
}

/// Some terms, sorted by their texts; the texts, and the place of each term.
fn sorted(mut list: Vec<Id>, terms: &Terms, symbols: &Symbols) -> (Vec<Id>, Vec<String>, Vec<u32>) {
    list.sort_unstable();
    list.dedup();
    let mut titled: Vec<(String, Id)> = list.into_iter().map(|id| (terms.text(id, symbols), id)).collect();
    titled.sort_unstable();
    let mut places = vec![NONE; terms.len()];
    titled.iter().enumerate().for_each(|(place, &(_, id))| places[id as usize] = place as u32);
    let (texts, ids) = titled.into_iter().unzip();
    (ids, texts, places)
}

/// For each role the places of what is its, ascending.
fn by_role(list: &[(Id, Id)], roles: usize, role_of: &[u32], places: &[u32]) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); roles];
    for &(role, id) in list {
        if let Some(role) = super::number(role_of, role) {
            lists[role].push(places[id as usize]);
        }
    }
    for mine in &mut lists {
        mine.sort_unstable();
        mine.dedup();
    }
    lists
}

impl Titles {
    fn new(rules: &Rules, domain: Domain, roles: Vec<Id>, terms: &Terms) -> Self {
        let mut role_of = vec![NONE; terms.len()];
        roles.iter().enumerate().for_each(|(number, &role)| role_of[role as usize] = number as u32);
        let mine = |list: &[(Id, Id)]| -> Vec<Id> {
            let is_theirs = |&&(role, _): &&(Id, Id)| super::number(&role_of, role).is_some();
            list.iter().filter(is_theirs).map(|&(_, id)| id).collect()
        };
        let symbols = &rules.symbols;
        let (fluents, fluent_texts, fluent_of) = sorted(domain.fluents, terms, symbols);
        let (moves, move_texts, move_of) = sorted(mine(&domain.moves), terms, symbols);
        let (_, percept_texts, percept_of) = sorted(mine(&domain.percepts), terms, symbols);
        let chance = rules.chance().and_then(|chance| rules.roles.iter().position(|role| role == chance));
        let value = |id: Id| samples::goal_value(id, terms, symbols).map_or(NONE, u32::from);
        Self {
            role_moves: by_role(&domain.moves, roles.len(), &role_of, &move_of),
            role_percepts: rules
                .has_percepts()
                .then(|| by_role(&domain.percepts, roles.len(), &role_of, &percept_of)),
            vocabulary: Vocabulary {
                roles: roles.iter().map(|&role| terms.text(role, symbols)).collect(),
                fluents: fluent_texts,
                moves: move_texts,
                percepts: percept_texts,
                chance: chance.map(|role| role as u32),
            },
            names: Names {
                goal_of: (0..terms.len() as Id).map(value).collect(),
                roles,
                fluents,
                moves,
                role_of,
                fluent_of,
                move_of,
                percept_of,
            },
        }
    }
}

/// For each role the goal values that a clause may give it, ascending. A value that is a variable may be any
/// number of the rules.
fn goals(program: &Program, k: &Relations, names: &Names, terms: &Terms) -> Vec<Vec<u8>> {
    let value = |id: Id| super::number(&names.goal_of, id).map(|value| value as u8);
    let mut all: Vec<u8> = (0..terms.len() as Id).filter_map(value).collect();
    all.sort_unstable();
    all.dedup();
    let mut lists = vec![Vec::new(); names.roles.len()];
    let mut of_all = Vec::new();
    for &clause in &program.clauses_of[k.goal] {
        let arguments = &program.clauses[clause].head.arguments;
        let values = match &arguments[1] {
            Pattern::Ground(id) => value(*id).into_iter().collect(),
            _ => all.clone(),
        };
        match &arguments[0] {
            Pattern::Ground(id) => {
                if let Some(role) = super::number(&names.role_of, *id) {
                    lists[role].extend(values);
                }
            }
            _ => of_all.extend(values),
        }
    }
    of_all.sort_unstable();
    of_all.dedup();
    for list in &mut lists {
        list.extend(&of_all);
        list.sort_unstable();
        list.dedup();
    }
    lists
}

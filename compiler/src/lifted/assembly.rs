//! The assembly of a [`Lifted`] game from rules: everything that is computed once.
//!
//! The [`survey`](super::survey) and the [`trial`](super::trial) spend steps on their evaluations,
//! and an [`Effort`](super::plan::Effort) bounds planning. The names may take as many bytes as an
//! evaluation. So may the tables of relations that depend on the rules alone, with their indexes.
//! The other work takes O(terms + clauses + names) steps.

use super::{
    Lifted, Relations, Stop, TermNames,
    clause::{self, Patterns},
    code::LiftedCode,
    domain::{self, Domain, Search},
    memory::{Memory, bytes_of},
    program::{Layer, Program},
    samples::{self, Guard},
    survey::{OF_RULES, Survey},
    table::Store,
    trial::Trial,
};
use crate::{
    Limits, Observer, Options,
    datalog::{
        pattern::Pattern,
        terms::{TermId, Terms},
    },
    propnet::Net,
    rules::{RelationId, Rules},
    vocabulary::{NameTable, Numbers, Vocabulary, goal_value},
};
use gdl_format::shape::Shape;
use rustc_hash::FxHashMap;

/// Assembles a game from rules.
pub(super) fn assemble(rules: &Rules, options: &Options) -> Result<Lifted, Stop> {
    let limits = &options.limits;
    let mut terms = Terms::new(limits);
    let mut patterns = Patterns::default();
    let clauses = clause::clauses(rules, &mut terms, &mut patterns)?;
    let roles: Vec<TermId> = rules.roles.iter().filter_map(|role| terms.find_term(role)).collect();
    let n_relations = rules.relations.len();
    let k = Relations::of(&rules.keywords);
    let given = [(k.fact, Layer::State), (k.does, Layer::Moves)];
    let program = Program::new(clauses, n_relations, &given, limits)?;
    let dynamic: Vec<bool> = (0..n_relations).map(|r| program.layer(r) != Layer::Rules).collect();
    let relaxed = clause::relaxed(&program.clauses, &rules.keywords, &dynamic, &mut patterns);
    let arities: Vec<usize> = rules.relations.iter().map(|relation| relation.arity).collect();
    let mut store = Store::new(&arities);
    store.add_views(&patterns.shapes);

    let memory = Memory::new(store, terms, limits, options.observer.clone());
    let mut survey = Survey::new(&program, rules, memory, limits);
    let (role, init) = (rules.keywords.role.index(), rules.keywords.init.index());
    survey.fill_all(&[role, init, k.legal, k.next, k.goal, k.terminal, k.sees], Layer::Rules, OF_RULES)?;
    let search = Search { rules, relaxed: &relaxed, dynamic: &dynamic, survey: &mut survey, limits };
    let domain = search.run()?;
    if domain.fluents.len() > limits.max_fluents {
        return Err(Stop::Fluents);
    }
    let initial = domain::singles(&survey.memory, init);
    let unnamed = domain
        .steps
        .map_or([Stop::Undeclared("base"), Stop::Undeclared("input")], |steps| [Stop::Beyond(steps); 2]);
    let guard = Guard::new(rules, &k, &roles, &domain);
    let (measures, samples) = samples::measure(&mut survey, &guard, &initial)?;

    let (optional, fuel) = (survey.optional(), survey.fuel());
    let (mut demanded, mut memory, effort) = survey.into_parts();
    if !optional.is_empty() {
        let trial = Trial::new(&program, &k, (&measures, &samples), &memory, limits);
        demanded = trial.choose(demanded, &optional, fuel)?;
    }
    let code = LiftedCode::new(&program, &k, &demanded, &measures, &mut memory.store, &effort)?;

    // The text of a name may be far longer than its term, which shares equal subterms.
    let lengths = memory.terms.lengths(&rules.symbols);
    let named = domain.fluents.iter().chain(domain.moves.iter().chain(&domain.percepts).map(|(_, id)| id));
    let length = named.fold(0, |sum: usize, &id| sum.saturating_add(lengths[id.index()]));
    if length > bytes_of(limits) {
        return Err(Stop::Bytes);
    }
    let game = Named::new(rules, domain, roles, &memory.terms);
    if let Some(role) = game.role_moves.iter().position(Vec::is_empty) {
        return Err(Stop::NoMoves(role));
    }
    let role_goals = goals(&program, &k, &game.names);
    let shape = Shape {
        roles: rules.roles.len(),
        fluents: game.vocabulary.fluents.len(),
        moves: game.vocabulary.moves.len(),
        goals: role_goals.iter().map(Vec::len).sum(),
        percepts: game.vocabulary.percepts.len(),
    };
    let mut start = vec![0; shape.state_words()];
    for term in initial {
        if let Some(fluent) = game.names.fluent_of.of(term) {
            super::set(&mut start, fluent);
        }
    }
    memory.terms.fix();
    let is_fixed: Vec<bool> = (0..n_relations).map(|r| !dynamic[r] && !demanded[r]).collect();
    let fixed = part(&mut memory, &is_fixed, limits)?;
    let lifted = Lifted {
        possible: Vec::new(),
        always: None,
        goal_starts: goal_starts(&role_goals),
        unnamed,
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
        code,
        fixed,
        is_fixed,
        blank: Memory::new(memory.store, memory.terms, limits, Observer::default()),
    };
    Ok(lifted.number_moves())
}

impl Lifted {
    /// Replaces the names of the game by those of a net of the same rules. Rows of bits then have
    /// the same meaning in both. A net has a name for each fluent and each move that can ever
    /// occur, often fewer than the search for the domain finds. Returns `None` if the net has a
    /// name that this game lacks.
    #[must_use]
    pub fn with_names_of(mut self, net: &Net) -> Option<Self> {
        let terms = &self.blank.terms;
        let named = |texts: &[String], own: &[String], list: &[TermId]| {
            let place = |text: &String| Some(list[own.binary_search(text).ok()?]);
            let list = texts.iter().map(place).collect::<Option<Vec<TermId>>>()?;
            Some((Numbers::new(&list, terms), list))
        };
        let (Vocabulary { fluents, moves, percepts, .. }, names) = (&self.vocabulary, &mut self.names);
        (names.fluent_of, names.fluents) = named(&net.vocabulary.fluents, fluents, &names.fluents)?;
        (names.move_of, names.moves) = named(&net.vocabulary.moves, moves, &names.moves)?;
        (names.percept_of, names.percepts) = named(&net.vocabulary.percepts, percepts, &names.percepts)?;
        let n_roles = net.vocabulary.roles.len();
        let mut role_moves = vec![Vec::new(); n_roles];
        net.does().iter().for_each(|&(role, action)| role_moves[role as usize].push(action));
        self.role_percepts =
            net.outputs.sees.as_ref().map(|_| {
                net.percepts().map(|list| list.iter().map(|&(percept, _)| percept).collect()).collect()
            });
        self.role_goals =
            net.outputs.goal.iter().map(|goal| goal.iter().map(|&(value, _)| value).collect()).collect();
        self.goal_starts = goal_starts(&self.role_goals);
        self.initial = vec![0; net.shape().state_words()];
        let holding = net.initial.iter().enumerate().filter(|(_, holds)| **holds);
        holding.for_each(|(fluent, _)| super::set(&mut self.initial, fluent));
        (self.role_moves, self.shape) = (role_moves, net.shape());
        self.vocabulary.clone_from(&net.vocabulary);
        Some(self.number_moves())
    }
}

/// Separates the tables that are the same in all states, with views and indexes up to date. The
/// memory keeps empty tables.
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

/// For each role, the number of goal values of all roles before it.
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

/// The names of a game, the numbers of its terms, and each role's moves and percepts, ascending.
struct Named {
    vocabulary: Vocabulary,
    names: TermNames,
    role_moves: Vec<Vec<u32>>,
    role_percepts: Option<Vec<Vec<u32>>>,
}

impl Named {
    fn new(rules: &Rules, domain: Domain, roles: Vec<TermId>, terms: &Terms) -> Self {
        let role_of = Numbers::new(&roles, terms);
        let by_role = |list: &[(TermId, TermId)], numbers: &Numbers| {
            let mut lists = vec![Vec::new(); roles.len()];
            for &(role, term) in list {
                if let Some(role) = role_of.of(role) {
                    lists[role].push(numbers.at(term));
                }
            }
            lists.iter_mut().for_each(ascend);
            lists
        };
        let title = |list| NameTable::new(list, terms, &rules.symbols);
        let of_roles = |list: &[(TermId, TermId)]| {
            list.iter().filter(|(role, _)| role_of.of(*role).is_some()).map(|&(_, term)| term).collect()
        };
        let (fluents, moves) = (title(domain.fluents), title(of_roles(&domain.moves)));
        let percepts = title(of_roles(&domain.percepts));
        let value = |term| Some((term, goal_value(term, terms, &rules.symbols)?));
        Self {
            role_moves: by_role(&domain.moves, &moves.numbers),
            role_percepts: rules.has_percepts().then(|| by_role(&domain.percepts, &percepts.numbers)),
            vocabulary: Vocabulary::new(rules, terms, &roles, [fluents.texts, moves.texts, percepts.texts]),
            names: TermNames {
                goal_of: terms.all().filter_map(value).collect(),
                roles,
                role_of,
                fluents: fluents.terms,
                fluent_of: fluents.numbers,
                moves: moves.terms,
                move_of: moves.numbers,
                percepts: percepts.terms,
                percept_of: percepts.numbers,
            },
        }
    }
}

/// Sorts a list and removes duplicates.
fn ascend<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

/// For each role, the goal values that a clause may give it, ascending. A clause with a variable in
/// the place of the value may give every goal value among the terms.
fn goals(program: &Program, k: &Relations, names: &TermNames) -> Vec<Vec<u8>> {
    let mut all: Vec<u8> = names.goal_of.values().copied().collect();
    ascend(&mut all);
    let mut lists = vec![Vec::new(); names.roles.len()];
    for &clause in &program.clauses_of[k.goal] {
        let [role, value] = &program.clauses[clause].head.arguments[..] else { continue };
        let values = match value {
            Pattern::Ground(term) => names.goal_of.get(term).map_or(&[][..], std::slice::from_ref),
            _ => &all,
        };
        match role {
            Pattern::Ground(term) => {
                if let Some(role) = names.role_of.of(*term) {
                    lists[role].extend(values);
                }
            }
            _ => lists.iter_mut().for_each(|list| list.extend(values)),
        }
    }
    lists.iter_mut().for_each(ascend);
    lists
}

//! Checked rules to ground rules: every rule instance that can matter, by name.
//!
//! Static relations are computed first, level by level, and folded away. Then one semi-naive fixpoint
//! over everything that depends on the state or the moves finds what can possibly hold, with
//! `legal` giving `does` and `next` giving `true`; an instance is emitted when its last literal
//! becomes possible, exactly once. Negation on what depends on the state is taken as possible here;
//! the net decides it. `base` and `input` are not needed.
//!
//! Afterwards [`GroundRules`] are stratified: no negation lies on a cycle. Only a named limit or
//! that test can fail.

mod clause;
pub(crate) mod cycle;
mod fixpoint;
mod join;
mod strata;
mod stratified;
pub mod terms;

use crate::{
    Diagnostic, Diagnostics, Options, Rules, Span, diagnostic::codes, propnet::Vocabulary, rules::Term,
};
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

/// What an atom means to the game.
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
    /// For each fluent: holds at the start.
    pub initial: Vec<bool>,
    /// Role and move of every move that is ever possible, sorted.
    pub does: Vec<(u32, u32)>,
    /// For each fluent, the atom that says it holds next, if any can.
    pub next: Vec<Option<AtomId>>,
    /// For each role, moves and the atoms that say they are legal.
    pub legal: Vec<Vec<(u32, AtomId)>>,
    /// For each role, goal values and the atoms that say they hold.
    pub goal: Vec<Vec<(u8, AtomId)>>,
    /// The atom that says that the state is terminal, if it can be.
    pub terminal: Option<AtomId>,
    /// For each role, percepts and the atoms that say the role perceives them; none without rules for
    /// `sees`.
    pub sees: Option<Vec<Vec<(u32, AtomId)>>>,
    /// The meaning of each atom.
    pub meaning: Vec<Meaning>,
    /// Whether the atom can possibly hold.
    pub possible: Vec<bool>,
    /// The instances, grouped by head: where those of each atom start in `bodies`.
    heads: Vec<u32>,
    /// Where the literals of each instance start.
    bodies: Vec<u32>,
    literals: Vec<Literal>,
    /// The rule of each instance, an index into [`Rules::rules`].
    origins: Vec<u32>,
    /// Where each rule stands.
    places: Vec<Span>,
    /// Derived atoms in groups, each after all it depends on; a group of several, or of one that
    /// depends on itself, is a cycle without negation.
    pub order: Vec<Vec<AtomId>>,
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

    /// Where a rule stands that has `atom` as its head, if there is one.
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

/// A limit that grounding ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Excess {
    Clauses { rule: usize },
    Instances { rule: usize, count: usize },
    Atoms { rule: usize },
    Term { rule: usize, text: String },
    Fluents,
    Fuel { rule: usize },
}

impl Excess {
    fn diagnostic(self, rules: &Rules, options: &Options) -> Diagnostic {
        let limits = &options.limits;
        let span = |rule: usize| rules.rules[rule].span;
        match self {
            Self::Clauses { rule } => Diagnostic::new(
                &codes::OR_EXPLOSION,
                span(rule),
                format!("multiplying out the `or`s gives more than {} rules", limits.max_ground_rules),
            )
            .help("let each branch of an `or` bind the same variables, or name it by a relation of its own"),
            Self::Instances { rule, count } => Diagnostic::new(
                &codes::TOO_MANY_INSTANCES,
                span(rule),
                format!("the rulesheet has more than {} rule instances (`max_ground_rules`)", limits.max_ground_rules),
            )
            .note(format!("this rule has {count} of them so far"))
            .help("split the rule: name the part that does not mention some of its variables by a relation of its own"),
            Self::Atoms { rule } => Diagnostic::new(
                &codes::TOO_MANY_INSTANCES,
                span(rule),
                format!("the rulesheet has more than {} ground atoms (`max_atoms`)", limits.max_atoms),
            )
            .note("the limit was reached in this rule")
            .help("bound the arguments of the rule's head by relations with fewer values"),
            Self::Term { rule, text } => Diagnostic::new(
                &codes::BILLION_LAUGHS,
                span(rule),
                format!(
                    "a term grows beyond depth {} (`max_term_depth`) or {} symbols (`max_term_size`)",
                    limits.max_term_depth, limits.max_term_size
                ),
            )
            .note(text)
            .help("bound the growth by a finite relation such as `succ` over the values that are needed"),
            Self::Fluents => Diagnostic::new(
                &codes::EXPONENTIAL_COUNTER,
                None,
                format!("the game has more than {} fluents (`max_fluents`)", limits.max_fluents),
            )
            .help("let fewer arguments of a fluent vary together, or raise the limit"),
            Self::Fuel { rule } => Diagnostic::new(
                &codes::OUT_OF_FUEL,
                span(rule),
                format!("grounding took more than {} join steps (`fuel`)", limits.fuel),
            )
            .note("the limit was reached in this rule")
            .help("give the rule literals that bind few values each, or raise the limit"),
        }
    }
}

/// Grounds a rulesheet. Faults that only the ground program shows, and limits, go to `diagnostics`;
/// then nothing comes back.
pub fn ground(rules: &Rules, options: &Options, diagnostics: &mut Diagnostics) -> Option<GroundRules> {
    let mut terms = Terms::new(&options.limits);
    // Without an `or`, a rule is one clause: only multiplying out can exceed this.
    let max_clauses = options.limits.max_ground_rules.saturating_add(rules.rules.len());
    let grounded = clause::clauses(rules, &mut terms, max_clauses)
        .and_then(|clauses| fixpoint::fixpoint(rules, &clauses, terms, &options.limits));
    let program = match grounded {
        Ok(program) => program,
        Err(excess) => {
            diagnostics.push(excess.diagnostic(rules, options));
            return None;
        }
    };
    let mut ground = match assemble(rules, &program, options.limits.max_fluents) {
        Ok(ground) => ground,
        Err(excess) => {
            diagnostics.push(excess.diagnostic(rules, options));
            return None;
        }
    };
    match stratified::order(&ground) {
        Ok(order) => {
            ground.order = order;
            start(rules, &program, &mut ground);
        }
        Err(cycle) => {
            // The warning that the relations have such a cycle was right: one message is enough.
            diagnostics.retract(&codes::UNSTRATIFIED_LEGAL, |_| false);
            diagnostics.push(cycle.diagnostic(rules, &program));
            return None;
        }
    }
    report_roles(rules, &ground, diagnostics);
    if diagnostics.has_errors() { None } else { Some(ground) }
}

/// Adds to the initial state what rules give that only the ground program shows to be stratified.
fn start(rules: &Rules, program: &Program, ground: &mut GroundRules) {
    let atoms = (0..program.atoms.len() as u32).map(AtomId);
    let init = |&atom: &AtomId| program.atoms.relation(atom) == rules.keywords.init;
    let ruled: Vec<AtomId> = atoms.filter(init).filter(|&atom| ground.place(atom).is_some()).collect();
    if ruled.is_empty() {
        return;
    }
    let truths = stratified::evaluate(ground);
    for atom in ruled.into_iter().filter(|atom| truths[atom.index()]) {
        let fluent = program.atoms.find(rules.keywords.fact, program.atoms.arguments(atom));
        if let Some(Meaning::Fluent(fluent)) = fluent.map(|f| ground.meaning[f.index()]) {
            ground.initial[fluent as usize] = true;
        }
    }
}

/// Reports roles that never have a legal move.
fn report_roles(rules: &Rules, ground: &GroundRules, diagnostics: &mut Diagnostics) {
    for (role, legal) in ground.vocabulary.roles.iter().zip(&ground.legal) {
        if legal.is_empty() {
            let message = format!("role `{role}` has no legal move in any reachable state");
            let place = rules.rules.iter().find(|r| {
                r.head.relation == rules.keywords.role
                    && rules.display_atom(r, &r.head) == format!("(role {role})")
            });
            diagnostics.push(
                Diagnostic::new(&codes::MISSING_LEGAL_ONE_ROLE, place.map(|r| r.head.span), message)
                    .help(format!("add a rule such as `(<= (legal {role} noop) ..)`")),
            );
        }
    }
}

/// What the fixpoint leaves behind.
#[derive(Debug)]
struct Program {
    terms: Terms,
    atoms: Atoms,
    /// Whether the atom can hold.
    possible: Vec<bool>,
    /// Head, first literal and rule of each instance.
    instances: Vec<(AtomId, u32, u32)>,
    literals: Vec<Literal>,
    /// Terms of the fluents that hold at the start.
    initial: Vec<TermId>,
}

/// Names and sorts everything.
fn assemble(rules: &Rules, program: &Program, max_fluents: usize) -> Result<GroundRules, Excess> {
    let Program { terms, atoms, possible, .. } = program;
    let keywords = &rules.keywords;
    let text = |term: TermId| terms.text(term, &rules.symbols);
    let roles: Vec<TermId> = rules.roles.iter().filter_map(|role| find_term(role, terms)).collect();

    let (mut fluents, mut moves, mut percepts) = (Vec::new(), Vec::new(), Vec::new());
    let is_possible = |atom: AtomId| possible.get(atom.index()).copied().unwrap_or(false);
    let all = || (0..atoms.len() as u32).map(AtomId);
    for atom in all().filter(|&a| is_possible(a)) {
        let arguments = atoms.arguments(atom);
        if atoms.relation(atom) == keywords.fact {
            fluents.push((text(arguments[0]), arguments[0]));
        } else if atoms.relation(atom) == keywords.legal && roles.contains(&arguments[0]) {
            moves.push((text(arguments[1]), arguments[1]));
        } else if atoms.relation(atom) == keywords.sees && roles.contains(&arguments[0]) {
            percepts.push((text(arguments[1]), arguments[1]));
        }
    }
    if fluents.len() > max_fluents {
        return Err(Excess::Fluents);
    }
    fluents.sort_unstable();
    moves.sort_unstable();
    moves.dedup();
    percepts.sort_unstable();
    percepts.dedup();
    let number = |list: &[(String, TermId)]| {
        let mut numbers = vec![u32::MAX; terms.len()];
        list.iter().enumerate().for_each(|(i, (_, term))| numbers[term.0 as usize] = i as u32);
        numbers
    };
    let (fluent_of, move_of, percept_of) = (number(&fluents), number(&moves), number(&percepts));

    let mut meaning = vec![Meaning::Derived; atoms.len()];
    let mut does = Vec::new();
    let mut next = vec![None; fluents.len()];
    let mut legal = vec![Vec::new(); roles.len()];
    let mut goal = vec![Vec::new(); roles.len()];
    let mut sees = vec![Vec::new(); roles.len()];
    let mut terminal = None;
    for atom in all().filter(|&a| is_possible(a)) {
        let relation = atoms.relation(atom);
        let arguments = atoms.arguments(atom);
        let role = arguments.first().and_then(|term| roles.iter().position(|r| r == term));
        if relation == keywords.fact {
            meaning[atom.index()] = Meaning::Fluent(fluent_of[arguments[0].0 as usize]);
        } else if relation == keywords.next {
            next[fluent_of[arguments[0].0 as usize] as usize] = Some(atom);
        } else if relation == keywords.terminal {
            terminal = Some(atom);
        } else if let Some(role) = role {
            if relation == keywords.does {
                let action = move_of[arguments[1].0 as usize];
                meaning[atom.index()] = Meaning::Does(role as u32, action);
                does.push((role as u32, action));
            } else if relation == keywords.legal {
                legal[role].push((move_of[arguments[1].0 as usize], atom));
            } else if relation == keywords.goal {
                // Other values were refused by the checker or are reported by it as warnings.
                if let Ok(value) = text(arguments[1]).parse::<u8>() {
                    goal[role].push((value, atom));
                }
            } else if relation == keywords.sees {
                sees[role].push((percept_of[arguments[1].0 as usize], atom));
            }
        }
    }
    does.sort_unstable();
    legal.iter_mut().for_each(|list| list.sort_unstable());
    goal.iter_mut().for_each(|list| list.sort_unstable());
    sees.iter_mut().for_each(|list| list.sort_unstable());
    let chance = rules.chance().and_then(|role| rules.roles.iter().position(|r| r == role));

    let mut initial = vec![false; fluents.len()];
    program.initial.iter().for_each(|term| initial[fluent_of[term.0 as usize] as usize] = true);

    let Grouped { heads, bodies, literals, origins } = group(program);
    Ok(GroundRules {
        vocabulary: Vocabulary {
            roles: roles.iter().map(|&r| text(r)).collect(),
            fluents: fluents.into_iter().map(|(text, _)| text).collect(),
            moves: moves.into_iter().map(|(text, _)| text).collect(),
            percepts: percepts.into_iter().map(|(text, _)| text).collect(),
            chance: chance.map(|role| role as u32),
        },
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
        order: Vec::new(),
    })
}

/// The instances by head: where each atom's start, where each one's literals start, the literals, and
/// the rule of each.
struct Grouped {
    heads: Vec<u32>,
    bodies: Vec<u32>,
    literals: Vec<Literal>,
    origins: Vec<u32>,
}

fn group(program: &Program) -> Grouped {
    let count = program.instances.len();
    let mut by_head: Vec<u32> = (0..count as u32).collect();
    by_head.sort_by_key(|&i| program.instances[i as usize].0);
    let mut heads = vec![0u32; program.atoms.len() + 1];
    program.instances.iter().for_each(|&(head, ..)| heads[head.index() + 1] += 1);
    for i in 1..heads.len() {
        heads[i] += heads[i - 1];
    }
    let mut bodies = Vec::with_capacity(count + 1);
    let mut literals = Vec::with_capacity(program.literals.len());
    let mut origins = Vec::with_capacity(count);
    bodies.push(0);
    for i in by_head {
        let (_, start, rule) = program.instances[i as usize];
        let end = program.instances.get(i as usize + 1).map_or(program.literals.len(), |n| n.1 as usize);
        literals.extend_from_slice(&program.literals[start as usize..end]);
        bodies.push(literals.len() as u32);
        origins.push(rule);
    }
    Grouped { heads, bodies, literals, origins }
}

/// The id of a ground term of the rules, if it has one.
fn find_term(term: &Term, terms: &Terms) -> Option<TermId> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(symbol) => terms.find(*symbol, &[]),
        Term::Function(symbol, arguments) => {
            let arguments: Option<Vec<TermId>> = arguments.iter().map(|a| find_term(a, terms)).collect();
            terms.find(*symbol, &arguments?)
        }
    }
}

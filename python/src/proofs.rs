//! Proofs of properties of a game: the role to move, the sum of goals and the length.
//!
//! There are two methods. The first fixes the fluents of a mutex group in the net, such as those of
//! `control`, to each possible value, and leaves all others open. If at most one role may have a
//! choice in each case, choices are never simultaneous. The second visits all states if play can
//! reach few.
//!
//! The compiler builds the net again. The rest takes at most a second, limited by [`MOST_GATES`],
//! [`MOST_JOINTS`] and [`MOST_WORDS`]. A property that neither method proves may still hold.

use gdl_compiler::{
    Options, Source,
    propnet::{Gate, Net, Signal},
};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::{self, BitBox},
    dynamic::{MoveId, RoleId},
    game::Id,
};
use pyo3::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most operands that the search for the role with a choice reads, and the most members of a
/// group that the compiler did not find.
const MOST_GATES: usize = 1 << 23;
const MOST_MEMBERS: usize = 8;

/// The most joint moves that a visit of all states makes, and the most words of its states and
/// views.
const MOST_JOINTS: usize = 1 << 17;
const MOST_WORDS: usize = 1 << 22;

/// The proofs about a game.
#[pyclass(frozen, module = "gdl")]
#[derive(Clone, Default)]
pub(crate) struct Proofs {
    turns: Option<Turns>,
    /// The sum of the goals of all roles except chance, if it is constant.
    #[pyo3(get)]
    constant_sum: Option<u64>,
    #[pyo3(get)]
    states: Option<usize>,
    /// The greatest numbers of steps, of decision steps and of chance steps in a game.
    longest: Option<[usize; 3]>,
}

/// The role that alone may have a choice, by the fluents of a group.
#[derive(Clone, Default)]
struct Turns {
    /// Each fluent of the group, with the role that may have a choice while it holds.
    cases: Vec<(u32, Option<usize>)>,
    /// The role that may have a choice while none of them holds.
    otherwise: Option<usize>,
    /// Roles with their only legal moves in states where another role has a choice. Empty unless
    /// all states were visited.
    waiting: BTreeSet<(usize, usize)>,
}

#[pymethods]
impl Proofs {
    #[getter]
    fn sequential(&self) -> bool {
        self.turns.is_some()
    }

    #[getter]
    fn max_steps(&self) -> Option<usize> {
        self.longest.map(|[steps, ..]| steps)
    }

    #[getter]
    fn max_decisions(&self) -> Option<usize> {
        self.longest.map(|[_, decisions, _]| decisions)
    }

    #[getter]
    fn max_chances(&self) -> Option<usize> {
        self.longest.map(|[.., chances]| chances)
    }

    fn __repr__(&self) -> String {
        let told = |value: Option<u64>| value.map_or("None".to_owned(), |value| value.to_string());
        let sequential = if self.turns.is_some() { "True" } else { "False" };
        let (sum, states) = (told(self.constant_sum), told(self.states.map(|states| states as u64)));
        let steps = told(self.max_steps().map(|steps| steps as u64));
        format!("Proofs(sequential={sequential}, constant_sum={sum}, states={states}, max_steps={steps})")
    }
}

impl Proofs {
    /// Proves properties of a game, given its rulesheet and the options of the compiler.
    pub(crate) fn of(game: &Dynamic, text: &str, options: &Options) -> Self {
        let vocabulary = game.vocabulary();
        let chance = vocabulary.chance();
        let players: Vec<usize> =
            (0..vocabulary.roles().len()).filter(|&role| Some(role) != chance).collect();
        let mut proofs = visit(game, &players, chance);
        let is_visited = proofs.states.is_some();
        if is_visited && proofs.turns.is_none() {
            return proofs;
        }
        let source = Source::new("rules", text);
        if let Some(net) = gdl_compiler::compile(&source, options).ok().map(|done| done.net) {
            // The net also shows the turn in states without a choice, so its result is preferred.
            proofs.turns = match (turns(&net, &players), proofs.turns) {
                (Some(told), Some(seen)) => Some(Turns { waiting: seen.waiting, ..told }),
                (told, seen) => told.or(seen),
            };
            if !is_visited {
                proofs.constant_sum = opposed(&net, &players);
            }
        }
        proofs
    }

    /// Pairs each fluent of the group with the role that may have a choice while it holds. The
    /// second value is that role while no fluent of the group holds.
    pub(crate) fn turns(&self) -> (Vec<(u32, Option<usize>)>, Option<usize>) {
        self.turns.as_ref().map_or((Vec::new(), None), |turns| (turns.cases.clone(), turns.otherwise))
    }

    /// The role to move in a state where none has a choice, given the players' only moves. By the
    /// group's fluents it is the role that may have a choice; otherwise it is the first role that
    /// does not wait.
    pub(crate) fn speaker(&self, state: &BitBox, only: &[(usize, usize)]) -> Option<usize> {
        let Turns { cases, otherwise, waiting } = self.turns.as_ref()?;
        let holds = |&&(fluent, _): &&(u32, _)| bits::test(state.as_ref(), fluent as usize);
        let told = cases.iter().find(holds).map_or(*otherwise, |&(_, role)| role);
        let acts = only.iter().find(|pair| !waiting.contains(pair)).or(only.first());
        told.or_else(|| acts.map(|&(role, _)| role))
    }
}

/// A group of mutually exclusive fluents.
struct Group {
    members: Vec<u32>,
    exactly_one: bool,
    /// True if mutual exclusion is still to be proved.
    is_guess: bool,
}

/// The mutex groups of the net, small ones first. After these come fluents of one relation, such as
/// `control`, if at most one holds initially, since the compiler does not search large nets for
/// groups.
fn groups(net: &Net) -> Vec<Group> {
    let known = net.mutex_groups.iter().map(|group| {
        let (members, exactly_one) = (group.members.clone(), group.exactly_one);
        Group { members, exactly_one, is_guess: false }
    });
    let mut groups: Vec<Group> = known.collect();
    groups.sort_by_key(|group| group.members.len());
    groups.insert(0, Group { members: Vec::new(), exactly_one: false, is_guess: false });
    let mut relations: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (fluent, text) in (0..).zip(&net.vocabulary.fluents) {
        let head = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or_default();
        relations.entry(head).or_default().push(fluent);
    }
    let start = |members: &[u32]| members.iter().filter(|&&fluent| net.initial[fluent as usize]).count();
    let guesses = relations
        .into_values()
        .filter(|members| (2..=MOST_MEMBERS).contains(&members.len()) && start(members) < 2);
    groups.extend(guesses.map(|members| Group { members, exactly_one: false, is_guess: true }));
    groups
}

/// The role that alone may have a choice in each case, by the first group that proves it. A group
/// proves it if the net shows at most one role with a choice for each value of the group.
fn turns(net: &Net, players: &[usize]) -> Option<Turns> {
    let cost: usize = net.literals() + net.len();
    let mut budget = MOST_GATES;
    groups(net).into_iter().find_map(|Group { members, exactly_one, is_guess }| {
        budget = budget.checked_sub(cost.saturating_mul(members.len() + 1))?;
        let speaker = |holds: Option<u32>| {
            let (mut known, signals) = specialise(net, &members, holds);
            let now = |signal: Signal| signals[signal.gate() as usize].negate_if(signal.is_negated());
            let can_choose = |&&role: &&usize| {
                let open = |&&(_, signal): &&(u32, Signal)| now(signal) != Signal::FALSE;
                net.outputs.legal[role].iter().filter(open).take(2).count() > 1
            };
            let mut able = players.iter().filter(can_choose);
            let (speaker, is_alone) = (able.next().copied(), able.next().is_none());
            // A guess is proved by induction: no two fluents of the next state hold together.
            let next: Vec<Signal> =
                members.iter().map(|&fluent| now(net.outputs.next[fluent as usize])).collect();
            let mut pairs = next
                .iter()
                .enumerate()
                .flat_map(|(i, &one)| next[..i].iter().map(move |&two| vec![one, two]));
            (is_alone && (!is_guess || pairs.all(|pair| known.and(pair) == Signal::FALSE))).then_some(speaker)
        };
        let cases: Option<Vec<_>> =
            members.iter().map(|&fluent| Some((fluent, speaker(Some(fluent))?))).collect();
        let otherwise = if exactly_one { Some(None) } else { speaker(None) };
        Some(Turns { cases: cases?, otherwise: otherwise?, waiting: BTreeSet::new() })
    })
}

/// The net with the fluents of a group fixed: `holds` is true and the others are false. Also
/// returns the signal of each gate of `net` in this net.
fn specialise(net: &Net, members: &[u32], holds: Option<u32>) -> (Net, Vec<Signal>) {
    let mut known = net.without_gates();
    let mut signals: Vec<Signal> = Vec::with_capacity(net.len());
    for gate in 0..net.len() as u32 {
        let signal = match net.gate(gate) {
            Gate::Fluent(fluent) if members.contains(&fluent) => {
                Signal::FALSE.negate_if(Some(fluent) == holds)
            }
            // Inputs keep their numbers.
            Gate::Constant | Gate::Fluent(_) | Gate::Does { .. } => Signal::new(gate, false),
            Gate::And(operands) => {
                let operand = |other: &Signal| signals[other.gate() as usize].negate_if(other.is_negated());
                known.and(operands.iter().map(operand).collect())
            }
        };
        signals.push(signal);
    }
    (known, signals)
}

/// 100 if two roles have opposed goals: one has a value exactly where the other has 100 minus it.
fn opposed(net: &Net, players: &[usize]) -> Option<u64> {
    let &[one, other] = players else { return None };
    let goal = |role: usize, value: u8| {
        let found = net.outputs.goal[role].iter().find(|(other, _)| *other == value);
        found.map_or(Signal::FALSE, |&(_, signal)| signal)
    };
    let is_above = |role: usize| net.outputs.goal[role].iter().any(|&(value, _)| value > 100);
    let is_opposed = (0..=100).all(|value| goal(one, value) == goal(other, 100 - value));
    (is_opposed && !is_above(one) && !is_above(other)).then_some(100)
}

/// The proofs from visiting all states; empty if there are too many states.
fn visit(game: &Dynamic, players: &[usize], chance: Option<usize>) -> Proofs {
    let roles: Vec<RoleId> = game.roles().collect();
    let initial = game.initial();
    let mut numbers: HashMap<BitBox, usize> = HashMap::from([(initial.clone(), 0)]);
    let mut states = vec![initial];
    // For each visited state the counts of its step, and its distinct successors.
    let mut acting: Vec<[usize; 3]> = Vec::new();
    let mut following: Vec<Vec<usize>> = Vec::new();
    let shape = game.shape();
    // Interpreted rules are much slower, so fewer joint moves are allowed.
    let slow = if game.table().is_some() { 1 } else { 256 };
    let most = MOST_JOINTS.min(MOST_WORDS / (shape.state_words() + shape.view_words()).max(1)) / slow;
    let (mut sum, mut turns, mut joints) = (None, true, 0_usize);
    let mut waiting = BTreeSet::new();
    let mut view = game.new_view();
    while acting.len() < states.len() {
        let state = states[acting.len()].clone();
        game.observe(&state, &mut view);
        let legal: Vec<Vec<MoveId>> =
            roles.iter().map(|&role| game.legal_moves_in(&view, role).collect()).collect();
        let ways = legal.iter().try_fold(1, |product: usize, moves| product.checked_mul(moves.len()));
        if game.is_terminal_in(&view) || ways == Some(0) {
            let goals = players.iter().map(|&role| game.goal_in(&view, roles[role]).map(u64::from));
            let goals: Option<u64> = goals.sum();
            let goals = goals.filter(|_| game.is_terminal_in(&view)).unwrap_or(50 * players.len() as u64);
            sum = Some(if sum.is_none_or(|sum| sum == Some(goals)) { Some(goals) } else { None });
            acting.push([0; 3]);
            following.push(Vec::new());
            continue;
        }
        joints = joints.saturating_add(ways.unwrap_or(usize::MAX));
        if joints > most {
            return Proofs::default();
        }
        let choosers = players.iter().filter(|&&role| legal[role].len() > 1).count();
        let draws = chance.is_some_and(|role| legal[role].len() > 1);
        turns &= choosers <= 1;
        if choosers == 1 {
            let only = players.iter().filter(|&&role| legal[role].len() == 1);
            waiting.extend(only.map(|&role| (role, legal[role][0].index())));
        }
        acting.push([1, usize::from(choosers > 0 || !draws), usize::from(draws)]);
        let mut next = Vec::new();
        for mut rank in 0..ways.unwrap_or(0) {
            let joint = legal.iter().map(|moves| {
                let action = moves[rank % moves.len()];
                rank /= moves.len();
                action
            });
            let after = game.apply_unchecked(&state, &joint.collect::<Vec<_>>());
            let fresh = states.len();
            let number = *numbers.entry(after).or_insert_with_key(|after| {
                states.push(after.clone());
                fresh
            });
            next.push(number);
        }
        next.sort_unstable();
        next.dedup();
        following.push(next);
    }
    Proofs {
        turns: turns.then(|| Turns { waiting, ..Turns::default() }),
        constant_sum: sum.flatten(),
        states: Some(states.len()),
        longest: longest(&acting, &following),
    }
}

/// The greatest sums of counts along any path from the initial state; `None` if the graph has a
/// cycle.
fn longest(counted: &[[usize; 3]], following: &[Vec<usize>]) -> Option<[usize; 3]> {
    let mut before = vec![0_usize; counted.len()];
    following.iter().flatten().for_each(|&state| before[state] += 1);
    let mut sums = vec![[0; 3]; counted.len()];
    let mut ready = if before.first() == Some(&0) { vec![0] } else { Vec::new() };
    let (mut done, mut most) = (0, [0; 3]);
    while let Some(state) = ready.pop() {
        done += 1;
        for place in 0..3 {
            most[place] = most[place].max(sums[state][place]);
        }
        for &next in &following[state] {
            for place in 0..3 {
                sums[next][place] = sums[next][place].max(sums[state][place] + counted[state][place]);
            }
            before[next] -= 1;
            if before[next] == 0 {
                ready.push(next);
            }
        }
    }
    (done == counted.len()).then_some(most)
}

//! The factors of a puzzle: groups of fluents that change without regard to each other, proved on its net.
//!
//! Given a move, the next value of each fluent is a function of fluents, and so is each condition for a move to be legal. Two
//! fluents are of one group if such a function depends on both; there is no group for clocks, which change whatever the moves
//! (after Günther, Schiffel and Thielscher, "Factoring general games", 2009, and Hufschmitt, Vittaut and Jouandeau, "Exploiting
//! game decompositions in Monte Carlo tree search", 2019). What is found is a graph that gives, for each group, its steps: moves
//! that do the same to the group are one. The proof errs on one side: groups that are told apart are independent, but for the end
//! of the puzzle and for moves that change several of them at once.

use super::gates::dependents;
use gdl_format::aig::{Aig, FALSE, TRUE, here, node};
use gdl_runtime::{
    engine::{Circuit, Table},
    game::Shape,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::{cmp::Reverse, collections::BTreeMap};

/// More gates than this, one by one for all moves or all groups, gates that moves change, or next values of fluents, take too long.
const MOST_GATES: usize = 1 << 25;
const MOST_CHANGES: usize = 1 << 21;
const MOST_VALUES: usize = 1 << 22;

/// A graph of more nodes takes too many bytes.
const MOST_NODES: usize = 1 << 17;

/// What a move does to the fluents of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Step {
    /// The signals that must be set, as far as they depend on nothing but the group and clocks.
    pub(super) conditions: Vec<u32>,
    /// For each fluent of the group the signal of its next value.
    pub(super) next: Vec<u32>,
}

/// Fluents that no fluent of another group has to do with.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) fluents: Vec<u32>,
    /// The clocks that its steps depend on, and the signals of their next values.
    pub(super) clocks: Vec<(u32, u32)>,
    /// What moves do to the group. To change nothing is a step where clocks matter, so that time may pass.
    pub(super) steps: Vec<Step>,
    /// The puzzle is over where one of these signals is set.
    pub(super) ends: Vec<u32>,
}

/// What a signal depends on, clocks aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    Nothing,
    Group(u32),
    Groups,
}

/// The groups of a puzzle and their functions.
pub(super) struct Factors {
    /// Its inputs are the fluents.
    pub(super) graph: Aig,
    /// Two at least, in the order of their first fluents.
    pub(super) groups: Vec<Group>,
    /// The goal values, ascending, and the signals that say if they hold.
    pub(super) goals: Vec<(u8, u32)>,
    /// For each node of the graph.
    support: Vec<Support>,
}

impl Factors {
    /// For the one role of a game; none if all fluents are of one group, or there is too much to look at.
    pub(super) fn new(table: &Table, clocks: &[u32]) -> Option<Self> {
        let [observe, advance] = table.circuits();
        let Shape { fluents, roles, .. } = table.shape();
        let moves = table.vocabulary().moves_of(0).len();
        if roles != 1 || moves * advance.size() + observe.size() > MOST_GATES || moves * fluents > MOST_VALUES
        {
            return None;
        }
        let mut graph = Aig::new(fluents);
        let inputs: Vec<u32> = (0..=fluents as u32).map(|node| 2 * node).collect();
        let gates = (0..observe.size()).map(|gate| observe.gate(gate));
        let seen = graph.extend(inputs.clone(), gates, |_| true);
        let seen: Vec<u32> = observe.outputs().iter().map(|&signal| here(&seen, signal)).collect();
        let conditions: Vec<Vec<u32>> = seen[..moves].iter().map(|&legal| conjuncts(&graph, legal)).collect();
        let next = next_values(&mut graph, advance, inputs, moves)?;

        let mut is_clock = vec![false; fluents];
        clocks.iter().for_each(|&clock| is_clock[clock as usize] = true);
        let apart = least_groups(&graph, &is_clock, &next, &conditions);
        let fluents = serial(&apart, &next).or_else(|| parallel(&apart, &next))?;
        if fluents.len() * graph.nodes() > MOST_GATES {
            return None;
        }
        let support = support(&graph, &fluents);
        let ends = conjuncts(&graph, seen[seen.len() - 1] ^ 1);
        let mut groups: Vec<Group> = Vec::new();
        for (number, fluents) in fluents.into_iter().enumerate() {
            let of = |signal: &u32| support[node(*signal)];
            let own = Support::Group(number as u32);
            let still: Vec<u32> = fluents.iter().map(|fluent| 2 * (1 + fluent)).collect();
            let (mut steps, mut known, mut rests) = (Vec::new(), FxHashSet::default(), false);
            for (next, conditions) in next.iter().zip(&conditions) {
                let next = values(&fluents, next);
                if next == still {
                    rests = true;
                    continue;
                }
                let conditions = conditions.iter().copied();
                let conditions = conditions.filter(|part| [own, Support::Nothing].contains(&of(part)));
                let step = Step { conditions: conditions.collect(), next };
                if known.insert(step.clone()) {
                    steps.push(step);
                }
            }
            let ends = ends.iter().copied().filter(|end| of(end) == own).map(|end| end ^ 1).collect();
            let mut group = Group { fluents, clocks: Vec::new(), steps, ends };
            group.clocks = clocks_of(&graph, &group, &is_clock, &next[0]);
            if rests && !group.clocks.is_empty() {
                group.steps.push(Step { conditions: Vec::new(), next: still });
            }
            groups.push(group);
        }
        let goals = table.vocabulary().goals_of(0).iter().copied();
        let goals = goals.zip(seen[moves..].iter().copied()).collect();
        Some(Self { graph, groups, goals, support })
    }

    /// How many fluents the puzzle has.
    pub(super) fn fluents(&self) -> usize {
        self.graph.first() - 1
    }

    /// What a signal depends on.
    pub(super) fn support(&self, signal: u32) -> Support {
        self.support[node(signal)]
    }

    /// The signals of which a signal is the conjunction.
    pub(super) fn conjuncts(&self, signal: u32) -> Vec<u32> {
        conjuncts(&self.graph, signal)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        // Each gate has its operands and its entry in a map.
        let graph = 24 * self.graph.gates().len() + 8 * self.support.len();
        let words = |step: &Step| 4 * (step.conditions.len() + step.next.len());
        graph + self.groups.iter().flat_map(|group| &group.steps).map(words).sum::<usize>()
    }
}

/// For each move the signals of the next values of all fluents; none if there are too many gates. Gates that a move does not change
/// are those of no move.
fn next_values(graph: &mut Aig, advance: &Circuit, inputs: Vec<u32>, moves: usize) -> Option<Vec<Vec<u32>>> {
    let first_move = inputs.len();
    let mut signals = inputs;
    signals.resize(first_move + moves, FALSE);
    let gates = (0..advance.size()).map(|gate| advance.gate(gate));
    let still = graph.extend(signals, gates, |_| true);
    let mut signals = still.clone();
    let mut is_other = vec![false; still.len()];
    let mut next = Vec::with_capacity(moves);
    let mut changes = 0;
    for place in 0..moves {
        (signals[first_move + place], is_other[first_move + place]) = (TRUE, true);
        for gate in 0..advance.size() {
            let (at, [a, b]) = (advance.inputs() + gate, advance.gate(gate));
            if is_other[node(a)] || is_other[node(b)] {
                signals[at] = graph.and(here(&signals, a), here(&signals, b));
                changes += 1;
            } else {
                signals[at] = still[at];
            }
            is_other[at] = signals[at] != still[at];
        }
        if changes > MOST_CHANGES || graph.nodes() > MOST_NODES {
            return None;
        }
        next.push(advance.outputs().iter().map(|&signal| here(&signals, signal)).collect());
        (signals[first_move + place], is_other[first_move + place]) = (FALSE, false);
    }
    Some(next)
}

/// The signals of which a signal is the conjunction, each once.
fn conjuncts(graph: &Aig, signal: u32) -> Vec<u32> {
    let (mut parts, mut pending, mut seen) = (Vec::new(), vec![signal], FxHashSet::default());
    while let Some(signal) = pending.pop() {
        if !seen.insert(signal) {
            continue;
        }
        match node(signal).checked_sub(graph.first()) {
            Some(gate) if signal & 1 == 0 => pending.extend(graph.gates()[gate]),
            _ => parts.push(signal),
        }
    }
    parts.sort_unstable();
    parts
}

/// The next values of some fluents, given those of all.
fn values(fluents: &[u32], next: &[u32]) -> Vec<u32> {
    fluents.iter().map(|&fluent| next[fluent as usize]).collect()
}

/// Groups as small as can be, by their first fluents.
fn least_groups(graph: &Aig, is_clock: &[bool], next: &[Vec<u32>], conditions: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let gates = graph.gates();
    let is_input = std::iter::once(false).chain(is_clock.iter().map(|clock| !clock)).collect();
    let varies = dependents(is_input, gates.len(), |gate| gates[gate]);
    let changing = || (0..is_clock.len()).filter(|&fluent| !is_clock[fluent]);
    let values = next.iter().flat_map(|next| changing().map(|fluent| next[fluent]));
    let wanted = graph.cone(values.chain(conditions.iter().flatten().copied()));
    let mut parent: Vec<usize> = (0..graph.nodes()).collect();
    for (gate, pair) in gates.iter().enumerate().filter(|&(gate, _)| wanted[graph.first() + gate]) {
        for &operand in pair.iter().filter(|&&operand| varies[node(operand)]) {
            join(&mut parent, graph.first() + gate, node(operand));
        }
    }
    for next in next {
        for fluent in changing().filter(|&fluent| varies[node(next[fluent])]) {
            join(&mut parent, 1 + fluent, node(next[fluent]));
        }
    }
    let mut groups = BTreeMap::<usize, Vec<u32>>::new();
    for fluent in changing() {
        groups.entry(root(&mut parent, 1 + fluent)).or_default().push(fluent as u32);
    }
    groups.into_values().collect()
}

/// Groups of which a move changes one: to all others it does what most moves do. None if that is one group.
fn serial(groups: &[Vec<u32>], next: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    let mut parent: Vec<usize> = (0..groups.len()).collect();
    let mut first = vec![None; next.len()];
    for (group, fluents) in groups.iter().enumerate() {
        let effects = effects(fluents, next);
        let mut counts = vec![0; next.len()];
        effects.iter().for_each(|&effect| counts[effect] += 1);
        let usual = (0..counts.len()).max_by_key(|&effect| (counts[effect], Reverse(effect)));
        for (first, &effect) in first.iter_mut().zip(&effects) {
            if Some(effect) != usual {
                join(&mut parent, *first.get_or_insert(group), group);
            }
        }
    }
    joined(groups, &mut parent)
}

/// Groups to which moves do all that they do to any of two, whatever they do to the other. None if that is one group.
fn parallel(groups: &[Vec<u32>], next: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
    const MOST_GROUPS: usize = 64;
    if groups.len() > MOST_GROUPS {
        return None;
    }
    let effects: Vec<Vec<usize>> = groups.iter().map(|fluents| effects(fluents, next)).collect();
    let mut parent: Vec<usize> = (0..groups.len()).collect();
    for (a, of_a) in effects.iter().enumerate() {
        for (b, of_b) in effects.iter().enumerate().skip(a + 1) {
            let pairs: FxHashSet<_> = of_a.iter().zip(of_b).collect();
            let counts = [of_a, of_b].map(|effects| effects.iter().max().map_or(0, |last| last + 1));
            if pairs.len() < counts[0] * counts[1] {
                join(&mut parent, a, b);
            }
        }
    }
    joined(groups, &mut parent)
}

/// For each move the number of what it does to some fluents, numbered as they come.
fn effects(fluents: &[u32], next: &[Vec<u32>]) -> Vec<usize> {
    let mut known = FxHashMap::default();
    let number = |next: &Vec<u32>| {
        let count = known.len();
        *known.entry(values(fluents, next)).or_insert(count)
    };
    next.iter().map(number).collect()
}

/// Sets of groups as one; none if that is a single set.
fn joined(groups: &[Vec<u32>], parent: &mut [usize]) -> Option<Vec<Vec<u32>>> {
    let mut sets = BTreeMap::<usize, Vec<u32>>::new();
    for (group, fluents) in groups.iter().enumerate() {
        sets.entry(root(parent, group)).or_default().extend(fluents);
    }
    (sets.len() > 1).then(|| sets.into_values().collect())
}

/// Makes one set of two.
fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// The least of the set of a node.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// What each node depends on.
fn support(graph: &Aig, groups: &[Vec<u32>]) -> Vec<Support> {
    let mut support = vec![Support::Nothing; graph.first()];
    for (number, fluents) in groups.iter().enumerate() {
        fluents.iter().for_each(|&fluent| support[1 + fluent as usize] = Support::Group(number as u32));
    }
    for &[a, b] in graph.gates() {
        support.push(match (support[node(a)], support[node(b)]) {
            (Support::Nothing, other) | (other, Support::Nothing) => other,
            (a, b) if a == b => a,
            _ => Support::Groups,
        });
    }
    support
}

/// The clocks that the steps of a group depend on, those that these depend on, and so on; with the signals of their next values,
/// which are the same for all moves. O(nodes).
fn clocks_of(graph: &Aig, group: &Group, is_clock: &[bool], next: &[u32]) -> Vec<(u32, u32)> {
    let steps = group.steps.iter().flat_map(|step| step.conditions.iter().chain(&step.next));
    let mut pending: Vec<usize> = steps.chain(&group.ends).map(|&signal| node(signal)).collect();
    let (mut clocks, mut seen) = (Vec::new(), vec![false; graph.nodes()]);
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if let Some(gate) = at.checked_sub(graph.first()) {
            pending.extend(graph.gates()[gate].map(node));
        } else if let Some(fluent) = at.checked_sub(1).filter(|&fluent| is_clock[fluent]) {
            clocks.push((fluent as u32, next[fluent]));
            pending.push(node(next[fluent]));
        }
    }
    clocks.sort_unstable();
    clocks
}

#[cfg(all(test, feature = "load"))]
mod tests {
    use super::*;
    use crate::search::planner::outlook::Outlook;
    use gdl_runtime::{Dynamic, Game, load};

    fn factors(game: &Dynamic) -> Option<Factors> {
        let table = game.table().expect("a small game");
        Factors::new(table, Outlook::new(table).expect("a puzzle").clocks())
    }

    #[test]
    fn boards_are_groups_and_what_moves_do_to_one_are_its_steps() {
        for (text, boards, fluents) in [
            (include_str!("../../../../tests/search/rulesheets/two_eight_puzzles.kif"), 2, 81),
            (include_str!("../../../../tests/search/rulesheets/two_eight_puzzles_abreast.kif"), 2, 81),
            (include_str!("../../../../tests/search/rulesheets/six_lights_out.kif"), 6, 9),
        ] {
            let game = load(text).expect("a sound rulesheet");
            let factors = factors(&game).expect("several boards");
            assert_eq!(factors.groups.len(), boards);
            for group in &factors.groups {
                let names = group.fluents.iter().map(|&fluent| &game.vocabulary().fluents()[fluent as usize]);
                let boards: FxHashSet<Option<&str>> = names.map(|name| name.split(' ').nth(1)).collect();
                assert_eq!((boards.len(), group.fluents.len(), group.steps.len()), (1, fluents, 9));
                assert!(group.clocks.is_empty(), "the boards do not ask for the step");
            }
        }
    }

    #[test]
    fn one_board_is_no_sum() {
        for text in [
            include_str!("../../../../games/puzzles/eight_puzzle.kif"),
            include_str!("../../../../games/puzzles/lights_out.kif"),
            include_str!("../../../../games/puzzles/sokoban.kif"),
        ] {
            assert!(factors(&load(text).expect("a sound rulesheet")).is_none());
        }
    }
}

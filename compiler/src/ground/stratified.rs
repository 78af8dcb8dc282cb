//! The order of ground atoms, and the test that no negation lies on a cycle.
//!
//! [`order`] sorts the derived atoms of [`GroundRules`] so that each comes after all atoms that it
//! depends on. The atoms of a cycle form one group. It fails with the [`Cycle`]s that contain a
//! negation. Fluents and moves are inputs, so a dependency on the previous state forms no cycle.
//! O(literals of the ground rules), and at most [`WORK`] more literals to show cycles.

use super::{GroundProgram, GroundRules, Literal, Meaning, terms::AtomId};
use crate::{Diagnostic, Rules, diagnostic::codes, graph};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A cycle of atoms with a negation: each depends on the next, the last on the first.
#[derive(Debug)]
pub(super) struct Cycle {
    /// Each atom, the rule through which it depends on the next one, and true if the dependency is
    /// negative.
    steps: Vec<(AtomId, usize, bool)>,
}

/// The number of literals that may be visited to show further cycles after the first.
const WORK: usize = 1_000_000;

/// Orders the derived atoms. If negations lie on cycles, returns one cycle for each rule with such
/// a negation, except for rules on earlier cycles. Stops after [`WORK`] visited literals.
/// O(literals).
pub(super) fn order(ground: &GroundRules) -> Result<Vec<Vec<AtomId>>, Vec<Cycle>> {
    let derived: Vec<AtomId> = (0..ground.meaning.len() as u32)
        .map(AtomId)
        .filter(|a| ground.meaning[a.index()] == Meaning::Derived && ground.possible[a.index()])
        .collect();
    let mut place = vec![u32::MAX; ground.meaning.len()];
    derived.iter().enumerate().for_each(|(i, a)| place[a.index()] = i as u32);
    let inner = |literal: &Literal| {
        let place = place[literal.atom().index()];
        (place != u32::MAX).then_some(place as usize)
    };
    let mut groups: Vec<Vec<AtomId>> = Vec::new();
    graph::components(
        derived.len(),
        |node, out| out.extend(ground.bodies(derived[node]).flatten().filter_map(inner)),
        |members| {
            let mut group: Vec<AtomId> = members.iter().map(|&m| derived[m]).collect();
            group.sort_unstable();
            groups.push(group);
        },
    );
    let mut cycles: Vec<Cycle> = Vec::new();
    let mut told: FxHashSet<usize> = FxHashSet::default();
    let mut left = WORK;
    for group in &groups {
        // A trace visits each literal of a group at most once.
        let size: usize = group.iter().flat_map(|&atom| ground.bodies(atom)).map(|body| 1 + body.len()).sum();
        let members: FxHashSet<AtomId> = group.iter().copied().collect();
        for &head in group {
            for (rule, body) in ground.instances(head) {
                let negated = body.iter().find(|l| l.is_negated() && members.contains(&l.atom()));
                let Some(negated) = negated.filter(|_| !told.contains(&rule)) else { continue };
                if !cycles.is_empty() {
                    let Some(less) = left.checked_sub(size) else { return Err(cycles) };
                    left = less;
                }
                let cycle = trace(ground, &members, head, rule, negated.atom());
                told.extend(cycle.steps.iter().map(|&(_, rule, _)| rule));
                cycles.push(cycle);
            }
        }
    }
    if cycles.is_empty() { Ok(groups) } else { Err(cycles) }
}

/// Computes the truth of each atom. `given` returns whether a fluent or a move holds. O(literals).
pub(super) fn evaluate(ground: &GroundRules, given: impl Fn(Meaning) -> bool) -> Vec<bool> {
    let given = |&meaning: &Meaning| meaning != Meaning::Derived && given(meaning);
    let mut truths: Vec<bool> = ground.meaning.iter().map(given).collect();
    for group in &ground.order {
        let holds = |literal: &Literal| truths[literal.atom().index()] != literal.is_negated();
        if let [atom] = group[..] {
            // A positive dependency on itself does not make an atom true.
            truths[atom.index()] = ground.bodies(atom).any(|body| body.iter().all(holds));
        } else {
            close(ground, group, &mut truths);
        }
    }
    truths
}

/// Computes the least fixpoint of a cycle (Dowling and Gallier, 1984). Each instance counts the
/// members of the cycle in its body that are still false.
fn close(ground: &GroundRules, group: &[AtomId], truths: &mut [bool]) {
    let mut users: FxHashMap<AtomId, Vec<usize>> = group.iter().map(|&atom| (atom, Vec::new())).collect();
    // The head of each instance, and the number of members that it waits for.
    let mut waiting: Vec<(AtomId, usize)> = Vec::new();
    let mut found = Vec::new();
    for &head in group {
        for body in ground.bodies(head) {
            let mut count = 0;
            let mut fails = false;
            for literal in body {
                match users.get_mut(&literal.atom()) {
                    Some(list) => {
                        list.push(waiting.len());
                        count += 1;
                    }
                    None => fails |= truths[literal.atom().index()] == literal.is_negated(),
                }
            }
            if count == 0 && !fails {
                found.push(head);
            }
            waiting.push((head, if fails { usize::MAX } else { count }));
        }
    }
    while let Some(atom) = found.pop() {
        if std::mem::replace(&mut truths[atom.index()], true) {
            continue;
        }
        for &instance in &users[&atom] {
            let (head, count) = &mut waiting[instance];
            *count -= 1;
            if *count == 0 {
                found.push(*head);
            }
        }
    }
}

/// Finds the shortest path from `target` back to `head` inside the group, and closes it by the
/// negative edge.
fn trace(
    ground: &GroundRules,
    members: &FxHashSet<AtomId>,
    head: AtomId,
    rule: usize,
    target: AtomId,
) -> Cycle {
    let mut from: FxHashMap<AtomId, (AtomId, usize, bool)> = FxHashMap::default();
    let mut queue = VecDeque::from([target]);
    while let Some(atom) = queue.pop_front() {
        if atom == head {
            break;
        }
        for (rule, body) in ground.instances(atom) {
            for literal in body.iter().filter(|l| members.contains(&l.atom())) {
                let next = literal.atom();
                if next != target && !from.contains_key(&next) {
                    from.insert(next, (atom, rule, literal.is_negated()));
                    queue.push_back(next);
                }
            }
        }
    }
    let mut steps = Vec::new();
    let mut atom = head;
    while atom != target {
        let &(before, rule, negated) = from.get(&atom).expect("in one component");
        steps.push((before, rule, negated));
        atom = before;
    }
    steps.push((head, rule, true));
    steps.rotate_right(1);
    // The steps go from the head through the negation to the target, and on to the head.
    steps[1..].reverse();
    Cycle { steps }
}

/// The number of edges that a message shows from the start of a long cycle. It leaves out the
/// others except the last.
const SHOWN: usize = 12;

impl Cycle {
    /// Builds a diagnostic for the cycle with a place for each of the first [`SHOWN`] edges.
    pub(super) fn diagnostic(&self, rules: &Rules, program: &GroundProgram) -> Diagnostic {
        let name = |atom: AtomId| {
            let relation = program.atoms.relation(atom);
            (relation.index() < rules.relations.len()).then(|| {
                let mut text = rules.relation_name(relation).to_owned();
                for &argument in program.atoms.arguments(atom) {
                    text.push(' ');
                    text.push_str(&program.terms.brief(argument, &rules.symbols));
                }
                if program.atoms.arguments(atom).is_empty() { text } else { format!("({text})") }
            })
        };
        // Atoms that stand for an `or` have no name; the edges around them are shown as one.
        let mut named: Vec<(String, usize, bool)> = Vec::new();
        for &(atom, rule, negated) in &self.steps {
            match (name(atom), named.last_mut()) {
                (Some(text), _) => named.push((text, rule, negated)),
                (None, Some(last)) => last.2 ^= negated,
                (None, None) => {}
            }
        }
        let unnamed = named.len() < self.steps.len();
        let code = match (unnamed, named.len()) {
            (true, _) => &codes::UNSTRATIFIED_IN_OR,
            (false, 1) => &codes::UNSTRATIFIED_DIRECT,
            (false, _) => &codes::UNSTRATIFIED_CYCLE,
        };
        let mut path = named.first().map_or_else(String::new, |(text, ..)| text.clone());
        let hidden = SHOWN..named.len().saturating_sub(1).max(SHOWN);
        for (i, (_, _, negated)) in named.iter().enumerate() {
            if i == hidden.start && hidden.len() > 1 {
                path.extend([" <- .. ", &hidden.len().to_string(), " more .."]);
            }
            if hidden.len() > 1 && hidden.contains(&i) {
                continue;
            }
            let next = &named[(i + 1) % named.len()].0;
            path.push_str(if *negated { " <- not " } else { " <- " });
            path.push_str(next);
        }
        let span = |rule: usize| rules.rules[rule].span;
        let help = "use `true` facts in one of these rules: a relation may not depend on its own negation";
        let edge = |i: usize| {
            let (text, rule, negated) = &named[i];
            let next = &named[(i + 1) % named.len()].0;
            let verb = if *negated { "depends on `not`" } else { "depends on" };
            (span(*rule), format!("`{text}` {verb} `{next}` here"))
        };
        let mut edges = (0..named.len().min(SHOWN)).map(edge);
        let first = edges.next();
        let place = first.as_ref().map(|(span, _)| *span);
        let mut diagnostic = Diagnostic::new(code, place, format!("negation on a cycle: {path}")).help(help);
        if let Some((_, text)) = first.filter(|_| named.len() > 1) {
            diagnostic = diagnostic.note(text);
        }
        for (span, text) in edges {
            diagnostic = diagnostic.label(span, text);
        }
        diagnostic
    }
}

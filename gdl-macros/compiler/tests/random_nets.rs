//! Every pass keeps what random nets do: in all states that play can reach, and for all legal joint moves.

use gdl_compiler::{
    meter::Meter,
    optimize,
    propnet::{Gate, Net, Outputs, Signal, Vocabulary},
};
use std::collections::BTreeSet;

const FLUENTS: usize = 6;
const MOVES: usize = 4;

/// Numbers that look random: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }

    /// One of the signals or its complement.
    fn signal(&mut self, signals: &[Signal]) -> Signal {
        let signal = signals[self.below(signals.len())];
        signal.negate_if(self.below(2) == 1)
    }
}

/// A net of two roles. Legality, goals and ends depend on the state; next states and percepts on moves too.
fn random_net(seed: u64) -> Net {
    let mut random = Numbers(seed);
    let vocabulary = Vocabulary {
        roles: vec!["p".to_owned(), "q".to_owned()],
        // Names that give groups to try.
        fluents: (0..FLUENTS).map(|f| format!("(at {} {})", f / 3, f % 3)).collect(),
        moves: (0..MOVES).map(|m| format!("m{m}")).collect(),
        percepts: vec!["seen".to_owned()],
        chance: None,
    };
    let does = (0..2).flat_map(|role| (0..MOVES as u32).map(move |action| (role, action))).collect();
    let initial = (0..FLUENTS).map(|_| random.below(5) < 2).collect();
    let mut net = Net::new(vocabulary, initial, does);
    let mut state: Vec<Signal> = (0..FLUENTS).map(|f| net.fluent(f)).collect();
    grow(&mut net, &mut state, &mut random);
    let mut moving = state.clone();
    moving.extend((0..2 * MOVES).map(|position| net.does_at(position)));
    grow(&mut net, &mut moving, &mut random);
    grow(&mut net, &mut moving, &mut random);
    let mut draw = |signals: &[Signal]| random.signal(signals);
    net.outputs = Outputs {
        next: (0..FLUENTS).map(|_| draw(&moving)).collect(),
        // The first move is always there, so that play goes on.
        legal: (0..2)
            .map(|_| {
                (0..MOVES as u32).map(|m| (m, if m == 0 { Signal::TRUE } else { draw(&state) })).collect()
            })
            .collect(),
        goal: (0..2).map(|_| vec![(0, draw(&state)), (100, draw(&state))]).collect(),
        terminal: draw(&state),
        sees: Some(vec![vec![(0, draw(&moving))], Vec::new()]),
    };
    net
}

/// Adds conjunctions of two to five signals, with complements.
fn grow(net: &mut Net, signals: &mut Vec<Signal>, random: &mut Numbers) {
    for _ in 0..8 {
        let operands = (0..2 + random.below(4)).map(|_| random.signal(signals)).collect();
        let gate = net.and(operands);
        if !gate.is_constant() {
            signals.push(gate);
        }
    }
}

/// The values of signals in a state, under a joint move.
fn values(net: &Net, state: &[bool], joint: [u32; 2], signals: &[Signal]) -> Vec<bool> {
    let mut values = Vec::new();
    for gate in 0..net.len() as u32 {
        values.push(match net.gate(gate) {
            Gate::Constant => false,
            Gate::Fluent(fluent) => state[fluent as usize],
            Gate::Does { role, action } => joint[role as usize] == action,
            Gate::And(operands) => operands.iter().all(|s| values[s.gate() as usize] != s.is_negated()),
        });
    }
    signals.iter().map(|s| values[s.gate() as usize] != s.is_negated()).collect()
}

/// All that can be seen in a state.
fn shown(net: &Net) -> Vec<Signal> {
    let legal = net.outputs.legal.iter().flatten().map(|&(_, s)| s);
    let goal = net.outputs.goal.iter().flatten().map(|&(_, s)| s);
    legal.chain(goal).chain([net.outputs.terminal]).collect()
}

/// All that comes of a step.
fn stepped(net: &Net) -> Vec<Signal> {
    net.outputs.next.iter().copied().chain(net.percepts().flatten().map(|&(_, s)| s)).collect()
}

/// Compares the net of each ply in all states that play comes to by so many moves.
fn compare_plies(net: &Net, plies: &optimize::Plies, context: &str) {
    let mut states = BTreeSet::from([net.initial.clone()]);
    for (number, ply) in plies.nets.iter().enumerate() {
        let mut next = BTreeSet::new();
        for state in &states {
            let context = format!("{context}, ply {number}: state {state:?}");
            let view = values(net, state, [u32::MAX; 2], &shown(net));
            assert_eq!(view, values(ply, state, [u32::MAX; 2], &shown(ply)), "{context}");
            if view.last() == Some(&true) {
                continue;
            }
            for (role, count) in plies.counts[number].iter().enumerate() {
                let legal = view[role * MOVES..(role + 1) * MOVES].iter().filter(|&&legal| legal).count();
                assert!(count.is_none_or(|count| count == legal), "{context}");
            }
            for joint in (0..MOVES * MOVES).map(|j| [j % MOVES, j / MOVES]) {
                if view[joint[0]] && view[MOVES + joint[1]] {
                    let joint = joint.map(|action| action as u32);
                    let step = values(net, state, joint, &stepped(net));
                    assert_eq!(step, values(ply, state, joint, &stepped(ply)), "{context}, moves {joint:?}");
                    next.insert(step[..FLUENTS].to_vec());
                }
            }
        }
        states = next;
    }
    assert!(states.is_empty(), "{context}: games are over after the last ply");
}

/// Compares two nets, and says how many states play reaches.
fn compare(left: &Net, right: &Net, context: &str) -> usize {
    const NONE: [u32; 2] = [u32::MAX; 2];
    let mut seen = BTreeSet::from([left.initial.clone()]);
    let mut queue = vec![left.initial.clone()];
    while let Some(state) = queue.pop() {
        let view = values(left, &state, NONE, &shown(left));
        assert_eq!(view, values(right, &state, NONE, &shown(right)), "{context}: state {state:?}");
        if view.last() == Some(&true) {
            continue;
        }
        for joint in (0..MOVES * MOVES).map(|j| [j % MOVES, j / MOVES]) {
            if !view[joint[0]] || !view[MOVES + joint[1]] {
                continue;
            }
            let joint = joint.map(|action| action as u32);
            let step = values(left, &state, joint, &stepped(left));
            let context = format!("{context}: state {state:?}, moves {joint:?}");
            assert_eq!(step, values(right, &state, joint, &stepped(right)), "{context}");
            let next = step[..FLUENTS].to_vec();
            for latch in &right.latches {
                let [before, after] = [&state, &next].map(|state| state[latch.fluent as usize]);
                assert!(before != latch.value || after == latch.value, "{context}: {latch:?}");
            }
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    for group in &right.exclusive {
        for state in &seen {
            let count = group.members.iter().filter(|&&fluent| state[fluent as usize]).count();
            assert!(count == 1 || count == 0 && !group.one_holds, "{context}: {group:?} in {state:?}");
        }
    }
    seen.len()
}

#[test]
fn passes_keep_what_nets_do() {
    let (mut states, mut groups, mut latches, mut short) = (0, 0, 0, 0);
    for seed in 0..1_000 {
        let net = random_net(seed);
        let mut optimised = net.clone();
        for (name, pass) in optimize::PASSES {
            let alone = pass(&net, &mut Meter::of(u64::MAX)).expect("there is fuel");
            states += compare(&net, &alone, &format!("seed {seed}, {name} alone"));
            optimised = pass(&optimised, &mut Meter::of(u64::MAX)).expect("there is fuel");
            compare(&net, &optimised, &format!("seed {seed}, {name}"));
        }
        groups += optimised.exclusive.len();
        latches += optimised.latches.len();
        if let Some(plies) = optimize::plies(&optimised, &mut Meter::of(u64::MAX)) {
            short += 1;
            compare_plies(&net, &plies, &format!("seed {seed}"));
        }
        // The net at each point of the cycle steps as the whole one does there.
        let phases = optimize::phases(&optimised, &mut Meter::of(u64::MAX)).unwrap_or_default();
        let mut state = net.initial.clone();
        for (number, phase) in phases.iter().enumerate() {
            let context = format!("seed {seed}, phase {number}");
            let view = values(&net, &state, [0, 0], &shown(&net));
            assert_eq!(view, values(phase, &state, [0, 0], &shown(phase)), "{context}");
            if view.last() == Some(&true) {
                break;
            }
            let step = values(&net, &state, [0, 0], &stepped(&net));
            assert_eq!(step, values(phase, &state, [0, 0], &stepped(phase)), "{context}");
            state = step[..FLUENTS].to_vec();
        }
    }
    assert!(short > 100, "{short} short games");
    assert!(
        states > 25_000 && groups > 50 && latches > 500,
        "{states} states, {groups} groups, {latches} latches"
    );
}

/// Compares a game with the one that ends early: it is over in other states only if all play from there has their goals,
/// one for each role; where it is not over all is alike. Returns how many states are over in it alone.
fn compare_early(net: &Net, early: &Net, context: &str) -> usize {
    const NONE: [u32; 2] = [u32::MAX; 2];
    let goals = |state: &[bool]| {
        let signals: Vec<Signal> = net.outputs.goal.iter().flatten().map(|&(_, s)| s).collect();
        values(net, state, NONE, &signals)
    };
    let terminal = |net: &Net, state: &[bool]| values(net, state, NONE, &[net.outputs.terminal])[0];
    let mut decided = 0;
    for state in reached(net, &net.initial, |state| terminal(early, state)) {
        let context = format!("{context}: state {state:?}");
        let [view, other] = [net, early].map(|net| values(net, &state, NONE, &shown(net)));
        let last = view.len() - 1;
        assert_eq!(view[..last], other[..last], "{context}");
        assert!(other[last] || !view[last], "{context}");
        if other[last] && !view[last] {
            decided += 1;
            let goals_here = goals(&state);
            for role in goals_here.chunks(2) {
                assert_eq!(role.iter().filter(|&&holds| holds).count(), 1, "{context}");
            }
            for later in reached(net, &state, |state| terminal(net, state)) {
                assert_eq!(goals(&later), goals_here, "{context}, later {later:?}");
            }
        } else if !other[last] {
            for joint in legal_joints(&view) {
                let steps = [net, early].map(|net| values(net, &state, joint, &stepped(net)));
                assert_eq!(steps[0], steps[1], "{context}, moves {joint:?}");
            }
        }
    }
    decided
}

/// The legal joint moves of what is shown.
fn legal_joints(view: &[bool]) -> impl Iterator<Item = [u32; 2]> {
    let joints = (0..MOVES * MOVES).map(|j| [j % MOVES, j / MOVES]);
    let legal = joints.filter(|joint| view[joint[0]] && view[MOVES + joint[1]]);
    legal.map(|joint| joint.map(|action| action as u32))
}

/// The states that play from one comes to, itself included, if it goes on in those that are not `over`.
fn reached(net: &Net, state: &[bool], over: impl Fn(&[bool]) -> bool) -> BTreeSet<Vec<bool>> {
    let mut seen = BTreeSet::from([state.to_vec()]);
    let mut queue = vec![state.to_vec()];
    while let Some(state) = queue.pop() {
        if over(&state) {
            continue;
        }
        let view = values(net, &state, [u32::MAX; 2], &shown(net));
        for joint in legal_joints(&view) {
            let next = values(net, &state, joint, &stepped(net))[..FLUENTS].to_vec();
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    seen
}

#[test]
fn games_end_early_where_goals_are_decided() {
    let (mut nets, mut states) = (0, 0);
    for seed in 0..1_000 {
        let mut net = random_net(seed);
        // One goal in every state.
        for goal in &mut net.outputs.goal {
            goal[0].1 = !goal[1].1;
        }
        let mut meter = Meter::of(u64::MAX);
        let optimised = optimize::optimize(net.clone(), &mut meter);
        let Some(early) = optimize::early(&optimised, &mut meter) else { continue };
        let decided = compare_early(&net, &early.net, &format!("seed {seed}"));
        nets += usize::from(decided > 0);
        states += decided;
    }
    assert!(nets > 80 && states > 100, "{states} states of {nets} nets");
}

#[test]
fn play_goes_on_alike_without_fluents_that_have_no_influence() {
    let mut dead = 0;
    for seed in 0..1_000 {
        let net = random_net(seed);
        let influential = net.influential();
        if !influential.contains(&false) {
            continue;
        }
        let turned = |state: &[bool]| -> Vec<bool> {
            state.iter().zip(&influential).map(|(holds, influential)| holds == influential).collect()
        };
        dead += influential.iter().filter(|&&influential| !influential).count();
        for number in 0..1 << FLUENTS {
            let state: Vec<bool> = (0..FLUENTS).map(|fluent| number >> fluent & 1 == 1).collect();
            let [left, right] = [state.clone(), turned(&state)].map(|state| {
                let joints = (0..MOVES * MOVES).map(|j| [(j % MOVES) as u32, (j / MOVES) as u32]);
                let steps = joints.map(|joint| {
                    let mut step = values(&net, &state, joint, &stepped(&net));
                    step.iter_mut().zip(&influential).for_each(|(holds, &influential)| *holds &= influential);
                    step
                });
                (values(&net, &state, [u32::MAX; 2], &shown(&net)), steps.collect::<Vec<_>>())
            });
            assert_eq!(left, right, "seed {seed}, state {state:?}");
        }
    }
    assert!(dead > 50, "{dead} fluents");
}

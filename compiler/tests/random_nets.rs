//! Tests that every pass preserves random nets of many shapes: in reachable states, for legal joint
//! moves, up to a bound. Each pass must also end in time.

use gdl_compiler::{
    meter::Meter,
    optimize,
    propnet::{Gate, Net, Outputs, Signal, Vocabulary},
};
use gdl_format::lanes::Cycle;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::mpsc,
    thread,
    time::Duration,
};

/// The most states in which two nets are compared.
const STATES: usize = 64;

/// The most joint moves that are made in a state.
const JOINTS: usize = 16;

/// The time that the passes may take with one net, about ten thousand times their usual time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pseudorandom generator: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }

    /// Draws one of the signals or its complement.
    fn signal(&mut self, signals: &[Signal]) -> Signal {
        let signal = signals[self.below(signals.len())];
        signal.negate_if(self.below(2) == 1)
    }
}

/// A random net under construction.
struct Draft {
    random: Numbers,
    net: Net,
    moves: usize,
    /// The signals that depend only on the state.
    state: Vec<Signal>,
    /// The signals that may also depend on moves.
    moving: Vec<Signal>,
}

/// Creates an empty net with the given numbers of roles, moves of each role, and fluents, whose
/// names are candidates for mutex groups.
fn draft(seed: u64, roles: usize, moves: usize, fluents: usize, width: usize) -> Draft {
    let mut random = Numbers(seed);
    let vocabulary = Vocabulary {
        roles: (0..roles).map(|role| format!("r{role}")).collect(),
        fluents: (0..fluents).map(|f| format!("(at {} {})", f / width, f % width)).collect(),
        // Names must be in ascending order.
        moves: (0..moves).map(|m| format!("m{m:02}")).collect(),
        percepts: vec!["seen".to_owned()],
        chance: None,
    };
    let does = (0..roles as u32).flat_map(|role| (0..moves as u32).map(move |action| (role, action)));
    let initial = (0..fluents).map(|_| random.below(5) < 2).collect();
    let net = Net::new(vocabulary, initial, does.collect());
    let state: Vec<Signal> = (0..fluents).map(|f| net.fluent(f)).collect();
    Draft { random, net, moves, state, moving: Vec::new() }
}

impl Draft {
    /// Adds conjunctions of two to five signals, with complements.
    fn grow(&mut self, is_moving: bool) {
        let signals = if is_moving { &mut self.moving } else { &mut self.state };
        for _ in 0..8 {
            let operands = (0..2 + self.random.below(4)).map(|_| self.random.signal(signals)).collect();
            let gate = self.net.and(operands);
            if !gate.is_constant() {
                signals.push(gate);
            }
        }
    }

    /// Starts the signals that may depend on moves: those of the state and the `does` inputs.
    fn move_on(&mut self) {
        self.moving.clone_from(&self.state);
        self.moving.extend((0..self.net.does().len()).map(|position| self.net.does_at(position)));
    }

    fn does(&self, role: usize, action: usize) -> Signal {
        self.net.does_at(role * self.moves + action)
    }

    /// Draws a signal "a role makes one of some moves", for at most `most` moves.
    fn choice(&mut self, most: usize) -> Signal {
        let role = self.random.below(self.net.vocabulary.roles.len());
        let count = 1 + self.random.below(most.min(self.moves));
        let first = self.random.below(self.moves);
        let moves = (0..count).map(|action| self.does(role, (first + action) % self.moves)).collect();
        self.net.or(moves)
    }

    /// Draws a tree of conjunctions and disjunctions of moves and fluents, `depth` levels deep.
    fn tree(&mut self, depth: usize) -> Signal {
        if depth == 0 {
            return match self.random.below(4) {
                0 => self.choice(4),
                1 => self.choice(self.moves),
                2 => self.random.signal(&self.moving),
                _ => self.random.signal(&self.state),
            };
        }
        let wide = if self.random.below(12) == 0 { 20 } else { 3 };
        let parts: Vec<Signal> = (0..2 + self.random.below(wide)).map(|_| self.tree(depth - 1)).collect();
        let gate = if self.random.below(2) == 0 { self.net.and(parts) } else { self.net.or(parts) };
        gate.negate_if(self.random.below(4) == 0)
    }

    /// Draws the next value of a fluent: any signal, a latch, a frame, or a signal of moves.
    fn follow(&mut self, fluent: usize) -> Signal {
        let itself = self.net.fluent(fluent);
        let depth = self.random.below(4);
        match self.random.below(8) {
            0 => self.random.signal(&self.moving),
            // A latch stays true once it is true, or stays false once it is false.
            1 => {
                let other = self.tree(depth);
                self.net.or(vec![itself, other])
            }
            2 => {
                let other = self.tree(depth);
                self.net.and(vec![itself, other])
            }
            // A frame: the fluent stays except for some moves, or if one of many moves is made.
            3 => {
                let (gone, come) = (self.choice(3), self.tree(depth));
                let stays = self.net.and(vec![itself, !gone]);
                self.net.or(vec![stays, come])
            }
            4 => {
                let kept = self.choice(self.moves);
                self.net.and(vec![itself, kept])
            }
            // Moves of one role next to moves or fluents, for which complements are made.
            5 => {
                let (own, mixed) = (self.choice(3), self.choice(2));
                let beside = self.random.signal(&self.state);
                let mixed = self.net.or(vec![mixed, beside]);
                self.net.and(vec![own, mixed])
            }
            _ => self.tree(depth),
        }
    }

    /// Completes the net with drawn outputs; `next` has the next values of the fluents.
    fn finish(mut self, next: Vec<Signal>) -> Net {
        let roles = self.net.vocabulary.roles.len();
        let Self { random, state, moving, moves, .. } = &mut self;
        // The first move is always legal, so that games continue.
        let legal = |m| if m == 0 { Signal::TRUE } else { random.signal(state) };
        let legal: Vec<Signal> = (0..roles * *moves).map(|place| place % *moves).map(legal).collect();
        let legal = legal.chunks(*moves).map(|chunk| (0..).zip(chunk.iter().copied()).collect());
        let sees =
            (0..roles).map(|role| if role == 0 { vec![(0, random.signal(moving))] } else { Vec::new() });
        self.net.outputs = Outputs {
            next,
            legal: legal.collect(),
            sees: Some(sees.collect()),
            goal: (0..roles).map(|_| vec![(0, random.signal(state)), (100, random.signal(state))]).collect(),
            terminal: random.signal(state),
        };
        self.net
    }
}

/// Draws an unstructured net of two roles. Legality, goals and ends depend on the state; next
/// states and percepts also depend on moves.
fn random_net(seed: u64) -> Net {
    let mut draft = draft(seed, 2, 4, 6, 3);
    draft.grow(false);
    draft.move_on();
    draft.grow(true);
    draft.grow(true);
    let next = (0..6).map(|_| draft.random.signal(&draft.moving)).collect();
    draft.finish(next)
}

/// Draws a net of one of many shapes, with up to four roles and twelve moves. It may have latches,
/// frames, nested disjunctions of moves, wide gates, and fluents that follow a cycle or count the
/// steps of a short game.
fn shaped_net(seed: u64) -> Net {
    let mut sizes = Numbers(!seed);
    let roles = 1 + sizes.below(4);
    let moves = 2 + sizes.below(if roles > 2 { 5 } else { 11 });
    let fluents = 3 + sizes.below(8);
    let phases = [0, 2, 3, 4, 5][sizes.below(5)].min(fluents);
    let is_clock = sizes.below(2) == 0;
    let mut draft = draft(seed, roles, moves, fluents, if phases > 1 { phases } else { 1 + sizes.below(3) });
    draft.grow(false);
    draft.move_on();
    draft.grow(true);
    // The first fluents hold one after the other, in a cycle or as a clock that stops.
    (0..phases).for_each(|phase| draft.net.initial[phase] = phase == 0);
    let next = (0..fluents).map(|fluent| match fluent {
        0 if phases > 0 && is_clock => Signal::FALSE,
        fluent if fluent < phases => draft.net.fluent((fluent + phases - 1) % phases),
        fluent => draft.follow(fluent),
    });
    let next: Vec<Signal> = next.collect();
    let mut net = draft.finish(next);
    if sizes.below(4) > 0 {
        // A single random signal as the end would make most initial states terminal.
        let fluents: Vec<Signal> = (0..fluents).map(|fluent| net.fluent(fluent)).collect();
        let ends = (0..3).map(|_| sizes.signal(&fluents)).collect();
        net.outputs.terminal = net.and(ends);
    }
    if phases > 0 && is_clock {
        let (last, other) = (net.fluent(phases - 1), net.outputs.terminal);
        net.outputs.terminal = if sizes.below(2) == 0 { last } else { net.or(vec![last, other]) };
    }
    net
}

/// Draws a net of a board on which moves lead from each square to each other one and take the piece
/// along. As exceptions, products are missing, have another rest, or occur twice for one move.
fn board_net(seed: u64) -> Net {
    let mut sizes = Numbers(!seed);
    let (squares, kinds, roles) = (3 + sizes.below(2), 2 + sizes.below(2), 1 + sizes.below(2));
    let leads: Vec<(usize, usize)> = (0..squares * squares)
        .map(|number| (number / squares, number % squares))
        .filter(|(from, to)| from != to)
        .collect();
    let mut draft = draft(seed, roles, leads.len(), squares * kinds, kinds);
    draft.grow(false);
    draft.move_on();
    let exceptions = 8 << sizes.below(6);
    let next: Vec<Signal> = (0..squares * kinds)
        .map(|fluent| {
            let (to, kind) = (fluent / kinds, fluent % kinds);
            let mut products = Vec::new();
            let mut entered = Vec::new();
            for (role, action) in
                (0..roles).flat_map(|role| (0..leads.len()).map(move |action| (role, action)))
            {
                let does = draft.does(role, action);
                let (from, end) = leads[action];
                let mut rest = vec![draft.net.fluent(from * kinds + kind), does];
                if end == to {
                    entered.push(!does);
                }
                match sizes.below(exceptions) {
                    0 => continue,
                    1 => rest[0] = draft.random.signal(&draft.state),
                    2 => rest.push(draft.random.signal(&draft.state)),
                    3 => rest.push(draft.random.signal(&draft.moving)),
                    4 => {
                        let again = vec![draft.random.signal(&draft.state), does];
                        products.push(draft.net.and(again));
                    }
                    5 => rest[1] = draft.choice(3),
                    6 => {}
                    _ if end != to => continue,
                    _ => {}
                }
                products.push(draft.net.and(rest));
            }
            entered.push(draft.net.fluent(fluent));
            products.push(draft.net.and(entered));
            draft.net.or(products)
        })
        .collect();
    draft.finish(next)
}

/// Computes the values of signals in a state, under a joint move.
fn values(net: &Net, state: &[bool], joint: &[u32], signals: &[Signal]) -> Vec<bool> {
    let mut values = Vec::new();
    for gate in 0..net.len() as u32 {
        values.push(match net.gate(gate) {
            Gate::Constant => false,
            Gate::Fluent(fluent) => state[fluent as usize],
            Gate::Does { role, action } => joint.get(role as usize) == Some(&action),
            Gate::And(operands) => operands.iter().all(|s| values[s.gate() as usize] != s.is_negated()),
        });
    }
    signals.iter().map(|s| values[s.gate() as usize] != s.is_negated()).collect()
}

/// The signals of a view: legal moves, goals and the end.
fn shown(net: &Net) -> Vec<Signal> {
    let legal = net.outputs.legal.iter().flatten().map(|&(_, s)| s);
    let goal = net.outputs.goal.iter().flatten().map(|&(_, s)| s);
    legal.chain(goal).chain([net.outputs.terminal]).collect()
}

/// Computes the view of a state.
fn view(net: &Net, state: &[bool]) -> Vec<bool> {
    values(net, state, &[], &shown(net))
}

/// The signals of a step: next values and percepts.
fn stepped(net: &Net) -> Vec<Signal> {
    net.outputs.next.iter().copied().chain(net.percepts().flatten().map(|&(_, s)| s)).collect()
}

/// Computes the result of a step: the next state, then the percepts.
fn step(net: &Net, state: &[bool], joint: &[u32]) -> Vec<bool> {
    values(net, state, joint, &stepped(net))
}

/// Returns the legal moves of each role in a view.
fn legal_moves(net: &Net, view: &[bool]) -> Vec<Vec<u32>> {
    let mut view = view.iter();
    let legal = net.outputs.legal.iter();
    legal
        .map(|legal| {
            let here = legal.iter().zip(view.by_ref());
            here.filter(|(_, legal)| **legal).map(|(&(action, _), _)| action).collect()
        })
        .collect()
}

/// Returns the legal joint moves of a view, at most `JOINTS` of them.
fn legal_joints(net: &Net, view: &[bool]) -> Vec<Vec<u32>> {
    let legal = legal_moves(net, view);
    let count: usize = legal.iter().map(Vec::len).product();
    // Each joint move is a number in mixed radix.
    let joint = |mut number: usize| {
        let mut choose = |moves: &Vec<u32>| {
            let action = moves[number % moves.len()];
            number /= moves.len();
            action
        };
        legal.iter().map(&mut choose).collect()
    };
    if count <= JOINTS {
        return (0..count).map(joint).collect();
    }
    let mut random = Numbers(count as u64);
    (0..JOINTS).map(|_| joint(random.below(count))).collect()
}

/// Draws a net of roles that take turns to mark an empty cell, until a line of one role ends the
/// game. As exceptions, marks disappear, move, are made by other moves, or hold initially. Some
/// lines have a further condition, and some do not end the game.
fn line_net(seed: u64) -> Net {
    let mut sizes = Numbers(!seed);
    let (roles, cells) = (2 + sizes.below(3), 2 + sizes.below(3));
    let mut draft = draft(seed, roles, 1 + cells, roles * (1 + cells), roles);
    let is_empty = sizes.below(3) > 0;
    for (fluent, holds) in draft.net.initial.iter_mut().enumerate() {
        *holds = if fluent < roles { fluent == 0 } else { *holds && !is_empty };
    }
    draft.move_on();
    let exceptions = 6 << sizes.below(5);
    let mark = |cell: usize, role: usize| Signal::new((1 + roles * (1 + cell) + role) as u32, false);
    let turn = |role: usize| Signal::new(1 + role as u32, false);
    let next = (0..roles * (1 + cells)).map(|fluent| {
        if fluent < roles {
            return turn((fluent + roles - 1) % roles);
        }
        let (cell, role) = (fluent / roles - 1, fluent % roles);
        let (itself, come) = (mark(cell, role), draft.does(role, 1 + cell));
        let other = draft.does(sizes.below(roles), sizes.below(1 + cells));
        match sizes.below(exceptions) {
            0 => draft.follow(fluent),
            1 => {
                let stays = draft.net.and(vec![itself, !other]);
                draft.net.or(vec![stays, come])
            }
            2 => draft.net.or(vec![itself, come, other]),
            3 => {
                let (stays, moves) = (vec![itself, !other], vec![other, mark(sizes.below(cells), role)]);
                let parts = [stays, moves, vec![come]].map(|part| draft.net.and(part));
                draft.net.or(parts.to_vec())
            }
            _ => draft.net.or(vec![itself, come]),
        }
    });
    let next: Vec<Signal> = next.collect();
    let mut net = draft.finish(next);
    let (mut ends, mut marked) = (Vec::new(), Vec::new());
    for cell in 0..cells {
        marked.push(net.or((0..roles).map(|role| mark(cell, role)).collect()));
    }
    for role in 0..roles {
        let mut lines = Vec::new();
        for _ in 0..=sizes.below(3) {
            let mut line: Vec<Signal> =
                (0..2 + sizes.below(2)).map(|_| mark(sizes.below(cells), role)).collect();
            if sizes.below(exceptions) == 0 {
                line.push(mark(sizes.below(cells), sizes.below(roles)).negate_if(sizes.below(2) == 0));
            }
            lines.push(net.and(line));
        }
        if sizes.below(exceptions) > 0 {
            ends.extend_from_slice(&lines);
        }
        let won = net.or(lines);
        net.outputs.goal[role] = vec![(0, !won), (100, won)];
        let full = net.and(marked.clone());
        net.outputs.legal[role][0].1 = net.or(vec![full, !turn(role)]);
        for cell in 0..cells {
            net.outputs.legal[role][1 + cell].1 = net.and(vec![turn(role), !marked[cell]]);
        }
    }
    if sizes.below(2) == 0 {
        ends.push(net.and(marked));
    }
    net.outputs.terminal = net.or(ends);
    net
}

/// Compares the net of each ply with the whole net, in states that play reaches after that number
/// of moves.
fn compare_plies(net: &Net, plies: &optimize::Plies, context: &str) {
    let fluents = net.initial.len();
    let mut states = BTreeSet::from([net.initial.clone()]);
    for (number, ply) in plies.nets.iter().enumerate() {
        let mut next = BTreeSet::new();
        for state in states.iter().take(STATES) {
            let context = format!("{context}, ply {number}: state {state:?}");
            let seen = view(net, state);
            assert_eq!(seen, view(ply, state), "{context}");
            if seen.last() == Some(&true) {
                continue;
            }
            for (legal, count) in legal_moves(net, &seen).iter().zip(&plies.counts[number]) {
                assert!(count.is_none_or(|count| count == legal.len()), "{context}");
            }
            for joint in legal_joints(net, &seen) {
                let after = step(net, state, &joint);
                assert_eq!(after, step(ply, state, &joint), "{context}, moves {joint:?}");
                next.insert(after[..fluents].to_vec());
            }
        }
        states = next;
    }
    assert!(states.is_empty(), "{context}: games are over after the last ply");
}

/// Compares two nets in reachable states. Returns the number of states compared.
fn compare(left: &Net, right: &Net, context: &str) -> usize {
    let fluents = left.initial.len();
    let mut seen = BTreeSet::from([left.initial.clone()]);
    let mut queue = vec![left.initial.clone()];
    while let Some(state) = queue.pop() {
        let shown = view(left, &state);
        assert_eq!(shown, view(right, &state), "{context}: state {state:?}");
        if shown.last() == Some(&true) {
            continue;
        }
        for joint in legal_joints(left, &shown) {
            let after = step(left, &state, &joint);
            let context = format!("{context}: state {state:?}, moves {joint:?}");
            assert_eq!(after, step(right, &state, &joint), "{context}");
            let next = after[..fluents].to_vec();
            if seen.len() < STATES && seen.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    for group in &right.mutex_groups {
        for state in &seen {
            let count = group.members.iter().filter(|&&fluent| state[fluent as usize]).count();
            assert!(count == 1 || count == 0 && !group.exactly_one, "{context}: {group:?} in {state:?}");
        }
    }
    seen.len()
}

/// The totals over all nets.
#[derive(Debug, Default)]
struct Totals {
    states: usize,
    groups: usize,
    /// The number of nets with ends that the last step cannot have caused.
    impossible_ends: usize,
    /// The number of nets with plies.
    short: usize,
    /// The number of nets with phases.
    cyclic: usize,
}

/// Runs each pass on nets, alone and after the passes before it, and compares the results.
fn compare_passes(seeds: std::ops::Range<u64>, make: fn(u64) -> Net) -> Totals {
    let (tell, told) = mpsc::channel();
    let worker = thread::spawn(move || {
        let mut totals = Totals::default();
        for seed in seeds {
            // The receiver is dropped after a net has taken too long.
            if tell.send(seed).is_err() {
                break;
            }
            compare_net(seed, &make(seed), &mut totals);
        }
        totals
    });
    let mut last = None;
    loop {
        match told.recv_timeout(PATIENCE) {
            Ok(seed) => last = Some(seed),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the passes do not end with seed {last:?}"),
        }
    }
    worker.join().expect("all agree")
}

fn compare_net(seed: u64, net: &Net, totals: &mut Totals) {
    let mut optimised = net.clone();
    for (name, pass) in optimize::PASSES {
        let alone = pass(net, &mut Meter::of(u64::MAX)).expect("there is fuel");
        totals.states += compare(net, &alone, &format!("seed {seed}, {name} alone"));
        let after = pass(&optimised, &mut Meter::of(u64::MAX)).expect("there is fuel");
        compare(&optimised, &after, &format!("seed {seed}, {name}"));
        totals.impossible_ends +=
            usize::from(*name == "drop_impossible_ends" && after.to_string() != optimised.to_string());
        optimised = after;
    }
    compare(net, &optimised, &format!("seed {seed}, all passes"));
    totals.groups += optimised.mutex_groups.len();
    if let Some(plies) = optimize::plies(&optimised, &mut Meter::of(u64::MAX)) {
        totals.short += 1;
        compare_plies(net, &plies, &format!("seed {seed}"));
    }
    // The net at each phase of the cycle advances as the whole net does there.
    let phases = optimize::phases(&optimised, &mut Meter::of(u64::MAX));
    totals.cyclic += usize::from(phases.is_some());
    let (phases, cycle) = phases
        .map_or_else(|| (vec![optimised.clone()], Cycle::still()), |phases| (phases.nets, phases.cycle));
    assert_eq!(BTreeSet::from_iter(&cycle.values).len(), phases.len(), "seed {seed}: phases alike");
    for (phase, fluents) in phases.iter().map(|phase| (phase, &cycle.fluents)) {
        let read = phase.cone(phase.outputs.iter());
        let read = fluents.iter().find(|&&fluent| read[phase.fluent(fluent as usize).gate() as usize]);
        assert_eq!(read, None, "seed {seed}: a phase reads what tells it");
    }
    let mut random = Numbers(seed);
    let mut state = net.initial.clone();
    for number in 0..3 * phases.len() {
        let phase = &phases[number % phases.len()];
        let context = format!("seed {seed}, phase {number}: state {state:?}");
        let here = cycle.fluents.iter().map(|&fluent| state[fluent as usize]);
        assert!(here.eq(cycle.values[number % phases.len()].iter().copied()), "{context}");
        let seen = view(net, &state);
        assert_eq!(seen, view(phase, &state), "{context}");
        if seen.last() == Some(&true) {
            break;
        }
        let joints = legal_joints(net, &seen);
        for joint in &joints {
            assert_eq!(step(net, &state, joint), step(phase, &state, joint), "{context}, moves {joint:?}");
        }
        let joint = &joints[random.below(joints.len())];
        state = step(net, &state, joint)[..net.initial.len()].to_vec();
    }
}

#[test]
fn passes_keep_what_nets_do() {
    let totals = compare_passes(0..1_000, random_net);
    println!("{totals:?}");
    assert!(totals.short > 100 && totals.states > 25_000, "{totals:?}");
    assert!(totals.groups > 50, "{totals:?}");
}

/// Passes preserve nets of many shapes. `GDL_CASES` sets the number of nets, `GDL_SEED` the first
/// seed.
#[test]
fn passes_keep_what_nets_of_many_shapes_do() {
    let setting = |name, default| {
        std::env::var(name).map_or(default, |value| value.parse::<u64>().expect("a whole number"))
    };
    let (first, cases) = (setting("GDL_SEED", 0), setting("GDL_CASES", 2_000));
    let totals = compare_passes(first..first + cases, shaped_net);
    println!("{cases} nets: {totals:?}");
    let cases = cases as usize;
    assert!(totals.states > 20 * cases, "{totals:?}");
    assert!(
        10 * totals.short > cases && 10 * totals.cyclic > cases && 20 * totals.groups > cases,
        "{totals:?}"
    );
}

#[test]
fn passes_keep_what_nets_of_boards_do() {
    let totals = compare_passes(0..80, board_net);
    println!("{totals:?}");
    assert!(totals.states > 1_300, "{totals:?}");
    let operations = |net: &Net| net.operations();
    let factored = |seed: &u64| {
        let net = board_net(*seed);
        let after = optimize::factor_moves(&net, &mut Meter::of(u64::MAX)).expect("there is fuel");
        operations(&after) < operations(&net)
    };
    let factored = (0..80).filter(factored).count();
    assert!(factored > 15, "{factored} of 80 have fewer operations");
}

/// Counts the operations after slow sharing, which repeatedly extracts the most frequent pair of
/// operands of equal height, the first one of equals.
fn operations_shared(net: &Net) -> usize {
    let live = net.cone(net.outputs.iter());
    let gates = (net.inputs()..net.len()).filter(|&gate| live[gate]);
    let mut lists: Vec<Vec<Signal>> = gates
        .filter_map(|gate| match net.gate(gate as u32) {
            Gate::And(operands) => Some(operands.to_vec()),
            _ => None,
        })
        .collect();
    let mut heights = vec![0; net.len()];
    loop {
        let mut counts: BTreeMap<[Signal; 2], usize> = BTreeMap::new();
        for list in &lists {
            for (place, &left) in list.iter().enumerate() {
                let others = list[place + 1..].iter();
                let height = |s: Signal| heights[s.gate() as usize];
                for &right in others.filter(|&&right| height(right) == height(left)) {
                    *counts.entry([left, right]).or_default() += 1;
                }
            }
        }
        let Some((pair, count)) = counts.into_iter().max_by_key(|&(pair, count)| (count, Reverse(pair)))
        else {
            break;
        };
        if count < 2 {
            break;
        }
        let part = Signal::new(heights.len() as u32, false);
        heights.push(1 + heights[pair[0].gate() as usize]);
        for list in lists.iter_mut().filter(|list| pair.iter().all(|s| list.contains(s))) {
            list.retain(|s| !pair.contains(s));
            list.push(part);
        }
    }
    let parts = heights.len() - net.len();
    // A list of a single part needs no further gate.
    parts + lists.iter().map(|list| list.len() - 1).sum::<usize>()
}

#[test]
fn the_most_frequent_pairs_are_shared_first() {
    let (mut gained, mut same) = (0, 0);
    for seed in 0..400 {
        let net = [random_net, shaped_net, board_net, line_net][seed as usize % 4](seed);
        let net = optimize::factor(&net, &mut Meter::of(u64::MAX)).expect("there is fuel");
        let shared = optimize::share(&net, &mut Meter::of(u64::MAX)).expect("there is fuel").operations();
        let expected = operations_shared(&net);
        // Some new gates become equal or absorb each other, so there may be fewer operations.
        assert!(shared <= expected, "seed {seed}: {shared} operations, {expected} by the slow way");
        gained += net.operations() - shared;
        same += usize::from(shared == expected);
    }
    assert!(gained > 1_000 && same > 366, "{gained} operations gained, {same} nets alike");
}

#[test]
fn passes_keep_what_nets_of_lines_do() {
    let totals = compare_passes(0..1_000, line_net);
    println!("{totals:?}");
    assert!(totals.states > 10_000 && totals.cyclic > 500 && totals.impossible_ends > 500, "{totals:?}");
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
        for number in 0..1 << net.initial.len() {
            let state: Vec<bool> = (0..net.initial.len()).map(|fluent| number >> fluent & 1 == 1).collect();
            let [left, right] = [state.clone(), turned(&state)].map(|state| {
                let joints = (0..4).flat_map(|one| (0..4).map(move |two| [one, two]));
                let steps = joints.map(|joint| {
                    let mut step = step(&net, &state, &joint);
                    step.iter_mut().zip(&influential).for_each(|(holds, &influential)| *holds &= influential);
                    step
                });
                (view(&net, &state), steps.collect::<Vec<_>>())
            });
            assert_eq!(left, right, "seed {seed}, state {state:?}");
        }
    }
    assert!(dead > 50, "{dead} fluents");
}

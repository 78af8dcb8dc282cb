//! Compiles the nets of a game to lane programs, which play 512 games at once: every signal is a
//! word of 512 bits, one for each game.
//!
//! ```text
//! net -- lower, gates (score, restart) --> resubstitution --> cover --> schedule (table),
//! for each phase of the cycle: observe, keep, score, advance            straight (Rust)
//! ```
//!
//! Words are stored in slots, as [`gdl_format::lanes`] defines them: the fluents follow the first
//! slots, which have a fixed meaning. If players take turns, each phase of the cycle has its own
//! programs. Games start at the first phase: lanes whose game is over get the initial state and its
//! legal moves in the same step.
//!
//! Short games also have programs for each ply ([`Plies`]). These form a cycle of their own, in
//! which all games start and end together.
//!
//! Gates of these programs also mask idle lanes and start new games, though a program that only
//! computes successors of given states needs neither. A separate pass would take an operation for
//! each fluent and each legal move.
//!
//! Goals matter only where games end, and few games end in one step. If the goals alone need more
//! than `LATE` gates for each fluent that they depend on, for example to count pieces, they are
//! not observed in each step. Instead, states in which a game ends are kept, and scored many at a
//! time.
//!
//! Each phase is laid out at most twice. A layout takes a bounded number of steps and bytes for
//! each gate, which a [`Meter`] pays for in advance. The meter must also have the bytes of the
//! slots in sixteen threads. Otherwise the game has no lanes.

mod cover;
mod resubstitution;
mod schedule;
mod score;
pub(super) mod straight;

use super::{lower, pays};
use crate::{
    meter::Meter,
    optimize::{Phases, Plies},
    propnet::Net,
};
use cover::Cover;
use gdl_format::{
    aig::{Aig, FALSE, TRUE},
    lanes::{
        self, Choice, Cycle, ENDED, FLUENTS, FRESH, IDLE, Item, MOST_COUNTED, MOST_SLOTS, SCORED, SLOT_BYTES,
        Schedule, TERMINAL,
    },
};
use resubstitution::resubstitute;
use rustc_hash::FxHashMap;
use std::slice;

/// States are kept for scoring if the goals alone need more than this number of gates for each
/// fluent that they depend on. Keeping a fluent takes one operation, which covers about two gates,
/// and the goals must still be computed for the kept states.
const LATE: usize = 4;

/// The steps and bytes to cover and schedule a gate, and the bytes of a resulting operation.
const GATE: (u64, usize) = (60, 320);
const OPERATION: usize = 48;

/// The share of the remaining steps that resubstitution may take in a program: one part in this
/// number.
const RESUBSTITUTED: u64 = 32;

/// The number of threads whose slots must fit into the bytes that a stage of the compiler may keep.
const THREADS: usize = 16;

/// The programs that play a game in lanes.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The programs for each phase of the cycle, starting with the phase of the initial state.
    pub(super) phases: Vec<LanePhase>,
    /// The fluents that identify the phases.
    cycle: Cycle,
    /// The programs for each ply, if games from the initial state use them; otherwise empty.
    pub(super) plies: Vec<LanePhase>,
}

/// The programs of a phase of the cycle.
#[derive(Clone, Debug)]
pub(super) struct LanePhase {
    pub(super) observe: Part,
    /// The program that keeps the states in which games have ended; empty if `observe` computes the
    /// scores.
    pub(super) keep: Part,
    /// The program that scores the states that are kept.
    pub(super) score: Part,
    pub(super) advance: Part,
    pub(super) roles: Vec<Choice>,
    /// The outputs that are counted or only observed, each with its slot.
    pub(super) items: Vec<(Item, u32)>,
}

/// A program of a phase: its operations, and the slots that they read and write.
#[derive(Clone, Debug)]
pub(super) struct Part {
    cover: Cover,
    /// The slot of each input of the cover, the constant's first.
    inputs: Vec<u32>,
    /// The slot of each output, which may be the slot of an input.
    outputs: Vec<u32>,
    /// The first slot that is free for other values.
    free: u32,
    /// The operations in the order of the table.
    pub(super) schedule: Schedule,
}

impl Lanes {
    /// Makes the lanes of a net, and of its plies if it has some. Uses its
    /// [`phases`](crate::optimize::phases) if these save at least a tenth of the operations.
    /// O(gates).
    ///
    /// Returns `None` if there are more values than slots, or the meter runs out. It also returns
    /// `None` if the initial state is terminal, or a role has no legal move there.
    pub fn new(net: &Net, phases: Option<&Phases>, plies: Option<&Plies>, meter: &mut Meter) -> Option<Self> {
        Self::of(net, pays(net, phases, 90), plies, meter)
    }

    /// Makes the lanes as [`Lanes::new`] does, but always uses the phases if there are any. Returns
    /// `None` in the same cases.
    pub fn of(net: &Net, phases: Option<&Phases>, plies: Option<&Plies>, meter: &mut Meter) -> Option<Self> {
        lower::pay(net, meter)?;
        let view = lower::observe(net).run(&net.initial);
        let (&terminal, legal) = view.split_last()?;
        let mut rest = legal;
        let mut start = Vec::new();
        for list in &net.outputs.legal {
            let (legal, others) = rest.split_at(list.len());
            rest = others;
            start.push(legal);
        }
        if terminal || start.iter().any(|legal| !legal.contains(&true)) {
            return None;
        }
        let nets = phases.map_or(slice::from_ref(net), |phases| &phases.nets);
        let cycle = phases.map_or_else(Cycle::still, |phases| phases.cycle.clone());
        let phases = lay(nets.len(), meter, |i, room, meter| {
            let start = if i == 0 { Start::Some(&start) } else { Start::None };
            LanePhase::new(&nets[i], &nets[i], start, &[], room, meter)
        })?;
        let plies = plies
            .and_then(|plies| meter.attempt("plies in lanes", 2, |meter| Self::plies(plies, &start, meter)));
        Some(Self { phases, cycle, plies: plies.unwrap_or_default() })
    }

    /// Makes the phases of plies. At the first one, all games of the last ply end and new ones
    /// start.
    fn plies(plies: &Plies, start: &[&[bool]], meter: &mut Meter) -> Option<Vec<LanePhase>> {
        let (last, nets) = plies.nets.split_last()?;
        lay(nets.len(), meter, |i, room, meter| match i {
            0 => LanePhase::new(last, &nets[i], Start::All(start), &plies.counts[i], room, meter),
            _ => LanePhase::new(&nets[i], &nets[i], Start::None, &plies.counts[i], room, meter),
        })
    }

    /// The number of operations of all phases and plies.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.all().flat_map(LanePhase::parts).map(Part::operations).sum()
    }

    /// Converts the lanes to the format of tables.
    pub(super) fn written(&self) -> lanes::Lanes {
        let of = |phases: &[LanePhase]| phases.iter().map(LanePhase::written).collect();
        lanes::Lanes { phases: of(&self.phases), cycle: self.cycle.clone(), plies: of(&self.plies) }
    }

    /// All phases, those of plies last, in the order by which straight-line code numbers them.
    pub(super) fn all(&self) -> impl Iterator<Item = &LanePhase> {
        self.phases.iter().chain(&self.plies)
    }
}

/// The slots for the kept states of a phase: the number of slots before them, and the number for
/// all phases, both counted after the fluents. Kept states last while games continue at other
/// phases, which must not use these slots.
type Room = (usize, usize);

/// Lays out the phases. If there are several phases and some keep states, all are laid out again,
/// so that no other values use the slots of kept states. Returns `None` if they need too many slots
/// or the meter runs out.
fn lay(
    count: usize,
    meter: &mut Meter,
    mut make: impl FnMut(usize, Option<Room>, &mut Meter) -> Option<LanePhase>,
) -> Option<Vec<LanePhase>> {
    let mut phases = (0..count).map(|i| make(i, None, meter)).collect::<Option<Vec<LanePhase>>>()?;
    let kept: Vec<usize> = phases.iter().map(|phase| phase.keep.outputs.len()).collect();
    let all = kept.iter().sum();
    if count > 1 && all > 0 {
        let again = (0..count).map(|i| make(i, Some((kept[..i].iter().sum(), all)), meter));
        phases = again.collect::<Option<_>>()?;
    }
    let end = phases.iter().flat_map(LanePhase::parts).map(Part::end).max().unwrap_or(0);
    let bytes = (THREADS * SLOT_BYTES).saturating_mul(end as usize);
    meter.take(bytes)?;
    meter.give(bytes);
    Some(phases)
}

/// The lanes in which games start at a phase, with the legal moves of each role in the initial
/// state.
#[derive(Clone, Copy)]
enum Start<'s> {
    None,
    /// Games start in fresh lanes.
    Some(&'s [&'s [bool]]),
    /// Games start in all lanes.
    All(&'s [&'s [bool]]),
}

impl LanePhase {
    /// Makes the programs of a phase: `net` observes, and `step` advances. `counts` has each role's
    /// number of legal moves, if it is constant.
    fn new(
        net: &Net,
        step: &Net,
        start: Start<'_>,
        counts: &[Option<usize>],
        room: Option<Room>,
        meter: &mut Meter,
    ) -> Option<Self> {
        lower::pay(net, meter)?;
        let (roles, fluents) = (net.vocabulary.roles.len(), net.initial.len());
        let chance = net.vocabulary.chance.map(|role| role as usize);
        let slot = |number: usize| (number < MOST_SLOTS).then_some(number as u32);
        let mut inputs = vec![0];
        for fluent in 0..fluents {
            inputs.push(slot(FLUENTS as usize + fluent)?);
        }
        let behind = FLUENTS as usize + fluents;
        let mut next_slot = slot(behind + room.map_or(0, |(_, all)| all))?;
        let mut take = || {
            next_slot += 1;
            slot(next_slot as usize - 1)
        };

        // The gates that observe a state; their inputs are the fluents and `IDLE`.
        let mut gates = Aig::new(fluents + 1);
        let first: Vec<u32> = (0..=fluents as u32).map(|node| 2 * node).collect();
        let idle = 2 * (fluents + 1) as u32;
        let seen = gates.add(&lower::observe(net), &first);
        let mut seen = seen.into_iter();
        let mut take_list = |length: usize| seen.by_ref().take(length).collect::<Vec<u32>>();
        let legal: Vec<Vec<u32>> = net.outputs.legal.iter().map(|legal| take_list(legal.len())).collect();
        let goals: Vec<Vec<(u8, u32)>> = net
            .outputs
            .goal
            .iter()
            .map(|goal| goal.iter().map(|&(value, _)| value).zip(take_list(goal.len())).collect())
            .collect();
        let terminal = take_list(1).first().copied().unwrap_or(FALSE);
        let fresh = gates.or(idle, terminal);
        let (scored, counted) = score::score(&mut gates, &goals, chance, meter)?;
        let mut results = vec![(scored, SCORED)];
        let mut items: Vec<(Item, u32)> = Vec::new();
        // Equal signals share a slot.
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        for (item, signal) in counted {
            let place = if let Some(&place) = places.get(&signal) {
                place
            } else {
                let place = take()?;
                places.insert(signal, place);
                results.push((signal, place));
                place
            };
            items.push((item, place));
        }
        let mut outputs = vec![(terminal, TERMINAL)];
        if let Start::Some(_) = start {
            outputs.push((fresh, FRESH));
        }
        let mut choices = Vec::with_capacity(roles);
        for (role, legal) in legal.iter().enumerate() {
            let mut moves = Vec::new();
            let mut signals = Vec::new();
            for (i, (&(action, _), &signal)) in net.outputs.legal[role].iter().zip(legal).enumerate() {
                let signal = match start {
                    Start::None => signal,
                    Start::Some(legal) => gates.or_value(signal, fresh, legal[role][i]),
                    Start::All(legal) => u32::from(legal[role][i]),
                };
                if signal != FALSE {
                    moves.push(action);
                    signals.push(signal);
                }
            }
            let count =
                counts.get(role).copied().flatten().filter(|_| moves.len() <= MOST_COUNTED).unwrap_or(0);
            let mut first = 0;
            let is_forced = signals == [TRUE] || (signals.len() == 1 && count == 1);
            if !is_forced {
                for (i, &signal) in signals.iter().enumerate() {
                    let place = take()?;
                    if i == 0 {
                        first = place;
                    }
                    // If all moves are legal, their slots are not read.
                    if count < signals.len() {
                        outputs.push((signal, place));
                    }
                }
            }
            choices.push(Choice { moves, first, count: count as u8 });
        }
        // The fluents that are kept, with their slots.
        let mut kept = Vec::new();
        for (i, fluent) in late(&gates, &outputs, &results, fluents).into_iter().enumerate() {
            let place = match room {
                Some((before, _)) => slot(behind + before + i)?,
                None => take()?,
            };
            kept.push((fluent, place));
        }
        let free = take()?;
        let mut seen = [&inputs[..], &[IDLE]].concat();
        if kept.is_empty() {
            outputs.append(&mut results);
        }
        let observe = Part::new(&gates, &outputs, seen.clone(), free, meter)?;
        kept.iter().for_each(|&(fluent, slot)| seen[1 + fluent] = slot);
        let score = Part::new(&gates, &results, seen, free, meter)?;
        let keep = keep(&kept, free, meter)?;
        let advance = follow(step, &choices, start, &inputs, free, meter)?;
        Some(Self { observe, keep, score, advance, roles: choices, items })
    }

    /// Converts the phase to the format of tables.
    fn written(&self) -> lanes::Phase {
        let [observe, keep, score, advance] = self.parts().map(|part| part.schedule.clone());
        let (roles, items) = (self.roles.clone(), self.items.clone());
        lanes::Phase { observe, keep, score, advance, roles, items }
    }

    /// The four programs, in the order of the table.
    pub(super) fn parts(&self) -> [&Part; 4] {
        [&self.observe, &self.keep, &self.score, &self.advance]
    }
}

/// Returns the fluents to keep where a game ends, so that results need not be computed in every
/// step. Returns no fluents if the results need at most [`LATE`] gates of their own for each fluent
/// that they depend on.
fn late(gates: &Aig, seen: &[(u32, u32)], results: &[(u32, u32)], fluents: usize) -> Vec<usize> {
    let cone = |outputs: &[(u32, u32)]| gates.cone(outputs.iter().map(|output| output.0));
    let (seen, results) = (cone(seen), cone(results));
    let own = (gates.first()..gates.nodes()).filter(|&node| results[node] && !seen[node]).count();
    let read: Vec<usize> = (0..fluents).filter(|&fluent| results[1 + fluent]).collect();
    if own > LATE * read.len() { read } else { Vec::new() }
}

/// Makes the program that copies the kept fluents from the state where a game has ended.
fn keep(kept: &[(usize, u32)], free: u32, meter: &mut Meter) -> Option<Part> {
    let mut gates = Aig::new(2 * kept.len() + 1);
    let ended = 2 * (2 * kept.len() + 1) as u32;
    let mut inputs = vec![0];
    let mut outputs = Vec::new();
    for (i, &(fluent, slot)) in kept.iter().enumerate() {
        let (now, before) = (4 * i as u32 + 2, 4 * i as u32 + 4);
        inputs.extend([FLUENTS + fluent as u32, slot]);
        let (taken, left) = (gates.and(now, ended), gates.and_not(before, ended));
        outputs.push((gates.or(taken, left), slot));
    }
    inputs.push(ENDED);
    Part::new(&gates, &outputs, inputs, free, meter)
}

/// The slots of a role's possible moves.
fn slots(choice: &Choice) -> impl Iterator<Item = u32> {
    choice.slots().map(|slot| slot as u32)
}

/// Makes the program that advances. Its inputs are the fluents in the given slots, `FRESH` and the
/// moves. Where games start, it advances from the initial state.
fn follow(
    net: &Net,
    roles: &[Choice],
    start: Start<'_>,
    fluents: &[u32],
    free: u32,
    meter: &mut Meter,
) -> Option<Part> {
    lower::pay(net, meter)?;
    let moves: Vec<u32> = roles.iter().filter(|role| role.moves.len() > 1).flat_map(slots).collect();
    let mut gates = Aig::new(fluents.len() + moves.len());
    let fresh = 2 * fluents.len() as u32;
    let mut first = vec![FALSE];
    for (fluent, &initial) in net.initial.iter().enumerate() {
        let signal = 2 * (fluent + 1) as u32;
        first.push(match start {
            Start::None => signal,
            Start::Some(_) => gates.or_value(signal, fresh, initial),
            Start::All(_) => u32::from(initial),
        });
    }
    let mut node = fresh;
    for &(role, action) in net.does() {
        let choice = &roles[role as usize];
        first.push(if choice.moves.binary_search(&action).is_err() {
            FALSE
        } else if choice.moves.len() > 1 {
            node += 2;
            node
        } else {
            // This is the role's only possible move, so it is always made.
            TRUE
        });
    }
    let next = gates.add(&lower::advance(net), &first);
    let outputs = next.into_iter().zip(fluents.iter().copied().enumerate().skip(1));
    // An unchanged fluent needs no operation.
    let changes = outputs.filter(|&(signal, (node, _))| signal != 2 * node as u32);
    let outputs: Vec<(u32, u32)> = changes.map(|(signal, (_, slot))| (signal, slot)).collect();
    Part::new(&gates, &outputs, [fluents, &[FRESH], &moves].concat(), free, meter)
}

impl Part {
    /// Makes the program that computes some signals. Returns `None` if there are not enough slots
    /// or the meter runs out.
    fn new(
        gates: &Aig,
        outputs: &[(u32, u32)],
        inputs: Vec<u32>,
        free: u32,
        meter: &mut Meter,
    ) -> Option<Self> {
        meter.spend(GATE.0 * gates.nodes() as u64)?;
        meter.take(GATE.1 * gates.nodes())?;
        let (signals, outputs): (Vec<u32>, Vec<u32>) = outputs.iter().copied().unzip();
        let mut cover = Cover::new(gates, &signals);
        let mut share = meter.share(RESUBSTITUTED);
        let copy = resubstitute(gates, &signals, &mut share);
        meter.settle(share);
        if let Some((gates, signals)) = copy {
            // Fewer gates may take more operations.
            let other = Cover::new(&gates, &signals);
            if other.operations.len() < cover.operations.len() {
                cover = other;
            }
        }
        let schedule = schedule::schedule(&cover, &inputs, &outputs, free as usize)?;
        meter.give(GATE.1 * gates.nodes());
        meter.take(OPERATION * (cover.operations.len() + outputs.len()))?;
        Some(Self { cover, inputs, outputs, free, schedule })
    }

    /// The number of operations of the cover.
    fn operations(&self) -> usize {
        self.cover.operations.len()
    }

    /// The slot after the last one that the operations of the table use.
    fn end(&self) -> u32 {
        let results = self.schedule.steps.iter().map(|step| step.result);
        results.max().map_or(self.free, |last| self.free.max(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Source, compile};

    /// The lanes of a game with twelve lamps, switched on one by one until the first two are both
    /// on. `goal` has the rules for `won`.
    fn lanes(goal: &str) -> Lanes {
        let rules = format!(
            "(role robot) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
            (succ 8 9) (succ 9 10) (succ 10 11) (succ 11 12) (<= (lamp ?l) (succ ?k ?l))
            (<= (legal robot (switch ?l)) (lamp ?l) (not (true (on ?l))))
            (<= (next (on ?l)) (does robot (switch ?l))) (<= (next (on ?l)) (true (on ?l)))
            (<= terminal (true (on 1)) (true (on 2)))
            (<= (goal robot 100) won) (<= (goal robot 0) (not won)) {goal}"
        );
        let compilation =
            compile(&Source::new("lamps.kif", rules), &Options::default()).expect("it is sound");
        Lanes::new(&compilation.net, compilation.phases.as_ref(), None, &mut Meter::of(u64::MAX))
            .expect("there are slots")
    }

    /// The slots in which one phase keeps states are not used by other phases.
    #[test]
    fn kept_states_have_slots_of_their_own() {
        let text = "(role p) (role q) (init (control p)) (next_role p q) (next_role q p)
            (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
            (<= (lamp ?l) (succ ?k ?l)) (<= (control ?r) (true (control ?r)))
            (<= (legal ?r (switch ?l)) (control ?r) (lamp ?l) (not (true (on ?l))))
            (<= (legal ?r noop) (role ?r) (not (control ?r)))
            (<= (next (on ?l)) (does ?r (switch ?l))) (<= (next (on ?l)) (true (on ?l)))
            (<= (next (control ?s)) (control ?r) (next_role ?r ?s))
            (<= terminal (true (on 1)) (true (on 2)))
            (count 0 0) (<= (count ?l ?n) (succ ?k ?l) (count ?k ?n) (not (true (on ?l))))
            (<= (count ?l ?n) (succ ?k ?l) (count ?k ?m) (succ ?m ?n) (true (on ?l)))
            (<= (goal p 100) (count 9 5)) (<= (goal p 0) (not (count 9 5)))
            (<= (goal q 100) (count 9 6)) (<= (goal q 0) (not (count 9 6)))";
        let game = compile(&Source::new("lamps.kif", text), &Options::default()).expect("it is sound");
        let lanes = Lanes::new(&game.net, game.phases.as_ref(), None, &mut Meter::of(u64::MAX))
            .expect("there are slots");
        assert_eq!(lanes.phases.len(), 2);
        for (i, phase) in lanes.phases.iter().enumerate() {
            assert!(!phase.keep.outputs.is_empty());
            let other = &lanes.phases[1 - i];
            let written = other.parts().into_iter().flat_map(|part| {
                part.schedule.steps.iter().map(|step| step.result).chain(part.outputs.iter().copied())
            });
            assert!(written.clone().all(|slot| !phase.keep.outputs.contains(&slot)));
            assert!(other.roles.iter().flat_map(slots).all(|slot| !phase.keep.outputs.contains(&slot)));
        }
    }

    #[test]
    fn states_are_kept_if_goals_take_much() {
        let count = "(count 0 0) (<= (count ?l ?n) (succ ?k ?l) (count ?k ?n) (not (true (on ?l))))
            (<= (count ?l ?n) (succ ?k ?l) (count ?k ?m) (succ ?m ?n) (true (on ?l)))
            (<= won (count 12 6))";
        let keep = |phase: &LanePhase| phase.keep.operations();
        let score = |phase: &LanePhase| phase.score.operations();
        let counted = lanes(count);
        let [phase] = &counted.phases[..] else { panic!("the robot is always to move") };
        assert_eq!(keep(phase), 12);
        assert!(score(phase) > 12 && score(phase) > phase.observe.operations());
        for goal in ["(<= won (true (on 3)))", "(<= won (true (on 3)) (not (true (on 4))) (true (on 5)))"] {
            assert_eq!(lanes(goal).phases.iter().map(|phase| keep(phase) + score(phase)).sum::<usize>(), 0);
        }
    }
}

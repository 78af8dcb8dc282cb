//! Decisive play: nets that leave the role to move only its winning moves, if it can win at once.
//! Otherwise they drop moves that lose at once or let the next role win at once, if other moves
//! remain. (Decisive and anti-decisive moves: Teytaud and Teytaud, "On the huge benefit of decisive
//! moves in Monte-Carlo tree search algorithms", 2010.)
//!
//! The nets of the phases differ from those of [`phases`](super::phases) only in the legal moves.
//! Some legal moves of the role to move remain, and at least one if there was one. Invariants are
//! taken from the given net: decisive play may start in any reachable state, not only in those that
//! decisive play reaches.
//!
//! A move wins if substituting the next values for the fluents makes the end and the goal hold. The
//! same substitution in the condition "the next role can win" finds the threats after the move. So
//! each move visits the gates of a phase four times. Equal gates are shared, and most moves change
//! little. Random play then measures in how many states fewer moves remain.

use super::{
    complement,
    constants::{Known, fold, known},
    factor,
    phase::{Phases, turn_cycle},
    rebuild::inputs,
    share,
    simulate::Simulation,
};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// The maximum growth of a phase's net, averaged over the phases, and the bounds of the resulting
/// number of operations. Playouts of larger nets are better, but fewer in the same time, and large
/// programs do not fit in the caches of a processor.
const GROWTH: usize = 12;
const OPERATIONS: std::ops::RangeInclusive<usize> = 1000..=6000;

/// The growth before factoring, as a multiple of the final bound, at which the attempt is
/// abandoned.
const UNSHARED: usize = 4;

/// At least one in this number of states of random play must have fewer moves. At equal times,
/// search with decisive playouts was better at one in two to five (connect four, breakthrough), and
/// worse at one in twelve (ultimate tic-tac-toe).
const NARROWED: usize = 7;

/// The steps after which a random game is abandoned.
const LONGEST: usize = 300;

/// The nets of decisive play.
#[derive(Clone, Debug)]
pub struct Decisive {
    /// The nets of the phases of the cycle.
    pub phases: Phases,
    /// The approximate number of moves of a random game.
    pub length: usize,
}

/// A move of the role to move.
struct Move {
    action: u32,
    legal: Signal,
    /// The move is legal and ends the game with the role's greatest goal, or lets the role's next
    /// move do so.
    wins: Signal,
    /// The move is legal and ends the game with the role's least goal.
    loses: Signal,
    /// The game ends after the move.
    ends: Signal,
    /// The successor state, by fluent.
    next: Vec<Signal>,
}

/// Makes the nets of decisive play. Returns `None` if the net has no turn cycle, chance plays, one
/// role makes all moves, or several roles have a choice at the same phase. It also returns `None`
/// if no move ever wins or loses at once, or if moves are dropped in too few states. The same holds
/// if the nets grow too much or the meter runs out.
pub fn decisive(net: &Net, meter: &mut Meter) -> Option<Decisive> {
    let cycle = turn_cycle(net, meter)?;
    if cycle.values.len() == 1 || net.vocabulary.chance.is_some() {
        return None;
    }
    let known = known(net, &cycle, meter)?;
    let movers: Vec<usize> = known.iter().map(|known| mover(net, known)).collect::<Option<_>>()?;
    let nets: Vec<Net> = known.iter().map(|known| fold(net, known, meter)).collect::<Option<_>>()?;
    let after = |phase: usize| (phase + 1) % nets.len();
    let most = |net: &Net| (GROWTH * net.operations()).clamp(*OPERATIONS.start(), *OPERATIONS.end());
    let most = nets.iter().map(most).sum();

    // The net that contains the results of the moves at all phases.
    let mut all = net.without_gates();
    let mut phases = Vec::with_capacity(nets.len());
    for (phase, &mover) in movers.iter().enumerate() {
        let steps = [&nets[phase], &nets[after(phase)]];
        phases.push(moves(steps, mover, &mut all, meter)?);
        if all.operations() > UNSHARED * most {
            return None;
        }
    }
    let can_win = look_ahead(&movers, &mut phases, &mut all, meter)?;
    let tells = |action: &Move| action.wins != Signal::FALSE || action.loses != Signal::FALSE;
    if !phases.iter().flatten().any(tells) {
        return None;
    }
    meter.take(nets.len() * all.bytes())?;
    let mut decisive = Vec::with_capacity(nets.len());
    for (phase, moves) in phases.iter().enumerate() {
        let mut copy = all.clone();
        let signals = through(&nets[phase], &inputs(net), &mut copy, meter)?;
        copy.outputs = nets[phase].outputs.map(|s| of(&signals, s));
        let threats = (movers[phase] != movers[after(phase)]).then(|| &can_win[after(phase)]);
        narrow(&mut copy, movers[phase], moves, threats, meter)?;
        copy.sweep();
        decisive.push(share(&factor(&complement(&copy, meter)?, meter)?, meter)?);
        if decisive.iter().map(Net::operations).sum::<usize>() > most {
            return None;
        }
    }
    let length = narrowed(net, &nets, &decisive, meter)?;
    Some(Decisive { phases: Phases { nets: decisive, cycle }, length })
}

/// For each phase, makes a net whose terminal output is "the role to move can win". If a role moves
/// twice in a row, its first move also wins if the second one can; `wins` of the first move is
/// extended accordingly. Returns `None` if one role makes all moves.
fn look_ahead(
    movers: &[usize],
    phases: &mut [Vec<Move>],
    all: &mut Net,
    meter: &mut Meter,
) -> Option<Vec<Net>> {
    let length = movers.len();
    let after = |phase: usize| (phase + 1) % length;
    let is_last = |phase: usize| movers[phase] != movers[after(phase)];
    // Later phases come first, since earlier ones refer to them.
    let last = (0..length).find(|&phase| is_last(phase))?;
    let mut can_win = vec![all.without_gates(); length];
    for phase in (0..length).map(|back| (last + length - back) % length) {
        for action in phases[phase].iter_mut().filter(|_| !is_last(phase)) {
            let next = &can_win[after(phase)];
            let signals = through(next, &with_state(next, &action.next), all, meter)?;
            let later = all.and(vec![action.legal, !action.ends, of(&signals, next.outputs.terminal)]);
            action.wins = all.or(vec![action.wins, later]);
            all.pay(meter)?;
        }
        let wins = all.or(phases[phase].iter().map(|action| action.wins).collect());
        meter.take(all.bytes())?;
        can_win[phase] = alone(all, wins);
    }
    Some(can_win)
}

/// Returns the average length of random games. Returns `None` if the decisive nets have fewer legal
/// moves than the plain ones in too few states of these games.
fn narrowed(net: &Net, plain: &[Net], decisive: &[Net], meter: &mut Meter) -> Option<usize> {
    let mut both = net.clone();
    meter.take(both.bytes())?;
    let mut gone = Vec::with_capacity(plain.len());
    for nets in plain.iter().zip(decisive) {
        let [before, after] = [nets.0, nets.1].map(|phase| {
            let signals = through(phase, &inputs(net), &mut both, meter)?;
            let legal = phase.outputs.legal.iter().flatten();
            Some(legal.map(|&(_, s)| of(&signals, s)).collect::<Vec<_>>())
        });
        let lost = before?.into_iter().zip(after?).map(|(before, after)| both.and(vec![before, !after]));
        let lost = lost.collect();
        gone.push(both.or(lost));
        both.pay(meter)?;
    }
    let mut games = Simulation::new(&both, meter)?;
    let (mut playing, mut states, mut fewer) = (u64::MAX, 0, 0);
    for step in 0..LONGEST {
        playing &= games.going_on();
        if playing == 0 {
            break;
        }
        states += playing.count_ones() as usize;
        fewer += (playing & games.value(gone[step % gone.len()])).count_ones() as usize;
        games.step(meter)?;
    }
    (fewer * NARROWED >= states && states > 0).then_some(states / 64)
}

/// Returns the role that has a choice at a phase with known values, the first role if none has, or
/// `None` if several have.
fn mover(net: &Net, known: &Known) -> Option<usize> {
    let open = (0..net.does().len()).filter(|&at| known[net.does_at(at).gate() as usize].is_none());
    let mut roles = open.map(|at| net.does()[at].0 as usize);
    let mover = roles.next().unwrap_or(0);
    roles.all(|role| role == mover).then_some(mover)
}

/// Returns the moves of the role to move at one phase, with their results at the next phase.
fn moves([net, after]: [&Net; 2], mover: usize, all: &mut Net, meter: &mut Meter) -> Option<Vec<Move>> {
    let signals = through(net, &inputs(net), all, meter)?;
    let goals = &after.outputs.goal[mover];
    let (least, greatest) =
        (goals.iter().min_by_key(|goal| goal.0)?, goals.iter().max_by_key(|goal| goal.0)?);
    let mut list = Vec::new();
    for &(action, legal) in &net.outputs.legal[mover] {
        let legal = of(&signals, legal);
        if legal == Signal::FALSE {
            continue;
        }
        let mut at = inputs(net);
        for (position, &(role, other)) in net.does().iter().enumerate() {
            if role as usize == mover {
                at[net.does_at(position).gate() as usize] = Signal::FALSE.negate_if(other == action);
            }
        }
        let made = through(net, &at, all, meter)?;
        let next: Vec<Signal> = net.outputs.next.iter().map(|&s| of(&made, s)).collect();
        meter.take(size_of::<Signal>() * next.len())?;
        let seen = through(after, &with_state(after, &next), all, meter)?;
        let ends = of(&seen, after.outputs.terminal);
        // A role with a single goal value can neither win nor lose.
        let is_told = Signal::FALSE.negate_if(least.0 < greatest.0);
        let [wins, loses] =
            [greatest, least].map(|goal| all.and(vec![is_told, legal, ends, of(&seen, goal.1)]));
        all.pay(meter)?;
        list.push(Move { action, legal, wins, loses, ends, next });
    }
    Some(list)
}

/// Restricts the legal moves of a role to those that win, if there are any. Otherwise it restricts
/// them to the safe moves, if there are any: those that do not lose and leave the next role none of
/// the `threats`.
fn narrow(
    net: &mut Net,
    mover: usize,
    moves: &[Move],
    threats: Option<&Net>,
    meter: &mut Meter,
) -> Option<()> {
    let wins = net.or(moves.iter().map(|action| action.wins).collect());
    let mut safe = Vec::with_capacity(moves.len());
    for action in moves {
        let mut answered = Signal::FALSE;
        if let Some(threats) = threats {
            let signals = through(threats, &with_state(threats, &action.next), net, meter)?;
            answered = net.and(vec![!action.ends, of(&signals, threats.outputs.terminal)]);
        }
        safe.push(net.and(vec![action.legal, !action.loses, !answered]));
        net.pay(meter)?;
    }
    let is_safe = net.or(safe.clone());
    let mut legal = net.outputs.legal[mover].clone();
    for (action, &safe) in moves.iter().zip(&safe) {
        let misses = net.and(vec![wins, !action.wins]);
        // A winning move is safe, unless erroneous rules also give the role its least goal. A move
        // remains even then.
        let risks = net.and(vec![!wins, is_safe, !safe]);
        let narrowed = net.and(vec![action.legal, !misses, !risks]);
        legal.iter_mut().filter(|entry| entry.0 == action.action).for_each(|entry| entry.1 = narrowed);
    }
    net.outputs.legal[mover] = legal;
    net.pay(meter)
}

/// Makes a net whose terminal output is one signal of another net.
fn alone(net: &Net, signal: Signal) -> Net {
    let mut alone = net.clone();
    alone.outputs.terminal = signal;
    alone.sweep();
    alone
}

/// Returns the inputs of a net, with these signals for the fluents.
fn with_state(net: &Net, fluents: &[Signal]) -> Vec<Signal> {
    let mut inputs = inputs(net);
    inputs[1..=fluents.len()].copy_from_slice(fluents);
    inputs
}

/// Copies the gates of a net into another for the given inputs. Returns the signals of all gates in
/// the copy.
fn through(net: &Net, inputs: &[Signal], copy: &mut Net, meter: &mut Meter) -> Option<Vec<Signal>> {
    meter.spend((net.len() + net.literals()) as u64)?;
    let mut signals = inputs.to_vec();
    signals.reserve(net.ands());
    for gate in net.inputs()..net.len() {
        let Gate::And(operands) = net.gate(gate as u32) else { continue };
        let signal = copy.and(operands.iter().map(|&s| of(&signals, s)).collect());
        copy.pay(meter)?;
        signals.push(signal);
    }
    Some(signals)
}

fn of(signals: &[Signal], signal: Signal) -> Signal {
    signals[signal.gate() as usize].negate_if(signal.is_negated())
}

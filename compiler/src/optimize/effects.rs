//! Effects: what each move makes of the next state, other moves and the state being unknown.
//!
//! The input is a net, and mutex groups that hold of its states; the output is, for each fluent, what is left of its next value in each
//! case of a step: a role makes one of its moves, those before it rest ([`turns`](super::turns)), and nothing is known of those after it. Every
//! legal step from a state that is not terminal is a case. What is left of a value is a constant, or the one operand that is not
//! known of a conjunction, or the value itself.
//!
//! A case is stored as its differences to the step in which the role makes no move at all, and found by them ([`steps`]): a move takes
//! the uses of the gates that it changes. All moves together may take [`STEPS`] for each literal of the net.

mod steps;

use super::turns::turns;
use crate::meter::Meter;
use crate::propnet::{Gate, MutexGroup, Net, Signal};
use steps::Steps;

/// Steps for each gate and literal of the net that all moves may take, and of how many of these at most; xiangqi takes 9.
const STEPS: (u64, u64) = (12, 1 << 19);

/// Moves of a role after which it is estimated, generously, what all of them will take.
const SAMPLE: u64 = 64;

/// The next values by fluent where a role makes no move, and what is something else with each of its moves.
pub(super) struct Case {
    pub still: Vec<Signal>,
    pub moves: Vec<(Signal, Vec<(u32, Signal)>)>,
}

/// What all moves make of the next state.
pub(super) struct Effects {
    pub cases: Vec<Case>,
    /// The groups that this rests on.
    pub premises: Vec<usize>,
    /// True if all cases are there.
    pub is_complete: bool,
}

/// What all moves make of the next state, as far as that takes no more steps than it may.
pub(super) fn effects(net: &Net, groups: &[MutexGroup], meter: &mut Meter) -> Option<Effects> {
    let roles = net.vocabulary.roles.len() as u32;
    let allowed = STEPS.0 * ((net.literals() + net.len()) as u64).min(STEPS.1);
    let legal = net.legality();
    meter.spend((net.len() + 2 * net.literals()) as u64)?;
    meter.take(size_of::<Signal>() * legal.len())?;
    let turns = turns(net);
    let mut steps = Steps::new(net, meter)?;
    let mut effects = Effects { cases: Vec::new(), premises: Vec::new(), is_complete: false };
    // The inputs of the moves by which the roles before rest.
    let mut resting: Vec<u32> = Vec::new();
    let mut work = 0;
    for role in 0..=roles {
        let turn = turns.iter().filter(|turn| turn.role == role).find_map(|turn| {
            match net.gate(turn.condition.gate()) {
                Gate::Fluent(fluent) if !turn.condition.is_negated() => Some((fluent, turn.rest.gate())),
                _ => None,
            }
        });
        let mut known: Vec<Option<bool>> = vec![None; net.inputs()];
        if let Some((fluent, _)) = turn {
            // The role does not rest, so the condition holds, and no other fluent of its mutex groups.
            for (number, group) in groups.iter().enumerate().filter(|(_, g)| g.members.contains(&fluent)) {
                effects.premises.push(number);
                group.members.iter().for_each(|&other| known[1 + other as usize] = Some(false));
            }
            known[1 + fluent as usize] = Some(true);
        }
        steps.begin(&known);
        let mut own: Vec<u32> = Vec::new();
        // By later role: how many of its moves are possible, and the last of them.
        let mut possible = vec![(0, 0); roles as usize];
        for (position, &(player, _)) in net.does().iter().enumerate() {
            let input = net.does_at(position).gate();
            let is_possible = steps.value(legal[position]) != Some(false);
            let is_made = &mut known[input as usize];
            if player < role {
                *is_made = Some(resting[player as usize] == input);
            } else if player == role || !is_possible {
                *is_made = Some(false);
                if is_possible && turn.is_none_or(|(_, rest)| rest != input) {
                    own.push(input);
                }
            } else {
                let (count, last) = &mut possible[player as usize];
                (*count, *last) = (*count + 1, input);
            }
        }
        possible
            .iter()
            .filter(|(count, _)| *count == 1)
            .for_each(|&(_, last)| known[last as usize] = Some(true));
        steps.begin(&known);
        meter.take(size_of::<Signal>() * net.initial.len())?;
        let still: Vec<Signal> = net.outputs.next.iter().map(|&next| steps.left(next)).collect();
        meter.spend(steps.take_work())?;
        let mut moves = Vec::new();
        let (count, before) = (own.len() as u64, work);
        for (made, input) in (1..).zip(own) {
            let mut changes = Vec::new();
            for fluent in steps.make(input) {
                let left = steps.left(net.outputs.next[fluent as usize]);
                if left != still[fluent as usize] {
                    changes.push((fluent, left));
                }
            }
            steps.undo();
            let taken = steps.take_work();
            work += taken;
            meter.spend(taken)?;
            if work > allowed || made == SAMPLE && (work - before) / made * count > 2 * allowed {
                return Some(effects);
            }
            meter.take(size_of::<(Signal, Vec<u32>)>() + size_of::<(u32, Signal)>() * changes.len())?;
            moves.push((Signal::new(input, false), changes));
        }
        effects.cases.push(Case { still, moves });
        let Some((_, rest)) = turn else { break };
        resting.push(rest);
    }
    effects.is_complete = true;
    Some(effects)
}

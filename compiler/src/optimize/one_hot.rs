//! The one-hot complement: each role makes exactly one move, so a conjunction that excludes more
//! than half of a role's moves is the disjunction of the others. The same holds for fluents if
//! exactly one of them holds.
//!
//! Frame axioms exclude most moves; afterwards they list the others. Also, a conjunction of two
//! moves of one role becomes false.
//!
//! A conjunction is complemented for one group after the other until nothing is gained. That
//! terminates, since each replacement reduces the conjunction's number of leaves: the inputs,
//! counted with repetition, when gates are expanded into a tree. Steps are paid for before they are
//! taken: for the operands of a gate and the groups that they mention. A group that may be
//! complemented also costs its members and the operands of operands.

use super::rebuild::{inputs, live, rebuild, uses};
use crate::meter::Meter;
use crate::propnet::{Gate, Net, Signal};

/// The steps to count an operand in a group.
const COUNTED: u64 = 4;

/// The bytes of a gate: the start of its mentions, its uses and its leaves, in lists whose capacity
/// may be twice their length.
const GATE: usize = 32;

/// Replaces long exclusions by their complements, including those spread over conjunctions and
/// disjunctions among the operands. O(literals) for each group of an input and each gate whose
/// operands are inspected.
pub fn complement(net: &Net, meter: &mut Meter) -> Option<Net> {
    let mut groups = Groups::new(net, meter)?;
    let live = live(net);
    let uses = uses(net, &live);
    let mut gates = (net.inputs()..net.len()).filter(|&gate| live[gate]);
    let mut touches = Vec::new();
    rebuild(net, inputs(net), meter, |copy, mut operands, meter| {
        operands.sort_unstable();
        let mut leaves = groups.leaves(&operands);
        while groups.complement(copy, &mut operands, &mut touches, meter)? {
            operands.sort_unstable();
            groups.note(copy, meter)?;
            let before = std::mem::replace(&mut leaves, groups.leaves(&operands));
            debug_assert!(leaves < before || before == u64::MAX, "{leaves} leaves, {before} before");
        }
        let signal = copy.and(operands);
        groups.note(copy, meter)?;
        // `gates` iterates over the live gates in the order in which they are copied.
        if let Some(gate) = gates.next() {
            groups.uses[signal.gate() as usize] += uses[gate];
        }
        Some(signal)
    })
}

/// The mention of a group by a gate: an input that is a member, or operands that are complemented
/// members.
#[derive(Clone, Copy)]
struct Mention {
    group: u32,
    /// The number of members that the gate mentions; one for an input.
    count: u32,
}

/// An operand that mentions a group.
#[derive(Clone, Copy)]
struct Touch {
    /// The operand's place among the operands.
    place: u32,
    mention: Mention,
}

/// The groups of inputs with exactly one that holds: the moves of a role, and mutex groups of
/// fluents.
struct Groups {
    /// By group: its members, sorted.
    members: Vec<Vec<Signal>>,
    /// The mentions of all gates of the copy, gate by gate; those of one gate ascend by group.
    mentions: Vec<Mention>,
    /// By gate of the copy: the start of its mentions, which end at the start of the next gate's.
    starts: Vec<u32>,
    /// The number of gates that are inputs, including the constant.
    inputs: usize,
    /// By gate of the copy: the number of known gates that have it as an operand.
    uses: Vec<u32>,
    /// By gate of the copy: the number of its leaves, or [`u64::MAX`] if the number is larger.
    leaves: Vec<u64>,
}

impl Groups {
    fn new(net: &Net, meter: &mut Meter) -> Option<Self> {
        let ones = || net.mutex_groups.iter().filter(|group| group.exactly_one);
        let count = net.does().len() + ones().map(|group| group.members.len()).sum::<usize>();
        meter.spend(COUNTED * count as u64)?;
        // A member is stored in its group, in a list for sorting, and among the mentions.
        let member = size_of::<Signal>() + size_of::<(Signal, u32)>() + size_of::<Mention>();
        meter.take(2 * member * count + GATE * net.inputs())?;
        let mut members = moves(net);
        for group in ones() {
            members.push(group.members.iter().map(|&fluent| net.fluent(fluent as usize)).collect());
        }
        let mut mentions: Vec<(Signal, u32)> = Vec::new();
        for (number, group) in (0..).zip(&members) {
            mentions.extend(group.iter().map(|&member| (member, number)));
        }
        mentions.sort_unstable();
        let (uses, mut leaves) = (vec![0; net.inputs()], vec![1; net.inputs()]);
        // The constant is not a leaf.
        leaves[0] = 0;
        let mut starts = vec![0; 1 + net.inputs()];
        mentions.iter().for_each(|(member, _)| starts[1 + member.gate() as usize] += 1);
        (1..starts.len()).for_each(|gate| starts[gate] += starts[gate - 1]);
        let mentions = mentions.into_iter().map(|(_, group)| Mention { group, count: 1 }).collect();
        Some(Self { members, mentions, starts, inputs: net.inputs(), uses, leaves })
    }

    /// The mentions of groups by a gate, ascending by group.
    fn mentions(&self, signal: Signal) -> &[Mention] {
        let gate = signal.gate() as usize;
        &self.mentions[self.starts[gate] as usize..self.starts[gate + 1] as usize]
    }

    fn is_input(&self, signal: Signal) -> bool {
        (signal.gate() as usize) < self.inputs
    }

    /// Returns true if a signal is a complemented member of the group.
    fn is_denied(&self, signal: Signal, group: u32) -> bool {
        let is_member =
            || self.mentions(signal).binary_search_by_key(&group, |mention| mention.group).is_ok();
        signal.is_negated() && self.is_input(signal) && is_member()
    }

    /// The number of leaves of some operands, or [`u64::MAX`] if the number is larger.
    fn leaves(&self, operands: &[Signal]) -> u64 {
        operands.iter().fold(0, |sum, s| sum.saturating_add(self.leaves[s.gate() as usize]))
    }

    /// Adds the gates that the copy gained to `mentions`, `uses` and `leaves`. Returns `None` if
    /// the meter runs out.
    fn note(&mut self, copy: &Net, meter: &mut Meter) -> Option<()> {
        let mut groups: Vec<u32> = Vec::new();
        for gate in self.uses.len()..copy.len() {
            let Gate::And(operands) = copy.gate(gate as u32) else { unreachable!("inputs come first") };
            groups.clear();
            for &operand in operands.iter().filter(|s| s.is_negated() && self.is_input(**s)) {
                groups.extend(self.mentions(operand).iter().map(|mention| mention.group));
            }
            meter.spend(operands.len() as u64 + COUNTED * groups.len() as u64)?;
            meter.take(2 * size_of::<Mention>() * groups.len() + GATE)?;
            groups.sort_unstable();
            let alike = groups.chunk_by(|left, right| left == right);
            self.mentions.extend(alike.map(|same| Mention { group: same[0], count: same.len() as u32 }));
            self.starts.push(self.mentions.len() as u32);
            self.uses.push(0);
            self.leaves.push(self.leaves(operands));
        }
        Some(())
    }

    /// Replaces a long exclusion among sorted operands by its complement, or removes an exclusion
    /// that a member implies. If operands exclude each other, replaces all of them by false.
    /// Returns false if there is nothing to replace.
    fn complement(
        &self,
        net: &mut Net,
        operands: &mut Vec<Signal>,
        touches: &mut Vec<Touch>,
        meter: &mut Meter,
    ) -> Option<bool> {
        let count: usize = operands.iter().map(|&operand| self.mentions(operand).len()).sum();
        meter.spend(operands.len() as u64 + COUNTED * count as u64)?;
        // Sorting needs a second buffer.
        meter.take(2 * size_of::<Touch>() * count.saturating_sub(touches.capacity()))?;
        touches.clear();
        touches.reserve_exact(count);
        for (place, &operand) in (0..).zip(&*operands) {
            touches.extend(self.mentions(operand).iter().map(|&mention| Touch { place, mention }));
        }
        touches.sort_by_key(|touch| touch.mention.group);
        let of_groups = || touches.chunk_by(|left, right| left.mention.group == right.mention.group);
        for touches in of_groups() {
            let mut holding = touches.iter().filter_map(|&touch| self.holding(operands, touch));
            let first = holding.next();
            if holding.any(|other| Some(other) != first) {
                *operands = vec![Signal::FALSE];
                return Some(true);
            }
        }
        for touches in of_groups() {
            let holding = || touches.iter().filter_map(|&touch| self.holding(operands, touch));
            let (holds, denying) = (holding().next(), touches.len() - holding().count());
            if denying > usize::from(holds.is_none()) && self.shorten(net, operands, touches, holds, meter)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Returns the operand of a touch if it is an uncomplemented member.
    fn holding(&self, operands: &[Signal], touch: Touch) -> Option<Signal> {
        let operand = operands[touch.place as usize];
        (!operand.is_negated() && self.is_input(operand)).then_some(operand)
    }

    /// Replaces all operands that deny members of the touched group by one operand, if that is
    /// shorter. An operand that denies members is a complemented member, a conjunction with
    /// complemented members, or a disjunction of members, which denies all other members.
    fn shorten(
        &self,
        net: &mut Net,
        operands: &mut Vec<Signal>,
        touches: &[Touch],
        holds: Option<Signal>,
        meter: &mut Meter,
    ) -> Option<bool> {
        let group = touches[0].mention.group;
        let members = &self.members[group as usize];
        let (mut denied, mut choices) = (Vec::new(), Vec::new());
        // The places of operands to remove, and their remaining parts.
        let (mut places, mut kept) = (Vec::new(), Vec::new());
        // The numbers of literals and leaves that would be removed.
        let (mut gone, mut leaves) = (0, 0);
        meter.spend(touches.len() as u64)?;
        for &Touch { place, mention } in touches {
            let operand = operands[place as usize];
            let Gate::And(inner) = net.gate(operand.gate()) else {
                if operand.is_negated() {
                    (gone, leaves) = (gone + 1, leaves + 1);
                    denied.push(!operand);
                    places.push(place);
                }
                continue;
            };
            if !operand.is_negated() {
                meter.spend(2 * inner.len() as u64)?;
                for &s in inner {
                    if self.is_denied(s, group) { denied.push(!s) } else { kept.push(s) }
                }
            } else if mention.count as usize == inner.len() {
                choices.push(inner);
            } else {
                continue;
            }
            leaves += mention.count as usize;
            places.push(place);
            gone += if self.uses[operand.gate() as usize] > 1 { 1 } else { inner.len() };
        }
        denied.sort_unstable();
        let is_open = |member: &Signal, choices: &[&[Signal]]| {
            denied.binary_search(member).is_err()
                && choices.iter().all(|choice| choice.binary_search(&!*member).is_ok())
        };
        if let Some(holds) = holds {
            // A member that holds implies that the others do not, so operands that only deny others
            // are redundant.
            let is_open = is_open(&holds, &choices);
            if is_open && leaves == 0 {
                return Some(false);
            }
            if is_open {
                replace(operands, &places, kept);
            } else {
                *operands = vec![Signal::FALSE];
            }
            return Some(true);
        }
        let least = (0..choices.len()).min_by_key(|&choice| choices[choice].len());
        let (least, is_choice) = match least {
            Some(least) => (choices.swap_remove(least), true),
            None if 2 * denied.len() > members.len() => (&members[..], false),
            None => return Some(false),
        };
        // The gate of a removed operand stays if it has other users, so only one literal is saved.
        // A replacement must have fewer leaves, since rewriting would not terminate otherwise.
        let most = gone.min(leaves - 1).min((members.len() - 1) / 2);
        meter.spend((1 + choices.len() as u64) * least.len() as u64)?;
        let open = least.iter().map(|s| s.negate_if(is_choice)).filter(|s| is_open(s, &choices));
        let rest: Vec<Signal> = open.take(most + 1).collect();
        if rest.len() > most {
            return Some(false);
        }
        kept.push(net.or(rest));
        replace(operands, &places, kept);
        Some(true)
    }
}

/// Replaces the operands at ascending places by others.
fn replace(operands: &mut Vec<Signal>, places: &[u32], others: Vec<Signal>) {
    let (mut places, mut place) = (places.iter().peekable(), 0..);
    operands.retain(|_| places.next_if_eq(&&place.next().expect("without end")).is_none());
    operands.extend(others);
}

/// Returns, for each role, the signals of its moves that some gate mentions or that can be legal.
fn moves(net: &Net) -> Vec<Vec<Signal>> {
    let live = live(net);
    let mut groups = vec![Vec::new(); net.vocabulary.roles.len()];
    for (position, &(role, action)) in net.does().iter().enumerate() {
        let signal = net.does_at(position);
        let legal = &net.outputs.legal[role as usize];
        let entry = legal.binary_search_by_key(&action, |&(action, _)| action);
        let possible = entry.is_ok_and(|entry| legal[entry].1 != Signal::FALSE);
        if possible || live[signal.gate() as usize] {
            groups[role as usize].push(signal);
        }
    }
    groups
}

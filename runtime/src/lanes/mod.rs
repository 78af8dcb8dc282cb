//! 512 random games at once, one bit each: in comes a table, out go programs in which every signal of the net is
//! a word of 512 bits, one bit for each game.
//!
//! ```text
//! table -- gates (score, restart) --> cover --> program     for each point of the cycle, twice: observe, advance
//! ```
//!
//! [`Lanes`] is what a game's table becomes, once. `play` runs a block of games on it and `choice` draws moves.
//! Where players take turns there are programs for each point of that cycle, and games start at its first one,
//! where lanes whose game is over get the initial state and its legal moves in the same step.

mod choice;
mod cover;
mod cycle;
mod expand;
mod gates;
mod lockstep;
mod noise;
mod play;
mod program;
mod score;

pub use expand::{Batch, Expansion};
pub use lockstep::Lockstep;
pub(crate) use play::Player;

use crate::{
    bits,
    circuit::Circuit,
    game::{Shape, legal_words},
    table::Table,
    vocabulary::Vocabulary,
};
use cover::Cover;
use gates::{FALSE, Gates, TRUE};
use program::Program;
use score::Item;

// The first slots. The first one is never written.
/// Lanes that play no game before the step.
const IDLE: u16 = 1;
/// Lanes that may start a game: those, and where a game has come to its end.
const FRESH: u16 = 2;
/// Lanes whose state is terminal.
const TERMINAL: u16 = 3;
/// Lanes where each player has one goal value.
const SCORED: u16 = 4;
/// The first fluent.
const FLUENTS: u16 = 5;

/// Operations in a block of one game for each lane; with fewer, lanes play several.
const BLOCK_WORK: usize = 100_000;

/// The most games a lane plays in a block.
const MOST_GAMES: usize = 64;

/// A game that can be played in lanes.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    shape: Shape,
    /// One for each point of the cycle, the initial state's first.
    points: Box<[Point]>,
    /// The bits of the initial state.
    initial: Box<[u64]>,
    /// The most moves that are to choose from.
    moves: usize,
    /// The role that stands for chance.
    chance: Option<usize>,
    /// Games in a block.
    pub(crate) block: u64,
}

/// A point of the cycle.
#[derive(Clone, Debug)]
struct Point {
    observe: Program,
    advance: Program,
    roles: Box<[Choice]>,
    /// What is counted, and where it is.
    items: Box<[(Item, u16)]>,
}

/// What a role may do.
#[derive(Clone, Debug)]
struct Choice {
    /// The moves that can be legal, ascending.
    moves: Box<[u32]>,
    /// The slot of the first.
    first: u16,
    /// True if there is only one, which is always legal, and has no slot.
    is_sure: bool,
}

impl Lanes {
    /// The lanes of a table. None if it has more values than there are slots, or games are over before
    /// they start. O(gates).
    pub(crate) fn new(table: &Table) -> Option<Self> {
        let (shape, vocabulary) = (table.shape(), table.vocabulary());
        let mut view = vec![0; shape.view_words()];
        table.observe(table.initial(), &mut view);
        let stuck = |role| bits::count(legal_words(&view, shape, role)) == 0;
        if bits::test(&view, shape.terminal_bit()) || (0..shape.roles).any(stuck) {
            return None;
        }
        let circuits = table.points();
        let points: Option<Box<[Point]>> = circuits
            .enumerate()
            .map(|(i, circuits)| {
                let initial = (i == 0).then_some((table.initial(), &view[..]));
                Point::new(circuits, shape, vocabulary, initial)
            })
            .collect();
        let points = points?;
        let operations: usize = points.iter().map(Point::operations).sum();
        let games = BLOCK_WORK / (operations / points.len()).max(1);
        Some(Self {
            shape,
            initial: table.initial().into(),
            moves: points.iter().flat_map(|p| &p.roles).map(|role| role.moves.len()).max().unwrap_or(0),
            chance: vocabulary.chance(),
            block: (crate::simd::LANES * games.clamp(1, MOST_GAMES)) as u64,
            points,
        })
    }
}

impl Point {
    /// The programs of two circuits. At the point of the initial state, which is given with what is seen of it,
    /// lanes that are fresh get that state.
    fn new(
        [observe, advance]: [&Circuit; 2],
        shape: Shape,
        vocabulary: &Vocabulary,
        initial: Option<(&[u64], &[u64])>,
    ) -> Option<Self> {
        let fluents = shape.fluents;
        let slot = |number: usize| u16::try_from(number).ok();
        let mut inputs = vec![0];
        for fluent in 0..fluents {
            inputs.push(slot(usize::from(FLUENTS) + fluent)?);
        }
        let mut next_slot = slot(usize::from(FLUENTS) + fluents)?;
        let mut take = || {
            next_slot = next_slot.checked_add(1)?;
            Some(next_slot - 1)
        };

        // What is seen of a state: inputs are the fluents and `IDLE`.
        let mut gates = Gates::new(fluents + 1);
        let first: Vec<u32> = (0..=fluents as u32).map(|node| 2 * node).collect();
        let idle = 2 * (fluents + 1) as u32;
        let seen = gates.add(observe, &first);
        let mut seen = seen.into_iter();
        let mut take_list = |length: usize| seen.by_ref().take(length).collect::<Vec<u32>>();
        let legal: Vec<Vec<u32>> =
            (0..shape.roles).map(|role| take_list(vocabulary.moves_of(role).len())).collect();
        let goals: Vec<Vec<(u8, u32)>> = (0..shape.roles)
            .map(|role| {
                let values = vocabulary.goals_of(role);
                values.iter().copied().zip(take_list(values.len())).collect()
            })
            .collect();
        let terminal = take_list(1).first().copied().unwrap_or(FALSE);
        let fresh = gates.or(idle, terminal);
        let (scored, counted) = score::score(&mut gates, &goals, vocabulary.chance());
        let mut outputs = vec![(terminal, TERMINAL), (scored, SCORED)];
        if initial.is_some() {
            outputs.push((fresh, FRESH));
        }
        let mut items: Vec<(Item, u16)> = Vec::new();
        for (item, signal) in counted {
            // The same thing need not be computed twice.
            let known = outputs[2..].iter().find(|output| output.0 == signal).map(|output| output.1);
            let place = match known {
                Some(place) => place,
                None => take()?,
            };
            if known.is_none() {
                outputs.push((signal, place));
            }
            items.push((item, place));
        }
        let mut roles = Vec::with_capacity(shape.roles);
        for (role, legal) in legal.iter().enumerate() {
            let mut moves = Vec::new();
            let mut signals = Vec::new();
            for (&action, &signal) in vocabulary.moves_of(role).iter().zip(legal) {
                let signal = match initial {
                    None => signal,
                    Some((_, view)) => {
                        let value = bits::test(legal_words(view, shape, role), action as usize);
                        gates.or_value(signal, fresh, value)
                    }
                };
                if signal != FALSE {
                    moves.push(action);
                    signals.push(signal);
                }
            }
            let is_sure = signals == [TRUE];
            let mut first = 0;
            if !is_sure {
                for (i, &signal) in signals.iter().enumerate() {
                    let place = take()?;
                    if i == 0 {
                        first = place;
                    }
                    outputs.push((signal, place));
                }
            }
            roles.push(Choice { moves: moves.into(), first, is_sure });
        }
        let free = usize::from(take()?);
        let observe = program(&gates, &outputs, &[&inputs[..], &[IDLE]].concat(), free)?;

        let advance = follow(advance, vocabulary, &roles, initial.map(|(state, _)| state), &inputs, free)?;
        Some(Self { observe, advance, roles: roles.into(), items: items.into() })
    }

    /// Operations of a step.
    fn operations(&self) -> usize {
        self.observe.len() + self.advance.len()
    }
}

impl Choice {
    /// True if there is something to choose from.
    fn is_choice(&self) -> bool {
        self.moves.len() > 1
    }

    /// The slots of the moves.
    fn slots(&self) -> std::ops::Range<u16> {
        let length = if self.is_sure { 0 } else { self.moves.len() as u16 };
        self.first..self.first + length
    }
}

/// The program that steps: its inputs are the fluents, in the slots given, `FRESH` and the moves.
fn follow(
    advance: &Circuit,
    vocabulary: &Vocabulary,
    roles: &[Choice],
    initial: Option<&[u64]>,
    fluents: &[u16],
    free: usize,
) -> Option<Program> {
    let moves: Vec<u16> = roles.iter().filter(|role| role.is_choice()).flat_map(Choice::slots).collect();
    let mut gates = Gates::new(fluents.len() + moves.len());
    let fresh = 2 * fluents.len() as u32;
    let mut first = vec![FALSE];
    for fluent in 0..fluents.len() - 1 {
        let signal = 2 * (fluent + 1) as u32;
        first.push(match initial {
            None => signal,
            Some(state) => gates.or_value(signal, fresh, bits::test(state, fluent)),
        });
    }
    let mut node = fresh;
    for (role, choice) in roles.iter().enumerate() {
        for action in vocabulary.moves_of(role) {
            first.push(if choice.moves.binary_search(action).is_err() {
                FALSE
            } else if choice.is_choice() {
                node += 2;
                node
            } else {
                // Whoever makes a move makes this one.
                TRUE
            });
        }
    }
    let next = gates.add(advance, &first);
    let outputs = next.into_iter().zip(fluents.iter().copied().enumerate().skip(1));
    // What stays as it is needs no operation.
    let changes = outputs.filter(|&(signal, (node, _))| signal != 2 * node as u32);
    let outputs: Vec<(u32, u16)> = changes.map(|(signal, (_, slot))| (signal, slot)).collect();
    program(&gates, &outputs, &[fluents, &[FRESH], &moves].concat(), free)
}

/// The program of some signals.
fn program(gates: &Gates, outputs: &[(u32, u16)], inputs: &[u16], free: usize) -> Option<Program> {
    let (signals, slots): (Vec<u32>, Vec<u16>) = outputs.iter().copied().unzip();
    Program::new(&Cover::new(gates, &signals), inputs, &slots, free)
}

//! The information of roles by number: what a role did and perceived so far is one number, the next
//! one follows from it, the role's move and what it perceives.

use gdl_runtime::{
    Game, bits,
    engine::percept_words,
    game::{Id, Perception},
};
use rustc_hash::FxHashMap;

/// No information: what is not known, or not kept.
pub(crate) const NO_SET: u32 = u32::MAX;

/// The key of an information's successor: its number, the role's move and a row of what it
/// perceives.
type Key = (u32, u32, Box<[u64]>);

/// Numbered information of all roles. Two plays that a role cannot distinguish have the same number
/// for it.
#[derive(Debug)]
pub(crate) struct Sets {
    roles: u32,
    percepts: usize,
    known: FxHashMap<Key, u32>,
    bytes: usize,
    /// The percepts of all roles in the last step.
    row: Vec<u64>,
    own: Vec<u64>,
}

impl Sets {
    /// The bytes of the table for each key that there is room for: seven of eight places.
    const EACH: usize = (size_of::<(Key, u32)>() + 1) * 8 / 7;

    /// The information sets at the start, which have a number for each role.
    pub(crate) fn new<G: Game>(game: &G) -> Self {
        let shape = game.shape();
        let percepts = shape.percept_words();
        let row = vec![0; shape.roles * percepts];
        Self {
            roles: shape.roles as u32,
            percepts,
            known: FxHashMap::default(),
            bytes: 0,
            row,
            own: Vec::new(),
        }
    }

    /// The information of each role at the start.
    pub(crate) fn start(&self) -> Box<[u32]> {
        (0..self.roles).collect()
    }

    /// The number of information sets.
    pub(crate) fn len(&self) -> usize {
        self.roles as usize + self.known.len()
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.known.capacity() * Self::EACH
    }

    /// The bytes of the larger table that another step of all roles wants; 0 if there is room for
    /// it.
    pub(crate) fn growth(&self) -> usize {
        let room = self.known.capacity();
        let keys = 8 * self.roles as usize * self.row.len().max(self.roles as usize);
        keys + if self.known.len() + self.roles as usize <= room { 0 } else { 2 * room.max(4) * Self::EACH }
    }

    /// The information of the roles after a joint move in a state. An information that is not kept
    /// is unknown, unless it was before.
    pub(crate) fn follow<G: Game>(
        &mut self,
        game: &G,
        known: &mut [u32],
        state: &G::State,
        joint: &[G::Move],
        is_kept: bool,
    ) {
        let has_percepts = game.vocabulary().has_percepts();
        if has_percepts {
            game.perceive(state, joint, &mut self.row);
        }
        for role in 0..self.roles as usize {
            self.own.clear();
            if has_percepts {
                self.own.extend(percept_words(&self.row, game.shape(), role));
            } else {
                self.own.extend(joint.iter().map(|action| action.index() as u64));
            }
            known[role] = self.next(known[role], joint[role].index() as u32, is_kept);
        }
    }

    /// The information of a role after a step; if that is not kept, it is unknown unless a play was
    /// followed so far.
    pub(crate) fn find<G: Game>(
        &mut self,
        known: u32,
        (action, perception): &(G::Move, Perception<G::Move, G::Percept>),
        is_kept: bool,
    ) -> u32 {
        self.own.clear();
        match perception {
            Perception::Joint(joint) => self.own.extend(joint.iter().map(|action| action.index() as u64)),
            Perception::Percepts(percepts) => {
                self.own.resize(self.percepts, 0);
                percepts.iter().for_each(|percept| bits::set(&mut self.own, percept.index()));
            }
        }
        self.next(known, action.index() as u32, is_kept)
    }

    fn next(&mut self, known: u32, action: u32, is_kept: bool) -> u32 {
        if known == NO_SET {
            return NO_SET;
        }
        let number = self.len() as u32;
        let key = (known, action, Box::from(&self.own[..]));
        if !is_kept {
            return self.known.get(&key).copied().unwrap_or(NO_SET);
        }
        let bytes = &mut self.bytes;
        *self.known.entry(key).or_insert_with(|| {
            *bytes += 8 * self.own.len();
            number
        })
    }
}

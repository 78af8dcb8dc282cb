//! Information sets by number: a set is a role's sequence of moves and percepts. The successor of a
//! set depends on the set's number, the role's next move and the role's percepts.

use gdl_runtime::{
    Game, bits,
    engine::percept_words,
    game::{Id, Perception},
};
use rustc_hash::FxHashMap;

/// The number that stands for an unknown or unstored information set.
pub(crate) const NO_SET: u32 = u32::MAX;

/// The key of a successor set: the set's number, the role's move and its row of percepts.
type Key = (u32, u32, Box<[u64]>);

/// The numbered information sets of all roles. Two plays that a role cannot distinguish have the
/// same number for it.
#[derive(Debug)]
pub(crate) struct Sets {
    roles: u32,
    percepts: usize,
    known: FxHashMap<Key, u32>,
    bytes: usize,
    /// The percepts of all roles in the last step; `own` has those of one role.
    row: Vec<u64>,
    own: Vec<u64>,
}

impl Sets {
    /// The bytes of the table for each key that fits; the load factor is 7/8.
    const EACH: usize = (size_of::<(Key, u32)>() + 1) * 8 / 7;

    /// Creates the initial information sets, one for each role.
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

    /// Returns the initial information set of each role.
    pub(crate) fn start(&self) -> Box<[u32]> {
        (0..self.roles).collect()
    }

    /// Returns the number of information sets.
    pub(crate) fn len(&self) -> usize {
        self.roles as usize + self.known.len()
    }

    /// Returns the bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.known.capacity() * Self::EACH
    }

    /// Returns the maximum number of bytes that another step of all roles adds: those of its keys,
    /// and of a larger table if the keys do not fit.
    pub(crate) fn growth(&self) -> usize {
        let room = self.known.capacity();
        let keys = 8 * self.roles as usize * self.row.len().max(self.roles as usize);
        keys + if self.known.len() + self.roles as usize <= room { 0 } else { 2 * room.max(4) * Self::EACH }
    }

    /// Updates the information set of each role after a joint move in a state. If `is_kept` is
    /// false, new sets are not stored, and become [`NO_SET`].
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

    /// Returns the information set of a role after a step. If `is_kept` is false, a new set is not
    /// stored, and the result is [`NO_SET`].
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

//! Games whose size is known when the program runs: in comes a [`Table`], out goes a [`Game`].

use crate::{
    bits::BitBox,
    game::{Game, Id, Shape},
    table::{Table, TableError},
    vocabulary::Vocabulary,
};
use std::sync::Arc;

/// A game that is interpreted from its table. Clones share the table.
#[derive(Clone, Debug)]
pub struct Dynamic {
    table: Arc<Table>,
}

impl Dynamic {
    /// The game of a table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table: Arc::new(table) }
    }

    /// The game of a table's bytes, as the compiler writes them.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        Table::decode(bytes).map(Self::new)
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }

            #[inline]
            fn from_index(index: usize) -> Self {
                Self(index as u32)
            }
        }
    };
}

id! {
    /// A role of a [`Dynamic`] game.
    RoleId
}
id! {
    /// A move of a [`Dynamic`] game.
    MoveId
}
id! {
    /// A fluent of a [`Dynamic`] game.
    FluentId
}

id! {
    /// A percept of a [`Dynamic`] game.
    PerceptId
}

impl Game for Dynamic {
    type State = BitBox;
    type View = BitBox;
    type Role = RoleId;
    type Move = MoveId;
    type Fluent = FluentId;
    type Percept = PerceptId;

    fn vocabulary(&self) -> &Vocabulary {
        self.table.vocabulary()
    }

    fn shape(&self) -> Shape {
        self.table.shape()
    }

    fn empty(&self) -> BitBox {
        BitBox::new(self.shape().state_words())
    }

    fn blank(&self) -> BitBox {
        BitBox::new(self.shape().view_words())
    }

    fn initial(&self) -> BitBox {
        BitBox::from(self.table.initial().to_vec())
    }

    fn observe(&self, state: &BitBox, view: &mut BitBox) {
        self.table.observe(state.as_ref(), view.as_mut());
    }

    fn advance(&self, state: &mut BitBox, joint: &[MoveId]) {
        self.table.advance(state.as_mut(), joint);
    }

    fn perceive(&self, state: &BitBox, joint: &[MoveId], percepts: &mut [u64]) {
        self.table.perceive(state.as_ref(), joint, percepts);
    }
}

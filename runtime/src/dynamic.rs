//! Dynamic games, whose size is known at run time. A [`Dynamic`] interprets a table, a net, or
//! rules too large for either, and is a [`Game`] like those of `gdl!`.

use crate::{
    bits::BitBox,
    game::{Game, Id, Shape},
    table::Table,
    vocabulary::Vocabulary,
};
#[cfg(feature = "load")]
use crate::{events::Events, lifted::Lifted};
use std::sync::Arc;

pub use crate::table::TableError;

/// An interpreted game. Clones share its data.
#[derive(Clone, Debug)]
pub struct Dynamic {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Table(Arc<Table>),
    #[cfg(feature = "load")]
    Events(Arc<Events>),
    #[cfg(feature = "load")]
    Lifted(Arc<Lifted>),
}

impl Dynamic {
    /// Creates the game of a table.
    #[doc(hidden)]
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self::shared(Arc::new(table))
    }

    /// Creates the game of a shared table.
    pub(crate) fn shared(table: Arc<Table>) -> Self {
        Self { engine: Engine::Table(table) }
    }

    /// Decodes a game from the bytes of a table, as the compiler writes them.
    ///
    /// # Errors
    /// Returns the first fault of the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        Table::decode(bytes).map(Self::new)
    }

    /// Returns the table, or `None` if the game was made without one.
    #[doc(hidden)]
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        match &self.engine {
            Engine::Table(table) => Some(table),
            #[cfg(feature = "load")]
            Engine::Events(events) => events.table(),
            #[cfg(feature = "load")]
            Engine::Lifted(lifted) => lifted.table(),
        }
    }

    /// Creates the game of a net that is evaluated incrementally.
    #[cfg(feature = "load")]
    pub(crate) fn eventful(events: Events) -> Self {
        Self { engine: Engine::Events(Arc::new(events)) }
    }

    /// Creates the game of rules that are interpreted in each state.
    #[cfg(feature = "load")]
    pub(crate) fn evaluated(lifted: Lifted) -> Self {
        Self { engine: Engine::Lifted(Arc::new(lifted)) }
    }

    /// The number of evaluations that failed since the game was loaded, and the reason of the
    /// first. Evaluations fail only in a lifted game, if a state exceeds the limits. Returns `None`
    /// if none failed.
    #[must_use]
    pub fn failed_evaluations(&self) -> Option<(u64, String)> {
        match &self.engine {
            Engine::Table(_) => None,
            #[cfg(feature = "load")]
            Engine::Events(_) => None,
            #[cfg(feature = "load")]
            Engine::Lifted(lifted) => {
                lifted.failed_evaluations().map(|(count, excess)| (count, excess.to_string()))
            }
        }
    }

    /// The engine for single states: `table`, `events` or `lifted`.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match &self.engine {
            Engine::Table(_) => "table",
            #[cfg(feature = "load")]
            Engine::Events(_) => "events",
            #[cfg(feature = "load")]
            Engine::Lifted(_) => "lifted",
        }
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
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

/// Evaluates an expression with the engine of a game, whichever it is.
macro_rules! with {
    ($game:expr, |$engine:ident| $body:expr) => {
        match &$game.engine {
            Engine::Table($engine) => $body,
            #[cfg(feature = "load")]
            Engine::Events($engine) => $body,
            #[cfg(feature = "load")]
            Engine::Lifted($engine) => $body,
        }
    };
}

impl Game for Dynamic {
    type State = BitBox;
    type View = BitBox;
    type Role = RoleId;
    type Move = MoveId;
    type Fluent = FluentId;
    type Percept = PerceptId;

    fn vocabulary(&self) -> &Vocabulary {
        with!(self, |engine| engine.vocabulary())
    }

    fn shape(&self) -> Shape {
        with!(self, |engine| engine.shape())
    }

    fn table(&self) -> Option<&Table> {
        Self::table(self)
    }

    fn new_state(&self) -> BitBox {
        BitBox::new(with!(self, |engine| engine.initial().len()))
    }

    fn new_view(&self) -> BitBox {
        BitBox::new(self.shape().view_words())
    }

    fn initial(&self) -> BitBox {
        BitBox::from(with!(self, |engine| engine.initial().to_vec()))
    }

    fn observe(&self, state: &BitBox, view: &mut BitBox) {
        with!(self, |engine| engine.observe(state.as_ref(), view.as_mut()));
    }

    fn observe_without_goals(&self, state: &BitBox, view: &mut BitBox) {
        with!(self, |engine| engine.observe_without_goals(state.as_ref(), view.as_mut()));
    }

    fn advance(&self, state: &mut BitBox, joint: &[MoveId]) {
        with!(self, |engine| engine.advance(state.as_mut(), joint));
    }

    fn perceive(&self, state: &BitBox, joint: &[MoveId], percepts: &mut [u64]) {
        with!(self, |engine| engine.perceive(state.as_ref(), joint, percepts));
    }
}

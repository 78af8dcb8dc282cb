//! Compiled games, each in its own module, and [`visit`], which runs generic code with a game
//! chosen by name.
//!
//! Only four games are always compiled, so that a first build is short. The feature `all` adds
//! those that Rust code or benchmarks name. A visitor is compiled once for each game. All other
//! games are loaded from their rulesheets; on WebAssembly, all games are.

use crate::{Entry, find};
use gdl_runtime::Game;

/// A visitor of compiled games: code that is generic in the game.
pub trait Visitor {
    /// The result of the visit.
    type Output;

    /// Runs the code with a game. The game is a zero-sized value, so it can be copied into threads.
    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        entry: &'static Entry,
    ) -> Self::Output;
}

/// The games that are always compiled.
#[cfg(not(target_family = "wasm"))]
mod usual {
    use gdl_macros::gdl;

    gdl!("../board/breakthrough.kif");
    gdl!("../board/connect_four.kif");
    // The straight-line code exceeds the budget, but the game is often used, and playouts are 1.5
    // times as fast as from the table.
    gdl!("../board/reversi.kif", code = "lanes");
    gdl!("../board/tictactoe.kif");
}

#[cfg(not(target_family = "wasm"))]
pub use usual::*;

/// The games of the feature `all`.
#[cfg(all(feature = "all", not(target_family = "wasm")))]
mod all {
    use gdl_macros::gdl;

    gdl!("../board/breakthrough_small.kif");
    // A move changes few fluents, so the table advances single states faster.
    gdl!("../board/checkers.kif", code = "lanes");
    gdl!("../board/nim.kif");
    gdl!("../board/pentago.kif");
    // The initial state is empty on purpose.
    gdl!("../board/tictactoe_led.kif", allow(missing_init));
    gdl!("../board/tictactoe_stanford.kif");
    gdl!("../puzzles/lights_out.kif");
    gdl!("../chance/liars_dice.kif");
    gdl!("../chance/monty_hall.kif");
    gdl!("../chance/rock_paper_scissors.kif");
}

#[cfg(all(feature = "all", not(target_family = "wasm")))]
pub use all::*;

macro_rules! compiled {
    ($(#[cfg($condition:meta)] $($name:ident)*;)*) => {
        const NAMES: &[&str] = &[
            $($(#[cfg($condition)] stringify!($name),)*)*
        ];

        /// Calls `visitor` with the compiled game called `name`. Returns `None` if no game that is
        /// compiled in has this name.
        #[cfg_attr(target_family = "wasm", expect(unused_variables, reason = "no game is compiled in"))]
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            let entry = find(name)?;
            match name {
                $($(#[cfg($condition)] stringify!($name) => Some(visitor.visit($name::game(), entry)),)*)*
                _ => None,
            }
        }
    };
}

compiled! {
    #[cfg(not(target_family = "wasm"))]
    breakthrough
    connect_four
    reversi
    tictactoe;

    #[cfg(all(feature = "all", not(target_family = "wasm")))]
    breakthrough_small
    checkers
    nim
    pentago
    tictactoe_led
    tictactoe_stanford
    lights_out
    liars_dice
    monty_hall
    rock_paper_scissors;
}

/// The compiled games, which [`visit`] accepts.
pub fn compiled() -> impl Iterator<Item = &'static Entry> {
    NAMES.iter().filter_map(|name| find(name))
}

impl Entry {
    /// Returns true if the game is compiled, so that [`visit`] accepts it.
    #[must_use]
    pub fn is_compiled(&self) -> bool {
        NAMES.contains(&self.name)
    }
}

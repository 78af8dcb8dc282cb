//! Games in the Game Description Language, each compiled to a module of its own.
//!
//! The rulesheets stand beside `src`. [`LIST`] has them all with their texts; [`visit`] picks a
//! compiled game by name, for code that works with any of them.
//!
//! ```
//! use gdl_games::monty_hall::{self, Fluent, Move, Role};
//! use gdl_runtime::{chance::Probability, Game, GameExt, Information, information::InformationSet};
//!
//! let game = monty_hall::game();
//! let mut state = game.initial();
//! let mut candidate = Information::new(Role::Candidate);
//! let doors = [Move::choose(1), Move::hide(2), Move::open(3)].map(Option::unwrap);
//! for joint in [[doors[0], doors[1]], [Move::NOOP, doors[2]]] {
//!     candidate.step(&game, &state, &joint);
//!     state = game.apply(&state, &joint).unwrap();
//! }
//! // The candidate chose the first door and saw nothing, then saw the third one open.
//! assert_eq!(candidate.text(&game), "(candidate ((choose 1) ()) (noop ((open 3))))");
//! let possible = InformationSet::of(&game, &candidate).unwrap();
//! let car = Fluent::car(2).unwrap();
//! assert_eq!(possible.probability_that(|state| game.holds(state, car)), Probability::new(2, 3).unwrap());
//! ```

use gdl_runtime::{Dynamic, Game, gdl};

/// A built-in game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of its module and rulesheet.
    pub name: &'static str,
    /// The rulesheet, in KIF.
    pub text: &'static str,
}

impl Entry {
    /// The first line of the rulesheet's leading comment: what the game is.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(';').trim()
    }
}

/// A visitor of compiled games: what is to be done with a game whose type is not known.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it. The game is a value without size, so it can be copied into threads.
    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        entry: &'static Entry,
    ) -> Self::Output;
}

gdl!("breakthrough.kif");
gdl!("breakthrough_small.kif");
// A move changes little: single states are faster stepped by the table.
gdl!("checkers.kif", code = "lanes");
gdl!("connect_four.kif");
gdl!("liars_dice.kif");
gdl!("lights_out.kif");
gdl!("monty_hall.kif");
gdl!("nim.kif");
gdl!("pentago.kif");
// Whatever the budget is: it is asked for often, and plays half as fast again as from the table.
gdl!("reversi.kif", code = "lanes");
gdl!("rock_paper_scissors.kif");
gdl!("tictactoe.kif");
// It starts with no fluent at all, and means it.
gdl!("tictactoe_led.kif", allow(missing_init));
gdl!("tictactoe_stanford.kif");

macro_rules! list {
    ($($name:ident)*) => {
        /// Every game, by name.
        pub static LIST: &[Entry] = &[$(Entry {
            name: stringify!($name),
            text: include_str!(concat!("../", stringify!($name), ".kif")),
        }),*];

        /// Takes `visitor` to the compiled game called `name`; `None` if there is no such game.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            let entry = find(name)?;
            match name {
                $(stringify!($name) => Some(visitor.visit($name::game(), entry)),)*
                _ => None,
            }
        }
    };
}

list! {
    breakthrough
    breakthrough_small
    checkers
    connect_four
    liars_dice
    lights_out
    monty_hall
    nim
    pentago
    reversi
    rock_paper_scissors
    tictactoe
    tictactoe_led
    tictactoe_stanford
}

/// The game called `name`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.name == name)
}

/// The table of the game called `name`, with its straight-line lanes where a release build has them: one type for all games, so that
/// what is done with any of them is compiled once. None if there is no such game.
#[must_use]
pub fn dynamic(name: &str) -> Option<Dynamic> {
    struct Tabled;

    impl Visitor for Tabled {
        type Output = Option<Dynamic>;

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
            self,
            game: G,
            _: &'static Entry,
        ) -> Option<Dynamic> {
            game.table().cloned().map(Dynamic::new)
        }
    }

    visit(name, Tabled).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::GameExt;

    struct Roles;

    impl Visitor for Roles {
        type Output = usize;

        fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
            self,
            game: G,
            _: &'static Entry,
        ) -> usize {
            game.roles().len()
        }
    }

    #[test]
    fn every_game_is_listed_and_starts() {
        for entry in LIST {
            let roles = visit(entry.name, Roles).expect("it is listed");
            assert!(roles > 0, "{}", entry.name);
            assert_eq!(dynamic(entry.name).map(|game| game.roles().len()), Some(roles), "{}", entry.name);
            assert!(!entry.summary().is_empty(), "{}", entry.name);
        }
        assert!(LIST.is_sorted_by_key(|entry| entry.name));
        assert_eq!(visit("chess_on_the_moon", Roles), None);
        assert!(dynamic("chess_on_the_moon").is_none());
        assert_eq!(visit("tictactoe", Roles), Some(2));
    }

    #[test]
    fn no_rulesheet_is_left_out() {
        let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
        let mut names: Vec<String> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".kif").map(str::to_owned))
            .collect();
        names.sort();
        assert_eq!(names, LIST.iter().map(|entry| entry.name).collect::<Vec<_>>());
    }

    #[test]
    fn names_are_rust() {
        use tictactoe::{Fluent, Move, Role, State};
        let game = tictactoe::game();
        let mark = Move::mark(1, 1).unwrap();
        assert_eq!(mark.to_string(), "(mark 1 1)");
        assert_eq!(" ( mark 1  1 )".parse(), Ok(mark));
        assert_eq!(Move::mark(4, 1_u64), None);
        assert_eq!(Move::all().len(), 10);
        assert_eq!(Role::ALL.map(|role| role.to_string()), ["xplayer", "oplayer"]);
        let start: State = game.initial();
        let next = game.apply(&start, &[mark, Move::NOOP]).unwrap();
        assert!(game.holds(&next, Fluent::cell(1, 1, "x").unwrap()));
        assert!(game.holds(&next, "(control oplayer)".parse().unwrap()));
        assert!("(mark 9 9)".parse::<Move>().unwrap_err().to_string().contains("(mark 9 9)"));
    }
}

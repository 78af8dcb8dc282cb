//! Games in the Game Description Language.
//!
//! The rulesheets are in folders by kind, and [`LIST`] has them all with their texts. Some are
//! compiled, each to its own module: four, or more with the feature `all`. [`visit`] selects one by
//! name, and [`playouts`] and [`perft`] run it. [`dynamic`] returns any game as a value: compiled
//! ones directly, and with the feature `load` others from their texts.
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

mod catalogue;
mod compiled;
mod nets;
mod runs;

pub use catalogue::{Entry, Kind, LIST, Tag, find};
pub use compiled::*;
pub use nets::NETS;
pub use runs::{Counter, PerftSettings, PlayoutSettings, perft, playouts};

use gdl_runtime::{Dynamic, Game};
use std::sync::{LazyLock, OnceLock};

/// Returns the game called `name` as a [`Dynamic`], a single type for all games, so that code for
/// it is compiled once. A release build uses the straight-line lanes of compiled games. The game is
/// made at the first call, and then shared.
///
/// Returns `None` if there is no such game or, without the feature `load`, if it is not compiled
/// in.
#[must_use]
pub fn dynamic(name: &str) -> Option<Dynamic> {
    static GAMES: LazyLock<Vec<OnceLock<Option<Dynamic>>>> =
        LazyLock::new(|| LIST.iter().map(|_| OnceLock::new()).collect());
    let place = LIST.iter().position(|entry| entry.name == name)?;
    GAMES[place].get_or_init(|| visit(name, Tabled).unwrap_or_else(|| load(&LIST[place]))).clone()
}

/// A visitor that makes a [`Dynamic`] from the table of a compiled game.
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

#[cfg(any(feature = "load", test))]
fn load(entry: &Entry) -> Option<Dynamic> {
    gdl_runtime::Loader::new().name(entry.name).load(entry.text).ok()
}

#[cfg(not(any(feature = "load", test)))]
fn load(_: &Entry) -> Option<Dynamic> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::{GameExt, chance::Stream};

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
    fn every_compiled_game_is_listed_and_starts() {
        for entry in compiled() {
            let roles = visit(entry.name, Roles).expect("it is compiled");
            assert_eq!(dynamic(entry.name).map(|game| game.roles().len()), Some(roles), "{}", entry.name);
        }
        // The names of all compiled games are in the catalogue.
        assert_eq!(compiled().count(), 14);
        assert_eq!(visit("chess_on_the_moon", Roles), None);
        assert!(dynamic("chess_on_the_moon").is_none());
        assert_eq!(visit("tictactoe", Roles), Some(2));
    }

    /// Returns true if random play reaches a state in which several players have a choice.
    fn is_simultaneous(game: &Dynamic) -> bool {
        (0..20).any(|number| {
            let mut stream = Stream::new(0, number);
            let mut state = game.initial();
            for _ in 0..200 {
                let view = game.view(&state);
                let mut players = game.roles().filter(|&role| Some(role) != game.chance_role());
                let choosing = players.by_ref().filter(|&role| game.legal_moves_in(&view, role).len() > 1);
                if !game.is_terminal_in(&view) && choosing.count() > 1 {
                    return true;
                }
                let joint: Option<Vec<_>> =
                    game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
                let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else { return false };
                game.advance(&mut state, &joint);
            }
            false
        })
    }

    #[test]
    fn the_catalogue_says_what_rulesheets_say() {
        for entry in LIST {
            let name = entry.name;
            let game = dynamic(name).expect("it is sound");
            assert_ne!(game.engine(), "lifted", "{name}");
            assert!(!entry.summary().is_empty(), "{name}");
            let chance = game.chance_role().is_some();
            assert_eq!(entry.players + usize::from(chance), game.roles().len(), "{name}: players");
            assert_eq!(entry.is(Tag::Chance), chance, "{name}: chance");
            assert_eq!(entry.is(Tag::Hidden), game.vocabulary().has_percepts(), "{name}: hidden");
            assert_eq!(entry.is(Tag::Simultaneous), is_simultaneous(&game), "{name}: simultaneous");
            let kind = match (entry.tags, entry.players) {
                ([], 1) => Kind::Puzzle,
                ([], _) => Kind::Board,
                _ => Kind::Chance,
            };
            assert_eq!(entry.kind, kind, "{name}");
        }
        assert!(LIST.is_sorted_by_key(|entry| (entry.kind, entry.name)));
    }

    #[test]
    fn no_rulesheet_is_left_out() {
        for kind in Kind::ALL {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(kind.folder());
            let mut names: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .map(|file| file.unwrap().file_name().into_string().unwrap())
                .filter_map(|name| name.strip_suffix(".kif").map(str::to_owned))
                .collect();
            names.sort();
            let listed = LIST.iter().filter(|entry| entry.kind == kind).map(|entry| entry.name);
            assert_eq!(names, listed.collect::<Vec<_>>());
        }
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

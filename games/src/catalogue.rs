//! The catalogue of built-in rulesheets, by kind and name, with the number of players and tags of
//! each.
//!
//! A game is a rulesheet in the folder of its kind and a line of [`LIST`]. The line states players
//! and tags, so that reading them needs no compilation. Tests compare them with the rulesheet.

use std::fmt;

/// A built-in game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the rulesheet and, if the game is compiled in, of its module.
    pub name: &'static str,
    /// The kind of the game, which determines the folder of its rulesheet.
    pub kind: Kind,
    /// The number of roles, without chance.
    pub players: usize,
    /// The tags of the game; empty for most games.
    pub tags: &'static [Tag],
    /// The rulesheet, in KIF.
    pub text: &'static str,
}

impl Entry {
    /// The first line of the rulesheet's leading comment, which describes the game.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(';').trim()
    }

    /// Returns true if the game has this tag.
    #[must_use]
    pub fn is(&self, tag: Tag) -> bool {
        self.tags.contains(&tag)
    }
}

/// The kind of a built-in game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Games of several players in turn, with perfect information and without chance.
    Board,
    /// Games of one player, without chance.
    Puzzle,
    /// Games with chance, hidden information or simultaneous moves.
    Chance,
}

impl Kind {
    /// All kinds, in the order of the catalogue.
    pub const ALL: [Self; 3] = [Self::Board, Self::Puzzle, Self::Chance];

    /// The folder of the kind's rulesheets, in the folder of this crate.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Board => "board",
            Self::Puzzle => "puzzles",
            Self::Chance => "chance",
        }
    }

    /// The heading for the kind's games, in lower case.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Board => "board games",
            Self::Puzzle => "puzzles",
            Self::Chance => "chance, hidden information and simultaneous moves",
        }
    }
}

/// A property that most games lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Chance draws some moves: there is a role `random`.
    Chance,
    /// Some information is hidden: the rules have `sees`.
    Hidden,
    /// Several players have a choice at the same time.
    Simultaneous,
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chance => "chance",
            Self::Hidden => "hidden",
            Self::Simultaneous => "simultaneous",
        })
    }
}

macro_rules! catalogue {
    ($($kind:ident in $folder:literal { $($name:ident: $players:literal $([$($tag:ident),+])?,)* })*) => {
        /// Every game, kind by kind, each in the order of the names.
        pub static LIST: &[Entry] = &[$($(Entry {
            name: stringify!($name),
            kind: Kind::$kind,
            players: $players,
            tags: &[$($(Tag::$tag),+)?],
            text: include_str!(concat!("../", $folder, "/", stringify!($name), ".kif")),
        },)*)*];
    };
}

// Each line has a name, the number of players, and tags.
catalogue! {
    Board in "board" {
        amazons: 2,
        breakthrough: 2,
        breakthrough_small: 2,
        checkers: 2,
        chess: 2,
        chinese_checkers: 3,
        connect_four: 2,
        dots_and_boxes: 2,
        draughts: 2,
        go: 2,
        gomoku: 2,
        hex: 2,
        kalah: 2,
        nim: 2,
        nine_mens_morris: 2,
        pentago: 2,
        quarto: 2,
        reversi: 2,
        tictactoe: 2,
        tictactoe_led: 2,
        tictactoe_stanford: 2,
        ultimate_tictactoe: 2,
        xiangqi: 2,
        yavalath: 2,
    }
    Puzzle in "puzzles" {
        eight_puzzle: 1,
        knights_tour: 1,
        lights_out: 1,
        peg_solitaire: 1,
        pocket_cube: 1,
        sokoban: 1,
        sudoku: 1,
        towers_of_hanoi: 1,
    }
    Chance in "chance" {
        battleship: 2 [Hidden, Simultaneous],
        goofspiel: 2 [Chance, Simultaneous],
        kuhn_poker: 2 [Chance, Hidden],
        leduc_poker: 2 [Chance, Hidden],
        liars_dice: 2 [Chance, Hidden],
        monty_hall: 1 [Chance, Hidden],
        phantom_tictactoe: 2 [Hidden],
        pig: 2 [Chance],
        rock_paper_scissors: 2 [Simultaneous],
    }
}

/// Returns the game called `name`, or `None` if there is none.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    LIST.iter().find(|entry| entry.name == name)
}

//! The games to choose from: a card for each built-in game and for the game of `gdl serve`, with
//! its properties and board.
//!
//! Creating a card evaluates at most `GAMES * STEPS` states. Uploaded rulesheets have no card. The
//! board of a game that is not compiled in requires loading the game. The list contains the card of
//! such a game without the board. A request for the single game returns the card with the board.

use gdl_games::{Entry, LIST, Tag};
use gdl_runtime::{Game, GameExt, chance::Stream};
use gdl_tools::{
    error::Result,
    game::GameArg,
    load,
    scene::{BoardView, Motion, board_of},
};
use serde::Serialize;

/// The number of random games that are examined for simultaneous choices.
const GAMES: u64 = 8;
/// The most steps of a random game.
const STEPS: usize = 200;

/// The description of a game before it is opened.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Card {
    /// The name by which the game is opened.
    pub name: String,
    /// The name as words, such as `Connect four`.
    pub title: String,
    /// A summary in one sentence.
    pub summary: String,
    /// The names of the roles, including chance.
    pub roles: Vec<String>,
    /// The number of roles other than chance.
    pub players: usize,
    /// The way in which the roles choose.
    pub kind: TurnKind,
    /// True if the game has chance.
    pub chance: bool,
    /// True if the rules hide something from roles.
    pub hidden: bool,
    /// True if the game was loaded, so that `board` is final.
    pub loaded: bool,
    /// The board of the initial state, if there is one.
    pub board: Option<BoardView>,
}

/// The way in which roles choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnKind {
    /// A single role.
    Puzzle,
    /// One role at a time.
    Turns,
    /// Several roles at the same time.
    Simultaneous,
}

/// Returns the cards of the built-in games, in the order of [`LIST`]. Visits at most
/// `GAMES * STEPS` states of each compiled game.
#[must_use]
pub(crate) fn built_in() -> Vec<Card> {
    let card = |entry: &'static Entry| {
        if entry.is_compiled() {
            GameArg::BuiltIn(entry).with_dynamic(None, |game| card(entry.name, entry.text, game))
        } else {
            listed(entry)
        }
    };
    LIST.iter().filter_map(|entry| card(entry).ok()).collect()
}

/// Creates the card of a game without loading it, from the catalogue and the rules.
fn listed(entry: &Entry) -> Result<Card> {
    let rules = load::checked(load::text_of(entry), &load::quiet())?;
    let role = |role| rules.declaration(role).map(|fact| rules.display_term(fact, &rules.roles[role]));
    let kind = match entry.players {
        ..2 => TurnKind::Puzzle,
        _ if entry.is(Tag::Simultaneous) => TurnKind::Simultaneous,
        _ => TurnKind::Turns,
    };
    Ok(Card {
        name: entry.name.to_owned(),
        title: title(entry.name),
        summary: summary(entry.text).to_owned(),
        roles: (0..rules.roles.len()).filter_map(role).collect(),
        players: entry.players,
        kind,
        chance: entry.is(Tag::Chance),
        hidden: entry.is(Tag::Hidden),
        loaded: false,
        board: None,
    })
}

/// Returns the first line of a text without comment marks and full stop, if that line is a comment.
/// Otherwise returns an empty text.
fn summary(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with(';') { first.trim_matches([';', ' ', '.']) } else { "" }
}

/// Creates the card of a loaded game.
#[must_use]
pub(crate) fn card<G: Game>(name: &str, text: &str, game: &G) -> Card {
    let roles: Vec<String> = game.vocabulary().roles().iter().map(str::to_owned).collect();
    let players = roles.len() - usize::from(game.chance_role().is_some());
    let kind = if players < 2 {
        TurnKind::Puzzle
    } else if choose_together(game) {
        TurnKind::Simultaneous
    } else {
        TurnKind::Turns
    };
    Card {
        name: name.to_owned(),
        title: title(name),
        summary: summary(text).to_owned(),
        roles,
        players,
        kind,
        chance: game.chance_role().is_some(),
        hidden: game.vocabulary().has_percepts(),
        loaded: true,
        board: board_of(game, text).map(|board| {
            BoardView::of(&board, Motion::of(&board, game), None, &board.cells_of(game, &game.initial()))
        }),
    }
}

/// Returns the title for a name: `Connect four` for `connect_four`.
fn title(name: &str) -> String {
    let mut letters = name.chars().map(|c| if c == '_' { ' ' } else { c });
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Returns whether random play reaches a state in which several roles have a choice.
fn choose_together<G: Game>(game: &G) -> bool {
    (0..GAMES).any(|number| {
        let mut stream = Stream::new(0, number);
        let mut state = game.initial();
        for _ in 0..STEPS {
            let view = game.view(&state);
            if game.is_terminal_in(&view) {
                return false;
            }
            let choosing = game.roles().filter(|&role| {
                Some(role) != game.chance_role() && game.legal_moves_in(&view, role).len() > 1
            });
            if choosing.count() > 1 {
                return true;
            }
            let joint: Option<Vec<G::Move>> =
                game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
            let Some(joint) = joint else { return false };
            game.advance(&mut state, &joint);
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::Dynamic;

    #[test]
    fn cards_say_what_games_are_like() {
        let cards = built_in();
        assert_eq!(cards.len(), LIST.len());
        let find = |name: &str| cards.iter().find(|card| card.name == name).expect("a card");
        let connect = find("connect_four");
        assert_eq!(
            (connect.title.as_str(), connect.kind, connect.players),
            ("Connect four", TurnKind::Turns, 2)
        );
        let board = connect.board.as_ref().expect("a board");
        assert_eq!((board.columns.len(), board.rows.len(), board.cells.len()), (7, 6, 42));
        assert!(!connect.chance && !connect.hidden);
        assert_eq!(find("rock_paper_scissors").kind, TurnKind::Simultaneous);
        assert_eq!(find("lights_out").kind, TurnKind::Puzzle);
        assert!(
            cards
                .iter()
                .all(|card| card.loaded == gdl_games::find(&card.name).expect("listed").is_compiled())
        );
        let dice = find("liars_dice");
        assert!(dice.chance && dice.hidden && dice.roles.len() == dice.players + 1);
    }

    #[test]
    fn the_catalogue_says_what_play_shows() {
        for entry in gdl_games::compiled() {
            let card = listed(entry).expect("its rules are sound");
            let describe = |game: &Dynamic| super::card(entry.name, entry.text, game);
            let seen = GameArg::BuiltIn(entry).with_dynamic(None, describe).expect("it is sound");
            assert!(card.board.is_none() && !card.loaded);
            assert_eq!(format!("{card:?}"), format!("{:?}", Card { board: None, loaded: false, ..seen }));
        }
    }
}

//! The pictures of `docs/games.md`: a position of each game, as `gdl play` draws its board in a
//! terminal, or by its fluents if it has no board.
//!
//! It is the position after twelve moves of a seeded random game, or before the end of a shorter
//! one. `GDL_BLESS=1` writes them anew.

use crate::built_in;
use gdl_runtime::{Dynamic, Game, GameExt, bits::BitBox, board::Board, chance::Stream};
use std::{env, fs};

/// The heading before the pictures; they go on to the page's end.
const HEADING: &str = "## Positions\n";

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/games.md");

/// Steps in which somebody had a choice.
const MOVES: usize = 12;

fn position(game: &Dynamic) -> BitBox {
    let mut stream = Stream::new(0, 0);
    let mut state = game.initial();
    let mut moves = 0;
    while moves < MOVES {
        let view = game.view(&state);
        let choice = game.roles().any(|role| game.legal_moves_in(&view, role).len() > 1);
        let joint = game.roles().filter_map(|role| game.random_move_in(&view, role, &mut stream));
        let next = game.apply(&state, &joint.collect::<Vec<_>>()).expect("legal moves");
        if game.is_terminal(&next) {
            break;
        }
        state = next;
        moves += usize::from(choice);
    }
    state
}

fn draw() -> String {
    let mut text = format!(
        "{HEADING}
After twelve moves of a random game, or before its end: the board as `gdl play` draws it, or the fluents that hold in games without a
board. `GDL_BLESS=1 cargo test -p gdl-tests --test known pictures` draws them anew.
"
    );
    for entry in gdl_games::LIST {
        let game = built_in(entry.name);
        let state = position(&game);
        let Some(board) = Board::of(&game).map(|board| board.with_hints(entry.text)) else {
            let fluents: Vec<&str> = game.fluents(&state).map(|fluent| game.fluent_text(fluent)).collect();
            text.extend(["\n### ", entry.name, "\n\n```text\n", &fluents.join("\n"), "\n```\n"]);
            continue;
        };
        let held = game.fluents(&state).map(gdl_runtime::game::Id::index);
        let picture = board.text(&board.cells(held));
        let lines: Vec<&str> = picture.lines().map(str::trim_end).collect();
        let lines = lines.join("\n");
        text.extend(["\n### ", entry.name, "\n\n```text\n", lines.trim_end(), "\n```\n"]);
        let legend: Vec<String> = board.legend().map(|(symbol, mark)| format!("{symbol} {mark}")).collect();
        if !legend.is_empty() {
            text.extend(["\n", &legend.join(", "), "\n"]);
        }
    }
    text
}

#[test]
fn are_true() {
    let page = fs::read_to_string(PAGE).expect("the page");
    let (before, _) = page.split_once(HEADING).unwrap_or((&page, ""));
    let expected = format!("{before}{}", draw());
    if env::var_os("GDL_BLESS").is_some() {
        fs::write(PAGE, expected).expect("it is written");
    } else {
        assert!(
            page == expected,
            "the pictures of `docs/games.md` are others: `GDL_BLESS=1` draws them anew"
        );
    }
}

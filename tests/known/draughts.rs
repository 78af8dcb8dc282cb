//! International draughts: published counts of whole moves, and random games from positions with
//! many kings, compared with a program written by hand.
//!
//! A whole move is a complete chain of jumps. As in the published counts, chains that capture the
//! same pieces between the same squares count once. The steps in which the rulesheet searches for
//! the longest chains are not counted.

use crate::{
    beginning_with,
    reference::{Position, draughts::Board},
};
use gdl_runtime::{Dynamic, Game, GameExt, Loader, bits::BitBox, chance::Stream};
use std::collections::BTreeMap;

/// The Woldouby position, which has no kings.
const WOLDOUBY: &str = "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26";
/// A position with kings.
const KINGS: &str = "B:BK17,K24:W6,9,10,11,20,21,22,23,30,K31,33,37,41,42,43,44,46";

/// The rulesheet with another initial position.
fn rulesheet(board: &Board) -> String {
    let name = |piece: char| if piece.eq_ignore_ascii_case(&'w') { "white" } else { "black" };
    let mut facts = vec![format!("control {}", ["white", "black"][board.to_move()])];
    facts.extend(["quiet 0".to_owned(), "ending 0".to_owned()]);
    let mut counts = BTreeMap::from([("white", 0), ("black", 0)]);
    for ((x, y), piece) in board.pieces() {
        let kind = if piece.is_ascii_lowercase() { "man" } else { "king" };
        facts.push(format!("piece {} {} {} {kind}", x + 1, y + 1, name(piece)));
        *counts.entry(name(piece)).or_default() += 1;
    }
    facts.extend(counts.iter().map(|(player, count)| format!("count {player} {count}")));
    let init: String = facts.iter().flat_map(|fact| ["(init (", fact, "))\n"]).collect();
    beginning_with("draughts", &init)
}

fn position(board: &Board) -> Dynamic {
    Loader::new().load(&rulesheet(board)).unwrap_or_else(|error| panic!("{error}"))
}

/// The legal moves of the role with a choice, without `noop`.
fn moves(game: &Dynamic, state: &BitBox) -> Vec<String> {
    let moves = game.roles().flat_map(|role| game.legal_moves(state, role).collect::<Vec<_>>());
    moves.map(|action| game.move_text(action).to_owned()).filter(|text| text != "noop").collect()
}

/// Makes a move of the player to move.
fn make(game: &Dynamic, state: &BitBox, action: Option<&str>) -> BitBox {
    let joint = game.roles().map(|role| {
        let mut legal = game.legal_moves(state, role);
        let action = action.and_then(|text| game.parse_move(text).ok());
        action.filter(|&action| game.is_legal(state, role, action)).or_else(|| legal.next()).expect("a move")
    });
    game.apply(state, &joint.collect::<Vec<_>>()).expect("legal moves")
}

/// Advances until a role has a choice, and adds the number of steps to `steps`.
fn settle(game: &Dynamic, mut state: BitBox, steps: &mut u64) -> BitBox {
    while !game.is_terminal(&state) && moves(game, &state).is_empty() {
        state = make(game, &state, None);
        *steps += 1;
    }
    state
}

/// The states after whole moves, by their texts.
fn after_turns(game: &Dynamic, state: &BitBox, found: &mut BTreeMap<String, BitBox>) {
    for action in moves(game, state) {
        let next = settle(game, make(game, state, Some(&action)), &mut 0);
        let text = game.state_text(&next);
        if text.contains("(chain ") {
            after_turns(game, &next, found);
        } else {
            // Fluents of the search are a function of the position, so equal positions have equal
            // texts.
            found.insert(text, next);
        }
    }
}

fn perft(game: &Dynamic, state: &BitBox, counts: &mut [u64]) {
    let Some((first, later)) = counts.split_first_mut() else { return };
    if game.is_terminal(state) {
        return;
    }
    let mut found = BTreeMap::new();
    after_turns(game, state, &mut found);
    *first += found.len() as u64;
    if !later.is_empty() {
        found.values().for_each(|next| perft(game, next, later));
    }
}

/// Checks counts of whole moves. The handwritten program counts all depths; a debug build counts
/// only `in_debug` of them from the rulesheet.
fn check(board: &Board, in_debug: usize, expected: &[u64]) {
    assert_eq!(board.perft(u32::try_from(expected.len()).expect("few")), expected);
    let expected = if cfg!(debug_assertions) { &expected[..in_debug] } else { expected };
    let game = position(board);
    let mut counts = vec![0; expected.len()];
    perft(&game, &settle(&game, game.initial(), &mut 0), &mut counts);
    assert_eq!(counts, expected);
}

#[test]
fn perft_of_the_start() {
    check(&Board::default(), 3, &[9, 81, 658, 4265, 27_117, 167_140]);
}

#[test]
fn perft_of_woldouby() {
    check(&Board::read(WOLDOUBY), 5, &[6, 12, 30, 73, 215, 590, 1944, 6269, 22_369]);
}

#[test]
fn perft_with_kings() {
    check(&Board::read(KINGS), 2, &[14, 55, 1168, 5432]);
}

/// Plays random games side by side. Returns white's goals, and the number of steps without a
/// choice.
fn compare(start: &Board, games: u64) -> (Vec<u8>, u64) {
    let game = position(start);
    let (mut goals, mut steps) = (Vec::new(), 0);
    for number in 0..games {
        let mut stream = Stream::new(1, number);
        let mut board = start.clone();
        let mut state = settle(&game, game.initial(), &mut steps);
        while !game.is_terminal(&state) {
            let mut expected = board.moves();
            expected.sort_by(|(one, _), (other, _)| one.cmp(other));
            let names: Vec<&String> = expected.iter().map(|(text, _)| text).collect();
            assert_eq!(moves(&game, &state).iter().collect::<Vec<_>>(), names, "{}", game.state_text(&state));
            let (text, next) = expected.swap_remove(stream.below(expected.len() as u64) as usize);
            state = settle(&game, make(&game, &state, Some(&text)), &mut steps);
            board = next;
        }
        assert!(board.moves().is_empty(), "{}", game.state_text(&state));
        let ended: Vec<u8> = game.roles().filter_map(|role| game.goal(&state, role)).collect();
        assert_eq!(ended, board.goals(), "{}", game.state_text(&state));
        goals.push(ended[0]);
    }
    goals.sort_unstable();
    goals.dedup();
    (goals, steps)
}

#[test]
fn random_games() {
    assert_eq!(compare(&Board::default(), 20).0, [0, 100]);
}

/// Draws after 5, 16 and 25 moves of each player, unless a piece is captured before.
#[test]
fn draws() {
    for start in ["W:WK47:BK15", "B:WK49,K50:BK6", "W:WK46,K47,39:BK4", "W:WK47,K48,K49,K50:BK16"] {
        assert!(compare(&Board::read(start), 20).0.contains(&50), "{start}");
    }
}

/// Kings among many pieces: chains are long and return to squares that they left.
#[test]
fn long_chains() {
    let mut steps = 0;
    for number in 0..12 {
        let mut stream = Stream::new(2, number);
        let mut squares: Vec<u64> = (1..=50).collect();
        let mut draw = |count: usize, mark: &str| {
            let drawn = (0..count).map(|_| squares.swap_remove(stream.below(squares.len() as u64) as usize));
            drawn.map(|square| format!("{mark}{square}")).collect::<Vec<_>>().join(",")
        };
        let text = format!("W:W{},{}:B{},{}", draw(2, "K"), draw(2, ""), draw(3, "K"), draw(9, ""));
        steps += compare(&Board::read(&text), 2).1;
    }
    assert!(steps > 100, "{steps} steps are thought");
}

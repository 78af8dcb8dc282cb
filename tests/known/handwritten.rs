//! Compares random games of a rulesheet with the same game written by hand in `reference/`. In
//! every state, legal moves and percepts are equal; at the end, goals are equal.

use crate::{
    built_in,
    reference::{self, Position},
};
use gdl_runtime::{Game, GameExt, chance::Stream, game::Perception};
use std::collections::BTreeSet;

/// Plays `games` random games. The first role's goals in them are exactly `ends`.
fn compare<P: Position>(name: &str, start: &P, games: u64, ends: &[u8]) {
    compare_by(name, start, games, ends, |_, moves, stream| stream.below(moves.len() as u64) as usize);
}

/// Plays `games` games in which a callback chooses among the moves of each position.
fn compare_by<P: Position>(
    name: &str,
    start: &P,
    games: u64,
    ends: &[u8],
    choose: impl Fn(&P, &[(String, P)], &mut Stream) -> usize,
) {
    let game = built_in(name);
    let roles: Vec<_> = game.roles().collect();
    let mut seen = BTreeSet::new();
    for number in 0..games {
        let mut stream = Stream::new(1, number);
        let (mut state, mut position) = (game.initial(), start.clone());
        loop {
            let said = || format!("{name}: {}", game.state_text(&state));
            assert_eq!(game.is_terminal(&state), position.moves().is_empty(), "{}", said());
            if game.is_terminal(&state) {
                break;
            }
            let mut joint: Vec<Option<String>> = vec![None; roles.len()];
            loop {
                let mut moves = position.moves();
                let mover = position.to_move();
                let mut expected: Vec<&str> = moves.iter().map(|(text, _)| text.as_str()).collect();
                expected.sort_unstable();
                let mut legal: Vec<&str> =
                    game.legal_moves(&state, roles[mover]).map(|action| game.move_text(action)).collect();
                legal.sort_unstable();
                assert_eq!(legal, expected, "{}", said());
                let (text, next) = moves.swap_remove(choose(&position, &moves, &mut stream));
                joint[mover] = Some(text);
                position = next;
                if !position.is_within_step() {
                    break;
                }
            }
            let joint: Vec<_> = (roles.iter().zip(&joint))
                .map(|(&role, text)| {
                    let action = game.parse_move(text.as_deref().unwrap_or("noop")).expect("a move");
                    assert!(text.is_some() || game.legal_moves(&state, role).eq([action]), "{}", said());
                    action
                })
                .collect();
            for (player, mut expected) in position.percepts().into_iter().flatten().enumerate() {
                let Perception::Percepts(percepts) = game.perception(&state, &joint, roles[player]) else {
                    panic!("{name} has percepts");
                };
                let mut names: Vec<&str> =
                    percepts.iter().map(|&percept| game.percept_text(percept)).collect();
                names.sort_unstable();
                expected.sort();
                assert_eq!(names, expected, "{}", said());
            }
            state = game.apply(&state, &joint).expect("legal moves");
        }
        let expected = position.goals();
        let goals: Vec<u8> =
            roles[..expected.len()].iter().filter_map(|&role| game.goal(&state, role)).collect();
        assert_eq!(goals, expected, "{name}: {}", game.state_text(&state));
        seen.insert(goals[0]);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ends, "{name}");
}

macro_rules! compare {
    ($($name:ident: $start:ident, $games:literal, $ends:expr;)*) => {
        $(#[test]
        fn $name() {
            compare(stringify!($name), &reference::$name::$start::default(), $games, &$ends);
        })*
    };
}

compare! {
    amazons: Board, 8, [0, 100];
    battleship: Seas, 100, [0, 100];
    checkers: Draughts, 200, [0, 50, 100];
    dots_and_boxes: Grid, 40, [0, 50, 100];
    eight_puzzle: Frame, 20, [0];
    go: Board, 6, [0, 100];
    gomoku: Board, 10, [0, 100];
    goofspiel: Bids, 200, [0, 50, 100];
    hex: Board, 8, [0, 100];
    kalah: Board, 200, [0, 50, 100];
    knights_tour: Tour, 300, [20, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96, 100];
    kuhn_poker: Deal, 300, [0, 25, 75, 100];
    leduc_poker: Deal, 1000, [22, 28, 34, 40, 46, 52, 58, 61, 64, 70, 76, 82, 88, 94, 100];
    nine_mens_morris: Board, 40, [0, 50, 100];
    peg_solitaire: Board, 100, [0];
    pentago: Board, 200, [0, 50, 100];
    phantom_tictactoe: Board, 200, [0, 50, 100];
    pig: Race, 20, [0, 100];
    quarto: Board, 200, [0, 50, 100];
    sokoban: Warehouse, 20, [0];
    sudoku: Grid, 10, [0];
    towers_of_hanoi: Towers, 20, [0];
    ultimate_tictactoe: Boards, 50, [0, 50, 100];
    xiangqi: Board, 6, [0, 50, 100];
    yavalath: Board, 100, [0, 100];
}

/// Chooses the move that is best for the mover's pegs with a probability of 7/8, since random
/// players never reach the goal.
#[test]
fn chinese_checkers() {
    let start = reference::chinese_checkers::Star::default();
    compare_by("chinese_checkers", &start, 4, &[0, 100], |position, moves, stream| {
        let progress = |&place: &usize| moves[place].1.progress(position.to_move());
        let best = (0..moves.len()).max_by_key(progress).unwrap_or(0);
        if stream.below(8) > 0 { best } else { stream.below(moves.len() as u64) as usize }
    });
    compare("chinese_checkers", &start, 1, &[30]);
}

/// Prefers moves that close a mill: random play closes few, and hardly ever has all men of a player
/// in mills.
#[test]
fn nine_mens_morris_with_mills() {
    let start = reference::nine_mens_morris::Board::default();
    compare_by("nine_mens_morris", &start, 60, &[0, 100], |position, moves, stream| {
        let closes = |&place: &usize| moves[place].1.to_move() == position.to_move();
        let place = stream.below(moves.len() as u64) as usize;
        (0..moves.len()).find(closes).unwrap_or(place)
    });
}

/// Prefers moves that leave few replies: random play never blocks a player.
#[test]
fn nine_mens_morris_shut_in() {
    let start = reference::nine_mens_morris::Board::default();
    compare_by("nine_mens_morris", &start, 12, &[0, 50, 100], |_, moves, stream| {
        let replies = |&place: &usize| moves[place].1.moves().len();
        let fewest = (0..moves.len()).min_by_key(replies).unwrap_or(0);
        if stream.below(8) > 0 { fewest } else { stream.below(moves.len() as u64) as usize }
    });
}

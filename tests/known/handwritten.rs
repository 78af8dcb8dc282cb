//! Random games of a rulesheet beside the same game written by hand in `reference/`: in every state the same moves
//! are legal, and both end with the same goals.

use crate::reference::{Position, checkers::Draughts, pentago::Board};
use gdl_runtime::{Game, GameExt, chance::Stream, load};

/// Plays so many games, in all of which two players take turns and the other one waits.
fn compare(name: &str, start: &impl Position, games: u64) {
    let game = load(gdl_games::find(name).expect("built in").text).expect("built-in rulesheets load");
    let roles: Vec<_> = game.roles().collect();
    let noop = game.parse_move("noop").expect("a move");
    let mut results = [0; 3];
    for number in 0..games {
        let mut stream = Stream::new(1, number);
        let (mut state, mut position) = (game.initial(), start.clone());
        loop {
            let moves = position.moves();
            assert_eq!(game.is_terminal(&state), moves.is_empty(), "{name}: {}", game.state_text(&state));
            if moves.is_empty() {
                break;
            }
            let mover = position.to_move();
            let mut expected: Vec<&str> = moves.iter().map(|(text, _)| text.as_str()).collect();
            expected.sort_unstable();
            let mut legal: Vec<String> = game
                .legal_moves(&state, roles[mover])
                .map(|action| game.move_text(action).to_owned())
                .collect();
            legal.sort();
            assert_eq!(legal, expected, "{name}: {}", game.state_text(&state));
            assert!(
                game.legal_moves(&state, roles[1 - mover]).eq([noop]),
                "{name}: {}",
                game.state_text(&state)
            );

            let (text, next) = &moves[stream.below(moves.len() as u64) as usize];
            let mut joint = [noop; 2];
            joint[mover] = game.parse_move(text).expect("a move");
            state = game.apply(&state, &joint).expect("legal moves");
            position = next.clone();
        }
        let goals = [0, 1].map(|role: usize| game.goal(&state, roles[role]));
        assert_eq!(goals, position.goals().map(Some), "{name}: {}", game.state_text(&state));
        results[usize::from(position.goals()[0]) / 50] += 1;
    }
    // Each end of the game was seen.
    assert!(results.iter().all(|&count| count > 0), "{name}: {results:?}");
}

#[test]
fn checkers() {
    compare("checkers", &Draughts::new(), 200);
}

#[test]
fn pentago() {
    compare("pentago", &Board::default(), 200);
}

//! The role to move, and steps with one role's move given. The runtime's answers are compared with
//! the legal moves that the oracle finds.

use gdl_oracle::{Oracle, Settings};
use gdl_runtime::{Dynamic, Game, GameExt, Information, chance::Stream, game::StepError};
use gdl_tools::game::GameArg;

/// Plays a random game. Returns the roles with a choice in each state before the end, as indices.
fn follow(name: &str, seed: u64) -> Vec<Vec<usize>> {
    let entry = gdl_games::find(name).expect("built in");
    let oracle = Oracle::new(entry.text, &Settings::default()).expect("a game");
    let game: Dynamic = GameArg::BuiltIn(entry).tabled(None).expect("a table");
    let chance = game.chance_role();
    let mut stream = Stream::new(seed, 0);
    let (mut state, mut asked) = (game.initial(), Vec::new());
    let mut known: Vec<_> = game.roles().map(Information::<Dynamic>::new).collect();
    loop {
        let fluents = game.fluents(&state).map(|fluent| game.fluent_text(fluent).to_owned());
        let there = oracle.position(&fluents.collect()).expect("an answer");
        let is_over = there.is_terminal();
        let legal: Vec<Vec<String>> = (0..oracle.roles().len()).map(|role| there.legal(role)).collect();
        let choosers: Vec<usize> = (0..legal.len()).filter(|&role| legal[role].len() > 1).collect();
        let players: Vec<_> = game.roles().filter(|&role| Some(role) != chance).collect();
        let players: Vec<_> = game
            .roles()
            .zip(&legal)
            .filter(|(role, legal)| players.contains(role) && legal.len() > 1)
            .collect();
        let expected = match &players[..] {
            [] => game.roles().find(|&role| Some(role) == chance && !choosers.is_empty()),
            [(role, _)] => Some(*role),
            _ => None,
        };
        let expected = expected.filter(|_| !is_over);
        assert_eq!(game.to_play(&state), expected, "{name}: {}", game.state_text(&state));
        // The moves that identify a step, each with the joint move that it stands for.
        for action in 0..game.vocabulary().moves().len() {
            let action = gdl_runtime::game::Id::from_index(action);
            let text = game.move_text(action);
            let made = |role: usize| legal[role].iter().any(|legal| legal == text);
            let by = match choosers[..] {
                [] => (0..legal.len()).find(|&role| made(role)),
                [only] => Some(only).filter(|&only| made(only)),
                _ => None,
            };
            let joint = by.filter(|_| !is_over).map(|by| -> Vec<String> {
                let each = legal.iter().enumerate();
                each.map(|(role, legal)| if role == by { text } else { &legal[0] }.to_owned()).collect()
            });
            let found = game.joint(&state, action);
            let texts =
                found.as_ref().map(|joint| joint.iter().map(|&a| game.move_text(a).to_owned()).collect());
            assert_eq!(texts.ok(), joint, "{name}: {text} in {}", game.state_text(&state));
            match (is_over, choosers.len()) {
                (true, _) => assert_eq!(found, Err(StepError::Terminal)),
                (false, 2..) => assert_eq!(found, Err(StepError::Several)),
                (false, _) => {
                    let next = found.clone().and_then(|joint| game.apply(&state, &joint));
                    assert_eq!(game.apply_one(&state, action), next);
                    assert!(matches!(found, Ok(_) | Err(StepError::Illegal { .. })), "{name}: {text}");
                }
            }
        }
        for known in &known {
            let seen = known.state(&game);
            assert_eq!(seen, (!game.vocabulary().has_percepts()).then(|| state.clone()), "{name}");
        }
        if is_over {
            return asked;
        }
        asked.push(choosers);
        let view = game.view(&state);
        let joint: Vec<_> = game
            .roles()
            .map(|role| game.random_move_in(&view, role, &mut stream).expect("a legal move"))
            .collect();
        known.iter_mut().for_each(|known| known.step(&game, &state, &joint));
        state = game.apply(&state, &joint).expect("legal");
    }
}

#[test]
fn one_role_is_asked_at_a_time_or_none_or_several() {
    // Turns, forced last moves, simultaneous choices, chance alone, chance with a player, and one
    // role.
    let asked: Vec<_> = ["tictactoe", "nim", "rock_paper_scissors", "monty_hall", "liars_dice", "lights_out"]
        .iter()
        .flat_map(|name| (0..3).flat_map(|seed| follow(name, seed)))
        .collect();
    for count in 0..=2 {
        assert!(asked.iter().any(|choosers| choosers.len() == count), "{count} roles with a choice");
    }
}

//! Tests of training, files and play, on small games.

use super::*;
use crate::{Budget, Player, player::Random, search::AlphaBeta};
use gdl_runtime::{Dynamic, GameExt, Information, chance::Stream, load};

const TICTACTOE: &str = include_str!("../../../../games/board/tictactoe.kif");

fn tictactoe() -> Dynamic {
    load(TICTACTOE).expect("a sound rulesheet")
}

/// Trains on about `samples` states.
fn trained(game: &Dynamic, seed: u64, samples: u64, threads: usize) -> Training {
    let mut training = Training::new(game, seed).expect("a game that can be learnt");
    resume_to(game, &mut training, samples, samples, threads);
    training
}

/// Continues a training of `samples` states in total until it has `until` states.
fn resume_to(game: &Dynamic, training: &mut Training, until: u64, samples: u64, threads: usize) {
    while training.samples() < until {
        let part = training.samples() as f64 / samples as f64;
        assert!(training.advance(game, part, threads, &Budget::unlimited()));
    }
}

#[test]
fn the_seed_and_the_states_determine_the_file() {
    let game = tictactoe();
    let file = |seed, threads| trained(&game, seed, 6_000, threads).net().to_bytes();
    let one = file(3, 1);
    assert_eq!(one, file(3, 2));
    assert_eq!(one, file(3, 5));
    assert_ne!(one, file(4, 1));
    assert!(one.len() < 200_000, "{}", one.len());
}

#[test]
fn a_training_that_was_stopped_goes_on_as_if_it_was_not() {
    let game = tictactoe();
    let whole = trained(&game, 5, 9_000, 1);
    let mut part = Training::new(&game, 5).expect("a game that can be learnt");
    for until in [1, 4_000, 9_000] {
        resume_to(&game, &mut part, until, 9_000, 1);
        part = Training::resume(&game, &part.state()).expect("a sound file");
    }
    assert_eq!(part.samples(), whole.samples());
    assert_eq!(part.state(), whole.state());
    assert_eq!(part.net(), whole.net());
}

#[test]
fn what_is_kept_is_bounded_and_the_oldest_goes() {
    let game = tictactoe();
    let mut training = Training::new(&game, 1).expect("a game that can be learnt");
    training.set_room(500);
    resume_to(&game, &mut training, 3_000, 3_000, 1);
    let state = training.state();
    resume_to(&game, &mut training, 6_000, 6_000, 1);
    assert_eq!(training.state().len(), state.len());
    assert_ne!(training.state(), state);
}

#[test]
fn a_file_is_read_as_it_was_written_and_damage_is_found() {
    let game = tictactoe();
    let net = trained(&game, 1, 1, 1).net();
    let bytes = net.to_bytes();
    assert_eq!(Net::from_bytes(&bytes), Ok(net.clone()));
    assert!(net.is_of(&game));
    let mut stream = Stream::new(1, 0);
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        let place = stream.below(bytes.len() as u64) as usize;
        damaged[place] ^= 1 << stream.below(8);
        let error = Net::from_bytes(&damaged).expect_err("a bit differs");
        assert!(matches!(error, NetError::Damaged | NetError::Other | NetError::Newer), "{error}");
        let length = stream.below(bytes.len() as u64) as usize;
        assert!(Net::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    assert_eq!(Net::from_bytes(b"gdl-net\n\x02\0\0\0"), Err(NetError::Newer));
    assert_eq!(Net::from_bytes(b"(role x)"), Err(NetError::Other));
    // Sizes that exceed the file or are invalid, with a correct checksum.
    for (place, sizes) in [(28, [60_000, 128, 64, 8]), (28, [27, 33, 1, 1]), (28, [27, 128, 1, 0])] {
        let mut damaged = bytes[..bytes.len() - 8].to_vec();
        for (size, bytes) in sizes.into_iter().zip(damaged[place..place + 16].chunks_exact_mut(4)) {
            bytes.copy_from_slice(&u32::to_le_bytes(size));
        }
        let mut hash = features::Fnv::new();
        hash.add(damaged.iter().copied());
        damaged.extend(hash.0.to_le_bytes());
        assert_eq!(Net::from_bytes(&damaged), Err(NetError::Damaged));
    }
}

#[test]
fn a_training_is_read_with_all_its_bounds() {
    let game = tictactoe();
    let state = trained(&game, 1, 3_000, 1).state();
    assert!(Training::resume(&game, &state).is_ok());
    let mut stream = Stream::new(2, 0);
    for number in 0..160 {
        let mut damaged = state[..state.len() - 8].to_vec();
        // A random byte at a random place, with a correct checksum.
        let end = damaged.len() as u64 - 20;
        let place = 20 + stream.below(if number < 80 { 60 } else { end }) as usize;
        damaged[place] = stream.bits() as u8;
        let mut hash = features::Fnv::new();
        hash.add(damaged.iter().copied());
        damaged.extend(hash.0.to_le_bytes());
        if let Ok(mut training) = Training::resume(&game, &damaged)
            && training.samples() < 1 << 20
        {
            training.advance(&game, 0.5, 1, &Budget::within(std::time::Duration::from_millis(1)));
        }
        let length = stream.below(state.len() as u64) as usize;
        assert!(Training::resume(&game, &state[..length]).is_err());
    }
}

#[test]
fn a_net_of_another_game_is_refused_and_best_plays() {
    let game = tictactoe();
    let training = trained(&game, 1, 1, 1);
    let net = Arc::new(training.net());
    let other = load(include_str!("../../../../games/board/connect_four.kif")).expect("a sound rulesheet");
    assert_eq!(LearnedValue::new(&other, net.clone()).err(), Some(NetError::Foreign));
    assert_eq!(Training::resume(&other, &training.state()).err(), Some(NetError::Foreign));
    // Other rules under the same names.
    let changed = TICTACTOE.replace("(or (row ?m ?c)", "(or (row 1 ?c)");
    let changed = load(&changed).expect("a sound rulesheet");
    assert!(changed.vocabulary().fluents().iter().eq(game.vocabulary().fluents().iter()));
    assert!(!net.is_of(&changed));
    let mut player = Learned::new(net);
    let role = other.roles().next().expect("a role");
    assert!(player.choose(&other, &Information::new(role), &Budget::of_nodes(500)).is_some());
    let note = Player::<Dynamic>::report(&player).and_then(|report| report.note).expect("a note");
    assert!(note.contains("of another game") && note.contains("two roles in turn"), "{note}");
}

#[test]
fn games_that_cannot_be_learnt_are_refused_with_the_reason() {
    for (text, reason) in [
        (include_str!("../../../../games/chance/rock_paper_scissors.kif"), "at the same time"),
        (include_str!("../../../../games/chance/liars_dice.kif"), "do not see"),
    ] {
        let game = load(text).expect("a sound rulesheet");
        let error = Training::new(&game, 0).expect_err("not learnt").to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// Returns the mean goal of a player in matches against random moves, in each seat in turn.
fn against_random(game: &Dynamic, player: &mut dyn Player<Dynamic>, matches: u64) -> f64 {
    let roles: Vec<_> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
    let mut points = 0.0;
    for number in 0..matches {
        let mut random = Random::new().seed(number);
        let own = roles[number as usize % roles.len()];
        let mut luck = Stream::new(7, number);
        let mut known: Vec<_> = game.roles().map(Information::new).collect();
        let mut state = game.initial();
        while !game.is_terminal(&state) {
            let joint: Vec<_> = game
                .roles()
                .zip(&known)
                .map(|(role, known)| {
                    let budget = Budget::unlimited();
                    let chosen = match role {
                        _ if Some(role) == game.chance_role() => {
                            game.random_move_in(&game.view(&state), role, &mut luck)
                        }
                        _ if role == own => player.choose(game, known, &budget),
                        _ => random.choose(game, known, &budget),
                    };
                    chosen.expect("a move")
                })
                .collect();
            known.iter_mut().for_each(|known| known.step(game, &state, &joint));
            state = game.apply(&state, &joint).expect("legal moves");
        }
        points += f64::from(game.goal(&state, own).expect("a goal"));
    }
    points / matches as f64
}

#[test]
fn one_ply_of_the_net_beats_random_moves_and_what_is_not_trained() {
    let game = tictactoe();
    let value = |samples| {
        let net = trained(&game, 1, samples, 1).net();
        LearnedValue::new(&game, net.into()).expect("its own game")
    };
    let trained = against_random(&game, &mut AlphaBeta::greedy().evaluation(value(60_000)), 60);
    let new = against_random(&game, &mut AlphaBeta::greedy().evaluation(value(1)), 60);
    assert!(trained > 93.0 && trained > new + 3.0, "{trained} {new}");
}

#[test]
fn chance_and_a_single_role_are_learnt_too() {
    // The role sees a die, and bets on it or passes.
    let text = "(role p) (role random) (init (at 0)) (face 1) (face 2) (face 3)
        (<= (legal p noop) (true (at 0))) (<= (legal random (roll ?f)) (true (at 0)) (face ?f))
        (<= (legal p bet) (true (die ?f))) (<= (legal p leave) (true (die ?f)))
        (<= (legal random noop) (true (die ?f)))
        (<= (next (die ?f)) (does random (roll ?f)))
        (<= (next (won 100)) (does p bet) (true (die 3))) (<= (next (won 0)) (does p bet) (true (die 1)))
        (<= (next (won 40)) (does p bet) (true (die 2))) (<= (next (won 60)) (does p leave))
        (<= terminal (true (won ?n))) (<= (goal p ?n) (true (won ?n)))
        (<= (goal p 0) (not terminal)) (<= (goal random 0) (true (at 0)))";
    let game = load(text).expect("a sound rulesheet");
    let net = trained(&game, 1, 40_000, 1).net();
    let value = LearnedValue::new(&game, net.into()).expect("its own game");
    let state = game.initial();
    let mut goals = vec![0.0; 2];
    value.evaluate(&game, &state, &game.view(&state), &mut goals);
    // The values of the three faces are 60, 60 and 100.
    assert!((goals[0] - 220.0 / 3.0).abs() < 6.0, "{goals:?}");
    assert!((goals[1] - 50.0).abs() < 0.1, "{goals:?}");
}

#[test]
fn an_end_counts_for_more_than_any_estimate() {
    let game = tictactoe();
    let net = Arc::new(trained(&game, 1, 1, 1).net());
    // In every state with an immediate win, the player takes it, whatever the net's values are.
    let mut player = Learned::new(net).depth(1);
    let (mut stream, mut wins) = (Stream::new(9, 9), 0);
    for _ in 0..40 {
        let (mut state, mut known) = (game.initial(), game.roles().map(Information::new).collect::<Vec<_>>());
        while !game.is_terminal(&state) {
            // With one empty cell left, no role has a choice.
            let Some(role) = game.to_play(&state) else { break };
            let place = gdl_runtime::game::Id::index(role);
            let view = game.view(&state);
            let moves: Vec<_> = game.legal_moves_in(&view, role).collect();
            let won = |action| {
                let next = game.apply_one(&state, action).expect("a legal move");
                game.is_terminal(&next) && game.goal(&next, role) == Some(100)
            };
            if moves.iter().any(|&action| won(action)) {
                let chosen = player.choose(&game, &known[place], &Budget::unlimited()).expect("a move");
                assert!(won(chosen), "{}", game.move_text(chosen));
                wins += 1;
                break;
            }
            let joint: Vec<_> = game
                .roles()
                .map(|role| game.random_move_in(&view, role, &mut stream).expect("a move"))
                .collect();
            known.iter_mut().for_each(|known| known.step(&game, &state, &joint));
            state = game.apply(&state, &joint).expect("legal moves");
        }
    }
    assert!(wins > 15, "{wins}");
}

#[test]
fn lines_are_features_of_their_own() {
    let game = tictactoe();
    let features = Features::of(&game, &Budget::unlimited()).expect("a game that can be learnt");
    // Eighteen threats, and eight lines of each side.
    assert_eq!(features.len(), features.fluents + 18 + 16);
    assert_eq!(features.outputs(), 1);
    let seen = |moves: &[&str]| {
        let state = moves.iter().fold(game.initial(), |state, action| {
            let action = game.parse_move(&format!("(mark {action})")).expect("a move");
            game.apply_one(&state, action).expect("a legal move")
        });
        let mut seen = Vec::new();
        features.visit(state.as_ref(), &mut |feature| seen.push(feature));
        let lines = seen.iter().filter(|&&feature| feature >= features.fluents).count();
        assert!(seen.iter().all(|&feature| feature < features.len()));
        lines
    };
    // The middle cell is in four lines.
    assert_eq!([seen(&[]), seen(&["2 2"])], [0, 4]);
    // One threat of x, and lines of x that lack two fluents.
    assert!(seen(&["2 2", "1 2", "1 1"]) > 1);
}

#[test]
fn a_game_without_a_first_move_cannot_be_learned() {
    let over = load(
        "(role a) (role b) (init x) (<= (legal ?r go) (role ?r)) (<= (next x) (true x))
         (<= terminal (true x)) (<= (goal ?r 50) (role ?r))",
    )
    .expect("a sound rulesheet");
    let error = Training::new(&over, 0).expect_err("it has no states to learn from");
    assert!(matches!(&error, NetError::Unsuitable(reason) if reason.contains("no move")), "{error}");
}

#[test]
fn the_next_match_may_be_of_another_game() {
    let first = tictactoe();
    let second = load(include_str!("../../../../games/board/nim.kif")).expect("a sound rulesheet");
    let mut player = Learned::new(Arc::new(trained(&first, 1, 1, 1).net()));
    for (game, is_own) in [(&first, true), (&second, false), (&first, true)] {
        let role = game.roles().next().expect("a role");
        player.start(game, role, &Budget::of_nodes(100));
        player.choose(game, &Information::new(role), &Budget::of_nodes(100)).expect("a move");
        let note = player.report().and_then(|report| report.note).expect("a note");
        assert_eq!(note.starts_with("alpha-beta with a value learned"), is_own, "{note}");
        player.stop(game, &Information::new(role));
    }
}

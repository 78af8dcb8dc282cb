//! Tests of cards: a card, or a software implementation, gives the results of the emulator, bit for
//! bit, and reports errors. Without a card the tests are skipped.

mod golden;

use gdl_gpu::{Error, Gpu};
use gdl_runtime::{Game, GameExt};

/// Opens the card of this machine. Skips the test if there is none.
fn card() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => {
            println!("{}", gpu.name());
            Some(gpu)
        }
        Err(error) => {
            gdl_test_support::skip(format!("{error}: {}", error.help()));
            None
        }
    }
}

#[test]
fn cards_repeat_the_tallies() {
    let Some(gpu) = card() else { return };
    for name in golden::GAMES {
        let line = golden::line(&gpu, name);
        assert!(golden::text().contains(&line), "{name}: {line}");
    }
}

#[test]
fn cards_play_what_the_emulator_plays() {
    let Some(gpu) = card() else { return };
    let emulator = Gpu::emulator();
    for (name, max_length) in [("tictactoe", 6), ("connect_four", 10), ("reversi", 30), ("nim", 10_000)] {
        let game = gdl_games::dynamic(name).expect("built in");
        let [card, emulated] =
            [&gpu, &emulator].map(|gpu| gpu.prepare_for(&game, max_length).expect("small"));
        for (seed, count) in [(0, 1), (u64::MAX, 33), (1 << 35, 20_000)] {
            let tally = card.playouts(seed, count).expect("it plays");
            assert_eq!(tally, emulated.playouts(seed, count).expect("it plays"), "{name}");
            assert!(tally.too_long > 0 || count < 1_000 || name == "nim", "{name}");
        }
        let view = game.view(&game.initial());
        let first = game.roles().map(|role| game.legal_moves_in(&view, role).next());
        let joint: Vec<_> = first.map(|action| action.expect("it is legal")).collect();
        let next = game.apply(&game.initial(), &joint).expect("it is legal");
        let (initial, words) = (game.initial(), next);
        let states: Vec<&[u64]> = [initial.as_ref(), words.as_ref()].into_iter().cycle().take(101).collect();
        let tallies = card.leaves(&states, 7, 100).expect("play comes to them");
        assert_eq!(tallies, emulated.leaves(&states, 7, 100).expect("play comes to them"), "{name}");
    }
}

#[test]
fn what_a_card_does_not_do_is_told() {
    let Some(gpu) = card() else { return };
    let error = Gpu::open_named("no such card").expect_err("there is none");
    assert!(matches!(&error, Error::NoCard { name: Some(_), found } if !found.is_empty()), "{error}");
    let name = gpu.name();
    let some = name.split(' ').next().expect("a word").to_uppercase();
    assert_eq!(Gpu::open_named(&some).expect("its name in capitals").name(), name);
    let chess = gdl_games::dynamic("chess").expect("built in");
    assert!(matches!(gpu.prepare(&chess), Err(Error::TooLarge { .. })));
}

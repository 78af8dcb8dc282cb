//! A card, or software that stands for one, gives what the emulator gives, bit for bit; and what goes wrong on one is told. Where there is no card
//! the tests are skipped, saying so.

mod golden;

use gdl_gpu::{Error, Gpu};
use gdl_runtime::{Game, GameExt};

/// The card of this machine.
fn card() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => {
            println!("{}", gpu.name());
            Some(gpu)
        }
        Err(error) => {
            assert!(std::env::var_os("GDL_CARD").is_none(), "{error}: {}", error.help());
            println!("skipped: {error}");
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

/// Every shader is sound, and is written in the languages of all cards.
#[cfg(feature = "naga")]
#[test]
fn shaders_are_sound_in_all_languages() {
    use naga::{back, front, valid};

    for entry in gdl_games::LIST {
        let game = gdl_games::dynamic(entry.name).expect("built in");
        let gpu = Gpu::emulator();
        let Ok(prepared) = gpu.prepare(&game) else { continue };
        if prepared.operations() > 10_000 {
            continue;
        }
        for code in [prepared.shader(), prepared.leaf_shader()] {
            let name = entry.name;
            let module = front::wgsl::parse_str(&code)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&code)));
            let info = valid::Validator::new(valid::ValidationFlags::all(), valid::Capabilities::empty())
                .validate(&module)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&code)));
            let spirv = back::spv::write_vec(&module, &info, &back::spv::Options::default(), None);
            assert!(!spirv.expect("SPIR-V").is_empty());
            let (metal, _) = back::msl::write_string(
                &module,
                &info,
                &back::msl::Options::default(),
                &back::msl::PipelineOptions::default(),
            )
            .expect("MSL");
            assert!(metal.contains("kernel void"));
            let mut direct = String::new();
            let options = back::hlsl::Options { fake_missing_bindings: true, ..Default::default() };
            let pipeline = back::hlsl::PipelineOptions::default();
            back::hlsl::Writer::new(&mut direct, &options, &pipeline)
                .write(&module, &info, None)
                .expect("HLSL");
            assert!(direct.contains("numthreads"));
        }
    }
}

//! Tests of shaders: every shader is valid, and can be translated to the languages of all cards:
//! SPIR-V, MSL and HLSL. No card is needed.

mod golden;

use gdl_gpu::{Gpu, Prepared};
use naga::{back, front, valid};

/// The most operations of a kernel on a card.
const MOST: usize = 10_000;

/// Returns the shaders of a game, with their names.
fn shaders(prepared: &Prepared<'_>) -> [(&'static str, String); 2] {
    [("playouts", prepared.shader()), ("leaves", prepared.leaf_shader())]
}

#[test]
fn shaders_are_sound_in_all_languages() {
    // A debug build is slow for large shaders, so it takes fewer games.
    let takes_all = !cfg!(debug_assertions);
    let few = golden::GAMES.into_iter().filter(|&name| name != "reversi" && name != "breakthrough");
    let all = gdl_games::LIST.iter().map(|entry| entry.name);
    let names: Vec<&str> = if takes_all { all.collect() } else { few.collect() };
    let gpu = Gpu::emulator();
    let mut written = 0;
    for name in names {
        let game = gdl_games::dynamic(name).expect("built in");
        let Ok(prepared) = gpu.prepare(&game) else { continue };
        if prepared.operations() > MOST {
            continue;
        }
        for (kind, code) in shaders(&prepared) {
            check(&format!("{name}, {kind}"), &code);
        }
        written += 1;
    }
    println!("{written} games");
    assert!(written >= if takes_all { 30 } else { 6 }, "{written}");
}

/// Validates a shader, and translates it to all languages.
fn check(name: &str, code: &str) {
    let module =
        front::wgsl::parse_str(code).unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(code)));
    let info = valid::Validator::new(valid::ValidationFlags::all(), valid::Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(code)));
    let spirv = back::spv::write_vec(&module, &info, &back::spv::Options::default(), None);
    assert!(!spirv.expect("SPIR-V").is_empty(), "{name}");
    let options = (back::msl::Options::default(), back::msl::PipelineOptions::default());
    let (metal, _) = back::msl::write_string(&module, &info, &options.0, &options.1).expect("MSL");
    assert!(metal.contains("kernel void"), "{name}");
    let mut direct = String::new();
    let options = back::hlsl::Options { fake_missing_bindings: true, ..Default::default() };
    let pipeline = back::hlsl::PipelineOptions::default();
    back::hlsl::Writer::new(&mut direct, &options, &pipeline).write(&module, &info, None).expect("HLSL");
    assert!(direct.contains("numthreads"), "{name}");
}

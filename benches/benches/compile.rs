//! The cost of a game in a build: seconds of `cargo check`, a debug build and a release build. The
//! baseline is the same crate without a game.
//!
//!     cargo bench -p gdl-benches --bench compile -- [--rounds N] [GAME..]
//!
//! Dependencies are built before, so the times cover the macro and the compilation of its tokens.
//! Each figure is the least of several rounds in wall-clock seconds, minus that of the empty crate.
//! On x86-64, straight-line lanes are compiled for AVX-512 and for AVX2.

use clap::Parser;
use gdl_compiler::{Options, Source, compile};
use gdl_games::{Entry, LIST, compiled};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// The games, and the number of rounds.
#[derive(Debug, Parser)]
struct Args {
    /// Builds of each kind
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Built-in games, or all that are compiled in
    games: Vec<String>,
    /// What cargo adds to the arguments of a benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

/// The arguments of the timed cargo commands.
const WAYS: [&[&str]; 3] = [&["check"], &["build"], &["build", "--release"]];

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let folder = crate_folder()?;
    for way in WAYS {
        cargo(&folder, way)?;
    }
    let empty = measure(&folder, EMPTY, args.rounds)?;
    println!("| game | operations of a state | operations of lanes | check | debug | release |");
    println!("|---|---|---|---|---|---|");
    let named = |entry: &&'static Entry| args.games.iter().any(|name| name == entry.name);
    let entries: Vec<&Entry> =
        if args.games.is_empty() { compiled().collect() } else { LIST.iter().filter(named).collect() };
    for entry in entries {
        let [states, lanes] = operations(entry);
        fs::write(folder.join("src/game.kif"), entry.text)?;
        let seconds = measure(&folder, &program(entry), args.rounds)?;
        let [check, debug, release] = [0, 1, 2].map(|way| (seconds[way] - empty[way]).max(0.0));
        println!("| {} | {states} | {lanes} | {check:.2} | {debug:.2} | {release:.2} |", entry.name);
    }
    println!("\nWithout a game: check {:.2}, debug {:.2}, release {:.2} s", empty[0], empty[1], empty[2]);
    Ok(())
}

const EMPTY: &str = "fn main() {}\n";

/// The source of a program that plays a game.
fn program(entry: &Entry) -> String {
    // The options that the built-in games are compiled with.
    let arguments = match entry.name {
        "reversi" | "checkers" => ", code = \"lanes\"",
        "tictactoe_led" => ", allow(missing_init)",
        _ => "",
    };
    format!(
        "gdl_runtime::gdl!(\"game.kif\", name = game{arguments});\n\
         fn main() {{ println!(\"{{}}\", gdl_runtime::Playouts::new(&game::game()).run()); }}\n"
    )
}

/// The numbers of two-input operations of the net and of operations of the lanes.
fn operations(entry: &Entry) -> [usize; 2] {
    let source = Source::new(entry.name, entry.text);
    let Ok(game) = compile(&source, &Options::default()) else { return [0; 2] };
    [game.net.operations(), game.lanes.map_or(0, |lanes| lanes.operations())]
}

/// Creates a crate outside the workspace that depends on the runtime, and returns its folder.
fn crate_folder() -> Result<PathBuf, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile");
    fs::create_dir_all(folder.join("src"))?;
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime").canonicalize()?;
    let manifest = format!(
        "[package]\nname = \"one-game\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ngdl-runtime = {{ path = {:?} }}\n\n\
         [profile.release.build-override]\nopt-level = 3\n\n[workspace]\n",
        runtime.display().to_string()
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("src/main.rs"), EMPTY)?;
    Ok(folder)
}

/// The seconds of each command for a program, the least of `rounds` rounds.
fn measure(folder: &Path, program: &str, rounds: usize) -> Result<[f64; 3], Box<dyn Error>> {
    let mut least = [f64::INFINITY; 3];
    for round in 0..rounds.max(1) {
        for (way, least) in WAYS.iter().zip(&mut least) {
            fs::write(folder.join("src/main.rs"), format!("{program}// {round} {}\n", way.join(" ")))?;
            let start = Instant::now();
            cargo(folder, way)?;
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(least)
}

fn cargo(folder: &Path, arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).args(["--quiet", "--offline"]).current_dir(folder);
    command.env("CARGO_TARGET_DIR", folder.join("target")).env_remove("RUSTFLAGS");
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(())
}

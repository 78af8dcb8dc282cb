//! Rulesheets of other authors agree with reference traces: legal moves, states, goals, ends and counts of
//! move sequences.
//!
//! Rulesheets and traces lie in a folder `shared` beside the checkout; without it the test skips.

use gdl_cli::verify::{Engine, Limits, Trace, verify};
use gdl_compiler::{Levels, Options};
use gdl_runtime::{Dynamic, load_named};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Rulesheets that differ from their traces, and why.
const DIFFERENT: &[(&str, &str)] = &[(
    "testbase__test_case_3a",
    "the reference takes `(open2)` and `open2` for two relations; they are one",
)];

/// How much of a trace is compared: little enough for a debug build. `gdl verify` compares all of it.
const LIMITS: Limits = Limits { playouts: 2, states: 60, moves: 3_000, deadline: None };

/// The folder with `rulesheets` and `traces`, if it is there.
fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    folder.join("traces").is_dir().then_some(folder)
}

/// The game as the traces were made: case matters, and no lint stops it. The limits are small, to keep
/// the test quick; what exceeds them is listed as skipped.
fn game(path: &Path) -> Result<Dynamic, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let levels = Levels { allow: vec!["relation_arity_clash".to_owned()], ..Levels::default() };
    let mut options = Options { case_sensitive: true, levels, ..Options::default() };
    options.limits.max_ground_rules = 20_000;
    options.limits.fuel = 2_000_000;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let load = load_named(&name, &String::from_utf8_lossy(&bytes), &options);
    load.map_err(|error| {
        let text = error.to_string();
        text.lines().find(|line| line.contains("error[")).unwrap_or(&text).to_owned()
    })
}

#[test]
fn rulesheets_agree_with_their_traces() {
    let Some(shared) = shared() else {
        println!("skipped: no reference traces beside the checkout");
        return;
    };
    let mut traces: Vec<PathBuf> = fs::read_dir(shared.join("traces"))
        .expect("readable")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    traces.sort();
    let (mut agreed, mut different, mut steps) = (0, Vec::new(), 0);
    for path in traces {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable");
        let trace = Trace::read(&text).expect("a trace");
        if trace.status == "failed" {
            continue;
        }
        let game = match game(&shared.join("rulesheets/games").join(format!("{name}.kif"))) {
            Ok(game) => game,
            Err(fault) => {
                println!("{name}: skipped: {fault}");
                continue;
            }
        };
        let outcome = verify(&Engine(&game), &trace, &LIMITS);
        steps += outcome.steps;
        match outcome.difference {
            None => agreed += 1,
            Some(difference) => {
                println!("{name}: {difference}");
                different.push(name);
            }
        }
    }
    println!("{agreed} rulesheets agree on {steps} steps");
    let known: Vec<&str> = DIFFERENT.iter().map(|(name, _)| *name).collect();
    assert_eq!(different, known);
    assert!(agreed >= 150, "only {agreed} rulesheets could be compared");
}

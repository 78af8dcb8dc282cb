//! Mutants of rulesheets through the command itself: none hangs, panics or ends by a signal, and
//! all engines agree.
//!
//! They are mutants of the built-in games and of other authors' rulesheets, if there are any next
//! to the checkout. `GDL_CASES` sets the number of cases, `GDL_SEED` the seed. A long run is
//!
//! ```text
//! GDL_CASES=20000 GDL_SEED=1 cargo test --release -p gdl-cli --test cli -- --nocapture mutants
//! ```

#[path = "../../../tests/src/corpus.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use more of it")]
mod corpus;
#[path = "../../../tests/src/mutant.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use more of it")]
mod mutant;

use crate::{Run, command, file};
use mutant::mutate;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env,
    fs::{File, read_to_string},
    thread::sleep,
    time::{Duration, Instant},
};

/// The timeout of a run, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of games that each engine plays. The lifted engine plays them only if they have at
/// most `FEW` states.
const COUNT: &str = "2";
const FEW: u64 = 300;

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().expect("a whole number"))
}

/// The name of a file for this process, since other runs of the tests may be active.
fn own(ending: &str) -> String {
    format!("mutant_{}.{ending}", std::process::id())
}

/// Runs `gdl`. It may reject the rulesheet, but must neither hang nor crash.
fn run(args: &[&str], text: &str) -> Run {
    let paths = ["stdout", "stderr"].map(|stream| file(&own(stream), ""));
    let [stdout, stderr] = paths.each_ref().map(|path| File::create(path).expect("a file"));
    let mut child = command(args).stdout(stdout).stderr(stderr).spawn().expect("gdl runs");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("it can be ended");
            panic!("{args:?} does not end\n{text}");
        }
        sleep(Duration::from_millis(1));
    };
    let [stdout, stderr] = paths.map(|path| read_to_string(path).expect("UTF-8"));
    let run = Run { code: status.code(), stdout, stderr };
    assert!(matches!(run.code, Some(0 | 1)), "{args:?}: {:?}, {}\n{text}", run.code, run.stderr);
    run
}

/// Plays games in an engine. Returns all figures except times, or `None` if it rejects the
/// rulesheet.
fn play(path: &str, engine: &str, text: &str) -> Option<BTreeMap<String, Value>> {
    let run = run(&["playouts", "--engine", engine, "--count", COUNT, "--seed", "3", "--json", path], text);
    if run.code != Some(0) {
        assert!(run.stderr.contains("error"), "{engine} says nothing\n{text}");
        return None;
    }
    let mut tally: BTreeMap<String, Value> = serde_json::from_str(&run.stdout).expect("one JSON object");
    for key in
        ["engine", "isa", "threads", "seconds", "cpu_seconds", "playouts_per_second", "states_per_second"]
    {
        tally.remove(key);
    }
    Some(tally)
}

/// Runs a mutant through the commands, and classifies the result.
fn go(text: &str) -> &'static str {
    let path = file(&own("kif"), text);
    let simulate = ["--simulate", "--playouts", "10", "--steps", "40", "--states", "200"];
    let check = [&["check", "--json", "--limits", "network"][..], &simulate, &[&path]].concat();
    let checked = run(&check, text);
    let report: Value = serde_json::from_str(&checked.stdout).expect("one JSON object");
    assert_eq!(checked.code == Some(0), report["totals"]["errors"] == 0, "{report}\n{text}");
    if checked.code != Some(0) {
        return "refused";
    }
    let table = play(&path, "table", text).unwrap_or_else(|| panic!("the table does not play\n{text}"));
    let lanes = ["lanes", "table-lanes"].map(|engine| play(&path, engine, text));
    assert_eq!(lanes[0], lanes[1], "the engines of lanes differ\n{text}");
    if table["states"].as_u64().is_none_or(|states| states > FEW) {
        return "played by the table";
    }
    // The evaluation of a state may exceed the limits of the lifted engine.
    let Some(lifted) = play(&path, "lifted", text) else { return "played by the table" };
    assert_eq!(table, lifted, "the table (left) and lifted differ\n{text}");
    "played by all"
}

#[test]
fn mutants_go_through_the_command() {
    let built_in = gdl_games::LIST.iter().map(|entry| entry.text.to_owned());
    let others = corpus::rulesheets().into_iter().flatten().map(|(_, text)| text);
    let texts: Vec<String> = built_in.chain(others).filter(|text| text.len() < 8_000).collect();
    let (cases, seed) = (setting("GDL_CASES", 24), setting("GDL_SEED", 0));
    let mut counts = BTreeMap::<&str, u64>::new();
    for number in 0..cases {
        let text = mutate(&texts[number as usize % texts.len()], seed, number).join("\n");
        *counts.entry(go(&text)).or_default() += 1;
    }
    for ending in ["kif", "stdout", "stderr"] {
        let _ = std::fs::remove_file(file(&own(ending), ""));
    }
    println!("{cases} mutants: {counts:?}");
    assert!(counts.get("played by all") > Some(&(cases / 8)), "too few mutants are played: {counts:?}");
}

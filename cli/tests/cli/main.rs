//! The command from a user's view: arguments in; stdout, stderr and the exit code out.

mod analyze;
mod authors;
mod bench;
#[cfg(all(unix, feature = "manage", feature = "serve"))]
mod book;
mod check;
mod fmt;
mod games;
mod judge;
#[cfg(feature = "manage")]
mod manage;
mod matches;
#[cfg(feature = "mcp")]
mod mcp;
mod mutants;
mod play;
#[cfg(feature = "network")]
mod player;
mod plumbing;
mod schema;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod simulate;
mod syntaxes;
mod train;
mod validity;
mod verify;
mod why;

use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The output and status of a run of `gdl`.
struct Run {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdl"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs `gdl` with these arguments.
fn gdl(args: &[&str]) -> Run {
    command(args).output().expect("gdl runs").into()
}

/// Runs `gdl` with these arguments, expects success and a JSON object on stdout.
fn json(args: &[&str]) -> Value {
    let run = gdl(args);
    assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", run.stdout))
}

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The path of a built-in game's rulesheet, by the name of its file.
fn rulesheet(name: &str) -> String {
    let entry = gdl_games::find(name.trim_end_matches(".kif")).expect("a built-in game");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games").join(entry.kind.folder());
    let path = folder.join(name);
    path.to_str().expect("a path in UTF-8").to_owned()
}

/// Writes a file and returns its path. No two tests may use the same name.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the file can be written");
    path.to_str().expect("a path in UTF-8").to_owned()
}

//! Another process, for a limited time.

use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What came of a child.
#[derive(Debug)]
pub struct Report {
    /// What it wrote to stdout, up to its end.
    pub output: String,
    /// Whether it was stopped because its time was over.
    pub stopped: bool,
}

/// Runs a command that reads all of `input` before it writes no more than a few lines. It is stopped after
/// `cap`.
///
/// # Panics
/// If the command cannot be started or writes no text.
#[must_use]
pub fn run(mut command: Command, input: &str, cap: Duration) -> Report {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().expect("the command starts");
    // A child that ends early closes the pipe, and what it wrote tells why.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let mut stopped = false;
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > cap {
            stopped = true;
            child.kill().expect("a child");
        }
        thread::sleep(Duration::from_millis(2));
    }
    let mut output = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    Report { output, stopped }
}

//! Child processes with a time limit, and the peak memory of this process.

use std::{
    fs,
    io::{self, Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The result of a child process.
#[derive(Debug)]
pub struct Report {
    /// The stdout of the process.
    pub output: String,
    /// True if it was killed at the time limit.
    pub stopped: bool,
}

/// Runs a command with `input` on its stdin, and kills it after `cap`.
///
/// The command must read all input before it writes more than a pipe buffers, or both processes
/// wait for each other. Stdout is read only after the process has ended, so a command that writes
/// more than a pipe buffers blocks until `cap`.
///
/// # Errors
/// Returns an error if the command cannot be started or its output is not UTF-8.
pub fn run(mut command: Command, input: &str, cap: Duration) -> io::Result<Report> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    // A child that ends early closes the pipe; its output shows the reason.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    let mut stopped = false;
    while child.try_wait()?.is_none() {
        if start.elapsed() > cap {
            stopped = true;
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(2));
    }
    let mut output = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut output)?;
    }
    Ok(Report { output, stopped })
}

/// Returns the peak memory of this process in bytes, or `None` where `/proc` does not report it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

//! Another process, for a limited time, and the memory of this one.

use std::{
    fs,
    io::{self, Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The result of a child.
#[derive(Debug)]
pub struct Report {
    /// Its output on stdout, up to its end.
    pub output: String,
    /// True if it was stopped because its time was over.
    pub stopped: bool,
}

/// Runs a command that reads all of `input` before it writes no more than a few lines. It is
/// stopped after `cap`.
///
/// # Errors
/// Returns an error if the command cannot be started or writes no text.
pub fn run(mut command: Command, input: &str, cap: Duration) -> io::Result<Report> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    // A child that ends early closes the pipe, and what it wrote tells why.
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

/// The peak memory of this process, in bytes, where Linux reports it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

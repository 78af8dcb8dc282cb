//! Child processes with a time limit, and the peak memory of this process.

use std::{
    fs,
    io::{self, Write},
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
/// # Errors
/// Returns an error if the command cannot be started or its output is not UTF-8.
pub fn run(mut command: Command, input: &str, cap: Duration) -> io::Result<Report> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    thread::scope(|scope| {
        // A child that ends early closes the pipe; its output shows the reason.
        scope.spawn(|| stdin.map(|mut pipe| pipe.write_all(input.as_bytes())));
        let output = scope.spawn(|| stdout.map_or(Ok(String::new()), io::read_to_string));
        let mut stopped = false;
        let ended = loop {
            match child.try_wait() {
                Ok(None) => {}
                ended => break ended,
            }
            if start.elapsed() > cap {
                stopped = true;
                // A child that has just ended cannot be killed.
                let _ = child.kill();
            }
            thread::sleep(Duration::from_millis(2));
        };
        if ended.is_err() {
            let _ = child.kill();
        }
        ended?;
        let output = output.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(Report { output, stopped })
    })
}

/// Returns the peak memory of this process in bytes, or `None` where `/proc` does not report it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn neither_pipe_blocks() {
        let long = "x".repeat(1 << 20);
        let report = run(Command::new("cat"), &long, Duration::from_secs(60)).expect("it starts");
        assert!(report.output == long && !report.stopped);
        let mut sleep = Command::new("sleep");
        sleep.arg("60");
        let report = run(sleep, &long, Duration::from_millis(20)).expect("it starts");
        assert!(report.output.is_empty() && report.stopped);
    }
}

//! Runs cases in a child process. The supervisor starts the child, counts the results and reports
//! the failures.
//!
//! This program starts itself again. Before each phase of a case, the child prints the phase on its
//! standard output. So every failure has a name: a panic, a difference, a signal, a timeout, or an
//! allocation past the limit. The supervisor records the failure, shrinks the rulesheet while it
//! still fails, and continues with the next case.
//!
//! Each case has a time limit, and the same time again to shrink. The supervisor stores one
//! rulesheet at a time, the counts and the failures.

use crate::{
    HEAP,
    journey::{Enter, travel},
};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead, BufReader, Write, stdout},
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::{self, Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// The start of the report of a case that exceeds its time.
const HANG: &str = "no end";

/// The number of failures after which a run stops.
const FAULTS: usize = 20;

/// An environment variable of the child: its cases as `from..to`, or the path of a rulesheet.
const WORK: &str = "GDL_SHAPES_WORK";

/// A generator of cases, and the test that each case must pass.
pub(crate) trait Cases {
    /// The forms of a case, and the words to count for it.
    fn write(&self, number: u64) -> (Vec<String>, Vec<&'static str>);

    /// Runs a text through all phases, and returns the words to count for the result.
    fn go(&self, text: &str, enter: Enter) -> Vec<String> {
        travel(text, enter).words()
    }

    /// The time limit of a case, about a thousand times what most cases take.
    fn patience(&self) -> Duration {
        Duration::from_secs(60)
    }
}

/// The results of a run.
#[derive(Default)]
pub(crate) struct Summary {
    /// The number of cases.
    pub(crate) cases: u64,
    /// The number of cases for each word: features of the text and results.
    pub(crate) counts: BTreeMap<String, u64>,
    /// The failed cases, each with a report.
    pub(crate) faults: Vec<String>,
}

impl Summary {
    pub(crate) fn count(&self, word: &str) -> u64 {
        self.counts.get(word).copied().unwrap_or(0)
    }
}

/// Runs cases through all phases. `test` is the name of the calling test, which the child runs
/// again. Returns `None` in the child.
pub(crate) fn supervise(test: &str, cases: &impl Cases, numbers: Range<u64>) -> Option<Summary> {
    if let Ok(work) = env::var(WORK) {
        obey(&work, cases);
        return None;
    }
    let mut summary = Summary::default();
    let mut rest = numbers;
    while !rest.is_empty() && summary.faults.len() < FAULTS {
        let mut clerk =
            Clerk::start(test, &format!("{}..{}", rest.start, rest.end), cases.patience(), Stdio::inherit());
        let fault = clerk.follow(&mut summary.counts);
        summary.cases += clerk.done;
        rest.start += clerk.done;
        let Some(fault) = fault else { break };
        let (number, phase) = (rest.start, &clerk.phase);
        // A long run shows its failures at once.
        eprintln!("{test}: case {number}, {phase}: {fault}");
        let forms = shrink(test, cases, number, phase, fault.starts_with(HANG)).join("\n");
        summary.faults.push(format!("case {number}, {phase}: {fault}; the rulesheet is\n{forms}\n"));
        summary.cases += 1;
        rest.start += 1;
    }
    Some(summary)
}

/// Drops forms of a case that its failure does not need, as far as the time limit allows. Returns
/// the other forms.
fn shrink(test: &str, cases: &impl Cases, number: u64, phase: &str, is_hang: bool) -> Vec<String> {
    let path: PathBuf = env::temp_dir().join(format!("gdl-shapes-{}-{test}.kif", process::id()));
    let start = Instant::now();
    let is_over = || start.elapsed() > cases.patience();
    let fails = |forms: &[String]| {
        fs::write(&path, forms.join("\n")).is_ok() && {
            let mut clerk = Clerk::start(test, &path.to_string_lossy(), cases.patience() / 10, Stdio::null());
            let fault = clerk.follow(&mut BTreeMap::new());
            fault.is_some_and(|fault| fault.starts_with(HANG) == is_hang) && clerk.phase == phase
        }
    };
    let (mut forms, _) = cases.write(number);
    // Tries to drop halves, quarters and so on, then single forms.
    let mut size = forms.len() / 2;
    while size > 0 {
        let mut place = 0;
        while place < forms.len() && !is_over() {
            let mut fewer = forms.clone();
            fewer.drain(place..forms.len().min(place + size));
            if fails(&fewer) {
                forms = fewer;
            } else {
                place += size;
            }
        }
        size /= 2;
    }
    let _ = fs::remove_file(&path);
    forms
}

/// The reader of a child's messages.
struct Clerk {
    child: Child,
    lines: Receiver<String>,
    patience: Duration,
    /// The number of cases that the child has finished.
    done: u64,
    /// The child's last phase.
    phase: String,
}

impl Clerk {
    fn start(test: &str, work: &str, patience: Duration, errors: Stdio) -> Self {
        let mut child = Command::new(env::current_exe().expect("a path"))
            .args(["--exact", test, "--nocapture"])
            .env(WORK, work)
            // A backtrace would exceed the memory limit.
            .env("RUST_BACKTRACE", "0")
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .expect("this program runs");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (send, lines) = channel();
        // The thread ends when the child does.
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines, patience, done: 0, phase: "start".to_owned() }
    }

    /// Counts the child's results. Returns the failure if the child ended before its last case.
    fn follow(&mut self, counts: &mut BTreeMap<String, u64>) -> Option<String> {
        loop {
            let line = match self.lines.recv_timeout(self.patience) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    self.stop();
                    return Some(format!("{HANG} within {} s", self.patience.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().expect("it was started");
                    return Some(format!("the process ended with {status}"));
                }
            };
            match line.split_once(' ') {
                Some(("phase", phase)) => phase.clone_into(&mut self.phase),
                Some(("end", words)) => {
                    self.done += 1;
                    words.split(", ").for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
                }
                Some(("fault", fault)) => {
                    self.stop();
                    return Some(fault.to_owned());
                }
                _ if line == "done" => {
                    self.stop();
                    return None;
                }
                // The output of the test harness.
                _ => {}
            }
        }
    }

    fn stop(&mut self) {
        // The child may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends one line to the supervisor.
fn tell(line: &str) {
    // The parent has exited, so the child stops too.
    if writeln!(stdout().lock(), "{}", line.replace('\n', " | ")).is_err() {
        process::exit(1);
    }
}

/// Reports a phase, and sets its limit of `bytes` additional bytes.
fn enter(phase: &str, bytes: usize) {
    // The last phase's limit may be lower than the current use.
    HEAP.set_limit(usize::MAX).expect("there is no less");
    tell(&format!("phase {phase}"));
    HEAP.set_limit(HEAP.allocated() + bytes).expect("that is more than there is");
}

/// Does the work of a child.
fn obey(work: &str, cases: &impl Cases) {
    let is_done = if let Some((from, to)) = work.split_once("..") {
        let [from, to] = [from, to].map(|number| number.parse::<u64>().expect("a number"));
        (from..to).all(|number| {
            let (forms, features) = cases.write(number);
            try_one(cases, &forms.join("\n"), &features)
        })
    } else {
        try_one(cases, &fs::read_to_string(work).expect("a rulesheet"), &[])
    };
    if is_done {
        tell("done");
    }
}

/// Runs a text through all phases and reports the result. Returns false after a panic.
fn try_one(cases: &impl Cases, text: &str, features: &[&'static str]) -> bool {
    let words = catch_unwind(AssertUnwindSafe(|| cases.go(text, enter)));
    HEAP.set_limit(usize::MAX).expect("there is no less");
    match words {
        Ok(mut words) => {
            words.extend(features.iter().map(|&feature| feature.to_owned()));
            tell(&format!("end {}", words.join(", ")));
            true
        }
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|&message| message.to_owned()));
            tell(&format!("fault {}", message.unwrap_or_default()));
            false
        }
    }
}

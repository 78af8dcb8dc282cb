//! The machine that figures were measured on.

use gdl_runtime::lanes::Isa;
use serde::Serialize;
use std::{fmt, fs, thread};

/// The relevant properties of a machine, as far as the system reports them.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The name of the processor, if Linux reports it.
    pub processor: Option<String>,
    /// The number of cores that this process may use.
    pub cores: usize,
    /// The best instruction set of lanes.
    pub isa: &'static str,
    /// The load averages of a minute before and after the measurement: the number of runnable
    /// processes. On an otherwise idle machine, neither exceeds the benchmark's number of threads.
    pub load: [Option<f64>; 2],
}

impl Machine {
    /// The properties of this machine before the measurement.
    #[must_use]
    pub fn find() -> Self {
        Self {
            processor: processor(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            isa: Isa::best().name(),
            load: [load(), None],
        }
    }

    /// The processor, the number of cores and the best instruction set.
    #[must_use]
    pub fn name(&self) -> String {
        let processor = self.processor.as_deref().unwrap_or("unknown processor");
        format!("{processor}, {} cores, best instruction set {}", self.cores, self.isa)
    }

    /// Records the load after the measurement.
    pub fn finish(&mut self) {
        self.load[1] = load();
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())?;
        if let [Some(before), Some(after)] = self.load {
            write!(f, "; load {before} at the start and {after} at the end")?;
        }
        Ok(())
    }
}

/// The name of the processor, if Linux reports it.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(line.trim_start_matches(['\t', ' ', ':']).to_owned())
}

/// The load average of the last minute, if Linux reports it.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

//! Random games on a graphics card. The input is a game, a device and the amount of play. The
//! output is the tally and the name of the device.

use gdl_gpu::{Control, Error, Gpu};
use gdl_runtime::{Cancel, Dynamic, playouts::Tally};
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use std::time::{Duration, Instant};

/// Games that are played unless it is said how many or how long, and the moves after which one is
/// abandoned.
const COUNT: u64 = 10_000;
const MAX_LENGTH: u64 = 10_000;

/// The task.
pub(crate) struct Run<'a> {
    /// A part of the card's name, or `emulate`; the fastest card if there is none.
    pub(crate) device: Option<&'a str>,
    pub(crate) seed: u64,
    pub(crate) count: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) max_length: Option<u64>,
    pub(crate) cancel: Cancel,
}

/// The games played.
pub(crate) struct Played {
    pub(crate) device: String,
    pub(crate) tally: Tally,
    /// Seconds after the first dispatch; drivers compile before that.
    pub(crate) seconds: f64,
}

impl Run<'_> {
    /// Plays, and tells how far it is after each dispatch.
    pub(crate) fn play(self, game: &Dynamic, tell: &mut dyn FnMut(u64)) -> Result<Played, Error> {
        let gpu = match self.device {
            None => Gpu::open(),
            Some("emulate") => Ok(Gpu::emulator()),
            Some(name) => Gpu::open_named(name),
        }?;
        let prepared = gpu.prepare_for(game, self.max_length.unwrap_or(MAX_LENGTH))?;
        let count = self.count.unwrap_or(if self.time.is_some() { u64::MAX } else { COUNT });
        prepared.playouts(self.seed, count.min(1))?;
        let start = Instant::now();
        let mut control = Control {
            cancel: self.cancel,
            deadline: self.time.and_then(|time| start.checked_add(time)),
            progress: Some(tell),
        };
        let tally = prepared.playouts_with(self.seed, count, &mut control)?;
        Ok(Played { device: gpu.name(), tally, seconds: start.elapsed().as_secs_f64() })
    }
}

/// The exception: `ValueError` where another call may succeed, `OSError` where the machine is the
/// cause.
pub(crate) fn refused(error: &Error) -> PyErr {
    let help = match error {
        Error::NotBuilt => {
            "install it with `pip install ./python --config-settings=build-args=--features=gpu`, or give `device=\"emulate\"`"
        }
        Error::NoLanes | Error::TooLarge { .. } => "leave `engine` out, and the processor plays it",
        _ => error.help(),
    };
    let text = format!("{error}: {help}");
    match error {
        Error::NotBuilt
        | Error::NoCard { .. }
        | Error::Closed(_)
        | Error::Refused(_)
        | Error::Memory
        | Error::Lost(_) => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

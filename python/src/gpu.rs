//! Random games on a graphics card. A [`Run`] has the device and the number of games; the result
//! has the tally and the name of the device.

use gdl_gpu::{Control, Error, Gpu};
use gdl_runtime::{Cancel, Dynamic, playouts::Tally};
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use std::time::{Duration, Instant};

/// The default number of games, and the default number of moves after which a game is abandoned.
const COUNT: u64 = 10_000;
const MAX_LENGTH: u64 = 10_000;

/// The parameters of a run.
pub(crate) struct Run<'a> {
    /// A part of the card's name, or `emulate`. `None` means the fastest card.
    pub(crate) device: Option<&'a str>,
    pub(crate) seed: u64,
    pub(crate) count: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) max_length: Option<u64>,
    pub(crate) cancel: Cancel,
}

/// The result of a run.
pub(crate) struct Played {
    pub(crate) device: String,
    pub(crate) tally: Tally,
    /// The seconds after a first dispatch of at most one game, in which the driver compiles.
    pub(crate) seconds: f64,
}

impl Run<'_> {
    /// Plays, and passes the number of finished games to `tell` after each dispatch.
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

/// The Python exception for an error: `ValueError` if another call may succeed, `OSError` if the
/// machine is the cause.
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

//! Random games on a graphics card: a [`GpuRun`] plays a game on a device and returns a tally.
//! Without the feature `gpu`, a run fails with a message that says how to build the program with
//! it.

use gdl_runtime::{Dynamic, playouts::Tally, vocabulary::Texts};
use gdl_tools::{
    error::{Error, Result},
    progress::Progress,
};
use std::time::Duration;

/// The settings of a run on a device.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "without cards it is not read"))]
pub(crate) struct GpuRun<'a> {
    /// A part of the card's name, or `emulate`; `None` is the fastest card.
    pub device: Option<&'a str>,
    pub seed: u64,
    /// The number of games.
    pub count: u64,
    /// The time limit, after which no further dispatch starts.
    pub time: Option<Duration>,
    pub progress: Option<&'a Progress>,
}

/// The result of a run.
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "without cards it is not made"))]
pub(crate) struct GpuResult {
    pub device: String,
    pub tally: Tally,
    pub roles: Texts,
    pub chance: Option<usize>,
    /// The seconds until the end of the first block, in which drivers compile the code.
    pub prepare_seconds: f64,
    /// The seconds to play the games, after `prepare_seconds`.
    pub seconds: f64,
}

#[cfg(feature = "gpu")]
impl GpuRun<'_> {
    /// Plays the games on the device.
    ///
    /// # Errors
    /// Returns an error if there is no such card, or it cannot play the game.
    pub(crate) fn play(self, game: &Dynamic) -> Result<GpuResult> {
        use gdl_gpu::{Control, Gpu};
        use gdl_runtime::Game as _;
        use std::time::Instant;

        let told = |error: gdl_gpu::Error| {
            let help = match error {
                gdl_gpu::Error::NoLanes | gdl_gpu::Error::TooLarge { .. } => {
                    "leave `--engine gpu` out to play on the processor"
                }
                _ => error.help(),
            };
            Error::Input(format!("{error}: {help}"))
        };
        let start = Instant::now();
        let gpu = match self.device {
            None => Gpu::open(),
            Some("emulate") => Ok(Gpu::emulator()),
            Some(name) => Gpu::open_named(name),
        };
        let gpu = gpu.map_err(told)?;
        let prepared = gpu.prepare(game).map_err(told)?;
        prepared.playouts(self.seed, 1).map_err(told)?;
        let prepare_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut tell = self
            .progress
            .filter(|progress| progress.is_shown())
            .map(|progress| move |done| progress.tell(done));
        let mut control = Control {
            deadline: self.time.and_then(|time| start.checked_add(time)),
            progress: tell.as_mut().map(|tell| tell as &mut dyn FnMut(u64)),
            ..Control::default()
        };
        let tally = prepared.playouts_with(self.seed, self.count, &mut control).map_err(told)?;
        let vocabulary = game.vocabulary();
        Ok(GpuResult {
            device: gpu.name(),
            tally,
            roles: vocabulary.roles().clone(),
            chance: vocabulary.chance(),
            prepare_seconds,
            seconds: start.elapsed().as_secs_f64(),
        })
    }
}

#[cfg(not(feature = "gpu"))]
impl GpuRun<'_> {
    /// Fails with a message that says how to build the program with graphics cards.
    #[allow(clippy::unused_self, reason = "as with cards")]
    pub(crate) fn play(self, _: &Dynamic) -> Result<GpuResult> {
        Err(Error::Usage(
            "this program was built without graphics cards: install it with `cargo install --path cli --features full,gpu`"
                .to_owned(),
        ))
    }
}

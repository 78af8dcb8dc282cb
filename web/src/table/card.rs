//! Answers requests for random games on a graphics card, which the caller drives, and in its
//! emulator.

use super::{Loaded, time};
use crate::request::Failure;
use gdl_gpu::{Control, Gpu, Run};
use gdl_runtime::{
    Game,
    playouts::{Report, Tally},
};
use serde_json::{Value, json};
use std::time::Instant;

impl Loaded {
    /// Starts a run. Returns its shader and its first dispatch.
    pub(crate) fn start(
        &mut self,
        count: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
    ) -> Result<Value, Failure> {
        let run = self.run.insert(Run::new(&self.game, seed, number(count, seconds))?);
        Ok(json!({ "shader": run.shader(), "dispatch": next(run) }))
    }

    /// Counts the games of a dispatch. Returns the next one.
    pub(crate) fn count(&mut self, sums: &[u64], seconds: f64) -> Result<Value, Failure> {
        let run = self.run.as_mut().filter(|run| run.dispatch().is_some_and(|next| next.rows == sums.len()));
        let run = run.ok_or_else(|| Failure::new("these are not the counters of a dispatch"))?;
        run.count(sums, time(seconds)?);
        Ok(json!({ "dispatch": next(run) }))
    }

    /// Returns the statistics of the run.
    pub(crate) fn played(&self, device: &str, seconds: f64, prepare_seconds: f64) -> Result<Value, Failure> {
        let run = self.run.as_ref().ok_or_else(|| Failure::new("no card has played this game"))?;
        self.told(run.tally(), run.seed(), device, [seconds, prepare_seconds])
    }

    /// Plays in the emulator.
    pub(crate) fn emulate(
        &self,
        count: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
    ) -> Result<Value, Failure> {
        let gpu = Gpu::emulator();
        let (start, time) = (Instant::now(), seconds.map(time).transpose()?);
        let prepared = gpu.prepare(&self.game)?;
        let prepare_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let deadline = time.and_then(|time| start.checked_add(time));
        let mut control = Control { deadline, ..Control::default() };
        let tally = prepared.playouts_with(seed, number(count, seconds), &mut control)?;
        self.told(&tally, seed, &gpu.name(), [start.elapsed().as_secs_f64(), prepare_seconds])
    }

    fn told(
        &self,
        tally: &Tally,
        seed: u64,
        device: &str,
        [seconds, prepare_seconds]: [f64; 2],
    ) -> Result<Value, Failure> {
        let vocabulary = self.game.vocabulary();
        let (roles, chance) = (vocabulary.roles(), vocabulary.chance());
        let how = format_args!("after {prepare_seconds:.3} s until the first, seed {seed}");
        let rate = if seconds > 0.0 { tally.playouts as f64 / seconds } else { 0.0 };
        self.settled(json!({
            "tally": tally,
            "roles": roles,
            "chance": chance,
            "seed": seed,
            "engine": "gpu",
            "device": device,
            "prepare_seconds": prepare_seconds,
            "seconds": seconds,
            "goals": self.goals(tally),
            "playouts_per_second": rate,
            "report": Report { tally, roles, chance, seconds, how }.to_string(),
        }))
    }
}

/// Returns the number of games to play.
fn number(count: Option<u64>, seconds: Option<f64>) -> u64 {
    count.unwrap_or(if seconds.is_none() { 1_000 } else { u64::MAX })
}

/// Returns the next dispatch of a run, or null.
fn next(run: &Run) -> Value {
    run.dispatch().map_or(Value::Null, |dispatch| {
        json!({
            "words": dispatch.words,
            "groups": dispatch.groups,
            "rows": dispatch.rows,
            "blocks": dispatch.blocks,
        })
    })
}

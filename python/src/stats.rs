//! The totals of random games, as Python sees them.

use gdl_runtime::{
    Stats as Inner,
    playouts::{PlayoutMode, Report},
};
use pyo3::prelude::*;

/// The totals of random games as exact counts. Equal rules, engine, seed and number of playouts
/// give equal counts.
#[pyclass(frozen, module = "gdl")]
pub(crate) struct Stats {
    pub(crate) inner: Inner,
    /// The name of the graphics card that played; `None` if the processor did.
    pub(crate) device: Option<String>,
}

/// The results of one role.
#[pyclass(frozen, get_all, module = "gdl")]
pub(crate) struct RoleStats {
    role: String,
    wins: u64,
    draws: u64,
    losses: u64,
    /// The mean goal value of scored games, from 0 to 100.
    mean_goal: f64,
    /// The standard error of `mean_goal`.
    goal_error: f64,
    /// The sum of the goal values of scored games.
    goals: u64,
    /// The sum of the squared goal values.
    squares: u64,
}

#[pymethods]
impl RoleStats {
    fn __repr__(&self) -> String {
        let Self { role, wins, draws, losses, mean_goal, .. } = self;
        format!("RoleStats({role}: {wins} wins, {draws} draws, {losses} losses, mean goal {mean_goal:.2})")
    }
}

#[pymethods]
impl Stats {
    /// The number of games played, including unfinished ones.
    #[getter]
    fn playouts(&self) -> u64 {
        self.inner.tally.playouts
    }

    /// The number of joint moves made, and so of states in which moves were made.
    #[getter]
    fn states(&self) -> u64 {
        self.inner.tally.states
    }

    /// The number of games abandoned because they reached the greatest length.
    #[getter]
    fn too_long(&self) -> u64 {
        self.inner.tally.too_long
    }

    /// The number of games abandoned because a role had no legal move.
    #[getter]
    fn stuck(&self) -> u64 {
        self.inner.tally.stuck
    }

    /// The number of games that ended without exactly one goal value for each role.
    #[getter]
    fn unscored(&self) -> u64 {
        self.inner.tally.unscored
    }

    /// The mean number of joint moves of a game.
    #[getter]
    fn mean_length(&self) -> f64 {
        self.inner.mean_length()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    #[getter]
    fn threads(&self) -> usize {
        self.inner.threads
    }

    /// Seconds from start to end.
    #[getter]
    fn seconds(&self) -> f64 {
        self.inner.seconds
    }

    /// Seconds of processor time, of all threads.
    #[getter]
    fn cpu_seconds(&self) -> f64 {
        self.inner.cpu_seconds
    }

    /// The engine that played: `single`, `lanes`, `table lanes` or `gpu`.
    #[getter]
    fn engine(&self) -> &'static str {
        match self.inner.engine {
            _ if self.device.is_some() => "gpu",
            PlayoutMode::Single => "single",
            PlayoutMode::Lanes => "lanes",
            _ => "table lanes",
        }
    }

    /// The name of the graphics card that played; None if the processor did.
    #[getter]
    fn device(&self) -> Option<&str> {
        self.device.as_deref()
    }

    /// The results of each role other than chance.
    #[getter]
    fn roles(&self) -> Vec<RoleStats> {
        let Inner { tally, roles, chance, .. } = &self.inner;
        let players = tally.roles.iter().enumerate().filter(|&(role, _)| Some(role) != *chance);
        players
            .map(|(role, results)| RoleStats {
                role: roles[role].to_owned(),
                wins: results.wins,
                draws: results.draws,
                losses: results.losses,
                mean_goal: self.inner.mean_goal(role),
                goal_error: self.inner.goal_error(role),
                goals: results.goals,
                squares: results.squares,
            })
            .collect()
    }

    fn __str__(&self) -> String {
        let Inner { tally, roles, chance, seed, seconds, .. } = &self.inner;
        let Some(device) = &self.device else { return self.inner.to_string() };
        let how = format_args!("{device}, seed {seed}");
        Report { tally, roles, chance: *chance, seconds: *seconds, how }.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Stats(playouts={}, mean_length={:.2})", self.playouts(), self.mean_length())
    }
}

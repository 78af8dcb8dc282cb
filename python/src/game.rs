//! The methods of games, with names as Python strings.

use crate::{
    gpu,
    load::{Game, Inner, Options, duration},
    player::{Solution, solve},
    proofs::Proofs,
    rules,
    state::State,
    stats::Stats,
    watch::Watch,
};
use gdl_runtime::{Game as _, GameExt, Playouts, game::Id, perft::Perft};
use gdl_tools::analyze::{Settings, analyze};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyString, PyTuple},
};
use std::thread;

#[pymethods]
impl Game {
    /// The name of the game in messages.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The text of the rulesheet, unchanged.
    #[getter]
    fn kif(&self) -> &str {
        &self.0.text
    }

    /// The warnings of the rulesheet, in the order of the text.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        rules::tuple(py, &self.0.warnings)
    }

    /// SHA-256 of the rulesheet's words and parentheses, as 64 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> &str {
        &self.0.fingerprint
    }

    /// The names of the roles, in the order of the rulesheet.
    #[getter]
    fn roles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.roles)
    }

    /// All moves, in the byte order of their texts. The number of a move is its index here.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.moves)
    }

    /// All fluents, in the byte order of their texts. The number of a fluent is its index here.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.fluents)
    }

    /// All percepts, in the byte order of their texts. Empty if each role perceives the joint move.
    #[getter]
    fn percepts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.game.vocabulary().percepts().iter())
    }

    /// True if the rules define percepts (`sees`). Otherwise each role sees the state and all
    /// moves.
    #[getter]
    fn has_hidden_information(&self) -> bool {
        self.0.game.vocabulary().has_percepts()
    }

    /// The role of chance, if there is one.
    #[getter]
    fn chance_role<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.0.game.chance_role().map(|role| self.0.roles[role.index()].bind(py).clone())
    }

    /// The evaluation engine: `table` evaluates the whole net, `events` only changes, and `lifted`
    /// interprets rules that are too large for a net.
    #[getter]
    fn engine(&self) -> &'static str {
        self.0.game.engine()
    }

    /// Proves properties of the game.
    fn prove(&self, py: Python<'_>) -> Proofs {
        self.0.proofs(py).clone()
    }

    /// The numbers of the moves that a role can ever make, ascending.
    fn moves_of(&self, role: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        Ok(self.0.game.vocabulary().moves_of(self.0.role(role)?.index()).to_vec())
    }

    /// The goal values that a role can ever have, ascending.
    fn goals_of(&self, role: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
        let goals = self.0.game.vocabulary().goals_of(self.0.role(role)?.index());
        Ok(goals.iter().map(|&value| value.into()).collect())
    }

    /// The initial state.
    fn initial(&self) -> State {
        State::new(self.clone(), self.0.game.initial())
    }

    /// The state in which exactly these fluents hold: KIF text such as `((cell 1 1 b) (control
    /// x))`, or texts of fluents in any order. Play need not be able to reach it.
    fn state(&self, fluents: &Bound<'_, PyAny>) -> PyResult<State> {
        let key = |error: gdl_runtime::game::TextError| PyValueError::new_err(error.to_string());
        let game = &self.0.game;
        let bits = if let Ok(text) = fluents.cast::<PyString>() {
            game.parse_state(&text.to_cow()?).map_err(key)?
        } else {
            let mut list = Vec::new();
            for fluent in fluents.try_iter()? {
                let fluent = fluent?;
                list.push(game.parse_fluent(&fluent.cast::<PyString>()?.to_cow()?).map_err(key)?);
            }
            game.state_from(list)
        };
        Ok(State::new(self.clone(), bits))
    }

    /// The numbers of sequences of 1, 2, .. `depth` joint moves from the initial state.
    fn perft(&self, py: Python<'_>, depth: usize) -> PyResult<Vec<u128>> {
        let (watch, before) = (Watch::new(), self.failures());
        let counts = watch
            .during(py, || Perft::new(&self.0.game).cancelled_by(&watch.cancel).take(depth).collect())?;
        self.settle(before)?;
        Ok(counts)
    }

    /// Plays random games.
    #[pyo3(signature = (count = None, seed = 0, threads = 0, *, seconds = None, max_length = None, progress = None, engine = None, device = None))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn playouts(
        &self,
        py: Python<'_>,
        count: Option<u64>,
        seed: u64,
        threads: usize,
        seconds: Option<f64>,
        max_length: Option<u64>,
        progress: Option<Bound<'_, PyAny>>,
        engine: Option<&str>,
        device: Option<&str>,
    ) -> PyResult<Stats> {
        let (watch, before) = (Watch::new(), self.failures());
        let on_card = engine.is_some();
        if let Some(engine) = engine.filter(|&engine| engine != "gpu") {
            return Err(PyValueError::new_err(format!(
                "unknown engine {engine:?}: write \"gpu\", or leave `engine` out for the processor"
            )));
        }
        if on_card && threads > 0 {
            return Err(PyValueError::new_err("a graphics card uses its own threads: leave `threads` out"));
        }
        if device.is_some() && !on_card {
            return Err(PyValueError::new_err("`device` selects a graphics card: add `engine=\"gpu\"`"));
        }
        let progress = match progress {
            Some(flag) if flag.is_instance_of::<PyBool>() => {
                let bar = || crate::python_class(py, "gdl._progress", "Bar")?.call1((count,));
                flag.extract::<bool>()?.then(bar).transpose()?
            }
            other => other,
        };
        let bar = progress.as_ref().and_then(|bar| bar.getattr("close").ok()).map(Bound::unbind);
        let progress = progress.map(Bound::unbind);
        let seconds = seconds.map(duration).transpose()?;
        let played: Result<Stats, gdl_gpu::Error> = py.detach(|| {
            let mut tell = |done: u64| {
                watch.look(|py| progress.as_ref().map_or(Ok(()), |tell| tell.call1(py, (done,)).map(|_| ())));
            };
            if on_card {
                let cancel = watch.cancel.clone();
                let run = gpu::Run { device, seed, count, time: seconds, max_length, cancel };
                let played = run.play(&self.0.game, &mut tell)?;
                // A run of no games provides the names. The processor's threads and time do not
                // apply.
                let mut inner = Playouts::new(&self.0.game).seed(seed).count(0).run();
                (inner.tally, inner.seconds) = (played.tally, played.seconds);
                (inner.threads, inner.cpu_seconds) = (0, 0.0);
                return Ok(Stats { inner, device: Some(played.device) });
            }
            let mut plan = Playouts::new(&self.0.game)
                .seed(seed)
                .threads(threads)
                .cancelled_by(&watch.cancel)
                .progress(tell);
            if let Some(count) = count {
                plan = plan.count(count);
            }
            if let Some(seconds) = seconds {
                plan = plan.within(seconds);
            }
            if let Some(moves) = max_length {
                plan = plan.max_length(moves);
            }
            Ok(Stats { inner: plan.run(), device: None })
        });
        if let (Some(tell), Ok(stats), false) = (&progress, &played, watch.is_broken()) {
            tell.call1(py, (stats.inner.tally.playouts,))?;
        }
        if let Some(close) = bar {
            close.call0(py)?;
        }
        watch.end()?;
        self.settle(before)?;
        played.map_err(|error| gpu::refused(&error))
    }

    /// Computes statistics of random games.
    #[pyo3(signature = (count = 1_000, seed = 0, threads = 0))]
    fn analyze<'py>(
        &self,
        py: Python<'py>,
        count: u64,
        seed: u64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        if count == 0 {
            return Err(PyValueError::new_err("an analysis needs at least one game"));
        }
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads.min(256),
        };
        let Inner { name, game, .. } = &*self.0;
        let watch = Watch::new();
        let settings = Settings { seed, count, seconds: None, threads, cancel: watch.cancel.clone() };
        let before = self.failures();
        let figures = watch.during(py, || analyze(name, game, &settings, &|_| ()))?;
        self.settle(before)?;
        let figures = figures.ok_or_else(|| PyRuntimeError::new_err("the analysis was cancelled"))?;
        py.import("json")?.call_method1("loads", (figures.to_json().to_string(),))
    }

    /// Solves every state that play can reach from a state.
    #[pyo3(signature = (state = None, *, max_bytes = None, seconds = None, nodes = None))]
    fn solve(
        &self,
        py: Python<'_>,
        state: Option<&Bound<'_, State>>,
        max_bytes: Option<usize>,
        seconds: Option<f64>,
        nodes: Option<u64>,
    ) -> PyResult<Solution> {
        let initial = self.initial();
        let state = state.map_or(&initial, |state| state.get());
        if !state.game().is_same(self) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        solve(py, self, state, max_bytes, seconds, nodes)
    }

    /// Returns many games at once, as `gdl.batch` does.
    #[pyo3(signature = (n, seed = 0, **options))]
    fn batch<'py>(
        slf: &Bound<'py, Self>,
        n: usize,
        seed: u64,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::python_class(slf.py(), "gdl._batch", "batch")?.call((slf, n, seed), options)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.is_same(other)
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.0.fingerprint[..16], 16).unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!("<gdl.Game {}>", self.0.name)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let Inner { name, text, options, is_builtin, .. } = &*self.0;
        if *is_builtin {
            let function = crate::python_class(py, "gdl._gdl", "builtin")?;
            return Ok((function, (name,).into_pyobject(py)?));
        }
        let Options { untrusted, max_bytes, max_steps, case_sensitive, lifted, lenient, levels } = options;
        let keywords = PyDict::new(py);
        keywords.set_item("untrusted", untrusted)?;
        keywords.set_item("max_bytes", max_bytes)?;
        keywords.set_item("max_steps", max_steps)?;
        keywords.set_item("case_sensitive", case_sensitive)?;
        keywords.set_item("lifted", lifted)?;
        keywords.set_item("lenient", lenient)?;
        keywords.set_item("allow", &levels.allow)?;
        keywords.set_item("deny", &levels.deny)?;
        keywords.set_item("warn", &levels.warn)?;
        Ok((crate::python_class(py, "gdl._load", "again")?, (text, name, keywords).into_pyobject(py)?))
    }
}

impl Game {
    /// Returns the number of evaluations that failed since the game was loaded.
    fn failures(&self) -> u64 {
        self.0.game.failed_evaluations().map_or(0, |(evaluations, _)| evaluations)
    }

    /// Raises an error if more than `before` evaluations have failed, since results are incomplete
    /// then.
    fn settle(&self, before: u64) -> PyResult<()> {
        match self.0.game.failed_evaluations() {
            Some((evaluations, excess)) if evaluations > before => {
                Err(PyValueError::new_err(format!("evaluations were abandoned: the first {excess}")))
            }
            _ => Ok(()),
        }
    }
}

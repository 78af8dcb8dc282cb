//! Games: loaded from a rulesheet or built in, with their names as Python strings.

use crate::{
    gpu,
    picture::Picture,
    player::{Solution, solve},
    proofs::Proofs,
    rules::{self, Lints},
    state::State,
    stats::Stats,
    watch::Watch,
};
use gdl_compiler::Levels;
use gdl_runtime::{
    Dynamic, Game as _, GameExt, Loader, Playouts,
    bits::BitBox,
    dynamic::{MoveId, RoleId},
    game::Id,
    load::Diagnostic,
    perft::Perft,
    vocabulary::Texts,
};
use gdl_tools::{
    analyze::{Settings, analyze},
    fingerprint::fingerprint,
};
use pyo3::{
    exceptions::{PyIndexError, PyKeyError, PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyBytes, PyDict, PyInt, PyString, PyTuple},
};
use std::{
    sync::{Arc, OnceLock},
    thread,
    time::Duration,
};

/// The options of loading a rulesheet, kept for pickling.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a keyword of Python")]
pub(crate) struct Options {
    untrusted: bool,
    max_bytes: Option<usize>,
    max_steps: Option<u64>,
    case_sensitive: bool,
    lifted: bool,
    lenient: bool,
    levels: Levels,
}

impl Options {
    /// The options as the compiler takes them.
    pub(crate) fn compiler(&self) -> gdl_compiler::Options {
        let (case_sensitive, lenient, levels) = (self.case_sensitive, self.lenient, self.levels.clone());
        let mut options = gdl_compiler::Options { case_sensitive, lenient, levels, ..Default::default() };
        if self.untrusted {
            options.limits = gdl_compiler::Limits::network();
        }
        options.limits.max_bytes = self.max_bytes.unwrap_or(options.limits.max_bytes);
        options.limits.fuel = self.max_steps.unwrap_or(options.limits.fuel);
        options
    }
}

/// The data that all handles of a game share.
pub(crate) struct Inner {
    pub(crate) game: Dynamic,
    name: String,
    pub(crate) text: String,
    pub(crate) options: Options,
    is_builtin: bool,
    warnings: Vec<Diagnostic>,
    pub(crate) fingerprint: String,
    pub(crate) roles: Vec<Py<PyString>>,
    pub(crate) moves: Vec<Py<PyString>>,
    fluents: Vec<Py<PyString>>,
    proofs: OnceLock<Proofs>,
    picture: OnceLock<Option<Picture>>,
}

impl Inner {
    fn new(py: Python<'_>, game: Dynamic, name: String, text: String, options: Options) -> Self {
        let vocabulary = game.vocabulary();
        let strings = |texts: &Texts| texts.iter().map(|text| PyString::new(py, text).unbind()).collect();
        let [roles, moves, fluents] =
            [vocabulary.roles(), vocabulary.moves(), vocabulary.fluents()].map(strings);
        let fingerprint = fingerprint(&text, options.case_sensitive);
        let (proofs, picture) = (OnceLock::new(), OnceLock::new());
        Self {
            game,
            name,
            text,
            options,
            is_builtin: false,
            warnings: Vec::new(),
            fingerprint,
            roles,
            moves,
            fluents,
            proofs,
            picture,
        }
    }

    /// The proofs about the game, computed on first use with the GIL released.
    pub(crate) fn proofs(&self, py: Python<'_>) -> &Proofs {
        match self.proofs.get() {
            Some(proofs) => proofs,
            None => py.detach(|| self.proofs.get_or_init(|| Proofs::of(self))),
        }
    }

    /// The drawing of its states, if they show a board.
    pub(crate) fn picture(&self) -> Option<&Picture> {
        self.picture.get_or_init(|| Picture::of(&self.game, &self.text)).as_ref()
    }

    /// Finds a role by its name or number.
    pub(crate) fn role(&self, role: &Bound<'_, PyAny>) -> PyResult<RoleId> {
        if let Ok(text) = role.cast::<PyString>() {
            let text = text.to_cow()?;
            return self.game.parse_role(&text).map_err(|error| PyKeyError::new_err(error.to_string()));
        }
        number(role, self.roles.len(), "role").map(RoleId::from_index)
    }

    /// Finds a move by its text or number.
    pub(crate) fn action(&self, action: &Bound<'_, PyAny>) -> PyResult<MoveId> {
        if let Ok(text) = action.cast::<PyString>() {
            let text = text.to_cow()?;
            return self.game.parse_move(&text).map_err(|error| PyKeyError::new_err(error.to_string()));
        }
        number(action, self.moves.len(), "move").map(MoveId::from_index)
    }

    /// The fluents that hold, as Python strings.
    pub(crate) fn fluents<'py>(&self, py: Python<'py>, state: &BitBox) -> Vec<Bound<'py, PyString>> {
        self.game.fluents(state).map(|fluent| self.fluents[fluent.index()].bind(py).clone()).collect()
    }
}

/// Converts a Python integer to a number below `count`.
fn number(value: &Bound<'_, PyAny>, count: usize, kind: &str) -> PyResult<usize> {
    let value = match value.cast::<PyInt>() {
        Ok(value) => value.clone(),
        // Accepts the integers of NumPy too.
        Err(_) => value
            .call_method0("__index__")
            .and_then(|value| Ok(value.cast_into::<PyInt>()?))
            .map_err(|_| PyTypeError::new_err(format!("expected the text or the number of a {kind}")))?,
    };
    let place = value.extract::<usize>().ok().filter(|&place| place < count);
    place.ok_or_else(|| {
        PyIndexError::new_err(format!("this game has {count} {kind}s: number {value} is out of range"))
    })
}

/// A game: rules that are ready to be played. It never changes, and threads may share it.
#[pyclass(frozen, module = "gdl", weakref)]
#[derive(Clone)]
pub(crate) struct Game(pub(crate) Arc<Inner>);

/// Loads a built-in game.
#[pyfunction]
pub(crate) fn builtin(py: Python<'_>, name: &str) -> PyResult<Game> {
    let found = gdl_games::find(name).zip(gdl_games::dynamic(name));
    let (entry, game) =
        found.ok_or_else(|| PyKeyError::new_err(format!("there is no built-in game {name:?}")))?;
    let (name, text) = (name.to_owned(), entry.text.to_owned());
    let inner = Inner::new(py, game, name, text, Options::default());
    Ok(Game(Arc::new(Inner { is_builtin: true, ..inner })))
}

/// Loads a game from the text or bytes of a rulesheet.
#[pyfunction]
#[pyo3(signature = (text, name = "rules", *, untrusted = false, max_bytes = None, max_steps = None, case_sensitive = false, lifted = false, lenient = false, seconds = None, allow = Lints::default(), deny = Lints::default(), warn = Lints::default()))]
#[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords of Python")]
pub(crate) fn load(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    name: &str,
    untrusted: bool,
    max_bytes: Option<usize>,
    max_steps: Option<u64>,
    case_sensitive: bool,
    lifted: bool,
    lenient: bool,
    seconds: Option<f64>,
    allow: Lints,
    deny: Lints,
    warn: Lints,
) -> PyResult<Game> {
    let text = if let Ok(text) = text.cast::<PyString>() {
        text.to_cow()?.into_owned()
    } else if let Ok(bytes) = text.cast::<PyBytes>() {
        rules::text_of(py, name, bytes.as_bytes().to_vec())?
    } else {
        return Err(PyTypeError::new_err("expected `str` or `bytes`: use `gdl.load` for a path"));
    };
    let levels = rules::levels(allow, deny, warn)?;
    let mut loader = Loader::new().name(name);
    loader = levels.allow.iter().fold(loader, Loader::allow);
    loader = levels.deny.iter().fold(loader, Loader::deny);
    loader = levels.warn.iter().fold(loader, Loader::warn);
    if untrusted {
        loader = loader.untrusted();
    }
    if let Some(bytes) = max_bytes {
        loader = loader.max_bytes(bytes);
    }
    if let Some(steps) = max_steps {
        loader = loader.max_steps(steps);
    }
    if case_sensitive {
        loader = loader.case_sensitive();
    }
    if lifted {
        loader = loader.lifted();
    }
    if lenient {
        loader = loader.lenient();
    }
    if let Some(seconds) = seconds {
        loader = loader.within(duration(seconds)?);
    }
    let watch = Watch::new();
    let looker = watch.clone();
    let loader = loader.cancelled_by(&watch.cancel).progress(move |_, _| looker.look(|_| Ok(())));
    let loaded = py.detach(|| loader.load_with_warnings(&text));
    watch.end()?;
    let (game, warnings) = loaded.map_err(|error| rules::refused(py, &error))?;
    let options = Options { untrusted, max_bytes, max_steps, case_sensitive, lifted, lenient, levels };
    let inner = Inner::new(py, game, name.to_owned(), text, options);
    Ok(Game(Arc::new(Inner { warnings, ..inner })))
}

pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("cannot wait for {seconds} seconds")))
}

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

    /// Converts a Python argument to a game: a `Game`, or a source for `gdl.load`.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(game) = given.cast::<Self>() {
            return Ok(game.get().clone());
        }
        let loaded = crate::python_class(given.py(), "gdl._load", "game_of")?.call1((given,))?;
        Ok(loaded.cast::<Self>()?.get().clone())
    }

    /// True if both have the same rules, whatever their names. Then their states are
    /// interchangeable.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.fingerprint == other.0.fingerprint
                && self.0.options.case_sensitive == other.0.options.case_sensitive
                && self.0.game.engine() == other.0.game.engine()
    }
}

//! Loading of games, and the data that all handles of a game share.

use crate::{
    picture::Picture,
    proofs::Proofs,
    python_class,
    rules::{self, Lints},
    watch::Watch,
};
use gdl_compiler::Levels;
use gdl_runtime::{
    Dynamic, Game as _, GameExt, Loader,
    bits::BitBox,
    dynamic::{MoveId, RoleId},
    game::Id,
    load::Diagnostic,
    vocabulary::Texts,
};
use gdl_tools::fingerprint::fingerprint;
use pyo3::{
    exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyBytes, PyInt, PyString},
};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The options of loading a rulesheet, kept for pickling.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a keyword of Python")]
pub(crate) struct Options {
    pub(crate) untrusted: bool,
    pub(crate) max_bytes: Option<usize>,
    pub(crate) max_steps: Option<u64>,
    pub(crate) case_sensitive: bool,
    pub(crate) lifted: bool,
    pub(crate) lenient: bool,
    pub(crate) levels: Levels,
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
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) options: Options,
    pub(crate) is_builtin: bool,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) fingerprint: String,
    pub(crate) roles: Vec<Py<PyString>>,
    pub(crate) moves: Vec<Py<PyString>>,
    pub(crate) fluents: Vec<Py<PyString>>,
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
            None => py.detach(|| {
                self.proofs.get_or_init(|| Proofs::of(&self.game, &self.text, &self.options.compiler()))
            }),
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

impl Game {
    /// Converts a Python argument to a game: a `Game`, or a source for `gdl.load`.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(game) = given.cast::<Self>() {
            return Ok(game.get().clone());
        }
        let loaded = python_class(given.py(), "gdl._load", "game_of")?.call1((given,))?;
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

//! Players, and solutions of small games.

use crate::{information::Information, load::Game, state::State, watch::Watch};
use gdl_players::{
    Budget, Player as Decides,
    player::{NAMES, Settings, named},
    search::{Net, NetError, Solution as Inner},
};
use gdl_runtime::{Dynamic, dynamic::RoleId, game::Id};
use gdl_tools::{
    load,
    players::{DEFAULT, nets},
};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyString,
};
use std::{
    path::Path,
    sync::{Arc, Mutex, TryLockError},
    time::Duration,
};

/// A player that decides for a role in one match after the other.
#[pyclass(frozen, module = "gdl")]
pub(crate) struct Player {
    game: Game,
    role: RoleId,
    kind: &'static str,
    mind: Mutex<Box<dyn Decides<Dynamic>>>,
}

/// The limits of a decision; one second if neither is given.
fn budget(watch: &Watch, seconds: Option<f64>, nodes: Option<u64>) -> PyResult<Budget> {
    let budget = match (seconds, nodes) {
        (None, None) => Budget::within(Duration::from_secs(1)),
        (None, Some(nodes)) => Budget::of_nodes(nodes),
        (Some(seconds), nodes) => {
            let within = Budget::within(crate::load::duration(seconds)?);
            nodes.map_or(within.clone(), |nodes| within.and_nodes(nodes))
        }
    };
    Ok(budget.cancelled_by(&watch.cancel))
}

/// Reads a net from a file, and checks that it is of the game.
fn net(game: &Game, file: &Path) -> PyResult<Arc<Net>> {
    let bytes = load::bytes(file, Net::MOST_BYTES);
    let bytes = bytes.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let net = Net::from_bytes(&bytes)
        .and_then(|net| if net.is_of(&game.0.game) { Ok(net) } else { Err(NetError::Foreign) });
    let failed = |error: NetError| PyValueError::new_err(format!("cannot use {}: {error}", file.display()));
    net.map(Arc::new).map_err(failed)
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (game, role, kind = "best", *, seed = 0, threads = 1, depth = None, max_bytes = None))]
    fn new(
        game: &Bound<'_, PyAny>,
        role: &Bound<'_, PyAny>,
        kind: &str,
        seed: u64,
        threads: usize,
        depth: Option<u32>,
        max_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let game = Game::of(game)?;
        let role = game.0.role(role)?;
        let (kind, net) = match kind.split_once(':') {
            Some((kind @ "learned", file)) => (kind, Some(net(&game, Path::new(file))?)),
            _ => (kind, None),
        };
        let threads = threads.clamp(1, 256);
        let nets = if kind == DEFAULT { nets() } else { Vec::new() };
        let settings = Settings { seed, threads, depth, memory: max_bytes, net, nets, keep: None };
        let known = NAMES.into_iter().find(|&known| known == kind);
        let (kind, mind) = known.and_then(|kind| Some((kind, named(kind, &settings)?))).ok_or_else(|| {
            if kind == "learned" {
                return PyValueError::new_err("name the file of `gdl train`: learned:FILE");
            }
            PyValueError::new_err(format!("unknown player {kind:?}: the players are {}", NAMES.join(", ")))
        })?;
        Ok(Self { game, role, kind, mind: Mutex::new(mind) })
    }

    /// The kind of the player, such as `mcts`.
    #[getter]
    fn kind(&self) -> &str {
        self.kind
    }

    /// The role that the player decides for.
    #[getter]
    fn role<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.game.0.roles[self.role.index()].bind(py).clone()
    }

    /// Chooses a legal move for the information.
    #[pyo3(signature = (information, seconds = None, nodes = None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        information: &Bound<'py, Information>,
        seconds: Option<f64>,
        nodes: Option<u64>,
    ) -> PyResult<Bound<'py, PyString>> {
        let information = information.get();
        if !information.game.is_same(&self.game) || information.known.role() != self.role {
            return Err(PyValueError::new_err("the information belongs to another game or role"));
        }
        let watch = Watch::new();
        let budget = budget(&watch, seconds, nodes)?;
        let mut mind = match self.mind.try_lock() {
            Ok(mind) => mind,
            Err(TryLockError::Poisoned(mind)) => mind.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyRuntimeError::new_err("another thread is using this player"));
            }
        };
        let (game, mind) = (&self.game.0.game, &mut **mind);
        let chosen = watch.during(py, || {
            if information.known.steps().is_empty() {
                mind.start(game, self.role, &Budget::of_nodes(1));
            }
            mind.choose(game, &information.known, &budget)
        })?;
        let chosen = chosen.ok_or_else(|| PyValueError::new_err("the role has no move in this state"))?;
        Ok(self.game.0.moves[chosen.index()].bind(py).clone())
    }

    fn __repr__(&self) -> String {
        format!("<gdl.Player {}>", self.kind)
    }
}

/// The values of every state that play can reach, for a game of one role or of two that take turns.
#[pyclass(frozen, module = "gdl")]
pub(crate) struct Solution {
    game: Game,
    inner: Inner<Dynamic>,
}

/// Solves a game from a state on.
pub(crate) fn solve(
    py: Python<'_>,
    game: &Game,
    state: &State,
    max_bytes: Option<usize>,
    seconds: Option<f64>,
    nodes: Option<u64>,
) -> PyResult<Solution> {
    let watch = Watch::new();
    let nodes = nodes.or_else(|| seconds.is_none().then_some(u64::MAX));
    let budget = budget(&watch, seconds, nodes)?;
    let bytes = max_bytes.unwrap_or(Inner::<Dynamic>::DEFAULT_BYTES);
    let solved = watch.during(py, || Inner::of(&game.0.game, state.bits(), bytes, &budget))?;
    let inner = solved.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Solution { game: game.clone(), inner })
}

#[pymethods]
impl Solution {
    /// The goal of a role under perfect play, and the number of moves until it is reached, if play
    /// ends.
    fn value(&self, state: &Bound<'_, State>, role: &Bound<'_, PyAny>) -> PyResult<(f64, Option<u32>)> {
        let found = self.inner.value(self.bits(state)?, self.game.0.role(role)?);
        let found = found.ok_or_else(|| PyValueError::new_err("play never reaches the state"))?;
        Ok((found.value, found.moves))
    }

    /// A best move of a role.
    fn best<'py>(
        &self,
        state: &Bound<'py, State>,
        role: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let found = self.inner.best(&self.game.0.game, self.bits(state)?, self.game.0.role(role)?);
        Ok(found.map(|action| self.game.0.moves[action.index()].bind(state.py()).clone()))
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        format!("<gdl.Solution of {} states>", self.inner.len())
    }
}

impl Solution {
    fn bits<'s>(&self, state: &'s Bound<'_, State>) -> PyResult<&'s gdl_runtime::bits::BitBox> {
        let state = state.get();
        if !state.game().is_same(&self.game) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        Ok(state.bits())
    }
}

//! States as immutable values.

use crate::{
    fraction,
    load::{Game, Inner},
    python_class,
};
use gdl_runtime::{
    Game as _, GameExt,
    bits::BitBox,
    dynamic::{MoveId, RoleId},
    game::{Id, StepError},
};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyInt, PyList, PyString, PyTuple},
};
use std::{
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::OnceLock,
};

/// A state of a game: the fluents that hold. It never changes; `apply` returns another one.
#[pyclass(frozen, module = "gdl", weakref)]
pub(crate) struct State {
    game: Game,
    bits: BitBox,
    /// The view of the state without goals, computed on first use.
    view: OnceLock<BitBox>,
}

impl State {
    pub(crate) fn new(game: Game, bits: BitBox) -> Self {
        Self { game, bits, view: OnceLock::new() }
    }

    pub(crate) fn bits(&self) -> &BitBox {
        &self.bits
    }

    fn inner(&self) -> &Inner {
        &self.game.0
    }

    fn view(&self) -> &BitBox {
        self.view.get_or_init(|| {
            let game = &self.inner().game;
            let mut view = game.new_view();
            game.observe_without_goals(&self.bits, &mut view);
            view
        })
    }

    fn legal_of(&self, role: RoleId) -> impl Iterator<Item = MoveId> {
        self.inner().game.legal_moves_in(self.view(), role)
    }

    /// Converts a joint move: the moves of all roles in role order, a dictionary from roles to
    /// moves, or the move of the only role that has a choice. Roles that a dictionary leaves out
    /// make their only legal move.
    pub(crate) fn joint(&self, moves: &Bound<'_, PyAny>) -> PyResult<Vec<MoveId>> {
        let inner = self.inner();
        if moves.is_instance_of::<PyInt>() || moves.is_instance_of::<PyString>() {
            let joint = inner.game.joint_in(self.view(), inner.action(moves)?);
            return joint.map_err(|error| match error {
                StepError::Several => PyValueError::new_err(error.to_string()),
                _ => self.refusal(moves.py(), &error),
            });
        }
        let roles = inner.roles.len();
        let mut joint: Vec<Option<MoveId>> = vec![None; roles];
        if let Ok(named) = moves.cast::<PyDict>() {
            for (role, action) in named {
                joint[inner.role(&role)?.index()] = Some(inner.action(&action)?);
            }
        } else {
            let mut count = 0;
            for action in moves
                .try_iter()
                .map_err(|_| PyTypeError::new_err("expected a list of moves, a dictionary or one move"))?
            {
                if let Some(place) = joint.get_mut(count) {
                    *place = Some(inner.action(&action?)?);
                }
                count += 1;
            }
            if count != roles {
                return Err(self.refusal(moves.py(), &StepError::Count { expected: roles, found: count }));
            }
        }
        let complete = inner.game.roles().zip(joint).map(|(role, action)| {
            action.or_else(|| self.only(role)).ok_or_else(|| {
                let role = inner.game.role_text(role);
                PyValueError::new_err(format!(
                    "a move of `{role}` is missing: it can be left out only if there is exactly one"
                ))
            })
        });
        complete.collect()
    }

    /// The only legal move of a role.
    fn only(&self, role: RoleId) -> Option<MoveId> {
        let mut legal = self.legal_of(role);
        legal.next().filter(|_| legal.next().is_none())
    }

    /// Makes a `gdl.IllegalMoveError`, or the Python error of another cause.
    fn refusal(&self, py: Python<'_>, error: &StepError) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let (role, legal) = match error {
                StepError::Illegal { role, .. } => {
                    let id = self.inner().game.parse_role(role);
                    let legal = id.map(|role| {
                        self.legal_of(role)
                            .map(|action| self.inner().moves[action.index()].clone_ref(py))
                            .collect()
                    });
                    (Some(role.clone()), legal.unwrap_or_default())
                }
                _ => (None, Vec::new()),
            };
            let legal = PyTuple::new(py, legal)?;
            let class = python_class(py, "gdl._errors", "IllegalMoveError")?;
            Ok(PyErr::from_value(class.call1((error.to_string(), py.None(), role, legal))?))
        };
        made().unwrap_or_else(|error| error)
    }

    pub(crate) fn follow(&self, py: Python<'_>, joint: &[MoveId]) -> PyResult<BitBox> {
        let game = &self.inner().game;
        game.check_in(self.view(), joint).map_err(|error| self.refusal(py, &error))?;
        Ok(game.apply_unchecked(&self.bits, joint))
    }
}

#[pymethods]
impl State {
    /// The game.
    #[getter]
    pub(crate) fn game(&self) -> Game {
        self.game.clone()
    }

    /// The legal moves of a role, in move order.
    fn legal_moves<'py>(&self, py: Python<'py>, role: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let role = self.inner().role(role)?;
        let moves = &self.inner().moves;
        PyList::new(
            py,
            self.inner().game.legal_moves_in(self.view(), role).map(|action| moves[action.index()].bind(py)),
        )
    }

    /// The numbers of the legal moves of a role, ascending.
    fn legal_move_ids<'py>(&self, py: Python<'py>, role: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let role = self.inner().role(role)?;
        PyList::new(py, self.inner().game.legal_moves_in(self.view(), role).map(Id::index))
    }

    /// The successor state.
    fn apply(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> PyResult<Self> {
        let joint = self.joint(moves)?;
        Ok(Self::new(self.game.clone(), self.follow(py, &joint)?))
    }

    /// True if the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.inner().game.is_terminal_in(self.view())
    }

    /// The number of the role to move.
    #[getter]
    fn to_play(&self, py: Python<'_>) -> Option<usize> {
        let inner = self.inner();
        if let Some(role) = inner.game.to_play_in(self.view()) {
            return Some(role.index());
        }
        // If each role has one move, the proofs may show the turn.
        let only: Option<Vec<(RoleId, MoveId)>> =
            inner.game.roles().map(|role| Some((role, self.only(role)?))).collect();
        let only = only.filter(|_| !inner.game.is_terminal_in(self.view()))?;
        let players = only.into_iter().filter(|&(role, _)| Some(role) != inner.game.chance_role());
        let only: Vec<_> = players.map(|(role, action)| (role.index(), action.index())).collect();
        inner.proofs(py).speaker(&self.bits, &only)
    }

    /// The goal value of a role. None if no value holds or several do, as is common before the end.
    fn goal(&self, role: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        Ok(self.inner().game.goal(&self.bits, self.inner().role(role)?).map(u64::from))
    }

    /// The goal value of each role, as `goal` returns it.
    #[getter]
    fn goals(&self) -> Vec<Option<u64>> {
        let game = &self.inner().game;
        let view = game.view(&self.bits);
        game.roles().map(|role| game.goal_in(&view, role).map(u64::from)).collect()
    }

    /// The percepts of a role after these moves in this state, or the moves of all roles.
    fn percepts<'py>(
        &self,
        py: Python<'py>,
        role: &Bound<'py, PyAny>,
        moves: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        use gdl_runtime::game::Perception;
        let (inner, role, joint) = (self.inner(), self.inner().role(role)?, self.joint(moves)?);
        self.follow(py, &joint)?;
        match inner.game.perception(&self.bits, &joint, role) {
            Perception::Joint(joint) => {
                PyTuple::new(py, joint.iter().map(|action| inner.moves[action.index()].bind(py)))
            }
            Perception::Percepts(list) => {
                PyTuple::new(py, list.iter().map(|&percept| inner.game.percept_text(percept)))
            }
        }
    }

    /// The moves of chance in this state and their exact probabilities.
    fn chance_outcomes<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
        let inner = self.inner();
        let outcomes = inner.game.chance(&self.bits);
        outcomes
            .into_iter()
            .map(|(action, p)| Ok((inner.moves[action.index()].bind(py).clone(), fraction(py, p)?)))
            .collect()
    }

    /// The fluents that hold, in fluent order.
    #[getter]
    fn fluents<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyString>> {
        self.inner().fluents(py, &self.bits)
    }

    /// The numbers of the fluents that hold, ascending.
    #[getter]
    fn fluent_ids(&self) -> Vec<usize> {
        self.inner().game.fluents(&self.bits).map(Id::index).collect()
    }

    /// True if the fluent holds.
    fn holds(&self, fluent: &str) -> PyResult<bool> {
        let game = &self.inner().game;
        let fluent = game.parse_fluent(fluent).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(game.holds(&self.bits, fluent))
    }

    /// The state as KIF text, which `Game.state` reads.
    #[getter]
    fn kif(&self) -> String {
        self.inner().game.state_text(&self.bits)
    }

    /// The state and its view as a dictionary that JSON can represent.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let game = &self.inner().game;
        let dict = PyDict::new(py);
        dict.set_item("game", &self.inner().fingerprint)?;
        dict.set_item("fluents", self.fluents(py))?;
        dict.set_item("terminal", self.is_terminal())?;
        let (legal, goals) = (PyDict::new(py), PyDict::new(py));
        let view = game.view(&self.bits);
        for (role, name) in game.roles().zip(&self.inner().roles) {
            let moves: Vec<_> =
                self.legal_of(role).map(|action| self.inner().moves[action.index()].bind(py)).collect();
            legal.set_item(name, moves)?;
            goals.set_item(name, game.goal_in(&view, role))?;
        }
        dict.set_item("legal", legal)?;
        dict.set_item("goals", goals)?;
        Ok(dict)
    }

    /// `to_dict` as JSON text.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python_class(py, "json", "dumps")?.call1((self.to_dict(py)?,))
    }

    /// The board as lines of text. None if the names of the fluents show no board.
    fn board(&self) -> Option<String> {
        self.inner().picture().map(|picture| picture.text(&self.inner().game, &self.bits))
    }

    /// The board as SVG, which notebooks show.
    fn _repr_svg_(&self) -> Option<String> {
        self.inner().picture().map(|picture| picture.svg(&self.inner().game, &self.bits))
    }

    /// The state itself, which never changes.
    fn clone(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.bits == other.bits && self.game.is_same(&other.game)
    }

    fn __hash__(&self) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(&self.bits)
    }

    fn __str__(&self) -> String {
        self.kif()
    }

    fn __repr__(&self) -> String {
        format!("<gdl.State {}>", self.kif())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let this = slf.get();
        let game = Bound::new(slf.py(), this.game())?;
        Ok((game.getattr("state")?, (this.kif(),)))
    }
}

//! The information of a role in a play: its moves and its percepts.

use crate::{fraction, load::Game, sample, state::State};
use gdl_runtime::{
    Dynamic, GameExt, Information as Known,
    game::{Id, Perception},
    information::{InformationError, InformationSet},
};
use pyo3::{exceptions::PyValueError, prelude::*};

/// The pickled form: the game, the number of the role, and for each step its move and its
/// perception.
type Pickled = (Game, usize, Vec<(usize, String)>);

/// The information of a role in a play: its moves, and its percepts of each step. It never changes;
/// `step` and `tell` return another one. Equal for plays that the role cannot distinguish.
#[pyclass(frozen, module = "gdl", eq, hash)]
#[derive(Clone)]
pub(crate) struct Information {
    pub(crate) game: Game,
    pub(crate) known: Known<Dynamic>,
}

impl PartialEq for Information {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known && self.game.is_same(&other.game)
    }
}

impl std::hash::Hash for Information {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.known.hash(hasher);
    }
}

/// The Python error that ends the sampling of a play.
struct Refusal(PyErr);

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<InformationError> for Refusal {
    fn from(error: InformationError) -> Self {
        Self(PyValueError::new_err(error.to_string()))
    }
}

impl From<Refusal> for PyErr {
    fn from(Refusal(error): Refusal) -> Self {
        error
    }
}

#[pymethods]
impl Information {
    /// The information of a role in the initial state.
    #[new]
    fn new(game: &Bound<'_, PyAny>, role: &Bound<'_, PyAny>) -> PyResult<Self> {
        let game = Game::of(game)?;
        let known = Known::new(game.0.role(role)?);
        Ok(Self { game, known })
    }

    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The role that has the information.
    #[getter]
    fn role(&self) -> &str {
        self.game.0.game.role_text(self.known.role())
    }

    /// The information of the role after these moves were made in a state.
    fn step(&self, py: Python<'_>, state: &Bound<'_, State>, moves: &Bound<'_, PyAny>) -> PyResult<Self> {
        let state = state.get();
        if !state.game().is_same(&self.game) {
            return Err(PyValueError::new_err("the state belongs to another game"));
        }
        let joint = state.joint(moves)?;
        state.follow(py, &joint)?;
        let mut known = self.known.clone();
        known.step(&self.game.0.game, state.bits(), &joint);
        Ok(Self { game: self.game.clone(), known })
    }

    /// The information of the role after a step: its move, and its percepts as KIF text such as
    /// `((open 3))`.
    fn tell(&self, action: &Bound<'_, PyAny>, perceived: &str) -> PyResult<Self> {
        let perception = self.game.0.game.parse_perception(perceived);
        let perception = perception.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut known = self.known.clone();
        known.push(self.game.0.action(action)?, perception);
        Ok(Self { game: self.game.clone(), known })
    }

    /// The states that agree with the information, each with its exact probability if all other
    /// roles draw their moves uniformly.
    #[pyo3(signature = (max_states = None, max_joints = None))]
    fn states<'py>(
        &self,
        py: Python<'py>,
        max_states: Option<usize>,
        max_joints: Option<u64>,
    ) -> PyResult<Vec<(State, Bound<'py, PyAny>)>> {
        let game = &self.game.0.game;
        let mut set = InformationSet::new(game, self.known.role());
        if let Some(states) = max_states {
            set = set.max_states(states);
        }
        if let Some(joints) = max_joints {
            set = set.max_joints(joints);
        }
        for (action, perception) in self.known.steps() {
            py.check_signals()?;
            py.detach(|| set.step(*action, perception))
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        set.states()
            .map(|(bits, p)| Ok((State::new(self.game.clone(), bits.clone()), fraction(py, p)?)))
            .collect()
    }

    /// For each step the number of the role's move, and the numbers of its percepts, or of the
    /// moves of all roles.
    #[getter]
    fn steps(&self) -> Vec<(usize, Vec<usize>)> {
        let seen = |perception: &Perception<_, _>| match perception {
            Perception::Joint(joint) => joint.iter().copied().map(Id::index).collect(),
            Perception::Percepts(list) => list.iter().copied().map(Id::index).collect(),
        };
        self.known.steps().iter().map(|(action, perception)| (action.index(), seen(perception))).collect()
    }

    /// A random play that agrees with the information, as its joint moves. It has its exact
    /// probability if all other roles draw their moves uniformly.
    fn sample(&self, random: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<usize>>> {
        let play = sample::play(&self.game.0.game, &self.known, || -> Result<f64, Refusal> {
            random.py().check_signals()?;
            Ok(random.call0()?.extract()?)
        })?;
        Ok(play.into_iter().map(|joint| joint.into_iter().map(Id::index).collect()).collect())
    }

    fn __len__(&self) -> usize {
        self.known.steps().len()
    }

    fn __str__(&self) -> String {
        self.known.text(&self.game.0.game)
    }

    fn __repr__(&self) -> String {
        format!("<gdl.Information {}>", self.__str__())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let this = slf.get();
        let game = &this.game.0.game;
        let steps = this.known.steps().iter();
        let steps = steps.map(|(action, seen)| (action.index(), game.perception_text(seen))).collect();
        let fields = (this.game.clone(), this.known.role().index(), steps);
        Ok((crate::python_class(slf.py(), "gdl._load", "information")?, fields))
    }
}

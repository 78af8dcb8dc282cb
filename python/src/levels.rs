//! The net of a game as arrays, the input of `gdl.jax`.

use crate::load::Game;
use gdl_tools::levels::{Levels, StepLevels};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::{exceptions::PyValueError, prelude::*};

/// The gates, the number of gates of each level, and the signals of the outputs.
type Arrays<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

/// The role to move for each fluent that shows the turn, and the role to move if no such fluent
/// holds.
type Turns = (Vec<(u32, Option<usize>)>, Option<usize>);

/// The circuit of the step, that of the goals if it is separate, each role's percepts, and the
/// turns.
type Net<'py> = (Arrays<'py>, Option<Arrays<'py>>, Vec<Vec<u32>>, Turns);

fn arrays(py: Python<'_>, levels: Levels) -> PyResult<Arrays<'_>> {
    let count = levels.gates.len();
    let gates = levels.gates.as_flattened().to_vec().into_pyarray(py).reshape([count, 3])?;
    Ok((gates, levels.sizes.into_pyarray(py), levels.outputs.into_pyarray(py)))
}

/// Returns the net of a game as levels of three-input gates: see `gdl_tools::levels`.
#[pyfunction]
pub(crate) fn levels<'py>(py: Python<'py>, game: &Bound<'py, Game>) -> PyResult<Net<'py>> {
    let inner = &game.get().0;
    let Some(table) = inner.game.table() else {
        return Err(PyValueError::new_err("the game has no net: its rules are evaluated state by state"));
    };
    let levels = py.detach(|| StepLevels::new(table));
    let vocabulary = table.vocabulary();
    let percepts = (0..table.shape().roles).map(|role| vocabulary.percepts_of(role).to_vec()).collect();
    let goals = levels.goals.map(|goals| arrays(py, goals)).transpose()?;
    Ok((arrays(py, levels.step)?, goals, percepts, inner.proofs(py).turns()))
}

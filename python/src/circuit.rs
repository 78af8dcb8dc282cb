//! The circuit of a game before it is optimised, in which `gdl.jax` looks for an exchange of roles.

use crate::load::Game;
use gdl_compiler::{
    Source,
    propnet::{Gate, Signal},
};
use numpy::{IntoPyArray, PyArray1};
use pyo3::{exceptions::PyValueError, prelude::*};

/// An array of numbers.
type Array<'py> = Bound<'py, PyArray1<u32>>;

/// The start of each AND gate's operands, all operands, the outputs, and the goal values of each
/// role.
type Circuit<'py> = (Array<'py>, Array<'py>, Array<'py>, Vec<Vec<u8>>);

/// Returns the circuit of a game as it is before optimisation: see `_gdl.pyi`.
#[pyfunction]
pub(crate) fn circuit<'py>(py: Python<'py>, game: &Bound<'py, Game>) -> PyResult<Circuit<'py>> {
    let inner = &game.get().0;
    let source = Source::new("rules", &*inner.text);
    let compiled = py.detach(|| gdl_compiler::compile(&source, &inner.options.compiler()));
    let net = compiled.map_err(|_| PyValueError::new_err("the game has no net"))?.raw;
    let (mut starts, mut operands) = (vec![0], Vec::new());
    for gate in net.inputs() as u32..net.len() as u32 {
        if let Gate::And(list) = net.gate(gate) {
            operands.extend(list.iter().copied().map(Signal::code));
            starts.push(operands.len() as u32);
        }
    }
    let goals = net.outputs.goal.iter().flatten().map(|&(_, signal)| signal);
    let outputs = net.outputs.next.iter().copied().chain(net.legality()).chain([net.outputs.terminal]);
    let outputs: Vec<u32> = outputs.chain(goals).map(Signal::code).collect();
    let values = net.outputs.goal.iter().map(|list| list.iter().map(|&(value, _)| value).collect()).collect();
    Ok((starts.into_pyarray(py), operands.into_pyarray(py), outputs.into_pyarray(py), values))
}

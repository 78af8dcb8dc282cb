//! The `gdl` command, run in the interpreter's process.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `gdl` command with arguments, which begin with the program, and returns its exit code.
/// `launcher` has the words that start the command in a new process.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, launcher: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gdl_cli::run(launcher, arguments))
}

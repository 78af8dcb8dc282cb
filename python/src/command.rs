//! The `gdl` command, run in the interpreter's process.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `gdl` command with arguments, the first being the program, and returns its exit code.
/// `launcher` is what starts the command anew.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, launcher: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gdl_cli::run(launcher, arguments))
}

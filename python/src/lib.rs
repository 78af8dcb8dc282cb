//! The Rust half of the Python package `gdl`: the module `gdl._gdl`, which a thin Python layer
//! wraps.
//!
//! The module checks all arguments from Python, and invalid ones raise exceptions. Long work runs
//! with the GIL released, and signals such as Ctrl-C cancel it.

// Functions for Python take arguments by value and return a result.
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

mod batch;
mod circuit;
mod command;
mod game;
mod gpu;
mod information;
mod levels;
mod load;
mod picture;
mod planes;
mod player;
mod proofs;
mod rules;
mod sample;
mod shard;
mod single;
mod spec;
mod state;
mod stats;
mod watch;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _gdl {
    #[pymodule_export]
    use super::{
        batch::Batch,
        circuit::circuit,
        command::command,
        information::Information,
        levels::levels,
        load::{Game, builtin, load},
        planes::planes,
        player::{Player, Solution},
        proofs::Proofs,
        rules::{builtin_text, catalogue, check, near},
        shard::{merge, rulesheets, shard},
        state::State,
        stats::{RoleStats, Stats},
    };
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// Returns a class of a Python module, which is imported on first use.
fn python_class<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)
}

/// Converts a probability to an exact `fractions.Fraction`.
fn fraction(py: Python<'_>, p: gdl_runtime::chance::Probability) -> PyResult<Bound<'_, PyAny>> {
    python_class(py, "fractions", "Fraction")?.call1((p.numerator(), p.denominator()))
}

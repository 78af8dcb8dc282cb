//! The Rust half of the Python package `gdl`: the module `gdl._gdl`, which the thin Python layer
//! around it makes pleasant.
//!
//! Whatever Python hands in is checked here, and what is wrong becomes an exception. Work that may
//! take long is done without the interpreter's lock and ends when signals ask for it.

// What Python calls takes what Python gives, by value and with a result.
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

mod batch;
mod command;
mod game;
mod gpu;
mod information;
mod levels;
mod picture;
mod planes;
mod player;
mod proofs;
mod rules;
mod sample;
mod shard;
mod single;
mod state;
mod stats;
mod watch;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _gdl {
    #[pymodule_export]
    use super::{
        batch::Batch,
        command::command,
        game::{Game, builtin, load},
        information::Information,
        levels::levels,
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

/// A class of a Python module of the package, imported once it is needed.
fn python_class<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)
}

/// An exact `fractions.Fraction`.
fn fraction(py: Python<'_>, p: gdl_runtime::chance::Probability) -> PyResult<Bound<'_, PyAny>> {
    python_class(py, "fractions", "Fraction")?.call1((p.numerator(), p.denominator()))
}

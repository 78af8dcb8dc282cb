//! Random playouts of each game by each engine and by its handwritten baseline, in turn; see
//! `gdl_benches::playouts`.
//!
//!     cargo bench -p gdl-benches --bench playouts -- [--seconds S] [--rounds N] [GAME..]
//!     cargo bench -p gdl-benches --bench playouts -- --isa avx512,avx2,portable --threads 1,2

use clap::Parser;
use gdl_benches::playouts::{Args, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Args::parse(), env!("CARGO_TARGET_TMPDIR").into()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

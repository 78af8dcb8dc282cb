//! The `gdl` program as WebAssembly.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    // A system without a current folder: the caller names it.
    if let Some(Err(error)) = env::var_os("PWD").map(env::set_current_dir) {
        eprintln!("error: cannot enter the current folder: {error}");
        return ExitCode::FAILURE;
    }
    gdl_cli::main()
}

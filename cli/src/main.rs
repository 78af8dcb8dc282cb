//! The `gdl` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gdl_cli::main()
}

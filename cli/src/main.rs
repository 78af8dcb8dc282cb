//! The `gdl` command. Arguments go in, an exit code comes out; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    gdl_cli::run(std::env::args_os())
}

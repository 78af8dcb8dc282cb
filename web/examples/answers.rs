//! Answers requests, one a line, as the WebAssembly module does, so that tests can compare both.

use gdl_web::Module;
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut module = Module::default();
    for request in stdin().lock().lines() {
        writeln!(stdout(), "{}", module.answer(&request?))?;
    }
    Ok(())
}

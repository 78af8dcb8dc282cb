//! Measures the tables of a page anew: each by the command in the code block before it.
//!
//!     cargo bench -p gdl-benches --bench page -- [--only WORD] [PAGE]
//!
//! A table stands between the comments `<!-- measured: COLUMN | COLUMN -->` and `<!-- end -->`. The
//! command prints tables in Markdown. The first one with these columns is taken, without its other
//! columns, under a line with the machine and the day. The page is written after each command, and
//! nothing else on it changes. If a command fails or prints no such table, the others still run,
//! and the program fails at the end.

use clap::Parser;
use gdl_benches::{machine::Machine, page};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The page and its tables.
#[derive(Debug, Parser)]
struct Args {
    /// The page, relative to the repository; without it nothing is measured
    page: Option<PathBuf>,
    /// Run only commands that contain this text
    #[arg(long, default_value = "")]
    only: String,
    /// The argument that `cargo bench` adds
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let Some(page) = &args.page else { return Ok(()) };
    // Cargo runs benchmarks in the folder of their package.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = root.join(page).canonicalize()?;
    let mut failures = 0;
    for (command, tables) in page::commands(&fs::read_to_string(&path)?) {
        if !command.contains(&args.only) {
            continue;
        }
        eprintln!("{command}");
        if let Err(error) = measure(&root, &command, &tables, &path) {
            eprintln!("not measured: {error}\n");
            failures += 1;
        }
    }
    if failures > 0 { Err(format!("{failures} commands failed").into()) } else { Ok(()) }
}

/// Runs a command, and writes its tables, given by their columns, to the page.
fn measure(root: &Path, command: &str, tables: &[String], page: &Path) -> Result<(), Box<dyn Error>> {
    let output =
        Command::new("sh").args(["-ec", command]).current_dir(root).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(output.status.to_string().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let day = Command::new("date").arg("+%-d %B %Y").output()?;
    let caption = format!("{}, {}.\n\n", Machine::find().name(), String::from_utf8_lossy(&day.stdout).trim());
    for columns in tables {
        let table =
            page::table(&text, columns).ok_or_else(|| format!("no table has the columns {columns}"))?;
        page::write(Some(page), &page::place(columns), &(caption.clone() + &table))?;
    }
    Ok(())
}

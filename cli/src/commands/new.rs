//! `gdl new`: creates a folder with a rulesheet, a crate that uses it, and a test.
//!
//! The rulesheet is the complete game of `docs/tutorial/language.md`, to be changed into another
//! one. Existing files are not overwritten.

use clap::Args;
use gdl_tools::{
    error::{Error, Result},
    output::{self, BOLD, CODE, ODD},
};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The name of the game in the files, which is replaced by the new name.
const GAME: &str = "dominoes";

/// The files next to `Cargo.toml`. They are the files of a package of this project, which tests
/// them.
const FILES: &[(&str, &str)] = &[
    ("dominoes.kif", include_str!("new/dominoes.kif")),
    ("dominoes.plays", include_str!("new/dominoes.plays")),
    ("src/lib.rs", include_str!("new/lib.rs")),
    ("src/main.rs", include_str!("new/main.rs")),
    ("tests/rules.rs", include_str!("new/rules.rs")),
];

/// The template of `Cargo.toml`: `NAME` stands for the game's name, `RUNTIME` for the dependency.
const MANIFEST: &str = include_str!("new/Cargo.toml.in");

/// Words that Rust does not allow as the name of a crate or a module.
const TAKEN: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// Arguments of `gdl new`.
#[derive(Debug, Args)]
#[command(after_help = "\
The folder contains the rulesheet of a small game to change, a library that compiles it by `gdl!`, a
program that plays it, and a test of its rules. docs/tutorial/language.md teaches the language with
that game. The crate needs the package gdl-runtime: from a clone with --runtime, otherwise from the
registry, where it is not published yet. Everything except `cargo` works without it.

Examples:
  gdl new mygame --runtime ../gdl/runtime
  cd mygame && gdl check --simulate mygame.kif && cargo test")]
pub(crate) struct NewArgs {
    /// Name of the game: small letters, digits and `_`
    #[arg(value_name = "NAME", value_parser = name)]
    pub name: String,
    /// Path of the package gdl-runtime from here: the folder `runtime` of a clone [default:
    /// the registry, where it is not published yet]
    #[arg(long, value_name = "FOLDER")]
    pub runtime: Option<PathBuf>,
}

/// Checks that a name is valid for a package and a module.
fn name(text: &str) -> std::result::Result<String, String> {
    let is_begun = text.starts_with(|letter: char| letter.is_ascii_lowercase());
    let is_plain =
        text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if !(is_begun && is_plain) {
        return Err(
            "begin with a small letter, and use only small letters, digits and `_`, such as `my_game`"
                .to_owned(),
        );
    }
    if TAKEN.contains(&text) {
        return Err("this is a keyword of Rust, which cannot name a package".to_owned());
    }
    Ok(text.to_owned())
}

/// Creates the folder and its files.
///
/// # Errors
/// Returns an error if the folder exists already, the given path has no package, or a file cannot
/// be written.
pub(crate) fn run(args: &NewArgs) -> Result {
    let folder = Path::new(&args.name);
    let runtime = dependency(args.runtime.as_deref())?;
    let failed = |path: &Path, error: &io::Error| {
        let help = if error.kind() == io::ErrorKind::AlreadyExists { ": choose another name" } else { "" };
        Error::Input(format!("cannot make {}: {error}{help}", path.display()))
    };
    fs::create_dir(folder).map_err(|error| failed(folder, &error))?;
    let manifest = MANIFEST.replace("NAME", &args.name).replace("RUNTIME", &runtime);
    let files =
        FILES.iter().map(|(path, text)| (path.replace(GAME, &args.name), text.replace(GAME, &args.name)));
    for (path, text) in files.chain([("Cargo.toml".to_owned(), manifest)]) {
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| failed(&path, &error))?;
    }
    let (mut out, name) = (output::stdout(), &args.name);
    writeln!(out, "{BOLD}{name}{BOLD:#}: a rulesheet, a crate that uses it, a test")?;
    for (command, what) in [
        (format!("cd {name}"), ""),
        (format!("gdl check --simulate {name}.kif"), "check the rules, also by play"),
        (format!("gdl test {name}.kif"), "test the rules by the plays in its .plays file"),
        (format!("gdl play {name}.kif"), "play it"),
        ("cargo test".to_owned(), "compile the rules and test them; takes minutes at first, then seconds"),
    ] {
        writeln!(out, "  {CODE}{command:<40}{CODE:#} {what}")?;
    }
    if args.runtime.is_none() {
        writeln!(
            out,
            "{ODD}gdl-runtime is not in the registry yet{ODD:#}: for `cargo`, give its place in {name}/Cargo.toml, as\n  \
             gdl-runtime = {{ path = \"../gdl/runtime\" }}\nwith the folder `runtime` of a clone, or begin with `gdl new {name} --runtime FOLDER`"
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Returns the line of `Cargo.toml` for the dependency on the runtime.
fn dependency(runtime: Option<&Path>) -> Result<String> {
    let Some(folder) = runtime else {
        return Ok(format!("gdl-runtime = \"{}\"", env!("CARGO_PKG_VERSION")));
    };
    let place = fs::canonicalize(folder).ok().filter(|folder| folder.join("Cargo.toml").is_file());
    let place = place.ok_or_else(|| {
        Error::Input(format!(
            "there is no package in {}: give the folder `runtime` of a clone",
            folder.display()
        ))
    })?;
    let place = place.to_str().ok_or_else(|| Error::Input(format!("{} is not UTF-8", place.display())))?;
    // The debug format escapes the path like a TOML string.
    Ok(format!("gdl-runtime = {{ path = {place:?} }}"))
}

//! Compares the public interface of a crate, one line for each item, with its list.
//!
//! The arguments are rustdoc's JSON and the list. `--bless` rewrites the list. `.ci/run` has the
//! commands.

use public_api::Builder;
use similar::{ChangeTag, TextDiff};
use std::{env, fs, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let bless = arguments.iter().position(|argument| argument == "--bless").map(|place| arguments.remove(place));
    let [json, list] = &arguments[..] else {
        eprintln!("usage: gdl-interface RUSTDOC.json LIST.txt [--bless]");
        return ExitCode::from(2);
    };
    // The list leaves out derived, blanket and auto trait implementations.
    let built = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    let found = match built {
        Ok(found) => found.to_string(),
        Err(error) => {
            eprintln!("rustdoc's JSON cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    if bless.is_some() {
        return match fs::write(list, found) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{list}: {error}");
                ExitCode::from(2)
            }
        };
    }
    let known = fs::read_to_string(list).unwrap_or_default();
    if known == found {
        return ExitCode::SUCCESS;
    }
    for change in TextDiff::from_lines(&known, &found).iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {}
            ChangeTag::Delete => eprint!("- {change}"),
            ChangeTag::Insert => eprint!("+ {change}"),
        }
    }
    eprintln!("the public interface differs from {list}; if the change is intended, update it with `--bless` and say so in the changelog");
    ExitCode::FAILURE
}

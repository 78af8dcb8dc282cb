//! The latency of the checker for an author: public rulesheets, parsed and checked but not
//! grounded.
//!
//! They are in a folder `shared` next to the checkout; without it the benchmark is skipped.

use divan::Bencher;
use gdl_compiler::{Diagnostics, Levels, Options, Source, check::check, syntax::parse};
use gdl_test_support::shared;
use std::fs;

/// The public rulesheets.
const GAMES: &str = "rulesheets/games";

fn main() {
    if shared(GAMES).is_some() {
        divan::main();
    }
}

/// The public rulesheets, by ascending size.
fn rulesheets() -> Vec<Source> {
    let folder = shared(GAMES).expect("the benchmark runs only if it is there");
    let mut sources: Vec<Source> = fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .map(|path| {
            let bytes = fs::read(&path).expect("a readable rulesheet");
            Source::new(path.display().to_string(), String::from_utf8_lossy(&bytes))
        })
        .collect();
    sources.sort_by_key(|source| source.text().len());
    sources
}

/// Parses and checks a rulesheet; the diagnostics are discarded.
fn examine(source: &Source) {
    let options = Options::default();
    let mut diagnostics = Diagnostics::new(Levels::default());
    let tree = parse(source, &options, &mut diagnostics);
    divan::black_box(check(&tree, source, &options, &mut diagnostics));
}

#[divan::bench]
fn the_largest(bencher: Bencher<'_, '_>) {
    let source = rulesheets().pop().expect("there are some");
    bencher.counter(divan::counter::BytesCount::of_str(source.text())).bench(|| examine(&source));
}

#[divan::bench(sample_count = 10)]
fn all_of_them(bencher: Bencher<'_, '_>) {
    let sources = rulesheets();
    let bytes: usize = sources.iter().map(|source| source.text().len()).sum();
    bencher.counter(divan::counter::BytesCount::new(bytes)).bench(|| sources.iter().for_each(examine));
}

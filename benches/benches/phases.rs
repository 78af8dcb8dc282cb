//! The time of each stage of the compiler on each built-in game.

use divan::Bencher;
use gdl_compiler::{
    Diagnostics, Levels, Meter, Options, Phase, Rules, Source,
    check::check,
    emit::{lanes::Lanes, straight::straight, table::table},
    ground::{GroundRules, ground},
    optimize::{optimize, phases},
    propnet::{Net, build},
    syntax::{Tree, parse},
};

fn main() {
    divan::main();
}

fn names() -> impl Iterator<Item = &'static str> {
    gdl_games::LIST.iter().map(|entry| entry.name)
}

fn source(name: &str) -> Source {
    Source::new(name, gdl_games::find(name).expect("a built-in game").text)
}

fn diagnostics() -> Diagnostics {
    Diagnostics::new(Levels::default())
}

/// A meter with the default limits.
fn meter() -> Meter {
    Meter::new(&Options::default(), Phase::Optimize)
}

fn parsed(source: &Source) -> Tree {
    parse(source, &Options::default(), &mut diagnostics())
}

fn checked(source: &Source) -> Rules {
    check(&parsed(source), source, &Options::default(), &mut diagnostics()).expect("no faults")
}

fn grounded(source: &Source) -> GroundRules {
    ground(&checked(source), &Options::default(), &mut diagnostics()).expect("within the limits")
}

fn built(ground: &GroundRules) -> Net {
    build(ground, &Options::default(), &mut diagnostics()).expect("within the limits")
}

fn optimised(source: &Source) -> Net {
    optimize(built(&grounded(source)), &mut meter())
}

#[divan::bench(name = "1 parse", args = names())]
fn bench_parse(bencher: Bencher<'_, '_>, name: &str) {
    let source = source(name);
    bencher.bench(|| parsed(&source));
}

#[divan::bench(name = "2 check", args = names())]
fn bench_check(bencher: Bencher<'_, '_>, name: &str) {
    let source = source(name);
    let tree = parsed(&source);
    bencher.bench(|| check(&tree, &source, &Options::default(), &mut diagnostics()));
}

#[divan::bench(name = "3 ground", args = names())]
fn bench_ground(bencher: Bencher<'_, '_>, name: &str) {
    let rules = checked(&source(name));
    bencher.bench(|| ground(&rules, &Options::default(), &mut diagnostics()));
}

#[divan::bench(name = "4 propnet", args = names())]
fn bench_propnet(bencher: Bencher<'_, '_>, name: &str) {
    let ground = grounded(&source(name));
    bencher.bench(|| built(&ground));
}

#[divan::bench(name = "5 optimise", args = names())]
fn bench_optimise(bencher: Bencher<'_, '_>, name: &str) {
    let net = built(&grounded(&source(name)));
    bencher.with_inputs(|| net.clone()).bench_values(|net| optimize(net, &mut meter()));
}

#[divan::bench(name = "6 table", args = names())]
fn bench_table(bencher: Bencher<'_, '_>, name: &str) {
    let net = optimised(&source(name));
    let phases = phases(&net, &mut meter());
    bencher.bench(|| {
        let lanes = Lanes::new(&net, phases.as_ref(), None, &mut meter());
        table(&net, lanes.as_ref(), &mut meter())
    });
}

#[divan::bench(name = "7 straight-line code", args = names(), sample_count = 10)]
fn bench_straight(bencher: Bencher<'_, '_>, name: &str) {
    let net = optimised(&source(name));
    let phases = phases(&net, &mut meter());
    bencher.bench(|| straight(&net, phases.as_ref()).0.to_string());
}

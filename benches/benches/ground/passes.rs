//! The effect of each pass of the optimiser: the operations after it, game by game. A skipped pass
//! repeats the previous number. The last column counts the two-input gates in the programs of the
//! table, whose wide gates are lowered by a trie.

use crate::{
    measure::grounded,
    subject::{Subject, options},
};
use cpu_time::ProcessTime;
use gdl_compiler::{
    Diagnostics,
    emit::lower,
    meter::Meter,
    observer::Phase,
    optimize::PASSES,
    propnet::{Net, build},
};
use gdl_tools::output::{duration, thousands};

/// Runs the passes one by one. Prints a table with a line for each game, and the time of each pass.
pub(crate) fn run(subjects: &[Subject]) {
    let names: Vec<&str> = PASSES.iter().map(|(name, _)| *name).collect();
    println!("| operations | raw | {} | trie |", names.join(" | "));
    println!("|---|---|{}---|", "---|".repeat(names.len()));
    let mut seconds = vec![0.0; names.len() + 1];
    for subject in subjects {
        let mut diagnostics = Diagnostics::default();
        let ground = grounded(&subject.source(), &mut diagnostics);
        let mut net = ground.and_then(|ground| build(&ground, &options(), &mut diagnostics));
        let mut cells = vec![operations(net.as_ref())];
        for ((_, pass), seconds) in PASSES.iter().zip(&mut seconds) {
            let start = ProcessTime::now();
            let mut meter = Meter::new(&options(), Phase::Optimize);
            net = net.map(|net| pass(&net, &mut meter).unwrap_or(net));
            *seconds += start.elapsed().as_secs_f64();
            cells.push(operations(net.as_ref()));
        }
        let start = ProcessTime::now();
        cells.push(net.map_or_else(|| "-".to_owned(), |net| thousands(lowered(&net) as u128)));
        *seconds.last_mut().expect("one more than passes") += start.elapsed().as_secs_f64();
        println!("| {} | {} |", subject.name(), cells.join(" | "));
    }
    let seconds: Vec<String> = seconds.into_iter().map(duration).collect();
    println!("| time, all games | | {} |", seconds.join(" | "));
}

/// The number of gates in all programs. Gates that several programs need count in each.
fn lowered(net: &Net) -> usize {
    let programs = [lower::observe(net), lower::advance(net)].into_iter().chain(lower::perceive(net));
    programs.map(|program| program.gates.len()).sum()
}

/// The size of a net; a dash if the limits did not allow it.
fn operations(net: Option<&Net>) -> String {
    net.map_or_else(|| "-".to_owned(), |net| thousands(net.operations() as u128))
}

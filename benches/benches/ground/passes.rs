//! What each pass of the optimiser brings: the operations left after it, game by game.

use crate::{
    measure::grounded,
    subject::{Subject, options},
};
use cpu_time::ProcessTime;
use gdl_cli::output::{duration, thousands};
use gdl_compiler::{
    Diagnostics,
    limits::Fuel,
    observer::Phase,
    optimize::PASSES,
    propnet::{Net, build},
};

/// Runs the passes one by one and prints a table: a line for each game, and the time of all games.
pub(crate) fn run(subjects: &[Subject]) {
    let names: Vec<&str> = PASSES.iter().map(|(name, _)| *name).collect();
    println!("| operations | raw | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    let mut seconds = vec![0.0; names.len()];
    for subject in subjects {
        let mut diagnostics = Diagnostics::default();
        let ground = grounded(&subject.source(), &mut diagnostics);
        let mut net = ground.and_then(|ground| build(&ground, &options(), &mut diagnostics));
        let mut cells = vec![operations(net.as_ref())];
        for ((_, pass), seconds) in PASSES.iter().zip(&mut seconds) {
            let start = ProcessTime::now();
            net = net.and_then(|net| pass(&net, &mut Fuel::new(&options(), Phase::Optimize)));
            *seconds += start.elapsed().as_secs_f64();
            cells.push(operations(net.as_ref()));
        }
        println!("| {} | {} |", subject.name(), cells.join(" | "));
    }
    let seconds: Vec<String> = seconds.into_iter().map(duration).collect();
    println!("| time, all games | | {} |", seconds.join(" | "));
}

/// The size of a net, if the limits allowed it.
fn operations(net: Option<&Net>) -> String {
    net.map_or_else(|| "-".to_owned(), |net| thousands(net.operations() as u128))
}

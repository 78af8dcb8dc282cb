//! A compilation reports its progress, and stops when the observer cancels it.

use gdl_compiler::{
    Observer, Options, Source, compile,
    observer::{Phase, Progress},
};
use std::{
    ops::ControlFlow,
    sync::{Arc, Mutex},
};

/// A game with enough moves that each stage takes measurable steps.
fn source() -> Source {
    let cells: Vec<String> = (0..18).map(|i| format!("(cell {i})")).collect();
    let cells = cells.join(" ");
    let rules = "(role r) (init (at 1 2 3))
        (<= (legal r (go ?x ?y ?z)) (cell ?x) (cell ?y) (cell ?z) (not (true (at ?x ?y ?z))))
        (<= (next (at ?x ?y ?z)) (does r (go ?x ?y ?z)))
        (<= terminal (true (at 3 4 5)))
        (goal r 50)";
    Source::new("wide.kif", format!("{cells} {rules}"))
}

/// Compiles the game and cancels at the report with the index `last`. Returns the reports and the
/// codes of the errors.
fn run(last: usize) -> (Vec<Progress>, Vec<&'static str>) {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&reports);
    let observer = Observer::new(move |progress| {
        let mut reports = listener.lock().expect("no panic");
        reports.push(progress);
        if reports.len() > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let compiled = compile(&source(), &Options { observer, ..Options::default() });
    let codes = compiled
        .map_or_else(|failure| failure.diagnostics.iter().map(|f| f.code.id).collect(), |_| Vec::new());
    let reports = reports.lock().expect("no panic").clone();
    (reports, codes)
}

#[test]
fn every_phase_reports_every_so_many_steps() {
    let (reports, codes) = run(usize::MAX);
    assert_eq!(codes, [""; 0]);
    let phases: Vec<Phase> = reports.iter().map(|progress| progress.phase).collect();
    let runs: Vec<Phase> = phases.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    assert_eq!(
        runs,
        [
            Phase::Parse,
            Phase::Check,
            Phase::Ground,
            Phase::Propnet,
            Phase::Optimize,
            Phase::Derive,
            Phase::Emit
        ]
    );
    // The steps of a stage never decrease.
    assert!(reports.windows(2).all(|pair| pair[0].phase != pair[1].phase || pair[0].steps <= pair[1].steps));
}

#[test]
fn whoever_has_enough_gets_an_error_and_is_asked_no_more() {
    let (reports, _) = run(usize::MAX);
    assert!(reports.len() > 8, "{}", reports.len());
    for last in 0..reports.len() {
        let (until_then, codes) = run(last);
        assert_eq!(codes, ["GDLM9"]);
        assert_eq!(until_then, reports[..=last]);
    }
}

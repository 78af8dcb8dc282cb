//! Rulesheets that no author would write: each ends in a game or in errors, within its limits.

#[path = "unlikely_rulesheets/forms.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use it too")]
mod forms;

use forms::mutate;
use gdl_compiler::{Compilation, Diagnostics, Limits, Observer, Options, Source, compile};
use std::ops::ControlFlow;

const GAME: &str = "(role r) (init a) (legal r x) (legal r y) (<= (next a) (does r x))
    (<= terminal (not (true a))) (<= (goal r 0) (true a)) (<= (goal r 70) (not (true a)))";

fn compile_with(text: &str, limits: Limits) -> Result<Compilation, Diagnostics> {
    let options = Options { limits, ..Options::default() };
    compile(&Source::new("test.kif", text), &options).map_err(|failure| failure.diagnostics)
}

/// What the limit says of `rules` added to a small game.
fn refusal(rules: &str, limits: Limits) -> String {
    let text = format!("{GAME} {rules}");
    let diagnostics = compile_with(&text, limits).expect_err("over the limit");
    assert!(diagnostics.has_errors());
    diagnostics.render(&Source::new("test.kif", text.as_str()))
}

#[test]
fn equal_goal_values_are_one_output() {
    let text = format!("{GAME} (<= (goal r 070) (true b)) (<= (next b) (does r y))");
    let net = compile_with(&text, Limits::default()).expect("a game").net;
    let values: Vec<u8> = net.outputs.goal[0].iter().map(|&(value, _)| value).collect();
    assert_eq!(values, [0, 70]);
}

/// Unrolled, the closure of a relation over n things takes n to the fifth gates.
#[test]
fn cycles_keep_to_the_limit_on_gates() {
    let things: String = (0..12).map(|n| ["(n ", &n.to_string(), ") "].concat()).collect();
    let closure = things
        + "(<= (next (edge ?x ?y)) (n ?x) (n ?y) (does r x))
        (<= (path ?x ?y) (true (edge ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= (next b) (path 0 1))";
    let limits = Limits { max_gates: 5_000, ..Limits::default() };
    let report = refusal(&closure, limits);
    assert!(report.contains("more than 5000 gates (`max_gates`)"), "{report}");
}

#[test]
fn mutated_rulesheets_never_panic() {
    let games = [
        include_str!("../../../games/board/tictactoe.kif"),
        include_str!("../../../games/puzzles/lights_out.kif"),
        include_str!("../../../games/board/nim.kif"),
        include_str!("../../../games/chance/rock_paper_scissors.kif"),
    ];
    let limits = Limits { fuel: 50_000, max_ground_rules: 2_000, max_gates: 20_000, ..Limits::default() };
    let mut compiled = 0;
    for seed in 0..400u32 {
        let game = games[seed as usize % games.len()];
        let text = (0..=seed % 3).fold(game.to_owned(), |text, step| mutate(&text, 1_000 * step + seed));
        match compile_with(&text, limits.clone()) {
            Ok(compilation) => {
                assert!(!compilation.diagnostics.has_errors(), "seed {seed}: {text}");
                assert!(!compilation.table.is_empty());
                compiled += 1;
            }
            Err(diagnostics) => {
                assert!(diagnostics.has_errors(), "seed {seed}: {text}");
                let _ = diagnostics.render(&Source::new("test.kif", text.as_str()));
            }
        }
    }
    assert!(compiled > 20, "only {compiled} mutations were games");
}

/// What was understood is kept: all of it, the forms alone, or nothing.
#[test]
fn failures_keep_what_was_understood() {
    let source = Source::new("test.kif", GAME);
    let limits = Limits { max_ground_rules: 1, ..Limits::default() };
    let failure = compile(&source, &Options { limits, ..Options::default() }).expect_err("over the limit");
    assert!(failure.diagnostics.are_excesses() && failure.tree.is_some());
    assert_eq!(failure.rules.map(|rules| rules.roles.len()), Some(1));
    let half = Source::new("test.kif", "(role r) (init");
    let failure = compile(&half, &Options::default()).expect_err("it is half a rulesheet");
    assert!(failure.rules.is_none());
    assert_eq!(failure.tree.map(|tree| tree.forms.len()), Some(1));
    let observer = Observer::new(|_| ControlFlow::Break(()));
    let failure =
        compile(&source, &Options { observer, ..Options::default() }).expect_err("it was called off");
    assert!(failure.rules.is_none() && failure.tree.is_none());
}

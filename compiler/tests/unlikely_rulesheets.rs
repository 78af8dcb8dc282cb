//! Rulesheets that no author would write: each ends in a game or in errors, within its limits.

#[path = "unlikely_rulesheets/forms.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use it too")]
mod forms;

use forms::mutate;
use gdl_compiler::{
    Compilation, Diagnostics, Limits, Observer, Options, Source, Syntax, compile, convert::convert,
    format::format,
};
use std::ops::ControlFlow;

const GAME: &str = "(role r) (init a) (legal r x) (legal r y) (<= (next a) (does r x))
    (<= terminal (not (true a))) (<= (goal r 0) (true a)) (<= (goal r 70) (not (true a)))";

fn compile_with(text: &str, limits: Limits) -> Result<Compilation, Box<Diagnostics>> {
    let options = Options { limits, ..Options::default() };
    compile(&Source::new("test.kif", text), &options).map_err(|failure| Box::new(failure.diagnostics))
}

/// Returns the rendered errors for `rules` added to a small game, under limits that they exceed.
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

/// Cycles respect the limit on gates. Unrolling a relation over n objects with two recursive calls
/// takes n^5 gates.
#[test]
fn cycles_keep_to_the_limit_on_gates() {
    let things: String = (0..12).map(|n| ["(n ", &n.to_string(), ") "].concat()).collect();
    let rules = format!(
        "{things} (<= (next (edge ?x ?y)) (n ?x) (n ?y) (does r x))
        (<= (path ?x ?y) (true (edge ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= (next b) (path 0 1))"
    );
    let report = refusal(&rules, Limits { max_gates: 5_000, ..Limits::default() });
    assert!(report.contains("more than 5000 gates (`max_gates`)"), "{report}");
}

#[test]
fn mutated_rulesheets_never_panic() {
    let games = [
        include_str!("../../games/board/tictactoe.kif"),
        include_str!("../../games/puzzles/lights_out.kif"),
        include_str!("../../games/board/nim.kif"),
        include_str!("../../games/chance/rock_paper_scissors.kif"),
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

/// A failure keeps the parts that were read: tree and rules, only the tree, or nothing.
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
        compile(&source, &Options { observer, ..Options::default() }).expect_err("it was cancelled");
    assert!(failure.rules.is_none() && failure.tree.is_none());
}

/// Valid and broken tokens of infix GDL and Epilog.
const PIECES: &[&str] = &[
    "(",
    ")",
    ",",
    "&",
    "|",
    "~",
    ":-",
    "::",
    "==>",
    ":=",
    "!",
    "[",
    "]",
    "#",
    ".",
    "..",
    "\"",
    "%",
    ";",
    "\n",
    " ",
    "_",
    "X",
    "R",
    "legal",
    "next",
    "true",
    "not",
    "or",
    "distinct",
    "same",
    "plus",
    "countofall",
    "control",
    "role",
    "init",
    "goal",
    "take",
    "pile",
    "\\+",
    "<=",
    "?x",
    "é",
    "(<= p q)",
    "\n(",
    "f(f(f(",
    "~~~~",
    "& & &",
    "9999999999999999999",
];

#[test]
fn mutants_in_other_syntaxes_end_and_have_one_layout() {
    for syntax in [Syntax::Infix, Syntax::Epilog] {
        let base = gdl_compiler::diagnostic::frame(syntax);
        let mut number = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |n: usize| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) as usize % n
        };
        let (mut read, mut refused) = (0, 0);
        for _ in 0..300 {
            let mut text = base.to_owned();
            for _ in 0..=below(3) {
                let at = below(text.len() + 1);
                let end = (at + below(12)).min(text.len());
                if !(text.is_char_boundary(at) && text.is_char_boundary(end)) {
                    continue;
                }
                match below(3) {
                    0 => text.replace_range(at..end, ""),
                    1 => text.insert_str(at, PIECES[below(PIECES.len())]),
                    _ => text.replace_range(at..end, PIECES[below(PIECES.len())]),
                }
            }
            let limits = Limits { fuel: 2_000_000, ..Limits::network() };
            let options = Options { syntax: Some(syntax), limits, ..Options::default() };
            let source = Source::new("mutant", text);
            match compile(&source, &options) {
                Ok(_) => read += 1,
                Err(failure) => {
                    refused += 1;
                    assert!(failure.diagnostics.has_errors(), "{}", source.text());
                    assert!(!failure.diagnostics.render(&source).is_empty());
                }
            }
            if let Ok(once) = format(&source, &options) {
                let again =
                    format(&Source::new("once", once.clone()), &options).expect("a layout can be read");
                assert_eq!(again, once, "{}", source.text());
            }
            for to in [Syntax::Kif, Syntax::Infix] {
                if let Ok(conversion) = convert(&source, &options, to) {
                    let options = Options { syntax: Some(to), ..options.clone() };
                    assert!(format(&Source::new("converted", conversion.text), &options).is_ok());
                }
            }
        }
        assert!(read > 20 && refused > 20, "{}: {read} read, {refused} refused", syntax.name());
    }
}

#[test]
fn depth_and_length_are_no_trouble_in_other_syntaxes() {
    let many = 300_000;
    for text in [
        "~".repeat(many),
        "(".repeat(many),
        format!("p({}x", "f(".repeat(many)),
        format!("p :- {}q", "a & ".repeat(many)),
        format!("p :- {}q", "a ==> ".repeat(many)),
        format!("p :- {}q", "a :- ".repeat(many)),
        format!("p :- {}q", "(a | b) & ".repeat(many)),
        "p :- q\n".repeat(many / 4),
        "\"".repeat(many),
        "% ".repeat(many),
        ".".repeat(many),
        "a".repeat(many),
        "p(a,b)".repeat(many / 4),
    ] {
        for syntax in [Syntax::Infix, Syntax::Epilog] {
            let options = Options { syntax: Some(syntax), limits: Limits::network(), ..Options::default() };
            let source = Source::new("long", text.as_str());
            let _ = gdl_compiler::read(&source, &options);
            let _ = format(&source, &options);
        }
    }
}

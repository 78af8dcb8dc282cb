//! Games in Epilog. A tic-tac-toe written for these tests plays like the built-in one. Rulesheets
//! of other authors, and single moves, agree with the reference interpreter.
//!
//! Rulesheets and traces are in a folder `shared` next to the checkout; without it those tests are
//! skipped.

use super::built_in;
use gdl_compiler::{Options, Source, Syntax, compile, convert::convert, eval::Evaluator, read};
use gdl_runtime::{Dynamic, Game, GameExt, gdl, load};
use gdl_test_support::shared;
use gdl_tools::{
    equal::{Bounds, EqualityVerdict, compare},
    load::{Way, play, quiet},
    verify::{GameReasoner, Limits, Trace, verify},
};
use serde_json::Value;
use std::{fs, path::PathBuf};

const TICTACTOE: &str = include_str!("tictactoe.epilog");

gdl!("tictactoe.epilog", name = compiled);

gdl!(
    name = counter,
    syntax = "infix",
    rules = r"
        role(robot) init(at(1)) succ(1, 2) succ(2, 3)
        legal(robot, go)
        next(at(Y)) :- does(robot, go) & true(at(X)) & succ(X, Y)
        terminal :- true(at(3))
        goal(robot, 100) :- true(at(3))
    ",
);

// Without an operation the text does not identify itself as Epilog.
gdl!(
    name = lamp,
    syntax = "epilog",
    rules = "role(robot) init(control(robot)) legal(press) terminal :- press goal(robot, 100) :- press",
    allow(operation_missing),
);

#[test]
fn other_syntaxes_are_compiled_by_the_macro() {
    assert_eq!(same(&built_in("tictactoe"), &compiled::game()), EqualityVerdict::Proved { states: 5_478 });
    let counter = counter::game();
    let walked = same(
        &counter,
        &load(
            "(role robot) (init (at 1)) (succ 1 2) (succ 2 3) (legal robot go)
        (<= (next (at ?y)) (does robot go) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3)))",
        )
        .unwrap(),
    );
    assert_eq!(walked, EqualityVerdict::Proved { states: 3 });
    let lamp = lamp::game();
    let pressed = lamp.apply_unchecked(&lamp.initial(), &[lamp::Move::PRESS]);
    assert!(lamp.is_terminal(&pressed) && !lamp.is_terminal(&lamp.initial()));
}

/// The part of each trace that is compared.
const LIMITS: Limits = if cfg!(debug_assertions) {
    Limits { playouts: 2, steps: 100, states: 50, moves: 2_000, deadline: None }
} else {
    Limits { playouts: 10, steps: 100, states: 2_000, moves: 100_000, deadline: None }
};

fn same<A: Game, B: Game>(a: &A, b: &B) -> EqualityVerdict {
    compare(a, b, str::to_owned, &Bounds::default(), &mut |_| ())
}

#[test]
fn tictactoe_is_the_built_in_one() {
    let game = load(TICTACTOE).unwrap();
    let found = same(&built_in("tictactoe"), &game);
    assert_eq!(found, EqualityVerdict::Proved { states: 5_478 });
    let other =
        load(&TICTACTOE.replace("diagonal(Z) :- cell(1, 3, Z)", "diagonal(Z) :- cell(1, 2, Z)")).unwrap();
    let EqualityVerdict::Different { play, .. } = same(&game, &other) else {
        panic!("a line less is another game")
    };
    assert_eq!(play.len(), 5, "{play:?}");
}

#[test]
fn larger_games_are_the_built_in_ones() {
    let bounds = Bounds { states: 1_500, playouts: 10, ..Bounds::default() };
    for (name, text) in [
        ("breakthrough", include_str!("breakthrough.epilog")),
        ("hex", include_str!("hex.epilog")),
        ("pentago", include_str!("pentago.epilog")),
    ] {
        let (game, original) = (load(text).unwrap(), built_in(name));
        let verdict = compare(&original, &game, str::to_owned, &bounds, &mut |_| ());
        assert!(matches!(verdict, EqualityVerdict::Agreed { .. }), "{name}: {verdict:?}");
        assert_eq!(gdl_runtime::perft(&game, 2), gdl_runtime::perft(&original, 2), "{name}");
    }
}

#[test]
fn built_in_games_go_to_infix_and_back() {
    for entry in gdl_games::LIST {
        let source = Source::new(entry.name, entry.text);
        let infix = convert(&source, &Options::default(), Syntax::Infix).unwrap();
        let written = Source::new(format!("{}.hrf", entry.name), infix.text);
        assert_eq!(Syntax::of(written.text()), Syntax::Infix, "{}", entry.name);
        let kif = convert(&written, &Options::default(), Syntax::Kif).unwrap();
        let written_as = |word: &String| infix_name(word, &infix.renamed).to_ascii_lowercase();
        let before: Vec<String> = words(entry.text).iter().map(written_as).collect();
        assert_eq!(before, words(&kif.text), "{}", entry.name);
        // The infix text is the same game as the KIF. Only short texts are compared.
        if entry.text.len() < 4_000 {
            let game = play(written, &quiet(), None).unwrap();
            let bounds = Bounds { states: 2_000, playouts: 5, ..Bounds::default() };
            let verdict = compare(
                &built_in(entry.name),
                &game,
                |name| infix_name(name, &infix.renamed),
                &bounds,
                &mut |_| (),
            );
            assert!(!matches!(verdict, EqualityVerdict::Different { .. }), "{}: {verdict:?}", entry.name);
            // The same numbers of move sequences up to depth 2.
            let original = built_in(entry.name);
            assert_eq!(gdl_runtime::perft(&game, 2), gdl_runtime::perft(&original, 2), "{}", entry.name);
        }
    }
}

/// The words and parentheses of a text, without comments. All variables become `?`.
fn words(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split(';').next().unwrap_or(""));
    let spaced = code.collect::<Vec<_>>().join(" ").replace('(', " ( ").replace(')', " ) ");
    let words = spaced.split_whitespace().map(|word| if word.starts_with('?') { "?" } else { word });
    words.map(str::to_ascii_lowercase).collect()
}

fn infix_name(name: &str, renamed: &[(String, String)]) -> String {
    let word = |word: &str| {
        let now =
            renamed.iter().find(|(before, _)| before.eq_ignore_ascii_case(word)).map(|(_, now)| now.as_str());
        now.unwrap_or(word).to_owned()
    };
    let parts: Vec<String> = name
        .split(' ')
        .map(|part| {
            let inner = part.trim_matches(['(', ')']);
            part.replacen(inner, &word(inner), 1)
        })
        .collect();
    parts.join(" ")
}

#[test]
fn rulesheets_of_others_agree_with_the_reference() {
    let Some(folder) = shared("epilog") else { return };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder.join("games")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 30);
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let trace = fs::File::open(folder.join(format!("traces-kif/{name}.json"))).unwrap();
        let trace = Trace::receive(trace, 1 << 28).unwrap();
        let source = Source::new(&name, fs::read_to_string(&path).unwrap());
        let game = play(source, &quiet(), None).unwrap_or_else(|_| panic!("{name} does not load"));
        let outcome = verify(&GameReasoner(&game), &trace, &LIMITS);
        assert_eq!(outcome.difference, None, "{name}");
        assert!(outcome.steps > 0, "{name}");
    }
}

#[test]
fn evaluation_state_by_state_agrees_too() {
    let Some(folder) = shared("epilog") else { return };
    for name in ["reversum", "hex7x7", "capturetheflag", "majorities"] {
        let source =
            Source::new(name, fs::read_to_string(folder.join(format!("games/{name}.epilog"))).unwrap());
        let trace = fs::File::open(folder.join(format!("traces-kif/{name}.json"))).unwrap();
        let trace = Trace::receive(trace, 1 << 28).unwrap();
        let limits = Limits { playouts: 1, steps: 5, states: 1, moves: 10, deadline: None };
        let game = play(source.clone(), &quiet(), Some(Way::Lifted)).unwrap();
        assert_eq!(verify(&GameReasoner(&game), &trace, &limits).difference, None, "{name}");
        let (rules, _) = read(&source, &quiet()).unwrap();
        let evaluator = Evaluator::new(&rules).unwrap();
        assert_eq!(verify(&evaluator, &trace, &limits).difference, None, "{name}");
    }
}

/// Moves that are rejected, or whose successor differs from the reference. Each has the diagnostic
/// code, its place in the rule, and the reason.
const OTHER_MOVES: &[(&str, &str, usize, &str)] = &[
    ("a(X) :: a(X)", "GDL147", 9, "an operation that calls itself"),
    ("a :: p(X) ==> q(Y)", "GDL148", 17, "an effect with an unbound variable"),
    ("a :: p(X)", "GDL148", 8, "an effect with an unbound variable"),
    ("a :: n(X) & evaluate(plus(X,times(2,X)),Y) ==> m(Y)", "GDL149", 13, "`evaluate` is not compiled"),
    ("a :: n(X) & plus(X,1,Y) ==> ~n(X) & n(Y)", "GDL150", 13, "numbers without bound"),
    ("a :: n(X) & plus(X,1,2,Y) ==> n(Y)", "GDL150", 13, "numbers without bound"),
    ("a :: n(X) ==> n(plus(X,1))", "GDL099", 17, "terms without bound"),
    ("a :: setofall(X,n(X),L) ==> m(L)", "GDL149", 6, "lists are not supported"),
];

/// A game with the given rules, an always legal move, and an initial state.
fn game_of(rules: &str, action: &str, state: &str) -> Source {
    let facts: String =
        state.split_whitespace().fold(String::new(), |all, fact| format!("{all} init({fact})"));
    let text = format!(
        "{rules}\n{facts} role(robot) init(control(robot)) init(never_read)\n legal({action}) :- control(robot)\n\
         terminal :- over\n goal(robot,100)\n unused_move :: nothing\n"
    );
    Source::new("rules.epilog", text)
}

/// The successor state after a move, as sorted texts.
fn after(rules: &str, action: &str, state: &str) -> Result<Vec<String>, String> {
    let source = game_of(rules, action, state);
    let (rules, _) = read(&source, &quiet()).map_err(|failure| failure.diagnostics.render(&source))?;
    let evaluator = Evaluator::new(&rules).map_err(|error| error.to_string())?;
    let start = evaluator.initial().map_err(|error| error.to_string())?;
    let legal = evaluator.legal(&start, 0).map_err(|error| error.to_string())?;
    let next = evaluator.next(&start, &legal).map_err(|error| error.to_string())?;
    let facts =
        next.iter().map(ToString::to_string).filter(|fact| fact != "(control robot)" && fact != "never_read");
    Ok(facts.collect())
}

/// An Epilog term in KIF. Arguments are nested at most one level deep.
fn kif(term: &str) -> String {
    match term.split_once('(') {
        Some((name, rest)) => format!("({name} {})", rest.trim_end_matches(')').replace(',', " ")),
        None => term.to_owned(),
    }
}

#[test]
fn moves_do_what_the_reference_does() {
    let Some(folder) = shared("epilog") else { return };
    let cases: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(folder.join("move-cases.json")).unwrap()).unwrap();
    let (mut wrong, mut told) = (Vec::new(), 0);
    for case in &cases {
        let text = |field: &str| case[field].as_str().unwrap();
        let rules = text("rules");
        if let Some((_, code, column, why)) = OTHER_MOVES.iter().find(|(other, ..)| *other == rules) {
            let source = game_of(rules, text("move"), text("state"));
            let found = compile(&source, &Options::default())
                .map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
            let is_told = found.iter().any(|fault| {
                let place = fault.span.map(|span| source.position(span.start));
                fault.code.id == *code
                    && place.is_some_and(|place| (place.line, place.column) == (1, *column))
            });
            if !is_told {
                wrong.push(format!("{rules}: {why} is not told: {}", found.render(&source)));
            }
            told += 1;
            continue;
        }
        let mut expected: Vec<String> =
            case["next"].as_array().unwrap().iter().map(|fact| kif(fact.as_str().unwrap())).collect();
        expected.sort();
        let mut found = after(rules, text("move"), text("state"));
        if let Ok(found) = &mut found {
            found.sort();
        }
        if found.as_ref() != Ok(&expected) {
            wrong.push(format!("{rules}: expected {expected:?}, found {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told >= OTHER_MOVES.len(), "each case of the list is there");
}

#[test]
fn what_the_reference_cannot_read_is_refused() {
    let Some(folder) = shared("epilog") else { return };
    let cases: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(folder.join("reader-cases.json")).unwrap()).unwrap();
    for case in cases.iter().filter(|case| case["error"] == true) {
        let text = case["text"].as_str().unwrap();
        // The reference reads this name as the comma.
        if text == "comma" {
            continue;
        }
        let options = Options { syntax: Some(Syntax::Epilog), ..Options::default() };
        let source = Source::new("case", text);
        let failure = read(&source, &options).expect_err(text);
        assert!(failure.tree.is_some_and(|tree| tree.broken), "{text}");
    }
}

/// A game whose functions and objects have names that are keywords of KIF and infix GDL.
const WORDS: &str = "
    role(next) role(legal)
    init(does(true)) init(sees(1)) init(control(next)) init(or(a, b)) init(noop)
    input(true, not) input(not, true)
    after(1, 2) after(2, 3) after(3, 4) after(4, 5)
    legal(go(X)) :- does(Y) & input(Y, X)
    legal(next(stay))
    go(X) :: does(Y) ==> ~does(Y) & does(X)
    go(X) :: control(next) ==> ~control(next) & control(legal)
    go(X) :: control(legal) ==> ~control(legal) & control(next)
    go(X) :: sees(N) & after(N, M) ==> ~sees(N) & sees(M)
    next(stay) :: or(a, b) ==> ~or(a, b) & or(b, a) & and(a)
    next(stay) :: or(b, a) ==> ~or(b, a) & or(a, b)
    terminal :- sees(5)
    goal(next, 100) :- sees(5)
    goal(legal, 30) :- does(true)
";

#[test]
fn names_that_are_words_elsewhere_are_replaced() {
    let source = Source::new("words.epilog", WORDS);
    let game = play(source.clone(), &quiet(), None).unwrap();
    let mut renamed = Vec::new();
    let mut before = source;
    // Converts from Epilog to KIF, to infix, and to KIF again.
    for to in [Syntax::Kif, Syntax::Infix, Syntax::Kif] {
        let conversion = convert(&before, &Options::default(), to)
            .unwrap_or_else(|faults| panic!("{}", faults.render(&before)));
        renamed.extend(conversion.renamed);
        before = Source::new(to.name(), conversion.text);
        let other = play(before.clone(), &quiet(), None).unwrap_or_else(|_| panic!("{}", before.text()));
        let bounds = Bounds { states: 2_000, ..Bounds::default() };
        let verdict = compare(&game, &other, |name| infix_name(name, &renamed), &bounds, &mut |_| ());
        assert!(matches!(verdict, EqualityVerdict::Proved { states: 3.. }), "{verdict:?}\n{}", before.text());
    }
    let expected = [("does", "does_"), ("next", "next_"), ("sees", "sees_"), ("or", "or_"), ("not", "not_")];
    for (word, name) in expected {
        assert!(renamed.contains(&(word.to_owned(), name.to_owned())), "{renamed:?}");
    }
}

/// Literals bind some outer variables of a count, and callers the others.
#[test]
fn counts_take_values_of_literals_and_of_callers() {
    let rules = "n(1) n(2) pt(1,a) pt(1,b) pt(2,c)
        many(X,Y,K) :- n(Y) & countofall(Z, n(X) & pt(Y,Z), K)
        go :: n(X) & many(X,Y,K) ==> found(X,Y,K)";
    let found = ["(found 1 1 2)", "(found 1 2 1)", "(found 2 1 2)", "(found 2 2 1)", "here"];
    assert_eq!(after(rules, "go", "here"), Ok(found.map(String::from).into()));
}

#[test]
fn a_game_in_epilog_has_all_that_others_have() {
    let game: Dynamic = load(TICTACTOE).unwrap();
    assert_eq!(game.engine(), "table");
    assert_eq!(gdl_runtime::perft(&game, 4), gdl_runtime::perft(&built_in("tictactoe"), 4));
}

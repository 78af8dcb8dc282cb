//! Certain edits never change a valid game, and turn a game with one mistake into the intended one.
//!
//! `rulesheets` has rulesheets with a real or apparent mistake, and the counts of an independent
//! semantics. The tests also take the rulesheets of this checkout and, if available, public ones,
//! with and without an added mistake.

use gdl_compiler::{
    Applicability, Diagnostics, Levels, Limits, Options, Severity, Source, compile, diagnostic::repair,
};
use gdl_runtime::{Dynamic, chance::Stream, perft::perft};
use gdl_tests::{corpus, mutant::forms};
use gdl_tools::{
    equal::{Bounds, EqualityVerdict, compare},
    fix::fix,
};
use std::{fmt::Write as _, fs, path::Path};

fn options(lints: bool) -> Options {
    let warn = if lints { vec!["lints".to_owned()] } else { Vec::new() };
    let limits = Limits { fuel: 2_000_000, ..Limits::network() };
    Options { levels: Levels { warn, ..Levels::default() }, limits, ..Options::default() }
}

fn examine(source: &Source, lints: bool) -> (Diagnostics, Option<Dynamic>) {
    match compile(source, &options(lints)) {
        Ok(game) => {
            let dynamic = Dynamic::decode(&game.table).expect("a table");
            (game.diagnostics, Some(dynamic))
        }
        Err(failure) => (failure.diagnostics, None),
    }
}

fn game(text: &str) -> Option<Dynamic> {
    examine(&Source::new("game.kif", text), false).1
}

/// The text after all machine-applicable edits.
fn certain(text: &str, lints: bool) -> String {
    let source = Source::new("fixed.kif", text);
    let mut examine = |source: &Source| examine(source, lints).0;
    fix(&source, Applicability::MachineApplicable, &mut examine, &mut |_, _| {}).0.text().to_owned()
}

fn sheet(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("repairs/rulesheets").join(name);
    fs::read_to_string(path).expect("a rulesheet")
}

/// Asserts the certain edits of a sheet, and the counts of move sequences of the result.
#[track_caller]
fn assert_fixed(name: &str, edited: &[(&str, &str)], counts: &[u128]) {
    let text = sheet(name);
    let mut expected = text.clone();
    for (from, to) in edited {
        assert!(expected.contains(from), "{name}: {from}");
        expected = expected.replace(from, to);
    }
    assert_eq!(certain(&text, false), expected, "{name}");
    let game = game(&expected).unwrap_or_else(|| panic!("{name} is not valid"));
    assert_eq!(perft(&game, counts.len()), counts, "{name}");
}

#[test]
fn missing_parentheses_are_added() {
    let counts = [4, 4, 12, 12, 0];
    assert_fixed(
        "parens_not.kif",
        &[("(not on ?p)", "(not (on ?p))"), ("(not out ?p)", "(not (out ?p))")],
        &counts,
    );
    assert_fixed("parens_does.kif", &[("(does ?p go up)", "(does ?p (go up))")], &counts);
    assert_fixed("parens_head.kif", &[("(<= goal ?p 0 (", "(<= (goal ?p 0) (")], &counts);
    assert_fixed("parens_body.kif", &[("(<= terminal out ?p)", "(<= terminal (out ?p))")], &counts);
    let text = sheet("parens_not.kif");
    let called = text.replace("(not on ?p)", "not(on ?p)").replace("(not out ?p)", "(not out(?p))");
    assert!(
        called != text && certain(&called, false) == certain(&text, false),
        "{}",
        certain(&called, false)
    );
    // Ambiguous text is not edited.
    let text = text.replace("(not on ?p)", "(not (on ?p))").replace("(not out ?p)", "(not (out ?p))");
    let twice =
        text.replace("(<= terminal (out ?p))", "(<= terminal pair out ?p)") + "(<= pair (pair 1 2))\n";
    assert!(twice.contains("pair out") && certain(&twice, false) == twice, "{}", certain(&twice, false));
}

#[test]
fn arrows_and_fences_are_fixed() {
    assert_fixed("wrong_arrow.kif", &[("(<- ", "(<= ")], &[1, 0]);
    let text = sheet("markdown_fence.kif");
    let inside = text.split("```kif\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a fence");
    assert_eq!(certain(&text, false), inside);
    let diagnostics = examine(&Source::new("fence.kif", text), false).0;
    let found: Vec<(&str, Severity)> = diagnostics.iter().map(|d| (d.code.id, d.severity)).collect();
    assert_eq!(found, [("GDL153", Severity::Warning)]);
}

/// A game in infix GDL.
const INFIX: &str = "role(r)
cell(a)
cell(b)
init(at(a))
legal(r, go(X)) :- cell(X) & true(at(Y)) & distinct(X, Y)
next(at(X)) :- does(r, go(X))
terminal :- true(at(b))
goal(r, 100) :- true(at(b))
goal(r, 0) :- ~true(at(b))
";

#[test]
fn signs_of_other_languages_are_fixed_in_infix() {
    assert!(game(INFIX).is_some());
    for (sign, slips) in [
        ("distinct(X, Y)", &["X \\= Y", "X \\== Y", "X <> Y", "X != Y", "X # Y"][..]),
        ("terminal :-", &["terminal <-", "terminal <--", "terminal <==", "terminal if", "terminal ="]),
        ("cell(a)\n", &["cell(a).\n"]),
        ("~true", &["not true", "\\+true"]),
    ] {
        for slip in slips {
            let text = INFIX.replacen(sign, slip, 1);
            assert!(text != INFIX && certain(&text, true) == INFIX, "{slip}: {}", certain(&text, true));
        }
    }
    for comment in ["#", "//"] {
        let text =
            |sign: &str| INFIX.replacen("cell(a)\n", &format!("{sign} two\ncell(a) {sign} cells\n"), 1);
        assert_eq!(certain(&text(comment), false).replace("%/", "%"), text("%"));
    }
    let source = Source::new("tuple.hrf", INFIX.replace("at(a)", "at((a, b))"));
    let (found, _) = examine(&source, false);
    assert!(found.iter().any(|d| d.help.as_deref().is_some_and(|help| help.contains("no tuples"))));
}

#[test]
fn many_certain_edits_take_one_round() {
    let facts: Vec<String> = (0..4_000).map(|n| format!("(number ({n}))")).collect();
    let source = Source::new("many.kif", facts.join("\n") + "\n(p (q))\n");
    let mut rounds = 0;
    let mut examine = |source: &Source| {
        rounds += 1;
        examine(source, true).0
    };
    let (fixed, _) = fix(&source, Applicability::MachineApplicable, &mut examine, &mut |_, _| {});
    assert!(!fixed.text().contains("(("), "{}", &fixed.text()[..60]);
    assert!(rounds <= 3, "{rounds}");
}

/// The code of each diagnostic with an edit, and the text after all edits that could be applied in
/// one round.
fn guessed(name: &str) -> (Vec<&'static str>, String) {
    let source = Source::new(name, sheet(name));
    let (found, _) = examine(&source, false);
    let suggesting = found.iter().filter(|found| !found.edits.is_empty());
    let codes = suggesting.map(|found| found.code.id).collect();
    let (text, _) = repair(&source, found.iter());
    (codes, text)
}

#[test]
fn what_is_not_certain_is_left() {
    for name in [
        "fix_distinct_role.kif",
        "fix_numbered_head.kif",
        "fix_dont_care.kif",
        "fix_opening_phase.kif",
        "fix_gdl025_infix.hrf",
        "sees_next.kif",
        "infix_anonymous.kif",
        "lost_wall.kif",
    ] {
        assert_eq!(certain(&sheet(name), false), sheet(name), "{name}");
    }
    // Neither valid text nor a mistake without a fix gets an edit.
    for name in ["fix_opening_phase.kif", "fix_gdl025_infix.hrf", "sees_next.kif"] {
        assert_eq!(guessed(name).0, Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn a_name_that_messages_cut_is_not_declared() {
    for (name, is_declared) in [("on".to_owned(), true), ("l".repeat(80), true), ("l".repeat(81), false)] {
        let text = format!(
            "(role r) (legal r push) (input r push) (base (lamp off)) (init (lamp off))
            (<= (next (lamp {name})) (does r push)) (<= terminal (true (lamp {name}))) (goal r 100)"
        );
        let declared = text.replace("(base (lamp off))", &format!("(base (lamp off))\n(base (lamp {name}))"));
        assert_eq!(certain(&text, true), if is_declared { declared } else { text });
    }
}

#[test]
fn guesses_are_what_the_rulesheet_shows() {
    let guess = |name: &str, counts: &[u128]| {
        let (_, text) = guessed(name);
        let game = game(&text).unwrap_or_else(|| panic!("{name}: {text}"));
        assert_eq!(perft(&game, counts.len()), counts, "{text}");
        text
    };
    let text = guess("fix_distinct_role.kif", &[2, 2]);
    assert_eq!(text.matches("(distinct ?p1 ?p2) (role ?p1))").count(), 2, "{text}");
    let text = guess("fix_numbered_head.kif", &[2, 4, 8, 0]);
    assert!(text.contains("(not (distinct ?m1 ?m2)) (mark ?m3))"), "{text}");
    let text = guess("fix_dont_care.kif", &[3, 6, 6, 0]);
    assert!(text.contains("(<= (some_has ?s) (true (has ?_p ?s)))"), "{text}");
    let (_, text) = guessed("infix_anonymous.kif");
    assert!(text.contains("\nsome_marked(S) :- true(marked(S, _))"), "{text}");
    let game = game(&text).expect("a game");
    assert_eq!(perft(&game, 4), [6, 24, 48, 0], "{text}");
}

#[test]
fn lints_do_not_change_a_game() {
    for name in ["fix_or_or.kif", "fix_gdl103_capture.kif"] {
        let text = sheet(name);
        let fixed = certain(&text, true);
        assert_ne!(fixed, text, "{name}");
        assert_same(&text, &fixed, name);
    }
}

/// Asserts that two texts are valid and describe the same game.
#[track_caller]
fn assert_same(text: &str, other: &str, name: &str) {
    let (Some(first), Some(second)) = (game(text), game(other)) else {
        panic!("{name}: not valid any more\n{other}")
    };
    if let Some(what) = difference(&first, &second) {
        panic!("{name}: {what}\n{other}");
    }
}

fn difference(first: &Dynamic, second: &Dynamic) -> Option<String> {
    let bounds = Bounds { states: 300, moves: 20_000, playouts: 3, length: 60, seed: 1 };
    match compare(first, second, str::to_owned, &bounds, &mut |_| {}) {
        EqualityVerdict::Different { what, play } => Some(format!("{what} after {play:?}")),
        EqualityVerdict::Proved { .. } | EqualityVerdict::Agreed { .. } => None,
    }
}

/// Small rulesheets: built-in ones, and public ones if available.
fn rulesheets() -> Vec<(String, String)> {
    let longest = 2_500 * if cfg!(debug_assertions) { 1 } else { 4 };
    let own = gdl_games::LIST.iter().map(|entry| (entry.name.to_owned(), entry.text.to_owned()));
    let mut all: Vec<(String, String)> = own
        .chain(corpus::rulesheets().into_iter().flatten())
        .filter(|(_, text)| text.len() < longest)
        .collect();
    all.sort();
    assert!(all.len() > 3);
    all
}

#[test]
fn valid_games_stay_what_they_are() {
    let mut changed = 0;
    for (name, text) in rulesheets() {
        if game(&text).is_none() {
            continue;
        }
        for text in [text.clone(), marred(&text)] {
            let fixed = certain(&text, true);
            if fixed != text {
                changed += 1;
                assert_same(&text, &fixed, &name);
            }
        }
    }
    assert!(changed > 3, "{changed}");
}

/// The same game with text that lints report: repeated facts, rules without a body, and `or` with
/// one branch.
fn marred(text: &str) -> String {
    let mut marred = text.to_owned();
    for form in forms(text) {
        if let Some(rest) = form.strip_prefix("(<= ") {
            let body = rest.rfind(" (true ").filter(|_| !rest.contains("(or ") && !rest.contains("(not "));
            if let Some(body) = body {
                let inner = &rest[body + 1..rest.len() - 1];
                if forms(inner).len() > 1 {
                    continue;
                }
                let _ = write!(marred, "\n(<= {} (or (or {inner})))", &rest[..body]);
            }
        } else if !form.starts_with("(role ") {
            let _ = write!(marred, "\n(<= {form})\n{form}");
        }
    }
    marred
}

/// Makes one mistake in a text: drops, doubles or replaces a token or a pair of parentheses.
fn slip(text: &str, random: &mut Stream) -> String {
    let tokens: Vec<(usize, &str)> = tokens(text);
    let words: Vec<(usize, &str)> =
        tokens.iter().copied().filter(|(_, token)| !matches!(*token, "(" | ")")).collect();
    let pick = |list: &[(usize, &str)], random: &mut Stream| list[random.below(list.len() as u64) as usize].0;
    let replace = |at: usize, new: &str| {
        let token = tokens.iter().find(|(start, _)| *start == at).map_or("", |(_, token)| *token);
        format!("{}{new}{}", &text[..at], &text[at + token.len()..])
    };
    match random.below(8) {
        0 => replace(pick(&tokens, random), ""),
        1 => replace(pick(&words, random), ""),
        2 => {
            let at = pick(&words, random);
            let word = words.iter().find(|(start, _)| *start == at).map_or("", |(_, word)| *word);
            replace(at, &format!("{word} {word}"))
        }
        3 => {
            let (at, other) = (pick(&words, random), pick(&words, random));
            let word = words.iter().find(|(start, _)| *start == other).map_or("", |(_, word)| *word);
            replace(at, word)
        }
        4 => {
            let arrows: Vec<(usize, &str)> =
                words.iter().copied().filter(|(_, word)| *word == "<=").collect();
            let signs = ["<-", "=>", "<==", "=", "if", "->"];
            replace(pick(&arrows, random), signs[random.below(signs.len() as u64) as usize])
        }
        5 => {
            // Picks a pair of parentheses.
            let open: Vec<(usize, &str)> =
                tokens.iter().copied().filter(|(_, token)| *token == "(").collect();
            let at = pick(&open, random);
            let mut depth = 0;
            let close = tokens.iter().filter(|(start, _)| *start >= at).find(|(_, token)| {
                depth += i32::from(*token == "(") - i32::from(*token == ")");
                depth == 0
            });
            let Some(&(close, _)) = close else { return text.to_owned() };
            format!("{} {} {}", &text[..at], &text[at + 1..close], &text[close + 1..])
        }
        6 => {
            let at = pick(&words, random);
            let letter = words.iter().find(|(start, _)| *start == at).map_or("x", |(_, word)| &word[..1]);
            format!("{}{letter}{}", &text[..at], &text[at..])
        }
        _ => {
            let at = pick(&tokens, random);
            format!("{}){}", &text[..at], &text[at..])
        }
    }
}

/// The parentheses and words of a text with their offsets, without comments.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(c) = text[place..].chars().next() {
        let rest = &text[place..];
        let length = match c {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => 1,
            c if c.is_whitespace() => c.len_utf8(),
            _ => rest.find(|c: char| c.is_whitespace() || "();".contains(c)).unwrap_or(rest.len()),
        };
        if c != ';' && !c.is_whitespace() {
            found.push((place, &rest[..length]));
        }
        place += length;
    }
    found
}

#[test]
fn one_slip_is_fixed_to_the_game_that_was_meant_or_left() {
    let (mut valid, mut faulty, mut restored) = (0, 0, 0);
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let cases = number("GDL_CASES").unwrap_or(12 * corpus::SCALE.min(5));
    let seed = number("GDL_SEED").unwrap_or(0);
    for (number, (name, text)) in rulesheets().into_iter().enumerate() {
        let Some(meant) = game(&text) else { continue };
        let mut random = Stream::new(seed, number as u64);
        for _ in 0..cases {
            let slipped = slip(&text, &mut random);
            let before = game(&slipped);
            let fixed = certain(&slipped, true);
            let after = if fixed == slipped { None } else { game(&fixed) };
            match (before, after) {
                (Some(_), None) => {
                    valid += 1;
                    assert!(fixed == slipped, "{name}: valid before\n{slipped}\nnot after\n{fixed}");
                }
                (Some(before), Some(after)) => {
                    valid += 1;
                    let found = difference(&before, &after);
                    assert_eq!(found, None, "{name}: a valid game is changed\n{slipped}\nto\n{fixed}");
                }
                (None, None) => faulty += 1,
                (None, Some(after)) => {
                    faulty += 1;
                    restored += 1;
                    let found = difference(&meant, &after);
                    assert_eq!(found, None, "{name}: fixed to another game\n{slipped}\nto\n{fixed}");
                }
            }
        }
    }
    println!("{valid} valid after a slip, {faulty} faulty, {restored} of these fixed");
    assert!(valid > 0 && restored > 0);
}

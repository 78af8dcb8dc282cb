//! Mistakes in infix GDL and in Epilog. Each is added to the game of the diagnostics pages, and
//! gives only these codes, at these places counted from the addition.

use gdl_compiler::diagnostic::frame;
use gdl_compiler::{Levels, Options, Severity, Source, Syntax, compile};

/// The rules added to the game in infix GDL.
pub(crate) const INFIX: &[(&str, &str)] = &[
    ("GDL001 1:18", "next(pile(3)) :- (true(pile(0))\n"),
    ("GDL001 1:5", "next(pile(3)\nnext(pile(3)) :- true(pile(0))"),
    ("GDL002 1:15", "minus(5, 1, 4))"),
    ("GDL003 1:7", "minus()"),
    ("GDL004 1:12", "minus(5, 1)(4)"),
    ("GDL005 1:9", "minus(5,é, 4)"),
    ("GDL009 1:7", "next(X(3)) :- true(pile(X))"),
    ("GDL011 1:7", "minus(\"5\", 1, 4)"),
    ("GDL017 1:1", "(minus 5 1 4)"),
    ("GDL018 1:18", "next(pile(3)) :- and(true(pile(0)), true(pile(1)))"),
    ("GDL021 1:1", "minus(5, 1)"),
    ("GDL035 1:1", "legal(take(1)) :- true(pile(3))"),
    ("GDL039 1:1", "role(R) :- true(control(R))"),
    ("GDL043 1:1", "true(pile(3)) :- true(pile(0))"),
    ("GDL045 1:1", "true(pile(3))"),
    ("GDL050 1:18", "next(pile(3)) :- init(pile(3))"),
    ("GDL051 1:18", "next(pile(3)) :- next(pile(2))"),
    ("GDL072 1:1", "~next(pile(3)) :- true(pile(0))"),
    ("GDL074 1:1", "X :- true(pile(X))"),
    ("GDL079 1:13", "goal(white, 200) :- true(pile(0))"),
    ("GDL085 1:11", "next(pile(P)) :- true(pile(0))"),
    ("GDL086 1:41", "next(pile(3)) :- true(pile(0)) & ~minus(P, 1, 0)"),
    ("GDL087 1:43", "next(pile(3)) :- true(pile(0)) & distinct(P, 1)"),
    ("GDL090 1:7", "minus(X, 1, 2)"),
    (
        "GDL092 1:1",
        "odd(P) :- true(pile(P)) & ~even(P)\neven(P) :- true(pile(P)) & ~odd(P)\nnext(pile(3)) :- odd(0)",
    ),
    ("GDL100 1:18", "next(pile(3)) :- plus(1, 2, 3)"),
    ("GDL102 1:1", "plus(1, 2, 3)"),
    ("GDL103 1:40", "next(pile(3)) :- true(pile(0)) & minus(Q, 1, 0)"),
    ("GDL141 1:18", "next(pile(3)) :- ?x"),
    ("GDL141 1:15", "next(pile(3)) <= true(pile(0))"),
    ("GDL141 1:18", "next(pile(3)) :- \\+ true(pile(0))"),
    ("GDL141 1:18", "next(pile(3)) :- not true(pile(0))"),
    ("GDL141 1:18", "next(pile(3)) :- & true(pile(0))"),
    ("GDL141 2:16", "next(pile(3)) :- true(pile(0)) &\nminus(5, 1, 4) :-"),
    ("GDL141 1:20", "next(pile(X)) :- X = 3"),
    ("GDL141 1:7", "minus(1..4, 1, 0)"),
    ("GDL141 1:9", "minus(5 1 4)"),
    ("GDL141 2:1", "next(pile(3)) :- true\n(pile(0))"),
    ("GDL141 1:15", "next(pile(3)) & true(pile(0))"),
    ("GDL142 1:31", "next(pile(3)) :- true(pile(0)), true(control(white))"),
    ("GDL143 1:15", "minus(5, 1, 4)."),
];

/// The rules added to the game in Epilog.
pub(crate) const EPILOG: &[(&str, &str)] = &[
    ("GDL017 1:1", "(minus 5 1 4)"),
    ("GDL017 1:1", "(<= rich (true (pile 3)))"),
    ("GDL017 1:1", "(pile ?x)"),
    ("GDL001 1:5", "rich(pile"),
    ("GDL002 1:6", "rich )"),
    ("GDL009 1:4", "p(X(3)) :- pile(X)"),
    ("GDL011 1:3", "p(\"3\")"),
    ("GDL013 1:1", "; no comment"),
    ("GDL039 1:1", "role(R) :- control(R)"),
    ("GDL079 1:13", "goal(white, 200) :- pile(0)"),
    ("GDL141 1:3", "p(-a)"),
    ("GDL141 1:20", "take(N) :: pile(3) | pile(2)"),
    ("GDL141 1:9", "take(N) ::"),
    ("GDL141 1:9", "pile(3) ==> pile(2)"),
    ("GDL141 1:3", "p([3])"),
    ("GDL141 1:3", "p # q"),
    ("GDL141 1:3", "p(~q)"),
    ("GDL141 1:8", "p :- q ==> r"),
    ("GDL142 1:19", "take(N) :: pile(3), pile(2)"),
    ("GDL143 1:5", "rich."),
    ("GDL144 1:1", "pile(3) & pile(2)"),
    ("GDL144 1:6", "p :- X"),
    ("GDL144 1:1", "~p :- pile(3)"),
    ("GDL145 1:7", "legal(give(N)) :- pile(N)"),
    ("GDL146 1:12", "take(N) :: left(9, N, 9)"),
    ("GDL146 1:13", "take(N) :: ~left(9, N, 9)"),
    ("GDL147 1:12", "take(N) :: take(N)"),
    ("GDL147 1:12", "take(N) :: more(N)\nmore(N) :: take(N)"),
    ("GDL148 1:32", "take(N) :: control(R) ==> pile(P)"),
    ("GDL149 1:15", "goal(R, N) :- setofall(P, pile(P), N)"),
    ("GDL149 1:6", "p(X) := q(X)"),
    ("GDL150 1:11", "init(pile(P))"),
    ("GDL150 1:12", "legal(take(N)) :- pile(0)"),
    ("GDL150 2:19", "init(n(0))\ntake(X) :: n(N) & plus(N, 1, M) ==> ~n(N) & n(M)"),
    ("GDL100 1:19", "legal(take(9)) :- left(3, 9)"),
    ("GDL100 1:29", "legal(take(9)) :- pile(3) & take(9)"),
    ("GDL100 1:19", "legal(take(9)) :- take(9, 1)"),
    ("GDL101 1:30", "legal(take(9)) :- pile(3) & ~left(9, 3)"),
    ("GDL102 1:1", "half(2, 1)"),
    ("GDL102 1:1", "half(N, M) :- left(N, M, _) & half(M, N)"),
    ("GDL102 1:1", "skip :: ~pile(3) & pile(2)"),
    ("GDL102 1:1", "next(pile(2)) :- pile(3)"),
    ("GDL103 1:24", "legal(take(1)) :- left(P, 1, 0)"),
    ("GDL103 1:17", "take(N) :: left(P, N, 0) ==> pile(0)"),
    ("GDL104 1:1", "left(1, 1, 0)"),
    ("GDL104 1:1", "init(pile(3))"),
    ("GDL105 1:1", "legal(take(K)) :- pile(X) & left(X, K, Y)"),
    ("GDL105 1:1", "take(X) :: control(white) ==> ~control(white) & control(black)"),
    ("GDL107 1:32", "legal(take(1)) :- control(R) & distinct(R, R)"),
    ("GDL109 1:29", "legal(take(1)) :- pile(2) & ~pile(2)"),
    ("GDL109 1:22", "take(N) :: pile(N) & ~pile(N) ==> pile(0)"),
    ("GDL110 1:19", "legal(take(1)) :- bonus(1)"),
    ("GDL110 1:20", "legal(take(1)) :- ~bonus(1)"),
    ("GDL110 1:19", "legal(take(1)) :- pile"),
    ("GDL110 1:13", "take(N) :: ~bonus(N)"),
    ("GDL110 1:29", "goal(R, N) :- countofall(P, bonus(P), N) & role(R)"),
    ("GDL110 1:19", "legal(take(1)) :- true(pile(3))"),
    ("GDL111 1:6", "init(trail(3))"),
    ("GDL111 1:12", "take(N) :: trail(N)"),
    ("GDL152 1:28", "legal(take(1)) :- ~left(3, N, 0) & pile(N)"),
    ("GDL152 1:32", "take(9) :: ~(pile(0) | left(1, N, 0)) & pile(N) ==> pile(0)"),
];

/// Whole rulesheets with the codes and places of their faults.
pub(crate) const WHOLE: &[(&str, &str)] = &[
    (
        "GDL017 4:1",
        "role(robot)\ninit(off)\ninit(control(robot))\nlegal(robot, press) :- off\npress :: ~off & on\nterminal :- on\ngoal(robot, 100) :- on",
    ),
    (
        "GDL151 3:1",
        "role(robot)\ninit(off)\nlegal(press) :- off\npress :: ~off & on\nterminal :- on\ngoal(robot, 100) :- on",
    ),
    (
        "GDL017 3:1",
        "role(robot)\ninit(control(robot))\n(role white) (role black)\npress :: on\n(init (cell 1 1 b))\nlegal(press)\nterminal :- on",
    ),
    ("GDL017 1:1", "(role robot)\n(init (control robot))\n(<= terminal (true on))"),
    ("GDL029 1:1", "role(robot)\ninit(control(robot))\npress :: on\nterminal :- on\ngoal(robot, 100) :- on"),
];

/// Snippets with the code and the place of the mistake, see [`INFIX`].
type Snippets = &'static [(&'static str, &'static str)];

/// The lists of snippets, each with its syntax and the rules before them.
fn lists() -> [(Syntax, &'static str, Snippets); 3] {
    let (infix, epilog) = (frame(Syntax::Infix), frame(Syntax::Epilog));
    [(Syntax::Infix, infix, INFIX), (Syntax::Epilog, epilog, EPILOG), (Syntax::Epilog, "", WHOLE)]
}

/// Returns each snippet with its syntax and the rules before it.
pub(crate) fn snippets() -> impl Iterator<Item = (Syntax, &'static str, &'static str)> {
    lists()
        .into_iter()
        .flat_map(|(syntax, before, cases)| cases.iter().map(move |&(_, added)| (syntax, before, added)))
}

/// Runs the whole pipeline on a text with an addition. Returns the codes with their places, lints
/// included, and the rendered diagnostics.
fn faults(syntax: Syntax, before: &str, added: &str) -> (String, String) {
    let source = Source::new(syntax.name(), format!("{before}{added}\n"));
    let levels = Levels { warn: vec!["lints".to_owned()], ..Levels::default() };
    let options = Options { levels, syntax: Some(syntax), ..Options::default() };
    let found =
        compile(&source, &options).map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
    let shift = before.lines().count();
    let places: Vec<String> = found
        .iter()
        .map(|fault| {
            let place = source.position(fault.span.unwrap_or_default().start);
            format!("{} {}:{}", fault.code.id, place.line.saturating_sub(shift), place.column)
        })
        .collect();
    for fault in found.iter().filter(|fault| fault.severity == Severity::Error) {
        let said = [Some(&fault.message), fault.help.as_ref()];
        for text in said.into_iter().flatten() {
            assert!(!text.contains("(<=") && !text.contains(" ?"), "{added}: {text}");
        }
    }
    (places.join(", "), found.render(&source))
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let mut wrong = String::new();
    for (syntax, before, cases) in lists() {
        for (expected, added) in cases {
            let (found, shown) = faults(syntax, before, added);
            let is_there = found.split(", ").any(|fault| fault == *expected);
            if !is_there {
                wrong.extend([added, "\n  expected ", expected, ", found ", &found, "\n", &shown, "\n"]);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_text_of_another_syntax_than_was_said_is_told() {
    let kif = "(role robot)\n(init (on 1))\n(<= (legal robot press) (true (on ?x)))\n";
    for (said, text, expected) in [
        (Syntax::Infix, kif, "GDL017"),
        (Syntax::Epilog, kif, "GDL017"),
        (Syntax::Kif, frame(Syntax::Infix), "GDL017"),
        (Syntax::Kif, frame(Syntax::Epilog), "GDL017"),
        (Syntax::Epilog, frame(Syntax::Infix), "GDL017"),
        (Syntax::Infix, frame(Syntax::Epilog), "GDL017"),
    ] {
        let source = Source::new("text", text);
        let options = Options { syntax: Some(said), ..Options::default() };
        let failure = compile(&source, &options).expect_err("it is in another syntax");
        let errors: Vec<_> =
            failure.diagnostics.iter().filter(|fault| fault.severity == Severity::Error).collect();
        assert_eq!(errors[0].code.id, expected, "{}", failure.diagnostics.render(&source));
        assert_eq!(errors.len(), 1, "{}", failure.diagnostics.render(&source));
        // The syntax was given, so no label points to the text that determined it.
        assert!(errors[0].labels.is_empty(), "{}", failure.diagnostics.render(&source));
    }
}

#[test]
fn games_without_mistakes_are_left_alone() {
    for syntax in [Syntax::Infix, Syntax::Epilog] {
        let (found, shown) = faults(syntax, frame(syntax), "");
        assert!(found.is_empty(), "{shown}");
    }
}

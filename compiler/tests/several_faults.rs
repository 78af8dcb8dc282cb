//! Rulesheets with several faults: each is reported once, at its place, without faults that only
//! follow from it.

use gdl_compiler::diagnostic::FRAME;
use gdl_compiler::{Levels, Options, Source, compile};

/// The marker for rules that are added to the game of the diagnostics pages, which has no fault.
const ADDED: &str = FRAME;

/// The marker for a whole rulesheet.
const WHOLE: &str = "";

/// The rules that come first, the rules with the faults, and the reported codes, lints included.
/// Each code has its line, counted from the faulty rules, and column. Faults of the whole rulesheet
/// have no place.
const SHEETS: &[(&str, &str, &str)] = &[
    // Parentheses: the following forms are read as if they matched.
    (
        ADDED,
        r"
(<= (legal ?r skip)
    (true (control ?r))
(<= (legal ?r (take ?m)) (true (control ?r)))
(minus ?x 1 2)
",
        "GDL001 1:1, GDL085 3:21, GDL090 4:8",
    ),
    (
        WHOLE,
        r"
(role white)
(init (p 1)
(legal white noop)
(<= (next (p 1)) (true (p 1)))
(<= terminal (true (p 2)))
(goal white 150)
(foo ?x)
",
        "GDL001 2:1, GDL079 6:13, GDL090 7:6",
    ),
    (
        WHOLE,
        r"
(role white)
(init (p 1)))
(legal white noop)
(<= (next (p 1)) (true (p 1))))
(<= terminal (true (p 2)))
(goal white 150)
",
        "GDL002 2:13, GDL002 4:31, GDL079 6:13",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r)
(<= (legal ?r skap) (role ?r)))
(minus ?x 2 2)
",
        "GDL015 2:2, GDL090 3:8",
    ),
    (
        WHOLE,
        r"
(role white)
(init (p 1))
(<= (legal white noop) (true (p 1))
(<= (next (p 2)) (true (p 1)))
(<= terminal (true (p 2)))
(goal white 100)
",
        "GDL001 3:1",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r
(<= (legal ?r skap) (role ?r
(<= (legal ?r skop) (role ?r
(minus 1 2)
",
        "GDL001 1:1, GDL001 2:1, GDL021 4:2",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r)
",
        "GDL001 1:1",
    ),
    (
        ADDED,
        r"
; (
(minus ?x 1 2) ; )))
(minus 4 2 2) )
",
        "GDL090 2:8, GDL002 3:15",
    ),
    (
        ADDED,
        r"
(minus 5 2 3
(minus 5 3 2))
(minus 5 4 1)
(minus ?x 4 1)
",
        "GDL021 1:2, GDL023 2:2, GDL090 4:8",
    ),
    (
        WHOLE,
        r"
(role white
(role black)
(init (p 1))
(legal white noop)
(legal black noop)
(<= (next (p 1)) (true (p 1)))
(<= terminal (true (p 2)))
(goal white 100)
(goal black 100)
",
        "GDL001 1:1",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip)) (role ?r)))
(<= (legal ?r skap) (undefd ?r))
",
        "GDL089 1:12, GDL040 1:28, GDL002 1:31",
    ),
    // Words and characters.
    (
        ADDED,
        r#"
(<= (legal ?r "hand over") (true (control ?r)))
(<= (legal ?r (take ?m)) (true (control ?r)))
"#,
        "GDL011 1:15, GDL085 2:21",
    ),
    (
        ADDED,
        r#"
(<= (legal ?r "hand) (true (control ?r)))
(minus ?x 1 2)
"#,
        "GDL011 1:15, GDL090 2:8",
    ),
    (
        ADDED,
        r"
#| this is (a comment |#
(minus ?x 1 2)
",
        "GDL013 1:1, GDL090 2:8",
    ),
    (
        WHOLE,
        r"
role(white)
role(black)
init(cell(1,1,b))
legal(W,mark(X,Y)) :- true(cell(X,Y,b))
",
        "GDL085 4:7, GDL030, GDL031, GDL032",
    ),
    (
        ADDED,
        r"
(minus 5 1 4)
legal(W,mark(X,Y)) :- true(cell(X,Y,b))
",
        "GDL017 2:1",
    ),
    (
        ADDED,
        r"
((minus 1 2 3))
()
(<= ((legal ?r skip)) (role ?r))
(<= (legal ?r skip) (()))
",
        "GDL004 1:2, GDL003 2:1, GDL004 3:6, GDL004 4:22",
    ),
    (
        ADDED,
        r"
(<= ?x)
(<= (legal ?r foo))
(<=)
?y
",
        "GDL074 1:5, GDL089 2:12, GDL014 3:1, GDL010 4:1",
    ),
    (
        ADDED,
        r"
(?p 1 2)
(<= (legal ?r skip) (?q ?r) (not (?p ?r)))
",
        "GDL008 1:2, GDL008 2:22, GDL008 2:35",
    ),
    (
        WHOLE,
        r"
legal(r, noop).
",
        "GDL143 1:15, GDL027, GDL028, GDL030, GDL031, GDL032",
    ),
    (
        ADDED,
        r"
(<= (legal ?r ‘skip’) (role ?r))
(<= (legal ?r skip–it) (role ?r))
",
        "GDL005 1:15, GDL005 2:19",
    ),
    (
        ADDED,
        r"
(minus 3 1	2) (minus ?x 1 2)
",
        "GDL104 1:2, GDL090 1:22",
    ),
    // Keywords: a form with a wrong shape is not also reported as missing.
    (
        WHOLE,
        r"
(role white)
(init (p 1))
(legal noop)
(<= (next (p 1)) (true (p 1)))
(<= (terminal now) (true (p 2)))
(goal white)
",
        "GDL035 3:2, GDL037 5:6, GDL038 6:2",
    ),
    (
        ADDED,
        r"
(<= (true (pile ?z)) (does ?r noop) (foo ?z ?y))
",
        "GDL043 1:6",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (true control ?r) (does noop))
(<= (next pile 3) (true (pile 3)))
",
        "GDL036 1:22, GDL035 1:40, GDL036 2:6",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (true (true (pile 3))) (not true (pile 2)))
",
        "GDL059 1:38, GDL067 1:55",
    ),
    (
        ADDED,
        r"
(<= (legal ?r true) (role ?r) (true next) (true init))
(<= (legal ?r (not 1)) (role ?r))
",
        "GDL061 1:15, GDL061 1:37, GDL061 1:49, GDL062 2:16",
    ),
    (
        ADDED,
        r"
(or (a) (b))
(not (minus 1 1 1))
(distinct a b)
(and (a) (b))
(= a b)
(=> (a) (b))
(true (pile 1))
(does white noop)
",
        "GDL071 1:2, GDL073 2:2, GDL065 3:2, GDL018 4:2, GDL019 5:2, GDL020 6:2, GDL045 7:2, GDL046 8:2",
    ),
    (
        ADDED,
        r"
(<= (or (a) (b)) (role ?r))
(<= (not (a ?r)) (role ?r))
(<= (distinct ?r ?r) (role ?r))
(<= (does ?r noop) (role ?r))
(<= (true (pile 3)) (role ?r))
(<= (role ?r) (minus ?r ?r ?r))
",
        "GDL071 1:6, GDL072 2:6, GDL065 3:6, GDL044 4:6, GDL043 5:6, GDL039 6:6",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (init (control ?r)) (next (pile 2)) (base (pile 2)) (input ?r noop))
",
        "GDL050 1:22, GDL051 1:42, GDL052 1:58, GDL053 1:74",
    ),
    (
        ADDED,
        r"
(<= (next (pile 1)) (does noop) (true (pile 2)) (undefd 3))
",
        "GDL035 1:22",
    ),
    (
        ADDED,
        r"
(ROLE ?X)
(<= (LEGAL ?r) (ROLE ?r))
",
        "GDL040 1:7, GDL035 2:6",
    ),
    (
        ADDED,
        r"
(base (pile 1))
(<= (base (pile ?n)) (true (pile ?n)))
(<= (input ?r ?m) (does ?r ?m))
",
        "GDL054 2:23, GDL055 3:20",
    ),
    (
        WHOLE,
        r"
(role white)
(init (p 1))
(legal white noop)
(<= (next (p 1)) (true (p 1)))
(<= terminal (true (p 2)))
(<= (goal white win) (true (p 2)))
(<= (goal white) (true (p 3)))
",
        "GDL078 6:17, GDL038 7:6",
    ),
    (
        ADDED,
        r"
(<= (sees ?r) (role ?r))
(<= (legal ?r skip) (sees ?r hello))
",
        "GDL035 1:6, GDL051 2:22",
    ),
    // Connectives.
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (or (and (true (pile 1)) (true (pile 2))) (= ?r white)))
(<= (legal ?r skip2) (role ?r) (not (and (true (pile 1)))))
",
        "GDL018 1:36, GDL019 1:74, GDL018 2:38",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (distinct ?r) (distinct ?r ?r) (distinct ?a ?b ?c) (distinct a b))
",
        "GDL063 1:32, GDL064 1:63",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (or (role ?r) (true (pile ?p))) (not (minus ?p ?p ?p)))
",
        "GDL088 1:12, GDL088 1:65",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (not (or (true (pile ?p)) (minus ?p ?q ?r))))
",
        "GDL130 1:37, GDL086 1:52, GDL086 1:67",
    ),
    (
        ADDED,
        r"
(<= (next (pile ?n)) (or (does ?r (take ?n)) (does ?r noop)))
",
        "GDL088 1:17",
    ),
    // Missing rules: a misspelled name is one fault.
    (
        WHOLE,
        r"
(role xplayer) (role oplayer)
(init (p 1))
(legal xplyer noop) (legal oplayer noop)
(<= (next (p 1)) (does xplyer noop))
(<= terminal (true (p 1)))
(goal xplyer 100) (goal oplayer 0)
",
        "GDL033 1:7, GDL075 3:8, GDL076 4:24",
    ),
    (
        WHOLE,
        r"
(a b)
(c d)
",
        "GDL027, GDL028, GDL029, GDL030, GDL031, GDL032",
    ),
    (
        WHOLE,
        r"
(role ?x)
(init (p 1))
(legal ?r noop)
(<= (next (p 1)) (true (p 1)))
(<= terminal (true (p 2)))
(goal ?r 101)
",
        "GDL040 1:7, GDL090 3:8, GDL090 6:7, GDL079 6:10",
    ),
    (
        WHOLE,
        r"
(role robot)
",
        "GDL028, GDL029, GDL030, GDL031, GDL032",
    ),
    (
        WHOLE,
        r"
(role white) (role blak)
(init (p 1))
(legal ?r noop)
(<= (legal ?r noop) (role ?r))
(<= (next (p 1)) (true (p 1)))
(<= terminal (true (p 2)))
(goal white 100) (goal black 0)
",
        "GDL033 1:20, GDL090 3:8",
    ),
    (
        WHOLE,
        r"
(role white)
(init (p 1))
(legal white noop)
(<= (next (p 1)) (true (p 1)))
(<= terminl (true (p 2)))
(gaol white 100)
",
        "GDL031 5:5, GDL032 6:2",
    ),
    // Variables: an unsafe one is not also reported as occurring once.
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (not (true (pile ?p))))
(<= (legal ?r skop) (role ?r) (distinct ?a ?b))
(<= (next (pile ?z)) (does ?r noop))
",
        "GDL086 1:48, GDL087 2:41, GDL087 2:44, GDL085 3:17, GDL103 3:28",
    ),
    (
        ADDED,
        r"
(<= (goal white -5) (true (pile 3)))
(<= (goal white 5000) (true (pile 3)))
(<= (goal white (plus 1 2)) (true (pile 3)))
(<= (goal white ?v) (true (pile 3)))
",
        "GDL080 1:17, GDL079 2:17, GDL078 3:17, GDL085 4:17",
    ),
    (
        ADDED,
        r"
(<= (legal ?a (take ?b ?c)) (distinct ?d ?e) (not (true (pile ?f))) (or (minus ?g 1 2) (role ?h)))
",
        "GDL085 1:12, GDL022 1:16, GDL085 1:21, GDL085 1:24, GDL087 1:39, GDL087 1:42, GDL086 1:63, GDL103 1:80, GDL103 1:94",
    ),
    // Names.
    (
        ADDED,
        r"
(<= (legal ?r skip) (true (control ?r)) (minus 3 1) (plus 3 1) (plus 3))
",
        "GDL021 1:42, GDL021 1:65",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (true (control ?r)) (minus 3 1) (minus 3))
(minus 4)
",
        "GDL021 1:42, GDL021 1:54",
    ),
    (
        ADDED,
        r"
(init (count z))
(<= (next (count (s ?n))) (true (count ?n)))
(<= (legal ?r skip) (role ?r) (undefd ?r))
",
        "GDL098 2:18, GDL100 3:32",
    ),
    (
        ADDED,
        r"
(<= (legal ?R skip) (role ?r) (true (Pile 3)) (true (PILE 3)))
",
        "GDL026 1:27, GDL025 1:38, GDL025 1:54",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (control ?r) (pile 3))
(<= (legal ?r skap) (control ?r) (pile 2))
",
        "GDL023 1:22, GDL023 1:35",
    ),
    (
        ADDED,
        r"
(minus 3 1 2) . ,
(minus 3, 1, 2)
",
        "GDL104 1:2, GDL102 1:15, GDL102 1:17",
    ),
    (
        ADDED,
        r"
(minus 1 1 0)
(minus 1 1 0)
(<= (next (control white)) (true (control black)))
",
        "GDL104 1:2, GDL104 2:2, GDL105 3:6",
    ),
    (
        ADDED,
        r"
(minus 04 01 03)
(minus 4 02 2)
",
        "GDL132 1:8, GDL132 1:11, GDL132 1:14, GDL132 2:10",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (open))
(<= open (true (pile 2)))
(<= (open ?x) (minus ?x 1 2))
",
        "GDL127 1:31, GDL021 3:6",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (role ?r) (this_is_a_relation_with_a_very_long_name_that_goes_on ?r))
",
        "GDL100 1:32",
    ),
    (
        ADDED,
        r"
(<= (legal ?r (take ?n)) (true (control ?r)) (minu 3 ?n ?q))
(<= (legal ?r (take ?n)) (true (control ?r)) (minu 2 ?n ?q))
(<= (legal ?r (take ?m)) (true (control ?r)))
",
        "GDL100 1:47, GDL103 1:57, GDL103 2:57, GDL085 3:21",
    ),
    // Dependencies: reported with the whole path.
    (
        ADDED,
        r"
(<= (init (pile 2)) helper)
(<= helper (true (pile 1)))
(<= (legal ?r skip) (does ?r noop))
(<= (goal ?r 50) m)
(<= m (does white noop))
(<= terminal m)
",
        "GDL048 1:21, GDL056 3:22, GDL085 4:11, GDL057 4:18, GDL058 6:14",
    ),
    (
        ADDED,
        r"
(num z)
(<= (num (s ?x)) (num ?x))
(<= (num (t ?x)) (num ?x))
(<= (legal ?r (say ?x)) (role ?r) (num ?x))
",
        "GDL095 2:10, GDL095 3:10",
    ),
    (
        ADDED,
        r"
(<= (legal ?r skip) (aa ?r))
(<= (aa ?r) (bb ?r))
(<= (bb ?r) (cc ?r) (aa ?r))
(<= (cc ?r) (does ?r noop))
",
        "GDL056 1:22",
    ),
    (
        ADDED,
        r"
(<= (aa ?x) (aa ?x) (not (aa ?x)))
(<= (legal ?r skip) (role ?r) (aa 1))
",
        "GDL106 1:14, GDL109 1:22, GDL094 1:27",
    ),
    (
        ADDED,
        r"
(<= (a ?r) (role ?r) (not (b ?r)))
(<= (b ?r) (role ?r) (not (a ?r)))
(<= (legal ?r skip) (a ?r) (c ?r))
(d 1)
",
        "GDL092 1:1, GDL100 3:29, GDL102 4:2",
    ),
    (
        ADDED,
        r"
(<= (aa ?r) (bb ?r))
(<= (bb ?r) (cc ?r))
(<= (cc ?r) (role ?r) (not (aa ?r)))
(<= (legal ?r skip) (aa ?r))
",
        "GDL092 3:1",
    ),
    (
        ADDED,
        r"
(<= (aa ?r) (role ?r) (not (aa ?r)))
(<= (bb ?r) (role ?r) (not (bb ?r)))
(<= (legal ?r skip) (aa ?r) (bb ?r))
",
        "GDL091 1:1, GDL091 2:1",
    ),
    // A fluent that is lost with the next move is reported before its consequences.
    (
        WHOLE,
        r"
(role red)
(role blue)
(init (control red))
(init alive)
(spot 1)
(spot 2)
(<= (legal ?r (mark ?x)) (true (control ?r)) (spot ?x))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(<= (legal ?r (again ?x)) (true (control ?r)) (true (last ?x)))
(<= (next (marked ?x ?r)) (does ?r (mark ?x)))
(<= (next (last ?x)) (does ?_r (mark ?x)))
(<= (next (control red)) (true (control blue)))
(<= (next (control blue)) (true (control red)))
(<= (won ?r) (true (marked 1 ?r)) (true (marked 2 ?r)))
(<= terminal (won ?_r))
(<= (goal ?r 100) (won ?r) (true alive))
(<= (goal ?r 0) (role ?r) (not (won ?r)))
",
        "GDL140 4:1, GDL140 10:5, GDL119 1:1, GDL119 2:1, GDL118 15:5",
    ),
    (
        ADDED,
        r"
(init (limit 0))
(init first)
(init (spare 1))
(<= (legal ?r skip) (true (control ?r)) (true (limit ?n)) (true (pile ?n)) (true first))
",
        "GDL140 1:1, GDL111 3:1",
    ),
    // A role that cannot move at the start.
    (
        WHOLE,
        r"
(role red)
(role blue)
(init (at 1))
(<= (legal red go) (true (at 1)))
(<= (legal blue noop) (true (at 2)))
(<= (next (at 2)) (does red go))
(<= terminal (true (at 2)))
(<= (goal ?r 100) (role ?r) (true (at 2)))
(<= (goal ?r 0) (role ?r) (true (at 1)))
",
        "GDL121 2:1",
    ),
];

#[test]
fn each_fault_is_reported_once() {
    let mut wrong = String::new();
    let levels = Levels { warn: vec!["lints".to_owned()], ..Levels::default() };
    let options = Options { levels, ..Options::default() };
    for (first, rules, expected) in SHEETS {
        let rules = rules.trim_start_matches('\n');
        let source = Source::new("several.kif", format!("{first}{rules}"));
        let found =
            compile(&source, &options).map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
        let reported: Vec<String> = found
            .iter()
            .map(|diagnostic| match diagnostic.span.map(|span| source.position(span.start)) {
                Some(at) => {
                    let line = at.line - first.lines().count();
                    format!("{} {line}:{}", diagnostic.code.id, at.column)
                }
                None => diagnostic.code.id.to_owned(),
            })
            .collect();
        let reported = reported.join(", ");
        if reported != *expected {
            let shown = found.render(&source);
            wrong.extend([rules, "\nexpected ", expected, "\nreported ", &reported, "\n\n", &shown, "\n"]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn help_names_what_was_meant() {
    for (rule, expected) in [
        (
            "(<= (legal ?r skip) (true (contrl ?r)))",
            "did you mean `(control ..)`? Otherwise add an `init` or `next` rule for `(contrl ..)`",
        ),
        (
            "(<= (next (pile 0)) (does ?r (tak 1)))",
            "did you mean `(take ..)`? Otherwise add a `legal` rule for `(tak ..)`",
        ),
        (
            "(<= (next (pile ?m)) (true (pile ?n)) (= ?m (- ?n 1)))",
            "list the cases as facts, such as `(succ 1 2) (succ 2 3)`: GDL has no arithmetic",
        ),
        (
            "(<= (next (pile ?m)) (true (pile ?n)) (= ?m ?n))",
            "use one variable for both, or `distinct` if they must differ",
        ),
    ] {
        let source = Source::new("help.kif", format!("{ADDED}{rule}"));
        let found = compile(&source, &Options::default())
            .map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
        let is_there = found.iter().any(|fault| fault.help.as_deref() == Some(expected));
        assert!(is_there, "{}", found.render(&source));
    }
}

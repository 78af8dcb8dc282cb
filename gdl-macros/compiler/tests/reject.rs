//! Every mistake gives the diagnostic the catalogue says, and no error beside it.
//!
//! `reject/NNN_name.kif` is a good game with one mistake; `reject/EXPECT.tsv` lists code, name and
//! severity. Mistakes without a file of their own are snippets here.

use gdl_compiler::diagnostic::codes;
use gdl_compiler::{Diagnostics, Levels, Limits, Options, Severity, Source, check, ground, syntax};
use std::path::Path;

/// Shown by play, not by the rules: these only have to be games.
const NEEDS_PLAY: &[&str] = &["GDL118", "GDL119", "GDL121", "GDL122", "GDL124", "GDL125"];

/// Too much for those who ground without thought, and nothing much here.
const HARMLESS: &[&str] = &["GDL134"];

/// GDL-II is part of the language, and the first file is the game without a mistake.
const NO_MISTAKE: &[&str] = &["GDL000", "GDL083"];

fn diagnose(name: &str, bytes: Vec<u8>) -> (Source, Diagnostics) {
    let options = Options {
        levels: Levels { warn: vec!["lints".to_owned()], ..Levels::default() },
        limits: Limits::network(),
        ..Options::default()
    };
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let source = match Source::from_bytes(name, bytes) {
        Ok(source) => source,
        Err(fault) => {
            diagnostics.push(fault.1);
            return (fault.0, diagnostics);
        }
    };
    let tree = syntax::parse(&source, &options, &mut diagnostics);
    let rules = check::check(&tree, &source, &options, &mut diagnostics);
    assert_eq!(rules.is_none(), diagnostics.has_errors(), "{}", diagnostics.render(&source));
    let ground = rules.and_then(|rules| ground::ground(&rules, &options, &mut diagnostics));
    diagnostics.sort();
    assert_eq!(ground.is_none(), diagnostics.has_errors(), "{}", diagnostics.render(&source));
    (source, diagnostics)
}

/// Asserts that `id` is reported with the severity of the catalogue, and no other error.
fn assert_reported(id: &str, name: &str, bytes: Vec<u8>) {
    let (source, diagnostics) = diagnose(name, bytes);
    let shown = diagnostics.render(&source);
    let found = diagnostics.iter().find(|d| d.code.id == id);
    let found = found.unwrap_or_else(|| panic!("{name}: {id} is not reported\n{shown}"));
    let expected =
        if found.code.severity == Severity::Lint { Severity::Warning } else { found.code.severity };
    assert_eq!(found.severity, expected, "{name}");
    let others = diagnostics.iter().filter(|d| d.severity == Severity::Error && d.code.id != id).count();
    assert_eq!(others, 0, "{name}: other errors\n{shown}");
    for d in diagnostics.iter() {
        for text in [&d.message, &d.note] {
            assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{text}");
        }
    }
}

fn files() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reject");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    files.sort();
    assert!(files.len() > 90);
    files
}

#[test]
fn the_catalogue_is_complete() {
    for line in include_str!("reject/EXPECT.tsv").lines() {
        let mut fields = line.split('\t');
        let (id, name, severity) = (fields.next().unwrap(), fields.next().unwrap(), fields.next().unwrap());
        let code = codes::find(id).unwrap_or_else(|| panic!("{id} is missing"));
        assert_eq!((code.name, code.severity.to_string().as_str()), (name, severity), "{id}");
    }
}

#[test]
fn files_with_one_mistake_are_reported() {
    for (name, bytes) in files() {
        let id = format!("GDL{}", &name[..3]);
        if ![NEEDS_PLAY, HARMLESS, NO_MISTAKE].iter().any(|list| list.contains(&id.as_str())) {
            assert_reported(&id, &name, bytes);
        }
    }
}

#[test]
fn files_with_deeper_mistakes_are_games() {
    for (name, bytes) in files() {
        let id = format!("GDL{}", &name[..3]);
        if [NEEDS_PLAY, HARMLESS, NO_MISTAKE].iter().any(|list| list.contains(&id.as_str())) {
            let (source, diagnostics) = diagnose(&name, bytes);
            assert!(!diagnostics.has_errors(), "{}", diagnostics.render(&source));
        }
    }
}

/// A code and what to add to the game without a mistake.
const ADDED: &[(&str, &str)] = &[
    ("GDL003", "(<= (next (pile ())) (true (pile 0)))"),
    ("GDL006", "(minus 9 8\u{7} 1)"),
    ("GDL009", "(<= (next (?f 0)) (true ?f))"),
    ("GDL015", "(<= (next (pile 0)) (<= (true (pile 0)) (true (pile 1))))"),
    ("GDL018", "(<= (next (pile 3)) (and (true (pile 0)) (true (pile 1))))"),
    ("GDL021", "(minus 3 2)"),
    ("GDL024", "(minus minus 1 0)"),
    ("GDL033", "(role green)\n(goal_of green)"),
    ("GDL036", "(<= (next (pile 0) (pile 1)) (true (pile 3)))"),
    ("GDL036", "(init)"),
    ("GDL039", "(<= (role ?r) (minus ?r ?a ?b))"),
    ("GDL042", "(role white)"),
    ("GDL045", "(true (pile 3))"),
    ("GDL048", "(<= (init (pile 2)) (helper 1))\n(<= (helper ?x) (true (pile ?x)))"),
    ("GDL051", "(<= (next (pile 3)) (next (pile 2)))"),
    ("GDL051", "(<= (next (pile 3)) (sees white told))\n(sees white told)"),
    ("GDL054", "(<= (base (pile 7)) (true (pile 3)))"),
    ("GDL057", "(<= moved (does white noop))\n(<= (goal white 50) moved)"),
    ("GDL060", "(<= (next (pile 3)) (true (does white noop)))"),
    ("GDL063", "(<= (next (pile 3)) (true (pile ?p)) (distinct ?p))"),
    ("GDL066", "(<= (next (pile 3)) (true (pile ?p)) (distinct (true ?p) 1))"),
    ("GDL069", "(<= (next (pile 3)) (true (pile 0)) (or))"),
    ("GDL072", "(<= (not (role red)) (true (pile 0)))"),
    ("GDL075", "(<= (legal wite noop) (true (pile 0)))"),
    ("GDL075", "(<= (sees wite told) (true (pile 0)))"),
    ("GDL078", "(<= (goal white win) (true (pile 0)))"),
    ("GDL078", "(<= (goal white (val 100)) (true (pile 0)))"),
    ("GDL081", "(<= (goal white 1234567890123456789012345678901234567890) (true (pile 0)))"),
    ("GDL087", "(<= (next (pile 3)) (true (pile 0)) (distinct ?p 1))"),
    ("GDL090", "(minus ?x 1 2)"),
    ("GDL093", "(<= (odd ?p) (true (pile ?p)) (or (even ?p) (not (odd ?p))))\n(<= (even ?p) (odd ?p))"),
    (
        "GDL096",
        "(even z)\n(<= (odd (s ?x)) (even ?x))\n(<= (even (s ?x)) (odd ?x))\n(<= (next (pile 3)) (even ?x))",
    ),
    ("GDL099", "(init (moves nil))\n(<= (next (moves (h ?m ?l))) (true (moves ?l)) (does white ?m))"),
    ("GDL082", "(score 101)\n(<= (goal white ?n) (score ?n) (true (pile 0)))"),
    (
        "GDL082",
        "(init (points 0))\n(<= (next (points ?m)) (true (points ?n)) (succ ?n ?m))\n(succ 0 win)\n(<= (goal white ?n) (true (points ?n)))",
    ),
    ("GDL102", "(plus 1 2 3)"),
    ("GDL105", "(<= (goal ?x 0) (role ?x) (not terminal))"),
    ("GDL108", "(<= (next (pile 3)) (true (pile 0)) (distinct 1 2))"),
    ("GDL110", "(<= (next (pile 3)) (or (true (pile 0)) (true (pile 1 1))))"),
    ("GDL110", "(<= (next (pile 3)) (true (pile 0)) (not (true locked)))"),
    ("GDL110", "(<= (next (lamp ?x)) (true (lamp ?x)))\n(<= (next (pile 3)) (true (lamp on)))"),
    ("GDL111", "(init (trail 1))\n(<= (next (trail ?x)) (true (trail ?x)))"),
    ("GDL112", "(<= (next (pile 3)) (does ?r (give ?n)))"),
    ("GDL113", "(<= (next (pile 3)) (true (pile ?p)) (minus ?p ?n ?q) (minus ?n ?q ?p))"),
    ("GDL113", "(<= (odd ?x) (odd ?y) (minus ?y 2 ?x))\n(<= (next (pile 3)) (odd 1))"),
    ("GDL114", "(base (pile 4))"),
    ("GDL126", "(<= (minus 7 7 0))"),
    ("GDL129", "(<= (next (pile ?p)) (true (pile ?p)) (not (distinct ?p 1)))"),
    ("GDL132", "(minus 01 1 0)"),
];

#[test]
fn added_mistakes_are_reported() {
    let base = include_str!("reject/000_base_valid.kif");
    for (id, added) in ADDED {
        // Without the goals for all roles, so that one can be without.
        let base = if *id == "GDL033" {
            base.replace("(goal ?r", "(goal white")
                .replace("(role ?r)\n", "(role white)\n(true (control ?r))")
        } else {
            base.to_owned()
        };
        assert_reported(id, &format!("{id}: {added}"), format!("{base}{added}\n").into_bytes());
    }
}

#[test]
fn removed_rules_are_missed() {
    let base = include_str!("reject/000_base_valid.kif");
    let without = |what: &str| -> String {
        let mut kept = String::new();
        let mut skip = false;
        for line in base.lines() {
            if line.starts_with('(') {
                skip = line.contains(what);
            }
            if !skip {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        kept
    };
    assert_reported("GDL027", "role", without("(role white").replace("(role black)\n", "").into_bytes());
    assert_reported("GDL030", "next", without("(next").into_bytes());
    assert_reported("GDL117", "input", without("(input").into_bytes());
}

#[test]
fn limits_are_reported() {
    let base = include_str!("reject/000_base_valid.kif");
    let deep = format!("{base}(minus {}0{} 1 0)\n", "(f ".repeat(1_001), ")".repeat(1_001));
    assert_reported("GDL135", "deep", deep.into_bytes());
    assert_reported("GDL135", "parens", "(".repeat(100_000).into_bytes());
    let long = format!("{base}(minus {} 1 0)\n", "x".repeat(1_025));
    assert_reported("GDL138", "long", long.into_bytes());
    let variables = (0..65).fold(String::new(), |text, i| text + &format!(" (role ?v{i})"));
    assert_reported("GDLM6", "variables", format!("{base}(<= (next (pile 0)){variables})").into_bytes());
    let literals = " (role white)".repeat(513);
    assert_reported("GDLM6", "literals", format!("{base}(<= (next (pile 0)){literals})").into_bytes());
    assert_reported("GDLM5", "bytes", vec![b' '; (1 << 20) + 1]);
    assert_reported("GDLM5", "tokens", "a ".repeat(500_001).into_bytes());
    assert_reported("GDLM5", "rules", "(a)".repeat(100_001).into_bytes());
    assert_reported("GDL012", "utf8", b"(role caf\xe9)".to_vec());
}

#[test]
fn broken_forms_hide_nothing_else() {
    // `terminal` stands in the broken form: it is not missing.
    let base = include_str!("reject/000_base_valid.kif");
    let text = base.replace("(<= terminal (true (pile 0)))", "(<= terminal (true (pile 0))");
    assert_ne!(text, base);
    assert_reported("GDL001", "unclosed", text.into_bytes());
    // Two mistakes in two forms are two messages.
    let (_, diagnostics) = diagnose("two", format!("{base}(minus ?x 1 2)\n(does white noop)\n").into_bytes());
    let ids: Vec<_> =
        diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.id).collect();
    assert_eq!(ids, ["GDL090", "GDL046"]);
}

#[test]
fn arity_clashes_can_be_allowed() {
    let text = format!(
        "{}(<= (next (pile 0)) (minus 3 2))\n(minus 3 2)\n",
        include_str!("reject/000_base_valid.kif")
    );
    let levels = Levels { allow: vec!["relation_arity_clash".to_owned()], ..Levels::default() };
    let options = Options { levels: levels.clone(), ..Options::default() };
    let mut diagnostics = Diagnostics::new(levels);
    let source = Source::new("two arities", text);
    let tree = syntax::parse(&source, &options, &mut diagnostics);
    assert!(check::check(&tree, &source, &options, &mut diagnostics).is_some());
    assert!(diagnostics.is_empty(), "{}", diagnostics.render(&source));
}

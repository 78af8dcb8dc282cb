//! Checks the examples of the diagnostics pages: wrong ones are reported under the page's code,
//! right ones are not reported.

use gdl_compiler::diagnostic::{Code, Example, codes};
use gdl_compiler::{Diagnostics, Levels, Limits, Options, Severity, Source, Syntax, compile};

/// The codes that only simulation finds. The tests of `gdl check --simulate` check their pages.
const FOUND_BY_PLAY: &[&str] = &["GDL121", "GDL122", "GDL123", "GDL124", "GDL125"];

/// Compiles an example with all lints enabled, and returns its diagnostics.
fn diagnose(code: &Code, example: &Example) -> (Source, Diagnostics) {
    let mut options = Options {
        levels: Levels { warn: vec!["lints".to_owned()], ..Levels::default() },
        ..Options::default()
    };
    for word in example.words() {
        if let Some((name, value)) = word.split_once(':') {
            set(&mut options.limits, name, value.parse().expect("a number"));
        }
    }
    let name = format!("{} {}", code.id, example.info);
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    match Source::from_bytes(name, example.file()) {
        Ok(source) => {
            let found = compile(&source, &options)
                .map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
            (source, found)
        }
        Err(fault) => {
            diagnostics.push(fault.1);
            (fault.0, diagnostics)
        }
    }
}

fn set(limits: &mut Limits, name: &str, value: usize) {
    let field = match name {
        "max_source_bytes" => &mut limits.max_source_bytes,
        "max_nesting" => &mut limits.max_nesting,
        "max_identifier_bytes" => &mut limits.max_identifier_bytes,
        "max_rule_variables" => &mut limits.max_rule_variables,
        "max_body_literals" => &mut limits.max_body_literals,
        "max_term_depth" => &mut limits.max_term_depth,
        "max_atoms" => &mut limits.max_atoms,
        "max_fluents" => &mut limits.max_fluents,
        "max_ground_rules" => &mut limits.max_ground_rules,
        "fuel" => return limits.fuel = value as u64,
        _ => panic!("no such limit: {name}"),
    };
    *field = value;
}

/// Returns a message if an example contradicts its marks `right` or `wrong`, otherwise `None`.
fn broken_promise(code: &Code, example: &Example, diagnostics: &Diagnostics) -> Option<&'static str> {
    let reported = diagnostics.iter().any(|d| d.code == code);
    let others = diagnostics.iter().any(|d| d.severity == Severity::Error && d.code != code);
    let waits = FOUND_BY_PLAY.contains(&code.id);
    match (example.is("right"), example.is("wrong")) {
        (true, false) => (!diagnostics.is_empty()).then_some("it is called right, but something is reported"),
        (false, true) if waits => reported.then_some("it is reported: take the code off the list"),
        (false, true) if !reported => Some("the page's code is not reported"),
        (false, true) => others.then_some("another error is reported"),
        _ => Some("it is not called either right or wrong"),
    }
}

#[test]
fn wrong_examples_are_reported_and_right_ones_are_not() {
    let mut broken = String::new();
    for &code in codes::ALL {
        for example in code.examples().filter(|example| example.syntax().is_some()) {
            let (source, diagnostics) = diagnose(code, &example);
            if let Some(why) = broken_promise(code, &example, &diagnostics) {
                let shown = diagnostics.render(&source);
                broken.extend([source.name(), ": ", why, "\n", example.text, &shown, "\n"]);
            }
        }
    }
    assert!(broken.is_empty(), "{broken}");
}

#[test]
fn pages_have_one_shape() {
    for code in codes::ALL {
        let (id, page) = (code.id, code.page);
        assert!(!code.meaning.ends_with('.') && !code.meaning.contains('|'), "{id}: {}", code.meaning);
        assert!(page.ends_with('\n') && !page.contains("\n\n\n") && !page.contains('\r'), "{id}");
        assert!(!page.starts_with(['#', '\n']), "{id}: text comes first");
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{id}: a long line");
        let inner: usize = code.examples().map(|example| example.text.matches("```").count()).sum();
        let fences = page.matches("```").count() - inner;
        assert_eq!(fences, 2 * code.examples().count(), "{id}: a fence is left open");
        let count = |syntax, word| {
            code.examples().filter(|example| example.syntax() == syntax && example.is(word)).count()
        };
        let expected = match id {
            // GDLM8 is a defect of the compiler, and the caller causes GDLM9, so neither has
            // examples.
            "GDLM8" | "GDLM9" => (0, 0),
            _ if code.reserved => (0, 1),
            _ => (1, 1),
        };
        // A page has one example of each kind in every syntax that it covers.
        let syntaxes = [None, Some(Syntax::Kif), Some(Syntax::Infix), Some(Syntax::Epilog)];
        let counts = syntaxes.map(|syntax| (count(syntax, "wrong"), count(syntax, "right")));
        let spoken: Vec<_> = counts.into_iter().filter(|&count| count != (0, 0)).collect();
        let is_right = spoken.iter().all(|&count| count == expected);
        assert!(
            is_right && spoken.is_empty() == (expected == (0, 0)),
            "{id}: examples that are wrong and right"
        );
    }
}

//! The layout of rulesheets: by example, and for any text. Formatting keeps tokens and comments,
//! and is idempotent.

use gdl_compiler::{Options, Source, diagnostic::codes, format::format};
use proptest::{collection::vec, prelude::*, sample::select};
use std::path::Path;

fn formatted(text: &str) -> String {
    let source = Source::new("test.kif", text);
    format(&source, &Options::default()).unwrap_or_else(|faults| panic!("{}", faults.render(&source)))
}

/// A parenthesis or word; or a comment, and true if it has its own line.
#[derive(Debug, PartialEq)]
enum Item<'t> {
    Token(&'t str),
    Comment(&'t str, bool),
}

/// Splits a text into tokens and comments, without white space.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut rest = text.trim_start_matches('\u{FEFF}');
    let (mut items, mut own_line) = (Vec::new(), true);
    while let Some(c) = rest.chars().next() {
        let end = match c {
            ';' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '(' | ')' => 1,
            _ if c.is_ascii_whitespace() => {
                own_line |= matches!(c, '\n' | '\r');
                rest = &rest[1..];
                continue;
            }
            _ => rest.find(|c: char| c.is_ascii_whitespace() || "();".contains(c)).unwrap_or(rest.len()),
        };
        let item = &rest[..end];
        items.push(if c == ';' { Item::Comment(item.trim_ascii_end(), own_line) } else { Item::Token(item) });
        own_line = false;
        rest = &rest[end..];
    }
    items
}

/// Asserts the properties of every formatted text.
fn check(text: &str) {
    let once = formatted(text);
    assert_eq!(items(&once), items(text), "{text}");
    assert_eq!(formatted(&once), once, "{text}");
    assert!(once.is_empty() || once.ends_with('\n'), "{text}");
    assert!(!once.contains("\n\n\n") && !once.contains(['\r', '\u{FEFF}']), "{once}");
    for line in once.lines().filter(|line| !line.contains(';')) {
        assert_eq!(line.trim_end(), line, "{once}");
    }
}

#[test]
fn rules_have_a_literal_on_each_line() {
    let text = "(<= (legal ?r (take ?n)) (true (control ?r)) (not (or (p ?n) (q ?n (f a)))) (distinct ?n 0))
        (<= terminal (or over (true (step 20)))) (<= (next on)) (<= idle)";
    let expected = "\
(<= (legal ?r (take ?n))
    (true (control ?r))
    (not (or (p ?n)
             (q ?n (f a))))
    (distinct ?n 0))
(<= terminal
    (or over
        (true (step 20))))
(<= (next on))
(<= idle)
";
    assert_eq!(formatted(text), expected);
}

#[test]
fn facts_of_one_relation_may_share_a_line() {
    let text = "(role a)(role   b) (init (at 1))\n(succ 1 2)     (succ 2 3)\n(succ 9 10) (succ 10 11)\n\n\n\
        (init\n  (at\n 2)) terminal (legal a go) (legal b\n go)";
    let expected = "\
(role a) (role b)
(init (at 1))
(succ 1 2)  (succ 2 3)
(succ 9 10) (succ 10 11)

(init (at 2))
terminal
(legal a go) (legal b go)
";
    assert_eq!(formatted(text), expected);
}

#[test]
fn comments_stay_where_they_are() {
    let text = "\u{FEFF}\r\n ;; Title\r\n\r\n\r\n;; more  \r(role a);player\r\n\r\n(<= ; which?\r\n (next (at 2)) \
        ;head (\r\n\r\n  ;; own ))\r\n  (true ; inside\r\n    (at 1));last\r\n);done\r\n  ;; end\r\n\r\n";
    let expected = "\
;; Title

;; more
(role a) ;player

(<= ; which?
    (next (at 2)) ;head (

    ;; own ))
    (true ; inside
          (at 1)) ;last
) ;done
;; end
";
    assert_eq!(formatted(text), expected);
}

#[test]
fn long_forms_are_broken_at_their_arguments() {
    let words = "word ".repeat(30);
    let text = format!("(<= (next (row {words})) (true (f (g {words}) (h {words}) x y)))");
    let expected = "\
(<= (next (row word word word word word word word word word word word word word word word word word
               word word word word word word word word word word word word word))
    (true (f (g word word word word word word word word word word word word word word word word word
                word word word word word word word word word word word word word)
             (h word word word word word word word word word word word word word word word word word
                word word word word word word word word word word word word word)
             x y)))
";
    assert_eq!(formatted(&text), expected);
    check(&text);
}

#[test]
fn odd_texts_have_a_layout() {
    for text in
        ["", "; only\n\n", "x", "x y", "((a) b) ((c (d)) e)", "(<=)", "(<= )(or)(not (or a b))", ";a\n\n\n;b"]
    {
        check(text);
    }
    assert_eq!(formatted(" \n\n"), "");
}

#[test]
fn depth_is_no_trouble() {
    for unit in ["(f ", "(or a ", "(<= a ", "(f\n;c\n", "((", "(a b c "] {
        let open = unit.repeat(900 / unit.matches('(').count());
        check(&(open.clone() + "x" + &")".repeat(open.matches('(').count())));
    }
}

#[test]
fn a_text_that_cannot_be_read_is_refused() {
    let source = Source::new("test.kif", "(role a)\n(<= (next x) (true x)\n(init x)");
    let faults = format(&source, &Options::default()).expect_err("a parenthesis is missing");
    assert!(faults.iter().any(|fault| fault.code == &codes::UNCLOSED_PAREN));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_its_tokens_and_comments(
        pieces in vec(select(&[
            "(", "(", "(", ")", ")", "<= ", "or ", "not ", "(role a)", "(p ?x)", "?x", "a-rather-long-word",
            " ", "\n", "\r\n", "\r", "\n\n", "\t\n \n\n", "; note (\n", ";\n", ";;  two \r\n", "\u{0C}",
        ][..]), 0..150)
    ) {
        let mut text = String::new();
        let mut depth = 0;
        for piece in pieces {
            match piece {
                "(" => depth += 1,
                ")" if depth == 0 => continue,
                ")" => depth -= 1,
                _ => {}
            }
            // A blank keeps two words separate, and a word before a parenthesis from looking like
            // infix syntax.
            text += if piece.starts_with([';', '\r', '\n']) { "" } else { " " };
            text += piece;
        }
        check(&(text + &")".repeat(depth)));
    }
}

#[test]
fn rulesheets_keep_their_tokens_and_comments() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/accept", "tests/reject", "../games/board", "../games/puzzles", "../games/chance"]
        .map(|folder| here.join(folder));
    // If the shared rulesheets are missing, only those of the repository are formatted.
    let others = gdl_test_support::shared("rulesheets").into_iter();
    let others = others.flat_map(|shared| ["games", "good", "bad"].map(|folder| shared.join(folder)));
    let mut count = 0;
    for folder in folders.into_iter().chain(others) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.extension().is_none_or(|extension| extension != "kif") {
                continue;
            }
            let Ok(text) = String::from_utf8(std::fs::read(&path).expect("readable")) else { continue };
            let source = Source::new(path.display().to_string(), text.as_str());
            if format(&source, &Options::default()).is_ok() {
                check(&text);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} rulesheets were formatted");
}

#[test]
fn sentences_of_other_syntaxes_keep_all_their_parentheses() {
    for (text, expected) in [
        ("p:-q&(r|s)\nq", "p :- q & (r | s)\nq\n"),
        ("p :- (q)\n\n\nq. r(1).r(2)", "p :- (q)\n\nq r(1) r(2)\n"),
        ("m(X)::(p(X)==>~q) & (r==>s) % both", "m(X) :: (p(X) ==> ~q) & (r ==> s) % both\n"),
    ] {
        assert_eq!(formatted(text), expected);
    }
}

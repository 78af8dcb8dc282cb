//! Tests the front end alone, from text to tree, also with arbitrary text.

use gdl_compiler::syntax::{Kind, NodeId, Tree};
use gdl_compiler::{Diagnostics, Limits, Options, Source, check, syntax};

fn parse(text: &str) -> (Tree, Source, Diagnostics) {
    let source = Source::new("test.kif", text);
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(&source, &Options::default(), &mut diagnostics);
    (tree, source, diagnostics)
}

/// Prints a tree with brackets for its lists.
fn print(tree: &Tree, source: &Source, node: NodeId) -> String {
    if let Kind::List(_) = tree.node(node).kind {
        let children: Vec<_> = tree.children(node).iter().map(|&child| print(tree, source, child)).collect();
        return format!("[{}]", children.join(" "));
    }
    tree.text(node, source).to_owned()
}

/// Asserts the shapes of the forms and the codes of the faults.
fn assert_parsed(text: &str, forms: &[&str], faults: &[&str]) {
    let (tree, source, diagnostics) = parse(text);
    let printed: Vec<_> = tree.forms.iter().map(|&form| print(&tree, &source, form)).collect();
    assert_eq!(printed, forms, "{text:?}");
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code.id).collect();
    assert_eq!(codes, faults, "{text:?}\n{}", diagnostics.render(&source));
    assert_eq!(tree.broken, !faults.is_empty());
}

#[test]
fn tokens_are_cut_at_white_space_parentheses_and_semicolons() {
    assert_parsed("(a b)(c(d)\t?e)\x0Cf", &["[a b]", "[c [d] ?e]", "f"], &[]);
    assert_parsed("(a b;c) d\n)", &["[a b]"], &[]);
    assert_parsed("white;x (", &["white"], &[]);
    assert_parsed("", &[], &[]);
}

#[test]
fn any_line_end_ends_a_comment() {
    for end in ["\n", "\r", "\r\n"] {
        assert_parsed(&format!("(a ; (b{end}c)"), &["[a c]"], &[]);
    }
    let (_, source, _) = parse("(a)\r(b)\r\n(c)\n(d)");
    let lines: Vec<_> = (1..=4).map(|line| source.line(line)).collect();
    assert_eq!(lines, ["(a)", "(b)", "(c)", "(d)"]);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_parsed("\u{FEFF}(a)", &["[a]"], &[]);
    assert_parsed("(a \u{FEFF}b)", &["[a \u{FEFF}b]"], &["GDL005"]);
}

#[test]
fn reading_goes_on_behind_a_fault() {
    assert_parsed("(a b\n(c)\n(d", &["[c]"], &["GDL001"]);
    assert_parsed("(a (b\n(c e)\n(d) ", &["[c e]", "[d]"], &["GDL001"]);
    assert_parsed("(a)))) (b) )", &["[a]", "[b]"], &["GDL002", "GDL002"]);
    assert_parsed("(a ?) (b)", &["[b]"], &["GDL007"]);
    assert_parsed("(a #| (b |# c) (d)", &["[a c]", "[d]"], &["GDL013"]);
    assert_parsed("(a #| (b ; |# c)\n(d)", &["[d]"], &["GDL013"]);
    assert_parsed("(a \"(b c\" d) (e)", &["[a \" d]", "[e]"], &["GDL011"]);
    assert_parsed("(a b) p(X) :- q(X) & r", &[], &["GDL017"]);
}

#[test]
fn huge_texts_are_quick() {
    let texts = [
        "(".repeat(100_000),
        ")".repeat(1_000_000),
        "(aa\n".repeat(100_000),
        "() ".repeat(100_000),
        format!("{}{}", "(".repeat(100_000), ")".repeat(100_000)),
        "#| ".repeat(100_000),
        "\" ".repeat(100_000),
        "? ".repeat(100_000),
        "(p ?x) ".repeat(50_000),
        (0..20_000).fold(String::new(), |text, i| text + &format!("(succ {i} {})\n", i + 1)),
        (0..20_000).fold(String::new(), |text, i| text + &format!("(<= p (q{i} 1))\n")),
        format!("(p {})", "?x ".repeat(100_000)),
        format!("(<= (p {}) (q {}))", "?x ".repeat(100_000), "?x ".repeat(100_000)),
        format!("(<= (p {}) (q {}))", "(f ?x) ".repeat(50_000), "?x ".repeat(100_000)),
        format!("(<= (p {}) (p {}))", "(f ?x) ".repeat(50_000), "?x ".repeat(50_000)),
        format!("{}{}", "(<= p ".to_owned() + &"(not ".repeat(900), ")".repeat(901)),
        "\u{e9}".repeat(100_000),
        "x".repeat(1_000_000),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let (tree, source, mut diagnostics) = parse(&text);
        check::check(&tree, &source, &Options::default(), &mut diagnostics);
        diagnostics.sort();
        let shown = diagnostics.render(&source);
        assert!(shown.len() < 200_000);
        // The bound is well above the usual time, and well below that of a quadratic algorithm.
        assert!(
            start.elapsed().as_secs() < 20,
            "{} took {:?}",
            text.chars().take(20).collect::<String>(),
            start.elapsed()
        );
    }
}

#[test]
fn garbage_never_panics() {
    const PIECES: [&str; 40] = [
        "(",
        ")",
        " ",
        "\n",
        "\r",
        "<=",
        "(<= ",
        "role",
        "(role a)",
        "init",
        "(true ",
        "does",
        "(next ",
        "(legal ",
        "goal",
        "terminal",
        "not",
        "(not ",
        "(or ",
        "or",
        "distinct",
        "(distinct ",
        "?x",
        "?",
        "?y",
        "a",
        "b",
        "100",
        "-1",
        "\"",
        "#|",
        "|#",
        "\u{e9}",
        "\u{FEFF}",
        "\0",
        ";",
        "&",
        "(p ",
        "(f ",
        "and",
    ];
    let mut state: u64 = 1;
    let mut random = move || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let options = Options {
        limits: Limits { max_nesting: 8, max_rule_variables: 2, max_body_literals: 6, ..Limits::default() },
        ..Options::default()
    };
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random() % 40 {
            // Blanks separate most pieces into words. Only odd rounds have infix pieces, which end
            // the reading.
            let piece = PIECES[random() % if round % 2 == 0 { 30 } else { PIECES.len() }];
            text.push_str(piece);
            text.push_str(if random() % 4 == 0 { "" } else { " " });
        }
        let source = Source::new("garbage.kif", text);
        let mut diagnostics = Diagnostics::default();
        let tree = syntax::parse(&source, &options, &mut diagnostics);
        let rules = check::check(&tree, &source, &options, &mut diagnostics);
        diagnostics.sort();
        assert_eq!(
            rules.is_none(),
            diagnostics.has_errors(),
            "{:?}\n{}",
            source.text(),
            diagnostics.render(&source)
        );
    }
}

#[test]
fn arbitrary_bytes_never_panic() {
    let mut state: u64 = 2;
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..state as usize % 64)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 1;
        let mut diagnostics = Diagnostics::default();
        match Source::from_bytes("bytes", bytes) {
            Ok(source) => {
                let tree = syntax::parse(&source, &Options::default(), &mut diagnostics);
                check::check(&tree, &source, &Options::default(), &mut diagnostics);
                assert!(diagnostics.is_empty() || !diagnostics.render(&source).is_empty());
            }
            Err(fault) => assert!(fault.1.render(&fault.0).contains("GDL012")),
        }
    }
}

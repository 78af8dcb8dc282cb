//! Costly rulesheets stop within their limits of steps and bytes, with brief errors.

use gdl_compiler::{
    Diagnostics, Levels, Limits, Options, Severity, Source, check::check, ground::ground, propnet::build,
    syntax::parse,
};
use std::fmt::Write as _;

/// The game that every rulesheet here adds to.
const GAME: &str = "(role r) (init a) (legal r x) (legal r y) (<= (next a) (does r x))
    (<= terminal (not (true a))) (goal r 0)\n";

/// Joins `line` for each number below `count`.
fn repeat(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = write!(text, "{} ", line(i));
        text
    })
}

/// Returns the codes of the errors of `added`, under limits that a debug build reaches quickly;
/// none if it loads.
fn errors(added: &str) -> Vec<&'static str> {
    let limits = Limits { fuel: 6_000_000, max_fluents: 20_000, ..Limits::network() };
    let options = Options { limits, ..Options::default() };
    let source = Source::new("costly.kif", format!("{GAME}{added}"));
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, &options, &mut diagnostics);
    let ground = check(&tree, &source, &options, &mut diagnostics)
        .and_then(|rules| ground(&rules, &options, &mut diagnostics));
    if let Some(ground) = &ground {
        assert!(ground.cost.steps <= options.limits.fuel, "{:?}", ground.cost);
        assert!(ground.cost.bytes <= options.limits.max_bytes, "{:?}", ground.cost);
    }
    let net = ground.and_then(|ground| build(&ground, &options, &mut diagnostics));
    assert_eq!(net.is_none(), diagnostics.has_errors());
    assert!(diagnostics.render(&source).len() < 100_000, "messages stay short");
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.code.id)
        .collect()
}

#[test]
fn wide_joins_end() {
    let edges = repeat(40, |i| repeat(40, |j| format!("(e {i} {j})")));
    let start = repeat(40, |i| repeat(40, |j| format!("(init (e {i} {j}))")));
    // A chain splits into short parts; a clique does not split.
    let chain = repeat(40, |i| format!("(e ?v{i} ?v{})", i + 1));
    assert_eq!(errors(&format!("{edges} (<= (next b) {chain} (does r x))")), [""; 0]);
    let clique = repeat(6, |i| repeat(i, |j| format!("(true (e ?v{j} ?v{i}))")));
    assert_eq!(errors(&format!("{start} (<= (next b) {clique} (does r x))")), ["GDLM7"]);
    let values = repeat(1_000, |i| format!("(init (d {i}))"));
    let body = repeat(10, |i| format!("(true (d ?v{i}))"));
    assert_eq!(errors(&format!("{values} (<= (next b) {body} (distinct ?v9 ?v0) (does r x))")), ["GDLM7"]);
}

#[test]
fn of_what_is_fixed_one_witness_is_enough() {
    let edges = repeat(40, |i| repeat(40, |j| format!("(e {i} {j})")));
    let clique = repeat(6, |i| repeat(i, |j| format!("(e ?v{j} ?v{i})")));
    assert_eq!(errors(&format!("{edges} (<= (next b) {clique} (does r x))")), [""; 0]);
    let values = repeat(1_000, |i| format!("(d {i})"));
    let body = repeat(10, |i| format!("(d ?v{i})"));
    let different = "(distinct ?v8 ?v9) (distinct ?v9 ?v0)";
    assert_eq!(errors(&format!("{values} (<= (next b) {body} {different} (does r x))")), [""; 0]);
    // Each fact of a static relation needs one witness, also through other static relations.
    let more = format!(
        "(<= (s ?v0) {body} {different}) (<= (next (b ?x)) (s ?x) (not (t ?x))) (<= (t ?x) (s ?x) (s ?y))"
    );
    assert_eq!(errors(&format!("{values} {more}")), [""; 0]);
}

#[test]
fn states_of_many_bits_are_too_many() {
    let variables = repeat(25, |i| format!("?b{i}"));
    let body = repeat(25, |i| format!("(digit ?b{i})"));
    let rules = |head: &str| format!("(digit 0) (digit 1) (<= ({head} (reg {variables})) {body})");
    assert_eq!(errors(&rules("init")), ["GDL137"]);
    // A rule for `next` has many instances for few fluents.
    assert_eq!(errors(&rules("next")), ["GDL133"]);
}

#[test]
fn long_chains_are_linear() {
    // A static chain and one through time: each link is visited a constant number of times.
    let fixed = repeat(5_000, |i| format!("(<= (c{} ?x) (c{i} ?x))", i + 1));
    assert_eq!(errors(&format!("(c0 a) {fixed} (<= (next b) (c5000 ?x) (does r x))")), [""; 0]);
    let moving = repeat(5_000, |i| format!("(<= (next (s {})) (true (s {i})))", i + 1));
    assert_eq!(errors(&format!("(init (s 0)) {moving}")), [""; 0]);
}

#[test]
fn long_cycles_are_told_briefly() {
    let links = repeat(3_000, |i| format!("(succ {} {i})", i + 1));
    let cycle =
        "(<= (n ?x) (succ ?x ?y) (n ?y) (true a)) (<= (n 0) (true a) (not (n 2999))) (<= (next b) (n 7))";
    assert_eq!(errors(&format!("{links} {cycle}")), ["GDL092"]);
}

#[test]
fn cycles_are_traced_within_a_budget() {
    // Each of 150 rules closes a cycle of its own through one large SCC.
    let links = repeat(150, |i| {
        repeat(150, |j| format!("(<= (p{i}) (p{j}))"))
            + &format!("(<= (p{i}) (not (p{})) (true a))", (i + 1) % 150)
    });
    let cycles = errors(&format!("{links} (<= (next b) (p0))")).len();
    assert!((1..75).contains(&cycles), "{cycles}");
}

#[test]
fn names_longer_than_their_terms_are_counted() {
    let doubling = repeat(15, |i| format!("(<= (t{} (f ?x ?x)) (t{i} ?x))", i + 1));
    let many = repeat(5_000, |i| format!("(k {i})"));
    assert_eq!(
        errors(&format!("(t0 z) {doubling} {many} (<= (next (big ?i ?x)) (t15 ?x) (k ?i))")),
        ["GDL136"]
    );
}

#[test]
fn wide_relations_and_many_roles_load() {
    let arguments = repeat(5_000, |i| format!("c{i}"));
    assert_eq!(errors(&format!("(p {arguments}) (<= (next b) (p {arguments}))")), [""; 0]);
    let roles = repeat(500, |i| format!("(role r{i})"));
    let rules = "(<= (legal ?r m) (role ?r)) (<= (next (done ?r)) (does ?r m)) (<= (goal ?r 1) (role ?r))";
    assert_eq!(errors(&format!("{roles} {rules}")), [""; 0]);
}

#[test]
fn long_tests_and_deep_heads_cost_what_they_take() {
    let values = repeat(60, |i| format!("(q {i})"));
    let parts = repeat(2_000, |_| "?x ?y".to_owned());
    // For each of 3,600 pairs, two terms of 4,000 parts are compared.
    let long = format!("(<= (next (g ?x ?y)) (q ?x) (q ?y) (distinct (f {parts} 0) (f {parts} 1)))");
    assert_eq!(errors(&format!("{values} {long}")), ["GDLM7"]);
    let many = repeat(5_000, |i| format!("(k {i})"));
    let deep = format!("(<= (next {}?x{}) (k ?x))", "(f ".repeat(200), ")".repeat(200));
    assert_eq!(errors(&format!("{many} {deep}")), ["GDLM7"]);
}

#[test]
fn planning_is_paid_for_before_it_is_done() {
    let body = repeat(500, |i| format!("(true (f {i}))"));
    assert_eq!(errors(&format!("(init (f 1)) (<= (next b) {body})")), ["GDLM7"]);
}

#[test]
fn what_is_in_vain_is_sought_with_a_part_of_the_fuel() {
    let facts = repeat(400, |i| format!("(p {i} x{i})"));
    let silent = repeat(100, |i| format!("(<= (next (g {i})) (p ?x ?x) (true a))"));
    let told = |fuel| {
        let limits = Limits { fuel, ..Limits::network() };
        let options = Options { limits, ..Options::default() };
        let source = Source::new("costly.kif", format!("{GAME}{facts}{silent}"));
        let compiled = gdl_compiler::compile(&source, &options).expect("loads");
        compiled.diagnostics.iter().filter(|diagnostic| diagnostic.code.id == "GDL113").count()
    };
    // 100 literals are compared with 400 facts.
    assert_eq!(told(500_000), 0);
    assert_eq!(told(50_000_000), 1);
}

/// Three places after the first one are labels, and the note has the number of the rest.
#[test]
fn places_that_are_not_shown_are_counted() {
    for (literals, expected) in [(4, ""), (5, "and 1 more such literal"), (9, "and 5 more such literals")] {
        let rules = repeat(literals, |i| format!("(<= (next (g {i})) (p {i}) (true a))"));
        let source = Source::new("costly.kif", format!("{GAME}(p x){rules}"));
        let compiled = gdl_compiler::compile(&source, &Options::default()).expect("loads");
        let mut found = compiled.diagnostics.iter().filter(|diagnostic| diagnostic.code.id == "GDL113");
        let found = found.next().expect("a literal without a match");
        assert_eq!(found.note, expected);
        let shown = found.labels.iter().filter(|label| label.text == "likewise").count();
        assert_eq!(shown, 3, "{found:?}");
    }
}

#[test]
fn near_names_are_sought_among_some() {
    let name = |i: usize, end: &str| format!("{}{i:04}{end}", "n".repeat(50));
    let text = repeat(1_500, |i| format!("(<= (next b) ({}) ({}))", name(i, "a"), name(i, "b")));
    let defined = repeat(1_500, |i| name(i, "b"));
    let options = Options::default();
    let source = Source::new("costly.kif", format!("{GAME}{text}{defined}"));
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, &options, &mut diagnostics);
    check(&tree, &source, &options, &mut diagnostics).expect("only warnings");
    let is_near = |help: &&str| help.starts_with("did you mean");
    let near = diagnostics.iter().filter_map(|diagnostic| diagnostic.help.as_deref()).filter(is_near).count();
    assert!((1..20).contains(&near), "{near} of 1500");
}

/// More errors of growing terms than are kept do not hide an error of another kind after them.
#[test]
fn an_error_after_very_many_of_growth_blocks_the_rules() {
    let growing =
        repeat(1_100, |i| format!("(p{i} z) (<= (p{i} (s ?x)) (p{i} ?x)) (<= (next a) (p{i} ?x) (role ?r))"));
    let checked = |added: &str| {
        let deny = vec!["recursion_restriction_finite".to_owned()];
        let levels = Levels { deny, ..Levels::default() };
        let options = Options { levels, ..Options::default() };
        let source = Source::new("costly.kif", format!("{GAME}{growing}{added}"));
        let mut diagnostics = Diagnostics::new(options.levels.clone());
        let tree = parse(&source, &options, &mut diagnostics);
        let rules = check(&tree, &source, &options, &mut diagnostics);
        (diagnostics.count(Severity::Error), rules.is_some())
    };
    assert_eq!(checked(""), (1_100, true));
    let recursive = "(e a b) (q a b) (<= (q ?x ?z) (q ?x ?y) (e ?u ?z) (q ?y ?u)) (<= (next a) (q ?x ?y))";
    assert_eq!(checked(recursive), (1_101, false));
}

/// A growing relation is found also if no other rule of the rulesheet has variables.
#[test]
fn a_lone_relation_that_grows_is_reported() {
    let options = Options::default();
    let growing = "(p z) (<= (p (s ?x)) (p ?x)) (<= (next a) (p ?x))";
    let source = Source::new("growing.kif", format!("{GAME}{growing}"));
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, &options, &mut diagnostics);
    check(&tree, &source, &options, &mut diagnostics);
    let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
    assert!(codes.contains(&"GDL095"), "{codes:?}");
}

#[test]
fn messages_name_some_of_a_long_path() {
    let links = repeat(3_000, |i| format!("(<= p{i} p{})", i + 1));
    for added in ["(<= (legal r z) p0) (<= p3000 (does r x))", "(<= p3000 (not p0))"] {
        let options = Options::default();
        let source = Source::new("costly.kif", format!("{GAME}{links}{added}"));
        let mut diagnostics = Diagnostics::new(options.levels.clone());
        let tree = parse(&source, &options, &mut diagnostics);
        check(&tree, &source, &options, &mut diagnostics);
        let path = diagnostics.iter().find(|diagnostic| diagnostic.message.contains(".. 2"));
        let path = path.expect("most of the path is left out");
        assert!(path.message.len() < 200 && path.labels.len() < 20, "{}", path.message);
    }
}

#[test]
fn a_higher_limit_changes_nothing_that_was_reached() {
    let text = format!("{GAME}{}", repeat(50, |i| format!("(<= (next (s {})) (true (s {i})))", i + 1)));
    let net = |limits: Limits| {
        let options = Options { limits, ..Options::default() };
        let compiled = gdl_compiler::compile(&Source::new("game.kif", text.clone()), &options);
        compiled.ok().map(|compiled| compiled.net.to_dot())
    };
    let small = net(Limits { max_ground_rules: 100, max_atoms: 500, fuel: 10_000, ..Limits::network() });
    assert!(small.is_some());
    assert_eq!(small, net(Limits::default()));
}

/// Returns the note at the rule and the help of the first error of `added` under limits. Rules are
/// not split.
fn blame(added: &str, limits: Limits) -> (String, String) {
    let options = Options { limits, split_from: usize::MAX, ..Options::default() };
    let source = Source::new("costly.kif", format!("{GAME}{added}"));
    let faults = gdl_compiler::compile(&source, &options).expect_err("over the limits").diagnostics;
    let fault = faults.iter().find(|fault| fault.severity == Severity::Error).expect("an error");
    (fault.note.clone(), fault.help.clone().expect("something to change"))
}

#[test]
fn the_costliest_rule_is_named_with_its_variables_and_what_to_change() {
    let digits = repeat(10, |i| format!("(d {i})"));
    let few = |max_ground_rules| Limits { max_ground_rules, ..Limits::default() };
    let (note, help) =
        blame(&format!("{digits} (<= (legal r (code ?a ?b ?c)) (d ?a) (d ?b) (d ?c))"), few(500));
    assert_eq!(note, "this rule has 501 of them so far, for `?a`, `?b` and `?c` of its head");
    assert_eq!(help, "use fewer independent arguments in a move, or raise the limit");

    // The first rule reaches the limit, but the second has most of the instances.
    let both = "(<= (next (a ?x)) (true (b ?x ?y)) (true (b ?y ?z)))
        (<= (next (b ?x ?y)) (d ?x) (d ?y) (true (k ?m)) (true (k ?n)) (does r ?o) (distinct ?m ?n))";
    let start = repeat(10, |i| format!("(init (k {i}))"));
    let (note, help) = blame(&format!("{digits} {start} {both}"), few(18_050));
    assert_eq!(
        note,
        "this rule has 18000 of them so far, for `?x` and `?y` of its head and `?m`, `?n` and `?o` of its body"
    );
    assert_eq!(help, "move the literals with `?o` into a separate relation, such as `part`");

    let (note, help) = blame(
        &format!("{start} (<= (next b) (true (k ?a)) (true (k ?b)) (true (k ?c)) (true (k ?d)))"),
        Limits { fuel: 5_000, ..Limits::default() },
    );
    assert!(note.starts_with("this rule takes ") && note.ends_with(" of its body"), "{note}");
    assert!(note.contains("instances so far, for `?a`, `?b`, `?c` and `?d` of its body"), "{note}");
    assert_eq!(help, "move the literals with `?a` into a separate relation, such as `part`");

    let (note, help) = blame("(d 1) (d 2)", Limits { max_atoms: 3, ..Limits::default() });
    assert_eq!(note, "this rule has 1 instance so far");
    assert_eq!(help, "use fewer rules, or raise the limit");
}

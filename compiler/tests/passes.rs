//! Results of grounding and of each pass of the optimiser for small rulesheets, as text.

use gdl_compiler::{
    Diagnostics, Levels, Limits, Options, Source,
    check::check,
    emit::lower,
    ground::ground,
    meter::Meter,
    observer::Phase,
    optimize,
    propnet::{MutexGroup, Net, build},
    syntax::parse,
};

/// Builds the net of a rulesheet without optimisation.
fn net(rules: &str) -> Net {
    let source = Source::new("test.kif", rules);
    let options = Options::default();
    let mut diagnostics = Diagnostics::new(Levels::default());
    let tree = parse(&source, &options, &mut diagnostics);
    let checked = check(&tree, &source, &options, &mut diagnostics);
    let ground = checked.and_then(|rules| ground(&rules, &options, &mut diagnostics));
    let net = ground.and_then(|ground| build(&ground, &options, &mut diagnostics));
    net.unwrap_or_else(|| panic!("{}", diagnostics.render(&source)))
}

/// Returns the lines of the net's text that start with one of the words.
fn lines(net: &Net, starts: &[&str]) -> String {
    let text = net.to_string();
    text.split_inclusive('\n').filter(|line| starts.iter().any(|start| line.starts_with(start))).collect()
}

/// Runs a pass on a net.
fn run(pass: fn(&Net, &mut Meter) -> Option<Net>, net: &Net) -> Net {
    pass(net, &mut Meter::new(&Options::default(), Phase::Optimize)).expect("within the limits")
}

/// Checks the lines of a rulesheet's net before and after one pass.
fn check_pass(
    pass: fn(&Net, &mut Meter) -> Option<Net>,
    rules: &str,
    starts: &[&str],
    before: &str,
    after: &str,
) {
    let net = net(rules);
    assert_eq!(lines(&net, starts), before, "before the pass, of\n{net}");
    let optimised = run(pass, &net);
    assert_eq!(lines(&optimised, starts), after, "after the pass, of\n{optimised}");
}

/// The base of games for one player who can do `a`, `b`, `c` or `d` at any time.
const PLAYER: &str = "(role p) (init (at 1)) (act a) (act b) (act c) (act d)
    (<= (legal p ?m) (act ?m)) (<= terminal (true (at 9))) (goal p 100)";

#[test]
fn grounding_folds_static_relations() {
    let net = net("(role p) (init (step 1)) (succ 1 2) (succ 2 3)
        (legal p wait)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step 3)))
        (goal p 100)");
    assert_eq!(
        net.to_string(),
        "next (step 1) = 0\n\
         next (step 2) = (step 1)\n\
         next (step 3) = (step 2)\n\
         legal p wait = 1\n\
         goal p 100 = 1\n\
         terminal = (step 3)\n"
    );
}

#[test]
fn the_start_may_rest_on_negation_that_is_stratified_once_ground() {
    let net = net("(role p) (cell 1) (cell 2) (cell 3) (succ 1 2) (succ 2 3)
        (<= (odd 1) (cell 1)) (<= (odd ?y) (succ ?x ?y) (not (odd ?x)))
        (<= (init (at ?x)) (odd ?x)) (legal p wait)
        (<= (next (at ?x)) (true (at ?x))) (<= terminal (not (true (at 1)))) (goal p 50)");
    assert_eq!(net.vocabulary.fluents, ["(at 1)", "(at 2)", "(at 3)"]);
    assert_eq!(net.initial, [true, false, true]);
}

#[test]
fn cycles_are_unrolled_to_their_least_fixpoint() {
    // `r` and `s` support each other, and hold only through `on`.
    let net = net("(role p) (init off) (legal p wait)
        (<= r s) (<= s r) (<= r (true on))
        (<= (next on) (does p wait))
        (<= terminal s) (goal p 50)");
    assert_eq!(lines(&net, &["terminal"]), "terminal = on\n");
}

#[test]
fn an_or_that_binds_becomes_a_choice() {
    let net = net("(role p) (init (a 1)) (init (b 2)) (legal p wait)
        (<= (hit ?x) (or (true (a ?x)) (true (b ?x))) (distinct ?x 2))
        (<= (next (a ?x)) (true (a ?x)) (does p wait)) (<= (next (b ?x)) (true (b ?x)) (does p wait))
        (<= terminal (hit ?x)) (goal p 0)");
    assert_eq!(lines(&net, &["terminal"]), "terminal = (a 1)\n");
}

#[test]
fn what_never_changes_is_read_at_the_start() {
    let rules = "(role p) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (init (wall 3 4))
        (<= (legal p (to ?y)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?x ?y))))
        (<= (next (at ?y)) (does p (to ?y))) (<= (next (wall ?x ?y)) (true (wall ?x ?y)))
        (<= terminal (true (at 3))) (goal p 0)";
    assert_eq!(net(rules).vocabulary.moves, ["(to 2)", "(to 3)"]);
    // With another rule the wall may change; with a condition, or a frame rule for only one square,
    // it may disappear.
    for changed in ["(<= (next (wall 1 2)) (does p (to 2)))", "(<= (next ?f) (true ?f) (does p (to 2)))"] {
        assert_eq!(net(&format!("{rules} {changed}")).vocabulary.moves.len(), 3, "{changed}");
    }
    for frame in [
        "(<= (next (wall ?x ?y)) (true (wall ?x ?y)) (does p (to 2)))",
        "(<= (next (wall 3 ?y)) (true (wall 3 ?y)))",
    ] {
        let changed = rules.replace("(<= (next (wall ?x ?y)) (true (wall ?x ?y)))", frame);
        assert_eq!(net(&changed).vocabulary.moves.len(), 3, "{frame}");
    }
}

#[test]
fn constants_fold() {
    // No role can jump while the wall stands, and the wall is permanent, so the only move of p is
    // `go`.
    let rules = "(role p) (init (wall 1)) (init (at 1)) (legal p go)
        (<= (legal p jump) (true (at 1)) (not (true (wall 1))))
        (<= (next (wall ?x)) (true (wall ?x)) (role p))
        (<= (next (at 2)) (true (at 1)) (true (wall 1)) (does p go))
        (<= (next (at 3)) (does p jump))
        (<= terminal (true (at 2))) (<= (goal p 100) (true (wall 1)))";
    check_pass(
        optimize::fold_constants,
        rules,
        &["next", "goal", "legal"],
        "next (at 1) = 0\nnext (at 2) = g1\nnext (at 3) = p: jump\nnext (wall 1) = (wall 1)\n\
         legal p go = 1\nlegal p jump = g0\ngoal p 100 = (wall 1)\n",
        "next (at 1) = 0\nnext (at 2) = (at 1)\nnext (at 3) = 0\nnext (wall 1) = 1\n\
         legal p go = 1\nlegal p jump = 0\ngoal p 100 = 1\n",
    );
}

#[test]
fn legality_is_assumed() {
    let rules = "(role p) (init (free 1)) (init (at 0))
        (<= (legal p take) (true (free 1)) (true (at 0))) (legal p wait)
        (<= (next (at 1)) (does p take) (true (free 1)))
        (<= (next (at 2)) (does p take) (not (true (free 1))))
        (<= (next (at 0)) (true (at 0))) (<= (next (free 1)) (true (free 1)))
        (<= terminal (true (at 1))) (<= terminal (true (at 2))) (goal p 100)";
    check_pass(
        optimize::assume_legality,
        rules,
        &["next (at 1)", "next (at 2)", "g"],
        "g0 = (at 0) & (free 1)\ng1 = (free 1) & p: take\ng2 = !(free 1) & p: take\ng3 = !(at 1) & !(at 2)\n\
         next (at 1) = g1\nnext (at 2) = g2\ngoal p 100 = 1\n",
        "g0 = (at 0) & (free 1)\ng1 = !(at 1) & !(at 2)\nnext (at 1) = p: take\nnext (at 2) = 0\ngoal p 100 = 1\n",
    );
}

#[test]
fn sums_of_products_are_factored() {
    let rules = format!(
        "{PLAYER} (<= (next (at 9)) (true (at 1)) (does p a)) (<= (next (at 9)) (true (at 1)) (does p b))"
    );
    check_pass(
        optimize::factor,
        &rules,
        &["g0", "g1", "g2", "next (at 9)"],
        "g0 = (at 1) & p: a\ng1 = (at 1) & p: b\ng2 = !g0 & !g1\nnext (at 9) = !g2\n",
        "g0 = !p: a & !p: b\ng1 = (at 1) & !g0\nnext (at 9) = g1\n",
    );
}

/// A game with pieces of three kinds on four squares; a move takes any piece from one square to
/// another.
const PIECES: &str = "(role p) (square 1) (square 2) (square 3) (square 4) (kind a) (kind b) (kind c)
    (init (on 1 a)) (init (on 2 b)) (init (on 3 c)) (<= terminal (true (on 4 c))) (goal p 0)
    (<= (legal p (go ?x ?y)) (square ?x) (square ?y) (distinct ?x ?y))";

#[test]
fn where_moves_lead_and_what_they_take_along_is_asked_apart() {
    let rules = format!("{PIECES} (<= (next (on ?y ?k)) (does p (go ?x ?y)) (true (on ?x ?k)))");
    let before = net(&rules);
    let after = run(optimize::factor_moves, &before);
    // Before: twelve sums of three products. After: two lists of three moves for each square, a sum
    // of four products for each kind, and twelve conjunctions.
    assert_eq!([before.operations(), after.operations()], [12 * 5, 8 * 2 + 3 * 7 + 12]);
    let expected = "g0 = !p: (go 1 2) & !p: (go 1 3) & !p: (go 1 4)\ng1 = (on 1 a) & !g0\n";
    assert_eq!(lines(&after, &["g0 ", "g1 "]), expected, "of\n{after}");
}

#[test]
fn moves_that_take_different_things_along_stay_as_they_are() {
    // The rest of a move depends on its destination, so no rest is common to two squares.
    let rules = format!(
        "{PIECES} (init (up 1)) (<= (next (up ?x)) (true (up ?x)))
        (<= (next (up 2)) (does p (go 1 2))) (<= (next (up 3)) (does p (go 1 3))) (<= (next (up 4)) (does p (go 1 4)))
        (<= (next (on ?y ?k)) (does p (go ?x ?y)) (true (on ?x ?k)) (true (up ?y)))"
    );
    let before = net(&rules);
    let after = run(optimize::factor_moves, &before);
    assert_eq!(after.to_string(), before.to_string());
}

#[test]
fn long_exclusions_are_complemented() {
    let rules = format!("{PLAYER} (<= (next (at 9)) (does p ?m) (distinct ?m d))");
    check_pass(
        optimize::complement,
        &rules,
        &["g0", "next (at 9)"],
        "g0 = !p: a & !p: b & !p: c\nnext (at 9) = !g0\n",
        "next (at 9) = !p: d\n",
    );
}

#[test]
fn exclusions_in_several_gates_are_complemented_together() {
    let denied = "(<= one (does p a)) (<= one (does p b)) (<= (next (at 9)) (not one) (not (does p c)))";
    check_pass(
        optimize::complement,
        &format!("{PLAYER} {denied}"),
        &["g0", "g1", "next (at 9)"],
        "g0 = !p: a & !p: b\ng1 = !p: c & g0\nnext (at 9) = g1\n",
        "next (at 9) = p: d\n",
    );
    let chosen = "(<= (next (at 9)) (or (does p a) (does p b) (does p c)) (or (does p c) (does p d)) (not (true (at 1))))";
    check_pass(
        optimize::complement,
        &format!("{PLAYER} {chosen}"),
        &["g0", "g1", "g2", "next (at 9)"],
        "g0 = !p: c & !p: d\ng1 = !p: a & !p: b & !p: c\ng2 = !(at 1) & !g0 & !g1\nnext (at 9) = g2\n",
        "g0 = !(at 1) & p: c\nnext (at 9) = g0\n",
    );
}

#[test]
fn a_move_denies_the_others() {
    check_pass(
        optimize::complement,
        &format!(
            "{PLAYER} (<= (next (at 6)) (does p a) (does p b)) (<= (next (at 7)) (does p a) (not (does p b)))
            (<= one (does p a)) (<= one (does p c)) (<= (next (at 8)) (does p b) one)"
        ),
        &["g0", "g1", "g2", "g3", "next (at 6)", "next (at 7)", "next (at 8)"],
        "g0 = p: a & !p: b\ng1 = !p: a & !p: c\ng2 = p: a & p: b\ng3 = p: b & !g1\n\
         next (at 6) = g2\nnext (at 7) = g0\nnext (at 8) = g3\n",
        "next (at 6) = 0\nnext (at 7) = p: a\nnext (at 8) = 0\n",
    );
}

#[test]
fn common_operands_are_shared() {
    let rules = format!(
        "{PLAYER} (<= (next (at 8)) (or (does p a) (does p b) (does p c)))
        (<= (next (at 9)) (or (does p a) (does p b) (does p d)))"
    );
    check_pass(
        optimize::share,
        &rules,
        &["g0", "g1", "g2", "next (at 8)", "next (at 9)"],
        "g0 = !p: a & !p: b & !p: c\ng1 = !p: a & !p: b & !p: d\nnext (at 8) = !g0\nnext (at 9) = !g1\n",
        "g0 = !p: a & !p: b\ng1 = !p: c & g0\ng2 = !p: d & g0\nnext (at 8) = !g1\nnext (at 9) = !g2\n",
    );
}

/// A game of two roles in turn, with a token that the role to move puts on a cell.
const TURNS: &str = "(role p) (role q) (init (control p)) (init (at 1)) (cell 1) (cell 2) (cell 3)
    (<= (next (control p)) (true (control q))) (<= (next (control q)) (true (control p)))
    (<= (legal ?r (go ?x)) (true (control ?r)) (cell ?x))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
    (<= (next (at ?x)) (does ?r (go ?x))) (<= terminal (true (at 3)))";

#[test]
fn exclusive_fluents_are_found() {
    let rules = format!("{TURNS} (<= (goal ?r 0) (role ?r))");
    let net = run(optimize::find_mutex_groups, &net(&rules));
    let names = |members: &[u32]| -> String {
        let names = members.iter().map(|&fluent| net.vocabulary.fluents[fluent as usize].as_str());
        names.collect::<Vec<_>>().join(" ")
    };
    let found: Vec<(String, bool)> =
        net.mutex_groups.iter().map(|group| (names(&group.members), group.exactly_one)).collect();
    let expected = [("(control p) (control q)".to_owned(), true), ("(at 1) (at 2) (at 3)".to_owned(), true)];
    assert_eq!(found, expected);
}

/// Runs a pass on a net after finding its mutex groups.
fn knowing(pass: fn(&Net, &mut Meter) -> Option<Net>, net: &Net, meter: &mut Meter) -> Option<Net> {
    pass(&optimize::find_mutex_groups(net, meter)?, meter)
}

#[test]
fn what_is_implied_is_dropped() {
    let rules =
        format!("{TURNS} (<= (goal ?r 0) (role ?r)) (<= (goal p 100) (true (at 1)) (not (true (at 2))))");
    check_pass(
        |net, meter| knowing(optimize::drop_implied, net, meter),
        &rules,
        &["goal p 100"],
        "goal p 100 = g0\n",
        "goal p 100 = (at 1)\n",
    );
}

#[test]
fn fluents_of_which_one_holds_are_complemented() {
    let rules =
        format!("{TURNS} (<= (goal ?r 0) (role ?r)) (<= (goal p 100) (or (true (at 1)) (true (at 2))))");
    check_pass(
        |net, meter| knowing(optimize::complement, net, meter),
        &rules,
        &["goal p 100"],
        "goal p 100 = !g0\n",
        "goal p 100 = !(at 3)\n",
    );
}

/// Returns the lines of the nets at the phases of a rulesheet's cycle, or of its net if it has no
/// cycle.
fn phases(rules: &str, starts: &[&str]) -> Vec<String> {
    let net = net(rules);
    let nets =
        optimize::phases(&net, &mut Meter::of(u64::MAX)).map_or_else(|| vec![net], |phases| phases.nets);
    nets.iter().map(|net| lines(net, starts)).collect()
}

#[test]
fn whose_turn_it_is_tells_the_phase() {
    let rules = "(<= (goal ?r 1) (true (control ?r))) (<= (goal ?r 0) (role ?r) (not (true (control ?r))))";
    let of = |mover: &str| {
        let bit = |role: &str| u32::from(role == mover);
        format!(
            "next (at 2) = {mover}: (go 2)\nnext (control p) = {q}\nnext (control q) = {p}\n\
             legal p (go 1) = {p}\nlegal p wait = {q}\nlegal q (go 1) = {q}\nlegal q wait = {p}\n",
            p = bit("p"),
            q = bit("q"),
        )
    };
    let lines =
        ["next (control", "next (at 2)", "legal p (go 1)", "legal p wait", "legal q (go 1)", "legal q wait"];
    assert_eq!(phases(&format!("{TURNS} {rules}"), &lines), [of("p"), of("q")]);
}

#[test]
fn moves_may_pass_the_turn_on() {
    // Each move except waiting passes the turn. If a move does not pass the turn, the fluents of
    // `control` follow no cycle.
    let rules = |given: &str| {
        format!(
            "(role p) (role q) (init (control p)) (init (at 0)) (goal p 0) (goal q 0)
            (<= terminal (true (at 9))) (<= (next (at 9)) (does q run)) (<= (next (at 1)) (does p run))
            (<= (legal ?r go) (true (control ?r))) (<= (legal ?r run) (true (control ?r)))
            (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
            (<= (next (control q)) (does p go)) (<= (next (control q)) (does p run))
            (<= (next (control p)) (does q go)) {given}"
        )
    };
    let starts = ["next (control", "legal p go"];
    let found = phases(&rules("(<= (next (control p)) (does q run))"), &starts);
    let of = |p: u32| format!("next (control p) = {}\nnext (control q) = {p}\nlegal p go = {p}\n", 1 - p);
    assert_eq!(found, [of(1), of(0)]);
    // After q runs, nobody has the turn.
    assert_eq!(phases(&rules(""), &starts).len(), 1);
}

/// A game in which two players mark two cells in turn, or wait. A player who has marked both wins.
const MARKS: &str = "(role p) (role q) (cell 1) (cell 2) (init (control p))
    (<= (legal ?r (mark ?c)) (true (control ?r)) (cell ?c) (not (marked ?c)))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r)))) (<= (marked ?c) (true (at ?c ?r)))
    (<= (next (control p)) (true (control q))) (<= (next (control q)) (true (control p)))
    (<= (next (at ?c ?r)) (does ?r (mark ?c))) (<= (line ?r) (true (at 1 ?r)) (true (at 2 ?r)))
    (<= terminal (line ?r)) (<= (goal ?r 100) (line ?r)) (<= (goal ?r 0) (role ?r) (not (line ?r)))";

/// The frame rule for marks.
const STAY: &str = "(<= (next (at ?c ?r)) (true (at ?c ?r)))";

/// Returns for each phase, p's turn first, the players whose marks the terminal output reads.
fn ends(rules: &str) -> Vec<Vec<char>> {
    let net = net(&format!("{MARKS} {rules}"));
    let after = run(optimize::drop_impossible_ends, &net);
    let phases = optimize::phases(&after, &mut Meter::of(u64::MAX)).expect("they take turns");
    let read = |net: &Net| {
        let cone = net.cone([net.outputs.terminal]);
        let marks = (0..net.initial.len()).filter(|&fluent| cone[net.fluent(fluent).gate() as usize]);
        let names =
            marks.map(|fluent| &net.vocabulary.fluents[fluent]).filter(|name| name.starts_with("(at 1"));
        names.map(|name| name.chars().nth(6).expect("a role")).collect()
    };
    phases.nets.iter().map(read).collect()
}

#[test]
fn who_has_just_moved_alone_can_have_won() {
    assert_eq!(ends(STAY), [['q'], ['p']]);
    // A capture completes no line.
    let captured =
        "(<= (next (at ?c ?r)) (true (at ?c ?r)) (not (shot ?c))) (<= (shot ?c) (does ?s (shoot ?c)))
        (<= (legal q (shoot ?c)) (true (control q)) (true (at ?c p)))";
    assert_eq!(ends(captured), [['q'], ['p']]);
}

#[test]
fn ends_are_asked_for_where_a_step_may_bring_them_about() {
    let both = vec!['p', 'q'];
    // A mark of one player may become one of the other.
    let turned = format!(
        "{STAY} (<= (next (at ?c p)) (does q (give ?c))) (<= (legal q (give 1)) (true (control q)) (true (at 2 p)))"
    );
    assert_eq!(ends(&turned), [both.clone(), vec!['p']]);
    // A line may also require a mark of the other player.
    let met = "(<= (next (at ?c ?r)) (true (at ?c ?r))) (<= (next (at 3 q)) (does q (mark 1)))
        (<= terminal (true (at 1 p)) (true (at 3 q)))";
    assert_eq!(ends(met), [both, vec!['p']]);
}

#[test]
fn what_never_holds_at_a_phase_is_constant_there() {
    // Only q may swap, and only after the first move.
    let rules = "(init (opening 1)) (<= (next (opening 2)) (true (opening 1))) (<= (legal q swap) (true (opening 2)))
        (<= (next (at ?c ?r)) (true (at ?c ?r)) (not (does q swap))) (<= (next (at ?c q)) (does q swap) (true (at ?c p)))";
    let rules = format!("{MARKS} {rules}");
    let found = phases(&rules, &["next (opening 2)", "legal q swap"]);
    let expected = [
        "next (opening 2) = (opening 1)\nlegal q swap = 0\n",
        "next (opening 2) = 0\nlegal q swap = (opening 2)\n",
    ];
    assert_eq!(found, expected);
}

#[test]
fn cycles_of_different_length_have_a_common_one() {
    let clock = "(role p) (legal p wait) (goal p 0) (<= terminal (true (at 9)))
        (init (at 0)) (init (two 0)) (init (four 0)) (succ 0 1 2) (succ 1 0 2)
        (succ 0 1 4) (succ 1 2 4) (succ 2 3 4) (succ 3 0 4)
        (<= (next (two ?y)) (true (two ?x)) (succ ?x ?y 2))
        (<= (next (four ?y)) (true (four ?x)) (succ ?x ?y 4))
        (<= (next (at 1)) (true (two 1)) (true (four 3)))
        (<= (next (at 9)) (true (at 1)) (not (true (at 0))))";
    let found = phases(clock, &["next (at 1)"]);
    let expected = ["0", "0", "0", "1"].map(|value| format!("next (at 1) = {value}\n"));
    assert_eq!(found, expected);
}

#[test]
fn long_cycles_are_none() {
    let clock = "(role p) (legal p wait) (goal p 0) (<= terminal (true (at 9))) (init (at 0))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 0)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= (next (at 9)) (true (at 9)) (not (true (at 0))))";
    assert_eq!(phases(clock, &["next (at 1)"]), ["next (at 1) = (at 0)\n"]);
}

#[test]
fn what_moves_change_is_of_no_cycle() {
    let light = "(role p) (legal p flip) (legal p wait) (goal p 0) (init on) (init (turn 1))
        (<= (next on) (true on) (does p wait)) (<= (next on) (not (true on)) (does p flip))
        (<= (next (turn 1)) (true (turn 1)) (true on)) (<= terminal (not (true on)))";
    assert_eq!(phases(light, &["next"]).len(), 1);
    assert!(phases(light, &["next (turn 1)"])[0].contains("(turn 1)"));
}

/// The nets of phases do not read a cycle's fluent through a mutex group. One of three fluents
/// holds: the first one follows the cycle, and moves choose between the others. At the phase where
/// the first is false, the complement of the others is no shorter than their disjunction.
#[test]
fn phases_do_not_read_their_cycle_through_mutex_groups() {
    let rules = "(role p) (init (s a)) (legal p left) (legal p right) (<= (next (s a)) (not (true (s a))))
        (<= (next (s b)) (does p left) (true (s a))) (<= (next (s c)) (does p right) (true (s a)))
        (<= terminal (true (s b)) (true (s c))) (<= (goal p 100) (or (true (s b)) (true (s c)))) (goal p 0)";
    let net = run(optimize::find_mutex_groups, &net(rules));
    assert_eq!(net.mutex_groups, [MutexGroup { members: vec![0, 1, 2], exactly_one: true }]);
    let phases = optimize::phases(&net, &mut Meter::of(u64::MAX)).expect("the first goes round");
    assert_eq!(phases.cycle.fluents, [0]);
    for net in &phases.nets {
        let goal = lines(net, &["goal p 100"]);
        assert!(!goal.contains("(s a)"), "{goal}");
    }
}

/// A game of three lamps that are switched on in any order; it ends when all are on.
const LAMPS: &str = "(role p) (succ 0 1) (succ 1 2) (succ 2 3) (<= (lamp ?l) (succ ?k ?l))
    (<= (legal p (switch ?l)) (lamp ?l) (not (true (on ?l))))
    (<= (next (on ?l)) (does p (switch ?l))) (<= (next (on ?l)) (true (on ?l)))
    (<= dark (lamp ?l) (not (true (on ?l)))) (<= terminal (not dark)) (goal p 100)";

#[test]
fn plies_of_a_short_game_know_what_has_happened() {
    let plies = optimize::plies(&net(LAMPS), &mut Meter::of(u64::MAX)).expect("it is short");
    assert_eq!(plies.counts, [[Some(3)], [Some(2)], [Some(1)]]);
    let terminal: Vec<String> = plies.nets.iter().map(|net| lines(net, &["terminal"])).collect();
    assert_eq!(terminal, ["0", "0", "0", "1"].map(|value| format!("terminal = {value}\n")));
    assert_eq!(lines(&plies.nets[0], &["legal p (switch 2)"]), "legal p (switch 2) = 1\n");
    // At the last ply, every lamp is on after the move.
    assert_eq!(lines(&plies.nets[2], &["next (on 2)"]), "next (on 2) = 1\n");
}

#[test]
fn games_that_may_be_long_have_no_plies() {
    let plies = |rules: &str| optimize::plies(&net(rules), &mut Meter::of(u64::MAX)).is_some();
    assert!(!plies(PLAYER));
    // A player who has switched the first lamp on has no legal move.
    let legal = "(<= (legal p (switch ?l)) ";
    assert!(!plies(&LAMPS.replace(legal, &format!("{legal} (not (true (on 1)))"))));
    // Most games are over after a move.
    assert!(plies(&format!("{LAMPS} (<= terminal (true (on 1)) (true (on 2)))")));
    assert!(!plies(&format!("{LAMPS} (<= terminal (true (on 1))) (<= terminal (true (on 2)))")));
}

/// The rules of a player who perceives its neighbour's moves except `d`, and the places `at` by a
/// fluent that nothing else reads.
const SEES: &str = "(role q) (legal q wait) (goal q 0) (init (told 1))
    (<= (next (told ?x)) (true (at ?x)))
    (<= (sees q (moved ?m)) (does p ?m) (distinct ?m d))
    (<= (sees q (at ?x)) (true (told ?x)))
    (<= (sees p alive) (role p)) (<= (sees r lost) (true (at 9)))";

#[test]
fn percepts_are_outputs() {
    let net = net(&format!("{PLAYER} {SEES} (<= (next (at 9)) (does p a))"));
    assert_eq!(
        lines(&net, &["sees"]),
        "sees p alive = 1\n\
         sees q (at 1) = (told 1)\n\
         sees q (at 9) = (told 9)\n\
         sees q (moved a) = p: a\n\
         sees q (moved b) = p: b\n\
         sees q (moved c) = p: c\n"
    );
    // Rules for percepts of an unknown role have no effect.
    assert_eq!(net.vocabulary.percepts, ["(at 1)", "(at 9)", "(moved a)", "(moved b)", "(moved c)", "alive"]);
    assert_eq!(net.percepts().map(<[_]>::len).collect::<Vec<_>>(), [1, 5]);
    assert!(net.to_dot().contains("label=\"sees q (moved a)\""));
}

#[test]
fn stepping_computes_no_percepts() {
    let rules = format!("{PLAYER} (<= (next (at 9)) (does p a))");
    let deaf = net(&rules);
    assert!(deaf.outputs.sees.is_none() && lower::perceive(&deaf).is_none());
    let told = "(<= (sees p ?m) (does p ?m) (not (true (at 1)))) (<= (sees p far) (does p d) (true (at 9)))";
    let told = net(&format!("{rules} {told}"));
    assert_eq!(lower::advance(&told).gates, lower::advance(&deaf).gates);
    assert_eq!(lower::observe(&told).gates, lower::observe(&deaf).gates);
    let perceive = lower::perceive(&told).expect("there are percepts");
    assert_eq!((perceive.gates.len(), perceive.outputs.len()), (5, 5));
}

#[test]
fn rulesheets_with_percepts_compile() {
    let source = Source::new("083_gdl2_sees.kif", include_str!("reject/083_gdl2_sees.kif"));
    let compiled = gdl_compiler::compile(&source, &Options::default()).expect("no fault");
    assert_eq!(compiled.net.vocabulary.percepts, ["(take 1)", "(take 2)", "noop"]);
    assert_eq!(compiled.net.percepts().map(<[_]>::len).collect::<Vec<_>>(), [3, 3]);
}

/// Rules for `sees` that never fire still count: no role perceives the joint move.
#[test]
fn percepts_that_nobody_has_are_not_the_joint_move() {
    let net = net(&format!("{PLAYER} (<= (sees r ?m) (does p ?m))"));
    assert_eq!(net.outputs.sees, Some(vec![Vec::new()]));
}

#[test]
fn chance_is_the_role_called_random() {
    let chance = |role: &str, case_sensitive: bool| {
        let rules = format!("(role a) (role {role}) (<= (legal ?r go) (role ?r)) terminal (goal a 0)");
        let options = Options { case_sensitive, ..Options::default() };
        // `random` needs no goal; any other role does.
        let compiled = gdl_compiler::compile(&Source::new("test.kif", rules), &options);
        compiled.ok().and_then(|compiled| compiled.net.vocabulary.chance)
    };
    assert_eq!([chance("random", false), chance("Random", false), chance("RANDOM", false)], [Some(1); 3]);
    assert_eq!(
        [chance("random", true), chance("Random", true), chance("rand", false)],
        [Some(1), None, None]
    );
}

#[test]
fn nobody_makes_two_moves() {
    let rules = format!("{PLAYER} (<= (next (at 9)) (does p a) (or (does p b) (does p c) (does p d)))");
    check_pass(
        optimize::complement,
        &rules,
        &["g0", "g1", "next (at 9)"],
        "g0 = !p: b & !p: c & !p: d\ng1 = p: a & !g0\nnext (at 9) = g1\n",
        "next (at 9) = 0\n",
    );
}

#[test]
fn passes_keep_inputs_and_outputs() {
    let rules = format!("{PLAYER} {SEES} (<= (next (at 9)) (does p ?m) (distinct ?m d))");
    let net = net(&rules);
    for (name, pass) in optimize::PASSES {
        let after = run(*pass, &net);
        assert_eq!(after.vocabulary, net.vocabulary, "{name}");
        assert_eq!(after.does(), net.does(), "{name}");
        assert_eq!(after.outputs.iter().count(), net.outputs.iter().count(), "{name}");
        assert_eq!(lines(&after, &["sees q (moved"]), lines(&net, &["sees q (moved"]), "{name}");
        assert_eq!(run(*pass, &net).to_string(), after.to_string(), "{name} is deterministic");
    }
}

#[test]
fn negation_on_a_ground_cycle_is_an_error() {
    let source = Source::new(
        "test.kif",
        "(role p)\n(init (at 1))\n(legal p wait)\n(<= q (true (at 1)) (not r))\n(<= r (true (at 1)) q)\n\
         (<= (next (at 1)) q)\n(<= terminal r)\n(goal p 100)\n",
    );
    let diagnostics =
        gdl_compiler::compile(&source, &Options::default()).expect_err("not stratified").diagnostics;
    let codes: Vec<&str> = diagnostics.iter().map(|d| d.code.id).collect();
    assert!(codes.contains(&"GDL092"), "{}", diagnostics.render(&source));
    let text = diagnostics.render(&source);
    assert!(text.contains("q <- not r <- q"), "{text}");
}

#[test]
fn limits_name_the_rule() {
    let rules = "(role p) (init (at 1)) (legal p wait) (goal p 100)
(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
(<= (next (at ?a ?b ?c ?d)) (d ?a) (d ?b) (d ?c) (d ?d) (true (at ?x)) (not (true (at ?a ?b ?c ?d))))
(<= terminal (true (at 1)))";
    let source = Source::new("test.kif", rules);
    let mut options = Options::default();
    options.limits.max_ground_rules = 1000;
    let diagnostics = gdl_compiler::compile(&source, &options).expect_err("over the limit").diagnostics;
    let text = diagnostics.render(&source);
    assert!(text.contains("test.kif:3:1: error[GDL133]"), "{text}");
    options.limits.max_ground_rules = 100_000;
    options.limits.fuel = 500;
    let diagnostics = gdl_compiler::compile(&source, &options).expect_err("out of fuel").diagnostics;
    assert!(diagnostics.render(&source).contains("error[GDLM7]"));
    options.limits = Limits { max_gates: 100, ..Limits::default() };
    let diagnostics = gdl_compiler::compile(&source, &options).expect_err("too many gates").diagnostics;
    let text = diagnostics.render(&source);
    assert!(text.contains("more than 100 gates (`max_gates`)"), "{text}");
}

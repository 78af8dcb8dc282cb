//! Tests that steps and bytes are paid for before they are taken. A pass is skipped if there are
//! not enough. Compilations of small adversarial rulesheets stay within their limits.

use gdl_compiler::{
    Compilation, Diagnostics, Levels, Limits, Meter, Observer, Options, Phase, Source,
    check::check,
    compile,
    diagnostic::codes,
    emit::{
        lanes::Lanes,
        table::{excess, table},
    },
    ground::ground,
    meter::Stop,
    optimize,
    propnet::{Net, build},
    syntax::parse,
};
use gdl_format::table::Table;
use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::{Arc, Mutex},
};

/// Options with limits, under which all lints are allowed.
fn options(limits: Limits) -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    Options { limits, levels: Levels { allow, ..Levels::default() }, ..Options::default() }
}

/// Joins `line` for each number.
fn repeat(numbers: Range<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

/// Builds the net of a rulesheet without optimisation.
fn net(rules: &str) -> Net {
    let (source, options) = (Source::new("test.kif", rules), options(Limits::default()));
    let mut diagnostics = Diagnostics::new(options.levels.clone());
    let tree = parse(&source, &options, &mut diagnostics);
    let ground = check(&tree, &source, &options, &mut diagnostics)
        .and_then(|rules| ground(&rules, &options, &mut diagnostics));
    let net = ground.and_then(|ground| build(&ground, &options, &mut diagnostics));
    net.unwrap_or_else(|| panic!("{}", diagnostics.render(&source)))
}

/// A meter with `most` bytes and unlimited steps.
fn bytes(most: usize) -> Meter {
    Meter::new(&options(Limits { max_bytes: most, fuel: u64::MAX, ..Limits::default() }), Phase::Optimize)
}

/// A net to which each pass applies: two players move pieces on a line of cells in turn.
fn board() -> Net {
    let cells = repeat(1..9, |i| format!("(succ {i} {}) ", i + 1));
    net(&format!(
        "(role p) (role q) (next_role p q) (next_role q p) {cells} (init (control p)) (init (at 1 p)) (init (at 9 q))
        (<= (legal ?r (to ?x ?y)) (true (control ?r)) (true (at ?x ?r)) (near ?x ?y) (not (taken ?y)))
        (<= (legal ?r wait) (true (control ?r))) (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x)) (<= (taken ?y) (true (at ?y ?r)))
        (<= (next (at ?y ?r)) (does ?r (to ?x ?y)))
        (<= (next (at ?x ?r)) (true (at ?x ?r)) (not (left ?x))) (<= (left ?x) (does ?r (to ?x ?y)))
        (<= (next (control ?s)) (true (control ?r)) (next_role ?r ?s))
        (<= (next (seen ?y)) (does ?r (to ?x ?y))) (<= (next (seen ?y)) (true (seen ?y)))
        (<= terminal (true (at 9 p))) (<= terminal (true (at 1 q)))
        (<= (goal p 100) (true (at 9 p))) (<= (goal p 0) (not (true (at 9 p))))
        (<= (goal q 100) (true (at 1 q))) (<= (goal q 0) (not (true (at 1 q))))"
    ))
}

/// Runs some work with too few steps, with exactly enough steps, and with 1,000 bytes, which are
/// too few.
fn starve<T>(name: &str, work: impl Fn(&mut Meter) -> Option<T>) {
    let mut meter = Meter::of(u64::MAX);
    assert!(work(&mut meter).is_some(), "{name}");
    let steps = meter.spent();
    assert!(steps > 0, "{name} takes no steps");
    for (fuel, stop) in
        [(0, Some(Stop::Fuel)), (steps / 2, Some(Stop::Fuel)), (steps - 1, Some(Stop::Fuel)), (steps, None)]
    {
        let mut meter = Meter::of(fuel);
        assert_eq!(work(&mut meter).is_some(), stop.is_none(), "{name}, {fuel} of {steps} steps");
        assert_eq!(meter.stop(), stop, "{name}, {fuel} of {steps} steps");
    }
    let mut meter = bytes(1_000);
    assert!(work(&mut meter).is_none(), "{name} has no room");
    assert_eq!(meter.stop(), Some(Stop::Bytes), "{name}");
}

#[test]
fn each_pass_asks_for_its_steps_and_bytes() {
    let mut net = board();
    for (name, pass) in optimize::PASSES {
        starve(name, |meter| pass(&net, meter));
        net = pass(&net, &mut Meter::of(u64::MAX)).expect("there is enough");
    }
    starve("phases", |meter| optimize::phases(&net, meter));
}

/// Lanes take what they need. The steps beyond that pay for windows of resubstitution.
#[test]
fn lanes_ask_for_their_steps_and_bytes() {
    let net = optimize::optimize(board(), &mut Meter::of(u64::MAX));
    let lanes = |meter: &mut Meter| Lanes::new(&net, None, None, meter);
    let mut whole = Meter::of(u64::MAX);
    assert!(lanes(&mut whole).is_some());
    let (mut few, mut enough) = (0, whole.spent());
    while enough - few > 1 {
        let steps = few.midpoint(enough);
        let mut meter = Meter::of(steps);
        if lanes(&mut meter).is_some() {
            assert_eq!(meter.stop(), None, "{steps} steps");
            enough = steps;
        } else {
            assert_eq!(meter.stop(), Some(Stop::Fuel), "{steps} steps");
            few = steps;
        }
    }
    assert!(few > 1_000, "{few} steps are too few");
    assert!(lanes(&mut Meter::of(few / 2)).is_none());
    let mut meter = bytes(1_000);
    assert!(lanes(&mut meter).is_none());
    assert_eq!(meter.stop(), Some(Stop::Bytes));
}

#[test]
fn plies_ask_too() {
    let lamps = "(role p) (succ 0 1) (succ 1 2) (succ 2 3) (<= (lamp ?l) (succ ?k ?l))
        (<= (legal p (switch ?l)) (lamp ?l) (not (true (on ?l))))
        (<= (next (on ?l)) (does p (switch ?l))) (<= (next (on ?l)) (true (on ?l)))
        (<= dark (lamp ?l) (not (true (on ?l)))) (<= terminal (not dark))
        (goal p 100)";
    let net = optimize::optimize(net(lamps), &mut Meter::of(u64::MAX));
    starve("plies", |meter| optimize::plies(&net, meter));
}

/// Lanes pay for the slots of sixteen threads, at 64 bytes for each slot.
#[test]
fn lanes_ask_for_the_slots_of_threads() {
    let lamps = repeat(0..300, |lamp| format!("(lamp {lamp}) "));
    let net = net(&format!(
        "(role p) {lamps} (<= (legal p (switch ?l)) (lamp ?l) (not (true (on ?l))))
        (<= (next (on ?l)) (does p (switch ?l))) (<= (next (on ?l)) (true (on ?l)))
        (<= terminal (true (on 0)) (true (on 1))) (goal p 100)"
    ));
    let lanes = |meter: &mut Meter| Lanes::new(&net, None, None, meter);
    let whole = lanes(&mut Meter::of(u64::MAX)).expect("there is enough");
    let bytes_of_table = table(&net, Some(&whole), &mut Meter::of(u64::MAX)).expect("there is enough");
    let written = Table::decode(&bytes_of_table).expect("a table").lanes.expect("it has lanes");
    let [phase] = &written.phases[..] else { panic!("it is always the same role's turn") };
    let results =
        [&phase.observe, &phase.advance].map(|part| part.steps.iter().map(|step| step.result as usize));
    let slots = 1 + results.into_iter().flatten().max().expect("there are operations");
    assert!((600..700).contains(&slots), "{slots} slots");
    // The circuits from which programs are made take further bytes.
    let slots = 16 * 64 * slots;
    assert!(lanes(&mut bytes(slots + slots / 2)).is_some());

    let mut meter = bytes(slots - 1);
    assert!(meter.attempt("lanes", 2, lanes).is_none());
    let omissions: Vec<String> = meter.omissions().iter().map(ToString::to_string).collect();
    assert_eq!(omissions, ["lanes would take too many bytes (`max_bytes`)"]);
}

#[test]
fn a_pass_that_takes_too_much_leaves_the_net_as_it_was() {
    let raw = board();
    let mut meter = Meter::of(1_000);
    let net = optimize::optimize(raw.clone(), &mut meter);
    assert_eq!(net.to_string(), raw.to_string());
    let omitted: Vec<&str> = meter.omissions().iter().map(|omission| omission.part).collect();
    assert_eq!(omitted, optimize::PASSES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    assert!(meter.omissions().iter().all(|omission| omission.stop == Stop::Fuel));
    assert_eq!(meter.omissions()[0].to_string(), "fold_constants would take too many steps (`fuel`)");
    assert!(meter.left() <= 1_000 && meter.stop().is_none());
}

#[test]
fn what_is_shared_out_comes_back() {
    let mut meter = Meter::of(1_000);
    meter.spend(100).expect("there is enough");
    let mut share = meter.share(3);
    assert_eq!((meter.left(), share.left(), share.spent()), (600, 300, 100));
    share.spend(50).expect("there is enough");
    assert_eq!(share.spend(251), None);
    assert_eq!(meter.settle(share), Some(Stop::Fuel));
    assert_eq!((meter.left(), meter.spent(), meter.stop()), (850, 150, None));

    let mut meter = bytes(100);
    meter.take(60).expect("there is room");
    assert_eq!((meter.take(41), meter.room(), meter.stop()), (None, 40, Some(Stop::Bytes)));
    meter.give(30);
    assert_eq!((meter.take(70), meter.hold(101), meter.hold(100)), (Some(()), None, Some(())));
}

/// Compiles rules. Returns the maximum number of steps that each stage reported, and the result.
fn steps(rules: &str, limits: Limits) -> (BTreeMap<String, u64>, Option<Compilation>) {
    let heard: Arc<Mutex<BTreeMap<String, u64>>> = Arc::default();
    let listener = Arc::clone(&heard);
    let observer = Observer::new(move |progress| {
        let mut heard = listener.lock().expect("no panic");
        let most = heard.entry(format!("{:?}", progress.phase)).or_default();
        *most = progress.steps.max(*most);
        ControlFlow::Continue(())
    });
    let compiled = compile(&Source::new("test.kif", rules), &Options { observer, ..options(limits) });
    let heard = heard.lock().expect("no panic").clone();
    (heard, compiled.ok())
}

/// Terminates for a disjunction of moves next to an operand that denies some of them, which was
/// once replaced by itself forever.
#[test]
fn exclusions_that_gain_nothing_are_left_alone() {
    let rules = "(role r) (init x)
        (<= (legal r a)) (<= (legal r b)) (<= (legal r c)) (<= (legal r d)) (<= (legal r e))
        (<= (next p) (or (does r a) (does r b)) (or (does r c) (true x)))
        (<= (next x) (does r d))
        (<= terminal (true p)) (<= (goal r 100) (true p)) (<= (goal r 0) (not (true p)))";
    let (steps, compiled) = steps(rules, Limits::network());
    assert!(compiled.is_some_and(|game| game.omissions.is_empty()));
    assert!(steps["Optimize"] < 100_000, "{steps:?}");
}

/// The limit on joint moves holds for the first ply too.
#[test]
fn crowds_have_no_plies() {
    let crowd = |roles: usize, moves: usize| {
        let roles = repeat(0..roles, |i| format!("(role r{i}) "));
        let moves = repeat(0..moves, |i| format!("(act {i}) "));
        format!(
            "{roles} {moves} (<= (legal ?r (do ?m)) (role ?r) (act ?m)) (<= (next over) (does r0 (do 0)))
            (<= (next over) (not (true over))) (<= terminal (true over)) (<= (goal ?r 50) (role ?r))"
        )
    };
    for (roles, moves) in [(20, 3), (40, 2), (2, 1_000), (1_000, 1), (6, 101)] {
        let (steps, compiled) = steps(&crowd(roles, moves), Limits::network());
        let game = compiled.expect("it is sound");
        assert_eq!(game.plies.is_some(), moves == 1, "{roles} roles, {moves} moves");
        let taken: u64 = steps.values().sum();
        assert!(taken < 10_000_000, "{roles} roles, {moves} moves: {steps:?}");
    }
}

/// Names of many words are in no mutex group, and shorter ones are paid for.
#[test]
fn long_names_take_little() {
    let arguments = |count: usize| "a ".repeat(count);
    let wide = format!(
        "(role r) (legal r x) (init (p {})) (<= (next (p {})) (does r x)) (<= terminal (not (true (p {})))) (goal r 0)",
        arguments(5_000),
        arguments(5_000),
        arguments(5_000)
    );
    let (wide, compiled) = steps(&wide, Limits::network());
    assert!(compiled.is_some() && wide["Optimize"] < 100_000, "{wide:?}");

    let digits = repeat(0..60, |i| format!("(d {i}) "));
    let many = format!(
        "(role r) {digits} (legal r x) (init (p 0 0 {filler})) (<= (next (p ?x ?y {filler})) (d ?x) (d ?y) (does r x))
        (<= terminal (true (p 1 1 {filler}))) (goal r 0)",
        filler = arguments(28)
    );
    let (_, compiled) = steps(&many, Limits { max_bytes: 6 << 20, ..Limits::network() });
    let game = compiled.expect("it is sound");
    let omitted: Vec<_> = game.omissions.iter().map(|omission| (omission.part, omission.stop)).collect();
    assert!(omitted.contains(&("find_mutex_groups", Stop::Bytes)), "{omitted:?}");
    assert!(game.net.mutex_groups.is_empty());
}

#[test]
fn a_table_asks_too_and_says_what_it_lacks() {
    let net = board();
    starve("table", |meter| table(&net, None, meter));
    let limits = Limits { max_bytes: 1_000, fuel: 100, ..Limits::default() };
    let says = |mut meter: Meter| {
        assert!(table(&net, None, &mut meter).is_none());
        excess(&meter, &limits).message
    };
    assert_eq!(says(bytes(1_000)), "writing the table takes more than 1000 bytes (`max_bytes`)");
    assert_eq!(says(Meter::of(10)), "writing the table takes more than 50 steps (half of `fuel`)");
}

/// Writing names takes few steps for each byte, so untrusted rulesheets may have many fluents.
#[test]
fn a_table_takes_few_steps_for_each_byte() {
    let fluents = repeat(0..500, |i| format!("(init (f {i})) (<= (next (f {i})) (true (f {i}))) "));
    let rules = format!("(role r) {fluents} (legal r x) (goal r 0) (<= terminal (true (f 1)) (true (f 2)))");
    let net = net(&rules);
    let mut meter = Meter::of(u64::MAX);
    let bytes = table(&net, None, &mut meter).expect("there is enough");
    let (spent, written) = (meter.spent(), bytes.len() as u64);
    assert!(spent < 2 * written, "{spent} steps for {written} bytes");
}

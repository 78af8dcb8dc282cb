//! Loading: rulesheets compiled while the program runs.

use crate::common::TicTacToe;
use gdl_compiler::{Levels, Limits, Options, Source};
use gdl_players::{
    Budget,
    search::{Solution, SolveError},
};
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt, LoadError, Loader, Playouts,
    engine::{compile, compile_in_stages},
    load,
    load::{Diagnostic, Severity},
    perft,
    perft::Perft,
    playouts::PlayoutMode,
};
use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const NIM: &str = "
    (role a) (role b)
    (init (heap 5)) (init (control a))
    (<= (legal ?p (take ?n)) (true (control ?p)) (true (heap ?h)) (less ?n ?h) (small ?n))
    (<= (legal ?p wait) (role ?p) (not (true (control ?p))))
    (<= (next (heap ?rest)) (true (heap ?h)) (does ?p (take ?n)) (minus ?h ?n ?rest))
    (<= (next (control b)) (true (control a)))
    (<= (next (control a)) (true (control b)))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (true (control ?p)))
    (<= (goal ?p 100) (role ?p) (not (true (control ?p))))
    (small 1) (small 2)
    (less 1 1) (less 1 2) (less 1 3) (less 1 4) (less 1 5) (less 2 2) (less 2 3) (less 2 4) (less 2 5)
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)";

#[test]
fn a_rulesheet_becomes_a_game() {
    let game = load(NIM).unwrap();
    // The numbers of ways to take one or two at a time from a heap of five.
    assert_eq!(perft(&game, 6), [2, 4, 7, 5, 1, 0]);
    let start = game.initial();
    assert_eq!(game.state_text(&start), "((control a) (heap 5))");
    let joint = ["(take 2)", "wait"].map(|text| game.parse_move(text).unwrap());
    let next = game.apply(&start, &joint).unwrap();
    assert_eq!(game.state_text(&next), "((control b) (heap 3))");
    let stats = Playouts::new(&game).count(100).run();
    assert_eq!(stats.tally.scored(), 100);
}

#[test]
fn faults_come_with_their_place() {
    let error = Loader::new().name("bad.kif").load("(role a").unwrap_err();
    assert!(error.to_string().starts_with("bad.kif:1:1: error[GDL001]"), "{error}");
    let LoadError::Rules { diagnostics, report } = &error else { panic!("{error}") };
    let Some(Diagnostic { code, severity, message, place: Some(place), help, .. }) = diagnostics.first()
    else {
        panic!("{error}")
    };
    assert_eq!(
        (*code, *severity, place.line, place.column, place.bytes.clone()),
        ("GDL001", Severity::Error, 1, 1, 0..1)
    );
    assert!(report.contains(message) && help.as_ref().is_none_or(|help| report.contains(help)), "{report}");
}

/// The handwritten game has the names and layout of the rulesheet, so results are equal.
#[test]
fn the_rulesheet_of_tic_tac_toe_agrees_with_the_hand() {
    let game = load(include_str!("../../games/board/tictactoe.kif")).unwrap();
    let run = Playouts::new(&game).engine(PlayoutMode::Single).seed(3).count(2_000).run().tally;
    let hand = Playouts::new(&TicTacToe).seed(3).count(2_000).run().tally;
    assert_eq!(game.vocabulary().fluents(), TicTacToe.vocabulary().fluents());
    assert_eq!(run, hand);
}

/// Cancels at each progress report in turn, and once after the last.
#[test]
fn a_load_that_is_called_off_gives_no_game() {
    let mut last = 0;
    loop {
        let (cancel, reports) = (Cancel::default(), Arc::new(AtomicUsize::new(0)));
        let (thrown, counted) = (cancel.clone(), Arc::clone(&reports));
        let tell = move |_: &str, _: u64| {
            if counted.fetch_add(1, Ordering::Relaxed) == last {
                thrown.cancel();
            }
        };
        let loaded = Loader::new().progress(tell).cancelled_by(&cancel).load(NIM);
        if !cancel.is_cancelled() {
            assert!(loaded.is_ok());
            break;
        }
        // The next check of `cancel` stops the load. After the last report, the loader itself
        // checks `cancel`.
        assert_eq!(reports.load(Ordering::Relaxed), last + 1);
        let error = loaded.unwrap_err();
        assert!(
            matches!(&error, LoadError::Cancelled { message } if message.starts_with("stopped by the caller"))
        );
        last += 1;
    }
    assert!(last >= 4, "each phase reports");
}

#[test]
fn a_loader_keeps_to_its_limits() {
    let refused = |loader: Loader| loader.load(NIM).unwrap_err().to_string();
    assert!(refused(Loader::new().max_steps(10)).contains("(`fuel`)"));
    assert!(refused(Loader::new().max_bytes(100)).contains("(`max_bytes`)"));
    assert!(refused(Loader::new().within(Duration::ZERO)).starts_with("stopped by the caller"));
    assert!(Loader::new().untrusted().within(Duration::MAX).load(NIM).is_ok());
    // With case-insensitive symbols there is one role. Otherwise there are two, one without moves.
    let text = "(role r) (legal R x) (goal r 0) (init a) (<= (next b) (true a)) (<= terminal (true b))";
    assert!(Loader::new().load(text).is_ok() && Loader::new().case_sensitive().load(text).is_err());
}

/// A rulesheet with warnings: `near` has two arguments in one fact and three in another, and no
/// rule uses `unused`.
const ODD: &str = "(role ann) (init (at 1)) (near 1 2) (near 2 3) (near 1 2 door) (unused fact)
    (<= (legal ann (go ?y)) (true (at ?x)) (near ?x ?y))
    (<= (legal ann (knock ?y)) (true (at ?x)) (near ?x ?y door))
    (<= (next (at ?y)) (does ann (go ?y)))
    (<= (next (at ?x)) (true (at ?x)) (does ann (knock ?y)))
    (<= terminal (true (at 3)))
    (<= (goal ann 100) (true (at 3)))
    (<= (goal ann 0) (not (true (at 3))))";

#[test]
fn warnings_come_with_the_game() {
    let told = |loader: &Loader| {
        let (game, warnings) = loader.load_with_warnings(ODD).unwrap();
        assert_eq!(perft(&game, 3), [2, 3, 3]);
        let codes = warnings.iter().map(|warning| (warning.code, warning.severity)).collect::<Vec<_>>();
        (codes, warnings)
    };
    let loader = Loader::new().warn("relation_arity_clash");
    let (codes, warnings) = told(&loader);
    assert_eq!(codes, [("GDL021", Severity::Warning), ("GDL102", Severity::Warning)]);
    assert_eq!(warnings[1].place.as_ref().map(|place| place.line), Some(1));
    let lines = warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(lines[1].starts_with("1:") && lines[1].contains(": warning[GDL102]: "), "{lines:?}");
    assert_eq!(told(&loader.clone().lifted()).0, codes, "each engine");
    assert!(told(&loader.allow("GDL021").allow("unused_relation")).0.is_empty());
    assert!(Loader::new().load_with_warnings(NIM).unwrap().1.is_empty());
}

#[test]
fn levels_of_lints_are_those_of_the_command() {
    let errors = |loader: Loader| match loader.load(ODD) {
        Err(LoadError::Rules { diagnostics, .. }) => {
            let errors = diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
            errors.map(|fault| fault.code).collect()
        }
        other => vec![if other.is_ok() { "plays" } else { "late" }],
    };
    let loader = Loader::new().allow("relation_arity_clash");
    assert_eq!(errors(loader.clone()), ["plays"]);
    assert_eq!(errors(loader.clone().deny("gdl102")), ["GDL102"]);
    assert_eq!(errors(loader.deny("warnings")), ["GDL102"]);
    assert_eq!(errors(Loader::new().warn("lints").warn("GDL021").allow("GDL102")), ["plays"]);
    for loader in [Loader::new().allow("x"), Loader::new().deny("lints"), Loader::new().warn("warnings")] {
        let error = loader.load(ODD).unwrap_err();
        assert!(matches!(error, LoadError::UnknownLint { .. }), "{error}");
        assert!(error.to_string().starts_with("there is no lint `"), "{error}");
    }
}

#[test]
fn what_is_too_large_to_be_grounded_is_evaluated_state_by_state() {
    let limits = Limits { max_ground_rules: 20, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let source = Source::new("nim", NIM);
    let (lifted, table) = (compile(&source, &options).unwrap(), load(NIM).unwrap());
    assert_eq!((lifted.engine(), table.engine()), ("lifted", "table"));
    assert_eq!(perft(&lifted, 6), perft(&table, 6));
    let single = |game| Playouts::new(game).engine(PlayoutMode::Single).seed(5).count(200).threads(2).run();
    let tally = |game| single(game).tally;
    assert_eq!(tally(&lifted), tally(&table));
    assert!(lifted.failed_evaluations().is_none());

    // The fallback is a warning, and an error where warnings are denied.
    let told = |options: &Options| compile_in_stages(&source, options, None, None::<fn(Dynamic)>);
    let (_, warnings) = told(&options).unwrap();
    let warnings = warnings.render(&source);
    assert!(warnings.contains(": warning[") && warnings.contains("evaluated state by state"), "{warnings}");
    let levels = Levels { deny: vec!["warnings".to_owned()], ..Levels::default() };
    assert!(told(&Options { levels, ..options.clone() }).unwrap_err().has_errors());

    // If the limits are also too low for the fallback, the error reports both.
    let limits = Limits { max_fluents: 3, ..options.limits };
    let error = compile(&source, &Options { limits, ..options }).unwrap_err().render(&source);
    assert!(error.contains("(`max_fluents`)") && error.contains("state by state"), "{error}");
}

#[test]
fn vast_nets_are_stepped_by_events() {
    // Each move switches one of four thousand lamps.
    let mut lamps = String::new();
    for lamp in 0..4_000 {
        write!(lamps, "(lamp {lamp})").expect("a string takes all");
    }
    let text = format!(
        "(role r) {lamps} (init (lit 9))
         (<= (legal r (switch ?l)) (lamp ?l))
         (<= (next (lit ?l)) (lamp ?l) (does r (switch ?l)) (not (true (lit ?l))))
         (<= (next (lit ?l)) (true (lit ?l)) (not (does r (switch ?l))))
         (<= terminal (true (lit 7)))
         (<= (goal r 100) (true (lit 7))) (<= (goal r 0) (not (true (lit 7))))"
    );
    let chosen = load(&text).unwrap();
    let [table, events] =
        [Loader::new().table(), Loader::new().events()].map(|loader| loader.load(&text).unwrap());
    assert_eq!([&chosen, &table, &events].map(Dynamic::engine), ["events", "table", "events"]);
    let single = |game, threads| {
        let playouts = Playouts::new(game).engine(PlayoutMode::Single).max_length(40);
        playouts.seed(5).count(64).threads(threads).run().tally
    };
    let tally = single(&table, 1);
    for game in [&chosen, &events] {
        // Lanes use the table. Each thread has its own evaluator.
        assert_eq!(Playouts::new(game).count(1).run().engine, Playouts::new(&table).count(1).run().engine);
        assert_eq!([single(game, 1), single(game, 3)], [tally.clone(), tally.clone()]);
    }
    assert_eq!(load(NIM).unwrap().engine(), "table");
    assert_eq!(Loader::new().events().load(NIM).unwrap().engine(), "events");

    // If the events engine was requested, a rulesheet that exceeds the limits is an error.
    let error = Loader::new().events().max_steps(100).load(NIM).unwrap_err().to_string();
    assert!(error.contains("fuel"), "{error}");
}

/// Four roles choose numbers, and the sum decides.
fn sums(numbers: usize) -> String {
    let mut text = String::new();
    for role in ["a", "b", "c", "d"] {
        write!(text, "(role {role})").expect("a string takes all");
    }
    for number in 0..numbers {
        write!(text, "(number {number})").expect("a string takes all");
    }
    for number in 0..4 * numbers {
        let next = number + 1;
        write!(text, "(succ {number} {next})").expect("a string takes all");
    }
    text + "
        (init start)
        (any 0) (<= (any ?n) (succ ?m ?n))
        (<= (sum ?x 0 ?x) (any ?x))
        (<= (sum ?x ?y ?z) (succ ?v ?y) (sum ?x ?v ?w) (succ ?w ?z))
        (even 0) (<= (even ?n) (even ?m) (succ ?m ?l) (succ ?l ?n))
        (<= (legal ?r (guess ?n)) (role ?r) (number ?n))
        (<= (next (guessed ?r ?n)) (does ?r (guess ?n)))
        (<= (total ?s) (true (guessed a ?a)) (true (guessed b ?b)) (true (guessed c ?c)) (true (guessed d ?d))
            (sum ?a ?b ?x) (sum ?x ?c ?y) (sum ?y ?d ?s))
        (<= won (total ?s) (even ?s))
        (<= terminal (not (true start)))
        (<= (goal ?r 100) (role ?r) won)
        (<= (goal ?r 0) (role ?r) (not won))"
}

/// A pile of seven pancakes. A move reverses the first ones; each order has one fluent.
fn pancakes() -> String {
    let all = ["?a", "?b", "?c", "?d", "?e", "?f", "?g"];
    let mut text = String::from("(role cook) (init (step 0)) (init (pile 1 2 3 4 5 6 7))");
    for step in 0..10 {
        write!(text, "(succ {step} {})", step + 1).expect("a string takes all");
    }
    for count in 2..=all.len() {
        let mut turned = all;
        turned[..count].reverse();
        let [before, after] = [all, turned].map(|pile| pile.join(" "));
        let rule = format!("(<= (next (pile {after})) (does cook (turn {count})) (true (pile {before})))");
        write!(text, "(legal cook (turn {count})) {rule}").expect("a string takes all");
    }
    text + "
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 10)))
        (<= first_is_last (true (pile ?a ?b ?c ?d ?e ?f 1)))
        (<= (goal cook 100) first_is_last)
        (<= (goal cook 0) (not first_is_last))"
}

#[test]
fn rules_are_evaluated_where_that_takes_less_than_a_vast_net() {
    for (text, engine, steps) in [(pancakes(), "lifted", 10), (sums(100), "events", 1)] {
        let chosen = load(&text).unwrap();
        let [table, events] =
            [Loader::new().table(), Loader::new().events()].map(|loader| loader.load(&text).unwrap());
        assert_eq!([&chosen, &table, &events].map(Dynamic::engine), [engine, "table", "events"]);
        // All engines have the same rows of bits for states, and the same single games. Lanes use
        // the table.
        assert_eq!((chosen.shape(), chosen.initial()), (table.shape(), table.initial()));
        let tally =
            |game, engine| Playouts::new(game).engine(engine).seed(3).count(300).threads(2).run().tally;
        let single = tally(&table, PlayoutMode::Single);
        assert_eq!((single.playouts, single.states), (300, 300 * steps));
        for game in [&chosen, &events] {
            assert_eq!(tally(game, PlayoutMode::Single), single);
            assert_eq!(tally(game, PlayoutMode::TableLanes), tally(&table, PlayoutMode::TableLanes));
            assert_eq!(Playouts::new(game).runs(), Playouts::new(&table).runs());
        }
        assert!(chosen.failed_evaluations().is_none());
    }
}

#[test]
fn play_begins_before_a_net_is_optimised() {
    for (text, engine) in [(pancakes(), "lifted"), (sums(100), "events")] {
        let mut first = None;
        let game = Loader::new().load_in_stages(&text, |game| first = Some(game)).unwrap();
        let early = first.expect("it is large");
        assert_eq!((early.engine(), game.engine()), ("events", engine));
        // The final game continues from the states of the early one, with the same moves.
        assert_eq!((early.shape(), early.initial()), (game.shape(), game.initial()));
        assert_eq!(early.vocabulary(), game.vocabulary());
        let tally =
            |game| Playouts::new(game).engine(PlayoutMode::Single).seed(3).count(300).threads(2).run().tally;
        assert_eq!(tally(&early), tally(&game));
        assert!(early.table().is_none() && game.table().is_some());
    }

    // The callback gets no game if loading is fast, or if the lifted engine is requested.
    let mut given = 0;
    for loader in [Loader::new(), Loader::new().lifted()] {
        loader.load_in_stages(NIM, |_| given += 1).unwrap();
    }
    Loader::new().lifted().load_in_stages(&pancakes(), |_| given += 1).unwrap();
    assert_eq!(given, 0);
}

/// A game whose second step searches many combinations; none satisfies the rule.
const HARD: &str = "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (d 10) (d 11) (d 12) (d 13) (d 14) (d 15) (d 16)
    (legal p go) (goal p 0) (<= terminal (true (step 3)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next hard) (true (step 1)) (d ?a) (d ?b) (d ?c) (d ?e) (not (taken ?a ?b ?c ?e)))
    (<= (taken ?a ?b ?c ?e) (d ?a) (d ?b) (d ?c) (d ?e) (true (step 1)))";

#[test]
fn play_ends_where_an_evaluation_takes_too_much() {
    let game = Loader::new().max_steps(100_000).lifted().load(HARD).unwrap();
    let go = game.parse_move("go").unwrap();
    let first = game.apply(&game.initial(), &[go]).unwrap();
    assert_eq!(game.state_text(&first), "((step 1))");
    assert!(game.failed_evaluations().is_none());
    let lost = game.apply(&first, &[go]).unwrap();
    assert_eq!(game.state_text(&lost), "(?)");
    assert!(!game.is_terminal(&lost) && game.roles().all(|role| game.legal_moves(&lost, role).len() == 0));
    let (count, excess) = game.failed_evaluations().unwrap();
    assert_eq!((count, excess.as_str()), (1, "takes more than 20000 steps (`fuel`)"));
    let stats = Playouts::new(&game).count(32).run();
    assert_eq!(stats.tally.stuck, 32);
    assert_eq!(perft(&game, 4), [1, 1, 0, 0]);
}

/// A game with many moves to one state: few states and many steps.
#[test]
fn what_is_looked_at_to_solve_a_game_is_within_its_bytes() {
    let mut text =
        String::from("(role r) (init a) (<= terminal (true b)) (<= (next b) (true a)) (goal r 100)");
    (0..2000).for_each(|n| write!(text, "(<= (legal r m{n}) (true a))").unwrap());
    let game = load(&text).unwrap();
    let solve = |bytes| Solution::of(&game, &game.initial(), bytes, &Budget::unlimited()).map(|s| s.len());
    assert_eq!(solve(1 << 20), Ok(2));
    assert_eq!(solve(1 << 14), Err(SolveError::Bytes { limit: 1 << 14 }));
}

/// Views have words for each role and all moves. A batch of 1000 roles with a move each would take
/// 64 MB.
#[test]
fn states_of_very_many_roles_are_not_stepped_in_lanes() {
    let game = |roles: usize| {
        let mut text = String::from("(init (s 0)) (<= terminal (true (s 20)))");
        (0..20).for_each(|n| write!(text, "(<= (next (s {})) (true (s {n})))", n + 1).unwrap());
        for n in 0..roles {
            write!(text, "(role r{n}) (legal r{n} a{n}) (goal r{n} 50)").unwrap();
        }
        load(&text).unwrap()
    };
    for (roles, engine) in [(100, PlayoutMode::Lanes), (1000, PlayoutMode::Single)] {
        let game = game(roles);
        assert!(game.table().is_some());
        assert_eq!(Perft::new(&game).runs(), engine, "{roles} roles");
    }
}

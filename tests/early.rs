//! Playouts that end early have the goals of those that do not: where all goals are decided, all play from there keeps
//! them, and nothing else of a game is other than without the option.

#[path = "differential/comparison.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use more of it")]
mod comparison;
mod corpus;
#[path = "differential/generator.rs"]
#[allow(unreachable_pub, reason = "the fuzz targets use it too")]
mod generator;

use comparison::{Outcome, compare, lenient};
use gdl_compiler::{
    Compilation, Limits, Meter, Options, Source, compile,
    emit::{lanes::Lanes, table::table},
};
use gdl_runtime::{
    BitBox, Dynamic, Engine, Game, Isa, MoveId, Playouts, Stream, Tally, load::load_named, perft,
};

/// A puzzle of six steps that is lost with the first wrong one.
const SAFE: &str = include_str!("rulesheets/safe.kif");

fn options(early_end: bool) -> Options {
    lenient(&Options { early_end, ..Options::default() })
}

fn compiled(text: &str, options: &Options) -> Option<Compilation> {
    compile(&Source::new("test.kif", text), options).ok()
}

fn loaded(text: &str, early_end: bool) -> Dynamic {
    load_named("test", text, &options(early_end)).expect("it loads")
}

/// A game, and as a game of its own the one that is over where goals are decided; none if that is never known.
fn both(text: &str, options: &Options) -> Option<(Dynamic, Dynamic)> {
    let compilation = compiled(text, &Options { early_end: true, ..options.clone() })?;
    let early = compilation.early.as_ref()?;
    let mut meter = Meter::of(u64::MAX);
    let lanes = Lanes::new(&early.net, &early.phases, None, &mut meter);
    let bytes = table(&early.net, lanes.as_ref(), None, &mut meter).expect("there is room");
    let ended = Dynamic::decode(&bytes).expect("the table can be read");
    Some((Dynamic::try_from(compilation).expect("the table can be read"), ended))
}

/// The goal values of each role that is to have some.
fn goals(game: &Dynamic, state: &BitBox) -> Vec<Vec<u8>> {
    game.roles().map(|role| game.goals(state, role)).collect()
}

/// True if each player has one goal.
fn are_single(game: &Dynamic, goals: &[Vec<u8>]) -> bool {
    game.roles().zip(goals).all(|(role, goals)| Some(role) == game.chance_role() || goals.len() == 1)
}

/// What all plays of a game come to.
#[derive(Debug, Default, PartialEq)]
struct Totals {
    plays: u64,
    /// Steps to their ends, and until their goals were decided.
    steps: [u64; 2],
    /// The sum of the goals of the first role.
    goals: u64,
}

/// Follows all plays from a state, with what had been decided after so many of its steps.
fn follow(
    [game, ended]: [&Dynamic; 2],
    state: &BitBox,
    steps: u64,
    decided: Option<(u64, &[Vec<u8>])>,
    plays: &mut Totals,
) {
    let here = goals(game, state);
    let decided = decided.or_else(|| {
        ended.terminal(state).then(|| {
            assert!(game.terminal(state) || are_single(game, &here), "{}", game.state_text(state));
            (steps, &here[..])
        })
    });
    if let Some((_, goals)) = decided {
        assert_eq!(here, goals, "{}", game.state_text(state));
    }
    if game.terminal(state) {
        let (ended, goals) = decided.expect("the early game is over where the other is");
        plays.plays += 1;
        plays.steps[0] += steps;
        plays.steps[1] += ended;
        plays.goals += goals[0].iter().map(|&value| u64::from(value)).sum::<u64>();
        return;
    }
    for joint in joints(game, state) {
        let next = game.next(state, &joint).expect("the moves are legal");
        follow([game, ended], &next, steps + 1, decided, plays);
    }
}

/// All legal joint moves.
fn joints(game: &Dynamic, state: &BitBox) -> Vec<Vec<MoveId>> {
    game.roles().fold(vec![Vec::new()], |joints, role| {
        let legal: Vec<MoveId> = game.legal(state, role).collect();
        joints.iter().flat_map(|joint| legal.iter().map(|&action| [&joint[..], &[action]].concat())).collect()
    })
}

/// What all plays of a rulesheet come to.
fn plays(text: &str) -> Totals {
    let (game, ended) = both(text, &options(true)).expect("goals are decided early");
    let mut plays = Totals::default();
    follow([&game, &ended], &game.initial(), 0, None, &mut plays);
    plays
}

#[test]
fn a_loss_ends_a_puzzle() {
    let expected = Totals { plays: 729, steps: [6 * 729, 729 + 243 + 81 + 27 + 9 + 3], goals: 100 };
    assert_eq!(plays(SAFE), expected);
}

/// Three doors one behind the other for each of two players at the same time: a wrong one is lost, and the last step
/// is the same for all. `more` are other roles and rules.
fn doors(more: &str) -> String {
    format!(
        "(role p) (role q) (player p) (player q) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal ?r left) (player ?r)) (<= (legal ?r right) (player ?r))
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 3)))
        (<= (next (lost ?r)) (player ?r) (does ?r left)) (<= (next (lost ?r)) (true (lost ?r)))
        (<= (goal ?r 0) (true (lost ?r))) (<= (goal ?r 100) (player ?r) (not (true (lost ?r)))) {more}"
    )
}

/// Both players must have failed: of 16 ways to make two steps at once those end early.
#[test]
fn goals_of_all_roles_must_be_decided() {
    // After one step 1 of 4 is decided, after two 9 of 16.
    let steps = [3 * 64, 16 + 2 * (36 - 16) + 3 * (64 - 36)];
    let expected = Totals { plays: 64, steps, goals: 8 * 100 };
    assert_eq!(plays(&doors("")), expected);
    // What players perceive, and a role of chance without goals, change nothing but the number of plays.
    assert_eq!(plays(&doors("(<= (sees p lost) (does q left))")), expected);
    let coins = "(role random) (legal random heads) (legal random tails)";
    assert_eq!(
        plays(&doors(coins)),
        Totals { plays: 512, steps: steps.map(|steps| 8 * steps), goals: 64 * 100 }
    );
    // A third role that is never decided, as a player or as chance that has goals.
    for role in ["r", "random"] {
        let third = format!(
            "(role {role}) (legal {role} heads) (legal {role} tails) (<= (next luck) (does {role} heads))
            (<= (goal {role} 100) (true luck)) (<= (goal {role} 0) (not (true luck)))"
        );
        let compilation = compiled(&doors(&third), &options(true)).expect("it compiles");
        assert!(compilation.early.is_none(), "{role}");
    }
}

/// The bytes of a game's table, with what is added for an early end.
fn bytes(text: &str, early_end: bool) -> Vec<u8> {
    compiled(text, &options(early_end)).expect("it compiles").table
}

#[test]
fn nothing_else_is_changed() {
    for text in [SAFE, &doors("")] {
        let (without, with) = (bytes(text, false), bytes(text, true));
        assert!(with.len() > without.len() && with.starts_with(&without));
        let [without, with] = [false, true].map(|early_end| loaded(text, early_end));
        assert_eq!(perft(&without, 8), perft(&with, 8));
        for engine in [Engine::Single, Engine::Lanes] {
            let stats = |game| Playouts::new(game).engine(engine).seed(3).count(2_000).run();
            assert_eq!(stats(&without).tally, stats(&with).tally);
            let asked = Playouts::new(&without).engine(engine).seed(3).count(2_000).early_end(true).run();
            assert_eq!((asked.early_end, asked.tally), (false, stats(&without).tally));
        }
    }
    // In most games nothing is decided before the end.
    for entry in gdl_games::LIST {
        assert_eq!(bytes(entry.text, true), bytes(entry.text, false), "{}", entry.name);
    }
}

/// What is added to a table is read with the same care as the rest.
#[test]
fn damaged_tables_are_refused_or_played() {
    let (without, with) = (bytes(SAFE, false), bytes(SAFE, true));
    for length in without.len() + 1..with.len() {
        assert!(Dynamic::decode(&with[..length]).is_err(), "{length}");
    }
    let mut accepted = 0;
    for place in without.len()..with.len() {
        for change in [1, 2, 0x80] {
            let mut bad = with.clone();
            bad[place] ^= change;
            let Ok(game) = Dynamic::decode(&bad) else { continue };
            for engine in [Engine::Single, Engine::Lanes] {
                let playouts = Playouts::new(&game).engine(engine).early_end(true);
                assert_eq!(playouts.max_length(20).count(16).run().tally.playouts, 16);
            }
            accepted += 1;
        }
    }
    assert!(accepted > 0 && accepted < 3 * (with.len() - without.len()), "{accepted}");
}

#[test]
fn engines_end_playouts_alike() {
    let game = loaded(SAFE, true);
    let (_, ended) = both(SAFE, &options(true)).expect("goals are decided early");
    let play = || Playouts::new(&game).early_end(true).seed(7).count(100_001);
    for engine in [Engine::Single, Engine::TableLanes] {
        let stats = play().engine(engine).threads(1).run();
        assert_eq!((stats.engine, stats.early_end), (engine, true));
        // They are the playouts of the game that is over there.
        let expected = Playouts::new(&ended).engine(engine).seed(7).count(100_001).run().tally;
        assert_eq!(stats.tally, expected);
        assert_eq!((stats.tally.playouts, stats.tally.scored()), (100_001, 100_001));
        let length = stats.mean_length() - 1_092.0 / 729.0;
        let goal = stats.mean_goal(0) - 100.0 / 729.0;
        assert!(length.abs() < 0.02 && goal.abs() < 4.0 * stats.goal_error(0), "{length} {goal}");
        for (isa, threads) in Isa::ALL.iter().flat_map(|isa| [(isa, 2), (isa, 3)]) {
            assert_eq!(play().engine(engine).isa(*isa).threads(threads).run().tally, stats.tally);
        }
    }
}

/// The tally of a thousand playouts of the safe from a state, at most so long.
fn from(state: &str, early_end: bool, max_length: u64) -> Tally {
    let game = loaded(SAFE, true);
    let state = game.parse_state(state).expect("a state");
    let playouts = Playouts::new(&game).start(&state).early_end(early_end).max_length(max_length);
    playouts.count(1_000).run().tally
}

#[test]
fn games_may_start_where_goals_are_decided() {
    let lost = from("(jammed (place 4))", true, 10);
    assert_eq!((lost.playouts, lost.states, lost.roles[0].losses), (1_000, 0, 1_000));
    let whole = from("(jammed (place 4))", false, 10);
    assert_eq!((whole.states, &whole.roles), (3_000, &lost.roles));
    // Those that would be given up count if they are lost before.
    let short = from("((place 5))", true, 1);
    assert_eq!(short.scored() + short.too_long, 1_000);
    assert!(short.scored() > 600 && short.roles[0].losses == short.scored(), "{short:?}");
    assert_eq!(from("((place 5))", false, 1).too_long, 1_000);
}

/// A rulesheet with fluents that stay for good and others, and goals that depend on both.
fn latched(random: &mut Stream) -> String {
    let mut below = |end: usize| random.below(end as u64) as usize;
    let roles = [&["p"][..], &["p", "q"], &["p", "random"], &["p", "q", "random"]][below(4)];
    let start = "(init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 5)))
        (<= (next free) (does p a)) (<= (next free) (true free) (does p b))";
    let mut rules = vec![start.to_owned()];
    let literal = |below: &mut dyn FnMut(usize) -> usize| {
        let fluent = ["(is 0)", "(is 1)", "(is 2)", "(is 3)", "(is 4)", "(step 3)", "free"][below(7)];
        if below(2) == 0 { format!("(true {fluent})") } else { format!("(not (true {fluent}))") }
    };
    for role in roles {
        rules.push(format!("(role {role}) (legal {role} a) (legal {role} b) (legal {role} c)"));
        if *role == "random" && below(2) == 0 {
            continue;
        }
        for _ in 0..=below(2) {
            rules.push(format!("(<= (good {role}) {} {})", literal(&mut below), literal(&mut below)));
        }
        rules.push(format!("(<= (fair {role}) {})", literal(&mut below)));
        rules.push(format!(
            "(<= (goal {role} 100) (good {role})) (<= (goal {role} 50) (not (good {role})) (fair {role}))
            (<= (goal {role} 0) (not (good {role})) (not (fair {role})))"
        ));
    }
    for fluent in 0..5 {
        let does = format!("(does {} {})", roles[below(roles.len())], ["a", "b", "c"][below(3)]);
        rules.push(match below(3) {
            // It stays once it is there, ..
            0 => format!(
                "(<= (next (is {fluent})) {does} {}) (<= (next (is {fluent})) (true (is {fluent})))",
                literal(&mut below)
            ),
            1 => format!("(<= (next (is {fluent})) {does}) (<= (next (is {fluent})) (true (is {fluent})))"),
            // .. or never comes back.
            _ => format!("(init (is {fluent})) (<= (next (is {fluent})) (true (is {fluent})) (not {does}))"),
        });
    }
    rules.join("\n")
}

/// In how many positions of random games goals were decided before the end, after which the oracle must say the same of
/// them. None if the rulesheet is too much, or goals are never decided.
fn decided(text: &str, steps: usize) -> Option<usize> {
    let options = Options {
        limits: Limits { fuel: 2_000_000, max_gates: 50_000, max_ground_rules: 20_000, ..Limits::default() },
        ..options(true)
    };
    let (_, ended) = both(text, &options)?;
    let Outcome::Agreed(positions) = compare(text, &options, steps) else { return None };
    let mut count = 0;
    let mut goals: Option<&[Vec<u8>]> = None;
    for position in &positions {
        let state = format!("({})", position.fluents.join(" "));
        let state = ended.parse_state(&state).expect("the oracle's fluents are the net's");
        if goals.is_none() && !position.terminal && ended.terminal(&state) {
            assert!(are_single(&ended, &position.goals), "{text}");
            goals = Some(&position.goals);
        }
        if let Some(goals) = goals {
            assert_eq!(position.goals, goals, "{text}");
            count += usize::from(!position.terminal);
        }
        if position.joint.is_empty() {
            goals = None;
        }
    }
    Some(count)
}

#[test]
fn the_oracle_agrees_on_what_is_decided() {
    let mut random = Stream::new(17, 0);
    let (mut sheets, mut positions) = (0, 0);
    for _ in 0..150 {
        let text = latched(&mut random);
        let count = decided(&text, 60).unwrap_or(0);
        sheets += usize::from(count > 0);
        positions += count;
    }
    println!("{positions} positions of {sheets} rulesheets with latches were decided");
    assert!(sheets > 30 && positions > 500, "{sheets} rulesheets, {positions} positions");
    let (mut sheets, mut positions) = (0, 0);
    for _ in 0..150 {
        let bytes: Vec<u8> = (0..1_000).map(|_| random.bits() as u8).collect();
        let count = decided(&generator::rulesheet(&bytes), 24).unwrap_or(0);
        sheets += usize::from(count > 0);
        positions += count;
    }
    println!("{positions} positions of {sheets} other rulesheets were decided");
}

/// All plays, so far as there are few.
#[test]
fn all_plays_keep_what_is_decided() {
    let mut random = Stream::new(18, 0);
    let (mut sheets, mut saved) = (0, 0);
    for _ in 0..60 {
        let text = latched(&mut random);
        if text.contains("(role q)") || text.contains("(role random)") {
            continue;
        }
        let Some((game, ended)) = both(&text, &options(true)) else { continue };
        let mut plays = Totals::default();
        follow([&game, &ended], &game.initial(), 0, None, &mut plays);
        assert_eq!((plays.plays, plays.steps[0]), (243, 5 * 243));
        sheets += 1;
        saved += plays.steps[0] - plays.steps[1];
    }
    println!("{saved} steps of {sheets} rulesheets were saved");
    assert!(sheets > 5 && saved > 1_000, "{sheets} rulesheets, {saved} steps");
}

/// Rulesheets of other authors, beside the checkout; those that compile fast.
#[test]
fn random_games_of_other_rulesheets_keep_what_is_decided() {
    let Some(rulesheets) = corpus::rulesheets() else { return };
    let options = Options { limits: corpus::limits(), ..options(true) };
    let mut gained = 0;
    for (name, text) in rulesheets {
        let Some((game, ended)) = both(&text, &options) else { continue };
        let mut random = Stream::new(19, 0);
        let (mut steps, mut saved) = (0, 0);
        while steps < 2_000 {
            let mut state = game.initial();
            let mut decided: Option<Vec<Vec<u8>>> = None;
            loop {
                let terminal = game.terminal(&state);
                if decided.is_none() && ended.terminal(&state) {
                    decided = Some(goals(&game, &state));
                }
                if let Some(decided) = &decided {
                    assert_eq!(&goals(&game, &state), decided, "{name}: {}", game.state_text(&state));
                    saved += u32::from(!terminal);
                }
                let legal: Vec<Vec<MoveId>> =
                    game.roles().map(|role| game.legal(&state, role).collect()).collect();
                steps += 1;
                if terminal || steps >= 2_000 || legal.iter().any(Vec::is_empty) {
                    break;
                }
                let draw = |moves: &Vec<MoveId>| moves[random.below(moves.len() as u64) as usize];
                let joint: Vec<MoveId> = legal.iter().map(draw).collect();
                state = game.next(&state, &joint).expect("the moves are legal");
            }
        }
        gained += usize::from(saved > 0);
        println!("{name}: {saved} of {steps} steps saved");
    }
    println!("{gained} rulesheets end early");
    assert!(gained > 0, "no rulesheet ends early");
}

//! Judgements of games with properties known by hand.

use super::*;
use gdl_compiler::Limits;

/// Settings with fewer games, which suffice for these tests.
fn settings() -> Settings {
    Settings { walks: 100, matches: 20, budgets: vec![10, 100], ..Settings::thorough() }
}

fn judged_with(text: &str, settings: &Settings) -> Judgement {
    let options = Options { limits: Limits::network(), ..Options::default() };
    judge("game", &Source::new("game.kif", text), &options, settings).expect("it is not cancelled")
}

fn built_in(name: &str, settings: &Settings) -> Judgement {
    judged_with(gdl_games::find(name).expect("it is built in").text, settings)
}

fn played(judgement: &Judgement) -> &PlayResults {
    judgement.played.as_ref().expect("it was played")
}

fn assert_near(found: f64, expected: f64, reach: f64) {
    assert!((found - expected).abs() < reach, "{found} for {expected}");
}

#[test]
fn tictactoe_is_as_is_known() {
    // Ten nodes are few for nine moves: only many matches distinguish their player from a random
    // one.
    let judgement = built_in("tictactoe", &Settings { matches: 100, ..settings() });
    let PlayResults { random, peers, ladder, shape, dead, .. } = played(&judgement);
    let seat = &random.seats[0].results;
    let shares = [seat.wins, seat.draws, seat.losses].map(|games| games as f64 / random.scored as f64);
    for (share, known) in shares.into_iter().zip([0.585, 0.127, 0.288]) {
        assert_near(share, known, 0.01);
    }
    assert_near(random.completion(), 1.0, 1e-9);
    assert_near(random.balance(), 1.0 - (0.585 - 0.288), 0.02);
    // The last of nine moves leaves no choice; the others do.
    let shape = shape.as_ref().expect("games were followed");
    assert!((0.88..1.0).contains(&shape.agency) && shape.quantiles == [5, 8, 9], "{shape:?}");
    // Players that search draw against each other and beat those that do not.
    let peers = peers.as_ref().expect("equals met");
    assert!(peers.outcome.draws() > 0.8, "{peers:?}");
    let ladder = ladder.as_ref().expect("there is a ladder");
    assert!(ladder.levels() == 2 && ladder.depth() > 0.3, "{ladder:?}");
    let dead = dead.as_ref().expect("games were followed");
    assert_eq!([dead.rules.count, dead.moves.count, dead.fluents.count], [0; 3]);
    // Nine marks for each role and a noop.
    assert_eq!([dead.moves.of, dead.fluents.of], [20, 29]);
}

#[test]
fn nim_is_won_by_the_second_player() {
    // The second player wins four piles of 1, 3, 5 and 7. With 10,000 nodes for a move both play
    // nearly perfectly.
    let judgement = built_in("nim", &Settings { budgets: vec![10, 10_000], matches: 12, ..settings() });
    let PlayResults { random, peers, drama, .. } = played(&judgement);
    assert_near(random.balance(), 1.0, 0.05);
    let outcome = &peers.as_ref().expect("equals met").outcome;
    assert!(outcome.wins(&outcome.seats[1]) > 0.75, "{outcome:?}");
    assert!(outcome.balance() < 0.5 && outcome.decisiveness() > 0.99);
    // The winner leads nearly all the time, and the match is decided early.
    let drama = drama.as_ref().expect("matches were told");
    assert!(drama.drama < Some(0.1) && drama.decided > Some(0.5), "{drama:?}");
}

#[test]
fn skill_gains_nothing_in_rock_paper_scissors() {
    let judgement = built_in("rock_paper_scissors", &settings());
    let PlayResults { random, ladder, .. } = played(&judgement);
    let ladder = ladder.as_ref().expect("there is a ladder");
    assert_eq!((ladder.depth().to_string(), ladder.levels()), ("0".to_owned(), 0), "{ladder:?}");
    assert_near(random.balance(), 1.0, 0.03);
    assert!(judgement.score() < Some(0.1), "{:?}", judgement.score());
}

#[test]
fn a_game_for_one_has_neither_seats_nor_draws() {
    let judgement = built_in("monty_hall", &Settings { matches: 200, ..settings() });
    assert!(judgement.has_chance && judgement.is_hidden && judgement.roles == ["candidate"]);
    let PlayResults { random, peers, drama, ladder, .. } = played(&judgement);
    let goal = |outcome: &Outcome| outcome.goal(&outcome.seats[0]).expect("games have results");
    // Staying wins a third of the games, switching two thirds.
    assert_near(goal(random), 50.0, 2.0);
    assert_near(goal(&peers.as_ref().expect("it was played").outcome), 200.0 / 3.0, 10.0);
    assert!(drama.is_none());
    let ladder = ladder.as_ref().expect("there is a ladder");
    assert!(ladder.goals.len() == 3 && ladder.levels() == 1, "{ladder:?}");
    let names: Vec<&str> = judgement.absent.iter().map(|(measure, _)| *measure).collect();
    assert_eq!(names, ["drama", "lead_changes", "decided", "balance", "decisiveness"]);
    let parts: Vec<&str> = judgement.parts().iter().map(|part| part.name).collect();
    assert_eq!(parts, ["completion", "agency", "coverage", "depth"]);
}

/// Returns a game in which two roles take sticks in turn. `end` is the text of the remaining rules.
fn sticks(end: &str) -> String {
    format!(
        "(role a) (role b) (init (left 3)) (init (control a)) (other a b) (other b a)
         (less 3 2) (less 2 1) (less 1 0)
         (<= (legal ?r (take ?x)) (true (control ?r)) (side ?x)) (side l) (side m)
         (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
         (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
         (<= (next (control ?r)) (true (control ?s)) (other ?s ?r))
         (<= (next (took ?x)) (does ?r (take ?x))) {end}"
    )
}

const OVER: &str = "(<= terminal (true (left 0)))";

#[test]
fn hopeless_games_are_given_up_with_the_reason() {
    for (text, verdict, reason) in [
        (sticks("(<= terminal (true (left 9))) (<= (goal ?r 50) (role ?r))"), GameVerdict::Endless, "100.0 % of"),
        (sticks(&format!("{OVER} (<= (goal ?r 50) (role ?r))")), GameVerdict::Drawn, "100.0 % of random games"),
        (sticks(&format!("{OVER} (goal a 100) (goal b 0)")), GameVerdict::OneSided, "a wins 100.0 %"),
        (sticks(&format!("{OVER} (goal a 100) (<= (goal b 0) (true (left 2)))")), GameVerdict::Unscored, "one goal"),
        (
            sticks(&format!("{OVER} (<= (goal ?r 50) (role ?r))")).replace("(less 2 1)", ""),
            GameVerdict::Endless,
            "not over in time",
        ),
        (
            sticks(&format!("{OVER} (<= (goal ?r 50) (role ?r))"))
                .replace("(<= (next (control ?r))", "(<= (next (control ?r)) (true (left 3))"),
            GameVerdict::Stuck,
            "no legal move",
        ),
        (
            sticks(&format!("{OVER} (<= (goal a 100) (true (left 9))) (<= (goal ?r 50) (role ?r))")),
            GameVerdict::Drawn,
            "drawn",
        ),
        (
            "(role a) (init x) (legal a go) (<= (next y) (true x)) (<= terminal (true y)) (goal a 100)".to_owned(),
            GameVerdict::NoChoice,
            "no player has more",
        ),
        (
            "(role random) (init x) (legal random go) (<= (next y) (true x)) (<= terminal (true y)) (goal random 0)".to_owned(),
            GameVerdict::NoPlayer,
            "chance",
        ),
        ("(role a) (init x) (<= (legal a (go ?y)) (true x))".to_owned(), GameVerdict::Invalid, "1:36: "),
    ] {
        let judgement = judged_with(&text, &settings());
        let found = judgement.reason.clone().unwrap_or_default();
        assert!(judgement.verdict == verdict && found.contains(reason), "{judgement:?}\n{text}");
        assert_eq!(judgement.score(), None, "{text}");
        assert_eq!(judgement.to_json()["verdict"], verdict.name());
    }
    let large = (0..200).map(|number| format!("(number {number})")).collect::<Vec<_>>().concat();
    let end = format!("{OVER} (<= (goal ?r 50) (role ?r)) {large}");
    let text = sticks(&format!("{end} (<= (next (f ?a ?b ?c)) (number ?a) (number ?b) (number ?c))"));
    let options = Options { limits: Limits { fuel: 1_000_000, ..Limits::network() }, ..Options::default() };
    let judgement = judge("game", &Source::new("game.kif", text), &options, &settings());
    let judgement = judgement.expect("it is not cancelled");
    assert_eq!(judgement.verdict, GameVerdict::TooLarge, "{judgement:?}");
}

#[test]
fn hopeless_games_are_measured_if_that_is_asked_for() {
    let text = sticks(&format!("{OVER} (<= (goal ?r 50) (role ?r))"));
    let judgement = judged_with(&text, &Settings { full: true, ..settings() });
    assert_eq!(judgement.verdict, GameVerdict::Drawn);
    let PlayResults { peers, ladder, .. } = played(&judgement);
    assert!(peers.is_some() && ladder.is_some() && judgement.score() < Some(0.1));
    assert!(judgement.absent.iter().any(|&(name, why)| name == "drama" && why.contains("no match")));
}

#[test]
fn what_is_dead_is_told_with_its_place_and_proof() {
    // No move takes two sticks at once, as the last rule requires. `swap` is never legal, as
    // nothing makes `(left 9)` true. A rule of `next` mentions it nevertheless.
    let end =
        "(<= (goal a 100) (true (left 0)) (true (took l))) (<= (goal b 100) (true (left 0)) (true (took m)))
         (<= (goal a 0) (true (left 0)) (true (took m))) (<= (goal b 0) (true (left 0)) (true (took l)))
         (<= (legal ?r swap) (true (control ?r)) (true (left 3)) (true (left 1)))
         (<= (next (left 3)) (does ?r swap))
         (<= terminal (true (left 0)))";
    let judgement = judged_with(&sticks(end), &settings());
    let dead = played(&judgement).dead.as_ref().expect("games were followed");
    let texts: Vec<&str> = dead.rules.list.iter().map(|idle| idle.text.as_str()).collect();
    assert_eq!((texts, dead.rules.count), (vec!["(legal ?r swap)", "(next (left 3))"], 2), "{dead:?}");
    assert_eq!(dead.rules.list[0].place, Some([9, 10]));
    let moves: Vec<(&str, bool)> =
        dead.moves.list.iter().map(|idle| (idle.text.as_str(), idle.is_proved)).collect();
    assert_eq!(moves, [("a swap", true), ("b swap", true)], "the net proves it");
    assert_eq!((dead.fluents.count, dead.moves.of), (0, 8));
    assert_near(dead.coverage(), 1.0 - 2.0 / dead.rules.of as f64, 1e-9);
}

#[test]
fn a_rule_without_an_instance_is_dead_for_ever() {
    let end = format!(
        "{OVER} (<= terminal (true (took n))) (goal a 100) (<= (goal b 0) (true (control a))) (<= (goal b 100) (true (control b)))"
    );
    let judgement = judged_with(&sticks(&end), &Settings { full: true, ..settings() });
    let dead = played(&judgement).dead.as_ref().expect("games were followed");
    let list: Vec<(&str, bool)> =
        dead.rules.list.iter().map(|idle| (idle.text.as_str(), idle.is_proved)).collect();
    assert_eq!(list, [("terminal", true)], "{dead:?}");
}

#[test]
fn threads_change_nothing() {
    let one = built_in("connect_four", &Settings { threads: 1, ..Settings::quick() });
    let three = built_in("connect_four", &Settings { threads: 3, ..Settings::quick() });
    assert_eq!(one.to_json(), three.to_json());
    let other = built_in("connect_four", &Settings { seed: 1, ..Settings::quick() });
    assert_ne!(one.to_json()["random"], other.to_json()["random"]);
}

#[test]
fn searches_keep_to_their_work() {
    let judgement = built_in("connect_four", &Settings { work: 1e5, ..settings() });
    let PlayResults { peers, ladder, .. } = played(&judgement);
    assert!(peers.is_none() && ladder.is_none());
    let why = |name| judgement.absent.iter().find(|(measure, _)| *measure == name).map(|(_, why)| *why);
    assert_eq!([why("skilled"), why("skill"), why("drama")], [Some(skill::TOO_MUCH); 3]);
    let calm = Settings::quick();
    calm.cancel.cancel();
    let source = Source::new("nim.kif", gdl_games::find("nim").expect("it is built in").text);
    assert!(judge("nim", &source, &Options::default(), &calm).is_none());
}

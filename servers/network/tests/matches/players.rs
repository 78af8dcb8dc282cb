//! Faulty remote players: a referee leads every match to its end.

use crate::{
    fake::{self, whole},
    first, listen,
};
use gdl_compiler::Source;
use gdl_network::{Remote, Sheet};
use gdl_players::{
    Budget, Player, Referee,
    player::First,
    referee::{End, Match},
};
use gdl_runtime::{Cancel, Dynamic, GameExt, Information, game::Perception, load};
use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::Mutex,
    time::Duration,
};

/// A game of two steps in which both roles choose.
const RULES: &str = "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2)
    (legal a left) (legal a right) (legal b left) (legal b right)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2)))
    (goal a 50) (goal b 50)";

fn remote(address: SocketAddr) -> Remote<Dynamic> {
    sent(address, &sheet(RULES))
}

/// Creates a client of the player at an address; it sends this sheet.
fn sent(address: SocketAddr, sheet: &Sheet) -> Remote<Dynamic> {
    let clock = Some(Duration::from_secs(60));
    Remote::new(address.to_string().parse().expect("an address"), sheet.clone()).clocks(clock, clock)
}

fn sheet(rules: &str) -> Sheet {
    Sheet::new(&Source::new("rules", rules)).expect("it can be read")
}

/// Plays a match with the remote player as `a`, and returns it with the faults of `a`.
fn play(address: SocketAddr, clock: Option<Duration>) -> (Match<Dynamic>, Vec<String>) {
    let game = load(RULES).expect("a game");
    let mut players: Vec<Box<dyn Player<Dynamic>>> = vec![Box::new(remote(address)), Box::new(First::new())];
    let mut referee = Referee::new(&game).seed(1);
    if let Some(clock) = clock {
        referee = referee.clocks(clock, clock).grace(clock);
    }
    let played = referee.run(&mut players).expect("two players");
    assert_eq!(played.end, End::Terminal);
    let faults =
        played.faults.iter().map(|faults| faults[0].as_ref().map_or_else(String::new, ToString::to_string));
    let faults = faults.collect();
    (played, faults)
}

#[test]
fn a_whole_match_is_told() {
    let (address, heard) =
        fake::player(true, |message| whole(if message.contains("START") { "ready" } else { "right" }));
    let (played, faults) = play(address, None);
    assert_eq!(faults, ["", "", ""]);
    assert_eq!(played.players, [format!("remote:{address}"), "first".to_owned()]);
    let heard = heard.lock().expect("it is whole").clone();
    let id = heard[0].split(' ').nth(2).expect("an id").to_owned();
    assert!(
        heard[0].starts_with(&format!("( START {id} a ( (role a) (role b) (init (at 0))")),
        "{}",
        heard[0]
    );
    assert!(heard[0].ends_with(" ) 60 60 )") && !heard[0].contains('\n'), "{}", heard[0]);
    let rest = [
        format!("( PLAY {id} NIL )"),
        format!("( PLAY {id} ( right left ) )"),
        format!("( STOP {id} ( right left ) )"),
    ];
    assert_eq!(heard[1..], rest);
}

#[test]
fn a_scrambled_match_is_told_in_other_words() {
    // The player answers with the word after `legal a` in the received rules, or with `right` as in
    // the original rules.
    for (is_plain, expected) in [(false, ["", "", ""]), (true, ["", "IL right", "IL right"])] {
        let rules = Mutex::new(Vec::new());
        let answer = move |message: &str| {
            let mut known: std::sync::MutexGuard<'_, Vec<String>> = rules.lock().expect("it is whole");
            if message.contains("START") {
                *known = message.split([' ', '(', ')']).map(str::to_owned).collect();
                return whole("ready");
            }
            let legal = known.iter().position(|word| word == "legal").expect("a rule");
            whole(if is_plain { "right" } else { &known[legal + 2] })
        };
        let (address, heard) = fake::player(true, answer);
        let game = load(RULES).expect("a game");
        let player = sent(address, &sheet(RULES).scrambled(7)).id("m.1");
        let mut players: Vec<Box<dyn Player<Dynamic>>> = vec![Box::new(player), Box::new(First::new())];
        let played = Referee::new(&game).seed(1).run(&mut players).expect("two players");
        let faults = played.faults.iter().map(|faults| faults[0].as_ref().map(ToString::to_string));
        let faults: Vec<String> = faults.map(Option::unwrap_or_default).collect();
        assert_eq!(faults, expected);
        let heard = heard.lock().expect("it is whole").clone();
        assert!(heard.iter().all(|message| message.split(' ').nth(2) == Some("m.1")), "{heard:?}");
        for word in ["left", "right", "succ"] {
            assert!(!heard.iter().any(|message| message.contains(word)), "{word}: {heard:?}");
        }
        if !is_plain {
            // The record of the match uses the words of the original rules.
            let line = played.history.line();
            assert!(line.into_iter().flatten().all(|&action| game.move_text(action) == "left"));
        }
    }
}

/// A game in which a token is carried to one of two cells whose names differ only in case.
const INFIX: &str = "role(r)\ninit(at(a))\ncell(a)\ncell(bB)\ncell(bb)\n\
    legal(r, go(X)) :- cell(X) & ~true(at(X))\nnext(at(X)) :- does(r, go(X))\n\
    terminal :- true(at(bB))\nterminal :- true(at(bb))\n\
    goal(r, 100) :- true(at(bb))\ngoal(r, 0) :- ~true(at(bb))\n";

const EPILOG: &str = "role(r)\ninit(at(a))\ncell(a)\ncell(bB)\ncell(bb)\n\
    action(go(X)) :- cell(X)\nlegal(go(X)) :- cell(X) & ~at(X)\ncontrol(r)\n\
    go(X) :: at(Y) ==> at(X) & ~at(Y)\n\
    terminal :- at(bB)\nterminal :- at(bb)\n\
    goal(r, 100) :- at(bb)\ngoal(r, 0) :- ~at(bb)\n";

#[test]
fn players_are_sent_kif_whatever_the_author_writes() {
    for (rules, seed) in [(INFIX, None), (INFIX, Some(3)), (EPILOG, None), (EPILOG, Some(3))] {
        let game = load(rules).unwrap_or_else(|error| panic!("{error}"));
        let sheet = sheet(rules);
        let sheet = seed.iter().fold(sheet, |sheet, &seed| sheet.scrambled(seed));
        let action = sheet.to_kif("(go bb)").to_ascii_uppercase();
        let (address, heard) = fake::player(true, move |message| fake::polite(message, &action));
        let mut players: Vec<Box<dyn Player<Dynamic>>> = vec![Box::new(sent(address, &sheet))];
        let played = Referee::new(&game).run(&mut players).expect("one player");
        let heard = heard.lock().expect("it is whole").clone();
        assert_eq!(played.faults, [[None], [None]], "{heard:?}");
        let moves: Vec<&str> =
            played.history.line().into_iter().flatten().map(|&done| game.move_text(done)).collect();
        assert_eq!((&moves[..], played.goals), (&["(go bb)"][..], vec![Some(100)]));
        // The received rulesheet is valid KIF.
        let start = &heard[0];
        let kif = &start[start.find(" ( ").expect("a list") + 3..start.rfind(" ) ").expect("its end")];
        assert!(!kif.contains(":-"), "{kif}");
        load(kif).unwrap_or_else(|error| panic!("{kif}: {error}"));
        // Our own player can play by the sheet.
        let mut players: Vec<Box<dyn Player<Dynamic>>> = vec![Box::new(sent(listen(first()), &sheet))];
        let played = Referee::new(&game).max_steps(20).run(&mut players).expect("one player");
        assert!(played.faults.iter().flatten().all(Option::is_none), "{:?}", played.faults);
    }
}

#[test]
fn odd_answers_are_understood() {
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nright\r\n0\r\n\r\n".to_vec();
    let endless = b"HTTP/1.0 200 OK\r\n\r\nright".to_vec();
    for (answer, closes) in [
        (whole("RIGHT"), true),
        (whole(" right\r\n"), false),
        (whole("right"), false),
        (chunked, false),
        (endless, true),
    ] {
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (address, _) = fake::player(closes, move |_| answer.clone());
        assert_eq!(play(address, None).1, ["", "", ""], "{text}");
    }
}

#[test]
fn answers_of_no_use_are_noted() {
    let garbage = b"\x16\x03\x01 not HTTP at all\r\n\r\n".to_vec();
    let endless = format!("HTTP/1.0 200 OK\r\n\r\n{}", "x".repeat(1 << 20)).into_bytes();
    let cut = b"HTTP/1.0 200 OK\r\nContent-length: 100\r\n\r\nrig".to_vec();
    for (answer, fault) in [
        (garbage, "CE"),
        (endless, "CE"),
        (cut, "CE"),
        (Vec::new(), "CE"),
        (whole(""), "IL nil"),
        (whole("(right"), "IL nil"),
        (whole("up"), "IL up"),
        (whole("busy"), "IL busy"),
        (whole("nil"), "IL nil"),
    ] {
        let text = String::from_utf8_lossy(&answer[..answer.len().min(50)]).into_owned();
        let (address, _) = fake::player(true, move |_| answer.clone());
        // An unexpected answer to `START` is no fault: the match goes on.
        let at_start = if fault == "CE" { "CE" } else { "" };
        assert_eq!(play(address, None).1, [at_start, fault, fault], "{text}");
    }
}

#[test]
fn who_is_out_of_reach_or_never_answers_loses_no_more_than_its_moves() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    assert_eq!(play(address, None).1, ["CE", "CE", "CE"]);
    // The length promises 2 GB, but no body follows.
    let huge = format!("HTTP/1.0 200 OK\r\nContent-length: {}\r\n\r\n", 2_u64 << 30).into_bytes();
    for answer in [huge, Vec::new(), b"HTTP/1.0 2".to_vec()] {
        let (address, _) = fake::player(false, move |_| answer.clone());
        assert_eq!(play(address, Some(Duration::from_millis(100))).1, ["TO", "TO", "TO"]);
    }
}

#[test]
fn an_illegal_answer_is_the_referees_to_judge() {
    let rules = "(role a) (init (at 0)) (succ 0 1) (succ 1 2) (<= (legal a left) (true (at 0))) (<= (legal a right) (true (at 1)))
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2))) (goal a 50)";
    let game = load(rules).expect("a game");
    let (address, _) = fake::player(true, |_| whole("left"));
    let mut players: Vec<Box<dyn Player<Dynamic>>> = vec![Box::new(sent(address, &sheet(rules)))];
    let played = Referee::new(&game).run(&mut players).expect("one player");
    let faults: Vec<String> = played.faults.iter().flatten().flatten().map(ToString::to_string).collect();
    assert_eq!(faults, ["IL left"]);
}

#[test]
fn a_move_taken_back_begins_a_new_match() {
    let (address, heard) =
        fake::player(true, |message| whole(if message.contains("START") { "ready" } else { "right" }));
    let game = load(RULES).expect("a game");
    let role = game.parse_role("a").expect("a role");
    let [left, right] = ["left", "right"].map(|text| game.parse_move(text).expect("a move"));
    let joint = |joint: [_; 2]| Perception::Joint(joint.into());
    let mut player = remote(address);
    let mut one = Information::new(role);
    assert_eq!(player.choose(&game, &one, &Budget::unlimited()), Some(right));
    one.push(right, joint([right, left]));
    assert_eq!(player.choose(&game, &one, &Budget::unlimited()), Some(right));
    let mut other = Information::new(role);
    other.push(left, joint([left, left]));
    assert_eq!(player.choose(&game, &other, &Budget::unlimited()), Some(right));
    Player::<Dynamic>::abort(&mut player);
    let heard = heard.lock().expect("it is whole").clone();
    let kinds: Vec<&str> = heard.iter().filter_map(|message| message.split(' ').nth(1)).collect();
    assert_eq!(kinds, ["START", "PLAY", "PLAY", "ABORT", "START", "PLAY", "PLAY", "ABORT"]);
    assert!(heard[6].ends_with("( left left ) )"), "{}", heard[6]);
    // A cancelled request does not wait.
    let cancel = Cancel::default();
    cancel.cancel();
    let (address, _) = fake::player(false, |_| Vec::new());
    let budget = Budget::unlimited().cancelled_by(&cancel);
    assert_eq!(remote(address).choose(&game, &other, &budget), None);
}

#[test]
fn our_own_player_is_one() {
    let address = listen(first());
    for _ in 0..3 {
        let (played, faults) = play(address, None);
        assert_eq!(faults, ["", "", ""]);
        let game = load(RULES).expect("a game");
        assert!(played.history.line().into_iter().flatten().all(|&action| game.move_text(action) == "left"));
    }
}

//! Reasons by requests: why an atom holds or not, illegal moves, and tests from plays. None of them
//! reveals hidden information.

use super::client::{Answer, Client};
use gdl_serve::Shown;
use serde_json::{Value, json};

fn start(client: &Client, request: &Value) -> String {
    let answer = client.post("/api/sessions", request);
    assert_eq!(answer.status, 201, "{}", answer.body);
    format!("/api/sessions/{}", answer.body["id"].as_str().expect("an id"))
}

/// Asks for the reason of an atom, with the knowledge of `seat` unless `seat` is empty.
fn why(client: &Client, session: &str, seat: &str, atom: &str) -> Answer {
    let seat = if seat.is_empty() { String::new() } else { format!("&seat={seat}") };
    client.get(&format!("{session}/why?atom={}{seat}", atom.replace(' ', "%20")))
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

#[test]
fn a_move_that_is_not_legal_has_its_rule_and_the_literal_that_fails() {
    let client = Client::new();
    let session = start(&client, &json!({ "game": "tictactoe", "moves": [["(mark 2 2)", "noop"]] }));
    let answer = why(&client, &session, "", "legal oplayer (mark 2 2)");
    assert_eq!(
        (answer.status, &answer.body["place"], &answer.body["why"]["holds"]),
        (200, &json!(1), &json!(false))
    );
    let attempt = &answer.body["why"]["attempts"][0];
    assert_eq!(attempt["fails"]["text"], "(true (cell 2 2 b))");
    assert_eq!(texts(&attempt["held"]), ["(true (control oplayer))"]);
    // The line number is that of the rule.
    let text = gdl_games::find("tictactoe").expect("built in").text;
    let line = attempt["line"].as_u64().expect("a line") as usize;
    assert_eq!(text.lines().nth(line - 1), Some("(<= (legal ?r (mark ?m ?n))"));
    // The reason for a fluent is the step that made it true, or `init` at the start.
    let made = why(&client, &session, "", "(true (cell 2 2 x))").body;
    assert_eq!(made["why"]["atom"], "(next (cell 2 2 x))");
    assert!(made["why"]["by"]["premises"].to_string().contains("(does xplayer (mark 2 2))"), "{made}");
    client.post(&format!("{session}/undo"), &json!({}));
    assert_eq!(
        why(&client, &session, "", "true (control xplayer)").body["why"]["atom"],
        "(init (control xplayer))"
    );
    // In a position without history a fluent is given.
    let elsewhere =
        start(&client, &json!({ "game": "tictactoe", "position": "((control xplayer) (cell 1 1 o))" }));
    let given = why(&client, &elsewhere, "", "true (cell 1 1 o)").body;
    assert_eq!(given["why"], json!({ "atom": "(true (cell 1 1 o))", "holds": true, "given": true }));
    // Invalid requests are rejected.
    for (atom, code, word) in [
        (
            "legal oplayer (marc 1 1)",
            "no_reason",
            "`marc` is not a word of these rules; did you mean `mark`?",
        ),
        ("((", "no_reason", ""),
        ("", "no_reason", ""),
        ("next (control xplayer)", "no_reason", "about a joint move"),
    ] {
        let answer = why(&client, &session, "", atom);
        assert_eq!(
            (answer.status, answer.body["code"].as_str()),
            (422, Some(code)),
            "{atom}: {}",
            answer.body
        );
        assert!(answer.body["message"].to_string().contains(word), "{}", answer.body);
    }
    assert_eq!(client.get(&format!("{session}/why")).status, 400);
    assert_eq!(client.get(&format!("{session}/why?atom={}", "x".repeat(10_001))).status, 413);
}

#[test]
fn moves_that_are_not_legal_are_listed_found_and_counted() {
    let client = Client::new();
    let session = start(&client, &json!({ "game": "tictactoe", "moves": [["(mark 2 2)", "noop"]] }));
    let list = |query: &str| client.get(&format!("{session}/illegal{query}")).body;
    let all = list("");
    assert_eq!((&all["role"], texts(&all["moves"])), (&json!("oplayer"), vec!["(mark 2 2)", "noop"]));
    assert_eq!(texts(&list("?find=MARK")["moves"]), ["(mark 2 2)"]);
    // Cell 4 is the middle, counted from the top left.
    let middle = list("?cell=4");
    assert_eq!(
        (texts(&middle["moves"]), texts(&middle["fluents"])),
        (vec!["(mark 2 2)"], vec!["(cell 2 2 x)"])
    );
    let corner = list("?cell=0");
    assert_eq!((texts(&corner["moves"]).len(), texts(&corner["fluents"]).len()), (0, 1));
    let other = list("?role=xplayer");
    assert_eq!(texts(&other["moves"]).len(), 9);
    assert_eq!(client.get(&format!("{session}/illegal?role=nobody")).status, 422);
    // A list is cut, but any move can be searched for: each of three hundred steps has its own
    // move.
    let steps = (0..300).map(|step| format!("(succ {step} {}) ", step + 1)).collect::<Vec<_>>().concat();
    let rules = format!(
        "(role r) {steps} (init (at 0)) (<= (legal r (take ?n)) (true (at ?n)) (succ ?n ?m)) (legal r wait)
        (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m)) (<= terminal (true (at 300))) (goal r 100)"
    );
    let many = start(&client, &json!({ "rulesheet": rules }));
    let list = |query: &str| client.get(&format!("{many}/illegal{query}")).body;
    let all = list("");
    assert_eq!((texts(&all["moves"]).len(), &all["left_out"]), (200, &json!(99)));
    assert_eq!(
        (texts(&list("?find=take%20299")["moves"]), &list("?find=take%20299")["left_out"]),
        (vec!["(take 299)"], &json!(0))
    );
}

#[test]
fn a_match_is_a_test_that_gdl_test_reads() {
    let client = Client::new();
    let session = start(&client, &json!({ "game": "nim" }));
    let before = client.get(&format!("{session}/test")).body;
    assert_eq!(before["name"], "nim");
    assert!(
        before["test"]
            .as_str()
            .is_some_and(|test| test.starts_with("(test after_0_moves\n  (not terminal)\n  (legal "))
    );
}

/// Starts two plays that look the same to `alice`, who has a three.
fn twins(client: &Client, steps: &Value) -> [String; 2] {
    ["(roll 3 6)", "(roll 3 2)"].map(|roll| {
        let mut moves = vec![json!(["noop", "noop", roll])];
        moves.extend(steps.as_array().expect("steps").iter().cloned());
        start(client, &json!({ "game": "liars_dice", "moves": moves }))
    })
}

#[test]
fn a_seat_is_told_nothing_that_it_may_not_know() {
    let client = Client::new();
    let atoms: Vec<String> = ["alice", "bob", "random"]
        .iter()
        .flat_map(|role| {
            let dice = (1..=6).flat_map(move |face| {
                let known = ["die {} 1", "true (die {} 1)", "legal {} (bid 1 1)", "legal {} (bid 2 1)"];
                known.map(|atom| atom.replace("{}", role).replace(" 1)", &format!(" {face})")))
            });
            let others = [
                "legal {} noop",
                "legal {} doubt",
                "goal {} 100",
                "goal {} 50",
                "goal {} 0",
                "true (control {})",
            ];
            dice.chain(others.map(|atom| atom.replace("{}", role)))
                .chain(["terminal".to_owned(), "true doubted".to_owned()])
        })
        .collect();
    let (mut told, mut hidden) = (0, 0);
    for steps in [
        json!([]),
        json!([["(bid 1 3)", "noop", "noop"]]),
        json!([["(bid 1 3)", "noop", "noop"], ["noop", "(bid 2 2)", "noop"]]),
    ] {
        let [one, other] = twins(&client, &steps);
        for atom in &atoms {
            let answers = [&one, &other].map(|session| why(&client, session, "alice", atom));
            let [first, second] = answers;
            assert_eq!((first.status, &first.body), (second.status, &second.body), "{atom}");
            match (first.status, first.body["code"].as_str()) {
                (200, _) => told += 1,
                (409, Some("hidden")) => hidden += 1,
                (422, _) => {}
                _ => panic!("{atom}: {}", first.body),
            }
        }
        for query in [
            "seat=alice",
            "seat=alice&role=alice",
            "seat=alice&role=bob",
            "seat=alice&cell=0",
            "seat=alice&find=bid",
        ] {
            let answers = [&one, &other].map(|session| client.get(&format!("{session}/illegal?{query}")));
            assert_eq!(
                (answers[0].status, &answers[0].body),
                (answers[1].status, &answers[1].body),
                "{query}"
            );
        }
        // Alice knows her own die, does not see bob's, and may not list his moves.
        assert_eq!(why(&client, &one, "alice", "true (die alice 3)").body["why"]["holds"], true);
        assert_eq!(why(&client, &one, "alice", "true (die bob 6)").status, 409);
        assert_eq!(why(&client, &one, "alice", "true (die alice 4)").body["why"]["holds"], false);
        assert_eq!(client.get(&format!("{one}/illegal?seat=alice&role=bob")).status, 409);
        // Without a named role nothing is revealed, and the play cannot be saved as a test before
        // its end.
        assert_eq!(why(&client, &one, "", "terminal").status, 409);
        for seat in ["", "?seat=alice", "?seat=bob"] {
            assert_eq!(client.get(&format!("{one}/test{seat}")).body["code"], "hidden", "{seat}");
        }
    }
    // Six faces of bob's die in each of three positions are hidden, and nothing else.
    assert_eq!((told, hidden), (216, 18));
    // At the end the dice are revealed.
    let doubts = json!([["(bid 1 3)", "noop", "noop"], ["noop", "doubt", "noop"]]);
    let [one, _] = twins(&client, &doubts);
    assert_eq!(client.get(&one).body["terminal"], true);
    assert_eq!(why(&client, &one, "alice", "true (die bob 6)").body["why"]["holds"], true);
    assert!(client.get(&format!("{one}/test")).body["test"].to_string().contains("(roll 3 6)"));
}

/// Returns a rulesheet that is expensive to evaluate: it relates all pairs of a thousand constants.
fn vast() -> String {
    let things = (0..1_000).map(|n| format!("(thing {n}) ")).collect::<Vec<_>>().concat();
    format!(
        "(role r) {things} (init off) (legal r wait) (legal r end)
        (<= (pair ?x ?y) (thing ?x) (thing ?y) (true off))
        (<= many (pair ?x ?y) (pair ?y ?z) (distinct ?x ?z) (pair ?z ?x) (not (true off)))
        (<= (next off) (true off)) (<= (next over) (does r end)) (<= terminal (true over)) (<= terminal many) (goal r 100)"
    )
}

#[test]
fn what_takes_too_much_is_told_to_do_so() {
    let client = Client::new();
    let answer = client.post("/api/sessions", &json!({ "rulesheet": vast() }));
    assert_eq!(answer.status, 201, "{}", answer.body);
    let session = format!("/api/sessions/{}", answer.body["id"].as_str().expect("an id"));
    let answer = why(&client, &session, "", "many");
    assert_eq!((answer.status, answer.body["code"].as_str()), (422, Some("no_reason")), "{}", answer.body);
    assert!(answer.body["message"].to_string().contains("beyond 200000 atoms"), "{}", answer.body);
    // A cheap atom is answered.
    assert_eq!(why(&client, &session, "", "legal r wait").status, 200);
    // A reason that would be too long is computed with less depth.
    let wide = (0..600).map(|n| {
        format!("(<= (deep ?x) (wide ?x {0}{n})) (<= (wide ?x ?y) (flat ?x ?y {n}))", "n".repeat(100))
    });
    let wide = wide.collect::<Vec<_>>().concat();
    let rules =
        format!("{} {wide} (<= (flat ?x ?y ?z) (cell ?x ?y ?z) (distinct ?x ?x)) (cell 0 0 0)", vast());
    let session = start(&client, &json!({ "rulesheet": rules }));
    let answer = client.get(&format!("{session}/why?atom=deep%200&depth=20"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.to_string().len() <= (1 << 20) + 100);
    assert_eq!(answer.body["why"]["attempts"].as_array().map(Vec::len), Some(600));
}

#[test]
fn rules_that_are_read_leniently_have_reasons_and_a_net() {
    let unrewarded = "(role ann) (role bob) (init (step 1)) (legal ann hold) (legal bob wait)
        (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2))) (<= (goal ann 50) (true (step 2)))";
    let request = json!({ "rulesheet": unrewarded });
    assert_eq!(Client::new().post("/api/sessions", &request).status, 422);
    let client = Client::of(&Shown { lenient: true, ..Shown::default() });
    let session = start(&client, &request);
    let reason = why(&client, &session, "", "legal ann hold");
    assert_eq!((reason.status, &reason.body["why"]["holds"]), (200, &json!(true)), "{}", reason.body);
    let inside = client.get(&format!("{session}/inside"));
    assert!(inside.status == 200 && inside.body["picture"]["nodes"].is_array(), "{}", inside.body);
}

//! Rulesheets that nobody would write: each ends in a game or in errors, within its limits.

use gdl_compiler::{Compilation, Diagnostics, Limits, Options, Source, compile, emit::table::table};

const GAME: &str = "(role r) (init a) (legal r x) (legal r y) (<= (next a) (does r x))
    (<= terminal (not (true a))) (<= (goal r 0) (true a)) (<= (goal r 70) (not (true a)))";

fn compile_with(text: &str, limits: Limits) -> Result<Compilation, Diagnostics> {
    let options = Options { limits, ..Options::default() };
    compile(&Source::new("test.kif", text), &options)
}

/// What the limit says of `rules` added to a small game.
fn refusal(rules: &str, limits: Limits) -> String {
    let text = format!("{GAME} {rules}");
    let diagnostics = compile_with(&text, limits).expect_err("over the limit");
    assert!(diagnostics.has_errors());
    diagnostics.render(&Source::new("test.kif", text.as_str()))
}

#[test]
fn equal_goal_values_are_one_output() {
    let text = format!("{GAME} (<= (goal r 070) (true b)) (<= (next b) (does r y))");
    let net = compile_with(&text, Limits::default()).expect("a game").net;
    let values: Vec<u8> = net.outputs.goal[0].iter().map(|&(value, _)| value).collect();
    assert_eq!(values, [0, 70]);
}

/// Unrolled, the closure of a relation over n things takes n to the fifth gates.
#[test]
fn cycles_keep_to_the_limit_on_gates() {
    let things: String = (0..12).map(|n| ["(n ", &n.to_string(), ") "].concat()).collect();
    let closure = things
        + "(<= (next (edge ?x ?y)) (n ?x) (n ?y) (does r x))
        (<= (path ?x ?y) (true (edge ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= (next b) (path 0 1))";
    let limits = Limits { max_gates: 5_000, ..Limits::default() };
    let report = refusal(&closure, limits);
    assert!(report.contains("more than 5000 gates (`max_gates`)"), "{report}");
}

/// A generator of numbers (Steele, Lea and Flood 2014, the mixing step), for repeatable mutations.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }
}

/// The place after the form or word that starts at `start`.
fn end(words: &[String], start: usize) -> usize {
    let mut depth = 0usize;
    for (place, word) in words.iter().enumerate().skip(start) {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    words.len()
}

fn mutate(words: &mut Vec<String>, numbers: &mut Numbers) {
    let (start, other) = (numbers.below(words.len()), numbers.below(words.len()));
    let form = start..end(words, start);
    let copy = words[other..end(words, other)].to_vec();
    match numbers.below(6) {
        0 => drop(words.drain(form)),
        1 => drop(words.splice(start..start, copy)),
        2 => drop(words.splice(form, copy)),
        3 => words.swap(start, other),
        kind => {
            words.insert(form.end, ")".to_owned());
            let connective = if kind == 4 { "not" } else { "or" };
            drop(words.splice(start..start, ["(", connective].map(str::to_owned)));
        }
    }
    if words.is_empty() {
        words.push("(".to_owned());
    }
}

#[test]
fn mutated_rulesheets_never_panic() {
    let games = [
        include_str!("../../../games/tictactoe.kif"),
        include_str!("../../../games/lights_out.kif"),
        include_str!("../../../games/nim.kif"),
        include_str!("../../../games/rock_paper_scissors.kif"),
    ];
    let limits = Limits { fuel: 50_000, max_ground_rules: 2_000, max_gates: 20_000, ..Limits::default() };
    let mut compiled = 0;
    for seed in 0..400 {
        let mut numbers = Numbers(seed);
        let game: String = games[numbers.below(games.len())]
            .lines()
            .map(|line| line.split(';').next().unwrap_or_default().to_owned() + " ")
            .collect();
        let spaced = game.replace('(', " ( ").replace(')', " ) ");
        let mut words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        (0..=numbers.below(2)).for_each(|_| mutate(&mut words, &mut numbers));
        let text = words.join(" ");
        match compile_with(&text, limits.clone()) {
            Ok(compilation) => {
                assert!(!compilation.diagnostics.has_errors(), "seed {seed}: {text}");
                assert!(!table(&compilation.net).is_empty());
                compiled += 1;
            }
            Err(diagnostics) => {
                assert!(diagnostics.has_errors(), "seed {seed}: {text}");
                let _ = diagnostics.render(&Source::new("test.kif", text.as_str()));
            }
        }
    }
    assert!(compiled > 20, "only {compiled} mutations were games");
}

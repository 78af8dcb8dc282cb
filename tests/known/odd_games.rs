//! Odd games that are valid. They have no errors, and the evaluator, the oracle and the compiled
//! net agree with the counts of another semantics.

use gdl_compiler::{
    Diagnostics, Options, Severity, Source, check::check, compile, eval::Evaluator, syntax::parse,
};
use gdl_oracle::{Oracle, Settings};
use gdl_runtime::engine;
use gdl_tests::reasoner::OracleReasoner;
use gdl_tools::verify::{GameReasoner, Reasoner};
use std::{collections::BTreeMap, fmt::Write, path::Path};

/// Formats the number of roles and of initial fluents, whether the initial state is terminal, and
/// the number of each role's moves there. The numbers of sequences of one, two and three joint
/// moves follow.
fn counts<R: Reasoner>(reasoner: &R) -> Result<String, String> {
    let roles = reasoner.roles();
    let start = reasoner.initial()?;
    let over = reasoner.terminal(&start)?;
    let mut text = format!("roles={} init={} term={over}", roles.len(), reasoner.fluents(&start).len());
    if !over {
        let mut order: Vec<usize> = (0..roles.len()).collect();
        order.sort_by_key(|&role| roles[role].to_ascii_lowercase());
        for role in order {
            let _ = write!(text, " legal={}", reasoner.legal(&start, role)?.len());
        }
    }
    // Each state with its number of move sequences, by its fluents.
    let mut level = BTreeMap::from([(reasoner.fluents(&start), (start, 1_u64))]);
    for depth in 1..=3 {
        let mut below: BTreeMap<Vec<String>, (R::State, u64)> = BTreeMap::new();
        for (state, times) in level.into_values() {
            if reasoner.terminal(&state)? {
                continue;
            }
            let mut joints: Vec<Vec<String>> = vec![Vec::new()];
            for role in 0..roles.len() {
                let legal = reasoner.legal(&state, role)?;
                joints = joints
                    .iter()
                    .flat_map(|joint| {
                        legal.iter().map(|m| [joint.as_slice(), std::slice::from_ref(m)].concat())
                    })
                    .collect();
            }
            for joint in joints {
                let next = reasoner.next(&state, &joint)?;
                below.entry(reasoner.fluents(&next)).or_insert((next, 0)).1 += times;
            }
        }
        let _ = write!(text, " p{depth}={}", below.values().map(|(_, times)| times).sum::<u64>());
        level = below;
    }
    Ok(text)
}

/// A line of the list without the names of roles, which the list spells differently.
fn without_names(line: &str) -> String {
    let words = line.split_whitespace().map(|word| match word.split_once('(').zip(word.split_once('=')) {
        Some(((name, _), (_, count))) => format!("{name}={count}"),
        None => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn accepted_rulesheets_have_their_known_counts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/accept");
    let list = std::fs::read_to_string(folder.join("EXPECT.tsv")).expect("the list of counts");
    let mut files = 0;
    for line in list.lines() {
        let (name, expected) = line.split_once('\t').expect("a name and counts");
        let expected = Ok(without_names(expected));
        let source = Source::from_bytes(name, std::fs::read(folder.join(name)).expect(name)).expect("UTF-8");
        let options = Options::default();

        let found =
            compile(&source, &options).map_or_else(|failure| failure.diagnostics, |game| game.diagnostics);
        assert_eq!(found.count(Severity::Error), 0, "{}", found.render(&source));

        let mut diagnostics = Diagnostics::default();
        let tree = parse(&source, &options, &mut diagnostics);
        let rules = check(&tree, &source, &options, &mut diagnostics).expect("it compiles");
        let evaluator = Evaluator::new(&rules).expect("evaluable");
        assert_eq!(counts(&evaluator), expected, "{name} by the evaluator");
        let oracle = Oracle::new(source.text(), &Settings::default()).expect("a game");
        assert_eq!(counts(&OracleReasoner(oracle)), expected, "{name} by the oracle");

        let game =
            engine::compile(&source, &options).unwrap_or_else(|faults| panic!("{}", faults.render(&source)));
        assert_eq!(counts(&GameReasoner(&game)), expected, "{name} by the net");
        files += 1;
    }
    let present = std::fs::read_dir(&folder).expect("the folder").count() - 1;
    assert_eq!(files, present, "each file is in the list");
}

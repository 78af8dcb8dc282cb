//! Rulesheets with errors that count as warnings: every engine plays them as the evaluator does.

use gdl_compiler::{Options, Source, compile, read};
use gdl_runtime::{
    Dynamic, Game,
    engine::{eventful, lift},
    perft::perft,
};

macro_rules! sheet {
    ($name:literal) => {
        include_str!(concat!("../../compiler/tests/severities/", $name, ".kif"))
    };
}

/// Rulesheets, and their perft counts by an independent semantics. Without counts, those of the
/// lifted engine are expected.
const SHEETS: [(&str, &str, &[u128]); 6] = [
    ("goal_table_over_100", sheet!("goal_table_over_100"), &[2, 4, 8, 16, 32, 0]),
    ("sees_does_term", sheet!("sees_does_term"), &[3, 9, 0]),
    ("legacy_base", sheet!("legacy_base"), &[2, 2, 0]),
    ("history_list", sheet!("history_list"), &[2, 4, 8, 0]),
    ("growing_alone", sheet!("growing_alone"), &[1, 1, 1, 0]),
    ("arity_clash", sheet!("arity_clash"), &[]),
];

fn assert_counts(game: &impl Game, name: &str, counts: &[u128]) {
    assert_eq!(perft(game, counts.len()), counts, "{name}");
}

#[test]
fn sheets_with_warnings_are_played_by_every_engine() {
    let mut tables = 0;
    for (name, text, counts) in SHEETS {
        let source = Source::new(name, text);
        let options = Options::default();
        let (rules, _) = read(&source, &options).unwrap_or_else(|_| panic!("{name} is refused"));
        let lifted = lift(&rules, &options).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let counts = if counts.is_empty() { perft(&lifted, 4) } else { counts.to_vec() };
        assert_counts(&lifted, name, &counts);
        if let Ok(compilation) = compile(&source, &options) {
            tables += 1;
            assert_counts(&Dynamic::decode(&compilation.table).expect("small"), name, &counts);
            eventful(&compilation).for_each(|game| assert_counts(&game, name, &counts));
        }
    }
    assert_eq!(tables, 4, "terms of two grow");
}

//! Recorded plays as tests of the rulesheet. A play that `gdl play` or the page records must pass
//! unchanged, and must fail after any part of it is changed.

use gdl_compiler::{Options, Source, eval::Evaluator};
use gdl_runtime::{Dynamic, GameExt, History, chance::Stream};
use gdl_tools::{game::GameArg, load, plays};

/// A random play of at most `most` joint moves.
fn play(game: &Dynamic, seed: u64, most: usize) -> History<Dynamic> {
    let mut stream = Stream::new(seed, 0);
    let mut history = History::new(game);
    while !game.is_terminal(history.state()) && history.depth() < most {
        let view = game.view(history.state());
        let joint: Option<Vec<_>> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
        history.play(game, &joint.expect("moves")).expect("legal");
    }
    history
}

/// The message of a game's test if the test fails; `None` if it passes.
fn fails(entry: &gdl_games::Entry, test: &str) -> Option<String> {
    let (source, options) = (load::text_of(entry), load::quiet());
    let rules = gdl_compiler::read(&source, &options).expect("sound").0;
    let oracle = Evaluator::new(&rules).expect("evaluable");
    let tests = plays::read(&Source::new("recorded.plays", test), &Options::default()).expect("well formed");
    assert_eq!(tests.len(), 1);
    let count = &mut |_: &str, _: usize| unreachable!("it has no counts");
    plays::run(&oracle, &tests[0], count).expect("no counts").map(|failure| failure.message)
}

#[test]
fn what_is_recorded_passes_and_says_what_is_there() {
    for entry in gdl_games::LIST {
        let game = GameArg::BuiltIn(entry).tabled(None).expect("a table");
        // Plays that stop in the initial state, after three joint moves, and at the end of short
        // games.
        for (seed, most) in [(1, 0), (2, 3), (3, 10)] {
            let history = play(&game, seed, most);
            let test = plays::recorded(&game, &history, usize::MAX).expect("no limit");
            assert_eq!(fails(entry, &test), None, "{}: {test}", entry.name);
            assert_eq!(test.matches("(does ").count() + test.matches("(moves ").count(), history.depth());
            let is_over = game.is_terminal(history.state());
            assert_eq!(test.contains("(not terminal)"), !is_over, "{test}");
            let players = game.roles().filter(|&role| Some(role) != game.chance_role()).count();
            if is_over {
                assert!(test.matches("(goal ").count() >= players && !test.contains("(legal "), "{test}");
            } else {
                let legal: usize =
                    game.roles().map(|role| game.legal_moves(history.state(), role).len()).sum();
                assert_eq!(test.matches("(legal ").count(), legal.min(100), "{test}");
            }
            // A test with the opposite claim about `terminal` fails.
            let wrong = if is_over {
                test.replace("\n  terminal", "\n  (not terminal)")
            } else {
                test.replace("(not terminal)", "terminal")
            };
            assert!(fails(entry, &wrong).is_some_and(|message| message.contains("`terminal`")), "{wrong}");
        }
    }
}

#[test]
fn a_play_from_elsewhere_begins_there_and_a_long_one_is_refused() {
    let entry = gdl_games::find("tictactoe").expect("built in");
    let game = GameArg::BuiltIn(entry).tabled(None).expect("a table");
    let text = "((cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) (cell 2 3 b) (cell 3 1 b) (cell 3 2 b) \
        (cell 3 3 b) (control xplayer))";
    let mut history = History::from_text(&game, text).expect("a state");
    let action = game.parse_move("(mark 1 3)").expect("a move");
    let joint = game.joint(history.state(), action).expect("legal");
    history.play(&game, &joint).expect("legal");
    let test = plays::recorded(&game, &history, usize::MAX).expect("no limit");
    assert_eq!(
        test,
        "(test xplayer_won_after_1_move\n  (state (cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) \
         (cell 2 3 b) (cell 3 1 b) (cell 3 2 b) (cell 3 3 b) (control xplayer))\n  (does xplayer (mark 1 3))\n  terminal\n  \
         (goal xplayer 100)\n  (goal oplayer 0))\n"
    );
    assert_eq!(fails(entry, &test), None);
    assert_eq!(plays::recorded(&game, &history, 200), None);
    // Simultaneous choices are recorded as one joint move.
    let entry = gdl_games::find("rock_paper_scissors").expect("built in");
    let game = GameArg::BuiltIn(entry).tabled(None).expect("a table");
    let test = plays::recorded(&game, &play(&game, 1, 1), usize::MAX).expect("no limit");
    assert!(test.contains("\n  (moves "), "{test}");
    assert_eq!(fails(entry, &test), None);
}

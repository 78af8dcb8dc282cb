//! `gdl play`: input, output, and the ends of games.

use super::{Run, command, gdl};
use std::{io::Write, process::Stdio};

/// Runs `gdl` with this text on stdin.
fn typed(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gdl runs");
    // The program may exit before it has read all.
    let _ = child.stdin.take().expect("piped").write_all(input.as_ref());
    child.wait_with_output().expect("gdl ends").into()
}

fn play(args: &[&str], input: impl AsRef<[u8]>) -> String {
    let args = [&["play"], args].concat();
    let run = typed(&args, input);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}: {}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colours in a pipe");
    run.stdout
}

/// The boards in the output, each as its rows from the top, without coordinates.
fn boards(text: &str) -> Vec<String> {
    let rows: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(" │ ").map(|(_, row)| row)).collect();
    rows.chunks(3).map(|rows| rows.join("/")).collect()
}

#[test]
fn the_player_against_itself_draws_in_nine_plies() {
    let run = gdl(&["play", "tictactoe", "--self"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let boards = boards(&run.stdout);
    assert_eq!(boards.len(), 10, "{}", run.stdout);
    for (ply, board) in boards.iter().enumerate() {
        assert_eq!(board.matches(['x', 'o']).count(), ply, "{board}");
    }
    assert_eq!(run.stdout.lines().last(), Some("The only winning move is not to play."));
    assert_eq!(gdl(&["play", "tictactoe", "--self"]).stdout, run.stdout);
}

#[test]
fn the_rules_can_be_evaluated_state_by_state() {
    let run =
        |rest: &[&str]| gdl(&[&["play", "tictactoe", "--self", "--against", "first"], rest].concat()).stdout;
    let table = run(&[]);
    assert!(!table.is_empty());
    for engine in ["table", "events", "lifted"] {
        assert_eq!(run(&["--engine", engine]), table, "{engine}");
    }
}

#[test]
fn a_won_game_ends_at_once_and_names_the_winner() {
    let run = gdl(&["play", "tictactoe", "--self", "--against", "first"]);
    let boards = boards(&run.stdout);
    // x has the diagonal after seven of nine plies.
    assert_eq!(boards.last().map(String::as_str), Some("x o ·/o x ·/x o x"), "{}", run.stdout);
    assert_eq!(boards.len(), 8);
    assert_eq!(run.stdout.lines().last(), Some("xplayer wins, 100 to 0."));
    // The other role can win too.
    let second =
        play(&["tictactoe", "--as", "xplayer", "--against", "first"], "mark 3 3\nmark 3 2\nmark 2 2\n");
    assert!(second.contains("oplayer wins, 0 to 100."), "{second}");
}

#[test]
fn moves_go_by_number_and_text_and_can_be_taken_back() {
    let text =
        play(&["tictactoe", "--against", "first"], "1\nundo\nredo\nmark 2 2\nundo\nundo\nmark 3 3\nstate\n");
    let shown = boards(&text);
    let expected = [
        "· · ·/· · ·/· · ·",
        "· · ·/· · ·/x · ·",
        "· · ·/o · ·/x · ·",
        "· · ·/· · ·/· · ·",
        "· · ·/o · ·/x · ·",
        "· · ·/o x ·/x · ·",
        "o · ·/o x ·/x · ·",
        "· · ·/o · ·/x · ·",
        "· · ·/· · ·/· · ·",
        "· · x/· · ·/· · ·",
        "· · x/· · ·/o · ·",
    ];
    assert_eq!(shown, expected, "{text}");
    assert!(text.ends_with("((cell 1 1 o) (cell 1 2 b) (cell 1 3 b) (cell 2 1 b) (cell 2 2 b) (cell 2 3 b) (cell 3 1 b) (cell 3 2 b) (cell 3 3 x) (control xplayer))\n"), "{text}");
    let nothing = play(&["tictactoe", "--as", "oplayer", "--against", "first"], "undo\nredo\n");
    assert!(nothing.contains("nothing to undo") && nothing.contains("nothing to redo"), "{nothing}");
    assert_eq!(boards(&nothing).len(), 2);
}

#[test]
fn a_play_is_saved_with_its_branches_and_loaded() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved play.json");
    let name = path.to_str().expect("a path in UTF-8");
    let saved = play(&["tictactoe", "--against", "first"], format!("1\nundo\n9\nsave {name}\n"));
    assert!(saved.contains("5 positions written"), "{saved}");
    let loaded = play(&["tictactoe", "--against", "first"], format!("load {name}\nundo\nredo\nmark 2 2\n"));
    assert!(loaded.contains("5 positions read, at move 2"), "{loaded}");
    assert_eq!(
        boards(&loaded)[1..5],
        ["· · x/· · ·/o · ·", "· · ·/· · ·/· · ·", "· · x/· · ·/o · ·", "· · x/· x ·/o · ·"]
    );
    // Files of other games, or invalid ones, have no effect.
    let other = play(&["nim"], format!("load {name}\nload\nload {name}.none\nsave /\n"));
    for message in
        ["not a play of this game: the start:", "needs the name of a file", "cannot read", "cannot write"]
    {
        assert!(other.contains(message), "{message}: {other}");
    }
    std::fs::write(&path, "{\"start\": 1}").expect("written");
    assert!(play(&["nim"], format!("load {name}\n")).contains("not a saved play"));
}

#[test]
fn whatever_is_typed_is_answered() {
    let odd = b"\xff\xfe\n(\n))((\n-1\n0\n99999999999999999999999\nmark\n\x1b[2J\n\0\n   \nundo undo\nhint\nhelp\nmoves\n".to_vec();
    let long = [vec![b'x'; 200_000], b"\n".to_vec()].concat();
    let text = play(&["tictactoe", "--nodes", "100"], [odd, long].concat());
    assert!(text.contains("begin with this, among them (mark 1 1) and (mark 1 2)"), "{text}");
    assert!(text.contains("best: (mark "), "{text}");
    assert!(text.contains("save FILE"), "{text}");
    assert_eq!(boards(&text).len(), 1);
    // The program ends quietly at the end of input, at any prompt.
    for input in ["", "1", "1\nqui", "quit\n1\n"] {
        play(&["tictactoe", "--against", "random"], input);
    }
}

#[test]
fn hidden_information_stays_hidden_until_the_end() {
    let text = play(&["monty_hall"], "choose 1\nstay\n");
    let (before, after) = text.rsplit_once("candidate may").expect("a second choice");
    assert!(!before.contains("car") && before.contains("candidate perceives ((open "), "{text}");
    assert!(after.contains("car: "), "{text}");
    let both = play(&["rock_paper_scissors", "--against", "human"], "paper\nrock\n");
    assert!(both.contains("1. alice: paper   bob: rock"), "{both}");
}

#[test]
fn one_player_and_many_roles_are_served() {
    let solo = play(&["lights_out", "--self", "--against", "first"], "");
    assert!(
        solo.lines().last().is_some_and(|line| line.starts_with("player ") || line.contains("goal")),
        "{solo}"
    );
    for (args, message) in [
        (vec!["play", "tictactoe", "--as", "xplayr"], "did you mean `xplayer`?"),
        (vec!["play", "monty_hall", "--as", "random"], "chance plays this role"),
        (vec!["play", "tictactoe", "--self", "--as", "xplayer"], "cannot be used with"),
        (vec!["play", "tictactoe", "--self", "--against", "human"], "leave `--self` out"),
        (vec!["play", "tictactoe", "--against", "randm"], "did you mean `random`?"),
    ] {
        let run = gdl(&args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn a_play_is_recorded_as_a_test_beside_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tictactoe.plays");
    let name = path.to_str().expect("a path in UTF-8");
    let input = format!("mark 2 2\nrecord {name}\nmark 3 3\nmark 1 3\nrecord {name}\nrecord\nrecord /\n");
    let text = play(&["tictactoe", "--against", "first"], input);
    for message in [
        "a test of 2 moves added to",
        "a test of 6 moves added to",
        "needs the name of a file",
        "cannot write /:",
    ] {
        assert!(text.contains(message), "{message}: {text}");
    }
    let run = gdl(&["test", "tictactoe", name]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert!(run.stdout.contains("test after_2_moves ... ok\ntest after_6_moves ... ok\n"), "{}", run.stdout);
    // An existing file is not overwritten, and a record that differs from the rules fails the test.
    let recorded = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, recorded.replace("(does xplayer (mark 2 2))", "(does xplayer (mark 2 1))"))
        .expect("written");
    let run = gdl(&["test", "tictactoe", name]);
    assert_eq!((run.code, run.stdout.matches("FAILED").count() > 1), (Some(1), true), "{}", run.stdout);
}

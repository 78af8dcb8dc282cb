//! `gdl match`: counts, reproducibility and records.

use super::{gdl, json, keys, rulesheet};
use gdl_players::record::Record;
use gdl_runtime::GameExt;
use serde_json::{Value, json as value};

/// The report without the fields that depend on the clock.
fn played(args: &[&str]) -> Value {
    let mut report = json(&[&["match"], args, &["--json"]].concat());
    report.as_object_mut().expect("an object").remove("seconds");
    report
}

/// The report names the requested engine.
#[test]
fn engines_can_be_asked_for() {
    let play =
        |rest: &[&str]| played(&[&["nim", "mcts", "random", "-n", "4", "--nodes", "60"], rest].concat());
    assert_eq!(play(&["--engine", "table"]), play(&[]));
    for engine in ["table", "events", "lifted"] {
        let report = play(&["--engine", engine]);
        assert_eq!((&report["engine"], &report["matches"]), (&value!(engine), &value!(4)));
        assert_eq!(report["players"][0]["faults"], value!({ "illegal": 0, "late": 0, "gone": 0 }));
    }
    let run = gdl(&["match", "nim", "first", "random", "-n", "1", "--engine", "lanes"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn matches_are_counted_for_players_and_roles() {
    let report = played(&["tictactoe", "first", "random", "-n", "200"]);
    assert_eq!(
        keys(&report),
        ["game", "engine", "matches", "seed", "clock", "nodes", "players", "mean_length", "unscored"]
    );
    let players = report["players"].as_array().expect("a list");
    let fields = [
        "player",
        "matches",
        "wins",
        "draws",
        "losses",
        "mean_goal",
        "score",
        "score_interval",
        "elo",
        "elo_interval",
        "roles",
        "faults",
    ];
    assert_eq!(keys(&players[0]), fields);
    let count = |player: &Value, field: &str| player[field].as_u64().expect("a count");
    for field in ["wins", "draws", "losses", "matches"] {
        let of_roles: u64 =
            ["xplayer", "oplayer"].map(|role| count(&players[0]["roles"][role], field)).iter().sum();
        assert_eq!(of_roles, count(&players[0], field), "{field}");
        // Each player has half of the matches in each role.
        assert_eq!(count(&players[0]["roles"]["xplayer"], "matches"), 100);
    }
    assert_eq!(count(&players[0], "wins"), count(&players[1], "losses"));
    assert_eq!(count(&players[0], "draws"), count(&players[1], "draws"));
    assert_eq!(players[0]["faults"], value!({ "illegal": 0, "late": 0, "gone": 0 }));
    let score = players[0]["score"].as_f64().expect("a number");
    let [low, high] = [0, 1].map(|i| players[0]["score_interval"][i].as_f64().expect("a number"));
    assert!(low < score && score < high && high < 1.0);
    // Neither player is strong, but one of them makes threats.
    assert!((0.5..0.8).contains(&score), "{score}");

    let run = gdl(&["match", "tictactoe", "first", "random", "-n", "200"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(
        run.stdout.contains("tictactoe table, 200 matches, 10,000 nodes a move, seed 0"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("  as oplayer"), "{}", run.stdout);
}

#[test]
fn a_search_beats_chance() {
    let report = played(&["tictactoe", "alphabeta", "random", "-n", "20", "--nodes", "2000"]);
    assert_eq!(report["players"][0]["losses"], 0, "{report}");
    assert!(report["players"][0]["wins"].as_u64() > Some(12), "{report}");
    // The perfect player never loses, whatever the opponent's budget.
    let perfect = played(&["tictactoe", "perfect", "mcts:nodes=200", "-n", "6", "--nodes", "50"]);
    assert_eq!(perfect["players"][0]["losses"], 0, "{perfect}");
}

#[test]
fn neither_threads_nor_the_engine_change_a_match() {
    for players in [["alphabeta:depth=2", "random"], ["random", "random"]] {
        let args = |rest: &[&'static str]| {
            [&["tictactoe"], &players[..], &["-n", "12", "--nodes", "300"], rest].concat()
        };
        let one = played(&args(&["--threads", "1", "--seed", "5"]));
        assert_eq!(one, played(&args(&["--threads", "3", "--seed", "5"])));
        assert_ne!(one["mean_length"], played(&args(&["--seed", "6"]))["mean_length"]);
        let file = rulesheet("tictactoe.kif");
        let mut args = args(&["--seed", "5"]);
        args[0] = &file;
        assert_eq!(one, played(&args));
    }
}

#[test]
fn games_of_one_and_of_chance_have_matches_too() {
    let solo = played(&["lights_out", "random", "-n", "5"]);
    assert_eq!((&solo["players"][0]["matches"], &solo["players"][0]["elo"]), (&value!(5), &Value::Null));
    let monty = played(&["monty_hall", "random", "-n", "60"]);
    assert_eq!(keys(&monty["players"][0]["roles"]), ["candidate"]);
    let score = monty["players"][0]["score"].as_f64().expect("a number");
    assert!((0.2..0.8).contains(&score), "{score}");
    let dice = played(&["liars_dice", "first", "random", "-n", "10"]);
    assert_eq!(dice["unscored"], 0);
}

#[test]
fn records_are_written_and_can_be_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("new");
    let path = folder.to_str().expect("a path in UTF-8");
    played(&["tictactoe", "first", "random", "-n", "10", "--record", path, "--clock", "5"]);
    let mut names: Vec<String> = std::fs::read_dir(path)
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!((names.len(), names[0].as_str()), (10, "tictactoe.0.01.json"));
    let game = gdl_games::tictactoe::game();
    for (i, name) in names.iter().enumerate() {
        let text = std::fs::read_to_string(folder.join(name)).expect("the record");
        let record: Record = serde_json::from_str(&text).expect("a record");
        let history = record.replay(&game).expect("what was played");
        assert!(game.is_terminal(history.state()));
        let expected = if i % 2 == 0 { ["first", "random"] } else { ["random", "first"] };
        assert_eq!(record.player_names_from_host, expected);
        assert_eq!((record.match_id, record.play_clock), (format!("tictactoe.0.{}", i + 1), 5));
    }
}

#[test]
fn every_player_plays_every_kind_of_game() {
    let help = gdl(&["match", "--help"]);
    let kinds = [
        "best",
        "first",
        "random",
        "greedy",
        "flat",
        "mcts",
        "ismcts",
        "equilibrium",
        "planner",
        "alphabeta",
        "paranoid",
        "perfect",
    ];
    for player in kinds {
        assert!(help.stdout.contains(&format!("\n  {player} ")), "{}", help.stdout);
        for (game, others) in
            [("nim", 1), ("rock_paper_scissors", 1), ("lights_out", 0), ("monty_hall", 0), ("liars_dice", 1)]
        {
            // The game has too many states to solve.
            let player =
                if (game, player) == ("lights_out", "perfect") { "perfect:nodes=1000" } else { player };
            let mut args = vec!["match", game, player];
            args.extend(["random"].repeat(others));
            args.extend(["-n", "2", "--nodes", "60", "--threads", "1", "--json"]);
            let report = json(&args);
            assert_eq!(
                report["players"][0]["faults"],
                value!({ "illegal": 0, "late": 0, "gone": 0 }),
                "{args:?}"
            );
            assert_eq!(report["unscored"], 0, "{args:?}");
        }
    }
}

#[test]
fn there_is_one_player_for_each_role() {
    for (args, code, message) in [
        (vec!["match", "tictactoe", "first"], 2, "tictactoe takes 2 players, found 1"),
        (vec!["match", "tictactoe", "first", "human"], 2, "plays in `gdl play` only"),
        (vec!["match", "tictactoe", "first", "alphabta"], 2, "did you mean `alphabeta`?"),
        (vec!["match", "conect_four", "first", "first"], 2, "did you mean `connect_four`?"),
        (vec!["match", "tictactoe", "first", "random:depth=3"], 2, "has no option `depth`"),
        (vec!["match", "tictactoe", "first", "random", "-n", "0"], 2, "at least one"),
        (vec!["match", "tictactoe"], 2, "PLAYER"),
        (vec!["match", "tictactoe", "first", "first", "--record", "/dev/null/x"], 1, "cannot write"),
    ] {
        let run = gdl(&args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn reviews_name_the_move_that_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("play.json");
    // O answers the centre by an edge, and X wins.
    let moves = [
        ["(mark 2 2)", "noop"],
        ["noop", "(mark 1 2)"],
        ["(mark 1 1)", "noop"],
        ["noop", "(mark 3 3)"],
        ["(mark 2 1)", "noop"],
    ];
    let steps: Vec<Value> =
        (0..).zip(moves).map(|(from, moves)| value!({ "from": from, "moves": moves })).collect();
    let play = value!({ "start": "", "steps": steps, "at": 5 });
    std::fs::write(&path, play.to_string()).expect("a file");
    let path = path.to_str().expect("a path in UTF-8");
    let review = |rest: &[&str]| gdl(&[&["review", "tictactoe", path], rest].concat());

    let run = review(&["--by", "perfect"]);
    let expected = "\
tictactoe 5 joint moves, 5 choices by perfect
number  role     move        expected      then  preferred
     2  oplayer  (mark 1 2)     50.0!      0.0!  (mark 1 1)
";
    assert_eq!((run.code, run.stderr.as_str(), run.stdout.as_str()), (Some(0), "", expected));
    let run = review(&["--by", "perfect", "--least", "60"]);
    assert!(run.stdout.ends_with("no expected goal falls by 60 points or more\n"), "{}", run.stdout);

    for player in ["perfect", "best"] {
        let report = json(&["review", "tictactoe", path, "--by", player, "--json"]);
        assert_eq!(keys(&report), ["game", "play", "joint_moves", "by", "seed", "clock", "nodes", "choices"]);
        let choices = report["choices"].as_array().expect("a list");
        let before: Vec<f64> =
            choices.iter().map(|choice| choice["before"]["goal"].as_f64().expect("a goal")).collect();
        assert_eq!(before, [50.0, 50.0, 100.0, 0.0, 100.0], "{report}");
        assert_eq!(keys(&choices[0]), ["number", "role", "move", "preferred", "before", "after", "fall"]);
        assert_eq!(choices[4]["after"], Value::Null, "the play stops before the next choice");
        assert_eq!(report, json(&["review", "tictactoe", path, "--by", player, "--json"]));
    }

    for (args, message) in
        [(["--by", "random"], "`random` cannot review this play"), (["--least", "101"], "0..=100")]
    {
        let run = review(&args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(message), "{args:?}: {}", run.stderr);
    }
    let run = gdl(&["review", "nim", path]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("joint move 1: "), "{}", run.stderr);
}

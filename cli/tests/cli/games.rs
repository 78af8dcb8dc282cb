//! Tests of `gdl net`, `gdl perft` and `gdl playouts`, on built-in games and on files.

use super::{Run, command, file, gdl, json, keys, rulesheet};
use serde_json::{Value, json as value};

/// A built-in game, and the same game as a file.
fn tictactoe() -> [String; 2] {
    ["tictactoe".to_owned(), rulesheet("tictactoe.kif")]
}

#[test]
fn the_net_is_described() {
    for (game, engine) in tictactoe().iter().zip(["straight", "table"]) {
        let net = json(&["net", game, "--json"]);
        let fields = [
            "game",
            "engine",
            "expected",
            "roles",
            "fluents",
            "dead_fluents",
            "exclusive_groups",
            "moves",
            "ground_rules",
            "gates",
            "ops",
            "purposes",
            "depth",
            "phases",
            "plies",
            "seconds",
            "omitted",
        ];
        assert_eq!(keys(&net), fields);
        assert_eq!((&net["game"], &net["engine"]), (&value!("tictactoe"), &value!(engine)));
        assert_eq!(net["roles"], value!(["xplayer", "oplayer"]));
        assert_eq!(net["fluents"], value!(29));
        // Each cell has exactly one of three marks, and exactly one player has control.
        let known = ["dead_fluents", "exclusive_groups"].map(|figure| &net[figure]);
        assert_eq!(known, [&value!(0), &value!(10)]);
        // There is a phase for each player, and the nets of both phases have equal size.
        let phases = net["phases"].as_array().expect("a list");
        assert!(phases.len() == 2 && phases[0] == phases[1] && phases[0].as_u64() < net["ops"].as_u64());
        // There is a net for each number of moves made. The ninth move is forced and only ends the
        // game.
        assert_eq!(net["plies"].as_array().map(Vec::len), Some(10));
        assert_eq!(net["moves"], value!({ "xplayer": 10, "oplayer": 10 }));
        assert_eq!(
            keys(&net["seconds"]),
            ["parse", "check", "ground", "propnet", "optimize", "derive", "emit"]
        );
        for figure in ["ground_rules", "gates", "ops", "depth"] {
            assert!(net[figure].as_u64() > Some(0), "{figure}");
        }
        // The gates for `noop` and control are fluents themselves.
        let purposes: Vec<_> =
            net["purposes"].as_array().expect("a list").iter().map(|p| &p["name"]).collect();
        assert_eq!(purposes, ["next cell", "legal mark", "terminal", "goal"]);
        let run = gdl(&["net", game]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains("fluents"), "{}", run.stdout);
        assert!(run.stdout.contains(" goal, "), "{}", run.stdout);
    }
}

/// The net has percepts as outputs if the rules have some; they are counted and drawn.
#[test]
fn percepts_are_outputs_of_the_net() {
    for game in ["monty_hall".to_owned(), rulesheet("monty_hall.kif")] {
        let net = json(&["net", &game, "--json"]);
        assert_eq!(net["percepts"], value!({ "candidate": 6, "random": 0 }));
        assert_eq!(net["moves"], value!({ "candidate": 6, "random": 7 }));
        assert!(gdl(&["net", &game]).stdout.lines().any(|line| line.trim().starts_with("percepts")));
        assert!(gdl(&["net", &game, "--dot"]).stdout.contains("sees candidate (open 3)"));
    }
    assert_eq!(json(&["net", "tictactoe", "--json"]).get("percepts"), None);
}

/// Chance is a role that moves and appears in every report. It neither wins nor loses.
#[test]
fn chance_plays_along() {
    for game in ["liars_dice".to_owned(), rulesheet("liars_dice.kif")] {
        let perft = json(&["perft", &game, "--depth", "3", "--json"]);
        assert_eq!(perft["counts"], value!([36, 432, 2_808]));
        let stats = json(&["playouts", &game, "--count", "2000", "--seed", "7", "--json"]);
        for figure in ["goals", "wins", "draws", "losses"] {
            assert_eq!(keys(&stats[figure]), ["alice", "bob", "random"], "{figure}");
        }
        assert_eq!((&stats["wins"]["random"], &stats["losses"]["random"]), (&value!(0), &value!(0)));
        let won = |role: &str| stats["wins"][role].as_u64().expect("a number");
        assert_eq!(won("alice") + won("bob"), 2_000);
        let run = gdl(&["playouts", &game, "--count", "2000"]);
        assert!(
            run.stdout.lines().any(|line| line.starts_with("random") && line.ends_with('-')),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn the_net_is_drawn() {
    for game in &tictactoe() {
        let run = gdl(&["net", game, "--dot"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.starts_with("digraph"), "{}", &run.stdout[..40]);
        assert!(run.stdout.trim_end().ends_with('}'));
    }
}

#[test]
fn perft_counts_sequences_of_joint_moves() {
    let counts = [9, 72, 504, 3_024, 15_120, 54_720];
    for game in &tictactoe() {
        let perft = json(&["perft", game, "--depth", "6", "--json"]);
        assert_eq!(perft, value!({ "game": "tictactoe", "engine": "table-lanes", "counts": counts }));
        assert_eq!(keys(&perft), ["game", "engine", "counts"]);
        let run = gdl(&["perft", game, "--depth", "4"]);
        assert_eq!(run.stdout.lines().next(), Some("tictactoe table-lanes"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        for count in ["9", "72", "504", "3,024"] {
            assert!(
                run.stdout.lines().any(|line| line.split_whitespace().nth(1) == Some(count)),
                "{}",
                run.stdout
            );
        }
    }
}

#[test]
fn perft_counts_the_same_with_every_engine() {
    let count =
        |rest: &[&str]| json(&[&["perft", "tictactoe", "--depth", "5", "--divide", "--json"], rest].concat());
    let mut counts = count(&[]);
    assert_eq!(counts["engine"], "table-lanes");
    assert_eq!(count(&["--isa", "portable"]), counts);
    let ways = ["lanes", "single", "straight", "table", "events", "lifted"];
    for (asked, engine) in
        ways.iter().zip(["table-lanes", "straight", "straight", "table", "events", "lifted"])
    {
        counts["engine"] = value!(engine);
        assert_eq!(count(&["--engine", asked]), counts, "{asked}");
    }
    let run = gdl(&["perft", "tictactoe", "--depth", "2", "--engine", "single", "--isa", "avx2"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn perft_stops_where_every_game_has_ended() {
    let perft = json(&["perft", "tictactoe", "--depth", "12", "--json"]);
    let counts = perft["counts"].as_array().expect("a list");
    assert_eq!(counts.len(), 12);
    assert_eq!((&counts[8], &counts[9], &counts[11]), (&value!(127_872), &value!(0), &value!(0)));
}

#[test]
fn perft_divides_by_the_first_joint_move() {
    let perft = json(&["perft", "tictactoe", "--depth", "3", "--divide", "--json"]);
    assert_eq!(keys(&perft), ["game", "engine", "counts", "divide"]);
    let divide = perft["divide"].as_array().expect("a list");
    assert_eq!(divide.len(), 9);
    assert_eq!(divide[0], value!({ "moves": ["(mark 1 1)", "noop"], "count": 56 }));
    let run = gdl(&["perft", "tictactoe", "--depth", "3", "--divide"]);
    assert!(run.stdout.contains("(mark 3 3)"), "{}", run.stdout);
}

#[test]
fn playouts_are_measured() {
    for game in &tictactoe() {
        let report = json(&["playouts", game, "--count", "3000", "--json"]);
        let fields = [
            "game",
            "engine",
            "isa",
            "seed",
            "threads",
            "playouts",
            "states",
            "seconds",
            "cpu_seconds",
            "playouts_per_second",
            "states_per_second",
            "mean_length",
            "goals",
            "wins",
            "draws",
            "losses",
        ];
        assert_eq!(keys(&report), fields);
        assert_eq!(report["playouts"], 3_000);
        for field in ["goals", "wins", "draws", "losses"] {
            assert_eq!(keys(&report[field]), ["xplayer", "oplayer"], "{field}");
        }
        let length = report["mean_length"].as_f64().expect("a number");
        assert!((5.0..=9.0).contains(&length), "{length}");
        let count = |field: &str, role: &str| report[field][role].as_u64().expect("a count");
        assert_eq!(count("wins", "xplayer"), count("losses", "oplayer"));
        assert_eq!(count("draws", "xplayer"), count("draws", "oplayer"));
        assert_eq!(count("wins", "xplayer") + count("draws", "xplayer") + count("losses", "xplayer"), 3_000);
        let run = gdl(&["playouts", game, "--count", "3000"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains("oplayer") && run.stdout.contains("3,000"), "{}", run.stdout);
    }
}

/// Goals are null if no game ends.
#[test]
fn goals_that_no_game_gave_are_none() {
    let rules =
        "(role r) (role random) (init off) (legal r wait) (legal random wait) (<= (next off) (true off))
        (<= (next on) (not (true off))) (<= terminal (true on)) (goal r 50)";
    let game = file("endless_goals.kif", rules);
    let stats = json(&["playouts", &game, "--count", "3", "--json"]);
    assert_eq!(stats["goals"], value!({ "r": null, "random": null }));
    let run = gdl(&["playouts", &game, "--count", "3"]);
    assert!(
        run.stdout.lines().any(|line| line.starts_with("r ") && line.contains("- ± -")),
        "{}",
        run.stdout
    );
    let figures = json(&["analyze", &game, "--count", "2", "--json"]);
    assert_eq!(figures["outcome"]["roles"]["r"]["goal"], Value::Null);
    let run = gdl(&["analyze", &game, "--count", "2"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = gdl(&["playouts", "liars_dice", "--count", "100", "--json"]);
    assert!(run.stdout.contains("\"random\": null"), "{}", run.stdout);
}

/// The fields of a report that must not depend on time.
fn counted(report: &Value) -> Vec<Value> {
    ["playouts", "states", "mean_length", "goals", "wins", "draws", "losses"]
        .iter()
        .map(|&field| report[field].clone())
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let play = |game: &str, rest: &[&str]| {
        let mut args = vec!["playouts", game, "--count", "20000", "--seed", "5", "--json"];
        args.extend(rest);
        counted(&json(&args))
    };
    let first = play("tictactoe", &["--threads", "1"]);
    for rest in [["--threads", "2"], ["--threads", "3"], ["--isa", "portable"], ["--engine", "lanes"]] {
        assert_eq!(play("tictactoe", &rest), first, "{rest:?}");
    }
    assert_eq!(play(&rulesheet("tictactoe.kif"), &[]), first);
    let single = play("tictactoe", &["--engine", "single", "--threads", "1"]);
    for rest in [["--threads", "3"], ["--isa", "portable"]] {
        assert_eq!(play("tictactoe", &[&["--engine", "single"], &rest[..]].concat()), single, "{rest:?}");
    }
    for engine in ["table", "straight"] {
        assert_eq!(play("tictactoe", &["--engine", engine]), single, "{engine}");
    }
    let other = counted(&json(&["playouts", "tictactoe", "--count", "20000", "--seed", "6", "--json"]));
    assert_ne!(other, first);
}

#[test]
fn rules_can_be_evaluated_state_by_state() {
    let run = |engine: &str| {
        let play = ["playouts", "tictactoe", "--count", "300", "--engine", engine, "--json"];
        let perft = ["perft", "tictactoe", "--depth", "4", "--divide", "--engine", engine, "--json"];
        let (play, perft) = (json(&play), json(&perft));
        assert_eq!([&play["engine"], &perft["engine"]], [engine; 2]);
        (counted(&play), perft["counts"].clone(), perft["divide"].clone())
    };
    let table = run("table");
    assert_eq!(run("lifted"), table);
    assert_eq!(run("events"), table);
    assert_eq!(json(&["net", "monty_hall", "--engine", "events", "--json"])["engine"], "events");

    let net = json(&["net", "monty_hall", "--engine", "lifted", "--json"]);
    assert_eq!(keys(&net), ["game", "engine", "roles", "fluents", "moves", "percepts"]);
    let table = json(&["net", "monty_hall", "--engine", "table", "--json"]);
    assert_eq!((&net["engine"], &table["engine"]), (&value!("lifted"), &value!("table")));
    for field in ["game", "roles", "fluents", "moves", "percepts"] {
        assert_eq!(net[field], table[field], "{field}");
    }
    let text = gdl(&["net", "monty_hall", "--engine", "lifted"]);
    assert!(text.stdout.contains("engine lifted"), "{}", text.stdout);
    let dot = gdl(&["net", "monty_hall", "--engine", "lifted", "--dot"]);
    assert_eq!(dot.code, Some(1));
    assert!(dot.stderr.contains("has no net"), "{}", dot.stderr);
}

#[test]
fn playouts_can_be_timed() {
    let report = json(&["playouts", "tictactoe", "--seconds", "0.2", "--json"]);
    assert!(report["playouts"].as_u64() > Some(0));
    let seconds = report["seconds"].as_f64().expect("a number");
    assert!((0.2..3.0).contains(&seconds), "{seconds}");
}

#[test]
fn straight_line_code_is_for_small_built_in_games() {
    for (game, reason) in
        [(rulesheet("tictactoe.kif"), "only built-in games"), ("reversi".to_owned(), "too large")]
    {
        let run = gdl(&["playouts", &game, "--count", "10", "--engine", "straight"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
    let single = json(&["playouts", "reversi", "--count", "10", "--engine", "table", "--json"]);
    assert_eq!((&single["engine"], &single["isa"]), (&value!("table"), &value!("portable")));
}

#[test]
fn games_are_played_in_lanes_unless_told_otherwise() {
    let best = gdl_runtime::lanes::Isa::best();
    // Straight-line code exists in release builds only. Reversi has too much code for words of 256
    // bits.
    let has_code =
        |game| !cfg!(debug_assertions) && (best == gdl_runtime::lanes::Isa::Avx512 || game == "tictactoe");
    for game in ["tictactoe", "reversi"] {
        let report = json(&["playouts", game, "--count", "10", "--json"]);
        let engine = if has_code(game) { "lanes" } else { "table-lanes" };
        assert_eq!((&report["engine"], &report["isa"]), (&value!(engine), &value!(best.name())));
        let report = json(&["playouts", game, "--count", "10", "--isa", "portable", "--json"]);
        assert_eq!((&report["engine"], &report["isa"]), (&value!("table-lanes"), &value!("portable")));
    }
    let run = gdl(&["playouts", "tictactoe", "--engine", "table", "--isa", "avx512"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("only lanes use") || run.stderr.contains("does not have"), "{}", run.stderr);
    // The initial state is terminal, so single mode replaces the lanes.
    let file = tempfile::Builder::new().suffix(".kif").tempfile().expect("a file");
    let text = "(role a) (init (on)) (legal a wait) (<= terminal (true (on))) (goal a 40)\n(<= (next (on)) (true (on)))";
    std::fs::write(file.path(), text).expect("written");
    let run = gdl(&["playouts", file.path().to_str().expect("text"), "--count", "10", "--engine", "lanes"]);
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("cannot be played in lanes"), "{}", run.stderr);
}

/// The feature `gpu` is off by default. A program without it explains how to install it.
#[test]
fn graphics_cards_are_a_feature() {
    let [built_in, file] = tictactoe();
    let emulated = |game| {
        [
            "playouts", game, "--engine", "gpu", "--device", "emulate", "--count", "3001", "--seed", "5",
            "--json",
        ]
    };
    if cfg!(feature = "gpu") {
        let [mut one, mut other] = [&built_in, &file].map(|game| json(&emulated(game)));
        assert_eq!((&one["engine"], &one["device"]), (&value!("gpu"), &value!("emulator")));
        assert_eq!((&one["playouts"], &one["seed"]), (&value!(3001), &value!(5)));
        // Both are the same game, and play depends on the seed alone.
        for report in [&mut one, &mut other] {
            for field in ["prepare_seconds", "seconds", "playouts_per_second", "states_per_second"] {
                assert!(report[field].take().is_number(), "{field}");
            }
        }
        assert_eq!(one, other);
        let run =
            gdl(&["playouts", "tictactoe", "--engine", "gpu", "--device", "emulate", "--count", "3001"]);
        assert!(run.stdout.contains("gpu, emulator"), "{}", run.stdout);
        let run = gdl(&["playouts", "tictactoe", "--engine", "gpu", "--device", "no such card"]);
        assert_eq!(run.code, Some(1));
        assert!(run.stderr.contains("there is no graphics card `no such card`"), "{}", run.stderr);
        assert!(run.stderr.contains("one of these names") || run.stderr.contains("install the driver"));
        // The emulator plays games that no GPU takes. A GPU rejects them; without one, the error
        // says what to install.
        let run = gdl(&["playouts", "chess", "--engine", "gpu", "--device", "emulate", "--count", "1"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        for game in ["chess", "go", "xiangqi"] {
            let run = gdl(&["playouts", game, "--engine", "gpu", "--count", "1"]);
            assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{game}");
            let is_large =
                run.stderr.contains("operations, more than the 10000 that a graphics card may run: leave");
            let is_absent = run.stderr.contains("there is no graphics card: install the driver");
            assert!(is_large || is_absent, "{game}: {}", run.stderr);
        }
        let report =
            json(&["bench", &file, "--engine", "gpu", "--device", "emulate", "--seconds", "0.01", "--json"]);
        assert_eq!(report["rulesheets"][0]["engine"], "gpu");
        assert_eq!(report["rulesheets"][0]["isa"], "emulator");
        assert_eq!(report["totals"]["played"], 1);
        if cfg!(target_os = "linux") {
            let args = ["playouts", "tictactoe", "--engine", "gpu", "--device", "nvidia"];
            let mut bare = command(&args);
            bare.env("VK_DRIVER_FILES", "/dev/null").env("VK_ICD_FILENAMES", "/dev/null");
            let run: Run = bare.output().expect("gdl runs").into();
            let text = "no graphics card was found for `nvidia`: install the driver of the card";
            assert!(run.code == Some(1) && run.stderr.contains(text), "{}", run.stderr);
        }
    } else {
        let run = gdl(&emulated(&built_in));
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains("--features full,gpu"), "{}", run.stderr);
    }
    for (arguments, reason) in [
        (&["playouts", "tictactoe", "--device", "emulate"][..], "add `--engine gpu`"),
        (&["playouts", "tictactoe", "--engine", "gpu", "--threads", "2"], "leave `--threads` out"),
        (&["perft", "tictactoe", "--depth", "2", "--engine", "gpu"], "leave `--engine` out"),
        (&["bench", &file, "--device", "emulate"], "add `--engine gpu`"),
    ] {
        let run = gdl(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_is_no_rulesheet_is_located() {
    let path = file("prose.kif", "Dear reader,\n\nthis is (no game.\n");
    for args in [
        vec!["net", &path, "--json"],
        vec!["perft", &path, "--depth", "2", "--json"],
        vec!["playouts", &path, "--json"],
        vec!["verify", &path, &path, "--json"],
    ] {
        let run = gdl(&args);
        assert_eq!(run.code, Some(1), "{args:?}");
        assert!(run.stderr.contains("prose.kif:3:9: error[GDL001]"), "{args:?}: {}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
        assert_eq!(report["diagnostics"][0]["code"], "GDL001", "{args:?}");
    }
}

#[test]
fn a_warning_is_one_in_every_command() {
    let text = std::fs::read_to_string(rulesheet("tictactoe.kif")).expect("the rulesheet");
    let path = file("arity.kif", text + "\n(symbol x)\n");
    let check = gdl(&["check", &path]);
    assert_eq!(check.code, Some(0));
    assert!(check.stderr.contains("warning[GDL021]"), "{}", check.stderr);
    for args in [
        vec!["perft", &path, "--depth", "2", "--json"],
        vec!["playouts", &path, "--count", "10", "--json"],
        vec!["net", &path, "--json"],
    ] {
        let run = gdl(&args);
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains("warning[GDL021]"), "{args:?}: {}", run.stderr);
        let report = serde_json::from_str::<Value>(&run.stdout).expect("one JSON object");
        assert_eq!(report["game"], "arity", "{args:?}");
    }
}

/// A game that ends after one move and gives the role `bob` no goal value.
pub(super) const UNREWARDED: &str = "(role ann) (role bob) (init (step 1)) (legal ann hold) (legal ann pass) (legal bob wait)
    (<= (next (step 2)) (true (step 1)))\n(<= terminal (true (step 2)))\n(<= (goal ann 50) (true (step 2)))\n";

#[test]
fn every_command_reads_leniently_if_asked() {
    let path = file("unrewarded.kif", UNREWARDED);
    let plays = file("unrewarded.plays", "(test a_move (perft 2))");
    for args in [
        vec!["check", &path],
        vec!["perft", &path, "--depth", "2"],
        vec!["playouts", &path, "--count", "10"],
        vec!["net", &path],
        vec!["analyze", &path, "--count", "10"],
        vec!["judge", &path, "--quick"],
        vec!["bench", &path, "--seconds", "0.01"],
        vec!["match", &path, "random", "random", "--count", "1"],
        vec!["shard", "perft", &path, "--depth", "2"],
        vec!["equal", &path, &path],
        vec!["test", &path, &plays],
        vec!["why", &path, "start", "terminal"],
    ] {
        let refused = gdl(&args);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(refused.code == Some(1) && said.contains("GDL033"), "{args:?}: {said}");
        let run = gdl(&[&args[..], &["--lenient"]].concat());
        assert_eq!(run.code, Some(0), "{args:?}: {}{}", run.stdout, run.stderr);
    }
}

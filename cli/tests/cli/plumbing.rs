//! The common parts of all commands: usage, exit codes, pipes, colours.

use super::{command, gdl, json, keys};
use std::{io::Read, process::Stdio};

#[test]
fn help_goes_to_stdout_and_shows_examples() {
    let run = gdl(&["--help"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("Examples:\n  gdl playouts tictactoe"), "{}", run.stdout);
    assert_eq!(run.stdout.contains("\n  serve "), cfg!(feature = "serve"), "{}", run.stdout);
    for name in ["check", "net", "perft", "playouts", "verify", "bench", "judge"] {
        let run = gdl(&[name, "--help"]);
        assert_eq!(run.code, Some(0), "{name}");
        assert!(run.stdout.contains("Examples:"), "{name}");
    }
}

/// Tests that help lists each command once, in a group, and fits a screen. Paragraphs fill lines.
#[test]
fn help_groups_all_commands() {
    let help = gdl(&["--help"]).stdout;
    let script = gdl(&["completions", "fish"]).stdout;
    let known: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("complete -c gdl -n \"__fish_gdl_needs_command\" -f -a \""))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(known.len() > 20, "{script}");
    for name in known {
        let text = gdl(&["help", name]).stdout;
        let is_prose = |line: &str| !line.starts_with(' ') && !line.is_empty();
        for (line, next) in text.lines().zip(text.lines().skip(1)).skip_while(|(line, _)| *line != "Options:")
        {
            let word = next.split(' ').next().unwrap_or_default();
            let is_full = line.chars().count() + 1 + word.chars().count() > 100;
            assert!(is_full || !(is_prose(line) && is_prose(next)), "{name}: {line}");
        }
        let count = help.lines().filter(|line| line.starts_with(&format!("  {name} "))).count();
        assert_eq!(count, 1, "{name}: {help}");
    }
    assert!(help.lines().count() < 55, "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}

#[test]
fn wrong_usage_ends_with_2_and_names_the_nearest() {
    for (args, near) in [
        (vec![], "Usage"),
        (vec!["chek", "x.kif"], "check"),
        (vec!["playouts", "tictactoe", "--cuont", "1"], "--count"),
        (vec!["playouts", "tictactoe", "--engine", "tabel"], "table"),
        (vec!["playouts", "tictactoe", "--count", "0"], "at least one"),
        (vec!["playouts", "tictactoe", "--count", "1", "--seconds", "1"], "--seconds"),
        (vec!["playouts", "tictactoe", "--threads", "0"], "1..=4096"),
        (vec!["perft", "tictactoe"], "--depth"),
        (vec!["perft", "tictactoe", "--depth", "x"], "--depth"),
        (vec!["bench"], "<PATH>"),
        (vec!["bench", "x.kif", "--deadline", "0"], "not above 0"),
        (vec!["bench", "x.kif", "--engine", "straight"], "only built-in games"),
    ] {
        let run = gdl(&args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(near), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn an_unknown_game_names_the_nearest_and_the_list() {
    for name in ["net", "playouts"] {
        let run = gdl(&[name, "tictacto"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains("did you mean `tictactoe`?"), "{}", run.stderr);
        assert!(run.stderr.contains("gdl list"), "{}", run.stderr);
    }
}

#[test]
fn a_missing_rulesheet_ends_with_1() {
    for args in [
        vec!["net", "nowhere.kif"],
        vec!["perft", "./nowhere", "--depth", "1"],
        vec!["playouts", "no/where"],
        vec!["verify", "nowhere.kif", "nowhere.json"],
    ] {
        let run = gdl(&args);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(run.stderr.contains("nowhere") || run.stderr.contains("no/where"), "{}", run.stderr);
    }
}

#[test]
fn the_list_names_games_roles_and_summaries() {
    let list = json(&["list", "--json"]);
    let games = list["games"].as_array().expect("a list");
    let game = games.iter().find(|game| game["name"] == "tictactoe").expect("tictactoe is built in");
    assert_eq!(keys(game), ["name", "kind", "roles", "players", "tags", "compiled", "summary"]);
    assert_eq!(game["roles"], serde_json::json!(["xplayer", "oplayer"]));
    assert_eq!(game["summary"], "Tic-tac-toe on a three by three board");
    assert_eq!(
        (&game["kind"], &game["players"], &game["compiled"]),
        (&"board".into(), &2.into(), &true.into())
    );
    let dice = games.iter().find(|game| game["name"] == "liars_dice").expect("it is built in");
    assert_eq!(dice["roles"], serde_json::json!(["alice", "bob", "random"]));
    assert_eq!((&dice["kind"], &dice["players"]), (&"chance".into(), &2.into()));
    assert_eq!(dice["tags"], serde_json::json!(["chance", "hidden"]));
    let run = gdl(&["list"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    let (headings, rows): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| !line.starts_with(' '));
    assert_eq!((headings.len(), rows.len()), (3, games.len()));
    assert_eq!(headings[2], "chance, hidden information and simultaneous moves");
    // Sizes are those of the loaded games, also for games that are compiled in.
    let sized = json(&["list", "--sizes", "--json"]);
    for (name, fluents, moves) in [("tictactoe", 29, 10), ("chess", 851, 1973)] {
        let game = sized["games"].as_array().expect("a list").iter().find(|game| game["name"] == name);
        let game = game.expect("it is built in");
        assert_eq!((&game["fluents"], &game["moves"]), (&fluents.into(), &moves.into()), "{name}");
    }
}

/// Tests the completions of a partial word, requested as bash does.
#[test]
fn shells_complete_the_names_of_games_players_codes_and_lints() {
    let mut script = gdl(&["completions", "bash"]).stdout;
    script.push_str(
        r#"
try() {
    COMP_WORDS=("$@"); COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); COMPREPLY=()
    local complete; complete=$(complete -p gdl); complete=${complete#*-F }
    ${complete%% *} gdl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
    echo "${COMPREPLY[*]}"
}
try gdl play tictactoe_s
try gdl play --against al
try gdl match tictactoe mc
try gdl match tictactoe mcts al
try gdl explain GDL08
try gdl check --allow unused_rel
try gdl check --deny war
try gdl shard playouts tictactoe_s
try gdl shard playouts --seed 1 tictactoe_s
try gdl perft ./x
try gdl match tictactoe --record no/such
try gdl playo
"#,
    );
    let Ok(output) = std::process::Command::new("bash").args(["--norc", "-c", &script]).output() else {
        return gdl_test_support::skip("there is no bash");
    };
    let offered = String::from_utf8_lossy(&output.stdout);
    let expected = [
        "tictactoe_stanford",
        "alphabeta",
        "mcts",
        "alphabeta",
        "GDL080 GDL081 GDL082 GDL085 GDL086 GDL087 GDL088 GDL089",
        "unused_relation",
        "warnings",
        "tictactoe_stanford",
        "tictactoe_stanford",
        "",
        "",
        "playouts",
    ];
    assert_eq!(offered.lines().collect::<Vec<_>>(), expected, "{}", String::from_utf8_lossy(&output.stderr));
    // Files complete as games too.
    let zsh = gdl(&["completions", "zsh"]).stdout;
    assert!(zsh.contains(":_gdl_games'") && zsh.contains("'files:rulesheet:_files'"));
    assert!(zsh.find("_gdl_games()") < zsh.find("\n_gdl()"));
    let fish = gdl(&["completions", "fish"]).stdout;
    let games = "complete -c gdl -n \"__fish_gdl_using_subcommand shard; and __fish_seen_subcommand_from perft\" -a \"";
    assert!(fish.lines().any(|line| line.starts_with(games) && line.contains(" tictactoe")));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for args in [
        vec!["completions", "bash"],
        vec!["net", "tictactoe", "--dot"],
        vec!["list", "--json"],
        vec!["perft", "tictactoe", "--depth", "3", "--divide"],
        vec!["--help"],
    ] {
        let mut child =
            command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gdl runs");
        // The reader closes the pipe before the first byte.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("gdl ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn a_pipe_closed_midway_ends_quietly() {
    let args = ["completions", "zsh"];
    let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gdl runs");
    let mut some = [0; 16];
    child.stdout.take().expect("piped").read_exact(&mut some).expect("some of the script");
    let output = child.wait_with_output().expect("gdl ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// Tests that a failed write of help is an error.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    for args in [vec!["--help"], vec!["help"], vec!["help", "playouts"], vec!["--version"], vec!["list"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device is there");
        let output = command(&args).stdout(full).output().expect("gdl runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains("cannot write the result"), "{args:?}: {stderr}");
    }
}

#[test]
fn the_version_says_what_was_built_and_found() {
    assert_eq!(gdl(&["-V"]).stdout, concat!("gdl ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = gdl(&["--version", "--verbose"]).stdout;
    let best = gdl_runtime::lanes::Isa::best().name();
    assert!(long.starts_with(concat!("gdl ", env!("CARGO_PKG_VERSION"), "\n")), "{long}");
    for line in [&*format!("instruction set: {best} (found: portable"), "commands: all\n"] {
        assert!(long.contains(line), "{line}: {long}");
    }
}

#[test]
fn pipes_get_no_colours() {
    for args in [vec!["list"], vec!["net", "tictactoe"], vec!["playouts", "tictactoe", "--count", "100"]] {
        let run = gdl(&args);
        assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "{args:?}");
        assert!(run.stderr.is_empty(), "no progress in a pipe: {}", run.stderr);
    }
}

#[test]
fn numbers_and_codes_are_taken_as_people_write_them() {
    for (count, playouts) in [("1e3", 1_000), ("2_000", 2_000), ("3,000", 3_000)] {
        let report = json(&["playouts", "tictactoe", "-n", count, "--json"]);
        assert_eq!(report["playouts"], playouts, "{count}");
    }
    for count in ["1e", "e3", "1e20", "1e-3", "1.5e3"] {
        assert_eq!(gdl(&["playouts", "tictactoe", "-n", count]).code, Some(2), "{count}");
    }
    for code in ["85", "085", "gdl085", "unsafe_head_variable"] {
        assert!(gdl(&["explain", code]).stdout.starts_with("GDL085 "), "{code}");
    }
}

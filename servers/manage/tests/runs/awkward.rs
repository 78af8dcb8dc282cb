//! Players that answer with something other than a legal move, and the faults that are recorded.

use crate::{Folder, fake, host};
use gdl_manage::Row;
use std::net::{Ipv4Addr, TcpListener};

fn row(folder: &Folder, player: &str) -> Row {
    let rows = folder.standings().rows;
    rows.into_iter().find(|row| row.player == player).unwrap_or_else(|| panic!("{player}"))
}

#[test]
fn a_schedule_is_played_to_its_end_whatever_players_do() {
    // The port of a player that has ended.
    let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port").local_addr().expect("an address");
    let (odd, heard) = fake::player(true, |message| fake::polite(message, "(jump 3)"));
    let (broken, _) = fake::player(true, |_| b"HTTP/1.0 200 OK\r\nContent-length: 100\r\n\r\nri".to_vec());
    let (good, _) = fake::player(true, |message| fake::polite(message, "RIGHT"));
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"walk.kif\", \"tictactoe\"]\nstart_clock = 30\nplay_clock = 30\n[players]\n\
         gone = \"remote:{gone}\"\nodd = \"remote:{odd}\"\nbroken = \"remote:{broken}\"\ngood = \"remote:{good}\"\nhere = \"first\"\n"
    ));
    let done = folder.play(4);
    // Ten pairs of players in both orders, in two games.
    assert_eq!(done.len(), 40);
    let mut numbers: Vec<u64> = done.iter().map(|done| done.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=40).collect::<Vec<_>>());
    assert!(done.iter().all(|done| done.ending == "terminal"));
    let records = folder.records();
    assert_eq!(records.len(), 40);
    for record in records.iter().filter(|record| record.moves.len() == 2) {
        let names = &record.player_names_from_host;
        for (role, name) in names.iter().enumerate() {
            let faults: Vec<&str> = record.errors.iter().map(|step| step[role].as_str()).collect();
            let expected = match name.as_str() {
                "gone" | "broken" => ["CE", "CE", "CE"],
                "odd" => ["", "IL (jump 3)", "IL (jump 3)"],
                _ => ["", "", ""],
            };
            assert_eq!(faults, expected, "{name}");
            let moves = || record.moves.iter().map(|joint| joint[role].as_str());
            match name.as_str() {
                "good" => assert!(moves().all(|action| action == "right")),
                "here" => assert!(moves().all(|action| action == "left")),
                _ => {}
            }
        }
        assert_eq!((record.start_clock, record.play_clock, record.scrambled), (30, 30, false));
        assert_eq!(record.tournament_name_from_host.as_deref(), Some("cup"));
        assert_eq!(record.state_times.len(), record.states.len());
    }
    let standings = folder.standings();
    assert_eq!((standings.matches, standings.unscored), ([0, 0, 40], 0));
    assert!(standings.rows.iter().all(|row| row.results.games() == 16));
    assert_eq!(row(&folder, "here").illegal + row(&folder, "here").late + row(&folder, "here").missing, 0);
    assert_eq!((row(&folder, "odd").missing, row(&folder, "odd").late), (0, 0));
    assert!(row(&folder, "odd").illegal > 16 && row(&folder, "gone").missing > 40);
    // No answer is late, and a move of the other game is illegal in tic-tac-toe.
    assert!(standings.rows.iter().all(|row| row.late == 0));
    assert!(row(&folder, "good").illegal > 0);
    // Each match of the odd player was started and stopped once, one match at a time.
    let heard = heard.lock().expect("it is whole");
    let mut current = None;
    let (mut started, mut stopped) = (0, 0);
    for message in heard.iter() {
        let mut words = message.split(' ').skip(1);
        let (kind, id) = (words.next(), words.next());
        match kind {
            Some("START") => {
                assert_eq!(current, None, "{message}");
                (current, started) = (id, started + 1);
            }
            Some("STOP") => {
                assert_eq!(current, id, "{message}");
                (current, stopped) = (None, stopped + 1);
            }
            _ => assert_eq!(current, id, "{message}"),
        }
    }
    assert_eq!((started, stopped), (16, 16));
}

#[test]
fn who_is_late_is_replaced() {
    let (late, _) = fake::player(false, |_| Vec::new());
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"walk.kif\"]\nplay_clock = 1\nseats = \"fixed\"\n[players]\nlate = \"remote:{late}\"\nhere = \"first\"\n"
    ));
    assert_eq!(folder.play(1).len(), 1);
    assert_eq!(folder.records()[0].errors, [["TO", ""]; 3]);
    assert_eq!(
        (row(&folder, "late").late, row(&folder, "late").illegal, row(&folder, "late").missing),
        (3, 0, 0)
    );
}

#[test]
fn scrambled_matches_are_kept_as_they_are() {
    let mut rules: Vec<String> = Vec::new();
    let (address, heard) = fake::player(true, move |message| {
        if message.contains("START") {
            rules = message.split([' ', '(', ')']).map(str::to_owned).collect();
        }
        // The second `legal` is followed by its role, and then by the scrambled `right`.
        let mut legal = rules.iter().enumerate().filter(|(_, word)| *word == "legal").map(|(at, _)| at);
        let answer = legal.nth(1).and_then(|at| rules.get(at + 2)).cloned().unwrap_or_default();
        fake::polite(message, &answer)
    });
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"walk.kif\"]\nplay_clock = 30\nscramble = true\nseats = \"fixed\"\nrepetitions = 3\n[players]\n\
         there = \"remote:{address}\"\nhere = \"first\"\n"
    ));
    folder.play(1);
    let heard = heard.lock().expect("it is whole");
    assert_eq!(heard.len(), 3 * 4);
    for word in ["ahead", "other", "left", "right", "succ", " a ", "?r"] {
        assert!(!heard.iter().any(|message| message.contains(word)), "{word}: {}", heard[0]);
    }
    // The symbols are scrambled differently in each match.
    let starts: Vec<&str> = heard.iter().step_by(4).filter_map(|start| start.split(" ( ").nth(1)).collect();
    assert!(starts.len() == 3 && starts[0] != starts[1], "{starts:?}");
    for record in folder.records() {
        assert!(
            record.scrambled && record.errors.iter().flatten().all(String::is_empty),
            "{:?}",
            record.errors
        );
        assert_eq!(record.moves, [["right", "left"]; 2]);
        assert_eq!(record.goal_values, [100, 0]);
    }
}

#[test]
fn games_of_chance_and_percepts_are_played_elsewhere_too() {
    let hosts = [host(), host()];
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"monty_hall\", \"liars_dice\"]\nplay_clock = 30\nscramble = true\nrepetitions = 4\n[players]\n\
         one = \"remote:{}\"\ntwo = \"remote:{}\"\n",
        hosts[0], hosts[1]
    ));
    // Each player plays the one-player game alone, and both play the other game in both seats.
    assert_eq!(folder.play(2).len(), 4 * (2 + 2));
    let records = folder.records();
    assert_eq!(records.len(), 16);
    for record in &records {
        assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
        assert_eq!(record.player_names_from_host.iter().filter(|name| *name == "random").count(), 1);
    }
}

#[test]
fn what_is_told_and_what_is_written_is_the_same() {
    let folder = Folder::new(
        "version = 1\ngames = [\"tictactoe\"]\nrepetitions = 5\n[players]\na = \"random\"\nb = \"greedy\"\n",
    );
    let mut done = folder.play(3);
    done.sort_by_key(|done| done.number);
    for (done, record) in done.iter().zip(folder.records()) {
        assert_eq!((&done.players, &done.id), (&record.player_names_from_host, &record.match_id));
        let goals: Vec<u8> = done.goals.iter().flatten().copied().collect();
        assert_eq!((goals, done.steps), (record.goal_values, record.moves.len()));
    }
    // Without clocks the results follow from the seed, whatever the number of threads.
    let again = Folder::new(&text_of(&folder));
    again.play(1);
    let lines = |folder: &Folder| folder.records().into_iter().map(|record| record.moves).collect::<Vec<_>>();
    assert_eq!(lines(&folder), lines(&again));
    let rows = [folder.standings(), again.standings()].map(|standings| standings.rows);
    assert_eq!(rows[0], rows[1]);
    assert_eq!(rows[0][0].player, "b");
}

fn text_of(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path("cup.toml")).expect("the schedule")
}

//! Runs that end before all matches are played, and are continued.

use crate::{Folder, fake, host};
use gdl_manage::{Done, Manager, Store};
use gdl_players::record::Record;
use gdl_runtime::Cancel;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Returns the id of each finished match, by its number.
fn names(folder: &Folder) -> BTreeMap<u64, String> {
    let mut names = BTreeMap::new();
    let store = Store::read(&folder.path("cup.db")).expect("results");
    let take = |number, _: &str, text: &str| {
        let record: Record = serde_json::from_str(text).expect("a record");
        names.insert(number, record.match_id);
        Ok(())
    };
    store.records(take).expect("records");
    names
}

#[test]
fn what_was_called_off_goes_on_with_nothing_lost_and_nothing_twice() {
    let hosts = [host(), host(), host()];
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"tictactoe\", \"walk.kif\"]\nplay_clock = 30\nrepetitions = 4\n[players]\n\
         one = \"remote:{}\"\ntwo = \"remote:{}\"\nthree = \"remote:{}\"\nhere = \"random\"\n",
        hosts[0], hosts[1], hosts[2]
    ));
    let all = folder.plan().matches();
    assert_eq!(all, 4 * 2 * 12);
    let told = Mutex::new(BTreeMap::new());
    let mut runs = 0;
    while names(folder_or_begin(&folder)).len() < all as usize {
        let before = names(&folder);
        let cancel = Cancel::default();
        let count = AtomicUsize::new(0);
        let tell = |done: &Done| {
            assert_eq!(
                told.lock().expect("it is whole").insert(done.number, done.id.clone()),
                None,
                "{done:?}"
            );
            if count.fetch_add(1, Ordering::Relaxed) == 20 {
                cancel.cancel();
            }
            Ok(())
        };
        folder.play_until(2, &cancel, &tell).expect("it plays");
        let after = names(&folder);
        assert!(before.iter().all(|(number, id)| after.get(number) == Some(id)));
        runs += 1;
    }
    assert!(runs > 1);
    assert_eq!(*told.lock().expect("it is whole"), names(&folder));
    let standings = folder.standings();
    assert_eq!(standings.matches, [0, 0, all]);
    // No player received a request of an aborted match, or while it was still in another match.
    assert!(standings.rows.iter().all(|row| row.illegal + row.late + row.missing == 0), "{standings:?}");
    assert!(folder.play(2).is_empty());
}

/// Creates the database if the folder has none.
fn folder_or_begin(folder: &Folder) -> &Folder {
    if !folder.path("cup.db").exists() {
        Store::play(&folder.path("cup.db"), &folder.plan()).expect("a database");
    }
    folder
}

#[test]
fn players_hear_that_matches_are_off() {
    let cancel = Cancel::default();
    let pull = cancel.clone();
    let (address, heard) = fake::player(true, move |message| {
        if message.contains("PLAY") {
            pull.cancel();
        }
        fake::polite(message, "left")
    });
    let folder = Folder::new(&format!(
        "version = 1\ngames = [\"walk.kif\"]\nplay_clock = 30\n[players]\nthere = \"remote:{address}\"\nhere = \"first\"\n"
    ));
    assert_eq!(folder.play_until(1, &cancel, &|_| Ok(())).expect("it was cancelled"), 0);
    let kinds = || -> Vec<String> {
        let heard = heard.lock().expect("it is whole");
        heard.iter().filter_map(|message| message.split(' ').nth(1)).map(str::to_owned).collect()
    };
    assert_eq!(kinds(), ["START", "PLAY", "ABORT"]);
    assert_eq!(folder.standings().matches, [2, 0, 0]);

    // This is the state after a crash: the match is running and has a step.
    let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
    store
        .execute_batch(
            "UPDATE matches SET state = 'running', id = 'cup.1.lost' WHERE number = 1;
             INSERT INTO steps VALUES (1, 0, 0, NULL, '()', '[]', '[]')",
        )
        .expect("a row");
    drop(store);
    assert_eq!(folder.play(1).len(), 2);
    assert_eq!(heard.lock().expect("it is whole")[3], "( ABORT cup.1.lost )");
    assert_eq!(kinds()[4..], ["START", "PLAY", "PLAY", "STOP", "START", "PLAY", "PLAY", "STOP"]);
    let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
    let steps: Vec<(u32, u32)> = store
        .prepare("SELECT match, step FROM steps ORDER BY match, step")
        .and_then(|mut steps| steps.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect())
        .expect("steps");
    assert_eq!(steps, [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]);
}

#[test]
fn one_process_plays_and_others_read() {
    let folder = Folder::new(
        "version = 1\ngames = [\"walk.kif\"]\nrepetitions = 3\n[players]\na = \"first\"\nb = \"random\"\n",
    );
    let plan = folder.plan();
    let seen = Mutex::new(Vec::new());
    let tell = |_: &Done| {
        let error = Store::play(&folder.path("cup.db"), &plan).expect_err("it is played").to_string();
        assert!(error.contains("another process plays these matches"), "{error}");
        seen.lock().expect("it is whole").push(folder.standings().matches);
        Ok(())
    };
    folder.play_until(1, &Cancel::default(), &tell).expect("it plays");
    let seen = seen.into_inner().expect("it is whole");
    assert_eq!(seen, [[5, 0, 1], [4, 0, 2], [3, 0, 3], [2, 0, 4], [1, 0, 5], [0, 0, 6]]);
}

/// Plays matches in a folder. Returns the errors of `open`, which tries to play the same file after
/// each match, as another process would.
fn second(open: impl Fn(&Folder) -> String + Sync) -> Vec<String> {
    let folder =
        Folder::new("version = 1\ngames = [\"walk.kif\"]\n[players]\na = \"first\"\nb = \"random\"\n");
    Store::play(&folder.path("cup.db"), &folder.plan()).expect("a database");
    let told = Mutex::new(Vec::new());
    let tell = |_: &Done| {
        told.lock().expect("it is whole").push(open(&folder));
        Ok(())
    };
    folder.play_until(1, &Cancel::default(), &tell).expect("it plays");
    assert_eq!(folder.standings().matches, [0, 0, 2]);
    told.into_inner().expect("it is whole")
}

#[cfg(unix)]
#[test]
fn one_process_plays_whatever_the_file_is_called() {
    let told = second(|folder| {
        let alias = folder.path("alias.db");
        let _ = std::os::unix::fs::symlink("cup.db", &alias);
        let _ = std::fs::remove_file(folder.path("cup.db.lock"));
        Store::play(&alias, &folder.plan()).map(drop).expect_err("it is played").to_string()
    });
    assert!(
        told.iter().all(|told| told.contains("alias.db: another process plays these matches")),
        "{told:?}"
    );
    let told = second(|folder| {
        let second = folder.path("second.db");
        let _ = std::fs::hard_link(folder.path("cup.db"), &second);
        let error = Store::play(&second, &folder.plan()).map(drop).expect_err("it has two names").to_string();
        std::fs::remove_file(second).expect("a name");
        error
    });
    assert!(told.iter().all(|told| told.contains("this file has a second name")), "{told:?}");
}

#[test]
fn a_match_that_another_process_took_is_left_to_it() {
    // Another process that ignores the lock resets the match, or starts it again.
    let again = "DELETE FROM steps; UPDATE matches SET id = 'cup.1.other' WHERE state = 'running'";
    let back = "DELETE FROM steps; UPDATE matches SET state = 'planned', id = NULL WHERE state = 'running'";
    for (sql, at, id) in [(again, 1, Some("cup.1.other")), (back, 1, None), (again, 2, Some("cup.1.other"))] {
        let plays = AtomicUsize::new(0);
        let path = Arc::new(Mutex::new(PathBuf::new()));
        let place = Arc::clone(&path);
        let (address, _) = fake::player(true, move |message| {
            if message.contains("PLAY") && plays.fetch_add(1, Ordering::Relaxed) + 1 == at {
                let path = place.lock().expect("it is whole").clone();
                let store = rusqlite::Connection::open(path).expect("a database");
                store.execute_batch(sql).expect("a change");
            }
            fake::polite(message, "left")
        });
        let folder = Folder::new(&format!(
            "version = 1\ngames = [\"walk.kif\"]\nplay_clock = 30\nseats = \"fixed\"\n[players]\nthere = \"remote:{address}\"\nhere = \"first\"\n"
        ));
        *path.lock().expect("it is whole") = folder.path("cup.db");
        let lost = folder.play_until(1, &Cancel::default(), &|_| Ok(())).expect_err("it is lost").to_string();
        assert!(lost.contains("another process plays match 1 now"), "{lost}");
        let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
        let left = store.query_row(
            "SELECT id, record IS NULL, (SELECT count(*) FROM steps) FROM matches WHERE number = 1",
            [],
            |row| Ok((row.get::<_, Option<String>>(0)?, row.get::<_, bool>(1)?, row.get::<_, u32>(2)?)),
        );
        assert_eq!(left.expect("a match"), (id.map(str::to_owned), true, 0), "{sql} at move {at}");
    }
}

#[test]
fn results_of_a_match_that_another_process_took_are_not_written() {
    let folder =
        Folder::new("version = 1\ngames = [\"walk.kif\"]\n[players]\na = \"first\"\nb = \"random\"\n");
    let plan = folder.plan();
    let store = Store::play(&folder.path("cup.db"), &plan).expect("a database");
    // The match is lost after its last step, before its end is written.
    let take = |_: &Record| {
        let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
        store.execute_batch("UPDATE matches SET id = 'cup.1.other' WHERE number = 1").expect("a change");
        Ok(String::from("a record"))
    };
    let lost = Manager::new(&plan, store, &Cancel::default()).play(1, &take, &|_| Ok(()));
    let lost = lost.expect_err("it is lost").to_string();
    assert!(lost.contains("another process plays match 1 now"), "{lost}");
    assert_eq!(folder.standings().matches, [1, 1, 0]);
    assert!(folder.records().is_empty());
}

#[test]
fn a_match_whose_steps_cannot_be_written_is_planned_again() {
    let folder =
        Folder::new("version = 1\ngames = [\"walk.kif\"]\n[players]\na = \"first\"\nb = \"random\"\n");
    let plan = folder.plan();
    let store = Store::play(&folder.path("cup.db"), &plan).expect("a database");
    let change = |sql: &str| {
        let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
        store.execute_batch(sql).expect("a change");
    };
    // The start of the match is written, but not its first step.
    change(
        "CREATE TRIGGER full BEFORE INSERT ON steps WHEN NEW.step = 1
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    );
    let sign = |_: &Record| Ok(String::from("a record"));
    let failed = Manager::new(&plan, store, &Cancel::default()).play(1, &sign, &|_| Ok(()));
    let failed = failed.expect_err("it cannot be written").to_string();
    assert!(failed.contains("the disk is full"), "{failed}");
    change("DROP TRIGGER full");
    assert_eq!(folder.standings().matches, [2, 0, 0]);
    let store = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
    let steps = store.query_row("SELECT count(*) FROM steps", [], |row| row.get::<_, u32>(0));
    assert_eq!(steps.expect("a number"), 0);
}

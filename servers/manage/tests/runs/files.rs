//! Results files that are invalid, damaged or of another schedule: they are rejected unchanged.

use crate::Folder;
use gdl_manage::{Standings, Store, matches::Filter};
use std::fs;

const SCHEDULE: &str =
    "version = 1\ngames = [\"walk.kif\"]\nrepetitions = 2\n[players]\na = \"first\"\nb = \"random\"\n";

#[test]
fn files_of_others_are_left_as_they_are() {
    let folder = Folder::new(SCHEDULE);
    folder.play(1);
    let good = fs::read(folder.path("cup.db")).expect("results");
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let plan = folder.plan();
    for (bytes, message) in [
        (with(63, 2), "these results have version 2, but this gdl has version 1"),
        (with(71, 0), "this file has no results of `gdl manage`"),
        (with(0, 0), "this file has no results of `gdl manage`"),
        (Vec::new(), "this file has no results of `gdl manage`"),
        (good[..50].to_vec(), "this file has no results of `gdl manage`"),
    ] {
        let path = folder.path("other.db");
        fs::write(&path, &bytes).expect("a file");
        for error in [Store::play(&path, &plan).map(|_| ()), Store::read(&path).map(|_| ())] {
            let error = error.expect_err(message).to_string();
            assert!(
                error.contains(message) && error.contains("other.db") && error.contains("= help:"),
                "{error}"
            );
        }
        assert_eq!(fs::read(&path).expect("the file"), bytes);
        for beside in ["other.db-wal", "other.db-journal", "other.db.lock", "other.db.part"] {
            assert!(!folder.path(beside).exists(), "{beside}");
        }
    }
    assert!(Store::read(&folder.path("none.db")).is_err() && !folder.path("none.db").exists());
}

#[test]
fn results_of_another_schedule_are_refused() {
    let folder = Folder::new(SCHEDULE);
    folder.play(1);
    let before = fs::read(folder.path("cup.db")).expect("results");
    for (from, to, part) in [
        ("repetitions = 2", "repetitions = 3", "its terms are not those of"),
        ("b = \"random\"", "b = \"greedy\"", "its players are not those of"),
        ("\"walk.kif\"", "\"walk.kif\", \"nim\"", "its games are not those of"),
    ] {
        folder.write(&SCHEDULE.replace(from, to));
        let error = Store::play(&folder.path("cup.db"), &folder.plan()).expect_err(to).to_string();
        assert!(error.contains(part), "{error}");
    }
    // The rulesheet has the same name but other rules.
    folder.write(SCHEDULE);
    fs::write(folder.path("walk.kif"), crate::RULES.replace("(goal ?r 50)", "(goal ?r 49)"))
        .expect("a rulesheet");
    let error = Store::play(&folder.path("cup.db"), &folder.plan()).expect_err("other rules").to_string();
    assert!(error.contains("its games are not those of"), "{error}");
    assert_eq!(fs::read(folder.path("cup.db")).expect("results"), before);
    // Changed comments and blanks make no difference.
    fs::write(folder.path("walk.kif"), crate::RULES.replace('\n', "\n\n; more\n")).expect("a rulesheet");
    folder.write(&SCHEDULE.replace(" = ", "  =  "));
    assert!(folder.play(1).is_empty());
}

#[test]
fn a_damaged_file_is_an_error_and_no_panic() {
    let folder = Folder::new(SCHEDULE);
    folder.play(1);
    let good = fs::read(folder.path("cup.db")).expect("results");
    let mut failed = 0;
    for at in (100..good.len()).step_by(61) {
        let mut bytes = good.clone();
        bytes[at..(at + 7).min(good.len())].fill(0xA5);
        fs::write(folder.path("bad.db"), bytes).expect("a file");
        let read = Store::read(&folder.path("bad.db")).and_then(|store| {
            store.list(&Filter::default())?;
            store.watch(1, 0)?;
            store.position(1, 1)?;
            Standings::of(&store)
        });
        failed += usize::from(read.is_err());
    }
    assert!(failed > 0);
    fs::write(folder.path("bad.db"), &good[..good.len() / 2]).expect("a file");
    assert!(Store::read(&folder.path("bad.db")).and_then(|store| Standings::of(&store)).is_err());
}

#[test]
fn a_view_that_never_ends_is_not_looked_at() {
    let folder = Folder::new(SCHEDULE);
    folder.play(1);
    let connection = rusqlite::Connection::open(folder.path("cup.db")).expect("a database");
    let endless = "DROP TABLE players; CREATE VIEW players AS WITH RECURSIVE n(number) AS \
        (SELECT 0 UNION ALL SELECT number + 1 FROM n) SELECT number, 'x' AS name, '' AS spec FROM n";
    connection.pragma_update(None, "foreign_keys", false).expect("a setting");
    connection.execute_batch(endless).expect("a view");
    connection.close().expect("it is closed");
    let refused = Store::read(&folder.path("cup.db")).expect_err("it has a view").to_string();
    assert!(refused.contains("this file contains more than tables"), "{refused}");
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = Folder::new(SCHEDULE);
    let plan = folder.plan();
    let path = folder.path("pipe.db");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    for path in [&path, folder.0.path()] {
        for error in [Store::play(path, &plan).map(|_| ()), Store::read(path).map(|_| ())] {
            let error = error.expect_err("no file").to_string();
            assert!(error.contains("is not a regular file"), "{error}");
        }
    }
}

#[test]
fn two_processes_that_begin_at_once_begin_one_file() {
    let folder = Folder::new(SCHEDULE);
    let plan = folder.plan();
    let path = folder.path("cup.db");
    for _ in 0..20 {
        let opened: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Store::play(&path, &plan))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let errors = opened.iter().filter_map(|store| store.as_ref().err()).map(ToString::to_string);
        let errors: Vec<String> = errors.collect();
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(
            errors.iter().all(|error| error.contains("another process plays these matches")),
            "{errors:?}"
        );
        drop(opened);
        assert_eq!(folder.standings().matches, [4, 0, 0]);
        let names =
            fs::read_dir(folder.0.path()).expect("a folder").map(|file| file.expect("a file").file_name());
        assert!(!names.into_iter().any(|name| name.to_string_lossy().ends_with(".part")));
        fs::remove_file(&path).expect("a file");
    }
}

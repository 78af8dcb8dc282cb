//! Tests of `gdl fmt`.

use super::{Run, command, file, gdl, rulesheet};
use std::{fs, io::Write, path::PathBuf, process::Stdio};

const LOOSE: &str = "\u{FEFF}(role  a) ; player\r\n\r\n\r\n(<= terminal (true (at 2)))";
const TIDY: &str = "(role a) ; player\n\n(<= terminal\n    (true (at 2)))\n";

#[test]
fn a_file_is_brought_into_the_usual_layout() {
    let path = file("loose.kif", LOOSE);
    let check = gdl(&["fmt", "--check", &path]);
    assert_eq!((check.code, check.stdout, check.stderr), (Some(1), format!("{path}\n"), String::new()));
    assert_eq!(fs::read_to_string(&path).expect("readable"), LOOSE);

    let run = gdl(&["fmt", &path]);
    assert_eq!((run.code, run.stdout, run.stderr), (Some(0), format!("{path}\n"), String::new()));
    assert_eq!(fs::read_to_string(&path).expect("readable"), TIDY);

    for args in [&["fmt", "--check", &path][..], &["fmt", &path]] {
        let again = gdl(args);
        assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""));
    }
}

#[test]
fn stdin_goes_to_stdout() {
    let format = |args: &[&str]| -> Run {
        let mut gdl = command(args);
        gdl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = gdl.spawn().expect("gdl runs");
        child.stdin.take().expect("piped").write_all(LOOSE.as_bytes()).expect("gdl reads");
        child.wait_with_output().expect("gdl ends").into()
    };
    let run = format(&["fmt", "-"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), TIDY));
    let check = format(&["fmt", "--check", "-"]);
    assert_eq!((check.code, check.stdout.as_str()), (Some(1), "stdin\n"));
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let broken = file("broken.kif", "(role a)  (init b\n");
    let sound = file("sound.kif", LOOSE);
    let run = gdl(&["fmt", &broken, "no such file", &sound]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("broken.kif:1:11: error[GDL001]"), "{}", run.stderr);
    assert!(run.stderr.contains("no such file: error[GDL"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&broken).expect("readable"), "(role a)  (init b\n");
    assert_eq!(fs::read_to_string(&sound).expect("readable"), TIDY);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let target = file("target.kif", LOOSE);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("allowed");
    let link = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("link.kif");
    let _ = fs::remove_file(&link);
    symlink(&target, &link).expect("allowed");
    let run = gdl(&["fmt", link.to_str().expect("a path in UTF-8")]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(link.symlink_metadata().expect("there").is_symlink());
    assert_eq!(fs::read_to_string(&target).expect("readable"), TIDY);
    assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn the_games_of_the_repository_have_the_usual_layout() {
    let games: Vec<String> =
        gdl_games::LIST.iter().map(|entry| rulesheet(&format!("{}.kif", entry.name))).collect();
    let mut args = vec!["fmt", "--check"];
    args.extend(games.iter().map(String::as_str));
    let run = gdl(&args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
}

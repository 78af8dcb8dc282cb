//! Results of `gdl manage` on the page: standings, the list of matches, stepping through a match,
//! and a running match.

use super::{chromium::Page, fake};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
};

/// Starts `gdl manage run` with a schedule in this folder.
fn manage(folder: &Path, schedule: &str) -> Child {
    fs::write(folder.join("cup.toml"), schedule).expect("a schedule");
    Command::new(env!("CARGO_BIN_EXE_gdl"))
        .args(["manage", "run", "cup.toml", "--results", "cup.db"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("gdl starts")
}

/// Opens the page of `gdl serve` with the results in this folder.
fn results(folder: &Path) -> Option<Page> {
    Page::open(&["--results", folder.join("cup.db").to_str().expect("a path")])
}

/// Waits until the page shows this step of the match.
fn wait_for_step(page: &mut Page, step: &str) {
    page.wait(&format!("document.querySelector('#step').textContent.startsWith('{step}')"));
}

#[test]
fn standings_are_seen_and_a_match_is_stepped_through() {
    let folder = tempfile::tempdir().expect("a folder");
    let schedule = "version = 1\ngames = [\"tictactoe\", \"connect_four\"]\nrepetitions = 40\n[players]\none = \"first\"\ntwo = \"random\"\n";
    assert!(manage(folder.path(), schedule).wait().expect("it ends").success());
    let Some(mut page) = results(folder.path()) else { return };
    page.click("#to-results");
    page.wait("document.querySelectorAll('#standings tbody tr').length === 2");
    assert_eq!((page.text("#schedule").as_str(), page.count("#standings .bar")), ("cup", 2));
    assert_eq!(page.count("#standings thead th[scope=col]"), 11);
    assert_eq!(page.text("#standings tbody td:nth-child(4)"), "160");
    // The list has a hundred matches a page, newest first, and can be filtered by game.
    assert_eq!((page.count("#matches tbody tr"), page.text("#matches tbody a")), (100, "160".to_owned()));
    page.click_on("[...document.querySelectorAll('#results button')].find((button) => button.textContent === 'Further')");
    page.wait("document.querySelector('#matches tbody a').textContent === '60'");
    page.run("(() => { const game = document.querySelector('[aria-label=\"Matches of this game\"]'); game.value = 'tictactoe'; game.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelectorAll('#matches tbody td:nth-child(2)').length === 80");
    assert_eq!(page.run("new Set([...document.querySelectorAll('#matches tbody td:nth-child(2)')].map((cell) => cell.textContent)).size"), 1);

    // A match opens at its end. Buttons and keys step through it.
    page.click("#matches tbody a");
    page.wait("document.querySelectorAll('#stage [data-cell]').length === 9");
    let full = |page: &mut Page| page.count("#stage [data-cell]:not([aria-label$=': empty'])");
    let steps = page.count("#steps li");
    assert!(
        steps > 5
            && page.run("document.querySelector('#steps [aria-current]').closest('li').nextSibling")
                == serde_json::Value::Null
    );
    assert_eq!((full(&mut page), page.count("#stage button")), (steps - 1, 0));
    let button = |page: &mut Page, name: &str| {
        page.click_on(&format!("[...document.querySelectorAll('#match button')].find((button) => button.textContent === '{name}')"));
    };
    for (name, step) in [("First", 0), ("Next", 1), ("Next", 2), ("Back", 1), ("Last", steps - 1)] {
        button(&mut page, name);
        wait_for_step(&mut page, &format!("step {step} of {}", steps - 1));
        page.wait(&format!(
            "document.querySelectorAll(\"#stage [data-cell]:not([aria-label$=': empty'])\").length === {step}"
        ));
    }
    for (key, step) in
        [("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", steps - 1)]
    {
        page.press(key);
        wait_for_step(&mut page, &format!("step {step} of {}", steps - 1));
        page.wait(&format!(
            "document.querySelectorAll(\"#stage [data-cell]:not([aria-label$=': empty'])\").length === {step}"
        ));
    }
    page.click("#steps li:nth-child(4) button");
    page.wait("document.querySelectorAll(\"#stage [data-cell]:not([aria-label$=': empty'])\").length === 3");
    assert_eq!(page.count("#stage .last"), 1);
    // From the results one can open a game, and return.
    page.click("header h1 a");
    page.click("[data-game='nim']");
    page.wait_for_game();
    assert!(page.run("document.getElementById('results').hidden") == true);
    page.click("#to-results");
    page.wait(
        "document.getElementById('game').hidden && document.querySelector('#schedule').checkVisibility()",
    );
}

#[test]
fn a_match_that_runs_is_followed_unless_one_steps_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let (address, let_go) = fake::nonsense();
    let mut manager = manage(
        folder.path(),
        &format!(
            "version = 1\ngames = [\"tictactoe\"]\nstart_clock = 600\nplay_clock = 600\nseats = \"fixed\"\n[players]\n\
             far = \"remote:{address}\"\nnear = \"first\"\n"
        ),
    );
    while !folder.path().join("cup.db").exists() {
        thread::yield_now();
    }
    let page = results(folder.path());
    if let Some(mut page) = page {
        page.visit("results");
        page.wait("document.querySelector('#matches tbody tr.running')");
        page.click("#matches tbody a");
        wait_for_step(&mut page, "step 0 of 0, live");
        let go_on = |page: &mut Page, seen: &str| {
            let_go.send(()).expect("it waits");
            wait_for_step(page, seen);
        };
        go_on(&mut page, "step 1 of 1");
        page.wait(
            "document.querySelectorAll(\"#stage [data-cell]:not([aria-label$=': empty'])\").length === 1",
        );
        assert_eq!(page.text("#faults"), "xplayer: illegal: nonsense");
        assert_eq!(page.count("#steps .wrong"), 1);
        // The view stays at an earlier step while the match goes on.
        page.press("ArrowLeft");
        wait_for_step(&mut page, "step 0 of 1");
        go_on(&mut page, "step 0 of 2");
        assert_eq!(page.count("#stage [data-cell]:not([aria-label$=': empty'])"), 0);
        page.press("End");
        wait_for_step(&mut page, "step 2 of 2, after");
        go_on(&mut page, "step 3 of 3");
    }
    manager.kill().expect("it runs");
    manager.wait().expect("it ends");
}

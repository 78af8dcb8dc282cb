//! Explanations on the page, and plays that become tests.

use super::chromium::Page;
use std::process::Command;

/// An expression for the first line of the displayed explanation.
const ASKED: &str = "document.querySelector('#why .asked')?.textContent ?? ''";

#[test]
fn a_greyed_move_tells_by_which_rule_it_is_not_legal() {
    let Some(mut page) = Page::play("tictactoe") else { return };
    page.click_named("2 2");
    page.wait_for_moves(1);
    page.click("#illegal > summary");
    page.wait("document.querySelectorAll('#illegal-moves button').length === 2");
    page.click("#illegal input");
    page.insert("mark");
    page.wait("document.querySelectorAll('#illegal-moves button').length === 1");
    page.click("#illegal-moves button");
    page.wait(&format!("({ASKED}).startsWith('(legal oplayer (mark 2 2)) does not hold')"));
    assert!(page.text("#why .fails").contains("(true (cell 2 2 b))"), "{}", page.text("#why"));
    // The complete rule is shown next to it.
    let rule = page.run("document.querySelector('#why mark').textContent");
    let rule = rule.as_str().unwrap_or_default();
    assert!(
        rule.starts_with("(<= (legal ?r (mark ?m ?n))") && rule.ends_with("(true (cell ?m ?n b)))"),
        "{rule}"
    );
    // A relation can be explained, and the way back leads to the move.
    page.run("document.getElementById('why-atom').select()");
    page.insert("terminal");
    page.press("Enter");
    page.wait(&format!("({ASKED}).startsWith('terminal does not hold')"));
    page.click_on(
        "[...document.querySelectorAll('#why button')].find((button) => button.textContent === 'Back')",
    );
    page.wait(&format!("({ASKED}).startsWith('(legal oplayer (mark 2 2)) does not hold')"));
    page.press("Escape");
    page.wait("!document.getElementById('why').open");
    // The list follows the game.
    page.click_named("1 1");
    page.wait_for_moves(2);
    page.wait("document.querySelectorAll('#illegal-moves button').length === 2");
}

#[test]
fn cells_fluents_and_goals_have_reasons() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    page.click_cell(4);
    page.wait_for_moves(1);
    // A click on an occupied cell makes no move, and offers an explanation.
    page.click_cell(4);
    page.notice();
    page.click("#notice button");
    page.wait(&format!("({ASKED}).includes('does not hold')"));
    let choices = page.text("#why .choices");
    assert!(choices.contains("not take 5"), "{choices}");
    page.press("Escape");
    // A key offers an explanation for any cell.
    page.run("document.querySelector(\"[data-cell='4']\").focus()");
    page.press("?");
    page.wait("document.getElementById('why').open");
    page.press("Escape");
    for (ply, cell) in [0, 3, 8, 5].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 2);
    }
    page.choose("Restart");
    page.wait_for_moves(0);
    for (ply, cell) in [0, 3, 1, 4, 2].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    page.click("#goals button");
    page.wait(&format!("({ASKED}).startsWith('(goal x 100) holds')"));
    page.click_on("document.querySelector('#why .place')");
    page.wait("document.querySelector('#why mark').textContent.includes('goal')");
    // Deeper levels are shown on request.
    page.run("document.getElementById('why-atom').select()");
    page.insert("terminal");
    page.press("Enter");
    page.wait(&format!("({ASKED}).startsWith('terminal holds')"));
    assert!(!page.text("#why .reason").contains("a fact"), "{}", page.text("#why .reason"));
    page.click_on(
        "[...document.querySelectorAll('#why .place')].find((button) => button.textContent === 'more')",
    );
    page.wait("document.querySelector('#why .reason').textContent.includes('(row 1 2 3): a fact')");
    assert!(page.run("document.getElementById('illegal').checkVisibility()") == false);
}

#[test]
fn a_seat_is_not_told_what_the_rules_hide() {
    let Some(mut page) = Page::play("liars_dice") else { return };
    page.wait("document.getElementById('eyes').textContent.includes('Who looks')");
    assert!(page.run("document.getElementById('illegal').checkVisibility()") == false);
    page.choose("alice looks");
    page.wait("document.querySelector('#fluents button')");
    let ask = |page: &mut Page, atom: &str| {
        page.choose("Why?");
        page.insert(atom);
        page.press("Enter");
        page.wait("!/^(…|Ask about.*)$/.test(document.querySelector('#why .reason').textContent)");
        let reason = page.text("#why .reason");
        page.press("Escape");
        page.wait("!document.getElementById('why').open");
        reason
    };
    assert!(ask(&mut page, "true (die bob 3)").contains("hidden information"), "bob's die");
    assert!(ask(&mut page, "legal alice doubt").contains("does not hold"));
}

#[test]
fn a_match_is_saved_as_a_test_that_passes() {
    let Some(mut page) = Page::play("connect_four") else { return };
    for (ply, cell) in [35, 36, 35, 37].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    page.run(
        "(() => { const make = URL.createObjectURL; window.saved = null;
            URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return make.call(URL, blob); }; })()",
    );
    page.choose("Save test");
    page.wait("window.saved");
    let test = page.run("window.saved");
    let test = test.as_str().unwrap_or_default();
    assert!(test.starts_with("(test after_4_moves\n  (does red "), "{test}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("connect_four.plays");
    std::fs::write(&file, test).expect("a file");
    let run = Command::new(env!("CARGO_BIN_EXE_gdl")).args(["test", "connect_four"]).arg(&file).output();
    let run = run.expect("gdl runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn the_dialog_fits_a_phone() {
    let Some(mut page) = Page::play("tictactoe") else { return };
    page.resize(390, 800, true);
    page.choose("Why?");
    page.insert("terminal");
    page.press("Enter");
    page.wait(&format!("({ASKED}).startsWith('terminal does not hold')"));
    assert_eq!(page.run("document.documentElement.scrollWidth"), 390);
    assert_eq!(page.run("document.getElementById('why').scrollWidth <= 390"), true);
}

//! Accessibility errors that axe-core finds in the states of the page. The environment variable
//! `GDL_AXE` is the path of its `axe.min.js` (`npm install axe-core`); without it the test is
//! skipped.

use super::chromium::Page;
use gdl_test_support::skip;
use std::{env, fs};

/// Asserts that axe-core finds no errors in the current state, in the light and the dark theme.
fn inspect(page: &mut Page, axe: &str, state: &str) {
    for is_dark in [false, true] {
        page.resize(1200, 900, is_dark);
        page.run(&format!("{axe}; 0"));
        // Waits for fading notices and moving pieces to come to rest.
        page.run(
            "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => 0))).then(() => 0)",
        );
        let found = page.run(
            "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
                violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200)).slice(0, 3).join(' ')}`).join('\\n'))",
        );
        assert_eq!(found, "", "{state}{}", if is_dark { ", dark" } else { "" });
    }
}

#[test]
fn axe_finds_nothing() {
    let Some(file) = env::var_os("GDL_AXE") else {
        return skip("the environment variable `GDL_AXE` names no `axe.min.js`");
    };
    let axe = fs::read_to_string(file).expect("axe-core");
    let Some(mut page) = Page::open(&["--lan=127.0.0.1"]) else { return };
    page.wait("document.querySelectorAll('.game').length > 10");
    inspect(&mut page, &axe, "games");
    page.run("document.getElementById('rulesheet').focus()");
    for (text, verdict) in [
        ("(role r) (legal r ?x)", "faulty"),
        ("role(r)\nlegal(r, end)\nnext(over) :- does(r, end)\nterminal :- true(over)\ngoal(r, 50)", "sound"),
    ] {
        page.run("document.getElementById('rulesheet').select()");
        page.insert(text);
        page.wait(&format!("document.getElementById('rulesheet-verdict').classList.contains('{verdict}')"));
        inspect(&mut page, &axe, verdict);
    }
    for game in [
        "tictactoe_led",
        "breakthrough",
        "connect_four",
        "reversi",
        "pentago",
        "nim",
        "lights_out",
        "monty_hall",
        "liars_dice",
        "pig",
    ] {
        page.visit(&format!("game={game}"));
        page.wait_for_game();
        inspect(&mut page, &axe, game);
    }
    // Opens everything that can be opened, and starts the clocks.
    page.visit("game=tictactoe_led");
    page.wait_for_game();
    page.run("{ const field = document.querySelector(\"[aria-label='Time of each player']\"); field.value = '3+2'; field.dispatchEvent(new Event('change')); }");
    page.wait("document.querySelector('#seats .clock')");
    page.click_cell(4);
    page.wait_for_moves(1);
    page.choose("Hints");
    page.choose("Evaluation");
    page.run("document.querySelectorAll('#play details').forEach((one) => { one.open = true; })");
    // Hints and the evaluation move the board. A click that misses it would navigate in the play
    // and stop its clocks.
    page.wait("document.body.innerText.includes('playouts')");
    page.click_cell(4);
    page.wait("document.querySelector('#seats .clock.runs') && !document.getElementById('notice').hidden");
    inspect(&mut page, &axe, "all that opens");
    page.run("{ const select = document.querySelector(\"[aria-label='Who plays o']\"); select.value = 'guest'; select.dispatchEvent(new Event('change')); }");
    page.wait("document.querySelector('#invitation[open] input')");
    inspect(&mut page, &axe, "an invitation");
    page.press("Escape");
    page.click("#inside summary, #inside button");
    inspect(&mut page, &axe, "inside");
}

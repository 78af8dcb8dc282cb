//! Choosing a game, writing one, and inspecting it.

use super::chromium::Page;
use serde_json::json;

/// A rulesheet with errors. The page must not start a game with it.
const FAULTY: &str = "; A door.\n(role you)\n(init shut)\n(<= (legal you (push ?side))\n    (true shut))\n(<= (next open) (does you (push left)))\n\
    (<= terminal (true open))\n(goal you 100)\n";

#[test]
fn a_faulty_rulesheet_shows_its_fault_at_its_place_and_can_be_mended_and_played() {
    let Some(mut page) = Page::open(&[]) else { return };
    // Waits for the list of games, which moves everything below it.
    page.wait("document.querySelectorAll('.game').length > 10");
    page.click("#rulesheet");
    page.insert(FAULTY);
    page.wait("document.querySelector('.fault')");
    assert!(page.text(".fault").contains("GDL085"), "{}", page.text(".fault"));
    assert!(page.text(".fault").starts_with("4:22"), "{}", page.text(".fault"));
    assert_eq!(page.run("document.querySelector('.layer mark').textContent"), "?side");
    assert_eq!(page.run("document.querySelector('.numbers b').textContent"), "4");
    assert_eq!(page.run("document.querySelector('#rulesheet').ariaInvalid"), "true");
    assert_eq!(page.run("document.querySelector('#rulesheet-play').disabled"), true);
    // The underline is at the text, since both layers have the same font metrics.
    let same = "(() => { const [a, b] = ['.layer', '#rulesheet'].map((s) => getComputedStyle(document.querySelector(s)));
        return ['fontSize', 'fontFamily', 'lineHeight', 'paddingLeft', 'paddingTop', 'tabSize', 'whiteSpace']
            .every((key) => a[key] === b[key]); })()";
    assert_eq!(page.run(same), true);

    // A click on the error selects its place, and so does F8.
    let selected = "(() => { const box = document.querySelector('#rulesheet');
        return document.activeElement === box && box.value.slice(box.selectionStart, box.selectionEnd); })()";
    page.click(".fault");
    page.wait(&format!("{selected} === '?side'"));
    page.run("document.querySelector('#rulesheet').setSelectionRange(0, 0)");
    page.press("F8");
    page.wait(&format!("{selected} === '?side'"));

    // Typing over the selection fixes the error.
    page.insert("left");
    page.wait("!document.querySelector('#rulesheet-play').disabled");
    assert_eq!(page.count(".layer mark.error"), 0);
    assert!(
        page.text("#rulesheet-verdict").contains("you: 2 fluents"),
        "{}",
        page.text("#rulesheet-verdict")
    );
    page.click("#rulesheet-play");
    page.wait("!document.querySelector('#game').hidden");
    assert_eq!(page.run("document.querySelector('#chooser').hidden"), true);
}

#[test]
fn the_last_answer_wins() {
    let Some(mut page) = Page::open(&[]) else { return };
    // Waits for the list of games, which moves everything below it.
    page.wait("document.querySelectorAll('.game').length > 10");
    page.click("#rulesheet");
    // Errors of replaced text are never shown.
    page.insert(FAULTY);
    page.run("document.querySelector('#rulesheet').select()");
    page.insert("(role x");
    page.wait("document.querySelector('.fault')");
    assert!(page.text(".faults").contains("GDL001"), "{}", page.text(".faults"));
    assert!(!page.text(".faults").contains("GDL085"), "{}", page.text(".faults"));
    page.run(
        "(() => { const box = document.querySelector('#rulesheet');
            box.value = ''; box.dispatchEvent(new Event('input')); })()",
    );
    page.wait("document.querySelectorAll('.fault').length === 0");
}

#[test]
fn a_game_is_chosen_with_the_keyboard_alone() {
    let Some(mut page) = Page::open(&[]) else { return };
    page.wait("document.querySelectorAll('.game').length > 10");
    let card = page.text("[data-game=monty_hall]");
    for word in ["Monty hall", "1 player", "chance", "hidden"] {
        assert!(card.contains(word), "{card}: {word}");
    }
    let focused = "document.activeElement.dataset.game ?? ''";
    // The filter leaves a small number of cards to tab through.
    for _ in 0..4 {
        if page.run("document.activeElement.id") == "find" {
            break;
        }
        page.press("Tab");
    }
    page.insert("nim");
    page.wait("document.querySelectorAll('.cards li:not([hidden])').length < 3");
    for _ in 0..8 {
        if page.run(focused) == "nim" {
            break;
        }
        page.press("Tab");
    }
    assert_eq!(page.run(focused), "nim", "the tab key comes to each game");
    page.press("Enter");
    page.wait("!document.querySelector('#game').hidden");
    // A reload restores the same view.
    page.reload();
    page.wait("!document.querySelector('#game').hidden");
}

#[test]
fn the_inside_is_lit_as_play_goes_on() {
    let Some(mut page) = Page::open(&["tictactoe"]) else { return };
    page.wait("!document.querySelector('#game').hidden");
    page.click("details.inside > summary");
    page.wait("document.querySelectorAll('.relation').length === 2");
    let holding = "[...document.querySelectorAll('.relation li.true')].map((item) => item.firstChild.data)";
    assert_eq!(page.run(&format!("{holding}.length")), 10);
    page.click("#tab-net");
    page.wait("document.querySelectorAll('.net .node').length > 100");
    page.run("(() => { const of = document.querySelector('#net-of'); of.value = 'next (cell 1 1 b)'; of.dispatchEvent(new Event('change')); })()");
    let node = |name: &str| {
        let name = json!(name);
        format!(
            "[...document.querySelectorAll('.net .node')].find((node) => node.querySelector('title').textContent === {name})"
        )
    };
    let (output, cell) = (node("next (cell 1 1 b)"), node("(cell 1 1 b)"));
    page.wait(&format!("{cell} && document.querySelectorAll('.net .node').length < 20"));
    page.wait(&format!("{cell}.classList.contains('lit') && {output}.classList.contains('open')"));
    // A changed signal is highlighted again.
    page.run("import('/page/app.js').then(({ app }) => app.change('/moves', { role: 'xplayer', move: '(mark 1 1)' }))");
    page.wait(&format!("!{cell}.classList.contains('lit') && !{output}.classList.contains('open')"));
    page.click("#tab-state");
    page.wait(&format!("{holding}.includes('(cell 1 1 x)')"));
}

#[test]
fn of_a_large_net_a_part_is_shown() {
    let Some(mut page) = Page::open(&["connect_four"]) else { return };
    page.wait("!document.querySelector('#game').hidden");
    page.click("details.inside > summary");
    page.click("#tab-net");
    page.wait("document.querySelectorAll('.net .node').length > 0");
    assert!(
        page.run("document.querySelector('#net-of').value")
            .as_str()
            .is_some_and(|of| of.starts_with("legal "))
    );
    // The whole net can be requested, and is reported as too large.
    page.run("(() => { const of = document.querySelector('#net-of'); of.value = ''; of.dispatchEvent(new Event('change')); })()");
    page.wait("document.querySelector('#panel-net').innerText.includes('too many for a picture')");
    assert_eq!(page.run("document.querySelector('#net-of').value"), "");
}

#[test]
fn random_play_is_shown_in_charts() {
    let Some(mut page) = Page::open(&["nim"]) else { return };
    page.wait("!document.querySelector('#game').hidden");
    page.click("details.inside > summary");
    page.click("#tab-analysis");
    page.click("#analysis-start");
    let charts = "document.querySelector('.charts').shadowRoot";
    page.wait(&format!("{charts}.querySelectorAll('svg').length >= 4"));
    page.wait(&format!("{charts}.styleSheets.length === 1"));
    assert_eq!(page.run(&format!("{charts}.querySelector('.card b').textContent !== ''")), true);
    page.wait("document.querySelector('#analysis-stop').hidden");
}

#[test]
fn the_rules_of_a_game_can_be_changed_and_played() {
    let Some(mut page) = Page::open(&["nim"]) else { return };
    page.wait("!document.querySelector('#game').hidden");
    page.click("details.inside > summary");
    page.click("#tab-rules");
    page.wait("document.querySelector('.rules').textContent.includes('(role')");
    page.click("#rules-edit");
    page.wait("!document.querySelector('#rulesheet-play').disabled");
    assert_eq!(page.run("document.querySelector('#rulesheet').value.includes('(role')"), true);
    page.click("#rulesheet-play");
    page.wait("!document.querySelector('#game').hidden");
}

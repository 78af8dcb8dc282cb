//! Fairness of the page: chance, hints under hidden information, the display of hidden information,
//! and rulesheets in the editor.

use super::chromium::Page;
use serde_json::json;

/// Makes a request to the server's interface, and returns the response.
fn api(page: &mut Page, method: &str, path: &str, body: &serde_json::Value) -> serde_json::Value {
    page.run(&format!(
        "fetch('/api{path}', {{ method: '{method}', body: {} }}).then((answer) => answer.status === 204 ? null : answer.json())",
        if method == "GET" { "undefined".to_owned() } else { json!(body.to_string()).to_string() }
    ))
}

#[test]
fn chance_is_random_and_hints_know_no_more_than_the_seat() {
    let Some(mut page) = Page::play("monty_hall") else { return };
    // The view leaves out the seed until the end.
    let own = "new URLSearchParams(location.hash.slice(1)).get('session')";
    let seen = page.run(&format!("fetch(`/api/sessions/${{{own}}}`).then((answer) => answer.json())"));
    assert_eq!(seen["seed"], json!(null));
    page.choose("choose 1");
    page.wait("document.querySelector('#legal [data-move=stay]')");
    page.choose("Hints");
    let told = "[...document.querySelectorAll('#legal li')].map((item) => item.innerText.trim())";
    page.wait(&format!("JSON.stringify({told}) === '[\"stay 33\",\"switch 67\"]'"));
    assert!(page.text("#effort").contains("playouts"));
    // The page warns before it makes a file or link that would reveal hidden information.
    page.choose("Copy link");
    assert!(page.notice().contains("hidden from the players"), "{}", page.notice());
    assert_eq!(page.run("document.getElementById('link').hidden"), true);
    page.click("#notice button");
    page.wait("document.getElementById('link').value.includes('#at=')");
    // After the end an undo is marked, until the next game.
    page.choose("Hints");
    page.choose("stay");
    page.wait("document.getElementById('status').classList.contains('over')");
    assert!(page.run("document.getElementById('revealed').hidden") == true);
    page.choose("Undo");
    page.wait("!document.getElementById('revealed').hidden");
    page.choose("Restart");
    page.wait("document.getElementById('revealed').hidden");
    // Most of twelve seeds in a row differ from the seed before.
    let mut seeds = Vec::new();
    for _ in 0..12 {
        let view = api(&mut page, "POST", "/sessions", &json!({ "game": "pig" }));
        seeds.push(view["seed"].as_u64().expect("nothing is hidden"));
    }
    seeds.dedup();
    assert!(seeds.len() > 6, "{seeds:?}");
    let view = api(&mut page, "POST", "/sessions", &json!({ "game": "pig", "seed": 7 }));
    assert_eq!(view["seed"], 7);
}

#[test]
fn a_rulesheet_stays_in_the_box_and_what_was_checked_is_played() {
    let Some(mut page) = Page::open(&[]) else { return };
    page.click_on(
        "[...document.querySelectorAll('button')].find((button) => button.textContent === 'Show an example')",
    );
    page.wait("document.querySelector('#rulesheet-verdict').classList.contains('sound')");
    page.reload();
    page.wait("document.querySelector('#rulesheet').value.includes('switch the lamp on')");
    page.wait("document.querySelector('#rulesheet-verdict').classList.contains('sound')");
    page.click("#rulesheet-play");
    page.wait_for_game();
    // A file of another kind is rejected with a message.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("other.json");
    std::fs::write(&file, "{\"name\": \"x\"}").expect("a file");
    page.choose_file("input[type=file][aria-label='A saved match']", &file);
    assert!(page.notice().contains("is not a saved match"), "{}", page.notice());
    // The lifted engine plays the same game.
    let rules = page.run("JSON.parse(sessionStorage.getItem('gdl.rulesheet')).text");
    let view = api(&mut page, "POST", "/sessions", &json!({ "rulesheet": rules, "lifted": true }));
    assert_eq!(view["game"]["engine"], "lifted");
    let verdict = api(&mut page, "POST", "/check", &json!({ "text": rules, "patient": true, "ticket": "t" }));
    assert_eq!((&verdict["sound"], &verdict["excess"]), (&json!(true), &json!(false)));
}

/// A rulesheet about triangles in a graph that grows by moves. It is short, but grounds to two
/// million rules, which takes many seconds.
fn long_to_compile() -> String {
    let nodes: Vec<String> = (0..130).map(|node| format!("(n {node})")).collect();
    format!(
        "(role r) {} (init (edge 0 1)) (<= (legal r (link ?a ?b)) (n ?a) (n ?b))
        (<= (next (edge ?a ?b)) (does r (link ?a ?b))) (<= (next (edge ?a ?b)) (true (edge ?a ?b)))
        (<= (triangle ?a) (true (edge ?a ?b)) (true (edge ?b ?c)) (true (edge ?c ?a)))
        (<= terminal (triangle ?a)) (<= (goal r 100) terminal) (<= (goal r 0) (not terminal))",
        nodes.join(" ")
    )
}

#[test]
fn what_takes_long_is_called_off_given_more_time_and_played_meanwhile() {
    let Some(mut page) = Page::open(&[]) else { return };
    page.wait("document.getElementById('rulesheet')");
    page.run("document.getElementById('rulesheet').focus()");
    page.insert(&long_to_compile());
    let more = "document.getElementById('rulesheet-more')";
    let button = |name: &str| {
        format!("[...{more}.querySelectorAll('button')].find((button) => button.textContent === '{name}')")
    };
    // A check beyond the quick limits continues by itself and shows its progress.
    page.wait(&format!("!{more}.hidden && /takes a while: .+, \\d+ s/.test({more}.textContent)"));
    page.click_on(&button("Cancel"));
    page.wait(&format!("{more}.textContent.includes('takes more than a quick look')"));
    page.wait(&format!("!({})", button("Cancel")));
    page.click_on(&button("Give it more time"));
    page.wait(&format!("/takes a while: .+, \\d+ s/.test({more}.textContent)"));
    page.wait(&button("Cancel"));
    page.click_on(&button("Play it now, state by state"));
    page.wait_for_game();
    let own = "new URLSearchParams(location.hash.slice(1)).get('session')";
    let engine = page.run(&format!(
        "fetch(`/api/sessions/${{{own}}}`).then((answer) => answer.json()).then((view) => view.game.engine)"
    ));
    assert_eq!(engine, "lifted");
}

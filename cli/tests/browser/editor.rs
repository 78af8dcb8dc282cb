//! The editor of rulesheets: its colours in the three syntaxes.

use super::chromium::Page;
use serde_json::json;

#[test]
fn a_rulesheet_is_coloured_in_each_syntax() {
    let Some(mut page) = Page::open(&[]) else { return };
    page.wait("document.getElementById('rulesheet')");
    let told = |kind: &str| format!("[...CSS.highlights.get('gdl-{kind}') ?? []].map(String).join(' ')");
    for (text, kinds) in [
        (
            "; Nim.\n(role r) (legal r (take 1))\n(<= (next (pile ?n)) (does r (take ?m)) (not (true over)))",
            [
                ("comment", "; Nim."),
                ("variable", "?n ?m"),
                ("word", "role legal next does true"),
                ("sign", "<= not"),
                ("name", "take pile take"),
                ("number", "1"),
            ],
        ),
        (
            "% Nim.\nrole(r)\nlegal(r, take(1))\nnext(pile(N)) :- does(r, take(M)) & ~true(over)",
            [
                ("comment", "% Nim."),
                ("variable", "N M"),
                ("word", "role legal next does true"),
                ("sign", ":- & ~"),
                ("name", "take pile take"),
                ("number", "1"),
            ],
        ),
        (
            "% Nim.\nrole(r)\nlegal(take(1)) :- control(r)\ntake(M) :: pile(N) ==> ~pile(N) & next(M)",
            [
                ("comment", "% Nim."),
                ("variable", "M N N M"),
                ("word", "role legal control"),
                ("sign", ":- :: ==> ~ &"),
                // Keywords of other syntaxes are plain names in Epilog.
                ("name", "take take pile pile next"),
                ("number", "1"),
            ],
        ),
    ] {
        page.run("{ const box = document.getElementById('rulesheet'); box.focus(); box.select(); }");
        page.insert(text);
        for (kind, tokens) in kinds {
            page.wait(&format!("{} === {}", told(kind), json!(tokens)));
        }
    }
    // Errors split the text of the layer, but the colours stay in place. Only visible lines are
    // coloured.
    let facts: Vec<String> = (0..3000).map(|fact| format!("(init (f {fact}))\n")).collect();
    let long = format!("(role r) (legal r ?x)\n{}(init (last 7))", facts.concat());
    page.run(&format!(
        "{{ const box = document.getElementById('rulesheet'); box.value = {}; box.dispatchEvent(new Event('input')); }}",
        json!(long)
    ));
    page.wait("document.querySelector('.layer mark')");
    page.run("{ const box = document.getElementById('rulesheet'); box.scrollTop = 0; }");
    page.wait(&format!("{} === '?x'", told("variable")));
    let numbers = page.run(&format!("{}.split(' ').length", told("number")));
    assert!(numbers.as_u64().is_some_and(|count| (5..100).contains(&count)), "{numbers}");
    page.run("{ const box = document.getElementById('rulesheet'); box.scrollTop = box.scrollHeight; }");
    page.wait(&format!("{}.endsWith(' 7')", told("number")));
}

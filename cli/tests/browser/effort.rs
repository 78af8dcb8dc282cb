//! The cost of a click, in counts: requests, their bytes, and elements that change. The benchmark
//! `page` measures times.

use super::chromium::Page;

/// A script that counts until an expression holds: requests by method and path, their characters,
/// and changed elements.
const COUNT: &str = "window.counted = async (act, holds) => {
    const requests = [];
    const own = window.fetch;
    window.fetch = async (path, options) => {
        const answer = await own(path, options);
        const text = await answer.clone().text();
        requests.push({ what: `${options?.method ?? 'GET'} ${path.replace(/[0-9a-f]{32}/, 'ID')}`, size: text.length });
        return answer;
    };
    const changed = new Set();
    const observer = new MutationObserver((all) => all.forEach(({ target }) => changed.add(target)));
    observer.observe(document.getElementById('board'), { subtree: true, childList: true, attributes: true });
    act();
    while (!holds()) await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done, 50));
    window.fetch = own;
    observer.disconnect();
    const cells = [...changed].filter((one) => one.matches?.('[data-cell]')).length;
    return { requests: requests.map(({ what }) => what), largest: Math.max(0, ...requests.map(({ size }) => size)), cells };
}; 0";

#[test]
fn a_click_changes_what_it_must_and_asks_once() {
    let Some(mut page) = Page::play("breakthrough") else { return };
    // The page saves the record of a match shortly after its start.
    page.wait("JSON.parse(localStorage.getItem('gdl.sessions') ?? '[]').length");
    page.run(COUNT);
    // A selection makes no request. It changes the piece, the cells that it can reach, and those of
    // other movable pieces.
    let picked = page.run(
        "counted(() => document.querySelector(\"[aria-label^='4 2:']\").click(), () => document.querySelector('.cell.selected'))",
    );
    assert_eq!(picked["requests"], serde_json::json!([]));
    assert!(picked["cells"].as_u64().is_some_and(|cells| (4..=12).contains(&cells)), "{picked}");
    // A move is one request. Data that others wait for and the record of the match are requested
    // again after the frame.
    let moved = page.run(
        "counted(() => document.querySelector(\"[aria-label^='4 3:']\").click(), () => document.querySelectorAll('#moves .past').length === 1)",
    );
    let requests: Vec<&str> =
        moved["requests"].as_array().into_iter().flatten().filter_map(|one| one.as_str()).collect();
    assert_eq!(requests.iter().filter(|one| one.starts_with("POST")).count(), 1, "{moved}");
    assert!(requests.len() <= 3, "{moved}");
    assert!(moved["largest"].as_u64().is_some_and(|size| size < 12_000), "{moved}");
    assert!(moved["cells"].as_u64().is_some_and(|cells| cells <= 40), "{moved}");
}

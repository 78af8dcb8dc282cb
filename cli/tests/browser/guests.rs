//! Two people in two browsers: one at the server's machine, and a guest who opened a link.

use super::chromium::Page;

#[test]
fn a_guest_plays_by_a_link() {
    // The loopback address stands for the address of a local network.
    let Some(mut page) = Page::open(&["tictactoe_led", "--lan=127.0.0.1"]) else { return };
    page.wait_for_game();
    page.run("{ const select = document.querySelector(\"[aria-label='Who plays o']\"); select.value = 'guest'; select.dispatchEvent(new Event('change')); }");
    page.wait("document.querySelector('#invitation[open] input')");
    // The page explains the consequences before the link is sent.
    let told = page.text("#invitation");
    for words in ["Anyone who has the link can play this seat", "Nothing is encrypted", "The link ends"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(page.text("#seats").contains("has not joined yet"));
    let link = page.run("document.querySelector('#invitation input').value");
    let link = link.as_str().expect("a link");
    let Some(mut guest) = Page::visit_as_guest(link) else { return };
    guest.wait_for_game();
    page.press("Escape");
    page.wait("document.getElementById('seats').innerText.includes('has joined')");
    // Each browser shows the other one's moves.
    page.click_cell(4);
    guest.wait_for_moves(1);
    guest.click_cell(0);
    page.wait_for_moves(2);
    assert_eq!((page.cell(0), guest.cell(4)), ("o".to_owned(), "x".to_owned()));
    // A guest cannot move out of turn, and has no access to functions of the local page.
    guest.click_cell(8);
    assert!(guest.notice().contains("not your move"), "{}", guest.notice());
    assert_eq!(
        guest.run(
            "[...document.querySelectorAll('#controls button')].map((button) => button.textContent).join()"
        ),
        "Sounds,Why?"
    );
    assert_eq!(guest.run("document.getElementById('inside').hidden"), true);
    assert!(guest.text("#seats").contains("you"));
    // A guest can ask for explanations too.
    guest.press("Escape");
    guest.click("#illegal > summary");
    guest.wait("document.querySelector('#illegal-moves button')");
    // An undo reaches the guest, also after a reload.
    page.choose("Undo");
    guest.wait_for_moves(1);
    guest.reload();
    guest.wait_for_moves(1);
    // Simulates a restart of the server. Once the match continues here, the link opens its seat
    // again.
    let address = page.run("location.hash");
    let id = "new URLSearchParams(location.hash.slice(1)).get('session')";
    page.wait(&format!("JSON.parse(localStorage.getItem(`gdl.session.${{{id}}}`))?.moves.length === 1 && JSON.parse(localStorage.getItem(`gdl.session.${{{id}}}`)).guests.length === 1"));
    page.run(&format!("fetch(`/api/sessions/${{{id}}}`, {{ method: 'DELETE' }}).then(() => 0)"));
    page.wait(&format!("location.hash !== {address}"));
    page.wait_for_moves(1);
    page.wait("document.getElementById('seats').innerText.includes('has joined')");
    guest.click_cell(0);
    page.wait_for_moves(2);
    page.choose("Undo");
    guest.wait_for_moves(1);
    // The seat is reassigned, so the link does not open it any more.
    page.run("{ const select = document.querySelector(\"[aria-label='Who plays o']\"); select.value = 'person'; select.dispatchEvent(new Event('change')); }");
    guest.wait("document.getElementById('notice').innerText.includes('opens no seat')");
}

//! Lines of play: drags, replay by keys, branches that stay, an opponent in one click, and sessions
//! that survive a restart of the server.

use super::chromium::Page;

#[test]
fn pieces_are_dragged_boards_flipped_and_lines_replayed() {
    let Some(mut page) = Page::play("breakthrough") else { return };
    let top =
        |name: &str| format!("document.querySelector(\"[aria-label^='{name}:']\").getBoundingClientRect().y");
    page.drag("[aria-label^='4 2:']", "[aria-label^='4 3:']");
    page.wait_for_moves(1);
    // A piece dropped on an illegal cell returns, and a notice gives the reason. The test disables
    // the notice's timeout.
    page.run("{ const own = setTimeout; window.setTimeout = (act, time) => (time === 5000 ? 0 : own(act, time)); }");
    page.drag("[aria-label^='5 7:']", "[aria-label^='5 3:']");
    assert!(page.notice().contains("cannot move"), "{}", page.notice());
    page.wait_for_moves(1);
    page.drag("[aria-label^='5 7:']", "[aria-label^='5 6:']");
    page.wait_for_moves(2);
    // The notice disappears at the next move.
    page.wait("document.getElementById('notice').hidden");

    let is_above = format!("{} < {}", top("1 8"), top("1 1"));
    assert_eq!(page.run(&is_above), true);
    page.choose("Flip");
    assert_eq!(page.run(&is_above), false);
    page.drag("[aria-label^='1 2:']", "[aria-label^='1 3:']");
    page.wait_for_moves(3);

    // Keys step through the moves if the focus is not on the board.
    page.run("document.activeElement.blur()");
    page.press("ArrowLeft");
    page.wait_for_moves(2);
    page.press("Home");
    page.wait_for_moves(0);
    page.press("End");
    page.wait_for_moves(3);
    page.press("ArrowLeft");
    page.wait_for_moves(2);
    // After another move, the previous line stays as a branch.
    page.drag("[aria-label^='2 2:']", "[aria-label^='2 3:']");
    page.wait_for_moves(3);
    assert_eq!(page.count("#moves .branch button"), 1);
    page.click("#moves .branch button");
    page.wait("document.querySelector(\"[aria-label^='1 3:']\").ariaLabel.includes('white')");
    page.wait_for_moves(3);
    // The evaluation shows the value of the position and a graph over the moves.
    page.choose("Evaluation");
    page.wait("document.querySelectorAll('.worth span').length === 2");
    page.wait("document.querySelector('.graph polyline').points.length === 4");
}

#[test]
fn a_session_outlives_the_server() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    for (ply, cell) in [4, 0].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    let id = "new URLSearchParams(location.hash.slice(1)).get('session')";
    page.wait(&format!("JSON.parse(localStorage.getItem(`gdl.session.${{{id}}}`))?.moves.length === 2"));
    // Simulates a restart of the server, which has no record of the session.
    let address = page.run("location.hash");
    page.run(&format!("fetch(`/api/sessions/${{{id}}}`, {{ method: 'DELETE' }}).then(() => 0)"));
    page.reload();
    page.wait_for_moves(2);
    assert_ne!(page.run("location.hash"), address);
    assert_eq!((page.cell(4), page.cell(0)), ("x".to_owned(), "o".to_owned()));
    assert!(page.notice().contains("continues from where it was"));
    // The winning line is marked.
    for (ply, cell) in [3, 1, 5].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 3);
    }
    page.wait("document.querySelectorAll('.cell.won').length === 3");
    assert!(page.label("[data-cell='4']").contains("winning line"));
    // An edited position starts another match.
    page.click("#position > summary");
    page.wait("document.querySelector('#position textarea').value.includes('occupies')");
    let before = page.run("location.hash");
    page.run("{ const box = document.querySelector('#position textarea'); box.value = box.value.replace('( occupies x 6 )', ''); }");
    page.choose("Play from here");
    page.wait(&format!("location.hash !== {before}"));
    page.wait_for_moves(0);
    assert_eq!((page.cell(4), page.cell(5)), ("x".to_owned(), "empty".to_owned()));
}

#[test]
fn a_card_begins_a_game_against_the_computer() {
    let Some(mut page) = Page::open(&[]) else { return };
    page.wait("document.querySelectorAll('.game').length > 10");
    page.click("[aria-label='Connect four against the computer'] button");
    page.wait_for_game();
    assert!(
        page.run("document.getElementById('seats').dataset.shape")
            .to_string()
            .contains("red=person yellow=best:nodes=30")
    );
    assert_eq!(page.text("#name"), "Connect four");
    // After a choice by keys, the focus stays in the list of legal moves.
    page.run("document.querySelector('#legal button').focus()");
    page.press("Enter");
    page.wait_for_moves(2);
    page.wait("document.activeElement.closest('#legal')");
}

#[test]
fn clocks_stand_beside_the_roles_run_for_whom_it_is_and_end_play() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    let face = |role: &str| format!("document.querySelector('#seats .clock[data-role={role}]')");
    page.click("#clocks > summary");
    let set = |page: &mut Page, field: &str, value: &str| {
        page.run(&format!(
            "{{ const field = document.querySelector(\"[aria-label='{field}']\"); field.value = '{value}'; field.dispatchEvent(new Event('change')); }}"
        ));
    };
    set(&mut page, "Time of each player", "3+2");
    page.wait(&format!("{}?.textContent === '3:00' && {}?.textContent === '3:00'", face("x"), face("o")));
    assert_eq!(page.count("#seats .clock.runs"), 0);
    // The clock starts at the first move, for the opponent.
    page.click_cell(4);
    page.wait(&format!("{}.classList.contains('runs') && {}.textContent !== '3:00'", face("o"), face("o")));
    assert_eq!(
        (page.count("#seats .clock.runs"), page.text("#seats .clock[data-role=x]")),
        (1, "3:00".to_owned())
    );
    // Undoing the first move restores the initial time and stops the clock.
    page.choose("Undo");
    page.wait(&format!(
        "{}.textContent === '3:00' && !document.querySelector('#seats .clock.runs')",
        face("o")
    ));
    // The page detects by itself that a clock has run down, and the status reports it.
    set(&mut page, "Time of o", "0.00001");
    page.wait(&format!("{}.textContent === '0.0'", face("o")));
    page.click_cell(4);
    page.wait("document.getElementById('status').textContent.startsWith('o has run out of time')");
    page.click_cell(0);
    assert!(page.notice().contains("has run out of time"), "{}", page.notice());
    page.wait_for_moves(1);
    // After the clocks are removed, play continues.
    set(&mut page, "Time of each player", "");
    page.wait("!document.querySelector('#seats .clock')");
    page.click_cell(0);
    page.wait_for_moves(2);
}

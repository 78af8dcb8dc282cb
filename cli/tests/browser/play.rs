//! Playing: captures, machines, history, hidden choices and information, files and links, keys and
//! small screens.

use super::chromium::{Page, Server};
use serde_json::json;

#[test]
fn a_capture_takes_two_clicks() {
    let Some(mut page) = Page::play("breakthrough") else { return };
    let white = "[...document.querySelectorAll('[data-cell]')].filter(cell => cell.ariaLabel.includes(': white')).length";
    let black = white.replace("white", "black");
    for (ply, (from, to)) in
        [("4 2", "4 3"), ("5 7", "5 6"), ("4 3", "4 4"), ("5 6", "5 5")].iter().enumerate()
    {
        page.click_named(from);
        page.wait("document.querySelector('.cell.selected')");
        page.click_named(to);
        page.wait_for_moves(ply + 1);
    }
    // The piece can reach three cells, one of them with an enemy's piece.
    page.click_named("4 4");
    page.wait("document.querySelectorAll('.cell.target').length === 3");
    assert!(page.label("[aria-label^='5 5:']").contains("can be moved to"));
    // A click on another cell makes no move, and a notice gives the reason.
    page.click_named("1 8");
    assert!(
        page.notice().contains("cannot move from 4 4 to 1 8") || page.notice().contains("has black"),
        "{}",
        page.notice()
    );
    page.wait_for_moves(4);
    page.click_named("4 4");
    page.wait("document.querySelector('.cell.selected')");
    page.click_named("5 5");
    page.wait_for_moves(5);
    assert_eq!(page.run(white), 16);
    assert_eq!(page.run(&black), 15);
    assert!(page.label("[aria-label^='5 5:']").starts_with("5 5: white"));
}

#[test]
fn a_person_plays_a_machine_and_takes_moves_back() {
    let Some(mut page) = Page::play("connect_four") else { return };
    let select = "document.querySelector(\"select[aria-label='Who plays yellow']\")";
    page.wait(&format!("{select}.options.length > 5"));
    page.run(&format!(
        "{{ const list = {select}; list.value = 'mcts'; list.dispatchEvent(new Event('change')); }}"
    ));
    let field = |key: &str| {
        format!(
            "[...document.querySelectorAll('.fields label')].find(label => label.textContent === '{key}')?.querySelector('input')"
        )
    };
    for (key, value) in [("nodes", "300"), ("seconds", ""), ("seed", "5")] {
        page.wait(&field(key));
        let element = field(key);
        page.run(&format!(
            "{{ const field = {element}; field.value = '{value}'; field.dispatchEvent(new Event('change')); }}"
        ));
        page.wait(&format!("({element})?.value === '{value}' && document.getElementById('seats').dataset.shape.includes('mcts:') && document.getElementById('seats').dataset.shape.includes('{key}={value}') === ('{value}' !== '')"));
    }
    // A click anywhere in a column drops a disc there, and the machine answers.
    for round in 1..=3 {
        page.wait_for_status("red's turn");
        page.click_named(&format!("{round} 6"));
        page.wait_for_moves(2 * round);
    }
    let discs = "document.querySelectorAll('#board .piece').length";
    assert_eq!(page.run(discs), 6);
    // Undo goes back to the person's last choice, before the machine's answer. Redo repeats both.
    page.choose("Undo");
    page.wait_for_moves(4);
    assert_eq!(page.run(discs), 4);
    page.choose("Undo");
    page.wait_for_moves(2);
    page.choose("Redo");
    page.wait_for_moves(4);
    page.wait_for_status("red's turn");
    // Another move replaces the undone one.
    page.click_named("7 6");
    page.wait_for_moves(6);
    // Clicks in the list go to the start and to the end of the line.
    page.click("#moves li:first-child button");
    page.wait_for_moves(0);
    page.wait("document.querySelectorAll('#moves .ahead').length === 6");
    page.click("#moves > li:last-child > button");
    page.wait_for_moves(6);
}

#[cfg(feature = "network")]
#[test]
fn a_player_elsewhere_takes_a_seat_by_its_address() {
    let Some(mut page) = Page::play("tictactoe") else { return };
    let player = Server::start("player", &["--player", "first"]);
    let address = player.address.trim_start_matches("http://").trim_end_matches('/');
    let select = "document.querySelector(\"select[aria-label='Who plays oplayer']\")";
    page.wait(&format!("{select}.options.length > 5"));
    page.run(&format!(
        "{{ const list = {select}; list.value = 'remote'; list.dispatchEvent(new Event('change')); }}"
    ));
    // The player takes its seat only after a valid address is entered.
    let shape = "document.getElementById('seats').dataset.shape";
    let place = "input[aria-label='Address of the player of oplayer']";
    for (text, seat) in [("nowhere:port", "person"), (address, &*format!("remote:{address}"))] {
        page.click(place);
        page.run(&format!("document.querySelector(\"{place}\").value = ''"));
        page.insert(text);
        page.press("Enter");
        page.wait(&format!("{shape} === 'xplayer=person oplayer={seat}'"));
        if seat == "person" {
            page.wait("document.getElementById('notice').textContent.includes('is not a port')");
        }
        assert_eq!(page.run(&format!("document.querySelector(\"{place}\").value")), text);
    }
    for (cell, moves) in [(4, 2), (8, 4)] {
        page.click_cell(cell);
        page.wait_for_moves(moves);
    }
    let made = page.text("#moves");
    assert!(made.contains("mark 1 1") && made.contains("mark 1 2"), "{made}");
}

#[test]
fn machines_play_by_themselves_to_the_end() {
    let Some(mut page) = Page::play("nim") else { return };
    page.run(
        "fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get('session')}/seats`,
          { method: 'POST', body: JSON.stringify({ left: 'first', right: 'random:seed=1' }) }).then(answer => answer.ok)",
    );
    page.wait("document.querySelectorAll('#moves .past').length > 1");
    page.choose("Pause");
    page.wait("[...document.querySelectorAll('button')].some(button => button.textContent === 'Play on')");
    page.choose("Play on");
    page.wait("document.getElementById('status').textContent.endsWith(' won')");
    page.wait("document.getElementById('goals').textContent.includes('100')");
}

#[test]
fn a_reload_changes_nothing() {
    let Some(mut page) = Page::play("tictactoe") else { return };
    for (ply, cell) in [4, 0, 8].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    page.reload();
    page.wait_for_moves(3);
    let cells: Vec<String> = [4, 0, 8, 1].map(|cell| page.cell(cell)).to_vec();
    assert_eq!(cells, ["x", "o", "x", "empty"]);
    page.wait_for_status("oplayer's turn");
}

#[test]
fn a_link_holds_the_position_and_a_file_the_match() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    for (ply, cell) in [4, 0, 8].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    page.choose("Copy link");
    page.wait("document.getElementById('link').value.includes('#at=')");
    let link = page
        .run("document.getElementById('link').value.split('#')[1]")
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let session = page.run("location.hash");
    let saved = page.run(
        "fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get('session')}/record`).then(answer => answer.json())",
    );
    assert_eq!(
        saved["moves"],
        json!([["( take 5 )", "noop"], ["noop", "( take 1 )"], ["( take 9 )", "noop"]])
    );

    page.visit(&link);
    page.wait_for_moves(3);
    assert_ne!(page.run("location.hash"), session, "a link begins a session of its own");
    let cells: Vec<String> = [4, 0, 8, 1].map(|cell| page.cell(cell)).to_vec();
    assert_eq!(cells, ["x", "o", "x", "empty"]);

    page.choose("Restart");
    page.wait_for_moves(0);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("match.json");
    std::fs::write(&file, saved.to_string()).expect("a file");
    page.choose_file("input[type=file][aria-label='A saved match']", &file);
    page.wait_for_moves(3);
    page.wait_for_status("o's turn");
    assert_eq!(page.cell(8), "x");
}

#[test]
fn choices_at_the_same_time_are_hidden_until_all_are_made() {
    let Some(mut page) = Page::play("rock_paper_scissors") else { return };
    page.wait_for_status("alice and bob choose");
    page.choose("rock");
    page.wait_for_status("bob's turn (alice has chosen)");
    let view = page.run(
        "fetch(`/api/sessions/${new URLSearchParams(location.hash.slice(1)).get('session')}`).then(answer => answer.json())",
    );
    assert_eq!((&view["chosen"], &view["line"]), (&json!(["alice"]), &json!([])));
    assert!(!page.text("#moves").contains("rock"));
    page.choose("paper");
    page.wait_for_moves(1);
    assert_eq!(page.text("#moves .past"), "alice rock, bob paper");
}

#[test]
fn a_seat_sees_what_its_role_may_know() {
    let Some(mut page) = Page::play("liars_dice") else { return };
    let facts = "document.getElementById('fluents').textContent";
    // Two people share the screen, so nothing is shown before one of them says who looks.
    page.wait("document.getElementById('eyes').textContent.includes('Who looks')");
    assert_eq!(page.run(facts), "");
    page.choose("alice looks");
    page.wait(&format!("{facts}.includes('alice')"));
    let seen = page.run(facts).to_string();
    assert!(seen.contains("die") && !seen.contains("bob"), "{seen}");
    page.choose("bid 1 1");
    page.wait("document.getElementById('eyes').textContent.includes('Who looks')");
    assert_eq!(page.run(facts), "");
    page.choose("bob looks");
    page.wait(&format!("{facts}.includes('die')"));
    let seen = page
        .run("[...document.querySelectorAll('#fluents dd')].map((value) => value.textContent)")
        .to_string();
    assert!(seen.contains("bob") && !seen.contains("alice"), "{seen}");
}

#[test]
fn keys_play_as_well() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    page.run("document.querySelector('[data-cell][tabindex=\"0\"]').focus()");
    for key in ["ArrowRight", "ArrowDown", "Enter"] {
        page.press(key);
    }
    page.wait_for_moves(1);
    assert_eq!(page.cell(4), "x");
    // The focus stays in place.
    for key in ["ArrowLeft", "Enter"] {
        page.press(key);
    }
    page.wait_for_moves(2);
    assert_eq!(page.cell(3), "o");
    assert!(page.run("document.getElementById('live').textContent").to_string().contains("x's turn"));
}

#[test]
fn hints_shade_the_moves_and_count_playouts() {
    let Some(mut page) = Page::play("tictactoe_led") else { return };
    for (ply, cell) in [0, 3, 1, 4].into_iter().enumerate() {
        page.click_cell(cell);
        page.wait_for_moves(ply + 1);
    }
    page.choose("Hints");
    page.wait("document.querySelectorAll('.cell.advised').length > 0");
    page.wait("document.getElementById('effort').textContent.includes('playouts')");
    page.wait("document.querySelector(\"[data-cell='2']\").ariaLabel.includes('worth 100 of 100')");
}

#[test]
fn a_phone_is_wide_enough() {
    let Some(mut page) = Page::play("reversi") else { return };
    page.resize(390, 800, false);
    for game in ["reversi", "connect_four", "liars_dice", "pentago"] {
        page.visit(&format!("game={game}"));
        page.wait_for_game();
        assert_eq!(page.run("document.documentElement.scrollWidth"), 390, "{game}");
    }
}

//! Chess on the page: drawings of pieces, castling by two clicks, the choice of a promotion, and a
//! machine's answers.

use super::chromium::Page;

impl Page {
    /// Makes a move by clicking two cells. Afterwards the list has `made` moves.
    fn step(&mut self, from: &str, to: &str, made: usize) {
        self.click_named(from);
        self.wait("document.querySelector('.cell.selected')");
        self.click_named(to);
        self.wait_for_moves(made);
    }
}

#[test]
fn pawns_are_promoted_to_what_one_chooses() {
    let Some(mut page) = Page::play("chess") else { return };
    assert_eq!(page.count("[data-cell]"), 64);
    // Each piece is drawn as its kind, not as letters in a box.
    for (kind, count) in [("king", 2), ("queen", 2), ("rook", 4), ("bishop", 4), ("knight", 4), ("pawn", 16)]
    {
        assert_eq!(page.count(&format!("[data-cell] .kind-{kind}")), count, "{kind}");
    }
    assert_eq!(page.count("[data-cell] .colour-white"), 16);
    let moves = [
        ("h 2", "h 4"),
        ("g 7", "g 5"),
        ("h 4", "g 5"),
        ("h 7", "h 6"),
        ("g 5", "h 6"),
        ("f 8", "g 7"),
        ("g 1", "f 3"),
        ("e 7", "e 6"),
        ("g 2", "g 3"),
        ("a 7", "a 6"),
        ("f 1", "g 2"),
        ("a 6", "a 5"),
        // The king castles.
        ("e 1", "g 1"),
        ("a 5", "a 4"),
        ("h 6", "g 7"),
        ("a 4", "a 3"),
    ];
    for (made, (from, to)) in moves.iter().enumerate() {
        page.step(from, to, made + 1);
    }
    assert!(page.label("[aria-label^='f 1:']").starts_with("f 1: white rook"));
    // A knight is on g8; the pawn can capture a rook on h8.
    page.click_named("g 7");
    page.wait("document.querySelector('.cell.selected')");
    page.click_named("h 8");
    page.wait("document.querySelector('dialog.chooser[open]')");
    for kind in ["queen", "rook", "bishop", "knight"] {
        assert_eq!(page.count(&format!("dialog.chooser .colour-white.kind-{kind}")), 1, "{kind}");
    }
    page.click_on(
        "[...document.querySelectorAll('dialog.chooser button')].find((button) => button.textContent.includes('knight'))",
    );
    page.wait_for_moves(moves.len() + 1);
    assert!(page.label("[aria-label^='h 8:']").starts_with("h 8: white knight"));
}

#[test]
fn a_machine_answers() {
    let Some(mut page) = Page::play("chess") else { return };
    let select = "document.querySelector(\"select[aria-label='Who plays black']\")";
    page.wait(&format!("{select}.options.length > 5"));
    page.run(&format!(
        "{{ const list = {select}; list.value = 'mcts'; list.dispatchEvent(new Event('change')); }}"
    ));
    page.wait("document.getElementById('seats').dataset.shape.includes('mcts')");
    page.click_named("e 2");
    page.wait("document.querySelector('.cell.selected')");
    page.click_named("e 4");
    page.wait_for_moves(2);
    page.wait_for_status("white's turn");
}

//! The look of boards: adjacent rows, boards that fill the window, hexagons, grids side by side,
//! names of pieces, and arrows for directions.

use super::chromium::Page;
use serde_json::json;

/// A one-player game on a board of five by five, with the given marks, moves and additional facts
/// about the board.
fn rules(board: &str, marks: &[&str], moves: &str) -> String {
    let cells = (1..6).flat_map(|x| (1..6).map(move |y| format!("(init (cell {x} {y} empty))")));
    let marks = marks.iter().enumerate().map(|(row, mark)| format!("(init (cell {} 1 {mark}))", row + 1));
    let cells = cells.chain(marks).collect::<Vec<_>>().join(" ");
    format!(
        "{board} (role r) {cells} (<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m))) {moves}
         (<= terminal (does r end)) (goal r 50)"
    )
    .replace(
        "(<= terminal (does r end))",
        "(<= (next over) (does r end)) (legal r end) (<= terminal (true over))",
    )
}

impl Page {
    /// Starts a session with an uploaded rulesheet and opens it.
    fn open_rules(&mut self, rules: &str) {
        let body = json!({ "rulesheet": rules }).to_string();
        let view = self.run(&format!(
            "fetch('/api/sessions', {{ method: 'POST', body: {} }}).then((answer) => answer.json())",
            json!(body)
        ));
        assert!(view["id"].is_string(), "{view}");
        self.visit(&format!("session={}", view["id"].as_str().unwrap_or_default()));
        self.wait_for_game();
    }

    /// The kinds of the drawn pieces, in the order of cells.
    fn kinds(&mut self) -> Vec<String> {
        let kinds = self.run("[...document.querySelectorAll('[data-cell] .piece > g')].map((piece) => /kind-(\\S+)/.exec(piece.getAttribute('class'))[1])");
        kinds.as_array().into_iter().flatten().filter_map(|kind| kind.as_str().map(str::to_owned)).collect()
    }

    /// The left, top, width and height of a cell.
    fn frame(&mut self, cell: usize) -> [f64; 4] {
        let frame = self.run(&format!(
            "(() => {{ const box = document.querySelector(\"[data-cell='{cell}']\").getBoundingClientRect();
             return [box.x, box.y, box.width, box.height]; }})()"
        ));
        [0, 1, 2, 3].map(|place| frame[place].as_f64().unwrap_or_default())
    }
}

#[test]
fn boards_are_drawn_as_what_they_are() {
    let Some(mut page) = Page::play("reversi") else { return };
    // On a phone the rows are adjacent; in a large window the board fills the height.
    page.resize(360, 800, false);
    let ([_, top, width, high], [_, below, ..]) = (page.frame(0), page.frame(8));
    assert!((high - width).abs() < 1.0 && (below - top - high) < 4.0, "{top} {below} {high}");
    assert_eq!(page.run("document.documentElement.scrollWidth"), 360);
    page.resize(1920, 1080, false);
    assert!(8.0 * page.frame(0)[3] > 800.0);

    // Four boards form a grid of two by two.
    let cells = (1..5).flat_map(|quarter| (0..9).map(move |cell| (quarter, 1 + cell / 3, 1 + cell % 3)));
    let cells: Vec<String> = cells
        .map(|(quarter, x, y)| {
            format!("(init (cell {quarter} {x} {y} red)) (init (cell {quarter} {x} {y} empty))")
        })
        .collect();
    let cells = cells.join(" ");
    page.open_rules(&format!(
        "{cells} (role r) (legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 50)"
    ));
    let [first, second, third] = [0, 9, 18].map(|cell| page.frame(cell));
    let is_same = |a: f64, b: f64| (a - b).abs() < 1.0;
    assert!(is_same(first[1], second[1]) && first[0] + first[2] < second[0]);
    assert!(is_same(first[0], third[0]) && first[1] + first[3] < third[1]);

    // Six neighbours give hexagons, with each row shifted by half a cell.
    let mut near = Vec::new();
    for (x, y) in (1..6).flat_map(|x| (1..6).map(move |y| (x, y))) {
        for (u, v) in [(0, 1), (1, 0), (1, 1)] {
            if x + u < 6 && y + v < 6 {
                near.push(format!("(adjacent {x} {y} {} {})", x + u, y + v));
            }
        }
    }
    page.open_rules(&rules(&near.join(" "), &["red", "blue"], ""));
    page.wait("document.querySelector('.grid.hex')");
    let (above, under) = (page.frame(0), page.frame(5));
    assert!((under[0] - above[0] - above[2] / 2.0).abs() < 3.0, "{above:?} {under:?}");

    // Names are split at changes of case, and two-letter codes are decoded.
    for (marks, kinds) in [
        (["whitePawn", "blackKnight", "whiteKing"], ["pawn", "knight", "king"]),
        (["wK", "wR", "bK"], ["king", "rook", "king"]),
        (["blackpawn", "whiteking", "redbishop"], ["pawn", "king", "bishop"]),
    ] {
        page.open_rules(&rules("", &marks, ""));
        for kind in kinds {
            assert!(page.count(&format!("[data-cell] .kind-{kind}")) > 0, "{kind}");
        }
        assert_eq!(page.count("[data-cell] .kind-letters"), 0, "{marks:?}");
    }

    // Arrows make the moves that name a direction.
    let moves = "(legal r (move north)) (legal r (move east)) (<= (next (went ?d)) (does r (move ?d)))";
    page.open_rules(&rules("", &["robot"], moves));
    assert_eq!(page.count(".pad button"), 2);
    page.press("ArrowRight");
    page.wait_for_moves(1);
    assert!(page.text("#moves .past").contains("move east"));
    page.click(".pad [aria-label='move north']");
    page.wait_for_moves(2);
}

/// Rules that end a one-player game by a separate move.
const END: &str = "(legal r end) (<= (next over) (does r end)) (<= terminal (true over)) (goal r 50)";

#[test]
fn what_stands_beside_cells_is_drawn_there() {
    let Some(mut page) = Page::open(&[]) else { return };
    // Separate relations give positions, walls and ownership. Each role's possessions are listed
    // next to it.
    let beside = "(init (position robot 1 1)) (init (position mummy 5 5)) (init (wall 2 2 east)) (init (blockedNorth 3 3))
        (init (owner 4 4 r)) (init (coins r 7)) (<= (next (coins r 7)) (true (coins r 7)))
        (<= (next (position ?p ?x ?y)) (true (position ?p ?x ?y))) (<= (next (owner ?x ?y ?p)) (true (owner ?x ?y ?p)))
        (<= (next (wall 2 2 east)) (true (wall 2 2 east))) (<= (next (blockedNorth 3 3)) (true (blockedNorth 3 3)))";
    page.open_rules(&rules(beside, &["rock"], ""));
    assert_eq!(page.kinds(), ["ghost", "wall", "person"]);
    let names = |page: &mut Page, class: &str| {
        page.run(&format!(
            "[...document.querySelectorAll('{class}')].map((cell) => cell.ariaLabel.split(':')[0]).join()"
        ))
    };
    assert_eq!(names(&mut page, ".wall-east"), "2 2");
    assert_eq!(names(&mut page, ".wall-north"), "3 3");
    assert_eq!(names(&mut page, "[data-owner]"), "4 4");
    assert!(page.label("[aria-label^='1 1:']").contains("robot"));
    assert!(page.text("#seats").contains("coins 7"));

    // Clues are shown next to columns and rows.
    let clues: Vec<String> =
        (1..6).map(|line| format!("(col {line} 1 {line}) (row {line} 1 1) (row {line} 2 {line})")).collect();
    page.open_rules(&rules(&clues.join(" "), &["marked"], ""));
    let told = page.run("[...document.querySelectorAll('.clue')].map((clue) => clue.textContent).join()");
    assert_eq!(told, "1 5,1 4,1 3,1 2,1 1,1,2,3,4,5");
    assert_eq!(page.kinds(), ["wall"]);

    // A cyclic row is drawn as a ring.
    let ring: Vec<String> = (0..8)
        .map(|at| format!("(init (cell {at} red)) (init (cell {at} empty)) (after {at} {})", (at + 1) % 8))
        .collect();
    page.open_rules(&format!("(role r) {} {END}", ring.join(" ")));
    page.wait("document.querySelector('.grid.ring')");
    let [top, right, bottom, left] = [0, 2, 4, 6].map(|cell| page.frame(cell));
    assert!(
        (top[0] - bottom[0]).abs() < 1.0 && top[1] < right[1] && right[1] < bottom[1],
        "{top:?} {right:?} {bottom:?}"
    );
    assert!(left[0] < top[0] && top[0] < right[0] && (left[1] - right[1]).abs() < 1.0, "{left:?}");
}

#[test]
fn lines_piles_dice_and_cards_are_drawn_as_such() {
    let Some(mut page) = Page::open(&[]) else { return };
    // Lines between dots are drawn by a click at their place.
    let steps = "(i 1) (i 2) (i 3) (s 1 2) (s 2 3) (<= (pair ?x ?y ?x ?z) (i ?x) (s ?y ?z)) (<= (pair ?y ?x ?z ?x) (i ?x) (s ?y ?z))
        (init (line 1 1 1 2)) (<= (next (line ?a ?b ?c ?d)) (true (line ?a ?b ?c ?d))) (<= (next (line ?a ?b ?c ?d)) (does r (draw ?a ?b ?c ?d)))
        (<= (legal r (draw ?a ?b ?c ?d)) (pair ?a ?b ?c ?d) (not (true (line ?a ?b ?c ?d))))";
    page.open_rules(&format!("(role r) {steps} {END}"));
    assert_eq!((page.count(".dots span.line"), page.count(".dots button.line.may")), (1, 11));
    page.click(".dots [aria-label='draw 2 1 3 1']");
    page.wait_for_moves(1);
    assert_eq!((page.count(".dots span.line"), page.count(".dots span.line.newest.right")), (2, 1));

    // Piles of stacked objects: a click selects an object, the next one its target.
    let piles = "(init (on disc2 left)) (init (on disc1 disc2)) (init (clear right)) (legal r (puton disc1 right))
        (<= (next (on disc1 right)) (does r (puton disc1 right))) (<= (next (on disc2 left)) (true (on disc2 left)))";
    page.open_rules(&format!("(role r) {piles} {END}"));
    let drawn = "[...document.querySelectorAll('.stack')].map((stack) => stack.innerText.split('\\n').join(' ')).join()";
    assert_eq!(page.run(drawn), "disc1 disc2 left,right");
    page.click("[data-thing=disc1]");
    page.click("[data-thing=right]");
    page.wait_for_moves(1);
    assert_eq!(page.run(drawn), "disc2 left,disc1 right");

    // Dice are drawn with pips, cards with rank and suit.
    let dealt = "(init (die r 5)) (init (card r king)) (init (table queen hearts))";
    page.open_rules(&format!("(role r) {dealt} {END}"));
    assert_eq!((page.count(".die .pip"), page.count("svg.card"), page.count("svg.card.red")), (5, 2, 1));
    assert_eq!(page.run("document.querySelector('svg.card .rank').textContent"), "K");
}

#[test]
fn forced_colours_paper_and_calm_are_heeded() {
    let Some(mut page) = Page::play("breakthrough") else { return };
    page.emulate("", &[("forced-colors", "active")]);
    let border = "getComputedStyle(document.querySelector('[data-cell]')).borderTopWidth";
    assert_eq!(page.run(border), "1px");
    page.click("[aria-label^='4 2:']");
    page.wait("document.querySelector('.cell.target')");
    assert_eq!(page.run("getComputedStyle(document.querySelector('.cell.target')).outlineStyle"), "dotted");
    assert_eq!(page.run("getComputedStyle(document.querySelector('.cell.selected')).outlineStyle"), "solid");
    page.emulate("print", &[]);
    for (selector, is_shown) in
        [("#controls", false), ("#legal", false), (".tools", false), (".boards", true), ("#moves", true)]
    {
        assert_eq!(
            page.run(&format!("document.querySelector('{selector}').checkVisibility()")),
            is_shown,
            "{selector}"
        );
    }
    // Pieces slide, unless reduced motion is preferred.
    page.emulate("", &[("prefers-reduced-motion", "reduce")]);
    let slides = "document.querySelector('.boards').getAnimations({ subtree: true }).length";
    page.click("[aria-label^='4 3:']");
    page.wait_for_moves(1);
    assert_eq!(page.run(slides), 0);
    // An opened game receives the focus, so keys work there.
    page.visit("");
    page.wait("document.querySelector('.game')");
    page.run("document.querySelector('.game').focus()");
    page.press("Enter");
    page.wait_for_game();
    page.wait("document.activeElement !== document.body");
}

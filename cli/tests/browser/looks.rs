//! How boards look: rows that touch, boards that fill the window, hexagons, grids side by side, names of pieces, and arrows for directions.

use super::chromium::Page;
use serde_json::json;

/// A game for one on a board of five by five, whose cells have these neighbours besides those beside them, with these marks.
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
    /// Opens a rulesheet of one's own.
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
    // Rows touch on a phone, and a board fills a large window.
    page.resize(360, 800, false);
    let ([_, top, width, high], [_, below, ..]) = (page.frame(0), page.frame(8));
    assert!((high - width).abs() < 1.0 && (below - top - high) < 4.0, "{top} {below} {high}");
    assert_eq!(page.run("document.documentElement.scrollWidth"), 360);
    page.resize(1920, 1080, false);
    assert!(8.0 * page.frame(0)[3] > 800.0);

    // Quarters stand two by two.
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

    // Six neighbours are those of hexagons; each row stands half a cell further.
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

    // Names are taken apart where the case changes and as codes.
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

    // Moves that name a direction are made by the arrows.
    let moves = "(legal r (move north)) (legal r (move east)) (<= (next (went ?d)) (does r (move ?d)))";
    page.open_rules(&rules("", &["robot"], moves));
    assert_eq!(page.count(".pad button"), 2);
    page.press("ArrowRight");
    page.wait_for_moves(1);
    assert!(page.text("#moves .past").contains("move east"));
    page.click(".pad [aria-label='move north']");
    page.wait_for_moves(2);
}

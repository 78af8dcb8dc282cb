//! Boards are found by the shape of names alone, and drawn in one orientation.

use gdl_runtime::{
    board::{Board, Cell, Tiling, grouped},
    vocabulary::Texts,
};

/// The board of the given fluents, and its picture in the initial state. Fluents that end in `*`
/// hold initially.
fn draw(fluents: &[String]) -> Option<(Board, String)> {
    let mut texts: Vec<(&str, bool)> =
        fluents.iter().map(|text| (text.trim_end_matches('*'), text.ends_with('*'))).collect();
    texts.sort_unstable();
    let initial = texts.iter().enumerate().filter(|(_, (_, holds))| *holds).map(|(i, _)| i);
    let initial: Vec<usize> = initial.collect();
    let board = Board::new(&Texts::new(texts.iter().map(|(text, _)| text)), initial.iter().copied())?;
    let picture = board.text(&board.cells(initial));
    Some((board, picture))
}

/// All fluents from a pattern with one value in each place. `hold` selects those that hold
/// initially.
fn fluents(pattern: &str, values: &[&[&str]], hold: impl Fn(&str) -> bool) -> Vec<String> {
    let mut texts = vec![pattern.to_owned()];
    for list in values {
        texts = texts.iter().flat_map(|text| list.iter().map(|value| text.replacen('?', value, 1))).collect();
    }
    texts.into_iter().map(|text| if hold(&text) { text + "*" } else { text }).collect()
}

const THREE: &[&str] = &["1", "2", "3"];

#[test]
fn columns_run_right_and_rows_run_up() {
    let cells = fluents("(cell ? ? ?)", &[THREE, THREE, &["b", "x", "o"]], |text| {
        let taken = ["(cell 1 3 x)", "(cell 3 1 o)"];
        taken.contains(&text) || (text.ends_with(" b)") && !taken.iter().any(|t| t[..10] == text[..10]))
    });
    let (board, picture) = draw(&[cells, vec!["(control x)*".into()]].concat()).unwrap();
    assert_eq!(picture, "3 │ x · ·\n2 │ · · ·\n1 │ · · o\n  └──────\n    1 2 3\n");
    assert_eq!(
        (board.relation(), board.columns(), board.rows()),
        ("cell", &["1", "2", "3"].map(String::from)[..], &["3", "2", "1"].map(String::from)[..])
    );
    assert_eq!(board.blank().map(|mark| board.marks()[mark].text.as_str()), Some("b"));
}

#[test]
fn letters_are_columns_wherever_they_stand() {
    let holds = |text: &str| text == "(location 1 b whiteKing)" || text == "(location 2 a blackKing)";
    let cells = fluents("(location ? ? ?)", &[THREE, &["a", "b"], &["whiteKing", "blackKing"]], holds);
    assert_eq!(draw(&cells).unwrap().1, "3 │ · ·\n2 │ b ·\n1 │ · w\n  └────\n    a b\n");
    let named =
        fluents("(cell ? ? ?)", &[&["r1", "r2"], &["c1", "c2"], &["x", "o"]], |t| t == "(cell r1 c2 x)");
    assert_eq!(draw(&named).unwrap().1, "r2 │ ·  ·\nr1 │ ·  x\n   └──────\n     c1 c2\n");
    let joined =
        fluents("(cell ? ?)", &[&["a1", "a2", "b1", "b2"], &["red", "blue"]], |t| t == "(cell b1 red)");
    assert_eq!(draw(&joined).unwrap().1, "2 │ · ·\n1 │ · r\n  └────\n    a b\n");
}

#[test]
fn numbers_are_in_the_order_of_numbers() {
    let values: Vec<String> = (1..=11).map(|n| n.to_string()).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let (board, _) = draw(&fluents("(cell ? ? ?)", &[&values, &values, &["x", "o"]], |_| false)).unwrap();
    assert_eq!(
        (board.columns().last().unwrap(), board.rows().first().unwrap()),
        (&"11".to_owned(), &"11".to_owned())
    );
}

#[test]
fn relations_without_marks_are_drawn_together() {
    let on =
        |head: &str, holds: &str| fluents(&format!("({head} ? ?)"), &[THREE, THREE], |text| text == holds);
    let all = [on("queen", "(queen 1 1)"), on("wall", "(wall 3 3)")].concat();
    assert_eq!(draw(&all).unwrap().1, "3 │ · · w\n2 │ · · ·\n1 │ q · ·\n  └──────\n    1 2 3\n");
    // A quantity is not a coordinate.
    let piles = fluents("(pile ? ?)", &[&["a", "b", "c"], &["0", "1", "2", "3"]], |t| t.ends_with(" 3)"));
    assert_eq!(draw(&piles).unwrap().1, " │ 3 3 3\n └──────\n   a b c\n");
}

#[test]
fn boards_of_boards_have_gaps_and_layers_have_names() {
    let two: &[&str] = &["1", "2"];
    let nested = fluents("(cell ? ? ? ? ?)", &[two, two, two, two, &["b", "x"]], |t| t == "(cell 2 1 1 2 x)");
    let picture = draw(&nested).unwrap().1;
    assert_eq!(picture.lines().nth(3).unwrap(), "1.2 │ ·   ·     x   ·", "{picture}");
    let layers = fluents("(cell ? ? ? ?)", &[two, two, two, &["b", "x"]], |t| t == "(cell 2 1 1 x)");
    assert_eq!(
        draw(&layers).unwrap().1,
        "1\n2 │ · ·\n1 │ · ·\n  └────\n    1 2\n\n2\n2 │ · ·\n1 │ x ·\n  └────\n    1 2\n"
    );
}

#[test]
fn symbols_tell_marks_apart() {
    let marks = ["white pawn", "white king", "black pawn", "black king", "black knight"];
    let cells = fluents("(cell ? ? ?)", &[THREE, THREE, &marks], |_| false);
    let (board, _) = draw(&cells).unwrap();
    let mut symbols: Vec<&str> = board.marks().iter().map(|mark| mark.symbol.as_str()).collect();
    assert!(symbols.contains(&"wk") && symbols.contains(&"wp"), "{symbols:?}");
    symbols.sort_unstable();
    symbols.dedup();
    assert_eq!(symbols.len(), marks.len());
    let family = |start: &str| -> Vec<usize> {
        board.marks().iter().filter(|mark| mark.text.starts_with(start)).map(|mark| mark.family).collect()
    };
    assert_eq!((family("black"), family("white")), (vec![0, 0, 0], vec![1, 1]));
}

#[test]
fn b_is_black_where_w_is_white() {
    let cells = fluents("(cell ? ? ?)", &[THREE, THREE, &["b", "w"]], |t| t == "(cell 1 1 b)");
    let (board, picture) = draw(&cells).unwrap();
    assert_eq!(board.blank(), None);
    assert!(picture.contains("1 │ b · ·"), "{picture}");
}

#[test]
fn cells_that_nothing_speaks_of_are_not_there() {
    let cells = ["1 1 o*", "1 1 x*", "1 2 o", "1 2 x", "2 2 x", "3 1 o", "3 2 x"];
    let cells: Vec<String> =
        (cells.iter()).map(|cell| format!("(cell {}){}", cell.trim_end_matches('*'), &cell[5..])).collect();
    let (board, _) = draw(&cells).unwrap();
    let none = board.cells([]);
    assert_eq!(none.iter().filter(|cell| **cell == Cell::None).count(), 1);
    let both = board.cells(0..2);
    assert!(both.contains(&Cell::Marked(vec![0, 1])), "{both:?}");
}

#[test]
fn what_is_no_board_is_listed() {
    for fluents in [
        vec![],
        vec!["(step 1)".to_owned(), "(step 2)".into(), "(step 3)".into()],
        vec!["(score white 1)".into(), "(score black 2)".into()],
        fluents("(last ? ?)", &[&["1", "2"], &["1", "2", "3", "4", "5", "6"]], |_| false),
    ] {
        assert!(draw(&fluents).is_none(), "{fluents:?}");
    }
    let groups = grouped(["(at 1 2)", "(at 2 2)", "(control x)", "quiet"]);
    let groups: Vec<(&str, String)> =
        groups.into_iter().map(|(head, items)| (head, items.join(", "))).collect();
    assert_eq!(groups, [("at", "1 2, 2 2".to_owned()), ("control", "x".into()), ("quiet", String::new())]);
}

/// The cells of a square board, with `marks` marks assigned to cells in turn.
fn marked(side: usize, marks: usize) -> Texts {
    let name = |n: usize| format!("(cell {} {} m{n})", 1 + n % side, 1 + n / side % side);
    let mut names: Vec<String> = (0..marks).map(name).collect();
    names.sort();
    Texts::new(names)
}

#[test]
fn what_has_too_many_marks_is_no_board() {
    assert!(Board::new(&marked(16, Board::MAX_MARKS), []).is_some());
    assert!(Board::new(&marked(16, Board::MAX_MARKS + 1), []).is_none());
}

/// Boards of four by four with four marks in each cell, and with sixteen.
#[test]
fn of_many_marks_in_a_cell_some_are_drawn() {
    let width = |marks: usize| {
        let board = Board::new(&marked(4, marks), []).expect("there is one");
        let text = board.text(&board.cells(0..marks));
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    // Symbols have at most four characters, and a bar separates two of them.
    let (some, many) = (width(64), width(256));
    assert!(some > 4 * 8 && many <= 8 + 4 * (1 + 4 * 4 + 3), "{some} and {many} columns");
}

#[test]
fn what_lies_on_what_is_no_board() {
    let discs = ["disc1", "disc2", "disc3", "disc4"];
    let on = |places: &[&str]| {
        let on = fluents("(on ? ?)", &[&discs, places], |_| false);
        Board::new(&Texts::new(on.iter().map(String::as_str)), [])
    };
    assert!(on(&["disc2", "disc3", "pillar"]).is_none());
    assert!(on(&["left", "right"]).is_some());
    let letters = ["a", "b", "c"];
    let pairs = |head: &str| {
        let pairs = fluents(&format!("({head} ? ?)"), &[&letters, &letters], |_| false);
        Board::new(&Texts::new(pairs.iter().map(String::as_str)), [])
    };
    assert!(pairs("on").is_none() && pairs("lit").is_some());
}

#[test]
fn what_counts_between_others_is_no_place() {
    let of = |pattern: &str| {
        let names =
            fluents(pattern, &[&["light", "dark"], &["1", "2", "3", "4"], &["ab", "cde", "f"]], |_| false);
        Board::new(&Texts::new(names.iter().map(String::as_str)), [])
    };
    assert!(of("(piece ? ? ?)").is_none());
    let at = fluents("(piece ? ?)", &[&["light", "dark"], &["1", "2", "3", "4"]], |_| false);
    assert!(Board::new(&Texts::new(at.iter().map(String::as_str)), []).is_some());
}

#[test]
fn names_of_variables_say_which_coordinate_is_which() {
    let cells = fluents("(cell ? ? ?)", &[&["1", "2"], THREE, &["x"]], |_| false);
    let mut texts: Vec<&str> = cells.iter().map(String::as_str).collect();
    texts.sort_unstable();
    let plain = Board::new(&Texts::new(&texts), []).unwrap();
    let drawn = |rules: &str| {
        let board = plain.clone().with_hints(rules);
        (board.columns().len(), board.rows().to_vec())
    };
    let (across, table, graph) = ((2, vec!["3", "2", "1"]), (3, vec!["1", "2"]), (3, vec!["2", "1"]));
    for (rules, (columns, rows)) in [
        ("(<= (p ?x ?y) (true (cell ?x ?y x)))", &across),
        ("(<= (p ?a ?b) (true (cell ?a ?b x)))", &across),
        ("(<= (p ?row ?col) (true (cell ?row ?col x)))", &table),
        ("(true (cell ?r1 ?c1 x)) (true (cell ?r2 ?c2 x)) (true (cell ?x ?y x))", &table),
        ("(true (cell ?r ?c x)) (true (cell ?x ?y x))", &across),
        ("(true (cell ?y ?x x))", &graph),
        ("(true (cell ?row ?color x))", &across),
        ("(true (cell ?col ?row x))", &across),
        ("; board: columns first\n(true (cell ?row ?col x))", &across),
        ("; board: rows first\n(true (cell ?x ?y x))", &table),
        ("(true (other ?row ?col x)) (cell ?row", &across),
    ] {
        assert_eq!(drawn(rules), (*columns, rows.iter().map(|&row| row.to_owned()).collect()), "{rules}");
    }
    assert_eq!(plain.with_hints("; board: ring").tiling(), Tiling::Ring);
}

#[test]
fn coordinates_that_are_called_rows_stay_rows() {
    let cells = fluents("(cell ? ? ?)", &[&["r1", "r2"], &["c1", "c2", "c3"], &["x"]], |_| false);
    let mut texts: Vec<&str> = cells.iter().map(String::as_str).collect();
    texts.sort_unstable();
    let plain = Board::new(&Texts::new(&texts), []).unwrap();
    for (hint, rows) in [
        ("", ["r2", "r1"]),
        ("; board: columns first", ["r2", "r1"]),
        ("; board: rows first", ["r1", "r2"]),
        ("; board: rows first\n; board: rows first", ["r1", "r2"]),
        ("; board: rows first\n; board: bottom up", ["r2", "r1"]),
    ] {
        let board = plain.clone().with_hints(hint);
        assert_eq!(
            (board.columns(), board.rows()),
            (&["c1", "c2", "c3"].map(String::from)[..], &rows.map(String::from)[..]),
            "{hint}"
        );
    }
}

#[test]
fn lines_between_neighbours_lie_at_cells() {
    let mut texts = Vec::new();
    for (x, y) in (1..4).flat_map(|x| (1..4).map(move |y| (x, y))) {
        texts.extend((x < 3).then(|| format!("(line {x} {y} {} {y})", x + 1)));
        texts.extend((y < 3).then(|| format!("(line {x} {y} {x} {})", y + 1)));
    }
    let of =
        |texts: &[String]| Board::new(&Texts::new(texts.iter().map(String::as_str)), []).expect("a board");
    let board = of(&texts);
    assert_eq!((board.grids().len(), board.columns().len(), board.rows().len()), (1, 3, 3));
    assert!(board.marks().iter().all(|mark| board.names().contains(&mark.text)));
    // A longer line does not match.
    texts.push("(line 1 1 3 3)".to_owned());
    assert_ne!(of(&texts).grids().len(), 1);
}

#[test]
fn the_last_coordinate_is_the_layer_if_it_is_called_so() {
    // A pyramid, and a square with one `z` for each pair of `x` and `y`.
    let four: Vec<String> = (0..4).map(|n| n.to_string()).collect();
    let pyramid = |hold: fn(usize, usize, usize) -> bool| -> Option<Board> {
        let mut texts = Vec::new();
        for (x, y, z) in (0..64).map(|at| (at / 16, at / 4 % 4, at % 4)) {
            if hold(x, y, z) {
                texts.push(format!("(cell {x} {y} {z} red)"));
                texts.push(format!("(cell {x} {y} {z} blue)"));
            }
        }
        Board::new(&Texts::new(texts.iter().map(String::as_str)), [])
    };
    let board = pyramid(|x, y, z| x >= y && y >= z).expect("a pyramid");
    assert_eq!(board.grids(), four);
    let names = board.names().to_vec();
    let layers = board.with_hints("(cell ?x ?y ?z red)");
    assert_eq!((layers.grids(), layers.columns()), (&four[..], &four[..]));
    // The cell 3 2 1 is in the second layer, the last column and the third row from the bottom.
    let spot = layers.spot("(put 3 2 1)").cells;
    assert_eq!(spot, [16 + 4 + 3]);
    assert_eq!(layers.names()[spot[0]], "3 2 1");
    let mut moved = layers.names().to_vec();
    moved.sort_unstable();
    let mut names = names;
    names.sort_unstable();
    assert_eq!(moved, names);
    assert_eq!(pyramid(|x, y, z| (x + y) % 4 == z).expect("a board").grids().len(), 1);
}

#[test]
fn the_last_coordinate_tells_boards_apart_if_it_is_called_so() {
    fn texts(names: &[String]) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }
    let count = |most: usize| (1..=most).map(|n| n.to_string()).collect::<Vec<_>>();
    let [x, y, boards] = [8, 6, 2].map(count);
    let cells =
        fluents("(cell ? ? ? ?)", &[&texts(&x), &texts(&y), &texts(&boards), &["black", "red"]], |_| false);
    let plain = Board::new(&Texts::new(cells.iter().map(String::as_str)), []).expect("there is a board");
    for name in ["board", "grid", "Board2"] {
        let rules = format!("(<= (next (cell ?x ?y ?{name} ?player)) (true (cell ?x ?y ?{name} ?player)))");
        let board = plain.clone().with_hints(&rules);
        assert_eq!((board.grids(), board.columns(), board.rows().len()), (&boards[..], &x[..], 6), "{name}");
        // The cell 8 1 2 is the last one of the last row.
        assert_eq!(board.spot("(put 8 1 2)").cells, [2 * 8 * 6 - 1]);
    }
    // A hint with a colour, or with an unknown word, adds no board.
    for name in ["player", "boarder"] {
        let board = plain.clone().with_hints(&format!("(cell ?x ?y ?{name} ?player)"));
        assert_eq!(board.grids(), x, "{name}");
    }
}

#[test]
fn comments_turn_boards() {
    let held = ["(cell 1 1 b)", "(cell 1 3 x)", "(cell 2 1 o)"];
    let cells = fluents("(cell ? ? ?)", &[&["1", "2"], THREE, &["b", "x", "o"]], |_| false);
    let mut texts: Vec<&str> = cells.iter().map(String::as_str).collect();
    texts.sort_unstable();
    let held: Vec<usize> =
        held.iter().map(|text| texts.iter().position(|known| known == text).unwrap()).collect();
    let plain = Board::new(&Texts::new(&texts), held.iter().copied()).unwrap();
    let drawn = |comment: &str| {
        let board = plain.clone().with_hints(comment);
        let names: Vec<&String> =
            board.spot("(mark 1 3)").cells.iter().map(|&cell| &board.names()[cell]).collect();
        assert_eq!(names, ["1 3"], "{comment}");
        (board.text(&board.cells(held.iter().copied())), board.spot("(drop 2)").area)
    };
    let columns = vec![1, 3, 5];
    assert_eq!(drawn(""), ("3 │ x ·\n2 │ · ·\n1 │ · o\n  └────\n    1 2\n".to_owned(), columns.clone()));
    assert_eq!(
        drawn("; board: top down"),
        ("1 │ · o\n2 │ · ·\n3 │ x ·\n  └────\n    1 2\n".to_owned(), columns)
    );
    // Matrix order: row 1, column 3.
    let table = drawn("; board: rows first");
    assert_eq!(table, ("1 │ · · x\n2 │ o · ·\n  └──────\n    1 2 3\n".to_owned(), vec![3, 4, 5]));
    for second in ["top down", "rows first"] {
        assert_eq!(drawn(&format!("; board: {second}\n; board: rows first")), table, "{second}");
        assert_eq!(drawn(&format!("; board: rows first\n; board: {second}")), table, "{second}");
    }
    let up = drawn("; board: rows first\n; board: bottom up");
    assert_eq!(up, ("2 │ o · ·\n1 │ · · x\n  └──────\n    1 2 3\n".to_owned(), vec![0, 1, 2]));
    assert_eq!(drawn("; board: bottom up"), drawn(""));
    let parts = drawn("; board: parts of 2");
    assert_eq!(parts, ("3 │ x ·\n2 │ · ·\n\n1 │ · o\n  └────\n    1 2\n".to_owned(), vec![1, 3, 5]));
    assert_eq!(drawn("; board: parts of 0"), drawn(""));
}

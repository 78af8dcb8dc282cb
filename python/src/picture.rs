//! Pictures of states: the [`Board`] in the names of fluents, as SVG for notebooks or as lines of
//! text.
//!
//! Marks such as `white`, `black man`, `x`, `wp` or `lit` are drawn as pieces, other marks as
//! letters. Fluents outside the board are listed below it. Colours adapt to light and dark pages;
//! text is grey, which is readable on both.

use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::BitBox,
    board::{Board, Cell, Tiling, grouped},
    game::Id,
};
use std::fmt::Write;

/// The most fluents of a game and the most cells of a board with a picture, so that pictures stay
/// readable.
const MOST_FLUENTS: usize = 1 << 16;
const MOST_CELLS: usize = 1 << 12;

/// The side of a cell in SVG units, and its displayed width in pixels.
const CELL: f64 = 100.0;
const PIXELS: f64 = 44.0;
const MARGIN: f64 = 44.0;
const GAP: f64 = 14.0;

/// The most marks that are drawn in a cell.
const DRAWN: usize = 4;

/// The style sheet. Class names have a unique prefix, since a notebook page has other pictures too.
const STYLE: &str = "\
.gdl-board{--even:#e9dcc3;--odd:#b98d62;--felt:#3f7f5a;--rack:#2f5f9e;--hole:#faf9f7;--tile:#efece5;--line:#d3d0c8;--ink:#22242a;\
font-family:system-ui,sans-serif;max-width:100%;height:auto}\
@media(prefers-color-scheme:dark){.gdl-board{--even:#a9967a;--odd:#6b5138;--felt:#2c5a41;--rack:#2a4d7d;--hole:#17191d;--tile:#2b2f37;\
--line:#454a55;--ink:#e6e4df}}\
.gdl-board .even{fill:var(--even)}.gdl-board .odd{fill:var(--odd)}.gdl-board .felt{fill:var(--felt)}.gdl-board .rack{fill:var(--rack)}\
.gdl-board .hole{fill:var(--hole)}.gdl-board .tile{fill:var(--tile);stroke:var(--line);stroke-width:2}\
.gdl-board text{text-anchor:middle;dominant-baseline:central}.gdl-board .label{fill:#7f858f;font-size:30px}\
.gdl-board .ink{fill:var(--ink);font-size:44px;font-weight:600}.gdl-board .body{stroke:#0009;stroke-width:2.5}\
.gdl-board .ring{fill:none;stroke:#8886;stroke-width:3}.gdl-board .line{fill:none;stroke-width:13;stroke-linecap:round}";

const COLOURS: [(&str, &str); 20] = [
    ("white", "#f7f3ea"),
    ("light", "#f7f3ea"),
    ("black", "#2b2a2d"),
    ("dark", "#2b2a2d"),
    ("red", "#c8453b"),
    ("blue", "#3b6fc0"),
    ("green", "#3d9160"),
    ("yellow", "#ecc13c"),
    ("gold", "#ecc13c"),
    ("orange", "#d9822b"),
    ("purple", "#8257b5"),
    ("violet", "#8257b5"),
    ("pink", "#d873a5"),
    ("brown", "#8a5a34"),
    ("grey", "#7d838c"),
    ("gray", "#7d838c"),
    ("silver", "#b4b9c1"),
    ("cyan", "#2f9aa0"),
    ("teal", "#2f9aa0"),
    ("lit", "#f2c230"),
];
const FAMILIES: [&str; 6] = ["#3b6fc0", "#c8453b", "#3d9160", "#d9822b", "#8257b5", "#7d838c"];
const MEN: [(&str, char, char); 6] = [
    ("pawn", 'p', '♟'),
    ("knight", 'n', '♞'),
    ("bishop", 'b', '♝'),
    ("rook", 'r', '♜'),
    ("queen", 'q', '♛'),
    ("king", 'k', '♚'),
];
const DISCS: [&str; 9] = ["man", "men", "checker", "disc", "disk", "stone", "piece", "token", "counter"];
const WALLS: [&str; 9] = ["wall", "block", "blocked", "brick", "hole", "arrow", "burnt", "rock", "water"];

/// The shape of a mark.
enum Look {
    Cross,
    Ring,
    Wall,
    Lamp,
    /// A disc with rings; a king also has a crown.
    Disc {
        colour: &'static str,
        rings: usize,
        is_king: bool,
    },
    Chessman {
        colour: &'static str,
        glyph: char,
    },
    Number(String),
    Letters {
        colour: &'static str,
        text: String,
    },
}

/// The surface below the cells.
#[derive(Clone, Copy, PartialEq)]
enum Surface {
    Plain,
    Checkered,
    Felt,
    Rack,
}

/// The drawing of a game's states: its board, and the look of each mark.
pub(crate) struct Picture {
    board: Board,
    looks: Vec<Look>,
    surface: Surface,
}

impl Picture {
    /// Finds the drawing of a game's states. Returns `None` if the names of the fluents show no
    /// board.
    pub(crate) fn of(game: &Dynamic, rulesheet: &str) -> Option<Self> {
        if game.vocabulary().fluents().len() > MOST_FLUENTS {
            return None;
        }
        let board = Board::of(game).filter(|board| board.names().len() <= MOST_CELLS)?.with_hints(rulesheet);
        let looks = looks(&board);
        let spots = || game.vocabulary().moves().iter().take(MOST_CELLS).map(|action| board.spot(action));
        let is_wide = board.rows().len() > 1;
        let shown = || looks.iter().enumerate().filter(|(mark, _)| Some(*mark) != board.blank());
        let surface = if spots().any(|spot| !spot.area.is_empty()) {
            Surface::Rack
        } else if is_wide && spots().any(|spot| spot.cells.len() > 1) {
            Surface::Checkered
        } else if is_wide && shown().all(|(_, look)| matches!(look, Look::Disc { .. })) {
            Surface::Felt
        } else {
            Surface::Plain
        };
        Some(Self { board, looks, surface })
    }

    /// The board as lines of text.
    pub(crate) fn text(&self, game: &Dynamic, state: &BitBox) -> String {
        self.board.text(&self.board.cells_of(game, state))
    }

    /// The board as an SVG document.
    pub(crate) fn svg(&self, game: &Dynamic, state: &BitBox) -> String {
        let board = &self.board;
        let cells = board.cells_of(game, state);
        let (wide, high) = (board.columns().len(), board.rows().len());
        let is_square = matches!(board.tiling(), Tiling::Square | Tiling::Ring);
        let named = is_square && board.columns().iter().chain(board.rows()).any(|name| !name.is_empty());
        let left = if named && board.rows().iter().any(|name| !name.is_empty()) { MARGIN } else { 4.0 };
        let gaps = |breaks: &[usize], place: usize| {
            GAP * breaks.iter().filter(|&&other| other < place).count() as f64
        };
        let [across, down] = board.breaks();
        let (width, height) = if is_square {
            (CELL * wide as f64 + gaps(across, wide), CELL * high as f64 + gaps(down, high))
        } else {
            (CELL * (wide as f64 + (high as f64 - 1.0) / 2.0), CELL * (0.866 * high as f64 + 0.289))
        };
        let mut drawn = String::new();
        let mut top = 4.0;
        for (grid, title) in board.grids().iter().enumerate() {
            if !title.is_empty() {
                let _ = write!(drawn, "{}", label(left + width / 2.0, top + MARGIN / 2.0, title));
                top += MARGIN;
            }
            for row in 0..high {
                for column in 0..wide {
                    let (x, y) = if is_square {
                        (CELL * column as f64 + gaps(across, column), CELL * row as f64 + gaps(down, row))
                    } else {
                        let shift = if board.tiling() == Tiling::Hex { row } else { high - 1 - row };
                        (CELL * (column as f64 + shift as f64 / 2.0), CELL * 0.866 * row as f64)
                    };
                    let cell = &cells[(grid * high + row) * wide + column];
                    let inner = self.cell(cell, (row + column) % 2 == 0);
                    let _ = write!(drawn, "<g transform=\"translate({} {})\">{inner}</g>", left + x, top + y);
                }
                if named {
                    let y = top + CELL * (row as f64 + 0.5) + gaps(down, row);
                    let _ = write!(drawn, "{}", label(left / 2.0, y, &board.rows()[row]));
                }
            }
            top += height;
            if named {
                for (column, name) in board.columns().iter().enumerate() {
                    let x = left + CELL * (column as f64 + 0.5) + gaps(across, column);
                    let _ = write!(drawn, "{}", label(x, top + MARGIN / 2.0, name));
                }
                top += MARGIN;
            }
        }
        let texts = board.others(game.fluents(state).map(Id::index)).take(64);
        let texts = texts.filter_map(|fluent| game.vocabulary().fluents().iter().nth(fluent));
        let beside: Vec<String> = grouped(texts)
            .into_iter()
            .map(
                |(name, list)| {
                    if list.is_empty() { name.to_owned() } else { format!("{name} {}", list.join(", ")) }
                },
            )
            .collect();
        let total = (left + width + 4.0).max(2.4 * CELL);
        if !beside.is_empty() {
            // The caption has room for six letters a column.
            let most = 6 * wide.max(2);
            let mut caption = beside.join(" · ");
            if caption.chars().count() > most {
                caption = caption.chars().take(most.saturating_sub(1)).chain(['…']).collect();
            }
            let _ = write!(drawn, "{}", label(total / 2.0, top + MARGIN / 2.0, &caption));
            top += MARGIN;
        }
        top += 4.0;
        let scale = PIXELS / CELL;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gdl-board\" role=\"img\" aria-label=\"{}\" \
             width=\"{:.0}\" height=\"{:.0}\" viewBox=\"0 0 {total} {top}\"><style>{STYLE}</style>{drawn}</svg>",
            escaped(&game.state_text(state)),
            total * scale,
            top * scale,
        )
    }

    /// The SVG of a cell and its content, in a square with side 100.
    fn cell(&self, cell: &Cell, even: bool) -> String {
        let shade = if even { "even" } else { "odd" };
        let square = |class: &str| format!("<rect class=\"{class}\" width=\"100\" height=\"100\"/>");
        let is_square = matches!(self.board.tiling(), Tiling::Square | Tiling::Ring);
        let mut drawn = match (self.surface, cell) {
            (Surface::Checkered, _) if is_square => square(shade),
            (_, Cell::None) => String::new(),
            _ if !is_square => {
                "<path class=\"tile\" d=\"M50 -14L99 15V72L50 101L1 72V15Z\" transform=\"translate(0 14)\"/>"
                    .into()
            }
            (Surface::Rack, _) => square("rack") + "<circle class=\"hole\" cx=\"50\" cy=\"50\" r=\"38\"/>",
            (Surface::Felt, _) => {
                "<rect class=\"felt\" x=\"1\" y=\"1\" width=\"98\" height=\"98\" rx=\"5\"/>".into()
            }
            _ => "<rect class=\"tile\" x=\"3\" y=\"3\" width=\"94\" height=\"94\" rx=\"12\"/>".into(),
        };
        if let Cell::Marked(marks) = cell {
            let count = marks.len().min(DRAWN);
            let size = 1.0 / count as f64;
            // Hexagons are higher than wide, so their centre is lower.
            let middle = (if is_square { 50.0 } else { 57.0 }) - 50.0 * size;
            for (place, &mark) in marks.iter().take(count).enumerate() {
                let piece = piece(&self.looks[mark]);
                let x = 100.0 * size * place as f64;
                let _ = write!(
                    drawn,
                    "<g transform=\"translate({x:.1} {middle:.1}) scale({size:.3})\">{piece}</g>"
                );
            }
        }
        drawn
    }
}

fn label(x: f64, y: f64, text: &str) -> String {
    format!("<text class=\"label\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn piece(look: &Look) -> String {
    match look {
        Look::Cross => "<path class=\"line\" stroke=\"#4a86d4\" d=\"M25 25L75 75M75 25L25 75\"/>".into(),
        Look::Ring => "<circle class=\"line\" stroke=\"#37a06c\" cx=\"50\" cy=\"50\" r=\"28\"/>".into(),
        Look::Wall => "<rect fill=\"#6d6a66\" x=\"6\" y=\"6\" width=\"88\" height=\"88\" rx=\"9\"/>".into(),
        Look::Lamp => {
            "<rect fill=\"#f2c230\" x=\"12\" y=\"12\" width=\"76\" height=\"76\" rx=\"16\"/>".into()
        }
        Look::Disc { colour, rings, is_king } => {
            let mut drawn =
                format!("<circle class=\"body\" fill=\"{colour}\" cx=\"50\" cy=\"50\" r=\"38\"/>");
            for ring in 0..*rings {
                let _ = write!(drawn, "<circle class=\"ring\" cx=\"50\" cy=\"50\" r=\"{}\"/>", 29 - 9 * ring);
            }
            if *is_king {
                drawn += "<path fill=\"#e9b949\" stroke=\"#0009\" stroke-width=\"2\" d=\"M30 62l-4-26 13 11 11-17 11 17 13-11-4 26z\"/>";
            }
            drawn
        }
        Look::Chessman { colour, glyph } => format!(
            "<text x=\"50\" y=\"54\" font-size=\"82\" fill=\"{colour}\" stroke=\"#8889\" stroke-width=\"2\">{glyph}</text>"
        ),
        Look::Number(text) => format!("<text class=\"ink\" x=\"50\" y=\"52\">{}</text>", escaped(text)),
        Look::Letters { colour, text } => {
            let ink = if ["#f7f3ea", "#ecc13c"].contains(colour) { "#222" } else { "#fff" };
            let size = if text.chars().count() > 2 { 30 } else { 40 };
            format!(
                "<rect class=\"body\" fill=\"{colour}\" x=\"13\" y=\"13\" width=\"74\" height=\"74\" rx=\"18\"/><text x=\"50\" y=\"52\" \
                 fill=\"{ink}\" font-size=\"{size}\" font-weight=\"650\">{}</text>",
                escaped(text)
            )
        }
    }
}

/// The look of each mark of a board.
fn looks(board: &Board) -> Vec<Look> {
    let shown: Vec<String> = board.marks().iter().map(|mark| mark.text.to_lowercase()).collect();
    let words: Vec<Vec<&str>> = shown
        .iter()
        .map(|text| text.split([' ', '_', '-']).filter(|word| !word.is_empty()).collect())
        .collect();
    let code = |text: &str| {
        let mut letters = text.chars();
        let (side, man) = (letters.next()?, letters.next()?);
        let colour = match side {
            'w' => "#f7f3ea",
            'b' => "#2b2a2d",
            _ => return None,
        };
        let &(.., glyph) = MEN.iter().find(|(_, letter, _)| *letter == man)?;
        letters.next().is_none().then_some((colour, glyph))
    };
    let is_coded = shown.iter().filter(|text| code(text).is_some()).count() >= 4;
    let has = |word: &str| words.iter().any(|list| list.contains(&word));
    let is_draughts = has("man") && !has("pawn");
    let is_two = shown.iter().filter(|text| ["w", "b"].contains(&text.as_str())).count() == 2;
    let look = |(place, list): (usize, &Vec<&str>)| {
        let (mark, text) = (&board.marks()[place], shown[place].as_str());
        let named = list.iter().find_map(|word| COLOURS.iter().find(|(name, _)| name == word));
        let colour = named.map_or(FAMILIES[mark.family % FAMILIES.len()], |&(_, colour)| colour);
        let is_any = |words: &[&str]| list.iter().any(|word| words.contains(word));
        let man = MEN.iter().find(|(name, ..)| list.contains(name) && !(is_draughts && *name == "king"));
        let disc = |colour| Look::Disc { colour, rings: 1 + usize::from(is_draughts), is_king: false };
        match (text, code(text).filter(|_| is_coded), man) {
            (_, Some((colour, glyph)), _) => Look::Chessman { colour, glyph },
            ("x", ..) => Look::Cross,
            ("o", ..) => Look::Ring,
            ("lit" | "on" | "light", ..) => Look::Lamp,
            ("w", ..) if is_two => disc("#f7f3ea"),
            ("b", ..) if is_two => disc("#2b2a2d"),
            _ if is_any(&WALLS) => Look::Wall,
            (_, _, Some(&(.., glyph))) => Look::Chessman { colour, glyph },
            _ if is_draughts && is_any(&["king"]) => Look::Disc { colour, rings: 1, is_king: true },
            _ if is_any(&DISCS) || (named.is_some() && list.len() == 1) => disc(colour),
            _ if !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit()) => {
                Look::Number(text.to_owned())
            }
            _ => Look::Letters { colour, text: mark.symbol.clone() },
        }
    };
    words.iter().enumerate().map(look).collect()
}

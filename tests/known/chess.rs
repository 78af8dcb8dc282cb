//! Chess: published perft counts of positions that expose errors, and the ends of games.
//!
//! The positions and counts are the usual test positions of chess programs: "Kiwipete" and the
//! positions 3 to 5 of the same collection. They are written in FEN and become the `init` facts of
//! the rulesheet.

use crate::beginning_with;
use gdl_runtime::{
    Dynamic, Game, GameExt, Loader, bits::BitBox, load, perft, perft::Perft, playouts::PlayoutMode,
};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
const POSITION_4: &str = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
const POSITION_5: &str = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8";

/// The rulesheet with another initial position.
fn rulesheet(fen: &str) -> String {
    beginning_with("chess", &init(fen))
}

/// The facts of a position: the board, the side to move, the castling rights, the column of an en
/// passant capture, and the number of quiet moves. The full-move number is unused.
fn init(fen: &str) -> String {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let side = |is_white: bool| if is_white { "white" } else { "black" };
    let mut facts = Vec::new();
    for (row, pieces) in (1..=8).rev().zip(fields[0].split('/')) {
        let mut columns = 'a'..='h';
        for letter in pieces.chars() {
            if let Some(gap) = letter.to_digit(10) {
                columns.nth(gap as usize - 1).expect("eight columns");
                continue;
            }
            let kind = match letter.to_ascii_lowercase() {
                'k' => "king",
                'q' => "queen",
                'r' => "rook",
                'b' => "bishop",
                'n' => "knight",
                'p' => "pawn",
                other => panic!("no piece is called {other}"),
            };
            let column = columns.next().expect("eight columns");
            facts.push(format!("piece {column} {row} {} {kind}", side(letter.is_uppercase())));
        }
        assert_eq!(columns.next(), None, "{fen}");
    }
    facts.push(format!("control {}", side(fields[1] == "w")));
    for letter in fields[2].chars().filter(|&letter| letter != '-') {
        let way = if letter.eq_ignore_ascii_case(&'k') { "short" } else { "long" };
        facts.push(format!("castling {} {way}", side(letter.is_uppercase())));
    }
    facts.extend(fields[3].chars().next().filter(|&column| column != '-').map(|x| format!("passant {x}")));
    facts.push(format!("quiet {}", fields[4]));
    facts.iter().flat_map(|fact| ["(init (", fact, "))\n"]).collect()
}

fn position(fen: &str) -> Dynamic {
    load(&rulesheet(fen)).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Checks counts in lanes. The counts that a debug build can reach are also checked in single
/// states.
fn check(fen: &str, expected: &[u64]) {
    // The longest counts have a hundred million positions.
    let depth = if cfg!(debug_assertions) { 3 } else { expected.len() };
    let expected: Vec<u128> = expected[..depth].iter().map(|&count| count.into()).collect();
    let game = position(fen);
    assert_eq!(perft(&game, depth), expected, "{fen}");
    let few = expected.iter().take_while(|&&count| count < 10_000).count();
    let single: Vec<u128> = Perft::new(&game).engine(PlayoutMode::Single).take(few).collect();
    assert_eq!(single, expected[..few], "{fen}, one at a time");
}

#[test]
fn perft_of_the_start() {
    assert_eq!(init(START).lines().count(), 32 + 1 + 4 + 1);
    check(START, &[20, 400, 8902, 197_281, 4_865_609]);
    // The initial position in FEN gives the game itself.
    let [game, start] = [gdl_games::dynamic("chess").expect("built in"), position(START)];
    assert_eq!(game.state_text(&game.initial()), start.state_text(&start.initial()));
}

#[test]
fn perft_of_kiwipete() {
    check(KIWIPETE, &[48, 2039, 97_862, 4_085_603, 193_690_690]);
}

#[test]
fn perft_of_an_endgame() {
    check(ENDGAME, &[14, 191, 2812, 43_238, 674_624]);
}

#[test]
fn perft_of_positions_4_and_5() {
    check(POSITION_4, &[6, 264, 9467, 422_333, 15_833_292]);
    check(POSITION_5, &[44, 1486, 62_379, 2_103_487, 89_941_194]);
}

/// The game from a position, interpreted by the lifted engine, which loads fastest.
fn single(fen: &str) -> Dynamic {
    Loader::new().lifted().load(&rulesheet(fen)).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The view of a position: the moves of the side to move, and the goals of white and black if the
/// game is over.
fn seen(fen: &str) -> (Vec<String>, Option<[u8; 2]>) {
    let game = single(fen);
    let state = game.initial();
    let moves = legal(&game, &state);
    let roles: Vec<_> = game.roles().collect();
    let goals =
        game.is_terminal(&state).then(|| [0, 1].map(|role| game.goal(&state, roles[role]).expect("a goal")));
    (moves, goals)
}

fn legal(game: &Dynamic, state: &BitBox) -> Vec<String> {
    let moves = game.roles().flat_map(|role| game.legal_moves(state, role).collect::<Vec<_>>());
    moves.map(|action| game.move_text(action).to_owned()).filter(|text| text != "noop").collect()
}

fn is_legal(fen: &str, action: &str) -> bool {
    let (moves, goals) = seen(fen);
    assert_eq!(goals, None, "{fen}");
    moves.iter().any(|legal| legal == action)
}

#[test]
fn games_end_as_they_should() {
    // Fool's mate, smothered mate, and mate on the last move before the fifty-move rule.
    assert_eq!(
        seen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
        (vec![], Some([0, 100]))
    );
    assert_eq!(seen("6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1"), (vec![], Some([100, 0])));
    assert_eq!(seen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 100 1").1, Some([100, 0]));
    // Stalemate.
    assert_eq!(seen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), (vec![], Some([50, 50])));
    // Fifty moves, and one before that.
    assert_eq!(seen("7k/8/8/8/8/8/R7/K7 w - - 100 1").1, Some([50, 50]));
    assert_eq!(seen("7k/8/8/8/8/8/R7/K7 w - - 99 1").1, None);
    // Insufficient material: kings alone, a knight or a bishop, bishops on one colour.
    for dead in ["8/8/8/8/8/8/8/K6k", "8/8/8/8/8/8/N7/K6k", "7b/8/8/8/8/8/8/K6k", "7b/8/8/8/8/8/8/K1B1B2k"] {
        assert_eq!(seen(&format!("{dead} w - - 0 1")).1, Some([50, 50]), "{dead}");
    }
    // Sufficient material: bishops on both colours, knights in one column or one row, a knight and
    // a bishop, a pawn.
    for alive in [
        "8/8/8/8/8/8/7b/KB5k",
        "8/8/8/8/8/n7/n7/K6k",
        "8/8/8/8/8/8/8/K1NN3k",
        "8/8/8/8/8/N7/7b/K6k",
        "8/8/8/8/8/P7/8/K6k",
    ] {
        assert_eq!(seen(&format!("{alive} w - - 0 1")).1, None, "{alive}");
    }
}

#[test]
fn kings_castle_only_past_safe_squares() {
    let castles = |fen: &str| {
        let row = if fen.contains(" w ") { 1 } else { 8 };
        ["g", "c"].map(|column| is_legal(fen, &format!("(castle e {row} {column} {row})")))
    };
    assert_eq!(castles("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), [true, true]);
    assert_eq!(castles("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1"), [false, true]);
    // Castling is illegal in check, across an attacked square and onto one. The rook may be
    // attacked or cross an attacked square.
    assert_eq!(castles("4r1k1/8/8/8/8/8/8/R3K2R w KQ - 0 1"), [false, false]);
    assert_eq!(castles("3r1rk1/8/8/8/8/8/8/R3K2R w KQ - 0 1"), [false, false]);
    assert_eq!(castles("2r3rk/8/8/8/8/8/8/R3K2R w KQ - 0 1"), [false, false]);
    assert_eq!(castles("rr5r/6k1/8/8/8/8/8/R3K2R w KQ - 0 1"), [true, true]);
    // Pieces stand between king and rook.
    assert_eq!(castles("6k1/8/8/8/8/8/8/RN2K1NR w KQ - 0 1"), [false, false]);
    // A rook that moved or was captured loses the right.
    let game = single("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    let mut state = game.initial();
    game.advance(&mut state, &[game.parse_move("(move a 1 a 8)").unwrap(), game.parse_move("noop").unwrap()]);
    let rights: Vec<&str> = game
        .fluents(&state)
        .map(|f| game.fluent_text(f))
        .filter(|text| text.starts_with("(castling"))
        .collect();
    assert_eq!(rights, ["(castling black short)", "(castling white short)"]);
}

#[test]
fn pawns_capture_in_passing_unless_that_uncovers_their_king() {
    let action = "(move e 5 d 6)";
    assert!(is_legal("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", action));
    assert!(!is_legal("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", action));
    // En passant removes both pawns from the row, which may expose the king. Another piece on the
    // row blocks the attack.
    assert!(!is_legal("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", action));
    assert!(!is_legal("4k3/8/8/r2pP2K/8/8/8/8 w - d6 0 1", action));
    assert!(is_legal("4k3/8/8/KN1pP2r/8/8/8/8 w - d6 0 1", action));
    assert!(is_legal("4k3/8/8/K2pP2b/8/8/8/8 w - d6 0 1", action));
    // The pawn is pinned along the column, or along the diagonal of the capture.
    assert!(!is_legal("4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1", action));
    assert!(is_legal("1kb5/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1", action));
    // Capturing the checking pawn is legal, but not if another piece gives check.
    assert!(is_legal("4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", action));
    assert!(!is_legal("4k2r/8/8/3pP3/7K/8/8/8 w - d6 0 1", action));
    // The same for black.
    assert!(is_legal("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1", "(move e 4 d 3)"));
    assert!(!is_legal("8/8/8/8/k2Pp2R/8/8/4K3 b - d3 0 1", "(move e 4 d 3)"));
}

#[test]
fn pawns_become_four_kinds_of_pieces() {
    let (moves, _) = seen("1n5k/P7/8/8/8/8/8/K7 w - - 0 1");
    let promotions: Vec<&String> = moves.iter().filter(|text| text.starts_with("(promote")).collect();
    assert_eq!(promotions.len(), 8, "{moves:?}");
    let game = single("1n5k/P7/8/8/8/8/8/K7 w - - 7 1");
    let mut state = game.initial();
    game.advance(
        &mut state,
        &[game.parse_move("(promote a 7 b 8 queen)").unwrap(), game.parse_move("noop").unwrap()],
    );
    assert_eq!(
        game.state_text(&state),
        "((control black) (piece a 1 white king) (piece b 8 white queen) (piece h 8 black king) (quiet 0))"
    );
}

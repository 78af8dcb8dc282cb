//! Chess by the rulesheet and chess by an independent library of bitboards. In each state of random
//! games the legal moves are equal, and games end in the same states with the same winner.

use cozy_chess::{Board, Color, GameStatus, Move, Piece};
use gdl_runtime::{Game, GameExt, chance::Stream};

/// A legal move of the library in the rulesheet's text. The library writes castling as a move of
/// the king onto its rook.
fn text(board: &Board, action: Move) -> String {
    let (from, to) = (action.from, action.to);
    if board.color_on(to) == Some(board.side_to_move()) {
        let column = if to.file() > from.file() { "g" } else { "c" };
        return format!("(castle e {rank} {column} {rank})", rank = from.rank());
    }
    let kind = |piece| match piece {
        Piece::Queen => "queen",
        Piece::Rook => "rook",
        Piece::Bishop => "bishop",
        Piece::Knight => "knight",
        Piece::King | Piece::Pawn => unreachable!("pawns become officers"),
    };
    let squares = format!("{} {} {} {}", from.file(), from.rank(), to.file(), to.rank());
    match action.promotion {
        Some(piece) => format!("(promote {squares} {})", kind(piece)),
        None => format!("(move {squares})"),
    }
}

/// The kind of a rare move: 0 for castling, 1 for promotion and 2 for en passant.
fn rarity(board: &Board, action: Move) -> Option<usize> {
    if board.color_on(action.to) == Some(board.side_to_move()) {
        return Some(0);
    }
    let passes = board.piece_on(action.from) == Some(Piece::Pawn)
        && action.from.file() != action.to.file()
        && board.piece_on(action.to).is_none();
    if action.promotion.is_some() { Some(1) } else { passes.then_some(2) }
}

#[test]
fn random_games_are_those_of_the_library() {
    let game = gdl_games::dynamic("chess").expect("a built-in game");
    let noop = game.parse_move("noop").expect("a move");
    let roles: Vec<_> = game.roles().collect();
    let (mut special, mut winners) = ([0; 3], [0; 2]);
    let games = if cfg!(debug_assertions) { 100 } else { 400 };
    for number in 0..games {
        let mut stream = Stream::new(7, number);
        let (mut state, mut board) = (game.initial(), Board::default());
        loop {
            let mut expected: Vec<(String, Move)> = Vec::new();
            board.generate_moves(|moves| {
                expected.extend(moves.into_iter().map(|action| (text(&board, action), action)));
                false
            });
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            let mover = usize::from(board.side_to_move() == Color::Black);
            let mut legal: Vec<&str> =
                game.legal_moves(&state, roles[mover]).map(|action| game.move_text(action)).collect();
            legal.sort_unstable();
            let texts: Vec<&str> = expected.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(legal, texts, "{board}");
            let status = board.status();
            if game.is_terminal(&state) {
                let goals = [0, 1].map(|role| game.goal(&state, roles[role]));
                if status == GameStatus::Won {
                    assert_eq!((goals[mover], goals[1 - mover]), (Some(0), Some(100)), "{board}");
                    winners[1 - mover] += 1;
                } else {
                    // The library does not draw positions with insufficient material.
                    assert_eq!(goals, [Some(50); 2], "{board}");
                    assert!(status == GameStatus::Drawn || board.occupied().len() < 8, "{board}");
                }
                break;
            }
            assert_eq!(status, GameStatus::Ongoing, "{board}");
            // Rare moves are made more often than by chance.
            let rare: Vec<usize> =
                (0..expected.len()).filter(|&place| rarity(&board, expected[place].1).is_some()).collect();
            let place = match rare.len() as u64 {
                count @ 1.. if stream.below(2) == 0 => rare[stream.below(count) as usize],
                _ => stream.below(expected.len() as u64) as usize,
            };
            let (text, action) = &expected[place];
            if let Some(kind) = rarity(&board, *action) {
                special[kind] += 1;
            }
            board.play_unchecked(*action);
            let mut joint = [noop; 2];
            joint[mover] = game.parse_move(text).expect("a move");
            state = game.apply(&state, &joint).expect("it is legal");
        }
    }
    assert!(
        special.iter().all(|&count| count > 0) && winners.iter().all(|&count| count > 0),
        "{special:?} {winners:?}"
    );
}

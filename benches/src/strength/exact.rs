//! Positions with exact values from independent solvers: the share in which a player's move keeps
//! the value.
//!
//! Positions come from seeded random games. At least one of the moves must be worse than another.
//! Positions of connect four are those after 12 to 19 moves where neither player can win at once;
//! those of reversi have ten empty cells.

mod connect_four;
mod reversi;

use super::{
    contest::{Contender, Cost, Side},
    game,
};
use gdl_runtime::{Dynamic, Game, GameExt, Information, chance::Stream, game::Id};
use gdl_tools::statistics::wilson;

/// A position: the texts of the moves that led to it, and of the moves that keep its value.
struct Position {
    moves: Vec<String>,
    best: Vec<String>,
    /// The number of legal moves.
    legal: usize,
}

/// The games with an exact solver.
pub(super) const GAMES: &[&str] = &["connect_four", "reversi"];

/// The rows of a game for some players, in positions from a seed.
pub(super) fn rows(name: &str, seed: u64, players: &[Contender], cost: Cost, count: usize) -> Vec<String> {
    let positions = match name {
        "connect_four" => positions_of_connect_four(seed, count),
        "reversi" => positions_of_reversi(seed, count),
        _ => return Vec::new(),
    };
    let Some(game) = game(name) else { return Vec::new() };
    let chance = positions.iter().map(|position| position.best.len() as f64 / position.legal as f64);
    let chance = 100.0 * chance.sum::<f64>() / positions.len() as f64;
    let row = |&player: &Contender| {
        let mut side = Side::new(player, 1);
        // Learning about a game happens before the first position.
        let first = game.roles().next().expect("a role");
        side.start(&game, first, cost.of(player).times(10));
        let kept =
            positions.iter().filter(|position| keeps(&game, &mut side, cost.of(player), position)).count();
        let share = kept as f64 / positions.len() as f64;
        let [low, high] = wilson(share, positions.len() as u64).map(|bound| 100.0 * bound);
        format!(
            "| {name} | {} | {} | {kept} | {:.1} % | {low:.0}-{high:.0} % | {chance:.0} % |",
            format!("{player:?}").to_lowercase(),
            positions.len(),
            100.0 * share
        )
    };
    players.iter().map(row).collect()
}

/// Returns whether the player makes a move that keeps the value.
fn keeps(game: &Dynamic, side: &mut Side, cost: Cost, position: &Position) -> bool {
    let mut state = game.initial();
    let mut known: Vec<_> = game.roles().map(Information::new).collect();
    for text in &position.moves {
        let action = game.parse_move(text).expect("a move of the game");
        // The role that is not to move has one legal move.
        let joint: Vec<_> = game
            .roles()
            .filter_map(|role| {
                let mut moves = game.legal_moves(&state, role);
                moves.clone().find(|&other| other == action).or_else(|| moves.next())
            })
            .collect();
        known.iter_mut().for_each(|known| known.step(game, &state, &joint));
        state = game.apply(&state, &joint).expect("legal moves");
    }
    let place = game.to_play(&state).expect("a role that moves").index();
    side.forget();
    let action = side.choose(game, &known[place], cost).expect("a legal move");
    position.best.iter().any(|best| best == game.move_text(action))
}

fn positions_of_connect_four(seed: u64, count: usize) -> Vec<Position> {
    let mut solver = connect_four::Solver::new();
    let mut stream = Stream::new(seed, 4);
    let mut positions = Vec::new();
    while positions.len() < count {
        let length = 12 + stream.below(8);
        let mut board = connect_four::Board::default();
        let mut moves = Vec::new();
        for _ in 0..length {
            let open: Vec<u32> = board.open().collect();
            if open.is_empty() || board.is_lost() {
                break;
            }
            let column = open[stream.below(open.len() as u64) as usize];
            board = board.after(column);
            moves.push(format!("(drop {})", column + 1));
        }
        if moves.len() as u64 != length || board.is_lost() || board.is_tense() {
            continue;
        }
        let values: Vec<(u32, i8)> =
            board.open().map(|column| (column, -solver.value(board.after(column)))).collect();
        positions.extend(position(moves, &values, |column| format!("(drop {})", column + 1)));
    }
    positions
}

fn positions_of_reversi(seed: u64, count: usize) -> Vec<Position> {
    const EMPTY: u32 = 10;
    let mut stream = Stream::new(seed, 8);
    let mut positions = Vec::new();
    let text = |cell: Option<u32>| {
        cell.map_or("pass".to_owned(), |cell| format!("(place {} {})", cell % 8 + 1, cell / 8 + 1))
    };
    while positions.len() < count {
        let mut board = reversi::Board::default();
        let mut moves = Vec::new();
        while board.empty() > EMPTY && !board.is_over() {
            let cells: Vec<Option<u32>> = board.moves().collect();
            let cell = cells[stream.below(cells.len() as u64) as usize];
            board = board.after(cell);
            moves.push(text(cell));
        }
        if board.is_over() {
            continue;
        }
        // Only the winner counts, not the number of discs.
        let values: Vec<(Option<u32>, i8)> =
            board.moves().map(|cell| (cell, -board.after(cell).value(-1, 1))).collect();
        positions.extend(position(moves, &values, text));
    }
    positions
}

/// The position, if its moves differ in value.
fn position<M: Copy>(moves: Vec<String>, values: &[(M, i8)], text: impl Fn(M) -> String) -> Option<Position> {
    let most = values.iter().map(|&(_, value)| value).max()?;
    let best: Vec<String> =
        values.iter().filter(|&&(_, value)| value == most).map(|&(action, _)| text(action)).collect();
    (best.len() < values.len()).then_some(Position { moves, best, legal: values.len() })
}

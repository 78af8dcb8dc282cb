//! Breakthrough with two rows of pieces each, on a square board of any size.

/// Counts the move sequences of each length from 1 to `depth` on a board of `SIDE` by `SIDE` cells.
#[must_use]
pub fn perft<const SIDE: usize>(depth: u32) -> Vec<u64> {
    super::count_sequences(&place_pieces::<SIDE>(), depth, &list_successors)
}

#[derive(Clone)]
struct Position<const SIDE: usize> {
    /// The rows from the bottom; white moves up.
    rows: [[Option<char>; SIDE]; SIDE],
    white_to_move: bool,
}

fn place_pieces<const SIDE: usize>() -> Position<SIDE> {
    let mut rows = [[None; SIDE]; SIDE];
    for row in 0..2 {
        rows[row] = [Some('w'); SIDE];
        rows[SIDE - 1 - row] = [Some('b'); SIDE];
    }
    Position { rows, white_to_move: true }
}

fn list_successors<const SIDE: usize>(position: &Position<SIDE>) -> Vec<Position<SIDE>> {
    let mut successors = Vec::new();
    if is_over(position) {
        return successors;
    }
    let mine = Some(if position.white_to_move { 'w' } else { 'b' });
    for row in 0..SIDE {
        for column in 0..SIDE {
            if position.rows[row][column] != mine {
                continue;
            }
            // No piece can be on the last row, since the game would be over.
            let ahead = if position.white_to_move { row + 1 } else { row - 1 };
            for to in column.saturating_sub(1)..=(column + 1).min(SIDE - 1) {
                let target = position.rows[ahead][to];
                let legal = if to == column { target.is_none() } else { target != mine };
                if legal {
                    let mut next = position.clone();
                    next.rows[row][column] = None;
                    next.rows[ahead][to] = mine;
                    next.white_to_move = !position.white_to_move;
                    successors.push(next);
                }
            }
        }
    }
    successors
}

fn is_over<const SIDE: usize>(position: &Position<SIDE>) -> bool {
    let all_gone = |piece| !position.rows.as_flattened().contains(&Some(piece));
    position.rows[SIDE - 1].contains(&Some('w'))
        || position.rows[0].contains(&Some('b'))
        || all_gone('w')
        || all_gone('b')
}

//! Liar's dice with one die for each of two players. Bids are numbered in ascending order.

/// The number of bids: one or two dice of any of six faces.
const BIDS: usize = 12;

/// Counts the joint move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&Position::Rolling, depth, &list_successors)
}

/// Counts the games that end after exactly `depth` joint moves: the roll, the bids and the doubt.
#[must_use]
pub fn ends(depth: u32) -> u64 {
    let mut positions = vec![Position::Rolling];
    for _ in 0..depth {
        positions = positions.iter().flat_map(list_successors).collect();
    }
    positions.iter().filter(|position| matches!(position, Position::Doubted)).count() as u64
}

#[derive(Clone)]
enum Position {
    Rolling,
    /// Bids from `lowest` on are legal. After the first bid, the last one may be doubted.
    Bidding {
        lowest: usize,
    },
    Doubted,
}

fn list_successors(position: &Position) -> Vec<Position> {
    match *position {
        Position::Rolling => vec![Position::Bidding { lowest: 0 }; 36],
        Position::Bidding { lowest } => {
            let doubt = (lowest > 0).then_some(Position::Doubted);
            (lowest..BIDS).map(|bid| Position::Bidding { lowest: bid + 1 }).chain(doubt).collect()
        }
        Position::Doubted => Vec::new(),
    }
}

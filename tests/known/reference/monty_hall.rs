//! The Monty Hall show: hide and choose, open a door, stay or switch.

/// Counts the joint move sequences of each length from 1 to `depth`.
#[must_use]
pub fn perft(depth: u32) -> Vec<u64> {
    super::count_sequences(&Position::Start, depth, &list_successors)
}

#[derive(Clone)]
enum Position {
    Start,
    Closed { car: u8, chosen: u8 },
    Opened,
    End,
}

fn list_successors(position: &Position) -> Vec<Position> {
    match *position {
        Position::Start => {
            (1..=3).flat_map(|car| (1..=3).map(move |chosen| Position::Closed { car, chosen })).collect()
        }
        Position::Closed { car, chosen } => {
            (1..=3).filter(|&door| door != car && door != chosen).map(|_| Position::Opened).collect()
        }
        // The moves are to stay and to switch.
        Position::Opened => vec![Position::End, Position::End],
        Position::End => Vec::new(),
    }
}

//! The eight-puzzle. Places are numbered by rows from the top; tile 9 is the empty place.

use super::{Position, neighbours};

/// The tile of each place, and the number of moves made.
#[derive(Clone)]
pub struct Frame {
    tiles: [u8; 9],
    step: u32,
}

impl Default for Frame {
    fn default() -> Self {
        Self { tiles: [8, 6, 7, 2, 5, 4, 3, 9, 1], step: 0 }
    }
}

/// The successors, each with the place whose tile slides.
fn slide(tiles: &[u8; 9]) -> Vec<(usize, [u8; 9])> {
    let free = tiles.iter().position(|&tile| tile == 9).unwrap_or(0);
    let places = neighbours((free % 3, free / 3), 3, 3).map(|(x, y)| 3 * y + x);
    let swapped = places.map(|place| {
        let mut next = *tiles;
        next.swap(place, free);
        (place, next)
    });
    swapped.collect()
}

/// The numbers of arrangements that are 0, 1, 2 and more moves from the initial one, up to `depth`.
#[must_use]
pub fn layers(depth: usize) -> Vec<u64> {
    let follow = |tiles: &[u8; 9]| slide(tiles).into_iter().map(|(_, next)| next).collect();
    super::count_layers(Frame::default().tiles, depth, follow)
}

impl Position for Frame {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.tiles.is_sorted() || self.step == 50 {
            return Vec::new();
        }
        let slides = slide(&self.tiles).into_iter();
        let named = slides.map(|(place, tiles)| {
            (format!("(slide {} {})", place % 3 + 1, place / 3 + 1), Self { tiles, step: self.step + 1 })
        });
        named.collect()
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![if self.tiles.is_sorted() { 100 } else { 0 }]
    }
}

//! The pocket cube modelled by its corners. The rulesheet models it by coloured stickers.
//!
//! Corners are numbered up-right-front, up-front-left, up-left-back, up-back-right,
//! down-front-right, down-left-front, down-right-back; the eighth is fixed. Each is twisted by 0, 1
//! or 2 thirds clockwise.

/// The quarter turn of each face: for each of its four corners the source, the target and the
/// twist.
const TURNS: [[(usize, usize, u8); 4]; 3] = [
    [(3, 0, 0), (0, 1, 0), (1, 2, 0), (2, 3, 0)],
    [(4, 0, 2), (0, 3, 1), (3, 6, 2), (6, 4, 1)],
    [(1, 0, 1), (5, 1, 2), (0, 4, 2), (4, 5, 1)],
];

type Corners = [(usize, u8); 7];

/// The positions after a quarter, a half and three quarters of a turn of each face.
fn turn(corners: &Corners) -> Vec<Corners> {
    let mut turned = Vec::new();
    for face in TURNS {
        let mut next = *corners;
        for _ in 0..3 {
            let before = next;
            for (from, to, twist) in face {
                let (corner, twisted) = before[from];
                next[to] = (corner, (twisted + twist) % 3);
            }
            turned.push(next);
        }
    }
    turned
}

/// The numbers of positions that are 0, 1, 2 and more turns from the solved one, up to `depth`.
#[must_use]
pub fn layers(depth: usize) -> Vec<u64> {
    super::count_layers(std::array::from_fn(|corner| (corner, 0)), depth, turn)
}

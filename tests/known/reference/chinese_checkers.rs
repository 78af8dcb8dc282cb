//! Chinese checkers for three players on a star of 121 holes. A hole has three coordinates that sum
//! to zero. The star is the union of two triangles: no coordinate below -4, and none above 4.

use super::Position;

type Hole = (i32, i32);

const WAYS: [Hole; 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// The pegs of all players, the player to move and the hole of an unfinished series of hops.
#[derive(Clone)]
pub struct Star {
    /// The holes of each player's pegs, by their first two coordinates.
    pegs: [Vec<Hole>; 3],
    to_move: usize,
    hopped: Option<Hole>,
    ply: u32,
}

/// The coordinate along which a player advances from below -4 to above 4.
fn ahead(player: usize, (a, b): Hole) -> i32 {
    [a, b, -a - b][player]
}

fn is_hole((a, b): Hole) -> bool {
    a.min(b).min(-a - b) >= -4 || a.max(b).max(-a - b) <= 4
}

fn holes() -> impl Iterator<Item = Hole> {
    (-8..=8).flat_map(|b| (-8..=8).map(move |a| (a, b))).filter(|&hole| is_hole(hole))
}

impl Default for Star {
    fn default() -> Self {
        let pegs = [0, 1, 2].map(|player| holes().filter(|&hole| ahead(player, hole) < -4).collect());
        Self { pegs, to_move: 0, hopped: None, ply: 1 }
    }
}

impl Star {
    fn is_taken(&self, hole: Hole) -> bool {
        self.pegs.iter().flatten().any(|&peg| peg == hole)
    }

    fn winner(&self) -> Option<usize> {
        (0..3).find(|&player| self.pegs[player].iter().all(|&hole| ahead(player, hole) > 4))
    }

    /// The progress of a player, summed over the pegs. Of equal progress, pegs nearer to the middle
    /// of the way count more.
    #[must_use]
    pub fn progress(&self, player: usize) -> i32 {
        let aside = |hole| (ahead((player + 1) % 3, hole) - ahead((player + 2) % 3, hole)).abs();
        self.pegs[player].iter().map(|&hole| 4 * ahead(player, hole) - aside(hole)).sum()
    }

    /// The position after a move. The turn passes unless the move was a hop.
    fn after(&self, from: Hole, to: Hole, hops: bool) -> Self {
        let mut next = self.clone();
        if let Some(peg) = next.pegs[self.to_move].iter_mut().find(|peg| **peg == from) {
            *peg = to;
        }
        next.hopped = hops.then_some(to);
        next.ply += 1;
        if !hops {
            next.to_move = (self.to_move + 1) % 3;
        }
        next
    }
}

impl Position for Star {
    fn moves(&self) -> Vec<(String, Self)> {
        let mut moves = Vec::new();
        if self.winner().is_some() || self.ply == 600 {
            return moves;
        }
        let add = |(a, b): Hole, (c, d): Hole| (a + c, b + d);
        for &from in &self.pegs[self.to_move] {
            for way in WAYS {
                let near = add(from, way);
                let far = add(near, way);
                let is_free = |hole: Hole| is_hole(hole) && !self.is_taken(hole);
                let name = |verb: &str, to: Hole| {
                    format!("({verb} {} {} {} {})", from.0 + 9, from.1 + 9, to.0 + 9, to.1 + 9)
                };
                if self.hopped.is_none() && is_free(near) {
                    moves.push((name("step", near), self.after(from, near, false)));
                }
                if self.hopped.is_none_or(|hole| hole == from) && self.is_taken(near) && is_free(far) {
                    moves.push((name("hop", far), self.after(from, far, true)));
                }
            }
        }
        // Moving the middle hole to itself leaves the pegs unchanged.
        let stays = self.after((0, 0), (0, 0), false);
        if self.hopped.is_some() {
            moves.push(("stop".to_owned(), stays));
        } else if moves.is_empty() {
            moves.push(("pass".to_owned(), stays));
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        let Some(winner) = self.winner() else { return vec![30; 3] };
        (0..3).map(|player| if player == winner { 100 } else { 0 }).collect()
    }
}

//! The towers of Hanoi with seven discs.

use super::Position;

/// The pegs of the discs and the number of moves.
#[derive(Clone, Default)]
pub struct Towers {
    /// The peg of each disc, from the smallest.
    pegs: [usize; 7],
    step: u32,
}

fn transfer(pegs: &[usize; 7]) -> Vec<(usize, usize, [usize; 7])> {
    let mut transfers = Vec::new();
    for from in 0..3 {
        for to in (0..3).filter(|&to| to != from) {
            // The smallest disc on either peg must be on the peg `from`.
            if let Some(disc) = (0..7).find(|&disc| pegs[disc] == from || pegs[disc] == to)
                && pegs[disc] == from
            {
                let mut next = *pegs;
                next[disc] = to;
                transfers.push((from, to, next));
            }
        }
    }
    transfers
}

/// The numbers of arrangements that are 0, 1, 2 and more moves from the initial one.
#[must_use]
pub fn layers() -> Vec<u64> {
    let follow = |pegs: &[usize; 7]| transfer(pegs).into_iter().map(|(_, _, next)| next).collect();
    super::count_layers(Towers::default().pegs, usize::MAX, follow)
}

impl Position for Towers {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.pegs == [2; 7] || self.step == 127 {
            return Vec::new();
        }
        let transfers = transfer(&self.pegs).into_iter();
        let named = transfers.map(|(from, to, pegs)| {
            (format!("(move {} {})", from + 1, to + 1), Self { pegs, step: self.step + 1 })
        });
        named.collect()
    }

    fn to_move(&self) -> usize {
        0
    }

    fn goals(&self) -> Vec<u8> {
        vec![if self.pegs == [2; 7] { 100 } else { 0 }]
    }
}

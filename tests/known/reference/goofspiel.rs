//! Goofspiel with five cards.

use super::Position;

/// The hands, deck, prize, bid and points. Sets of cards are bit sets.
#[derive(Clone)]
pub struct Bids {
    hands: [u32; 2],
    deck: u32,
    prize: Option<u32>,
    /// The card that the first player bids in this step.
    bid: Option<u32>,
    points: [u32; 2],
}

impl Default for Bids {
    fn default() -> Self {
        Self { hands: [0b11_1110; 2], deck: 0b11_1110, prize: None, bid: None, points: [0; 2] }
    }
}

fn cards(set: u32) -> impl Iterator<Item = u32> {
    (1..=5).filter(move |card| (set >> card) & 1 == 1)
}

impl Position for Bids {
    fn moves(&self) -> Vec<(String, Self)> {
        let Some(prize) = self.prize else {
            let turned = cards(self.deck).map(|card| {
                (
                    format!("(turn {card})"),
                    Self { prize: Some(card), deck: self.deck & !(1 << card), ..self.clone() },
                )
            });
            return turned.collect();
        };
        let me = usize::from(self.bid.is_some());
        let bids = cards(self.hands[me]).map(|card| {
            let mut next = self.clone();
            next.hands[me] &= !(1 << card);
            if let Some(first) = self.bid {
                next.prize = None;
                next.bid = None;
                if first != card {
                    next.points[usize::from(first < card)] += prize;
                }
            } else {
                next.bid = Some(card);
            }
            (format!("(bid {card})"), next)
        });
        bids.collect()
    }

    fn to_move(&self) -> usize {
        if self.prize.is_none() { 2 } else { usize::from(self.bid.is_some()) }
    }

    fn goals(&self) -> Vec<u8> {
        let [first, second] = self.points;
        super::goals_of((first != second).then(|| usize::from(first < second)))
    }

    fn is_within_step(&self) -> bool {
        self.bid.is_some()
    }
}

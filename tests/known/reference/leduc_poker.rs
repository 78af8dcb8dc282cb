//! Leduc poker. Cards are a rank, from the jack, and a suit.

use super::Position;

type Card = (usize, usize);

/// The cards, the chips and the actions of a hand, with the percepts of the last step.
#[derive(Clone, Default)]
pub struct Deal {
    hands: Option<[Card; 2]>,
    table: Option<Card>,
    chips: [u8; 2],
    to_move: usize,
    /// The number of bets and raises in this round.
    bets: u32,
    /// True if the round has ended: chance moves next, or the game is over.
    is_settled: bool,
    folded: Option<usize>,
    heard: [Vec<String>; 2],
}

fn name((rank, suit): Card) -> String {
    format!("{} {}", ["jack", "queen", "king"][rank], ["red", "black"][suit])
}

fn cards() -> impl Iterator<Item = Card> {
    (0..3).flat_map(|rank| [(rank, 0), (rank, 1)])
}

impl Deal {
    /// Returns `word`, and the position after the player to move has said it.
    fn say(&self, hands: [Card; 2], word: &str) -> (String, Self) {
        let (me, other) = (self.to_move, 1 - self.to_move);
        let mut next = Self { heard: Default::default(), to_move: other, ..self.clone() };
        next.heard[other].push(word.to_owned());
        match word {
            "bet" | "raise" => {
                next.chips[me] = self.chips[other] + if self.table.is_none() { 2 } else { 4 };
                next.bets += 1;
            }
            "call" => {
                next.chips[me] = self.chips[other];
                next.is_settled = true;
            }
            "fold" => next.folded = Some(me),
            _ => next.is_settled = me == 1,
        }
        if next.is_settled && self.table.is_some() {
            for player in 0..2 {
                next.heard[player].push(format!("(shown {})", name(hands[1 - player])));
            }
        }
        (word.to_owned(), next)
    }

    /// The strength of a hand at the showdown: 3 for a pair, otherwise the rank.
    fn strength(&self, (rank, _): Card) -> usize {
        if self.table.is_some_and(|table| table.0 == rank) { 3 } else { rank }
    }
}

impl Position for Deal {
    fn moves(&self) -> Vec<(String, Self)> {
        let Some(hands) = self.hands else {
            let deals = cards().flat_map(|a| cards().map(move |b| [a, b])).filter(|[a, b]| a != b);
            let named = deals.map(|hands| {
                let heard = hands.map(|card| vec![format!("(dealt {})", name(card))]);
                let [a, b] = hands.map(name);
                (
                    format!("(deal {a} {b})"),
                    Self { hands: Some(hands), chips: [1, 1], heard, ..Self::default() },
                )
            });
            return named.collect();
        };
        if self.folded.is_some() || (self.is_settled && self.table.is_some()) {
            return Vec::new();
        }
        if self.is_settled {
            let left = cards().filter(|card| !hands.contains(card));
            let named = left.map(|card| {
                let percept = format!("(flop {})", name(card));
                let heard = [vec![percept.clone()], vec![percept.clone()]];
                let next =
                    Self { table: Some(card), is_settled: false, bets: 0, to_move: 0, heard, ..self.clone() };
                (percept, next)
            });
            return named.collect();
        }
        let words: &[&str] = match self.bets {
            0 => &["check", "bet"],
            1 => &["call", "raise", "fold"],
            _ => &["call", "fold"],
        };
        words.iter().map(|word| self.say(hands, word)).collect()
    }

    fn to_move(&self) -> usize {
        if self.hands.is_none() || (self.is_settled && self.table.is_none()) { 2 } else { self.to_move }
    }

    fn goals(&self) -> Vec<u8> {
        let winner = match (self.folded, self.hands) {
            (Some(folded), _) => Some(1 - folded),
            (None, Some([a, b])) => match self.strength(a).cmp(&self.strength(b)) {
                std::cmp::Ordering::Less => Some(1),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(0),
            },
            (None, None) => None,
        };
        let Some(winner) = winner else { return vec![61; 2] };
        let stake = 3 * self.chips[1 - winner];
        (0..2).map(|player| if player == winner { 61 + stake } else { 61 - stake }).collect()
    }

    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        Some(self.heard.clone())
    }
}

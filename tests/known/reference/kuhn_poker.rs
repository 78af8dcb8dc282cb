//! Kuhn poker. Cards are numbered from the jack.

use super::Position;

const NAMES: [&str; 3] = ["jack", "queen", "king"];

/// The cards, the actions so far and the percepts of the last step.
#[derive(Clone, Default)]
pub struct Deal {
    cards: Option<[usize; 2]>,
    /// The first letter of each action so far.
    said: String,
    heard: [Vec<String>; 2],
}

impl Deal {
    fn winner(&self) -> Option<usize> {
        let cards = self.cards?;
        match self.said.as_str() {
            "bf" => Some(0),
            "kbf" => Some(1),
            "bc" | "kk" | "kbc" => Some(usize::from(cards[0] < cards[1])),
            _ => None,
        }
    }
}

impl Position for Deal {
    fn moves(&self) -> Vec<(String, Self)> {
        let Some(cards) = self.cards else {
            let deals = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)].into_iter();
            let named = deals.map(|(a, b)| {
                let heard = [a, b].map(|card| vec![format!("(dealt {})", NAMES[card])]);
                let name = format!("(deal {} {})", NAMES[a], NAMES[b]);
                (name, Self { cards: Some([a, b]), said: String::new(), heard })
            });
            return named.collect();
        };
        let words = match self.said.as_str() {
            "" | "k" => [("bet", 'b'), ("check", 'k')],
            "b" | "kb" => [("call", 'c'), ("fold", 'f')],
            _ => return Vec::new(),
        };
        let named = words.map(|(word, letter)| {
            let mut next =
                Self { said: format!("{}{letter}", self.said), heard: Default::default(), ..self.clone() };
            let (me, other) = (self.to_move(), 1 - self.to_move());
            next.heard[other].push(word.to_owned());
            if ["bc", "kk", "kbc"].contains(&next.said.as_str()) {
                next.heard[me].push(format!("(shown {})", NAMES[cards[other]]));
                next.heard[other].push(format!("(shown {})", NAMES[cards[me]]));
            }
            (word.to_owned(), next)
        });
        named.into()
    }

    fn to_move(&self) -> usize {
        if self.cards.is_none() { 2 } else { self.said.len() % 2 }
    }

    fn goals(&self) -> Vec<u8> {
        let stake = if self.said.contains('c') { 50 } else { 25 };
        let Some(winner) = self.winner() else { return vec![50; 2] };
        (0..2).map(|player| if player == winner { 50 + stake } else { 50 - stake }).collect()
    }

    fn percepts(&self) -> Option<[Vec<String>; 2]> {
        Some(self.heard.clone())
    }
}

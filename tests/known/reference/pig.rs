//! Pig, played to a hundred points.

use super::Position;

/// The scores, the sum of the current turn and the number of turns.
#[derive(Clone, Default)]
pub struct Race {
    scores: [u32; 2],
    sum: u32,
    turns: u32,
    is_rolling: bool,
}

impl Race {
    fn end_turn(&self, points: u32) -> Self {
        let mut scores = self.scores;
        scores[self.player()] += points;
        Self { scores, sum: 0, turns: self.turns + 1, is_rolling: false }
    }

    fn player(&self) -> usize {
        (self.turns % 2) as usize
    }

    fn winner(&self) -> Option<usize> {
        (0..2).find(|&player| self.scores[player] >= 100)
    }
}

impl Position for Race {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.winner().is_some() || self.turns == 200 {
            return Vec::new();
        }
        if self.is_rolling {
            let faces = (2..=6).map(|face| {
                let next = Self { sum: self.sum + face, is_rolling: false, ..self.clone() };
                (format!("(throw {face})"), next)
            });
            return faces.chain([("(throw 1)".to_owned(), self.end_turn(0))]).collect();
        }
        let mut moves = vec![("roll".to_owned(), Self { is_rolling: true, ..self.clone() })];
        if self.sum > 0 {
            moves.push(("hold".to_owned(), self.end_turn(self.sum)));
        }
        moves
    }

    fn to_move(&self) -> usize {
        if self.is_rolling { 2 } else { self.player() }
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(self.winner())
    }
}

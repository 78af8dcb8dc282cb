//! The value of Leduc poker. Counterfactual regret minimisation finds strategies, and their best
//! responses enclose the value.

use crate::built_in;
use gdl_runtime::{Dynamic, Game, GameExt, Information};
use std::collections::BTreeMap;

/// A history of the game: an end, a chance node or a player's choice. An end holds alice's goal.
/// Chance has equal odds. A `decision` identifies the information set of a choice.
enum History {
    End(f64),
    Chance(Vec<usize>),
    Choice { player: usize, decision: usize, next: Vec<usize> },
}

/// All histories, successors before their predecessors.
#[derive(Default)]
struct Histories {
    list: Vec<History>,
    decisions: BTreeMap<(usize, String), usize>,
}

/// The weight of each choice, by information set.
type Weights = Vec<Vec<f64>>;

impl Histories {
    fn add(
        &mut self,
        game: &Dynamic,
        state: &<Dynamic as Game>::State,
        informations: &[Information<Dynamic>; 2],
    ) -> usize {
        let roles: Vec<_> = game.roles().collect();
        let moves: Vec<Vec<_>> = roles.iter().map(|&role| game.legal_moves(state, role).collect()).collect();
        let history = if game.is_terminal(state) {
            History::End(f64::from(game.goal(state, roles[0]).expect("a goal")))
        } else {
            let mover = moves.iter().position(|moves| moves.len() > 1).expect("a choice");
            let next = moves[mover].iter().map(|&action| {
                let joint: Vec<_> = (0..roles.len())
                    .map(|role| if role == mover { action } else { moves[role][0] })
                    .collect();
                let mut informations = informations.clone();
                informations.iter_mut().for_each(|information| information.step(game, state, &joint));
                self.add(game, &game.apply(state, &joint).expect("legal moves"), &informations)
            });
            let next = next.collect();
            if mover == 2 {
                History::Chance(next)
            } else {
                let count = self.decisions.len();
                let known = (mover, informations[mover].text(game));
                let decision = *self.decisions.entry(known).or_insert(count);
                History::Choice { player: mover, decision, next }
            }
        };
        self.list.push(history);
        self.list.len() - 1
    }

    fn weights(&self) -> Weights {
        let mut weights = vec![Vec::new(); self.decisions.len()];
        for history in &self.list {
            if let History::Choice { decision, next, .. } = history {
                weights[*decision] = vec![0.0; next.len()];
            }
        }
        weights
    }

    /// Returns alice's expected gain from a history. `odds` are the probabilities with which each
    /// player, and chance, reach the history. Adds to the regrets of both players, and to the sums
    /// of their strategies.
    fn walk(
        &self,
        at: usize,
        odds: [f64; 3],
        regrets: &Weights,
        missed: &mut Weights,
        sums: &mut Weights,
    ) -> f64 {
        match &self.list[at] {
            History::End(goal) => *goal,
            History::Chance(next) => {
                let part = 1.0 / next.len() as f64;
                let odds = [odds[0], odds[1], odds[2] * part];
                next.iter().map(|&at| part * self.walk(at, odds, regrets, missed, sums)).sum()
            }
            History::Choice { player, decision, next } => {
                let strategy = normal(&regrets[*decision]);
                let values: Vec<f64> = (next.iter().zip(&strategy))
                    .map(|(&at, weight)| {
                        let mut odds = odds;
                        odds[*player] *= weight;
                        self.walk(at, odds, regrets, missed, sums)
                    })
                    .collect();
                let value: f64 = values.iter().zip(&strategy).map(|(value, weight)| value * weight).sum();
                let others = odds[1 - player] * odds[2];
                let sign = if *player == 0 { 1.0 } else { -1.0 };
                for (choice, choice_value) in values.iter().enumerate() {
                    missed[*decision][choice] += sign * others * (choice_value - value);
                    sums[*decision][choice] += odds[*player] * strategy[choice];
                }
                value
            }
        }
    }

    /// Returns alice's expected gain if one player plays `strategy` and `responder` plays a best
    /// response. At each information set, the responder takes the choice with the highest sum over
    /// its histories, weighted by the odds that the others reach them.
    fn answer(&self, strategy: &Weights, responder: usize) -> f64 {
        let mut odds = vec![0.0; self.list.len()];
        *odds.last_mut().expect("a start") = 1.0;
        for (at, history) in self.list.iter().enumerate().rev() {
            match history {
                History::End(_) => {}
                History::Chance(next) => next.iter().for_each(|&to| odds[to] = odds[at] / next.len() as f64),
                History::Choice { player, decision, next } => {
                    for (choice, &to) in next.iter().enumerate() {
                        odds[to] =
                            odds[at] * if *player == responder { 1.0 } else { strategy[*decision][choice] };
                    }
                }
            }
        }
        let mut histories_of = vec![Vec::new(); self.decisions.len()];
        for (at, history) in self.list.iter().enumerate() {
            if let History::Choice { decision, .. } = history {
                histories_of[*decision].push(at);
            }
        }
        let mut best = vec![None; self.decisions.len()];
        let response = Response { histories: self, strategy, responder, odds, histories_of };
        response.value(self.list.len() - 1, &mut best)
    }
}

/// The best response of a player to a strategy of the other.
struct Response<'h> {
    histories: &'h Histories,
    strategy: &'h Weights,
    responder: usize,
    odds: Vec<f64>,
    histories_of: Vec<Vec<usize>>,
}

impl Response<'_> {
    fn value(&self, at: usize, best: &mut Vec<Option<usize>>) -> f64 {
        match &self.histories.list[at] {
            History::End(goal) => *goal,
            History::Chance(next) => {
                next.iter().map(|&at| self.value(at, best)).sum::<f64>() / next.len() as f64
            }
            History::Choice { player, decision, next } if *player == self.responder => {
                let choice = best[*decision].unwrap_or_else(|| self.choose(*decision, next.len(), best));
                best[*decision] = Some(choice);
                self.value(next[choice], best)
            }
            History::Choice { decision, next, .. } => (next.iter().zip(&self.strategy[*decision]))
                .map(|(&at, weight)| if *weight > 0.0 { weight * self.value(at, best) } else { 0.0 })
                .sum(),
        }
    }

    fn choose(&self, decision: usize, choices: usize, best: &mut Vec<Option<usize>>) -> usize {
        let sign = if self.responder == 0 { 1.0 } else { -1.0 };
        let mut sum = |choice: usize| -> f64 {
            let after = self.histories_of[decision].iter().map(|&at| {
                let History::Choice { next, .. } = &self.histories.list[at] else { unreachable!("a choice") };
                sign * self.odds[at] * self.value(next[choice], best)
            });
            after.sum()
        };
        let sums: Vec<f64> = (0..choices).map(&mut sum).collect();
        (0..choices).max_by(|&a, &b| sums[a].total_cmp(&sums[b])).expect("a choice")
    }
}

/// The weights scaled to sum to one; equal weights if the sum is not positive.
fn normal(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { 1.0 / weights.len() as f64 }).collect()
}

/// The number of iterations. More of them bring the best responses closer together.
const ROUNDS: u32 = 800;

/// Alice loses 0.08560642 chips, as `OpenSpiel` reports for `leduc_poker`. Each chip is three
/// points of the goal.
#[test]
fn is_worth_a_twelfth_of_a_chip_to_bob() {
    const CHIPS: f64 = -0.085_606_42;
    let game = built_in("leduc_poker");
    let roles: Vec<_> = game.roles().collect();
    let mut histories = Histories::default();
    let start =
        histories.add(&game, &game.initial(), &[0, 1].map(|player: usize| Information::new(roles[player])));
    let (mut regrets, mut strategies) = (histories.weights(), histories.weights());
    // Counterfactual regret minimisation with regrets clipped at zero and later strategies weighted
    // more (CFR+, Tammelin 2014).
    for round in 1..=ROUNDS {
        let (mut missed, mut sums) = (histories.weights(), histories.weights());
        histories.walk(start, [1.0; 3], &regrets, &mut missed, &mut sums);
        for decision in 0..regrets.len() {
            for choice in 0..regrets[decision].len() {
                let regret = &mut regrets[decision][choice];
                *regret = (*regret + missed[decision][choice]).max(0.0);
                strategies[decision][choice] += f64::from(round) * sums[decision][choice];
            }
        }
    }
    let strategies: Weights = strategies.iter().map(|weights| normal(weights)).collect();
    let [most, least] = [0, 1].map(|responder| (histories.answer(&strategies, responder) - 61.0) / 3.0);
    assert!(least <= CHIPS && CHIPS <= most, "{least} to {most}");
    assert!(most - least < 0.02, "{least} to {most}");
}

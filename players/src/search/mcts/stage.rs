//! Stages: states in which several roles choose simultaneously. Each role has a mixed strategy,
//! which the values of joint moves update as they become known.
//!
//! Each role keeps the regret of every move: how much better it would have done, had it always made
//! that move against the others' moves. It makes moves in proportion to their positive regrets. Its
//! average strategy converges to a coarse correlated equilibrium, which is a Nash equilibrium where
//! two roles share a fixed sum. See Hart and Mas-Colell, "A simple adaptive procedure leading to
//! correlated equilibrium", 2000; Tammelin, "Solving large imperfect information games using
//! CFR+", 2014. For trees see Lisý et al., "Convergence of Monte Carlo tree search in simultaneous
//! move games", 2013.

use gdl_runtime::chance::Stream;

/// The initial probability of a uniformly random move, which explores all joint moves. It is halved
/// after `SETTLED` rounds for each joint move.
const EXPLORE: f32 = 0.2;
const SETTLED: f32 = 20.0;

/// The least probability of a move in the final strategy, relative to the most probable move.
const LEAST: f64 = 0.15;

/// The decision of one role.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    /// The index of the role, and true if it is chance, which draws its move.
    pub(super) role: usize,
    is_chance: bool,
    regrets: Vec<f32>,
    /// The sum of the role's strategies over all rounds, each weighted by the number of its round.
    average: Vec<f64>,
    chosen: usize,
}

/// The decisions of a state and the statistics of their joint moves (cells). Cells are numbered
/// with the last decision changing fastest.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) decisions: Vec<Decision>,
    roles: usize,
    visits: Vec<u32>,
    /// The sum of each role's values, for each cell.
    sums: Vec<f32>,
    /// The node that each cell leads to.
    pub(super) children: Vec<u32>,
    rounds: u32,
}

impl Stage {
    /// The maximum number of joint moves of a stage.
    pub(super) const MOST: u64 = 1024;

    /// Creates a stage from pairs of a role and its number of moves.
    pub(super) fn new(
        choices: &[(usize, usize)],
        chance: Option<usize>,
        roles: usize,
        no_child: u32,
    ) -> Self {
        let cells = choices.iter().map(|&(_, moves)| moves).product();
        let decision = |&(role, moves): &(usize, usize)| Decision {
            role,
            is_chance: Some(role) == chance,
            regrets: vec![0.0; moves],
            average: vec![0.0; moves],
            chosen: 0,
        };
        Self {
            decisions: choices.iter().map(decision).collect(),
            roles,
            visits: vec![0; cells],
            sums: vec![0.0; cells * roles],
            children: vec![no_child; cells],
            rounds: 0,
        }
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let decisions = self.decisions.iter().map(|d| size_of::<Decision>() + 12 * d.regrets.len());
        size_of::<Self>() + self.visits.len() * (8 + 4 * self.roles) + decisions.sum::<usize>()
    }

    /// Draws a joint move, adds each role's strategy to its average, and returns the number of the
    /// cell.
    pub(super) fn choose(&mut self, stream: &mut Stream) -> usize {
        self.rounds += 1;
        let weight = f64::from(self.rounds);
        let settled = SETTLED * self.visits.len() as f32;
        let explore = EXPLORE * settled / (settled + self.rounds as f32);
        let mut cell = 0;
        for decision in &mut self.decisions {
            let moves = decision.regrets.len();
            let positive: f32 = decision.regrets.iter().sum();
            let each = 1.0 / moves as f32;
            let mut rank = unit(stream);
            let explores = decision.is_chance || positive <= 0.0 || unit(stream) < explore;
            decision.chosen = moves - 1;
            for place in 0..moves {
                let share = if positive > 0.0 { decision.regrets[place] / positive } else { each };
                decision.average[place] += weight * f64::from(share);
                let likely = if explores { each } else { share };
                if rank >= 0.0 && rank < likely {
                    decision.chosen = place;
                }
                rank -= likely;
            }
            cell = cell * moves + decision.chosen;
        }
        cell
    }

    /// Returns the move of each decision in a cell.
    pub(super) fn moves_of(&self, mut cell: usize) -> Vec<usize> {
        let mut moves: Vec<usize> = self
            .decisions
            .iter()
            .rev()
            .map(|decision| {
                let count = decision.regrets.len();
                let place = cell % count;
                cell /= count;
                place
            })
            .collect();
        moves.reverse();
        moves
    }

    /// Adds the values of a visit to a cell, and updates the regrets of all moves.
    pub(super) fn learn(&mut self, cell: usize, values: &[f32]) {
        self.visits[cell] += 1;
        let sums = &mut self.sums[cell * self.roles..][..self.roles];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        let moves = self.moves_of(cell);
        let mut stride: usize = self.visits.len();
        for number in 0..self.decisions.len() {
            let (count, role) = (self.decisions[number].regrets.len(), self.decisions[number].role);
            stride /= count;
            let base = cell - moves[number] * stride;
            let had = self.mean(cell, role, values);
            for place in 0..count {
                let would = self.mean(base + place * stride, role, values);
                let regret = &mut self.decisions[number].regrets[place];
                *regret = (*regret + would - had).max(0.0);
            }
        }
    }

    /// Returns the mean value of a cell for a role. An unvisited cell has the values of this visit,
    /// so that it causes no regret.
    fn mean(&self, cell: usize, role: usize, now: &[f32]) -> f32 {
        match self.visits[cell] {
            0 => now[role],
            visits => self.sums[cell * self.roles + role] / visits as f32,
        }
    }

    /// Sets the values of a cell to proved ones.
    pub(super) fn settle(&mut self, cell: usize, values: &[f32]) {
        self.visits[cell] = self.visits[cell].max(1);
        let visits = self.visits[cell] as f32;
        let sums = &mut self.sums[cell * self.roles..][..self.roles];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum = value * visits);
    }

    /// Adds the statistics of another stage with the same decisions.
    pub(super) fn merge(&mut self, other: &Self) {
        for (decision, more) in self.decisions.iter_mut().zip(&other.decisions) {
            decision.average.iter_mut().zip(&more.average).for_each(|(sum, more)| *sum += more);
            decision.regrets.iter_mut().zip(&more.regrets).for_each(|(sum, more)| *sum += more);
        }
        self.visits.iter_mut().zip(&other.visits).for_each(|(sum, more)| *sum += more);
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        self.rounds += other.rounds;
    }

    /// Finds a cell with proved values that is a saddle point of a constant-sum stage: neither role
    /// gains by another move. The values of this cell are the values of the stage. `proved` returns
    /// the proved values of a cell. Returns `None` unless exactly two roles choose, without chance.
    pub(super) fn saddle<'v>(&self, proved: impl Fn(usize) -> Option<&'v [f32]>) -> Option<usize> {
        if self.decisions.len() != 2 || self.decisions.iter().any(|decision| decision.is_chance) {
            return None;
        }
        let (rows, columns) = (self.decisions[0].regrets.len(), self.decisions[1].regrets.len());
        let [first, second] = [0, 1].map(|number| self.decisions[number].role);
        let total = |values: &[f32]| values[first] + values[second];
        (0..rows * columns).find(|&cell| {
            let (row, column) = (cell / columns, cell % columns);
            let Some(here) = proved(cell) else { return false };
            // The sum of both goals must be constant over the cells that are compared.
            let holds = |cell: usize, role: usize| {
                proved(cell).is_some_and(|values| {
                    values[role] >= here[role] && (total(values) - total(here)).abs() < 0.01
                })
            };
            (0..columns).all(|other| holds(row * columns + other, first))
                && (0..rows).all(|other| holds(other * columns + column, second))
        })
    }

    /// Returns the average strategy of a decision. Moves below [`LEAST`] have probability 0: they
    /// come from early rounds and exploration.
    pub(super) fn strategy(&self, number: usize) -> Vec<f64> {
        let average = &self.decisions[number].average;
        let least = LEAST * average.iter().copied().fold(0.0, f64::max);
        let kept = |share: f64| if share >= least { share } else { 0.0 };
        let sum: f64 = average.iter().map(|&share| kept(share)).sum();
        let even = 1.0 / average.len() as f64;
        average.iter().map(|&share| if sum > 0.0 { kept(share) / sum } else { even }).collect()
    }

    /// Returns the expected value of a role's move against the average strategies of the others.
    pub(super) fn worth(&self, number: usize, place: usize) -> f64 {
        let role = self.decisions[number].role;
        let strategies: Vec<Vec<f64>> = (0..self.decisions.len()).map(|d| self.strategy(d)).collect();
        let (mut sum, mut total) = (0.0, 0.0);
        for cell in 0..self.visits.len() {
            let moves = self.moves_of(cell);
            if moves[number] != place || self.visits[cell] == 0 {
                continue;
            }
            let others = moves.iter().enumerate().filter(|&(d, _)| d != number);
            let likely: f64 = others.map(|(d, &m)| strategies[d][m]).product();
            sum += likely * f64::from(self.mean(cell, role, &[]));
            total += likely;
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

/// Draws a number in [0, 1).
fn unit(stream: &mut Stream) -> f32 {
    (stream.bits() >> 40) as f32 / (1_u64 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_add_up() {
        let stage = |rounds: u64, seed| {
            let mut stage = Stage::new(&[(0, 2), (1, 3)], None, 2, 0);
            let mut stream = Stream::new(seed, 1);
            for _ in 0..rounds {
                let cell = stage.choose(&mut stream);
                stage.learn(cell, &[20.0 * cell as f32, 100.0 - 20.0 * cell as f32]);
            }
            stage
        };
        let (mut few, many) = (stage(10, 1), stage(5000, 2));
        few.merge(&many);
        assert_eq!(few.rounds, 5010);
        assert_eq!(few.visits.iter().sum::<u32>(), 5010);
        assert!((few.strategy(0)[1] - many.strategy(0)[1]).abs() < 0.01);
        // The second row is worth 60 to 100, and the first 0 to 40.
        assert!(few.strategy(0)[1] > 0.9 && (few.worth(0, 1) - many.worth(0, 1)).abs() < 1.0);
    }

    /// Returns the average strategies of two roles after 20,000 rounds of a game with the constant
    /// sum 100.
    fn solve(rows: usize, columns: usize, matrix: &[f32]) -> [Vec<f64>; 2] {
        let mut stage = Stage::new(&[(0, rows), (1, columns)], None, 2, 0);
        let mut stream = Stream::new(1, 1);
        for _ in 0..20_000 {
            let cell = stage.choose(&mut stream);
            stage.learn(cell, &[matrix[cell], 100.0 - matrix[cell]]);
        }
        [stage.strategy(0), stage.strategy(1)]
    }

    fn is_near(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.05)
    }

    #[test]
    fn matching_pennies_are_mixed() {
        let found = solve(2, 2, &[100.0, 0.0, 0.0, 100.0]);
        assert!(is_near(&found[0], &[0.5, 0.5]) && is_near(&found[1], &[0.5, 0.5]), "{found:?}");
    }

    #[test]
    fn uneven_stakes_are_mixed_unevenly() {
        // The row's strategy makes both columns equal: 80 p = 20 (1 - p).
        let found = solve(2, 2, &[80.0, 0.0, 0.0, 20.0]);
        assert!(is_near(&found[0], &[0.2, 0.8]) && is_near(&found[1], &[0.2, 0.8]), "{found:?}");
    }

    #[test]
    fn dominated_moves_are_not_made() {
        let found = solve(3, 2, &[60.0, 50.0, 40.0, 30.0, 90.0, 10.0]);
        assert!(is_near(&found[0], &[1.0, 0.0, 0.0]) && is_near(&found[1], &[0.0, 1.0]), "{found:?}");
    }
}

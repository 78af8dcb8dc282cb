//! Ratings: the results between players become a strength for each, in Elo points, with a 95 %
//! interval.
//!
//! The model is that of Bradley and Terry ("Rank analysis of incomplete block designs", 1952). A
//! player of strength s beats one of strength t with probability 1 / (1 + e^(t - s)); a draw is
//! half a win. Strengths maximise the likelihood of the results and a prior: one more draw for each
//! player, shared evenly among all opponents. The prior keeps the strength of a player that won all
//! games finite, and compares players that never met. For two players with w and l games won, the
//! difference is log((2 w + 1) / (2 l + 1)).
//!
//! The likelihood is concave, so Newton's method finds its only maximum. It takes few steps, and
//! the cost of a step is cubic in the number of players. Simpler iterations take thousands of steps
//! if one player wins nearly all games. The Hessian also gives the intervals. Results are the same
//! on every machine.

use gdl_tools::statistics::Z95;

/// The number of Elo points for a unit of strength: 400 / log 10.
const POINTS: f64 = 173.717_792_761_248_52;

/// The limit on Newton steps. No results need as many: each step but the last few doubles the
/// correct digits or adds 1 to a strength.
const MOST_STEPS: usize = 200;

/// A strength in Elo points. The mean of all rated players is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The maximum-likelihood strength.
    pub elo: f64,
    /// The 95 % confidence interval of the strength.
    pub interval: [f64; 2],
}

/// Rates players by their results: `points[i][j]` is the sum that `i` scored against `j`, 1 for a
/// win and 1/2 for a draw. The rating is `None` for a player without games, and for all players if
/// fewer than two have games.
#[must_use]
pub fn rate(points: &[Vec<f64>]) -> Vec<Option<Rating>> {
    let has_games = |i: usize| (0..points.len()).any(|j| j != i && points[i][j] + points[j][i] > 0.0);
    let rated: Vec<usize> = (0..points.len()).filter(|&i| has_games(i)).collect();
    let mut ratings = vec![None; points.len()];
    if rated.len() < 2 {
        return ratings;
    }
    let prior = 0.5 / (rated.len() - 1) as f64;
    let taken = |&i: &usize| rated.iter().map(|&j| if i == j { 0.0 } else { points[i][j] + prior }).collect();
    let taken: Vec<Vec<f64>> = rated.iter().map(taken).collect();
    let strengths = likeliest(&taken);
    let inverse = Factor::of(&information(&taken, &strengths));
    for (place, &player) in rated.iter().enumerate() {
        let unit: Vec<f64> = (0..rated.len()).map(|i| f64::from(u8::from(i == place))).collect();
        // The inverse also contains 1 / n, from the weight that `information` gives to the mean.
        let variance = inverse.solve(unit)[place] - 1.0 / rated.len() as f64;
        let (elo, reach) = (POINTS * strengths[place], POINTS * Z95 * variance.max(0.0).sqrt());
        ratings[player] = Some(Rating { elo, interval: [elo - reach, elo + reach] });
    }
    ratings
}

/// Returns the strengths of maximum likelihood, with mean 0.
fn likeliest(taken: &[Vec<f64>]) -> Vec<f64> {
    let n = taken.len();
    let mut strengths = vec![0.0; n];
    let mut best = likelihood(taken, &strengths);
    for _ in 0..MOST_STEPS {
        let slope = |i: usize| -> f64 {
            let of =
                |j: usize| taken[i][j] - (taken[i][j] + taken[j][i]) * beats(strengths[i] - strengths[j]);
            (0..n).filter(|&j| j != i).map(of).sum()
        };
        let mut step = Factor::of(&information(taken, &strengths)).solve((0..n).map(slope).collect());
        let longest = step.iter().fold(0.0_f64, |longest, part| longest.max(part.abs()));
        // A full Newton step may go beyond a distant maximum. So the step is halved until the
        // likelihood does not decrease.
        let moved = (0..60).find_map(|_| {
            let moved: Vec<f64> =
                strengths.iter().zip(&step).map(|(strength, part)| strength + part).collect();
            let reached = likelihood(taken, &moved);
            step.iter_mut().for_each(|part| *part /= 2.0);
            (reached >= best).then_some((moved, reached))
        });
        let Some((moved, reached)) = moved else { break };
        (strengths, best) = (moved, reached);
        if longest < 1e-12 {
            break;
        }
    }
    let mean = strengths.iter().sum::<f64>() / n as f64;
    strengths.iter().map(|strength| strength - mean).collect()
}

/// Returns the probability of beating a player that is weaker by `by`.
fn beats(by: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-by))
}

/// Returns the logarithm of the likelihood.
fn likelihood(taken: &[Vec<f64>], strengths: &[f64]) -> f64 {
    // The value is log(1 / (1 + e^-x)), computed without overflow.
    let log = |x: f64| x.min(0.0) - libm::log1p(libm::exp(-x.abs()));
    let of =
        |i: usize| -> f64 { (0..taken.len()).map(|j| taken[i][j] * log(strengths[i] - strengths[j])).sum() };
    (0..taken.len()).map(of).sum()
}

/// Returns the information matrix: the negative second derivative of the log-likelihood. Results do
/// not determine the mean of all strengths, so the mean gets a weight of 1. That makes the matrix
/// positive definite.
fn information(taken: &[Vec<f64>], strengths: &[f64]) -> Vec<Vec<f64>> {
    let n = taken.len();
    let mut matrix = vec![vec![1.0 / n as f64; n]; n];
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let beats = beats(strengths[i] - strengths[j]);
            let weight = (taken[i][j] + taken[j][i]) * beats * (1.0 - beats);
            matrix[i][i] += weight;
            matrix[i][j] -= weight;
        }
    }
    matrix
}

/// The Cholesky factor of a positive definite matrix: a lower triangular matrix.
struct Factor(Vec<Vec<f64>>);

impl Factor {
    fn of(matrix: &[Vec<f64>]) -> Self {
        let n = matrix.len();
        let mut rows = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| rows[i][k] * rows[j][k]).sum();
                let left: f64 = matrix[i][j] - sum;
                // Rounding could make the pivot zero or negative.
                rows[i][j] = if i == j { left.max(f64::MIN_POSITIVE).sqrt() } else { left / rows[j][j] };
            }
        }
        Self(rows)
    }

    /// Solves the linear system with this right-hand side.
    fn solve(&self, mut vector: Vec<f64>) -> Vec<f64> {
        let Self(rows) = self;
        for i in 0..rows.len() {
            let sum: f64 = (0..i).map(|k| rows[i][k] * vector[k]).sum();
            vector[i] = (vector[i] - sum) / rows[i][i];
        }
        for i in (0..rows.len()).rev() {
            let sum: f64 = (i + 1..rows.len()).map(|k| rows[k][i] * vector[k]).sum();
            vector[i] = (vector[i] - sum) / rows[i][i];
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::chance::Stream;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-6 * (1.0 + right.abs())
    }

    #[test]
    fn two_players_are_as_the_formula_has_it() {
        for (won, lost) in [(3.0_f64, 1.0_f64), (0.5, 0.5), (10.0, 0.0), (1e6, 0.0), (17.5, 82.5)] {
            let ratings = rate(&[vec![0.0, won], vec![lost, 0.0]]);
            let [Some(first), Some(second)] = ratings[..] else { panic!("both have games") };
            let expected = 400.0 * ((2.0 * won + 1.0) / (2.0 * lost + 1.0)).log10();
            assert!(close(first.elo - second.elo, expected), "{won} {lost}: {first:?} {second:?}");
            assert!(close(first.elo, -second.elo));
            // The variance of the difference is 1 / (n p q); each player has half of the
            // difference.
            let (games, share) = (won + lost + 1.0, (won + 0.5) / (won + lost + 1.0));
            let reach = 1.959_963_985 / (games * share * (1.0 - share)).sqrt() / 2.0 * 400.0 / 10_f64.ln();
            assert!(close(first.interval[1] - first.elo, reach), "{won} {lost}: {first:?} {reach}");
        }
    }

    #[test]
    fn strengths_that_made_the_results_are_found() {
        let true_strengths = [1.5, 0.5, 0.0, -2.0];
        let mut points = vec![vec![0.0; 4]; 4];
        let mut stream = Stream::new(1, 0);
        for i in 0..4 {
            for j in 0..i {
                for _ in 0..20_000 {
                    let wins = (stream.bits() >> 11) as f64 / 2_f64.powi(53)
                        < beats(true_strengths[i] - true_strengths[j]);
                    points[if wins { i } else { j }][if wins { j } else { i }] += 1.0;
                }
            }
        }
        for (rating, strength) in rate(&points).into_iter().zip(true_strengths) {
            let Rating { elo, interval: [low, high] } = rating.expect("games");
            assert!((low..high).contains(&(POINTS * strength)) && high - low < 12.0, "{elo} {low} {high}");
        }
    }

    #[test]
    fn all_wins_are_finite_and_strangers_can_be_compared() {
        // A chain: each beats the next always, and the last two never met the first.
        let mut points = vec![vec![0.0; 5]; 5];
        for i in 0..3 {
            points[i][i + 1] = 1000.0;
        }
        let ratings = rate(&points);
        assert_eq!(ratings[4], None);
        let elos: Vec<f64> = ratings.iter().flatten().map(|rating| rating.elo).collect();
        assert!(
            elos.windows(2).all(|pair| pair[0] > pair[1]) && elos.iter().all(|elo| elo.is_finite()),
            "{elos:?}"
        );
        assert!(elos.iter().sum::<f64>().abs() < 1e-6);
        assert_eq!(rate(&points), ratings);
        assert_eq!(rate(&[vec![0.0; 2], vec![0.0; 2]]), [None, None]);
        assert_eq!(rate(&[]), []);
    }
}

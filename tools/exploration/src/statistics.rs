//! Statistics of repeated measurements and of matches.

use serde_json::{Value, json};

/// Returns the median; the mean of the middle two values if their number is even. NaN if there are
/// no values.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

/// Returns the geometric mean of values above 0. NaN if there are no values.
#[must_use]
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.into_iter().map(libm::log).collect();
    libm::exp(logarithms.iter().sum::<f64>() / logarithms.len() as f64)
}

/// Returns the number of values, their mean, and the standard error of the mean. The error is 0 for
/// fewer than two values, and so is the mean of no values.
#[must_use]
pub fn mean_and_error(values: impl IntoIterator<Item = f64>) -> (u64, f64, f64) {
    let values: Vec<f64> = values.into_iter().collect();
    let n = values.len() as f64;
    if values.is_empty() {
        return (0, 0.0, 0.0);
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (values.len() as u64, mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

/// The quantile of the normal distribution for 95 % intervals, in standard errors.
pub const Z95: f64 = 1.959_963_985;

/// A mean and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The 95 % interval around it.
    pub interval: [f64; 2],
}

impl Estimate {
    /// Creates the estimate of a mean from its standard error.
    #[must_use]
    pub fn new(mean: f64, error: f64) -> Self {
        Self { mean, interval: [mean - Z95 * error, mean + Z95 * error] }
    }

    /// Returns the JSON object of `mean` and `interval`.
    #[must_use]
    pub fn to_json(self) -> Value {
        json!({ "mean": self.mean, "interval": self.interval })
    }
}

/// Returns the 95 % interval of the true share, from the share observed in `trials` trials (Wilson,
/// "Probable inference, the law of succession, and statistical inference", 1927). If draws count as
/// half a win, the interval is slightly wider than necessary.
#[must_use]
pub fn wilson(share: f64, trials: u64) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    let n = trials as f64;
    let z2 = Z95 * Z95;
    let middle = share + z2 / (2.0 * n);
    let reach = Z95 * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let bound = |x: f64| (x / (1.0 + z2 / n)).clamp(0.0, 1.0);
    [bound(middle - reach), bound(middle + reach)]
}

/// Returns the Elo difference for a score between 0 and 1 (Elo, "The rating of chessplayers",
/// 1978). It is infinite for 0 and 1.
#[must_use]
pub fn elo(score: f64) -> f64 {
    400.0 * libm::log10(score / (1.0 - score))
}

#[cfg(test)]
mod tests {
    use super::{elo, geometric_mean, mean_and_error, median, wilson};

    #[test]
    fn shares_have_intervals_and_points() {
        let shown = |[low, high]: [f64; 2]| format!("{low:.4} {high:.4}");
        // The expected values are from textbook tables.
        assert_eq!(shown(wilson(0.5, 100)), "0.4038 0.5962");
        assert_eq!(shown(wilson(0.0, 10)), "0.0000 0.2775");
        assert_eq!(shown(wilson(1.0, 10)), "0.7225 1.0000");
        assert_eq!(shown(wilson(0.0, 0)), "0.0000 1.0000");
        let points = [0.5, 0.75, 0.25].map(|score| format!("{:.0}", elo(score)));
        assert_eq!(points, ["0", "191", "-191"]);
        assert!(elo(1.0).is_infinite() && elo(0.0).is_infinite());
    }

    #[test]
    fn means_have_errors() {
        assert_eq!(mean_and_error([]), (0, 0.0, 0.0));
        assert_eq!(mean_and_error([4.0]), (1, 4.0, 0.0));
        // The variance is 20 / 3.
        let (count, mean, error) = mean_and_error([1.0, 3.0, 5.0, 7.0]);
        assert_eq!(
            (count, mean.to_string(), format!("{error:.9}")),
            (4, "4".to_owned(), "1.290994449".to_owned())
        );
    }

    #[test]
    fn ratios_to_the_geometric_mean_cancel() {
        assert!(geometric_mean([]).is_nan());
        assert_eq!(format!("{:.9}", geometric_mean([2.0, 4.0, 8.0])), "4.000000000");
    }

    #[test]
    fn half_of_the_values_are_on_either_side() {
        assert!(median([]).is_nan());
        let medians = [median([3.0]), median([9.0, 1.0, 2.0]), median([4.0, 1.0, 8.0, 2.0])];
        assert_eq!(medians.map(|median| median.to_string()), ["3", "2", "3"]);
    }
}

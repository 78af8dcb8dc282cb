//! What is told of repeated measurements.

/// The value in the middle, of an even number the mean of the two there; not a number if there is none.
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

/// The number whose logarithm is the mean of those of the values, which must be above 0; not a number if there
/// is none.
#[must_use]
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.into_iter().map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::{geometric_mean, median};

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

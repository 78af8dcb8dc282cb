//! Contestants that take turns, measured by processor time.

use cpu_time::ProcessTime;

/// Runs each contestant once in each of `rounds` rounds, at least one. Returns the median of each
/// one's count per second of processor time.
///
/// Other work on the machine slows all contestants of a round, so their ratios change less than
/// their rates.
#[must_use]
pub fn rates(contestants: &[&dyn Fn() -> u128], rounds: usize) -> Vec<f64> {
    let mut rates = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds.max(1) {
        for (rates, run) in rates.iter_mut().zip(contestants) {
            let start = ProcessTime::now();
            let count = run();
            rates.push(count as f64 / start.elapsed().as_secs_f64());
        }
    }
    rates.into_iter().map(median).collect()
}

/// The middle of at least one figure.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn contestants_take_turns() {
        let order = RefCell::new(Vec::new());
        let turn = |name| {
            order.borrow_mut().push(name);
            1
        };
        assert_eq!(rates(&[&|| turn("a"), &|| turn("b")], 3).len(), 2);
        assert_eq!(order.take().concat(), "ababab");
        assert_eq!(rates(&[&|| turn("a")], 0).len(), 1, "there is one round at least");
    }

    #[test]
    fn medians_stand_between_outliers() {
        assert_eq!(median(vec![1e9, 2.0, 1.0, 3.0, -1e9]).to_bits(), 2_f64.to_bits());
    }
}

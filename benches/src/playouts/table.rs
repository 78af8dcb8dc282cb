//! The report as a page of Markdown.

use super::report::{Contest, Contestant, Report};
use gdl_tools::output::scaled;
use std::fmt;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Machine: {}.\n", self.machine)?;
        writeln!(
            f,
            "Per second of processor time, medians of {} rounds in which all engines took turns, {} s each in all; \
             ratios are taken round by round.\n",
            self.rounds, self.seconds
        )?;
        self.write_rates(f)?;
        writeln!(f, "\n| game | engine | playouts/s | states/s | / by hand | least | greatest |")?;
        writeln!(f, "|---|---|---:|---:|---:|---:|---:|")?;
        for (contest, contestant) in self.rows(|contestant| contestant.threads == self.fewest()) {
            let ratios = contest.ratios(contestant).map(|ratios| ratios.map(times));
            let [least, median, greatest] = ratios.unwrap_or_default();
            writeln!(
                f,
                "| {} | {} | {} | {} | {median} | {least} | {greatest} |",
                contest.game,
                contestant.name(),
                scaled(contestant.playouts_per_second()),
                scaled(contestant.states_per_second()),
            )?;
        }
        if self.rows(|contestant| contestant.threads != self.fewest()).next().is_none() {
            return Ok(());
        }
        writeln!(
            f,
            "\nThreads: playouts per second that went by, and of each thread as a share of those of one alone, by the \
             clock, which other work on the machine disturbs, and by processor time.\n"
        )?;
        writeln!(f, "| game | engine | threads | playouts/s | share | by processor time |")?;
        writeln!(f, "|---|---|---:|---:|---:|---:|")?;
        for (contest, contestant) in self.rows(|_| true) {
            let shares = contest.scaling(contestant).map(|shares| shares.map(|share| format!("{share:.2}")));
            let [by_clock, by_processor] = shares.unwrap_or_default();
            writeln!(
                f,
                "| {} | {} | {} | {} | {by_clock} | {by_processor} |",
                contest.game,
                contestant.name(),
                contestant.threads,
                scaled(contestant.playouts_by_clock()),
            )?;
        }
        Ok(())
    }
}

impl Report {
    /// Writes the playouts a second and their ratios to those by hand: a column for each engine.
    fn write_rates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, contest) in self.contests.iter().enumerate() {
            let contestants = contest.contestants.iter().filter(|row| row.threads == self.fewest());
            if number == 0 {
                let names: Vec<String> = contestants.clone().map(Contestant::name).collect();
                writeln!(f, "| game | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()))?;
            }
            let rate = |row: &Contestant| {
                let ratio = contest.ratios(row).map(|[_, median, _]| format!(" ({})", times(median)));
                scaled(row.playouts_per_second()) + &ratio.unwrap_or_default()
            };
            let rates: Vec<String> = contestants.map(rate).collect();
            writeln!(f, "| {} | {} |", contest.game, rates.join(" | "))?;
        }
        Ok(())
    }

    /// The number of threads of the first contestants, shown in the main table and the chart.
    pub(super) fn fewest(&self) -> usize {
        self.contests.first().and_then(|contest| contest.contestants.first()).map_or(1, |first| first.threads)
    }

    /// The contestants that satisfy `which`, game by game.
    pub(super) fn rows(
        &self,
        which: impl Fn(&Contestant) -> bool + Copy,
    ) -> impl Iterator<Item = (&Contest, &Contestant)> {
        self.contests.iter().flat_map(move |contest| {
            contest
                .contestants
                .iter()
                .filter(move |contestant| which(contestant))
                .map(move |row| (contest, row))
        })
    }
}

/// A ratio with at least two digits.
pub(super) fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 9.95 => format!("{ratio:.0}"),
        ratio if ratio >= 1.0 => format!("{ratio:.1}"),
        ratio if ratio >= 0.1 => format!("{ratio:.2}"),
        ratio if ratio >= 0.01 => format!("{ratio:.3}"),
        ratio => format!("{ratio:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::report::tests::example, times};

    #[test]
    fn tables_have_a_row_for_each_engine() {
        let text = example().to_string();
        let expected = "\
Machine: unknown processor, 2 cores, best instruction set avx512; load 0.5 at the start and 1.5 at the end.

Per second of processor time, medians of 3 rounds in which all engines took turns, 2 s each in all; ratios are taken round by round.

| game | by hand | lanes, avx512 | lanes, portable |
|---|---:|---:|---:|
| nim | 1.00 k | 5.00 k (10) | 250 (0.25) |

| game | engine | playouts/s | states/s | / by hand | least | greatest |
|---|---|---:|---:|---:|---:|---:|
| nim | by hand | 1.00 k | 9.00 k |  |  |  |
| nim | lanes, avx512 | 5.00 k | 45.0 k | 10 | 5.0 | 10 |
| nim | lanes, portable | 250 | 2.25 k | 0.25 | 0.25 | 0.50 |

Threads: playouts per second that went by, and of each thread as a share of those of one alone, by the clock, which other work on the machine disturbs, and by processor time.

| game | engine | threads | playouts/s | share | by processor time |
|---|---|---:|---:|---:|---:|
| nim | by hand | 1 | 500 |  |  |
| nim | lanes, avx512 | 1 | 2.50 k |  |  |
| nim | lanes, portable | 1 | 125 |  |  |
| nim | by hand | 2 | 1.00 k | 1.00 | 1.00 |
| nim | lanes, avx512 | 2 | 5.00 k | 1.00 | 1.00 |
";
        assert_eq!(text, expected);
    }

    #[test]
    fn one_number_of_threads_needs_no_comparison() {
        let mut report = example();
        report.contests[0].contestants.retain(|contestant| contestant.threads == 1);
        assert!(!report.to_string().contains("Threads"));
    }

    #[test]
    fn ratios_have_two_digits() {
        let texts = [21.7, 9.96, 1.04, 0.871, 0.041, 0.0038].map(times);
        assert_eq!(texts, ["22", "10", "1.0", "0.87", "0.041", "0.0038"]);
    }
}

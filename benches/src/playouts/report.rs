//! The report of a contest: rates, ratios and scaling of its samples.

use crate::machine::Machine;
use gdl_tools::statistics::median;
use serde::{Serialize, Serializer, ser::SerializeStruct};

/// The measurements of a contest. `Display` writes the table in Markdown.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub(super) machine: Machine,
    /// The seconds for each contestant in each game.
    pub(super) seconds: f64,
    pub(super) rounds: u64,
    pub(super) contests: Vec<Contest>,
}

/// The measurements of one game.
#[derive(Clone, Debug)]
pub(super) struct Contest {
    pub(super) game: &'static str,
    /// The contestants, by number of threads and then in the order of the engines.
    pub(super) contestants: Vec<Contestant>,
}

/// An engine with its instruction set, number of threads and samples.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Contestant {
    pub(super) engine: &'static str,
    /// The instruction set, if the engine has a choice.
    pub(super) isa: Option<&'static str>,
    pub(super) threads: usize,
    /// One sample of each round.
    pub(super) samples: Vec<Sample>,
}

/// The numbers of games and states of one run, and its time.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Sample {
    pub(super) playouts: u64,
    pub(super) states: u64,
    /// Processor seconds of all threads together.
    pub(super) cpu_seconds: f64,
    /// Wall-clock seconds.
    pub(super) seconds: f64,
}

impl Sample {
    fn rate(&self) -> f64 {
        self.playouts as f64 / self.cpu_seconds
    }
}

impl Contestant {
    /// The name of the engine, with its instruction set if it has a choice.
    pub(super) fn name(&self) -> String {
        self.isa.map_or_else(|| self.engine.to_owned(), |isa| format!("{}, {isa}", self.engine))
    }

    /// The median of playouts per second of processor time.
    pub(super) fn playouts_per_second(&self) -> f64 {
        median(self.samples.iter().map(Sample::rate))
    }

    /// The median of states per second of processor time.
    pub(super) fn states_per_second(&self) -> f64 {
        median(self.samples.iter().map(|sample| sample.states as f64 / sample.cpu_seconds))
    }

    /// The median of playouts per wall-clock second.
    pub(super) fn playouts_by_clock(&self) -> f64 {
        median(self.samples.iter().map(|sample| sample.playouts as f64 / sample.seconds))
    }

    /// The rates as multiples of another contestant's, round by round, by processor time.
    fn ratios(&self, other: &Self) -> Vec<f64> {
        self.samples.iter().zip(&other.samples).map(|(own, other)| own.rate() / other.rate()).collect()
    }
}

impl Contest {
    /// The least, median and greatest ratio to the first engine with the same number of threads.
    /// Returns `None` for that engine itself.
    pub(super) fn ratios(&self, contestant: &Contestant) -> Option<[f64; 3]> {
        let yardstick = self.contestants.iter().find(|other| other.threads == contestant.threads)?;
        if yardstick.engine == contestant.engine {
            return None;
        }
        let ratios = contestant.ratios(yardstick);
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = ratios.iter().copied().fold(0.0, f64::max);
        Some([least, median(ratios), greatest])
    }

    /// The playouts of each thread as a share of those on a single thread: by the clock, which
    /// other work disturbs, and by processor time. Returns `None` for a contestant with a single
    /// thread.
    pub(super) fn scaling(&self, contestant: &Contestant) -> Option<[f64; 2]> {
        let alone = self.contestants.iter().find(|other| {
            (other.engine, other.isa, other.threads) == (contestant.engine, contestant.isa, 1)
        })?;
        if contestant.threads == 1 {
            return None;
        }
        let by_clock = contestant.samples.iter().zip(&alone.samples).map(|(own, alone)| {
            let rates = [own, alone].map(|sample| sample.playouts as f64 / sample.seconds);
            rates[0] / rates[1] / contestant.threads as f64
        });
        Some([median(by_clock), median(contestant.ratios(alone))])
    }
}

impl Serialize for Contest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            #[serde(flatten)]
            contestant: &'a Contestant,
            playouts_per_cpu_second: f64,
            states_per_cpu_second: f64,
            playouts_per_second: f64,
            /// The ratio to the first engine.
            ratio: Option<f64>,
            /// The scaling by the clock and by processor time.
            scaling: Option<[f64; 2]>,
        }
        let rows: Vec<Row<'_>> = self
            .contestants
            .iter()
            .map(|contestant| Row {
                contestant,
                playouts_per_cpu_second: contestant.playouts_per_second(),
                states_per_cpu_second: contestant.states_per_second(),
                playouts_per_second: contestant.playouts_by_clock(),
                ratio: self.ratios(contestant).map(|[_, median, _]| median),
                scaling: self.scaling(contestant),
            })
            .collect();
        let mut contest = serializer.serialize_struct("Contest", 2)?;
        contest.serialize_field("game", self.game)?;
        contest.serialize_field("contestants", &rows)?;
        contest.end()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A contestant with samples of a thousand playouts in the given processor seconds.
    fn contestant(
        engine: &'static str,
        isa: Option<&'static str>,
        threads: usize,
        seconds: &[f64],
    ) -> Contestant {
        let sample = |&cpu_seconds: &f64| {
            let seconds = 2.0 * cpu_seconds / threads as f64;
            Sample { playouts: 1000, states: 9000, cpu_seconds, seconds }
        };
        Contestant { engine, isa, threads, samples: seconds.iter().map(sample).collect() }
    }

    /// A contest of two engines in three rounds, with a disturbance in the second.
    pub(in super::super) fn example() -> Report {
        let contestants = vec![
            contestant("by hand", None, 1, &[1.0, 7.0, 1.0]),
            contestant("lanes", Some("avx512"), 1, &[0.1, 0.7, 0.2]),
            contestant("lanes", Some("portable"), 1, &[4.0, 28.0, 2.0]),
            contestant("by hand", None, 2, &[1.0, 1.0, 2.0]),
            contestant("lanes", Some("avx512"), 2, &[0.2, 0.7, 0.2]),
        ];
        let machine = Machine { processor: None, cores: 2, isa: "avx512", load: [Some(0.5), Some(1.5)] };
        let contests = vec![Contest { game: "nim", contestants }];
        Report { machine, seconds: 2.0, rounds: 3, contests }
    }

    #[test]
    fn ratios_are_those_of_each_round() {
        let contest = &example().contests[0];
        let [hand, lanes, portable, hand2, lanes2] = &contest.contestants[..] else { panic!("five") };
        // The median rates alone would give 5, from a round in which both were disturbed alike.
        assert_eq!(contest.ratios(lanes), Some([5.0, 10.0, 10.0]));
        assert_eq!(contest.ratios(portable), Some([0.25, 0.25, 0.5]));
        assert_eq!((contest.ratios(hand), contest.ratios(hand2)), (None, None));
        assert_eq!(contest.ratios(lanes2), Some([1.0 / 0.7, 5.0, 10.0]));
        let rates = [hand.playouts_per_second(), hand.states_per_second(), hand.playouts_by_clock()];
        assert_eq!(rates.map(|rate| rate.to_string()), ["1000", "9000", "500"]);
        assert_eq!((hand.name(), lanes.name()), ("by hand".to_owned(), "lanes, avx512".to_owned()));
    }

    #[test]
    fn threads_are_compared_with_the_same_engine_alone() {
        let contest = &example().contests[0];
        let [hand, lanes, portable, hand2, lanes2] = &contest.contestants[..] else { panic!("five") };
        for alone in [hand, lanes, portable] {
            assert_eq!(contest.scaling(alone), None);
        }
        assert_eq!(contest.scaling(hand2), Some([1.0, 1.0]));
        assert_eq!(contest.scaling(lanes2), Some([1.0, 1.0]));
    }

    #[test]
    fn json_has_what_is_computed_and_what_was_measured() {
        let report = serde_json::to_value(example()).unwrap();
        assert_eq!((&report["rounds"], &report["machine"]["cores"]), (&3.into(), &2.into()));
        let lanes = &report["contests"][0]["contestants"][1];
        let keys: Vec<&String> = lanes.as_object().unwrap().keys().collect();
        let expected = [
            "engine",
            "isa",
            "threads",
            "samples",
            "playouts_per_cpu_second",
            "states_per_cpu_second",
            "playouts_per_second",
            "ratio",
            "scaling",
        ];
        assert_eq!(keys, expected);
        assert_eq!((&lanes["ratio"], &lanes["samples"][2]["playouts"]), (&10.0.into(), &1000.into()));
    }
}

//! The contest of engines, which take turns. Its [`Report`] has one sample of each setup, game and
//! round.

use super::{
    engine::{End, Engine, Run},
    report::{Contest, Contestant, Report, Sample},
};
use crate::machine::Machine;
use cpu_time::ProcessTime;
use gdl_runtime::lanes::Isa;
use std::time::Instant;

/// An engine with its instruction set and number of threads.
#[derive(Clone, Copy)]
pub(super) struct Setup<'e> {
    engine: &'e Engine,
    /// The instruction set, if the engine has a choice.
    isa: Option<Isa>,
    threads: usize,
}

/// The duration of a contest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The seconds for each setup on each game.
    pub(super) seconds: f64,
    pub(super) rounds: u64,
}

/// All setups, ordered by number of threads, then engine, then instruction set.
pub(super) fn setups<'e>(engines: &'e [Engine], isas: &[Isa], threads: &[usize]) -> Vec<Setup<'e>> {
    let mut setups = Vec::new();
    for &threads in threads {
        for engine in engines {
            if engine.has_isas {
                setups.extend(isas.iter().map(|&isa| Setup { engine, isa: Some(isa), threads }));
            } else {
                setups.push(Setup { engine, isa: None, threads });
            }
        }
    }
    setups
}

/// Plays each game with all setups, and calls `tell` after each sample.
///
/// A first sample of each setup warms up and is not counted. Later samples have the number of
/// playouts of the first one, so that every round does the same work.
pub(super) fn hold(
    games: &[&'static str],
    setups: &[Setup<'_>],
    plan: Plan,
    tell: &mut dyn FnMut(),
) -> Report {
    let mut machine = Machine::find();
    let contests = games.iter().map(|game| contest(game, setups, plan, tell)).collect();
    machine.finish();
    Report { machine, seconds: plan.seconds, rounds: plan.rounds, contests }
}

fn contest(game: &'static str, setups: &[Setup<'_>], plan: Plan, tell: &mut dyn FnMut()) -> Contest {
    let mut contestants: Vec<_> = setups
        .iter()
        .map(|setup| {
            let player = (setup.engine.make)(game);
            let run = Run {
                seed: 0,
                end: End::Seconds(plan.seconds / plan.rounds as f64),
                threads: setup.threads,
                isa: setup.isa.unwrap_or(Isa::Portable),
            };
            let end = End::Count(player(&run).playouts);
            tell();
            (player, Run { end, ..run }, Vec::new())
        })
        .collect();
    for seed in 1..=plan.rounds {
        for (player, run, samples) in &mut contestants {
            let (clock, processor) = (Instant::now(), ProcessTime::now());
            let played = player(&Run { seed, ..*run });
            samples.push(Sample {
                playouts: played.playouts,
                states: played.states,
                cpu_seconds: processor.elapsed().as_secs_f64(),
                seconds: clock.elapsed().as_secs_f64(),
            });
            tell();
        }
    }
    let contestants = setups.iter().zip(contestants).map(|(setup, (_, _, samples))| Contestant {
        engine: setup.engine.name,
        isa: setup.isa.map(Isa::name),
        threads: setup.threads,
        samples,
    });
    Contest { game, contestants: contestants.collect() }
}

#[cfg(test)]
mod tests {
    use super::{super::engine::ENGINES, *};

    #[test]
    fn each_setup_has_a_sample_of_each_round() {
        let isas = [Isa::Portable, Isa::best()];
        let setups = setups(ENGINES, &isas, &[1, 2]);
        let lanes = ENGINES.iter().filter(|engine| engine.has_isas).count();
        assert_eq!(setups.len(), 2 * (ENGINES.len() + lanes));
        let mut told = 0;
        let plan = Plan { seconds: 1e-6, rounds: 3 };
        let report = hold(&["nim", "rock_paper_scissors"], &setups, plan, &mut || told += 1);
        assert_eq!(told, 2 * setups.len() * 4);
        assert_eq!(
            report.contests.iter().map(|contest| contest.game).collect::<Vec<_>>(),
            ["nim", "rock_paper_scissors"]
        );
        for contest in &report.contests {
            assert_eq!(contest.contestants.len(), setups.len());
            for contestant in &contest.contestants {
                let [first, .., last] = &contestant.samples[..] else { panic!("three samples") };
                assert_eq!(contestant.samples.len(), 3);
                assert_eq!(first.playouts, last.playouts);
            }
        }
    }
}

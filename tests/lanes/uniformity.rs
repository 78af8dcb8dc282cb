//! Random play in lanes is uniform: in every state, each legal move of a role is equally likely.
//!
//! The test watches lanes play and takes the legal moves before each step from the table. For each
//! role and number of legal moves, it counts how often each index is chosen, and applies Pearson's
//! chi-square test. The seeds are fixed, so the result is always the same. Over random seeds, a
//! fair choice would fail with a probability of 6.3e-5 for each game and engine.

use gdl_games::{Entry, Visitor, compiled, visit};
use gdl_runtime::{
    Game, GameExt,
    engine::{Lockstep, Table},
    game::Id,
    lanes::Isa,
    playouts::PlayoutMode,
};
use std::collections::BTreeMap;

/// The number of choices to count in each game. Games with expensive tables are limited by `WORK`,
/// in gates.
const CHOICES: usize = 60_000;
const WORK: usize = 100_000_000;

/// The largest tolerated distance of the sum from its mean, in standard deviations.
const DEVIATIONS: f64 = 4.0;

/// The number of times that each index was chosen, by role and number of legal moves.
type Counts = BTreeMap<(usize, usize), Vec<u32>>;

/// Counts the choices of all lanes. The legal moves come from the table that the lanes run.
fn count<G: Game>(game: &G, table: &Table, isa: Isa, straight: bool) -> Counts {
    let (observe, _) = table.gates();
    let mut left = (WORK / (observe + 200)).min(CHOICES);
    let mut counts = Counts::new();
    let mut states: Vec<G::State> = vec![game.initial(); Lockstep::LANES];
    for block in 0.. {
        let games = 2 * Lockstep::LANES as u64;
        let lanes = Lockstep::new(table, isa, straight, 2, block, games, 10_000);
        let mut lanes = lanes.expect("built-in games play in lanes");
        while lanes.step() {
            for (lane, state) in states.iter_mut().enumerate() {
                if !lanes.has_moved(lane) {
                    continue;
                }
                if lanes.has_started(lane) {
                    *state = game.initial();
                }
                let view = game.view(state);
                let mut has_choice = false;
                for (role, made) in game.roles().zip(lanes.joint(lane)) {
                    let legal = game.legal_moves_in(&view, role);
                    let length = legal.len();
                    if length > 1 {
                        let place = legal.into_iter().position(|action| action.index() == made);
                        let counts = counts.entry((role.index(), length)).or_insert_with(|| vec![0; length]);
                        counts[place.expect("only legal moves are made")] += 1;
                        has_choice = true;
                    }
                }
                lanes.state(lane, state.as_mut());
                left -= usize::from(has_choice);
                if left == 0 {
                    return counts;
                }
            }
        }
    }
    counts
}

/// The distance of Pearson's chi-square sum from its mean under equal chances, in standard
/// deviations. Pairs of a role and a number of legal moves are left out if the expected count of an
/// index is below five.
fn deviations(counts: &Counts) -> f64 {
    let (mut sum, mut degrees) = (0.0, 0.0);
    for places in counts.values() {
        let expected = f64::from(places.iter().sum::<u32>()) / places.len() as f64;
        if expected >= 5.0 {
            sum += places.iter().map(|&made| (f64::from(made) - expected).powi(2) / expected).sum::<f64>();
            degrees += places.len() as f64 - 1.0;
        }
    }
    assert!(degrees > 0.0, "there are choices");
    // The Wilson-Hilferty approximation: the cube root is about normal with this mean and variance.
    let variance = 2.0 / (9.0 * degrees);
    ((sum / degrees).cbrt() - (1.0 - variance)) / variance.sqrt()
}

struct Test;

impl Visitor for Test {
    type Output = ();

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(self, game: G, entry: &'static Entry) {
        let table = game.table().expect("a table");
        let isa = Isa::best();
        for straight in [false, true] {
            if straight && !table.has_straight_lanes(isa) {
                continue;
            }
            let engine = if straight { PlayoutMode::Lanes } else { PlayoutMode::TableLanes };
            let deviations = deviations(&count(&game, table, isa, straight));
            assert!(deviations.abs() < DEVIATIONS, "{}, {engine:?}: {deviations}", entry.name);
        }
    }
}

#[test]
fn lanes_choose_uniformly_in_all_states_they_come_to() {
    for entry in compiled() {
        visit(entry.name, Test);
    }
}

/// Counts of biased choices, which a test of uniformity must reject.
#[test]
fn what_is_not_uniform_shows() {
    let fair: Counts = [((0, 2), vec![1_000, 1_040]), ((1, 3), vec![510, 490, 505])].into();
    assert!(deviations(&fair).abs() < DEVIATIONS);
    let unfair: Counts = [((0, 2), vec![1_000, 1_040]), ((1, 3), vec![450, 500, 605])].into();
    assert!(deviations(&unfair) > DEVIATIONS);
}

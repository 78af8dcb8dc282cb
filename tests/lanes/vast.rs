//! Games with many moves, whose signals need more than 65,536 slots, are played in lanes correctly.

use super::expand::{joints, steps};
use gdl_runtime::{
    Dynamic, Game, Playouts,
    lanes::{Batch, Expansion, Isa},
    load, perft,
    playouts::PlayoutMode,
};
use gdl_tests::{successors::check, watch::agree};

/// The number of cells. A player marks two of them in a move.
const CELLS: usize = 262;

/// Two players in turn mark two clear cells, which may coincide; the game has three moves. The
/// first player wins if cell 1 gets marked.
fn pairs() -> Dynamic {
    let cells: Vec<String> = (1..=CELLS).map(|cell| format!("(cell {cell})")).collect();
    let cells = cells.join(" ");
    let rules = format!(
        "(role p) (role q) (init (control p)) (other p q) (other q p) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) {cells}
        (<= (legal ?r (mark ?a ?b))
            (true (control ?r)) (cell ?a) (cell ?b) (not (true (on ?a))) (not (true (on ?b))))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (on ?a)) (does ?r (mark ?a ?b))) (<= (next (on ?b)) (does ?r (mark ?a ?b)))
        (<= (next (on ?a)) (true (on ?a)))
        (<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 3)))
        (<= (goal p 100) (true (on 1))) (<= (goal p 0) (not (true (on 1))))
        (<= (goal q 100) (not (true (on 1)))) (<= (goal q 0) (true (on 1)))"
    );
    let game = load(&rules).expect("it loads");
    assert!(game.shape().moves > 1 << 16);
    game
}

#[test]
fn many_moves_are_played_in_lanes() {
    let game = pairs();
    let table = game.table().expect("a table");
    assert!(agree("pairs", &game, table, 100, 30_000_000));

    // Each of the three moves marks cell 1 if it is one of two cells, which rarely coincide.
    let stats = Playouts::new(&game).count(4_000).run();
    assert_eq!(stats.engine, PlayoutMode::TableLanes);
    assert_eq!((stats.tally.playouts, stats.tally.states), (4_000, 12_000));
    let spared: f64 = (0..3).map(|step| (1.0 - 1.0 / (CELLS - 2 * step) as f64).powi(2)).product();
    let (mean, error) = (stats.mean_goal(0), stats.goal_error(0));
    assert!((mean - 100.0 * (1.0 - spared)).abs() < 4.0 * error, "{mean} +- {error}, {spared} spared");

    // Moves that mark two cells or one, times the number of moves that remain.
    let left = |marked: usize| ((CELLS - marked) as u128).pow(2);
    let all = CELLS as u128 * (CELLS as u128 - 1) * left(2) + CELLS as u128 * left(1);
    assert_eq!(perft(&game, 2).last(), Some(&all));

    let expansion = Expansion::new(&game, Isa::best()).expect("it plays in lanes");
    let steps = steps(&game, &expansion, 65);
    for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        let mut expansion = Expansion::new(&game, isa).expect("it plays in lanes");
        let mut batch = Batch::new(&game);
        let mut counts = [0; Expansion::<Dynamic>::LANES];
        for (phase, steps) in steps.iter().enumerate() {
            let fill = |expansion: &mut Expansion<'_, Dynamic>| {
                expansion.start(phase);
                steps.iter().for_each(|step| expansion.push(&step.state, &step.joint));
            };
            fill(&mut expansion);
            expansion.advance(&mut batch);
            check(&game, &batch, steps.iter().map(|step| (&step.successor, &step.view)), "pairs");
            fill(&mut expansion);
            expansion.count_after(&mut counts);
            for (step, &count) in steps.iter().zip(&counts) {
                assert_eq!(count, joints(&game, &step.view), "{isa:?} at {phase}");
            }
        }
    }
}

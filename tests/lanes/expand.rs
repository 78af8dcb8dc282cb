//! Successors computed in lanes equal those of single steps, on every instruction set and for any
//! number of full lanes. The same holds for all joint moves of states, which lanes enumerate in one
//! or several passes.

use gdl_games::compiled;
use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::{self, BitBox},
    chance::Stream,
    dynamic::MoveId,
    engine::{RowBatch, RowExpansion},
    lanes::{Batch, Expansion, Isa},
    load,
};
use gdl_tests::successors::{check, expand_all, masked, successors};

/// A state, a joint move, the successor and its view.
pub(super) struct Step {
    pub(super) state: BitBox,
    pub(super) joint: Vec<MoveId>,
    pub(super) successor: BitBox,
    pub(super) view: BitBox,
}

/// The steps of random games in single mode, for each phase of the cycle.
pub(super) fn steps(game: &Dynamic, expansion: &Expansion<'_, Dynamic>, count: usize) -> Vec<Vec<Step>> {
    let mut stream = Stream::new(3, 1);
    let mut steps: Vec<Vec<Step>> = (0..expansion.phases()).map(|_| Vec::new()).collect();
    let mut phase = 0;
    let mut state = game.initial();
    while steps.iter().any(|steps| steps.len() < count) {
        assert_eq!(expansion.phase(&state), Some(phase));
        let view = game.view(&state);
        let joint: Option<Vec<MoveId>> =
            game.roles().map(|role| game.random_move_in(&view, role, &mut stream)).collect();
        let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else {
            (state, phase) = (game.initial(), 0);
            continue;
        };
        let successor = game.apply_unchecked(&state, &joint);
        if steps[phase].len() < count {
            let view = game.view(&successor);
            steps[phase].push(Step { state: state.clone(), joint, successor: successor.clone(), view });
        }
        (state, phase) = (successor, (phase + 1) % steps.len());
    }
    steps
}

/// The number of joint moves in a state, by its view.
pub(super) fn joints(game: &Dynamic, view: &BitBox) -> u64 {
    let view = masked(game, view);
    game.roles().map(|role| game.legal_moves_in(&view, role).len() as u64).product()
}

/// Tests that lanes hold the successors. Goals may be missing unless the successor is terminal.
fn check_without_goals(game: &Dynamic, batch: &Batch<Dynamic>, steps: &[Step], name: &str) {
    let goals = game.shape().goal_bit()..game.shape().terminal_bit();
    let (mut state, mut view) = (game.new_state(), game.new_view());
    for (lane, step) in steps.iter().enumerate() {
        batch.state(lane, &mut state);
        batch.view(lane, &mut view);
        assert_eq!(state, step.successor, "{name}, lane {lane}");
        let mut seen = masked(game, &step.view);
        if !game.is_terminal_in(&seen) {
            let missing = |bit: &usize| !bits::test(view.as_ref(), *bit);
            goals.clone().filter(missing).for_each(|bit| seen.as_mut()[bit / 64] &= !(1 << (bit % 64)));
        }
        assert_eq!(view, seen, "{name}, lane {lane}: {}", game.state_text(&state));
    }
}

#[test]
fn successors_are_those_of_single_steps() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let expansion = Expansion::new(&game, Isa::Portable).expect("they play in lanes");
        let steps = steps(&game, &expansion, Expansion::<Dynamic>::LANES);
        let mut counts = [0; Expansion::<Dynamic>::LANES];
        for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let mut expansion = Expansion::new(&game, isa).expect("they play in lanes");
            assert_eq!(expansion.isa(), isa);
            let mut batch = Batch::new(&game);
            for (phase, steps) in steps.iter().enumerate() {
                for count in [1, 512, 7, 64, 65, 511, 512] {
                    let name = format!("{}, {isa:?}, {count} at {phase}", entry.name);
                    let steps = &steps[..count];
                    let fill = |expansion: &mut Expansion<'_, Dynamic>| {
                        expansion.start(phase);
                        steps.iter().for_each(|step| expansion.push(&step.state, &step.joint));
                        assert_eq!(expansion.len(), count);
                    };
                    fill(&mut expansion);
                    expansion.advance(&mut batch);
                    check(&game, &batch, steps.iter().map(|step| (&step.successor, &step.view)), &name);
                    fill(&mut expansion);
                    expansion.advance_without_goals(&mut batch);
                    check_without_goals(&game, &batch, steps, &name);
                    fill(&mut expansion);
                    expansion.count_after(&mut counts);
                    for (step, &count) in steps.iter().zip(&counts) {
                        assert_eq!(count, joints(&game, &step.view), "{name}");
                    }
                    // The views of the states themselves do not depend on moves.
                    fill(&mut expansion);
                    expansion.observe(&mut batch);
                    let views: Vec<BitBox> = steps.iter().map(|step| game.view(&step.state)).collect();
                    check(&game, &batch, steps.iter().map(|step| &step.state).zip(&views), &name);
                    fill(&mut expansion);
                    expansion.count(&mut counts);
                    for (view, &count) in views.iter().zip(&counts) {
                        assert_eq!(count, joints(&game, view), "{name}");
                    }
                }
            }
        }
    }
}

/// Pairs of a state and a joint move give the same successors if they are added together, also
/// after pairs that were added one by one.
#[test]
fn pairs_may_be_added_together() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let typed = Expansion::new(&game, Isa::best()).expect("they play in lanes");
        let mut expansion =
            RowExpansion::new(game.table().expect("a table"), Isa::best()).expect("they play in lanes");
        let mut batch = RowBatch::new(game.shape());
        for (phase, steps) in steps(&game, &typed, Expansion::<Dynamic>::LANES).iter().enumerate() {
            for count in [1, 64, 65, 512] {
                let (front, rest) = steps[..count].split_at(count / 3);
                expansion.start(phase);
                front.iter().for_each(|step| expansion.push(step.state.as_ref(), &step.joint));
                let states: Vec<u64> = rest.iter().flat_map(|step| step.state.as_ref().to_vec()).collect();
                let moves: Vec<MoveId> = rest.iter().flat_map(|step| step.joint.clone()).collect();
                expansion.extend(&states, &moves);
                expansion.advance(&mut batch);
                assert_eq!(batch.len(), count);
                let mut successor = game.new_state();
                for (lane, step) in steps[..count].iter().enumerate() {
                    batch.state(lane, successor.as_mut());
                    assert_eq!(successor, step.successor, "{}, lane {lane} of {count}", entry.name);
                }
            }
        }
    }
}

#[test]
fn all_successors_come_in_order() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let expansion = Expansion::new(&game, Isa::best()).expect("they play in lanes");
        for (phase, steps) in steps(&game, &expansion, 60).iter().enumerate() {
            let states: Vec<&BitBox> = steps.iter().map(|step| &step.state).collect();
            let ends: Vec<&BitBox> = steps
                .iter()
                .map(|step| &step.successor)
                .filter(|successor| game.is_terminal(successor))
                .collect();
            expand_all(&game, &states, phase, Isa::best(), entry.name);
            // Terminal states have no successors.
            expand_all(&game, &ends, (phase + 1) % expansion.phases(), Isa::best(), entry.name);
        }
    }
}

/// Four players who choose at once: 7 x 1 x 11 x 9 joint moves exceed the number of lanes.
#[test]
fn simultaneous_moves_take_several_passes() {
    let text = "(role a) (role b) (role c) (role d) 
        (number a 1) (number a 2) (number a 3) (number a 4) (number a 5) (number a 6) (number a 7)
        (number b 1)
        (number c 1) (number c 2) (number c 3) (number c 4) (number c 5) (number c 6) (number c 7) (number c 8)
        (number c 9) (number c 10) (number c 11)
        (number d 1) (number d 2) (number d 3) (number d 4) (number d 5) (number d 6) (number d 7) (number d 8)
        (number d 9)
        (<= (legal ?r (say ?n)) (number ?r ?n))
        (<= (next (said ?r ?n)) (does ?r (say ?n)))
        (<= terminal (true (said a 7)) (true (said c 11)))
        (<= (goal ?r 100) (true (said ?r 1))) (<= (goal ?r 0) (role ?r) (not (true (said ?r 1))))";
    let game = load(text).expect("it loads");
    let initial = game.initial();
    assert_eq!(successors(&game, &initial).len(), 693);
    for &isa in Isa::ALL {
        expand_all(&game, &[&initial, &initial, &initial], 0, isa, "four players");
    }
}

/// The fluents of `control` determine the phase of a state. A state with none or all of them
/// belongs to no phase of the cycle.
#[test]
fn phases_are_those_of_play() {
    let game = load(gdl_games::find("connect_four").expect("built in").text).expect("it loads");
    let expansion = Expansion::new(&game, Isa::best()).expect("it plays in lanes");
    assert_eq!(expansion.phases(), 2);
    let initial = game.initial();
    assert_eq!(expansion.phase(&initial), Some(0));
    assert_eq!(expansion.phase(&game.new_state()), None);
    let all = BitBox::from(vec![u64::MAX; initial.as_ref().len()]);
    assert_eq!(expansion.phase(&all), None);
    assert_eq!(expansion.phase(&BitBox::from(Vec::new())), None);
    let turns: Vec<usize> = (0..game.shape().fluents)
        .filter(|&f| game.vocabulary().fluents().get(f).is_some_and(|t| t.starts_with("(control")))
        .collect();
    let mut other = initial.clone();
    for fluent in turns {
        let bit = 1 << (fluent % 64);
        other.as_mut()[fluent / 64] ^= bit;
    }
    assert!(bits::count(other.as_ref()) == bits::count(initial.as_ref()));
    assert_eq!(expansion.phase(&other), Some(1));
}

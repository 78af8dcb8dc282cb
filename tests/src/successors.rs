//! Successors of states in lanes, compared with single steps. For states at one phase of the cycle,
//! each successor must be in its place.

use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::BitBox,
    dynamic::MoveId,
    lanes::{Batch, Expansion, Isa},
};

/// The view of a state as lanes hold it: terminal states have no legal moves.
#[must_use]
pub fn masked(game: &Dynamic, view: &BitBox) -> BitBox {
    let mut view = view.clone();
    if game.is_terminal_in(&view) {
        let shape = game.shape();
        view.as_mut()[..shape.roles * shape.legal_words()].fill(0);
    }
    view
}

/// Tests that lanes hold the expected states and views.
///
/// # Panics
/// Panics if they do not.
pub fn check<'s>(
    game: &Dynamic,
    batch: &Batch<Dynamic>,
    expected: impl ExactSizeIterator<Item = (&'s BitBox, &'s BitBox)>,
    name: &str,
) {
    assert_eq!(batch.len(), expected.len());
    let (mut state, mut view) = (game.new_state(), game.new_view());
    for (lane, (expected, seen)) in expected.enumerate() {
        batch.state(lane, &mut state);
        batch.view(lane, &mut view);
        assert_eq!(game.state_text(&state), game.state_text(expected), "{name}, lane {lane}");
        assert_eq!(state, *expected, "{name}, lane {lane}");
        assert_eq!(view, masked(game, seen), "{name}, lane {lane}: {}", game.state_text(&state));
        assert_eq!(batch.is_terminal(lane), game.is_terminal_in(seen), "{name}, lane {lane}");
    }
}

/// All successors of a state in the order of joint moves, computed by single steps.
#[must_use]
pub fn successors(game: &Dynamic, state: &BitBox) -> Vec<(BitBox, BitBox)> {
    let view = game.view(state);
    let mut list = vec![Vec::new()];
    for role in game.roles().filter(|_| !game.is_terminal_in(&view)) {
        let longer = |joint: &Vec<MoveId>| {
            let joint = joint.clone();
            game.legal_moves_in(&view, role).map(move |action| [&joint[..], &[action]].concat())
        };
        list = list.iter().flat_map(longer).collect();
    }
    list.retain(|joint| joint.len() == game.shape().roles);
    let successors = list.iter().map(|joint| game.apply_unchecked(state, joint));
    successors
        .map(|successor| (game.view(&successor), successor))
        .map(|(view, successor)| (successor, view))
        .collect()
}

/// Pushes all joint moves of states at a phase, in as many passes as needed.
///
/// # Panics
/// Panics if the successors differ from single steps, or the game does not play in lanes.
pub fn expand_all(game: &Dynamic, states: &[&BitBox], phase: usize, isa: Isa, name: &str) {
    let mut expansion = Expansion::new(game, isa).expect("they play in lanes");
    let mut batch = Batch::new(game);
    let expected: Vec<(BitBox, BitBox)> = states.iter().flat_map(|state| successors(game, state)).collect();
    let mut rest = &expected[..];
    let (mut states, mut skip) = (states.iter().peekable(), 0);
    while !rest.is_empty() || states.peek().is_some() {
        expansion.start(phase);
        while let Some(state) = states.peek().filter(|_| !expansion.is_full()) {
            let before = expansion.len();
            let left = expansion.push_all(state, &game.view(state), skip);
            skip += (expansion.len() - before) as u64;
            if left == 0 {
                skip = 0;
                states.next();
            } else {
                assert!(expansion.is_full());
            }
        }
        let (here, behind) = rest.split_at(expansion.len());
        rest = behind;
        expansion.advance(&mut batch);
        check(game, &batch, here.iter().map(|(state, view)| (state, view)), name);
    }
}

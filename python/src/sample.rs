//! Plays that fit a role's information, drawn with their exact probability, to resample hidden
//! facts.

use gdl_runtime::{
    Dynamic, Game, GameExt, Information,
    bits::BitBox,
    dynamic::MoveId,
    information::{InformationError, InformationSet},
};

/// A play that fits, as its joint moves, if all other roles draw their moves with equal
/// probability. `draw` gives a number from 0 to below 1, once for each step and once more.
///
/// The states that fit after each step are found first, then the play is drawn from its end to its
/// start. Takes twice the joint moves of the information sets.
///
/// # Errors
/// Those of `draw`, and as for [`InformationSet::step`].
pub(crate) fn play<E: From<InformationError>>(
    game: &Dynamic,
    known: &Information<Dynamic>,
    mut draw: impl FnMut() -> Result<f64, E>,
) -> Result<Vec<Vec<MoveId>>, E> {
    let mut sets = vec![InformationSet::new(game, known.role())];
    for (action, perception) in known.steps() {
        let mut set = sets[sets.len() - 1].clone();
        set.step(*action, perception)?;
        sets.push(set);
    }
    let last = sets[sets.len() - 1].states().map(|(state, p)| (state.clone(), p.to_f64())).collect();
    let mut state: BitBox = pick(last, draw()?).ok_or(InformationError::Impossible)?;
    let mut play = Vec::new();
    let mut view = game.new_view();
    for (set, (action, perception)) in sets.iter().zip(known.steps()).rev() {
        let mut ways = Vec::new();
        for (before, p) in set.states() {
            game.observe(before, &mut view);
            let legal = |role| {
                let moves: Vec<MoveId> = game.legal_moves_in(&view, role).collect();
                if role == known.role() {
                    moves.into_iter().filter(|own| own == action).collect()
                } else {
                    moves
                }
            };
            let legal: Vec<Vec<MoveId>> = game.roles().map(legal).collect();
            let count: usize = legal.iter().map(Vec::len).product();
            for mut rank in 0..count {
                let joint: Vec<MoveId> = legal
                    .iter()
                    .map(|moves| {
                        let chosen = moves[rank % moves.len()];
                        rank /= moves.len();
                        chosen
                    })
                    .collect();
                if game.apply_unchecked(before, &joint) == state
                    && game.perception(before, &joint, known.role()) == *perception
                {
                    ways.push(((before.clone(), joint), p.to_f64() / count as f64));
                }
            }
        }
        let (before, joint) = pick(ways, draw()?).ok_or(InformationError::Impossible)?;
        state = before;
        play.push(joint);
    }
    play.reverse();
    Ok(play)
}

/// One of some things, by their weights.
fn pick<T>(weighted: Vec<(T, f64)>, draw: f64) -> Option<T> {
    let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mut left = draw * total;
    let mut found = None;
    for (thing, weight) in weighted {
        found = Some(thing);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    found
}

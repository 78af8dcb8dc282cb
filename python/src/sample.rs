//! Plays that agree with a role's information, sampled with their exact probability, to resample
//! hidden information.

use gdl_runtime::{
    Dynamic, Game, GameExt, Information,
    bits::BitBox,
    dynamic::MoveId,
    information::{InformationError, InformationSet},
};

/// Draws a play that agrees with the information, and returns its joint moves. Its probability is
/// exact if all other roles draw their moves uniformly. `draw` returns a number from 0 to below 1;
/// it is called once for each step and once more.
///
/// A forward pass finds the information sets after each step, a backward pass draws the play from
/// its end. Together they make twice the joint moves of the information sets.
///
/// # Errors
/// Returns the errors of `draw` and those of [`InformationSet::step`].
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

/// Picks an element with a probability proportional to its weight. `draw` is from 0 to below 1.
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

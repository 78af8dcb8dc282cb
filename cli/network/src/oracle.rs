//! The oracle of a match: it draws legal moves straight from the rules, for as long as no engine is ready or where one knows of none.
//!
//! It is slow and its answers are as good as any, but it needs nothing prepared. Where the rules say what is perceived it
//! makes up the moves of the others.

use crate::seat::{Seat, Step};
use gdl_compiler::{
    Limits, Rules,
    eval::{EvalError, Evaluator, State, Term},
};
use gdl_runtime::chance::Stream;

/// Draws a move of each position that has no other, until there is an engine that needs none or the match is over.
pub(crate) fn draw(seat: &Seat, rules: &Rules, role: usize) {
    // What it cannot answer it leaves to the engines.
    let _ = attend(seat, rules, role);
}

fn attend(seat: &Seat, rules: &Rules, role: usize) -> Result<(), EvalError> {
    let evaluator = Evaluator::with_limits(rules, &Limits::network())?;
    let mut stream = Stream::new(seat.seed, 1);
    let mut state = evaluator.initial()?;
    let (mut position, mut is_offered) = (0, false);
    loop {
        let next = seat.wait(|desk| {
            let is_needed = desk.engine.is_none() || (desk.is_decided && desk.answer.is_none());
            match desk.steps.get(position) {
                _ if desk.end.is_some() || desk.is_best() => Ok(Next::End),
                Some(step) if is_needed => {
                    Ok(Next::Step(step.clone(), desk.place.is_some_and(|place| place.has_percepts)))
                }
                None if is_needed && !is_offered => Ok(Next::Draw),
                _ => Err(None),
            }
        });
        match next {
            Next::End => return Ok(()),
            Next::Draw => {
                is_offered = true;
                if let Some(spare) = pick(&evaluator.legal(&state, role)?, &mut stream) {
                    seat.offer(position, spare.as_str());
                }
            }
            Next::Step(step, has_percepts) => {
                let joint = joint(&evaluator, &state, role, &step, has_percepts, &mut stream)?;
                state = evaluator.next(&state, &joint)?;
                (position, is_offered) = (position + 1, false);
            }
        }
    }
}

/// What is to be done next.
enum Next {
    /// Nothing more.
    End,
    /// Draw a move.
    Draw,
    /// Follow a step, of which percepts are told or not.
    Step(Step, bool),
}

/// The joint move that was told, or one that may have been made.
fn joint(
    evaluator: &Evaluator<'_>,
    state: &State,
    role: usize,
    step: &Step,
    has_percepts: bool,
    stream: &mut Stream,
) -> Result<Vec<Term>, EvalError> {
    if !has_percepts {
        return step.news.iter().map(|action| evaluator.term(action)).collect();
    }
    let own = step.own.as_ref().and_then(|own| evaluator.term(own).ok());
    let drawn = (0..evaluator.roles().len()).map(|other| {
        let drawn = pick(&evaluator.legal(state, other)?, stream);
        let made = if other == role { own.clone().or(drawn) } else { drawn };
        made.ok_or(EvalError::NoRole { role: other })
    });
    drawn.collect()
}

fn pick(terms: &[Term], stream: &mut Stream) -> Option<Term> {
    terms.get(stream.below(terms.len() as u64) as usize).cloned()
}

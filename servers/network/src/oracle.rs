//! The oracle of a match: it draws random legal moves, so that each position has one even if the
//! player has none.
//!
//! The player also draws a move before it thinks, but the player may be late. It may still be busy
//! with the previous position, or share its processor with the compiler. The oracle has its own
//! thread. It interprets the rules, which is slow but needs no preparation, or uses the engine of
//! the match. If the rules hide moves, it draws the moves of the other roles.

use crate::{
    course::Course,
    seat::{ReadyGame, ReceivedStep, RulesStage, Seat},
};
use gdl_compiler::{
    Limits, Rules,
    eval::{EvalError, Evaluator, State, Term},
};
use gdl_runtime::chance::Stream;

/// Draws a move for each position that needs one, until the match is over. `rules` are the rules to
/// draw from and the player's role, if they may be used.
pub(crate) fn draw(seat: &Seat, rules: Option<(&Rules, usize)>) {
    // Rules that exceed the limits of the evaluator are left to the engines.
    let bare = rules.and_then(|(rules, role)| Bare::new(rules, role).ok());
    let mut oracle = Oracle { seed: seat.seed, stream: Stream::new(seat.seed, 1), bare, course: None };
    let mut tried = None;
    while let Some(wanted) = wanted(seat, &mut tried) {
        if let Some(drawn) = oracle.draw(&wanted) {
            seat.offer(wanted.steps.len(), &drawn);
        }
    }
}

/// The source of random legal moves.
struct Oracle<'r> {
    seed: u64,
    stream: Stream,
    bare: Option<Bare<'r>>,
    course: Option<Course>,
}

impl Oracle<'_> {
    /// Draws a legal move of a position.
    fn draw(&mut self, wanted: &Wanted) -> Option<String> {
        let stage = wanted.engine.as_ref().map(|engine| engine.stage);
        if stage == Some(RulesStage::Last) {
            self.bare = None;
        }
        // A lifted engine would have to replay all steps, so it is no faster than the rules.
        if stage > Some(RulesStage::Lifted) {
            self.draw_by_engine(wanted).or_else(|| self.draw_by_rules(wanted))
        } else {
            self.draw_by_rules(wanted).or_else(|| self.draw_by_engine(wanted))
        }
    }

    fn draw_by_rules(&mut self, wanted: &Wanted) -> Option<String> {
        let drawn = self.bare.as_mut()?.draw(&wanted.steps, wanted.has_percepts, &mut self.stream);
        if drawn.is_err() {
            self.bare = None;
        }
        drawn.ok().flatten()
    }

    /// Draws a move with the engine after following the steps. Steps that contradict the rules are
    /// ignored here, since the player reports them.
    fn draw_by_engine(&mut self, wanted: &Wanted) -> Option<String> {
        let engine = wanted.engine.as_ref()?;
        let known = self.course.take().filter(|course| course.engine.stage == engine.stage);
        let course = self.course.insert(known.unwrap_or_else(|| Course::new(engine.clone(), self.seed)));
        for step in &wanted.steps[course.followed..] {
            course.follow(step, &|_| {});
        }
        let view = course.view()?;
        course.draw(&view, &mut self.stream)
    }
}

/// A position that needs a random move.
struct Wanted {
    steps: Vec<ReceivedStep>,
    engine: Option<ReadyGame>,
    has_percepts: bool,
}

/// Waits for a position that needs a move, or for a better engine for it; `tried` is the last
/// position and engine. Returns `None` once the match is over.
fn wanted(seat: &Seat, tried: &mut Option<(usize, Option<RulesStage>)>) -> Option<Wanted> {
    seat.wait(|known| {
        if known.end.is_some() {
            return Ok(None);
        }
        let new = Some((known.steps.len(), known.engine.as_ref().map(|engine| engine.stage)));
        if *tried == new {
            return Err(None);
        }
        known.wants_draw(seat.play)?;
        *tried = new;
        let has_percepts = known.place.is_some_and(|place| place.has_percepts);
        Ok(Some(Wanted { steps: known.steps.clone(), engine: known.engine.clone(), has_percepts }))
    })
}

/// The interpreted rules, and the state after some steps.
struct Bare<'r> {
    evaluator: Evaluator<'r>,
    role: usize,
    state: State,
    followed: usize,
}

impl<'r> Bare<'r> {
    fn new(rules: &'r Rules, role: usize) -> Result<Self, EvalError> {
        let evaluator = Evaluator::with_limits(rules, &Limits::network())?;
        let state = evaluator.initial()?;
        Ok(Self { evaluator, role, state, followed: 0 })
    }

    /// Draws a legal move after the received steps.
    fn draw(
        &mut self,
        steps: &[ReceivedStep],
        has_percepts: bool,
        stream: &mut Stream,
    ) -> Result<Option<String>, EvalError> {
        for step in &steps[self.followed..] {
            let joint = self.joint(step, has_percepts, stream)?;
            self.state = self.evaluator.next(&self.state, &joint)?;
            self.followed += 1;
        }
        let drawn = pick(&self.evaluator.legal(&self.state, self.role)?, stream);
        Ok(drawn.map(|drawn| drawn.as_str().to_owned()))
    }

    /// Returns the joint move of a step. If the rules hide moves, the others' moves are drawn.
    fn joint(
        &self,
        step: &ReceivedStep,
        has_percepts: bool,
        stream: &mut Stream,
    ) -> Result<Vec<Term>, EvalError> {
        let evaluator = &self.evaluator;
        if !has_percepts {
            return step.news.iter().map(|action| evaluator.term(action)).collect();
        }
        let own = step.own.as_ref().and_then(|own| evaluator.term(own).ok());
        let drawn = (0..evaluator.roles().len()).map(|other| {
            let drawn = pick(&evaluator.legal(&self.state, other)?, stream);
            let made = if other == self.role { own.clone().or(drawn) } else { drawn };
            made.ok_or(EvalError::NoRole { role: other })
        });
        drawn.collect()
    }
}

fn pick(terms: &[Term], stream: &mut Stream) -> Option<Term> {
    terms.get(stream.below(terms.len() as u64) as usize).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seat::{End, RolePlace};
    use gdl_compiler::{Options, Source};
    use gdl_runtime::GameExt;
    use std::{sync::Arc, thread, time::Duration};

    const RULES: &str =
        "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?y)) (does r (go ?y))) (<= terminal (true (at 2))) (goal r 100)";

    fn engine(stage: RulesStage) -> ReadyGame {
        let game = gdl_runtime::load(RULES).expect("a sound rulesheet");
        let role = game.roles().next().expect("a role");
        ReadyGame { game, names: Arc::default(), role, stage, kind: "test" }
    }

    /// Returns the moves that are drawn for the first positions without a player.
    fn drawn(has_rules: bool, prepare: impl FnOnce(&Seat)) -> Vec<String> {
        let seat = Seat::new("m", "r", RULES, [0, 0], Duration::ZERO, 0);
        seat.change(|known| known.place = Some(RolePlace { role: 0, has_percepts: false }));
        prepare(&seat);
        let source = Source::new("rules", RULES);
        let rules = gdl_compiler::read(&source, &Options::default()).expect("sound rules").0;
        thread::scope(|scope| {
            scope.spawn(|| draw(&seat, has_rules.then_some((&rules, 0))));
            let next = |news: Option<&[String]>| {
                seat.ask(news);
                seat.wait(|known| known.spare.clone().ok_or(None))
            };
            let first = next(None);
            let second = next(Some(std::slice::from_ref(&first)));
            seat.end(End::Stopped, None);
            vec![first, second]
        })
    }

    #[test]
    fn moves_are_drawn_while_the_player_is_busy() {
        let expected = ["(go 1)", "(go 2)"];
        let bring = |stage: RulesStage, openers: usize| {
            move |seat: &Seat| {
                seat.change(|known| known.openers = openers);
                seat.bring(engine(stage));
            }
        };
        assert_eq!(drawn(true, |seat| seat.change(|known| known.openers = 2)), expected);
        for has_rules in [true, false] {
            for stage in [RulesStage::Lifted, RulesStage::Net, RulesStage::Last] {
                for openers in [0, 1] {
                    assert_eq!(drawn(has_rules, bring(stage, openers)), expected, "{stage:?} {openers}");
                }
            }
        }
    }

    #[test]
    fn a_player_with_an_engine_that_stays_draws_by_itself_at_first() {
        let seat = Seat::new("m", "r", RULES, [60, 60], Duration::ZERO, 0);
        seat.bring(engine(RulesStage::Last));
        let due = || seat.lock().wants_draw(seat.play);
        assert_eq!(due(), Err(None), "nothing is asked yet");
        let (_, deadline, _) = seat.ask(None);
        let later = due().map_err(|due| due.map(|due| due + Duration::from_secs(30)));
        assert_eq!(later, Err(Some(deadline)), "half of the clock is left then");
        seat.decide(0, None, None);
        assert_eq!(due(), Ok(()), "it knows of no move");
        seat.offer(0, "(go 1)");
        assert_eq!(due(), Err(None));
    }
}

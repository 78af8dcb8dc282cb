//! The course of a match: received steps become the information of a role in one engine's game,
//! from which legal moves follow.

use crate::seat::{ReadyGame, ReceivedStep};
use gdl_players::player::Belief;
use gdl_runtime::{
    Dynamic, Game, GameExt, Information,
    bits::BitBox,
    chance::Stream,
    dynamic::{MoveId, PerceptId},
    game::{Id, Perception},
};

/// The information of a role after its received steps.
pub(crate) struct Course {
    pub(crate) engine: ReadyGame,
    pub(crate) information: Information<Dynamic>,
    /// The state, if the rules hide nothing.
    state: BitBox,
    /// The possible states, if the rules hide something.
    belief: Belief<Dynamic>,
    /// The number of received steps, including those that contradict the rules.
    pub(crate) followed: usize,
}

impl Course {
    /// Creates the course at the start of a match. The seed determines the samples of possible
    /// states.
    pub(crate) fn new(engine: ReadyGame, seed: u64) -> Self {
        let information = Information::new(engine.role);
        let (state, belief) = (engine.game.initial(), Belief::new(seed));
        Self { engine, information, state, belief, followed: 0 }
    }

    /// Follows a step. A step that contradicts the rules is skipped and reported to `remark`, and
    /// the state stays the same.
    pub(crate) fn follow(&mut self, step: &ReceivedStep, remark: &dyn Fn(String)) {
        self.followed += 1;
        let game = &self.engine.game;
        let own = |text: &String| self.engine.names.to_own(text);
        let misfit = if game.vocabulary().has_percepts() {
            let percepts: Result<Vec<_>, _> =
                step.news.iter().map(|text| game.parse_percept(&own(text))).collect();
            let action = step.own.as_ref().and_then(|text| game.parse_move(&own(text)).ok());
            match percepts {
                Err(error) => Some(error.to_string()),
                Ok(percepts) => {
                    let fits = self.perceive(action, &Perception::percepts(percepts));
                    (!fits).then(|| "no move leads to these percepts".to_owned())
                }
            }
        } else {
            let joint: Result<Vec<MoveId>, _> =
                step.news.iter().map(|text| game.parse_move(&own(text))).collect();
            match joint {
                Err(error) => Some(error.to_string()),
                Ok(joint) => match game.apply(&self.state, &joint) {
                    Err(error) => Some(error.to_string()),
                    Ok(next) => {
                        self.state = next;
                        self.information
                            .push(joint[self.engine.role.index()], Perception::Joint(joint.into()));
                        None
                    }
                },
            }
        };
        if let Some(misfit) = misfit {
            remark(format!("step {} contradicts the rules: {misfit}", self.followed));
        }
    }

    /// Adds percepts after the player's own move. A manager may have replaced that move without
    /// notice; then the first legal move that fits the percepts is used. Returns false if no move
    /// fits.
    fn perceive(&mut self, action: Option<MoveId>, perception: &Perception<MoveId, PerceptId>) -> bool {
        let (game, role) = (&self.engine.game, self.engine.role);
        let told = |action: MoveId| {
            let mut information = self.information.clone();
            information.push(action, perception.clone());
            information
        };
        if let Some(information) = action.map(told)
            && self.belief.follow(game, &information)
        {
            self.information = information;
            return true;
        }
        self.belief.follow(game, &self.information);
        let state = self.belief.draw().cloned();
        let legal = state.map_or_else(Vec::new, |state| game.legal_moves(&state, role).collect());
        let found = legal.into_iter().map(told).find(|information| self.belief.follow(game, information));
        let is_found = found.is_some();
        self.information = found.unwrap_or_else(|| self.information.clone());
        self.belief.follow(game, &self.information);
        is_found
    }

    /// Returns the view of the current or a possible state, without goals. Returns `None` if no
    /// possible state is known.
    pub(crate) fn view(&mut self) -> Option<<Dynamic as Game>::View> {
        let game = &self.engine.game;
        let state = if game.vocabulary().has_percepts() {
            self.belief.follow(game, &self.information);
            self.belief.draw()?
        } else {
            &self.state
        };
        let mut view = game.new_view();
        game.observe_without_goals(state, &mut view);
        Some(view)
    }

    /// Draws a legal move in a view, in the words of the match.
    pub(crate) fn draw(&self, view: &<Dynamic as Game>::View, stream: &mut Stream) -> Option<String> {
        let drawn = self.engine.game.random_move_in(view, self.engine.role, stream)?;
        Some(self.received(drawn))
    }

    /// Returns a move in the words of the match.
    pub(crate) fn received(&self, action: MoveId) -> String {
        self.engine.names.to_received(self.engine.game.move_text(action))
    }
}

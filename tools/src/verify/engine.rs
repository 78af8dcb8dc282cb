//! A game of the runtime, compiled or loaded, as a [`Reasoner`] with KIF texts.

use super::Reasoner;
use gdl_runtime::{Game, GameExt, game::Id};

/// A game as a [`Reasoner`].
#[derive(Clone, Copy, Debug)]
pub struct GameReasoner<'g, G>(pub &'g G);

impl<G: Game> Reasoner for GameReasoner<'_, G> {
    type State = G::State;

    fn roles(&self) -> Vec<String> {
        self.0.roles().map(|role| self.0.role_text(role).to_owned()).collect()
    }

    fn initial(&self) -> Result<G::State, String> {
        Ok(self.0.initial())
    }

    fn fluents(&self, state: &G::State) -> Vec<String> {
        self.0.fluents(state).map(|fluent| self.0.fluent_text(fluent).to_owned()).collect()
    }

    fn legal(&self, state: &G::State, role: usize) -> Result<Vec<String>, String> {
        let role = G::Role::from_index(role);
        Ok(self.0.legal_moves(state, role).map(|action| self.0.move_text(action).to_owned()).collect())
    }

    fn next(&self, state: &G::State, joint: &[String]) -> Result<G::State, String> {
        let moves: Result<Vec<G::Move>, _> = joint.iter().map(|text| self.0.parse_move(text)).collect();
        let moves = moves.map_err(|error| error.to_string())?;
        self.0.apply(state, &moves).map_err(|error| error.to_string())
    }

    fn terminal(&self, state: &G::State) -> Result<bool, String> {
        Ok(self.0.is_terminal(state))
    }

    fn goals(&self, state: &G::State, role: usize) -> Result<Vec<String>, String> {
        // Values are sorted as texts: 100 comes before 50.
        let goals = self.0.goals(state, G::Role::from_index(role));
        let mut texts: Vec<String> = goals.iter().map(u8::to_string).collect();
        texts.sort_unstable();
        Ok(texts)
    }
}

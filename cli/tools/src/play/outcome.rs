//! How a game ended: who won in a terminal state, in words for people.

use gdl_runtime::{Game, GameExt};

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// One role has a greater goal than all others. Its name, and all goals.
    Won(String, Vec<u8>),
    /// Several roles share the greatest goal.
    Draw(Vec<u8>),
    /// There is one role, and this is its goal.
    Reached(String, u8),
    /// Some role has no goal or several.
    Unknown,
}

impl Outcome {
    /// Of a terminal state.
    #[must_use]
    pub fn of<G: Game>(game: &G, state: &G::State) -> Self {
        let view = game.view(state);
        let players: Vec<G::Role> = game.roles().filter(|&role| Some(role) != game.chance_role()).collect();
        let goals: Option<Vec<u8>> = players.iter().map(|&role| game.goal_in(&view, role)).collect();
        let Some(goals) = goals else { return Self::Unknown };
        let name = |place: usize| game.role_text(players[place]).to_owned();
        let best = goals.iter().copied().max().unwrap_or(0);
        let with_best: Vec<usize> = (0..goals.len()).filter(|&place| goals[place] == best).collect();
        match with_best[..] {
            [] => Self::Unknown,
            [place] if goals.len() == 1 => Self::Reached(name(place), best),
            [place] => Self::Won(name(place), goals),
            _ => Self::Draw(goals),
        }
    }

    /// A few words that say it: `x won`, `draw`.
    #[must_use]
    pub fn headline(&self) -> String {
        match self {
            Self::Won(name, _) | Self::Reached(name, 100) => format!("{name} won"),
            Self::Draw(_) => "draw".to_owned(),
            Self::Reached(name, goal) => format!("{name} ended with {goal} of 100"),
            Self::Unknown => "the game is over".to_owned(),
        }
    }

    /// A line that says it.
    #[must_use]
    pub fn text(&self) -> String {
        let list = |goals: &[u8]| goals.iter().map(u8::to_string).collect::<Vec<_>>().join(" to ");
        match self {
            Self::Won(name, goals) => format!("{name} wins, {}.", list(goals)),
            Self::Draw(goals) => format!("A draw, {}.", list(goals)),
            Self::Reached(name, 100) => format!("{name} wins, with a goal of 100."),
            Self::Reached(name, goal) => format!("{name} ends with a goal of {goal} out of 100."),
            Self::Unknown => "The game is over, and the rules do not say who won.".to_owned(),
        }
    }
}

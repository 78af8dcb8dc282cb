//! The result of a game in a terminal state, in words for people.

use gdl_runtime::{Game, GameExt};

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// One role has a greater goal than all others: its name, and all goals.
    Won(String, Vec<u8>),
    /// All roles have the same goal, neither 0 nor 100.
    Draw(Vec<u8>),
    /// Several roles share the greatest goal and others have less, or all roles have 100: the names
    /// of these roles, and all goals.
    Shared(Vec<String>, Vec<u8>),
    /// All roles have goal 0: the number of roles.
    Lost(usize),
    /// A game for one role: the name of the role and its goal.
    Reached(String, u8),
    /// Some role has no goal or several.
    Unknown,
}

impl Outcome {
    /// Returns the result in a terminal state.
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
            _ if best == 0 => Self::Lost(goals.len()),
            _ if best < 100 && with_best.len() == goals.len() => Self::Draw(goals),
            _ => Self::Shared(with_best.into_iter().map(name).collect(), goals),
        }
    }

    /// Returns the result in a few words: `x won`, `draw`.
    #[must_use]
    pub fn headline(&self) -> String {
        match self {
            Self::Won(name, _) | Self::Reached(name, 100) => format!("{name} won"),
            Self::Draw(_) => "draw".to_owned(),
            Self::Shared(names, goals) if goals.contains(&100) => {
                format!("{} won", listed(names))
            }
            Self::Shared(names, _) => format!("{} share the first place", listed(names)),
            Self::Lost(count) => format!("{} lost", if *count == 2 { "both" } else { "all" }),
            Self::Reached(name, goal) => format!("{name} ended with {goal} of 100"),
            Self::Unknown => "the game is over".to_owned(),
        }
    }

    /// Returns the result as a sentence.
    #[must_use]
    pub fn text(&self) -> String {
        let list = |goals: &[u8]| goals.iter().map(u8::to_string).collect::<Vec<_>>().join(" to ");
        match self {
            Self::Won(name, goals) => format!("{name} wins, {}.", list(goals)),
            Self::Draw(goals) => format!("A draw, {}.", list(goals)),
            Self::Shared(names, goals) if goals.contains(&100) => {
                format!("{} win, {}.", listed(names), list(goals))
            }
            Self::Shared(names, goals) => {
                format!("{} share the first place, {}.", listed(names), list(goals))
            }
            Self::Lost(count) => format!("{} lose.", if *count == 2 { "Both" } else { "All" }),
            Self::Reached(name, 100) => format!("{name} wins, with a goal of 100."),
            Self::Reached(name, goal) => format!("{name} ends with a goal of {goal} out of 100."),
            Self::Unknown => "The game is over, and the rules do not say who won.".to_owned(),
        }
    }
}

/// Joins names for a sentence: `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::{Options, Source};
    use gdl_runtime::engine::compile;

    /// Returns the headline of a game with these goals that is over at the start.
    fn headline(goals: &[u8]) -> String {
        let goals = goals.iter().enumerate();
        let goals =
            goals.map(|(role, goal)| format!("(role r{role}) (legal r{role} wait) (goal r{role} {goal})"));
        let goals = goals.collect::<Vec<_>>().join(" ");
        let rules = format!("{goals} (init over) (<= (next over) (true over)) (<= terminal (true over))");
        let game = compile(&Source::new("ends", rules), &Options::default()).expect("it is sound");
        Outcome::of(&game, &game.initial()).headline()
    }

    #[test]
    fn all_winners_are_named_and_endings_that_are_shared_are_told_apart() {
        assert_eq!(headline(&[100, 0]), "r0 won");
        assert_eq!(headline(&[50, 50]), "draw");
        assert_eq!(headline(&[100, 100, 0]), "r0 and r1 won");
        assert_eq!(headline(&[100, 100]), "r0 and r1 won");
        assert_eq!(headline(&[40, 60, 60]), "r1 and r2 share the first place");
        assert_eq!(headline(&[0, 0]), "both lost");
        assert_eq!(headline(&[0, 0, 0]), "all lost");
        assert_eq!(headline(&[40]), "r0 ended with 40 of 100");
    }
}

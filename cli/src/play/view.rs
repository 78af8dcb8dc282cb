//! Positions for people: in come a state and the board of its game, out go lines of text.

use clap::builder::styling::{AnsiColor, Style};
use gdl_runtime::{Board, Game, Id, board::grouped};

/// One for each family of marks.
const COLOURS: [Style; 6] = [
    AnsiColor::BrightCyan.on_default().bold(),
    AnsiColor::BrightMagenta.on_default().bold(),
    AnsiColor::BrightYellow.on_default().bold(),
    AnsiColor::BrightGreen.on_default().bold(),
    AnsiColor::BrightBlue.on_default().bold(),
    AnsiColor::BrightRed.on_default().bold(),
];

/// How a game's positions are shown.
pub struct View {
    board: Option<Board>,
}

impl View {
    /// With a board if the game shows one.
    #[must_use]
    pub fn new<G: Game>(game: &G) -> Self {
        Self { board: Board::of(game) }
    }

    /// A position: the board, then whatever else holds, a line for each relation. With colours, which the way out takes
    /// off where they are not wanted.
    #[must_use]
    pub fn text<G: Game>(&self, game: &G, state: &G::State) -> String {
        let held = || game.fluents(state).map(Id::index);
        let mut text = String::new();
        let others: Vec<usize> = match &self.board {
            Some(board) => {
                text += &board.text_with(&board.cells(held()), |mark, symbol| {
                    let colour = COLOURS[mark.family % COLOURS.len()];
                    format!("{colour}{symbol}{colour:#}")
                });
                board.others(held()).collect()
            }
            None => held().collect(),
        };
        let names = game.vocabulary().fluents();
        for (head, values) in grouped(others.into_iter().filter_map(|fluent| names.get(fluent))) {
            let values = values.join(", ");
            text +=
                if values.is_empty() { format!("{head}\n") } else { format!("{head}: {values}\n") }.as_str();
        }
        text
    }

    /// What the symbols on the board stand for. Empty if they say it themselves.
    #[must_use]
    pub fn legend(&self) -> String {
        let legend = self.board.iter().flat_map(Board::legend);
        legend.map(|(symbol, mark)| format!("{symbol} {mark}")).collect::<Vec<_>>().join(", ")
    }
}

/// The moves of a step, without those of roles that had no choice, unless nobody had one.
#[must_use]
pub fn step<G: Game>(game: &G, before: &G::State, joint: &[G::Move]) -> String {
    let view = game.view(before);
    let has_choice = |role: G::Role| game.legal_in(&view, role).len() > 1;
    let nobody = !game.roles().any(has_choice);
    let shown = game.roles().zip(joint).filter(|&(role, _)| nobody || has_choice(role));
    let shown = shown.map(|(role, &action)| format!("{}: {}", game.role_text(role), game.move_text(action)));
    shown.collect::<Vec<_>>().join("   ")
}

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

//! States as lines of text, with the board of the game if it has one.

use clap::builder::styling::{AnsiColor, Style};
use gdl_runtime::{
    Game, GameExt,
    board::{Board, grouped},
    game::Id,
};

/// The colours of marks, one for each family.
const COLOURS: [Style; 6] = [
    AnsiColor::BrightCyan.on_default().bold(),
    AnsiColor::BrightMagenta.on_default().bold(),
    AnsiColor::BrightYellow.on_default().bold(),
    AnsiColor::BrightGreen.on_default().bold(),
    AnsiColor::BrightBlue.on_default().bold(),
    AnsiColor::BrightRed.on_default().bold(),
];

/// A text view of a game's positions.
pub struct View {
    board: Option<Board>,
}

impl View {
    /// Creates the view of a game. Comments of the rulesheet may turn its board.
    #[must_use]
    pub fn new<G: Game>(game: &G, rulesheet: &str) -> Self {
        Self { board: Board::of(game).map(|board| board.with_hints(rulesheet)) }
    }

    /// Returns the text of a position: the board, then a line for each other relation. It has
    /// colours, which the output removes where they are not supported.
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

    /// Returns the meaning of the board's symbols. Empty if the symbols are the names themselves.
    #[must_use]
    pub fn legend(&self) -> String {
        let legend = self.board.iter().flat_map(Board::legend);
        legend.map(|(symbol, mark)| format!("{symbol} {mark}")).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the moves of a step. Roles without a choice are left out, unless no role had one.
#[must_use]
pub fn step<G: Game>(game: &G, before: &G::State, joint: &[G::Move]) -> String {
    let view = game.view(before);
    let has_choice = |role: G::Role| game.legal_moves_in(&view, role).len() > 1;
    let nobody = !game.roles().any(has_choice);
    let shown = game.roles().zip(joint).filter(|&(role, _)| nobody || has_choice(role));
    let shown = shown.map(|(role, &action)| format!("{}: {}", game.role_text(role), game.move_text(action)));
    shown.collect::<Vec<_>>().join("   ")
}

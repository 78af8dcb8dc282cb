//! The arguments of `gdl play`: the game, the role, and the other players.

use crate::args::{terms::TermsArgs, way::WayArgs};
use clap::Args;
use gdl_tools::{
    game::GameArg,
    players::{self, Spec},
};

/// Arguments of `gdl play`.
#[derive(Clone, Debug, Args)]
#[command(after_help = players::help("\
Enter a move by its number, its text, or the beginning of its text if no other move has it. `help`
lists the other commands: undo, redo, hint, save, load, record (a test for `gdl test`). In games
of hidden information only what your role knows is shown.

Columns of the board run from left to right and rows from bottom to top, as the numbers show.

Without --clock and --nodes, players have a second for each move, or 100,000 nodes with --self. With a
clock they also think while you choose at a terminal, for a minute at most.

--self plays the player against itself, and shows each board and the result.

Examples:
  gdl play tictactoe
  gdl play tictactoe --self
  gdl play connect_four --as yellow --against alphabeta:depth=6"))]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub game: GameArg,
    /// The role you play [default: the first one]
    #[arg(long = "as", value_name = "ROLE", conflicts_with = "itself")]
    pub role: Option<String>,
    /// The player of all other roles; `human` is you again
    #[arg(long, value_name = "PLAYER", default_value = players::DEFAULT)]
    pub against: Spec,
    /// Watch that player play all roles
    #[arg(long = "self")]
    pub itself: bool,
    /// The cost of moves.
    #[command(flatten)]
    pub terms: TermsArgs,
    /// The engine that makes moves.
    #[command(flatten)]
    pub engine: WayArgs,
}

//! `gdl play`: a game in the terminal, in a [`session`] with a person, whose lines are read as [`command`]s, or [`alone`].

mod alone;
mod args;
mod command;
mod session;

pub(crate) use args::PlayArgs;

use gdl_tools::{error::Result, output};
use std::io;

/// Plays until the game is over or the person leaves.
///
/// # Errors
/// If the rulesheet is at fault, there is no such role, or stdout takes no more.
pub(crate) fn run(args: &PlayArgs) -> Result {
    let args = PlayArgs { against: args.against.told(&args.game)?, ..args.clone() };
    args.game.with_dynamic(args.engine.way, |game| {
        if args.itself {
            return alone::play(&args, game);
        }
        session::play(&args, game, &mut io::stdin().lock(), &mut output::stdout())
    })?
}

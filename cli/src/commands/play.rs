//! `gdl play`: a game in the terminal, in a [`session`] with a person, whose lines are read as [`command`]s, or [`alone`].

mod alone;
mod args;
mod command;
mod session;

pub(crate) use args::PlayArgs;

use gdl_runtime::Game;
use gdl_tools::{error::Result, game::Task, output};
use std::io;

/// Plays until the game is over or the person leaves.
///
/// # Errors
/// If the rulesheet is at fault, there is no such role, or stdout takes no more.
pub(crate) fn run(args: &PlayArgs) -> Result {
    let args = PlayArgs { against: args.against.told(&args.game)?, ..args.clone() };
    args.game.with_dynamic(Play(&args))?
}

struct Play<'a>(&'a PlayArgs);

impl Task for Play<'_> {
    type Output = Result;

    fn run<G: Game>(self, game: &G) -> Result {
        let Self(args) = self;
        if args.itself {
            return alone::play(args, game);
        }
        session::play(args, game, &mut io::stdin().lock(), &mut output::stdout())
    }
}

//! `gdl play`: plays a game in the terminal. [`session`] is play with a person, whose lines
//! [`command`] parses; [`alone`] is self-play.

mod alone;
mod args;
mod command;
mod session;

pub(crate) use args::PlayArgs;

use gdl_tools::{error::Result, output, players::Spec};
use std::{io, slice};

/// Plays until the game is over or the person leaves.
///
/// # Errors
/// Returns an error if the rulesheet has errors, there is no such role, the player cannot play the
/// game, or writing to stdout fails.
pub(crate) fn run(args: &PlayArgs) -> Result {
    let against = args.against.told(&args.game)?;
    let clocks = args.terms.clocks(slice::from_ref(&against));
    let args = PlayArgs { against: clocks.into_iter().fold(against, Spec::with_clocks), ..args.clone() };
    args.game.with_dynamic(args.engine.way, |game| {
        args.against.check(game)?;
        if args.itself {
            return alone::play(&args, game);
        }
        session::play(&args, game, &mut io::stdin().lock(), &mut output::stdout())
    })?
}

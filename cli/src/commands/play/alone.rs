//! Self-play: shows each position, then the result.

use super::args::PlayArgs;
use gdl_players::{Player, Referee, referee::End};
use gdl_runtime::{Dynamic, Game, GameExt, chance::Stream};
use gdl_tools::{
    error::{Error, Result},
    output::{self, DIM},
    play::{
        outcome::Outcome,
        view::{self, View},
    },
};
use std::{io::Write, slice};

/// The default number of nodes for a move. Nodes instead of a clock make the game reproducible.
const DEFAULT_NODES: u64 = 100_000;

/// The message after a draw.
const DRAW: &str = "The only winning move is not to play.";

/// Plays the player against itself and prints each position and the result.
///
/// # Errors
/// Returns an error if the player is `human`, or if writing to stdout fails.
pub(crate) fn play(args: &PlayArgs, game: &Dynamic) -> Result {
    let mut luck = Stream::new(args.terms.seed, 0);
    let seats = game.roles().filter(|&role| Some(role) != game.chance_role());
    let players: Option<Vec<Box<dyn Player<Dynamic>>>> =
        seats.map(|_| args.against.build(luck.bits())).collect();
    let Some(mut players) = players else {
        return Err(Error::Usage("`human` cannot play itself: leave `--self` out".to_owned()));
    };
    let shown = View::new(game, &args.game.text());
    let mut out = output::stdout();
    writeln!(out, "{}", shown.text(game, &game.initial()))?;
    let mut fault = None;
    let referee = Referee::new(game).seed(args.terms.seed);
    let referee = args.terms.hold(referee, slice::from_ref(&args.against), DEFAULT_NODES);
    let is_far = args.against.is_remote();
    let referee = if is_far { referee.grace(Referee::<Dynamic>::DEFAULT_GRACE) } else { referee };
    let cancel = gdl_runtime::Cancel::default();
    let referee = referee.cancelled_by(&cancel).watch(|played, _| {
        let history = &played.history;
        if history.depth() == 0 {
            return;
        }
        let before = history.parent(history.place()).and_then(|place| history.state_at(place));
        let joint = history.joint(history.place());
        let step =
            before.zip(joint).map_or_else(String::new, |(before, joint)| view::step(game, before, joint));
        let written =
            writeln!(out, "{DIM}{}.{DIM:#} {step}\n{}", history.depth(), shown.text(game, history.state()));
        if let Err(error) = written.and_then(|()| out.flush()) {
            // Stdout is closed, so the match ends.
            fault = Some(error);
            cancel.cancel();
        }
    });
    let played = referee.run(&mut players).map_err(|error| Error::Usage(error.to_string()))?;
    if let Some(error) = fault {
        return Err(error.into());
    }
    let line = match played.end {
        End::Terminal => match Outcome::of(game, played.history.state()) {
            Outcome::Draw(_) => DRAW.to_owned(),
            outcome => outcome.text(),
        },
        End::Stuck => "A role has no legal move: the rules have an error.".to_owned(),
        _ => "The game does not end: abandoned.".to_owned(),
    };
    let faults = played.faults.iter().flatten().flatten().count();
    if faults > 0 {
        writeln!(
            out,
            "{DIM}{} made at random, for late or illegal answers{DIM:#}",
            output::counted(faults, "move")
        )?;
    }
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

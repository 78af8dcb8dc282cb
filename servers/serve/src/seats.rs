//! The seat of a role: a person, a player with options, or a guest elsewhere with an invitation.
//!
//! The constants here limit a machine's time, memory and threads, whatever its options. At most
//! `MOST_RESTING` machines of the server keep their memory from one move to the next. Other
//! machines start anew for each move. A machine takes at most [`Seat::BYTES`].

use crate::problem::{Answer, Problem};
use gdl_compiler::Source;
use gdl_players::{Budget, Player};
use gdl_runtime::{Cancel, Dynamic, GameExt, dynamic::RoleId};
use gdl_tools::{players::Spec, report};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// The player of a role.
pub(crate) enum Seat {
    /// A person at the page.
    Person,
    /// A person elsewhere, who has a link to the seat.
    Guest {
        /// The token of the link, which opens only this seat.
        token: String,
        /// True if the guest has opened the link.
        has_come: bool,
    },
    /// Chance: moves are drawn at random.
    Chance,
    /// A machine.
    Machine {
        /// The kind of player.
        machine: MachinePlayer,
        /// The player with its memory between moves. `None` during a search, or if [`MOST_RESTING`]
        /// other players keep their memory.
        mind: Option<Mind>,
    },
}

/// The most players that keep memory between their moves.
const MOST_RESTING: usize = 4;
static RESTING: AtomicUsize = AtomicUsize::new(0);

/// A player with its memory.
pub(crate) struct Mind {
    /// The player itself.
    pub player: Box<dyn Player<Dynamic>>,
    /// True if the player keeps memory between moves.
    remembers: bool,
    room: Option<Room>,
}

/// A token for one of the [`MOST_RESTING`] players that keep memory.
struct Room;

impl Room {
    fn find() -> Option<Self> {
        let more = |resting| (resting < MOST_RESTING).then_some(resting + 1);
        RESTING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok().map(|_| Self)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        RESTING.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Mind {
    /// Returns the player, to be kept until its next move. Returns `None` if [`MOST_RESTING`] other
    /// players keep their memory already.
    #[must_use]
    pub(crate) fn rest(self) -> Option<Self> {
        let room = if self.remembers { Some(self.room.or_else(Room::find)?) } else { None };
        Some(Self { room, ..self })
    }
}

/// The specification of a player, within the limits of the server.
#[derive(Clone, Debug)]
pub(crate) struct MachinePlayer(Box<Spec>);

impl MachinePlayer {
    /// The default thinking time for a move.
    const CLOCK: Duration = Duration::from_secs(1);

    /// The longest thinking time for a move.
    const MOST: Duration = Duration::from_secs(60);

    /// Creates the player; `seed` is used if the specification has none.
    #[must_use]
    pub(crate) fn build(&self, seed: u64) -> Option<Mind> {
        let remembers = self.0.remembers();
        Some(Mind { player: self.0.build(seed)?, remembers, room: None })
    }

    /// Returns the longest thinking time for a move.
    #[must_use]
    pub(crate) fn time(&self) -> Duration {
        let usual = if self.0.nodes().is_some() { Self::MOST } else { Self::CLOCK };
        self.0.seconds().map_or(usual, Duration::from_secs_f64).min(Self::MOST)
    }

    /// Returns whether the player can continue its search in a further call, so that its progress
    /// can be shown.
    #[must_use]
    pub(crate) fn goes_on(&self) -> bool {
        ["best", "mcts"].contains(&self.0.kind()) && self.0.nodes().is_none()
    }

    /// Returns the budget of a move, or of a part of its search.
    #[must_use]
    pub(crate) fn budget(time: Duration, cancel: &Cancel) -> Budget {
        Budget::within(time).cancelled_by(cancel)
    }
}

impl fmt::Display for MachinePlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Seat {
    /// The name of a person in `seats`.
    pub(crate) const PERSON: &str = "person";

    /// The name of a guest in views.
    pub(crate) const GUEST: &str = "guest";

    /// The most bytes that a machine may use, and the most threads.
    const BYTES: usize = 64 << 20;
    const THREADS: usize = 16;

    /// Parses the seat of a role in a game with these rules.
    ///
    /// # Errors
    /// Returns an error if there is no such player, the page may not choose it, the rulesheet
    /// cannot be sent to it, or the role is chance's.
    pub(crate) fn parse(game: &Dynamic, rules: &Arc<str>, role: RoleId, text: &str) -> Answer<Self> {
        if game.chance_role() == Some(role) {
            return Err(Problem::conflict("chance", "chance plays this role by itself"));
        }
        if text == Self::PERSON {
            return Ok(Self::Person);
        }
        if text == Self::GUEST {
            return Err(Problem::unfit("no_player", "a guest needs an invitation to a seat")
                .help("ask for one by `POST .../invitations`"));
        }
        let spec: Spec = text.parse().map_err(|error: String| {
            let (message, help) =
                error.split_once("\n\n").unwrap_or((&error, "`person` is a person at the page"));
            Problem::unfit("no_player", message).help(help)
        })?;
        if spec.is_human() {
            return Err(Problem::unfit("no_player", "`human` plays in `gdl play` only").help("say `person`"));
        }
        if spec.has_file() {
            return Err(Problem::unfit("no_player", "a page names no files of the machine that serves it")
                .help("`gdl play --against learned:FILE` plays by one"));
        }
        let source = Source::new("rules", &**rules);
        let spec = spec.at_most(Self::BYTES, Self::THREADS).with_rules(&source).map_err(|faults| {
            let fault = faults.iter().next().map_or_else(String::new, |fault| report::line(fault, &source));
            Problem::unfit("no_player", "the rulesheet cannot be sent to a remote player").help(fault)
        })?;
        Ok(Self::Machine { machine: MachinePlayer(Box::new(spec)), mind: None })
    }

    /// Returns the default seats of a game: a person for each role, and chance.
    #[must_use]
    pub(crate) fn usual(game: &Dynamic) -> Vec<Self> {
        let chance = game.chance_role();
        game.roles().map(|role| if Some(role) == chance { Self::Chance } else { Self::Person }).collect()
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str(Self::PERSON),
            Self::Guest { .. } => f.write_str(Self::GUEST),
            Self::Chance => f.write_str("chance"),
            Self::Machine { machine, .. } => machine.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_machines_remember_anything_between_their_moves() {
        let mind = |name: &str| {
            let machine = MachinePlayer(Box::new(name.parse().expect("a player")));
            machine.build(0).and_then(Mind::rest)
        };
        let mut minds: Vec<Option<Mind>> = (0..3 * MOST_RESTING).map(|_| mind("mcts")).collect();
        assert!(minds.iter().flatten().count() <= MOST_RESTING);
        assert!(mind("first").is_some(), "there is nothing to keep");
        // A player that rests may rest again, and frees its room when it is dropped.
        if let Some(kept) = minds.iter_mut().find(|mind| mind.is_some()) {
            *kept = kept.take().and_then(Mind::rest);
            assert!(kept.is_some());
        }
        drop(minds);
        assert!(mind("mcts").is_some());
    }
}

//! Who plays a role: in comes `person` or a player's name with options, out goes a seat.

use super::errors::{Answer, Problem};
use crate::players::Spec;
use gdl_runtime::{Budget, Cancel, Dynamic, Game, Player, RoleId};
use std::{fmt, time::Duration};

/// Who plays a role.
pub enum Seat {
    /// Somebody at the page.
    Person,
    /// The role `random`: moves are drawn.
    Chance,
    /// A player; taken out while it thinks.
    Machine {
        /// Which one.
        machine: Machine,
        /// It, once it has thought.
        player: Option<Box<dyn Player<Dynamic>>>,
    },
}

/// A kind of player, bounded.
#[derive(Clone, Debug)]
pub struct Machine(Spec);

impl Machine {
    /// How long it thinks if nobody says how long or how much.
    const CLOCK: Duration = Duration::from_secs(1);

    /// No machine thinks longer, whatever was said.
    const MOST: Duration = Duration::from_secs(60);

    /// The player, with a seed for one that was not told any.
    #[must_use]
    pub fn build(&self, seed: u64) -> Option<Box<dyn Player<Dynamic>>> {
        self.0.build(seed)
    }

    /// How long it may think at most.
    #[must_use]
    pub fn time(&self) -> Duration {
        let usual = if self.0.nodes().is_some() { Self::MOST } else { Self::CLOCK };
        self.0.seconds().map_or(usual, Duration::from_secs_f64).min(Self::MOST)
    }

    /// If it can be asked again and again and goes on where it was.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.0.kind() == "mcts" && self.0.nodes().is_none()
    }

    /// What it may spend on a move, or on a part of one.
    #[must_use]
    pub fn budget(time: Duration, cancel: &Cancel) -> Budget {
        Budget::within(time).and_cancel(cancel)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Seat {
    /// What people are called.
    pub const PERSON: &str = "person";

    /// The most bytes that a machine may remember in, and the most threads it may have.
    const BYTES: usize = 256 << 20;
    const THREADS: usize = 16;

    /// The seat that is meant.
    ///
    /// # Errors
    /// If nobody is called so, or the role is chance's.
    pub fn parse(game: &Dynamic, role: RoleId, text: &str) -> Answer<Self> {
        if game.chance_role() == Some(role) {
            return Err(Problem::conflict("chance", "chance plays this role by itself"));
        }
        if text == Self::PERSON {
            return Ok(Self::Person);
        }
        let spec: Spec = text.parse().map_err(|error: String| {
            let (message, help) =
                error.split_once("\n\n").unwrap_or((&error, "`person` is somebody at the page"));
            Problem::unfit("no_player", message).help(help)
        })?;
        if spec.is_human() {
            return Err(Problem::unfit("no_player", "`human` plays in `gdl play` only").help("say `person`"));
        }
        let spec = spec.at_most(Self::BYTES, Self::THREADS);
        Ok(Self::Machine { machine: Machine(spec), player: None })
    }

    /// The seats of a game where nobody says otherwise: a person for each role, and chance.
    #[must_use]
    pub fn usual(game: &Dynamic) -> Vec<Self> {
        let chance = game.chance_role();
        game.roles().map(|role| if Some(role) == chance { Self::Chance } else { Self::Person }).collect()
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str(Self::PERSON),
            Self::Chance => f.write_str("chance"),
            Self::Machine { machine, .. } => machine.fmt(f),
        }
    }
}

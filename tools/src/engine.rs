//! Engines and instruction sets by their names on the command line.

use crate::{
    error::{Error, Result},
    game::GameArg,
    load::Way,
};
use clap::ValueEnum;
use gdl_runtime::playouts;

/// The engines for games and moves. Lanes step 512 games or states at once, and a graphics card
/// many thousands of games. All others step one game or state at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// 512 games or states at once, by compiled code, which built-in games within the gate budget
    /// have in release builds, or by the rules as a table
    Lanes,
    /// 512 games at once, by the rules as a table
    TableLanes,
    /// Compiled code, which built-in games within the gate budget have; debug builds run their
    /// tables
    Straight,
    /// The rules as a table
    Table,
    /// The rules as a net; each step evaluates the gates that change: for vast nets
    Events,
    /// The rules themselves, state by state: slow, but nothing is grounded
    Lifted,
    /// One game or state at a time, whichever way the rules are run
    Single,
    /// Many thousands of random games at once, on a graphics card
    Gpu,
}

impl EngineChoice {
    /// Returns whether the engine steps 512 games or states at once.
    #[must_use]
    pub fn is_lanes(self) -> bool {
        matches!(self, Self::Lanes | Self::TableLanes)
    }

    /// Returns the mode of playouts for this choice.
    #[must_use]
    pub fn of_playouts(self) -> playouts::PlayoutMode {
        match self {
            Self::Lanes => playouts::PlayoutMode::Lanes,
            Self::TableLanes => playouts::PlayoutMode::TableLanes,
            _ => playouts::PlayoutMode::Single,
        }
    }

    /// Returns the mode of perft for this choice. Perft in lanes always uses the table.
    #[must_use]
    pub fn of_perft(self) -> playouts::PlayoutMode {
        if self.is_lanes() { playouts::PlayoutMode::Lanes } else { playouts::PlayoutMode::Single }
    }

    /// Returns the engine to load a game with; `None` for the default.
    ///
    /// # Errors
    /// Returns an error for straight-line code if the game has none.
    pub fn way(self, game: &GameArg) -> Result<Option<Way>> {
        match self {
            Self::Straight if !game.is_straight()? => {
                let reason = match game {
                    GameArg::BuiltIn(entry) if entry.is_compiled() => {
                        format!("{} is too large for straight-line code", entry.name)
                    }
                    GameArg::BuiltIn(entry) => format!("{} is not compiled into this program", entry.name),
                    GameArg::File { .. } => "only built-in games have straight-line code".to_owned(),
                };
                Err(Error::Usage(format!("{reason}: it runs as a table")))
            }
            Self::Table => Ok(Some(Way::Table)),
            Self::Events => Ok(Some(Way::Events)),
            Self::Lifted => Ok(Some(Way::Lifted)),
            Self::Lanes | Self::TableLanes | Self::Straight | Self::Single | Self::Gpu => Ok(None),
        }
    }
}

/// An instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Isa {
    /// What every machine has
    Portable,
    /// 64-bit ARM with AES and SHA3
    Neon,
    /// x86-64 with AVX2 and AES
    Avx2,
    /// x86-64 with AVX-512 F, BW, VBMI and VPOPCNTDQ, GFNI and VAES
    Avx512,
}

impl From<Isa> for gdl_runtime::lanes::Isa {
    fn from(isa: Isa) -> Self {
        match isa {
            Isa::Portable => Self::Portable,
            Isa::Neon => Self::Neon,
            Isa::Avx2 => Self::Avx2,
            Isa::Avx512 => Self::Avx512,
        }
    }
}

impl Isa {
    /// Checks that this machine has the instruction set and that the engine uses it.
    ///
    /// # Errors
    /// Returns an error otherwise.
    pub fn check(self, engine: Option<EngineChoice>) -> Result {
        let (isa, best) = (gdl_runtime::lanes::Isa::from(self), gdl_runtime::lanes::Isa::best());
        if !isa.is_available() {
            let reason = format!("this machine does not have the instruction set {}", isa.name());
            return Err(Error::Usage(format!("{reason}: the best one it has is {}", best.name())));
        }
        if self != Self::Portable && !engine.is_none_or(EngineChoice::is_lanes) {
            return Err(Error::Usage(format!("only lanes use {}: leave `--engine` out", isa.name())));
        }
        Ok(())
    }
}

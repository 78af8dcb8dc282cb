//! The requests of callers. `web/package/index.d.ts` documents them for JavaScript.

use gdl_compiler::{Diagnostics, Source};
use gdl_runtime::playouts::{PlayoutMode, Tally};
use gdl_tools::{error::Error, report};
use serde::Deserialize;
use serde_json::Value;

/// A request. Games are numbers that [`Request::Load`] returned; states and moves are KIF text.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    /// Lists the built-in games.
    List {},
    /// Returns the rulesheet of a built-in game.
    Rulesheet {
        /// The name of the game.
        name: String,
    },
    /// Checks a rulesheet.
    Check {
        /// The text of the rulesheet.
        text: String,
        /// True for the limits of the native command, not those of untrusted rulesheets.
        #[serde(default)]
        patient: bool,
    },
    /// Formats a rulesheet.
    Format {
        /// The text of the rulesheet.
        text: String,
    },
    /// Rewrites a rulesheet in another syntax.
    Convert {
        /// The text of the rulesheet.
        text: String,
        /// The syntax to write.
        to: Target,
    },
    /// Applies the edits that diagnostics suggest.
    Fix {
        /// The text of the rulesheet.
        text: String,
        /// True to also make edits that are guesses.
        #[serde(default)]
        guess: bool,
    },
    /// Explains a code of diagnostics, or lists all.
    Explain {
        /// The number or name of the code; all codes if `None`.
        code: Option<String>,
    },
    /// Loads a game.
    Load(Load),
    /// Drops a game.
    Unload {
        /// The number of the loaded game.
        game: usize,
    },
    /// Describes a state.
    Position {
        /// The number of the loaded game.
        game: usize,
        /// The state; the initial one if `None`.
        state: Option<String>,
    },
    /// Makes a joint move.
    Apply {
        /// The number of the loaded game.
        game: usize,
        /// The state in which the move is made.
        state: String,
        /// A move of each role, in role order.
        moves: Vec<String>,
    },
    /// Makes random joint moves.
    Walk {
        /// The number of the loaded game.
        game: usize,
        /// The first state; the initial one if `None`.
        state: Option<String>,
        /// The seed of the random choices.
        #[serde(default)]
        seed: u64,
        /// The maximum number of joint moves.
        steps: usize,
    },
    /// Returns the drawing of a state on a page.
    Scene {
        /// The number of the loaded game.
        game: usize,
        /// The state, as KIF text.
        state: String,
        /// The step that led to the state.
        before: Option<Before>,
    },
    /// Lists illegal moves of a role, at most 200.
    Illegal {
        /// The number of the loaded game.
        game: usize,
        /// The state, as KIF text.
        state: String,
        /// The name of the role.
        role: String,
        /// A text that the moves contain, ignoring case.
        #[serde(default)]
        find: String,
        /// A cell of the board that the moves name.
        cell: Option<usize>,
    },
    /// Explains why an atom holds, or why not.
    Why(Why),
    /// Plays random games.
    Playouts {
        /// The number of the loaded game.
        game: usize,
        /// The number of games.
        count: Option<u64>,
        /// The seconds after which no new games start.
        seconds: Option<f64>,
        /// The seed of the random moves.
        #[serde(default)]
        seed: u64,
        /// The engine; a trial selects one if `None`.
        engine: Option<Engine>,
        /// The device of the engine [`Engine::Gpu`].
        device: Option<Device>,
        /// The number of a part, from 1, and the number of parts, if instances share the games.
        part: Option<[u64; 2]>,
    },
    /// Adds up the results of instances that share random games.
    Merge {
        /// The number of the loaded game.
        game: usize,
        /// The seed of the random moves.
        #[serde(default)]
        seed: u64,
        /// The engine, as for the parts.
        engine: Option<PlayoutMode>,
        /// The elapsed time of all parts, in seconds.
        seconds: f64,
        /// The counts of each part.
        tallies: Vec<Tally>,
    },
    /// Starts random games on a graphics card. Returns their shader and the first dispatch, which
    /// the caller runs.
    Shader {
        /// The number of the loaded game.
        game: usize,
        /// The number of games.
        count: Option<u64>,
        /// The seconds after which the caller stops.
        seconds: Option<f64>,
        /// The seed of the random moves.
        #[serde(default)]
        seed: u64,
    },
    /// Counts the games of a dispatch. Returns the next one, if games remain.
    Count {
        /// The number of the loaded game.
        game: usize,
        /// The sum of each row of the dispatch's counters.
        sums: Vec<u64>,
        /// The time that the dispatch took, in seconds.
        seconds: f64,
    },
    /// Ends random games on a graphics card. Returns their statistics.
    Played {
        /// The number of the loaded game.
        game: usize,
        /// The name of the card.
        device: String,
        /// The elapsed time, in seconds.
        seconds: f64,
        /// The time before, in which the card was opened and compiled the shader.
        prepare_seconds: f64,
    },
    /// Counts sequences of joint moves.
    Perft {
        /// The number of the loaded game.
        game: usize,
        /// The first state; the initial one if `None`.
        state: Option<String>,
        /// The greatest number of joint moves.
        depth: usize,
    },
    /// Returns the move that a player makes.
    Choose(Choose),
    /// Passes a message of an editor to the language server, and returns the messages it sends.
    Edit {
        /// The message, in the Language Server Protocol. If `None`, the server does the next piece
        /// of its pending work.
        message: Option<Value>,
    },
}

/// A game to load: a built-in one by name, or a rulesheet.
#[derive(Debug, Deserialize)]
pub struct Load {
    /// The name of a built-in game, or a name for the rulesheet.
    pub name: Option<String>,
    /// The text of the rulesheet.
    pub text: Option<String>,
    /// True for the limits of the native command, not those of untrusted rulesheets.
    #[serde(default)]
    pub patient: bool,
}

/// A step: a state and the joint move made in it.
#[derive(Debug, Deserialize)]
pub struct Before {
    /// The state, as KIF text.
    pub state: String,
    /// A move of each role, in role order.
    pub moves: Vec<String>,
}

/// A request to explain an atom.
#[derive(Debug, Deserialize)]
pub struct Why {
    /// The number of the loaded game.
    pub game: usize,
    /// The state, as KIF text.
    pub state: String,
    /// The step that led to the state.
    pub before: Option<Before>,
    /// The joint move that is made in the state.
    pub making: Option<Vec<String>>,
    /// The atom, as KIF text.
    pub atom: String,
    /// The greatest depth of nested rules.
    #[serde(default = "three")]
    pub depth: usize,
}

fn three() -> usize {
    3
}

/// A request for a player's move, after the joint moves of a match.
#[derive(Debug, Deserialize)]
pub struct Choose {
    /// The number of the loaded game.
    pub game: usize,
    /// The player, as `gdl match` names it, such as `mcts:memory=64`.
    pub player: String,
    /// The role that the player plays.
    pub role: String,
    /// The state in which the match began; the initial one if `None`.
    pub start: Option<String>,
    /// The joint moves made since `start`.
    #[serde(default)]
    pub moves: Vec<Vec<String>>,
    /// The time for the move, in seconds.
    pub seconds: Option<f64>,
    /// The maximum number of nodes of the search.
    pub nodes: Option<u64>,
    /// The seed of the player's random choices.
    #[serde(default)]
    pub seed: u64,
}

/// The engine of random games.
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum Engine {
    /// Thousands of games at once on a graphics card.
    #[serde(rename = "gpu")]
    Gpu,
    /// An engine of the processor.
    #[serde(untagged)]
    Processor(PlayoutMode),
}

/// A device of [`Engine::Gpu`] that the module has itself.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// The emulator, which computes on the processor.
    Emulate,
}

/// A syntax to write.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// KIF: nested lists.
    Kif,
    /// Infix GDL: `head(X) :- body(X)`.
    Infix,
}

/// The reason why a request has no result.
#[derive(Debug)]
pub struct Failure {
    /// The reason; for a faulty rulesheet, the rendered diagnostics.
    pub message: String,
    /// The faults of a rulesheet, as in `gdl check --json`.
    pub diagnostics: Vec<Value>,
    /// The reason why a graphics card does not play, as `web/package/index.d.ts` lists them.
    pub code: Option<&'static str>,
}

impl Failure {
    /// Creates a failure that no rulesheet causes.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), diagnostics: Vec::new(), code: None }
    }

    /// Creates a failure from the faults of a rulesheet.
    #[must_use]
    pub fn of(diagnostics: &Diagnostics, source: &Source) -> Self {
        let list = diagnostics.iter().map(|diagnostic| report::to_json(diagnostic, source));
        Self { diagnostics: list.collect(), ..Self::new(diagnostics.render(source)) }
    }
}

impl From<gdl_gpu::Error> for Failure {
    fn from(error: gdl_gpu::Error) -> Self {
        let is_large = matches!(error, gdl_gpu::Error::TooLarge { .. });
        let code = if is_large { "too_large" } else { "no_lanes" };
        Self { code: Some(code), ..Self::new(error.to_string()) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.to_string())
    }
}

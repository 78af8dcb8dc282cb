//! Match records in the JSON format of ggp-base's match manager: written and replayed.
//!
//! A [`Record`] comes from a [`Match`](crate::referee::Match) or, with the feature `serde`, from
//! JSON. [`Record::replay`] checks every step. The fields are those of the JSON object, in its
//! order. States and moves are KIF text. ggp-base's signatures are not written, and unknown fields
//! are ignored.
//!
//! A replay computes one step of the game for each joint move and stores each state. Its time and
//! memory grow with the record: use [`Record::replay_while`] for untrusted records.

use gdl_runtime::{
    Game, GameExt, History,
    game::{StepError, TextError},
};
use std::{error::Error, fmt};

/// A match in ggp-base's format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "camelCase"))]
pub struct Record {
    /// The name of the match.
    pub match_id: String,
    /// Random letters (32 from [`Referee`](crate::Referee)) that distinguish matches of the same
    /// name.
    #[cfg_attr(feature = "serde", serde(default))]
    pub random_token: String,
    /// The time when the match began, in milliseconds since 1970.
    pub start_time: u64,
    /// The address of the game's description, if there is one.
    #[cfg_attr(
        feature = "serde",
        serde(default, rename = "gameMetaURL", skip_serializing_if = "Option::is_none")
    )]
    pub game_meta_url: Option<String>,
    /// True if the match reached a terminal state.
    pub is_completed: bool,
    /// True if the match was abandoned.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_aborted: bool,
    /// The states from the initial state on, as KIF text.
    pub states: Vec<String>,
    /// The joint moves, each in role order, as KIF text.
    pub moves: Vec<Vec<String>>,
    /// The time when each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// The faults at the start and in each step, in role order: an empty string, `TO`, `CE`, or
    /// `IL` with the move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub errors: Vec<Vec<String>>,
    /// The goals at the end, in role order; empty for an abandoned match.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub goal_values: Vec<u8>,
    /// The seconds for a preview of the rules before the start; -1 for none.
    #[cfg_attr(feature = "serde", serde(default = "none"))]
    pub preview_clock: i64,
    /// The seconds of the start clock, rounded up; -1 without a clock.
    pub start_clock: i64,
    /// The seconds for each move, rounded up; -1 without a clock.
    pub play_clock: i64,
    /// The names of the players, in role order.
    #[cfg_attr(feature = "serde", serde(default))]
    pub player_names_from_host: Vec<String>,
    /// True for each player that is human, in role order.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_player_human: Vec<bool>,
    /// The name of the tournament of the match, if there is one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub tournament_name_from_host: Option<String>,
    /// True if the players received scrambled names in place of those of the rulesheet.
    #[cfg_attr(feature = "serde", serde(default))]
    pub scrambled: bool,
}

#[cfg(feature = "serde")]
fn none() -> i64 {
    -1
}

impl Default for Record {
    fn default() -> Self {
        Self {
            match_id: String::new(),
            random_token: String::new(),
            start_time: 0,
            game_meta_url: None,
            is_completed: false,
            is_aborted: false,
            states: Vec::new(),
            moves: Vec::new(),
            state_times: Vec::new(),
            errors: Vec::new(),
            goal_values: Vec::new(),
            preview_clock: -1,
            start_clock: -1,
            play_clock: -1,
            player_names_from_host: Vec::new(),
            is_player_human: Vec::new(),
            tournament_name_from_host: None,
            scrambled: false,
        }
    }
}

impl Record {
    /// Returns the record of the line from the start of a history to its current place, without
    /// names, times and tokens. Formats the text of each state and move.
    #[must_use]
    pub fn of<G: Game>(game: &G, history: &History<G>) -> Self {
        let states = history.path().into_iter().filter_map(|place| history.state_at(place));
        let joints = history.line().into_iter();
        let goals: Option<Vec<u8>> = game.roles().map(|role| game.goal(history.state(), role)).collect();
        let is_completed = game.is_terminal(history.state());
        Self {
            is_completed,
            states: states.map(|state| spaced(&game.state_text(state))).collect(),
            moves: joints
                .map(|joint| joint.iter().map(|&action| spaced(game.move_text(action))).collect())
                .collect(),
            goal_values: goals.filter(|_| is_completed).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Replays the match and returns its history at the end. Each move must be legal and lead to
    /// the recorded state, and the goals must match if the record has any.
    ///
    /// # Errors
    /// Returns the first mismatch.
    pub fn replay<G: Game>(&self, game: &G) -> Result<History<G>, RecordError> {
        self.replay_while(game, |_| true)
    }

    /// Replays the match as [`Record::replay`] does, and calls `goes_on` with the history so far
    /// before each step. Stops if it returns false.
    ///
    /// # Errors
    /// Returns the errors of [`Record::replay`], and [`RecordError::Stopped`].
    pub fn replay_while<G: Game>(
        &self,
        game: &G,
        mut goes_on: impl FnMut(&History<G>) -> bool,
    ) -> Result<History<G>, RecordError> {
        let text = |step, error| RecordError::Text { step, error };
        if self.states.len() != self.moves.len() + 1 {
            return Err(RecordError::Count { states: self.states.len(), moves: self.moves.len() });
        }
        let mut history = History::from_text(game, &self.states[0]).map_err(|error| text(0, error))?;
        for (place, (moves, expected)) in self.moves.iter().zip(&self.states[1..]).enumerate() {
            let step = place + 1;
            if !goes_on(&history) {
                return Err(RecordError::Stopped { step });
            }
            let joint: Result<Vec<G::Move>, _> = moves.iter().map(|action| game.parse_move(action)).collect();
            let joint = joint.map_err(|error| text(step, error))?;
            history.play(game, &joint).map_err(|error| RecordError::Step { step, error })?;
            let expected = game.parse_state(expected).map_err(|error| text(step, error))?;
            if *history.state() != expected {
                return Err(RecordError::State { step });
            }
        }
        let goals: Option<Vec<u8>> = game.roles().map(|role| game.goal(history.state(), role)).collect();
        if !self.goal_values.is_empty() && goals.as_ref() != Some(&self.goal_values) {
            return Err(RecordError::Goals);
        }
        if self.is_completed && !game.is_terminal(history.state()) {
            return Err(RecordError::Unfinished);
        }
        Ok(history)
    }
}

/// Formats KIF text with spaces around parentheses, like ggp-base: `( cell 1 1 b )`.
pub(crate) fn spaced(text: &str) -> String {
    let text = text.replace('(', "( ").replace(')', " )");
    if text == "(  )" { "( )".to_owned() } else { text }
}

/// The reason why a [`Record`] is not a match of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// The number of states is not one more than the number of joint moves.
    Count {
        /// The number of states.
        states: usize,
        /// The number of joint moves.
        moves: usize,
    },
    /// A state or move cannot be read.
    Text {
        /// The number of the step, 0 for the start.
        step: usize,
        /// The error.
        error: TextError,
    },
    /// A joint move is not legal.
    Step {
        /// The number of the step, from 1.
        step: usize,
        /// The error.
        error: StepError,
    },
    /// A step leads to a state that differs from the recorded one.
    State {
        /// The number of the step, from 1.
        step: usize,
    },
    /// The caller stopped the replay before this step.
    Stopped {
        /// The number of the step, from 1.
        step: usize,
    },
    /// The goals at the end differ from the recorded ones.
    Goals,
    /// The record marks the match as over, but its last state is not terminal.
    Unfinished,
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { states, moves } => {
                write!(f, "a record has one state more than joint moves, found {states} and {moves}")
            }
            Self::Text { step, error } => write!(f, "step {step}: {error}"),
            Self::Step { step, error } => write!(f, "step {step}: {error}"),
            Self::State { step } => write!(f, "step {step} leads to a state that differs from the record"),
            Self::Stopped { step } => write!(f, "the replay was stopped before step {step}"),
            Self::Goals => f.write_str("the goals at the end differ from the record"),
            Self::Unfinished => f.write_str("the record says that the match is over, but the game is not"),
        }
    }
}

impl Error for RecordError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Text { error, .. } => Some(error),
            Self::Step { error, .. } => Some(error),
            _ => None,
        }
    }
}

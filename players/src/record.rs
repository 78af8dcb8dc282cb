//! Match records in the form in which ggp-base's match manager publishes them, written and
//! replayed.
//!
//! A [`Record`] is made of a [`Match`](crate::referee::Match) or, with the feature `serde`, of
//! JSON, and replayed to the play, every step of it made anew. The fields are those of the JSON
//! object, in its order; states and moves are KIF text. ggp-base's signatures are not written, and
//! other fields that are not known are passed over.
//!
//! A replay makes one step of the game for each joint move and keeps each state, so its time and
//! its memory grow with the record: [`Record::replay_while`] is for untrusted records.

use gdl_runtime::{
    Game, GameExt, History,
    game::{StepError, TextError},
};
use std::{error::Error, fmt};

/// A match as ggp-base writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "camelCase"))]
pub struct Record {
    /// The name of the match.
    pub match_id: String,
    /// 32 letters that keep matches of one name apart.
    #[cfg_attr(feature = "serde", serde(default))]
    pub random_token: String,
    /// The time when it began, in milliseconds since 1970.
    pub start_time: u64,
    /// The address of the game's description, if there is one.
    #[cfg_attr(
        feature = "serde",
        serde(default, rename = "gameMetaURL", skip_serializing_if = "Option::is_none")
    )]
    pub game_meta_url: Option<String>,
    /// True if it was played to the end.
    pub is_completed: bool,
    /// True if it was abandoned.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_aborted: bool,
    /// The states from the start on, as KIF text.
    pub states: Vec<String>,
    /// The joint moves, each in role order, as KIF text.
    pub moves: Vec<Vec<String>>,
    /// The time when each state was reached, in milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// The faults, in role order, at the start and in each step: nothing, `TO`, `CE` or `IL` and
    /// the move.
    #[cfg_attr(feature = "serde", serde(default))]
    pub errors: Vec<Vec<String>>,
    /// The goals at the end, in role order; none of a match that was abandoned.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub goal_values: Vec<u8>,
    /// Seconds for a look at the rules beforehand; -1 for none.
    #[cfg_attr(feature = "serde", serde(default = "none"))]
    pub preview_clock: i64,
    /// Seconds at the start, rounded up; -1 without a clock.
    pub start_clock: i64,
    /// Seconds for each move, rounded up; -1 without a clock.
    pub play_clock: i64,
    /// The names of the players, in role order.
    #[cfg_attr(feature = "serde", serde(default))]
    pub player_names_from_host: Vec<String>,
    /// True for those of them that are people.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_player_human: Vec<bool>,
    /// The tournament it belongs to.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub tournament_name_from_host: Option<String>,
    /// True if players were sent other names than those of the rulesheet.
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
    /// The line from the start of a history to the place where it is, of a match without a referee:
    /// without names, times and tokens. A look at the last state, and the text of every state and
    /// move.
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

    /// The match played again, and standing at its end. Every step is made anew: each move must be
    /// legal, each state the one that is written, and so must the goals be if there are any.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn replay<G: Game>(&self, game: &G) -> Result<History<G>, RecordError> {
        self.replay_while(game, |_| true)
    }

    /// Does the same as [`Record::replay`], and calls `goes_on` with the history so far before each
    /// step; stops if that returns false.
    ///
    /// # Errors
    /// As for [`Record::replay`], and [`RecordError::Stopped`].
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

/// KIF text with blanks around parentheses, as ggp-base has it: `( cell 1 1 b )`.
pub(crate) fn spaced(text: &str) -> String {
    let text = text.replace('(', "( ").replace(')', " )");
    if text == "(  )" { "( )".to_owned() } else { text }
}

/// The reason why a [`Record`] is not a match of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// There is not one state more than joint moves.
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
    /// A step is against the rules.
    Step {
        /// The number of the step, from 1.
        step: usize,
        /// The error.
        error: StepError,
    },
    /// A step leads to another state than the one that is written.
    State {
        /// The number of the step, from 1.
        step: usize,
    },
    /// The caller stopped the replay before this step.
    Stopped {
        /// The number of the step, from 1.
        step: usize,
    },
    /// The goals at the end are others than those that are written.
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

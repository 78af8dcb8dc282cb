//! Positions of a play: joint moves from the initial or another state lead to a state, which is
//! shown to the client.

use crate::{refusal::Refusal, sheet};
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt,
    dynamic::{MoveId, RoleId},
    game::StepError,
};
use gdl_tools::{output::counted, parse::did_you_mean};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;

/// The most joint moves of a play.
pub(crate) const MOST_MOVES: usize = 10_000;

/// The most legal moves of a role in a list.
const LISTED: usize = 500;

/// The most bytes of a state's text.
const LONGEST_STATE: usize = 1 << 18;

/// A position of a game, and the steps that led to it.
pub(crate) struct Position<'g> {
    pub game: &'g Dynamic,
    pub state: <Dynamic as Game>::State,
    /// The joint moves, each with the state in which it was made.
    pub steps: Vec<(<Dynamic as Game>::State, Vec<MoveId>)>,
}

/// The view of a position.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Seen {
    /// The fluents that hold, as a KIF list; null if it is too long to be written
    pub state: Option<String>,
    /// True if the game is over
    pub terminal: bool,
    /// The roles in role order, which is that of joint moves
    pub roles: Vec<Role>,
}

/// The view of a role.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "it is called so in answers")]
pub(crate) struct Role {
    /// Its name
    pub role: String,
    /// Its legal moves; none when the game is over
    pub legal: Vec<String>,
    /// The number of further legal moves that are not listed
    pub more: usize,
    /// Its goal values that hold: exactly one at the end of a sound game
    pub goals: Vec<u8>,
    /// Its percepts of the last joint move, if the rules have some (`sees`)
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perceived: Option<String>,
}

impl<'g> Position<'g> {
    /// Makes joint moves from a state, or from the initial state.
    ///
    /// # Errors
    /// Returns an error if there are more than [`MOST_MOVES`] joint moves, the text is no state, or
    /// a move is illegal. Also returns an error if an evaluation fails or the work is cancelled.
    pub(crate) fn reach(
        game: &'g Dynamic,
        state: Option<&str>,
        moves: &[Vec<String>],
        cancel: &Cancel,
    ) -> Result<Self, Refusal> {
        few_enough(moves)?;
        let state = match state {
            None => game.initial(),
            Some(text) => game.parse_state(text).map_err(|error| {
                Refusal::new(format!("the state: {error}"))
                    .help("write the fluents that hold as one list: `((cell 1 1 b) (control x))`")
            })?,
        };
        let mut position = Self { game, state, steps: Vec::new() };
        for (number, joint) in moves.iter().enumerate() {
            wanted(cancel)?;
            position.step(number + 1, joint)?;
        }
        sheet::settle(game)?;
        Ok(position)
    }

    fn step(&mut self, number: usize, texts: &[String]) -> Result<(), Refusal> {
        let game = self.game;
        let joint = texts.iter().map(|text| {
            game.parse_move(text).map_err(|_| {
                let near = did_you_mean(text, game.vocabulary().moves().iter());
                Refusal::new(format!("joint move {number}: the game has no move `{text}`{near}"))
                    .help("call `legal_moves` for the legal moves")
            })
        });
        let joint = joint.collect::<Result<Vec<_>, _>>()?;
        let next = game.apply(&self.state, &joint).map_err(|error| {
            let refusal = Refusal::new(format!("joint move {number}: {error}"));
            match &error {
                StepError::Illegal { role, action, .. } => {
                    refusal.help(format!("call `why` with `(legal {role} {action})` for the reason"))
                }
                StepError::Count { .. } => {
                    let roles: Vec<&str> = game.vocabulary().roles().iter().collect();
                    refusal.help(format!("a joint move has a move of each role: {}", roles.join(", ")))
                }
                _ => refusal,
            }
        })?;
        self.steps.push((std::mem::replace(&mut self.state, next), joint));
        Ok(())
    }

    /// Returns the view of this position.
    ///
    /// # Errors
    /// Returns an error if evaluating the rules exceeds the limits.
    pub(crate) fn see(&self) -> Result<Seen, Refusal> {
        let game = self.game;
        let view = game.view(&self.state);
        let terminal = game.is_terminal_in(&view);
        let percepts = self.steps.last().filter(|_| game.vocabulary().has_percepts());
        let role = |role: RoleId| {
            let legal: Vec<String> =
                game.legal_moves_in(&view, role).map(|id| game.move_text(id).to_owned()).collect();
            let mut legal = if terminal { Vec::new() } else { legal };
            let more = legal.len().saturating_sub(LISTED);
            legal.truncate(LISTED);
            Role {
                role: game.role_text(role).to_owned(),
                legal,
                more,
                goals: game.goals_in(&view, role).collect(),
                perceived: percepts
                    .map(|(before, joint)| game.perception_text(&game.perception(before, joint, role))),
            }
        };
        let roles = game.roles().map(role).collect();
        sheet::settle(game)?;
        let state = Some(game.state_text(&self.state)).filter(|text| text.len() <= LONGEST_STATE);
        Ok(Seen { state, terminal, roles })
    }

    /// Returns the role that has a choice here, except chance. `None` if there is not exactly one.
    pub(crate) fn chooser(&self) -> Option<RoleId> {
        let view = self.game.view(&self.state);
        let chance = self.game.chance_role();
        let mut choosers = self
            .game
            .roles()
            .filter(|&role| Some(role) != chance && self.game.legal_moves_in(&view, role).len() > 1);
        choosers.next().filter(|_| choosers.next().is_none())
    }

    /// Returns the role of a name.
    ///
    /// # Errors
    /// Returns an error if the game has no such role.
    pub(crate) fn role(&self, name: &str) -> Result<RoleId, Refusal> {
        self.game.parse_role(name).map_err(|_| {
            let roles: Vec<&str> = self.game.vocabulary().roles().iter().collect();
            Refusal::new(format!("the game has no role `{name}`"))
                .help(format!("its roles are {}", roles.join(", ")))
        })
    }
}

impl Seen {
    /// Writes the position as text: a line for the state and one for each role.
    pub(crate) fn to_text(&self) -> String {
        let state = self.state.as_deref().unwrap_or("(too long to be written)");
        let over = if self.terminal { "\nthe game is over" } else { "" };
        let mut text = format!("state: {state}{over}");
        for role in &self.roles {
            text.extend([format!(
                "\n{}: {}",
                role.role,
                counted(role.legal.len() + role.more, "legal move")
            )]);
            if !role.legal.is_empty() {
                text.extend([": ", &role.legal.join(" ")]);
            }
            if role.more > 0 {
                text.extend([" and ", &role.more.to_string(), " more"]);
            }
            if !role.goals.is_empty() {
                let goals: Vec<String> = role.goals.iter().map(u8::to_string).collect();
                text.extend(["; goal ", &goals.join(" and ")]);
            }
            text.extend(role.perceived.iter().map(|perceived| format!("; perceived {perceived}")));
        }
        text
    }
}

/// Returns the texts of a joint move, in role order.
pub(crate) fn joint_text(game: &Dynamic, joint: &[MoveId]) -> Vec<String> {
    joint.iter().map(|&action| game.move_text(action).to_owned()).collect()
}

/// Checks the length of a play.
///
/// # Errors
/// Returns an error if there are more than [`MOST_MOVES`] joint moves.
pub(crate) fn few_enough(moves: &[Vec<String>]) -> Result<(), Refusal> {
    if moves.len() <= MOST_MOVES {
        return Ok(());
    }
    let help = "start from a later state: give `state` and the moves after it";
    Err(Refusal::new(format!("{} joint moves are more than {MOST_MOVES}", moves.len())).help(help))
}

/// Checks for cancellation.
///
/// # Errors
/// Returns an error if the work is cancelled; the client does not receive it.
pub(crate) fn wanted(cancel: &Cancel) -> Result<(), Refusal> {
    if cancel.is_cancelled() { Err(Refusal::new("it was cancelled")) } else { Ok(()) }
}

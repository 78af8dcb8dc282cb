//! `best_move`: returns the move of a player, with the reason.

use super::Question;
use crate::{
    position::{Position, wanted},
    refusal::Refusal,
    sheet::{self, Shelf},
};
use gdl_players::Budget;
use gdl_runtime::{Cancel, Game, GameExt, Information};
use gdl_tools::players::Spec;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The default player, the default and the maximum node budget, and the maximum bytes of a player's
/// memory.
const PLAYER: &str = "best";
const NODES: u64 = 10_000;
const MOST_NODES: u64 = 100_000_000;
const MOST_BYTES: usize = 64 << 20;

/// The most alternatives in an answer.
const LISTED: usize = 10;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BestMove {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// Joint moves made from the start, each a list with the move of every role in role order
    #[serde(default)]
    moves: Vec<Vec<String>>,
    /// The role to move; not needed where a single role has a choice
    role: Option<String>,
    /// `best` unless it is given; `random`, `greedy`, `flat`, `mcts`, `alphabeta`, `paranoid`,
    /// `perfect` and others, with options after a colon: `alphabeta:depth=6`
    player: Option<String>,
    /// The number of nodes (or random games) it may spend; 10,000 by default
    nodes: Option<u64>,
    /// The seed of random choices: the same seed and nodes give the same move
    #[serde(default)]
    seed: u64,
}

/// The move.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Best {
    /// The role to move
    role: String,
    /// The move
    #[serde(rename = "move")]
    action: String,
    /// The goal that the role can expect, 0 to 100, where the player knows
    value: Option<f64>,
    /// True if the value is proved
    exact: bool,
    /// Moves that were compared, the best first, with the goal to be expected
    alternatives: Vec<Alternative>,
    /// The joint moves that are expected
    line: Vec<String>,
    /// States that were visited
    nodes: u64,
    /// Random games that were played
    playouts: u64,
    /// Further remarks
    note: Option<String>,
}

/// A move that was compared.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Alternative {
    #[serde(rename = "move")]
    action: String,
    /// The number of times it was tried
    visits: u64,
    /// The mean goal of the role after it
    mean: f64,
}

impl Question for BestMove {
    const NAME: &'static str = "best_move";
    const ABOUT: &'static str = "Ask a player for its move after some joint moves from the start, with the reason: what it expects, and visits \
        and mean goals of the alternatives. The same seed and nodes give the same answer. Players know only what their role perceives.";

    type Answer = Best;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Best), Refusal> {
        let spec = player(self.player.as_deref().unwrap_or(PLAYER))?;
        let game = shelf.find(&self.rulesheet)?.game(cancel)?;
        let position = Position::reach(&game, None, &self.moves, cancel)?;
        if game.is_terminal(&position.state) {
            return Err(Refusal::new("the game is over, so there is no move"));
        }
        let role = match &self.role {
            Some(role) => position.role(role)?,
            None => position.chooser().ok_or_else(|| {
                let roles: Vec<&str> = game.vocabulary().roles().iter().collect();
                Refusal::new("it is not the turn of a single role")
                    .help(format!("give `role`, one of {}", roles.join(", ")))
            })?,
        };
        let mut information = Information::new(role);
        for (state, joint) in &position.steps {
            information.step(&game, state, joint);
        }
        let nodes = self.nodes.unwrap_or(NODES).clamp(1, MOST_NODES);
        let budget = Budget::of_nodes(nodes).cancelled_by(cancel);
        let mut player = spec
            .at_most(MOST_BYTES, 1)
            .build(self.seed)
            .ok_or_else(|| Refusal::new("this player does not play here"))?;
        player.start(&game, role, &budget);
        let chosen = player.choose(&game, &information, &budget);
        wanted(cancel)?;
        sheet::settle(&game)?;
        let name = game.role_text(role);
        let action = chosen.ok_or_else(|| Refusal::new(format!("`{name}` has no legal move")))?;
        let report = player.report().unwrap_or_default();
        let tried = report.moves.into_iter().take(LISTED);
        let best = Best {
            role: name.to_owned(),
            action: game.move_text(action).to_owned(),
            value: report.value,
            exact: report.exact,
            alternatives: tried
                .map(|tried| Alternative { action: tried.action, visits: tried.visits, mean: tried.value })
                .collect(),
            line: report.line,
            nodes: report.nodes,
            playouts: report.playouts,
            note: report.note,
        };
        Ok((best.to_text(), best))
    }
}

/// Parses a player. Only local players whose moves follow from a seed are allowed.
fn player(text: &str) -> Result<Spec, Refusal> {
    let spec: Spec = text.parse().map_err(|error: String| Refusal::new(format!("the player: {error}")))?;
    if spec.is_remote() || spec.is_human() || spec.has_file() {
        return Err(
            Refusal::new(format!("`{}` is not available", spec.kind())).help("ask `mcts` or `alphabeta`")
        );
    }
    if spec.seconds().is_some() {
        return Err(
            Refusal::new("moves that depend on a clock are not reproducible").help("give `nodes` instead")
        );
    }
    Ok(spec)
}

impl Best {
    fn to_text(&self) -> String {
        let mut text = format!("{}: {}", self.role, self.action);
        if let Some(value) = self.value {
            let _ = write!(text, "; expects {value:.1}{}", if self.exact { ", proved" } else { "" });
        }
        let _ = write!(text, "; {} nodes, {} random games", self.nodes, self.playouts);
        text.extend(self.note.iter().map(|note| format!("; {note}")));
        for Alternative { action, visits, mean } in &self.alternatives {
            let _ = write!(text, "\n{action}: mean {mean:.1}, {visits} visits");
        }
        if !self.line.is_empty() {
            let _ = write!(text, "\nexpected: {}", self.line.join(" "));
        }
        text
    }
}

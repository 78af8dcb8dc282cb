//! `compare`: compares two rulesheets, and returns the first difference in play that it finds.
//!
//! Rulesheets that differ only in symbols are the same game. In other rulesheets, roles and moves
//! are matched by name, and both games are played in parallel. First, pairs of states are visited
//! breadth first, so a difference is found with the fewest moves. If there are too many pairs,
//! random games follow. Each pair of states must agree in termination, legal moves, goals at the
//! end, and percepts. Fluents may differ.

use super::Question;
use crate::{
    position::{joint_text, wanted},
    refusal::Refusal,
    sheet::{self, Shelf},
};
use gdl_network::Sheet;
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt,
    bits::BitBox,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    game::Id,
};
use gdl_tools::output::thousands;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The limits on the visited pairs of states: their number, and their bytes.
const MOST_PAIRS: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

/// The greatest number of joint moves that are made in each pair of states.
const MOST_JOINTS: u64 = 10_000;

/// The number of random games, and the most moves of each.
const GAMES: u64 = 1_000;
const LONGEST: usize = 1_000;

/// The greatest number of renamed symbols in an answer.
const LISTED: usize = 100;

/// The question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Compare {
    /// The text of a rulesheet, the name of a built-in game, or a file below the server's folder
    rulesheet: String,
    /// The other one, in the same form
    other: String,
    /// The seed of random choices
    #[serde(default)]
    seed: u64,
}

/// The result of a comparison.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Comparison {
    /// The verdict
    verdict: Verdict,
    /// For a renaming: pairs of a symbol and the one that stands for it in the other rulesheet,
    /// where these differ
    renamed: Vec<[String; 2]>,
    /// For a difference: what differs
    difference: Option<String>,
    /// For a difference: the joint moves from the start that lead there
    moves: Vec<Vec<String>>,
    /// Pairs of states that were visited, breadth first
    pairs: usize,
    /// Random games that were played side by side
    games: u64,
}

/// The verdict on two rulesheets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// They differ in nothing but symbols, spaces and comments
    SameByRenaming,
    /// All pairs of states that play can reach look the same
    SamePlay,
    /// No difference was found, but not all was seen
    NoDifferenceFound,
    /// They are not the same game
    Different,
}

impl Question for Compare {
    const NAME: &'static str = "compare";
    const ABOUT: &'static str = "Compare two rulesheets: the same except for the names of symbols, the same in play (legal moves, ends, \
        goals, percepts), or different, with the joint moves that lead to the first difference.";

    type Answer = Comparison;

    fn answer(self, shelf: &Shelf, cancel: &Cancel) -> Result<(String, Comparison), Refusal> {
        let [one, other] = [shelf.find(&self.rulesheet)?, shelf.find(&self.other)?];
        let games = [one.game(cancel)?, other.game(cancel)?];
        // Rulesheets that cannot be converted to KIF are only compared in play.
        let sheets = [&one, &other].map(|rulesheet| Sheet::new(&rulesheet.source).ok());
        if let [Some(one), Some(other)] = &sheets
            && let Some(names) = one.names_in(other)
        {
            let renamed: Vec<[String; 2]> = names.renamed().into_iter().take(LISTED).collect();
            let by = if renamed.is_empty() { String::new() } else { ", symbols renamed:".to_owned() };
            let pairs: Vec<String> = renamed.iter().map(|[own, other]| format!(" {own} = {other}")).collect();
            let text = format!("the same game{by}{}", pairs.join(";"));
            return Ok((text, Comparison { renamed, ..Comparison::new(Verdict::SameByRenaming) }));
        }
        let comparison = match GamePair::of(&games) {
            Err(difference) => {
                Comparison { difference: Some(difference), ..Comparison::new(Verdict::Different) }
            }
            Ok(pair) => pair.compare(self.seed, cancel)?,
        };
        games.iter().try_for_each(sheet::settle)?;
        Ok((comparison.to_text(), comparison))
    }
}

impl Comparison {
    fn new(verdict: Verdict) -> Self {
        Self { verdict, renamed: Vec::new(), difference: None, moves: Vec::new(), pairs: 0, games: 0 }
    }

    fn to_text(&self) -> String {
        let pairs = thousands(self.pairs as u64);
        match (self.verdict, &self.difference) {
            (_, Some(difference)) if self.moves.is_empty() => format!("different at the start: {difference}"),
            (_, Some(difference)) => {
                let moves: Vec<String> =
                    self.moves.iter().map(|joint| format!("({})", joint.join(" "))).collect();
                format!("different after {}: {difference}", moves.join(" "))
            }
            (Verdict::SamePlay, _) => format!("the same play: all {pairs} pairs of states look the same"),
            _ => format!("no difference found in {pairs} pairs of states and {} random games", self.games),
        }
    }
}

type State = <Dynamic as Game>::State;

/// Two games whose roles have the same names. Moves are matched by name.
struct GamePair<'g> {
    games: [&'g Dynamic; 2],
    /// The index of each role in the other game.
    roles: Vec<RoleId>,
    /// The index of each move in the other game. `None` if the other game has no such move.
    moves: Vec<Option<MoveId>>,
}

impl<'g> GamePair<'g> {
    /// Matches the roles and moves of two games. Returns a message if their roles differ, or if
    /// only one game has percepts.
    fn of(games: &'g [Dynamic; 2]) -> Result<Self, String> {
        let [one, other] = games;
        let [own, theirs] = [one, other].map(|game| game.vocabulary().roles());
        let list = |game: &Dynamic| game.vocabulary().roles().iter().collect::<Vec<_>>().join(", ");
        let roles: Option<Vec<RoleId>> =
            own.iter().map(|role| theirs.find(role).map(RoleId::from_index)).collect();
        let roles = roles.filter(|roles| roles.len() == theirs.len());
        let roles = roles.ok_or_else(|| format!("the roles are {} and {}", list(one), list(other)))?;
        if one.vocabulary().has_percepts() != other.vocabulary().has_percepts() {
            return Err(
                "one has percepts (`sees`), and in the other roles perceive the joint moves".to_owned()
            );
        }
        let find = |action: &str| other.vocabulary().moves().find(action).map(MoveId::from_index);
        let moves = one.vocabulary().moves().iter().map(find).collect();
        Ok(Self { games: [one, other], roles, moves })
    }

    /// Iterates over the roles, each as its indices in both games.
    fn roles(&self) -> impl Iterator<Item = [RoleId; 2]> {
        self.games[0].roles().zip(&self.roles).map(|(role, &other)| [role, other])
    }

    /// Compares two states. Returns a message on the first difference. Otherwise returns the legal
    /// moves of each role in the first game, or `None` if both games are over.
    fn look(&self, states: [&State; 2]) -> Result<Option<Vec<Vec<MoveId>>>, String> {
        let [one, other] = self.games;
        let views = [one.view(states[0]), other.view(states[1])];
        let over = [one.is_terminal_in(&views[0]), other.is_terminal_in(&views[1])];
        if over[0] != over[1] {
            return Err(format!(
                "the game is over only by the {} rulesheet",
                if over[0] { "first" } else { "second" }
            ));
        }
        if over[0] {
            for [role, its] in self.roles() {
                let goals: [Vec<u8>; 2] =
                    [one.goals_in(&views[0], role).collect(), other.goals_in(&views[1], its).collect()];
                if goals[0] != goals[1] {
                    let [own, theirs] = goals.map(|goals| format!("{goals:?}"));
                    return Err(format!("the goal of `{}` is {own} and {theirs}", one.role_text(role)));
                }
            }
            return Ok(None);
        }
        let mut all = Vec::new();
        for [role, its] in self.roles() {
            let legal: Vec<MoveId> = one.legal_moves_in(&views[0], role).collect();
            let alone = |text: &str, number: &str| {
                format!("`{text}` is legal for `{}` only by the {number} rulesheet", one.role_text(role))
            };
            let is_legal = |action: &MoveId| {
                self.moves[action.index()].is_some_and(|action| other.is_legal_in(&views[1], its, action))
            };
            if let Some(&action) = legal.iter().find(|action| !is_legal(action)) {
                return Err(alone(one.move_text(action), "first"));
            }
            let theirs = other.legal_moves_in(&views[1], its);
            if theirs.len() != legal.len() {
                let own: Vec<_> = legal.iter().filter_map(|action| self.moves[action.index()]).collect();
                let mut theirs = theirs.filter(|action| !own.contains(action));
                return Err(theirs
                    .next()
                    .map_or_else(String::new, |action| alone(other.move_text(action), "second")));
            }
            all.push(legal);
        }
        Ok(Some(all))
    }

    /// Makes a joint move in both games.
    ///
    /// # Errors
    /// Returns a message if a role perceives something different in the two games.
    fn step(&self, states: [&State; 2], joint: &[MoveId]) -> Result<[State; 2], String> {
        let [one, other] = self.games;
        let mut theirs = joint.to_vec();
        for ([_, its], action) in self.roles().zip(joint) {
            theirs[its.index()] = self.moves[action.index()].unwrap_or(*action);
        }
        if one.vocabulary().has_percepts() {
            for [role, its] in self.roles() {
                let own = one.perception_text(&one.perception(states[0], joint, role));
                let other_text = other.perception_text(&other.perception(states[1], &theirs, its));
                if !own.eq_ignore_ascii_case(&other_text) {
                    let (role, joint) = (one.role_text(role), joint_text(one, joint).join(" "));
                    return Err(format!(
                        "of the joint move ({joint}) `{role}` perceives {own} and {other_text}"
                    ));
                }
            }
        }
        Ok([one.apply_unchecked(states[0], joint), other.apply_unchecked(states[1], &theirs)])
    }

    fn compare(&self, seed: u64, cancel: &Cancel) -> Result<Comparison, Refusal> {
        let visited = self.visit(cancel)?;
        if visited.verdict != Verdict::NoDifferenceFound {
            return Ok(visited);
        }
        let mut stream = Stream::new(seed, 0);
        for number in 1..=GAMES {
            let (moves, difference) = self.play(&mut stream, cancel)?;
            if difference.is_some() {
                return Ok(Comparison {
                    verdict: Verdict::Different,
                    difference,
                    moves,
                    games: number,
                    ..visited
                });
            }
        }
        Ok(Comparison { games: GAMES, ..visited })
    }

    /// Visits pairs of states breadth first.
    fn visit(&self, cancel: &Cancel) -> Result<Comparison, Refusal> {
        let words = self.games.map(|game| game.shape().state_words()).iter().sum::<usize>();
        // Each pair is stored twice, in the set and in the list.
        let most = MOST_PAIRS.min(MOST_BYTES / (16 * words + 128)).max(1);
        let mut pairs: Vec<([BitBox; 2], usize, Vec<MoveId>)> = Vec::new();
        let mut known: HashSet<[BitBox; 2]> = HashSet::new();
        let start = self.games.map(Game::initial);
        known.insert(start.clone());
        pairs.push((start, 0, Vec::new()));
        let line = |pairs: &[([BitBox; 2], usize, Vec<MoveId>)], mut number: usize| {
            let mut moves = Vec::new();
            while number > 0 {
                moves.push(joint_text(self.games[0], &pairs[number].2));
                number = pairs[number].1;
            }
            moves.reverse();
            moves
        };
        let different = |difference, moves, pairs| {
            Ok(Comparison {
                difference: Some(difference),
                moves,
                pairs,
                ..Comparison::new(Verdict::Different)
            })
        };
        let (mut number, mut is_whole) = (0, true);
        while number < pairs.len() {
            wanted(cancel)?;
            let states = pairs[number].0.clone();
            let both = [&states[0], &states[1]];
            let legal = match self.look(both) {
                Err(difference) => return different(difference, line(&pairs, number), number + 1),
                Ok(None) => Vec::new(),
                Ok(Some(legal)) => legal,
            };
            let count = legal
                .iter()
                .map(|moves| moves.len() as u64)
                .fold(u64::from(!legal.is_empty()), u64::saturating_mul);
            is_whole &= count <= MOST_JOINTS;
            for choice in 0..count.min(MOST_JOINTS) {
                wanted(cancel)?;
                let mut rest = choice;
                let joint: Vec<MoveId> = legal
                    .iter()
                    .map(|moves| {
                        let action = moves[(rest % moves.len() as u64) as usize];
                        rest /= moves.len() as u64;
                        action
                    })
                    .collect();
                let next = match self.step(both, &joint) {
                    Err(difference) => return different(difference, line(&pairs, number), number + 1),
                    Ok(next) => next,
                };
                if known.contains(&next) {
                    continue;
                }
                if pairs.len() >= most {
                    is_whole = false;
                    continue;
                }
                known.insert(next.clone());
                pairs.push((next, number, joint));
            }
            number += 1;
        }
        let verdict = if is_whole { Verdict::SamePlay } else { Verdict::NoDifferenceFound };
        Ok(Comparison { pairs: pairs.len(), ..Comparison::new(verdict) })
    }

    /// Plays a random game in both games. Returns its moves and the difference found at its end, if
    /// any.
    fn play(
        &self,
        stream: &mut Stream,
        cancel: &Cancel,
    ) -> Result<(Vec<Vec<String>>, Option<String>), Refusal> {
        let mut states = self.games.map(Game::initial);
        let mut moves = Vec::new();
        while moves.len() < LONGEST {
            wanted(cancel)?;
            let both = [&states[0], &states[1]];
            let legal = match self.look(both) {
                Err(difference) => return Ok((moves, Some(difference))),
                Ok(None) => break,
                Ok(Some(legal)) => legal,
            };
            if legal.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<MoveId> =
                legal.iter().map(|moves| moves[stream.below(moves.len() as u64) as usize]).collect();
            match self.step(both, &joint) {
                Err(difference) => return Ok((moves, Some(difference))),
                Ok(next) => states = next,
            }
            moves.push(joint_text(self.games[0], &joint));
        }
        Ok((moves, None))
    }
}

//! The features of states for a net, the roles of its outputs, and the fingerprint of its game.
//!
//! All of these are derived from the game, so a net file does not store them.

use super::{NetError, weights::MOST_OUTPUTS};
use crate::{
    Budget,
    search::{character::Character, lines::Lines, payoff::Payoff},
};
use gdl_runtime::{Game, GameExt, chance::Stream, engine::Lanes, game::Id};

/// The maximum number of features; a net then takes at most about 200 kB.
const MOST: usize = 3000;

/// The maximum number of turn phases with heads of their own.
const MOST_HEADS: usize = 8;

/// The number of random steps for ruling lines out, and the maximum number of steps of one game.
const STEPS: usize = 4096;
const LONGEST: usize = 512;

/// The number of random steps that a fingerprint covers, and the maximum number of steps of one
/// game.
const PRINTED: usize = 256;
const LONGEST_PRINTED: usize = 64;

/// The features of a game's states, and the roles of the outputs.
#[derive(Clone, Debug)]
pub(super) struct Features {
    pub(super) fluents: usize,
    lines: Lines,
    /// True if lines that lack two fluents are features too.
    are_each: bool,
    /// The roles other than chance.
    pub(super) players: Vec<usize>,
    pub(super) chance: Option<usize>,
    /// The sum of two players' goals, if it is constant. Then the only output is the first
    /// player's.
    pub(super) total: Option<f32>,
    /// The mean length of random games.
    pub(super) length: f64,
    /// The mean number of features of a state in random games.
    pub(super) active: f32,
    pub(super) fingerprint: u64,
}

impl Features {
    /// Finds the features of a game. O([`STEPS`] random steps + steps to lines).
    ///
    /// # Errors
    /// Returns an error if games of this kind cannot be learned, or the budget is spent first.
    pub(super) fn of<G: Game>(game: &G, budget: &Budget) -> Result<Self, NetError> {
        let refused = |reason: &str| Err(NetError::Unsuitable(reason.to_owned()));
        let fluents = game.shape().fluents;
        let chance = game.chance_role().map(Id::index);
        let players: Vec<usize> = (0..game.shape().roles).filter(|&role| Some(role) != chance).collect();
        if game.vocabulary().has_percepts() {
            return refused("its roles do not see the whole state, and the value is one of states");
        }
        if fluents > MOST {
            return refused("it has more than 3,000 fluents");
        }
        if players.len() > MOST_OUTPUTS {
            return refused("it has more than eight roles");
        }
        let character = Character::of(game, 0, budget);
        if character.is_simultaneous {
            return refused(
                "roles choose at the same time, and alpha-beta, which searches with the value, takes the \
                 moves of others as known",
            );
        }
        let mut features = Self {
            fluents,
            lines: Lines::default(),
            are_each: true,
            players,
            chance,
            total: character.sum.map(|sum| sum as f32),
            length: character.length,
            active: 1.0,
            fingerprint: fingerprint(game, budget).ok_or(NetError::Late)?,
        };
        if let Some(table) = game.table() {
            features.lines = Lines::of(table, usize::MAX);
        }
        let states = walk(game, 1, STEPS, LONGEST, budget, |_| {}).ok_or(NetError::Late)?;
        if states.is_empty() {
            return refused("no move can be made in its initial state");
        }
        features.lines.rule_out(states.iter().map(AsRef::as_ref), usize::MAX);
        features.are_each = fluents + features.lines.each() <= MOST;
        if features.len() > MOST {
            features.lines = Lines::default();
        }
        let mut active = 0_usize;
        states.iter().for_each(|state| features.visit(state.as_ref(), &mut |_| active += 1));
        features.active = active as f32 / states.len() as f32;
        Ok(features)
    }

    /// Returns the number of features.
    pub(super) fn len(&self) -> usize {
        self.fluents + if self.are_each { self.lines.each() } else { self.lines.threats() }
    }

    /// Calls `feature` with the index of each feature of a state.
    #[inline]
    pub(super) fn visit(&self, state: &[u64], feature: &mut (impl FnMut(usize) + ?Sized)) {
        gdl_runtime::bits::ones(state).for_each(&mut *feature);
        let most = self.len();
        self.lines.visit_each(state, |line| {
            if self.fluents + line < most {
                feature(self.fluents + line);
            }
        });
    }

    /// Returns the number of outputs.
    pub(super) fn outputs(&self) -> usize {
        if self.total.is_some() { 1 } else { self.players.len() }
    }

    /// Converts outputs to the value for a role other than chance, -1 to 1.
    #[inline]
    pub(super) fn worth(&self, role: usize, outputs: &[f32]) -> f32 {
        match (self.total, self.players.iter().position(|&player| player == role)) {
            (None, Some(place)) => outputs[place],
            (Some(_), Some(0)) => outputs[0],
            _ => -outputs[0],
        }
    }

    /// Writes the outputs for the goals in a view, -1 to 1.
    pub(super) fn of_goals(&self, payoff: &Payoff, view: &[u64], outputs: &mut [f32]) {
        for (output, &player) in outputs.iter_mut().zip(&self.players) {
            *output = f32::from(payoff.goal(view, player)) / 50.0 - 1.0;
        }
    }

    /// Converts outputs to goals.
    #[inline]
    pub(super) fn goals(&self, outputs: &[f32], goals: &mut [f32]) {
        goals.fill(50.0);
        for (output, &player) in outputs.iter().zip(&self.players) {
            goals[player] = 50.0 + 50.0 * output;
        }
        if let (Some(total), [first, second]) = (self.total, &self.players[..]) {
            goals[*second] = total - goals[*first];
        }
    }
}

/// Returns the number of heads for a game.
pub(super) fn heads<G: Game>(game: &G) -> usize {
    let phases = game.table().and_then(|table| table.lanes()).map_or(1, Lanes::cycle_phases);
    if phases <= MOST_HEADS { phases } else { 1 }
}

/// Returns the head for a state; the game has `heads` of them.
#[inline]
pub(super) fn head<G: Game>(game: &G, heads: usize, state: &[u64]) -> usize {
    if heads < 2 {
        return 0;
    }
    let lanes = game.table().and_then(|table| table.lanes());
    lanes.and_then(|lanes| lanes.find(state)).filter(|&phase| phase < heads).unwrap_or(0)
}

/// Plays random games of `steps` steps in total, at most `longest` each. Returns their nonterminal
/// states, and calls `end` with the view of each terminal state. Returns `None` if the budget is
/// spent first.
fn walk<G: Game>(
    game: &G,
    seed: u64,
    steps: usize,
    longest: usize,
    budget: &Budget,
    mut end: impl FnMut(&G::View),
) -> Option<Vec<G::State>> {
    let (mut states, mut view, mut joint) = (Vec::new(), game.new_view(), Vec::new());
    for number in 0..steps as u64 {
        let (mut stream, mut state) = (Stream::new(seed, number), game.initial());
        for _ in 0..longest {
            if states.len() >= steps {
                return Some(states);
            }
            if budget.is_spent() {
                return None;
            }
            game.observe(&state, &mut view);
            if game.is_terminal_in(&view) {
                end(&view);
                break;
            }
            joint.clear();
            joint.extend(game.roles().map_while(|role| game.random_move_in(&view, role, &mut stream)));
            if joint.len() < game.shape().roles {
                break;
            }
            states.push(state.clone());
            game.advance(&mut state, &joint);
        }
    }
    Some(states)
}

/// Computes a hash of a game's names and goals, and of the states and goals of random games. It
/// does not depend on the engine. Returns `None` if the budget is spent first.
pub(super) fn fingerprint<G: Game>(game: &G, budget: &Budget) -> Option<u64> {
    let vocabulary = game.vocabulary();
    let mut hash = Fnv::new();
    for texts in [vocabulary.roles(), vocabulary.fluents(), vocabulary.moves()] {
        texts.iter().for_each(|text| hash.add(text.bytes().chain([0])));
        hash.add([1]);
    }
    for role in 0..game.shape().roles {
        hash.add(vocabulary.goals_of(role).iter().copied().chain([255]));
    }
    let payoff = Payoff::new(game);
    let mut ends = Vec::new();
    let states = walk(game, 2, PRINTED, LONGEST_PRINTED, budget, |view| {
        ends.extend((0..game.shape().roles).map(|role| payoff.goal(view.as_ref(), role)));
    })?;
    states.iter().for_each(|state| hash.add(state.as_ref().iter().flat_map(|word| word.to_le_bytes())));
    hash.add(ends);
    Some(hash.0)
}

/// The 64-bit hash function FNV-1a (Fowler, Noll and Vo), stable across machines and releases. It
/// detects damage, but no forgery.
pub(super) struct Fnv(pub(super) u64);

impl Fnv {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, bytes: impl IntoIterator<Item = u8>) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

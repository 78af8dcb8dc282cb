//! The character of a game, from its vocabulary and random games: it determines which search suits
//! the game.

use crate::{
    player::Budget,
    search::{options::Options, payoff::Payoff},
};
use gdl_runtime::{Game, GameExt, chance::Stream, game::Id};
use std::fmt;

/// The number of random games, the maximum number of steps of each, and the total number of steps
/// after which no further game starts.
const GAMES: u64 = 24;
const LONGEST: usize = 1000;
const STEPS: usize = 4000;

/// The properties of a game. Those from random games are observations, not proofs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Character {
    roles: usize,
    pub(crate) has_chance: bool,
    pub(crate) is_hidden: bool,
    /// True if several roles chose at once in some state.
    pub(crate) is_simultaneous: bool,
    /// The sum of the goals, if there are two roles and it is constant.
    pub(crate) sum: Option<u32>,
    /// The mean number of steps of the random games.
    pub(crate) length: f64,
}

impl Character {
    /// Observes random games from the initial state.
    pub(crate) fn of<G: Game>(game: &G, seed: u64, budget: &Budget) -> Self {
        let chance = game.chance_role().map(Id::index);
        let players: Vec<usize> = (0..game.shape().roles).filter(|&role| Some(role) != chance).collect();
        let mut character = Self {
            roles: players.len(),
            has_chance: chance.is_some(),
            is_hidden: game.vocabulary().has_percepts(),
            is_simultaneous: false,
            sum: None,
            length: 0.0,
        };
        let payoff = Payoff::new(game);
        let (mut steps, mut sums) = (0, Vec::new());
        for number in 0..GAMES {
            if steps >= STEPS || budget.is_spent() {
                break;
            }
            let mut stream = Stream::new(seed, number);
            let end =
                play(game, &game.initial(), &mut stream, LONGEST, &mut steps, |options: &Options<G>| {
                    let deciders = players.iter().filter(|&&role| options.of(role).len() > 1);
                    character.is_simultaneous |= deciders.count() > 1;
                });
            if let Some(end) = end {
                sums.push(players.iter().map(|&role| u32::from(payoff.goal(end.as_ref(), role))).sum());
            }
        }
        character.length = steps as f64 / sums.len().max(1) as f64;
        sums.dedup();
        character.sum = if let ([sum], 2) = (&sums[..], players.len()) { Some(*sum) } else { None };
        character
    }

    /// Returns whether there are two roles with a constant sum of goals.
    pub(crate) fn is_duel(&self) -> bool {
        self.sum.is_some()
    }

    /// Returns the mean length of random games from a state. Returns `None` if it exceeds `most`
    /// steps, or the budget is spent.
    pub(crate) fn length_from<G: Game>(
        game: &G,
        state: &G::State,
        most: usize,
        budget: &Budget,
    ) -> Option<f64> {
        const DRAWN: usize = 4;
        let mut steps = 0;
        for number in 0..DRAWN {
            let left = DRAWN * most - steps;
            if budget.is_spent() {
                return None;
            }
            play(game, state, &mut Stream::new(1, number as u64), left + 1, &mut steps, |_| {});
            if steps > DRAWN * most {
                return None;
            }
        }
        Some(steps as f64 / DRAWN as f64)
    }
}

/// Plays at random from a state, at most `most` steps, and counts them. Returns the view of the
/// terminal state if the game reaches it.
fn play<G: Game>(
    game: &G,
    state: &G::State,
    stream: &mut Stream,
    most: usize,
    steps: &mut usize,
    mut look: impl FnMut(&Options<G>),
) -> Option<G::View> {
    let (mut state, mut view, mut options) = (state.clone(), game.new_view(), Options::new(game));
    for _ in 0..most {
        game.observe_without_goals(&state, &mut view);
        if game.is_terminal_in(&view) {
            return Some(view);
        }
        if !options.read(game, &view) {
            return None;
        }
        look(&options);
        for role in 0..game.shape().roles {
            let moves = options.of(role);
            let drawn = moves[stream.below(moves.len() as u64) as usize];
            options.set(role, drawn);
        }
        game.advance(&mut state, options.joint());
        *steps += 1;
    }
    None
}

impl fmt::Display for Character {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.roles {
            1 => f.write_str("one role")?,
            2 => f.write_str("two roles")?,
            roles => write!(f, "{roles} roles")?,
        }
        if self.roles > 1 {
            f.write_str(if self.is_simultaneous { " at the same time" } else { " in turn" })?;
        }
        if self.has_chance {
            f.write_str(" with chance")?;
        }
        if self.is_hidden {
            f.write_str(", information hidden")?;
        } else if self.is_duel() {
            f.write_str(" for a fixed sum")?;
        }
        Ok(())
    }
}

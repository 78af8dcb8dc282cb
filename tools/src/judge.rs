//! Judgements of games by play. [`Settings`] bound the amount of play, and a [`Judgement`] has the
//! results.
//!
//! A rulesheet is compiled within limits. The game is played at random in lanes, followed move by
//! move ([`coverage`]), and played by searches of different strength ([`skill`]). The values of
//! positions show the [`drama`] of a match. If a stage finds the game hopeless, as most
//! candidates of a generator are, the later stages are skipped.
//!
//! The measures are defined in [`outcome`], [`skill`], [`drama`], [`variety`] and [`coverage`],
//! each in one function. [`score`] combines some measures into one number.
//! `docs/how-to/judging.md` names the paper of each one. [`text`] and [`page`] show a judgement.
//!
//! Results are deterministic: they depend on the rulesheet and the settings, never on the clock or
//! the number of threads. The numbers of games, their length and [`Settings::work`] bound play, and
//! [`Limits`](gdl_compiler::Limits) bound compilation. Work is the estimated number of gates that
//! walks and searches evaluate.

pub mod drama;
pub mod outcome;
pub mod page;
pub mod score;
pub mod skill;
pub mod text;
pub mod variety;

pub use gdl_exploration::coverage;

use crate::{
    analyze::{self, Estimate},
    load::Way,
    report,
};
use coverage::{Dead, Seen};
use drama::Drama;
use gdl_compiler::{Compilation, Options, Severity, Source};
use gdl_exploration::walk::{self, Walks};
use gdl_runtime::{
    Cancel, Dynamic, Game, Playouts,
    dynamic::MoveId,
    engine::{Table, playable},
    playouts::Tally,
};
use outcome::Outcome;
use score::ScorePart;
use serde_json::{Map, Value, json};
use skill::{Ladder, Peers};
use std::{collections::BTreeMap, fmt};
use variety::Variety;

/// The amount of play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of random choices.
    pub seed: u64,
    /// The number of random games played in lanes.
    pub playouts: u64,
    /// The number of random games followed move by move.
    pub walks: u64,
    /// The number of matches in each contest. Fewer are played if they exceed `work`.
    pub matches: u64,
    /// The node budgets of the players on the ladder, per move, weakest first. Equal players have
    /// the second budget.
    pub budgets: Vec<u64>,
    /// The limit on the gates that the searches of a contest evaluate, by estimate.
    pub work: f64,
    /// The number of joint moves after which a game is abandoned.
    pub longest: usize,
    /// True if the later stages also run for hopeless games.
    pub full: bool,
    /// The engine that steps the game. A trial chooses one if `None`.
    pub way: Option<Way>,
    /// The number of threads that play a game.
    pub threads: usize,
    /// The signal that cancels the judgement.
    pub cancel: Cancel,
}

impl Settings {
    /// Returns settings that take some seconds for a game that is not hopeless.
    #[must_use]
    pub fn thorough() -> Self {
        Self {
            seed: 0,
            playouts: 20_000,
            walks: 500,
            matches: 40,
            budgets: vec![10, 100, 1_000],
            work: 2e10,
            longest: 1_000,
            full: false,
            way: None,
            threads: 1,
            cancel: Cancel::default(),
        }
    }

    /// Returns settings that take some tens of milliseconds.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            playouts: 2_000,
            walks: 50,
            matches: 20,
            budgets: vec![10, 50],
            work: 1e8,
            longest: 300,
            ..Self::thorough()
        }
    }
}

/// The verdict on a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameVerdict {
    /// The game was measured completely.
    Judged,
    /// The rulesheet has errors.
    Invalid,
    /// The rulesheet exceeds a limit.
    TooLarge,
    /// All roles are chance.
    NoPlayer,
    /// Nearly all random games are abandoned as too long.
    Endless,
    /// Random games reach states in which a role has no legal move.
    Stuck,
    /// Random games end without exactly one goal for each role.
    Unscored,
    /// No player ever has a choice.
    NoChoice,
    /// One role wins nearly all random games.
    OneSided,
    /// Nearly all random games are drawn.
    Drawn,
}

impl GameVerdict {
    /// Returns the verdict's name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Judged => "judged",
            Self::Invalid => "invalid",
            Self::TooLarge => "too_large",
            Self::NoPlayer => "no_player",
            Self::Endless => "endless",
            Self::Stuck => "stuck",
            Self::Unscored => "unscored",
            Self::NoChoice => "no_choice",
            Self::OneSided => "one_sided",
            Self::Drawn => "drawn",
        }
    }
}

impl fmt::Display for GameVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('_', " "))
    }
}

/// The least share of random games that must end with one goal for each role. Below it, a game is
/// hopeless.
const ENDING: f64 = 0.1;

/// The greatest share of random games that one role may win, or that may be drawn. Above it, a game
/// is hopeless.
const ALIKE: f64 = 0.99;

/// The judgement of a rulesheet.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The name of the game.
    pub name: String,
    /// The verdict.
    pub verdict: GameVerdict,
    /// The reason as a sentence, unless the game was measured completely.
    pub reason: Option<String>,
    /// The names of the roles other than chance: the seats of all results.
    pub roles: Vec<String>,
    /// True if chance is a role.
    pub has_chance: bool,
    /// True if the game has imperfect information.
    pub is_hidden: bool,
    /// The results of play, if the game was played.
    pub played: Option<PlayResults>,
    /// The measures that do not apply or were skipped, each with the reason.
    pub absent: Vec<(&'static str, &'static str)>,
}

/// The results of play.
#[derive(Clone, Debug)]
pub struct PlayResults {
    /// The engine that stepped the game: a name that [`Dynamic::engine`] returns.
    pub engine: &'static str,
    /// The outcome of random games.
    pub random: Outcome,
    /// The shape of random games followed move by move.
    pub shape: Option<Shape>,
    /// The rules, moves and fluents that play never used.
    pub dead: Option<Dead>,
    /// The matches of equal players.
    pub peers: Option<Peers>,
    /// The matches of players of different strength.
    pub ladder: Option<Ladder>,
    /// The drama of the matches of equal players.
    pub drama: Option<Drama>,
    /// The variety of games.
    pub variety: Option<Variety>,
}

/// The shape of random games.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The number of games of each length, shortest first.
    pub lengths: BTreeMap<usize, u64>,
    /// The mean length in joint moves.
    pub length: Estimate,
    /// The shortest, median and longest length.
    pub quantiles: [usize; 3],
    /// Branching: the mean number of joint moves in a state.
    pub branching: f64,
    /// The greatest number of joint moves in a state.
    pub most: u128,
    /// For each seat, the mean number of its moves where it has more than one.
    pub choices: Vec<f64>,
    /// Agency: the share of positions in which some player has more than one move.
    pub agency: f64,
    /// The mean number of players that have more than one move.
    pub choosing: f64,
}

impl Shape {
    fn new(walks: &Walks, seats: &[usize]) -> Self {
        Self {
            lengths: walks.lengths.clone(),
            length: walks.mean_length(),
            quantiles: [0.0, 0.5, 1.0].map(|share| walks.quantile(share)),
            branching: walks.branching(),
            most: walks.most_joint,
            choices: seats.iter().map(|&seat| walks.choices(seat)).collect(),
            agency: walks.share_of_decisions(),
            choosing: seats.iter().map(|&seat| walks.share_of_choices(seat)).sum(),
        }
    }

    fn to_json(&self, roles: &[String]) -> Value {
        let [shortest, median, longest] = self.quantiles;
        let choices = roles.iter().zip(&self.choices).map(|(name, choices)| (name.clone(), json!(choices)));
        json!({
            "length": { "shortest": shortest, "median": median, "longest": longest },
            "branching": { "joint": self.branching, "most": self.most, "roles": choices.collect::<Map<_, _>>() },
            "agency": self.agency,
        })
    }
}

impl Judgement {
    fn new(name: &str, verdict: GameVerdict, reason: Option<String>) -> Self {
        Self {
            name: name.to_owned(),
            verdict,
            reason,
            roles: Vec::new(),
            has_chance: false,
            is_hidden: false,
            played: None,
            absent: Vec::new(),
        }
    }

    /// Returns the judgement of a rulesheet that cannot be read.
    #[must_use]
    pub fn refused(name: &str, reason: String) -> Self {
        Self::new(name, GameVerdict::Invalid, Some(reason))
    }

    /// Returns the parts of the score that apply.
    #[must_use]
    pub fn parts(&self) -> Vec<ScorePart> {
        self.played.as_ref().map_or_else(Vec::new, |played| score::parts(played, self.roles.len()))
    }

    /// Returns the score, from 0 to 1. `None` if the game was not measured completely.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let all = self.played.as_ref().is_some_and(|played| played.shape.is_some());
        all.then(|| score::harmonic_mean(&self.parts()))
    }

    /// Returns whether drama can be measured. Otherwise adds the reason to `absent`.
    fn says_of_drama(&mut self, played: &PlayResults) -> bool {
        let why = if self.roles.len() == 1 {
            "there is one player, so nobody trails"
        } else if self.is_hidden {
            "players may not know the state, so they cannot know who leads"
        } else if played.peers.is_none() {
            skill::TOO_MUCH
        } else {
            return true;
        };
        self.absent.extend([("drama", why), ("lead_changes", why), ("decided", why)]);
        false
    }

    /// Adds the reasons for other missing measures to `absent`.
    fn explain(&mut self, played: &PlayResults) {
        if self.roles.len() == 1 {
            self.absent.push(("balance", "there is one player, so no seat is better than another"));
            self.absent.push(("decisiveness", "there is one player, who cannot draw"));
        }
        if played.peers.is_none() {
            self.absent.extend([("skilled", skill::TOO_MUCH), ("openings", skill::TOO_MUCH)]);
        }
        if played.ladder.is_none() {
            self.absent.push(("skill", skill::TOO_MUCH));
        }
        if played.drama.as_ref().is_some_and(|drama| drama.drama.is_none()) {
            let why = "no match of equal players had a winner";
            self.absent.extend([("drama", why), ("decided", why)]);
        }
    }

    /// Returns the JSON object of a candidate:
    ///
    /// - `game`, `verdict` (`judged`, `invalid`, `too_large`, `no_player`, `endless`, `stuck`,
    ///   `unscored`, `no_choice`, `one_sided`, `drawn`), `reason` (null if `judged`), `score` (0 to
    ///   1, null unless everything was measured) and its `parts` by name;
    /// - `roles` (other than chance), `chance`, `hidden`; `engine` (`table`, `events` or `lifted`,
    ///   null if nothing was played);
    /// - `random` and `skilled` play (null if not played): `games`, `completion`, `decisiveness`,
    ///   `draws`, `balance`, `length`, and for each of `roles` the mean `goal` and shares of
    ///   `wins`, `draws`, `losses`; `skilled` has the `nodes` of a move, `random` the shares of
    ///   games that are `too_long`, `stuck` and `unscored`;
    /// - `shape` of random games: `length` (`shortest`, `median`, `longest`), `branching` (`joint`,
    ///   `most`, and for each of `roles` its moves where it has a choice), `agency`;
    /// - `skill`: `depth`, `levels`, and `rungs`, each with `strong` and `weak` (nodes, null for
    ///   random play), `matches`, `gain` (an estimate: `mean` and its 95 % `interval`, as shares of
    ///   1); for a game of one role `goals`, the mean of each player;
    /// - `drama`, `lead_changes`, `decided`; `variety` (`states`, `ends`, `openings`);
    /// - `dead`: `coverage`, and for each of `rules`, `moves` and `fluents` the number `of` all
    ///   items, the `count` of dead ones, and a `list` of the first dead ones;
    /// - `absent`: for each missing measure the reason.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let played = self.played.as_ref();
        let of = |value: Option<Value>| value.unwrap_or(Value::Null);
        let drama = played.and_then(|played| played.drama.as_ref());
        let parts: Map<String, Value> =
            self.parts().into_iter().map(|part| (part.name.to_owned(), json!(part.value))).collect();
        let absent: Map<String, Value> =
            self.absent.iter().map(|(measure, why)| ((*measure).to_owned(), json!(why))).collect();
        json!({
            "game": self.name,
            "verdict": self.verdict.name(),
            "reason": self.reason,
            "score": self.score(),
            "parts": parts,
            "roles": self.roles,
            "chance": self.has_chance,
            "hidden": self.is_hidden,
            "engine": played.map(|played| played.engine),
            "random": of(played.map(|played| played.random.to_json(&self.roles))),
            "skilled": of(played.and_then(|played| played.peers.as_ref()).map(|peers| peers.to_json(&self.roles))),
            "shape": of(played.and_then(|played| played.shape.as_ref()).map(|shape| shape.to_json(&self.roles))),
            "skill": of(played.and_then(|played| played.ladder.as_ref()).map(Ladder::to_json)),
            "drama": drama.and_then(|drama| drama.drama),
            "lead_changes": drama.map(|drama| drama.lead_changes),
            "decided": drama.and_then(|drama| drama.decided),
            "variety": of(played.and_then(|played| played.variety).map(Variety::to_json)),
            "dead": of(played.and_then(|played| played.dead.as_ref()).map(Dead::to_json)),
            "absent": absent,
        })
    }
}

/// Judges a rulesheet. Returns `None` if cancelled.
#[must_use]
pub fn judge(name: &str, source: &Source, options: &Options, settings: &Settings) -> Option<Judgement> {
    let compilation = match gdl_compiler::compile(source, options) {
        Ok(compilation) => compilation,
        Err(failure) => {
            let faults = &failure.diagnostics;
            let verdict = if faults.are_excesses() { GameVerdict::TooLarge } else { GameVerdict::Invalid };
            let first = faults.iter().find(|fault| fault.severity == Severity::Error);
            let reason = first.map(|fault| report::line(fault, source));
            return Some(Judgement::new(name, verdict, reason));
        }
    };
    let game = match playable(&compilation, settings.way.map(Into::into)) {
        Ok(game) => game,
        Err(excess) => return Some(Judgement::new(name, GameVerdict::TooLarge, Some(excess.message))),
    };
    let judgement = JudgedGame { game: &game, compilation: &compilation, source, settings }.judge(name);
    (!settings.cancel.is_cancelled()).then_some(judgement)
}

/// A game that is being judged, with its compilation and its source.
#[derive(Clone, Copy)]
struct JudgedGame<'g> {
    game: &'g Dynamic,
    compilation: &'g Compilation,
    source: &'g Source,
    settings: &'g Settings,
}

impl<'g> JudgedGame<'g> {
    fn judge(self, name: &str) -> Judgement {
        let Self { game, compilation, source, settings } = self;
        let vocabulary = game.vocabulary();
        let mut judgement = Judgement::new(name, GameVerdict::Judged, None);
        judgement.has_chance = vocabulary.chance().is_some();
        judgement.is_hidden = vocabulary.has_percepts();
        let seats: Vec<usize> =
            (0..vocabulary.roles().len()).filter(|&role| vocabulary.chance() != Some(role)).collect();
        judgement.roles =
            seats.iter().filter_map(|&role| vocabulary.roles().get(role)).map(str::to_owned).collect();
        if seats.is_empty() {
            judgement.verdict = GameVerdict::NoPlayer;
            judgement.reason = Some("the only role is chance".to_owned());
            return judgement;
        }
        let tally = self.play();
        let random = Outcome::of_tally(&tally, &seats);
        let mut played = PlayResults {
            engine: game.engine(),
            random,
            shape: None,
            dead: None,
            peers: None,
            ladder: None,
            drama: None,
            variety: None,
        };
        if let Some((verdict, reason)) = hopeless(&played.random, &judgement.roles) {
            (judgement.verdict, judgement.reason) = (verdict, Some(reason));
            if !settings.full {
                judgement.played = Some(played);
                return judgement;
            }
        }
        let (walks, mut seen) = self.follow(tally.mean_length());
        let shape = Shape::new(&walks, &seats);
        if shape.agency == 0.0 && judgement.verdict == GameVerdict::Judged {
            judgement.verdict = GameVerdict::NoChoice;
            judgement.reason = Some("no player has more than one legal move in any position".to_owned());
        }
        if judgement.verdict == GameVerdict::Judged || settings.full {
            let mut matches = Vec::new();
            let mut keep = |joints: &[Vec<MoveId>]| seen.follow(joints);
            let terms = skill::Terms::new(game, settings, &seats, &played.random, shape.choosing);
            played.ladder = terms.ladder(&mut keep);
            if let Some((peers, list)) = terms.peers(&mut keep) {
                (played.peers, matches) = (Some(peers), list);
            }
            if judgement.says_of_drama(&played) {
                played.drama = Drama::new(&terms, &matches);
            }
            let openings = played.peers.as_ref().map(|_| matches.iter().map(|played| &played.joints[..]));
            played.variety = Some(Variety::new(&walks, seen.ends(), openings));
            played.shape = Some(shape);
            judgement.explain(&played);
        }
        played.dead = Some(seen.dead(compilation, source));
        judgement.played = Some(played);
        judgement
    }

    /// Plays random games.
    fn play(self) -> Tally {
        let Self { game, compilation, settings, .. } = self;
        // Without lanes, random games take about a hundred times as long.
        let has_lanes = compilation.lanes.is_some() && game.table().is_some();
        let count = if has_lanes { settings.playouts } else { settings.playouts.div_ceil(100) };
        let playouts = Playouts::new(game).seed(settings.seed).threads(settings.threads).count(count);
        playouts.max_length(settings.longest as u64).run().tally
    }

    /// Follows random games move by move. Their mean length is about `length`.
    fn follow(self, length: f64) -> (Walks, Seen<'g>) {
        let Self { game, compilation, settings, .. } = self;
        let (observe, advance) = game.table().map_or((1, 1), Table::gates);
        #[allow(clippy::cast_sign_loss, reason = "it is positive, and casts of floats saturate")]
        let most = (settings.work / ((observe + advance + 1) as f64 * (1.0 + length))) as u64;
        let follow = analyze::Settings {
            seed: settings.seed,
            count: settings.walks.min(most).max(1),
            seconds: None,
            threads: settings.threads,
            cancel: settings.cancel.clone(),
        };
        let longest = settings.longest.min(walk::longest(game));
        Walks::cover(game, &compilation.ground, &follow, longest, length)
    }
}

/// Returns the verdict and the reason if random games show that the game is hopeless.
fn hopeless(random: &Outcome, roles: &[String]) -> Option<(GameVerdict, String)> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    if random.completion() < ENDING {
        let ends = [
            (random.too_long, GameVerdict::Endless, "are not over in time"),
            (random.stuck, GameVerdict::Stuck, "come to where a role has no legal move"),
            (random.unscored, GameVerdict::Unscored, "end without one goal for each role"),
        ];
        // The first maximum wins: `max_by_key` returns the last one, so the order is reversed.
        let &(games, verdict, what) = ends.iter().rev().max_by_key(|(games, ..)| *games)?;
        let share = percent(games as f64 / random.games.max(1) as f64);
        return Some((verdict, format!("{share} of random games {what}")));
    }
    // A puzzle that random play never solves may still be a good one.
    if roles.len() < 2 {
        return None;
    }
    if random.draws() > ALIKE {
        return Some((GameVerdict::Drawn, format!("{} of random games are drawn", percent(random.draws()))));
    }
    let winner = random.seats.iter().zip(roles).find(|(seat, _)| random.wins(seat) > ALIKE);
    winner.map(|(seat, name)| {
        (GameVerdict::OneSided, format!("{name} wins {} of random games", percent(random.wins(seat))))
    })
}

#[cfg(test)]
mod tests;

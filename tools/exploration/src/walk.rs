//! Random games, move by move: their lengths, the moves to choose from and the states visited.
//!
//! A game is abandoned after [`longest`] moves, and can be cancelled between them. The statistics
//! take a constant number of words for each game, and for each role in each ply. Those of all plies
//! take at most `MOST_BYTES`, including the names of the roles. [`States`] bounds its own memory.

use crate::{coverage::Seen, states::States, statistics::Estimate, witness::Witness};
use gdl_compiler::ground::GroundRules;
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    game::Id,
};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The greatest length of a game; longer games are abandoned.
const MAX_LENGTH: usize = 10_000;

/// The limit on the report of all plies in bytes: sums and the name of each role.
const MOST_BYTES: usize = 4 << 20;

/// The amount of play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of random choices.
    pub seed: u64,
    /// The number of games followed move by move.
    pub count: u64,
    /// The time limit in seconds, which replaces `count`.
    pub seconds: Option<f64>,
    /// The number of threads, or 0 for one on each core.
    pub threads: usize,
    /// The signal that cancels the work.
    pub cancel: Cancel,
}

impl Settings {
    /// The default number of games that are followed.
    pub const DEFAULT_COUNT: u64 = 1_000;
}

/// Returns the number of moves after which a game is abandoned. It is below `MAX_LENGTH` if there
/// are many roles.
#[must_use]
pub fn longest(game: &Dynamic) -> usize {
    let ply: usize = game.vocabulary().roles().iter().map(|name| 16 + name.len()).sum();
    MAX_LENGTH.min(MOST_BYTES / ply.max(1)).max(1)
}

/// The statistics of one ply, over the games that reached it without being over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ply {
    /// The number of games.
    pub games: u64,
    /// The sum over these games of the number of joint moves, saturating.
    joint: u128,
    /// For each role, the number of games in which it had more than one move, and the sum of the
    /// numbers of its moves in these games.
    choices: Vec<[u64; 2]>,
}

impl Ply {
    /// Returns the mean number of joint moves.
    #[must_use]
    pub fn joint(&self) -> f64 {
        self.joint as f64 / self.games.max(1) as f64
    }

    /// Returns the mean number of moves of a role in the games in which it had more than one.
    /// Returns `None` if there are fewer than `enough` of these games.
    #[must_use]
    pub fn choices(&self, role: usize, enough: u64) -> Option<f64> {
        let [games, sum] = *self.choices.get(role)?;
        (games >= enough.max(1)).then(|| sum as f64 / games as f64)
    }
}

/// The statistics of random games that were followed. All sums are integers, so the order of games
/// does not matter.
#[derive(Clone, Debug, Default)]
pub struct Walks {
    /// The number of games of each length, shortest first.
    pub lengths: BTreeMap<usize, u64>,
    /// The number of games abandoned as too long, or because a role had no move.
    pub unfinished: u64,
    /// The statistics of each ply.
    pub plies: Vec<Ply>,
    /// The greatest number of joint moves in a state.
    pub most_joint: u128,
    /// The greatest number of moves of each role in a state.
    pub most: Vec<u64>,
    /// For each role, the sum of the numbers of its moves.
    moves: Vec<u64>,
    /// The number of positions in which a role other than chance had more than one move.
    decisions: u64,
    /// The states visited.
    pub states: States,
    /// The first role other than chance that has a choice, if chance always makes its first legal
    /// move. `None` if several roles choose at once, or none was found.
    pub first_to_choose: Option<usize>,
    /// For each game, its number and the decimal logarithms of its two estimates: of the nodes and
    /// of the leaves of the tree.
    trees: Vec<(u64, [f64; 2])>,
}

/// The size of the game tree by Knuth's estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tree {
    /// The decimal logarithm of the number of joint move sequences from the initial state,
    /// including the empty one.
    pub log10_nodes: f64,
    /// The decimal logarithm of the number of sequences that end in a terminal state.
    pub log10_leaves: f64,
    /// The standard error of the number of sequences, relative to that number.
    pub relative_error: f64,
}

impl Walks {
    /// Follows games until the number in the settings is reached, or the time is up. Calls `tell`
    /// with the number of games that are done.
    pub fn play(game: &Dynamic, settings: &Settings, tell: &(dyn Fn(u64) + Sync)) -> Self {
        Self::follow(game, settings, longest(game), tell, &|| ()).0
    }

    /// Follows games like [`Walks::play`] and abandons each one after `longest` moves. Also returns
    /// the coverage of the rules by these games. `length` is about the mean length of a game.
    #[must_use]
    pub fn cover<'g>(
        game: &'g Dynamic,
        ground: &'g GroundRules,
        settings: &Settings,
        longest: usize,
        length: f64,
    ) -> (Self, Seen<'g>) {
        Self::follow(game, settings, longest, &|_| (), &|| Seen::new(game, ground, length))
    }

    fn follow<W: Witness>(
        game: &Dynamic,
        settings: &Settings,
        longest: usize,
        tell: &(dyn Fn(u64) + Sync),
        make: &(dyn Fn() -> W + Sync),
    ) -> (Self, W) {
        let end = settings.seconds.and_then(|seconds| {
            Instant::now().checked_add(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
        });
        let count = if settings.seconds.is_some() { u64::MAX } else { settings.count };
        let threads = match settings.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let threads = threads.min(usize::try_from(count).unwrap_or(usize::MAX)).max(1);
        let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
        let all = Mutex::new((Self::default(), make()));
        let work = || {
            let (mut part, mut witness) = (Self::default(), make());
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let late = number > 0 && end.is_some_and(|end| Instant::now() >= end);
                if number >= count || late || settings.cancel.is_cancelled() {
                    break;
                }
                part.walk(game, number, settings, longest, &mut witness);
                tell(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.0.merge(part);
            all.1.merge(witness);
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                // If no thread can be started, fewer threads play.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let (mut walks, witness) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        walks.trees.sort_unstable_by_key(|(number, _)| *number);
        walks.first_to_choose = first_to_choose(game);
        (walks, witness)
    }

    fn walk<W: Witness>(
        &mut self,
        game: &Dynamic,
        number: u64,
        settings: &Settings,
        longest: usize,
        witness: &mut W,
    ) {
        let stream = &mut Stream::new(settings.seed, number);
        let (roles, chance) = (game.shape().roles, game.vocabulary().chance());
        self.most.resize(roles, 0);
        self.moves.resize(roles, 0);
        let mut state = game.initial();
        let mut view = game.new_view();
        let mut length = 0;
        // The logarithms of the product of joint moves over all earlier plies, and of the sum of
        // these products.
        let (mut width, mut nodes) = (0.0_f64, 0.0_f64);
        let finished = loop {
            self.states.visit(state.as_ref());
            game.observe_without_goals(&state, &mut view);
            if game.is_terminal_in(&view) {
                witness.see(number, &state, &view, None);
                break true;
            }
            let joint: Option<Vec<MoveId>> =
                game.roles().map(|role| game.random_move_in(&view, role, stream)).collect();
            let joint = joint.filter(|_| length < longest && !settings.cancel.is_cancelled());
            witness.see(number, &state, &view, joint.as_deref());
            let Some(joint) = joint else { break false };
            if self.plies.len() == length {
                self.plies.push(Ply { choices: vec![[0; 2]; roles], ..Ply::default() });
            }
            let ply = &mut self.plies[length];
            let mut product = 1_u128;
            let mut is_decision = false;
            for role in game.roles() {
                let moves = game.legal_moves_in(&view, role).len() as u64;
                is_decision |= moves > 1 && chance != Some(role.index());
                self.moves[role.index()] += moves;
                product = product.saturating_mul(moves.into());
                self.most[role.index()] = self.most[role.index()].max(moves);
                if moves > 1 {
                    ply.choices[role.index()][0] += 1;
                    ply.choices[role.index()][1] += moves;
                }
            }
            ply.games += 1;
            self.decisions += u64::from(is_decision);
            ply.joint = ply.joint.saturating_add(product);
            self.most_joint = self.most_joint.max(product);
            width += libm::log10(product as f64);
            nodes = log_sum(nodes, width);
            game.advance(&mut state, &joint);
            length += 1;
        };
        *self.lengths.entry(length).or_default() += 1;
        self.unfinished += u64::from(!finished);
        self.trees.push((number, [nodes, width]));
    }

    fn merge(&mut self, other: Self) {
        for (length, games) in other.lengths {
            *self.lengths.entry(length).or_default() += games;
        }
        self.unfinished += other.unfinished;
        if self.plies.len() < other.plies.len() {
            self.plies.resize(other.plies.len(), Ply::default());
        }
        for (ply, other) in self.plies.iter_mut().zip(&other.plies) {
            ply.games += other.games;
            ply.joint = ply.joint.saturating_add(other.joint);
            ply.choices.resize(other.choices.len().max(ply.choices.len()), [0; 2]);
            add_choices(&mut ply.choices, &other.choices);
        }
        self.most_joint = self.most_joint.max(other.most_joint);
        self.most.resize(other.most.len().max(self.most.len()), 0);
        self.most.iter_mut().zip(&other.most).for_each(|(most, other)| *most = (*most).max(*other));
        self.moves.resize(other.moves.len().max(self.moves.len()), 0);
        self.moves.iter_mut().zip(&other.moves).for_each(|(sum, moves)| *sum += moves);
        self.decisions += other.decisions;
        self.states.merge(other.states);
        self.trees.extend(other.trees);
    }

    /// Returns the number of games followed.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.lengths.values().sum()
    }

    /// Returns the number of positions in which moves were made.
    fn positions(&self) -> u64 {
        self.plies.iter().map(|ply| ply.games).sum()
    }

    /// Returns the mean number of joint moves in a state.
    #[must_use]
    pub fn branching(&self) -> f64 {
        let sum = self.plies.iter().fold(0_u128, |sum, ply| sum.saturating_add(ply.joint));
        sum as f64 / self.positions().max(1) as f64
    }

    /// Returns the mean number of moves of a role in a state.
    #[must_use]
    pub fn moves(&self, role: usize) -> f64 {
        self.moves.get(role).map_or(0.0, |&sum| sum as f64 / self.positions().max(1) as f64)
    }

    /// Returns the share of positions in which some role other than chance has more than one move.
    #[must_use]
    pub fn share_of_decisions(&self) -> f64 {
        self.decisions as f64 / self.positions().max(1) as f64
    }

    /// Returns the number of times that a role had more than one move, and the sum of its moves in
    /// these positions.
    fn all_choices(&self, role: usize) -> [u64; 2] {
        let mut all = [[0; 2]];
        self.plies
            .iter()
            .filter_map(|ply| ply.choices.get(role))
            .for_each(|&one| add_choices(&mut all, &[one]));
        all[0]
    }

    /// Returns the mean number of moves of a role where it has more than one; 0 if it never has.
    #[must_use]
    pub fn choices(&self, role: usize) -> f64 {
        let [states, sum] = self.all_choices(role);
        sum as f64 / states.max(1) as f64
    }

    /// Returns the share of positions in which a role has more than one move.
    #[must_use]
    pub fn share_of_choices(&self, role: usize) -> f64 {
        self.all_choices(role)[0] as f64 / self.positions().max(1) as f64
    }

    /// Returns the mean length in joint moves.
    #[must_use]
    pub fn mean_length(&self) -> Estimate {
        let games = self.games().max(1) as f64;
        let moment = |power: i32| -> f64 {
            self.lengths
                .iter()
                .map(|(&length, &count)| (length as f64).powi(power) * count as f64)
                .sum::<f64>()
                / games
        };
        let mean = moment(1);
        Estimate::new(mean, ((moment(2) - mean * mean).max(0.0) / games).sqrt())
    }

    /// Returns the least length that at least this share of the games does not exceed.
    #[must_use]
    pub fn quantile(&self, share: f64) -> usize {
        let wanted = share * self.games() as f64;
        let mut so_far = 0;
        for (&length, &games) in &self.lengths {
            so_far += games;
            if so_far as f64 >= wanted {
                return length;
            }
        }
        0
    }

    /// Returns an estimate of the game tree. Each random game estimates the number of sequences as
    /// if the whole tree were as wide as that game. The mean of these estimates is unbiased (Knuth,
    /// "Estimating the efficiency of backtrack programs", 1975). Its error is large if a few wide
    /// games dominate the sum.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let games = self.trees.len().max(1) as f64;
        let mean = |which: usize| {
            let logs = self.trees.iter().map(|(_, logs)| logs[which]);
            let most = logs.clone().fold(0.0, f64::max);
            (most, logs.map(|log| libm::pow(10.0, log - most)).sum::<f64>() / games)
        };
        let (most, part) = mean(0);
        let square =
            self.trees.iter().map(|(_, logs)| libm::pow(10.0, 2.0 * (logs[0] - most))).sum::<f64>() / games;
        let (most_leaves, leaves) = mean(1);
        Tree {
            log10_nodes: most + libm::log10(part.max(f64::MIN_POSITIVE)),
            log10_leaves: most_leaves + libm::log10(leaves.max(f64::MIN_POSITIVE)),
            relative_error: ((square - part * part).max(0.0) / games).sqrt() / part.max(f64::MIN_POSITIVE),
        }
    }
}

fn add_choices(sums: &mut [[u64; 2]], others: &[[u64; 2]]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        sum[0] += other[0];
        sum[1] += other[1];
    }
}

/// Returns the decimal logarithm of a sum, from the decimal logarithms of its two summands.
fn log_sum(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + libm::log1p(libm::pow(10.0, low - high)) / std::f64::consts::LN_10
}

/// Returns the role that makes the first choice of the game; choices of chance do not count.
/// Returns `None` if several roles choose at once, or if 100 steps do not reach a choice.
fn first_to_choose(game: &Dynamic) -> Option<usize> {
    let mut state = game.initial();
    for _ in 0..100 {
        let view = game.view(&state);
        if game.is_terminal_in(&view) {
            return None;
        }
        let choosing = game.roles().filter(|&role| game.legal_moves_in(&view, role).len() > 1);
        let choosing: Vec<RoleId> = choosing.filter(|&role| Some(role) != game.chance_role()).collect();
        match choosing[..] {
            [role] => return Some(role.index()),
            // No role other than chance has a choice. Every role makes its first legal move: the
            // move of chance rarely decides which role chooses next.
            [] => {
                let joint: Option<Vec<MoveId>> =
                    game.roles().map(|role| game.legal_moves_in(&view, role).next()).collect();
                game.advance(&mut state, &joint?);
            }
            _ => return None,
        }
    }
    None
}

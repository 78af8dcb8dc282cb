//! Training of a net: rounds of self-play, and steps of gradient descent on their states.
//!
//! A round learns from the games of earlier rounds. At the same time it plays new games, with the
//! net from the start of the round. The result depends only on the seed and the number of rounds,
//! not on the number of threads.

use super::{
    LearnedValue, Net, NetError,
    bytes::{Reader, Writer},
    features::{Features, head, heads},
    judge::Judge,
    self_play::{Samples, SelfPlay},
    weights::{Batch, Sizes, Weights},
};
use crate::Budget;
use gdl_runtime::{Game, bits, chance::Stream};
use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The magic bytes and the version of training files.
const MAGIC: &[u8; 8] = b"gdltrain";
const VERSION: u32 = 1;

/// The number of states in a batch, and the mean number of times that each state is learned from.
const BATCH: usize = 256;
const REUSE: u64 = 2;

/// The initial learning rate, and the least share of it at the end.
const RATE: f32 = 0.002;
const LEAST_RATE: f32 = 0.02;

/// The limits of the stored states: their number, and their bytes.
const KEPT: usize = 1 << 19;
const KEPT_BYTES: usize = 48 << 20;

/// A bound that the samples, rounds and games of a sound file never reach.
const MOST_COUNTED: u64 = 1 << 48;

/// The approximate number of states of a round, the maximum number of blocks of games in it, and
/// the number of games of a block.
const ROUND: f64 = 12_000.0;
const MOST_BLOCKS: u64 = 8;
const GAMES: f64 = 64.0;

/// The possible numbers of hidden units, each with the maximum number of features for it. A net
/// file takes at most about 200 kB.
const HIDDEN: [(usize, usize); 3] = [(128, 600), (64, 1300), (32, usize::MAX)];

/// The training of a net for a game, from its rules alone.
///
/// ```
/// use gdl_players::{Budget, search::{AlphaBeta, LearnedValue, Training}};
/// use gdl_runtime::{Game, GameExt, gdl};
///
/// gdl!(name = nim, rules = r"
///     (role left) (role right) (init (sticks 5)) (init (control left))
///     (minus 1 1 0) (minus 2 1 1) (minus 2 2 0) (minus 3 1 2) (minus 3 2 1)
///     (minus 4 1 3) (minus 4 2 2) (minus 5 1 4) (minus 5 2 3) (other left right) (other right left)
///     (<= (legal ?r (take ?n)) (true (control ?r)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (legal ?r noop) (true (control ?s)) (other ?r ?s))
///     (<= (next (sticks ?rest)) (does ?r (take ?n)) (true (sticks ?m)) (minus ?m ?n ?rest))
///     (<= (next (control ?r)) (true (control ?s)) (other ?r ?s))
///     (<= terminal (true (sticks 0)))
///     (<= (goal ?r 0) (true (control ?r)))
///     (<= (goal ?r 100) (true (control ?s)) (other ?r ?s))
/// ");
///
/// let game = nim::game();
/// let mut training = Training::new(&game, 7)?;
/// while training.samples() < 5_000 {
///     let part = training.samples() as f64 / 5_000.0;
///     training.advance(&game, part, 1, &Budget::unlimited());
/// }
/// let value = LearnedValue::new(&game, training.net().into())?;
/// let mut search = AlphaBeta::greedy().evaluation(value);
/// let found = search.search(&game, &game.initial(), nim::Role::Left, &Budget::unlimited());
/// // Three sticks are lost for the player who must take.
/// assert_eq!(game.move_text(found.action.unwrap()), "(take 2)");
/// # Ok::<(), gdl_players::search::NetError>(())
/// ```
#[derive(Clone)]
pub struct Training {
    features: Features,
    seed: u64,
    weights: Weights,
    /// The stored states, at most `room` of them; the next one is stored at the index `next`.
    states: Vec<u64>,
    targets: Vec<f32>,
    room: usize,
    next: usize,
    words: usize,
    rounds: u64,
    samples: u64,
    games: u64,
    /// The number of samples of the last round.
    fresh: u64,
    loss: f32,
    seconds: f64,
}

impl fmt::Debug for Training {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Training")
            .field("sizes", &self.weights.sizes)
            .field("seed", &self.seed)
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}

impl Training {
    /// Begins a training. O(gates + some thousands of random steps).
    ///
    /// # Errors
    /// Returns an error if games of this kind cannot be learned.
    pub fn new<G: Game>(game: &G, seed: u64) -> Result<Self, NetError> {
        Self::within(game, seed, &Budget::unlimited())
    }

    /// Begins a training as [`Self::new`] does, unless the budget is spent first.
    pub(in crate::search) fn within<G: Game>(game: &G, seed: u64, budget: &Budget) -> Result<Self, NetError> {
        let features = Features::of(game, budget)?;
        let count = features.len();
        let hidden = HIDDEN.into_iter().find(|&(_, most)| count <= most).map_or(32, |(hidden, _)| hidden);
        let sizes = Sizes { features: count, hidden, heads: heads(game), outputs: features.outputs() };
        let weights = Weights::new(sizes, seed, features.active);
        let words = game.shape().state_words();
        let room = KEPT.min(KEPT_BYTES / (8 * words + 4 * sizes.outputs));
        Ok(Self {
            features,
            seed,
            weights,
            states: Vec::new(),
            targets: Vec::new(),
            room,
            next: 0,
            words,
            rounds: 0,
            samples: 0,
            games: 0,
            fresh: 0,
            loss: 1.0,
            seconds: 0.0,
        })
    }

    /// Returns the number of states collected so far.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the number of games played so far.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns the running mean of the squared error of outputs from -1 to 1.
    #[must_use]
    pub fn loss(&self) -> f32 {
        self.loss
    }

    /// Returns the seed of the training.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the seconds of training added by [`Training::count_seconds`].
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Adds to the [seconds](Self::seconds) of training, which [`Training::state`] stores.
    pub fn count_seconds(&mut self, seconds: f64) {
        self.seconds += seconds;
    }

    /// Returns the fingerprint of the game.
    pub(in crate::search) fn fingerprint(&self) -> u64 {
        self.features.fingerprint
    }

    /// Drops the stored states, which take most of the bytes. Training continues with new ones.
    pub(in crate::search) fn drop_states(&mut self) {
        (self.states, self.targets) = (Vec::new(), Vec::new());
        (self.next, self.fresh) = (0, 0);
    }

    /// Returns the evaluation by the current net.
    pub(in crate::search) fn value(&self) -> LearnedValue {
        LearnedValue { net: self.net().into(), features: self.features.clone() }
    }

    /// Returns the current net.
    #[must_use]
    pub fn net(&self) -> Net {
        Net { judge: Judge::of(&self.weights), fingerprint: self.features.fingerprint, samples: self.samples }
    }

    /// Trains for one round on `threads` threads; `part`, from 0 to 1, is the finished share of the
    /// training. The game must be that of the training. A round takes less than a second in most
    /// games, and is interrupted once the budget is spent.
    ///
    /// Returns whether the round was finished.
    pub fn advance<G: Game>(&mut self, game: &G, part: f64, threads: usize, budget: &Budget) -> bool {
        let net = Judge::of(&self.weights);
        let wanted = ROUND / (GAMES * self.features.length.max(1.0));
        #[allow(clippy::cast_sign_loss, reason = "a quotient of numbers above 0")]
        let blocks = (wanted.ceil() as u64).clamp(1, MOST_BLOCKS);
        let first = self.rounds * blocks;
        let (features, seed) = (self.features.clone(), self.seed);
        let (next, played) = (AtomicUsize::new(0), Mutex::new(vec![None; blocks as usize]));
        let play = || {
            let mut games = SelfPlay::new(game, &features);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number as u64 >= blocks {
                    break;
                }
                let samples = games.play(&net, seed, first + number as u64, budget);
                played.lock().unwrap_or_else(PoisonError::into_inner)[number] = samples;
            }
        };
        thread::scope(|scope| {
            for _ in 1..threads.min(blocks as usize + 1) {
                // If the system is out of threads, fewer threads play.
                let _ = thread::Builder::new().spawn_scoped(scope, play);
            }
            self.learn(game, part, budget);
            play();
        });
        let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(played) = played.into_iter().collect::<Option<Vec<Samples>>>() else { return false };
        self.rounds += 1;
        self.fresh = 0;
        played.iter().for_each(|samples| self.keep(samples));
        true
    }

    /// Makes steps of gradient descent on random batches of the stored states.
    fn learn<G: Game>(&mut self, game: &G, part: f64, budget: &Budget) {
        let outputs = self.weights.sizes.outputs;
        let kept = (self.targets.len() / outputs) as u64;
        let rate = RATE * (1.0 - part as f32).clamp(LEAST_RATE, 1.0);
        let mut stream = Stream::new(self.seed ^ u64::MAX, self.rounds);
        let mut batch = Batch::default();
        for _ in 0..(self.fresh * REUSE).div_ceil(BATCH as u64) {
            if budget.is_spent() {
                return;
            }
            batch.clear();
            for _ in 0..BATCH {
                let place = stream.below(kept) as usize;
                let state = &self.states[place * self.words..][..self.words];
                let targets = &self.targets[place * outputs..][..outputs];
                let head = head(game, self.weights.sizes.heads, state);
                batch.push(head, targets, |active| {
                    self.features.visit(state, &mut |feature| active.push(feature as u32));
                });
            }
            let loss = self.weights.step(&batch, rate);
            self.loss += 0.002 * (loss - self.loss);
        }
    }

    /// Stores states to learn from. Once `room` states are stored, each new state replaces the
    /// oldest.
    fn keep(&mut self, samples: &Samples) {
        let outputs = self.weights.sizes.outputs;
        let states = samples.states.chunks_exact(self.words);
        for (state, targets) in states.zip(samples.targets.chunks_exact(outputs)) {
            if self.targets.len() < self.room * outputs {
                self.states.extend(state);
                self.targets.extend(targets);
            } else {
                self.states[self.next * self.words..][..self.words].copy_from_slice(state);
                self.targets[self.next * outputs..][..outputs].copy_from_slice(targets);
            }
            self.next = (self.next + 1) % self.room;
            self.samples += 1;
            self.fresh += 1;
        }
        self.games += samples.games;
    }

    /// Sets the maximum number of stored states; call it before there are any.
    #[cfg(all(test, feature = "load"))]
    pub(super) fn set_room(&mut self, room: usize) {
        self.room = room;
    }

    /// Returns the bytes that [`Training::resume`] reads: some megabytes.
    #[must_use]
    pub fn state(&self) -> Vec<u8> {
        let mut writer = Writer::new(*MAGIC, VERSION, self.features.fingerprint);
        for number in [self.seed, self.rounds, self.samples, self.games, self.fresh, self.next as u64] {
            writer.u64(number);
        }
        writer.u64(self.seconds.to_bits());
        let Weights { values, means, squares, powers, .. } = &self.weights;
        writer.floats([self.loss].iter().chain(powers).chain(values).chain(means).chain(squares));
        writer.u64(self.states.len() as u64);
        self.states.iter().for_each(|&word| writer.u64(word));
        writer.floats(&self.targets);
        writer.end()
    }

    /// Resumes a training that [`Training::state`] wrote.
    ///
    /// # Errors
    /// Returns an error if the bytes are damaged, of another game or from a newer release, or if
    /// games of this kind cannot be learned.
    pub fn resume<G: Game>(game: &G, bytes: &[u8]) -> Result<Self, NetError> {
        Self::resume_within(game, bytes, &Budget::unlimited())
    }

    /// Resumes a training as [`Self::resume`] does, unless the budget is spent first.
    pub(in crate::search) fn resume_within<G: Game>(
        game: &G,
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Self, NetError> {
        let mut reader = Reader::new(bytes, *MAGIC, VERSION)?;
        let mut training = Self::within(game, 0, budget)?;
        if reader.fingerprint != training.features.fingerprint {
            return Err(NetError::Foreign);
        }
        let mut next = 0;
        let fields = [
            &mut training.seed,
            &mut training.rounds,
            &mut training.samples,
            &mut training.games,
            &mut training.fresh,
            &mut next,
        ];
        for field in fields {
            *field = reader.u64()?;
        }
        training.seconds = f64::from_bits(reader.u64()?);
        let weights = &mut training.weights;
        let mut scalars = [0.0; 3];
        reader.floats(&mut scalars)?;
        [training.loss, weights.powers[0], weights.powers[1]] = scalars;
        for list in [&mut weights.values, &mut weights.means, &mut weights.squares] {
            reader.floats(list)?;
        }
        let words = usize::try_from(reader.u64()?).map_err(|_| NetError::Damaged)?;
        let kept = words / training.words;
        training.next = usize::try_from(next).unwrap_or(usize::MAX);
        let counted = training.samples.max(training.rounds).max(training.games);
        let is_sound = kept <= training.room
            && kept * training.words == words
            && training.next < training.room
            && (kept > 0 || training.fresh == 0)
            && training.fresh <= training.samples
            && counted < MOST_COUNTED
            && training.seconds >= 0.0;
        if !is_sound {
            return Err(NetError::Damaged);
        }
        training.states = (0..words).map(|_| reader.u64()).collect::<Result<_, _>>()?;
        let fluents = training.features.fluents;
        let mut states = training.states.chunks_exact(training.words);
        if states.any(|state| bits::ones(state).any(|fluent| fluent >= fluents)) {
            return Err(NetError::Damaged);
        }
        training.targets = vec![0.0; kept * weights.sizes.outputs];
        reader.floats(&mut training.targets)?;
        reader.end()?;
        Ok(training)
    }
}

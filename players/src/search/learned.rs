//! A learned value: a small net that is trained by self-play, from the rules alone.
//!
//! [`Training`] trains a [`Net`], which can be stored in a file. [`LearnedValue`] evaluates the
//! states of a game by a net, and [`Learned`] is the player that searches with it.

mod bytes;
mod features;
#[allow(clippy::inline_always, reason = "only what is inlined is compiled for wide vectors")]
mod judge;
mod player;
mod self_play;
#[cfg(all(test, feature = "load"))]
mod tests;
mod training;
#[allow(clippy::inline_always, reason = "as for `judge`")]
mod weights;

pub use player::Learned;
pub use training::Training;

use super::Evaluation;
use crate::Budget;
use bytes::{Reader, Writer};
use features::{Features, head, heads};
use gdl_runtime::Game;
use judge::{Head, Judge};
use std::{fmt, sync::Arc};
use weights::{MOST_OUTPUTS, SECOND, Sizes};

/// The magic bytes and the version of net files.
const MAGIC: &[u8; 8] = b"gdl-net\n";
const VERSION: u32 = 1;

/// A trained net, valid only for the game that it was trained on.
///
/// Its weights are 16-bit integers, so evaluations are equal on all machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    judge: Judge,
    fingerprint: u64,
    samples: u64,
}

impl Net {
    /// The maximum number of bytes of a net file.
    pub const MOST_BYTES: usize = 1 << 20;

    /// Returns the number of states that the net was trained on.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the fingerprint of the game that the net was trained on.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns whether the net was trained on this game. O(names + some hundred random steps).
    #[must_use]
    pub fn is_of<G: Game>(&self, game: &G) -> bool {
        features::fingerprint(game, &Budget::unlimited()) == Some(self.fingerprint)
    }

    /// Returns the bytes of a net file: a header of 44 bytes, the weights and a checksum, all
    /// little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Sizes { features, hidden, heads, outputs } = self.judge.sizes;
        let mut writer = Writer::new(*MAGIC, VERSION, self.fingerprint);
        writer.u64(self.samples);
        [features, hidden, heads, outputs].into_iter().for_each(|size| writer.u32(size as u32));
        writer.shorts(&self.judge.rows);
        for head in &self.judge.heads {
            writer.shorts(&head.second);
            head.biases.iter().for_each(|&bias| writer.u32(bias.cast_unsigned()));
            writer.shorts(&head.last);
            head.last_biases.iter().for_each(|&bias| writer.u32(bias.cast_unsigned()));
        }
        writer.end()
    }

    /// Reads a net file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a net file, damaged, or from a newer release.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        if bytes.len() > Self::MOST_BYTES {
            return Err(NetError::Other);
        }
        let mut reader = Reader::new(bytes, *MAGIC, VERSION)?;
        let samples = reader.u64()?;
        let mut sizes = [0; 4];
        for size in &mut sizes {
            *size = reader.u32()? as usize;
        }
        let [features, hidden, heads, outputs] = sizes;
        let is_sound = features < usize::from(u16::MAX)
            && [32, 64, 128].contains(&hidden)
            && (1..=64).contains(&heads)
            && (1..=MOST_OUTPUTS).contains(&outputs);
        if !is_sound {
            return Err(NetError::Damaged);
        }
        let sizes = Sizes { features, hidden, heads, outputs };
        let rows = reader.shorts(sizes.head(0))?;
        let bias = |reader: &mut Reader<'_>| reader.u32().map(u32::cast_signed);
        let head = |reader: &mut Reader<'_>| {
            let second = reader.shorts(SECOND * hidden)?;
            let mut biases = [0; SECOND];
            for place in &mut biases {
                *place = bias(reader)?;
            }
            let last = reader.shorts(SECOND * outputs)?;
            let last_biases = (0..outputs).map(|_| bias(reader)).collect::<Result<_, _>>()?;
            Ok(Head { second, biases, last, last_biases })
        };
        let heads = (0..heads).map(|_| head(&mut reader)).collect::<Result<_, _>>()?;
        let fingerprint = reader.fingerprint;
        reader.end()?;
        Ok(Self { judge: Judge { sizes, rows, heads }, fingerprint, samples })
    }
}

/// An error of a net or a training.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetError {
    /// The bytes are not of this kind of file.
    Other,
    /// The file is damaged or truncated.
    Damaged,
    /// The file is from a newer release.
    Newer,
    /// The file belongs to another game.
    Foreign,
    /// Games of this kind cannot be learned, with the reason.
    Unsuitable(String),
    /// The budget was spent before the training began.
    Late,
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Other => "it is no such file of `gdl train`",
            Self::Damaged => "the file is damaged, or was cut off",
            Self::Newer => "the file is from a newer release of gdl",
            Self::Late => "there is too little time to look at the game",
            Self::Foreign => "the file is of another game, or of other rules under the same name",
            Self::Unsuitable(reason) => return write!(f, "the game cannot be learnt: {reason}"),
        })
    }
}

impl std::error::Error for NetError {}

/// A learned evaluation: a [`Net`], and the features of its game.
///
/// The features are the fluents that hold, and the lines of [`Linear`](super::Linear) that lack one
/// or two fluents and are not ruled out. For two roles whose goals have a constant sum, the net has
/// one output, otherwise one for each role.
#[derive(Clone, Debug)]
pub struct LearnedValue {
    net: Arc<Net>,
    features: Features,
}

impl LearnedValue {
    /// Creates the evaluation of a game by a net. O(gates + some thousands of random steps).
    ///
    /// # Errors
    /// Returns an error if the net belongs to another game.
    pub fn new<G: Game>(game: &G, net: Arc<Net>) -> Result<Self, NetError> {
        Self::within(game, net, &Budget::unlimited())
    }

    /// Creates the evaluation of a game by a net within a budget.
    ///
    /// # Errors
    /// Returns an error if the net belongs to another game, or the budget is spent first.
    pub(super) fn within<G: Game>(game: &G, net: Arc<Net>, budget: &Budget) -> Result<Self, NetError> {
        if Self::fingerprint_of(game, budget).ok_or(NetError::Late)? != net.fingerprint {
            return Err(NetError::Foreign);
        }
        let features = Features::of(game, budget)?;
        let Sizes { features: count, heads: own, outputs, .. } = net.judge.sizes;
        // Another release may have found other lines.
        if (count, own, outputs) != (features.len(), heads(game), features.outputs()) {
            return Err(NetError::Foreign);
        }
        Ok(Self { net, features })
    }

    /// Returns the fingerprint of a game. Returns `None` if the budget is spent first.
    pub(super) fn fingerprint_of<G: Game>(game: &G, budget: &Budget) -> Option<u64> {
        features::fingerprint(game, budget)
    }

    /// Returns the net.
    pub(super) fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// Returns the number of states that the net was trained on.
    pub(super) fn samples(&self) -> u64 {
        self.net.samples
    }
}

impl<G: Game> Evaluation<G> for LearnedValue {
    #[inline]
    fn evaluate(&self, game: &G, state: &G::State, _: &G::View, goals: &mut [f32]) {
        let Judge { sizes, .. } = self.net.judge;
        let state = state.as_ref();
        let mut outputs = [0.0; MOST_OUTPUTS];
        let outputs = &mut outputs[..sizes.outputs];
        let head = head(game, sizes.heads, state);
        self.net.judge.judge(head, outputs, |feature| self.features.visit(state, feature));
        self.features.goals(outputs, goals);
    }
}

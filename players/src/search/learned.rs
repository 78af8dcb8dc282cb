//! A learned value: a small net that is trained on games against itself, from the rules alone.
//!
//! [`Training`] trains, [`Net`] is the result as a file has it, [`LearnedValue`] judges the states
//! of a game by it, and [`Learned`] is the player that searches with that.

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

/// The kind and the version of files of nets.
const MAGIC: &[u8; 8] = b"gdl-net\n";
const VERSION: u32 = 1;

/// A trained net, of the game that it was trained for and of no other.
///
/// It has whole numbers of 16 bits, and judges states the same on all machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    judge: Judge,
    fingerprint: u64,
    samples: u64,
}

impl Net {
    /// The most bytes of a file.
    pub const MOST_BYTES: usize = 1 << 20;

    /// The number of states that it was trained on.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns whether it was trained for this game. O(names + some hundred random steps).
    #[must_use]
    pub fn is_of<G: Game>(&self, game: &G) -> bool {
        features::fingerprint(game, &Budget::unlimited()) == Some(self.fingerprint)
    }

    /// The bytes of a file: a header of 44 bytes, whole numbers and a checksum, lowest byte first.
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

    /// The net of a file.
    ///
    /// # Errors
    /// Returns an error if the bytes are no net, damaged or from a newer release.
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
    /// The bytes are of another kind of file.
    Other,
    /// The file is damaged or was cut off.
    Damaged,
    /// The file is from a newer release.
    Newer,
    /// The file is of another game.
    Foreign,
    /// Games of this kind cannot be learnt; the reason.
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

/// A learned evaluation: a [`Net`], and what it sees of the states of its game.
///
/// Features are the fluents that hold, each fluent that alone is missing for a line, and each line
/// that lacks two and is not ruled out; lines are as [`Linear`](super::Linear) has them. One output
/// is enough for two roles whose goals add up to the same, and each role has one otherwise.
#[derive(Clone, Debug)]
pub struct LearnedValue {
    net: Arc<Net>,
    features: Features,
}

impl LearnedValue {
    /// The evaluation of a game. O(gates + some thousands of random steps).
    ///
    /// # Errors
    /// Returns an error if the net is of another game.
    pub fn new<G: Game>(game: &G, net: Arc<Net>) -> Result<Self, NetError> {
        if !net.is_of(game) {
            return Err(NetError::Foreign);
        }
        let features = Features::of(game, &Budget::unlimited())?;
        let Sizes { features: count, heads: own, outputs, .. } = net.judge.sizes;
        // Lines may have been found otherwise by another release.
        if (count, own, outputs) != (features.len(), heads(game), features.outputs()) {
            return Err(NetError::Foreign);
        }
        Ok(Self { net, features })
    }

    /// The fingerprint of a game, which its values have. Returns `None` if the budget was spent
    /// first.
    pub(super) fn fingerprint_of<G: Game>(game: &G, budget: &Budget) -> Option<u64> {
        features::fingerprint(game, budget)
    }

    /// The fingerprint of its game.
    pub(super) fn fingerprint(&self) -> u64 {
        self.net.fingerprint
    }

    /// The number of states that its net was trained on.
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

//! The budget of proofs: little at first, and more as long as they bring something. Most nets have
//! nothing that the first few proofs do not show.

use super::proof::Prover;
use crate::{meter::Meter, propnet::Net};

/// Steps of proofs at the start, for each literal of the net, and their lower and upper bounds.
const START: u64 = 16;
const BOUNDS: (u64, u64) = (10_000, 50_000);

/// Steps that a proof that brought something adds to those.
const REWARD: u64 = 5_000;

/// Steps of proofs that all rewards may add up to, for each literal and at most.
const MOST: (u64, u64) = (256, 1_000_000);

/// Steps that the proofs of a pass may take.
pub(super) struct Budget {
    allowed: u64,
    most: u64,
    paid: u64,
}

impl Budget {
    /// The first budget of a pass over a net.
    pub(super) fn new(net: &Net) -> Self {
        let literals = net.literals() as u64;
        let most = (MOST.0 * literals).min(MOST.1);
        Self { allowed: (START * literals).clamp(BOUNDS.0, BOUNDS.1).min(most), most, paid: 0 }
    }

    /// True if the steps that a prover has taken so far leave some.
    pub(super) fn lasts(&self, prover: &Prover<'_>) -> bool {
        prover.work() <= self.allowed
    }

    /// A proof brought something, so more are worth trying.
    pub(super) fn reward(&mut self) {
        self.allowed = (self.allowed + REWARD).min(self.most);
    }

    /// Pays for what a prover has taken since this was last called.
    pub(super) fn pay(&mut self, prover: &Prover<'_>, meter: &mut Meter) -> Option<()> {
        let due = prover.work();
        meter.spend(due - self.paid)?;
        self.paid = due;
        Some(())
    }
}

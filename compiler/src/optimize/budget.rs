//! The budget of proofs: small at first, and raised by each successful proof. For most nets the
//! first proofs already find all that can be proved.

use super::proof::Prover;
use crate::{meter::Meter, propnet::Net};

/// The initial budget: steps for each literal of the net, and the bounds of the total.
const START: u64 = 16;
const BOUNDS: (u64, u64) = (10_000, 50_000);

/// The steps that a successful proof adds to the budget.
const REWARD: u64 = 5_000;

/// The maximum budget after all rewards: steps for each literal of the net, and the upper bound of
/// the total.
const MOST: (u64, u64) = (256, 1_000_000);

/// The steps that the proofs of a pass may take.
pub(super) struct Budget {
    allowed: u64,
    most: u64,
    paid: u64,
}

impl Budget {
    /// Creates the initial budget of a pass over a net.
    pub(super) fn new(net: &Net) -> Self {
        let literals = net.literals() as u64;
        let most = (MOST.0 * literals).min(MOST.1);
        Self { allowed: (START * literals).clamp(BOUNDS.0, BOUNDS.1).min(most), most, paid: 0 }
    }

    /// Returns true if the prover has not exceeded the budget.
    pub(super) fn lasts(&self, prover: &Prover<'_>) -> bool {
        prover.work() <= self.allowed
    }

    /// Raises the budget after a successful proof, since others are likely to succeed too.
    pub(super) fn reward(&mut self) {
        self.allowed = (self.allowed + REWARD).min(self.most);
    }

    /// Pays for the steps that the prover has taken since the last call.
    pub(super) fn pay(&mut self, prover: &Prover<'_>, meter: &mut Meter) -> Option<()> {
        let due = prover.work();
        meter.spend(due - self.paid)?;
        self.paid = due;
        Some(())
    }
}

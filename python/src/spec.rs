//! The shape and options of a batch.

use crate::planes::Planes;
use gdl_runtime::engine::{Renewal, Stepper};

/// The shape and options of a batch.
pub(crate) struct Spec {
    pub(crate) n: usize,
    pub(crate) roles: usize,
    pub(crate) fluents: usize,
    pub(crate) moves: usize,
    pub(crate) percepts: usize,
    pub(crate) chance: Option<usize>,
    /// True if each role gives a move in each step and has a mask; false if only the role to move
    /// does.
    pub(crate) all: bool,
    pub(crate) packed: bool,
    /// True if percepts are observed instead of the state.
    pub(crate) hidden: bool,
    /// The planes of the observation; `None` for rows of fluents.
    pub(crate) planes: Option<Planes>,
    pub(crate) renewal: Renewal,
    /// The stepper that finds the role to move.
    pub(crate) proof: Option<Stepper>,
}

impl Spec {
    /// The number of elements in `times` rows of bits.
    fn width(&self, times: usize, bits: usize) -> usize {
        times * if self.packed { bits.div_ceil(64) } else { bits }
    }

    /// The number of elements of a game's observation.
    pub(crate) fn observation(&self) -> usize {
        match &self.planes {
            Some(planes) => planes.fluents.len(),
            None if self.hidden => self.width(self.roles, self.percepts),
            None => self.width(1, self.fluents),
        }
    }

    pub(crate) fn mask(&self) -> usize {
        self.width(self.seats(), self.moves)
    }

    /// The number of roles that give moves in a step.
    pub(crate) fn seats(&self) -> usize {
        if self.all { self.roles } else { 1 }
    }

    fn shape(&self, of_each: bool, bits: usize) -> Vec<usize> {
        let width = self.width(1, bits);
        if of_each { vec![self.n, self.roles, width] } else { vec![self.n, width] }
    }

    pub(crate) fn observation_shape(&self) -> Vec<usize> {
        match &self.planes {
            Some(planes) => vec![self.n, planes.channels.len(), planes.height, planes.width],
            None if self.hidden => self.shape(true, self.percepts),
            None => self.shape(false, self.fluents),
        }
    }

    pub(crate) fn mask_shape(&self) -> Vec<usize> {
        self.shape(self.all, self.moves)
    }

    pub(crate) fn action_shape(&self) -> Vec<usize> {
        if self.all { vec![self.n, self.roles] } else { vec![self.n] }
    }
}

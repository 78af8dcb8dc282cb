//! Operations on planes with places that are checked once, so that running them needs no bounds
//! checks.
//!
//! [`Operations`] are built from the steps of a program and never change. They store the number of
//! planes that they need, and [`Operations::on`] checks it before a program runs. A place is the
//! distance of a plane from the first one in bytes. It has 32 bits and is added to an address
//! without conversion.

use super::{Plane, Word};
use gdl_format::lanes::{MOST_SLOTS, SLOT_BYTES, Step};

const _: () = assert!(size_of::<Plane>() == SLOT_BYTES && MOST_SLOTS * SLOT_BYTES <= u32::MAX as usize);

/// The operations of a program; a step has the places of its operands, then of its result.
#[derive(Clone, Debug)]
pub(crate) struct Operations {
    steps: Box<[[u32; 4]]>,
    /// The number of planes that must exist; each slot is below it.
    planes: usize,
}

impl Operations {
    /// Computes the places of steps.
    ///
    /// # Panics
    /// Panics if a slot is not below `MOST_SLOTS`.
    pub(crate) fn new(steps: &[Step]) -> Self {
        let slots = |step: &Step| [step.operands[0], step.operands[1], step.operands[2], step.result];
        let planes = steps.iter().flat_map(slots).max().map_or(0, |last| last as usize + 1);
        assert!(planes <= MOST_SLOTS, "there are at most `MOST_SLOTS` slots");
        Self {
            steps: steps.iter().map(|step| slots(step).map(|slot| slot * SLOT_BYTES as u32)).collect(),
            planes,
        }
    }

    /// The number of operations.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The number of planes that must exist.
    pub(crate) fn planes(&self) -> usize {
        self.planes
    }

    /// The steps from which the operations were made.
    pub(crate) fn steps(&self) -> impl Iterator<Item = Step> {
        self.steps.iter().map(|places| {
            let [a, b, c, result] = places.map(|place| place / SLOT_BYTES as u32);
            Step { operands: [a, b, c], result }
        })
    }

    /// Prepares the operations to run on these planes.
    ///
    /// # Panics
    /// Panics if there are fewer planes than `self.planes`.
    #[inline(always)]
    pub(crate) fn on<'a>(&'a self, planes: &'a mut [Plane]) -> Rest<'a> {
        assert!(planes.len() >= self.planes, "there is a plane at each place");
        Rest { rest: &self.steps, planes }
    }
}

/// The operations still to run, with planes that contain all of their places.
pub(crate) struct Rest<'a> {
    rest: &'a [[u32; 4]],
    planes: &'a mut [Plane],
}

impl Rest<'_> {
    /// Runs the next `count` operations, all with the same truth table.
    ///
    /// # Panics
    /// Panics if there are fewer operations than `count`.
    #[inline(always)]
    pub(crate) fn run<W: Word, const TABLE: i32>(&mut self, count: usize) {
        let (steps, rest) = self.rest.split_at(count);
        self.rest = rest;
        let first = self.planes.as_mut_ptr();
        for &[a, b, c, result] in steps {
            // SAFETY: these are places of `Operations`, which has checked that each is the distance
            // of one of `planes` planes from the first. Only `Operations::on` makes a `Rest`, and
            // `on` has checked that number of planes. Nothing else refers to them meanwhile.
            unsafe {
                let a = W::load(&*first.byte_add(a as usize));
                let b = W::load(&*first.byte_add(b as usize));
                let c = W::load(&*first.byte_add(c as usize));
                W::ternary::<TABLE>(a, b, c).store(&mut *first.byte_add(result as usize));
            }
        }
    }
}

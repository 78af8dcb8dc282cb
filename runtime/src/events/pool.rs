//! The machines of a net: as many as threads ever worked at the same time with it, as far as they
//! may take so much. Then threads wait for each other.
//!
//! Input: a net made ready, and a state. Output: a machine in that state, which is given back when
//! the caller is done with it. It is the idle one that was nearest to the state, so games that are
//! played by turns each keep a machine.

use super::machine::{Machine, Wiring};
use crate::game::Shape;
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

/// A net, and the machines that have it in some state.
pub(super) struct Pool {
    wiring: Arc<dyn Wiring>,
    shape: Shape,
    machines: Mutex<Machines>,
    /// The greatest number of machines.
    most: usize,
    /// Wakes a thread that waits for a machine.
    returned: Condvar,
}

/// The machines of a net.
#[derive(Default)]
struct Machines {
    /// The machines that are not on loan.
    idle: Vec<Machine>,
    /// The number of machines.
    count: usize,
    /// Threads that wait for one. A wake-up that no thread waits for takes as long as a small step.
    waiting: usize,
}

/// A machine that a thread works with, and gives back.
pub(super) struct Loan<'p> {
    pool: &'p Pool,
    machine: Option<Machine>,
}

impl Deref for Loan<'_> {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        self.machine.as_ref().expect("it is given back at the end")
    }
}

impl DerefMut for Loan<'_> {
    fn deref_mut(&mut self) -> &mut Machine {
        self.machine.as_mut().expect("it is given back at the end")
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut machines = self.pool.machines();
        machines.idle.extend(self.machine.take());
        if machines.waiting > 0 {
            self.pool.returned.notify_one();
        }
    }
}

impl Pool {
    /// A net whose machines may take `bytes` bytes; there can be one in any case.
    pub(super) fn new(wiring: Arc<dyn Wiring>, shape: Shape, bytes: usize) -> Self {
        let most = (bytes / (wiring.gate_bytes() + 8 * shape.state_words()).max(1)).max(1);
        Self { wiring, shape, machines: Mutex::default(), most, returned: Condvar::new() }
    }

    /// A machine in `state`.
    pub(super) fn visit(&self, state: &[u64]) -> Loan<'_> {
        let mut machines = self.machines();
        let machine = loop {
            let nearest = match machines.idle.len() {
                1 => Some(0),
                idle => (0..idle).min_by_key(|&place| machines.idle[place].distance(state)),
            };
            if let Some(place) = nearest {
                break Some(machines.idle.swap_remove(place));
            }
            if machines.count < self.most {
                machines.count += 1;
                break None;
            }
            machines.waiting += 1;
            machines = self.returned.wait(machines).unwrap_or_else(PoisonError::into_inner);
            machines.waiting -= 1;
        };
        drop(machines);
        let machine = machine.unwrap_or_else(|| Machine::new(Arc::clone(&self.wiring), self.shape));
        let mut loan = Loan { pool: self, machine: Some(machine) };
        loan.visit(state);
        loan
    }

    /// The number of operands of all gates of the net.
    pub(super) fn edges(&self) -> usize {
        self.wiring.edges()
    }

    /// The work done so far by the machines that are idle.
    pub(super) fn work(&self) -> u64 {
        self.machines().idle.iter().map(|machine| machine.gates().work()).sum()
    }

    fn machines(&self) -> MutexGuard<'_, Machines> {
        self.machines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The machines of a net: one for each thread that works with it at the same time, within a byte
//! limit. Beyond the limit, threads wait.
//!
//! Input: the wiring of a net, and a state. Output: a machine in that state, which the caller
//! returns by dropping it. The idle machine nearest to the state is chosen, so several games played
//! in turn each keep their machine.

use super::machine::{Machine, Wiring};
use crate::game::Shape;
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

/// A net with its machines.
pub(super) struct Pool {
    wiring: Arc<dyn Wiring>,
    shape: Shape,
    machines: Mutex<Machines>,
    /// The maximum number of machines.
    most: usize,
    /// Wakes a thread that waits for a machine.
    returned: Condvar,
}

/// The machines of a net.
#[derive(Default)]
struct Machines {
    /// The machines that are not on loan.
    idle: Vec<Machine>,
    /// The number of machines, idle or on loan.
    count: usize,
    /// The number of waiting threads. Since a needless wake-up takes as long as a small step, a
    /// returned machine wakes no thread if this is 0.
    waiting: usize,
}

/// A machine on loan to a thread; dropping the loan returns it.
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
    /// Creates a pool for as many machines as fit into `bytes` bytes, but at least one.
    pub(super) fn new(wiring: Arc<dyn Wiring>, shape: Shape, bytes: usize) -> Self {
        let most = (bytes / (wiring.gate_bytes() + 8 * shape.state_words()).max(1)).max(1);
        Self { wiring, shape, machines: Mutex::default(), most, returned: Condvar::new() }
    }

    /// Borrows a machine, moved to `state`.
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

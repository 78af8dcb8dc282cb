//! The users of a net's gates, stored in one list.

use crate::propnet::{Gate, Net, Signal};

/// The users of each gate: the AND gates with it as an operand, as signals that are complemented if
/// the operand is.
pub(super) struct Users {
    starts: Vec<u32>,
    users: Vec<Signal>,
}

impl Users {
    pub(super) fn new(net: &Net) -> Self {
        let mut starts = vec![0u32; net.len() + 1];
        let ands = || {
            (net.inputs() as u32..net.len() as u32).filter_map(|gate| match net.gate(gate) {
                Gate::And(operands) => Some((gate, operands)),
                _ => None,
            })
        };
        ands().flat_map(|(_, operands)| operands).for_each(|s| starts[s.gate() as usize] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // Each start is the end of its gate's users and moves down as they are written.
        let mut users = vec![Signal::FALSE; end as usize];
        for (gate, operands) in ands() {
            for s in operands {
                starts[s.gate() as usize] -= 1;
                users[starts[s.gate() as usize] as usize] = Signal::new(gate, s.is_negated());
            }
        }
        Self { starts, users }
    }

    pub(super) fn of(&self, gate: u32) -> &[Signal] {
        &self.users[self.starts[gate as usize] as usize..self.starts[gate as usize + 1] as usize]
    }
}

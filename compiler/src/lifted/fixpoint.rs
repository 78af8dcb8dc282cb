//! Evaluation of one component: fills its tables.
//!
//! It is semi-naive: after the first round every derivation uses a tuple that was new in the
//! previous round. A component with a negation on a cycle gets its well-founded model, by the
//! alternating fixpoint (Van Gelder 1989). An atom that stays undefined, as with `(<= p (not p))`,
//! is an error and is never read as false. The other engines reject such rules, too. If a negation
//! on a cycle of relations lies on no cycle of atoms, it leaves no atom undefined.
//!
//! Each round spends fuel on its clauses and on every step of their code. There are at most as many
//! rounds as tuples. For a component with a negation on a cycle, at most as many models as tuples
//! are computed. The bytes of each model are charged.

use super::{Stop, clause::Goal, memory::Memory, program::Program};

/// Fills the tables of a component; the components that it depends on must be filled. `run` runs a
/// clause, or a variant of it.
pub(super) fn fill(
    program: &Program,
    component: usize,
    memory: &mut Memory,
    mut run: impl FnMut(&mut Memory, usize, Option<usize>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let relations = &program.components[component].relations;
    if !program.components[component].negative_cycle {
        return close(program, component, memory, &mut run);
    }
    let count = |memory: &Memory| -> Vec<u32> {
        relations.iter().map(|&relation| memory.store.tables[relation].len()).collect()
    };
    let assume = |memory: &mut Memory| {
        for &relation in relations {
            memory.assumed[relation] = memory.store.tables[relation].clone();
        }
    };
    relations.iter().for_each(|&relation| memory.assumed[relation].clear());
    close(program, component, memory, &mut run)?;
    let mut possible = count(memory);
    loop {
        assume(memory);
        close(program, component, memory, &mut run)?;
        if count(memory) == possible {
            return Ok(());
        }
        assume(memory);
        close(program, component, memory, &mut run)?;
        if count(memory) == possible {
            // The certain tuples are fewer than the possible ones, and neither set changes any
            // more.
            let is_open =
                |&&relation: &&usize| memory.assumed[relation].len() < memory.store.tables[relation].len();
            return Err(relations.iter().find(is_open).map_or(Stop::Unsafe, |&open| Stop::Undecided(open)));
        }
        possible = count(memory);
    }
}

/// Computes the least set closed under the clauses. The `assumed` tables decide negations inside
/// the component.
fn close(
    program: &Program,
    component: usize,
    memory: &mut Memory,
    run: &mut impl FnMut(&mut Memory, usize, Option<usize>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let component = &program.components[component];
    for &relation in &component.relations {
        memory.store.clear(relation);
        memory.new[relation] = (0, 0);
    }
    for &clause in &component.begin {
        run(memory, clause, None)?;
    }
    let round = 1 + component.clauses.len() as u64 / 16;
    if !component.is_recursive {
        return memory.burn(round);
    }
    loop {
        memory.burn(round)?;
        let mut changed = false;
        for &relation in &component.relations {
            let (from, to) = (memory.new[relation].1, memory.store.tables[relation].len());
            memory.new[relation] = (from, to);
            changed |= from < to;
        }
        if !changed {
            return Ok(());
        }
        for &clause in &component.clauses {
            for (variant, goals) in program.variants[clause].iter().enumerate() {
                let Some(Goal::Holds(front)) = goals.first() else { continue };
                let (from, to) = memory.new[front.relation];
                if from < to {
                    run(memory, clause, Some(variant))?;
                }
            }
        }
    }
}

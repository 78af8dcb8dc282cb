//! Fills the tables of one component.
//!
//! Semi-naive: after the first round every derivation uses a tuple that was new in the round
//! before. A component with a negation on a cycle gets its well-founded model, by the alternating
//! fixpoint (Van Gelder 1989). If that leaves something undefined, as with `(<= p (not p))`, the
//! rules do not say what holds, and no other way of evaluation accepts them: it is an error, never
//! read as false. Negations on a cycle of relations that lie on none of atoms leave nothing
//! undefined.
//!
//! Each round takes fuel for its clauses and for all that they do. There are as many rounds as
//! tuples at most, and as many models as a component with such a negation has tuples; the bytes of
//! each of them are charged.

use super::{Stop, clause::Goal, memory::Memory, program::Program};

/// Fills the tables of a component; those below must be filled. `run` runs a clause, or a variant
/// of it.
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
            // What is certain is less than what is possible, and neither changes any more.
            let is_open =
                |&&relation: &&usize| memory.assumed[relation].len() < memory.store.tables[relation].len();
            return Err(relations.iter().find(is_open).map_or(Stop::Unsafe, |&open| Stop::Undecided(open)));
        }
        possible = count(memory);
    }
}

/// The least set closed under the clauses, negations of the component judged by what is assumed.
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
